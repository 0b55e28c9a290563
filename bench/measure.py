"""What a benchmark yields, how it is timed, and the C code it is measured against."""
from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "bench"


@dataclass(frozen=True)
class Figure:
    """One line of the report.

    value: None where it could not be measured; `note` then says why.
    low, high: the range of the samples of which `value` is the median.
    least, most: what is wanted.
    check: the value does not depend on the machine, so that missing what is wanted is a fault.
    wants_idle: the value says nothing where other processes take the cores away.
    """

    name: str
    value: float | str | None
    unit: str = ""
    low: float | None = None
    high: float | None = None
    least: float | None = None
    most: float | None = None
    check: bool = False
    wants_idle: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the value is as wanted; None where nothing is wanted or nothing was measured."""
        if not isinstance(self.value, int | float) or self.least is self.most is None:
            return None
        return (self.least is None or self.value >= self.least) and (self.most is None or self.value <= self.most)


@dataclass(frozen=True)
class Plan:
    """How thoroughly to measure, and whom to tell what is being measured now."""

    quick: bool
    announce: Callable[[str], None]

    def times(self, full: int, quick: int) -> int:
        """Return how many repeats, or how much work, it shall be."""
        return quick if self.quick else full


def from_samples(
    name: str,
    samples: Sequence[float],
    unit: str,
    least: float | None = None,
    most: float | None = None,
    wants_idle: bool = False,
    note: str = "",
) -> Figure:
    """Return the median of the samples with their range."""
    low, high = min(samples), max(samples)
    value = median(samples)
    return Figure(name, value, unit, low, high, least=least, most=most, wants_idle=wants_idle, note=note)


def rate(work: Callable[[], float], clock: Callable[[], float] = time.thread_time) -> float:
    """Return the amount of work that `work` reports, per second.

    The default clock counts this thread's time on a processor, so that other load on the machine disturbs little.
    """
    start = clock()
    amount = work()
    return amount / (clock() - start)


def wall_rate(work: Callable[[], float]) -> float:
    """Return the amount of work per second as it passes: for work on several threads."""
    return rate(work, time.perf_counter)


def alternate(
    first: Callable[[], float], second: Callable[[], float], repeats: int
) -> tuple[list[float], list[float], list[float]]:
    """Take samples of both in turn, so that a change of the machine's load meets both.

    Returns the samples of the first, of the second, and the ratios first to second of neighbours.
    """
    pairs = [(first(), second()) for _ in range(repeats)]
    return [a for a, _ in pairs], [b for _, b in pairs], [a / b for a, b in pairs]


def cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0))


def compiled(source: str, *options: str) -> Path | None:
    """Compile a C file of bench/ with -O3 and return the result; None where there is no C compiler.

    Raises subprocess.CalledProcessError where it does not compile.
    """
    compiler = next(filter(None, map(shutil.which, ("gcc", "cc"))), None)
    if compiler is None:
        return None
    BUILD.mkdir(parents=True, exist_ok=True)
    target = BUILD / Path(source).stem
    with TemporaryDirectory(dir=BUILD) as folder:  # others may be using the target
        made = Path(folder) / target.name
        subprocess.run([compiler, "-O3", ROOT / "bench" / source, "-o", made, *options], check=True)
        made.replace(target)
    return target
