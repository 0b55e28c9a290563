"""Writes the component set `reconstructed`.

    python -m engines.campus.reconstruct > engines/campus/components/reconstructed.toml

The printed cards are not publicly known in full. A seeded search draws a deck that meets every known total; the board,
objectives and tables are written down below. Another seed gives another deck with the same totals.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from random import Random
from statistics import mean, median
from typing import Any

from engines.campus.components import CAREERS, DIE_COLORS, FORMS, RESOURCES, TYPES, Card, worth

SEED = 29
# Dishes by group size, E H M S C, common ones included.
DISHES = {2: (9, 8, 7, 5, 3), 3: (15, 12, 9, 7, 5), 4: (22, 16, 13, 10, 8)}
GIFTS = "EEHHMMSC"
BLUE = {"E": 3, "H": 2, "M": 1, "S": 1, "C": 1}
SUPPLIERS = ("E", "H", "M", "S", "EE", "EH", "EM", "HH")
CAREER_SPACES = {career: int(career != "delivery_man") for career in CAREERS}
# The two cards printed in the rulebook; the satisfier of the first is one of the types drawn for it.
KNOWN = ("MMSS", "ESSH")


def strength(card: Card) -> float:
    """Return how strong a reverse side is held to be."""
    if card.reverse == "multiplier":
        return {"E": 9, "H": 9, "S": 8, "C": 8, "M": 7}[card.resources]
    if card.reverse == "supplier":
        return 3 + 1.5 * worth(card.resources)
    if card.reverse == "extension":
        return 4 if card.spaces == 1 else 7
    if card.reverse == "manipulator":
        return 4 if card.form == "stack" else 3
    return {"career": 8, "satisfier": 6}[card.reverse]


def thirds(cards: list[Card]) -> list[float]:
    """Return the mean check of the weakest, middle and strongest third of the reverse sides."""
    order = sorted(range(len(cards)), key=lambda index: (strength(cards[index]), index))
    return [mean(cards[index].check for index in order[i : i + 16]) for i in (0, 16, 32)]


def reverses(random: Random) -> list[dict[str, Any]]:
    """Return the 47 reverse sides beside the supplier M of the known card SSEH."""
    sides: list[dict[str, Any]] = [
        {"reverse": "career", "career": career, "spaces": CAREER_SPACES[career]} for career in CAREERS
    ]
    sides += [{"reverse": "satisfier", "satisfier": kind} for kind in range(len(TYPES))]
    sides += [{"reverse": "multiplier", "resources": r, "tokens": n} for r, n in BLUE.items()]
    sides += [{"reverse": "manipulator", "form": form, "color": color} for form in FORMS for color in DIE_COLORS]
    sides += [{"reverse": "supplier", "resources": shown} for shown in SUPPLIERS if shown != "M"]
    sides += [{"reverse": "extension", "spaces": 2 if i < 2 else 1} for i in range(8)]
    random.shuffle(sides)
    return sides


def draw_orders(random: Random) -> list[str]:
    """Return 48 orders, the known ones first among those of 4 customers and the common dish last."""
    orders: list[str] = []
    for size, counts in DISHES.items():
        dishes = [r for r, n in zip(RESOURCES, counts, strict=True) for _ in range(n)]
        if size == 4:
            for dish in "".join(KNOWN):
                dishes.remove(dish)
        random.shuffle(dishes)
        lengths = [size] * 16 if size < 4 else [4] * 9 + [5] * 5
        if size == 4:
            orders += KNOWN
        for length in lengths:
            orders.append("".join(dishes[:length]))
            del dishes[:length]
    return orders


def draw_customers(random: Random, orders: list[str]) -> list[tuple[int, ...]] | None:
    """Return the customers of every order, or None where the known card did not get two of one type."""
    pool = [kind for kind in range(len(TYPES)) for _ in range(18)]
    random.shuffle(pool)
    customers = []
    for index in range(len(orders)):
        size = 2 + index // 16
        customers.append(tuple(pool[:size]))
        del pool[:size]
    return customers if sorted(Counter(customers[33]).values()) == [1, 1, 2] else None


def draw_gifts(random: Random, cards: list[Card]) -> list[Card] | None:
    """Return the cards with their gifts; None where a gift would go to a card that is not above its group's median."""
    middle = {size: median(card.check for card in cards if len(card.customers) == size) for size in DISHES}
    dear = [i for i, card in enumerate(cards) if card.check > middle[len(card.customers)]]
    if 32 not in dear or 33 not in dear:
        return None
    chosen = [
        i for size in (2, 3) for i in random.sample([i for i in dear if len(cards[i].customers) == size], size - 1)
    ]
    chosen += random.sample([i for i in dear if i > 33], 3)
    colors = list("EHMMSC")
    random.shuffle(colors)
    gifts = dict(zip(chosen, colors, strict=True)) | {32: "E", 33: "H"}
    return [replace(card, gift=gifts.get(i, "")) for i, card in enumerate(cards)]


def draw_deck(random: Random) -> list[Card] | None:
    """Return a deck, or None where the draw breaks a constraint."""
    orders = draw_orders(random)
    identical = sum(1 for order in orders if len(set(order)) == 1)
    if not 5 <= identical <= 8 or max(order.count("C") for order in orders) > 2:
        return None
    customers = draw_customers(random, orders)
    if customers is None:
        return None
    tables = [Card(customers[i], order[:4], order[4:], worth(order), "", "extension") for i, order in enumerate(orders)]
    with_gifts = draw_gifts(random, tables)
    if with_gifts is None:
        return None
    cards = with_gifts
    # The dearer the card, the stronger its reverse side, with some noise.
    sides = reverses(random)
    known = next(s for s in sides if s.get("satisfier", -1) in customers[32])
    sides.remove(known)
    sides.sort(key=lambda side: strength(replace(cards[0], **side)) + random.uniform(-3.5, 3.5))
    order = sorted((i for i in range(48) if i not in (32, 33)), key=lambda i: (cards[i].check, i))
    placed = {32: known, 33: {"reverse": "supplier", "resources": "M"}} | dict(zip(order, sides, strict=True))
    cards = [replace(card, **placed[i]) for i, card in enumerate(cards)]
    low, middle, high = thirds(cards)
    return cards if middle - low > 1 and high - middle > 1 else None


def deck(seed: int) -> list[Card]:
    """Return the deck of a seed."""
    random = Random(seed)
    while True:
        cards = draw_deck(random)
        if cards is not None:
            return cards


def card_line(card: Card) -> str:
    """Return a card as a line of TOML."""
    customers = ", ".join(f'"{TYPES[kind]}"' for kind in card.customers)
    parts = [f"customers = [{customers}]", f'dishes = "{card.dishes}"']
    if card.common:
        parts.append(f'common = "{card.common}"')
    parts.append(f"check = {card.check}")
    if card.gift:
        parts.append(f'gift = "{card.gift}"')
    parts += {
        "career": [f'career = "{card.career}"', f"spaces = {card.spaces}"],
        "satisfier": [f'satisfier = "{TYPES[card.satisfier]}"'],
        "multiplier": [f'multiplier = "{card.resources}"', f"tokens = {card.tokens}"],
        "manipulator": [f'manipulator = "{card.form}"', f'color = "{card.color}"'],
        "supplier": [f'supplier = "{card.resources}"'],
        "extension": [f"extension = {card.spaces}"],
    }[card.reverse]
    return "    { " + ", ".join(parts) + " },"


HEAD = """\
# Campus Café. Written by engines/campus/reconstruct.py: change that script, not this file. To describe your own copy of
# the game, copy this file, give it another id and replace what differs.
#
# Resources: E Espresso Coffee, H Hot Chocolate, M Mint Shake, S Strawberry Shake, C Cupcake, worth $1 to $5.
# Lists by number of players are for 2, 3, 4 and 5 players.
game = "campus"
id = "{id}"
name = "{name}"

tokens = [9, 8, 7, 6, 5] # resource tokens E H M S C

# One line a card. Table side: customers, the dish in front of each in the same order, the yellow common dish, the check
# in $ and the colour of the gift. Reverse side: one of career (with its tray spaces), satisfier, multiplier (with its
# blue tokens), manipulator (to_color: one die on a space of this colour; from_color: one die of this colour on any
# space; stack: the second die on the first if one has this colour), supplier and extension (with its tray spaces).
cards = [
"""

TAIL = """\
]

objectives = [
    { id = "most_espresso", color = "yellow", most_of = "E" },
    { id = "most_chocolate", color = "yellow", most_of = "H" },
    { id = "most_mint", color = "yellow", most_of = "M" },
    { id = "most_strawberry", color = "yellow", most_of = "S" },
    { id = "most_cupcakes", color = "yellow", most_of = "C" },
    { id = "most_teachers", color = "azure", most_customers = ["male_teacher", "female_teacher"] },
    { id = "most_classical", color = "azure", most_customers = ["male_classical", "female_classical"] },
    { id = "most_art", color = "azure", most_customers = ["male_art", "female_art"] },
    { id = "most_athletes", color = "azure", most_customers = ["male_athlete", "female_athlete"] },
    { id = "fewest_bonuses", color = "azure", fewest = "gifts" },
    { id = "most_groups_of_2", color = "gray", most_groups = 2 },
    { id = "most_groups_of_3", color = "gray", most_groups = 3 },
    { id = "most_groups_of_4", color = "gray", most_groups = 4 },
    { id = "fewest_spaces", color = "gray", fewest = "spaces" },
    { id = "fewest_cards", color = "gray", fewest = "cards" },
]

dislikes = [
    { id = "teachers", kind = "customers", types = ["male_teacher", "female_teacher"] },
    { id = "classical", kind = "customers", types = ["male_classical", "female_classical"] },
    { id = "art", kind = "customers", types = ["male_art", "female_art"] },
    { id = "athletes", kind = "customers", types = ["male_athlete", "female_athlete"] },
    { id = "gifts", kind = "gifts" },
    { id = "tray", kind = "tray" },
]

[basic]
supply = [[7, 6, 5, 4, 3], [8, 7, 5, 5, 4], [8, 7, 6, 6, 5], [9, 8, 7, 6, 5]]
deck = [14, 18, 24, 25]
trays = { abigail = 5, destiny = 5, john = 5, melissa = 5, samuel = 5, william = 5 }
# Dice spaces: give and money are collected; serve, on and times are a counter's conversions.
spaces = [
    { color = "red", give = "M", money = 2 },
    { color = "red", give = "HH" },
    { color = "red", give = "EE", money = 1 },
    { color = "red", serve = "MS", on = "C", times = 1 },
    { color = "blue", give = "S" },
    { color = "blue", give = "EEE", money = 1 },
    { color = "blue", give = "H", money = 2 },
    { color = "blue", money = 6 },
    { color = "green", give = "C" },
    { color = "green", give = "M", money = 1 },
    { color = "green", give = "EE", money = 2 },
    { color = "green", serve = "EH", on = "MS", times = 2 },
    { color = "white", give = "EE", money = 1 },
    { color = "white", give = "H", money = 2 },
    { color = "white", money = 4 },
    { color = "white", serve = "EHMSC", on = "EH", times = 3 },
]

[advanced]
supply = [[6, 5, 4, 3, 2], [7, 6, 4, 4, 3], [8, 7, 5, 5, 3], [9, 8, 6, 5, 4]]
deck = [18, 24, 28, 30]
trays = { abigail = 4, destiny = 4, john = 7, melissa = 4, samuel = 4, william = 5 }
spaces = [
    { color = "red", give = "EH", money = 2 },
    { color = "red", give = "EM" },
    { color = "red", give = "E", money = 3 },
    { color = "red", serve = "MS", on = "C", times = 1 },
    { color = "blue", give = "S" },
    { color = "blue", give = "EEH" },
    { color = "blue", give = "EH", money = 1 },
    { color = "blue", money = 7 },
    { color = "green", give = "C" },
    { color = "green", give = "EH", money = 1 },
    { color = "green", give = "H", money = 2 },
    { color = "green", serve = "EH", on = "MS", times = 2 },
    { color = "white", give = "EH" },
    { color = "white", give = "E", money = 2 },
    { color = "white", money = 5 },
    { color = "white", serve = "EHMSC", on = "EH", times = 3 },
]

# $ of an objective: sole first, each of those tied for first, each second (behind a sole first).
[awards]
first = [10, 10, 12, 15]
tied = [7, 7, 9, 11]
second = [0, 0, 6, 7]

[provenance]
tokens = { source = "rulebook", note = "Components." }
supply = { source = "rulebook", note = "Setup, but for the missing cell: 5 players, cupcakes." }
missing_cell = { source = "reconstructed", note = "Basic 5 follows from the tokens, advanced 4 was chosen." }
decks = { source = "rulebook", note = "Setup." }
awards = { source = "rulebook", note = "Employees of the Month." }
trays = { source = "rulebook", note = "Capacity; talents of John and William." }
cards = { source = "reconstructed", note = "Drawn by a seeded search; groups, customers and dishes meet the totals of \
Appendix I, the two printed checks and the two cards of the worked example." }
checks = { source = "derived", note = "The worth of the dishes, as on the two printed checks." }
gifts = { source = "reconstructed", note = "Eight cards above the median check of their group." }
reverse_sides = { source = "reconstructed", note = "Careers, satisfiers and the number of blue and red tokens follow \
from the text; the other counts and which card carries what were chosen." }
board = { source = "reconstructed", note = "Printed: 1M+$2, 1S, what cashiers and counters give. The other spaces and \
the colours of cashiers and counters were chosen." }
objectives = { source = "derived", note = "Appendix II and the number of 15 cards." }
objective_colors = { source = "reconstructed", note = "Five of each colour." }
dislikes = { source = "rulebook", note = "Promo Dislikes." }
"""


def document(seed: int = SEED, set_id: str = "reconstructed", name: str = "Campus Café, reconstructed") -> str:
    """Return the component file of a seed."""
    lines = "\n".join(card_line(card) for card in deck(seed))
    return HEAD.format(id=set_id, name=name) + lines + "\n" + TAIL


if __name__ == "__main__":
    sys.stdout.write(document())
