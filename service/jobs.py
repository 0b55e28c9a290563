"""Jobs: puzzles the server solves by itself, whoever waits for them or not, and after a restart too.

Jobs run as batch searches, in turns: a job gives its place up whenever any other search waits, and then waits like a
new one. It keeps its search meanwhile, so no more jobs are begun than can run at once; the others are queued.
"""
from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from service.admission import Admission, Ticket
from service.errors import fault, query_error
from service.job_store import JobStore, Record
from service.metrics import Metrics
from service.record import Call
from service.searches import SLICE, Searches
from service.settings import Settings
from solver.analysis import Control
from solver.brain import Brain
from solver.positions import invalid

MAX_REQUEST_ID = 100  # characters
SAVE_EVERY = 1.0  # seconds of a job's search that a killed server loses at most
RETRY_SAVING = 5.0  # seconds until an end that could not be saved is tried to be saved again

log = logging.getLogger("cafebrain.jobs")

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(eq=False)
class Job:
    """A job that has not ended."""

    record: Record
    need: int  # places
    control: Control = field(default_factory=Control)
    cancelled: bool = False
    run: asyncio.Task[None] | None = None  # while it has a search


class Jobs:
    """All jobs of a server. Belongs to one event loop; the file is used in a thread of its own.

    Raises ValueError where the file cannot be used.
    """

    def __init__(
        self, brain: Brain, admission: Admission, searches: Searches, metrics: Metrics, settings: Settings
    ) -> None:
        self._brain = brain
        self._admission = admission
        self._searches = searches
        self._metrics = metrics
        self._limits = settings.job_limits
        self._most = settings.max_jobs
        assert settings.jobs_file is not None
        self._store = JobStore(settings.jobs_file, 3600 * settings.jobs_keep_hours)
        self._disk = ThreadPoolExecutor(1, "jobs")
        self._open = {record.id: self._job(record) for record in self._store.unfinished()}  # in their order
        self._kept = self._store.counts()
        self._changing = asyncio.Lock()
        for state, value in (
            ("queued", lambda: len(self._open) - self.running),
            ("running", lambda: self.running),
            ("done", lambda: self._kept.get(pb.JOB_STATE_DONE, 0)),
            ("failed", lambda: self._kept.get(pb.JOB_STATE_FAILED, 0)),
            ("cancelled", lambda: self._kept.get(pb.JOB_STATE_CANCELLED, 0)),
        ):
            metrics.watch("jobs", "Jobs that are kept.", value, state=state)

    @property
    def running(self) -> int:
        """Jobs that have a search."""
        return sum(job.run is not None for job in list(self._open.values()))

    def start(self) -> None:
        """Go on with the jobs that have not ended."""
        self._begin()

    async def stop(self) -> None:
        """Save how far the jobs are and close the file; only when the admission is closed and no call is running."""
        await asyncio.gather(*(job.run for job in self._open.values() if job.run is not None))
        await self._on_disk(self._store.close)
        self._disk.shutdown()

    async def start_solve(self, call: Call, request: pb.StartSolveRequest) -> pb.Job:
        """Start a job, or return the one this request started before."""
        call.note(request.task)
        # A client that leaves in the middle does not leave a job behind that nothing runs.
        return _message(await asyncio.shield(asyncio.create_task(self._start(call, request))))

    async def get_solve(self, call: Call, request: pb.GetSolveRequest) -> pb.Job:
        """Return a job and what it found so far."""
        return _message(await self._find(call, request.job_id), request.timing)

    async def list_solves(self, call: Call) -> list[pb.Job]:
        """Return the jobs of a client, the latest first, without lines and tasks."""
        records = await self._on_disk(self._store.of, call.client)
        return [_message(self._latest(record), brief=True) for record in records]

    async def cancel_solve(self, call: Call, request: pb.CancelSolveRequest) -> pb.Job:
        """End a job and return it as it is then."""
        record = await self._find(call, request.job_id)
        job = self._open.get(record.id)
        if job is None:
            return _message(record)
        job.cancelled = True
        self._admission.stop(job.control)
        if job.run is None:
            job.run = asyncio.create_task(self._run(job))
        await asyncio.wait({job.run})
        return _message(job.record)

    async def _start(self, call: Call, request: pb.StartSolveRequest) -> Record:
        if not 1 <= len(request.request_id) <= MAX_REQUEST_ID:
            wanted = f"1 to {MAX_REQUEST_ID} characters"
            raise invalid("request_id", request.request_id[:MAX_REQUEST_ID] or "nothing", wanted)
        async with self._changing:
            if self._admission.closed.is_set():
                raise BrainError("UNAVAILABLE", "SHUTTING_DOWN", "the server is shutting down")
            record, is_new = await self._on_disk(self._add, call, request)
            if is_new:
                self._open[record.id] = self._job(record)
                self._begin()
            return self._latest(record)

    def _add(self, call: Call, request: pb.StartSolveRequest) -> tuple[Record, bool]:
        """Return the job of a request, and whether it is a new one."""
        task, owner = request.task, call.client
        known = self._store.started(owner, request.request_id)
        if known is not None:
            if known.task != task:
                message = f"request_id: {known.id} was started with it, to solve something else"
                raise BrainError("ALREADY_EXISTS", "REQUEST_ID_USED", message)
            return known, False
        if not task.budget.time_ms and not task.budget.nodes:
            raise invalid("task.budget", "nothing", "a job wants time_ms or nodes")
        try:
            self._brain.solving(task, limits=self._limits)
        except BrainError as error:
            raise error.under("task") from error
        record = Record(secrets.token_hex(16), owner, request.request_id, task)
        most = self._most if call.caller.jobs is None else min(self._most, call.caller.jobs)
        self._store.add(record, most)
        return record, True

    async def _find(self, call: Call, id_: str) -> Record:
        job = self._open.get(id_)
        record = job.record if job is not None else await self._on_disk(self._store.find, call.client, id_)
        if record is None or record.owner != call.client:
            raise BrainError("NOT_FOUND", "UNKNOWN_JOB", "job_id: you have no such job, or it ended too long ago")
        return record

    def _latest(self, record: Record) -> Record:
        """Return a job as it is in memory, where it has not ended."""
        return self._open[record.id].record if record.id in self._open else record

    def _job(self, record: Record) -> Job:
        return Job(record, min(max(record.task.budget.threads, 1), self._admission.places))

    def _begin(self) -> None:
        """Begin with jobs as long as there are places for all that have begun."""
        while not self._admission.closed.is_set():
            begun = [job for job in self._open.values() if job.run is not None]
            queued = [job for job in self._open.values() if job.run is None]
            owners = [job.record.owner for job in begun]
            job = min(queued, key=lambda job: owners.count(job.record.owner), default=None)
            if job is None or sum(other.need for other in begun) + job.need > self._admission.places:
                return
            job.run = asyncio.create_task(self._run(job))

    async def _run(self, job: Job) -> None:
        """Bring a job to its end, or to that of the server."""
        record = job.record
        record.state = pb.JOB_STATE_RUNNING
        try:
            await self._solve(job)
            if record.solution.stop_reason == pb.STOP_REASON_STOPPED:
                record.state = self._stopped(job)
            else:
                record.state = pb.JOB_STATE_DONE
        except BrainError as error:
            if error.reason in ("TERMINATED", "SHUTTING_DOWN"):
                record.state = self._stopped(job)
            else:
                record.state, record.error = pb.JOB_STATE_FAILED, query_error(error.under("task"))
        except Exception:
            log.exception("fault %s", record.id, extra={"fields": {"client": record.owner}})
            record.state, record.error = pb.JOB_STATE_FAILED, query_error(fault(record.id))
        while not await self._save(record) and not self._admission.closed.is_set():
            await asyncio.sleep(RETRY_SAVING)
        if record.state != pb.JOB_STATE_QUEUED:
            del self._open[record.id]
            log.info("job", extra={"fields": _fields(record)})
        self._begin()

    def _stopped(self, job: Job) -> pb.JobState.ValueType:
        """Return the state of a job that did not end by itself."""
        solution = job.record.solution
        if solution.version:  # found something
            solution.stop_reason = pb.STOP_REASON_STOPPED if job.cancelled else pb.STOP_REASON_UNSPECIFIED
        return pb.JOB_STATE_CANCELLED if job.cancelled else pb.JOB_STATE_QUEUED

    async def _solve(self, job: Job) -> None:
        """Search on until the search ends.

        Raises BrainError: SHUTTING_DOWN or TERMINATED where that comes while it waits, or what is wrong with the task.
        """
        record = job.record
        ticket = Ticket(job.control, record.task.budget.threads, f"{record.owner}/jobs", batch=True, patient=True)
        earlier, solving, ended, due = record.solution, None, False, time.monotonic() + SAVE_EVERY
        paused = 0.0  # when the last slice ended

        def search_on() -> bool:
            """Search for a slice; return whether something else is to be done then."""
            nonlocal solving, ended, paused
            if solving is None:
                solving = self._brain.solving(record.task, job.control, self._limits, earlier)
            else:
                solving.give(time.monotonic() - paused)
            before = solving.nodes_made
            ended = solving.run(SLICE)
            paused = time.monotonic()
            self._metrics.positions.labels(solving.position.engine.id).inc(solving.nodes_made - before)
            if ended or time.monotonic() >= due:
                record.solution = solving.solution(timing=True)
                return True
            return self._admission.waiting > 0

        try:
            while not ended:
                async with self._admission.place(ticket):
                    while not await self._searches.step(job.control, search_on):
                        pass
                if not ended and time.monotonic() >= due:
                    await self._save(record)
                    due = time.monotonic() + SAVE_EVERY
        except BrainError:
            if solving is not None:
                record.solution = solving.solution(timing=True)
            raise
        finally:
            if solving is not None:
                solving.release()

    async def _save(self, record: Record) -> bool:
        """Save how far a job is; return whether that was possible."""

        def save() -> dict[int, int]:
            self._store.save(record)
            return self._store.counts()

        try:
            self._kept = await self._on_disk(save)
        except sqlite3.Error as error:
            log.error("job %s cannot be saved: %s", record.id, error)
            return False
        return True

    async def _on_disk(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, lambda: work(*args, **kwargs))


def _message(record: Record, timing: bool = False, brief: bool = False) -> pb.Job:
    """Return a job as clients see it.

    timing: with clock readings. brief: without line and task.
    """
    job = pb.Job(id=record.id, request_id=record.request_id, state=record.state)
    if record.solution.version:
        job.solution.CopyFrom(record.solution)
        if not timing:
            job.solution.ClearField("elapsed_ms")
            job.solution.ClearField("nodes_per_second")
    if record.state == pb.JOB_STATE_FAILED:
        job.error.CopyFrom(record.error)
    if brief:
        del job.solution.line[:]
    else:
        job.task.CopyFrom(record.task)
    return job


def _fields(record: Record) -> dict[str, object]:
    """Return what the log has of a job that ended."""
    return {
        "id": record.id,
        "client": record.owner,
        "outcome": pb.JobState.Name(record.state).removeprefix("JOB_STATE_"),
        "game": record.task.state.WhichOneof("game"),
        "nodes": record.solution.nodes,
        "search_ms": round(record.solution.elapsed_ms, 2),
    }
