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
from engines.words import Text, count, listed, name, say

TURNS = (
    say("unturned"), say("a quarter turn clockwise"), say("a half turn"), say("a quarter turn counterclockwise"),
)  # fmt: skip
COLOR_WORDS = (say("red"), say("yellow"), say("green"), say("brown"))
SQUARE_WORDS = {
    "plantation": say("plantation"), "double": say("double"), "sack": say("sack"), "shop": say("shop"),
    "waiter": say("waiter"), "dry": say("drying square"), "roast": say("roaster"), "cup": say("cup"),
    "ship": say("ship"), "empty": say("empty square"),
}  # fmt: skip
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
            for field, number in zip(COLORS, cubes, strict=True):
                self.faults.in_range(f"serve.cubes.{field}", number, 0, 3)
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
        for axis in ("row", "column"):
            self.faults.in_range(f"place.{axis}", getattr(part, axis), -FARTHEST, FARTHEST)
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


def words(game: CafeGame, state: State, code: int) -> Text:
    """Return a legal move, or a possible draw, in words."""
    contents: CafeComponents = game.components.contents
    fields = game.read(state)
    move = unpack(code)
    kind = move.kind
    if kind in ("draw", "take", "reject"):
        card = name(contents.cards[move.card].id)
        if kind == "draw":
            return say("{card} comes on offer", card=card)
        if kind == "reject":
            return say("discard {card}", card=card)
        if move.color == FREE:
            return say("take {card}", card=card)
        return say("take {card}, paying a {color} cube", card=card, color=COLOR_WORDS[move.color])
    if kind == "bid":
        return count("bid {n} cube", "bid {n} cubes", move.number)
    if kind == "pay":
        return say("pay a {color} cube ({owed} left to pay)", color=COLOR_WORDS[move.color], owed=fields["owed"])
    if kind == "place":
        card = name(contents.cards[fields["taken"]].id)
        where = _at(move.row, move.column)
        covered, lost = _covered(contents, fields, move)
        done = say(
            "place {card} {turned}, top left at {where}, over {squares}", card=card, turned=TURNS[move.rotation],
            where=where, squares=covered,
        )  # fmt: skip
        return say("{action}, discarding {cubes}", action=done, cubes=cubes_words(lost)) if any(lost) else done
    if kind == "pass":
        return say("pass")
    if kind == "end":
        left = fields["actions"]
        if not left:
            return say("end the actions")
        return count(
            "end the actions, leaving {n} action unused", "end the actions, leaving {n} actions unused", left
        )
    return _action_words(contents, fields, move)


def _covered(contents: CafeComponents, fields: dict[str, Any], move: Code) -> tuple[Text, list[int]]:
    """Return what a placement covers, and the cubes that return to the supply, per colour."""
    area = fields["areas"][fields["to_move"]]
    places = covered_places(move.row, move.column, move.rotation)
    covered = sorted(cell for cell, (_, row, column) in area["visible"].items() if (row, column) in places)
    squares: list[Text] = []
    lost = [0] * len(COLORS)
    for cell in covered:
        card = contents.cards[area["cards"][cell // SQUARES][0]]
        face, first = card.squares[cell % SQUARES], cell - cell % SQUARES + card.first_square(cell % SQUARES)
        if face.kind == "shop" and first not in area["shops"]:
            squares.append(say("closed shop"))
        elif face.kind == "shop":
            if first != cell and first in covered:
                continue  # named with its other half
            squares.append(say("shop for {points} (closed by this)", points=card.shops[face.shop].points))
        else:
            squares.append(_face_words(face))
        pile = area["cubes"].get(first, [0] * len(COLORS))
        lost = [a + b for a, b in zip(lost, pile, strict=True)]
    return listed(squares), lost


def _face_words(face: Square) -> Text:
    if face.kind == "plantation":
        return COLOR_WORDS[face.color]
    if face.kind == "double":
        return say("double {color}", color=COLOR_WORDS[face.color])
    return say("nata {points}", points=face.points) if face.kind == "nata" else SQUARE_WORDS[face.kind]


def _action_words(contents: CafeComponents, fields: dict[str, Any], move: Code) -> Text:
    area = fields["areas"][fields["to_move"]]
    visible, group = area["visible"], area["group"]
    kind, row, column = visible[move.cell]
    where = _at(row, column)
    lying = cubes_words(area["cubes"].get(move.cell, ()))
    if move.kind == "grow":
        empty = [
            say("{square} {where}", square=_face_words(face_at(contents, area, cell)), where=_at(*visible[cell][1:]))
            for cell, first in group.items()
            if first == move.cell and KINDS[visible[cell][0]] in PLANTS and cell not in area["cubes"]
        ]
        return say("grow on {squares}", squares=listed(empty))
    if move.kind == "fill":
        if not move.number:
            return say("leave the {square} at {where} empty", square=SQUARE_WORDS[KINDS[kind]], where=where)
        cubes = cubes_words([move.number * (color == move.color) for color in range(len(COLORS))])
        return say("grow {cubes} at {where}", cubes=cubes, where=where)
    if move.kind in ("dry", "roast"):
        goes_on = (
            fields["open"] == (codes.OPEN_DRY if move.kind == "dry" else codes.OPEN_ROAST)
            and group[move.cell] == group[fields["open_used"][0]]
            and move.cell not in fields["open_used"] and move.color > fields["open_cell"]
        )  # fmt: skip
        sources = PLANTS if move.kind == "dry" else ("dry",)
        moved = sum(
            pile[move.color] for cell, pile in area["cubes"].items() if KINDS[visible[cell][0]] in sources
        )
        lifted = cubes_words([moved * (color == move.color) for color in range(len(COLORS))])
        if move.kind == "dry":
            done = say("dry all {cubes} at {where}", cubes=lifted, where=where)
        else:
            done = say("roast all {cubes} at {where}", cubes=lifted, where=where)
        if goes_on:
            done = say("also {action}", action=done)
        return say("{action}, discarding {cubes}", action=done, cubes=lying) if move.cell in area["cubes"] else done
    if move.kind == "empty":
        goes_on = fields["open"] == codes.OPEN_EMPTY and move.cell > fields["open_cell"]
        done = say("deliver {cubes} from the roaster at {where}", cubes=lying, where=where)
        return say("also {action}", action=done) if goes_on else done
    if move.kind == "serve":
        served = cubes_words(move.cubes)
        square = SQUARE_WORDS[KINDS[kind]]
        return say("serve {cubes} to the {square} at {where}", cubes=served, square=square, where=where)
    return say("discard {cubes} from {where}", cubes=lying, where=where)


def face_at(contents: CafeComponents, area: dict[str, Any], cell: int) -> Square:
    """Return what a cell of an area shows."""
    number: int = area["cards"][cell // SQUARES][0]
    return contents.cards[number].squares[cell % SQUARES]


def cubes_words(cubes: Sequence[int]) -> Text:
    """Return for example "2 red, 1 brown"; "" for no cubes."""
    parts = [
        say("{n} {color}", n=n, color=color) for n, color in zip(cubes, COLOR_WORDS, strict=False) if n
    ]
    return listed(parts)


def _at(row: int, column: int) -> str:
    return f"({row},{column})"
