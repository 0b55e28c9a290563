"""Small parts of the wire format that state, moves and components share. Enum values are native numbers + 1."""

from __future__ import annotations

from collections.abc import Sequence, Sized

from cafebrain.v1 import campus_pb2
from engines.campus import terms
from engines.campus.components import (
    CAREERS,
    DIE_COLORS,
    FORMS,
    OBJECTIVE_COLORS,
    RESOURCES,
    SPACE_COLORS,
    TYPES,
    VARIANTS,
    WAITERS,
    CampusSet,
    Card,
    Dislike,
    Objective,
    Space,
)
from engines.violations import Violations

RESOURCE_FIELDS = ("espresso", "chocolate", "mint", "strawberry", "cupcake")
TYPE_NAMES = tuple(name.replace("_", " ") for name in TYPES)
WAITER_NAMES = tuple(name.capitalize() for name in WAITERS)


def resources_message(counts: Sequence[int]) -> campus_pb2.CampusResources:
    """Return counts of E H M S C as a message."""
    return campus_pb2.CampusResources(**dict(zip(RESOURCE_FIELDS, counts, strict=True)))


def letters_message(letters: str) -> campus_pb2.CampusResources:
    """Return resource letters as a message of counts."""
    return resources_message([letters.count(letter) for letter in RESOURCES])


def read_resources(
    path: str, message: campus_pb2.CampusResources, most: Sequence[int], faults: Violations
) -> list[int]:
    """Return the counts of E H M S C; note those above `most`."""
    counts = [getattr(message, name) for name in RESOURCE_FIELDS]
    for name, count, limit in zip(RESOURCE_FIELDS, counts, most, strict=True):
        faults.in_range(f"{path}.{name}", count, 0, limit)
    return counts


def indices(mask: int) -> list[int]:
    """Return the positions of the bits of a mask, ascending."""
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def enums(mask: int) -> list[int]:
    """Return a mask as enum values, ascending."""
    return [i + 1 for i in indices(mask)]


def at_most(path: str, items: Sized, most: int, faults: Violations) -> bool:
    """Note a list that is too long; return whether it may be read."""
    if len(items) <= most:
        return True
    faults.add(path, f"{len(items)} entries", f"must be at most {most}")
    return False


def read_enums(path: str, values: Sequence[int], count: int, faults: Violations) -> int:
    """Return enum values as a mask; note unknown and repeated ones."""
    mask = 0
    if not at_most(path, values, count, faults):
        return mask
    for i, value in enumerate(values):
        if faults.in_range(f"{path}[{i}]", value, 1, count):
            if mask >> value - 1 & 1:
                faults.add(f"{path}[{i}]", value, "is listed twice")
            mask |= 1 << value - 1
    return mask


def objective_words(card: Objective) -> str:
    """Return what an objective rewards."""
    return str(terms.objective(card))


def dislike_words(card: Dislike) -> str:
    """Return what a dislike is about."""
    return str(terms.dislike(card))


def _resource(letter: str) -> campus_pb2.CampusResource.ValueType:
    return campus_pb2.CampusResource.ValueType(RESOURCES.index(letter) + 1 if letter else 0)


def _card(number: int, card: Card, message: campus_pb2.CampusCard) -> None:
    message.number = number
    message.customers[:] = [campus_pb2.CampusCustomer.ValueType(kind + 1) for kind in card.customers]
    message.dishes[:] = [_resource(dish) for dish in card.dishes]
    message.common_dish = _resource(card.common)
    message.check = card.check
    message.gift = _resource(card.gift)
    message.tray_spaces = card.spaces
    if card.reverse == "career":
        message.career = campus_pb2.CampusCareer.ValueType(CAREERS.index(card.career) + 1)
    elif card.reverse == "satisfier":
        message.satisfier = campus_pb2.CampusCustomer.ValueType(card.satisfier + 1)
    elif card.reverse == "multiplier":
        message.multiplier.resource = _resource(card.resources)
        message.multiplier.tokens = card.tokens
    elif card.reverse == "manipulator":
        message.manipulator.form = campus_pb2.CampusManipulatorForm.ValueType(FORMS.index(card.form) + 1)
        message.manipulator.color = campus_pb2.CampusColor.ValueType(DIE_COLORS.index(card.color) + 1)
    elif card.reverse == "supplier":
        message.supplier.CopyFrom(letters_message(card.resources))


def _space(number: int, space: Space) -> campus_pb2.CampusSpace:
    return campus_pb2.CampusSpace(
        number=number,
        color=campus_pb2.CampusColor.ValueType(SPACE_COLORS.index(space.color) + 1),
        give=letters_message(space.give),
        money=space.money,
        serve=[_resource(letter) for letter in space.source],
        on=[_resource(letter) for letter in space.target],
        times=space.times,
    )


def encode_set(contents: CampusSet, message: campus_pb2.CampusComponents) -> None:
    """Fill in everything printed in the set."""
    message.tokens.CopyFrom(resources_message(contents.tokens))
    for number, card in enumerate(contents.cards, 1):
        _card(number, card, message.cards.add())
    for objective in contents.objectives:
        message.objectives.add(
            id=objective.id,
            color=campus_pb2.CampusObjectiveColor.ValueType(OBJECTIVE_COLORS.index(objective.color) + 1),
            description=objective_words(objective),
        )
    for dislike in contents.dislikes:
        message.dislikes.add(
            id=dislike.id,
            customers=[campus_pb2.CampusCustomer.ValueType(kind + 1) for kind in dislike.types],
            description=dislike_words(dislike),
        )
    for index, variant in enumerate(VARIANTS):
        side = contents.side(variant)
        part = message.sides.add(variant=campus_pb2.CampusVariant.ValueType(index + 1))
        for players, (supply, deck) in enumerate(zip(side.supply, side.deck, strict=True), 2):
            part.setups.add(players=players, supply=resources_message(supply), deck=deck)
        for waiter, spaces in enumerate(side.trays):
            part.trays.add(waiter=campus_pb2.CampusWaiter.ValueType(waiter + 1), spaces=spaces)
        part.spaces.extend(_space(number, space) for number, space in enumerate(side.spaces, 1))
    for players, (first, tied, second) in enumerate(contents.awards, 2):
        message.awards.add(players=players, first=first, tied=tied, second=second)
