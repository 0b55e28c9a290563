"""Writes the component set `reconstructed`: `python -m engines.cafe.reconstruct > .../reconstructed.toml`.

No printed card face is publicly known. The cards are dealt at random from a fixed seed so that they meet every total
and every rule of balance written at the head of the file; running this again gives the same file byte for byte.
"""
from __future__ import annotations

import random
from collections.abc import Iterator

from engines.cafe.components import COLORS, Card, adjacent, parse_card
from engines.component_set import Faults

SEED = 10  # of the first ten the one where good play uses ships most, and scores well

HEAD = """\
# Cafe: component set `reconstructed`, written by engines/cafe/reconstruct.py.
#
# No printed card face is publicly known: all 60 faces are chosen by this project. What they meet:
# * 48 plan cards, all different, also under a half turn; at most one cup a card
# * totals of the plan cards: see [totals]; 16 shops of one square and 8 of two, ships on 8 cards
# * one-square shops: 4 for one cube (3 points), 4 for two of one colour (6), 8 for two colours (7);
#   two-square shops by (cubes, colours): (3,2) 10, (3,3) 11, (4,3) 13, (4,4) 14, two of each;
#   every colour is asked for 14 times
# * the 24 cards with a cup show fewer plantations, drying squares, roasters, shop squares and ships than the others;
#   in either half the cards with a ship have at least as many useful squares on average as the others
# * a ship lies beside every shop of two squares, and such a card has no empty square: ships come to good players
# * four start cards of one layout; eight Expresso cards with two special squares each
#
# Squares: two rows of three words, as the card lies at rotation 0. A shop's squares are those called "shop".
game = "cafe"
id = "reconstructed"
name = "Reconstructed cards"
cubes = 35  # of each colour

[provenance]
cubes = { source = "public", note = "140 cubes, 35 of each colour" }
counts = { source = "public", note = "4 start, 48 plan and 8 Expresso cards of 2 x 3 squares" }
start = { source = "reconstructed", note = "contents from public descriptions, layout and colours chosen" }
plan = { source = "reconstructed", note = "all faces, shops and points chosen" }
expresso = { source = "reconstructed", note = "all faces and nata points chosen" }
"""

RED, YELLOW, GREEN, BROWN = range(4)
Demand = tuple[tuple[int, ...], int]  # colours a shop asks for, points
PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (0, 2), (1, 3))
ONE_SQUARE: list[Demand] = [
    *(((c,), 3) for c in range(4)),
    *(((c, c), 6) for c in range(4)),
    *((pair, 7) for pair in PAIRS),
]
TWO_SQUARES: list[Demand] = [
    ((RED, RED, GREEN), 10), ((YELLOW, YELLOW, BROWN), 10),
    ((RED, YELLOW, GREEN), 11), ((RED, YELLOW, BROWN), 11),
    ((RED, GREEN, GREEN, BROWN), 13), ((YELLOW, GREEN, BROWN, BROWN), 13),
    ((RED, YELLOW, GREEN, BROWN), 14), ((RED, YELLOW, GREEN, BROWN), 14),
]  # fmt: skip

# Contents of the two halves of the deck, 24 cards each: (with a cup, without one).
ONE_SQUARE_SHOPS = (7, 9)
TWO_SQUARE_SHOPS = (3, 5)  # each with a ship beside it
PLANTATIONS = (38, 50)
DRYERS = (17, 23)
ROASTERS = (17, 23)
CUP_CARD_PLANTATIONS = ((10, 9, 9, 10), (12, 13, 13, 12))  # per colour: 22 of each in all

Face = tuple[list[str], list[Demand]]  # six words, shops


def lines() -> Iterator[str]:
    """Yield the file."""
    rng = random.Random(SEED)
    plan = plan_cards(rng)
    yield HEAD
    yield "[totals]"
    for word in (*COLORS, "dry", "roast", "cup", "ship", "empty", "shop"):
        yield f"{word} = {sum(words.count(word) for words, _ in plan)}"
    for deck, faces in (("start", start_cards()), ("plan", plan), ("expresso", expresso_cards(rng))):
        for number, (words, shops) in enumerate(faces, 1):
            yield ""
            yield f"[[{deck}]]"
            yield f'id = "{deck}-{number:02}"' if deck == "plan" else f'id = "{deck}-{number}"'
            rows = (", ".join(f'"{word}"' for word in words[row : row + 3]) for row in (0, 3))
            yield f"squares = [{', '.join(f'[{row}]' for row in rows)}]"
            for cubes, points in shops:
                colors = ", ".join(f'"{COLORS[color]}"' for color in cubes)
                yield f"shops = [{{ cubes = [{colors}], points = {points} }}]"


def start_cards() -> list[Face]:
    """Return the start cards: one layout, each leaving out another colour."""
    return [
        ([COLORS[c], COLORS[(c + 1) % 4], "dry", COLORS[(c + 2) % 4], "cup", "roast"], []) for c in range(4)
    ]


def plan_cards(rng: random.Random) -> list[Face]:
    """Return the 48 plan cards."""
    ones, twos = list(ONE_SQUARE), list(TWO_SQUARES)
    rng.shuffle(ones)
    rng.shuffle(twos)
    while True:
        faces: list[Face] = []
        for half, (one, two) in enumerate(
            (
                (ones[: ONE_SQUARE_SHOPS[0]], twos[: TWO_SQUARE_SHOPS[0]]),
                (ones[ONE_SQUARE_SHOPS[0] :], twos[TWO_SQUARE_SHOPS[0] :]),
            )
        ):
            faces += half_deck(rng, half, one, two)
        rng.shuffle(faces)
        if all_different(faces):
            return faces


def half_deck(
    rng: random.Random, half: int, ones: list[Demand], twos: list[Demand]
) -> list[Face]:
    """Return 24 cards with the contents of one half of the deck, dealt until they are balanced."""
    rest = [color for color, count in zip(COLORS, CUP_CARD_PLANTATIONS[half], strict=True) for _ in range(count)]
    rest += ["dry"] * DRYERS[half] + ["roast"] * ROASTERS[half]
    assert sum(CUP_CARD_PLANTATIONS[half]) == PLANTATIONS[half]
    while True:
        cards: list[list[str]] = [["cup"] if half == 0 else [] for _ in range(24)]
        shops: list[list[Demand]] = [[] for _ in range(24)]
        order = rng.sample(range(24), len(ones) + len(twos))
        for index, shop in zip(order, ones + twos, strict=True):
            cards[index] += ["shop"] if shop in ones else ["ship", "shop", "shop"]
            shops[index].append(shop)
        rng.shuffle(rest)
        room = [index for index, card in enumerate(cards) for _ in range(6 - len(card))]
        for index, word in zip(rng.sample(room, len(rest)), rest, strict=True):
            cards[index].append(word)
        if not balanced(cards):
            continue
        for card in cards:
            card += ["empty"] * (6 - len(card))
        return [(arrange(rng, card), shop) for card, shop in zip(cards, shops, strict=True)]


def useful(card: list[str]) -> int:
    """Return the plantations, drying squares, roasters and shop squares of a card."""
    return sum(word not in ("cup", "ship", "empty") for word in card)


def balanced(cards: list[list[str]]) -> bool:
    """Whether ship cards have no empty square and no card is poor or full of one thing."""
    return (
        all(len(card) == 6 for card in cards if "ship" in card)
        and min(map(useful, cards)) >= 2
        and all(card.count(word) <= 2 for card in cards for word in ("dry", "roast", *COLORS))
    )


def arrange(rng: random.Random, card: list[str]) -> list[str]:
    """Return the words of a card in random order, a shop of two squares in one piece."""
    while True:
        words = rng.sample(card, 6)
        places = [index for index, word in enumerate(words) if word == "shop"]
        if len(places) < 2 or adjacent(*places):
            return words


def all_different(faces: list[Face]) -> bool:
    """Whether no two cards look the same, also under a half turn."""
    cards = [parsed(face) for face in faces]
    looks = {look for card in cards for look in (card.face(), card.face(half_turn=True))}
    return len(looks) == sum(1 if card.symmetric else 2 for card in cards)


def parsed(face: Face) -> Card:
    """Return a face as a card."""
    words, shops = face
    table: dict[str, object] = {"id": "card", "squares": [words[:3], words[3:]]}
    if shops:
        table["shops"] = [
            {"cubes": [COLORS[color] for color in cubes], "points": points} for cubes, points in shops
        ]
    return parse_card(table, "plan", "", Faults())


def expresso_cards(rng: random.Random) -> list[Face]:
    """Return the eight Expresso cards."""
    natas = ["nata 2", "nata 3", "nata 3", "nata 4"]
    doubles = [f"double {color}" for color in COLORS]
    pairs = list(zip(["waiter"] * 4 + ["sack"] * 4, natas + doubles, strict=True))
    rest = [*COLORS, *COLORS] + ["dry"] * 4 + ["roast"] * 4 + ["empty"] * 12
    while True:
        rng.shuffle(rest)
        cards, left = [], list(rest)
        for number, pair in enumerate(pairs):
            words = [*pair, "cup"] if number % 2 else list(pair)
            while len(words) < 6:
                words.append(left.pop())
            cards.append(words)
        if all(card.count("empty") <= 2 for card in cards):
            return [(rng.sample(card, 6), []) for card in cards]


if __name__ == "__main__":
    for line in lines():
        print(line)
