"""Component sets of Café: cards as data, checked and turned into what the native rules read.

A card is six squares, two rows of three as the card lies at rotation 0, numbered 0 to 5 row by row. Words for squares:
red, yellow, green, brown (plantation), dry, roast, cup, ship, empty, shop and shop2 (squares of the card's first and
second shop); on Expresso cards also waiter, sack, "nata N" (N points) and "double red" (and so on).
"""
from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from engines.component_set import Faults

COLORS = ("red", "yellow", "green", "brown")
KINDS = (
    "empty", "plantation", "double", "sack", "dry", "roast", "shop", "waiter", "cup", "ship", "nata",
)  # fmt: skip
EXPRESSO_KINDS = {"double", "sack", "waiter", "nata"}
WORDS = (*COLORS, "dry", "roast", "cup", "ship", "empty", "shop", "shop2")
EXPRESSO_WORDS = ("waiter", "sack", "nata N", "double COLOR")
DECKS = {"start": 4, "plan": 48, "expresso": 8}  # cards of each kind, given by the rules
ROWS, COLUMNS = 2, 3
SQUARES = ROWS * COLUMNS

MIN_CUBES = 4  # of one colour: each of four players starts with one

# What the engine can hold.
MAX_CUBES = 63  # of one colour, in the game
MAX_PER_COLOR = 3  # cubes of one colour a shop asks for
MAX_PER_SHOP = 6  # cubes a shop asks for
MAX_SHOP_POINTS = 99
MAX_NATA = 9  # points of a nata


@dataclass(frozen=True)
class Square:
    """One square of a card."""

    kind: str  # one of KINDS
    color: int = 0  # of a plantation or double bean: index into COLORS
    points: int = 0  # of a nata
    shop: int = 0  # of a shop square: index into Card.shops


@dataclass(frozen=True)
class Shop:
    """A coffee shop."""

    cubes: tuple[int, int, int, int]  # what it asks for, per colour
    points: int


@dataclass(frozen=True)
class Card:
    """A start, plan or Expresso card."""

    id: str
    squares: tuple[Square, ...]
    shops: tuple[Shop, ...] = ()

    def count(self, kind: str) -> int:
        """Return how many squares of a kind the card shows."""
        return sum(square.kind == kind for square in self.squares)

    def first_square(self, square: int) -> int:
        """Return the lowest square of the shop a square belongs to; of anything else the square itself."""
        return self.squares.index(self.squares[square]) if self.squares[square].kind == "shop" else square

    def face(self, half_turn: bool = False) -> tuple[object, ...]:
        """Return what is printed, as it lies or after a half turn; equal faces look the same."""
        squares = self.squares[::-1] if half_turn else self.squares
        order: list[int] = []  # shops in order of appearance, so that their numbers do not matter
        face: list[object] = []
        for square in squares:
            if square.kind == "shop":
                if square.shop not in order:
                    order.append(square.shop)
                face.append(("shop", order.index(square.shop), self.shops[square.shop]))
            else:
                face.append(square)
        return tuple(face)

    @property
    def symmetric(self) -> bool:
        """Whether the card looks the same after a half turn."""
        return self.face() == self.face(half_turn=True)


@dataclass(frozen=True)
class CafeComponents:
    """Everything printed. Card numbers: plan 0 to 47, Expresso 48 to 55, start 56 to 59."""

    cubes: int  # of each colour
    plan: tuple[Card, ...]
    expresso: tuple[Card, ...]
    start: tuple[Card, ...]

    @property
    def cards(self) -> tuple[Card, ...]:
        """All cards, by card number."""
        return self.plan + self.expresso + self.start


def parse(data: dict[str, Any], faults: Faults) -> CafeComponents:
    """Check a component file's own keys and return the contents; every fault is noted."""
    faults.unknown_keys(data, {"cubes", "totals", *DECKS})
    decks = {deck: parse_deck(data, deck, count, faults) for deck, count in DECKS.items()}
    components = CafeComponents(
        faults.integer(data, "cubes", MIN_CUBES, MAX_CUBES), decks["plan"], decks["expresso"], decks["start"]
    )
    if not faults.failed:
        check_different(components, faults)
        check_start(components, faults)
    check_totals(components, faults.table(data, "totals"), faults)
    return components


def parse_deck(data: dict[str, Any], deck: str, count: int, faults: Faults) -> tuple[Card, ...]:
    """Return the cards of a deck."""
    tables = faults.tables(data, deck)
    if len(tables) != count:
        faults.error(deck, f"wants {count} cards; found {len(tables)}")
    return tuple(parse_card(table, deck, f"{deck}[{index}].", faults) for index, table in enumerate(tables))


def parse_card(table: dict[str, Any], deck: str, prefix: str, faults: Faults) -> Card:
    """Return one card; a card with a fault may come back incomplete."""
    faults.unknown_keys(table, {"id", "squares", "shops"}, prefix)
    id_ = faults.text(table, "id", prefix)
    if id_ and not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,15}", id_):
        faults.error(prefix + "id", f"wants 1 to 16 of a-z, 0-9, - and _; found {id_!r}")
    shops = parse_shops(table, prefix, faults)
    rows = table.get("squares")
    if not (
        isinstance(rows, list)
        and len(rows) == ROWS
        and all(isinstance(row, list) and len(row) == COLUMNS for row in rows)
    ):
        faults.error(prefix + "squares", f"wants {ROWS} rows of {COLUMNS} words; found {rows!r}")
        return Card(id_, (), shops)
    words = [word for row in rows for word in row]
    squares = []
    for index, word in enumerate(words):
        square = parse_square(word)
        key = f"{prefix}squares[{index // COLUMNS}][{index % COLUMNS}]"
        if square is None:
            faults.error(key, f"wants one of {', '.join(WORDS + EXPRESSO_WORDS)}; found {word!r}")
            square = Square("empty")
        elif square.kind in EXPRESSO_KINDS and deck != "expresso":
            faults.error(key, f"only Expresso cards show this; found {word!r}")
        squares.append(square)
    card = Card(id_, tuple(squares), shops)
    check_shops(card, prefix, faults)
    if card.count("cup") > 1:
        faults.error(prefix + "squares", f"a card shows at most one cup; found {card.count('cup')}")
    return card


def parse_square(word: object) -> Square | None:
    """Return the square a word stands for, None where it stands for none."""
    if not isinstance(word, str):
        return None
    head, _, tail = word.partition(" ")
    if not tail:
        if head in COLORS:
            return Square("plantation", COLORS.index(head))
        if head in ("shop", "shop2"):
            return Square("shop", shop=int(head == "shop2"))
        if head in KINDS and head not in ("plantation", "double", "nata"):
            return Square(head)
    elif head == "double" and tail in COLORS:
        return Square("double", COLORS.index(tail))
    elif head == "nata" and tail.isascii() and tail.isdigit() and 1 <= int(tail) <= MAX_NATA:
        return Square("nata", points=int(tail))
    return None


def parse_shops(table: dict[str, Any], prefix: str, faults: Faults) -> tuple[Shop, ...]:
    """Return the shops of a card."""
    if "shops" not in table:
        return ()
    entries = faults.tables(table, "shops", prefix)
    if not 1 <= len(entries) <= 2:
        faults.error(prefix + "shops", f"wants 1 or 2 shops, or no such key; found {len(entries)}")
    shops = []
    for index, entry in enumerate(entries[:2]):
        key = f"{prefix}shops[{index}]."
        faults.unknown_keys(entry, {"cubes", "points"}, key)
        cubes = entry.get("cubes")
        if not isinstance(cubes, list) or not cubes or any(cube not in COLORS for cube in cubes):
            faults.error(key + "cubes", f"wants a list of {', '.join(COLORS)}; found {cubes!r}")
            cubes = []
        counts = [cubes.count(color) for color in COLORS]
        if max(counts) > MAX_PER_COLOR or sum(counts) > MAX_PER_SHOP:
            faults.error(
                key + "cubes",
                f"the engine holds up to {MAX_PER_SHOP} cubes, {MAX_PER_COLOR} of a colour; found {cubes!r}",
            )
        points = faults.integer(entry, "points", 0, MAX_SHOP_POINTS, key)
        shops.append(Shop((counts[0], counts[1], counts[2], counts[3]), points))
    return tuple(shops)


def check_shops(card: Card, prefix: str, faults: Faults) -> None:
    """Check that the shops on the squares are those described."""
    for shop in range(2):
        places = [index for index, square in enumerate(card.squares) if square.kind == "shop" and square.shop == shop]
        word = ("shop", "shop2")[shop]
        if shop >= len(card.shops):
            if places:
                faults.error(prefix + "shops", f"missing: what the squares {word!r} ask for")
        elif not 1 <= len(places) <= 2:
            faults.error(prefix + "squares", f"wants one or two squares {word!r}; found {len(places)}")
        elif len(places) == 2 and not adjacent(*places):
            faults.error(prefix + "squares", f"the two squares {word!r} must share an edge")


def adjacent(a: int, b: int) -> bool:
    """Return whether two squares of a card share an edge."""
    return abs(a // COLUMNS - b // COLUMNS) + abs(a % COLUMNS - b % COLUMNS) == 1


def check_different(components: CafeComponents, faults: Faults) -> None:
    """Check that ids are unique and no two plan cards look the same."""
    ids = Counter(card.id for card in components.cards)
    for id_, count in ids.items():
        if count > 1:
            faults.error("id", f"{count} cards have the id {id_!r}")
    faces: dict[object, str] = {}
    for card in components.plan:
        twin = faces.get(card.face()) or faces.get(card.face(half_turn=True))
        if twin:
            faults.error("plan", f"cards {twin!r} and {card.id!r} show the same")
        faces[card.face()] = card.id


def check_start(components: CafeComponents, faults: Faults) -> None:
    """Check what every start card shows."""
    wanted = {"cup": 1, "dry": 1, "roast": 1, "plantation": 3}
    for index, card in enumerate(components.start):
        for kind, count in wanted.items():
            if card.count(kind) != count:
                faults.error(f"start[{index}].squares", f"wants {count} of {kind}; found {card.count(kind)}")


def totals(components: CafeComponents) -> dict[str, int]:
    """Return how often each word occurs on the plan cards; plantations by colour, shops by squares."""
    counts = Counter[str]()
    for card in components.plan:
        counts.update(COLORS[square.color] if square.kind == "plantation" else square.kind for square in card.squares)
    return {word: counts[word] for word in WORDS if word != "shop2"}


def check_totals(components: CafeComponents, table: dict[str, Any], faults: Faults) -> None:
    """Check the totals the file states against the plan cards, which finds slips in typing."""
    found = totals(components)
    faults.unknown_keys(table, set(found), "totals.")
    for word, count in found.items():
        stated = faults.integer(table, word, 0, DECKS["plan"] * SQUARES, "totals.")
        if word in table and stated != count:
            faults.error(f"totals.{word}", f"says {stated}, the plan cards show {count}")
