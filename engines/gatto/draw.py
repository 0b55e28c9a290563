"""The table of Café del Gatto as a picture."""
from __future__ import annotations

from typing import Any

from cython_ext.game import State
from engines.drawing import Picture
from engines.gatto import rules
from engines.gatto.codec import COLUMN_NAMES, ROWS
from engines.gatto.components import GattoSet
from engines.gatto.rules import GattoGame

MILK, COFFEE, INK, GREY = "#fffaf0", "#7a4a2b", "#2b2420", "#9a8f84"
PREPARATION_SIGNS = ("❄", "≈", "♨")
TILE = 46
CUP_WIDTH = 150


def svg(game: GattoGame, state: State) -> str:
    """Return the table as an SVG picture."""
    contents: GattoSet = game.components.contents
    fields = game.read(state)
    drinks = len(contents.drinks)
    tallest = max(len(drink.spaces) for drink in contents.drinks)
    row_height = tallest * (TILE + 4) + 58
    width = max(40 + CUP_WIDTH * drinks, 760)
    machine_height = ROWS * (TILE + 8) + 70
    picture = Picture(width, machine_height + row_height * state.players + 20)
    picture.text(20, 30, f"Café del Gatto, round {fields['round']}", size=18, bold=True)
    _machine(picture, game, state, fields)
    _menu(picture, contents, fields, 330)
    for player in range(state.players):
        _player(picture, contents, fields, player, machine_height + row_height * player, tallest)
    return picture.svg()


def _tile(picture: Picture, contents: GattoSet, x: float, y: float, kind: int | None, color: int) -> None:
    fill, ink = (MILK, INK) if color == 0 else (COFFEE, MILK)
    if kind is None:
        picture.rect(x, y, TILE, TILE, fill="none", stroke=COFFEE if color else GREY, radius=6, dashed=True)
        picture.text(x + TILE / 2, y + 28, "M" if color == 0 else "C", size=12, fill=GREY, anchor="middle")
        return
    picture.rect(x, y, TILE, TILE, fill=fill, stroke=INK, radius=6)
    tile = contents.kinds[kind]
    picture.text(x + 15, y + 31, str(tile.value), size=22, fill=ink, anchor="middle", bold=True)
    picture.text(x + 33, y + 30, PREPARATION_SIGNS[tile.preparation], size=16, fill=ink, anchor="middle")


def _machine(picture: Picture, game: GattoGame, state: State, fields: dict[str, Any]) -> None:
    contents: GattoSet = game.components.contents
    for column, tiles in enumerate(fields["columns"]):
        x = 60 + 130 * column
        picture.text(x + TILE / 2, 56, COLUMN_NAMES[column], size=12, anchor="middle")
        for row in range(ROWS):
            y = 64 + (ROWS - 1 - row) * (TILE + 8)
            _tile(picture, contents, x, y, tiles[row] if row < len(tiles) else None, column)
            if row < len(tiles):
                price = game.price(state, column, row)
                picture.circle(x + TILE + 20, y + TILE / 2, 12, fill="#e8c547", stroke=INK)
                picture.text(x + TILE + 20, y + TILE / 2 + 5, str(price), anchor="middle", bold=True)
            if column == 0:
                picture.text(36, y + 28, str(row + 1), fill=GREY, anchor="middle")


def _menu(picture: Picture, contents: GattoSet, fields: dict[str, Any], x: float) -> None:
    picture.text(x, 56, "menu: coins for 1/2/3 preparations, and drink tiles left", size=12)
    for index, (drink, left) in enumerate(zip(contents.drinks, fields["drink_tiles"], strict=True)):
        y = 84 + 40 * index
        picture.text(x, y, drink.name, bold=True)
        picture.text(x, y + 17, "/".join(map(str, drink.menu)), size=12)
        place = x + 130
        for points, count in zip(drink.points, left, strict=True):
            fill = "#c8dcc0" if count else "none"
            picture.rect(place, y - 12, 40, 28, fill=fill, stroke=INK if count else GREY, radius=4)
            text = f"{points}×{count}" if count > 1 else str(points)
            picture.text(place + 20, y + 7, text, size=12, fill=INK if count else GREY, anchor="middle")
            place += 46
    bag = sum(fields["bag"]) - fields["unknown_discards"]
    pile = sum(fields["discard"]) + fields["unknown_discards"]
    y = 84 + 40 * len(contents.drinks)
    picture.text(x, y, f"bag {bag} tiles, discard pile {pile} tiles", size=12)


def _player(
    picture: Picture, contents: GattoSet, fields: dict[str, Any], index: int, y: float, tallest: int
) -> None:
    player = fields["players"][index]
    turn = index == fields["turn_player"] and fields["step"] != rules.STEP_OVER
    served = [
        drink.points[tile] for drink, (_, tile) in zip(contents.drinks, player["cups"], strict=True) if tile is not None
    ]
    if turn:
        picture.rect(8, y - 2, picture.width - 16, tallest * (TILE + 4) + 54, fill="#efe1c8", radius=8)
    start = ", start player" if index == fields["start_player"] else ""
    points = sum(served) + player["sugar"] // 2
    picture.text(
        20, y + 18,
        f"player {index + 1}: {player['coins']} coins, {player['sugar']} sugar, {points} points{start}", bold=turn,
    )
    for number, (drink, (tiles, tile)) in enumerate(zip(contents.drinks, player["cups"], strict=True)):
        x = 20 + CUP_WIDTH * number
        picture.text(x, y + 40, drink.name, size=12)
        bottom = y + 48 + (tallest - 1) * (TILE + 4)
        for space, color in enumerate(drink.spaces):
            if tile is None:
                kind = tiles[space] if space < len(tiles) else None
                _tile(picture, contents, x, bottom - space * (TILE + 4), kind, color)
        if tile is not None:
            picture.rect(x, bottom, 60, TILE, fill="#c8dcc0", stroke=INK, radius=6)
            picture.text(x + 30, bottom + 31, str(drink.points[tile]), size=22, anchor="middle", bold=True)
