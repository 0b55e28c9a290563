"""Jobs: started, watched, ended, kept over restarts and kills, and seen by nobody else."""
from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import grpc
import pytest

from cafebrain import AsyncClient, BrainError, Client
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceStub
from engines.library import Library
from server import BrainServer, background
from service import job_store, jobs
from service.job_store import JobStore, Record
from service.settings import Settings
from solver.brain import Brain
from solver.solving import Solving
from tests.test_solve_solo import Scripted, eventually, faulty, puzzle, score_of, scripted

ROOT = Path(__file__).parent.parent
PATIENCE = 20.0
LONG = pb.SolveBudget(time_ms=3_600_000)
ENDED = (pb.JOB_STATE_DONE, pb.JOB_STATE_FAILED, pb.JOB_STATE_CANCELLED)

__all__ = ["scripted"]  # a fixture


@pytest.fixture(scope="module")
def library() -> Library:
    return Library()


@pytest.fixture(scope="module")
def brain(library: Library) -> Brain:
    return Brain(library)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "jobs.sqlite"


@contextmanager
def serving(library: Library, file: Path, **settings: object) -> Iterator[tuple[BrainServer, Client]]:
    running = background(library, Settings(jobs_file=file, **{"searches": 1, **settings}))
    with running as server, Client(server.address) as client:
        yield server, client


def start(client: Client, brain: Brain, budget: pb.SolveBudget = LONG, id_: str = "", seed: int = 7) -> pb.Job:
    task = pb.SoloTask(state=puzzle(brain, seed), budget=budget)
    return client.start_solve(pb.StartSolveRequest(task=task, request_id=id_)).job


def get(client: Client, id_: str, timing: bool = False) -> pb.Job:
    return client.get_solve(pb.GetSolveRequest(job_id=id_, timing=timing)).job


def cancel(client: Client, id_: str) -> pb.Job:
    return client.cancel_solve(pb.CancelSolveRequest(job_id=id_)).job


def finished(client: Client, id_: str) -> pb.Job:
    eventually(lambda: get(client, id_).state in ENDED)
    return get(client, id_)


def refusal(call: Callable[[], object]) -> BrainError:
    with pytest.raises(BrainError) as refused:
        call()
    return refused.value


def test_a_job_ends_by_itself_and_keeps_its_line(library: Library, brain: Brain, file: Path) -> None:
    with serving(library, file) as (_, client):
        job = start(client, brain, pb.SolveBudget(nodes=1000), "mine")
        assert job.request_id == "mine"
        assert job.state in (pb.JOB_STATE_QUEUED, pb.JOB_STATE_RUNNING)
        assert job.task.state == puzzle(brain)
        done = finished(client, job.id)
        assert done.state == pb.JOB_STATE_DONE
        assert done.solution.stop_reason == pb.STOP_REASON_NODES
        assert score_of(brain, puzzle(brain), list(done.solution.line)) == done.solution.score
        assert not done.HasField("error")
        assert not done.solution.HasField("elapsed_ms")
        assert get(client, job.id, timing=True).solution.elapsed_ms > 0
        assert cancel(client, job.id) == done, "nothing happens to a job that has ended"
        (brief,) = client.list_solves().jobs
        done.ClearField("task")
        done.solution.ClearField("line")
        assert brief == done
    with serving(library, file) as (_, client):
        again = get(client, job.id)
        assert again.state == pb.JOB_STATE_DONE
        assert score_of(brain, puzzle(brain), list(again.solution.line)) == done.solution.score


def test_a_server_without_a_file_keeps_no_jobs(library: Library, brain: Brain) -> None:
    with background(library, Settings(searches=1)) as server, Client(server.address) as client:
        limits = client.get_server_info().limits
        assert (limits.jobs, limits.job_time_ms, limits.job_mib) == (0, 0, 0)
        for call in (
            lambda: start(client, brain),
            lambda: get(client, "1"),
            lambda: cancel(client, "1"),
            client.list_solves,
        ):
            error = refusal(call)
            assert (error.code, error.reason) == ("FAILED_PRECONDITION", "NO_JOBS")


def test_the_limits_of_jobs(library: Library, brain: Brain, file: Path) -> None:
    with serving(library, file, searches=2, jobs_mib=64, max_jobs=2) as (_, client):
        limits = client.get_server_info().limits
        assert (limits.jobs, limits.job_time_ms, limits.job_mib) == (2, 86_400_000, 32)
        error = refusal(lambda: start(client, brain, pb.SolveBudget(time_ms=1000, memory_mib=33)))
        assert error.reason == "LIMIT_EXCEEDED"
        ids = [start(client, brain, pb.SolveBudget(time_ms=86_400_000)).id for _ in range(2)]
        error = refusal(lambda: start(client, brain))
        assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "TOO_MANY_JOBS")
        assert error.retry_after is not None
        cancel(client, ids[0])
        start(client, brain)


def test_faulty_requests_are_refused(library: Library, brain: Brain, file: Path) -> None:
    with serving(library, file, searches=2) as (_, client):
        for task, code, reason, field in faulty(brain):
            if not task.HasField("budget"):
                task.budget.time_ms = 1000
            elif not task.budget.time_ms:
                task.budget.nodes = 1
            error = refusal(lambda task=task: client.start_solve(pb.StartSolveRequest(task=task)))
            assert (error.code, error.reason) == (code, reason), task
            assert [violation.field for violation in error.violations][:1] == [f"task.{field}"] * bool(field)
        error = refusal(lambda: start(client, brain, pb.SolveBudget()))
        assert (error.reason, error.violations[0].field) == ("INVALID_REQUEST", "task.budget")
        assert refusal(lambda: start(client, brain, id_="x" * 101)).violations[0].field == "request_id"
        with grpc.insecure_channel(client.address) as channel, pytest.raises(grpc.RpcError) as refused:
            BrainServiceStub(channel).StartSolve(pb.StartSolveRequest())  # the client would choose an id
        assert "request_id" in refused.value.details()
        for id_ in ("", "1", "../jobs.sqlite", "' OR 1 = 1 --", "\0", "x" * 10_000):
            for call in (get, cancel):
                error = refusal(lambda call=call, id_=id_: call(client, id_))
                assert (error.code, error.reason) == ("NOT_FOUND", "UNKNOWN_JOB")
        assert not client.list_solves().jobs


def test_the_same_request_starts_no_second_job(library: Library, brain: Brain, file: Path) -> None:
    with serving(library, file) as (_, client), ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: start(client, brain, LONG, "once").id, range(16)))
        assert len(found) == len(client.list_solves().jobs) == 1
        error = refusal(lambda: start(client, brain, LONG, "once", seed=8))
        assert (error.code, error.reason) == ("ALREADY_EXISTS", "REQUEST_ID_USED")
        cancel(client, found.pop())
        assert start(client, brain, LONG, "once").state == pb.JOB_STATE_CANCELLED
        assert start(client, brain).id != start(client, brain).id, "the client chooses a new id where there is none"


def test_a_cancel_ends_running_and_queued_jobs(library: Library, brain: Brain, file: Path) -> None:
    with serving(library, file) as (server, client):
        running, queued = (start(client, brain).id for _ in range(2))
        eventually(lambda: server.admission.running == 1)
        assert get(client, queued).state == pb.JOB_STATE_QUEUED
        ended = cancel(client, queued)
        assert (ended.state, ended.HasField("solution")) == (pb.JOB_STATE_CANCELLED, False)
        eventually(lambda: get(client, running).HasField("solution"))
        ended = cancel(client, running)
        assert ended.state == pb.JOB_STATE_CANCELLED
        assert ended.solution.stop_reason == pb.STOP_REASON_STOPPED
        assert ended.solution.line
        assert server.admission.running == server.admission.waiting == 0, "it is answered when the search has ended"
        assert get(client, running) == cancel(client, running) == ended


def test_jobs_take_turns_with_other_batch_searches_and_clients(
    library: Library, brain: Brain, file: Path, scripted: type[Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot move waits for one slice of a job at most, a batch search for its turn."""
    analysis = Brain.analysis

    def noted(self: Brain, request: pb.SuggestRequest, *args: object) -> object:
        scripted.events.append("batch" if request.priority == pb.PRIORITY_BATCH else "bot move")
        return analysis(self, request, *args)

    monkeypatch.setattr(Brain, "analysis", noted)
    four = brain.new_game(pb.NewGameRequest(game="connect_four")).state
    with serving(library, file) as (server, client), grpc.insecure_channel(server.address) as channel:
        job = start(client, brain)
        eventually(lambda: scripted.events == ["slice"])
        suggest = pb.SuggestRequest(state=four, budget=pb.Budget(visits=10), priority=pb.PRIORITY_BATCH)
        batch = BrainServiceStub(channel).Suggest.future(suggest)
        eventually(lambda: server.admission.waiting == 1)
        suggest.priority = pb.PRIORITY_INTERACTIVE
        move = BrainServiceStub(channel).Suggest.future(suggest)
        eventually(lambda: server.admission.waiting == 2)
        scripted.may_end.release()
        assert move.result(PATIENCE).suggestion.visits == 10
        scripted.may_end.release()
        assert batch.result(PATIENCE).suggestion.visits == 10
        eventually(lambda: scripted.events[-1] == "slice")
        assert scripted.events[:2] == ["slice", "bot move"]
        assert scripted.events.index("batch") <= 3, "the job's client and the other one take turns"
        cancel(client, job.id)


def test_no_more_jobs_begin_than_can_run_and_clients_come_in_turn(
    library: Library, brain: Brain, file: Path, tmp_path: Path, scripted: type[Scripted]
) -> None:
    tokens = write_tokens(tmp_path, alice="", bob="")
    with (
        serving(library, file, searches=2, tokens=tokens) as (server, _),
        Client(server.address, token="secret of alice") as alice,
        Client(server.address, token="secret of bob") as bob,
    ):
        hers = [start(alice, brain).id for _ in range(3)]
        his = start(bob, brain).id
        wide = start(bob, brain, pb.SolveBudget(time_ms=1000, threads=2)).id

        def states() -> list[int]:
            return [get(alice, id_).state for id_ in hers] + [get(bob, his).state, get(bob, wide).state]

        queued, running, cancelled = pb.JOB_STATE_QUEUED, pb.JOB_STATE_RUNNING, pb.JOB_STATE_CANCELLED
        assert states() == [running, running, queued, queued, queued]
        cancel(alice, hers[0])
        assert states() == [cancelled, running, queued, running, queued], "his turn comes before her third"
        cancel(bob, his)
        assert states()[4] == queued, "two threads want two places"
        cancel(alice, hers[1])
        assert states() == [cancelled, cancelled, running, cancelled, queued], "nobody has one: the oldest goes first"
        cancel(alice, hers[2])
        assert states()[4] == running
        cancel(bob, wide)


def test_a_restarted_server_goes_on_from_the_best_line(
    library: Library, brain: Brain, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(library, file) as (_, client):
        job = start(client, brain)
        queued = start(client, brain, pb.SolveBudget(nodes=100))
        eventually(lambda: get(client, job.id).solution.HasField("score"))
    earlier: list[pb.Solution] = []
    init = Solving.__init__

    def noted(self: Solving, *args: object) -> None:
        earlier.append(args[-1])  # type: ignore[arg-type]
        init(self, *args)
        if earlier[-1].version:
            assert self.best.line == tuple(move.id for move in earlier[-1].line)
            assert self.best.score == earlier[-1].score

    monkeypatch.setattr(Solving, "__init__", noted)
    with serving(library, file) as (_, client):
        eventually(lambda: bool(earlier))
        assert earlier[0].elapsed_ms > 0
        assert earlier[0].stop_reason == pb.STOP_REASON_UNSPECIFIED
        assert get(client, job.id).state == pb.JOB_STATE_RUNNING
        eventually(lambda: get(client, job.id).solution.nodes > earlier[0].nodes)
        now = get(client, job.id, timing=True).solution
        assert now.score >= earlier[0].score
        assert now.upper_bound <= earlier[0].upper_bound
        assert now.elapsed_ms > earlier[0].elapsed_ms
        cancel(client, job.id)
        assert finished(client, queued.id).state == pb.JOB_STATE_DONE


def test_what_was_spent_before_a_restart_counts(library: Library, brain: Brain, file: Path) -> None:
    store = JobStore(file, 3600)
    task = pb.SoloTask(state=puzzle(brain), budget=pb.SolveBudget(nodes=1))
    *_, final = brain.solve_solo(pb.SolveSoloRequest(task=task))
    earlier = final.solution
    for id_, budget in (("time", pb.SolveBudget(time_ms=1000)), ("nodes", pb.SolveBudget(nodes=5000))):
        record = Record(id_, "ipv4:127.0.0.1", id_, pb.SoloTask(state=puzzle(brain), budget=budget))
        store.add(record, 10)
        record.solution.CopyFrom(earlier)
        record.solution.elapsed_ms, record.solution.nodes = 1000, 5000
        store.save(record)
    store.close()
    with serving(library, file) as (_, client):
        for id_, reason in (("time", pb.STOP_REASON_TIME), ("nodes", pb.STOP_REASON_NODES)):
            job = finished(client, id_)
            assert job.state == pb.JOB_STATE_DONE
            assert job.solution.stop_reason == reason
            assert (job.solution.score, job.solution.nodes) == (earlier.score, 5000)
            assert job.solution.line == earlier.line


@contextmanager
def process(file: Path) -> Iterator[tuple[subprocess.Popen[str], Client]]:
    command = [sys.executable, "server.py", "--listen", "127.0.0.1:0", "--searches", "1", "--jobs-file", str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as run:
        try:
            assert run.stdout is not None
            with Client(run.stdout.readline().split()[-1]) as client:
                yield run, client
        finally:
            run.kill()


def test_a_killed_server_loses_nothing_that_ended_and_goes_on(brain: Brain, file: Path) -> None:
    with process(file) as (run, client):
        short = start(client, brain, pb.SolveBudget(nodes=500)).id
        done = finished(client, short)
        long = start(client, brain, LONG, "long").id
        # The solution before the one that is seen is on the disk.
        eventually(lambda: get(client, long).HasField("solution"))
        saved = get(client, long).solution
        eventually(lambda: get(client, long).solution.nodes > saved.nodes)
        run.kill()
        run.wait()
    with process(file) as (run, client):
        assert get(client, short) == done
        assert start(client, brain, LONG, "long").id == long
        eventually(lambda: get(client, long).solution.nodes > saved.nodes)
        job = get(client, long)
        assert job.state == pb.JOB_STATE_RUNNING
        assert job.solution.score >= saved.score
        run.terminate()
        _, log = run.communicate(timeout=PATIENCE)
        assert run.returncode == 0
        assert not [line for line in log.splitlines() if json.loads(line)["level"] == "error"]
    store = JobStore(file, 3600)
    (record,) = store.unfinished()
    assert record.solution.nodes >= job.solution.nodes, "the end of the server saves how far it was"
    store.close()


def write_tokens(folder: Path, **tables: str) -> Path:
    path = folder / "tokens.toml"
    digests = {name: hashlib.sha256(f"secret of {name}".encode()).hexdigest() for name in tables}
    path.write_text("".join(f'[{name}]\nsha256 = "{digests[name]}"\n{extra}\n' for name, extra in tables.items()))
    return path


def test_a_token_sees_its_own_jobs_only(library: Library, brain: Brain, file: Path, tmp_path: Path) -> None:
    tokens = write_tokens(tmp_path, alice="jobs = 1", bob="jobs = 100")
    with (
        serving(library, file, tokens=tokens, max_jobs=2) as (server, _),
        Client(server.address, token="secret of alice") as alice,
        Client(server.address, token="secret of bob") as bob,
    ):
        hers = start(alice, brain, LONG, "one").id
        for call in (get, cancel):
            error = refusal(lambda call=call: call(bob, hers))
            assert vars(error) == vars(refusal(lambda call=call: call(bob, "nothing")))
            assert error.reason == "UNKNOWN_JOB"
        assert not bob.list_solves().jobs
        assert start(bob, brain, LONG, "one").id != hers, "an id of one client's own means nothing to another"
        error = refusal(lambda: start(alice, brain))
        assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "TOO_MANY_JOBS")
        start(bob, brain)
        assert refusal(lambda: start(bob, brain)).reason == "TOO_MANY_JOBS", "no more than the server allows"
        assert [job.id for job in alice.list_solves().jobs] == [hers]
        assert len(bob.list_solves().jobs) == 2
        assert cancel(alice, hers).state == pb.JOB_STATE_CANCELLED


def test_a_job_does_not_count_as_a_search_of_its_client(
    library: Library, brain: Brain, file: Path, tmp_path: Path
) -> None:
    tokens = write_tokens(tmp_path, alice="searches = 1")
    with (
        serving(library, file, tokens=tokens) as (server, _),
        Client(server.address, token="secret of alice") as alice,
    ):
        job = start(alice, brain)
        eventually(lambda: server.admission.running == 1)
        four = alice.new_game(pb.NewGameRequest(game="connect_four")).state
        suggest = pb.SuggestRequest(state=four, budget=pb.Budget(visits=10))
        assert alice.suggest(suggest).suggestion.visits == 10
        cancel(alice, job.id)


def test_a_job_that_cannot_go_on_says_why(library: Library, brain: Brain, file: Path) -> None:
    store = JobStore(file, 3600)
    record = Record("old", "ipv4:127.0.0.1", "old", pb.SoloTask(state=puzzle(brain), budget=LONG))
    record.task.state.component_set.hash = "0" * 16
    store.add(record, 1)
    store.close()
    with serving(library, file) as (_, client):
        job = finished(client, "old")
        assert job.state == pb.JOB_STATE_FAILED
        assert job.error.reason == "COMPONENT_SET_MISMATCH"
        assert job.error.faults[0].field == "task.state.component_set.hash"


def test_a_fault_ends_the_job_and_shows_an_id(
    library: Library, brain: Brain, file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(library, file) as (_, client):

        def fail(*_: object) -> None:
            raise ValueError("the secret")

        monkeypatch.setattr(Solving, "run", fail)
        job = finished(client, start(client, brain).id)
        assert job.state == pb.JOB_STATE_FAILED
        assert job.error.reason == "INTERNAL_FAULT"
        assert job.id in job.error.message
        assert "secret" not in job.error.message
        assert "the secret" in caplog.text
        monkeypatch.undo()
        assert finished(client, start(client, brain, pb.SolveBudget(nodes=10)).id).state == pb.JOB_STATE_DONE


def test_an_end_that_cannot_be_saved_is_saved_later(
    library: Library, brain: Brain, file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(jobs, "RETRY_SAVING", 0.01)
    save, refused = JobStore.save, []

    def full(self: JobStore, record: Record) -> None:
        if len(refused) < 3:
            refused.append(record)
            raise sqlite3.OperationalError("database or disk is full")
        save(self, record)

    monkeypatch.setattr(JobStore, "save", full)
    with serving(library, file) as (_, client):
        job = finished(client, start(client, brain, pb.SolveBudget(nodes=10)).id)
    assert job.state == pb.JOB_STATE_DONE
    assert "cannot be saved: database or disk is full" in caplog.text


def test_a_server_that_stops_starts_no_job(library: Library, brain: Brain, file: Path) -> None:
    with serving(library, file) as (server, _), grpc.insecure_channel(server.address) as channel:
        server.admission.close()
        task = pb.SoloTask(state=puzzle(brain), budget=LONG)
        with pytest.raises(grpc.RpcError) as refused:
            BrainServiceStub(channel).StartSolve(pb.StartSolveRequest(task=task, request_id="late"))
        assert refused.value.code() == grpc.StatusCode.UNAVAILABLE


def test_metrics_and_log(
    library: Library, brain: Brain, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with serving(library, file, metrics="127.0.0.1:0") as (server, client):
        done = start(client, brain, pb.SolveBudget(nodes=200)).id
        finished(client, done)
        running, queued = (start(client, brain).id for _ in range(2))
        with urlopen(f"http://{server.metrics_address}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        for state, count in (("queued", 1), ("running", 1), ("done", 1), ("failed", 0), ("cancelled", 0)):
            assert f'cafebrain_jobs{{state="{state}"}} {count}.0' in lines
        (positions,) = [line for line in lines if line.startswith("cafebrain_solver_positions_total{")]
        assert float(positions.split()[-1]) >= 200
        cancel(client, queued)
        cancel(client, running)
    ended = [record.fields for record in caplog.records if record.getMessage() == "job"]  # type: ignore[attr-defined]
    assert [(entry["id"], entry["outcome"]) for entry in ended] == [
        (done, "DONE"),
        (queued, "CANCELLED"),
        (running, "CANCELLED"),
    ]
    assert ended[0]["nodes"] >= 200


def test_async_client(library: Library, brain: Brain, file: Path) -> None:
    async def scenario(address: str) -> None:
        async with AsyncClient(address) as client:
            task = pb.SoloTask(state=puzzle(brain), budget=LONG)
            job = (await client.start_solve(pb.StartSolveRequest(task=task))).job
            assert (await client.get_solve(pb.GetSolveRequest(job_id=job.id))).job.id == job.id
            assert [entry.id for entry in (await client.list_solves()).jobs] == [job.id]
            ended = (await client.cancel_solve(pb.CancelSolveRequest(job_id=job.id))).job
            assert ended.state == pb.JOB_STATE_CANCELLED

    with serving(library, file) as (server, _):
        asyncio.run(scenario(server.address))


# The file


def test_ended_jobs_are_kept_for_a_while(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    store = JobStore(file, 60, lambda: now)
    monkeypatch.setattr(job_store, "MAX_ENDED", 2)
    monkeypatch.setattr(job_store, "MAX_JOBS", 4)
    for number in range(4):
        record = Record(f"{number}", "alice", f"{number}", pb.SoloTask(seed=number))
        store.add(record, 9)
        if number < 3:
            record.state = pb.JOB_STATE_DONE
            now += 1
            store.save(record)
    assert [record.id for record in store.of("alice")] == ["3", "2", "1"], "two that ended, and the open one"
    store.add(Record("4", "bob", "3", pb.SoloTask()), 9)
    with pytest.raises(BrainError, match="all the jobs it can keep"):
        store.add(Record("5", "bob", "5", pb.SoloTask()), 9)
    now = 1062.5
    assert store.find("alice", "1") is None
    assert store.find("alice", "2") is not None
    assert store.find("bob", "2") is None
    now = 2000.0
    assert [record.id for record in store.of("alice")] == ["3"]
    assert store.unfinished()[0] == Record("3", "alice", "3", pb.SoloTask(seed=3))
    assert store.counts() == {pb.JOB_STATE_QUEUED: 2}
    store.close()


def test_a_file_that_cannot_be_used_is_a_clear_error(file: Path, tmp_path: Path) -> None:
    def fault(path: Path) -> str:
        with pytest.raises(ValueError, match=f"^{path}: ") as fault:
            JobStore(path, 60)
        return str(fault.value)

    store = JobStore(file, 60)
    assert file.stat().st_mode & 0o777 == 0o600
    done = subprocess.run(
        [sys.executable, "server.py", "--listen", "127.0.0.1:0", "--jobs-file", str(file)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 2
    assert "is another server using it?" in done.stderr.splitlines()[-1]
    store.close()
    assert "No such file" in fault(tmp_path / "nowhere" / "jobs.sqlite")
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"no database" * 1000)
    assert "not a database" in fault(garbage)
    other = tmp_path / "other"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE mine (id)")
    db.close()
    assert "is no file of jobs" in fault(other)
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version = 2")
    db.close()
    assert "is of version 2; this server reads version 1" in fault(file)


def test_concurrent_cancels_and_readers(library: Library, brain: Brain, file: Path) -> None:
    with serving(library, file) as (_, client):
        ids = [start(client, brain).id for _ in range(4)]
        over = threading.Event()
        faults: list[BaseException] = []

        def read() -> None:
            try:
                while not over.is_set():
                    for job in client.list_solves().jobs:
                        get(client, job.id)
            except BaseException as error:
                faults.append(error)

        reader = threading.Thread(target=read)
        reader.start()
        with ThreadPoolExecutor(8) as pool:
            states = {job.state for job in pool.map(lambda id_: cancel(client, id_), ids * 4)}
        over.set()
        reader.join()
        assert not faults
        assert states == {pb.JOB_STATE_CANCELLED}
        assert get(client, ids[0]).state == pb.JOB_STATE_CANCELLED
