"""AnalyzeMany: exactly one final answer per query, whatever happens."""
from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator

import grpc
import pytest

from cafebrain import AsyncClient, BrainError, Client
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceStub
from engines.library import Library
from engines.registry import ENGINES
from server import BrainServer, background
from service import streams
from service.settings import Settings
from solver.brain import Brain
from tests.waiting import PATIENCE, eventually, idle

LONG = pb.Budget(time_ms=3_600_000)


@pytest.fixture(scope="module")
def brain() -> Brain:
    return Brain(Library())


@pytest.fixture(scope="module")
def server() -> Iterator[BrainServer]:
    with background(Library(), Settings(searches=2)) as running:
        yield running


@pytest.fixture
def client(server: BrainServer) -> Iterator[Client]:
    with Client(server.address) as connected:
        yield connected


def first_position(brain: Brain, game: str) -> game_pb2.GameState:
    return brain.new_game(pb.NewGameRequest(game=game, seed=5)).state


def search(brain: Brain, game: str = "connect_four", **fields: object) -> pb.SuggestRequest:
    fields.setdefault("budget", LONG)
    return pb.SuggestRequest(state=first_position(brain, game), **fields)


def ask(id_: str, suggest: pb.SuggestRequest, priority: int = 0, interval: int = 0) -> pb.AnalyzeManyRequest:
    analyze = pb.AnalyzeRequest(suggest=suggest, report_interval_ms=interval)
    query = pb.AnalyzeQuery(id=id_, analyze=analyze, priority=priority, report=interval > 0)
    return pb.AnalyzeManyRequest(query=query)


def end(id_: str = "") -> pb.AnalyzeManyRequest:
    return pb.AnalyzeManyRequest(terminate=pb.Terminate(id=id_, all=not id_))


class Talk:
    """A stream that is written to bit by bit; answers are collected on a thread."""

    def __init__(self, client: Client, timeout: float | None = None) -> None:
        self._requests: queue.Queue[pb.AnalyzeManyRequest | None] = queue.Queue()
        self.answers: list[pb.AnalyzeManyResponse] = []
        self.error: BrainError | None = None
        self._calls = client.analyze_many(iter(self._requests.get, None), timeout)
        self._thread = threading.Thread(target=self._collect)
        self._thread.start()

    def _collect(self) -> None:
        try:
            self.answers.extend(self._calls)
        except BrainError as error:
            self.error = error

    def say(self, *requests: pb.AnalyzeManyRequest) -> None:
        for request in requests:
            self._requests.put(request)

    def finals(self) -> list[pb.AnalyzeManyResponse]:
        return [answer for answer in self.answers if answer.is_final]

    def close(self) -> list[pb.AnalyzeManyResponse]:
        self._requests.put(None)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        for id_, count in Counter(answer.id for answer in self.finals()).items():
            assert count == 1, id_
        return self.finals()


def test_many_positions_of_all_games(brain: Brain, client: Client) -> None:
    wanted = {
        f"{game}{seed}": search(brain, game, budget=pb.Budget(visits=50 + seed), seed=seed)
        for game in ENGINES
        for seed in range(20)
    }
    answers = list(client.analyze_many(ask(id_, suggest) for id_, suggest in wanted.items()))
    assert all(answer.is_final for answer in answers)
    assert {answer.id: answer.suggestion for answer in answers} == {
        id_: brain.suggest(suggest).suggestion for id_, suggest in wanted.items()
    }


def test_faulty_queries_get_their_errors_and_the_others_go_on(brain: Brain, client: Client) -> None:
    fine = search(brain, budget=pb.Budget(visits=50))
    greedy = search(brain, threads=3)
    requests = [
        ask("nothing", pb.SuggestRequest()),
        ask("greedy", greedy),
        ask("interval", fine, interval=1),
        ask("fine", fine),
    ]
    answers = {answer.id: answer for answer in client.analyze_many(requests)}
    assert len(answers) == len(requests)
    assert answers["fine"].suggestion.visits == 50
    for id_, reason in (("nothing", "INVALID_REQUEST"), ("greedy", "LIMIT_EXCEEDED"), ("interval", "INVALID_REQUEST")):
        error = answers[id_].error
        assert (answers[id_].is_final, error.code, error.reason) == (True, 3, reason)
        assert error.faults[0].field.startswith("analyze.")
        assert not answers[id_].HasField("suggestion")


def test_reports_improve_and_one_answer_is_final(brain: Brain, client: Client) -> None:
    request = ask("a", search(brain, budget=pb.Budget(time_ms=300)), interval=20)
    answers = list(client.analyze_many([request]))
    assert len(answers) > 2
    assert [answer.is_final for answer in answers] == [False] * (len(answers) - 1) + [True]
    visits = [answer.suggestion.visits for answer in answers]
    assert visits == sorted(visits)


def test_higher_priorities_first_and_interactive_before_all(brain: Brain, client: Client) -> None:
    talk = Talk(client)
    quick = pb.Budget(visits=20)
    # Two long searches take both places, so that the order of the others shows.
    talk.say(*(ask(f"long{index}", search(brain)) for index in range(2)))
    talk.say(*(ask(f"{priority}", search(brain, budget=quick), priority) for priority in (1, 3, 2, -5)))
    talk.say(ask("now", search(brain, budget=quick, priority=pb.PRIORITY_INTERACTIVE)))
    eventually(lambda: len(talk.finals()) == 1)
    talk.say(end("long0"))  # one place only: with both, the order of the answers would be that of the threads
    eventually(lambda: len(talk.finals()) == 6)
    talk.say(end("long1"))
    answers = talk.close()
    assert answers[0].id == "now"
    assert [answer.id for answer in answers if answer.id.lstrip("-").isdigit()] == ["3", "2", "1", "-5"]


def test_terminate_one_and_all(brain: Brain, server: BrainServer, client: Client) -> None:
    talk = Talk(client)
    talk.say(*(ask(f"{index}", search(brain)) for index in range(5)))
    eventually(lambda: server.admission.running == 2)
    talk.say(end("0"), end("4"), end("nobody"))
    eventually(lambda: len(talk.finals()) == 2)
    by_id = {answer.id: answer for answer in talk.finals()}
    assert by_id["0"].suggestion.stop_reason == pb.STOP_REASON_STOPPED
    assert by_id["0"].suggestion.visits
    assert by_id["4"].error.reason == "TERMINATED"
    talk.say(end())
    answers = {answer.id: answer for answer in talk.close()}
    assert len(answers) == 5
    for answer in answers.values():
        assert answer.HasField("suggestion") != answer.HasField("error")
    assert talk.error is None


def test_a_stream_with_rubbish_ends_with_every_final_answer(brain: Brain, server: BrainServer, client: Client) -> None:
    for rubbish in (pb.AnalyzeManyRequest(), ask("x" * 101, search(brain))):
        talk = Talk(client)
        talk.say(*(ask(f"{index}", search(brain)) for index in range(5)))
        eventually(lambda: server.admission.running == 2)
        talk.say(rubbish)
        assert len(talk.close()) == 5
        assert talk.error is not None
        assert (talk.error.code, talk.error.reason) == ("INVALID_ARGUMENT", "INVALID_REQUEST")
        assert idle(server)


def test_a_deadline_ends_all_queries_in_time(brain: Brain, client: Client) -> None:
    talk = Talk(client, timeout=1.0)
    talk.say(*(ask(f"{index}", search(brain)) for index in range(9)))
    answers = talk.close()
    assert talk.error is None
    assert len(answers) == 9
    assert {answer.suggestion.stop_reason for answer in answers if answer.HasField("suggestion")} == {
        pb.STOP_REASON_TIME
    }
    assert {answer.error.reason for answer in answers if answer.HasField("error")} == {"BUSY"}


def test_too_many_queries(brain: Brain, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_OPEN", 10)
    talk = Talk(client)
    talk.say(*(ask(f"{index}", search(brain)) for index in range(25)))
    eventually(lambda: len(talk.finals()) == 15)
    for answer in talk.finals():
        assert (answer.error.code, answer.error.reason) == (8, "TOO_MANY_QUERIES")
        assert answer.error.retry_after_ms
    talk.say(end())
    assert len(talk.close()) == 25


def test_a_slow_reader_fills_nothing(brain: Brain, server: BrainServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a client does not take is held once per query, and then the server takes nothing more from it."""
    held: list[int] = []
    put = streams.Stream._put

    def watched(stream: streams.Stream, *args: object) -> None:
        put(stream, *args)
        held.append(len(stream._unsent))

    monkeypatch.setattr(streams.Stream, "_put", watched)
    taken = 0

    def requests() -> Iterable[pb.AnalyzeManyRequest]:
        nonlocal taken
        for index in range(20_000):
            taken += 1
            yield ask(f"{index:090}", search_once, interval=10 if index < 4 else 0)

    search_once = search(brain, "gatto", budget=pb.Budget(time_ms=400), moves_wanted=0)
    narrow = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_535))
    with grpc.insecure_channel(server.address, narrow) as channel:
        call = BrainServiceStub(channel).AnalyzeMany(iter(requests()))
        first = next(call)
        before = -1
        while taken != before or taken < streams.MAX_OPEN:
            before = taken
            time.sleep(0.5)
        assert taken < 20_000, "everything went into buffers between client and server"
        assert max(held) <= streams.MAX_OPEN + streams.MAX_UNREAD
        assert first.id
        call.cancel()
    eventually(lambda: idle(server))


@pytest.mark.parametrize("how", ["cancel", "disconnect"])
def test_a_client_that_leaves_ends_its_searches(how: str, brain: Brain, server: BrainServer) -> None:
    with grpc.insecure_channel(server.address) as channel:
        requests: queue.Queue[pb.AnalyzeManyRequest] = queue.Queue()
        call = BrainServiceStub(channel).AnalyzeMany(iter(requests.get, None))
        for index in range(5):
            requests.put(ask(f"{index}", search(brain)))
        eventually(lambda: server.admission.running == 2)
        if how == "cancel":
            call.cancel()
            eventually(lambda: idle(server))
    eventually(lambda: idle(server))
    requests.put(None)


def test_a_server_that_stops_gives_every_query_its_final_answer(brain: Brain) -> None:
    with background(Library(), Settings(searches=1)) as server:
        client = Client(server.address)
        talk = Talk(client)
        talk.say(*(ask(f"{index}", search(brain)) for index in range(5)), end("4"))
        eventually(lambda: len(talk.finals()) == 1)  # so all queries have been read
        eventually(lambda: server.admission.running == 1)
    ended, *answers = talk.close()
    client.close()
    assert ended.error.reason == "TERMINATED"
    assert len(answers) == 4
    assert [answer.suggestion.stop_reason for answer in answers if answer.HasField("suggestion")] == [
        pb.STOP_REASON_STOPPED
    ]
    assert {answer.error.reason for answer in answers if answer.HasField("error")} == {"SHUTTING_DOWN"}
    assert talk.error is not None
    assert (talk.error.code, talk.error.reason) == ("UNAVAILABLE", "SHUTTING_DOWN")


def test_a_fault_is_the_answer_of_its_query_only(
    brain: Brain, client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = Brain.analysis

    def fail(self: Brain, request: pb.SuggestRequest, *args: object) -> object:
        if request.seed == 13:
            raise ValueError("the secret")
        return real(self, request, *args)

    monkeypatch.setattr(Brain, "analysis", fail)
    few = pb.Budget(visits=20)
    requests = [ask("bad", search(brain, budget=few, seed=13)), ask("good", search(brain, budget=few))]
    answers = {answer.id: answer for answer in client.analyze_many(requests)}
    assert answers["good"].suggestion.visits == 20
    error = answers["bad"].error
    assert error.reason == "INTERNAL_FAULT"
    assert "secret" not in str(error)
    (record,) = caplog.records
    assert record.getMessage().split()[1] in error.message


def test_a_batch_search_gives_way_and_keeps_its_answer(brain: Brain) -> None:
    with background(Library(), Settings(searches=1)) as server, Client(server.address) as client:
        batch = search(brain, budget=pb.Budget(visits=400_000), priority=pb.PRIORITY_BATCH, seed=3)
        slow = pb.SuggestResponse()
        thread = threading.Thread(target=lambda: slow.MergeFrom(client.suggest(batch)))
        thread.start()
        eventually(lambda: server.admission.running == 1)
        began = time.monotonic()
        quick = client.suggest(search(brain, budget=pb.Budget(visits=20))).suggestion
        assert time.monotonic() - began < PATIENCE
        assert quick.visits == 20
        assert server.admission.running == 1, "the batch search was over too soon to show anything"
        thread.join()
    assert slow == brain.suggest(batch)


def test_asyncio_client(brain: Brain, server: BrainServer) -> None:
    async def scenario() -> None:
        async with AsyncClient(server.address) as client:
            few = pb.Budget(visits=20)
            plain = [ask(f"{index}", search(brain, budget=few)) for index in range(3)]

            async def slowly() -> AsyncIterator[pb.AnalyzeManyRequest]:
                for request in plain:
                    yield request

            for requests in (plain, slowly()):
                answers = [answer async for answer in client.analyze_many(requests)]
                assert sorted(answer.id for answer in answers) == ["0", "1", "2"]
            info = await client.get_server_info()
            assert (info.places, info.limits.threads, info.limits.open_queries) == (2, 2, streams.MAX_OPEN)

    asyncio.run(scenario())
