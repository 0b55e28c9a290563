"""The best play of a puzzle for one player, with proof of how close it is to the best possible."""
from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf

from cython_ext.game import State
from cython_ext.solo import Puzzle
from solver.positions import Position, invalid
from solver.solo_members import MEMBERS, Best, Budget, Member, Team

PORTFOLIO = ("exact", "neighbourhood", "bound")
MEMORY = 1 << 30
UNKNOWN = Budget(inf, inf)
MAX_THREADS = 64


@dataclass(frozen=True)
class Snapshot:
    """What a search knows. It only improves: the score grows, the bound falls."""

    score: float | None  # points of the best line, None before the first one
    bound: float  # points that no line can exceed
    line: tuple[int, ...]  # engine move codes from the position to the end of the last round that counts
    nodes: int  # distinct positions looked at so far
    phase: str  # the member at work and what it is doing, such as "beam, width 1600"
    proven: bool  # the line is a best one: score == bound


class _Team:
    """The members of a thread, and whose turn it is.

    rest: positions left of that turn. spent: seconds that each member has had.
    """

    def __init__(self, members: list[Member]) -> None:
        self.members = members
        self.at = 0
        self.rest = members[0].share
        self.spent = [0.0] * len(members)

    def part(self) -> float:
        """Return the part of the time to come that the member whose turn it is may count on.

        The same as up to now, of those that still take turns; while one of them had none yet, equal shares.
        """
        spent = [spent for spent, member in zip(self.spent, self.members, strict=True) if member.wants_turn]
        return self.spent[self.at] / sum(spent) if all(spent) else 1 / len(spent)

    def pass_on(self) -> None:
        """End the turn."""
        self.at = (self.at + 1) % len(self.members)
        self.rest = self.members[self.at].share


class SoloSearch:
    """A search for the most points from a position to the end.

    rounds: the puzzle ends after that many rounds, the one in progress included; None for the rest of the game.
    memory: bytes all threads may take together. part: 0 or more; searches of one puzzle that differ in it, though not
    in their seed and threads, do not repeat each other. members: which of MEMBERS take part; they take turns on every
    thread.

    Raises BrainError INVALID_ARGUMENT where the position is no puzzle for one player, or the rest does not fit.
    """

    def __init__(
        self,
        position: Position,
        *,
        rounds: int | None = None,
        seed: int = 0,
        part: int = 0,
        threads: int = 1,
        memory: int = MEMORY,
        members: Sequence[str] = PORTFOLIO,
    ) -> None:
        if rounds is not None and rounds < 1:
            raise invalid("rounds", rounds, "must be 1 or more")
        if not 1 <= threads <= MAX_THREADS:
            raise invalid("threads", threads, f"must be 1 to {MAX_THREADS}")
        for member in members or ("nothing",):
            if member not in MEMBERS:
                raise invalid("members", member, f"must be of {', '.join(MEMBERS)}")
        try:
            self._puzzle = Puzzle(position.state, rounds)
        except ValueError as error:
            raise invalid("state", position.engine.id, str(error)) from error
        self._lock = threading.Lock()
        self._stopped = False
        self._best = Snapshot(None, self._puzzle.bound(position.state), (), 0, "beginning", False)
        self._teams = [
            _Team([MEMBERS[member](self._puzzle, team) for member in members])
            for team in (
                Team(len(members), part * threads + i, seed, memory // threads // len(members)) for i in range(threads)
            )
        ]

    def run(self, seconds: float, nodes: int | None = None, later: float | None = None) -> Snapshot:
        """Search on for `seconds`, or until `nodes` more positions have been looked at, a proof or `stop`.

        later: seconds that further calls will have; where it is given, `nodes` and they are all that the search will
        have, and it plans with that. There is a line after the first call, however short.
        """
        end = time.monotonic() + seconds
        if self._best.score is None:
            line = self._first_line()
            self._note(self._score(line), line, inf, len(line), None)
            nodes = None if nodes is None else nodes - len(line)
        with ThreadPoolExecutor(len(self._teams)) as pool:
            share = None if nodes is None else max(1, nodes // len(self._teams))
            for work in [pool.submit(self._work, team, end, share, later) for team in self._teams]:
                work.result()
        return self.snapshot()

    def stop(self) -> None:
        """End a running search and all later ones; callable from any thread."""
        self._stopped = True
        self._halt()

    def snapshot(self) -> Snapshot:
        """Return what is known now; callable from any thread."""
        with self._lock:
            return self._best

    def share(self, line: Sequence[int], bound: float) -> None:
        """Take over what another search of the same puzzle found; callable from any thread.

        line: moves from the position to the end, none for no line; kept where it is better. bound: points no line can
        exceed. Raises BrainError INVALID_ARGUMENT where the line is not legal or not complete.
        """
        score = self._score(line) if line else None
        self._note(score, line, bound, 0, None)

    def _work(self, team: _Team, end: float, nodes: int | None, later: float | None) -> None:
        """Let the members of a thread take turns; the next call goes on with the turn that the clock has cut."""
        left = nodes
        while not self._stopped and not self._best.proven and any(member.wants_turn for member in team.members):
            member = team.members[team.at]
            if not member.wants_turn:
                team.pass_on()
                continue
            if time.monotonic() >= end or (left is not None and left <= 0):
                return
            share = team.rest if left is None else min(left, team.rest)
            budget = UNKNOWN if later is None else Budget(end + later, inf if left is None else left, team.part())
            known, began = self._best, time.monotonic()
            looked = member.turn(end, share, Best(known.score, known.line), budget)
            team.spent[team.at] += time.monotonic() - began
            if left is not None:
                left -= looked
            self._note(member.score, member.line, member.bound, looked, member.phase)
            team.rest -= looked
            if team.rest <= 0 or (not looked and time.monotonic() < end):
                team.pass_on()

    def _first_line(self) -> list[int]:
        """Return the line of the game's own rules of thumb, so that there is one at once."""
        state, line = self._puzzle.root.copy(), []
        while not self._puzzle.is_over(state):
            line.append(state.greedy_move())
            state.apply(line[-1])
        return line

    def _score(self, line: Sequence[int]) -> float:
        """Return the points of a line, by the engine."""
        state: State = self._puzzle.root.copy()
        for index, move in enumerate(line):
            if self._puzzle.is_over(state) or move not in state.moves():
                raise invalid(f"line[{index}]", move, "is no legal move here", "ILLEGAL_MOVE")
            state.apply(move)
        if not self._puzzle.is_over(state):
            raise invalid("line", f"{len(line)} moves", "does not reach the end", "ILLEGAL_MOVE")
        return self._puzzle.points(state)

    def _note(self, score: float | None, line: Sequence[int], bound: float, nodes: int, phase: str | None) -> None:
        """Take over what is better."""
        with self._lock:
            best = self._best
            if score is not None and (best.score is None or score > best.score):
                if (real := self._score(line)) != score:
                    raise RuntimeError(f"the search takes a line that scores {real:g} for one of {score} points")
                best = replace(best, score=score, line=tuple(line))
            bound = min(best.bound, bound)
            if best.score is not None:
                bound = max(bound, best.score)
            self._best = replace(
                best, bound=bound, nodes=best.nodes + nodes, phase=phase or best.phase, proven=best.score == bound
            )
            if self._best.proven:
                self._halt()

    def _halt(self) -> None:
        for team in self._teams:
            for member in team.members:
                member.stop()
