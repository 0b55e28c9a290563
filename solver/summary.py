"""What scores on many decks come to."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, quantiles, stdev

from solver.findings import CONFIDENCE


@dataclass(frozen=True)
class Distribution:
    """Some numbers in short."""

    count: int
    mean: float
    error: float | None  # half the width of the 95 % interval of the mean, normal; None for one number
    spread: float | None  # standard deviation
    least: float
    quartiles: tuple[float, float, float]
    most: float


def distribution(values: Sequence[float]) -> Distribution:
    """Return numbers, at least one, in short."""
    spread = stdev(values) if len(values) > 1 else None
    quarters = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return Distribution(
        count=len(values),
        mean=fmean(values),
        error=None if spread is None else CONFIDENCE * spread / math.sqrt(len(values)),
        spread=spread,
        least=min(values),
        quartiles=(quarters[0], quarters[1], quarters[2]),
        most=max(values),
    )
