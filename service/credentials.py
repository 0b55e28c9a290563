"""Who may call, and how much: bearer tokens from a file that holds only their hashes.

The file is TOML with a table per token, named after its owner:

    [alice]
    sha256 = "…"            # of the token; `cafebrain token alice` makes both
    searches = 4            # at a time, running and waiting; optional
    jobs = 2                # unfinished at a time, no more than the server allows; optional
    calls_per_second = 20   # optional
"""
from __future__ import annotations

import hashlib
import hmac
import logging
import math
import re
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cafebrain.errors import BrainError

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Caller:
    """Who calls, and what they may; without a name anyone may do anything."""

    name: str = ""
    searches: int | None = None
    jobs: int | None = None
    calls_per_second: float | None = None


class WatchedFiles:
    """Files that may be replaced while the server runs."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self._seen = self._stamp()

    def changed(self) -> bool:
        """Return whether a file was changed since this was last asked."""
        stamp = self._stamp()
        if stamp == self._seen:
            return False
        self._seen = stamp
        return True

    def _stamp(self) -> list[tuple[int, ...]]:
        stamps: list[tuple[int, ...]] = []
        for path in self._paths:
            try:
                stat = path.stat()
            except OSError:
                stamps.append((0,))
            else:
                stamps.append((stat.st_ino, stat.st_mtime_ns, stat.st_size))
        return stamps


class Tokens:
    """The tokens of a file, read again when it changes; a file that became faulty is reported and not used.

    Raises ValueError where the file cannot be used.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._files = WatchedFiles(path)
        self._callers = read_tokens(path)
        self._credit: dict[str, tuple[float, float]] = {}  # calls left by name, and when that was

    def caller(self, authorization: str) -> Caller:
        """Return whose token "Bearer TOKEN" holds.

        Raises BrainError UNAUTHENTICATED where it is nobody's, RESOURCE_EXHAUSTED where they call too often.
        """
        if self._files.changed():
            try:
                self._callers = read_tokens(self._path)
            except ValueError as error:
                log.error("%s is not used: %s", self._path, error)
        scheme, _, token = authorization.partition(" ")
        presented = hashlib.sha256(token.strip().encode()).hexdigest()
        found = None
        for known, caller in self._callers.items():  # all of them: the time taken tells nothing
            if hmac.compare_digest(known, presented):
                found = caller
        if found is None or scheme.lower() != "bearer":
            raise BrainError("UNAUTHENTICATED", "BAD_TOKEN", "wants the metadata 'authorization: Bearer TOKEN'")
        self._spend(found)
        return found

    def _spend(self, caller: Caller) -> None:
        """Take one call from what a caller may do: a bucket that holds a second's worth (at least one call)."""
        rate = caller.calls_per_second
        if rate is None:
            return
        most = max(1.0, rate)
        now = self._clock()
        left, then = self._credit.get(caller.name, (most, now))
        left = min(most, left + rate * (now - then))
        if left < 1:
            message = f"this token allows {rate:g} calls a second"
            raise BrainError("RESOURCE_EXHAUSTED", "TOKEN_LIMIT", message)
        self._credit[caller.name] = (left - 1, now)


def read_tokens(path: Path) -> dict[str, Caller]:
    """Return who has the token of which hash.

    Raises ValueError that says what is wrong, never with what the file holds.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise ValueError("is no TOML") from None
    callers: dict[str, Caller] = {}
    for name, table in data.items():
        if not isinstance(table, dict) or table.keys() - {"sha256", "searches", "jobs", "calls_per_second"}:
            raise ValueError(f"{name}: wants a table with sha256, and optionally searches, jobs and calls_per_second")
        digest = table.get("sha256")
        if not isinstance(digest, str) or re.fullmatch("[0-9a-f]{64}", digest) is None:
            raise ValueError(f"{name}: sha256 wants 64 hexadecimal digits")
        if digest in callers:
            raise ValueError(f"{name}: has the token of {callers[digest].name}")
        for key, kinds in (("searches", int), ("jobs", int), ("calls_per_second", (int, float))):
            value = table.get(key, 1)
            if not isinstance(value, kinds) or isinstance(value, bool) or not 0 < value < math.inf:
                raise ValueError(f"{name}: {key} wants a number above 0")
        callers[digest] = Caller(name, table.get("searches"), table.get("jobs"), table.get("calls_per_second"))
    if not callers:
        raise ValueError("holds no token")
    return callers
