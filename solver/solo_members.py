"""The members of a solo search's portfolio: native searches that take turns."""
from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf

from cython_ext.beam import Beam
from cython_ext.solo import Puzzle

ALL = 1 << 62  # no limit of positions


class Member(ABC):
    """One way to look for lines, or for a proof, on one of several threads.

    score, line: the best line it found. bound: points that no line can exceed, as far as it knows.
    """

    seconds = inf  # of one turn

    def __init__(self, puzzle: Puzzle, seed: int, thread: int, threads: int, memory: int) -> None:
        self.puzzle = puzzle
        self.score: float | None = None
        self.line: list[int] = []
        self.bound = inf

    @property
    def wants_turn(self) -> bool:
        """Whether it could still find something."""
        return True

    @property
    @abstractmethod
    def phase(self) -> str:
        """Its name and what it is doing."""

    @abstractmethod
    def turn(self, end: float, nodes: int | None, score: float | None, bound: float) -> int:
        """Search on until `end` on the clock of time.monotonic(), or for `nodes` positions; return how many.

        score, bound: the best known ones.
        """

    @abstractmethod
    def stop(self) -> None:
        """End a running turn and all later ones; callable from any thread."""


class BeamMember(Member):
    """Beam searches, each twice as wide as the one before; at the widest they go on with other noise.

    The first thread's beams grow without noise, others differ by theirs.
    """

    FIRST_WIDTH = 4
    NOISE = 1.0  # points
    EFFORT = 24

    def __init__(self, puzzle: Puzzle, seed: int, thread: int, threads: int, memory: int) -> None:
        super().__init__(puzzle, seed, thread, threads, memory)
        self._beam = Beam(puzzle)
        self._widest = max(self.FIRST_WIDTH, memory // threads // self._beam.bytes_per_width)
        self._width = self.FIRST_WIDTH
        self._noise = self.NOISE if thread else 0.0
        self._seed = (seed * MAX_RUNS + thread) * MAX_RUNS
        self._begin()

    def _begin(self) -> None:
        self._seed += 1
        self._beam.begin(self._width, self.EFFORT, self._noise, self._seed)

    @property
    def phase(self) -> str:
        """The width in progress."""
        return f"beam, width {self._width}"

    def turn(self, end: float, nodes: int | None, score: float | None, bound: float) -> int:
        """Go on with the beam in progress."""
        before = self._beam.nodes
        done = self._beam.run(end, ALL if nodes is None else nodes)
        looked = self._beam.nodes - before
        self.score, self.line = self._beam.best, self._beam.line
        if done:
            if 2 * self._width > self._widest:
                self._noise = self.NOISE
            self._width = min(2 * self._width, self._widest)
            self._begin()
        return looked

    def stop(self) -> None:
        """End it."""
        self._beam.stop()


MAX_RUNS = 1 << 20  # beams of a thread, and threads, that differ in their noise
MEMBERS: dict[str, type[Member]] = {"beam": BeamMember}
