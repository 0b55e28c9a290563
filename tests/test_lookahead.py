"""Turns planned a round ahead: cython_ext/lookahead.pyx."""
from __future__ import annotations

import math
import threading
import time
from itertools import combinations
from statistics import fmean

import pytest

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.library import Library
from solver.analysis import LEAST_AHEAD, MOST_AHEAD, Control, Limits, analysis_for
from solver.comparison import compare
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
        assert analysis.searches[0].settled == (wanted and count > LEAST_AHEAD)


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
    assert whole.plan(10**6, FOREVER) < 10**5  # its widest beam came to its end
    search = planned(state, positions=10**6)
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


@pytest.mark.parametrize("players", [1, 3])
def test_moves_are_worth_what_their_best_turn_is(players):
    """A move that the plan begins with has the most points of any, and those that were not compared have less."""
    for seed in range(6):
        state = acting(players, seed, range(3, 8))
        search = planned(state)
        search.run(300, FOREVER)
        worth = {move: search.worth(move, PLENTY, FOREVER) for move in state.moves()}
        known = {move: found for move, found in worth.items() if found}
        best = max(visits(search), key=visits(search).get)
        assert known[best][0] == max(points for points, _, _ in known.values())
        compared = [points for points, _, end in known.values() if end >= 0]
        guessed = [points for points, _, end in known.values() if end < 0]
        assert max(guessed, default=-math.inf) <= min(compared)
        assert all(error >= 0 for _, error, _ in known.values())


def test_the_order_of_two_actions_does_not_matter():
    """A plan counts an end for one first move; the other one of two actions that change places is worth as much."""
    shared = 0
    for seed in range(30):
        state = acting(2, seed, range(3, 8), actions=2)
        search = planned(state)
        worth = {move: search.worth(move, PLENTY, FOREVER) for move in state.moves()}
        top = max(points for points, _, _ in filter(None, worth.values()))
        best = [move for move, found in worth.items() if found and found[0] == top]
        both = [(after(state, one, other), after(state, other, one)) for one, other in combinations(best, 2)]
        shared += any(one and other and ENTRY.game.read(one) == ENTRY.game.read(other) for one, other in both)
    assert shared >= 5, shared


@pytest.mark.parametrize("players", [1, 2])
def test_hints_know_what_looking_ahead_found(players):
    """The best move of a comparison is one that is worth most a round later; the others bring as much less."""
    for seed in range(4):
        state = acting(players, seed, range(3, 8))
        request = pb.SuggestRequest(budget=pb.Budget(visits=PLENTY), seed=1)
        analysis = analysis_for(Position(ENTRY, state), request, Control(), Limits(), "", features={"exact": False})
        choices = compare(analysis, 5)
        (search,) = analysis.searches
        assert search.settled
        worth = {choice.move: search.worth(choice.move, PLENTY, FOREVER) for choice in choices}
        best = choices[0]
        for choice in choices[1:]:
            points, error, _ = worth[choice.move] or (-math.inf, 0.0, -1)
            assert points <= worth[best.move][0] + 2 * math.hypot(error, worth[best.move][1])
            assert choice.score_errors[state.to_move] >= error


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
        for seed in range(16):
            state = ENTRY.engine.initial(ENTRY.game, 1, {}, Random(seed))
            dice = Random(seed)
            while state.to_move != GAME_OVER:
                if state.to_move == CHANCE_POINT:
                    state.apply(state.sample(dice))
                    continue
                search = Search(state, viewer=0, seed=seed, memory=4 << 20, score_objective=True)
                search.plan(30_000, FOREVER, ahead=ahead)
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
