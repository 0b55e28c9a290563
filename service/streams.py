"""AnalyzeMany: many queries over one stream, each with exactly one final answer."""
from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import math
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from service.admission import Admission, terminated
from service.errors import fault, query_error
from service.record import Call
from service.searches import Searches
from solver.analysis import Control
from solver.brain import report_seconds
from solver.positions import invalid

MAX_OPEN = 256  # queries of a stream without a final answer; further ones get an error as theirs
MAX_OPEN_BYTES = 4 << 20  # which these may take together
MAX_ID = 100  # characters of a query's id
MAX_UNREAD = 256  # such errors the client has not taken; then nothing more is read from it until it has

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Query:
    """A query without a final answer."""

    message: pb.AnalyzeQuery
    control: Control
    answered: bool = False  # has its final answer, which may still have to be sent


@dataclass(eq=False)
class Stream:
    """One stream. It holds MAX_OPEN queries at most, and for each of them the latest answer that is not sent yet.

    write: sends an answer; it takes as long as the client does.
    deadline: when the client must have everything, on the clock of time.monotonic(); None for never.
    """

    call: Call
    searches: Searches
    admission: Admission
    write: Callable[[pb.AnalyzeManyResponse], Awaitable[None]]
    deadline: float | None
    _open: list[Query] = field(default_factory=list)
    _waiting: dict[bool, list[tuple[int, int, Query]]] = field(default_factory=lambda: {False: [], True: []})
    _running: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0})  # by class, as _waiting
    _unsent: dict[Query, pb.AnalyzeManyResponse] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _read_on: asyncio.Event = field(default_factory=asyncio.Event)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, requests: AsyncIterator[pb.AnalyzeManyRequest]) -> None:
        """Answer until the client has closed its side and has every answer.

        Raises BrainError where the client sent what is no request, or the server stops; every query then has its
        final answer.
        """
        self._read_on.set()
        reader = asyncio.create_task(self._read(requests))
        closed = asyncio.create_task(self.admission.closed.wait())
        reader.add_done_callback(lambda _: self._changed.set())
        closed.add_done_callback(lambda _: self._changed.set())
        timer = asyncio.create_task(self._time_up())
        try:
            await self._send(reader, closed)
            if reader.done():
                reader.result()
            else:
                raise BrainError("UNAVAILABLE", "SHUTTING_DOWN", "the server is shutting down")
        finally:
            for heap in self._waiting.values():
                heap.clear()  # what ends now lets nothing in
            tasks = [reader, closed, timer, *self._tasks]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _send(self, reader: asyncio.Task[None], closed: asyncio.Task[bool]) -> None:
        """Send answers until there will be none."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if reader.done() and reader.exception() is not None:
                self._end(self._open)
            while self._unsent:
                query = next(iter(self._unsent))
                answer = self._unsent.pop(query)
                await self.write(answer)
                if answer.is_final:
                    self._open.remove(query)
                    self._read_on.set()
            if not self._open and (reader.done() or closed.done()):
                return

    async def _read(self, requests: AsyncIterator[pb.AnalyzeManyRequest]) -> None:
        async for request in requests:
            action = request.WhichOneof("action")
            if action == "query":
                self._take(request.query)
            elif action == "terminate":
                wanted = request.terminate
                self._end([query for query in self._open if wanted.all or query.message.id == wanted.id])
            else:
                raise invalid("action", "nothing", "must be a query or a terminate")
            self._read_on.clear()
            if len(self._open) < MAX_OPEN + MAX_UNREAD:
                self._read_on.set()
            await self._read_on.wait()

    def _take(self, message: pb.AnalyzeQuery) -> None:
        """Let a query wait for its turn among those of this stream."""
        if len(message.id) > MAX_ID:
            raise invalid("query.id", message.id[:MAX_ID], f"at most {MAX_ID} characters")
        query = Query(message, Control(self.deadline))
        used = sum(other.message.ByteSize() for other in self._open)
        full = len(self._open) >= MAX_OPEN or used + message.ByteSize() > MAX_OPEN_BYTES
        self._open.append(query)
        if full:
            query.message = pb.AnalyzeQuery(id=message.id)
            self._refuse(query, BrainError("RESOURCE_EXHAUSTED", "TOO_MANY_QUERIES", "too many queries are open"))
            return
        batch = message.analyze.suggest.priority != pb.PRIORITY_INTERACTIVE
        heapq.heappush(self._waiting[batch], (-message.priority, next(self._numbers), query))
        self._start()

    def _start(self) -> None:
        """Let queries into the server's queue, of each class as many as can run; the others wait here."""
        for batch, waiting in self._waiting.items():
            while waiting and self._running[batch] < self.admission.places:
                *_, query = heapq.heappop(waiting)
                if not query.answered:
                    self._running[batch] += 1
                    task = asyncio.create_task(self._search(query, batch))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)

    async def _search(self, query: Query, batch: bool) -> None:
        request = query.message.analyze

        def report(suggestion: pb.Suggestion) -> None:
            self._put(query, pb.AnalyzeManyResponse(id=query.message.id, suggestion=suggestion))

        try:
            interval = report_seconds(request) if query.message.report else math.inf
            suggestion = await self._run(query, interval, report)
            answer = pb.AnalyzeManyResponse(id=query.message.id, suggestion=suggestion, is_final=True)
            self._put(query, answer)
        except BrainError as error:
            self._refuse(query, error.under("analyze"))
        except Exception:
            id_ = secrets.token_hex(4)
            log.exception("fault %s", id_, extra={"fields": {"method": self.call.method, "call": self.call.id}})
            self._refuse(query, fault(id_))
        finally:
            self._running[batch] -= 1
            self._start()

    async def _run(self, query: Query, interval: float, report: Callable[[pb.Suggestion], None]) -> pb.Suggestion:
        suggest = query.message.analyze.suggest
        try:
            return await self.searches.run(self.call, suggest, query.control, interval, report, streamed=True)
        except BrainError as error:
            raise error.under("suggest") from error

    def _put(self, query: Query, answer: pb.AnalyzeManyResponse) -> None:
        """Have an answer sent, instead of the query's last one where that still waits; nothing after a final one."""
        if not query.answered:
            query.answered = answer.is_final
            self._unsent[query] = answer
            self._changed.set()

    def _refuse(self, query: Query, error: BrainError) -> None:
        self._put(query, pb.AnalyzeManyResponse(id=query.message.id, is_final=True, error=query_error(error)))

    def _end(self, queries: list[Query]) -> None:
        """End queries: those in a search with their best so far, the others with an error."""
        waiting = {query for heap in self._waiting.values() for *_, query in heap}
        for query in queries:
            if query in waiting:
                self._refuse(query, terminated())
            else:
                self.admission.stop(query.control)

    async def _time_up(self) -> None:
        """Refuse the queries that still wait when the client's deadline is near."""
        if self.deadline is None:
            await asyncio.Event().wait()
        await asyncio.sleep(max(0.0, Control(self.deadline).answer_by - time.monotonic()))
        for heap in self._waiting.values():
            for *_, query in heap:
                self._refuse(query, BrainError("RESOURCE_EXHAUSTED", "BUSY", "no turn came before the deadline"))
