"""Which searches run now, which wait, and which are refused."""
from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from cafebrain.errors import BrainError
from solver.analysis import Control

WAITING_PER_PLACE = 16  # searches that may wait for each one that can run


@dataclass(frozen=True)
class Waiter:
    """A search in the queue."""

    need: int  # places
    turn: asyncio.Future[None]


class Admission:
    """Bounds the searches that run at once and those that wait for them; first come, first served.

    places: search threads that may run at once. A search takes as many as it has threads, but never more than there
    are. Belongs to one event loop.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._free = places
        self._waiting: deque[Waiter] = deque()
        self._running: set[Control] = set()
        self._closed = False

    @property
    def running(self) -> int:
        """Searches running now."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Searches in the queue."""
        return len(self._waiting)

    @asynccontextmanager
    async def place(self, control: Control, threads: int) -> AsyncIterator[None]:
        """Hold the places of one search, after waiting for them where they are taken.

        Raises BrainError: RESOURCE_EXHAUSTED at once where the queue is full, UNAVAILABLE once closed.
        """
        need = min(max(threads, 1), self.places)
        await self._enter(need)
        self._running.add(control)
        try:
            yield
        finally:
            self._running.remove(control)
            self._release(need)

    def close(self) -> None:
        """Refuse new and waiting searches and stop the running ones, so that they answer with what they have."""
        self._closed = True
        for control in self._running:
            control.stop()

    async def _enter(self, need: int) -> None:
        if not self._closed and (self._waiting or need > self._free):
            if len(self._waiting) >= self.places * WAITING_PER_PLACE:
                raise BrainError("RESOURCE_EXHAUSTED", "BUSY", "all searches and places in the queue are taken")
            await self._wait(need)
        else:
            self._free -= need
        if self._closed:
            self._release(need)
            raise BrainError("UNAVAILABLE", "SHUTTING_DOWN", "the server is shutting down")

    async def _wait(self, need: int) -> None:
        waiter = Waiter(need, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter.turn.cancelled():
                self._waiting.remove(waiter)
                need = 0
            # Otherwise the turn had come when the caller left: others get the places.
            self._release(need)
            raise

    def _release(self, need: int) -> None:
        self._free += need
        while self._waiting and self._waiting[0].need <= self._free and not self._waiting[0].turn.done():
            waiter = self._waiting.popleft()
            self._free -= waiter.need
            waiter.turn.set_result(None)
