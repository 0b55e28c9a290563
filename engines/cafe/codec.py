"""Café between wire and native state: what every message is made of, and encoding. Decoding is in decode.py."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cafebrain.v1 import cafe_pb2, game_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from engines.cafe import codes
from engines.cafe.components import COLORS, KINDS, CafeComponents, Card
from engines.cafe.rules import CafeGame

FIRST_EXPRESSO, FIRST_START = 48, 56  # card numbers


def color_message(color: int) -> cafe_pb2.CafeColor.ValueType:
    """Return the wire form of a colour."""
    return cafe_pb2.CafeColor.ValueType(color + 1)


def cubes_message(cubes: Sequence[int]) -> cafe_pb2.CafeCubes:
    """Return the wire form of cubes per colour."""
    return cafe_pb2.CafeCubes(red=cubes[0], yellow=cubes[1], green=cubes[2], brown=cubes[3])


def cubes_of(message: cafe_pb2.CafeCubes) -> list[int]:
    """Return cubes per colour."""
    return [getattr(message, color) for color in COLORS]


def square_message(fields: dict[str, Any], player: int, cell: int) -> cafe_pb2.CafeSquare:
    """Return where a visible cell of a player is."""
    _, row, column = fields["areas"][player]["visible"][cell]
    return cafe_pb2.CafeSquare(row=row, column=column)


def known_discards(fields: dict[str, Any]) -> list[int]:
    """Return the cards that are neither unseen nor on the table, ascending."""
    in_game = range(FIRST_START if fields["expresso"] else FIRST_EXPRESSO)
    elsewhere = {*fields["unseen"], *fields["offer"], fields["taken"]}
    elsewhere |= {card for area in fields["areas"] for card, *_ in area["cards"]}
    return [card for card in in_game if card not in elsewhere]


def turn_player(fields: dict[str, Any]) -> int:
    """Return the player from 0 the wire calls turn_player, -1 when the game is over."""
    if fields["to_move"] == GAME_OVER:
        return -1
    if fields["to_move"] != CHANCE_POINT:
        return int(fields["to_move"])
    return int(fields["master"] + fields["turn"] + (not fields["auction"])) % int(fields["players"])


def encode(game: CafeGame, state: State, message: cafe_pb2.CafeState) -> None:
    """Fill the message with the position."""
    cards = game.components.contents.cards
    fields = game.read(state)
    for area in fields["areas"]:
        _encode_area(cards, area, message.players.add())
    message.auction = fields["auction"]
    message.expresso = fields["expresso"]
    message.round = fields["round"]
    message.master = fields["master"] + 1
    message.step = cafe_pb2.CafeStep.ValueType(fields["step"] + 1)
    message.turn_player = turn_player(fields) + 1
    message.offer[:] = [cards[card].id for card in fields["offer"]]
    if fields["taken"] is not None:
        message.taken = cards[fields["taken"]].id
    message.discards[:] = [cards[card].id for card in known_discards(fields)]
    message.unknown_discards = fields["unknown_discards"]
    message.deck[:] = [cards[card].id for card in fields["deck"]]
    message.actions_left = fields["actions"]
    if fields["step"] in (codes.STEP_AUCTION, codes.STEP_PAY):
        _encode_bids(fields, message.bids)
    if fields["open"]:
        message.open_action.kind = cafe_pb2.CafeActionKind.ValueType(fields["open"])
        cells = fields["open_used"] if fields["open"] in (codes.OPEN_DRY, codes.OPEN_ROAST) else [fields["open_cell"]]
        message.open_action.squares.extend(square_message(fields, fields["to_move"], cell) for cell in cells)
        if fields["open"] in (codes.OPEN_EMPTY, codes.OPEN_SERVE):
            message.open_action.hand.CopyFrom(cubes_message(fields["hand"]))
    if fields["step"] == codes.STEP_GROW:
        message.growing.square.CopyFrom(square_message(fields, fields["to_move"], fields["grow_cell"]))
        message.growing.exhaust[:] = [color_message(color) for color in fields["exhaust"]]


def _encode_area(cards: Sequence[Card], area: dict[str, Any], player: cafe_pb2.CafePlayer) -> None:
    for place, (card, row, column, rotation) in enumerate(area["cards"]):
        placed = player.cards.add(card=cards[card].id, row=row, column=column, rotation=rotation)
        for square in range(6):
            cubes = area["cubes"].get(6 * place + square)
            if cubes:
                placed.cubes.add(square=square + 1, cubes=cubes_message(cubes))
    player.warehouse.CopyFrom(cubes_message(area["warehouse"]))


def _encode_bids(fields: dict[str, Any], message: cafe_pb2.CafeAuction) -> None:
    if fields["step"] == codes.STEP_PAY:
        message.owed = fields["owed"]
        message.pay_from = color_message(fields["pay_from"])
        return
    message.bid = fields["bid"]
    message.bidder = fields["bidder"] + 1 if fields["bid"] else 0
    message.bidding[:] = [player + 1 for player in fields["bidding"]]


def encode_set(contents: CafeComponents, message: game_pb2.Components) -> None:
    """Fill the message with everything printed in the set."""
    part = message.cafe
    part.cubes = contents.cubes
    for cards, target in (
        (contents.plan, part.plan_cards),
        (contents.expresso, part.expresso_cards),
        (contents.start, part.start_cards),
    ):
        for card in cards:
            shown = target.add(id=card.id)
            for square in card.squares:
                shown.squares.add(
                    kind=cafe_pb2.CafeSquareKind.ValueType(KINDS.index(square.kind) + 1),
                    color=color_message(square.color)
                    if square.kind in ("plantation", "double")
                    else cafe_pb2.CAFE_COLOR_UNSPECIFIED,
                    points=square.points,
                    shop=square.shop + 1 if square.kind == "shop" else 0,
                )
            for shop in card.shops:
                shown.shops.add(cubes=cubes_message(shop.cubes), points=shop.points)
