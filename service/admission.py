"""Which searches run now, which wait, and which are refused."""
from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from cafebrain.errors import BrainError
from solver.analysis import Control


@dataclass(frozen=True)
class Ticket:
    """What decides about the turn of a search.

    client: who asks; places are shared fairly between clients.
    most: searches the client may have, running and waiting; None for no limit of its own.
    patient: waits as long as it takes, outside the queue's bound and the client's, because it was bounded elsewhere.
    """

    control: Control
    threads: int = 1
    client: str = ""
    most: int | None = None
    batch: bool = False
    patient: bool = False


@dataclass(eq=False)
class Waiter:
    """A search that waits, fresh or paused."""

    ticket: Ticket
    need: int  # places
    arrival: int
    paused: bool
    turn: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Place:
    """A turn to search."""

    def __init__(self, admission: Admission, ticket: Ticket, need: int, waited: float) -> None:
        self.waited = waited  # seconds in the queue
        self._admission = admission
        self._ticket = ticket
        self._need = need
        self.held = need

    async def give_way(self) -> float:
        """Let interactive searches that wait go first; return the seconds that took.

        Only for a batch search, between two runs. Afterwards `held` is 0 where the caller's deadline came first.
        """
        admission = self._admission
        if admission.closed.is_set() or not admission.interactive_waits:
            return 0.0
        began = time.monotonic()
        self._leave()
        await self._enter_again()
        return time.monotonic() - began

    async def do_without(self, waiting: Awaitable[None]) -> None:
        """Give the place up while something else is waited for; afterwards as with `give_way`."""
        self._leave()
        await waiting
        await self._enter_again()

    def _leave(self) -> None:
        held, self.held = self.held, 0
        self._admission.leave(self._ticket, held)

    async def _enter_again(self) -> None:
        with suppress(BrainError):  # no turn before the deadline
            await self._admission.enter(self._ticket, self._need, paused=True)
            self.held = self._need


class Admission:
    """Bounds the searches that run at once and those that wait for them. Belongs to one event loop.

    places: search threads that may run at once. A search takes as many as it has threads, but never more than there
    are.
    queue: searches that may wait.

    Interactive searches go before batch searches. Within a class clients take turns: first goes who has the fewest
    searches, running or ahead in the queue, then whose last turn was longest ago, then who came first. When the queue
    is full, the search that would go last is refused, whether it is the newest or not; so no client can fill the queue
    for the others.
    """

    def __init__(self, places: int, queue: int) -> None:
        self.places = places
        self.queue = queue
        self.closed = asyncio.Event()
        self._free = places
        self._arrivals = 0
        self._waiting: list[Waiter] = []
        self._running: dict[Control, Ticket] = {}
        self._turns = 0
        self._last_turn: dict[str, int] = {}  # by client, of those who have searches

    @property
    def running(self) -> int:
        """Searches running now."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Searches in the queue, among them batch searches that gave way."""
        return len(self._waiting)

    @property
    def interactive_waits(self) -> bool:
        """Whether an interactive search is in the queue."""
        return any(not waiter.ticket.batch for waiter in self._waiting)

    def waiting_in(self, batch: bool) -> int:
        """Return the searches of one class in the queue."""
        return sum(waiter.ticket.batch == batch for waiter in self._waiting)

    @asynccontextmanager
    async def place(self, ticket: Ticket) -> AsyncIterator[Place]:
        """Hold the places of one search, after waiting for them where they are taken.

        Raises BrainError: RESOURCE_EXHAUSTED at once where the queue is full or the client has too many searches, and
        when the caller's deadline is near before a place is free; UNAVAILABLE once closed.
        """
        impatient = [waiter.ticket for waiter in self._waiting if not waiter.ticket.patient]
        if not ticket.patient and not _has_room(ticket, [*self._running.values(), *impatient]):
            message = f"this token allows {ticket.most} searches at a time"
            raise BrainError("RESOURCE_EXHAUSTED", "TOKEN_LIMIT", message)
        need = min(max(ticket.threads, 1), self.places)
        came = time.monotonic()
        await self.enter(ticket, need)
        place = Place(self, ticket, need, time.monotonic() - came)
        try:
            yield place
        finally:
            if place.held:
                self.leave(ticket, place.held)

    def close(self) -> None:
        """Refuse new and waiting searches and stop the others, so that they answer with what they have."""
        self.closed.set()
        for control in list(self._running):
            control.stop()
        for waiter in list(self._waiting):
            waiter.ticket.control.stop()
            if waiter.paused:
                self._grant(waiter)
            else:
                self._refuse(waiter, _shutting_down())

    def stop(self, control: Control) -> None:
        """End one search: where it still waits for its first turn, it is refused with the reason TERMINATED."""
        control.stop()
        for waiter in list(self._waiting):
            if waiter.ticket.control is control:
                if waiter.paused:
                    self._grant(waiter)
                else:
                    self._refuse(waiter, terminated())

    async def enter(self, ticket: Ticket, need: int, paused: bool = False) -> None:
        """Take places, after waiting for them."""
        if self.closed.is_set():
            raise _shutting_down()
        if ticket.control.stopped and not paused:
            raise terminated()
        if not self._waiting and need <= self._free and _has_room(ticket, self._running.values()):
            self._free -= need
            self._run(ticket)
        else:
            self._arrivals += 1
            waiter = Waiter(ticket, need, self._arrivals, paused)
            self._waiting.append(waiter)
            if not paused and not ticket.patient:
                self._bound()
            self._let_in()
            await self._turn(waiter)

    def leave(self, ticket: Ticket, held: int) -> None:
        """Give places back."""
        self._running.pop(ticket.control, None)
        self._free += held
        self._let_in()
        if not any(other.client == ticket.client for other in self._tickets()):
            self._last_turn.pop(ticket.client, None)

    def _run(self, ticket: Ticket) -> None:
        self._turns += 1
        self._last_turn[ticket.client] = self._turns
        self._running[ticket.control] = ticket

    def _tickets(self) -> list[Ticket]:
        return [*self._running.values(), *(waiter.ticket for waiter in self._waiting)]

    def _bound(self) -> None:
        """Refuse the last searches of a queue that is too long."""
        bounded = [waiter for waiter in self._in_order() if not waiter.paused and not waiter.ticket.patient]
        for waiter in bounded[self.queue :]:
            message = "all searches and places in the queue are taken"
            self._refuse(waiter, BrainError("RESOURCE_EXHAUSTED", "BUSY", message))

    async def _turn(self, waiter: Waiter) -> None:
        by = waiter.ticket.control.answer_by
        timer = None
        if not math.isinf(by):
            timer = asyncio.get_running_loop().call_later(max(0.0, by - time.monotonic()), self._time_up, waiter)
        try:
            await asyncio.shield(waiter.turn)
        except asyncio.CancelledError:
            self._withdraw(waiter)
            raise
        finally:
            if timer is not None:
                timer.cancel()

    def _time_up(self, waiter: Waiter) -> None:
        if waiter in self._waiting:
            message = "no search ended before the deadline of this call"
            self._refuse(waiter, BrainError("RESOURCE_EXHAUSTED", "BUSY", message))
            self._let_in()

    def _withdraw(self, waiter: Waiter) -> None:
        if waiter in self._waiting:
            self._waiting.remove(waiter)
        elif waiter.turn.exception() is None:  # the turn had come when the caller left: others get the places
            self._free += waiter.need
            self._running.pop(waiter.ticket.control, None)
        self._let_in()

    def _in_order(self) -> list[Waiter]:
        """Return those who wait in the order of their turns."""
        ahead = Counter(ticket.client for ticket in self._running.values())

        def rank(waiter: Waiter) -> int:
            ahead[waiter.ticket.client] += 1
            return ahead[waiter.ticket.client]

        by_arrival = sorted(self._waiting, key=lambda w: (w.ticket.batch, not w.paused, w.arrival))

        def order(waiter: Waiter) -> tuple[bool, bool, int, int, int]:
            ticket = waiter.ticket
            turn = self._last_turn.get(ticket.client, 0)
            return ticket.batch, not waiter.paused, rank(waiter), turn, waiter.arrival

        ranked = [(order(waiter), waiter) for waiter in by_arrival]
        return [waiter for _, waiter in sorted(ranked, key=lambda entry: entry[0])]

    def _let_in(self) -> None:
        """Give free places to those whose turn it is."""
        while self._free > 0:
            ready = (waiter for waiter in self._in_order() if _has_room(waiter.ticket, self._running.values()))
            waiter = next(ready, None)
            if waiter is None or waiter.need > self._free:
                return
            self._grant(waiter)

    def _grant(self, waiter: Waiter) -> None:
        self._waiting.remove(waiter)
        self._free -= waiter.need
        self._run(waiter.ticket)  # from now on, for the order of the others
        waiter.turn.set_result(None)

    def _refuse(self, waiter: Waiter, error: BrainError) -> None:
        self._waiting.remove(waiter)
        waiter.turn.set_exception(error)


def _has_room(ticket: Ticket, others: Iterable[Ticket]) -> bool:
    """Return whether the client may have this search beside these."""
    return ticket.most is None or sum(other.client == ticket.client for other in others) < ticket.most


def _shutting_down() -> BrainError:
    return BrainError("UNAVAILABLE", "SHUTTING_DOWN", "the server is shutting down")


def terminated() -> BrainError:
    """Return the error for a search that was ended before it began."""
    return BrainError("CANCELLED", "TERMINATED", "ended before its search began")
