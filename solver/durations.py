"""Durations as people write them."""
from __future__ import annotations

import re

MAX_TIME_MS = 3_600_000  # the longest search the brain accepts
UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000}


def duration_ms(text: str) -> int:
    """Return the milliseconds of a duration such as "200ms", "1.5s" or "2m", from 1 ms to an hour.

    Raises ValueError for anything else.
    """
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|m)", text.strip(), re.ASCII)
    if match is None:
        raise ValueError(f"{text[:40]!r} is no duration; wants a number and a unit: 200ms, 60s or 2m")
    milliseconds = round(float(match[1]) * UNITS_MS[match[2]])
    if not 1 <= milliseconds <= MAX_TIME_MS:
        raise ValueError(f"{text[:40]!r} is out of range; wants 1ms to {MAX_TIME_MS // 60_000}m")
    return milliseconds
