"""The table of Café as text."""
from __future__ import annotations

import textwrap
from typing import Any

from cython_ext.game import State
from engines.cafe import codes
from engines.cafe.codec import FIRST_EXPRESSO, turn_player
from engines.cafe.components import COLORS, Card
from engines.cafe.rules import CafeGame

WIDTH = 80
CELL = 7  # columns of a square, with the gap
ACROSS = (WIDTH - 5) // CELL  # squares beside each other; a wider area is drawn in parts
LETTERS = "rygb"
LEGEND = (
    "Red Yel Gre Bro plantation, Dry, Rst roaster, Cup, Shi ship, / closed shop, and",
    "below each its cubes r y g b. Shp7 shop for 7 points (* served), Shp7= its other",
    "square; below it the cubes it asks for, capitals for those it has.",
)
LEGEND_EXPRESSO = "2Re double bean, Sck sack, Wai waiter, Na3 nata for 3 points."
BOARD_COLORS = (
    (r"(?m)^Café .*$|^on offer:$|^to be placed:$", "bold"),
    (r"(?m)^> player.*$", "bold green"),
    (r"\b(?:Red|2Re)\b", "red"),
    (r"\b(?:Yel|2Ye)\b", "yellow"),
    (r"\b(?:Gre|2Gr)\b", "green"),
    (r"\b(?:Bro|2Br)\b", "dark_orange3"),
    (r"\bShp\S*", "magenta"),
    (r"\bCup\b", "bold"),
)
STEPS = {
    codes.STEP_AUCTION: "bids or passes",
    codes.STEP_PAY: "pays for the coffee master",
    codes.STEP_TAKE: "takes a card",
    codes.STEP_PLACE: "places",
    codes.STEP_ACT: "does actions",
    codes.STEP_GROW: "chooses what grows",
}
SHORT = {"dry": "Dry", "roast": "Rst", "cup": "Cup", "ship": "Shi", "empty": " . ", "sack": "Sck", "waiter": "Wai"}
SHOWN_NAMES = (("shops", "shops"), ("natas", "natas"), ("warehouse", "warehouse"), ("waiters", "waiters"))


def show(game: CafeGame, state: State) -> str:
    """Return the table as text, at most 80 columns wide."""
    fields = game.read(state)
    cards = game.components.contents.cards
    options = "".join(f", {name}" for name in ("auction", "expresso") if fields[name])
    lines = [
        f"Café ({game.components.id}{options})",
        f"round {fields['round']} of 8: {_turn(cards, fields)}",
        *_open(fields),
        f"deck {fields['deck_left']} cards{_deck(fields)}, supply {_counts(fields['supply'])}",
    ]
    if fields["deck"]:
        known = "next cards: " + " ".join(cards[card].id for card in fields["deck"])
        lines += textwrap.wrap(known, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    if fields["offer"]:
        lines += ["", "on offer:", *(f"  {card_text(cards[card])}" for card in fields["offer"])]
    if fields["taken"] is not None:
        lines += ["", "to be placed:", f"  {card_text(cards[fields['taken']])}"]
    scores = game.score(state)
    for player in range(fields["players"]):
        lines += ["", *_player(cards, fields, player, scores[player]["total"])]
    lines += ["", *LEGEND, *([LEGEND_EXPRESSO] if fields["expresso"] else [])]
    return "\n".join(lines)


def score_items(game: CafeGame, state: State) -> list[list[tuple[str, float]]]:
    """Return what scores, per player: shops, natas, the warehouse, and what exchanging waiters' cubes adds."""
    return [[(name, float(points[key])) for name, key in SHOWN_NAMES] for points in game.score(state)]


def card_text(card: Card) -> str:
    """Return a card in one line: id, its two rows, what its shops ask for."""
    rows = " / ".join(" ".join(_short(card, square) for square in range(row, row + 3)) for row in (0, 3))
    shops = ", ".join(f"{_letters(shop.cubes)} for {shop.points}" for shop in card.shops)
    return f"{card.id:<11} {rows}" + (f"  shop {shops}" if shops else "")


def _turn(cards: tuple[Card, ...], fields: dict[str, Any]) -> str:
    step = fields["step"]
    if step == codes.STEP_OVER:
        return "game over"
    player = f"player {turn_player(fields) + 1}"
    if step == codes.STEP_DRAW:
        return f"a card is drawn, then {player} picks" if fields["turn"] else "cards are drawn"
    text = f"{player} {STEPS[step]}"
    if step == codes.STEP_AUCTION:
        bid = f"player {fields['bidder'] + 1} bids {fields['bid']}" if fields["bid"] else "no bid yet"
        return f"{text}; {bid}"
    if step == codes.STEP_PAY:
        return f"{text}, owes {fields['owed']}"
    if step == codes.STEP_PLACE:
        return f"{text} {cards[fields['taken']].id}"
    if step == codes.STEP_ACT:
        return f"{text}, {fields['actions']} left"
    return text


def _open(fields: dict[str, Any]) -> list[str]:
    """Return how the open action may go on without costing another one."""
    if not fields["open"]:
        return []
    if fields["open"] in (codes.OPEN_DRY, codes.OPEN_ROAST):
        return [f"  also, at no action: colours after {COLORS[fields['open_cell']]}, to the same group"]
    more = "; also, at no action: later roasters" if fields["open"] == codes.OPEN_EMPTY else ""
    return [f"  delivering {_counts(fields['hand'])}{more}"]


def _deck(fields: dict[str, Any]) -> str:
    if fields["open_deck"]:
        return " in known order"
    hidden = len(fields["unseen"]) - fields["deck_left"]
    unseen = f"{len(fields['unseen'])} unseen"
    if fields["expresso"]:
        unseen += f", {sum(card >= FIRST_EXPRESSO for card in fields['unseen'])} of them Expresso"
    return f" ({unseen})" if hidden else ""


def _player(cards: tuple[Card, ...], fields: dict[str, Any], player: int, total: int) -> list[str]:
    area = fields["areas"][player]
    marker = ">" if player == turn_player(fields) else " "
    master = ", master" if player == fields["master"] else ""
    lines = [
        f"{marker} player {player + 1}: {total} points, warehouse {_counts(area['warehouse'])}, "
        f"cups {area['cups']}, ships {area['ships']}{master}"
    ]
    where = {(row, column): cell for cell, (_, row, column) in area["visible"].items()}
    rows = [row for row, _ in where]
    columns = [column for _, column in where]
    for first in range(min(columns), max(columns) + 1, ACROSS):
        across = range(first, min(first + ACROSS, max(columns) + 1))
        lines.append("     " + "".join(f"{column:<{CELL}}" for column in across).rstrip())
        for row in range(min(rows), max(rows) + 1):
            shown = [_square(cards, area, where.get((row, column))) for column in across]
            lines.append((f"{row:>4} " + "".join(f"{name:<{CELL}}" for name, _ in shown)).rstrip())
            if any(pile for _, pile in shown):
                lines.append(("     " + "".join(f"{pile:<{CELL}}" for _, pile in shown)).rstrip())
    return lines


def _square(cards: tuple[Card, ...], area: dict[str, Any], cell: int | None) -> tuple[str, str]:
    """Return what a square shows and the cubes on it, at most six characters each."""
    if cell is None:
        return "", ""
    card = cards[area["cards"][cell // 6][0]]
    face = card.squares[cell % 6]
    cubes = area["cubes"].get(cell, [0, 0, 0, 0])
    name = _short(card, cell % 6)
    if face.kind != "shop":
        letters = _letters(cubes)
        return name, letters if len(letters) < CELL else f"{len(letters)}{letters[0]}"
    first = cell - cell % 6 + card.first_square(cell % 6)
    if first not in area["shops"]:
        return "/", ""
    if first != cell:
        return name, ""
    wanted = card.shops[face.shop].cubes
    return (name + "*" if tuple(cubes) == wanted else name), _shop_cubes(cubes, wanted)


def _shop_cubes(cubes: list[int], wanted: tuple[int, ...]) -> str:
    """Return the cubes asked for, those delivered as capitals."""
    text = ""
    for letter, have, want in zip(LETTERS, cubes, wanted, strict=True):
        text += letter.upper() * have + letter * (want - have)
    return text


def _counts(cubes: list[int]) -> str:
    """Return for example "r2 y0 g1 b13"."""
    return " ".join(f"{letter}{count}" for letter, count in zip(LETTERS, cubes, strict=True))


def _letters(cubes: tuple[int, ...] | list[int]) -> str:
    return "".join(letter * count for letter, count in zip(LETTERS, cubes, strict=True))


def _short(card: Card, number: int) -> str:
    """Return what a square of a card shows, at most six characters."""
    square = card.squares[number]
    if square.kind == "plantation":
        return COLORS[square.color][:3].capitalize()
    if square.kind == "double":
        return f"2{COLORS[square.color][:2].capitalize()}"
    if square.kind == "nata":
        return f"Na{square.points}"
    if square.kind == "shop":
        return f"Shp{card.shops[square.shop].points}" + ("=" if card.first_square(number) != number else "")
    return SHORT[square.kind]
