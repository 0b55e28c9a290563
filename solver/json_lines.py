"""Files of JSON lines that long jobs add to and go on with."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class JsonLines:
    """A file of JSON objects, one a line: first what it is about, then what was found.

    A line is on the disk before the next one is written. A last line that was cut off is dropped.

    header: what it is about; a file about something else is refused. resume: go on with the file if it is there.

    Raises ValueError where the file is there and cannot be gone on with, OSError where it cannot be used.
    """

    def __init__(self, path: Path, header: dict[str, Any], resume: bool = True) -> None:
        self.lines: list[dict[str, Any]] = []  # those that were there, without the header
        there = path.exists()
        if there and not resume:
            raise ValueError("is there already; go on with it, or name another file")
        self._path = path
        kept = self._read(path, header) if there else 0
        if there:
            os.truncate(path, kept)
        if kept == 0:
            self.add(header)

    def add(self, line: dict[str, Any]) -> None:
        """Write a line."""
        with self._path.open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self, path: Path, header: dict[str, Any]) -> int:
        """Read the lines and return the length of the whole ones."""
        text = path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        for number, text_line in enumerate(whole.splitlines(), 1):
            try:
                line = json.loads(text_line)
            except ValueError as error:
                raise ValueError(f"line {number} is no JSON") from error
            if not isinstance(line, dict):
                raise ValueError(f"line {number} is no JSON object")
            if number > 1:
                self.lines.append(line)
            elif line != header:
                different = sorted(key for key in {*line, *header} if line.get(key) != header.get(key))
                raise ValueError(f"is about something else: {', '.join(different)} differ")
        return len(whole)
