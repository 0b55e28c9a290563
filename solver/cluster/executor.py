"""An executor of puzzles on a Ray cluster: the side of the process that asks."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

from cafebrain.v1 import game_pb2
from engines.library import Library
from solver.cluster import driver
from solver.cluster.error import ClusterError
from solver.positions import Position, decode_state
from solver.solve_jobs import Result, Task, check_score

LEAVING = 10.0  # seconds for the cluster to be left, or a local one to be taken down


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
        self._about = (address, threads, [path.read_bytes() for path in sets])
        self._stopped = False

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results as they come.

        Raises ClusterError where the cluster cannot be reached or used, or is lost.
        """
        waiting = iter(tasks)
        context = get_context("spawn")  # a process with gRPC in it must not be forked
        pipe, there = context.Pipe()
        process = context.Process(target=driver.main, args=(there, *self._about), daemon=True)
        process.start()
        there.close()
        checked: dict[int, tuple[Position, tuple[int, ...]]] = {}  # number: the line of it that is known to be right
        try:
            stopping = False
            while True:
                if self._stopped and not stopping:
                    stopping = True
                    pipe.send(driver.STOP)
                if not pipe.poll(driver.TICK):
                    continue
                message = pipe.recv()
                if message == driver.WANT:
                    task = None if self._stopped else next(waiting, None)
                    if task is not None:
                        checked[task.number] = (self._position(task), ())
                    pipe.send(task)
                elif message == driver.DONE:
                    return
                elif isinstance(message, Exception):
                    raise message
                else:
                    position, line = checked[message.number]
                    if message.line != line and message.score is not None:
                        check_score(position, message.line, message.score)
                        checked[message.number] = (position, message.line)
                    if message.final:
                        del checked[message.number]
                    yield message
        except (EOFError, BrokenPipeError, ConnectionResetError) as error:
            raise ClusterError("the connection to the Ray cluster is lost") from error
        finally:
            pipe.close()  # which ends the driver
            process.join(LEAVING)
            process.kill()

    def stop(self) -> None:
        """End what runs, begin nothing more."""
        self._stopped = True

    def _position(self, task: Task) -> Position:
        return decode_state(self._library, game_pb2.GameState.FromString(task.position))
