"""Reasons of Connect Four: each in a position where it is true, and in one where it is not."""
from __future__ import annotations

import pytest

from cafebrain.v1 import game_pb2
from engines.library import Library
from solver.positions import decode_state
from tests.advice import reasons

LIBRARY = Library()
HASH = LIBRARY.entries("connect_four")[0].components.hash


def ask(columns, column):
    filled = [*columns, *[""] * (7 - len(columns))]
    message = game_pb2.GameState(component_set={"id": "standard", "hash": HASH}, connect_four={"columns": filled})
    return reasons(decode_state(LIBRARY, message), column - 1)


THREE_UP = ["111", "222"]  # player 1 is to move and wins in column 1
THREE_AGAINST = ["111", "22", "", "", "", "", ""]  # player 2 is to move and has to answer in column 1


@pytest.mark.parametrize(
    ("kind", "columns", "column", "other", "other_column", "said"),
    [
        ("wins", THREE_UP, 1, THREE_UP, 3, "Completes four in a row and wins."),
        ("blocks", THREE_AGAINST, 1, THREE_AGAINST, 3, "Stops player 1's four in a row."),
        ("lets_win", THREE_AGAINST, 3, THREE_AGAINST, 1, "But it lets player 1 win in column 1."),
        ("threat", ["11", "22"], 1, ["11", "22"], 3, "Threatens to win in column 1, which must be answered."),
        # x x x in the middle of the bottom row, both ends free.
        ("two_threats", ["", "12", "12"], 4, ["", "12", "12"], 7,
         "Threatens to win in columns 1 and 5; only one can be stopped."),
        ("middle", [], 4, [], 3, "Takes a place in the middle, where most lines pass."),
    ],
)  # fmt: skip
def test_facts(kind, columns, column, other, other_column, said):
    assert ask(columns, column)[kind] == said
    assert kind not in ask(other, other_column)


def test_lines_are_found_in_every_direction():
    assert "wins" in ask(["111", "222"], 1)
    assert "wins" in ask(["12", "12", "12"], 4)
    rising = ["1", "21", "221", "121", "", "", "2"]
    assert "wins" in ask(rising, 4)
    assert "wins" in ask(rising[::-1], 4)


def test_a_winning_move_needs_no_other_reason():
    assert set(ask(["12", "12", "12"], 4)) == {"wins"}
