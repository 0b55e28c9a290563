"""Campus Café's component sets: every printed total, the known cards, the generator, and faults named one by one.

The figures are the rulebook's (components, setup, appendices I and II, the worked example) or, where marked derived or
reconstructed in the rulings, theirs.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from statistics import mean, median

import pytest

from engines.campus import ENGINE
from engines.campus import components as printed
from engines.campus.components import CampusSet, Card, Space
from engines.campus.reconstruct import document, strength
from engines.component_set import ComponentError, ComponentSet, parse_set

FILE = Path(printed.__file__).parent / "components" / "reconstructed.toml"
TEXT = FILE.read_text(encoding="utf-8")


def load(text: str = TEXT) -> ComponentSet[CampusSet]:
    return parse_set(tomllib.loads(text), "set.toml", "campus", ENGINE.parse_components)


SET = load().contents
CARDS = SET.cards
ROOT = Path(__file__).parent.parent


def test_the_generator_writes_the_file() -> None:
    command = [sys.executable, "-m", "engines.campus.reconstruct"]
    written = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    assert written == FILE.read_bytes()


def test_the_set_is_fine_and_says_what_is_reconstructed() -> None:
    assert load().warnings == ()
    assert load().reconstructed
    assert {origin.source for origin in load().provenance} == {"rulebook", "derived", "reconstructed"}


def test_tokens() -> None:
    assert SET.tokens == (9, 8, 7, 6, 5)
    assert sum(SET.tokens) == 35


def test_groups() -> None:
    assert len(CARDS) == 48
    assert Counter(len(card.customers) for card in CARDS) == {2: 16, 3: 16, 4: 16}


def test_customers() -> None:
    assert Counter(kind for card in CARDS for kind in card.customers) == dict.fromkeys(range(8), 18)


def test_dishes() -> None:
    assert all(len(card.dishes) == len(card.customers) for card in CARDS)
    assert Counter("".join(card.all_dishes for card in CARDS)) == {"E": 46, "H": 36, "M": 29, "S": 22, "C": 16}
    common = [card for card in CARDS if card.common]
    assert len(common) == 5
    assert all(len(card.customers) == 4 for card in common)


@pytest.mark.parametrize(("size", "counts"), [(2, (9, 8, 7, 5, 3)), (3, (15, 12, 9, 7, 5)), (4, (22, 16, 13, 10, 8))])
def test_dishes_by_group(size: int, counts: tuple[int, ...]) -> None:
    dishes = Counter("".join(card.all_dishes for card in CARDS if len(card.customers) == size))
    assert tuple(dishes[letter] for letter in "EHMSC") == counts


def test_checks() -> None:
    assert all(card.check == printed.worth(card.all_dishes) for card in CARDS)
    # 46 + 2 * 36 + 3 * 29 + 4 * 22 + 5 * 16
    assert sum(card.check for card in CARDS) == 373


def test_the_two_cards_of_the_worked_example() -> None:
    first = [card for card in CARDS if Counter(card.all_dishes) == Counter("MMSS") and card.gift]
    second = [card for card in CARDS if Counter(card.all_dishes) == Counter("SSEH") and card.gift]
    assert any(card.check == 14 and card.reverse == "satisfier" for card in first)
    [supplied] = [card for card in second if card.reverse == "supplier" and card.resources == "M"]
    assert supplied.check == 11
    assert sorted(Counter(supplied.customers).values()) == [1, 1, 2]
    gifts = {card.gift for card in first if card.reverse == "satisfier"} | {supplied.gift}
    assert gifts == {"E", "H"}


def test_careers() -> None:
    careers = [card for card in CARDS if card.reverse == "career"]
    assert sorted(card.career for card in careers) == sorted(printed.CAREERS)
    assert all(card.spaces == (card.career != "delivery_man") for card in careers)


def test_satisfiers_and_multipliers() -> None:
    assert sorted(card.satisfier for card in CARDS if card.reverse == "satisfier") == list(range(8))
    multipliers = {card.resources: card.tokens for card in CARDS if card.reverse == "multiplier"}
    assert multipliers == {"E": 3, "H": 2, "M": 1, "S": 1, "C": 1}
    assert sum(multipliers.values()) == 8


def test_the_other_reverse_sides() -> None:
    manipulators = {(card.form, card.color) for card in CARDS if card.reverse == "manipulator"}
    assert manipulators == {(form, color) for form in printed.FORMS for color in printed.DIE_COLORS}
    assert Counter(card.reverse for card in CARDS) == {
        "career": 10,
        "satisfier": 8,
        "multiplier": 5,
        "manipulator": 9,
        "supplier": 8,
        "extension": 8,
    }
    suppliers = sorted(card.resources for card in CARDS if card.reverse == "supplier")
    assert suppliers == sorted(["E", "H", "M", "S", "EE", "EH", "EM", "HH"])
    assert sorted(card.spaces for card in CARDS if card.reverse == "extension") == [1] * 6 + [2] * 2


def test_stronger_reverse_sides_sit_on_dearer_cards() -> None:
    def points(card: Card) -> float:  # as the rulings put it
        return {
            "multiplier": {"E": 9, "H": 9, "S": 8, "C": 8, "M": 7}.get(card.resources, 0),
            "career": 8,
            "satisfier": 6,
            "supplier": 3 + 1.5 * printed.worth(card.resources),
            "extension": {1: 4, 2: 7}.get(card.spaces, 0),
            "manipulator": 4 if card.form == "stack" else 3,
        }[card.reverse]

    assert [points(card) for card in CARDS] == [strength(card) for card in CARDS]
    order = [card for _, _, card in sorted((points(card), index, card) for index, card in enumerate(CARDS))]
    low, middle, high = (mean(card.check for card in order[i : i + 16]) for i in (0, 16, 32))
    assert middle - low > 1
    assert high - middle > 1


def test_gifts() -> None:
    gifts = [card for card in CARDS if card.gift]
    assert Counter(card.gift for card in gifts) == {"E": 2, "H": 2, "M": 2, "S": 1, "C": 1}
    for card in gifts:
        size = len(card.customers)
        assert card.check > median(other.check for other in CARDS if len(other.customers) == size)


def test_objectives() -> None:
    assert Counter(objective.color for objective in SET.objectives) == {"yellow": 5, "azure": 5, "gray": 5}
    kinds = Counter((objective.kind, objective.color) for objective in SET.objectives)
    assert kinds == {
        ("resource", "yellow"): 5,
        ("customers", "azure"): 4,
        ("gifts", "azure"): 1,
        ("groups", "gray"): 3,
        ("spaces", "gray"): 1,
        ("cards", "gray"): 1,
    }
    assert {objective.resource for objective in SET.objectives if objective.kind == "resource"} == set("EHMSC")
    pairs = {objective.types for objective in SET.objectives if objective.kind == "customers"}
    assert pairs == {(0, 1), (2, 3), (4, 5), (6, 7)}
    assert {objective.size for objective in SET.objectives if objective.kind == "groups"} == {2, 3, 4}


def test_dislikes() -> None:
    assert Counter(dislike.kind for dislike in SET.dislikes) == {"customers": 4, "gifts": 1, "tray": 1}
    assert {dislike.types for dislike in SET.dislikes if dislike.types} == {(0, 1), (2, 3), (4, 5), (6, 7)}


def test_setup_tables() -> None:
    assert SET.basic.supply == ((7, 6, 5, 4, 3), (8, 7, 5, 5, 4), (8, 7, 6, 6, 5), (9, 8, 7, 6, 5))
    assert SET.advanced.supply == ((6, 5, 4, 3, 2), (7, 6, 4, 4, 3), (8, 7, 5, 5, 3), (9, 8, 6, 5, 4))
    assert SET.basic.deck == (14, 18, 24, 25)
    assert SET.advanced.deck == (18, 24, 28, 30)
    # The rulebook's example: with 4 players the decks of the basic game have 24 and 17 cards.
    assert 48 - 7 - SET.basic.deck[2] == 17
    assert SET.awards == ((10, 7, 0), (10, 7, 0), (12, 9, 6), (15, 11, 7))
    assert SET.basic.trays == (5,) * 6
    assert SET.advanced.trays == (4, 4, 7, 4, 4, 5)


def side(color: str, spaces: tuple[Space, ...]) -> list[str]:
    return sorted(
        "".join(sorted(space.give)) + (f"${space.money}" if space.money else "")
        for space in spaces
        if space.color == color and not space.times
    )


def test_boards() -> None:
    basic, advanced = SET.basic.spaces, SET.advanced.spaces
    assert side("red", basic) == sorted(["M$2", "HH", "EE$1"])
    assert side("blue", basic) == sorted(["S", "EEE$1", "H$2", "$6"])
    assert side("green", basic) == sorted(["C", "M$1", "EE$2"])
    assert side("white", basic) == sorted(["EE$1", "H$2", "$4"])
    assert side("red", advanced) == sorted(["EH$2", "EM", "E$3"])
    assert side("blue", advanced) == sorted(["S", "EEH", "EH$1", "$7"])
    assert side("green", advanced) == sorted(["C", "EH$1", "H$2"])
    assert side("white", advanced) == sorted(["EH", "E$2", "$5"])
    for spaces in (basic, advanced):
        counters = [(s.color, s.source, s.target, s.times) for s in spaces if s.times]
        assert counters == [("red", "MS", "C", 1), ("green", "EH", "MS", 2), ("white", "EHMSC", "EH", 3)]


# --- what an owner of the game is told -------------------------------------------------------------


def faults(text: str) -> list[str]:
    with pytest.raises(ComponentError) as caught:
        load(text)
    return [f"{fault.key}: {fault.reason}" for fault in caught.value.faults if not fault.warning]


def swap(old: str, new: str, count: int = 1) -> str:
    assert old in TEXT
    return TEXT.replace(old, new, count)


FIRST = next(line for line in TEXT.splitlines() if "customers = [" in line)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (TEXT.replace(FIRST + "\n", ""), "cards: customer cards: wants 48, found 47"),
        (TEXT.replace(FIRST + "\n", ""), "cards: cards with 2 customers: wants 16, found 15"),
        (swap("tokens = [9,", "tokens = [8,"), "tokens[0]: tokens E: wants 9, found 8"),
        (swap('career = "barman"', 'career = "refresher"'), "cards: careers barman: wants 1, found 0"),
        (
            swap('satisfier = "male_art"', 'satisfier = "female_art"'),
            "satisfiers (red tokens) for male_art: wants 1, found 0",
        ),
        (swap('multiplier = "E", tokens = 3', 'multiplier = "E", tokens = 2'), "cards: blue tokens: wants 8, found 7"),
        (
            swap('multiplier = "H", tokens = 2', 'multiplier = "H", tokens = 1'),
            "cards: blue tokens of H: wants 2, found 1",
        ),
        (swap('multiplier = "C"', 'multiplier = "M"'), "cards: multipliers of C: wants 1, found 0"),
        (swap("most_groups = 2", "most_groups = 5"), "objectives[10].most_groups: wants an integer from 2 to 4"),
        (
            swap('color = "gray", fewest = "cards"', 'color = "azure", fewest = "cards"'),
            "gray objectives: wants 5, found 4",
        ),
        (swap('fewest = "cards"', 'fewest = "spaces"'), "objectives about cards: wants 1, found 0"),
        (swap('kind = "gifts"', 'kind = "tray"'), "dislikes about gifts: wants 1, found 0"),
        (swap("[9, 8, 7, 6, 5]]", "[9, 8, 7, 7, 5]]"), "basic.supply[3][3]: 7 tokens S for 5 players, there are 6"),
        (swap("deck = [14,", "deck = [0,"), "basic.deck: wants a list of integers"),
        (swap("john = 5", "jon = 5"), "basic.trays.jon: unknown key"),
        (
            swap('give = "M", money = 2', 'give = "Q", money = 2'),
            "basic.spaces[0].give: wants 1 to 3 of the letters EHMSC",
        ),
        (swap('color = "red", give = "HH"', 'color = "pink", give = "HH"'), "basic.spaces[1].color: wants one of red"),
        (swap("times = 3", "times = 2"), "basic.spaces: counters: wants 2x EH on MS, 3x EHMSC on EH, 1x MS on C"),
        (swap("money = 7", "money = 8"), "advanced.spaces: cashiers: wants $ [5, 7], found [5, 8]"),
        (swap("first = [10,", "first = ["), "awards.first: wants 4 integers; found 3"),
        (swap("extension = 1", "extention = 1"), "wants exactly one of career"),
        (swap('common = "', 'comon = "'), ".comon: unknown key"),
        (
            swap('manipulator = "stack", color = "red"', 'manipulator = "stack", color = "white"'),
            ".color: wants one of red",
        ),
        (
            swap('manipulator = "stack", color = "red"', 'manipulator = "stack", color = "blue"'),
            "manipulator stack blue twice",
        ),
    ],
)
def test_a_fault_is_named(text: str, fault: str) -> None:
    assert any(fault in found for found in faults(text)), faults(text)


def test_a_wrong_dish_is_named_by_both_totals() -> None:
    found = faults(swap('dishes = "E', 'dishes = "C'))
    assert "cards: dishes E, common ones included: wants 46, found 45" in found
    assert "cards: dishes C, common ones included: wants 16, found 17" in found


def test_faults_of_all_kinds_are_told_at_once() -> None:
    text = swap("tokens = [9,", "tokens = [8,").replace("deck = [14,", "deck = [99,").replace(FIRST + "\n", "")
    found = faults(text)
    assert "tokens[0]: tokens E: wants 9, found 8" in found
    assert "cards: customer cards: wants 48, found 47" in found
    assert any(fault.startswith("basic.deck: wants a list of integers from 1 to 40") for fault in found)


def test_a_check_that_differs_from_the_dishes_is_a_warning() -> None:
    line = next(line for line in TEXT.splitlines() if "check = 14" in line)
    found = load(TEXT.replace(line, line.replace("check = 14", "check = 15")))
    [warning] = found.warnings
    assert warning.key.endswith("check")
    assert warning.reason == "the dishes are worth $14"


def test_another_seed_meets_the_totals_too() -> None:
    assert load(document(1234)).contents.cards != CARDS
