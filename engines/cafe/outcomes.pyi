from cython_ext.game import State

class Outcomes:
    complete: bool
    pruned: bool
    def __init__(
        self, state: State, actions: int | None = None, prune: bool = True, limit: int = 1 << 20,
        comparisons: int = 1 << 30,
    ) -> None: ...  # fmt: skip
    def __len__(self) -> int: ...
    def states(self) -> list[State]: ...
    def line(self, index: int) -> list[int]: ...
    @property
    def nodes_visited(self) -> int: ...
