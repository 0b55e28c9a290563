"""Moves of Café del Gatto: native codes, wire messages and words."""
from __future__ import annotations

from typing import Any

from cafebrain.v1 import gatto_pb2
from cython_ext.game import State
from engines.gatto import rules
from engines.gatto.codec import ROWS, color_message, pending_draws
from engines.gatto.components import GattoSet, TileKind, tile_message
from engines.gatto.rules import GattoGame
from engines.violations import Violations
from engines.words import Text, count, name, say

COLUMN_WORDS = (say("milk"), say("coffee"))
PREPARATION_WORDS = (say("cold"), say("frothy"), say("hot"))


def encode(contents: GattoSet, move: int, message: gatto_pb2.GattoMove) -> None:
    """Fill the message with a move or draw."""
    drinks = contents.drinks
    if move >= rules.MOVE_DRAW:
        message.draw.tile.CopyFrom(tile_message(contents.kinds[move - rules.MOVE_DRAW]))
    elif move >= rules.MOVE_BUY:
        column, row, drink = bought(move)
        message.buy.column = color_message(column)
        message.buy.row = row + 1
        message.buy.cup = drinks[drink].id
    elif move >= rules.MOVE_SERVE:
        drink, tile = divmod(move - rules.MOVE_SERVE, rules.MOST_DRINK_TILES)
        message.serve.cup = drinks[drink].id
        message.serve.points = drinks[drink].points[tile]
    elif move >= rules.MOVE_EMPTY_CUP:
        message.empty_cup.cup = drinks[move - rules.MOVE_EMPTY_CUP].id
    elif move >= rules.MOVE_CLEAN:
        message.clean.column = color_message(move - rules.MOVE_CLEAN)
    elif move == rules.MOVE_END_TURN:
        message.end_turn.SetInParent()
    else:
        message.take_coins.SetInParent()


def decode(contents: GattoSet, message: gatto_pb2.GattoMove) -> int:
    """Return the code of a move or draw.

    Raises BrainError INVALID_ARGUMENT with field violations where it is no move at all.
    """
    faults = Violations("move.gatto", "INVALID_MOVE", "no move")
    kind = message.WhichOneof("move")
    code = 0
    if kind == "draw":
        code = rules.MOVE_DRAW + _kind(contents, message.draw.tile, faults)
    elif kind == "buy":
        column = _column("buy.column", message.buy.column, faults)
        faults.in_range("buy.row", message.buy.row, 1, ROWS)
        drink = _drink(contents, "buy.cup", message.buy.cup, faults)
        code = rules.MOVE_BUY + 8 * (ROWS * column + message.buy.row - 1) + drink
    elif kind == "serve":
        drink = _drink(contents, "serve.cup", message.serve.cup, faults)
        points = contents.drinks[drink].points
        if message.serve.points in points:
            code = rules.MOVE_SERVE + rules.MOST_DRINK_TILES * drink + points.index(message.serve.points)
        else:
            faults.add("serve.points", message.serve.points, f"must be one of {', '.join(map(str, points))}")
    elif kind == "empty_cup":
        code = rules.MOVE_EMPTY_CUP + _drink(contents, "empty_cup.cup", message.empty_cup.cup, faults)
    elif kind == "clean":
        code = rules.MOVE_CLEAN + _column("clean.column", message.clean.column, faults)
    elif kind == "end_turn":
        code = rules.MOVE_END_TURN
    elif kind == "take_coins":
        code = rules.MOVE_TAKE_COINS
    else:
        faults.add("", "nothing", "must be one of clean, buy, serve, take_coins, end_turn, empty_cup and draw")
    faults.check()
    return code


def bought(move: int) -> tuple[int, int, int]:
    """Return column, row from 0 and drink of a purchase."""
    place, drink = divmod(move - rules.MOVE_BUY, 8)
    return place // ROWS, place % ROWS, drink


def words(game: GattoGame, state: State, move: int) -> Text:
    """Return a legal move, or a possible draw, in words."""
    contents: GattoSet = game.components.contents
    fields = game.read(state)
    if move >= rules.MOVE_DRAW:
        column = pending_draws([len(tiles) for tiles in fields["columns"]])[0]
        return say(
            "draw {tile} into the {column} column",
            tile=tile_words(contents.kinds[move - rules.MOVE_DRAW]),
            column=COLUMN_WORDS[column],
        )
    if move >= rules.MOVE_BUY:
        column, row, drink = bought(move)
        return say(
            "buy {column} {tile} from row {row} for {coins} into {cup}",
            column=COLUMN_WORDS[column],
            tile=tile_words(contents.kinds[fields["columns"][column][row]]),
            row=row + 1,
            coins=coins_words(game.price(state, column, row)),
            cup=name(contents.drinks[drink].name),
        )
    if move >= rules.MOVE_SERVE:
        index, tile_index = divmod(move - rules.MOVE_SERVE, rules.MOST_DRINK_TILES)
        drink_ = contents.drinks[index]
        coins, sugar = game.payment(state, index, tile_index)
        served = say(
            "serve {cup} for {points} and {coins}",
            cup=name(drink_.name),
            points=points_words(drink_.points[tile_index]),
            coins=coins_words(coins),
        )
        return say("{serve}, spending {sugar}", serve=served, sugar=sugar_words(sugar)) if sugar else served
    if move >= rules.MOVE_EMPTY_CUP:
        return say("empty {cup}", cup=name(contents.drinks[move - rules.MOVE_EMPTY_CUP].name))
    if move >= rules.MOVE_CLEAN:
        return say("clean the {column} column for 2 coins", column=COLUMN_WORDS[move - rules.MOVE_CLEAN])
    if move == rules.MOVE_END_TURN:
        return say("stop serving") if fields["step"] == rules.STEP_SERVING else say("end the turn")
    return say("take {coins}", coins=coins_words(_coins_to_take(contents, fields)))


def _coins_to_take(contents: GattoSet, fields: dict[str, Any]) -> int:
    """Return the coins the action gives: the reserve may hold fewer than it should."""
    if contents.coins is None:
        return rules.TAKEN
    held: int = sum(player["coins"] for player in fields["players"])
    return min(rules.TAKEN, contents.coins - held)


def tile_text(kind: TileKind) -> str:
    """Return for example "3 hot"."""
    return str(tile_words(kind))


def tile_words(kind: TileKind) -> Text:
    """Return for example "3 hot"."""
    return say("{value} {preparation}", value=kind.value, preparation=PREPARATION_WORDS[kind.preparation])


def coins_words(number: int) -> Text:
    """Return for example "2 coins"."""
    return count("{n} coin", "{n} coins", number)


def points_words(number: int) -> Text:
    """Return for example "8 points"."""
    return count("{n} point", "{n} points", number)


def sugar_words(number: int) -> Text:
    """Return for example "1 sugar cube"."""
    return count("{n} sugar cube", "{n} sugar cubes", number)


def _kind(contents: GattoSet, tile: gatto_pb2.GattoTile, faults: Violations) -> int:
    for index, kind in enumerate(contents.kinds):
        if (kind.value, kind.preparation + 1) == (tile.value, tile.preparation):
            return index
    faults.add("draw.tile", f"value {tile.value}, preparation {tile.preparation}", "the component set has no such tile")
    return 0


def _column(path: str, color: int, faults: Violations) -> int:
    if color not in (gatto_pb2.GATTO_COLOR_MILK, gatto_pb2.GATTO_COLOR_COFFEE):
        faults.add(path, color, "must be GATTO_COLOR_MILK or GATTO_COLOR_COFFEE")
        return 0
    return color - 1


def _drink(contents: GattoSet, path: str, id_: str, faults: Violations) -> int:
    ids = [drink.id for drink in contents.drinks]
    if id_ not in ids:
        faults.add(path, id_, f"must be one of {', '.join(ids)}")
        return 0
    return ids.index(id_)
