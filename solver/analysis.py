"""One search for one request: its budget and its tree."""
from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.exact import Exact, most_positions
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.mcts import Search
from engines.calibration import Calibration
from solver.durations import MAX_TIME_MS
from solver.findings import Findings, MoveSums
from solver.levels import LEVELS, pick
from solver.positions import Position, decode_choice, invalid

DEFAULT_TIME = 1.0  # seconds, where neither budget nor deadline is given
MAX_VISITS = 100_000_000
MAX_THREADS = 64
MAX_MOVES_WANTED = (1 << 32) - 1
TREE_BYTES = 512 << 20  # for the tree of one search
ANSWER_TIME = 0.1  # seconds of a caller's deadline kept for building and sending the answer on a busy machine
BUILD_TIME = 0.002  # seconds of a time budget kept for building the answer
MAX_LINE = 16  # moves of a principal variation
# What an ending may take to be solved, in positions: about as long as the search it takes the place of. A position that
# is too large is given up after a small part of it: docs/search.md has the figures.
POSITIONS_PER_VISIT = 8
POSITIONS_PER_SECOND = 300_000
# What is looked at to plan a turn before the search begins: about a third of the time of a search.
PLANNED_PER_VISIT = 1
PLANNED_PER_SECOND = 300_000
PLAN_TIME = 0.5  # part of the time left that it may take at most, on a slow machine
# With a look ahead, most of the time.
AHEAD_PER_SECOND = 1_500_000
AHEAD_TIME = 0.7
LEAST_AHEAD = 10_000  # positions with which a plan looks ahead; with fewer it would compare too little
MOST_AHEAD = 600_000  # about half a second, where the clock has no say or somebody watches a search and wants to see it
ENDING_TIME = 0.5  # of a search under a time limit, the part after which solving is given up on a slow machine

REASONS = {
    "visits": pb.STOP_REASON_VISITS,
    "time": pb.STOP_REASON_TIME,
    "memory": pb.STOP_REASON_MEMORY,
    "stopped": pb.STOP_REASON_STOPPED,
}


@dataclass(frozen=True)
class Limits:
    """What one search may take at most, within what the contract allows."""

    time_ms: int = MAX_TIME_MS
    visits: int = MAX_VISITS
    threads: int = MAX_THREADS
    moves_wanted: int = MAX_MOVES_WANTED
    tree_bytes: int = TREE_BYTES  # for each thread of a search


class Control:
    """The caller's hold on a search: a deadline, and a stop that works from any thread at any time.

    deadline: on the clock of time.monotonic(), when the caller must have the answer; None for never.
    """

    def __init__(self, deadline: float | None = None) -> None:
        self.deadline = deadline
        self.answer_by = math.inf  # when the answer has to be begun, for the caller to have it in time
        if deadline is not None:
            self.answer_by = deadline - min(ANSWER_TIME, max(0.0, deadline - time.monotonic()) / 2)
        self.stopped = False
        self.cancelled = False
        self._searches: Sequence[Any] = []  # whatever has a stop()
        self._lock = threading.Lock()

    def stop(self) -> None:
        """End the search now; it answers with what it has."""
        with self._lock:
            self.stopped = True
            for search in self._searches:
                search.stop()

    def cancel(self) -> None:
        """End the search now; nobody wants its answer."""
        self.cancelled = True
        self.stop()

    @property
    def ended(self) -> float | None:
        """When the last run of its searches ended, on the clock of time.monotonic(); None where that is not known."""
        with self._lock:
            ended = [search.ended for search in self._searches if isinstance(search, Search)]
            return max(ended) if ended and len(ended) == len(self._searches) else None

    def release(self) -> None:
        """Give the memory of the searches back."""
        with self._lock:
            self._searches = []

    def hold(self, searches: Sequence[Any]) -> None:
        """Let `stop` end these searches, and no others."""
        with self._lock:
            self._searches = searches
            if self.stopped:
                for search in searches:
                    search.stop()


class Timed:
    """A search in progress, as far as it is about time.

    seconds: how long it may take, its answer included.
    """

    def __init__(self, control: Control, seconds: float) -> None:
        self.control = control
        self.started = time.monotonic()
        self.stop_reason = pb.STOP_REASON_UNSPECIFIED
        self.overrun: float | None = None  # seconds by which the search ended late, where it ended by the clock
        self._time_up = self.started + seconds - min(BUILD_TIME, seconds / 10)

    @property
    def deadline(self) -> float:
        """When the search has to end, on the clock of time.monotonic()."""
        return min(self._time_up, self.control.answer_by)

    def give(self, seconds: float) -> None:
        """Give back time of the budget that passed while the search could not run; a caller's deadline stays."""
        self._time_up += seconds

    def finish(self) -> None:
        """End the search between two runs, because the caller's deadline is near."""
        self.stop_reason = pb.STOP_REASON_TIME

    def release(self) -> None:
        """Give the memory of the search back now, however long this object is still referred to."""
        self.control.release()


class Analysis(Timed):
    """A search in progress. `run` it, read `suggestion`, run it on."""

    def __init__(
        self,
        position: Position,
        search: Search,
        ending: Exact | None,
        to_plan: int,
        ahead: bool,
        request: pb.SuggestRequest,
        control: Control,
        limits: Limits,
        version: str,
    ) -> None:
        count = request.budget.visits or request.level  # a level limits the visits
        super().__init__(control, budget_seconds(request.budget.time_ms, count, control, limits))
        self.position = position
        self._search: Search | None = search
        self._ending = ending
        self._to_plan = to_plan  # positions that may be looked at to plan the turn
        self._ahead = ahead
        self.planned = 0  # positions that were looked at for that
        self.solved = False
        self.version = version
        self.objective = _objective(position, request)
        # It is measured on moves in games for several; a game for one and draws keep the means.
        decided = position.state.players > 1 and position.state.to_move >= 0
        self.calibration = position.engine.calibration if decided else Calibration()
        self.moves_wanted = min(request.moves_wanted or MAX_MOVES_WANTED, limits.moves_wanted)
        self.timing = request.timing
        self.level = LEVELS[request.level - 1] if request.level else None
        self.seed = request.seed
        self.visits = request.budget.visits or limits.visits
        if self.level is not None:
            self.visits = min(self.visits, self.level.visits)
        control.hold([search, ending] if ending else [search])

    @property
    def search(self) -> Search:
        """The tree search; not after `release`."""
        assert self._search is not None
        return self._search

    @property
    def visits_made(self) -> int:
        """Simulations so far; none where the position was solved."""
        return 0 if self.solved else self.search.visits

    @property
    def tree_bytes(self) -> int:
        """Memory that the tree, and the positions of an ending, have taken so far; none after `release`."""
        search, ending = self._search, self._ending  # another thread may release them meanwhile
        return (search.nodes * search.node_bytes if search else 0) + (ending.table_bytes if ending else 0)

    def release(self) -> None:
        """Give the memory of the search back now, however long this object is still referred to."""
        super().release()
        self._search = None
        self._ending = None

    def run(self, seconds: float = math.inf) -> bool:
        """Search on, for at most `seconds`; return whether the search has ended."""
        pause = time.monotonic() + seconds
        until = min(self.deadline, pause)
        if self.solve(until):
            return True
        self.plan(watched=seconds < math.inf)
        reason = self.search.run(self.visits, until)
        if reason == "time":
            if pause < self.deadline:
                return False
            self.overrun = self.search.ended - self.deadline
        self.stop_reason = REASONS[reason]
        return True

    def plan(self, watched: bool = False, share: float = 1) -> None:
        """Plan the turn, once and before the search begins, in a part of the time that is left.

        watched: somebody waits for answers on the way. With a limit of visits that changes nothing, nor do pauses, so
        that equal visits give equal answers. share: of the time that a plan usually has.
        """
        to_plan, self._to_plan = self._to_plan, 0
        if watched:
            to_plan = min(to_plan, MOST_AHEAD)
        if to_plan:
            now = time.monotonic()
            until = now + share * (AHEAD_TIME if self._ahead else PLAN_TIME) * (self.deadline - now)
            self.planned = self.search.plan(to_plan, until, self._ahead)

    def solve(self, until: float = math.inf) -> bool:
        """Try to solve the position, till `until` on the clock of time.monotonic(); return whether that is done.

        Only positions near the end are solved. Whether one is depends on the budget of visits alone; a search under
        a time limit also gives up when the clock says so.
        """
        if self._ending is None or self.solved:
            return self.solved
        limit = self.started + ENDING_TIME * (self.deadline - self.started)
        result = self._ending.run(min(until, limit))
        if result == "solved":
            self.solved = True
            self.stop_reason = pb.STOP_REASON_PROVEN
        elif result != "time" or until >= limit:
            self._ending = None
            self.control.hold([self.search])
        return self.solved

    def suggestion(self) -> pb.Suggestion:
        """Return the answer so far."""
        return self.findings().suggestion()

    def findings(self) -> Findings:
        """Return what the tree says so far; of use without it."""
        moves = self.ranked()
        if self.level is not None:
            chosen = self.chosen(self.level.temperature)
            moves.sort(key=lambda sums: sums.code != chosen)
        moves = moves[: self.moves_wanted]
        return Findings(
            position=self.position,
            calibration=self.calibration,
            objective=self.objective,
            moves=moves,
            lines=[self.line(sums.code, sums.visits) for sums in moves],
            visits=self.visits_made,
            stop_reason=self.stop_reason,
            version=self.version,
            started=self.started if self.timing else None,
        )

    def ranked(self) -> list[MoveSums]:
        """Return the moves, best first.

        Where the position was solved, by exact value: of the objective, then of the other one. Else most visited first,
        then by mean of the objective.
        """
        mover = self.position.state.to_move
        by_score = self.objective == pb.OBJECTIVE_SCORE
        if self.solved and self._ending:
            exact = [
                MoveSums(code, 0, win, win, score, squares, exact=True)
                for code, win, score, squares in self._ending.root_values()
            ]

            def exact_rank(sums: MoveSums) -> tuple[float, float, int]:
                win, score = -round(sums.win[mover], 7), -round(sums.score[mover], 7)
                return (score, win, sums.code) if by_score else (win, score, sums.code)

            return sorted(exact, key=exact_rank)
        over = self.search.ending_moves()
        found = [MoveSums(*sums, over=sums[0] in over) for sums in self.search.root_moves()]

        def rank(sums: MoveSums) -> tuple[int, float, int]:
            values = sums.score if by_score else sums.win
            return -sums.visits, -values[mover], sums.code

        return sorted(found, key=rank)

    def chosen(self, temperature: float) -> int:
        """Return the move that is made, as a level of this temperature makes it."""
        by_score = self.objective == pb.OBJECTIVE_SCORE
        return pick(self.position.state, self.ranked(), by_score, temperature, self.seed)

    def line(self, code: int, visits: int) -> list[tuple[int, int]]:
        """Follow the best moves from a root move up to the next draw: the most visited, or those that are proven.

        Returns moves with their visits.
        """
        line = [(code, visits)]
        if self.solved and self._ending:
            state = self.position.state.copy()
            state.apply(code)
            while state.to_move >= 0 and len(line) < MAX_LINE:
                code = self._ending.best(state)
                line.append((code, 0))
                state.apply(code)
            return line
        while visits and len(line) < MAX_LINE:
            _, tried = self.search.children([move for move, _ in line])
            if not tried:
                break
            line.append(min(tried, key=lambda item: (-item[1], item[0])))
        return line


def check_turn(position: Position, at_chance: bool = False) -> None:
    """Raise BrainError FAILED_PRECONDITION where there is nothing to search.

    at_chance: a chance point can be searched too.
    """
    state = position.state
    if state.to_move == GAME_OVER:
        raise BrainError("FAILED_PRECONDITION", "GAME_OVER", "state: the game is over; GetMoves has the result")
    if state.to_move == CHANCE_POINT and not at_chance:
        draws = [position.engine.move_text(state, code) for code, _ in state.outcomes()]
        named = ", ".join(draws[:5]) + (f" and {len(draws) - 5} more" if len(draws) > 5 else "")
        raise BrainError(
            "FAILED_PRECONDITION",
            "CHANCE_POINT",
            f"state: a draw is due before anyone can move; enter it with ApplyMove or have it sampled there: {named}",
        )


def analysis_for(
    position: Position,
    request: pb.SuggestRequest,
    control: Control,
    limits: Limits,
    version: str,
    at_chance: bool = False,
    features: Mapping[str, Any] | None = None,
) -> Analysis:
    """Check a request and set up its search.

    at_chance: search a chance point too; its outcomes then take the place of moves, and `viewer` has to be given.
    features: arguments of Search that are to differ from their defaults; `exact` False leaves endings unsolved, `plan`
    False turns unplanned, `ahead` False plans no further than the turn.

    Raises BrainError: INVALID_ARGUMENT for a faulty request, FAILED_PRECONDITION where no player is to move.
    """
    state = position.state
    check_turn(position, at_chance)
    for field, value, most, limit in (
        ("budget.visits", request.budget.visits, MAX_VISITS, limits.visits),
        ("budget.time_ms", request.budget.time_ms, MAX_TIME_MS, limits.time_ms),
        ("threads", request.threads, MAX_THREADS, limits.threads),
        ("moves_wanted", request.moves_wanted, MAX_MOVES_WANTED, limits.moves_wanted),
        ("viewer", request.viewer, state.players, state.players),
    ):
        if value > most:
            raise invalid(field, value, f"at most {most}")
        if value > limit:
            raise invalid(field, value, f"at most {limit} on this server", "LIMIT_EXCEEDED")
    for field in ("allowed_moves", "avoided_moves"):
        if len(getattr(request, field)) > state.game.moves_max:
            raise invalid(field, f"{len(getattr(request, field))} moves", f"at most {state.game.moves_max}")
    if request.level > len(LEVELS):
        raise invalid("level", request.level, f"must be 1 to {len(LEVELS)}, or 0 for full strength")
    if request.objective not in pb.Objective.values():
        raise invalid("objective", request.objective, "unknown objective")
    if request.priority not in pb.Priority.values():
        raise invalid("priority", request.priority, "unknown priority")
    allowed = None
    if request.allowed_moves or request.avoided_moves:
        avoided = {
            decode_choice(position, choice, f"avoided_moves[{index}]")
            for index, choice in enumerate(request.avoided_moves)
        }
        wanted = [
            decode_choice(position, choice, f"allowed_moves[{index}]")
            for index, choice in enumerate(request.allowed_moves)
        ] or state.moves()
        allowed = [code for code in wanted if code not in avoided]
        if not allowed:
            raise invalid("avoided_moves", f"{len(avoided)} moves", "leave no move to consider")
    threads = request.threads or 1
    score_objective = _objective(position, request) == pb.OBJECTIVE_SCORE
    given = dict(features or {})
    exact, plan, ahead = (given.pop(name, True) for name in ("exact", "plan", "ahead"))
    search = Search(
        state,
        viewer=(request.viewer or state.to_move + 1) - 1,
        seed=request.seed << 8,  # each thread has the next one
        memory=min(_tree_bytes(position, request.budget.visits), threads * limits.tree_bytes),
        score_objective=score_objective,
        allowed=allowed,
        threads=threads,
        **given,
    )
    ending = None
    if exact:
        budget = _positions(request, control, limits, POSITIONS_PER_VISIT, POSITIONS_PER_SECOND)
        budget = max(1, min(budget, most_positions(min(TREE_BYTES, limits.tree_bytes), state.players)))
        ending = Exact(state, budget=budget, score_objective=score_objective, allowed=allowed)
    to_plan = 0
    if plan and ahead:
        to_plan = _positions(request, control, limits, PLANNED_PER_VISIT, threads * AHEAD_PER_SECOND)
        if request.budget.visits:
            to_plan = min(to_plan, MOST_AHEAD)
        ahead = to_plan >= LEAST_AHEAD
    if plan and not ahead:
        to_plan = _positions(request, control, limits, PLANNED_PER_VISIT, PLANNED_PER_SECOND)
    return Analysis(position, search, ending, to_plan, ahead, request, control, limits, version)


def _objective(position: Position, request: pb.SuggestRequest) -> pb.Objective.ValueType:
    if position.state.players == 1:
        return pb.OBJECTIVE_SCORE
    return request.objective or pb.OBJECTIVE_WIN


def budget_seconds(time_ms: int, count: int, control: Control, limits: Limits) -> float:
    """Return how long a search may go on.

    count: visits or nodes it may take; 0 for no such limit.
    """
    if time_ms:
        return time_ms / 1000
    if not count and control.deadline is None:
        return min(DEFAULT_TIME, limits.time_ms / 1000)
    return limits.time_ms / 1000


def _positions(
    request: pb.SuggestRequest, control: Control, limits: Limits, per_visit: float, per_second: float
) -> int:
    """Return how many positions may be looked at before a search; with a limit of visits the clock has no say."""
    most = math.inf
    time_ms, visits = request.budget.time_ms, request.budget.visits
    if request.level:
        visits = min(visits or MAX_VISITS, LEVELS[request.level - 1].visits)
    if visits:
        most = per_visit * visits
    if time_ms or not visits:
        left = math.inf if visits else control.answer_by - time.monotonic()
        most = min(most, per_second * min(left, budget_seconds(time_ms, visits, control, limits)))
    return max(0, int(most))


def _tree_bytes(position: Position, visits: int) -> int:
    """Return the memory for the tree; a search of few visits cannot use more than one full node each."""
    if not visits:
        return TREE_BYTES
    widest_node = position.state.game.moves_max * 64
    return min(TREE_BYTES, (visits + MAX_THREADS) * widest_node)
