"""One puzzle for one player being solved: its budget, its search, and the answer read off it."""
from __future__ import annotations

import math
import time

from cafebrain.v1 import brain_service_pb2 as pb
from solver.analysis import MAX_THREADS, Control, Limits, Timed, budget_seconds, check_turn
from solver.durations import MAX_TIME_MS
from solver.positions import Position, invalid, legal_move, set_ref
from solver.solo import Snapshot, SoloSearch

MAX_JOB_MS = 86_400_000  # time of a job
MAX_ROUNDS = 100  # of a puzzle


class Solving(Timed):
    """A puzzle being solved. `run` it, read `best` or `solution`, run it on.

    seconds, nodes: what it may take at most, each of them infinite for no limit.
    earlier: what was found before an interruption; its time and nodes count towards these.
    """

    def __init__(
        self,
        position: Position,
        search: SoloSearch,
        control: Control,
        seconds: float,
        nodes: float,
        version: str = "",
        earlier: pb.Solution | None = None,
    ) -> None:
        earlier = earlier or pb.Solution()
        super().__init__(control, seconds - earlier.elapsed_ms / 1000)
        self.position = position
        self.best: Snapshot = search.snapshot()
        self._searches = [search]
        self._version = version
        self._earlier = earlier
        self._most = nodes - earlier.nodes  # for this search
        self._ran = 0.0  # seconds
        self._line: tuple[tuple[int, ...], list[pb.LegalMove]] = ((), [])  # the last one asked for, and its messages
        control.hold(self._searches)

    @property
    def nodes_made(self) -> int:
        """Positions looked at since the search was set up."""
        return self.best.nodes

    def run(self, seconds: float = math.inf) -> bool:
        """Search on, for at most `seconds`; return whether the search has ended."""
        began = time.monotonic()
        until = min(self.deadline, began + seconds)
        left = self._most - self.best.nodes
        if left > 0 and until > began:
            nodes = None if math.isinf(left) else int(left)
            later = 0.0 if math.isinf(until) else self.deadline - until
            self.best = self._searches[0].run(until - began, nodes, later)
        now = time.monotonic()
        self._ran += now - began
        if self.best.proven:
            self.stop_reason = pb.STOP_REASON_PROVEN
        elif self.best.nodes >= self._most:
            self.stop_reason = pb.STOP_REASON_NODES
        elif now >= self.deadline:
            self.stop_reason = pb.STOP_REASON_TIME
            self.overrun = now - self.deadline
        elif self.control.stopped:
            self.stop_reason = pb.STOP_REASON_STOPPED
        return self.stop_reason != pb.STOP_REASON_UNSPECIFIED

    def solution(self, timing: bool = False) -> pb.Solution:
        """Return the answer so far, with its line."""
        best, components = self.best, self.position.entry.components
        nodes = self._earlier.nodes + best.nodes
        seconds = self._earlier.elapsed_ms / 1000 + self._ran
        return pb.Solution(
            score=best.score,
            upper_bound=best.bound,
            gap=gap(best.score, best.bound),
            proven=best.proven,
            line=self._messages(best.line),
            nodes=nodes,
            phase=best.phase,
            stop_reason=self.stop_reason,
            component_set=set_ref(components),
            components_reconstructed=components.reconstructed,
            version=self._version,
            engine_version=self.position.engine.version,
            elapsed_ms=1000 * seconds if timing else None,
            nodes_per_second=nodes / seconds if timing and seconds else None,
        )

    def _messages(self, line: tuple[int, ...]) -> list[pb.LegalMove]:
        if line != self._line[0]:
            position = Position(self.position.entry, self.position.state.copy())
            moves = []
            for code in line:
                moves.append(legal_move(position, code))
                position.state.apply(code)
            self._line = (line, moves)
        return self._line[1]


class Told:
    """What the reader of a stream of solutions knows already."""

    def __init__(self) -> None:
        self._score = -math.inf

    def progress(self, solution: pb.Solution) -> pb.SolveSoloResponse:
        """Return the next answer, with the line only where it improves on the one before."""
        if solution.HasField("score") and solution.score > self._score:
            self._score = solution.score
        else:
            del solution.line[:]
        return pb.SolveSoloResponse(solution=solution)


def solving_for(
    position: Position,
    task: pb.SoloTask,
    control: Control,
    limits: Limits,
    version: str,
    earlier: pb.Solution | None = None,
) -> Solving:
    """Check a task and set up its search.

    earlier: what was found before an interruption, with its line and the time it took.

    Raises BrainError: INVALID_ARGUMENT for a faulty task, FAILED_PRECONDITION where no player is to move.
    """
    check_turn(position)
    budget = task.budget
    threads = budget.threads or 1
    memory = limits.tree_bytes * threads
    for field, value, most, limit in (
        ("budget.time_ms", budget.time_ms, max(MAX_TIME_MS, limits.time_ms), limits.time_ms),
        ("budget.threads", budget.threads, MAX_THREADS, limits.threads),
        ("budget.memory_mib", budget.memory_mib, math.inf, memory >> 20),
        ("rounds", task.rounds, MAX_ROUNDS, MAX_ROUNDS),
    ):
        if value > most:
            raise invalid(field, value, f"at most {most}")
        if value > limit:
            raise invalid(field, value, f"at most {limit} on this server", "LIMIT_EXCEEDED")
    search = SoloSearch(
        position,
        rounds=task.rounds or None,
        seed=task.seed,
        threads=threads,
        memory=budget.memory_mib << 20 or memory,
    )
    if earlier is not None and earlier.engine_version == position.engine.version:
        search.share([move.id for move in earlier.line], earlier.upper_bound)
    seconds = budget_seconds(budget.time_ms, budget.nodes, control, limits)
    return Solving(position, search, control, seconds, budget.nodes or math.inf, version, earlier)


def gap(score: float | None, bound: float) -> float:
    """Return what a score may be short of the best possible one, as a share of the bound, 0 to 1."""
    if score is None:
        return 1.0
    return max(0.0, bound - score) / bound if bound > 0 else float(score < bound)
