"""The file jobs are kept in: an SQLite database of this process alone."""
from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb

MAX_JOBS = 10_000  # in the file
MAX_ENDED = 1000  # of one client; the oldest go first
APPLICATION = 0x63616665  # marks the file as cafebrain's
VERSION = 1  # of the tables
UNFINISHED = pb.JOB_STATE_QUEUED  # what is kept of a job that has not ended, running or not

TABLES = """
CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    number INTEGER NOT NULL UNIQUE, -- in the order they were started
    owner TEXT NOT NULL,
    request_id TEXT NOT NULL,
    state INTEGER NOT NULL,
    task BLOB NOT NULL,
    solution BLOB NOT NULL,
    error BLOB NOT NULL,
    ended REAL, -- seconds since 1970
    UNIQUE (owner, request_id)
) STRICT;
CREATE INDEX ended ON jobs (ended);
"""
COLUMNS = "id, owner, request_id, state, task, solution, error"


@dataclass
class Record:
    """A job as it is kept.

    owner: who started it. solution: what it found so far, always with the time it took; empty before that.
    """

    id: str
    owner: str
    request_id: str
    task: pb.SoloTask
    state: pb.JobState.ValueType = UNFINISHED
    solution: pb.Solution = field(default_factory=pb.Solution)
    error: pb.QueryError = field(default_factory=pb.QueryError)


class JobStore:
    """Jobs in a file; every change is on the disk when its method returns. Used by one thread at a time.

    keep: seconds a job is kept after its end.

    Raises ValueError that says why the file cannot be used.
    """

    def __init__(self, path: Path, keep: float, clock: Callable[[], float] = time.time) -> None:
        self._keep = keep
        self._clock = clock
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # what clients ask is theirs
            self._db = sqlite3.connect(path, timeout=1, isolation_level=None, check_same_thread=False)
            self._open()
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror or error}") from None
        except sqlite3.OperationalError as error:
            raise ValueError(f"{path}: {error}; is another server using it?") from None
        except (sqlite3.DatabaseError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def unfinished(self) -> list[Record]:
        """Return the jobs that have not ended, the oldest first."""
        return self._select("state = ? ORDER BY number", UNFINISHED)

    def of(self, owner: str) -> list[Record]:
        """Return the jobs of a client, the latest first."""
        self._forget()
        return self._select("owner = ? ORDER BY number DESC", owner)

    def find(self, owner: str, id_: str) -> Record | None:
        """Return a job of a client."""
        self._forget()
        found = self._select("owner = ? AND id = ?", owner, id_)
        return found[0] if found else None

    def started(self, owner: str, request_id: str) -> Record | None:
        """Return the job a client started with this id of its own."""
        self._forget()
        found = self._select("owner = ? AND request_id = ?", owner, request_id)
        return found[0] if found else None

    def add(self, record: Record, most: int) -> None:
        """Keep a new job.

        most: unfinished jobs its client may have.

        Raises BrainError RESOURCE_EXHAUSTED where these are too many.
        """
        open_, total = self._one(
            "SELECT count(*) FILTER (WHERE owner = ? AND state = ?), count(*) FROM jobs", record.owner, UNFINISHED
        )
        if open_ >= most:
            message = f"{most} jobs of one client can be unfinished at a time"
            raise BrainError("RESOURCE_EXHAUSTED", "TOO_MANY_JOBS", message)
        if total >= MAX_JOBS:
            raise BrainError("RESOURCE_EXHAUSTED", "TOO_MANY_JOBS", "the server has all the jobs it can keep")
        self._db.execute(
            "INSERT INTO jobs SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ?, NULL FROM jobs",
            (record.id, record.owner, record.request_id, record.state, _packed(record.task), b"", b""),
        )

    def save(self, record: Record) -> None:
        """Keep how a job stands."""
        state = UNFINISHED if record.state == pb.JOB_STATE_RUNNING else record.state
        ended = None if state == UNFINISHED else self._clock()
        self._db.execute(
            "UPDATE jobs SET state = ?, solution = ?, error = ?, ended = ? WHERE id = ?",
            (state, _packed(record.solution), _packed(record.error), ended, record.id),
        )
        if ended is not None:
            self._db.execute(
                "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE owner = ? AND ended IS NOT NULL"
                " ORDER BY ended DESC LIMIT -1 OFFSET ?)",
                (record.owner, MAX_ENDED),
            )

    def counts(self) -> dict[int, int]:
        """Return how many jobs there are in each state."""
        return dict(self._db.execute("SELECT state, count(*) FROM jobs GROUP BY state").fetchall())

    def _open(self) -> None:
        """Take the file for this process alone, and make the tables where it is new."""
        for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
            self._db.execute(f"PRAGMA {pragma}").fetchall()
        (application,), (version,) = self._one("PRAGMA application_id"), self._one("PRAGMA user_version")
        if not (application or version or self._one("SELECT count(*) FROM sqlite_schema")[0]):
            marks = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
            self._db.executescript(f"BEGIN EXCLUSIVE; {TABLES} {marks} COMMIT;")
        elif application != APPLICATION:
            raise ValueError("is no file of jobs")
        elif version != VERSION:
            raise ValueError(f"is of version {version}; this server reads version {VERSION}")

    def _forget(self) -> None:
        """Delete what has been kept long enough."""
        self._db.execute("DELETE FROM jobs WHERE ended < ?", (self._clock() - self._keep,))

    def _one(self, statement: str, *values: object) -> tuple[int, ...]:
        found: tuple[int, ...] = self._db.execute(statement, values).fetchone()
        return found

    def _select(self, condition: str, *values: object) -> list[Record]:
        rows = self._db.execute(f"SELECT {COLUMNS} FROM jobs WHERE {condition}", values)
        return [
            Record(
                id_,
                owner,
                request_id,
                pb.SoloTask.FromString(task),
                state,
                pb.Solution.FromString(solution),
                pb.QueryError.FromString(error),
            )
            for id_, owner, request_id, state, task, solution, error in rows
        ]


def _packed(message: pb.SoloTask | pb.Solution | pb.QueryError) -> bytes:
    return message.SerializeToString(deterministic=True)
