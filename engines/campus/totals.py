"""Totals of a component set: those printed in the rulebook (components, appendix I) or derived from it."""

from __future__ import annotations

from collections import Counter

from engines.campus.components import (
    CARDS,
    CAREERS,
    GIFTS_MAX,
    OBJECTIVE_COLORS,
    RESOURCES,
    TYPES,
    VARIANTS,
    CampusSet,
    Card,
)
from engines.component_set import Faults

GROUP_TOTAL = 16  # cards with 2, with 3 and with 4 customers
TYPE_TOTAL = 18  # customers of each type
DISH_TOTALS = (46, 36, 29, 22, 16)
COMMON_TOTAL = 5
TOKEN_TOTALS = (9, 8, 7, 6, 5)
BLUE_TOTAL = 8
BLUE = {"H": 2, "S": 1}  # the multipliers the rulebook's examples tell
# Counters as (resources served, on dishes of, times), and the cashiers' $ per variant. The engine relies on the
# counters: they bound how many payments a card can have.
COUNTERS = {("MS", "C", 1), ("EH", "MS", 2), ("EHMSC", "EH", 3)}
CASHIERS = {"basic": [4, 6], "advanced": [5, 7]}


def check_totals(contents: CampusSet, faults: Faults) -> None:
    """Note every total that does not add up, of the parts of the set that have no other fault."""
    broken = {fault.key.split(".")[0].split("[")[0] for fault in faults.found if not fault.warning}
    if "cards" not in broken:
        _table_sides(contents.cards, faults)
        _reverse_sides(contents.cards, faults)
    if "tokens" not in broken:
        for index, resource in enumerate(RESOURCES):
            _total(f"tokens[{index}]", f"tokens {resource}", contents.tokens[index], TOKEN_TOTALS[index], faults)
    if "objectives" not in broken:
        _objectives(contents, faults)
    if "dislikes" not in broken:
        _dislikes(contents, faults)
    for variant in VARIANTS:
        if variant not in broken:
            _side(contents, variant, faults)


def _total(key: str, what: str, found: int, wanted: int, faults: Faults) -> None:
    if found != wanted:
        faults.error(key, f"{what}: wants {wanted}, found {found}")


def _table_sides(cards: tuple[Card, ...], faults: Faults) -> None:
    _total("cards", "customer cards", len(cards), CARDS, faults)
    sizes = Counter(len(card.customers) for card in cards)
    for size in (2, 3, 4):
        _total("cards", f"cards with {size} customers", sizes[size], GROUP_TOTAL, faults)
    types = Counter(kind for card in cards for kind in card.customers)
    for kind, name in enumerate(TYPES):
        _total("cards", f"customers of type {name}", types[kind], TYPE_TOTAL, faults)
    dishes = Counter("".join(card.all_dishes for card in cards))
    for resource, wanted in zip(RESOURCES, DISH_TOTALS, strict=True):
        _total("cards", f"dishes {resource}, common ones included", dishes[resource], wanted, faults)
    _total("cards", "cards with a common dish", sum(1 for card in cards if card.common), COMMON_TOTAL, faults)
    for resource, count in Counter(card.gift for card in cards if card.gift).items():
        if count > GIFTS_MAX:
            faults.error("cards", f"gifts {resource}: at most {GIFTS_MAX}, found {count}")


def _reverse_sides(cards: tuple[Card, ...], faults: Faults) -> None:
    careers = Counter(card.career for card in cards if card.reverse == "career")
    for career in CAREERS:
        _total("cards", f"careers {career}", careers[career], 1, faults)
    satisfiers = Counter(card.satisfier for card in cards if card.reverse == "satisfier")
    for kind, name in enumerate(TYPES):
        _total("cards", f"satisfiers (red tokens) for {name}", satisfiers[kind], 1, faults)
    multipliers = Counter(card.resources for card in cards if card.reverse == "multiplier")
    for resource in RESOURCES:
        _total("cards", f"multipliers of {resource}", multipliers[resource], 1, faults)
    _total("cards", "blue tokens", sum(card.tokens for card in cards), BLUE_TOTAL, faults)
    for card in cards:
        if card.reverse == "multiplier" and card.resources in BLUE:
            _total("cards", f"blue tokens of {card.resources}", card.tokens, BLUE[card.resources], faults)
    manipulators = Counter(f"{card.form} {card.color}" for card in cards if card.reverse == "manipulator")
    for name, count in manipulators.items():
        if count > 1:
            faults.error("cards", f"manipulator {name} twice: the engine has room for one of each")


def _objectives(contents: CampusSet, faults: Faults) -> None:
    objectives = contents.objectives
    _total("objectives", "objectives", len(objectives), 15, faults)
    colors = Counter(objective.color for objective in objectives)
    for color in OBJECTIVE_COLORS:
        _total("objectives", f"{color} objectives", colors[color], 5, faults)
    about = Counter(objective.kind for objective in objectives)
    for what, wanted in (("resource", 5), ("customers", 4), ("groups", 3), ("gifts", 1), ("spaces", 1), ("cards", 1)):
        _total("objectives", f"objectives about {what}", about[what], wanted, faults)
    if len({objective.id for objective in objectives}) != len(objectives):
        faults.error("objectives", "two objectives have the same id")


def _dislikes(contents: CampusSet, faults: Faults) -> None:
    about = Counter(dislike.kind for dislike in contents.dislikes)
    for what, wanted in (("customers", 4), ("gifts", 1), ("tray", 1)):
        _total("dislikes", f"dislikes about {what}", about[what], wanted, faults)
    if len({dislike.id for dislike in contents.dislikes}) != len(contents.dislikes):
        faults.error("dislikes", "two dislikes have the same id")


def _side(contents: CampusSet, variant: str, faults: Faults) -> None:
    side = contents.side(variant)
    counters = [(space.source, space.target, space.times) for space in side.spaces if space.times]
    if len(counters) != len(COUNTERS) or set(counters) != COUNTERS:
        wanted = ", ".join(f"{times}x {source} on {target}" for source, target, times in sorted(COUNTERS))
        faults.error(f"{variant}.spaces", f"counters: wants {wanted}")
    cashiers = sorted(space.money for space in side.spaces if not space.give and not space.times)
    if cashiers != CASHIERS[variant]:
        faults.error(f"{variant}.spaces", f"cashiers: wants $ {CASHIERS[variant]}, found {cashiers}")
    for players, row in enumerate(side.supply, 2):
        for index, count in enumerate(row):
            if count > contents.tokens[index]:
                faults.error(
                    f"{variant}.supply[{players - 2}][{index}]",
                    f"{count} tokens {RESOURCES[index]} for {players} players, there are {contents.tokens[index]}",
                )
