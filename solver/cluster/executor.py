"""An executor of puzzles on a Ray cluster: the side of the process that asks."""
from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cafebrain.v1 import game_pb2
from engines.library import Library
from solver.cluster import driver
from solver.cluster.error import ClusterError
from solver.positions import Position, decode_state
from solver.solve_jobs import Result, Task, score_of

JOINING = 30.0  # seconds for a cluster to be joined
BEGINNING = 120.0  # seconds for one of this machine to begin
LEAVING = 5.0  # seconds for it to be left, or taken down


class RayExecutor:
    """Solves tasks on the cores of a Ray cluster; one run at a time.

    address: HOST:PORT of the cluster's head, or "local" for a cluster of this machine that ends with the run.
    threads: cores for each worker. sets: component files that workers need besides those that come with the engines.

    Raises ClusterError where Ray is not installed.
    """

    def __init__(self, library: Library, address: str, threads: int = 1, sets: Sequence[Path] = ()) -> None:
        if find_spec("ray") is None:
            raise ClusterError("Ray is not installed: pip install 'cafebrain[cluster]'")
        self._library = library
        self._address = address
        self._threads = threads
        self._sets = [path.read_bytes() for path in sets]
        self._stopped = False

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results as they come.

        Raises ClusterError where the cluster cannot be reached or used, or is lost.
        """
        waiting = iter(tasks)
        checked: dict[int, tuple[Position, tuple[int, ...]]] = {}  # number: the line of it that is known to be right
        with self._driver() as pipe:
            for message in self._messages(pipe):
                if message == driver.WANT:
                    task = None if self._stopped else next(waiting, None)
                    if task is not None:
                        state = game_pb2.GameState.FromString(task.position)
                        checked[task.number] = (decode_state(self._library, state), ())
                    pipe.send(task)
                    continue
                position, line = checked[message.number]
                if message.line != line and message.score is not None:
                    if (real := score_of(position, message.line)) != message.score:
                        raise RuntimeError(f"a worker takes a line of {real:g} points for one of {message.score}")
                    checked[message.number] = (position, message.line)
                if message.final:
                    del checked[message.number]
                yield message

    def stop(self) -> None:
        """End what runs, begin nothing more."""
        self._stopped = True  # no more than that: a signal handler may have interrupted anything

    @contextmanager
    def _driver(self) -> Iterator[Connection]:
        """Yield a pipe to a driver, which ends with it."""
        context = get_context("spawn")  # a process with gRPC in it must not be forked
        here, there = context.Pipe()
        about = (there, self._address, self._threads, self._sets)
        process = context.Process(target=driver.main, args=about, daemon=True)
        process.start()
        there.close()
        try:
            yield here
        except (EOFError, BrokenPipeError, ConnectionResetError) as error:
            raise ClusterError("the connection to the Ray cluster is lost") from error
        finally:
            here.close()
            process.join(LEAVING)
            process.kill()

    def _messages(self, pipe: Connection) -> Iterator[Any]:
        """Yield WANT and results until the driver is done; tell it when to stop."""
        answer_by = time.monotonic() + (BEGINNING if self._address == driver.LOCAL else JOINING)
        joined = stopping = False
        while True:
            if self._stopped and not joined:
                return
            if self._stopped and not stopping:
                stopping = True
                pipe.send(driver.STOP)
            if not pipe.poll(driver.TICK):
                if not joined and time.monotonic() > answer_by:
                    raise ClusterError(f"no Ray cluster answers at {self._address}; its port is 6379 unless chosen")
                continue
            message = pipe.recv()
            if message == driver.DONE:
                return
            if message == driver.JOINED:
                joined = True
            elif isinstance(message, Exception):
                raise message
            else:
                yield message
