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
LEAST_VISITS, MOST_VISITS = 20, 2000


@dataclass(frozen=True)
class Calibration:
    """A map that keeps the order of shares of the win with equal visits; the default changes nothing.

    The odds of every two players are raised to the power `power + power_slope l + power_crowd c`, where l is the
    logarithm of a thousandth of the visits, at least of 20 and at most of 2,000: what was measured; c is that of half
    the number of players. The odds of the player to move also grow by the factor exp(mover + mover_slope l +
    mover_crowd c): the move that looks best is rarely as good as it looks. For two players that is logistic
    regression (Platt scaling; see Guo et al., "On calibration of modern neural networks", 2017). Scores grow by
    `shift` spreads, those of the player to move by `mover_shift`. The spread is multiplied by `scale`, by half the
    number of players to the power `scale_power`, and by exp(scale_slope l).
    """

    power: float = 1.0
    power_slope: float = 0.0
    power_crowd: float = 0.0
    mover: float = 0.0
    mover_slope: float = 0.0
    mover_crowd: float = 0.0
    shift: float = 0.0
    mover_shift: float = 0.0
    scale: float = 1.0
    scale_power: float = 0.0
    scale_slope: float = 0.0

    def wins(self, wins: Sequence[float], visits: int, mover: int) -> list[float]:
        """Return honest shares of the win, which sum to 1.

        visits: simulations behind the means, at least 1. mover: the player to move, from 0.
        """
        power = self._power(visits, len(wins))
        gain = self.mover + self.mover_slope * log_visits(visits) + self.mover_crowd * math.log(len(wins) / 2)
        if (power, gain) == (1, 0):
            return list(wins)
        raised = [unsure(win, visits, len(wins)) ** power for win in wins]
        raised[mover] *= math.exp(gain)
        total = sum(raised)
        return [value / total for value in raised]

    def win_slope(self, win: float, honest: float, visits: int, players: int) -> float:
        """Return how much the honest share changes with the mean: by this factor errors of the mean grow.

        Exact for two players. honest: what `wins` makes of the mean.
        """
        if self == Calibration():
            return 1.0
        win = unsure(win, visits, players)
        return self._power(visits, players) * honest * (1 - honest) / (win * (1 - win))

    def score(self, mean: float, spread: float, to_move: bool, players: int, visits: int) -> tuple[float, float]:
        """Return the honest mean and standard deviation of a player's score.

        to_move: of the player to move. players: at the table. visits: simulations behind mean and spread.
        """
        scale = self.scale * (players / 2) ** self.scale_power * math.exp(self.scale_slope * log_visits(visits))
        return mean + (self.mover_shift if to_move else self.shift) * spread, scale * spread

    def score_error(self, error: float, to_move: bool) -> float:
        """Return the standard error of an honest mean score from that of the mean of the simulations.

        The spread that the mean is moved by is itself an estimate: of normal scores it is independent of the mean, and
        its variance is half as large.
        """
        shift = self.mover_shift if to_move else self.shift
        return error * math.sqrt(1 + shift * shift / 2)

    def _power(self, visits: int, players: int) -> float:
        change = self.power_slope * log_visits(visits) + self.power_crowd * math.log(players / 2)
        return max(0.0, self.power + change)


def log_visits(visits: int) -> float:
    """Return the logarithm of a thousandth of the visits, as far as they count."""
    return math.log(min(max(visits, LEAST_VISITS), MOST_VISITS) / USUAL_VISITS)


def unsure(win: float, visits: int, players: int) -> float:
    """Return a mean with one simulation of equal shares added: no number of simulations makes a win certain."""
    return (win * visits + 1 / players) / (visits + 1)


def read_calibration(path: Path) -> Calibration:
    """Return the calibration in a file; one that changes nothing where there is none."""
    if not path.exists():
        return Calibration()
    figures = tomllib.loads(path.read_text(encoding="utf-8"))["calibration"]
    return Calibration(**figures)
