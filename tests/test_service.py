"""The server end to end on a loopback port: every call, errors, cancels, deadlines, overload, health, reflection."""
from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import grpc
import pytest
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from cafebrain import AsyncClient, BrainError, Client, FieldViolation
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceStub
from engines.library import Library
from engines.registry import ENGINES
from server import BrainServer, background
from service.errors import DETAILS_KEY, SERVICE
from service.settings import WAITING_PER_PLACE, Settings
from solver.brain import Brain
from tests.waiting import PATIENCE, eventually, idle

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
LONG = pb.Budget(time_ms=3_600_000)

each_game = pytest.mark.parametrize("game", ENGINES)


@pytest.fixture(scope="module")
def library() -> Library:
    return Library()


@pytest.fixture(scope="module")
def brain(library: Library) -> Brain:
    return Brain(library)


@pytest.fixture(scope="module")
def server(library: Library) -> Iterator[BrainServer]:
    with background(library, Settings(searches=2)) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: BrainServer) -> Iterator[Client]:
    with Client(server.address) as connected:
        yield connected


@pytest.fixture
def channel(server: BrainServer) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(server.address) as connected:
        yield connected


def first_position(brain: Brain, game: str) -> game_pb2.GameState:
    return brain.new_game(pb.NewGameRequest(game=game, seed=5)).state


def last_position(brain: Brain, game: str) -> game_pb2.GameState:
    state = first_position(brain, game)
    while moves := brain.get_moves(pb.GetMovesRequest(state=state)).moves:
        choice = pb.MoveChoice(id=moves[-1].id)
        state = brain.apply_move(pb.ApplyMoveRequest(state=state, move=choice, seed=len(moves))).state
    return state


def status_in(error: grpc.RpcError) -> Status:
    return Status.FromString(dict(error.trailing_metadata())[DETAILS_KEY])


def detail(status: Status, message: Any) -> Any:
    return next((message for packed in status.details if packed.Unpack(message)), None)


@each_game
def test_every_call_answers_what_the_brain_answers_byte_for_byte(game: str, brain: Brain, client: Client) -> None:
    def same(call: str, request: Any) -> Any:
        answers = [getattr(source, call)(request) for source in (brain, client, client)]
        assert len({answer.SerializeToString(deterministic=True) for answer in answers}) == 1
        return answers[0]

    assert game in [entry.id for entry in same("list_games", pb.ListGamesRequest()).games]
    assert same("get_components", pb.GetComponentsRequest(game=game)).components.WhichOneof("game") == game
    state = same("new_game", pb.NewGameRequest(game=game, seed=5)).state
    moves = same("get_moves", pb.GetMovesRequest(state=state)).moves
    choice = pb.MoveChoice(move=moves[-1].move)
    state = same("apply_move", pb.ApplyMoveRequest(state=state, move=choice, seed=6)).state
    request = pb.SuggestRequest(state=state, budget=pb.Budget(visits=500), seed=7, moves_wanted=3)
    suggestion = same("suggest", request).suggestion
    assert suggestion.visits == 500
    assert suggestion.stop_reason == pb.STOP_REASON_VISITS
    answers = list(client.analyze(pb.AnalyzeRequest(suggest=request)))
    assert [answer.is_final for answer in answers] == [False] * (len(answers) - 1) + [True]
    assert answers[-1].suggestion == suggestion
    assert client.list_games() == brain.list_games(pb.ListGamesRequest())


@each_game
def test_analysis_improves_and_ends_with_one_final_answer(game: str, brain: Brain, client: Client) -> None:
    suggest = pb.SuggestRequest(state=first_position(brain, game), budget=pb.Budget(time_ms=120))
    answers = list(client.analyze(pb.AnalyzeRequest(suggest=suggest, report_interval_ms=20)))
    visits = [answer.suggestion.visits for answer in answers]
    assert len(answers) > 1
    assert visits == sorted(visits)
    assert [answer.is_final for answer in answers] == [False] * (len(answers) - 1) + [True]
    assert answers[-1].suggestion.stop_reason == pb.STOP_REASON_TIME


def faulty_requests(brain: Brain, game: str) -> Iterator[tuple[str, Any, str, str]]:
    """Yield call, request, and the code and reason it is refused with."""
    engine = ENGINES[game]
    state = first_position(brain, game)
    empty = game_pb2.GameState(component_set=state.component_set)
    getattr(empty, game).SetInParent()
    other_hash = game_pb2.GameState()
    other_hash.CopyFrom(state)
    other_hash.component_set.hash = "0" * 16
    unknown_set = pb.GetComponentsRequest(game=game, component_set=game_pb2.ComponentSetRef(id="nothing"))
    too_many = pb.NewGameRequest(game=game, players=engine.max_players + 1)
    over = last_position(brain, game)
    suggest = pb.SuggestRequest(state=state)
    yield "get_components", pb.GetComponentsRequest(game="chess"), "NOT_FOUND", "UNKNOWN_GAME"
    yield "get_components", unknown_set, "INVALID_ARGUMENT", "UNKNOWN_COMPONENT_SET"
    yield "new_game", too_many, "INVALID_ARGUMENT", "INVALID_REQUEST"
    yield "get_moves", pb.GetMovesRequest(), "INVALID_ARGUMENT", "INVALID_REQUEST"
    yield "get_moves", pb.GetMovesRequest(state=empty), "INVALID_ARGUMENT", "INVALID_STATE"
    yield "get_moves", pb.GetMovesRequest(state=other_hash), "FAILED_PRECONDITION", "COMPONENT_SET_MISMATCH"
    yield "apply_move", pb.ApplyMoveRequest(state=state), "INVALID_ARGUMENT", "INVALID_MOVE"
    illegal = pb.ApplyMoveRequest(state=state, move=pb.MoveChoice(id=4_000_000_000))
    yield "apply_move", illegal, "INVALID_ARGUMENT", "ILLEGAL_MOVE"
    yield "suggest", pb.SuggestRequest(state=over), "FAILED_PRECONDITION", "GAME_OVER"
    yield "suggest", pb.SuggestRequest(state=state, threads=65), "INVALID_ARGUMENT", "INVALID_REQUEST"
    interval = pb.AnalyzeRequest(suggest=suggest, report_interval_ms=1)
    yield "analyze", interval, "INVALID_ARGUMENT", "INVALID_REQUEST"
    yield "analyze", pb.AnalyzeRequest(suggest=pb.SuggestRequest(state=over)), "FAILED_PRECONDITION", "GAME_OVER"
    open_draws = brain.new_game(pb.NewGameRequest(game=game, seed=5, stop_at_chance=True)).state
    if brain.get_moves(pb.GetMovesRequest(state=open_draws)).to_move == "chance":
        yield "suggest", pb.SuggestRequest(state=open_draws), "FAILED_PRECONDITION", "CHANCE_POINT"


@each_game
def test_errors_are_those_of_the_brain(game: str, brain: Brain, client: Client) -> None:
    for call, request, code, reason in faulty_requests(brain, game):
        refusals = []
        for source in (brain, client):
            with pytest.raises(BrainError) as refusal:
                list(source.analyze(request)) if call == "analyze" else getattr(source, call)(request)
            refusals.append(vars(refusal.value))
        assert refusals[0] == refusals[1]
        assert (refusals[0]["code"], refusals[0]["reason"]) == (code, reason), request
        if code == "INVALID_ARGUMENT":
            assert refusals[0]["violations"]


def test_error_details_are_those_of_google_rpc(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as refusal:
        BrainServiceStub(channel).NewGame(pb.NewGameRequest(game="connect_four", players=9))
    status = status_in(refusal.value)
    assert refusal.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert (status.code, status.message) == (grpc.StatusCode.INVALID_ARGUMENT.value[0], refusal.value.details())
    info = detail(status, ErrorInfo())
    assert (info.reason, info.domain) == ("INVALID_REQUEST", "cafebrain")
    (violation,) = detail(status, BadRequest()).field_violations
    assert violation.field == "players"
    assert violation.description.endswith("(found 9)")


def test_the_largest_error_arrives(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    violations = [FieldViolation(f"state.{'x' * 60}[{index}]", "🫘" * 60, "é" * 100) for index in range(30)]

    def refuse(*_: object) -> None:
        raise BrainError("INVALID_ARGUMENT", "INVALID_STATE", "🫘" * 5000, violations)

    monkeypatch.setattr(Brain, "get_moves", refuse)
    with pytest.raises(BrainError) as refusal:
        client.get_moves(pb.GetMovesRequest())
    error = refusal.value
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "INVALID_STATE")
    assert error.message.startswith("🫘")
    assert 5 <= len(error.violations) < 20
    assert list(error.violations) == violations[: len(error.violations)]


def test_an_unexpected_fault_shows_an_id_and_nothing_else(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("the secret")

    for name in ("get_moves", "analysis"):
        monkeypatch.setattr(Brain, name, fail)
    for call in (lambda: client.get_moves(pb.GetMovesRequest()), lambda: next(client.analyze(pb.AnalyzeRequest()))):
        caplog.clear()
        with pytest.raises(BrainError) as refusal:
            call()
        assert (refusal.value.code, refusal.value.reason) == ("INTERNAL", "INTERNAL_FAULT")
        assert "secret" not in refusal.value.message
        (record,) = caplog.records
        assert record.getMessage().split()[1] in refusal.value.message
        assert "the secret" in caplog.text


@each_game
def test_a_cancel_ends_the_search(game: str, brain: Brain, server: BrainServer, channel: grpc.Channel) -> None:
    suggest = pb.SuggestRequest(state=first_position(brain, game), budget=LONG)
    stub = BrainServiceStub(channel)
    call = stub.Suggest.future(suggest)
    eventually(lambda: server.admission.running == 1)
    call.cancel()
    # A place is given back only when the native search has ended.
    eventually(lambda: idle(server))
    stream = stub.Analyze(pb.AnalyzeRequest(suggest=suggest, report_interval_ms=10))
    next(stream)
    assert server.admission.running == 1
    stream.cancel()
    eventually(lambda: idle(server))


def test_a_client_that_disconnects_ends_its_searches(brain: Brain, server: BrainServer) -> None:
    suggest = pb.SuggestRequest(state=first_position(brain, "connect_four"), budget=LONG)
    with grpc.insecure_channel(server.address) as channel:
        search = BrainServiceStub(channel).Suggest.future(suggest)
        stream = BrainServiceStub(channel).Analyze(pb.AnalyzeRequest(suggest=suggest))
        eventually(lambda: server.admission.running == 2)
    eventually(lambda: idle(server))
    assert search.code() == stream.code() == grpc.StatusCode.CANCELLED


def test_closing_the_iterator_of_an_analysis_ends_it(brain: Brain, server: BrainServer, client: Client) -> None:
    suggest = pb.SuggestRequest(state=first_position(brain, "connect_four"), budget=LONG)
    answers = client.analyze(pb.AnalyzeRequest(suggest=suggest, report_interval_ms=10))
    assert not next(answers).is_final
    answers.close()
    eventually(lambda: idle(server))


@each_game
def test_a_deadline_is_answered_with_the_best_so_far(game: str, brain: Brain, client: Client) -> None:
    request = pb.SuggestRequest(state=first_position(brain, game))
    suggestion = client.suggest(request, timeout=1).suggestion
    assert suggestion.stop_reason == pb.STOP_REASON_TIME
    assert suggestion.visits
    request.budget.CopyFrom(LONG)
    *earlier, final = client.analyze(pb.AnalyzeRequest(suggest=request, report_interval_ms=200), timeout=1)
    assert earlier
    assert final.is_final
    assert final.suggestion.stop_reason == pb.STOP_REASON_TIME


def test_overload_is_refused_at_once_and_other_calls_go_on(brain: Brain, library: Library) -> None:
    request = pb.SuggestRequest(state=first_position(brain, "connect_four"), budget=LONG)
    with background(library, Settings(searches=1)) as server, grpc.insecure_channel(server.address) as channel:
        stub = BrainServiceStub(channel)
        calls = [stub.Suggest.future(request) for _ in range(1 + WAITING_PER_PLACE)]
        eventually(lambda: server.admission.waiting == WAITING_PER_PLACE)
        assert server.admission.running == 1
        with pytest.raises(grpc.RpcError) as refusal:
            stub.Suggest(request)
        assert refusal.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        status = status_in(refusal.value)
        assert detail(status, ErrorInfo()).reason == "BUSY"
        assert detail(status, RetryInfo()).retry_delay.ToSeconds() >= 1
        check = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        assert check.status == SERVING
        assert stub.GetMoves(pb.GetMovesRequest(state=request.state), timeout=PATIENCE).moves
        for call in calls[:-1]:
            call.cancel()
        eventually(lambda: server.admission.waiting == 0)
        calls[-1].cancel()
        eventually(lambda: idle(server))
        quick = pb.SuggestRequest(state=request.state, budget=pb.Budget(visits=10))
        assert stub.Suggest(quick).suggestion.visits == 10


def test_stopping_the_server_ends_searches_with_their_best_and_health_watches(brain: Brain, library: Library) -> None:
    request = pb.SuggestRequest(state=first_position(brain, "connect_four"), budget=LONG)
    with ExitStack() as stack:
        lifetime = stack.enter_context(ExitStack())
        server = lifetime.enter_context(background(library, Settings(searches=1)))
        closing = threading.Thread(target=lifetime.close)
        channel = stack.enter_context(grpc.insecure_channel(server.address))
        health = health_pb2_grpc.HealthStub(channel)
        watches = [health.Watch(health_pb2.HealthCheckRequest(service=name)) for name in ("", SERVICE)]
        assert [next(watch).status for watch in watches] == [SERVING, SERVING]
        for name in ("", SERVICE):
            assert health.Check(health_pb2.HealthCheckRequest(service=name)).status == SERVING
        with pytest.raises(grpc.RpcError) as refusal:
            health.Check(health_pb2.HealthCheckRequest(service="nothing"))
        assert refusal.value.code() == grpc.StatusCode.NOT_FOUND
        running, waiting = (BrainServiceStub(channel).Suggest.future(request) for _ in range(2))
        eventually(lambda: server.admission.running == server.admission.waiting == 1)
        closing.start()
        assert [next(watch).status for watch in watches] == [NOT_SERVING, NOT_SERVING]
        answered, refused = sorted((running, waiting), key=lambda call: call.exception(PATIENCE) is not None)
        assert answered.result().suggestion.stop_reason == pb.STOP_REASON_STOPPED
        assert answered.result().suggestion.visits
        assert refused.code() == grpc.StatusCode.UNAVAILABLE
        assert detail(status_in(refused), ErrorInfo()).reason == "SHUTTING_DOWN"
        closing.join()
        with pytest.raises(grpc.RpcError) as refusal:
            BrainServiceStub(channel).ListGames(pb.ListGamesRequest())
        assert refusal.value.code() == grpc.StatusCode.UNAVAILABLE


def test_reflection_alone_is_enough(brain: Brain, channel: grpc.Channel) -> None:
    database = ProtoReflectionDescriptorDatabase(channel)
    assert SERVICE in database.get_services()
    service = DescriptorPool(database).FindServiceByName(SERVICE)

    def call(name: str, request: dict[str, Any]) -> dict[str, Any]:
        method = service.FindMethodByName(name)
        request_class, response_class = map(message_factory.GetMessageClass, (method.input_type, method.output_type))
        assert request_class is not getattr(pb, name + "Request")
        send = channel.unary_unary(f"/{SERVICE}/{name}", request_class.SerializeToString, response_class.FromString)
        response = send(json_format.ParseDict(request, request_class()))
        return json_format.MessageToDict(response, preserving_proto_field_name=True)

    for game in ENGINES:
        state = call("NewGame", {"game": game, "seed": 5})["state"]
        assert json_format.ParseDict({"state": state}, pb.NewGameResponse()).state == first_position(brain, game)
        suggestion = call("Suggest", {"state": state, "budget": {"visits": 200}, "moves_wanted": 1})["suggestion"]
        (best,) = suggestion["moves"]
        assert best["text"]
        assert call("ApplyMove", {"state": state, "move": {"move": best["move"]}})["state"] != state


def test_bytes_that_are_no_message_are_refused(server: BrainServer, channel: grpc.Channel, client: Client) -> None:
    def refusal(method: str, raw: bytes) -> grpc.RpcError:
        with pytest.raises(grpc.RpcError) as refused:
            next(channel.unary_stream(method)(raw))
        return refused.value

    not_utf8 = pb.GetComponentsRequest(game="ab").SerializeToString().replace(b"ab", b"\xc3\x28")
    cases = [("GetComponents", not_utf8)]
    for method in pb.DESCRIPTOR.services_by_name["BrainService"].methods:
        cases += [(method.name, b"\xff" * 50), (method.name, b"\x0a\xff\xff\xff\xff\x0f")]
    for name, raw in cases:
        error = refusal(f"/{SERVICE}/{name}", raw)
        assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert detail(status_in(error), ErrorInfo()).reason == "MALFORMED_MESSAGE"
    assert refusal(f"/{SERVICE}/Nothing", b"").code() == grpc.StatusCode.UNIMPLEMENTED
    assert refusal(f"/{SERVICE}/GetMoves", bytes(5 << 20)).code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    host, _, port = server.address.rpartition(":")
    for raw in (b"GET / HTTP/1.1\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 500, bytes(4096)):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(raw)
    assert client.list_games().games


def test_async_client(library: Library, brain: Brain) -> None:
    request = pb.SuggestRequest(state=first_position(brain, "connect_four"), budget=pb.Budget(visits=300), seed=1)
    endless = pb.SuggestRequest(state=request.state, budget=LONG)

    async def scenario() -> None:
        async with BrainServer(library, Settings(searches=1)) as server:
            async with AsyncClient(server.address) as client:
                assert await client.list_games() == brain.list_games(pb.ListGamesRequest())
                assert await client.suggest(request) == brain.suggest(request)
                answers = [answer async for answer in client.analyze(pb.AnalyzeRequest(suggest=request))]
                assert answers[-1].is_final
                with pytest.raises(BrainError) as refusal:
                    await client.new_game(pb.NewGameRequest(game="chess"))
                assert (refusal.value.code, refusal.value.reason) == ("NOT_FOUND", "UNKNOWN_GAME")
                assert refusal.value.violations
                async with asyncio.timeout(PATIENCE):
                    search = asyncio.create_task(client.suggest(endless))
                    while not server.admission.running:
                        await asyncio.sleep(0.002)
                    search.cancel()
                    await asyncio.wait({search})
                    while server.admission.running:
                        await asyncio.sleep(0.002)
                    async for answer in client.analyze(pb.AnalyzeRequest(suggest=endless, report_interval_ms=10)):
                        assert not answer.is_final
                        break
                    while server.admission.running:
                        await asyncio.sleep(0.002)
            address = server.address
        async with AsyncClient(address) as client:
            with pytest.raises(BrainError) as refusal:
                await client.list_games()
            assert refusal.value.code == "UNAVAILABLE"
            assert address in refusal.value.message

    asyncio.run(scenario())


def test_no_server_is_a_clear_error() -> None:
    with Client("127.0.0.1:1") as client, pytest.raises(BrainError) as refusal:
        client.list_games()
    assert refusal.value.code == "UNAVAILABLE"
    assert "127.0.0.1:1" in refusal.value.message
