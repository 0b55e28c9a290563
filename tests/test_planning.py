"""Turns planned without knowing what is to come."""
from __future__ import annotations

from math import inf
from statistics import fmean

import pytest

from cython_ext.game import CHANCE_POINT, State
from cython_ext.rng import Random
from engines.library import Library
from solver.analysis import Control
from solver.closed import play_closed
from solver.planning import plan_turn
from solver.positions import Position

ENTRY = Library().entry("cafe", "", "", "set")
ENGINE = ENTRY.engine


def opened(seed: int, expresso: bool = False) -> State:
    options = {"open_deck": "true", "expresso": str(expresso).lower()}
    return ENGINE.initial(ENTRY.game, 1, options, Random(seed))


def midgame(seed: int, expresso: bool, moves: int) -> State:
    """A position of a game whose order of cards is unknown, some random moves from its beginning."""
    state = opened(seed, expresso)
    dice = Random(seed)
    for _ in range(moves):
        if ENGINE.turn(state) != "round 7":
            state.random_step(dice)
    return ENGINE.hidden(state)


@pytest.mark.parametrize("expresso", [False, True])
def test_what_is_revealed_fits_what_is_known(expresso):
    for seed in range(20):
        state = midgame(seed, expresso, 3 * seed)
        known = ENTRY.game.read(state)
        decks = set()
        for number in range(5):
            revealed = ENGINE.revealed(state, Random(number))
            assert bytes(ENGINE.hidden(revealed)) == bytes(state)
            fields = ENTRY.game.read(revealed)
            deck = fields["deck"]
            assert len(deck) == known["deck_left"]
            assert set(deck) <= set(known["unseen"])
            assert {card for card in known["unseen"] if card >= 48} <= set(deck)  # no Expresso card is ever left out
            decks.add(tuple(deck))
        assert len(decks) == 5


def test_at_a_draw_the_cards_come():
    state = opened(1)
    dice = Random(1)
    closed = ENGINE.hidden(state)
    while closed.to_move != CHANCE_POINT:
        closed.random_step(dice)
    revealed = ENGINE.revealed(closed, Random(2))
    assert revealed.to_move == 0
    assert len(ENTRY.game.read(revealed)["offer"]) == 3


@pytest.mark.parametrize("expresso", [False, True])
def test_a_turn_is_legal_and_the_same_again(expresso):
    for seed in range(6):
        position = Position(ENTRY, midgame(seed, expresso, 5 * seed))
        moves, looked = plan_turn(position, inf, 5000, 1, seed, Control())
        assert 0 < looked <= 5000
        assert plan_turn(position, inf, 5000, 1, seed, Control()) == (moves, looked)
        state = position.state.copy()
        for move in moves:
            assert move in state.moves()
            state.apply(move)


def test_plays_better_than_the_rules_of_thumb():
    planned, greedy = [], []
    for seed in range(6):
        state = opened(seed)
        list(play_closed(Position(ENTRY, state), inf, 10_000, 1, seed, Control()))
        planned.append(state.returns()[1][0])
        state = opened(seed)
        while state.to_move >= 0:
            state.apply(state.greedy_move())
        greedy.append(state.returns()[1][0])
    assert fmean(planned) > fmean(greedy) + 5
