"""Payments of Campus Café against trying every cover of every dish (tests/reference), on random rich positions."""
from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from engines.campus.components import RESOURCES, SPACE_COLORS, VARIANTS
from engines.campus.rules import CampusGame, Step
from tests.campus_tables import CONTENTS, ENTRY, GAME, WAITERS, position
from tests.reference import campus as ref
from tests.test_campus_reference import reference_move


def rich(dice: random.Random, advanced: bool) -> tuple[Any, ref.Game]:
    """A service with many tokens and conversions, in both implementations."""
    waiters = tuple(dice.sample(WAITERS, 2)) if advanced else ()
    deck = list(range(48))
    dice.shuffle(deck)
    strong = [i for i in deck if CONTENTS.cards[i].reverse in ("multiplier", "satisfier")]
    owned = dice.sample(strong, dice.randrange(len(strong)))
    table = [i for i in deck if i not in owned][:7]
    spaces = CONTENTS.side(VARIANTS[advanced]).spaces
    counters = [i for i, space in enumerate(spaces) if space.times]
    first, second = dice.choice(counters), dice.choice([*counters, 0, 4])
    colors = [SPACE_COLORS.index(spaces[i].color) for i in (first, second)]
    colors = [dice.randrange(3) if color == 3 else color for color in colors]
    if colors[0] > colors[1]:
        colors, first, second = colors[::-1], second, first
    elif colors[0] == colors[1] and first > second:
        first, second = second, first
    hand = "".join(dice.choice(RESOURCES) for _ in range(dice.randrange(4, 11)))
    hand = "".join(r * min(hand.count(r), n) for r, n in zip(RESOURCES, (6, 5, 4, 3, 2), strict=True))
    white = dice.randrange(256) & dice.randrange(256) if advanced else 0
    samuel = dice.randrange(4) if advanced and waiters[0] == "samuel" and dice.random() < 0.3 else 0
    woken = dice.sample(range(5), dice.randrange(3))
    used = {place: dice.randrange(2) for place in sorted({first, second}) if spaces[place].times}
    state = position(
        Step.SERVE, advanced=advanced, waiters=waiters, trays={0: hand}, owned={0: owned}, table=table,
        secret="most_cupcakes" if "abigail" in waiters else "", dice=colors, placed=[first, second], white=white,
        samuel=samuel, converted=[*used.values(), 0, 0][:2], objectives=("most_espresso", "most_art", "fewest_cards"),
    )  # fmt: skip
    fields = GAME.read(state)
    fields["turn"]["spent"] = [int(r in woken) for r in range(5)]
    state = GAME.build(fields)
    game = ref.Game(CONTENTS, 2, VARIANTS[advanced], False)
    game.seats[0].waiter = waiters[0] if waiters else ""
    game.seats[0].cards, game.seats[0].tray = set(owned), Counter(hand)
    game.zone = Counter(dict(zip(RESOURCES, fields["zone"], strict=True)))
    game.table, game.decks = set(table), [[top, n] for top, n in zip(fields["top"], fields["below"], strict=True)]
    game.phase = ref.Phase(
        dice=[("red", "blue", "green")[color] for color in colors], places={0: first, 1: second},
        spent=Counter({RESOURCES[r]: 1 for r in woken}), white={i for i in range(8) if white >> i & 1},
        counters=Counter(used), samuel={name for bit, name in ((1, "shake"), (2, "cupcake")) if samuel & bit},
    )  # fmt: skip
    game.step = "serve"
    return state, game


@pytest.mark.parametrize("advanced", [False, True])
def test_payments_are_those_of_brute_force(advanced: bool) -> None:
    dice = random.Random(3)
    most = paid = 0
    for _ in range(60):
        state, game = rich(dice, advanced)
        codes = state.moves()
        assert {reference_move(game, code) for code in codes} == game.moves()
        for code in codes[:-1]:
            paying = state.copy()
            paying.apply(code)
            game.paying = code & 63
            listed = paying.moves()
            assert listed == sorted(set(listed))
            outcomes = [reference_move(game, payment) for payment in listed]
            assert len(set(outcomes)) == len(outcomes)  # once each
            assert {outcome[1:] for outcome in outcomes} == game.payments(game.paying)
            most, paid = max(most, len(listed)), paid + 1
    assert paid > 100
    assert most > 15


@pytest.mark.parametrize(("waiter", "most"), [("samuel", 10_987), ("melissa", 6_500)])
def test_the_richest_card_has_room(waiter: str, most: int) -> None:
    """Everything that covers dishes at once: all tokens, two counters, a tray with five of each resource but four C.

    The dearest orders with five dishes of four types; EMSC+H is the worst of all five-dish orders.
    """
    index = 40
    tokens = [i for i, card in enumerate(CONTENTS.cards) if card.reverse in ("multiplier", "satisfier")]
    worst = replace(CONTENTS.cards[index], customers=(0, 2, 4, 6), dishes="EMSC", common="H")
    cards = (*CONTENTS.cards[:index], worst, *CONTENTS.cards[index + 1 :])
    game = CampusGame(replace(ENTRY.components, contents=replace(CONTENTS, cards=cards)))
    others = ("john", "abigail", "destiny", "william")
    found = 0
    for places, dice in (([11, 15], [2, 2]), ([3, 15], [0, 2]), ([15, 15], [0, 0])):
        state = position(
            Step.PAY, players=5, advanced=True, waiters=(waiter, *others), trays={0: "EEEEEHHHHHMMMMMSSSSSCCCC"},
            owned={0: tokens}, table=[index], tops=(-1, -1), dice=dice, placed=places, white=255, whites=0,
            paying=index, secret="most_cupcakes",
        )  # fmt: skip
        found = max(found, len(game.from_bytes(bytes(state)).moves()))
    assert found == most if waiter == "samuel" else found <= most
    assert found < game.moves_max
