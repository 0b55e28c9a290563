"""Everything that can be set about a server, and the file it can be set in."""
from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from solver.analysis import MAX_THREADS, MAX_VISITS, Limits
from solver.durations import MAX_TIME_MS
from solver.solving import MAX_JOB_MS

WAITING_PER_PLACE = 16  # searches that may wait for each one that can run, unless set
MESSAGE_BYTES = 256 << 10  # of a request; the largest position takes a few KiB
JOBS_MIB = 512  # for the searches of all jobs
MAX_JOBS = 16  # of one client
KEEP_HOURS = 168
MAX_MOVES = 500  # in an answer, unless set; more would pass the 4 MiB a client takes by default


@dataclass(frozen=True)
class Settings:
    """How a server is run. Times are in milliseconds, memory in MiB."""

    listen: str = "127.0.0.1:0"
    searches: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))  # search threads that run at once
    queue: int | None = None  # searches that may wait; None for WAITING_PER_PLACE for each that can run
    grace_ms: int = 5000  # for running calls when the server stops
    max_time_ms: int = MAX_TIME_MS
    max_visits: int = MAX_VISITS
    max_threads: int | None = None  # of one search; None for as many as run at once
    max_moves: int = MAX_MOVES
    tree_mib: int = 1024  # for the trees of all searches
    jobs_file: Path | None = None  # None for a server without jobs
    jobs_mib: int = JOBS_MIB  # for the searches of all jobs
    jobs_keep_hours: int = KEEP_HOURS  # after a job's end
    max_jobs: int = MAX_JOBS  # of one client, unfinished
    tls_cert: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    tokens: Path | None = None
    metrics: str | None = None
    channelz: bool = False
    tracing: bool = False

    @property
    def waiting(self) -> int:
        """Searches that may wait."""
        return self.searches * WAITING_PER_PLACE if self.queue is None else self.queue

    @property
    def limits(self) -> Limits:
        """What one search may take.

        A place's share of the tree memory is fixed, so that an answer never depends on what others search. It is half
        of what there is for each place, because a batch search keeps its tree while an interactive one has its place.
        """
        return Limits(
            time_ms=self.max_time_ms,
            visits=self.max_visits,
            threads=min(self.max_threads or self.searches, MAX_THREADS),
            moves_wanted=self.max_moves,
            tree_bytes=(self.tree_mib << 20) // (2 * self.searches),
        )

    @property
    def job_limits(self) -> Limits:
        """What one job may take. Jobs have memory of their own, because they keep it while any other search runs."""
        return replace(self.limits, time_ms=MAX_JOB_MS, tree_bytes=(self.jobs_mib << 20) // self.searches)


def read_settings(path: Path, known: set[str]) -> dict[str, Any]:
    """Return the keys of a settings file; they are the names of the options with "_" for "-".

    Raises ValueError that says what is wrong.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"is no TOML: {error}") from None
    for key, value in data.items():
        if key not in known:
            raise ValueError(f"{key}: unknown; known: {', '.join(sorted(known))}")
        if not isinstance(value, str | int):
            raise ValueError(f"{key}: wants text, a number, true or false")
    return data
