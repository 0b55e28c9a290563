"""Component sets of Café del Gatto: the file's keys and what must hold among them."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cafebrain.v1 import game_pb2, gatto_pb2
from engines.component_set import Faults, found
from engines.gatto import rules

PREPARATIONS = ("cold", "frothy", "hot")
COLORS = "MC"  # milk, coffee: index 0 and 1 as in the native rules
FEWEST_TILES = 11  # the machine holds ten, and one more must be about
SCARCE_TILES = 30  # below this games hardly end
FEWEST_COINS = 24  # five players' start coins


@dataclass(frozen=True)
class TileKind:
    """A kind of tile: value 1 to 9, preparation (index into PREPARATIONS), number of tiles."""

    value: int
    preparation: int
    count: int


@dataclass(frozen=True)
class Drink:
    """A cup with its drink tiles and its line of the menu."""

    id: str
    name: str
    spaces: tuple[int, ...]  # bottom to top, index into COLORS
    points: tuple[int, ...]  # ascending; the lowest once per player, every other once
    menu: tuple[int, ...]  # coins for 1, 2, 3 different preparations


@dataclass(frozen=True)
class GattoSet:
    """Everything printed. None for coins or sugar: the reserve is unlimited."""

    kinds: tuple[TileKind, ...]
    drinks: tuple[Drink, ...]
    coins: int | None
    sugar: int | None


def parse(data: dict[str, Any], faults: Faults) -> GattoSet:
    """Check the keys of a component file that belong to this game and return its contents; note every fault."""
    faults.unknown_keys(data, {"coins", "sugar", "tiles", "drinks"})
    drinks: list[Drink] = []
    tables = faults.tables(data, "drinks")
    if not 1 <= len(tables) <= rules.MOST_DRINKS:
        faults.error("drinks", f"wants 1 to {rules.MOST_DRINKS} drinks; found {len(tables)}")
    for index, table in enumerate(tables):
        drink = _drink(table, index, faults)
        if any(drink.id == other.id for other in drinks):
            faults.error(f"drinks[{index}].id", f"{drink.id!r} is used twice")
        if any(drink.name == other.name for other in drinks):
            faults.error(f"drinks[{index}].name", f"{drink.name!r} is used twice")
        drinks.append(drink)
    return GattoSet(
        kinds=_kinds(faults.table(data, "tiles"), faults),
        drinks=tuple(drinks),
        coins=_reserve(data, "coins", FEWEST_COINS, rules.MOST_COINS, faults),
        sugar=_reserve(data, "sugar", 0, rules.MOST_SUGAR, faults),
    )


def _reserve(data: dict[str, Any], key: str, low: int, high: int, faults: Faults) -> int | None:
    if data.get(key) == "unlimited":
        return None
    if isinstance(data.get(key), str):
        faults.error(key, f'wants "unlimited" or an integer from {low} to {high}; {found(data[key])}')
        return None
    return faults.integer(data, key, low, high)


def _kinds(table: dict[str, Any], faults: Faults) -> tuple[TileKind, ...]:
    faults.unknown_keys(table, set(PREPARATIONS), "tiles.")
    counts = [faults.integers(table, preparation, 0, rules.MOST_EQUAL_TILES, "tiles.") for preparation in PREPARATIONS]
    values = max(len(column) for column in counts)
    if values > rules.HIGHEST_VALUE:
        faults.error("tiles", f"values go up to {rules.HIGHEST_VALUE}; found {values} counts in one list")
    total = sum(map(sum, counts))
    if total < FEWEST_TILES:
        faults.error("tiles", f"wants at least {FEWEST_TILES} tiles in all: the machine alone holds ten; found {total}")
    elif total < SCARCE_TILES:
        faults.warning("tiles", f"{total} tiles in all: with fewer than {SCARCE_TILES} games hardly end")
    return tuple(
        TileKind(value, preparation, column[value - 1] if value <= len(column) else 0)
        for value in range(1, values + 1)
        for preparation, column in enumerate(counts)
    )


def _drink(table: dict[str, Any], index: int, faults: Faults) -> Drink:
    prefix = f"drinks[{index}]."
    faults.unknown_keys(table, {"id", "name", "spaces", "points", "menu"}, prefix)
    id_ = faults.text(table, "id", prefix)
    if id_ and not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", id_):
        faults.error(prefix + "id", f"wants 1 to 40 of a-z, 0-9 and _; {found(id_)}")
    spaces = faults.text(table, "spaces", prefix)
    if spaces and (len(spaces) > rules.MOST_SPACES or spaces.strip(COLORS)):
        faults.error(
            prefix + "spaces", f"wants 1 to {rules.MOST_SPACES} letters C or M from bottom to top; {found(spaces)}"
        )
    points = faults.integers(table, "points", 1, 99, prefix)
    if points != sorted(set(points)) or not 1 <= len(points) <= rules.MOST_DRINK_TILES:
        faults.error(
            prefix + "points", f"wants 1 to {rules.MOST_DRINK_TILES} different values, ascending; {found(points)}"
        )
    elif spaces and points[0] > len(spaces):
        faults.error(
            prefix + "points",
            f"the lowest drink tile, {points[0]}, exceeds the number of spaces, {len(spaces)}: "
            "a filled cup could have no tile to take",
        )
    menu = faults.integers(table, "menu", 0, 99, prefix)
    if spaces and len(menu) != min(len(spaces), len(PREPARATIONS)):
        faults.error(
            prefix + "menu",
            f"wants {min(len(spaces), len(PREPARATIONS))} numbers, one per possible number of different preparations; "
            f"found {len(menu)}",
        )
    return Drink(
        id_,
        faults.text(table, "name", prefix),
        tuple(COLORS.index(space) for space in spaces if space in COLORS),
        tuple(points),
        tuple(menu),
    )


def encode_set(contents: GattoSet, message: game_pb2.Components) -> None:
    """Fill the message with everything printed in the set."""
    part = message.gatto
    for kind in contents.kinds:
        part.tiles.add(tile=tile_message(kind), count=kind.count)
    for drink in contents.drinks:
        part.drinks.add(
            id=drink.id,
            name=drink.name,
            spaces=[gatto_pb2.GattoColor.ValueType(color + 1) for color in drink.spaces],
            points=drink.points,
            menu=drink.menu,
        )
    if contents.coins is not None:
        part.coins = contents.coins
    if contents.sugar is not None:
        part.sugar = contents.sugar
    part.row_surcharge[:] = rules.ROW_SURCHARGE


def tile_message(kind: TileKind) -> gatto_pb2.GattoTile:
    """Return the wire form of a kind of tile; enum numbers on the wire are indices plus one."""
    return gatto_pb2.GattoTile(
        value=kind.value, preparation=gatto_pb2.GattoPreparation.ValueType(kind.preparation + 1)
    )
