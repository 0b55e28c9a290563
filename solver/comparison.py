"""The good moves of a position at visits as equal as a budget allows, so that their values can be compared.

A tree search gives most of its visits to the move it likes, and too few to the others to tell how much worse they are.
So half of the budget is searched as ever; the rest goes to the best few moves, always to the one with the fewest
visits, in the same tree (the idea of sequential halving: Karnin et al. 2013).

Where the search has looked a round ahead (docs/search.md), simulations no longer tell which move is best: most of them
do not find the turn that was planned. Then they tell what the best move brings, and looking ahead by how much less the
others bring.
"""
from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.mcts import Search
from engines.advice import Choice
from solver.analysis import Analysis
from solver.findings import CONFIDENCE, MoveSums

FEWEST = 16  # visits a move gets at a time
PORTION = 24  # of the visits so far, the part a move gets at a time
LEAST_PLANNED, PLANNED_PART = 2000, 50  # positions to plan a move's turn: so many, or a part of those looked at so far


def compare(analysis: Analysis, most: int, also: Sequence[int] = ()) -> list[Choice]:
    """Search a position with one tree and return its `most` best moves, and those in `also`, the best first.

    Where the position is solved, those are its best moves by exact value.
    """
    if analysis.solve():
        ranked = analysis.ranked()
        chosen = [*ranked[:most], *(sums for sums in ranked[most:] if sums.code in also)]
        return _choices(analysis, chosen)
    analysis.plan()
    (search,) = analysis.searches
    limit = analysis.visits
    now = time.monotonic()
    search.run(max(1, limit // 2), now + (analysis.deadline - now) / 2)
    codes = list(dict.fromkeys([*(sums.code for sums in analysis.ranked()[:most]), *also]))
    later = _worth(analysis, search, codes) if search.settled else {}
    while search.visits < limit and not analysis.control.stopped:
        visits = {sums.code: sums.visits for sums in analysis.ranked()}
        least = min(codes, key=lambda code: visits[code])
        share = min(max(FEWEST, search.visits // PORTION), limit - search.visits)
        if search.run(visits[least] + share, analysis.deadline, least) != "visits":
            break
    sums = {entry.code: entry for entry in analysis.ranked()}
    found = [sums[code] for code in codes if sums[code].visits]
    later = {code: worth for code, worth in later.items() if sums[code].visits}
    choices = _looked_ahead(analysis, found, later, search.stake) if later else _choices(analysis, found)
    mover = analysis.position.state.to_move
    return sorted(choices, key=lambda choice: -lower_bound(choice, mover, analysis.objective))


def outcomes(analysis: Analysis) -> dict[int, Choice]:
    """Search a chance point with one tree and return its outcomes, each with the same share of the budget."""
    if analysis.solve():
        return {choice.move: choice for choice in _choices(analysis, analysis.ranked())}
    (search,) = analysis.searches
    limit = analysis.visits
    codes = [code for code, _ in analysis.position.state.outcomes()]
    share = max(1, limit // len(codes))
    visits = 0
    while visits < share and not analysis.control.stopped:
        visits = min(share, visits + max(FEWEST, visits))
        # Under a time limit the last round may stop half-way: then some outcomes have had twice the visits of others.
        if any(search.run(visits, analysis.deadline, code) not in ("visits", "time") for code in codes):
            break
        if time.monotonic() >= analysis.deadline:
            break
    return {choice.move: choice for choice in _choices(analysis, [s for s in analysis.ranked() if s.visits])}


def lower_bound(choice: Choice, player: int, objective: pb.Objective.ValueType) -> float:
    """Return the lower end of the 95 % interval of what a player wants."""
    if objective == pb.OBJECTIVE_SCORE:
        return choice.scores[player] - CONFIDENCE * choice.score_errors[player]
    return choice.wins[player] - CONFIDENCE * choice.win_errors[player]


def _worth(analysis: Analysis, search: Search, codes: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Return what moves are worth a round later, in points, with the standard errors; without those not known."""
    positions = max(LEAST_PLANNED, analysis.planned // PLANNED_PART)
    worths = {code: search.worth(code, positions, analysis.deadline) for code in codes}
    return {code: worth[:2] for code, worth in worths.items() if worth}


def _looked_ahead(
    analysis: Analysis, found: Sequence[MoveSums], later: dict[int, tuple[float, float]], stake: float
) -> list[Choice]:
    """Return the choices, with points of the player to move that differ as what they are worth a round later does."""
    mover = analysis.position.state.to_move
    means = {sums.code: sums.score[mover] / sums.visits for sums in found}
    best = max(later, key=lambda code: later[code][0])
    level = means[best] - later[best][0]
    told = [
        sums.raised(mover, level + later[sums.code][0] - means[sums.code], stake) if sums.code in later else sums
        for sums in found
    ]
    return [
        _less_sure(choice, mover, later[choice.move][1], stake) if choice.move in later else choice
        for choice in _choices(analysis, told)
    ]


def _less_sure(choice: Choice, mover: int, error: float, stake: float) -> Choice:
    """Return a choice whose points have one more error."""
    score_errors, win_errors = list(choice.score_errors), list(choice.win_errors)
    score_errors[mover] = math.hypot(score_errors[mover], error)
    share = choice.wins[mover]
    for player, win in enumerate(choice.wins):
        slope = share * (1 - share if player == mover else win) / stake
        win_errors[player] = math.hypot(win_errors[player], slope * error)
    return replace(choice, score_errors=tuple(score_errors), win_errors=tuple(win_errors))


def _choices(analysis: Analysis, found: Sequence[MoveSums]) -> list[Choice]:
    most = max((sums.visits for sums in found), default=0)
    return [_choice(analysis, sums, most) for sums in found]


def _choice(analysis: Analysis, sums: MoveSums, most: int) -> Choice:
    """Return what is told of a move. most: visits of any move it is compared with."""
    n, mover = sums.visits, analysis.position.state.to_move
    calibration = sums.calibrated_by(analysis.calibration)
    wins, scores = sums.estimates(analysis.calibration, mover, most)
    win_errors, score_errors = [], []
    for p, honest in enumerate(wins):
        if sums.exact:
            win_errors.append(0.0)
            score_errors.append(0.0)
            continue
        mean = sums.win[p] / n
        slope = calibration.win_slope(mean, honest, most, len(wins))
        win_errors.append(_error(sums.win_squares[p], mean, n) * slope)
        score_errors.append(calibration.score_error(_error(sums.score_squares[p], sums.score[p] / n, n), p == mover))
    return Choice(
        move=sums.code,
        visits=n,
        line=tuple(code for code, _ in analysis.line(sums.code, n)),
        wins=tuple(wins),
        win_errors=tuple(win_errors),
        scores=tuple(mean for mean, _ in scores),
        score_errors=tuple(score_errors),
        spreads=tuple(spread for _, spread in scores),
    )


def _error(squares: float, mean: float, n: int) -> float:
    """Return the standard error of a mean."""
    return math.sqrt(max(0.0, squares / n - mean * mean) / n)
