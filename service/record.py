"""What is known of one call while it runs: for the log, the metrics and the trace."""
from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from cafebrain.v1 import brain_service_pb2 as pb
from service.credentials import Caller

MAX_PHASES = 64  # kept of one call; a stream may have thousands


@dataclass
class Call:
    """One call of BrainService; a stream is one call, its figures are sums."""

    id: str  # also the id of a fault in it
    method: str
    client: str = ""  # who calls, for fairness: a token's name, a certificate's, or an address
    caller: Caller = field(default_factory=Caller)
    began: float = field(default_factory=time.time)
    seconds: float = 0.0
    game: str = ""
    budget: str = ""
    queries: int = 0
    visits: int = 0  # nodes, where a puzzle is solved
    queue: float = 0.0
    search: float = 0.0
    outcome: str = "OK"
    reason: str = ""
    phases: list[tuple[str, float, float]] = field(default_factory=list)  # name, begin and end as time.time() has them

    def note(self, request: pb.SuggestRequest | pb.HintRequest | pb.ReviewGameRequest | pb.SoloTask) -> None:
        """Note what is searched."""
        self.queries += 1
        self.game = request.state.WhichOneof("game") or ""
        budget = request.budget
        count = (budget.nodes, "nodes") if isinstance(budget, pb.SolveBudget) else (budget.visits, "visits")
        limits = [count, (budget.time_ms, "ms")]
        self.budget = ", ".join(f"{most} {unit}" for most, unit in limits if most)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a part of the call."""
        began = time.time()
        try:
            yield
        finally:
            if len(self.phases) < MAX_PHASES:
                self.phases.append((name, began, time.time()))

    def fields(self) -> dict[str, Any]:
        """Return what the log has of the call."""
        fields: dict[str, Any] = {"id": self.id, "method": self.method, "client": self.client, "outcome": self.outcome}
        if self.reason:
            fields["reason"] = self.reason
        fields["ms"] = round(1000 * self.seconds, 2)
        if self.queries:
            fields |= {
                "game": self.game,
                "budget": self.budget,
                "queries": self.queries,
                "visits": self.visits,
                "queue_ms": round(1000 * self.queue, 2),
                "search_ms": round(1000 * self.search, 2),
            }
        return fields


CALL: ContextVar[Call] = ContextVar("call")
