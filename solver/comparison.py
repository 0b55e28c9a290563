"""The good moves of a position at visits as equal as a budget allows, so that their values can be compared.

A tree search gives most of its visits to the move it likes, and too few to the others to tell how much worse they are.
So half of the budget is searched as ever; the rest goes to the best few moves, always to the one with the fewest
visits, in the same tree (the idea of sequential halving: Karnin et al. 2013).

Where the search has looked a round ahead (docs/search.md), simulations do not tell which move is best: most of them do
not find the turn that was planned. Then they tell what a move brings to the others, and what the best one brings; how
much less another one brings to the player to move is found by looking ahead from the best turns of each.
"""
from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.mcts import Search
from engines.advice import Choice
from solver.analysis import Analysis
from solver.findings import CONFIDENCE, MoveSums

FEWEST = 16  # visits a move gets at a time
PORTION = 24  # of the visits so far, the part a move gets at a time
PLAN_SHARE = 0.6  # of the time of a plan, where some is wanted to look ahead from each move
LOOK_TIME = 0.4  # part of the time then left for that
LOOK_PART = 0.5  # of the positions looked at for the plan, those looked at for that


@dataclass(frozen=True)
class Later:
    """What a move is worth a round later.

    end: the best end of its turn, by number. points: of the player to move. error: standard error of their difference
    from those of the best move.
    """

    end: int
    points: float
    error: float


def compare(analysis: Analysis, most: int, also: Sequence[int] = ()) -> list[Choice]:
    """Search a position with one tree and return its `most` best moves, and those in `also`, the best first.

    Where the position is solved, those are its best moves by exact value.
    """
    if analysis.solve():
        ranked = analysis.ranked()
        chosen = [*ranked[:most], *(sums for sums in ranked[most:] if sums.code in also)]
        return _choices(analysis, chosen)
    analysis.plan(share=PLAN_SHARE)
    search = analysis.search
    limit = analysis.visits
    codes = list(dict.fromkeys([*search.preferred()[:most], *also]))
    later = _look_ahead(analysis, search, codes) if search.settled else {}
    if not later:
        now = time.monotonic()
        search.run(max(1, limit // 2), now + (analysis.deadline - now) / 2)
        codes = list(dict.fromkeys([*(sums.code for sums in analysis.ranked()[:most]), *also]))
    # What is stopped answers with what it has: at least one simulation.
    ended = search.visits >= limit or bool(search.visits and analysis.control.stopped)
    while not ended:
        visits = {sums.code: sums.visits for sums in analysis.ranked()}
        least = min(codes, key=lambda code: visits[code])
        share = min(max(FEWEST, search.visits // PORTION), limit - search.visits)
        reason = search.run(visits[least] + share, analysis.deadline, least)
        ended = reason != "visits" or search.visits >= limit or analysis.control.stopped
    sums = {entry.code: entry for entry in analysis.ranked()}
    found = [sums[code] for code in codes if sums[code].visits]
    choices = _looked_ahead(analysis, found, later, search.stake) if later else _choices(analysis, found)
    mover = analysis.position.state.to_move
    return sorted(choices, key=lambda choice: -lower_bound(choice, mover, analysis.objective))


def _look_ahead(analysis: Analysis, search: Search, codes: Sequence[int]) -> dict[int, Later]:
    """Return what each of some moves is worth a round later; nothing where the time was too short for all."""
    now = time.monotonic()
    until = now + LOOK_TIME * (analysis.deadline - now)
    reach, rows = search.look_ahead(list(codes), int(LOOK_PART * analysis.planned), until)
    return later_of(codes, reach, rows) if rows else {}


def later_of(codes: Sequence[int], reach: Sequence[Sequence[int]], rows: Sequence[Sequence[float]]) -> dict[int, Later]:
    """Return what each move is worth by the points of ends over some draws.

    reach: numbers of the ends that each move comes to. rows: per draw, the points after each end.
    """
    means = [fmean(column) for column in zip(*rows, strict=True)]
    ends = [max(numbers, key=lambda end: means[end]) for numbers in reach]
    best = max(ends, key=lambda end: means[end])
    errors = [0.0] * len(means)
    n = len(rows)
    if n > 1:  # else nothing was left to chance
        wider = math.sqrt((n - 1) / (n - 3))  # the standard deviation of Student's t, as the errors are estimates
        errors = [wider * stdev(row[end] - row[best] for row in rows) / math.sqrt(n) for end in range(len(means))]
    return {code: Later(end, means[end], errors[end]) for code, end in zip(codes, ends, strict=True)}


def _looked_ahead(
    analysis: Analysis, found: Sequence[MoveSums], later: dict[int, Later], stake: float
) -> list[Choice]:
    """Return the choices, with points of the player to move that differ as what they are worth a round later does.

    Moves with the same best end are told the same.
    """
    mover = analysis.position.state.to_move
    means = {sums.code: sums.score[mover] / sums.visits for sums in found}
    best = max(means, key=lambda code: later[code].points)
    level = means[best] - later[best].points
    told = [sums.raised(mover, level + later[sums.code].points - means[sums.code], stake) for sums in found]
    first: dict[int, Choice] = {}  # of each end
    choices = []
    for choice in _choices(analysis, told):
        known = later[choice.move]
        sure = first.setdefault(known.end, _less_sure(choice, mover, known.error, stake))
        choices.append(replace(sure, move=choice.move, visits=choice.visits, line=choice.line))
    return choices


def _less_sure(choice: Choice, mover: int, error: float, stake: float) -> Choice:
    """Return a choice whose points have one more error."""
    score_errors, win_errors = list(choice.score_errors), list(choice.win_errors)
    score_errors[mover] = math.hypot(score_errors[mover], error)
    share = choice.wins[mover]
    for player, win in enumerate(choice.wins):
        slope = share * (1 - share if player == mover else win) / stake
        win_errors[player] = math.hypot(win_errors[player], slope * error)
    return replace(choice, score_errors=tuple(score_errors), win_errors=tuple(win_errors))


def outcomes(analysis: Analysis) -> dict[int, Choice]:
    """Search a chance point with one tree and return its outcomes, each with the same share of the budget."""
    if analysis.solve():
        return {choice.move: choice for choice in _choices(analysis, analysis.ranked())}
    search = analysis.search
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
