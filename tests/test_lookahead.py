"""Turns planned a round ahead: cython_ext/lookahead.pyx."""
from __future__ import annotations

import math
import threading
import time
from statistics import fmean

import pytest

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.library import Library
from solver.analysis import LEAST_AHEAD, MOST_AHEAD, Control, Limits, analysis_for
from solver.positions import Position

ENTRY = Library().entry("cafe", "", "", "set")
FOREVER = math.inf
PLENTY = 60_000  # positions
SAMPLE = 5_000  # positions of one sample at most, by which a limit may be passed


def acting(players: int, seed: int, rounds: range, options: dict[str, str] | None = None) -> State:
    """A position of a game of the playout policy in some rounds, with several moves and no action open."""
    dice = Random(seed)
    while True:
        state = ENTRY.engine.initial(ENTRY.game, players, options or {}, dice)
        while state.to_move != GAME_OVER:
            fields = ENTRY.game.read(state)
            if state.to_move >= 0 and fields["round"] in rounds and not fields["open"] and len(state.moves()) > 3:
                return state
            state.playout_step(dice)


def planned(state: State, positions: int = PLENTY, deadline: float = FOREVER, seed: int = 1) -> Search:
    search = Search(state, viewer=state.to_move, seed=seed, memory=64 << 20)
    search.plan(positions, deadline, ahead=True)
    return search


def visits(search: Search) -> dict[int, int]:
    return {move: visits for move, visits, *_ in search.root_moves()}


@pytest.mark.parametrize("options", [{}, {"expresso": "true"}], ids=str)
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_settled_while_a_round_follows(players, options):
    for seed in range(3):
        assert planned(acting(players, seed, range(2, 8), options)).settled
        assert not planned(acting(players, seed, range(8, 9), options)).settled


def test_an_auction_is_not_looked_over():
    """The next round begins with it, and a plan knows no other players."""
    for seed in range(3):
        assert not planned(acting(2, seed, range(2, 8), {"auction": "true"})).settled


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


def test_a_long_search_is_not_planned_for_long():
    state = acting(2, 2, range(3, 8))
    request = pb.SuggestRequest(budget=pb.Budget(time_ms=3_600_000), seed=1)
    analysis = analysis_for(Position(ENTRY, state), request, Control(), Limits(), "")
    analysis.plan()
    assert 0 < analysis.planned <= MOST_AHEAD + SAMPLE


def test_an_open_deck_is_looked_at_once():
    state = ENTRY.engine.initial(ENTRY.game, 1, {"open_deck": "true"}, Random(5))
    search = Search(state, viewer=0, seed=1, memory=64 << 20)
    assert search.plan(10**7, FOREVER, ahead=True) < 10**6
    assert search.settled
