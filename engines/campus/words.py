"""Moves of Campus Café in words that can be translated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cython_ext.game import State
from engines.campus import terms
from engines.campus.codec import counters
from engines.campus.components import RESOURCES, TABLES, VARIANTS, CampusSet
from engines.campus.moves import COUNTER_COVERS, SAMUEL_COVERS, WHITE_TOKEN, covers, discarded
from engines.campus.moves import split as split_code
from engines.campus.rules import CampusGame, MoveKind, Step
from engines.campus.terms import COLOR_WORDS, DIE_WORDS, RESOURCE_WORDS, TYPE_WORDS
from engines.campus.wire import WAITER_NAMES
from engines.words import Text, joined, listed, name, say

GIFTS = (
    joined([RESOURCE_WORDS[2], RESOURCE_WORDS[1]]), joined([RESOURCE_WORDS[3], RESOURCE_WORDS[0]]), RESOURCE_WORDS[4],
)  # fmt: skip
SUPPLIES = (joined([RESOURCE_WORDS[0], RESOURCE_WORDS[3]]), joined([RESOURCE_WORDS[1], RESOURCE_WORDS[2]]))
DECKS = (say("customers deck"), say("last customers deck"))


def move(game: CampusGame, state: State, code: int) -> Text:
    """Return a legal move, or a possible draw, in words."""
    contents: CampusSet = game.components.contents
    fields = game.read(state)
    kind, argument = split_code(code)
    if kind in (MoveKind.OBJECTIVE, MoveKind.CARD, MoveKind.DISLIKE, MoveKind.WAITER, MoveKind.DICE):
        return _setup(contents, fields, kind, argument)
    if kind in (MoveKind.PLACE, MoveKind.STACK):
        index = argument & 15
        space = contents.side(VARIANTS[fields["advanced"]]).spaces[index]
        color, gives = COLOR_WORDS[space.color], terms.space(space)
        place = say("space {space} ({color} {gives})", space=index + 1, color=color, gives=gives)
        if kind == MoveKind.STACK:
            return say("both dice on {place}", place=place)
        return say("{die} die on {place}", die=DIE_WORDS[argument >> 4], place=place)
    if kind == MoveKind.DISCARD:
        return say("discard {resources}", resources=terms.resources(discarded(argument)))
    if kind == MoveKind.SERVE:
        card = contents.cards[argument]
        order, gains = terms.order(card), terms.reverse(card)
        return say("serve card {number}: {order} ({reverse})", number=argument + 1, order=order, reverse=gains)
    if kind == MoveKind.STOP:
        return say("stop serving")
    if kind == MoveKind.PAY:
        return say("pay {covers}", covers=_payment(contents, fields, argument))
    if kind == MoveKind.GIFT:
        if argument >= WHITE_TOKEN:
            return say("take the white token {customer}", customer=TYPE_WORDS[argument - WHITE_TOKEN])
        return say("gift: {resources}", resources=GIFTS[argument])
    if kind == MoveKind.TALENT:
        return say("talent: {resource}", resource=RESOURCE_WORDS[argument])
    if kind == MoveKind.DEPLETE:
        lost = next(r for r, n in enumerate(fields["turn"]["gifts"]) if n)
        resource, player = RESOURCE_WORDS[lost], argument + 1
        return say(
            "{resource} leaves the game from the tray of player {player}", resource=resource, player=player
        )
    return say("supply: {resources}", resources=SUPPLIES[argument])


def _setup(contents: CampusSet, fields: dict[str, Any], kind: MoveKind, argument: int) -> Text:
    """Return a draw, or a choice of the setup or of the dice, in words."""
    if kind == MoveKind.OBJECTIVE:
        rewards = terms.objective(contents.objectives[argument])
        if fields["step"] == Step.OBJECTIVES:
            return say("objective: {objective}", objective=rewards)
        return say("secret objective: {objective}", objective=rewards)
    if kind == MoveKind.CARD:
        number, order = argument + 1, terms.order(contents.cards[argument])
        if fields["step"] == Step.TABLES and fields["table"].bit_count() < TABLES:
            return say("card {number} comes to a table: {order}", number=number, order=order)
        deck = DECKS[0 if fields["top"][0] < 0 and fields["below"][0] else 1]
        return say("card {number} comes on top of the {deck}: {order}", number=number, deck=deck, order=order)
    if kind == MoveKind.DISLIKE:
        player = next(p for p, values in enumerate(fields["players"]) if values["dislike"] < 0)
        what = terms.dislike(contents.dislikes[argument])
        return say("player {player} dislikes {what}", player=player + 1, what=what)
    if kind == MoveKind.WAITER:
        waiter = name(WAITER_NAMES[argument])
        if fields["step"] == Step.DRAFT:
            return say("take {waiter}", waiter=waiter)
        return say("lay out {waiter}", waiter=waiter)
    colors = joined([DIE_WORDS[color] for color in divmod(argument, 3)])
    chosen = fields["step"] == Step.COLORS
    return say("choose {colors}", colors=colors) if chosen else say("roll {colors}", colors=colors)


def _payment(contents: CampusSet, fields: dict[str, Any], argument: int) -> Text:
    """Return the covers in words, equal ones together."""
    card = contents.cards[fields["turn"]["paying"]]
    occupied = counters(contents, fields)
    numbers: dict[tuple[str, int, int], int] = {}
    for dish, (letter, cover) in enumerate(zip(card.all_dishes, covers(card, argument), strict=True)):
        customer = card.customers[dish] if cover in (2, 3) else -1
        key = (letter, cover, customer)
        numbers[key] = numbers.get(key, 0) + 1
    return listed([_cover(occupied, *key, number) for key, number in numbers.items()])


def _cover(occupied: Sequence[int], letter: str, cover: int, customer: int, number: int) -> Text:
    if cover >= COUNTER_COVERS:
        pool, resource = divmod(cover - COUNTER_COVERS, len(RESOURCES))
        served = {"resource": RESOURCES[resource], "dish": letter}
        if cover >= SAMUEL_COVERS:
            what = say("{resource} as {dish} by Samuel's talent", **served)
        else:
            what = say("{resource} as {dish} by counter {space}", space=occupied[pool] + 1, **served)
    elif cover == 2:
        what = say("red token {customer} as {dish}", customer=TYPE_WORDS[customer], dish=letter)
    elif cover == 3:
        what = say("white token {customer} as {dish}", customer=TYPE_WORDS[customer], dish=letter)
    elif cover == 1:
        what = say("blue token as {dish}", dish=letter)
    elif cover == 4:
        what = say("yellow token as {dish}", dish=letter)
    else:
        what = name(letter)
    return what if number == 1 else say("{n} {cover}", n=number, cover=what)
