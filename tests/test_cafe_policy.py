"""What the search knows about Café: rules of thumb that play legally, the same everywhere, and well enough."""
from __future__ import annotations

import time
from statistics import mean

import pytest

from bench.usage_cafe import play
from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.cafe.codes import STEP_PLACE, Code, pack
from engines.cafe.rules import CafeGame
from engines.cafe.weights import WEIGHTS
from solver.players import player_for
from tests.sets import cafe_entries, written_cafe
from tests.test_cafe_rules import area, build

ENTRIES = cafe_entries()
WRITTEN = written_cafe()


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
            assert state.greedy_move() in state.moves()
        state.random_step(random)


def test_a_shop_covered_on_both_squares_is_lost_once() -> None:
    """Without worth in touching groups a placement gains the card less what it covers, so gains add up.

    plan-06, cup roast shop / yellow empty shop, ends the area at column 4 with both squares of its shop.
    """
    entry = WRITTEN
    game = CafeGame(entry.components, WEIGHTS | {"plant_touch": 0, "dryer_touch": 0, "roaster_touch": 0})
    board = build([area([("plan-06", 0, 2, 0)])], step=STEP_PLACE, taken=2, actions=0)
    state = game.build(entry.game.read(board))
    codes = [pack(Code("place", row=row, column=column, rotation=rotation)) for row, column, rotation in (
        (0, 3, 0),  # over roast, shop / empty, shop
        (0, 4, 0),  # over both squares of the shop alone
        (-2, 3, 1),  # over roast, shop
        (1, 3, 1),  # over empty, shop
    )]  # fmt: skip
    gains = game.gains(state)
    both, shop, upper, lower = (gains[state.moves().index(code)] for code in codes)
    assert both == pytest.approx(upper + lower - shop, abs=1e-4)
    assert shop != pytest.approx(upper, abs=1e-4)


def test_search_beats_greedy_alone() -> None:
    """Already few visits reach well over 1.2 times the greedy player's score."""
    searched, plain = (
        [play([player_for(name, pb.Budget())], seed)[1][0]["total"] for seed in range(10)]
        for name in ("mcts:visits=100", "greedy")
    )
    assert mean(searched) > 1.2 * mean(plain)
