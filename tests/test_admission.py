"""Whose turn it is: admission on its own, without a server."""
from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from cafebrain import BrainError
from service.admission import Admission, Ticket
from solver.analysis import Control

QUEUE = 4


class Scene:
    """Searches that hold their places until told to end."""

    def __init__(self, places: int, queue: int = QUEUE) -> None:
        self.admission = Admission(places, queue)
        self.order: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def start(self, name: str, control: Control | None = None, **ticket: Any) -> None:
        self.ends[name] = asyncio.Event()
        ticket.setdefault("client", name[0])
        search = self._search(name, Ticket(control or Control(), **ticket))
        self.tasks[name] = asyncio.create_task(search)
        await settle()

    async def _search(self, name: str, ticket: Ticket) -> None:
        async with self.admission.place(ticket) as place:
            self.order.append(name)
            while not self.ends[name].is_set():
                await asyncio.sleep(0)
                if ticket.batch and place.held:
                    await place.give_way()

    async def end(self, name: str) -> None:
        self.ends[name].set()
        await settle()

    async def refusal(self, name: str) -> tuple[str, str]:
        with pytest.raises(BrainError) as refused:
            await self.tasks[name]
        return refused.value.code, refused.value.reason

    async def clear(self) -> None:
        for name, end in self.ends.items():
            end.set()
            self.tasks[name].cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        assert (self.admission.running, self.admission.waiting) == (0, 0)
        assert self.admission._free == self.admission.places


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def play(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, 20))


def test_first_come_first_served_by_threads() -> None:
    async def scenario() -> None:
        scene = Scene(2)
        await scene.start("first", client="")
        await scene.start("wide", client="", threads=64)
        await scene.start("last", client="", threads=0)
        # One place is free, but the wide search is before the last one and takes all there are.
        assert (scene.order, scene.admission.running, scene.admission.waiting) == (["first"], 1, 2)
        await scene.end("first")
        assert scene.order == ["first", "wide"]
        scene.tasks["wide"].cancel()
        await settle()
        assert scene.order == ["first", "wide", "last"]
        await scene.clear()

    play(scenario())


def test_interactive_before_batch_and_clients_in_turn() -> None:
    async def scenario() -> None:
        scene = Scene(1, 20)
        await scene.start("x")
        for name in ("a1", "a2", "a3"):
            await scene.start(name, batch=True)
        for name in ("a4", "a5", "b1", "c1", "c2"):
            await scene.start(name)
        for name in list(scene.ends):
            scene.ends[name].set()
        await asyncio.gather(*scene.tasks.values())
        assert scene.order == ["x", "a4", "b1", "c1", "a5", "c2", "a1", "a2", "a3"]
        await scene.clear()

    play(scenario())


def test_a_client_with_searches_running_is_behind() -> None:
    async def scenario() -> None:
        scene = Scene(2)
        for name in ("a1", "a2", "a3", "b1"):
            await scene.start(name)
        await scene.end("a1")
        assert scene.order == ["a1", "a2", "b1"]
        await scene.clear()

    play(scenario())


def test_a_full_queue_refuses_who_would_be_last() -> None:
    async def scenario() -> None:
        scene = Scene(1)
        await scene.start("x")
        for index in range(QUEUE):
            await scene.start(f"a{index}")
        await scene.start("a9")
        assert await scene.refusal("a9") == ("RESOURCE_EXHAUSTED", "BUSY")
        # Another client is let in for the greedy one's last search; batch is refused before anything interactive.
        await scene.start("b1")
        assert await scene.refusal(f"a{QUEUE - 1}") == ("RESOURCE_EXHAUSTED", "BUSY")
        await scene.start("c1", batch=True)
        assert await scene.refusal("c1") == ("RESOURCE_EXHAUSTED", "BUSY")
        # What a stream has in the queue is bounded by the stream.
        await scene.start("d1", batch=True, patient=True)
        assert scene.admission.waiting == QUEUE + 1
        await scene.clear()

    play(scenario())


def test_a_batch_search_gives_way_and_goes_on_first() -> None:
    async def scenario() -> None:
        scene = Scene(1)
        await scene.start("a1", batch=True)
        await scene.start("a2", batch=True)
        await scene.start("b1")
        assert scene.order == ["a1", "b1"]
        assert (scene.admission.running, scene.admission.waiting) == (1, 2)
        await scene.end("b1")
        assert scene.order == ["a1", "b1"]
        assert (scene.admission.running, scene.admission.waiting) == (1, 1)
        await scene.end("a1")
        assert scene.order == ["a1", "b1", "a2"]
        await scene.clear()

    play(scenario())


def test_the_deadline_ends_the_wait() -> None:
    async def scenario() -> None:
        scene = Scene(1)
        await scene.start("a1", batch=True, control=Control(time.monotonic() + 0.2))
        await scene.start("b1")
        await scene.start("c1", control=Control(time.monotonic() + 0.2))
        assert await scene.refusal("c1") == ("RESOURCE_EXHAUSTED", "BUSY")
        assert (scene.admission.running, scene.admission.waiting) == (1, 0)
        await scene.clear()

    play(scenario())


def test_a_token_has_its_share() -> None:
    async def scenario() -> None:
        scene = Scene(1)
        await scene.start("x")
        for name in ("a1", "a2", "a3"):
            await scene.start(name, most=2)
        assert await scene.refusal("a3") == ("RESOURCE_EXHAUSTED", "TOKEN_LIMIT")
        await scene.clear()

        # What a stream has in the queue waits instead, and holds up nobody else.
        scene = Scene(3)
        for name in ("a1", "a2", "a3"):
            await scene.start(name, most=2, batch=True, patient=True)
        await scene.start("b1", batch=True)
        assert scene.order == ["a1", "a2", "b1"]
        await scene.start("a4", most=3)
        await scene.end("b1")
        assert scene.order == ["a1", "a2", "b1", "a4"]
        await scene.end("a1")
        assert "a3" not in scene.order
        await scene.end("a4")
        assert scene.order[-1] == "a3"
        await scene.clear()

    play(scenario())


def test_a_cancel_at_the_very_moment_the_turn_comes() -> None:
    async def scenario() -> None:
        scene = Scene(1)
        await scene.start("x")
        await scene.start("a1")
        await scene.start("b1")
        scene.ends["x"].set()
        while scene.admission.waiting == 2:
            await asyncio.sleep(0)
        scene.tasks["a1"].cancel()
        await settle()
        assert scene.order == ["x", "b1"]
        await scene.clear()

    play(scenario())


def test_stop_and_close() -> None:
    async def scenario() -> None:
        scene = Scene(1)
        controls = {name: Control() for name in ("a1", "b1", "c1", "d1")}
        await scene.start("a1", controls["a1"], batch=True)
        for name in ("b1", "c1", "d1"):
            await scene.start(name, controls[name])
        assert scene.order == ["a1", "b1"]
        scene.admission.stop(controls["c1"])
        assert await scene.refusal("c1") == ("CANCELLED", "TERMINATED")
        scene.admission.close()
        assert await scene.refusal("d1") == ("UNAVAILABLE", "SHUTTING_DOWN")
        # The one that runs and the one that gave way are stopped and may answer.
        assert controls["a1"].stopped
        assert controls["b1"].stopped
        await scene.start("e1")
        assert await scene.refusal("e1") == ("UNAVAILABLE", "SHUTTING_DOWN")
        await scene.end("a1")
        await scene.end("b1")
        await asyncio.gather(scene.tasks["a1"], scene.tasks["b1"])
        await scene.clear()

    play(scenario())
