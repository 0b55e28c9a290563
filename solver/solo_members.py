"""The members of a solo search's portfolio: native searches that take turns."""
from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from cython_ext.beam import Beam
from cython_ext.branch_bound import BranchBound
from cython_ext.nrpa import Nrpa
from cython_ext.relaxation import Relaxation
from cython_ext.solo import Puzzle
from cython_ext.solo_mcts import SoloMcts
from solver.neighbourhood import Neighbourhood


@dataclass(frozen=True)
class Team:
    """The members that take turns on one thread."""

    size: int
    thread: int  # from 0, through all parts of the search
    seed: int
    memory: int  # bytes each member may take

    @property
    def seed_of_thread(self) -> int:
        """Different for every thread and seed, and MAX_RUNS away from the next one."""
        return ((self.seed << 32) + self.thread * MAX_RUNS) % (1 << 64)


@dataclass(frozen=True)
class Budget:
    """What a member may spend from now on, in this turn and all later ones."""

    end: float  # on the clock of time.monotonic()
    nodes: float  # positions
    part: float = 1.0  # of the time until the end, as far as can be told; the rest goes to other members


class Best(NamedTuple):
    """The best line known."""

    score: float | None
    line: Sequence[int]


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
        """What it is doing, in a few words."""

    @abstractmethod
    def turn(self, end: float, nodes: int, best: Best, budget: Budget) -> int:
        """Search on until `end` on the clock of time.monotonic(), or for `nodes` positions; return how many.

        best: what all members together know. budget: what is left, for those that plan ahead.
        """

    @abstractmethod
    def stop(self) -> None:
        """End a running turn and all later ones; callable from any thread."""

    def _note(self, score: float | None, line: list[int]) -> None:
        """Keep a line if it is better."""
        if score is not None and (self.score is None or score > self.score):
            self.score, self.line = score, line


class BeamMember(Member):
    """Beam searches, each wider than the one before, the last one as wide as the budget has room for.

    Noise makes them differ, and better: positions that look equal to the value are often much alike.
    """

    FIRST_WIDTH = 4
    GROWTH = 2
    AROUND = 0  # positions looked at after a beam, for each of the beam's
    NOISE = 1.0  # points
    EFFORT = 24
    SPARE = 1.15  # how much longer than planned a beam may take

    def __init__(self, puzzle: Puzzle, team: Team) -> None:
        super().__init__(puzzle, team)
        self._beam = Beam(puzzle)
        self._widest = max(self.FIRST_WIDTH, team.memory // self._beam.bytes_per_width)
        self._width = self.FIRST_WIDTH
        self._seed = team.seed_of_thread
        self._begin()

    def _begin(self) -> None:
        self._progress = self._passed = 0.0  # progress, and the same times the width of that time
        self._spent = 0.0  # seconds since then
        self._looked = 0  # positions
        self._seed += 1
        self._beam.begin(self._width, self.EFFORT, self.NOISE, self._seed)

    @property
    def phase(self) -> str:
        """The width in progress."""
        return f"beam, width {self._width}"

    def turn(self, end: float, nodes: int, best: Best, budget: Budget) -> int:
        """Go on with the beam in progress."""
        before, began = self._beam.nodes, time.monotonic()
        done = self._beam.run(end, nodes)
        looked = self._beam.nodes - before
        self._count(looked, began)
        self._note(self._beam.best, self._beam.line)
        left = replace(budget, nodes=budget.nodes - looked)
        if done:
            self._ended(left)
        elif looked >= nodes:  # not where the clock has cut the turn: the same positions give the same line
            self._keep_pace(left)
        return looked

    def _count(self, looked: int, began: float) -> None:
        """Note what was looked at since a moment."""
        self._looked += looked
        self._spent += time.monotonic() - began

    def _ended(self, budget: Budget) -> None:
        """Go on after a beam."""
        self._grow(self._room(self._beam.nodes, budget) / self.SPARE)

    def _room(self, nodes: float, budget: Budget, owed: float = 0) -> float:
        """Return how many times as many positions as these the budget has room for, beside others that it must have."""
        pace = max(self._spent / max(1, self._looked), 1e-9)
        seconds = budget.part * (budget.end - time.monotonic())
        return max(0.0, min(budget.nodes - owed, seconds / pace - owed) / max(1, nodes))

    def _grow(self, room: float) -> None:
        """Begin the next beam; room: for how many like the last one."""
        growth = self.GROWTH if room > self.GROWTH + self.GROWTH**2 else room
        self._widen(self._width * growth)

    def _widen(self, width: float) -> None:
        self._width = max(1, int(min(width, self._widest)))
        self._begin()

    def _keep_pace(self, budget: Budget) -> None:
        """Narrow a beam that would leave too little for what comes after it, or not come to its end."""
        progress = self._beam.progress
        self._passed += self._width * (progress - self._progress)
        self._progress = progress
        if self._passed:
            rest = self._beam.nodes / self._passed * self._width * (1 - progress)
            room = self._room((1 + self.AROUND) * rest, budget, self.AROUND * self._beam.nodes)
            if rest and room < 1:
                self._width = max(1, int(self._width * room))
                self._beam.narrow(self._width)

    def stop(self) -> None:
        """End it."""
        self._beam.stop()


class NeighbourhoodMember(BeamMember):
    """Stages of a beam and narrower ones around its line, each from the start; the best line of all of them counts.

    Up to WIDTH each beam is GROWTH times as wide as the one before. From then on the widths are as in Luby et al. 1993:
    1, 1, 2, 1, 1, 2, 4 ... times WIDTH: what is spent around one line finds less and less, and a new one may do better.
    """

    GROWTH = 4
    WIDTH = 4096
    AROUND = 3
    NARROWER = 0.4  # width around a line, for each position of the beam's
    LAST = 5  # a stage takes all that is left if that is no more than so many times what it is planned to take
    LEAST = 0.5  # and is not begun if it is less than that

    def __init__(self, puzzle: Puzzle, team: Team) -> None:
        super().__init__(puzzle, team)
        self._around = Neighbourhood(puzzle, team.seed_of_thread)
        self._rest = 0  # positions to be looked at around the stage's line
        self._stages = 0  # begun with WIDTH or more

    @property
    def _narrow_width(self) -> int:
        return max(1, int(self.NARROWER * self._width))

    @property
    def phase(self) -> str:
        """What is in progress, and its width."""
        return f"neighbourhood, width {self._narrow_width}" if self._rest > 0 else super().phase

    def turn(self, end: float, nodes: int, best: Best, budget: Budget) -> int:
        """Go on with what is in progress."""
        if self._rest <= 0:
            return super().turn(end, nodes, best, budget)
        began = time.monotonic()
        looked = self._around.turn(end, min(nodes, self._rest), self._narrow_width, self.EFFORT, self.NOISE)
        self._count(looked, began)
        self._note(self._around.score, self._around.line)
        self._rest -= looked
        if self._rest <= 0:
            self._next(best, replace(budget, nodes=budget.nodes - looked))
        return looked

    def _ended(self, budget: Budget) -> None:
        """Go on after a beam, around its line; after one that found none with another one."""
        if self._beam.best is None:
            self._grow(self._room((1 + self.AROUND) * self._beam.nodes, budget))
        else:
            self._around.begin(self._beam.best, self._beam.line)
            self._rest = self.AROUND * self._beam.nodes

    def _next(self, best: Best, budget: Budget) -> None:
        """Begin the next stage, or go on around the best line of all if there is no room for one."""
        planned = self._width * self.GROWTH
        if planned >= self.WIDTH:
            planned = self.WIDTH * luby(self._stages + 1)
        planned = min(planned, self._widest)
        like_this = (1 + self.AROUND) * self._beam.nodes * planned / self._width
        room = self._room(like_this, budget) / self.SPARE
        if room < self.LEAST:
            self._rest = self.AROUND * self._beam.nodes
            if best.score is not None and best.score > self._around.score:
                self._around.begin(best.score, best.line)
        else:
            self._stages += planned >= self.WIDTH
            self._widen(planned * (1 if room > self.LAST else room))

    def stop(self) -> None:
        """End it."""
        super().stop()
        self._around.stop()


def luby(number: int) -> int:
    """Return a term of the sequence 1, 1, 2, 1, 1, 2, 4, 1 ... that is good for restarts whatever their luck is.

    number: from 1 on. See Luby, Sinclair & Zuckerman 1993.
    """
    size = number.bit_length()
    if number == (1 << size) - 1:
        return 1 << (size - 1)
    return luby(number - (1 << (size - 1)) + 1)


class ExactMember(Member):
    """Branch and bound on the first thread; beside other members only where few enough rounds are to come."""

    share = 1 << 20  # most of the time goes to the proof
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

    def turn(self, end: float, nodes: int, best: Best, budget: Budget) -> int:
        """Go on; a finished search proves its best line."""
        assert self._search is not None
        before = self._search.nodes
        self._search.run(end, nodes, -inf if best.score is None else best.score)
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

    def turn(self, end: float, nodes: int, best: Best, budget: Budget) -> int:
        """Go on. Without a limit of time the clock has no say, so that the same positions give the same bound."""
        assert self._search is not None
        before = self._search.nodes
        self._search.run(end if budget.end < inf or budget.nodes == inf else inf, nodes)
        self.bound = self._search.bound
        return self._search.nodes - before

    def stop(self) -> None:
        """End it."""
        if self._search is not None:
            self._search.stop()


class _Rollouts(Member):
    """A search that goes on until it is stopped; every thread has one with a seed of its own."""

    name: str
    _search: Nrpa | SoloMcts

    @property
    def phase(self) -> str:
        """What it is."""
        return self.name

    def turn(self, end: float, nodes: int, best: Best, budget: Budget) -> int:
        """Go on."""
        before = self._search.nodes
        self._search.run(end, nodes)
        self.score, self.line = self._search.best, self._search.line
        return self._search.nodes - before

    def stop(self) -> None:
        """End it."""
        self._search.stop()


class NrpaMember(_Rollouts):
    """Nested rollout policy adaptation; no part of the portfolio, to be compared with."""

    name = "nrpa"

    def __init__(self, puzzle: Puzzle, team: Team) -> None:
        super().__init__(puzzle, team)
        self._search = Nrpa(puzzle, team.seed_of_thread)


class MctsMember(_Rollouts):
    """Monte Carlo tree search for one player; no part of the portfolio, to be compared with."""

    name = "mcts"

    def __init__(self, puzzle: Puzzle, team: Team) -> None:
        super().__init__(puzzle, team)
        self._search = SoloMcts(puzzle, team.seed_of_thread, team.memory)


MAX_RUNS = 1 << 20  # beams of a thread that differ in their noise
MEMBERS: dict[str, type[Member]] = {
    "exact": ExactMember, "neighbourhood": NeighbourhoodMember, "bound": BoundMember, "beam": BeamMember,
    "nrpa": NrpaMember, "mcts": MctsMember,
}  # fmt: skip
