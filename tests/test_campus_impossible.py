"""Campus Café: positions that look sound number by number but cannot come about, beside twins that can.

Each pair differs in what the rule is about; which of the two can come about follows from the rulebook by hand.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from cafebrain.errors import BrainError
from cafebrain.v1 import game_pb2
from cython_ext.game import State
from engines.campus import ENGINE
from engines.campus.components import TABLES, VARIANTS
from engines.campus.covers import coverable
from engines.campus.rules import Step
from tests.campus_tables import CONTENTS, GAME, position

DICE = {"dice": [0, 1], "placed": [0, 4]}
ON_COUNTER = {"dice": [0, 1], "placed": [3, 4]}  # the red counter: M or S on a C dish, once
JOHN = ("john", "melissa")
DESTINY = ("destiny", "john")
SAMUEL = ("samuel", "john")
WILLIAM = ("william", "john")
PLAIN = [2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]  # cards without a gift


def at(step: Step, **arguments: Any) -> State:
    """A position whose last customers deck nobody has touched, but for a top that is not there."""
    fields = GAME.read(position(step, **arguments))
    deck = CONTENTS.side(VARIANTS[fields["advanced"]]).deck[len(fields["players"]) - 2]
    last = 48 - TABLES - deck - 1
    fields["below"] = [fields["unseen"].bit_count() - last, last]
    return GAME.build(fields)


def refusal(state: State) -> list[str]:
    """The fields the codec finds fault with."""
    message = game_pb2.GameState()
    ENGINE.encode(state, message)
    try:
        assert ENGINE.decode(message, GAME) == state
    except BrainError as error:
        return [violation.field.removeprefix("state.campus.") for violation in error.violations]
    return []


# What can come about, what cannot, and the field that is at fault.
PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a player owns a card of the disliked type": (  # card 1 is a CE for two art customers, with a gift
        {"step": Step.ROLL, "advanced": True, "waiters": JOHN, "dislikes": {0: "athletes", 1: "tray"},
         "owned": {0: [0]}, "lost": "C", "whites": 127},
        {"dislikes": {0: "art", 1: "tray"}}, "players[0].cards",
    ),
    "a player owns a card with a disliked gift": (
        {"step": Step.ROLL, "advanced": True, "waiters": JOHN, "dislikes": {0: "athletes", 1: "gifts"},
         "owned": {0: [0]}, "lost": "C", "whites": 127},
        {"dislikes": {0: "gifts", 1: "tray"}}, "players[0].cards",
    ),
    "a card before the first turn": (
        {"step": Step.ROLL, "round_": 1, "active": 1, "owned": {0: [7]}}, {"owned": {1: [7]}}, "players[1]",
    ),
    "$ before the first check": (
        {"step": Step.SERVE, "round_": 1, "active": 1, "scores": {0: 3}, **DICE}, {"scores": {1: 3}}, "players[1]",
    ),
    "resources before the first turn": (
        {"step": Step.ROLL, "round_": 1, "active": 1, "trays": {0: "EE"}}, {"trays": {1: "EE"}}, "players[1].tray",
    ),
    "more than John starts with": (
        {"step": Step.ROLL, "round_": 1, "advanced": True, "waiters": JOHN, "trays": {0: "EHMSC"}},
        {"trays": {0: "EEHMS"}}, "players[0].tray",
    ),
    "less than nothing without dislikes": (
        {"step": Step.ROLL, "dislikes": {0: "art", 1: "tray"}, "scores": {0: -3}}, {"dislikes": {}}, "players[0].score",
    ),
    "less than nothing in the advanced game": (
        {"step": Step.ROLL, "advanced": True, "waiters": JOHN, "dislikes": {0: "art", 1: "tray"}, "scores": {0: 0}},
        {"scores": {0: -3}}, "players[0].score",
    ),
    "EEE paid with a C that no conversion allows": (
        {"step": Step.SERVE, "served": [17], "spent": "EEE", **ON_COUNTER},
        {"spent": "EEC", "converted": [1, 0]}, "turn.spent",
    ),
    "a conversion on a dish that was not served": (  # CE paid with M and E, EEE with three E
        {"step": Step.SERVE, "served": [0], "spent": "ME", "converted": [1, 0], **ON_COUNTER},
        {"served": [17], "spent": "EEE"}, "turn.spent",
    ),
    "Samuel's cupcake without a C dish": (
        {"step": Step.SERVE, "advanced": True, "waiters": SAMUEL, "served": [18], "spent": "SES", "samuel": 2, **DICE},
        {"served": [16], "spent": "SSE"}, "turn.spent",
    ),
    "Samuel's conversion into the same resource": (
        {"step": Step.SERVE, "advanced": True, "waiters": SAMUEL, "served": [18], "spent": "SES", "samuel": 2, **DICE},
        {"spent": "SCS"}, "turn.spent",
    ),
    "a white token of a type nobody served has": (  # CSSH has a gift; then EEE with a male teacher or none of the type
        {"step": Step.SERVE, "advanced": True, "waiters": JOHN, "served": [17, 40], "spent": "EECSSH",
         "whites": 255 - (1 << 0), **DICE},
        {"whites": 255 - (1 << 3)}, "turn.spent",
    ),
    "a card paid with its own gift": (  # CSSH: the white token stands for the H of a male athlete
        {"step": Step.SERVE, "advanced": True, "waiters": JOHN, "served": [40], "spent": "CSSH", "white": 1 << 6,
         "whites": 255 - (1 << 6), **DICE},
        {"spent": "CSS", "white": 0}, "turn.white_tokens",
    ),
    "two tops missing without Destiny": (
        {"step": Step.ARRIVAL, "advanced": True, "waiters": DESTINY, "owned": {0: [2, 3]}, "tops": (-1, -1)},
        {"waiters": JOHN}, "last_customers_deck.top",
    ),
    "two tops missing in the basic game": (
        {"step": Step.ARRIVAL, "owned": {0: [2, 3]}, "tops": (-1, 20)}, {"tops": (-1, -1)}, "last_customers_deck.top",
    ),
    "a tray William could not have had": (  # topped up to EE and HH
        {"step": Step.WILLIAM, "advanced": True, "waiters": WILLIAM, "owned": {0: [27, 40]}, "lost": "HS",
         "whites": 63, "trays": {0: "EEEHHMS"}},
        {"trays": {0: "EEEHHMSS"}}, "players[0].tray",
    ),
    "seven in William's tray without suppliers": (
        {"step": Step.WILLIAM, "advanced": True, "waiters": WILLIAM, "trays": {0: "EEHHM"}},
        {"trays": {0: "EEHHMMS"}}, "players[0].tray",
    ),
    "too much after William's supply": (  # H and M came, each the first; or one of them
        {"step": Step.DISCARD_RESTOCKED, "advanced": True, "waiters": WILLIAM, "trays": {0: "EESSCHM"}},
        {"trays": {0: "EESSSHH"}}, "players[0].tray",
    ),
    "too much after the restock without a supplier": (  # card 31 supplies S
        {"step": Step.DISCARD_RESTOCKED, "owned": {0: [30]}, "trays": {0: "EEHHMS"}},
        {"owned": {0: [21]}, "trays": {0: "EEEHHHMS"}}, "players[0].tray",
    ),
    "too much after a service without a gift": (  # CE has a gift, MHE none
        {"step": Step.DISCARD_SERVED, "served": [0], "spent": "CE", "trays": {0: "HHMMSS"}, **DICE},
        {"served": [21], "spent": "MHE"}, "players[0].tray",
    ),
    "more than the dice give": (  # M and S
        {"step": Step.DISCARD_COLLECTED, "trays": {0: "EEHHMSS"}, **DICE},
        {"trays": {0: "EEEHHMSS"}}, "players[0].tray",
    ),
    "a gift is depleted, but no card left a table": (
        {"step": Step.DEPLETE, "owned": {0: [0]}, "trays": {1: "CCC"}, "gifts": "C", "table": [1, 2, 3, 4, 5, 6]},
        {"table": [1, 2, 3, 4, 5, 6, 7]}, "table",
    ),
    "more cards left the tables than the player has": (
        {"step": Step.DEPLETE, "owned": {0: [0, 7]}, "trays": {1: "CCC"}, "gifts": "C", "table": [1, 2, 3, 4, 5]},
        {"table": [1, 2, 3, 4]}, "table",
    ),
    "no top before the arrival": (
        {"step": Step.DEPLETE, "advanced": True, "waiters": DESTINY, "owned": {0: [0, 7]}, "trays": {1: "CC"},
         "gifts": "C", "whites": 127, "table": [1, 2, 3, 4, 5, 6], "tops": (-1, 20)},
        {"waiters": ("samuel", "john")}, "customers_deck.top",
    ),
    "the last card of the deck is gone before the arrival": (  # only Destiny serves it
        {"step": Step.DEPLETE, "advanced": True, "waiters": DESTINY, "owned": {0: [0, *PLAIN]}, "trays": {1: "CC"},
         "gifts": "C", "whites": 127, "table": [20, 21, 22, 23, 24, 25, 26], "tops": (-1, 30)},
        {"waiters": ("samuel", "john"), "table": [20, 21, 22, 23, 24, 25], "owned": {0: [0, 26, *PLAIN]}},
        "customers_deck.top",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_what_cannot_come_about_is_refused(name: str) -> None:
    possible, change, field = PAIRS[name]
    step = possible["step"]
    assert refusal(at(step, **{key: value for key, value in possible.items() if key != "step"})) == []
    impossible = {**possible, **change}
    assert field in refusal(at(step, **{key: value for key, value in impossible.items() if key != "step"}))


def test_a_number_that_is_no_card_is_refused_where_a_deck_has_no_top() -> None:
    """Number 0 is not the top of an empty deck."""
    message = game_pb2.GameState()
    state = at(Step.SERVE, last_round=True, tops=(25, -1), **DICE)
    ENGINE.encode(state, message)
    message.campus.turn.served.append(0)
    with pytest.raises(BrainError) as caught:
        ENGINE.decode(message, GAME)
    assert [violation.field for violation in caught.value.violations] == ["state.campus.turn.served[0]"]


def test_covers_of_a_whole_deck_are_weighed_quickly() -> None:
    """The richest turn there can be on paper: every token, two counters stacked, Samuel."""
    turn = {"served": (1 << 48) - 1, "red": 255, "yellow": 1, "samuel": 3, "blue": [3, 2, 1, 1, 1],
            "spent": [9, 8, 7, 6, 5]}  # fmt: skip
    start = time.perf_counter()
    assert not coverable(CONTENTS, turn, [(range(5), (0, 1), 6)], 255, 8)
    assert time.perf_counter() - start < 10
