"""The members of a solo search's portfolio: native searches that take turns."""
from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf

from cython_ext.beam import Beam
from cython_ext.branch_bound import BranchBound
from cython_ext.relaxation import Relaxation
from cython_ext.solo import Puzzle


@dataclass(frozen=True)
class Team:
    """The members that take turns on one thread."""

    size: int
    thread: int  # from 0
    seed: int
    memory: int  # bytes each member may take


class Member(ABC):
    """One way to look for lines, or for a proof, on one of several threads.

    score, line: the best line it found. bound: points that no line can exceed, as far as it knows.
    """

    share = 1 << 18  # positions of one turn

    def __init__(self, puzzle: Puzzle, team: Team) -> None:
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
    def turn(self, end: float, nodes: int, score: float | None) -> int:
        """Search on until `end` on the clock of time.monotonic(), or for `nodes` positions; return how many.

        score: the best known one.
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

    def __init__(self, puzzle: Puzzle, team: Team) -> None:
        super().__init__(puzzle, team)
        self._beam = Beam(puzzle)
        self._widest = max(self.FIRST_WIDTH, team.memory // self._beam.bytes_per_width)
        self._width = self.FIRST_WIDTH
        self._noise = self.NOISE if team.thread else 0.0
        self._seed = ((team.seed << 32) + team.thread * MAX_RUNS) % (1 << 64)
        self._begin()

    def _begin(self) -> None:
        self._seed += 1
        self._beam.begin(self._width, self.EFFORT, self._noise, self._seed)

    @property
    def phase(self) -> str:
        """The width in progress."""
        return f"beam, width {self._width}"

    def turn(self, end: float, nodes: int, score: float | None) -> int:
        """Go on with the beam in progress."""
        before = self._beam.nodes
        done = self._beam.run(end, nodes)
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


class ExactMember(Member):
    """Branch and bound on the first thread; beside other members only where few enough rounds are to come."""

    ROUNDS = 3

    def __init__(self, puzzle: Puzzle, team: Team) -> None:
        super().__init__(puzzle, team)
        self._search = None
        if team.thread == 0 and (team.size == 1 or puzzle.rounds <= self.ROUNDS):
            self._search = BranchBound(puzzle, team.memory)

    @property
    def wants_turn(self) -> bool:
        """Until all is searched, or memory is used up."""
        return self._search is not None and not self._search.done and not self._search.failed

    @property
    def phase(self) -> str:
        """What it does."""
        return "exact, branch and bound"

    def turn(self, end: float, nodes: int, score: float | None) -> int:
        """Go on; a finished search proves its best line."""
        assert self._search is not None
        before = self._search.nodes
        self._search.run(end, nodes, -inf if score is None else score)
        self.score, self.line, self.bound = self._search.best, self._search.line, self._search.bound
        return self._search.nodes - before

    def stop(self) -> None:
        """End it."""
        if self._search is not None:
            self._search.stop()


class BoundMember(Member):
    """The game's own search for a bound, on the first thread; for puzzles that are too long to be solved exactly."""

    share = 64

    def __init__(self, puzzle: Puzzle, team: Team) -> None:
        super().__init__(puzzle, team)
        self._search = None
        if team.thread == 0 and puzzle.rounds >= ExactMember.ROUNDS:
            self._search = Relaxation(puzzle)

    @property
    def wants_turn(self) -> bool:
        """Until its bound falls no more."""
        return self._search is not None and not self._search.done

    @property
    def phase(self) -> str:
        """What it does."""
        return "bound, best first"

    def turn(self, end: float, nodes: int, score: float | None) -> int:
        """Go on."""
        assert self._search is not None
        before = self._search.nodes
        self._search.run(end, nodes)
        self.bound = self._search.bound
        return self._search.nodes - before

    def stop(self) -> None:
        """End it."""
        if self._search is not None:
            self._search.stop()


MAX_RUNS = 1 << 20  # beams of a thread that differ in their noise
MEMBERS: dict[str, type[Member]] = {"exact": ExactMember, "beam": BeamMember, "bound": BoundMember}
