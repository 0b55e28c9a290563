"""What a server tells about itself: log, metrics, traces, channelz."""
from __future__ import annotations

import io
import json
import logging
import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import grpc
import pytest
from grpc_channelz.v1 import channelz_pb2, channelz_pb2_grpc
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from cafebrain import BrainError, Client
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceStub
from engines.library import Library
from server import BrainServer, background
from service import log
from service.log import JsonLines, PatientHandler
from service.settings import Settings
from service.tracing import Tracing

LONG = pb.Budget(time_ms=3_600_000)
PATIENCE = 20.0
DASHBOARD = Path(__file__).parent.parent / "deploy/dashboard.json"


@pytest.fixture
def server() -> Iterator[BrainServer]:
    with background(Library(), Settings(searches=1, metrics="127.0.0.1:0", channelz=True)) as running:
        yield running


@pytest.fixture
def client(server: BrainServer) -> Iterator[Client]:
    with Client(server.address) as connected:
        yield connected


def first_position(client: Client) -> game_pb2.GameState:
    return client.new_game(pb.NewGameRequest(game="connect_four")).state


def exposed(server: BrainServer) -> str:
    with urlopen(f"http://{server.metrics_address}/metrics") as answer:
        return answer.read().decode()


def figures(server: BrainServer) -> dict[str, float]:
    lines = [line.rsplit(" ", 1) for line in exposed(server).splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in lines}


def calls_in(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    return [json.loads(JsonLines().format(record)) for record in caplog.records if record.getMessage() == "call"]


def test_one_line_per_call(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    state = first_position(client)
    client.suggest(pb.SuggestRequest(state=state, budget=pb.Budget(visits=100, time_ms=60_000)))
    with pytest.raises(BrainError):
        client.new_game(pb.NewGameRequest(game="chess"))
    end = time.monotonic() + PATIENCE
    while len(calls_in(caplog)) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    created, searched, refused = calls_in(caplog)
    assert (created["method"], created["outcome"], created["client"]) == ("NewGame", "OK", "ipv4:127.0.0.1")
    assert re.fullmatch("[0-9a-f]{8}", created["id"])
    assert searched.items() >= {
        "method": "Suggest", "game": "connect_four", "budget": "100 visits, 60000 ms", "visits": 100, "outcome": "OK"
    }.items()  # fmt: skip
    assert searched["ms"] >= searched["search_ms"] > 0
    assert searched["queue_ms"] >= 0
    assert (refused["outcome"], refused["reason"]) == ("NOT_FOUND", "UNKNOWN_GAME")


def test_metrics(server: BrainServer, client: Client) -> None:
    state = first_position(client)
    client.suggest(pb.SuggestRequest(state=state, budget=pb.Budget(visits=100)))
    client.suggest(pb.SuggestRequest(state=state, budget=pb.Budget(time_ms=50)))
    with pytest.raises(BrainError):
        client.new_game(pb.NewGameRequest(game="chess"))
    with grpc.insecure_channel(server.address) as channel:
        request = pb.SuggestRequest(state=state, budget=LONG)
        running, waiting = (BrainServiceStub(channel).Suggest.future(request) for _ in range(2))
        end = time.monotonic() + PATIENCE
        while not server.admission.waiting and time.monotonic() < end:
            time.sleep(0.01)
        while not figures(server)["cafebrain_tree_bytes"] and time.monotonic() < end:
            time.sleep(0.01)
        now = figures(server)
        assert now["cafebrain_searches_running"] == 1
        assert now['cafebrain_searches_waiting{priority="interactive"}'] == 1
        assert now['cafebrain_searches_waiting{priority="batch"}'] == 0
        assert now["cafebrain_tree_bytes"] > 0
        assert now['cafebrain_calls_total{code="OK",method="Suggest"}'] == 2
        assert now['cafebrain_calls_total{code="NOT_FOUND",method="NewGame"}'] == 1
        assert now['cafebrain_simulations_total{game="connect_four"}'] > 100
        assert now['cafebrain_search_seconds_count{game="connect_four"}'] == 2
        assert now["cafebrain_queue_seconds_count"] == 3
        assert now["cafebrain_overrun_seconds_count"] == 1
        assert now["process_resident_memory_bytes"] > 0
        running.cancel()
        waiting.cancel()
        while figures(server)["cafebrain_searches_running"] and time.monotonic() < end:
            time.sleep(0.01)
    now = figures(server)
    assert now["cafebrain_cancel_seconds_count"] >= 1
    assert now['cafebrain_calls_total{code="CANCELLED",method="Suggest"}'] == 2
    assert now["cafebrain_tree_bytes"] == 0


def test_the_dashboard_asks_for_figures_there_are(tmp_path: Path) -> None:
    settings = Settings(searches=1, metrics="127.0.0.1:0", jobs_file=tmp_path / "jobs.sqlite")
    with background(Library(), settings) as server, Client(server.address) as client:
        client.suggest(pb.SuggestRequest(state=first_position(client), budget=pb.Budget(time_ms=20)))
        alone = pb.NewGameRequest(game="cafe", players=1, options={"open_deck": "true"})
        task = pb.SoloTask(state=client.new_game(alone).state, budget=pb.SolveBudget(nodes=1))
        list(client.solve_solo(pb.SolveSoloRequest(task=task)))
        known = set(re.findall(r"^(\w+)", exposed(server), re.MULTILINE))
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]
    assert len(asked) >= 8
    for expression in asked:
        names = set(re.findall(r"\b(?:cafebrain|process)_\w+", expression))
        assert names
        assert names <= known, expression


def test_spans(client: Client) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with background(Library(), Settings(searches=1)) as server:
        server._interceptor._tracing = Tracing(provider)
        with grpc.insecure_channel(server.address) as channel:
            request = pb.SuggestRequest(state=first_position(client), budget=pb.Budget(visits=100))
            parent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
            BrainServiceStub(channel).Suggest(request, metadata=(("traceparent", parent),))
            with pytest.raises(grpc.RpcError):
                BrainServiceStub(channel).GetMoves(pb.GetMovesRequest())
    spans: dict[str, ReadableSpan] = {span.name: span for span in exporter.get_finished_spans()}
    assert spans.keys() == {"Suggest", "queue", "search", "GetMoves"}
    suggest = spans["Suggest"]
    assert f"{suggest.context.trace_id:032x}" == "0123456789abcdef0123456789abcdef"
    assert suggest.attributes.items() >= {"rpc.method": "Suggest", "cafebrain.visits": 100}.items()
    for name in ("queue", "search"):
        assert spans[name].parent.span_id == suggest.context.span_id
        assert suggest.start_time <= spans[name].start_time <= spans[name].end_time
    assert not spans["GetMoves"].status.is_ok


def test_channelz(server: BrainServer, client: Client) -> None:
    client.list_games()
    with grpc.insecure_channel(server.address) as channel:
        found = channelz_pb2_grpc.ChannelzStub(channel).GetServers(channelz_pb2.GetServersRequest())
    assert any(entry.data.calls_succeeded for entry in found.server)


def test_a_client_that_left_is_no_news() -> None:
    stream = io.StringIO()
    handler = PatientHandler(stream)
    logger = logging.Logger("grpc._cython.cygrpc")
    logger.addHandler(handler)
    for fault in (grpc.aio.InternalError("left"), ValueError("bad")):
        logger.error("raised in core", exc_info=fault)
    handler.close()
    (line,) = stream.getvalue().splitlines()
    assert "bad" in line


class StuckStream(io.StringIO):
    """A stream that takes nothing until told to."""

    def __init__(self) -> None:
        super().__init__()
        self.open = False

    def write(self, text: str) -> int:
        while not self.open:
            time.sleep(0.002)
        return super().write(text)


def test_a_log_nobody_reads_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "WAITING", 10)
    stream = StuckStream()
    handler = PatientHandler(stream)
    logger = logging.Logger("stuck")
    logger.addHandler(handler)
    for index in range(50):
        logger.info("line %d", index)
    stream.open = True
    while handler._lines.qsize():
        time.sleep(0.002)
    try:
        raise ValueError("bad")
    except ValueError:
        logger.exception("fault %s", "id", extra={"fields": {"method": "Suggest"}})
    handler.close()
    entries = [json.loads(line) for line in stream.getvalue().splitlines()]
    dropped = [entry["message"] for entry in entries if entry["message"].endswith("dropped")]
    assert sum(int(message.split()[0]) for message in dropped) + len(entries) - len(dropped) == 51
    assert entries[-1].items() >= {"level": "error", "message": "fault id", "method": "Suggest"}.items()
    assert "ValueError: bad" in entries[-1]["traceback"]
