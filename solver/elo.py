"""What the results of a match prove: intervals, Elo differences and the sequential probability ratio test.

The samples are the results of pairs of games that share their draws, so that the games of a pair need not be
independent; the pairs are.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z95 = 1.959964  # standard errors on either side of a normal 95 % interval
PSEUDO = (0.0, 0.0, 1.0, 1.0)  # added to rates, see `rate_interval`
PSEUDO_SUM, PSEUDO_SQUARES = sum(PSEUDO), sum(value * value for value in PSEUDO)


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def expected_rate(elo: float) -> float:
    """Return the score rate that goes with an Elo difference (logistic, 400 points for odds of 10)."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_difference(rate: float) -> float:
    """Return the Elo difference that goes with a score rate, 0 to 1; infinite at the ends."""
    if rate <= 0 or rate >= 1:
        return math.copysign(math.inf, rate - 0.5)
    return -400 * math.log10(1 / rate - 1)


def elo_interval(rate: Interval) -> Interval:
    """Return the Elo difference that goes with a score rate and its interval."""
    return Interval(elo_difference(rate.value), elo_difference(rate.low), elo_difference(rate.high))


def mean_interval(samples: Sequence[float]) -> Interval:
    """Return the mean of independent samples, at least one, with its normal interval; infinite for a single one."""
    n = len(samples)
    mean = sum(samples) / n
    if n == 1:
        return Interval(mean, -math.inf, math.inf)
    variance = sum((sample - mean) ** 2 for sample in samples) / (n - 1)
    margin = Z95 * math.sqrt(variance / n)
    return Interval(mean, mean - margin, mean + margin)


def rate_interval(samples: Sequence[float]) -> Interval:
    """Return the mean of independent samples from 0 to 1, at least one, with an interval.

    The interval is that of the samples with two zeros and two ones added (Agresti & Coull, "Approximate is better than
    exact", 1998): it does not shrink to nothing where all samples are equal. The mean is that of the samples alone.
    """
    n = len(samples) + len(PSEUDO)
    total = sum(samples) + PSEUDO_SUM
    center = total / n
    variance = (sum(sample * sample for sample in samples) + PSEUDO_SQUARES) / n - center * center
    margin = Z95 * math.sqrt(variance / n)
    mean = sum(samples) / len(samples)
    return Interval(mean, min(mean, max(0.0, center - margin)), max(mean, min(1.0, center + margin)))


class Sprt:
    """Whether an Elo difference is `elo0` or `elo1`: a generalised sequential probability ratio test.

    The log-likelihood ratio is the normal approximation of M. Van den Bergh, "A practical introduction to the GSPRT",
    which the test site of Stockfish, fishtest, uses on pairs of games: with n pairs of mean m and variance v,
    n (s1 - s0) (2 m - s0 - s1) / (2 v) for the score rates s0 and s1 that go with the two differences. The variance is
    that with two lost and two won pairs added, so that a few equal results prove nothing yet. Errors of either kind are
    5 %.

    Raises ValueError unless elo0 is less than elo1.
    """

    error = 0.05
    upper = math.log((1 - error) / error)
    lower = -upper

    def __init__(self, elo0: float, elo1: float) -> None:
        if not elo0 < elo1:
            raise ValueError(f"the first Elo difference must be less than the second, not {elo0:g} and {elo1:g}")
        self.elo0, self.elo1 = elo0, elo1
        self._rate0, self._rate1 = expected_rate(elo0), expected_rate(elo1)
        self._n, self._sum, self._squares = 0, 0.0, 0.0

    def add(self, sample: float) -> None:
        """Take in the result of a pair, 0 to 1."""
        self._n += 1
        self._sum += sample
        self._squares += sample * sample

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of elo1 to elo0."""
        if self._n == 0:
            return 0.0
        n = self._n + len(PSEUDO)
        variance = (self._squares + PSEUDO_SQUARES) / n - ((self._sum + PSEUDO_SUM) / n) ** 2
        mean = self._sum / self._n
        return self._n * (self._rate1 - self._rate0) * (2 * mean - self._rate0 - self._rate1) / (2 * variance)

    @property
    def verdict(self) -> str:
        """"accepted" for elo1, "rejected" for elo0, or "open"."""
        if self.llr >= self.upper:
            return "accepted"
        return "rejected" if self.llr <= self.lower else "open"
