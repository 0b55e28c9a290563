"""One search for one request: its budget, its trees, and the answer read off them."""
from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.mcts import Search
from solver.durations import MAX_TIME_MS
from solver.positions import Position, decode_choice, encode_move, invalid, set_ref

DEFAULT_TIME = 1.0  # seconds, where neither budget nor deadline is given
MAX_VISITS = 100_000_000
MAX_THREADS = 64
MAX_MOVES_WANTED = (1 << 32) - 1
TREE_BYTES = 512 << 20  # for all trees of one search
ANSWER_TIME = 0.1  # seconds of a caller's deadline kept for building and sending the answer on a busy machine
MAX_LINE = 16  # moves of a principal variation
CONFIDENCE = 1.96  # standard errors of a 95 % interval

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
    tree_bytes: int = TREE_BYTES  # for the tree of one thread


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
        self._searches: list[Any] = []  # whatever has a stop()
        self._lock = threading.Lock()

    def stop(self) -> None:
        """End the search now; it answers with what it has."""
        with self._lock:
            self.stopped = True
            for search in self._searches:
                search.stop()

    def release(self) -> None:
        """Give the trees of the searches back."""
        with self._lock:
            self._searches.clear()

    def hold(self, searches: list[Any]) -> None:
        """Let `stop` end these searches too, and `release` empty this list."""
        with self._lock:
            self._searches = searches
            if self.stopped:
                for search in searches:
                    search.stop()


@dataclass
class MoveSums:
    """What all trees say of one root move; lists have one entry per player."""

    code: int
    visits: int
    win: list[float]
    win_squares: list[float]
    score: list[float]
    score_squares: list[float]


class Timed:
    """A search in progress, as far as it is about time.

    seconds: how long it may take.
    """

    def __init__(self, control: Control, seconds: float) -> None:
        self.control = control
        self.started = time.monotonic()
        self.stop_reason = pb.STOP_REASON_UNSPECIFIED
        self.overrun: float | None = None  # seconds by which the search ended late, where it ended by the clock
        self._time_up = self.started + seconds

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
        searches: list[Search],
        request: pb.SuggestRequest,
        control: Control,
        limits: Limits,
        version: str,
    ) -> None:
        super().__init__(control, budget_seconds(request.budget.time_ms, request.budget.visits, control, limits))
        self.position = position
        self.searches = searches
        self.version = version
        self.objective = _objective(position, request)
        self.moves_wanted = min(request.moves_wanted or MAX_MOVES_WANTED, limits.moves_wanted)
        self.timing = request.timing
        self.visits = request.budget.visits or limits.visits
        control.hold(searches)

    @property
    def visits_made(self) -> int:
        """Simulations so far, in all trees."""
        return sum(search.visits for search in self.searches)

    @property
    def tree_bytes(self) -> int:
        """Memory all trees have taken so far."""
        return sum(search.nodes * search.node_bytes for search in self.searches)

    def run(self, seconds: float = math.inf) -> bool:
        """Search on, for at most `seconds`; return whether the search has ended."""
        pause = time.monotonic() + seconds
        until = min(self.deadline, pause)
        share, rest = divmod(self.visits, len(self.searches))
        targets = [share + (index < rest) for index in range(len(self.searches))]
        if len(self.searches) == 1:
            reasons = {self.searches[0].run(targets[0], until)}
        else:
            with ThreadPoolExecutor(len(self.searches)) as pool:
                reasons = set(pool.map(lambda search, target: search.run(target, until), self.searches, targets))
        for reason in ("stopped", "memory", "time", "visits"):
            if reason in reasons:
                if reason == "time":
                    if pause < self.deadline:
                        return False
                    self.overrun = time.monotonic() - self.deadline
                self.stop_reason = REASONS[reason]
                break
        return True

    def suggestion(self) -> pb.Suggestion:
        """Return the answer so far."""
        position = self.position
        moves = self.ranked()
        components = position.entry.components
        return pb.Suggestion(
            player=position.state.to_move + 1,
            objective=self.objective,
            moves=[self._evaluation(sums) for sums in moves[: self.moves_wanted]],
            visits=self.visits_made,
            stop_reason=self.stop_reason,
            component_set=set_ref(components),
            components_reconstructed=components.reconstructed,
            version=self.version,
            engine_version=position.engine.version,
            elapsed_ms=1000 * (time.monotonic() - self.started) if self.timing else None,
        )

    def ranked(self) -> list[MoveSums]:
        """Add up the trees; most visited first, then by mean of the objective."""
        total: dict[int, MoveSums] = {}
        for search in self.searches:
            for code, visits, *sums in search.root_moves():
                if code in total:
                    known = total[code]
                    known.visits += visits
                    for mine, theirs in zip(
                        (known.win, known.win_squares, known.score, known.score_squares), sums, strict=True
                    ):
                        mine[:] = [a + b for a, b in zip(mine, theirs, strict=True)]
                else:
                    total[code] = MoveSums(code, visits, *sums)
        mover = self.position.state.to_move

        def rank(sums: MoveSums) -> tuple[int, float, int]:
            values = sums.score if self.objective == pb.OBJECTIVE_SCORE else sums.win
            return -sums.visits, -values[mover], sums.code

        return sorted(total.values(), key=rank)

    def _evaluation(self, sums: MoveSums) -> pb.MoveEvaluation:
        n = sums.visits
        evaluation = pb.MoveEvaluation(
            id=sums.code,
            text=self.position.engine.move_text(self.position.state, sums.code),
            move=encode_move(self.position, sums.code),
            visits=n,
        )
        if n == 0:
            return evaluation
        for player in range(self.position.state.players):
            mean = sums.score[player] / n
            evaluation.players.append(
                pb.PlayerEstimate(
                    player=player + 1,
                    win_probability=sums.win[player] / n,
                    expected_score=mean,
                    score_spread=math.sqrt(max(0.0, sums.score_squares[player] / n - mean * mean)),
                )
            )
        if n >= 2:
            evaluation.lower_bound = self._lower_bound(sums)
        evaluation.principal_variation.extend(self.line(sums.code, n))
        return evaluation

    def _lower_bound(self, sums: MoveSums) -> float:
        n, mover = sums.visits, self.position.state.to_move
        if self.objective == pb.OBJECTIVE_SCORE:
            total, squares, least = sums.score[mover], sums.score_squares[mover], -math.inf
        else:
            total, squares, least = sums.win[mover], sums.win_squares[mover], 0.0
        mean = total / n
        variance = max(0.0, squares - n * mean * mean) / (n - 1)
        return max(least, mean - CONFIDENCE * math.sqrt(variance / n))

    def line(self, code: int, visits: int) -> list[pb.PlannedMove]:
        """Follow the most visited moves from a root move up to the next draw."""
        position = Position(self.position.entry, self.position.state.copy())
        line = [code]
        planned = []
        player = position.state.to_move
        while True:
            planned.append(
                pb.PlannedMove(
                    player=player + 1,
                    id=code,
                    text=position.engine.move_text(position.state, code),
                    move=encode_move(position, code),
                    visits=visits,
                )
            )
            position.state.apply(code)
            player = position.state.to_move
            if player < 0 or len(line) == MAX_LINE:
                return planned
            tried: dict[int, int] = {}
            for search in self.searches:
                for move, count in search.children(line)[1]:
                    tried[move] = tried.get(move, 0) + count
            if not tried:
                return planned
            code, visits = min(tried.items(), key=lambda item: (-item[1], item[0]))
            line.append(code)


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
    features: arguments of Search that are to differ from their defaults.

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
    searches = [
        Search(
            state,
            viewer=(request.viewer or state.to_move + 1) - 1,
            seed=(request.seed << 8) + index,
            memory=min(_tree_bytes(position, request.budget.visits) // threads, limits.tree_bytes),
            score_objective=_objective(position, request) == pb.OBJECTIVE_SCORE,
            allowed=allowed,
            **(features or {}),
        )
        for index in range(threads)
    ]
    return Analysis(position, searches, request, control, limits, version)


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


def _tree_bytes(position: Position, visits: int) -> int:
    """Return the memory for all trees; a search of few visits cannot use more than one full node each."""
    if not visits:
        return TREE_BYTES
    widest_node = position.state.game.moves_max * 64
    return min(TREE_BYTES, (visits + MAX_THREADS) * widest_node)
