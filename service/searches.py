"""Runs searches: their turn, their thread, their slices, their end."""
from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Generic, ParamSpec, TypeVar

from prometheus_client import Counter

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from service.admission import Admission, Place, Ticket
from service.metrics import Metrics
from service.record import Call
from solver.analysis import Analysis, Control
from solver.brain import Brain
from solver.solving import Solving

SLICE = 0.1  # seconds a batch search runs before it looks whether an interactive one waits

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", Analysis, Solving)


@dataclass(frozen=True)
class Work(Generic[S, T]):
    """A search to be made: how it is set up, what its answer is, and what is counted of it."""

    start: Callable[[], S]
    answer: Callable[[S], T]
    made: Callable[[S], int]
    counter: Counter


class Searches:
    """The one way to a search. Belongs to one event loop; searches run in threads."""

    def __init__(self, brain: Brain, admission: Admission, metrics: Metrics) -> None:
        self._brain = brain
        self._admission = admission
        self._metrics = metrics
        self._live: set[Analysis] = set()
        # One more than run at once: a search that lost its place to the deadline still has to answer.
        self._threads = ThreadPoolExecutor(admission.places + 1, "search")
        metrics.watch("tree_bytes", "Memory of all trees.", lambda: sum(a.tree_bytes for a in list(self._live)))
        metrics.watch("searches_running", "Searches that run.", lambda: admission.running)
        for batch, name in ((False, "interactive"), (True, "batch")):
            waiting = partial(admission.waiting_in, batch)
            metrics.watch("searches_waiting", "Searches that wait.", waiting, priority=name)

    def close(self) -> None:
        """Give the threads back; only when no call is running."""
        self._threads.shutdown()

    async def run(
        self,
        call: Call,
        request: pb.SuggestRequest,
        control: Control,
        interval: float = math.inf,
        report: Callable[[pb.Suggestion], None] | None = None,
        streamed: bool = False,
    ) -> pb.Suggestion:
        """Search a position when its turn comes and return the final answer.

        interval: seconds between two calls of `report` with the answer so far.
        streamed: one of many of a stream, which bounds them; batch unless the request says otherwise.

        A cancelled task ends its search before it gives way. Raises BrainError.
        """
        call.note(request)
        batch = request.priority == pb.PRIORITY_BATCH or (streamed and request.priority == pb.PRIORITY_UNSPECIFIED)
        ticket = Ticket(control, request.threads, call.client, call.caller.searches, batch, streamed)
        live: list[Analysis] = []

        def start() -> Analysis:
            live.append(self._brain.analysis(request, control))
            self._live.update(live)
            return live[0]

        work = Work(start, Analysis.suggestion, lambda a: a.visits_made, self._metrics.simulations)
        try:
            return await self._in_turn(call, ticket, work, interval, report)
        finally:
            self._live.difference_update(live)

    async def solve(
        self,
        call: Call,
        request: pb.SolveSoloRequest,
        control: Control,
        interval: float,
        report: Callable[[pb.Solution], None],
    ) -> pb.Solution:
        """Solve a puzzle when its turn comes, as a batch search, and return the final answer; otherwise like `run`."""
        call.note(request.task)
        ticket = Ticket(control, request.task.budget.threads, call.client, call.caller.searches, batch=True)
        work = Work(
            partial(self._brain.solving, request.task, control),
            lambda solving: solving.solution(request.timing),
            lambda solving: solving.nodes_made,
            self._metrics.positions,
        )
        return await self._in_turn(call, ticket, work, interval, report)

    @asynccontextmanager
    async def turn(
        self, call: Call, request: pb.HintRequest | pb.ReviewGameRequest, control: Control, batch: bool = False
    ) -> AsyncIterator[Turn]:
        """Hold a place for work that searches by itself with one thread, after waiting for it.

        batch: interactive searches go first. Raises BrainError.
        """
        call.note(request)
        ticket = Ticket(control, 1, call.client, call.caller.searches, batch)
        async with AsyncExitStack() as stack:
            with call.phase("queue"):
                place = await stack.enter_async_context(self._admission.place(ticket))
            self._waited(call, place.waited)
            began = time.monotonic()
            try:
                with call.phase("search"):
                    yield Turn(self, place, control)
            finally:
                call.search += time.monotonic() - began
                self._give_back(control.release)

    async def _in_turn(
        self, call: Call, ticket: Ticket, work: Work[S, T], interval: float, report: Callable[[T], None] | None
    ) -> T:
        async with AsyncExitStack() as stack:
            with call.phase("queue"):
                place = await stack.enter_async_context(self._admission.place(ticket))
            self._waited(call, place.waited)
            with call.phase("search"):
                return await self._search(call, place, ticket, work, interval, report)

    async def _search(
        self,
        call: Call,
        place: Place,
        ticket: Ticket,
        work: Work[S, T],
        interval: float,
        report: Callable[[T], None] | None,
    ) -> T:
        control, batch = ticket.control, ticket.batch
        began = time.monotonic()
        paused = 0.0
        due = began + interval
        search: S | None = None

        def search_on() -> tuple[bool, T | None]:
            """Search until it ends or somebody wants to know: in one step, for hops between threads cost time."""
            nonlocal search
            if search is None:
                search = work.start()
            ended = search.run(_until(due, batch))
            wanted = not control.cancelled and (ended or (report is not None and time.monotonic() >= due))
            return ended, work.answer(search) if wanted else None

        try:
            while True:
                ended, answer = await self.step(control, search_on)
                if ended and answer is not None:
                    return answer
                if report is not None and answer is not None:
                    report(answer)
                    due = time.monotonic() + interval
                if batch and search is not None:
                    waited = await place.give_way()
                    paused += waited
                    search.give(waited)
                    if not place.held:
                        search.finish()
                        return await self.step(control, partial(work.answer, search))
        finally:
            if paused:
                self._waited(call, paused)
            if search is not None:
                self._note(call, search, work, time.monotonic() - began - paused)
                self._give_back(search.release)

    async def step(self, control: Control, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step of a search in a thread; when the call is cancelled, end the step before giving way."""
        running = asyncio.get_running_loop().run_in_executor(self._threads, lambda: step(*args, **kwargs))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            cancelled = time.monotonic()
            control.cancel()
            while not running.done():
                with suppress(asyncio.CancelledError):  # once is enough
                    await asyncio.wait({running})
            running.exception()  # nobody is left to hear it
            ended = control.ended
            self._metrics.cancel_seconds.observe(max(0.0, (time.monotonic() if ended is None else ended) - cancelled))
            raise

    def _give_back(self, release: Callable[[], None]) -> None:
        """Give back trees now: a traceback or a cycle may keep their objects until the next garbage collection.

        In a thread, as it takes milliseconds for large ones, for which the answer need not wait.
        """
        self._threads.submit(release)

    def _waited(self, call: Call, seconds: float) -> None:
        call.queue += seconds
        self._metrics.queue_seconds.observe(seconds)

    def _note(self, call: Call, search: S, work: Work[S, T], seconds: float) -> None:
        game = search.position.engine.id
        made = work.made(search)
        call.search += seconds
        call.visits += made
        self._metrics.search_seconds.labels(game).observe(seconds)
        work.counter.labels(game).inc(made)
        if search.overrun is not None:
            self._metrics.overran(search.overrun)


class Turn:
    """A place held for work that searches by itself."""

    def __init__(self, searches: Searches, place: Place, control: Control) -> None:
        self._searches = searches
        self._place = place
        self._control = control

    async def step(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do a part of the work in a search thread."""
        return await self._searches.step(self._control, work, *args, **kwargs)

    async def send(self, writing: Awaitable[None]) -> None:
        """Send a part of the answer; others have the place meanwhile, so that a slow reader holds up only itself.

        Raises BrainError, RESOURCE_EXHAUSTED where the caller's deadline came while others had the place.
        """
        await self._place.do_without(writing)
        if not self._place.held:
            raise BrainError("RESOURCE_EXHAUSTED", "BUSY", "no search ended before the deadline of this call")


def _until(due: float, batch: bool) -> float:
    """Return the seconds of the next run."""
    seconds = max(0.001, due - time.monotonic())
    return min(SLICE, seconds) if batch else seconds
