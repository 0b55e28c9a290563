"""Reasons of Café del Gatto: each in a position where it is true, and in one where it is not.

The machine unless told otherwise (rows 1 to 5): milk 1c 2c 3c 2f 4c, coffee 4h 3h 1h 3f 2h.
"""
from __future__ import annotations

import pytest

from solver.positions import decode_state
from tests.advice import code_of, reasons
from tests.gatto_tables import BRAIN, move, table
from tests.test_gatto_rules import last_tile


def ask(state, text, wins=(), others=None, **more):
    position = decode_state(BRAIN.library, state)
    codes = {code_of(position, move(other)): value for other, value in (others or {}).items()}
    return reasons(position, code_of(position, move(text)), wins, codes, **more)


# kind, a position and move where it is true, another where it is not, what the text says
FACTS = [
    ("cost", table(), "buy coffee 1 doppio", table(), "take", "Costs 1 coin, 3 left."),
    # Coffee 4h opposite milk 1c costs 1; milk 2c opposite coffee 3h costs 3.
    ("bargain", table(), "buy coffee 1 doppio", table(), "buy milk 2 latte_macchiato", "Value 4 for only 1 coin."),
    ("fills_cup", table(), "buy coffee 1 espresso", table(), "buy coffee 1 doppio",
     "Fills the Espresso, which can then be served for 4 points and 2 coins."),
    ("one_space", table(), "buy coffee 1 doppio", table(), "buy coffee 1 cappuccino",
     "Leaves one space in the Doppio, for coffee."),
    ("same_preparation", table(cups={(1, "doppio"): "3h"}), "buy coffee 1 doppio",
     table(cups={(1, "doppio"): "3c"}), "buy coffee 1 doppio",
     "Also hot: the Doppio still pays 3 coins, not 1."),
    ("mixes", table(cups={(1, "doppio"): "3c"}), "buy coffee 1 doppio",
     table(cups={(1, "doppio"): "3h"}), "buy coffee 1 doppio",
     "But a hot tile lowers what the Doppio pays from 3 to 1 coin."),
    ("sugar", table(), "buy coffee 3 doppio", table(), "buy coffee 1 doppio",
     "The tile of value 1 brings a sugar cube."),
    # The last reserve cube is held by player 2.
    ("sugar", table(), "buy coffee 3 doppio", table(sugar=[0, 12]), "buy coffee 3 doppio", None),
    ("serves", table(cups={(1, "espresso"): "4c"}), "serve espresso 4", table(), "take",
     "Brings 4 points and 2 coins now."),
    ("best_tile", table(cups={(1, "espresso"): "4c", (2, "espresso"): 5}), "serve espresso 4",
     table(cups={(1, "espresso"): "4c"}), "serve espresso 4", "No better Espresso tile is left."),
    ("last_cup",
     table(cups={(1, "espresso"): "4c", (1, "doppio"): 4, (1, "macchiato"): 4, (1, "cappuccino"): 6,
                 (1, "latte_macchiato"): 8}), "serve espresso 4",
     table(cups={(1, "espresso"): "4c", (1, "doppio"): 4}), "serve espresso 4",
     "It is your last cup: the game ends with this round."),
    # Coffee 3h in row 2 costs 2 (opposite milk 2c): 1 coin does not suffice, 3 do.
    # With 15 coins everything can be paid for already.
    ("affords", table(coins=[1, 5]), "take", table(coins=[15, 5]), "take",
     "With 3 coins you can pay for the coffee 3 hot that fills the Espresso, if it is still there."),
    ("nothing_affordable", table(coins=[0, 5]), "take", table(), "take", "There is no tile you can pay for and place."),
    # No cup of player 1 has a free milk space at the bottom once the latte macchiato is served.
    ("nothing_fits", table(cups={(1, "latte_macchiato"): 8}), "clean milk", table(), "clean milk",
     "There is no tile in the milk column you could buy."),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "state", "text", "other", "other_text", "said"), FACTS)
def test_facts(kind, state, text, other, other_text, said):
    found = ask(state, text)
    assert kind in found
    if said is not None:
        assert found[kind] == said
    assert kind not in ask(other, other_text)


# Player 2 lacks one coffee tile in the espresso and can pay 1 coin for the 4h.
WANTS = table(cups={(2, "doppio"): "3c"})
TAKEN = {"wins": (0.6, 0.4), "others": {"take": (0.5, 0.5), "buy milk 3 latte_macchiato": (0.47, 0.53)}}


def test_denies_is_measured_against_every_move_that_leaves_the_tile():
    assert ask(WANTS, "buy coffee 1 cappuccino", **TAKEN)["denies"] == (
        "The coffee 4 hot would fill player 2's Espresso; if you leave it, they gain 10 wins in 100."
    )
    # One of the other moves leaves the rival no better off.
    others = TAKEN["others"] | {"take": (0.6, 0.4)}
    assert "denies" not in ask(WANTS, "buy coffee 1 cappuccino", (0.6, 0.4), others)
    # The difference is within the noise.
    assert "denies" not in ask(WANTS, "buy coffee 1 cappuccino", error=0.05, **TAKEN)
    # Moves that take the tile as well say nothing about leaving it.
    assert "denies" not in ask(WANTS, "buy coffee 1 cappuccino", (0.6, 0.4), {"buy coffee 1 doppio": (0.5, 0.5)})


def test_denies_needs_a_rival_who_could_fill_a_cup():
    poor = table(coins=[4, 0], cups={(2, "doppio"): "3c"})
    assert "denies" not in ask(poor, "buy coffee 1 cappuccino", **TAKEN)
    full = table(cups={(2, "espresso"): 3, (2, "doppio"): 4})
    assert "denies" not in ask(full, "buy coffee 1 cappuccino", **TAKEN)


def test_a_clean_can_deny_too():
    assert "denies" in ask(WANTS, "clean coffee", (0.6, 0.4), {"take": (0.5, 0.5)})
    assert "denies" not in ask(WANTS, "clean coffee", (0.6, 0.4), {"buy coffee 1 doppio": (0.5, 0.5)})


def test_ahead_of_a_rival_who_is_ready():
    both = table(cups={(1, "espresso"): "4c", (2, "espresso"): "4f"})
    figures = {"wins": (0.6, 0.4), "others": {"take": (0.5, 0.5)}}
    assert ask(both, "serve espresso 4", **figures)["ahead_of"] == (
        "Player 2 is ready to take the Espresso tile of 4 points; if you leave it, they gain 10 wins in 100."
    )
    assert "ahead_of" not in ask(both, "serve espresso 4", (0.6, 0.4), {"take": (0.6, 0.4)})
    alone = table(cups={(1, "espresso"): "4c"})
    assert "ahead_of" not in ask(alone, "serve espresso 4", **figures)


def test_coins_or_points_first():
    state = table(cups={(1, "espresso"): "4c"})
    cheap = ask(state, "serve espresso 2", (0.6, 0.4), {"serve espresso 4": (0.5, 0.5)})
    assert cheap["coins_first"] == (
        "Coins are worth more here than 2 points: 10 wins in 100 more than with the dearer tile."
    )
    dear = ask(state, "serve espresso 4", (0.6, 0.4), {"serve espresso 2": (0.5, 0.5)})
    assert "points_first" in dear
    assert "coins_first" not in dear
    for text in ("serve espresso 2", "serve espresso 4"):
        found = ask(state, text, (0.5, 0.5), {f"serve espresso {3}": (0.5, 0.5)})
        assert not {"coins_first", "points_first"} & set(found)


def test_least_value():
    # An intermediate round: player 2 empties the doppio with 4 or the macchiato with 1.
    cups = {(2, "doppio"): "4f", (2, "macchiato"): "1c", (1, "cappuccino"): "2h"}
    state = last_tile("thirteen", cups, players=3)
    assert ask(state, "empty macchiato", others={"empty doppio": (0.3, 0.3, 0.4)})["least_value"] == (
        "The Macchiato holds the least value."
    )
    assert "least_value" not in ask(state, "empty doppio", others={"empty macchiato": (0.3, 0.3, 0.4)})
