"""Levels of play: how long to search, and how far to stray from the best move.

A weak level searches little and chooses among the moves by the softmax of their values. It never strays from a win in
hand: a move that wins the game at once, or a move that the search sees win for sure.
The levels have not been measured against each other yet; nothing says how far apart they are.
"""
from __future__ import annotations

import math
import random
from dataclasses import dataclass

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import GAME_OVER, State
from solver.analysis import Analysis, Control, Limits, MoveSums, analysis_for
from solver.positions import Position, invalid

SURE_WIN = 0.995  # share of the win from which a move is taken to win
SURE_VISITS = 16  # visits that takes


@dataclass(frozen=True)
class Level:
    """A level. temperature: share of the win by which a move may be worse and still be chosen one time in e."""

    visits: int
    temperature: float


LEVELS = (Level(60, 0.12), Level(300, 0.06), Level(1500, 0.03), Level(6000, 0.01), Level(25_000, 0.0))


def choose(position: Position, level: int, seed: int, control: Control, limits: Limits, version: str) -> int:
    """Return the move that a level (from 1) makes for the player to move.

    Raises BrainError INVALID_ARGUMENT where there is no such level, FAILED_PRECONDITION where no player is to move.
    """
    if not 1 <= level <= len(LEVELS):
        raise invalid("level", level, f"must be 1 to {len(LEVELS)}")
    chosen = LEVELS[level - 1]
    request = pb.SuggestRequest(budget=pb.Budget(visits=chosen.visits), seed=seed)
    analysis = analysis_for(position, request, control, limits, version)
    winning = _wins_at_once(position.state)
    if winning is not None:
        return winning
    analysis.run()
    ranked = [sums for sums in analysis.ranked() if sums.count]
    best = ranked[0]
    if chosen.temperature == 0 or _wins_for_sure(best, position.state):
        return best.code
    for sums in ranked:
        if _wins_for_sure(sums, position.state):
            return sums.code
    values = [_value(sums, analysis) for sums in ranked]
    weights = [math.exp((value - max(values)) / chosen.temperature) for value in values]
    return random.Random(seed).choices([sums.code for sums in ranked], weights)[0]


def _wins_at_once(state: State) -> int | None:
    """Return a move after which the game is over and won alone; None where there is none, or nobody to win against."""
    if state.players == 1:
        return None
    for move in state.moves():
        after = state.copy()
        after.apply(move)
        if after.to_move == GAME_OVER and after.returns()[0][state.to_move] == 1:
            return move
    return None


def _wins_for_sure(sums: MoveSums, state: State) -> bool:
    sure = sums.exact or sums.visits >= SURE_VISITS
    return state.players > 1 and sure and sums.win[state.to_move] >= SURE_WIN * sums.count


def _value(sums: MoveSums, analysis: Analysis) -> float:
    """Return the share of the win a move is worth; alone its points, so scaled that the spread of a game is 0.5."""
    mover = analysis.position.state.to_move
    if analysis.objective != pb.OBJECTIVE_SCORE:
        return sums.win[mover] / sums.count
    mean = sums.score[mover] / sums.count
    total = sum(entry.count for entry in analysis.ranked())
    squares = sum(entry.score_squares[mover] for entry in analysis.ranked()) / total
    average = sum(entry.score[mover] for entry in analysis.ranked()) / total
    return 0.5 * mean / max(1e-9, math.sqrt(max(0.0, squares - average * average)))
