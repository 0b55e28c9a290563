from cython_ext.game import Game, State

class Search:
    game: Game
    ended: float
    def __init__(
        self,
        root: State,
        *,
        viewer: int,
        seed: int,
        memory: int,
        score_objective: bool = False,
        informed: bool = True,
        exploration: float | None = None,
        allowed: list[int] | None = None,
    ) -> None: ...
    def run(self, visits: int, deadline: float, move: int | None = None) -> str: ...
    def stop(self) -> None: ...
    @property
    def visits(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def node_bytes(self) -> int: ...
    def root_moves(self) -> list[tuple[int, int, list[float], list[float], list[float], list[float]]]: ...
    def children(self, line: list[int]) -> tuple[int, list[tuple[int, int]]]: ...
