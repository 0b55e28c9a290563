"""Collects what is wrong with a message, field by field."""
from __future__ import annotations

from cafebrain.errors import MAX_VIOLATIONS, BrainError, FieldViolation

SHOWN = 60  # characters of a faulty value that are repeated


def shown(value: object) -> str:
    """Return a faulty value as it is repeated to the caller: of a long one only the beginning."""
    text = str(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


class Violations:
    """The faults found in one message; `path` arguments are relative to `root`.

    A codec notes what it finds and calls `check` before anything that relies on the fields noted so far.
    """

    def __init__(self, root: str, reason: str = "INVALID_STATE", what: str = "impossible position") -> None:
        self.root = root
        self.reason = reason
        self.what = what
        self.found: list[FieldViolation] = []
        self.count = 0

    def add(self, path: str, value: object, reason: str) -> None:
        """Note a fault; those beyond MAX_VIOLATIONS are only counted."""
        self.count += 1
        if len(self.found) < MAX_VIOLATIONS:
            field = f"{self.root}.{path}" if path else self.root
            self.found.append(FieldViolation(field, shown(value), reason))

    def in_range(self, path: str, value: int, low: int, high: int) -> bool:
        """Note a fault unless low <= value <= high; return whether it holds."""
        if low <= value <= high:
            return True
        self.add(path, value, f"must be {low} to {high}" if low < high else f"must be {low}")
        return False

    def check(self) -> None:
        """Raise BrainError INVALID_ARGUMENT if anything was noted."""
        if self.found:
            more = f" and {self.count - 1} more" if self.count > 1 else ""
            raise BrainError("INVALID_ARGUMENT", self.reason, f"{self.what}: {self.found[0]}{more}", self.found)
