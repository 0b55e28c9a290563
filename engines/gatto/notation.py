"""The table of Café del Gatto as text."""
from __future__ import annotations

from typing import Any

from cython_ext.game import State
from engines.gatto import rules
from engines.gatto.codec import COLUMN_NAMES, ROWS, pending_draws
from engines.gatto.components import COLORS, Drink, GattoSet
from engines.gatto.moves import tile_text
from engines.gatto.rules import GattoGame

STEPS = {
    rules.STEP_FRESH: "at the start of the turn",
    rules.STEP_CLEANED: "has cleaned",
    rules.STEP_BOUGHT: "has bought a tile",
    rules.STEP_SERVING: "is serving",
    rules.STEP_INTERMEDIATE_SERVING: "has to serve one cup in an intermediate round",
    rules.STEP_INTERMEDIATE_EMPTYING: "has to empty a fullest cup in an intermediate round",
}

COLORS_OF_BOARD = (
    (r"(?m)^Café del Gatto.*$|^menu .*$|^row .*$", "bold"),
    (r"(?m)^> player.*$", "bold green"),
    (r"\bserved for \d+", "green"),
    (r"\bcold\b", "cyan"),
    (r"\bfrothy\b", "magenta"),
    (r"\bhot\b", "red"),
)


def show(game: GattoGame, state: State) -> str:
    """Return the table as text, at most 80 columns wide."""
    contents: GattoSet = game.components.contents
    fields = game.read(state)
    return "\n".join(
        [
            f"Café del Gatto ({game.components.id})  round {fields['round']}",
            _turn(fields),
            "",
            *_machine(game, state, fields),
            "",
            *_menu(contents, fields),
            "",
            *(line for player in range(state.players) for line in _player(contents, fields, player)),
            f"bag {sum(fields['bag']) - fields['unknown_discards']} tiles, "
            f"discard pile {sum(fields['discard']) + fields['unknown_discards']} tiles",
        ]
    )


def score_items(game: GattoGame, state: State) -> list[list[tuple[str, float]]]:
    """Return what scores, per player: each served drink, then pairs of unused sugar cubes."""
    contents: GattoSet = game.components.contents
    result = []
    for player in game.read(state)["players"]:
        items: list[tuple[str, float]] = [
            (drink.id, float(drink.points[served]))
            for drink, (_, served) in zip(contents.drinks, player["cups"], strict=True)
            if served is not None
        ]
        result.append([*items, ("sugar", float(player["sugar"] // 2))])
    return result


def _turn(fields: dict[str, Any]) -> str:
    if fields["step"] == rules.STEP_OVER:
        return "game over"
    draws = pending_draws([len(column) for column in fields["columns"]])
    if draws:
        return f"{len(draws)} to draw, next into the {COLUMN_NAMES[draws[0]]} column"
    player = fields["queue"][0] if fields["queue"] else fields["turn_player"]
    return f"player {player + 1} {STEPS[fields['step']]}"


def _machine(game: GattoGame, state: State, fields: dict[str, Any]) -> list[str]:
    kinds = game.components.contents.kinds
    lines = ["row   milk       price   coffee     price"]
    for row in reversed(range(ROWS)):
        cells = []
        for column, tiles in enumerate(fields["columns"]):
            tile = tile_text(kinds[tiles[row]]) if row < len(tiles) else "-"
            price = str(game.price(state, column, row)) if row < len(tiles) else ""
            cells.append(f"{tile:<10} {price:<7}")
        lines.append(f"  {row + 1}   {' '.join(cells)}".rstrip())
    return lines


def _menu(contents: GattoSet, fields: dict[str, Any]) -> list[str]:
    lines = ["menu              cup     coins    drink tiles left"]
    for drink, left in zip(contents.drinks, fields["drink_tiles"], strict=True):
        tiles = " ".join(
            f"{points} (x{count})" if count > 1 else str(points)
            for points, count in zip(drink.points, left, strict=True)
            if count
        )
        coins = "/".join(map(str, drink.menu))
        lines.append(f"  {drink.name[:15]:<15} {_spaces(drink):<7} {coins:<8} {tiles or 'none'}")
    return lines


def _spaces(drink: Drink) -> str:
    return "".join(COLORS[color] for color in drink.spaces)


def _player(contents: GattoSet, fields: dict[str, Any], index: int) -> list[str]:
    player = fields["players"][index]
    served = [
        drink.points[tile] for drink, (_, tile) in zip(contents.drinks, player["cups"], strict=True) if tile is not None
    ]
    marker = ">" if index == fields["turn_player"] and fields["step"] != rules.STEP_OVER else " "
    start = ", start player" if index == fields["start_player"] else ""
    lines = [
        f"{marker} player {index + 1}: {player['coins']} coins, {player['sugar']} sugar, "
        f"{sum(served) + player['sugar'] // 2} points{start}"
    ]
    for drink, (tiles, tile) in zip(contents.drinks, player["cups"], strict=True):
        if tile is not None:
            what = f"served for {drink.points[tile]}"
        else:
            spaces = [tile_text(contents.kinds[kind]) for kind in tiles] + ["·"] * (len(drink.spaces) - len(tiles))
            what = ", ".join(spaces)
        lines.append(f"      {drink.name[:15]:<15} {what}")
    return lines
