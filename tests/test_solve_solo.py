"""SolveSolo: a puzzle solved over a stream of improving answers, with one final one, as a batch search."""
from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import grpc
import pytest

from cafebrain import AsyncClient, BrainError, Client
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceStub
from engines.library import Library
from server import BrainServer, background
from service.calls import Writer
from service.settings import Settings
from solver.brain import Brain
from solver.solo import Snapshot
from solver.solving import Told, gap
from tests.waiting import PATIENCE, eventually, idle

LONG = pb.SolveBudget(time_ms=3_600_000)


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


def puzzle(brain: Brain, seed: int = 7) -> game_pb2.GameState:
    options = {"open_deck": "true"}
    return brain.new_game(pb.NewGameRequest(game="cafe", players=1, options=options, seed=seed)).state


def score_of(brain: Brain, state: game_pb2.GameState, line: list[pb.LegalMove]) -> float:
    """Play a line move by move, as a front-end would, and return the score it ends with."""
    for move in line:
        answer = brain.apply_move(pb.ApplyMoveRequest(state=state, move=pb.MoveChoice(move=move.move)))
        assert not answer.draws
        state = answer.state
    (score,) = brain.get_moves(pb.GetMovesRequest(state=state)).scores
    return score.total


def test_answers_only_improve_and_the_last_one_is_final(brain: Brain, client: Client) -> None:
    state = puzzle(brain)
    task = pb.SoloTask(state=state, budget=pb.SolveBudget(time_ms=800), seed=1)
    answers = list(client.solve_solo(pb.SolveSoloRequest(task=task, report_interval_ms=50)))
    assert len(answers) > 2
    assert [answer.is_final for answer in answers] == [False] * (len(answers) - 1) + [True]
    told = -1.0
    for answer in answers[:-1]:
        found = answer.solution
        assert bool(found.line) == (found.HasField("score") and found.score > told)
        told = max(told, found.score)
        if found.line:
            assert score_of(brain, state, list(found.line)) == found.score
    for before, after in pairwise(answer.solution for answer in answers):
        assert before.nodes <= after.nodes
        assert before.upper_bound >= after.upper_bound
        assert not before.HasField("score") or before.score <= after.score
    final = answers[-1].solution
    assert final.stop_reason in (pb.STOP_REASON_TIME, pb.STOP_REASON_PROVEN)
    assert score_of(brain, state, list(final.line)) == final.score <= final.upper_bound
    assert final.gap == pytest.approx((final.upper_bound - final.score) / final.upper_bound)
    assert final.component_set == state.component_set
    assert final.components_reconstructed
    assert not any(answer.solution.HasField("elapsed_ms") for answer in answers)
    assert not any(answer.solution.HasField("nodes_per_second") for answer in answers)


def test_a_clock_reading_only_where_it_is_asked_for(brain: Brain, client: Client) -> None:
    task = pb.SoloTask(state=puzzle(brain), budget=pb.SolveBudget(time_ms=200))
    *_, final = client.solve_solo(pb.SolveSoloRequest(task=task, timing=True))
    found = final.solution
    assert found.elapsed_ms > 0
    assert found.nodes_per_second == pytest.approx(1000 * found.nodes / found.elapsed_ms)


def test_nodes_and_a_seed_give_what_the_brain_gives_byte_for_byte(brain: Brain, client: Client) -> None:
    task = pb.SoloTask(state=puzzle(brain), budget=pb.SolveBudget(nodes=5000), seed=3)
    request = pb.SolveSoloRequest(task=task)
    finals = [list(source.solve_solo(request))[-1] for source in (brain, client, client)]
    assert len({final.SerializeToString(deterministic=True) for final in finals}) == 1
    assert finals[0].solution.stop_reason in (pb.STOP_REASON_NODES, pb.STOP_REASON_PROVEN)
    assert finals[0].solution.nodes >= 5000 or finals[0].solution.proven


def test_rounds_end_the_puzzle_early(brain: Brain, client: Client) -> None:
    state = puzzle(brain)
    task = pb.SoloTask(state=state, budget=pb.SolveBudget(nodes=2000), rounds=1)
    *_, final = client.solve_solo(pb.SolveSoloRequest(task=task))
    assert score_of(brain, state, list(final.solution.line)) == final.solution.score
    for move in final.solution.line:
        choice = pb.MoveChoice(id=move.id)
        state = brain.apply_move(pb.ApplyMoveRequest(state=state, move=choice)).state
    assert state.cafe.round == 2


def faulty(brain: Brain) -> Iterator[tuple[pb.SoloTask, str, str, str]]:
    """Yield task, code, reason and the faulty field."""
    state = puzzle(brain)
    opponents = brain.new_game(pb.NewGameRequest(game="connect_four")).state
    alone = pb.NewGameRequest(game="cafe", players=1, seed=7)
    closed = brain.new_game(alone).state
    alone.stop_at_chance = True
    over = game_pb2.GameState()
    over.CopyFrom(state)
    while moves := brain.get_moves(pb.GetMovesRequest(state=over)).moves:
        over = brain.apply_move(pb.ApplyMoveRequest(state=over, move=pb.MoveChoice(id=moves[-1].id))).state
    bad = game_pb2.GameState()
    bad.CopyFrom(state)
    bad.cafe.deck[0] = bad.cafe.deck[1]
    wrong, failed = "INVALID_ARGUMENT", "FAILED_PRECONDITION"
    yield pb.SoloTask(), wrong, "INVALID_REQUEST", "state"
    yield pb.SoloTask(state=opponents), wrong, "INVALID_REQUEST", "state"
    yield pb.SoloTask(state=closed), wrong, "INVALID_REQUEST", "state"
    yield pb.SoloTask(state=bad), wrong, "INVALID_STATE", "state.cafe.deck[1]"
    yield pb.SoloTask(state=over), failed, "GAME_OVER", ""
    yield pb.SoloTask(state=brain.new_game(alone).state), failed, "CHANCE_POINT", ""
    yield pb.SoloTask(state=state, rounds=101), wrong, "INVALID_REQUEST", "rounds"
    for budget, reason in (
        (pb.SolveBudget(threads=65), "INVALID_REQUEST"),
        (pb.SolveBudget(threads=3), "LIMIT_EXCEEDED"),
        (pb.SolveBudget(memory_mib=257), "LIMIT_EXCEEDED"),
        (pb.SolveBudget(memory_mib=4_294_967_295), "LIMIT_EXCEEDED"),
        (pb.SolveBudget(time_ms=86_400_001), "INVALID_REQUEST"),
    ):
        ((field, _),) = budget.ListFields()
        yield pb.SoloTask(state=state, budget=budget), wrong, reason, f"budget.{field.name}"


def test_faulty_tasks_are_refused(brain: Brain, client: Client) -> None:
    for task, code, reason, field in faulty(brain):
        with pytest.raises(BrainError) as refused:
            list(client.solve_solo(pb.SolveSoloRequest(task=task)))
        assert (refused.value.code, refused.value.reason) == (code, reason), task
        assert [violation.field for violation in refused.value.violations][:1] == [f"task.{field}"] * bool(field)
    request = pb.SolveSoloRequest(task=pb.SoloTask(state=puzzle(brain)), report_interval_ms=9)
    with pytest.raises(BrainError) as refused:
        list(client.solve_solo(request))
    assert refused.value.violations[0].field == "report_interval_ms"


def test_a_cancel_and_a_disconnect_end_the_search(brain: Brain, server: BrainServer) -> None:
    request = pb.SolveSoloRequest(task=pb.SoloTask(state=puzzle(brain), budget=LONG), report_interval_ms=10)
    with grpc.insecure_channel(server.address) as channel:
        stream = BrainServiceStub(channel).SolveSolo(request)
        next(stream)
        assert server.admission.running == 1
        stream.cancel()
        eventually(lambda: idle(server))  # a place is given back only when the native search has ended
        next(BrainServiceStub(channel).SolveSolo(request))
        assert server.admission.running == 1
    eventually(lambda: idle(server))


def test_a_deadline_is_answered_with_the_best_so_far(brain: Brain, client: Client) -> None:
    for budget in (pb.SolveBudget(), LONG):
        request = pb.SolveSoloRequest(task=pb.SoloTask(state=puzzle(brain), budget=budget), report_interval_ms=200)
        *earlier, final = client.solve_solo(request, timeout=1)
        assert earlier
        assert final.is_final
        assert final.solution.stop_reason == pb.STOP_REASON_TIME
        assert final.solution.line


def test_the_end_of_the_server_is_answered_with_the_best_so_far(brain: Brain, library: Library) -> None:
    request = pb.SolveSoloRequest(task=pb.SoloTask(state=puzzle(brain), budget=LONG), report_interval_ms=10)
    running = background(library, Settings(searches=1))
    with running as server, Client(server.address) as client:
        answers = client.solve_solo(request)
        next(answers)
        server.admission.close()
        *_, final = answers
    assert final.is_final
    assert final.solution.stop_reason == pb.STOP_REASON_STOPPED
    assert final.solution.line


class Scripted:
    """A search whose slices end when the test lets them, each with a point more than the one before."""

    events: list[str]
    may_end: threading.Semaphore

    def __init__(self, position: object, **_: object) -> None:
        self._slices = 0
        self._stopped = False

    def snapshot(self) -> Snapshot:
        return Snapshot(float(self._slices) if self._slices else None, 10.0, (), self._slices, "slices", False)

    def run(self, seconds: float, nodes: int | None = None, later: float | None = None) -> Snapshot:
        self.events.append("slice")
        while not self.may_end.acquire(timeout=0.01) and not self._stopped:
            pass
        self._slices += 1
        return self.snapshot()

    def stop(self) -> None:
        self._stopped = True


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> type[Scripted]:
    monkeypatch.setattr(Scripted, "events", [], raising=False)
    monkeypatch.setattr(Scripted, "may_end", threading.Semaphore(0), raising=False)
    monkeypatch.setattr("solver.solving.SoloSearch", Scripted)
    return Scripted


def test_a_bot_move_waits_for_one_slice_at_most(
    brain: Brain, library: Library, scripted: type[Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    analysis = Brain.analysis

    def noted(*args: Any, **kwargs: Any) -> Any:
        scripted.events.append("bot move")
        return analysis(*args, **kwargs)

    monkeypatch.setattr(Brain, "analysis", noted)
    four = brain.new_game(pb.NewGameRequest(game="connect_four")).state
    request = pb.SolveSoloRequest(task=pb.SoloTask(state=puzzle(brain), budget=LONG), report_interval_ms=10)
    with background(library, Settings(searches=1)) as server, grpc.insecure_channel(server.address) as channel:
        stub = BrainServiceStub(channel)
        stream = stub.SolveSolo(request)
        eventually(lambda: scripted.events == ["slice"])
        moves = [
            stub.Suggest.future(pb.SuggestRequest(state=four, budget=pb.Budget(visits=10))) for _ in range(3)
        ]
        eventually(lambda: server.admission.waiting == 3)
        scripted.may_end.release()
        assert [move.result(PATIENCE).suggestion.visits for move in moves] == [10] * 3
        eventually(lambda: len(scripted.events) == 5)
        assert scripted.events == ["slice", "bot move", "bot move", "bot move", "slice"]
        time.sleep(0.02)  # an answer is due
        scripted.may_end.release()
        assert next(stream).solution.score in (1, 2)
        stream.cancel()
        eventually(lambda: idle(server))


def test_a_slow_reader_gets_every_improving_line_but_not_every_answer() -> None:
    """The writer holds one answer at most; a line that was left out comes with the next answer."""
    written: list[pb.SolveSoloResponse] = []

    def solution(score: float) -> pb.Solution:
        return pb.Solution(score=score, upper_bound=9, line=[pb.LegalMove(id=int(score))])

    async def scenario() -> None:
        taken = asyncio.Event()

        class Context:
            async def write(self, message: pb.SolveSoloResponse) -> None:
                written.append(message)
                await taken.wait()

        writer = Writer[pb.Solution](Context(), Told().progress)  # type: ignore[arg-type]
        for score in (1, 2, 3):
            writer.offer(solution(score))
            await asyncio.sleep(0)
        taken.set()
        await writer.finish()
        for score in (3, 3):
            writer.offer(solution(score))
            await writer.finish()

    asyncio.run(scenario())
    assert [(answer.solution.score, [move.id for move in answer.solution.line]) for answer in written] == [
        (1, [1]),
        (3, [3]),
        (3, []),
    ]


def test_gap() -> None:
    assert gap(None, 80) == 1
    assert gap(60, 80) == 0.25
    assert gap(80, 80) == 0
    assert gap(0, 0) == 0
    assert gap(-3, -3) == 0
    assert gap(-3, 0) == 1


def test_async_client(brain: Brain, server: BrainServer) -> None:
    task = pb.SoloTask(state=puzzle(brain), budget=pb.SolveBudget(nodes=500), seed=3)

    async def scenario() -> list[pb.SolveSoloResponse]:
        async with AsyncClient(server.address) as client:
            return [answer async for answer in client.solve_solo(pb.SolveSoloRequest(task=task))]

    assert asyncio.run(scenario())[-1] == list(brain.solve_solo(pb.SolveSoloRequest(task=task)))[-1]
