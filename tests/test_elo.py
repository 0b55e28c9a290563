"""Statistics of matches, against hand arithmetic, an exact likelihood ratio and simulation."""
from __future__ import annotations

import math
import random

import pytest

from solver.elo import Sprt, elo_difference, elo_interval, expected_rate, mean_interval, rate_interval


def test_elo_by_hand() -> None:
    """Odds of 3 to 1 are 400 log10 3 points."""
    assert elo_difference(0.75) == pytest.approx(190.848502)
    assert elo_difference(0.25) == pytest.approx(-190.848502)
    assert elo_difference(1) == math.inf
    assert elo_difference(0) == -math.inf
    assert expected_rate(400) == pytest.approx(10 / 11)
    assert expected_rate(elo_difference(0.6)) == pytest.approx(0.6)


def test_intervals_by_hand() -> None:
    """1, 2, 3, 4 have the variance 5/3. Seven ones of ten: 9 of 14 with two of each added."""
    found = mean_interval([1, 2, 3, 4])
    assert (found.value, found.low, found.high) == pytest.approx((2.5, 2.5 - 1.265153, 2.5 + 1.265153), abs=1e-5)
    assert mean_interval([3]).high == math.inf
    found = rate_interval([1] * 7 + [0] * 3)
    assert (found.value, found.low, found.high) == pytest.approx((0.7, 0.391865, 0.893849), abs=1e-5)
    found = rate_interval([1] * 10)
    assert (found.value, found.low, found.high) == pytest.approx((1, 0.673843, 1), abs=1e-5)
    elo = elo_interval(found)
    assert elo.low == pytest.approx(400 * math.log10(0.673843 / 0.326157), abs=0.01)
    assert elo.high == math.inf


@pytest.mark.parametrize("weights", [(1, 0, 0, 0, 1), (1, 2, 5, 4, 3), (0, 0, 1, 2, 20)])
@pytest.mark.parametrize("pairs", [20, 200])
def test_the_interval_holds_the_truth_as_often_as_it_says(weights: tuple[int, ...], pairs: int) -> None:
    values = (0, 0.25, 0.5, 0.75, 1)
    truth = sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
    dice = random.Random(1)
    held = 0
    for _ in range(2000):
        found = rate_interval(dice.choices(values, weights, k=pairs))
        held += found.low <= truth <= found.high
    assert 0.93 <= held / 2000 <= 0.985


def exact_llr(counts: dict[float, int], rate0: float, rate1: float) -> float:
    """Maximise the likelihood of multinomial counts under each mean and return the log of the ratio.

    With a Lagrange multiplier x for the mean s, the probabilities are count / n / (1 + x (value - s)).
    """
    n = sum(counts.values())

    def log_likelihood(rate: float) -> float:
        low, high = -1 / (1 - rate) + 1e-9, 1 / rate - 1e-9
        for _ in range(200):
            x = (low + high) / 2
            excess = sum(count * (value - rate) / (1 + x * (value - rate)) for value, count in counts.items())
            low, high = (x, high) if excess > 0 else (low, x)
        return sum(count * math.log(count / n / (1 + x * (value - rate))) for value, count in counts.items())

    return log_likelihood(rate1) - log_likelihood(rate0)


def test_the_likelihood_ratio_is_near_the_exact_one() -> None:
    counts = {0.0: 60, 0.25: 190, 0.5: 480, 0.75: 230, 1.0: 80}
    for elo0, elo1 in ((0, 10), (-5, 15), (10, 30)):
        test = Sprt(elo0, elo1)
        for value, count in counts.items():
            for _ in range(count):
                test.add(value)
        exact = exact_llr(counts, expected_rate(elo0), expected_rate(elo1))
        assert test.llr == pytest.approx(exact, rel=0.03, abs=0.02)


def test_the_likelihood_ratio_by_hand() -> None:
    """Eight won and two lost pairs, with two of each added ten of fourteen; the rate at 400 Elo is 10/11."""
    test = Sprt(0, 400)
    for value in [1] * 8 + [0] * 2:
        test.add(value)
    rate = 10 / 11
    variance = 10 / 14 * 4 / 14
    assert test.llr == pytest.approx(10 * (rate - 0.5) * (1.6 - 0.5 - rate) / (2 * variance))
    assert Sprt(0, 400).llr == 0


def test_few_equal_results_prove_nothing() -> None:
    test = Sprt(0, 10)
    for _ in range(5):
        test.add(1)
    assert test.verdict == "open"


@pytest.mark.parametrize(("elo", "wrong"), [(0, "accepted"), (80, "rejected")])
def test_the_test_errs_as_seldom_as_it_says(elo: float, wrong: str) -> None:
    """Simulated matches at either hypothesis: 5 % of errors, and the test comes to an end."""
    dice = random.Random(2)
    rate = expected_rate(elo)
    errors = 0
    for _ in range(400):
        test = Sprt(0, 80)
        while test.verdict == "open":
            test.add(((dice.random() < rate) + (dice.random() < rate)) / 2)
        errors += test.verdict == wrong
    assert errors / 400 <= 0.075


def test_the_differences_are_in_order() -> None:
    with pytest.raises(ValueError, match="must be less"):
        Sprt(10, 10)
