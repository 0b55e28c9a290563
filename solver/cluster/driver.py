"""The process that is part of the Ray cluster, apart from the one that asked.

Ray prints what it likes, takes over signals, and ends its process when the cluster's head is gone: it does so here,
where nothing is printed and nothing is lost. When the asking process is gone, however that came, the pipe to it breaks,
this process ends, and Ray ends the workers.
"""
from __future__ import annotations

import os
import secrets
import signal
import socket
import time
from collections.abc import Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from cafebrain.errors import BrainError
from solver.cluster.error import ClusterError
from solver.cluster.schedule import Schedule
from solver.cluster.worker import Versions, Worker, versions

LOCAL = "local"
JOINED, WANT, STOP, DONE = "joined", "want", "stop", "done"  # WANT: one more task; STOP: end what runs

REACH = 5.0  # seconds for the cluster's head to take a connection
TICK = 0.1  # seconds between two looks at the pipe
RECKON = 3.0  # seconds between two looks at the size of the cluster
PATIENCE = 120.0  # seconds without any worker
STOPPING = 10.0  # seconds for the workers to hand in what they have
AHEAD = 1  # tasks that wait here, so that no worker waits for the next one


def main(pipe: Connection, address: str, threads: int, sets: Sequence[bytes]) -> None:
    """Do the tasks that come through `pipe`, and send JOINED, WANT, results and at last DONE, or an error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the asking process has it too, and says what to do
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        join(address)
        pipe.send(JOINED)
        Run(pipe, threads, sets).work()
        pipe.send(DONE)
    except (EOFError, BrokenPipeError):
        pass  # nobody wants results any more
    except (BrainError, ClusterError) as error:
        pipe.send(error)
    except Exception as error:
        pipe.send(RuntimeError(f"{type(error).__name__}: {error}"))  # Ray's own may not be readable over there


def import_ray() -> Any:
    """Return Ray, which is an extra and takes a second to import."""
    return import_module("ray")


def join(address: str) -> None:
    """Make this process part of a cluster, or begin one on this machine's cores.

    Raises ClusterError where that is not possible.
    """
    how: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "critical"}
    if address == LOCAL:
        os.environ.update({
            "RAY_worker_niceness": "0",  # as fast as without Ray
            "RAY_AUTH_MODE": "token",  # some of its ports are open to the network
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
        })
        how |= {"num_cpus": len(os.sched_getaffinity(0)), "include_dashboard": False}
    else:
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=REACH).close()
        except OSError as error:
            raise ClusterError(f"no Ray cluster at {address}: {error.strerror or error}") from error
    try:
        import_ray().init(**how)
    except Exception as error:
        raise ClusterError(f"Ray cannot use the address {address}: {error}") from error


def check_versions(here: Versions, there: Versions) -> None:
    """Raise ClusterError unless a worker has what this process has."""
    if here != there:
        raise ClusterError(f"a node of the Ray cluster has another cafebrain: {there}, and here is {here}")


class Run:
    """The work of the cluster on the tasks of one run."""

    def __init__(self, pipe: Connection, threads: int, sets: Sequence[bytes]) -> None:
        self._ray = import_ray()
        self._pipe = pipe
        self._threads = threads
        self._sets = self._ray.put(list(sets))
        # Ray does not interrupt what an actor is at, so that `end` needs a thread of its own.
        actor = self._ray.remote(num_cpus=threads, concurrency_groups={"control": 1}, scheduling_strategy="SPREAD")
        self._new_worker = actor(Worker)
        self._versions = versions()
        self._schedule = Schedule(self._end)
        self._actors: dict[int, Any] = {}
        self._preparing: dict[Any, int] = {}  # what they will return: workers
        self._working: dict[Any, int] = {}
        self._count = 0
        self._wanted = 0  # tasks asked for
        self._more = True  # whether there may be more tasks
        self._stopped = False

    def work(self) -> None:
        """Do everything.

        Raises ClusterError where the cluster cannot do it, BrainError for a task that is no puzzle.
        """
        reckoned, alive, until = -RECKON, time.monotonic(), float("inf")
        while self._more or not self._schedule.idle:
            now = time.monotonic()
            if now >= reckoned + RECKON and not self._stopped:
                reckoned = now
                self._enlist()
            self._listen()
            for worker, order in self._schedule.orders():
                self._working[self._actors[worker].work.remote(order)] = worker
            ready, _ = self._ray.wait([*self._preparing, *self._working], timeout=TICK) if self._actors else ([], [])
            for reference in ready:
                self._take(reference)
            if self._stopped:
                until = min(until, now + STOPPING)
                if now > until:
                    self._give_up()
            elif len(self._actors) > len(self._preparing):
                alive = now
            elif now > alive + PATIENCE:
                raise ClusterError(f"no worker of the Ray cluster was to be had for {PATIENCE:g} s")

    def _listen(self) -> None:
        """Ask for as many tasks as workers can take, and take what has come."""
        room = len(self._actors) - len(self._preparing) + AHEAD - self._schedule.waiting - self._wanted
        for _ in range(room if self._more else 0):
            self._pipe.send(WANT)
            self._wanted += 1
        while self._pipe.poll():
            message = self._pipe.recv()
            if message == STOP:
                self._stopped, self._more = True, False
                for result in self._schedule.stop():
                    self._pipe.send(result)
            else:
                self._wanted -= 1
                if message is None:
                    self._more = False
                elif not self._stopped:
                    self._schedule.add(message)

    def _enlist(self) -> None:
        """Have as many workers as the nodes that live have room for; one that finds no room waits for it."""
        nodes = (node for node in self._ray.nodes() if node["Alive"])
        room = sum(int(node["Resources"].get("CPU", 0) // self._threads) for node in nodes)
        while len(self._actors) < room:
            self._count += 1
            actor = self._actors[self._count] = self._new_worker.remote()
            self._preparing[actor.prepare.remote(self._sets)] = self._count

    def _take(self, reference: Any) -> None:
        """Take what a worker returned."""
        preparing = reference in self._preparing
        worker = self._preparing.pop(reference) if preparing else self._working.pop(reference)
        try:
            value = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except self._ray.exceptions.RayActorError as error:
            if preparing and "ModuleNotFoundError" in str(error):
                raise ClusterError("a node of the Ray cluster has no cafebrain installed") from error
            self._ray.kill(self._actors.pop(worker))  # it may be out of reach only, and must not work on
            for result in self._schedule.lose(worker):
                self._pipe.send(result)
            return
        if not preparing:
            self._pipe.send(self._schedule.report(worker, value))
        else:
            check_versions(self._versions, value)
            self._schedule.join(worker)

    def _end(self, worker: int, job: int) -> None:
        self._actors[worker].end.options(concurrency_group="control").remote(job)

    def _give_up(self) -> None:
        """Take workers that do not hand in for lost."""
        for worker in list(self._working.values()):
            for result in self._schedule.lose(worker):
                self._pipe.send(result)
        self._working.clear()
