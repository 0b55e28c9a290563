"""Turns planned before the search, against plain recursion over all orders of moves."""
from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import islice

import pytest

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.library import Library
from solver.analysis import Control, Limits, analysis_for
from solver.comparison import compare
from solver.positions import Position

LIBRARY = Library()
ENTRY = LIBRARY.entry("cafe", "", "", "set")
FOREVER = math.inf
PLENTY = 100_000  # positions


def acting(players: int, seed: int, actions: int, options: dict[str, str] | None = None) -> State:
    """A position of a game of the playout policy, in which so many actions are left and none is open."""
    state = ENTRY.engine.initial(ENTRY.game, players, options or {}, Random(seed))
    dice = Random(seed)
    while True:
        fields = ENTRY.game.read(state)
        if fields["round"] >= 4 and fields["actions"] == actions and not fields["open"] and len(state.moves()) > 3:
            return state
        state.playout_step(dice)
        if state.to_move == GAME_OVER:
            state, dice = ENTRY.engine.initial(ENTRY.game, players, options or {}, dice), Random(dice.below(1 << 31))


def search_of(state: State, **given) -> Search:
    return Search(state, viewer=state.to_move, seed=1, memory=64 << 20, **given)


def first_tried(state: State, positions: int, **given) -> int:
    """The root move that the search looks at first."""
    search = search_of(state, **given)
    search.plan(positions, FOREVER)
    search.run(1, FOREVER)
    return next(move for move, visits, *_ in search.root_moves() if visits)


def best_ends(state: State) -> dict[int, float]:
    """The most points the player to move can expect at the end of the turn, by first move."""
    player, known = state.to_move, {}

    def best(now: State) -> float:
        if now.to_move != player or ENTRY.game.read(now)["round"] != ENTRY.game.read(state)["round"]:
            return now.returns()[1][player] if now.to_move == GAME_OVER else now.evaluate()[1][player]
        key = bytes(now)
        if key not in known:
            known[key] = max(best(after(now, move)) for move in now.moves())
        return known[key]

    return {move: best(after(state, move)) for move in state.moves()}


def after(state: State, move: int) -> State:
    child = state.copy()
    child.apply(move)
    return child


@pytest.mark.parametrize(("players", "actions"), [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 2)])
def test_the_search_begins_with_the_best_end_of_the_turn(players, actions):
    lost = []
    for seed in range(6):
        state = acting(players, seed, actions)
        values = best_ends(state)
        lost.append(max(values.values()) - values[first_tried(state, PLENTY)])
    # The plan knows no other players; the forecast looks at how many there are, and so may differ a little.
    assert sum(loss < 0.05 for loss in lost) >= 5, lost
    assert max(lost) < 1, lost


def test_moves_that_are_not_allowed_take_no_place():
    lost = []
    for seed in range(6):
        state = acting(1, seed, 2)
        values = best_ends(state)
        best = first_tried(state, PLENTY)
        others = {move: value for move, value in values.items() if move != best}
        second = first_tried(state, PLENTY, allowed=list(others))
        lost.append(max(others.values()) - others[second])
    # The plan leaves out what something else makes needless, also where that is not allowed.
    assert sum(loss < 0.05 for loss in lost) >= 5, lost


def test_positions_are_the_limit():
    state = acting(2, 1, 3)
    whole = search_of(state).plan(PLENTY, FOREVER)
    assert 100 < whole < PLENTY
    assert search_of(state).plan(whole // 2, FOREVER) == whole // 2
    assert search_of(state).plan(10, FOREVER) == 10


def test_an_unfinished_plan_says_nothing():
    state = acting(2, 1, 3)
    assert first_tried(state, 10) == first_tried(state, 0)
    late, unplanned = search_of(state), search_of(state)
    late.plan(PLENTY, 0.0)
    for search in (late, unplanned):
        search.run(500, FOREVER)
    assert late.root_moves() == unplanned.root_moves()


def delivering() -> Iterator[State]:
    """Positions in the middle of a delivery, from games of the playout policy."""
    for seed in range(40):
        state = ENTRY.engine.initial(ENTRY.game, 2, {}, Random(seed))
        dice = Random(seed)
        while state.to_move != GAME_OVER:
            if state.to_move >= 0 and ENTRY.game.read(state)["open"] and len(state.moves()) > 3:
                yield state.copy()
            state.playout_step(dice)


def test_stopped_or_late_it_plans_no_more():
    positions = [acting(2, 1, 3), *islice(delivering(), 60)]
    assert max(search_of(state).plan(PLENTY, FOREVER) for state in positions[1:]) > 100
    for state in positions:
        assert search_of(state).plan(PLENTY, time.monotonic()) == 0
        stopped = search_of(state)
        stopped.stop()
        assert stopped.plan(PLENTY, FOREVER) == 0


def test_hints_are_planned_too():
    state = acting(2, 3, 3)
    request = pb.SuggestRequest(budget=pb.Budget(visits=400), seed=1)
    analysis = analysis_for(Position(ENTRY, state), request, Control(), Limits(), "")
    compare(analysis, 3)
    bare = analysis_for(Position(ENTRY, state), request, Control(), Limits(), "", features={"plan": False})
    compare(bare, 3)
    assert [sums.visits for sums in analysis.ranked()] != [sums.visits for sums in bare.ranked()]


def test_where_there_is_no_turn_to_plan():
    auction = ENTRY.engine.initial(ENTRY.game, 2, {"auction": "true"}, Random(1))
    dice = Random(1)
    while auction.to_move == CHANCE_POINT:
        auction.random_step(dice)
    assert search_of(auction).plan(PLENTY, FOREVER) == 0
    assert search_of(acting(2, 1, 3), informed=False).plan(PLENTY, FOREVER) == 0
    other = LIBRARY.entry("connect_four", "", "", "set")
    board = other.engine.initial(other.game, 2, {}, Random(1))
    assert search_of(board).plan(PLENTY, FOREVER) == 0
    draw = ENTRY.engine.initial(ENTRY.game, 2, {}, Random(1))
    assert Search(draw, viewer=0, seed=1, memory=64 << 20).plan(PLENTY, FOREVER) == 0


def test_pauses_do_not_change_the_answer():
    state = acting(2, 1, 3)
    answers = []
    for pause in (0.0, FOREVER):
        request = pb.SuggestRequest(budget={"visits": 3000}, seed=5)
        analysis = analysis_for(Position(ENTRY, state.copy()), request, Control(), Limits(), "")
        while not analysis.run(pause):
            pass
        answers.append(analysis.suggestion().SerializeToString(deterministic=True))
    assert answers[0] == answers[1]
