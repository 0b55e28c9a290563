"""Classes of moves, from best to blunder, by what a move loses against the best one."""
from __future__ import annotations

import math
from dataclasses import dataclass

from cafebrain.v1 import brain_service_pb2 as pb
from engines.advice import Choice

CLASSES = (
    pb.MOVE_CLASS_BEST,
    pb.MOVE_CLASS_GOOD,
    pb.MOVE_CLASS_INACCURACY,
    pb.MOVE_CLASS_MISTAKE,
    pb.MOVE_CLASS_BLUNDER,
)
# The most that each class but the last may lose, beyond the noise of the search: shares of the win, and points in
# standard deviations of the final score. Chosen by hand: chess sites draw the last three lines at 5, 10 and 15 % of
# the win, but the values of this search lie closer together than those of a perfect one.
WIN_LIMITS = (0.005, 0.03, 0.07, 0.14)
SCORE_LIMITS = (0.05, 0.2, 0.45, 0.9)
SHARE_PER_SPREAD = WIN_LIMITS[-1] / SCORE_LIMITS[-1]  # what counts in a game for one as much as a share of the win


@dataclass(frozen=True)
class Loss:
    """What a move loses against the best one."""

    win: float  # share of the win, at least 0
    score: float  # points; below 0 where it gains some
    sure: float  # what is beyond noise, at least 0: share of the win, in a game for one points on the same scale
    move_class: pb.MoveClass.ValueType


def loss_of(choice: Choice, best: Choice, player: int) -> Loss:
    """Return what a player loses with a move; one standard error of the difference is taken to be noise.

    Points alone make a move at most one class worse than the win does: a move that gives up points to win more often
    is no blunder. In a game for one only the points count.
    """
    win = best.wins[player] - choice.wins[player]
    score = best.scores[player] - choice.scores[player]
    sure_win = win - math.hypot(best.win_errors[player], choice.win_errors[player])
    sure_score = score - math.hypot(best.score_errors[player], choice.score_errors[player])
    by_win = sum(sure_win > limit for limit in WIN_LIMITS)
    by_score = sum(sure_score > limit * max(best.spreads[player], 1e-9) for limit in SCORE_LIMITS)
    sure = sure_win
    if choice.move == best.move:
        index, sure = 0, 0.0
    elif len(choice.wins) == 1:
        index, sure = by_score, sure_score / max(best.spreads[player], 1e-9) * SHARE_PER_SPREAD
    else:
        index = max(by_win, min(by_score, by_win + 1))
    return Loss(max(0.0, win), score, max(0.0, sure), CLASSES[index])
