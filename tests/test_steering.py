"""The search's steered visits: more for one root move, and chance points as roots."""
from __future__ import annotations

import math

import pytest

from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.library import Library

LIBRARY = Library()
FOREVER = math.inf


def start(game, players=2):
    entry = LIBRARY.entries(game)[0]
    return entry.engine.initial(entry.game, players, {}, Random(7))


def visits(search):
    return {move: count for move, count, *_ in search.root_moves()}


def test_more_visits_for_one_move_in_the_same_tree():
    search = Search(start("connect_four"), viewer=0, seed=1, memory=8 << 20)
    assert search.run(300, FOREVER) == "visits"
    before = visits(search)
    least = min(before, key=before.__getitem__)
    assert search.run(before[least] + 500, FOREVER, least) == "visits"
    after = visits(search)
    assert after.pop(least) == before.pop(least) + 500
    assert after == before
    assert search.visits == 800
    assert search.run(900, FOREVER) == "visits"  # the ordinary search goes on


def test_a_move_nobody_tried_yet_can_be_forced():
    search = Search(start("connect_four"), viewer=0, seed=1, memory=8 << 20)
    for move in range(7):
        search.run(3, FOREVER, move)
    assert visits(search) == dict.fromkeys(range(7), 3)
    search.run(40, FOREVER)
    assert sum(visits(search).values()) == search.visits == 40
    for _, count, wins, *_ in search.root_moves():
        assert sum(wins) == pytest.approx(count)


def test_no_such_move():
    search = Search(start("connect_four"), viewer=0, seed=1, memory=8 << 20)
    with pytest.raises(ValueError, match="7 is no root move"):
        search.run(10, FOREVER, 7)


def test_a_chance_point_is_the_mean_over_its_draws():
    state = start("gatto")
    search = Search(state, viewer=0, seed=1, memory=64 << 20)
    for code, _ in state.outcomes():
        search.run(200, FOREVER, code)
    assert set(visits(search).values()) == {200}
    sampled = Search(state, viewer=0, seed=2, memory=64 << 20)
    sampled.run(3000, FOREVER)
    count = dict(visits(sampled).items())
    assert sum(count.values()) == 3000
    for code, chance in state.outcomes():
        assert abs(count[code] / 3000 - chance) < 5 * math.sqrt(chance / 3000)
