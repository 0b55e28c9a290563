"""Whether the dishes served in a turn can have been covered by what was spent for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engines.campus.components import RESOURCES, CampusSet
from engines.campus.wire import indices

SHAKES, CUPCAKES = (2, 3), (4,)
ANY = range(len(RESOURCES))
Counts = tuple[int, ...]  # of E H M S C
Pool = tuple[Sequence[int], Sequence[int], int]  # these resources were served on dishes of these, so many times


def coverable(contents: CampusSet, turn: dict[str, Any], pools: Sequence[Pool], gone: int, white: int) -> bool:
    """Return whether every dish can have got one cover, and every cover used a dish it may cover.

    `pools` are the conversions used of the occupied counters, `gone` a mask of the types of white tokens that may have
    been used, `white` how many were.
    """
    samuel = [(ANY, dishes, 1) for bit, dishes in enumerate((SHAKES, CUPCAKES)) if turn["samuel"] >> bit & 1]
    rest = {
        _less(dishes, turn["blue"]) for dishes in _after_tokens(contents, turn, gone, white)
    }  # dishes left for the resources spent
    spent = tuple(turn["spent"])
    # Resources not yet used, and dishes covered by conversions; the others cover dishes of their own kind.
    ways: set[tuple[Counts, Counts]] = {(spent, (0,) * len(RESOURCES))}
    for source, target, times in (*pools, *samuel):
        for _ in range(times):
            ways = {
                (_add(left, served, -1), _add(covered, dish, 1))
                for left, covered in ways
                for served in source
                if left[served]
                for dish in target
                if dish != served
            }
    return any(tuple(a + b for a, b in zip(left, covered, strict=True)) in rest for left, covered in ways)


def _add(counts: Counts, index: int, n: int) -> Counts:
    return (*counts[:index], counts[index] + n, *counts[index + 1 :])


def _less(counts: Counts, taken: Sequence[int]) -> Counts:
    return tuple(a - b for a, b in zip(counts, taken, strict=True))


def _after_tokens(contents: CampusSet, turn: dict[str, Any], gone: int, white: int) -> set[Counts]:
    """Return the dishes that red, white and yellow tokens may leave, in every way the tokens can lie."""
    cards = [contents.cards[i] for i in indices(turn["served"])]
    dishes = tuple("".join(card.all_dishes for card in cards).count(letter) for letter in RESOURCES)
    ways = {(dishes, white)}  # dishes left, white tokens still to be placed
    for kind in indices(turn["red"] | gone):
        here = [
            RESOURCES.index(dish)
            for card in cards
            for customer, dish in zip(card.customers, card.dishes, strict=True)
            if customer == kind
        ]
        red, token = turn["red"] >> kind & 1, gone >> kind & 1
        choices = {(i,) for i in range(len(here))} if red else {()}
        if token:
            choices |= {(*chosen, i) for chosen in choices for i in range(len(here)) if i not in chosen}
        covered = {(tuple(here[i] for i in chosen), len(chosen) - red) for chosen in choices}
        ways = {
            (_less(left, [kinds.count(r) for r in ANY]), unplaced - used)
            for left, unplaced in ways
            for kinds, used in covered
            if used <= unplaced
        }
    left_over = {left for left, unplaced in ways if not unplaced}
    if turn["yellow"]:
        left_over = {_add(left, dish, -1) for left in left_over for dish in ANY}
    return left_over
