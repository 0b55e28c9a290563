"""Puzzles played without knowing what is to come."""
from __future__ import annotations

from math import inf
from statistics import fmean

import pytest

from cython_ext.game import State
from cython_ext.rng import Random
from engines.library import Library
from solver.analysis import Control
from solver.closed import choose, play_closed
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
def test_a_choice_is_legal_and_the_same_again(expresso):
    for seed in range(6):
        position = Position(ENTRY, midgame(seed, expresso, 5 * seed))
        moves, looked = choose(position, inf, 2000, 1, seed, Control())
        assert 0 < looked <= 2100  # the last position of a search for lines is looked at whole
        assert choose(position, inf, 2000, 1, seed, Control()) == (moves, looked)
        state = position.state.copy()
        for move in moves:
            assert move in state.moves()
            state.apply(move)


def test_what_is_to_come_does_not_matter():
    """Two decks that begin with the same three cards: the first card taken and its place are the same."""
    cards = [card.id for card in ENTRY.game.components.contents.cards[:24]]
    lines = []
    for deck in (cards, cards[:3] + cards[:2:-1]):
        state = ENGINE.laid_out(opened(3), deck)
        first = []
        for move, _ in play_closed(Position(ENTRY, state), inf, 1000, 1, 5, Control()):
            if ENTRY.game.read(state)["deck_left"] < 21:
                break
            first.append(move)
        lines.append(first)
    assert len(lines[0]) >= 2
    assert lines[0] == lines[1]


def test_all_positions_are_used():
    """The first move, of many; the plan ends after some thousands."""
    position = Position(ENTRY, ENGINE.hidden(opened(2)))
    assert len(position.state.moves()) > 1
    for threads in (1, 2):
        _, looked = choose(position, inf, 60_000, threads, 0, Control())
        assert looked == 60_000


def test_more_positions_than_a_search_may_visit():
    position = Position(ENTRY, ENGINE.hidden(opened(2)))
    moves, looked = choose(position, 0.01, 10**9, 1, 0, Control())
    assert moves[0] in position.state.moves()
    assert looked > 0


def test_time_limits_a_choice():
    """Ten times the time, more positions; a second would be the standard where no time is given."""
    position = Position(ENTRY, ENGINE.hidden(opened(2)))
    looked = [choose(position, seconds, None, 1, 0, Control())[1] for seconds in (0.03, 0.3)]
    assert 0 < 2 * looked[0] < looked[1]


def test_stop_ends_a_game_between_moves():
    state, control = opened(4), Control()
    moves = []
    for move, _ in play_closed(Position(ENTRY, state), inf, 500, 1, 0, control):
        moves.append(move)
        if len(moves) == 5:
            control.stop()
    assert len(moves) == 5
    assert state.to_move == 0


def test_plays_better_than_the_rules_of_thumb():
    searched, greedy = [], []
    for seed in range(6):
        state = opened(seed)
        list(play_closed(Position(ENTRY, state), inf, 4000, 1, seed, Control()))
        searched.append(state.returns()[1][0])
        state = opened(seed)
        while state.to_move >= 0:
            state.apply(state.greedy_move())
        greedy.append(state.returns()[1][0])
    assert fmean(searched) > fmean(greedy) + 10
