"""What speaks for and against a move in Café del Gatto.

Every reason states what the position shows after the move, or a difference that the search measured and that lies
beyond its noise. Kinds: cost, bargain, fills_cup, one_space, same_preparation, mixes, sugar, denies, serves, best_tile,
coins_first, points_first, ahead_of, last_cup, affords, nothing_affordable, nothing_fits, least_value.
"""
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cython_ext.game import State
from engines.advice import SURE, Choice, Question, Reason, wins_words
from engines.gatto import rules
from engines.gatto.codec import ROWS
from engines.gatto.components import Drink, GattoSet
from engines.gatto.moves import (
    COLUMN_WORDS,
    PREPARATION_WORDS,
    bought,
    coins_words,
    points_words,
    tile_words,
)
from engines.gatto.rules import GattoGame
from engines.words import Text, name, say

BARGAIN = 2  # value less price from which a tile is called cheap


@dataclass(frozen=True)
class Table:
    """A position, read once."""

    game: GattoGame
    state: State
    contents: GattoSet
    fields: dict[str, Any]

    @classmethod
    def of(cls, game: GattoGame, state: State) -> Table:
        """Read a position."""
        return cls(game, state, game.components.contents, game.read(state))

    def kind_at(self, column: int, row: int) -> int | None:
        """Return the kind of tile in the machine; None where there is none."""
        tiles = self.fields["columns"][column]
        return tiles[row] if row < len(tiles) else None

    def open_cups(self, player: int, color: int) -> list[int]:
        """Return the drinks of the cups whose next free space has a colour."""
        return [
            drink for drink, spec in enumerate(self.contents.drinks)
            if self.free(player, drink) and spec.spaces[len(self.tiles(player, drink))] == color
        ]

    def tiles(self, player: int, drink: int) -> list[int]:
        """Return the tiles in a cup."""
        tiles: list[int] = self.fields["players"][player]["cups"][drink][0]
        return tiles

    def free(self, player: int, drink: int) -> int:
        """Return the free spaces of a cup, none where it is served."""
        tiles, served = self.fields["players"][player]["cups"][drink]
        return 0 if served is not None else len(self.contents.drinks[drink].spaces) - len(tiles)

    def reach(self, player: int, drink: int) -> int:
        """Return the most points a cup of a player can be served for, going by its tiles and the player's sugar."""
        value = sum(self.contents.kinds[kind].value for kind in self.tiles(player, drink))
        sugar: int = self.fields["players"][player]["sugar"]
        return value + sugar

    def best_serve(self, player: int, drink: int) -> tuple[int, int] | None:
        """Return points and coins of the best drink tile a filled cup can take now; None where none is left."""
        spec = self.contents.drinks[drink]
        kinds = [self.contents.kinds[kind] for kind in self.tiles(player, drink)]
        value = sum(kind.value for kind in kinds)
        left = self.fields["drink_tiles"][drink]
        within = [
            points for points, count in zip(spec.points, left, strict=True)
            if count and points <= self.reach(player, drink)
        ]
        if not within:
            return None
        points = max(within)
        coins = _menu(spec, {kind.preparation for kind in kinds}) + max(0, value - points)
        return points, coins


def nudge(game: GattoGame, state: State, move: int) -> Text:
    """Return where to look for a move."""
    if move >= rules.MOVE_BUY:
        return say("Look at the {column} column.", column=COLUMN_WORDS[bought(move)[0]])
    if move >= rules.MOVE_SERVE:
        return say("Look at your filled cups.")
    if move >= rules.MOVE_EMPTY_CUP:
        return say("Which cup do you need least?")
    if move >= rules.MOVE_CLEAN:
        return say("Is anything in the {column} column of use?", column=COLUMN_WORDS[move - rules.MOVE_CLEAN])
    if move == rules.MOVE_END_TURN:
        return say("Is there anything more to gain in this turn?")
    return say("Count your coins, and what the tiles you need cost.")


def idea(game: GattoGame, state: State, move: int) -> Text:
    """Return what kind of move it is."""
    if move >= rules.MOVE_BUY:
        drink = bought(move)[2]
        cup = name(game.components.contents.drinks[drink].name)
        return say("Buy a tile for the {cup}.", cup=cup)
    if move >= rules.MOVE_SERVE:
        return say("Serve a cup.")
    if move >= rules.MOVE_EMPTY_CUP:
        return say("Empty the cup that costs you least.")
    if move >= rules.MOVE_CLEAN:
        return say("Clean a column.")
    if move == rules.MOVE_END_TURN:
        return say("Leave it at that.")
    return say("Gather coins first.")


def reasons(game: GattoGame, question: Question) -> list[Reason]:
    """Return what the position and the figures show of a move."""
    table = Table.of(game, question.state)
    move = question.choice.move
    if move >= rules.MOVE_BUY:
        return list(_buy(table, question))
    if move >= rules.MOVE_SERVE:
        return list(_serve(table, question))
    if move >= rules.MOVE_EMPTY_CUP:
        return list(_empty(table, question))
    if move >= rules.MOVE_CLEAN:
        return list(_clean(table, question))
    if move == rules.MOVE_TAKE_COINS:
        return list(_take(table, question))
    return []


def _buy(table: Table, question: Question) -> Iterator[Reason]:
    column, row, drink = bought(question.choice.move)
    me = question.player
    spec, cup = table.contents.drinks[drink], name(table.contents.drinks[drink].name)
    index = table.kind_at(column, row)
    assert index is not None
    kind, price = table.contents.kinds[index], table.game.price(table.state, column, row)
    after = Table.of(table.game, question.after())
    coins_left = after.fields["players"][me]["coins"]
    yield Reason("cost", say("Costs {coins}, {left} left.", coins=coins_words(price), left=coins_left), 0.5)
    if kind.value - price >= BARGAIN:
        text = say("Value {value} for only {coins}.", value=kind.value, coins=coins_words(price))
        yield Reason("bargain", text, 0.8 + 0.3 * (kind.value - price))
    free = after.free(me, drink)
    best = after.best_serve(me, drink) if free == 0 else None
    if best is not None:
        text = say(
            "Fills the {cup}, which can then be served for {points} and {coins}.",
            cup=cup, points=points_words(best[0]), coins=coins_words(best[1]),
        )
        yield Reason("fills_cup", text, 3)
    elif free == 1:
        color = COLUMN_WORDS[spec.spaces[-1]]
        yield Reason("one_space", say("Leaves one space in the {cup}, for {color}.", cup=cup, color=color), 1)
    yield from _preparations(table, question, drink, kind.preparation)
    had, has = (some.fields["players"][me]["sugar"] for some in (table, after))
    if has > had:
        yield Reason("sugar", say("The tile of value 1 brings a sugar cube."), 1.2)
    yield from _denies(table, question, [(column, row)])


def _preparations(table: Table, question: Question, drink: int, preparation: int) -> Iterator[Reason]:
    """Tell what a tile's preparation does to the coins its cup will pay."""
    tiles = table.tiles(question.player, drink)
    spec = table.contents.drinks[drink]
    before = {table.contents.kinds[kind].preparation for kind in tiles}
    after = before | {preparation}
    if not before or len(after) > len(spec.menu) or len(before) >= len(spec.menu):
        return
    kept, mixed = spec.menu[len(before) - 1], spec.menu[len(before)]
    if kept <= mixed:
        return
    words = {"preparation": PREPARATION_WORDS[preparation], "cup": name(spec.name)}
    if after == before:
        text = say(
            "Also {preparation}: the {cup} still pays {kept}, not {mixed}.",
            kept=coins_words(kept), mixed=mixed, **words,
        )
        yield Reason("same_preparation", text, 1.4)
    else:
        text = say(
            "But a {preparation} tile lowers what the {cup} pays from {kept} to {mixed}.",
            mixed=coins_words(mixed), kept=kept, **words,
        )
        yield Reason("mixes", text, 0.45)


def _denies(table: Table, question: Question, places: list[tuple[int, int]]) -> Iterator[Reason]:
    """Name the rival who could have filled a cup with a tile that is taken away, where the search measured the harm."""
    others = [other for other in question.others if not _takes(other, places)]
    for rival in range(table.state.players):
        if rival == question.player:
            continue
        coins = table.fields["players"][rival]["coins"]
        wanted = [
            (place, drink) for place in places
            for drink in table.open_cups(rival, place[0])
            if table.free(rival, drink) == 1 and table.kind_at(*place) is not None
            and table.game.price(table.state, *place) <= coins
        ]
        if not wanted:
            continue
        share = question.costs_rival(rival, others)
        if share <= 0:
            continue
        (column, row), drink = wanted[0]
        kind = table.kind_at(column, row)
        assert kind is not None
        text = say(
            "The {column} {tile} would fill player {player}'s {cup}; if you leave it, they gain {wins}.",
            player=rival + 1,
            cup=name(table.contents.drinks[drink].name),
            column=COLUMN_WORDS[column],
            tile=tile_words(table.contents.kinds[kind]),
            wins=wins_words(share),
        )
        yield Reason("denies", text, 1.5 + 20 * share)


def _takes(choice: Choice, places: list[tuple[int, int]]) -> bool:
    if choice.move >= rules.MOVE_BUY:
        return bought(choice.move)[:2] in places
    if rules.MOVE_CLEAN <= choice.move < rules.MOVE_EMPTY_CUP:
        return any(column == choice.move - rules.MOVE_CLEAN for column, _ in places)
    return False


def _serve(table: Table, question: Question) -> Iterator[Reason]:
    drink, tile = divmod(question.choice.move - rules.MOVE_SERVE, rules.MOST_DRINK_TILES)
    me = question.player
    spec, cup = table.contents.drinks[drink], name(table.contents.drinks[drink].name)
    points = spec.points[tile]
    coins, _ = table.game.payment(table.state, drink, tile)
    text = say("Brings {points} and {coins} now.", points=points_words(points), coins=coins_words(coins))
    yield Reason("serves", text, 1)
    left = table.fields["drink_tiles"][drink]
    if tile and not any(left[tile + 1 :]):
        yield Reason("best_tile", say("No better {cup} tile is left.", cup=cup), 1.5)
    yield from _swap(spec, question)
    others = [other for other in question.others if _served(other) != (drink, tile)]
    for rival in range(table.state.players):
        ready = table.fields["players"][rival]["cups"][drink][1] is None and table.free(rival, drink) == 0
        if rival != me and left[tile] == 1 and ready and table.reach(rival, drink) >= points:
            share = question.costs_rival(rival, others)
            if share > 0:
                text = say(
                    "Player {player} is ready to take the {cup} tile of {points}; if you leave it, they gain {wins}.",
                    player=rival + 1, cup=cup, points=points_words(points), wins=wins_words(share),
                )
                yield Reason("ahead_of", text, 1.5 + 20 * share)
    unserved = [cup for cup in table.fields["players"][me]["cups"] if cup[1] is None]
    if len(unserved) == 1:
        yield Reason("last_cup", say("It is your last cup: the game ends with this round."), 2.5)


def _served(choice: Choice) -> tuple[int, int] | None:
    if not rules.MOVE_SERVE <= choice.move < rules.MOVE_BUY:
        return None
    return divmod(choice.move - rules.MOVE_SERVE, rules.MOST_DRINK_TILES)


def _swap(spec: Drink, question: Question) -> Iterator[Reason]:
    """Compare with the best other tile for the same cup."""
    me = question.player
    served = _served(question.choice)
    assert served is not None
    drink, tile = served
    same_cup = [other for other in question.others if (found := _served(other)) and found[0] == drink]
    if not same_cup:
        return
    other = same_cup[0]
    tile_there = other.move - rules.MOVE_SERVE - rules.MOST_DRINK_TILES * drink
    ahead = question.choice.wins[me] - other.wins[me]
    points = spec.points[tile] - spec.points[tile_there]
    if ahead <= SURE * math.hypot(question.choice.win_errors[me], other.win_errors[me]):
        return
    words = {"points": points_words(abs(points)), "wins": wins_words(ahead)}
    if points < 0:
        text = say("Coins are worth more here than {points}: {wins} more than with the dearer tile.", **words)
        yield Reason("coins_first", text, 2)
    else:
        text = say("Worth giving up coins or sugar for {points} more: {wins} more than with the cheaper tile.", **words)
        yield Reason("points_first", text, 2)


def _empty(table: Table, question: Question) -> Iterator[Reason]:
    drink = question.choice.move - rules.MOVE_EMPTY_CUP
    me = question.player
    rivals = [other.move - rules.MOVE_EMPTY_CUP for other in question.others]
    values = {cup: table.reach(me, cup) for cup in [drink, *rivals]}
    if rivals and all(values[drink] < values[cup] for cup in rivals):
        cup = name(table.contents.drinks[drink].name)
        yield Reason("least_value", say("The {cup} holds the least value.", cup=cup), 1)


def _clean(table: Table, question: Question) -> Iterator[Reason]:
    column = question.choice.move - rules.MOVE_CLEAN
    buys = [bought(move) for move in table.state.moves() if move >= rules.MOVE_BUY]
    if not any(bought_column == column for bought_column, _, _ in buys):
        text = say("There is no tile in the {column} column you could buy.", column=COLUMN_WORDS[column])
        yield Reason("nothing_fits", text, 1.5)
    yield from _denies(table, question, [(column, row) for row in range(ROWS)])


def _take(table: Table, question: Question) -> Iterator[Reason]:
    me = question.player
    coins = table.fields["players"][me]["coins"]
    more = Table.of(table.game, question.after()).fields["players"][me]["coins"]
    buys = [move for move in table.state.moves() if move >= rules.MOVE_BUY]
    if not buys:
        yield Reason("nothing_affordable", say("There is no tile you can pay for and place."), 2)
    best: tuple[int, Text] | None = None
    for column in range(2):
        for row in range(ROWS):
            index = table.kind_at(column, row)
            if index is None or not coins < table.game.price(table.state, column, row) <= more:
                continue
            for drink in table.open_cups(me, column):
                if table.free(me, drink) != 1:
                    continue
                kind = table.contents.kinds[index]
                text = say(
                    "With {coins} you can pay for the {column} {tile} that fills the {cup}, if it is still there.",
                    coins=coins_words(more),
                    column=COLUMN_WORDS[column],
                    tile=tile_words(kind),
                    cup=name(table.contents.drinks[drink].name),
                )
                if best is None or kind.value > best[0]:
                    best = kind.value, text
    if best is not None:
        yield Reason("affords", best[1], 2.5)


def _menu(drink: Drink, preparations: set[int]) -> int:
    return drink.menu[len(preparations) - 1]
