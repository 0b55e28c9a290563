"""Moves of Café: native codes, wire messages and words."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cafebrain.v1 import cafe_pb2
from cython_ext.game import State
from engines.cafe import codes
from engines.cafe.area import FARTHEST, covered_places
from engines.cafe.codec import FIRST_START, color_message, cubes_message, cubes_of, square_message
from engines.cafe.codes import FREE, Code, pack, unpack
from engines.cafe.components import COLORS, KINDS, SQUARES, CafeComponents, Square
from engines.cafe.rules import CafeGame
from engines.violations import Violations

TURNS = ("unturned", "a quarter turn clockwise", "a half turn", "a quarter turn counterclockwise")
PLANTS = ("plantation", "double", "sack")
MOST_BID = 252  # four colours of at most 63 cubes


def encode(game: CafeGame, state: State, code: int, message: cafe_pb2.CafeMove) -> None:
    """Fill the message with a legal move, or a possible draw."""
    cards = game.components.contents.cards
    move = unpack(code)
    part = getattr(message, move.kind)
    part.SetInParent()
    if move.kind in ("draw", "take", "reject"):
        part.card = cards[move.card].id
    if move.kind == "take" and move.color != FREE:
        part.pay = color_message(move.color)
    if move.kind == "bid":
        part.cubes = move.number
    if move.kind == "place":
        part.row, part.column, part.rotation = move.row, move.column, move.rotation
    if move.kind in ("grow", "fill", "dry", "roast", "empty", "serve", "discard"):
        part.square.CopyFrom(square_message(game.read(state), state.to_move, move.cell))
    if move.kind in ("pay", "dry", "roast") or (move.kind == "fill" and move.number):
        part.color = color_message(move.color)
    if move.kind == "fill":
        part.cubes = move.number
    if move.kind == "serve":
        part.cubes.CopyFrom(cubes_message(move.cubes))


def decode(game: CafeGame, state: State, message: cafe_pb2.CafeMove) -> int:
    """Return the code of a move or draw.

    Raises BrainError INVALID_ARGUMENT with field violations where it is no move at all.
    """
    faults = Violations("move.cafe", "INVALID_MOVE", "no move")
    kind = message.WhichOneof("move")
    if kind is None:
        faults.add("", "nothing", f"must be one of {', '.join(codes.KINDS[1:])}")
        faults.check()
        raise AssertionError
    code = _Reader(game, state, kind, getattr(message, kind), faults).code()
    faults.check()
    return pack(code)


class _Reader:
    """Reads one move and notes what is no move."""

    def __init__(self, game: CafeGame, state: State, kind: str, part: Any, faults: Violations) -> None:
        self.contents: CafeComponents = game.components.contents
        self.fields = game.read(state)
        self.kind = kind
        self.part = part
        self.faults = faults

    def code(self) -> Code:
        """Return the move; only to be used where no fault was noted."""
        kind, part = self.kind, self.part
        if kind in ("draw", "take", "reject"):
            pay = self.color("pay", optional=True) if kind == "take" else FREE
            return Code(kind, card=self.card(part.card), color=pay)
        if kind == "bid":
            self.faults.in_range("bid.cubes", part.cubes, 1, MOST_BID)
            return Code(kind, number=part.cubes)
        if kind == "pay":
            return Code(kind, color=self.color("color"))
        if kind == "place":
            return self.place()
        if kind == "fill":
            self.faults.in_range("fill.cubes", part.cubes, 0, 2)
            color = self.color("color") if part.cubes else 0
            return Code(kind, cell=self.cell(), number=part.cubes, color=color)
        if kind in ("dry", "roast"):
            return Code(kind, cell=self.cell(), color=self.color("color"))
        if kind == "serve":
            cubes = cubes_of(part.cubes)
            for name, count in zip(COLORS, cubes, strict=True):
                self.faults.in_range(f"serve.cubes.{name}", count, 0, 3)
            return Code(kind, cell=self.cell(), cubes=tuple(cubes))
        if kind in ("pass", "end"):
            return Code(kind)
        cell = self.cell()
        if kind == "grow":
            cell = self.fields["areas"][self.fields["to_move"]]["group"].get(cell, cell)
        return Code(kind, cell=cell)

    def card(self, id_: str) -> int:
        """Return a card number."""
        for number, card in enumerate(self.contents.cards[:FIRST_START]):
            if card.id == id_:
                return number
        self.faults.add(f"{self.kind}.card", id_, "the component set has no such plan or Expresso card")
        return 0

    def color(self, name: str, optional: bool = False) -> int:
        """Return a colour from 0, FREE where none may be given and none is."""
        color: int = getattr(self.part, name)
        if optional and color == cafe_pb2.CAFE_COLOR_UNSPECIFIED:
            return FREE
        if not self.faults.in_range(f"{self.kind}.{name}", color, 1, len(COLORS)):
            return 0
        return color - 1

    def place(self) -> Code:
        """Return a placement; of a card that looks the same after a half turn all four rotations are understood."""
        part = self.part
        for name in ("row", "column"):
            self.faults.in_range(f"place.{name}", getattr(part, name), -FARTHEST, FARTHEST)
        self.faults.in_range("place.rotation", part.rotation, 0, 3)
        rotation, taken = part.rotation, self.fields["taken"]
        if taken is not None and self.contents.cards[taken].symmetric:
            rotation %= 2
        return Code("place", row=part.row, column=part.column, rotation=rotation)

    def cell(self) -> int:
        """Return the cell of the player to move at the move's square."""
        square, player = self.part.square, self.fields["to_move"]
        if player >= 0:
            for cell, (_, row, column) in self.fields["areas"][player]["visible"].items():
                if (row, column) == (square.row, square.column):
                    return self.first_half(cell) if self.kind == "serve" else int(cell)
        where = f"row {square.row}, column {square.column}"
        self.faults.add(f"{self.kind}.square", where, "the player to move has no square there")
        return 0

    def first_half(self, cell: int) -> int:
        """Return the cell a shop is named by; of anything else the cell itself."""
        number: int = self.fields["areas"][self.fields["to_move"]]["cards"][cell // SQUARES][0]
        return cell - cell % SQUARES + self.contents.cards[number].first_square(cell % SQUARES)


def text(game: CafeGame, state: State, code: int) -> str:
    """Return a legal move, or a possible draw, in words."""
    contents: CafeComponents = game.components.contents
    fields = game.read(state)
    move = unpack(code)
    kind = move.kind
    if kind in ("draw", "take", "reject"):
        card = contents.cards[move.card].id
        if kind == "draw":
            return f"{card} comes on offer"
        if kind == "reject":
            return f"discard {card}"
        return f"take {card}" + ("" if move.color == FREE else f", paying a {COLORS[move.color]} cube")
    if kind == "bid":
        return f"bid {_count(move.number, 'cube')}"
    if kind == "pay":
        return f"pay a {COLORS[move.color]} cube ({fields['owed']} left to pay)"
    if kind == "place":
        card = contents.cards[fields["taken"]].id
        covered = _covered_text(contents, fields, move)
        return f"place {card} {TURNS[move.rotation]}, top left at {_at(move.row, move.column)}, over {covered}"
    if kind == "pass":
        return "pass"
    if kind == "end":
        left = fields["actions"]
        return f"end the actions, leaving {_count(left, 'action')} unused" if left else "end the actions"
    return _action_text(contents, fields, move)


def _covered_text(contents: CafeComponents, fields: dict[str, Any], move: Code) -> str:
    """Return what a placement covers: squares, cubes that return to the supply, shops it closes."""
    area = fields["areas"][fields["to_move"]]
    places = covered_places(move.row, move.column, move.rotation)
    covered = sorted(cell for cell, (_, row, column) in area["visible"].items() if (row, column) in places)
    squares: list[str] = []
    lost = [0] * len(COLORS)
    for cell in covered:
        card = contents.cards[area["cards"][cell // SQUARES][0]]
        face, first = card.squares[cell % SQUARES], cell - cell % SQUARES + card.first_square(cell % SQUARES)
        if face.kind == "shop" and first not in area["shops"]:
            squares.append("closed shop")
        elif face.kind == "shop":
            if first != cell and first in covered:
                continue  # named with its other half
            squares.append(f"shop for {card.shops[face.shop].points} (closed by this)")
        else:
            squares.append(_face_text(face))
        pile = area["cubes"].get(first, [0] * len(COLORS))
        lost = [a + b for a, b in zip(lost, pile, strict=True)]
    return ", ".join(squares) + (f", discarding {cubes_text(lost)}" if any(lost) else "")


def _face_text(face: Square) -> str:
    if face.kind == "plantation":
        return COLORS[face.color]
    if face.kind == "double":
        return f"double {COLORS[face.color]}"
    return f"nata {face.points}" if face.kind == "nata" else face.kind


def _action_text(contents: CafeComponents, fields: dict[str, Any], move: Code) -> str:
    area = fields["areas"][fields["to_move"]]
    visible, group = area["visible"], area["group"]
    kind, row, column = visible[move.cell]
    where = _at(row, column)
    lying = cubes_text(area["cubes"].get(move.cell, ()))
    if move.kind == "grow":
        empty = [
            f"{_face_text(face_at(contents, area, cell))} {_at(*visible[cell][1:])}"
            for cell, first in group.items()
            if first == move.cell and KINDS[visible[cell][0]] in PLANTS and cell not in area["cubes"]
        ]
        return f"grow on {', '.join(empty)}"
    if move.kind == "fill":
        if not move.number:
            return f"leave the {KINDS[kind]} at {where} empty"
        return f"grow {move.number} {COLORS[move.color]} at {where}"
    if move.kind in ("dry", "roast"):
        goes_on = (
            fields["open"] == (codes.OPEN_DRY if move.kind == "dry" else codes.OPEN_ROAST)
            and group[move.cell] == group[fields["open_used"][0]]
            and move.cell not in fields["open_used"] and move.color > fields["open_cell"]
        )  # fmt: skip
        sources = PLANTS if move.kind == "dry" else ("dry",)
        cubes = sum(
            pile[move.color] for cell, pile in area["cubes"].items() if KINDS[visible[cell][0]] in sources
        )
        over = f", discarding {lying}" if lying else ""
        return f"{'also ' if goes_on else ''}{move.kind} all {cubes} {COLORS[move.color]} at {where}{over}"
    if move.kind == "empty":
        goes_on = fields["open"] == codes.OPEN_EMPTY and move.cell > fields["open_cell"]
        return f"{'also ' if goes_on else ''}deliver {lying} from the roaster at {where}"
    if move.kind == "serve":
        return f"serve {cubes_text(move.cubes)} to the {KINDS[kind]} at {where}"
    return f"discard {lying} from {where}"


def face_at(contents: CafeComponents, area: dict[str, Any], cell: int) -> Square:
    """Return what a cell of an area shows."""
    number: int = area["cards"][cell // SQUARES][0]
    return contents.cards[number].squares[cell % SQUARES]


def cubes_text(cubes: Sequence[int]) -> str:
    """Return for example "2 red, 1 brown"; "" for no cubes."""
    return ", ".join(f"{count} {color}" for color, count in zip(COLORS, cubes, strict=False) if count)


def _at(row: int, column: int) -> str:
    return f"({row},{column})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
