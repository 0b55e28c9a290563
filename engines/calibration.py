"""From the means of a search to honest figures: what the simulations say is not what comes out in real games.

Simulations are weaker play than a game is, so a search is too sure or not sure enough of a win, and its scores are too
low. How much is measured on games that the search plays against itself (bench/calibration.py).
"""
from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

USUAL_VISITS = 1000


@dataclass(frozen=True)
class Calibration:
    """A map that keeps the order of values, with four figures; the default changes nothing.

    The odds of every two players are raised to the power `power + slope ln(visits / 1000)` (temperature scaling; for
    two players that is logistic regression without an intercept: Guo et al., "On calibration of modern neural
    networks", 2017). Scores grow by `shift` spreads, and the spread is multiplied by `scale`.
    """

    power: float = 1.0
    slope: float = 0.0
    shift: float = 0.0
    scale: float = 1.0

    def wins(self, wins: Sequence[float], visits: int) -> list[float]:
        """Return honest shares of the win, which sum to 1. visits: simulations behind the means, at least 1."""
        power = self._power(visits)
        if power == 1:
            return list(wins)
        raised = [unsure(win, visits, len(wins)) ** power for win in wins]
        total = sum(raised)
        return [value / total for value in raised]

    def win_slope(self, win: float, honest: float, visits: int, players: int) -> float:
        """Return how much the honest share changes with the mean: by this factor errors of the mean grow.

        Exact for two players. honest: what `wins` makes of the mean.
        """
        power = self._power(visits)
        if power == 1:
            return 1.0
        win = unsure(win, visits, players)
        return power * honest * (1 - honest) / (win * (1 - win))

    def _power(self, visits: int) -> float:
        return max(0.0, self.power + self.slope * math.log(visits / USUAL_VISITS))

    def score(self, mean: float, spread: float) -> tuple[float, float]:
        """Return the honest mean and standard deviation of a score."""
        return mean + self.shift * spread, self.scale * spread


def unsure(win: float, visits: int, players: int) -> float:
    """Return a mean with one simulation of equal shares added: no number of simulations makes a win certain."""
    return (win * visits + 1 / players) / (visits + 1)


def read_calibration(path: Path) -> Calibration:
    """Return the calibration in a file; one that changes nothing where there is none."""
    if not path.exists():
        return Calibration()
    figures = tomllib.loads(path.read_text(encoding="utf-8"))["calibration"]
    return Calibration(**figures)
