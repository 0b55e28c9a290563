"""The table of Café as a picture."""
from __future__ import annotations

from typing import Any

from cython_ext.game import State
from engines.cafe.codec import turn_player
from engines.cafe.components import COLUMNS, Card, Square
from engines.cafe.rules import CafeGame
from engines.drawing import Picture

CELL = 44
CUBE = 9
CUBE_COLORS = ("#c0392b", "#e1b12c", "#4b8b3b", "#6b4226")
FIELD_COLORS = ("#efc4bd", "#f5e3b0", "#c9dfc2", "#d9c2ae")
FILLS = {
    "dry": "#f3ead7", "roast": "#b79f8a", "shop": "#f7d9a8", "cup": "#ffffff", "ship": "#bcd7e6", "empty": "#e6ded2",
    "sack": "#d8c9a3", "waiter": "#e4d3ea", "nata": "#fbe08a",
}  # fmt: skip
SIGNS = {"dry": "dry", "roast": "roast", "cup": "cup", "ship": "ship", "sack": "sack", "waiter": "waiter"}
GAP = 24
MARGIN = 36  # left of an area, for the numbers of its rows


def svg(game: CafeGame, state: State) -> str:
    """Return the table as an SVG picture."""
    fields = game.read(state)
    cards = game.components.contents.cards
    scores = game.score(state)
    bounds = [_bounds(area) for area in fields["areas"]]
    width = max(720, *(MARGIN + 20 + CELL * (right - left + 1) for left, right, _, _ in bounds))
    shown = [*fields["offer"], *([] if fields["taken"] is None else [fields["taken"]])]
    across = max(1, int((width - 20) // (CELL * COLUMNS + 20)))
    rows = -(-len(shown) // across)
    offer_height = rows * (2 * CELL + 40)
    height = 64 + offer_height + sum(52 + GAP + CELL * (bottom - top + 1) for _, _, top, bottom in bounds)
    picture = Picture(width, height)
    picture.text(20, 30, f"Café, round {fields['round']} of 8", size=18, bold=True)
    supply = ", ".join(map(str, fields["supply"]))
    picture.text(260, 30, f"deck {fields['deck_left']} cards, supply (red, yellow, green, brown) {supply}", size=12)
    for index, card in enumerate(shown):
        x = 20 + index % across * (CELL * COLUMNS + 20)
        y = 60 + index // across * (2 * CELL + 40)
        taken = " (to be placed)" if card == fields["taken"] else ""
        picture.text(x, y, cards[card].id + taken, size=12)
        for square, face in enumerate(cards[card].squares):
            down, right = divmod(square, COLUMNS)
            _square(picture, cards[card], square, face, x + CELL * right, y + 6 + CELL * down)
    y = 64 + offer_height
    for player, area in enumerate(fields["areas"]):
        left, _, top, bottom = bounds[player]
        turn = player == turn_player(fields)
        master = ", coffee master" if player == fields["master"] else ""
        picture.text(
            20, y + 16,
            f"{'▶ ' if turn else ''}player {player + 1}: {scores[player]['total']} points, "
            f"cups {area['cups']}, ships {area['ships']}{master}, warehouse",
            bold=turn,
        )
        for color, number in enumerate(area["warehouse"]):
            picture.rect(430 + 46 * color, y + 6, CUBE + 2, CUBE + 2, fill=CUBE_COLORS[color])
            picture.text(446 + 46 * color, y + 16, str(number))
        _area(picture, cards, area, MARGIN - CELL * left, y + 40 - CELL * top)
        _numbers(picture, bounds[player], y + 36)
        y += 52 + GAP + CELL * (bottom - top + 1)
    return picture.svg()


def _bounds(area: dict[str, Any]) -> tuple[int, int, int, int]:
    """Return the leftmost and rightmost column, the top and bottom row."""
    rows = [row for _, row, _ in area["visible"].values()]
    columns = [column for _, _, column in area["visible"].values()]
    return min(columns), max(columns), min(rows), max(rows)


def _numbers(picture: Picture, bounds: tuple[int, int, int, int], y: float) -> None:
    """Write the numbers of an area's columns and rows, by which moves name squares."""
    left, right, top, bottom = bounds
    for column in range(left, right + 1):
        x = MARGIN + CELL * (column - left + 0.5)
        picture.text(x, y, str(column), size=10, fill="#8d8072", anchor="middle")
    for row in range(top, bottom + 1):
        down = y + 4 + CELL * (row - top + 0.5) + 3
        picture.text(MARGIN - 8, down, str(row), size=10, fill="#8d8072", anchor="end")


def _area(picture: Picture, cards: tuple[Card, ...], area: dict[str, Any], x: float, y: float) -> None:
    for cell, (_, row, column) in area["visible"].items():
        card = cards[area["cards"][cell // 6][0]]
        face = card.squares[cell % 6]
        left, top = x + CELL * column, y + CELL * row
        closed = False
        if face.kind == "shop":
            first = next(i for i, other in enumerate(card.squares) if other.kind == "shop" and other.shop == face.shop)
            closed = cell - cell % 6 + first not in area["shops"]
        _square(picture, card, cell % 6, face, left, top, closed)
        cubes = [color for color, number in enumerate(area["cubes"].get(cell, ())) for _ in range(number)]
        for index, color in enumerate(cubes[:12]):
            across, down = index % 4, index // 4
            picture.rect(
                left + 3 + across * (CUBE + 1), top + CELL - 13 - down * (CUBE + 1), CUBE, CUBE,
                fill=CUBE_COLORS[color], stroke="#ffffff", line=0.7,
            )


def _square(
    picture: Picture, card: Card, index: int, face: Square, x: float, y: float, closed: bool = False
) -> None:
    fill = FIELD_COLORS[face.color] if face.kind in ("plantation", "double") else FILLS[face.kind]
    picture.rect(x, y, CELL - 2, CELL - 2, fill="#cfc6ba" if closed else fill, stroke="#8d8072", radius=3)
    middle = x + CELL / 2 - 1
    if face.kind == "shop":
        if closed:
            picture.text(middle, y + 26, "closed", size=10, anchor="middle")
            return
        shop = card.shops[face.shop]
        first = next(i for i, other in enumerate(card.squares) if other.kind == "shop" and other.shop == face.shop)
        if index == first:
            picture.text(middle, y + 14, f"{shop.points}", size=13, anchor="middle", bold=True)
            wanted = [color for color, number in enumerate(shop.cubes) for _ in range(number)]
            for place, color in enumerate(wanted):
                picture.rect(x + 4 + 8 * place % 36, y + 18, 6, 6, stroke=CUBE_COLORS[color], line=1.5)
        else:
            picture.text(middle, y + 26, "shop", size=10, anchor="middle")
    elif face.kind == "nata":
        picture.text(middle, y + 18, f"nata {face.points}", size=11, anchor="middle")
    elif face.kind == "double":
        picture.text(middle, y + 18, "2×", size=12, anchor="middle")
    elif face.kind in SIGNS:
        picture.text(middle, y + 18, SIGNS[face.kind], size=11, anchor="middle")
