from cython_ext.solo import Puzzle

class SoloMcts:
    best: float | None
    line: list[int]
    def __init__(
        self,
        puzzle: Puzzle,
        seed: int,
        memory: int,
        effort: int = 24,
        exploration: float = 2.0,
        doubt: float = 10.0,
    ) -> None: ...
    def run(self, deadline: float, nodes: int) -> None: ...
    def stop(self) -> None: ...
    @property
    def nodes(self) -> int: ...
