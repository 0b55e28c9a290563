"""Levels: a win in hand is never overlooked, weak ones stray, equal seeds give equal moves."""
from __future__ import annotations

import pytest

from cafebrain.errors import BrainError
from cafebrain.v1 import game_pb2
from engines.library import Library
from scripts.hints import read_positions
from solver.analysis import Control, Limits
from solver.levels import LEVELS, choose
from solver.positions import decode_state

LIBRARY = Library()
HASH = LIBRARY.entries("connect_four")[0].components.hash
EVERY_LEVEL = range(1, len(LEVELS) + 1)
# Four wins: up, along the bottom, and along both diagonals; player 1 is to move.
WINS = [
    (["111", "222"], 0),
    (["12", "12", "12"], 3),
    (["1", "21", "221", "121", "", "", "2"], 3),
    (["2", "", "", "121", "221", "21", "1"], 3),
]


def fours(columns):
    filled = [*columns, *[""] * (7 - len(columns))]
    return decode_state(
        LIBRARY,
        game_pb2.GameState(component_set={"id": "standard", "hash": HASH}, connect_four={"columns": filled}),
    )


@pytest.mark.parametrize(("columns", "winning"), WINS)
@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_no_level_overlooks_a_win_in_hand(level, columns, winning):
    for seed in range(5):
        assert choose(fours(columns), level, seed, Control(), Limits(), "") == winning


def test_weak_levels_stray_and_the_strongest_does_not():
    position = fours([])
    moves = {level: {choose(position, level, seed, Control(), Limits(), "") for seed in range(12)} for level in (1, 3)}
    assert len(moves[1]) > 2
    assert len(moves[3]) <= len(moves[1])
    assert {choose(position, 5, seed, Control(), Limits(), "") for seed in range(2)} == {3}


@pytest.mark.parametrize("game", LIBRARY.games())
def test_every_level_makes_a_legal_move_the_same_every_time(game):
    for message in read_positions(game)[1:8:3]:
        position = decode_state(LIBRARY, message)
        for level in (1, 2):
            move = choose(position, level, 7, Control(), Limits(), "")
            assert move in position.state.moves()
            assert choose(position, level, 7, Control(), Limits(), "") == move


@pytest.mark.parametrize("level", [0, len(LEVELS) + 1])
def test_no_such_level(level):
    with pytest.raises(BrainError, match="level: must be 1 to 5"):
        choose(fours([]), level, 0, Control(), Limits(), "")
