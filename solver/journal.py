"""Files of JSON objects, one a line, that long work adds to and that survive a kill at any moment."""
from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import IO, Any


class Journal:
    """A file of JSON objects, one a line, held by one process at a time.

    A line is on the disk before the next one is written. A last line that a kill has torn is dropped, from the file
    too.

    Raises ValueError where another line is no JSON object or another process holds the file, OSError where it cannot
    be used.
    """

    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] = path.open("a+b")
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ValueError("another command is writing it") from error
            _sync_folder(path.parent)
            self._file.seek(0)
            data = self._file.read()
            self.records, length = _parse(data)  # those that were there
        except BaseException:
            self._file.close()
            raise
        self.torn = length < len(data)  # whether a line was dropped
        self._file.truncate(length)

    def append(self, record: dict[str, Any]) -> None:
        """Write a record and have it on the disk."""
        self._file.write(json.dumps(record).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Give the file back."""
        self._file.close()


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Return the records of a journal as it stands, without holding it; none where there is no file.

    Raises ValueError where a line is no JSON object, but for a torn last one.
    """
    return _parse(path.read_bytes())[0] if path.exists() else []


def _parse(data: bytes) -> tuple[list[dict[str, Any]], int]:
    """Return the records and the bytes they take."""
    records: list[dict[str, Any]] = []
    length = 0
    *lines, rest = data.split(b"\n")
    if not _may_be_torn(data):  # a file of something else is never cut
        raise ValueError("line 1 is no JSON object")
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            if number == len(lines) and not rest:  # its end reached the disk before its beginning
                break
            raise ValueError(f"line {number} is no JSON") from error
        if not isinstance(record, dict):
            raise ValueError(f"line {number} is no JSON object")
        records.append(record)
        length += len(line) + 1
    return records, length


def _may_be_torn(first: bytes) -> bool:
    """Whether bytes can be what a kill left of an object: its beginning, or blocks that never reached the disk."""
    return first.lstrip(b"\0")[:1] in (b"", b"{")


def _sync_folder(folder: Path) -> None:
    """Put the folder's list of files on the disk."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
