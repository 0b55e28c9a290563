"""What Campus Café names, in words that can be translated."""

from __future__ import annotations

from collections.abc import Sequence

from engines.campus.components import RESOURCES, Card, Dislike, Objective, Space
from engines.words import Text, count, joined, listed, name, say

RESOURCE_WORDS = (
    say("Espresso Coffee"), say("Hot Chocolate"), say("Mint Shake"), say("Strawberry Shake"), say("Cupcake"),
)  # fmt: skip
TYPE_WORDS = (
    say("male teacher"), say("female teacher"), say("male classical"), say("female classical"), say("male art"),
    say("female art"), say("male athlete"), say("female athlete"),
)  # fmt: skip
COLOR_WORDS = {"red": say("red"), "blue": say("blue"), "green": say("green"), "white": say("white")}
DIE_WORDS = (say("red"), say("blue"), say("green"))
CAREER_WORDS = {
    "manipulator": say("manipulator"), "entertainer": say("entertainer"), "restocker": say("restocker"),
    "delivery_man": say("delivery man"), "barman": say("barman"), "refresher": say("refresher"),
    "confectioner": say("confectioner"), "specialist": say("specialist"), "men_responsible": say("men responsible"),
    "women_responsible": say("women responsible"),
}  # fmt: skip


def resources(counts: Sequence[int]) -> Text:
    """Return for example "2 Espresso Coffee, 1 Cupcake"."""
    numbered = zip(counts, RESOURCE_WORDS, strict=True)
    return listed([say("{n} {resource}", n=n, resource=what) for n, what in numbered if n])


def reverse(card: Card) -> Text:
    """Return what the reverse of a card gives."""
    spaces = count("{n} tray space", "{n} tray spaces", card.spaces)
    if card.reverse == "career":
        career = say("career {career}", career=CAREER_WORDS[card.career])
        return listed([career, spaces]) if card.spaces else career
    if card.reverse == "satisfier":
        return say("satisfier {customer}", customer=TYPE_WORDS[card.satisfier])
    if card.reverse == "multiplier":
        return say("multiplier {resource} x{times}", resource=card.resources, times=card.tokens + 1)
    if card.reverse == "manipulator":
        color = COLOR_WORDS[card.color]
        if card.form == "to_color":
            return say("manipulator to color {color}", color=color)
        if card.form == "from_color":
            return say("manipulator from color {color}", color=color)
        return say("manipulator stack {color}", color=color)
    return say("supplier {resources}", resources=card.resources) if card.reverse == "supplier" else spaces


def space(place: Space) -> Text:
    """Return what a dice space gives, such as "M+$2" or "counter 2x EH on MS"."""
    if place.times:
        return say("counter {times}x {source} on {target}", times=place.times, source=place.source, target=place.target)
    return name("+".join(filter(None, [place.give, f"${place.money}" if place.money else ""])))


def order(card: Card) -> Text:
    """Return the order of a card and its check, such as "MMSS $14 gift E"."""
    common = f"+{card.common}" if card.common else ""
    dishes = f"{card.dishes}{common} ${card.check}"
    return say("{order} gift {gift}", order=dishes, gift=card.gift) if card.gift else name(dishes)


def objective(card: Objective) -> Text:
    """Return what an objective rewards."""
    if card.kind == "resource":
        return say("most {resource} dishes", resource=RESOURCE_WORDS[RESOURCES.index(card.resource)])
    if card.kind == "customers":
        return say("most customers of {customers}", customers=joined([TYPE_WORDS[kind] for kind in card.types]))
    if card.kind == "groups":
        return say("most cards with {n} customers", n=card.size)
    return {
        "gifts": say("fewest productivity bonuses"),
        "spaces": say("fewest tray spaces"),
        "cards": say("fewest customer cards"),
    }[card.kind]


def dislike(card: Dislike) -> Text:
    """Return what a dislike is about."""
    if card.kind == "customers":
        return say("customers {customers}", customers=joined([TYPE_WORDS[kind] for kind in card.types]))
    if card.kind == "gifts":
        return say("productivity bonuses")
    return say("a tray with spaces for one E and one H only")
