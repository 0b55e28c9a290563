"""Café del Gatto between wire and native state. Decoding refuses every position that cannot come about."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cafebrain.v1 import gatto_pb2
from cython_ext.game import State
from engines.gatto import rules
from engines.gatto.components import GattoSet, tile_message
from engines.gatto.rules import GattoGame
from engines.violations import Violations

ROWS = len(rules.ROW_SURCHARGE)
COLUMN_NAMES = ("milk", "coffee")
IN_INTERMEDIATE_ROUND = (rules.STEP_INTERMEDIATE_SERVING, rules.STEP_INTERMEDIATE_EMPTYING)


def color_message(color: int) -> gatto_pb2.GattoColor.ValueType:
    """Return the wire form of a colour or column."""
    return gatto_pb2.GattoColor.ValueType(color + 1)


def pending_draws(heights: Sequence[int]) -> list[int]:
    """Return the columns the next tiles are drawn into, in order."""
    return [column for column, height in enumerate(heights) for _ in range(ROWS - height)]


def encode(game: GattoGame, state: State, message: gatto_pb2.GattoState) -> None:
    """Fill the message with the position."""
    contents: GattoSet = game.components.contents
    fields = game.read(state)
    for values in fields["players"]:
        player = message.players.add(coins=values["coins"], sugar=values["sugar"])
        for drink, (tiles, served) in zip(contents.drinks, values["cups"], strict=True):
            player.cups.add(
                drink=drink.id,
                tiles=[
                    gatto_pb2.GattoPlacedTile(tile=tile_message(contents.kinds[kind]), color=color_message(color))
                    for kind, color in zip(tiles, drink.spaces, strict=False)
                ],
                served=None if served is None else drink.points[served],
            )
    message.start_player = fields["start_player"] + 1
    message.turn_player = fields["turn_player"] + 1
    message.round = fields["round"]
    message.step = gatto_pb2.GattoStep.ValueType(fields["step"])
    message.intermediate_queue[:] = [player + 1 for player in fields["queue"]]
    message.machine.milk.extend(tile_message(contents.kinds[kind]) for kind in fields["columns"][0])
    message.machine.coffee.extend(tile_message(contents.kinds[kind]) for kind in fields["columns"][1])
    for name in ("bag", "discard"):
        for kind, count in zip(contents.kinds, fields[name], strict=True):
            getattr(message, name).add(tile=tile_message(kind), count=count)
    message.unknown_discards = fields["unknown_discards"]
    for drink, left in zip(contents.drinks, fields["drink_tiles"], strict=True):
        for points, count in zip(drink.points, left, strict=True):
            message.drink_tiles.add(drink=drink.id, points=points, count=count)
    if fields["step"] != rules.STEP_OVER:
        message.pending_draws[:] = [color_message(column) for column in pending_draws(_heights(fields))]


def decode(game: GattoGame, message: gatto_pb2.GattoState) -> State:
    """Return the position.

    Raises BrainError INVALID_ARGUMENT with field violations unless it is possible.
    """
    faults = Violations("state.gatto")
    reader = _Reader(game.components.contents, message, faults)
    fields = reader.fields()
    faults.check()  # what follows relies on every number being in range
    reader.check_conservation(fields)
    faults.check()
    _check_phase(game.components.contents, message, fields, faults)
    faults.check()
    return game.build(fields)


def _heights(fields: dict[str, Any]) -> list[int]:
    return [len(column) for column in fields["columns"]]


class _Reader:
    """Reads a message field by field and notes what does not exist or is out of range."""

    def __init__(self, contents: GattoSet, message: gatto_pb2.GattoState, faults: Violations) -> None:
        self.contents = contents
        self.message = message
        self.faults = faults
        self.kind_of = {(kind.value, kind.preparation + 1): index for index, kind in enumerate(contents.kinds)}

    def fields(self) -> dict[str, Any]:
        """Return the fields as GattoGame.build wants them; only to be used where no fault was noted."""
        message, faults = self.message, self.faults
        count = len(message.players)
        if not 2 <= count <= 5:
            faults.add("players", count, "must be 2 to 5 players")
            faults.check()
        for name in ("start_player", "turn_player"):
            faults.in_range(name, getattr(message, name), 1, count)
        faults.in_range("round", message.round, 1, rules.ROUNDS)
        faults.in_range("step", message.step, rules.STEP_FRESH, rules.STEP_OVER)
        if self.at_most("intermediate_queue", message.intermediate_queue, count):
            for index, player in enumerate(message.intermediate_queue):
                faults.in_range(f"intermediate_queue[{index}]", player, 1, count)
        self.at_most("pending_draws", message.pending_draws, ROWS * len(COLUMN_NAMES))
        columns = [
            self.tiles(f"machine.{name}", getattr(message.machine, name), ROWS) for name in COLUMN_NAMES
        ]
        return {
            "players": [self.player(f"players[{index}]", player) for index, player in enumerate(message.players)],
            "start_player": message.start_player - 1,
            "turn_player": message.turn_player - 1,
            "round": message.round,
            "step": message.step,
            "queue": [player - 1 for player in message.intermediate_queue],
            "columns": columns,
            "bag": self.counts("bag", message.bag),
            "discard": self.counts("discard", message.discard),
            "unknown_discards": message.unknown_discards,
        }

    def at_most(self, path: str, entries: Sequence[Any], most: int) -> bool:
        """Note a fault where a list is too long, so that none of its entries is looked at; return whether it is not."""
        if len(entries) > most:
            self.faults.add(path, f"{len(entries)} entries", f"must be at most {most}")
        return len(entries) <= most

    def kind(self, path: str, tile: gatto_pb2.GattoTile) -> int:
        """Return the kind of a tile; a kind with no tiles in the set does not exist."""
        kind = self.kind_of.get((tile.value, tile.preparation))
        if kind is None or not self.contents.kinds[kind].count:
            name = gatto_pb2.GattoPreparation.Name
            known = tile.preparation in gatto_pb2.GattoPreparation.values()
            shown = f"{tile.value} {name(tile.preparation) if known else tile.preparation}"
            self.faults.add(path, shown, "the component set has no such tile")
            return 0
        return kind

    def tiles(self, path: str, tiles: Sequence[gatto_pb2.GattoTile], most: int) -> list[int]:
        """Return the kinds of a row of tiles."""
        if not self.at_most(path, tiles, most):
            return []
        return [self.kind(f"{path}[{index}]", tile) for index, tile in enumerate(tiles)]

    def player(self, path: str, player: gatto_pb2.GattoPlayer) -> dict[str, Any]:
        """Return coins, sugar and cups of one player."""
        contents, faults = self.contents, self.faults
        faults.in_range(
            f"{path}.coins", player.coins, 0, rules.MOST_COINS if contents.coins is None else contents.coins
        )
        faults.in_range(
            f"{path}.sugar", player.sugar, 0, rules.MOST_SUGAR if contents.sugar is None else contents.sugar
        )
        wanted = [drink.id for drink in contents.drinks]
        found = [cup.drink for cup in player.cups[: len(wanted) + 1]]  # one too many is enough to tell
        if found != wanted:
            faults.add(f"{path}.cups", ", ".join(found), f"must be one cup of each drink in order: {', '.join(wanted)}")
            return {}
        return {
            "coins": player.coins,
            "sugar": player.sugar,
            "cups": [self.cup(f"{path}.cups[{index}]", index, cup) for index, cup in enumerate(player.cups)],
        }

    def cup(self, path: str, index: int, cup: gatto_pb2.GattoCup) -> tuple[list[int], int | None]:
        """Return a cup's tiles and its drink tile."""
        drink = self.contents.drinks[index]
        if not self.at_most(f"{path}.tiles", cup.tiles, len(drink.spaces)):
            return [], None
        tiles = self.tiles(f"{path}.tiles", [placed.tile for placed in cup.tiles], len(drink.spaces))
        for space, (placed, color) in enumerate(zip(cup.tiles, drink.spaces, strict=False)):
            if placed.color != color_message(color):
                known = placed.color in gatto_pb2.GattoColor.values()
                self.faults.add(
                    f"{path}.tiles[{space}].color",
                    gatto_pb2.GattoColor.Name(placed.color) if known else placed.color,
                    f"space {space + 1} from the bottom of this cup is {COLUMN_NAMES[color]}",
                )
        if not cup.HasField("served"):
            return tiles, None
        if cup.tiles:
            self.faults.add(f"{path}.tiles", f"{len(cup.tiles)} tiles", "must be empty: the cup is served")
        if cup.served not in drink.points:
            self.faults.add(
                f"{path}.served", cup.served, f"must be a drink tile of {drink.id}: {', '.join(map(str, drink.points))}"
            )
            return tiles, None
        return tiles, drink.points.index(cup.served)

    def counts(self, path: str, counts: Sequence[gatto_pb2.GattoTileCount]) -> list[int]:
        """Return the number of tiles per kind; kinds that are not listed are not there."""
        result = [0] * len(self.contents.kinds)
        if not self.at_most(path, counts, len(result)):
            return result
        seen = set()
        for index, entry in enumerate(counts):
            key = (entry.tile.value, entry.tile.preparation)
            if entry.count == 0 and key in self.kind_of and key not in seen:
                seen.add(key)  # listing none of a kind the set has none of is true
                continue
            kind = self.kind(f"{path}[{index}].tile", entry.tile)
            if key in seen:
                self.faults.add(f"{path}[{index}].tile", entry.tile.value, "this kind of tile is listed twice")
            seen.add(key)
            if self.faults.in_range(f"{path}[{index}].count", entry.count, 0, self.contents.kinds[kind].count):
                result[kind] = entry.count
        return result

    def check_conservation(self, fields: dict[str, Any]) -> None:
        """Every tile, coin, sugar cube and drink tile of the set is somewhere, exactly once."""
        contents, faults = self.contents, self.faults
        cups = [kind for player in fields["players"] for tiles, _ in player["cups"] for kind in tiles]
        machine = [kind for column in fields["columns"] for kind in column]
        for index, kind in enumerate(contents.kinds):
            places = {
                "in cups": cups.count(index),
                "in the machine": machine.count(index),
                "in the bag": fields["bag"][index],
                "discarded": fields["discard"][index],
            }
            total = sum(places.values())
            if total != kind.count:
                preparation = gatto_pb2.GattoPreparation.Name(tile_message(kind).preparation)
                faults.add(
                    "",
                    f"{total} tiles of value {kind.value}, {preparation}: "
                    + ", ".join(f"{count} {place}" for place, count in places.items()),
                    f"the set has {kind.count} of this kind",
                )
        for name, most in (("coins", contents.coins), ("sugar", contents.sugar)):
            total = sum(player[name] for player in fields["players"])
            if most is not None and total > most:
                faults.add("players", f"{total} {name} in all", f"the set has only {most}")
        faults.in_range("unknown_discards", self.message.unknown_discards, 0, sum(fields["bag"]))
        self.check_drink_tiles(fields)

    def check_drink_tiles(self, fields: dict[str, Any]) -> None:
        """Every drink tile is on the menu board or with a player."""
        if not self.at_most("drink_tiles", self.message.drink_tiles, sum(len(d.points) for d in self.contents.drinks)):
            return
        listed: dict[tuple[str, int], int] = {}
        for index, entry in enumerate(self.message.drink_tiles):
            if (entry.drink, entry.points) in listed:
                self.faults.add(f"drink_tiles[{index}]", f"{entry.drink} {entry.points}", "is listed twice")
            listed[entry.drink, entry.points] = index
        for number, drink in enumerate(self.contents.drinks):
            for tile, points in enumerate(drink.points):
                copies = 1 if tile else len(fields["players"])
                taken = sum(player["cups"][number][1] == tile for player in fields["players"])
                if taken > copies:
                    found = f"{drink.id} served for {points} by {taken} players"
                    self.faults.add("players", found, f"there are {copies} such tiles")
                    continue
                place = listed.pop((drink.id, points), None)
                left = 0 if place is None else self.message.drink_tiles[place].count
                if left != copies - taken:
                    self.faults.add(
                        "drink_tiles" if place is None else f"drink_tiles[{place}].count",
                        left,
                        f"{drink.id} {points}: {copies} in the game, {taken} taken, so {copies - taken} must be left",
                    )
        for (drink_id, points), index in listed.items():
            self.faults.add(f"drink_tiles[{index}]", f"{drink_id} {points}", "the component set has no such drink tile")


def _check_phase(
    contents: GattoSet, message: gatto_pb2.GattoState, fields: dict[str, Any], faults: Violations
) -> None:
    """Where the turn stands must fit what lies on the table."""
    step, turn, start = fields["step"], fields["turn_player"], fields["start_player"]
    players = fields["players"]
    count = len(players)
    served = [sum(tile is not None for _, tile in player["cups"]) for player in players]
    finished = [player for player in range(count) if served[player] == len(contents.drinks)]
    has_tiles = [any(tiles for tiles, _ in player["cups"]) for player in players]
    tiles_left = sum(fields["bag"]) + sum(fields["discard"])
    last = (turn + 1) % count == start

    if fields["queue"] and step not in IN_INTERMEDIATE_ROUND:
        shown = ", ".join(str(player + 1) for player in fields["queue"])
        faults.add("intermediate_queue", shown, "must be empty outside an intermediate round")
    if step == rules.STEP_OVER:
        if not last:
            faults.add("turn_player", turn + 1, "a game ends with the turn of the player before the start player")
        if not finished and fields["round"] < rules.ROUNDS:
            faults.add(
                "step", "GATTO_STEP_OVER", f"nobody has served every cup and round {rules.ROUNDS} is not reached"
            )
    elif step in IN_INTERMEDIATE_ROUND:
        _check_intermediate_round(contents, message, fields, finished, last, faults)
    else:
        if not tiles_left:
            faults.add("bag", 0, "bag and discard pile are both empty: an intermediate round is due")
        if turn == start and any(player != turn or step != rules.STEP_SERVING for player in finished):
            faults.add(
                "step",
                gatto_pb2.GattoStep.Name(message.step),
                "someone has served every cup, so the game ended with the last round",
            )
    if step == rules.STEP_SERVING:
        _check_served(contents, fields, faults)
    if step == rules.STEP_CLEANED:
        _check_cleaned(contents, fields, faults)
    if step == rules.STEP_BOUGHT and not has_tiles[turn]:
        faults.add("step", "GATTO_STEP_BOUGHT", f"player {turn + 1} has no tile in any cup")
    _check_draws(message, fields, faults)


def _pile(fields: dict[str, Any]) -> int:
    """Return the number of tiles on the discard pile, known or not."""
    total: int = sum(fields["discard"]) + fields["unknown_discards"]
    return total


def _served_spaces(contents: GattoSet, player: dict[str, Any]) -> list[int]:
    """Return the numbers of spaces of a player's served cups."""
    return [
        len(drink.spaces) for drink, (_, tile) in zip(contents.drinks, player["cups"], strict=True) if tile is not None
    ]


def _check_served(contents: GattoSet, fields: dict[str, Any], faults: Violations) -> None:
    """Note where the tiles of a cup served in this turn do not lie on the discard pile."""
    turn = fields["turn_player"]
    spaces = _served_spaces(contents, fields["players"][turn])
    if not spaces:
        faults.add("step", "GATTO_STEP_SERVING", f"player {turn + 1} has served no cup")
    elif _pile(fields) < min(spaces):
        faults.add("discard", f"{_pile(fields)} tiles", "the tiles of the cup served in this turn must be there")


def _check_cleaned(contents: GattoSet, fields: dict[str, Any], faults: Violations) -> None:
    """Note where a clean's price is not in the reserve, or its tiles neither on the discard pile nor in the bag."""
    held = sum(player["coins"] for player in fields["players"])
    if contents.coins is not None and held > contents.coins - rules.CLEAN_COINS:
        faults.add("players", f"{held} coins in all", f"the {rules.CLEAN_COINS} coins for the clean are in the reserve")
    untouched = min(_heights(fields)) == 0
    if _pile(fields) < ROWS and (untouched or _pile(fields)):
        faults.add("discard", f"{_pile(fields)} tiles", f"the {ROWS} tiles of the cleaned column must be there")


def _check_intermediate_round(
    contents: GattoSet,
    message: gatto_pb2.GattoState,
    fields: dict[str, Any],
    finished: list[int],
    last: bool,
    faults: Violations,
) -> None:
    """Note what an intermediate round, which begins with bag and discard pile empty, cannot have led to."""
    queue, turn, players = fields["queue"], fields["turn_player"], fields["players"]
    serving = fields["step"] == rules.STEP_INTERMEDIATE_SERVING
    has_tiles = [any(tiles for tiles, _ in player["cups"]) for player in players]
    has_filled = [
        any(len(tiles) == len(drink.spaces) for (tiles, _), drink in zip(player["cups"], contents.drinks, strict=True))
        for player in players
    ]
    in_bag = sum(fields["bag"]) - fields["unknown_discards"]
    if in_bag:
        faults.add("bag", in_bag, "must be empty in an intermediate round, but for unknown discards")
    if last and fields["round"] == rules.ROUNDS:
        faults.add("round", fields["round"], "the game ended with the last turn of this round")
    if not has_tiles[turn]:
        faults.add(
            "turn_player", turn + 1, "must have a tile in a cup: the turn ended with a purchase, and they act last"
        )
    clockwise = [(turn + offset) % len(players) for offset in range(1, len(players) + 1)]
    if not queue or queue != [player for player in clockwise if player in queue]:
        faults.add(
            "intermediate_queue",
            ", ".join(str(player + 1) for player in queue) or "empty",
            f"must be players in the order {', '.join(str(player + 1) for player in clockwise)}",
        )
        return
    able = has_filled if serving else has_tiles
    if not serving and any(has_filled):
        faults.add("step", "GATTO_STEP_INTERMEDIATE_EMPTYING", "someone has a filled cup and would have to serve")
    passed, to_come = clockwise[: clockwise.index(queue[0])], clockwise[clockwise.index(queue[0]) :]
    for player in to_come:
        if able[player] != (player in queue):
            thing = "a filled cup" if serving else "tiles"
            has, belongs = ("has", "must be") if able[player] else ("has not", "must not be")
            faults.add(
                "intermediate_queue",
                ", ".join(str(queued + 1) for queued in queue),
                f"player {player + 1} {has} {thing} and {belongs} in it",
            )
    # What lies on the discard pile comes from those who have acted, a cup each.
    most = 0
    for player in passed:
        spaces = _served_spaces(contents, players[player])
        if not serving:
            most += max(len(drink.spaces) for drink in contents.drinks) - 1
        elif spaces:
            most += max(spaces)
        elif has_filled[player]:
            faults.add("players", f"player {player + 1} has served nothing", "had to serve in this intermediate round")
    if _pile(fields) > most:
        faults.add("discard", f"{_pile(fields)} tiles", f"those who have acted in this round put {most} there at most")
    before_it = [player for player in finished if not (serving and player in passed)]
    if any(player != turn for player in before_it) if turn == fields["start_player"] else last and before_it:
        faults.add(
            "step",
            gatto_pb2.GattoStep.Name(message.step),
            "someone has served every cup, so the game ended with the last round",
        )


def _nothing_done(fields: dict[str, Any]) -> bool:
    """Whether everything but the machine and the bag is as it is before the first turn."""
    start = fields["start_player"]
    return (
        fields["round"] == 1
        and fields["turn_player"] == start
        and _pile(fields) == 0
        and all(
            player["coins"] == rules.START_COINS - (index == start)
            and player["sugar"] == 0
            and all(not tiles and served is None for tiles, served in player["cups"])
            for index, player in enumerate(fields["players"])
        )
    )


def _check_draws(
    message: gatto_pb2.GattoState, fields: dict[str, Any], faults: Violations
) -> None:
    """Columns are short only where a draw is due, and the draws due are the ones stated."""
    heights = _heights(fields)
    due = pending_draws(heights)
    step = fields["step"]
    if step == rules.STEP_FRESH:
        right = not due or (_nothing_done(fields) and (heights[0] == ROWS or heights[1] == 0))
        rule = "at the start of a turn both columns are full, but for the setup of the game"
    elif step == rules.STEP_CLEANED:
        right = ROWS in heights
        rule = "after a clean only the cleaned column can be short"
    elif step == rules.STEP_BOUGHT:
        right = len(due) == 1
        rule = "after buying exactly one tile is to be drawn"
    else:
        right = not due
        rule = "both columns are full at this step"
    if not right:
        faults.add("machine", f"{heights[0]} milk and {heights[1]} coffee tiles", rule)
    elif list(message.pending_draws) != [color_message(column) for column in due]:
        names = [
            gatto_pb2.GattoColor.Name(color) if color in gatto_pb2.GattoColor.values() else str(color)
            for color in message.pending_draws
        ]
        wanted = [gatto_pb2.GattoColor.Name(color_message(column)) for column in due]
        faults.add("pending_draws", ", ".join(names) or "none", f"must be {', '.join(wanted) or 'empty'}")
