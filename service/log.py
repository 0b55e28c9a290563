"""The log: JSON, one object a line, written by a thread of its own so that a slow reader never holds up the server."""
from __future__ import annotations

import json
import logging
import queue
import threading
from datetime import UTC, datetime
from typing import TextIO

import grpc.aio

WAITING = 10_000  # lines that may wait to be written; further ones are dropped and counted
ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
LAST_WORDS = 1.0  # seconds to write what waits, at the end


class JsonLines(logging.Formatter):
    """One JSON object per record: time, level, message, the fields given, and the traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        entry = {"time": when, "level": record.levelname.lower(), "message": record.getMessage()}
        entry |= getattr(record, "fields", {})
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return ENCODER.encode(entry)


def is_news(record: logging.LogRecord) -> bool:
    """Return whether a record is no report of gRPC's that a client left just when its answer was to be sent."""
    fault = record.exc_info[1] if record.exc_info else None
    return not (record.name.startswith("grpc") and isinstance(fault, grpc.aio.InternalError))


class PatientHandler(logging.Handler):
    """Writes lines to a stream that may be slow."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.setFormatter(JsonLines())
        self.addFilter(is_news)
        self._stream = stream
        self._dropped = 0
        self._lines: queue.Queue[str | None] = queue.Queue(WAITING)
        self._writer = threading.Thread(target=self._write, name="log", daemon=True)
        self._writer.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Hand a record to the writer, unless too many wait."""
        try:
            self._lines.put_nowait(self.format(record))
        except queue.Full:
            self._dropped += 1

    def close(self) -> None:
        """Write what waits, as far as the reader takes it."""
        try:
            self._lines.put(None, timeout=LAST_WORDS)
            self._writer.join(LAST_WORDS)
        except queue.Full:
            pass
        super().close()

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            dropped, self._dropped = self._dropped, 0
            if dropped:
                line = json.dumps({"level": "warning", "message": f"{dropped} lines were dropped"}) + "\n" + line
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except (OSError, ValueError):  # the reader is gone
                continue
