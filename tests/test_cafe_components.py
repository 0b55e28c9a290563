"""Café's component sets: what the reconstructed set promises, its generator, and what the validator finds."""
from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cafebrain.v1 import game_pb2
from engines.cafe.components import COLORS, CafeComponents, Card, totals
from engines.cafe.engine import ENGINE
from engines.component_set import ComponentError, parse_set
from tests.sets import cafe_entries

ROOT = Path(__file__).parent.parent
FILE = ROOT / "engines" / "cafe" / "components" / "reconstructed.toml"
ENTRY = cafe_entries()["reconstructed"]
SET: CafeComponents = ENTRY.components.contents
WITH_CUP = [card for card in SET.plan if card.count("cup")]
WITHOUT_CUP = [card for card in SET.plan if not card.count("cup")]
USEFUL = ("plantation", "dry", "roast", "shop")


def total(kind: str, cards: list[Card] | tuple[Card, ...] = SET.plan) -> int:
    return sum(card.count(kind) for card in cards)


# --- what rulings/cafe.md asks of the reconstructed set; every number below is from there ---


def test_the_generator_writes_the_file() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engines.cafe.reconstruct"], cwd=ROOT, capture_output=True, check=True
    )
    assert done.stdout == FILE.read_bytes()


def test_numbers_of_cards_and_cubes() -> None:
    assert (len(SET.start), len(SET.plan), len(SET.expresso)) == (4, 48, 8)
    assert SET.cubes == 35
    assert all(len(card.squares) == 6 for card in SET.cards)


def test_all_plan_cards_are_different_also_under_a_half_turn() -> None:
    def look(card: Card, squares: range) -> tuple[object, ...]:
        shown = []
        for index in squares:
            square = card.squares[index]
            shown.append((square.kind, square.color, card.shops if square.kind == "shop" else None))
        return tuple(shown)

    looks: dict[tuple[object, ...], str] = {}
    for card in SET.plan:
        for squares in (range(6), range(5, -1, -1)):
            assert looks.setdefault(look(card, squares), card.id) == card.id


def test_no_card_has_two_cups() -> None:
    assert all(card.count("cup") <= 1 for card in SET.cards)


def test_totals_of_the_plan_cards() -> None:
    assert total("cup") == 24
    assert total("ship") == 8
    assert sum(card.count("ship") > 0 for card in SET.plan) == 8
    assert total("shop") == 32
    assert total("plantation") == 88
    colors = Counter(square.color for card in SET.plan for square in card.squares if square.kind == "plantation")
    assert colors == {0: 22, 1: 22, 2: 22, 3: 22}
    assert total("dry") == 40
    assert total("roast") == 40
    assert total("empty") == 56
    assert sum(totals(SET).values()) == 288


def test_shops() -> None:
    one, two = Counter[tuple[object, ...]](), Counter[tuple[object, ...]]()
    for card in SET.plan:
        assert len(card.shops) <= 1
        for shop in card.shops:
            figures = (sum(shop.cubes), sum(count > 0 for count in shop.cubes), shop.points)
            (one if card.count("shop") == 1 else two)[figures] += 1
    assert one == {(1, 1, 3): 4, (2, 1, 6): 4, (2, 2, 7): 8}
    assert two == {(3, 2, 10): 2, (3, 3, 11): 2, (4, 3, 13): 2, (4, 4, 14): 2}


def test_every_colour_is_asked_for_equally_often() -> None:
    asked = [sum(shop.cubes[color] for card in SET.plan for shop in card.shops) for color in range(4)]
    assert max(asked) - min(asked) <= 1


@pytest.mark.parametrize("kind", [*USEFUL, "ship"])
def test_cup_cards_show_less_of_everything(kind: str) -> None:
    assert len(WITH_CUP) == len(WITHOUT_CUP) == 24
    assert total(kind, WITH_CUP) < total(kind, WITHOUT_CUP)


@pytest.mark.parametrize("half", [WITH_CUP, WITHOUT_CUP], ids=["with cup", "without"])
def test_ship_cards_have_no_fewer_useful_squares(half: list[Card]) -> None:
    def mean(cards: list[Card]) -> float:
        return sum(card.count(kind) for card in cards for kind in USEFUL) / len(cards)

    ships = [card for card in half if card.count("ship")]
    assert mean(ships) >= mean([card for card in half if not card.count("ship")])


def test_a_ship_lies_beside_every_shop_of_two_squares_on_a_full_card() -> None:
    with_ship = [card for card in SET.plan if card.count("ship")]
    assert with_ship == [card for card in SET.plan if card.count("shop") == 2]
    assert not any(card.count("empty") for card in with_ship)


def test_start_cards() -> None:
    layouts = set()
    for card in SET.start:
        assert [card.count(kind) for kind in ("cup", "dry", "roast", "plantation")] == [1, 1, 1, 3]
        names: dict[int, int] = {}
        layouts.add(
            tuple(
                (square.kind, names.setdefault(square.color, len(names)) if square.kind == "plantation" else None)
                for square in card.squares
            )
        )
    assert len(layouts) == 1
    assert len({card.face() for card in SET.start}) == 4


def test_expresso_cards() -> None:
    special = ("waiter", "sack", "nata", "double")
    assert [total(kind, SET.expresso) for kind in special] == [4, 4, 4, 4]
    assert all(sum(card.count(kind) for kind in special) == 2 for card in SET.expresso)
    assert {square.color for card in SET.expresso for square in card.squares if square.kind == "double"} == {0, 1, 2, 3}
    assert {square.points for card in SET.expresso for square in card.squares if square.kind == "nata"} == {2, 3, 4}
    assert total("shop", SET.expresso) == 0
    assert sum(card.count("cup") for card in SET.expresso) == 4
    assert [total(kind, SET.expresso) for kind in ("plantation", "dry", "roast", "empty")] == [8, 4, 4, 12]


def test_it_says_that_it_is_reconstructed() -> None:
    assert ENTRY.components.reconstructed
    sources = {origin.group: origin.source for origin in ENTRY.components.provenance}
    assert sources["plan"] == sources["expresso"] == sources["start"] == "reconstructed"


# --- the validator ---


def faults(change: Any) -> dict[str, str]:
    """Return key and reason of every fault after a change to the reconstructed set."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    change(data)
    with pytest.raises(ComponentError) as error:
        parse_set(data, "mine.toml", "cafe", ENGINE.parse_components)
    assert str(error.value).startswith("mine.toml: ")
    return {fault.key: fault.reason for fault in error.value.faults}


def put(deck: str, card: int, row: int, column: int, word: object) -> Any:
    def change(data: dict[str, Any]) -> None:
        data[deck][card]["squares"][row][column] = word

    return change


def shop_card(data: dict[str, Any]) -> dict[str, Any]:
    return next(card for card in data["plan"] if "shops" in card)


FAULTS: list[tuple[str, Any, str, str]] = [
    ("a card missing", lambda d: d["plan"].pop(), "plan", "wants 48 cards; found 47"),
    ("an unknown key", lambda d: d.update(cups=3), "cups", "unknown key"),
    ("an unknown word", put("plan", 3, 0, 0, "grene"), "plan[3].squares[0][0]", "wants one of red, yellow"),
    ("no word", put("plan", 3, 0, 0, 5), "plan[3].squares[0][0]", "found 5"),
    ("a short row", lambda d: d["plan"][3]["squares"][1].pop(), "plan[3].squares", "wants 2 rows of 3 words"),
    ("two cups", lambda d: d["plan"][0].update(squares=[["cup", "red", "cup"], ["dry", "dry", "dry"]], shops=[]),
     "plan[0].squares", "at most one cup; found 2"),
    ("a sack on a plan card", put("plan", 3, 0, 0, "sack"), "plan[3].squares[0][0]", "only Expresso cards"),
    ("a nata of 0", put("expresso", 0, 0, 0, "nata 0"), "expresso[0].squares[0][0]", "nata N"),
    ("a double of no colour", put("expresso", 0, 0, 0, "double blue"), "expresso[0].squares[0][0]", "double COLOR"),
    ("too many cubes", lambda d: d.update(cubes=64), "cubes", "from 4 to 63"),
    ("too few cubes for four players", lambda d: d.update(cubes=3), "cubes", "from 4 to 63"),
    ("an id twice", lambda d: d["plan"][1].update(id="plan-01"), "id", "2 cards have the id 'plan-01'"),
    ("a long id", lambda d: d["plan"][1].update(id="p" * 17), "plan[1].id", "1 to 16 of"),
    ("a wrong total", lambda d: d["totals"].update(cup=23), "totals.cup", "says 23, the plan cards show 24"),
    ("a total missing", lambda d: d["totals"].pop("dry"), "totals.dry", "missing"),
    ("a start card without roaster", put("start", 0, 1, 2, "empty"), "start[0].squares", "wants 1 of roast; found 0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "key", "reason"), FAULTS, ids=[case[0] for case in FAULTS])
def test_the_validator_names(name: str, change: Any, key: str, reason: str) -> None:
    found = faults(change)
    assert key in found, found
    assert reason in found[key]


def test_the_validator_checks_shops() -> None:
    def with_shop(**changes: object) -> dict[str, str]:
        return faults(lambda data: shop_card(data)["shops"][0].update(changes))

    assert any(key.endswith("shops[0].cubes") for key in with_shop(cubes=["blue"]))
    assert any("up to 6 cubes, 3 of a colour" in reason for reason in with_shop(cubes=["red"] * 4).values())
    assert any(key.endswith("shops[0].points") for key in with_shop(points=100))
    assert any("missing" in reason for reason in faults(lambda d: shop_card(d).pop("shops")).values())
    extra = faults(lambda d: shop_card(d)["shops"].append({"cubes": ["red"], "points": 1}))
    assert any("one or two squares 'shop2'" in reason for reason in extra.values())
    apart = faults(
        lambda d: d["plan"][0].update(
            squares=[["shop", "red", "shop"], ["dry", "cup", "dry"]], shops=[{"cubes": ["red"], "points": 1}]
        )
    )
    assert any("must share an edge" in reason for reason in apart.values())


def test_the_validator_finds_twins_under_a_half_turn() -> None:
    def twin(data: dict[str, Any]) -> None:
        one, other = (card for card in data["plan"] if card["id"] in ids)
        other["squares"] = [row[::-1] for row in reversed(one["squares"])]

    ids = [card.id for card in SET.plan if not card.shops][:2]
    assert f"{ids[0]!r} and {ids[1]!r} show the same" in faults(twin)["plan"]


def test_the_odd_set_has_what_the_reconstructed_set_lacks() -> None:
    odd: CafeComponents = cafe_entries()["odd"].components.contents
    assert odd.cubes < 35
    assert any(card.symmetric for card in odd.plan)
    assert any(len(card.shops) == 2 for card in odd.plan)
    assert any(card.shops for card in odd.expresso)


def test_components_on_the_wire_show_every_card() -> None:
    for entry in cafe_entries().values():
        contents: CafeComponents = entry.components.contents
        message = game_pb2.Components()
        ENGINE.encode_components(entry.components, message)
        assert message.cafe.cubes == contents.cubes
        shown = [*message.cafe.plan_cards, *message.cafe.expresso_cards, *message.cafe.start_cards]
        assert [card.id for card in shown] == [card.id for card in contents.cards]
        for card, wire in zip(contents.cards, shown, strict=True):
            for square, face in zip(card.squares, wire.squares, strict=True):
                assert face.kind > 0
                colored = square.kind in ("plantation", "double")
                assert face.color == (square.color + 1 if colored else 0)
                assert face.points == square.points
                assert face.shop == (square.shop + 1 if square.kind == "shop" else 0)
            for shop, asked in zip(card.shops, wire.shops, strict=True):
                assert [getattr(asked.cubes, color) for color in COLORS] == list(shop.cubes)
                assert asked.points == shop.points
