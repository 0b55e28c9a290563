"""Who works on what next, and what becomes of it; this knows neither Ray nor processes.

Workers work slice by slice. A worker goes on with its job while there is one to go on with, since it has the search in
memory; then it takes up a job that lost its worker, begins a new one, or joins others at a job. Those at the same job
are parts of one search, and each slice begins with the best line and bound that any of them has found. A worker that is
lost takes one slice with it, which then counts nowhere: neither its positions nor its time.
"""
from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from solver.cluster.error import ClusterError
from solver.solve_jobs import SLICE, Result, Task

MOST_LOST = 5  # workers a job may lose; then it is taken for the cause


@dataclass(frozen=True)
class Order:
    """One slice of work."""

    job: int  # the same for all slices of a job, and of no other job
    task: Task  # what to spend in this slice, and what is known before it
    later: float = 0.0  # seconds that there will be for further slices


@dataclass
class _Job:
    id: int
    task: Task
    best: Result
    parts: dict[int, int] = field(default_factory=dict)  # worker: its place among those at the job, from 0
    running: dict[int, Order] = field(default_factory=dict)  # worker: the slice it is at
    begun: dict[int, float] = field(default_factory=dict)  # worker: how old the job was when that slice began
    done: bool = False  # what was to be spent is spent, or nothing can be better
    over: bool = False  # done or stopped: no slice is begun any more
    lost: int = 0  # workers

    @property
    def nodes_left(self) -> float:
        """Positions that no slice is at."""
        promised = sum(order.task.nodes or 0 for order in self.running.values())
        return math.inf if self.task.nodes is None else self.task.nodes - self.best.nodes - promised

    @property
    def usable(self) -> bool:
        """Whether a slice can be begun; how long a closed game lasts is not known before."""
        return not self.over and (not self.running if self.task.closed else self.nodes_left > 0)


class Schedule:
    """The work of one run. Workers are numbers of the caller's choice; that of a lost one does not come again.

    end: called with a worker and a job for which it has to hand in its slice at once, as far as it is.
    """

    def __init__(self, end: Callable[[int, int], None]) -> None:
        self._end = end
        self._waiting: deque[Task] = deque()
        self._jobs: dict[int, _Job] = {}
        self._free: set[int] = set()
        self._count = 0

    @property
    def waiting(self) -> int:
        """Tasks that are not begun."""
        return len(self._waiting)

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do and nothing being done."""
        return not self._jobs and not self._waiting

    def add(self, task: Task) -> None:
        """Take a task."""
        self._waiting.append(task)

    def join(self, worker: int) -> None:
        """Take a worker."""
        self._free.add(worker)

    def orders(self) -> Iterator[tuple[int, Order]]:
        """Give the free workers something to do, and yield who is to do what."""
        for worker in sorted(self._free):
            job = self._job_for(worker)
            if job is not None:
                order = self._slice(job, worker)
                self._free.remove(worker)
                yield worker, order

    def report(self, worker: int, result: Result) -> Result:
        """Take what came of a worker's slice; return what its job has come to."""
        job = next(job for job in self._jobs.values() if worker in job.running)
        del job.running[worker]
        self._free.add(worker)
        best, task = job.best, job.task
        if task.closed or (result.score is not None and (best.score is None or result.score > best.score)):
            best = replace(best, score=result.score, line=result.line)
        bound = min((bound for bound in (best.bound, result.bound) if bound is not None), default=None)
        job.best = best = replace(
            best,
            bound=bound,
            nodes=best.nodes + result.nodes,
            seconds=max(best.seconds, job.begun.pop(worker) + result.seconds),
            phase=result.phase,
            proven=best.score is not None and bound is not None and best.score >= bound,
        )
        if task.closed:
            job.done |= result.final and not result.stopped
        else:
            spent = best.seconds >= task.seconds or (task.nodes is not None and best.nodes >= task.nodes)
            job.done |= best.proven or spent
        if job.done:
            self._close(job)
        return self._settled(job)

    def lose(self, worker: int) -> Iterator[Result]:
        """Forget a worker that is gone, and the slice it was at; yield what ends with it.

        Raises ClusterError where a job has lost too many.
        """
        self._free.discard(worker)
        for job in list(self._jobs.values()):
            job.parts.pop(worker, None)
            if job.running.pop(worker, None):
                del job.begun[worker]
                job.lost += 1
                if job.lost == MOST_LOST:
                    raise ClusterError(f"{MOST_LOST} workers died over the same puzzle; have they enough memory?")
                if job.over and not job.running:
                    yield self._settled(job)

    def stop(self) -> Iterator[Result]:
        """Begin nothing more and end what runs; yield what ends with it."""
        self._waiting.clear()
        for job in list(self._jobs.values()):
            self._close(job)
            if not job.running:
                yield self._settled(job)

    def _job_for(self, worker: int) -> _Job | None:
        """Return the job at which a free worker has its place now; None where there is nothing to do."""
        for job in self._jobs.values():
            if worker in job.parts:
                if job.usable:
                    return job
                del job.parts[worker]
        usable = [job for job in self._jobs.values() if job.usable]
        chosen = next((job for job in usable if not job.parts), None)
        if chosen is None and self._waiting:
            chosen = self._begin(self._waiting.popleft())
        if chosen is None:
            chosen = min((job for job in usable if not job.task.closed), key=lambda job: len(job.parts), default=None)
        if chosen is not None:
            chosen.parts[worker] = min(set(range(len(chosen.parts) + 1)) - set(chosen.parts.values()))
        return chosen

    def _begin(self, task: Task) -> _Job:
        self._count += 1
        bound = None if task.bound == math.inf else task.bound
        line = task.line if task.closed else ()  # that of an open task has no score yet
        best = Result(task.number, None, bound, line, 0, 0.0, "", proven=False, final=False)
        return self._jobs.setdefault(self._count, _Job(self._count, task, best))

    def _slice(self, job: _Job, worker: int) -> Order:
        task, best = job.task, job.best
        known = replace(task, line=best.line or task.line, bound=math.inf if best.bound is None else best.bound)
        if not task.closed:
            known = replace(
                known,
                part=job.parts[worker],
                seconds=min(SLICE, task.seconds - best.seconds),
                nodes=None if task.nodes is None else math.ceil(job.nodes_left / len(self._free)),  # some may join
            )
        later = 0.0 if task.closed else task.seconds - best.seconds - known.seconds
        order = job.running[worker] = Order(job.id, known, later)
        job.begun[worker] = best.seconds
        return order

    def _close(self, job: _Job) -> None:
        """Let nobody begin at a job, and end its slices."""
        if not job.over:
            job.over = True
            for worker in job.running:
                self._end(worker, job.id)

    def _settled(self, job: _Job) -> Result:
        """Return what a job has come to, and forget it where it is over."""
        if not job.over or job.running:
            return job.best
        del self._jobs[job.id]
        return replace(job.best, final=True, stopped=not job.done)
