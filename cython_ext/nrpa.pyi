from cython_ext.solo import Puzzle

class Nrpa:
    best: float | None
    line: list[int]
    def __init__(
        self,
        puzzle: Puzzle,
        seed: int,
        effort: int = 24,
        levels: int = 3,
        iterations: int = 50,
        temperature: float = 0.5,
    ) -> None: ...
    def run(self, deadline: float, nodes: int) -> None: ...
    def stop(self) -> None: ...
    @property
    def nodes(self) -> int: ...
