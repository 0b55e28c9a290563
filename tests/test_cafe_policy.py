"""What the search knows about Café: rules of thumb that play legally, the same everywhere, and well enough."""
from __future__ import annotations

import time
from statistics import mean

import pytest

from bench.usage_cafe import greedy, play, searching
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.mcts import Search
from cython_ext.rng import Random
from tests.sets import cafe_entries

ENTRIES = cafe_entries()


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("set_id", sorted(ENTRIES))
def test_every_kind_of_position_can_be_searched(set_id: str, players: int) -> None:
    entry = ENTRIES[set_id]
    for auction in {"false", "true"} if players > 1 else {"false"}:
        options = {"auction": auction, "expresso": "true", "open_deck": "false"}
        state = entry.engine.initial(entry.game, players, options, Random(players))
        random = Random(1)
        while state.to_move != GAME_OVER:
            if state.to_move == CHANCE_POINT:
                state.apply(state.sample(random))
                continue
            search = Search(state, viewer=state.to_move, seed=1, memory=1 << 24)
            search.run(20, time.monotonic() + 60)
            assert search.visits == 20
            for move, visits, win, _, score, _ in search.root_moves():
                assert move in state.moves()
                assert visits == 0 or sum(win) == pytest.approx(visits)
                assert all(0 <= points <= 200 * visits for points in score)
            state.random_step(random)


@pytest.mark.parametrize("set_id", sorted(ENTRIES))
def test_the_greedy_move_is_legal(set_id: str) -> None:
    entry = ENTRIES[set_id]
    options = {"auction": "true", "expresso": "true", "open_deck": "false"}
    state = entry.engine.initial(entry.game, 3, options, Random(1))
    random = Random(1)
    while state.to_move != GAME_OVER:
        if state.to_move != CHANCE_POINT:
            assert entry.game.greedy_move(state) in state.moves()
        state.random_step(random)


def test_search_beats_greedy_alone() -> None:
    """Already few visits reach well over 1.2 times the greedy player's score."""
    searched = [play([searching(100)], seed)[1][0]["total"] for seed in range(10)]
    plain = [play([greedy], seed)[1][0]["total"] for seed in range(10)]
    assert mean(searched) > 1.2 * mean(plain)
