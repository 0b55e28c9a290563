"""Café del Gatto on the wire: round trips of whole games, and refusal of what cannot come about."""
from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from cafebrain.errors import MAX_VIOLATIONS, BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2, gatto_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.rng import Random
from engines.gatto import rules
from engines.library import Entry
from tests.gatto_tables import BRAIN, COLUMNS, STEPS, table, tile
from tests.mutations import mutate

ENTRIES = {entry.components.id: entry for entry in BRAIN.library.entries("gatto")}


def encode(entry: Entry, state: State) -> game_pb2.GameState:
    message = game_pb2.GameState(
        component_set={"id": entry.components.id, "hash": entry.components.hash}
    )
    entry.engine.encode(state, message)
    return message


def first(entry: Entry, players: int, start: int) -> State:
    """The first position with any start player."""
    message = encode(entry, entry.engine.initial(entry.game, players, {}, Random(0)))
    message.gatto.start_player = message.gatto.turn_player = start
    for number, player in enumerate(message.gatto.players, 1):
        player.coins = 4 if number == start else 5
    return entry.engine.decode(message, entry.game)


def conserved(entry: Entry, state: State) -> None:
    """Every tile, coin, cube and drink tile is somewhere, counted independently of the codec."""
    contents, fields = entry.components.contents, entry.game.read(state)
    tiles = Counter(kind for column in fields["columns"] for kind in column)
    for player in fields["players"]:
        assert player["coins"] >= 0
        assert player["sugar"] >= 0
        for lying, _ in player["cups"]:
            tiles.update(lying)
    for place in ("bag", "discard"):
        tiles.update(dict(enumerate(fields[place])))
        assert min(fields[place]) >= 0
    assert [tiles[index] for index in range(len(contents.kinds))] == [kind.count for kind in contents.kinds]
    assert fields["unknown_discards"] <= sum(fields["bag"])
    for name, total in (("coins", contents.coins), ("sugar", contents.sugar)):
        if total is not None:
            assert sum(player[name] for player in fields["players"]) <= total
    for index, drink in enumerate(contents.drinks):
        taken = Counter(player["cups"][index][1] for player in fields["players"])
        for number in range(len(drink.points)):
            copies = 1 if number else len(fields["players"])
            assert fields["drink_tiles"][index][number] + taken[number] == copies


def play(entry: Entry, state: State, dice: random.Random, most: int = 10**9) -> Iterator[State]:
    """Yield every position of a random game."""
    yield state
    while state.to_move != GAME_OVER and most:
        most -= 1
        if state.to_move == CHANCE_POINT:
            codes, weights = zip(*state.outcomes(), strict=True)
            state.apply(dice.choices(codes, weights)[0])
        else:
            state.apply(dice.choice(state.moves()))
        yield state


def round_trip(entry: Entry, state: State) -> None:
    message = encode(entry, state)
    wire = message.SerializeToString(deterministic=True)
    again = entry.engine.decode(game_pb2.GameState.FromString(wire), entry.game)
    assert bytes(again) == bytes(state)
    assert encode(entry, again).SerializeToString(deterministic=True) == wire


def campaign(entry: Entry, players: int, seed: int) -> Counter[int]:
    """Play one random game, every position of it there and back; return the steps met."""
    dice = random.Random(seed)
    met: Counter[int] = Counter()
    for state in play(entry, first(entry, players, 1 + seed % players), dice):
        round_trip(entry, state)
        conserved(entry, state)
        met[entry.game.read(state)["step"]] += 1
    return met


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("set_id", ["reconstructed", "owners", "odd", "scarce", "thirteen"])
def test_every_position_of_random_games_goes_there_and_back(set_id: str, players: int) -> None:
    met = campaign(ENTRIES[set_id], players, 5 * players + 1)
    wanted = {rules.STEP_FRESH, rules.STEP_CLEANED, rules.STEP_BOUGHT, rules.STEP_SERVING, rules.STEP_OVER}
    if set_id in ("scarce", "thirteen"):  # one way or the other, their rounds end without tiles again and again
        assert met[rules.STEP_INTERMEDIATE_SERVING] + met[rules.STEP_INTERMEDIATE_EMPTYING] > 0
        wanted -= {rules.STEP_SERVING, rules.STEP_CLEANED}
    assert wanted <= met.keys()


def test_both_kinds_of_intermediate_round_go_there_and_back() -> None:
    met = sum((campaign(ENTRIES["scarce"], 5, seed) for seed in range(2)), Counter())
    assert met[rules.STEP_INTERMEDIATE_SERVING] > 0
    assert met[rules.STEP_INTERMEDIATE_EMPTYING] > 0


@pytest.mark.parametrize("set_id", ["reconstructed", "odd", "scarce"])
def test_unknown_discards_at_any_time_go_there_and_back(set_id: str) -> None:
    entry = ENTRIES[set_id]
    declared = 0
    for seed in range(2):
        dice = random.Random(seed)
        for state in play(entry, first(entry, 3, 1), dice, most=400):
            message = encode(entry, state)
            pile = sum(kind.count for kind in message.gatto.discard)
            if pile == 0 or dice.random() < 0.7:
                continue
            # Nobody noted what lies on the discard pile: those tiles are unseen.
            for unseen, known in zip(message.gatto.bag, message.gatto.discard, strict=True):
                unseen.count += known.count
                known.count = 0
            message.gatto.unknown_discards += pile
            declared += 1
            hidden = entry.engine.decode(message, entry.game)
            assert encode(entry, hidden) == message
            for later in play(entry, hidden, dice, most=20):
                round_trip(entry, later)
                conserved(entry, later)
    assert declared > 15


def test_what_is_not_there_need_not_be_listed() -> None:
    message = table(cups={(2, "doppio"): 4})
    short = game_pb2.GameState()
    short.CopyFrom(message)
    for name in ("bag", "discard", "drink_tiles"):
        entries = [entry for entry in getattr(short.gatto, name) if entry.count]
        assert len(entries) < len(getattr(short.gatto, name)) or name == "bag"
        random.Random(1).shuffle(entries)
        del getattr(short.gatto, name)[:]
        getattr(short.gatto, name).extend(entries)
    entry = ENTRIES["reconstructed"]
    assert entry.engine.decode(short, entry.game) == entry.engine.decode(message, entry.game)


# --- refusals ------------------------------------------------------------------------------------

CUPS = {(1, "cappuccino"): "2h 1c", (1, "doppio"): 4, (2, "espresso"): "4h", (2, "doppio"): 2}
BUY = {"milk": "1c 2c 2f 4c", "pending": ["milk"], "step": "bought"}


def fresh(**more: object) -> game_pb2.GameState:
    return table(cups=CUPS, **more)


def bought(**more: object) -> game_pb2.GameState:
    return table(**{"cups": {(1, "latte_macchiato"): "3c"}, **BUY, **more})


def cleaned(**more: object) -> game_pb2.GameState:
    given = {"milk": "", "discard": "1c 2c 3c 2f 4c", "step": "cleaned", "pending": ["milk"] * 5, "coins": [2, 5]}
    return table(**{**given, **more})


def serving(**more: object) -> game_pb2.GameState:
    return table(**{"cups": {(1, "doppio"): 4}, "discard": "2c 2h", "step": "serving", **more})


def over(**more: object) -> game_pb2.GameState:
    cups = {(1, "espresso"): 3, (1, "doppio"): 4, (1, "macchiato"): 4, (1, "cappuccino"): 6, (1, "latte_macchiato"): 8}
    return table(**{"cups": cups, "turn": 2, "step": "over", **more})


MILK_12, COFFEE_12 = "1c 1f 1h 2c 2f", "3c 3f 3h 4c 4h"


def emptying(**more: object) -> game_pb2.GameState:
    given = {
        "set_id": "thirteen", "milk": MILK_12, "coffee": COFFEE_12, "players": 3, "queue": [2, 1],
        "cups": {(1, "cappuccino"): "2h", (2, "doppio"): "4f", (2, "macchiato"): "1c"},
        "step": "intermediate_emptying",
    }  # fmt: skip
    return table(**{**given, **more})


def intermediate(**more: object) -> game_pb2.GameState:
    cups = {(1, "espresso"): "2h", (2, "espresso"): "4f", (3, "doppio"): "1c"}
    return emptying(**{"cups": cups, "step": "intermediate_serving", **more})


def setting_up() -> game_pb2.GameState:
    return BRAIN.new_game(pb.NewGameRequest(game="gatto", players=2, stop_at_chance=True)).state


VALID = {
    "fresh": fresh, "bought": bought, "cleaned": cleaned, "serving": serving, "over": over, "emptying": emptying,
    "intermediate": intermediate, "setting_up": setting_up,
}  # fmt: skip


@pytest.mark.parametrize("name", VALID)
def test_the_unchanged_positions_are_accepted(name: str) -> None:
    message = VALID[name]()
    entry = ENTRIES[message.component_set.id]
    assert encode(entry, entry.engine.decode(message, entry.game)) == message


def refusal(message: game_pb2.GameState) -> BrainError:
    with pytest.raises(BrainError) as caught:
        BRAIN.get_moves(pb.GetMovesRequest(state=message))
    assert 1 <= len(caught.value.violations) <= MAX_VIOLATIONS
    assert caught.value.violations[0].reason in caught.value.message
    return caught.value


Change = Callable[[gatto_pb2.GattoState], object]


def set_field(path: str, value: object) -> Change:
    """Set a field such as "players[0].coins"."""

    def change(state: gatto_pb2.GattoState) -> None:
        target: object = state
        *parents, name = path.replace("[", ".[").split(".")
        for part in parents:
            target = target[int(part[1:-1])] if part[0] == "[" else getattr(target, part)  # type: ignore[index]
        if name[0] == "[":
            target[int(name[1:-1])] = value  # type: ignore[index]
        else:
            setattr(target, name, value)

    return change


def both(*changes: Change) -> Change:
    return lambda state: [change(state) for change in changes]


def count_of(place: str, text: str, by: int) -> Change:
    def change(state: gatto_pb2.GattoState) -> None:
        for entry in getattr(state, place):
            if entry.tile == tile(text):
                entry.count += by

    return change


def left_of(drink: str, points: int, by: int) -> Change:
    def change(state: gatto_pb2.GattoState) -> None:
        for entry in state.drink_tiles:
            if (entry.drink, entry.points) == (drink, points):
                entry.count += by

    return change


def no_players(state: gatto_pb2.GattoState) -> None:
    del state.players[:]


def nine_players(state: gatto_pb2.GattoState) -> None:
    for _ in range(7):
        state.players.add().CopyFrom(state.players[1])


# (position, change, path below state.gatto, value, part of the reason)
FAULTS: list[tuple[str, Change, str, str, str]] = [
    ("fresh", no_players, "players", "0", "2 to 5"),
    ("fresh", nine_players, "players", "9", "2 to 5"),
    ("fresh", lambda s: s.players.pop(), "players", "1", "2 to 5"),
    # Out of range.
    ("fresh", set_field("start_player", 0), "start_player", "0", "1 to 2"),
    ("fresh", set_field("start_player", 3), "start_player", "3", "1 to 2"),
    ("fresh", set_field("turn_player", 0), "turn_player", "0", "1 to 2"),
    ("fresh", set_field("turn_player", 4294967295), "turn_player", "4294967295", "1 to 2"),
    ("fresh", set_field("round", 0), "round", "0", "1 to 200"),
    ("fresh", set_field("round", 201), "round", "201", "1 to 200"),
    ("fresh", set_field("step", 0), "step", "0", "1 to 7"),
    ("fresh", set_field("step", 8), "step", "8", "1 to 7"),
    ("fresh", set_field("step", -1), "step", "-1", "1 to 7"),
    ("fresh", set_field("players[1].coins", 46), "players[1].coins", "46", "0 to 45"),
    ("fresh", set_field("players[1].coins", 4294967295), "players[1].coins", "4294967295", "0 to 45"),
    ("fresh", set_field("players[0].sugar", 13), "players[0].sugar", "13", "0 to 12"),
    ("fresh", set_field("unknown_discards", 4294967295), "unknown_discards", "4294967295", "0 to 2"),
    ("emptying", set_field("intermediate_queue[1]", 4), "intermediate_queue[1]", "4", "1 to 3"),
    ("emptying", set_field("intermediate_queue[0]", 0), "intermediate_queue[0]", "0", "1 to 3"),
    ("emptying", lambda s: s.intermediate_queue.extend([2, 1]), "intermediate_queue", "4 entries", "at most 3"),
    # Totals.
    ("fresh", set_field("players[1].coins", 42), "players", "46 coins in all", "only 45"),
    ("fresh", both(set_field("players[0].sugar", 7), set_field("players[1].sugar", 6)), "players", "13 sugar",
     "only 12"),
    ("fresh", count_of("bag", "1f", -1), "", "2 tiles of value 1, GATTO_PREPARATION_FROTHY", "has 3 of this kind"),
    ("fresh", count_of("bag", "4f", -3), "", "0 tiles of value 4, GATTO_PREPARATION_FROTHY", "has 3 of this kind"),
    ("fresh", count_of("discard", "4f", 1), "", "4 tiles of value 4, GATTO_PREPARATION_FROTHY", "has 3 of this kind"),
    ("fresh", lambda s: s.machine.milk[0].CopyFrom(tile("4f")), "", "2 tiles of value 1, GATTO_PREP", "has 3"),
    ("fresh", lambda s: s.players[0].cups[3].tiles.pop(), "", "2 tiles of value 1, GATTO_PREP", "has 3"),
    ("fresh", left_of("doppio", 2, 1), "drink_tiles[5].count", "2", "2 in the game, 1 taken, so 1 must be left"),
    ("fresh", left_of("doppio", 4, 1), "drink_tiles[6].count", "1", "1 in the game, 1 taken, so 0 must be left"),
    ("fresh", left_of("espresso", 5, -1), "drink_tiles[4].count", "0", "so 1 must be left"),
    ("fresh", lambda s: s.drink_tiles.pop(0), "drink_tiles", "0", "espresso 1: 2 in the game, 0 taken, so 2"),
    # Tiles, drinks and drink tiles the set does not have.
    ("fresh", set_field("machine.milk[2].value", 5), "machine.milk[2]", "5 GATTO_PREPARATION_COLD", "no such tile"),
    ("fresh", set_field("machine.coffee[4].value", 0), "machine.coffee[4]", "0 GATTO_PREPARATION_HOT", "no such"),
    ("fresh", set_field("machine.coffee[4].preparation", 0), "machine.coffee[4]", "2 GATTO_PREPARATION_UNSP",
     "no such"),
    ("fresh", set_field("machine.coffee[4].preparation", 9), "machine.coffee[4]", "2 9", "no such tile"),
    ("fresh", lambda s: s.machine.ClearField("coffee"), "", "2 tiles of value 1, GATTO_PREPARATION_HOT", "has 3"),
    ("fresh", lambda s: s.machine.milk.add(value=1, preparation=2), "machine.milk", "6 entries", "at most 5"),
    ("fresh", set_field("bag[0].tile.value", 77), "bag[0].tile", "77 GATTO_PREPARATION_COLD", "no such tile"),
    ("fresh", set_field("bag[0].count", 4), "bag[0].count", "4", "0 to 3"),
    ("fresh", set_field("discard[3].count", 4294967295), "discard[3].count", "4294967295", "0 to 3"),
    ("fresh", lambda s: s.bag[1].CopyFrom(s.bag[0]), "bag[1].tile", "1", "listed twice"),
    ("fresh", lambda s: s.bag.add(), "bag", "13 entries", "at most 12"),
    ("fresh", set_field("drink_tiles[0].drink", "tea"), "drink_tiles[0]", "tea 1", "no such drink tile"),
    ("fresh", set_field("drink_tiles[1].points", 9), "drink_tiles[1]", "espresso 9", "no such drink tile"),
    ("fresh", lambda s: s.drink_tiles[1].CopyFrom(s.drink_tiles[0]), "drink_tiles[1]", "espresso 1", "listed twice"),
    ("fresh", lambda s: s.drink_tiles.add(), "drink_tiles", "26 entries", "at most 25"),
    ("fresh", set_field("players[0].cups[1].drink", "tea"), "players[0].cups", "espresso, tea, ma", "in order: esp"),
    ("fresh", lambda s: s.players[0].cups.pop(), "players[0].cups", "espresso, doppio, macc", "one cup of each"),
    ("fresh", lambda s: s.players[0].cups.add(drink="x"), "players[0].cups", "espresso, doppio, macc",
     "one cup of each"),
    ("fresh", lambda s: s.players[1].ClearField("cups"), "players[1].cups", "", "one cup of each"),
    # Cups.
    ("fresh", lambda s: s.players[0].cups[1].tiles.add(tile=tile("1f"), color=2), "players[0].cups[1].tiles", "1 tiles",
     "must be empty: the cup is served"),
    ("fresh", set_field("players[0].cups[1].served", 3), "players[0].cups[1].served", "3",
     "drink tile of doppio: 2, 4"),
    ("fresh", set_field("players[0].cups[1].served", 0), "players[0].cups[1].served", "0",
     "drink tile of doppio: 2, 4"),
    ("fresh", set_field("players[0].cups[3].tiles[0].color", 1), "players[0].cups[3].tiles[0].color",
     "GATTO_COLOR_MILK", "space 1 from the bottom of this cup is coffee"),
    ("fresh", set_field("players[0].cups[3].tiles[1].color", 0), "players[0].cups[3].tiles[1].color",
     "GATTO_COLOR_UNSPECIFIED", "space 2"),
    ("fresh", set_field("players[0].cups[3].tiles[1].color", 7), "players[0].cups[3].tiles[1].color", "7", "space 2"),
    ("fresh", set_field("players[0].cups[3].tiles[1].tile.value", 9), "players[0].cups[3].tiles[1]",
     "9 GATTO_PREPARATION_COLD", "no such tile"),
    ("fresh", lambda s: s.players[1].cups[0].tiles.add(tile=tile("1f"), color=2), "players[1].cups[0].tiles",
     "2 entries", "at most 1"),
    ("fresh", both(set_field("players[1].cups[1].served", 4), left_of("doppio", 2, 1)), "players",
     "doppio served for 4 by 2 players", "there are 1 such tiles"),
    # The wrong phase.
    ("fresh", lambda s: s.intermediate_queue.append(1), "intermediate_queue", "1", "must be empty outside"),
    ("over", lambda s: s.intermediate_queue.append(1), "intermediate_queue", "1", "must be empty outside"),
    ("fresh", set_field("step", STEPS["bought"]), "machine", "5 milk and 5 coffee tiles", "exactly one tile"),
    ("bought", set_field("step", STEPS["fresh"]), "machine", "4 milk and 5 coffee tiles", "both columns are full"),
    ("bought", set_field("step", STEPS["serving"]), "machine", "4 milk and 5 coffee tiles", "both columns are full"),
    ("bought", set_field("turn_player", 2), "step", "GATTO_STEP_BOUGHT", "player 2 has no tile in any cup"),
    ("fresh", set_field("step", STEPS["over"]), "turn_player", "1", "player before the start player"),
    ("over", set_field("turn_player", 1), "turn_player", "1", "player before the start player"),
    ("over", lambda s: (s.players[0].cups[0].ClearField("served"), left_of("espresso", 3, 1)(s)), "step",
     "GATTO_STEP_OVER", "nobody has served every cup and round 200"),
    ("over", both(set_field("step", 1), set_field("turn_player", 1)), "step", "GATTO_STEP_FRESH",
     "ended with the last"),
    ("serving", set_field("turn_player", 2), "step", "GATTO_STEP_SERVING", "player 2 has served no cup"),
    ("serving", both(count_of("discard", "2c", -1), count_of("bag", "2c", 1)), "discard", "1 tiles", "must be there"),
    ("cleaned", both(count_of("discard", "2c", -1), count_of("bag", "2c", 1)), "discard", "4 tiles", "must be there"),
    ("cleaned", set_field("players[1].coins", 42), "players", "44 coins in all", "the 2 coins for the clean"),
    ("cleaned", set_field("step", STEPS["fresh"]), "machine", "0 milk and 5 coffee tiles", "both columns are full"),
    ("intermediate", set_field("step", STEPS["fresh"]), "bag", "0", "an intermediate round is due"),
    ("intermediate", set_field("step", STEPS["intermediate_emptying"]), "step", "GATTO_STEP_INTERMEDIATE_EMPTYING",
     "would have to serve"),
    ("emptying", set_field("step", STEPS["intermediate_serving"]), "intermediate_queue", "2, 1",
     "has not a filled cup"),
    ("intermediate", lambda s: s.intermediate_queue.pop(), "intermediate_queue", "2", "player 1 has a filled cup"),
    ("emptying", lambda s: s.intermediate_queue.pop(), "intermediate_queue", "2", "player 1 has tiles"),
    ("intermediate", lambda s: s.intermediate_queue.reverse(), "intermediate_queue", "1, 2", "in the order 2, 3, 1"),
    ("intermediate", set_field("intermediate_queue[0]", 1), "intermediate_queue", "1, 1", "in the order 2, 3, 1"),
    ("intermediate", set_field("intermediate_queue[0]", 3), "intermediate_queue", "3, 1", "player 3 has not a filled"),
    ("intermediate", lambda s: s.ClearField("intermediate_queue"), "intermediate_queue", "empty", "in the order 2, 3"),
    ("intermediate", lambda s: s.intermediate_queue.pop(0), "players", "player 2 has served nothing", "had to serve"),
    ("intermediate", both(set_field("round", 200), set_field("start_player", 2)), "round", "200", "the game ended"),
    ("emptying", lambda s: (s.players[1].cups[2].tiles.pop(), count_of("discard", "1c", 1)(s)), "discard", "1 tiles",
     "those who have acted in this round put 0"),
    ("emptying", lambda s: (s.players[1].cups[2].tiles.pop(), count_of("bag", "1c", 1)(s)), "bag", "1",
     "must be empty in an intermediate round"),
    # Draws.
    ("fresh", lambda s: s.pending_draws.append(1), "pending_draws", "GATTO_COLOR_MILK", "must be empty"),
    ("over", lambda s: s.pending_draws.append(2), "pending_draws", "GATTO_COLOR_COFFEE", "must be empty"),
    ("bought", lambda s: s.ClearField("pending_draws"), "pending_draws", "none", "must be GATTO_COLOR_MILK"),
    ("bought", set_field("pending_draws[0]", COLUMNS["coffee"]), "pending_draws", "GATTO_COLOR_COFFEE", "must be GATT"),
    ("bought", set_field("pending_draws[0]", 5), "pending_draws", "5", "must be GATTO_COLOR_MILK"),
    ("setting_up", lambda s: s.pending_draws.pop(), "pending_draws", "GATTO_COLOR_MILK, GATTO",
     "must be GATTO_COLOR_MI"),
    ("setting_up", set_field("players[1].coins", 6), "machine", "0 milk and 0 coffee tiles", "but for the setup"),
    ("setting_up", set_field("players[0].sugar", 1), "machine", "0 milk and 0 coffee tiles", "but for the setup"),
    ("setting_up", set_field("round", 2), "machine", "0 milk and 0 coffee tiles", "but for the setup"),
    ("setting_up", lambda s: (s.machine.coffee.add(value=1, preparation=1), count_of("bag", "1c", -1)(s)), "machine",
     "0 milk and 1 coffee tiles", "but for the setup"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_each_fault_is_named(number: int) -> None:
    name, change, path, value, reason = FAULTS[number]
    message = VALID[name]()
    change(message.gatto)
    error = refusal(message)
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "INVALID_STATE")
    field = f"state.gatto.{path}" if path else "state.gatto"
    named = [found for found in error.violations if found.field == field and reason in found.reason]
    assert named, [str(violation) for violation in error.violations]
    assert named[0].value.startswith(value), named[0].value


def test_a_fifth_cup_before_the_last_round_ended_is_refused() -> None:
    # Start player 1 to move, player 2 has served everything: the game ended with player 2's turn.
    finished = {(2, drink): 4 if drink != "espresso" else 1 for drink in ("espresso", "doppio", "macchiato")}
    finished |= {(2, "cappuccino"): 3, (2, "latte_macchiato"): 4}
    for step, more in (("fresh", {}), ("cleaned", {"discard": "2h 2h 3h 1f 1f"})):
        error = refusal(table(cups=finished, step=step, **more))
        assert error.violations[0].field == "state.gatto.step"
    # In an intermediate round after the start player's turn too, unless it was served in that round.
    cups = {**finished, (1, "espresso"): "2h", (3, "espresso"): "4f"}
    given = {"set_id": "thirteen", "milk": MILK_12, "coffee": COFFEE_12, "players": 3, "step": "intermediate_serving"}
    assert "every cup" in refusal(table(cups={**cups, (3, "doppio"): "1c"}, turn=3, queue=[1, 3], **given)).message
    served_now = table(cups=cups, turn=1, queue=[3, 1], discard="1c", **given)
    assert BRAIN.get_moves(pb.GetMovesRequest(state=served_now)).to_move == "player 3"


def test_more_than_twenty_faults_are_capped() -> None:
    message = fresh()
    for entry in (*message.gatto.bag, *message.gatto.discard):
        entry.count = 99
    error = refusal(message)
    assert len(error.violations) == MAX_VIOLATIONS == 20
    assert "and 23 more" in error.message  # 12 kinds twice


def test_huge_lists_and_texts_are_refused_shortly() -> None:
    message = fresh()
    message.gatto.bag.extend([gatto_pb2.GattoTileCount(count=1)] * 200_000)
    message.gatto.players[0].cups[0].drink = "x" * 100_000
    message.gatto.players[1].cups.extend([gatto_pb2.GattoCup()] * 200_000)
    message.gatto.pending_draws.extend([1] * 500_000)
    message.gatto.intermediate_queue.extend([1] * 500_000)
    started = time.monotonic()
    error = refusal(message)
    assert time.monotonic() - started < 2
    assert {violation.field.removeprefix("state.gatto.") for violation in error.violations} == {
        "players[0].cups", "players[1].cups", "bag", "pending_draws", "intermediate_queue",
    }  # fmt: skip
    assert all(len(str(violation)) < 300 for violation in error.violations)
    assert len(error.message) < 400


def test_set_and_game_of_a_state() -> None:
    def code(message: game_pb2.GameState) -> tuple[str, str, list[str]]:
        error = refusal(message)
        return error.code, error.reason, [violation.field for violation in error.violations]

    message = fresh()
    message.component_set.id = "homemade"
    assert code(message) == ("INVALID_ARGUMENT", "UNKNOWN_COMPONENT_SET", ["state.component_set.id"])
    message = fresh()
    right = message.component_set.hash
    message.component_set.hash = "0123456789abcdef"
    error = refusal(message)
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "COMPONENT_SET_MISMATCH")
    assert right in error.message
    assert "0123456789abcdef" in error.message
    message = fresh()
    message.component_set.hash = ""
    assert code(message) == ("INVALID_ARGUMENT", "INVALID_STATE", ["state.component_set.hash"])
    message = fresh()
    message.ClearField("component_set")
    assert code(message) == ("INVALID_ARGUMENT", "INVALID_STATE", ["state.component_set.id"])
    assert code(game_pb2.GameState())[0] == "INVALID_ARGUMENT"
    message = fresh()
    message.connect_four.columns.extend([""] * 7)  # the set belongs to another game
    assert code(message)[:2] == ("INVALID_ARGUMENT", "UNKNOWN_COMPONENT_SET")


def test_a_position_of_one_set_is_impossible_in_another() -> None:
    message = fresh()
    other = ENTRIES["odd"]
    message.component_set.id, message.component_set.hash = "odd", other.components.hash
    assert refusal(message).reason == "INVALID_STATE"


# --- mutations -----------------------------------------------------------------------------------

TEXTS = ["", "espresso", "doppio", "tea\x00", "é" * 70]

def canonical(message: game_pb2.GameState) -> game_pb2.GameState:
    """The same with lists of counts in order and without zeros."""
    result = game_pb2.GameState()
    result.CopyFrom(message)
    for name in ("bag", "discard", "drink_tiles"):
        entries = [entry for entry in getattr(message.gatto, name) if entry.count]
        entries.sort(key=lambda entry: entry.SerializeToString())
        del getattr(result.gatto, name)[:]
        getattr(result.gatto, name).extend(entries)
    result.gatto.machine.SetInParent()
    return result


def fuzz(set_id: str, seed: int, rounds: int) -> Counter[str]:
    """Mutate positions of random games; return how many were accepted and refused."""
    entry = ENTRIES[set_id]
    dice = random.Random(seed)
    outcome: Counter[str] = Counter()
    for _ in range(rounds):
        players = dice.randint(2, 5)
        *_, state = play(entry, first(entry, players, dice.randint(1, players)), dice, most=dice.randrange(150))
        for _ in range(40):
            message = encode(entry, state)
            for _ in range(dice.choice([1, 1, 1, 2, 3])):
                mutate(message.gatto, dice, TEXTS)
            try:
                mutated = entry.engine.decode(message, entry.game)
            except BrainError as error:
                refused = error
            else:
                refused = None
            if refused:
                assert refused.code == "INVALID_ARGUMENT"
                assert all(found.field.startswith("state.gatto") for found in refused.violations)
                outcome["refused"] += 1
                continue
            again = encode(entry, mutated)
            assert canonical(again) == canonical(message)
            if canonical(again) == canonical(encode(entry, state)):
                outcome["same"] += 1
                continue
            outcome["accepted"] += 1
            for number, later in enumerate(play(entry, mutated, dice)):
                if number % 8 == 0:
                    conserved(entry, later)
                    round_trip(entry, later)
    return outcome


@pytest.mark.parametrize("set_id", ["reconstructed", "odd", "scarce"])
def test_mutations_are_refused_or_playable(set_id: str) -> None:
    outcome = fuzz(set_id, 1, 4)
    assert outcome["refused"] > 50
    assert outcome["accepted"] > 0

