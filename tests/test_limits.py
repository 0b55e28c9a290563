"""What a server allows one request and all of them together, and that it says so."""
from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cafebrain import BrainError, Client
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from engines.library import Library
from server import BrainServer, background
from service.settings import MESSAGE_BYTES, Settings
from solver.analysis import Control
from tests.waiting import eventually, idle

SETTINGS = Settings(
    searches=2, queue=5, max_time_ms=300, max_visits=50_000, max_threads=1, max_moves=2, tree_mib=64
)  # fmt: skip
LONG = 3_600_000


@pytest.fixture(scope="module")
def server() -> Iterator[BrainServer]:
    with background(Library(), SETTINGS) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: BrainServer) -> Iterator[Client]:
    with Client(server.address) as connected:
        yield connected


@pytest.fixture(scope="module")
def state(client: Client) -> game_pb2.GameState:
    return client.new_game(pb.NewGameRequest(game="connect_four")).state


def test_the_limits_are_told(client: Client) -> None:
    info = client.get_server_info()
    assert info.limits == pb.ServerLimits(
        time_ms=300,
        visits=50_000,
        threads=1,
        moves_wanted=2,
        tree_mib=16,  # a place's share, half of it for one that gave way
        message_bytes=MESSAGE_BYTES,
        open_queries=256,
    )
    assert (info.places, info.queue, info.tree_mib, info.running, info.waiting) == (2, 5, 64, 0, 0)


def test_requests_beyond_them_are_refused(client: Client, state: game_pb2.GameState) -> None:
    for field, most, request in (
        ("budget.time_ms", 300, pb.SuggestRequest(budget=pb.Budget(time_ms=301))),
        ("budget.visits", 50_000, pb.SuggestRequest(budget=pb.Budget(visits=50_001))),
        ("threads", 1, pb.SuggestRequest(threads=2)),
        ("moves_wanted", 2, pb.SuggestRequest(moves_wanted=3)),
    ):
        request.state.CopyFrom(state)
        with pytest.raises(BrainError) as refused:
            client.suggest(request)
        assert (refused.value.code, refused.value.reason) == ("INVALID_ARGUMENT", "LIMIT_EXCEEDED")
        (violation,) = refused.value.violations
        assert (violation.field, violation.reason) == (field, f"at most {most} on this server")


def test_what_is_left_open_stays_within_them(client: Client, state: game_pb2.GameState) -> None:
    began = time.monotonic()
    suggestion = client.suggest(pb.SuggestRequest(state=state, budget=pb.Budget(visits=0)), timeout=30).suggestion
    assert time.monotonic() - began < 5
    assert suggestion.visits <= 50_000
    assert suggestion.stop_reason in (pb.STOP_REASON_TIME, pb.STOP_REASON_VISITS)
    assert len(suggestion.moves) == 2


def test_the_memory_of_all_trees_is_bounded() -> None:
    """More searches than places, batch ones giving way to interactive ones: never more than was allowed."""
    with background(Library(), Settings(searches=2, tree_mib=64)) as server, Client(server.address) as client:
        state = client.new_game(pb.NewGameRequest(game="connect_four")).state
        seen: list[int] = []
        over = threading.Event()

        def watch() -> None:
            while not over.is_set():
                seen.append(sum(analysis.tree_bytes for analysis in list(server._searches._live)))
                time.sleep(0.002)

        def search(priority: pb.Priority.ValueType, milliseconds: int) -> None:
            budget = pb.Budget(time_ms=milliseconds)
            client.suggest(pb.SuggestRequest(state=state, budget=budget, priority=priority))

        watcher = threading.Thread(target=watch)
        watcher.start()
        batch = [threading.Thread(target=search, args=(pb.PRIORITY_BATCH, 1500)) for _ in range(4)]
        quick = [threading.Thread(target=search, args=(pb.PRIORITY_INTERACTIVE, 300)) for _ in range(6)]
        for thread in batch:
            thread.start()
        time.sleep(0.5)
        for thread in quick:
            thread.start()
        for thread in [*batch, *quick]:
            thread.join()
        over.set()
        watcher.join()
    assert 16 << 20 < max(seen) <= 64 << 20


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer holds freed memory back")
def test_a_search_that_ended_keeps_no_memory() -> None:
    """However it ended, and without the garbage collector, which knows nothing of the trees' size."""
    with background(Library(), Settings(searches=2)) as server, Client(server.address) as client:
        state = client.new_game(pb.NewGameRequest(game="connect_four")).state
        suggest = pb.SuggestRequest(state=state, budget=pb.Budget(time_ms=LONG))
        client.list_games()
        gc.collect()
        gc.disable()
        try:
            before = resident()
            for _ in range(10):
                answers = client.analyze(pb.AnalyzeRequest(suggest=suggest, report_interval_ms=100))
                next(answers)
                answers.close()
                client.suggest(suggest, timeout=0.3)
            eventually(lambda: idle(server))
            eventually(lambda: resident() - before < 50 << 20)
        finally:
            gc.enable()


def test_a_call_that_waits_for_its_reader_keeps_no_memory(
    server: BrainServer, client: Client, state: game_pb2.GameState, monkeypatch: pytest.MonkeyPatch
) -> None:
    controls: list[Control] = []

    class Noted(Control):
        def __init__(self, deadline: float | None = None) -> None:
            super().__init__(deadline)
            controls.append(self)

    monkeypatch.setattr("service.calls.Control", Noted)
    suggest = pb.SuggestRequest(state=state, budget=pb.Budget(visits=1000))
    client.suggest(suggest)
    list(client.analyze(pb.AnalyzeRequest(suggest=suggest)))
    client.hint(pb.HintRequest(state=state, budget=suggest.budget))
    eventually(lambda: [control._searches for control in controls] == [[], [], []])


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_search_that_fills_its_memory_answers() -> None:
    with background(Library(), Settings(searches=1, tree_mib=32)) as server, Client(server.address) as client:
        state = client.new_game(pb.NewGameRequest(game="gatto", players=5, seed=1)).state
        suggestion = client.suggest(pb.SuggestRequest(state=state, budget=pb.Budget(time_ms=LONG))).suggestion
    assert suggestion.stop_reason == pb.STOP_REASON_MEMORY
    assert suggestion.moves[0].visits


def test_a_message_that_is_too_large_is_refused(client: Client) -> None:
    with pytest.raises(BrainError) as refused:
        client.new_game(pb.NewGameRequest(game="x" * MESSAGE_BYTES))
    assert refused.value.code == "RESOURCE_EXHAUSTED"
