"""Turns planned a round ahead: cython_ext/lookahead.pyx."""
from __future__ import annotations

import math
import threading
import time
from dataclasses import replace
from itertools import combinations
from statistics import fmean

import pytest

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.calibration import Calibration
from engines.library import Library
from solver import comparison
from solver.analysis import LEAST_AHEAD, MOST_AHEAD, Control, Limits, analysis_for
from solver.comparison import Later, compare, later_of
from solver.findings import MoveSums
from solver.positions import Position

ENTRY = Library().entry("cafe", "", "", "set")
FOREVER = math.inf
PLENTY = 60_000  # positions
SAMPLE = 5_000  # positions of one sample at most, by which a limit may be passed


def acting(
    players: int, seed: int, rounds: range, options: dict[str, str] | None = None, actions: int | None = None
) -> State:
    """A position of a turn in a game of the playout policy, in some rounds, with several moves and no action open."""
    dice = Random(seed)
    while True:
        state = ENTRY.engine.initial(ENTRY.game, players, options or {}, dice)
        while state.to_move != GAME_OVER:
            fields = ENTRY.game.read(state)
            turn = state.to_move >= 0 and not fields["bidding"] and not fields["owed"]
            turn = turn and actions in (None, fields["actions"])
            if turn and fields["round"] in rounds and not fields["open"] and len(state.moves()) > 3:
                return state
            state.playout_step(dice)


def planned(state: State, positions: int = PLENTY, deadline: float = FOREVER, seed: int = 1) -> Search:
    search = Search(state, viewer=state.to_move, seed=seed, memory=64 << 20)
    search.plan(positions, deadline, ahead=True)
    return search


def visits(search: Search) -> dict[int, int]:
    return {move: visits for move, visits, *_ in search.root_moves()}


@pytest.mark.parametrize(
    ("players", "options"),
    [
        *((players, {"expresso": expresso}) for players in (1, 2, 3, 4) for expresso in ("false", "true")),
        *((players, {"auction": "true", "expresso": expresso}) for players in (2, 4) for expresso in ("false", "true")),
    ],
    ids=str,
)
def test_settled_while_a_round_follows(players, options):
    for seed in range(3):
        assert planned(acting(players, seed, range(2, 8), options)).settled
        assert not planned(acting(players, seed, range(8, 9), options)).settled


def test_visits_go_by_priors():
    """After 1,000 visits the moves' shares of them are those after 2,000; so what is looked at first has most."""
    for seed in range(5):
        search = planned(acting(2, seed, range(3, 8)))
        search.run(1, FOREVER)
        first = next(move for move, n in visits(search).items() if n)
        search.run(1000, FOREVER)
        some = visits(search)
        search.run(2000, FOREVER)
        assert some[first] == max(some.values())
        assert all(abs(2 * some[move] - n) <= 2 + len(some) / 2 for move, n in visits(search).items())


def test_same_seed_same_plan():
    state = acting(3, 4, range(3, 8))
    one, other = planned(state), planned(state)
    for search in (one, other):
        search.run(300, FOREVER)
    assert one.root_moves() == other.root_moves()


def test_positions_limit_it():
    for seed in range(5):
        state = acting(2, seed, range(3, 8))
        for positions in (20_000, 100_000):
            search = Search(state, viewer=state.to_move, seed=1, memory=64 << 20)
            assert 0 < search.plan(positions, FOREVER, ahead=True) <= positions + SAMPLE


def test_stopped_or_late_it_looks_no_further():
    state = acting(2, 1, range(3, 8))
    late = Search(state, viewer=state.to_move, seed=1, memory=64 << 20)
    assert late.plan(PLENTY, time.monotonic(), ahead=True) == 0
    stopped = Search(state, viewer=state.to_move, seed=1, memory=64 << 20)
    stopped.stop()
    assert stopped.plan(PLENTY, FOREVER, ahead=True) == 0
    assert not late.settled
    assert not stopped.settled


def test_too_few_positions_change_nothing():
    """With what is not enough for a sample of two ends each the search is that of the plan alone."""
    state = acting(2, 1, range(3, 8))
    search = planned(state, positions=600)
    assert not search.settled


@pytest.mark.parametrize(("players", "features", "wanted"), [
    (1, {}, True), (2, {}, True), (4, {}, True), (1, {"ahead": False}, False), (2, {"plan": False}, False),
])  # fmt: skip
def test_the_brain_looks_ahead_with_enough_positions(players, features, wanted):
    state = acting(players, 2, range(3, 8))
    for count in (LEAST_AHEAD - 1, 3 * LEAST_AHEAD):
        request = pb.SuggestRequest(budget=pb.Budget(visits=count), seed=1)
        analysis = analysis_for(Position(ENTRY, state), request, Control(), Limits(), "", features=features)
        analysis.plan()
        assert analysis.search.settled == (wanted and count > LEAST_AHEAD)


def test_stopped_meanwhile_it_ends():
    state = acting(1, 3, range(3, 8))
    search = Search(state, viewer=0, seed=1, memory=64 << 20)
    timer = threading.Timer(0.2, search.stop)
    timer.start()
    assert search.plan(10**9, FOREVER, ahead=True) < 10**9
    timer.join()


def test_forced_visits_go_where_they_are_told():
    search = planned(acting(1, 3, range(3, 8)))
    search.run(100, FOREVER)
    move = min(visits(search), key=visits(search).get)
    search.run(500, FOREVER, move=move)
    assert visits(search)[move] == 500


def test_of_two_moves_allowed_one_is_settled_on():
    state = acting(1, 3, range(3, 8))
    allowed = state.moves()[:2]
    search = Search(state, viewer=0, seed=1, memory=64 << 20, allowed=allowed)
    search.plan(PLENTY, FOREVER, ahead=True)
    search.run(100, FOREVER)
    assert set(visits(search)) == set(allowed)


def test_where_no_round_follows_the_turn_has_all_positions():
    state = acting(2, 1, range(8, 9))
    whole = Search(state, viewer=state.to_move, seed=1, memory=64 << 20)
    assert whole.plan(10**7, FOREVER) < 10**6  # its widest beam came to its end
    search = planned(state, positions=10**7)
    for each in (whole, search):
        each.run(500, FOREVER)
    assert search.root_moves() == whole.root_moves()


def after(state: State, *moves: int) -> State | None:
    """The position after some moves of one player; None where they cannot be made in this order."""
    result = state.copy()
    for move in moves:
        if move not in result.moves() or result.to_move != state.to_move:
            return None
        result.apply(move)
    return result


def looked(search: Search, moves: list[int], positions: int = PLENTY) -> tuple[dict[int, float], dict[int, int]]:
    """Points a round later of the best end of each move's turns, and its number."""
    reach, rows = search.look_ahead(moves, positions, FOREVER)
    means = [fmean(column) for column in zip(*rows, strict=True)]
    ends = {move: max(numbers, key=means.__getitem__) for move, numbers in zip(moves, reach, strict=True)}
    return {move: means[end] for move, end in ends.items()}, ends


@pytest.mark.parametrize("rounds", [range(2, 4), range(5, 8)])
@pytest.mark.parametrize("players", [1, 3])
def test_the_move_settled_on_is_worth_most(players, rounds):
    """Or nearly so: looked at again over other draws, with three ends for each move."""
    for seed in range(4):
        search = planned(acting(players, seed, rounds, actions=(None, 0, 2, 3)[seed % 4]))
        worth, _ = looked(search, search.preferred()[:5], 4 * PLENTY)
        assert worth[search.preferred()[0]] > max(worth.values()) - 1


def test_the_order_of_two_actions_does_not_matter():
    """A plan counts an end for one first move; the other one of two actions that change places comes to it as well."""
    shared = 0
    for seed in range(15):
        state = acting(2, seed, range(3, 8), actions=2)
        search = planned(state)
        moves = search.preferred()[:8]
        _, ends = looked(search, moves)
        for one, other in combinations(moves, 2):
            both = after(state, one, other), after(state, other, one)
            if both[0] and both[1] and ENTRY.game.read(both[0]) == ENTRY.game.read(both[1]):
                shared += ends[one] == ends[other]
    assert shared >= 3, shared


def test_looking_ahead_from_moves_has_limits():
    search = planned(acting(2, 3, range(3, 8)))
    moves = search.preferred()[:3]
    assert search.look_ahead(moves, PLENTY, time.monotonic()) == ([], [])
    assert search.look_ahead(moves, 10, FOREVER) == ([], [])
    assert search.look_ahead(moves, PLENTY, FOREVER) == search.look_ahead(moves, PLENTY, FOREVER)
    with pytest.raises(ValueError, match="no root move"):
        search.look_ahead([*moves, 0xFFFFFFFF], PLENTY, FOREVER)
    unsettled = Search(search_state := acting(2, 3, range(3, 8)), viewer=search_state.to_move, seed=1, memory=64 << 20)
    with pytest.raises(ValueError, match="not looked ahead"):
        unsettled.look_ahead(moves, PLENTY, FOREVER)


@pytest.mark.parametrize(("players", "options"), [
    (1, {}), (2, {}), (4, {"expresso": "true"}), (3, {"auction": "true", "expresso": "true"}),
])  # fmt: skip
@pytest.mark.parametrize("rounds", [range(2, 5), range(5, 8)])
def test_hints_know_what_looking_ahead_found(players, options, rounds):
    """Points differ as those of a look ahead over the same draws do, and shares of the win are shares."""
    for seed in (1, 3):
        state = acting(players, seed, rounds, options, actions=seed)
        request = pb.SuggestRequest(budget=pb.Budget(visits=4 * PLENTY), seed=1)
        analysis = analysis_for(Position(ENTRY, state), request, Control(), Limits(), "", features={"exact": False})
        analysis.calibration = Calibration()
        analysis.plan()
        search = analysis.search
        moves = search.preferred()[:4]
        also = state.moves()[-1:]
        choices = compare(analysis, 4, also)
        assert {choice.move for choice in choices} == {*moves, *also}
        worth, ends = looked(search, list(dict.fromkeys([*moves, *also])), analysis.planned // 2)
        mover, best = state.to_move, max(worth, key=worth.__getitem__)
        told = {choice.move: choice for choice in choices}
        for choice in choices:
            less = told[best].scores[mover] - choice.scores[mover]
            assert less == pytest.approx(worth[best] - worth[choice.move], abs=1e-6)
            assert sum(choice.wins) == pytest.approx(1)
            assert min(choice.wins) >= 0
            if ends[choice.move] == ends[best]:
                assert replace(choice, move=best, visits=0, line=()) == replace(told[best], visits=0, line=())


def test_errors_of_looking_ahead_by_hand():
    """Two ends differ by 1, 2, 3, 6 points over four draws, 3 on average.

    Their variance is (4 + 1 + 0 + 9) / 3, the error of the mean the root of a quarter of it, and Student's t with three
    degrees of freedom has a variance of 3.
    """
    rows = [[10.0, 9.0, 0.0], [20.0, 18.0, 0.0], [30.0, 27.0, 0.0], [40.0, 34.0, 0.0]]
    error = pytest.approx(math.sqrt(14 / 3 / 4 * 3))
    later = later_of([7, 8, 9], [[2, 0], [1, 2], [0]], rows)
    assert later == {7: Later(0, 25, 0), 8: Later(1, 22, error), 9: Later(0, 25, 0)}
    assert later_of([7, 8], [[0], [1, 2]], rows[:1]) == {7: Later(0, 10, 0), 8: Later(1, 9, 0)}  # nothing was drawn


def test_errors_of_looking_ahead_are_told(monkeypatch):
    """Those of the points, and those of shares of the win by what a point is worth."""
    state = acting(2, 1, range(3, 6), actions=3)
    mover = state.to_move
    told = []
    for error in (0.0, 5.0):
        request = pb.SuggestRequest(budget=pb.Budget(visits=PLENTY), seed=1)
        analysis = analysis_for(Position(ENTRY, state), request, Control(), Limits(), "", features={"exact": False})
        monkeypatch.setattr(
            comparison, "_look_ahead",
            lambda analysis, search, codes, error=error: {
                code: Later(number, 50.0 - number, error if number else 0.0) for number, code in enumerate(codes)
            },
        )  # fmt: skip
        told.append({choice.move: choice for choice in compare(analysis, 3)})
        stake = analysis.search.stake
    most = max(choice.scores[mover] for choice in told[0].values())
    for move, sure in told[0].items():
        less_sure = told[1][move]
        added = less_sure.score_errors[mover] ** 2 - sure.score_errors[mover] ** 2
        assert math.sqrt(max(0, added)) == pytest.approx(0 if sure.scores[mover] == most else 5)
        win = less_sure.win_errors[mover] ** 2 - sure.win_errors[mover] ** 2
        share = sure.wins[mover]
        assert math.sqrt(max(0, win)) == pytest.approx(math.sqrt(max(0, added)) * share * (1 - share) / stake, abs=1e-6)


@pytest.mark.parametrize("enough", [True, False])
def test_stopped_while_it_looks_ahead_a_hint_still_answers(monkeypatch, enough):
    state = acting(2, 1, range(3, 6), actions=3)
    request = pb.SuggestRequest(budget=pb.Budget(visits=PLENTY), seed=1)
    look_ahead = comparison._look_ahead

    def stopped(analysis, search, codes):
        found = look_ahead(analysis, search, codes)
        assert found
        analysis.control.stop()
        return found if enough else {}

    monkeypatch.setattr(comparison, "_look_ahead", stopped)
    choices = compare(analysis_for(Position(ENTRY, state), request, Control(), Limits(), ""), 5)
    assert choices
    assert sum(choices[0].wins) == pytest.approx(1)


def test_a_raised_expectation_raises_the_odds():
    """By hand: of 4 simulations with shares of 1, 0, 1, 0 the odds are 1 to 1; three times that is 3 to 1."""
    known = MoveSums(7, 4, [2.0, 2.0], [2.0, 2.0], [100.0, 80.0], [2504.0, 1700.0])
    raised = known.raised(0, 5 * math.log(3), 5.0)
    assert raised.win == pytest.approx([3, 1])
    # The odds are three times as high, so the share grows by 3 / (1 - share + 3 share)^2 = 3/4 as fast where it is 1/2.
    assert [squares - 4 * (win / 4) ** 2 for squares, win in zip(raised.win_squares, raised.win, strict=True)] == (
        pytest.approx([9 / 16, 9 / 16])
    )
    assert raised.score == pytest.approx([100 + 20 * math.log(3), 80])
    assert raised.score_squares[0] / 4 - (raised.score[0] / 4) ** 2 == pytest.approx(2504 / 4 - 25**2)
    assert raised.score_squares[1] == 1700


def test_plans_better_than_the_turn_alone():
    """Played alone, the order of the cards unknown, each move the first of its plan."""
    ends = []
    for ahead in (False, True):
        points = []
        for seed in range(8):
            state = ENTRY.engine.initial(ENTRY.game, 1, {}, Random(seed))
            dice = Random(seed)
            while state.to_move != GAME_OVER:
                if state.to_move == CHANCE_POINT:
                    state.apply(state.sample(dice))
                    continue
                search = Search(state, viewer=0, seed=seed, memory=4 << 20, score_objective=True)
                search.plan(12_000, FOREVER, ahead=ahead)
                search.run(1, FOREVER)
                state.apply(next(move for move, n in visits(search).items() if n))
            points.append(state.returns()[1][0])
        ends.append(fmean(points))
    assert ends[1] > ends[0], ends


@pytest.mark.parametrize(("budget", "watched"), [({"time_ms": 3_600_000}, True), ({"visits": 10**7}, False)])
def test_a_long_search_is_not_planned_for_long(budget, watched):
    """Not while somebody watches it; nor with a limit of visits, which must not depend on who watches."""
    state = acting(2, 2, range(3, 8))
    request = pb.SuggestRequest(budget=pb.Budget(**budget), seed=1)
    analysis = analysis_for(Position(ENTRY, state), request, Control(), Limits(), "")
    analysis.plan(watched)
    assert 0 < analysis.planned <= MOST_AHEAD + SAMPLE


def test_watched_or_not_equal_visits_are_planned_alike():
    state = acting(2, 2, range(3, 8))
    request = pb.SuggestRequest(budget=pb.Budget(visits=3 * LEAST_AHEAD), seed=1)
    planned = []
    for watched in (False, True):
        analysis = analysis_for(Position(ENTRY, state), request, Control(), Limits(), "")
        analysis.plan(watched)
        planned.append(analysis.planned)
    assert planned[0] == planned[1]


def test_an_open_deck_is_looked_at_once():
    state = ENTRY.engine.initial(ENTRY.game, 1, {"open_deck": "true"}, Random(5))
    search = Search(state, viewer=0, seed=1, memory=64 << 20)
    assert search.plan(10**7, FOREVER, ahead=True) < 10**6
    assert search.settled
