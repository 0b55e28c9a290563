"""What runs in the cluster: one worker, which searches slice by slice."""
from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cafebrain.v1 import game_pb2
from engines.library import Library
from engines.registry import ENGINES
from solver.analysis import Control
from solver.brain import VERSION
from solver.cluster.schedule import Order
from solver.positions import decode_state
from solver.solo import SoloSearch
from solver.solve_jobs import Result, search_for, solve

CODE = ("cafebrain", "cython_ext", "engines", "solver")  # what decides about results
SUFFIXES = (".py", ".pxd", ".toml")  # of the files that every kind of installation has


@dataclass(frozen=True)
class Versions:
    """What has to be the same for results to be the same."""

    cafebrain: str
    engines: tuple[tuple[str, int], ...]
    code: str  # hash of the source files, since not every change has a version of its own

    def __str__(self) -> str:
        engines = ", ".join(f"{id_} {version}" for id_, version in self.engines)
        return f"cafebrain {self.cafebrain} ({engines}; source {self.code})"


def versions() -> Versions:
    """Return those of this process."""
    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for folder in CODE:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                digest.update(f"{path.relative_to(root).as_posix()}\n".encode() + path.read_bytes())
    engines = tuple((id_, engine.version) for id_, engine in sorted(ENGINES.items()))
    return Versions(VERSION, engines, digest.hexdigest()[:8])


class Worker:
    """Searches as it is told; `end` may be called while `work` runs."""

    def __init__(self) -> None:
        self._library = Library()
        self._job = self._ended = 0  # jobs are counted from 1
        self._control = Control()
        self._search: SoloSearch | None = None

    def prepare(self, sets: Sequence[bytes]) -> Versions:
        """Take component files, and say what is installed here."""
        with tempfile.TemporaryDirectory() as folder:
            for number, content in enumerate(sets):
                path = Path(folder, f"{number}.toml")
                path.write_bytes(content)
                self._library.add_file(path)
        return versions()

    def work(self, order: Order) -> Result:
        """Do a slice and return what is known then; positions and seconds are those of the slice.

        Raises BrainError where the position is no puzzle.
        """
        started = time.monotonic()
        task = order.task
        if self._job != order.job:
            self._search = None  # its memory is needed
            self._control, self._job = Control(), order.job
        if self._ended == order.job:
            self._control.stop()
        if task.closed:
            return next(solve(self._library, task, self._control))
        before = 0
        if self._search is None:
            position = decode_state(self._library, game_pb2.GameState.FromString(task.position))
            self._search = search_for(position, task)
            self._control.hold([self._search])
        else:
            before = self._search.snapshot().nodes
            self._search.share(task.line, task.bound)
        now = self._search.run(task.seconds, task.nodes, order.later)
        return Result(
            task.number, now.score, now.bound, now.line, now.nodes - before, time.monotonic() - started, now.phase,
            now.proven, final=False,
        )  # fmt: skip

    def end(self, job: int) -> None:
        """Let a job's slice, running or still to come, end at once."""
        self._ended = job
        if self._job == job:
            self._control.stop()
