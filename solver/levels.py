"""Levels of play: how long to search, and how far to stray from the best move.

A weak level searches little and chooses among the moves by the softmax of their values. It overlooks no win in hand and
throws no game away in plain sight: a move that wins at once is made; a move that loses at once, or lets the next player
win at once, is not made while there is another. docs/levels.md has what the levels are worth.
"""
from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from cython_ext.game import State
from cython_ext.sight import in_sight
from solver.findings import MoveSums

SURE_WIN = 0.995  # share of the win from which a move is taken to win
SURE_VISITS = 16  # visits that takes
# The value of each move is mixed with so many visits of the mean less so much of the win: few visits say little, and
# the search tries the better moves first.
DOUBT = 4
REDUCTION = 0.05
REACH = 3  # temperatures by which a move may be worse than the best one


@dataclass(frozen=True)
class Level:
    """A level. temperature: share of the win by which a move may be worse and still be chosen one time in e."""

    visits: int
    temperature: float


LEVELS = (
    Level(20, 0.12),
    Level(70, 0.06),
    Level(140, 0.04),
    Level(230, 0.03),
    Level(380, 0.02),
    Level(800, 0.01),
)


def pick(state: State, ranked: Sequence[MoveSums], by_score: bool, temperature: float, seed: int) -> int:
    """Return the move that is made after a search.

    ranked: what the search says of the moves it considered, the best one first. by_score: it maximised the score.
    temperature: 0 for the best move that is not out of the question.
    """
    sight = in_sight(state) if state.players > 1 else {}
    won = [sums.code for sums in ranked if sight.get(sums.code) == 1]
    if won:
        return won[0]
    left = [sums for sums in ranked if sight.get(sums.code, 0) == 0] or list(ranked)
    if left[0].exact:
        left = [sums for sums in left if sums.exact]
    if temperature == 0 or not left[0].count:
        return left[0].code
    for sums in left:
        if _wins_for_sure(sums, state):
            return sums.code
    values = _values(left, state.to_move, by_score)
    best = max(values)
    weights = [
        math.exp((value - best) / temperature) if value >= best - REACH * temperature else 0.0 for value in values
    ]
    return random.Random(seed).choices([sums.code for sums in left], weights)[0]


def _wins_for_sure(sums: MoveSums, state: State) -> bool:
    sure = sums.exact or sums.visits >= SURE_VISITS
    return state.players > 1 and sure and sums.win[state.to_move] >= SURE_WIN * sums.count


def _values(ranked: Sequence[MoveSums], mover: int, by_score: bool) -> list[float]:
    """Return the share of the win each move is worth; of points so much that the spread of a game is 0.5."""
    count = sum(sums.count for sums in ranked)
    doubt = 0 if ranked[0].exact else DOUBT
    scale = 1.0
    if by_score:
        average = sum(sums.score[mover] for sums in ranked) / count
        squares = sum(sums.score_squares[mover] for sums in ranked) / count
        scale = 0.5 / max(1e-9, math.sqrt(max(0.0, squares - average * average)))
    totals = [sums.score[mover] if by_score else sums.win[mover] for sums in ranked]
    mean = sum(totals) / count - REDUCTION / scale
    return [
        scale * (total + doubt * mean) / (sums.count + doubt) for total, sums in zip(totals, ranked, strict=True)
    ]
