"""Reads one player's area from the wire, card by card, and checks that it can be laid like that."""
from __future__ import annotations

from typing import Any, NamedTuple

from cafebrain.v1 import cafe_pb2
from engines.cafe.codec import FIRST_START, cubes_of
from engines.cafe.components import COLORS, COLUMNS, ROWS, SQUARES, CafeComponents, Card
from engines.violations import Violations

FARTHEST = 31  # rows and columns
MOST_CARDS = 9


class Cell(NamedTuple):
    """A visible square."""

    number: int  # the native cell
    card: int  # card number
    square: int  # of the card, from 0


Cells = dict[tuple[int, int], Cell]  # by row and column


def covered_places(row: int, column: int, rotation: int) -> list[tuple[int, int]]:
    """Return where the six squares of a card lie, square 0 first."""
    places = []
    for square in range(SQUARES):
        down, right = divmod(square, COLUMNS)
        turned = (
            (down, right),
            (right, ROWS - 1 - down),
            (ROWS - 1 - down, COLUMNS - 1 - right),
            (COLUMNS - 1 - right, down),
        )[rotation]
        places.append((row + turned[0], column + turned[1]))
    return places


def read_area(
    contents: CafeComponents, numbers: dict[str, int], path: str, player: cafe_pb2.CafePlayer, faults: Violations
) -> tuple[dict[str, Any], Cells]:
    """Return the area as CafeGame.build wants it and its visible squares; note every fault."""
    cells: Cells = {}
    cards = []
    turned = set()  # cards stated with two quarter turns too many, which makes no difference
    faults.in_range(f"{path}.cards", len(player.cards), 1, MOST_CARDS)
    for place, placed in enumerate(player.cards[:MOST_CARDS]):
        here = f"{path}.cards[{place}]"
        number = numbers.get(placed.card)
        if number is None:
            faults.add(f"{here}.card", placed.card, "the component set has no such card")
            continue
        if (number >= FIRST_START) != (place == 0):
            faults.add(f"{here}.card", placed.card, "the first card of an area, and no other, is a start card")
        rotation = placed.rotation
        if not (
            faults.in_range(f"{here}.rotation", rotation, 0, 3)
            and faults.in_range(f"{here}.row", placed.row, -FARTHEST, FARTHEST)
            and faults.in_range(f"{here}.column", placed.column, -FARTHEST, FARTHEST)
        ):
            continue
        if contents.cards[number].symmetric and rotation >= 2:
            rotation -= 2
            turned.add(place)
        places = covered_places(placed.row, placed.column, rotation)
        overlap = sum(where in cells for where in places)
        if place == 0 and (placed.row, placed.column, rotation) != (0, 0, 0):
            where = f"row {placed.row}, column {placed.column}, rotation {placed.rotation}"
            faults.add(here, where, "the start card lies at row 0, column 0, rotation 0")
        elif place and not 2 <= overlap <= 4:
            faults.add(here, f"{overlap} squares covered", "a card must cover 2 to 4 squares of the area")
        for square, where_ in enumerate(places):
            cells[where_] = Cell(SQUARES * place + square, number, square)
        cards.append((number, placed.row, placed.column, rotation))
    area: dict[str, Any] = {"cards": cards, "cubes": {}, "warehouse": cubes_of(player.warehouse)}
    for color, count in zip(COLORS, area["warehouse"], strict=True):
        faults.in_range(f"{path}.warehouse.{color}", count, 0, contents.cubes)
    faults.check()  # piles can only be judged on cards that lie where they should
    visible = {cell.number for cell in cells.values()}
    for place, placed in enumerate(player.cards):
        _read_piles(contents, f"{path}.cards[{place}]", place, placed, place in turned, visible, area, faults)
    return area, cells


def _read_piles(
    contents: CafeComponents, path: str, place: int, placed: cafe_pb2.CafePlacedCard, turned: bool, visible: set[int],
    area: dict[str, Any], faults: Violations,
) -> None:  # fmt: skip
    """Read the cubes on one card."""
    card = contents.cards[area["cards"][place][0]]
    for index, pile in enumerate(placed.cubes):
        here = f"{path}.cubes[{index}]"
        if not faults.in_range(f"{here}.square", pile.square, 1, SQUARES):
            continue
        square = pile.square - 1
        if turned:
            square = SQUARES - pile.square
            square = card.first_square(square)
        cell = SQUARES * place + square
        cubes = cubes_of(pile.cubes)
        shown = ", ".join(f"{count} {color}" for color, count in zip(COLORS, cubes, strict=True) if count) or "none"
        reason = _wrong_pile(contents.cubes, card, place, square, cubes, visible)
        if cell in area["cubes"]:
            reason = "this square is listed twice"
        if reason:
            faults.add(here, shown, reason)
        area["cubes"][cell] = cubes


def _wrong_pile(
    most: int, card: Card, place: int, square: int, cubes: list[int], visible: set[int]
) -> str:
    """Return why some cubes cannot be on a square of a card, "" where they can."""
    face = card.squares[square]
    colors = [color for color, count in enumerate(cubes) if count]
    if not colors:
        return "a pile holds at least one cube"
    if max(cubes) > most:
        return f"the set has {most} cubes of each colour"
    if SQUARES * place + square not in visible:
        return "this square is covered"
    if face.kind == "shop":
        squares = [i for i, other in enumerate(card.squares) if other.kind == "shop" and other.shop == face.shop]
        if any(SQUARES * place + other not in visible for other in squares):
            return "this shop is closed: one of its squares is covered"
        if square != squares[0]:
            return f"the cubes of this shop are listed at its square {squares[0] + 1}"
        wanted = card.shops[face.shop].cubes
        if any(count > need for count, need in zip(cubes, wanted, strict=True)):
            asked = ", ".join(f"{need} {color}" for color, need in zip(COLORS, wanted, strict=True) if need)
            return f"this shop asks for {asked} only"
        return ""
    if len(colors) > 1:
        return "cubes on a square are of one colour"
    if face.kind in ("dry", "roast"):
        return ""
    room = {"plantation": 1, "double": 2, "sack": 1, "waiter": 1}.get(face.kind, 0)
    if cubes[colors[0]] > room:
        return f"a square of kind {face.kind} holds at most {room} cubes"
    if face.kind in ("plantation", "double") and colors[0] != face.color:
        return f"{COLORS[face.color]} grows here"
    return ""
