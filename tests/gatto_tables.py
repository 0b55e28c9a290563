"""Positions of Café del Gatto written by hand, as messages, and moves in short words.

A tile is its value and the first letter of its preparation: "3h" is 3 hot. A move is a line such as
"buy milk 3 latte_macchiato", "serve doppio 4", "clean coffee", "take", "end", "empty doppio" or "draw 3h".
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2, gatto_pb2
from engines.library import Library
from solver.brain import Brain

DATA = Path(__file__).parent / "data"
TEST_SETS = ("odd", "scarce", "twelve", "thirteen")
LETTERS = "cfh"
STEPS = {
    name.removeprefix("GATTO_STEP_").lower(): number
    for name, number in gatto_pb2.GattoStep.items()
}
COLUMNS = {"milk": gatto_pb2.GATTO_COLOR_MILK, "coffee": gatto_pb2.GATTO_COLOR_COFFEE}
COLUMN_NAMES = {number: name for name, number in COLUMNS.items()}

# Rows 1 to 5. Both rulebook price examples stand here: milk 3 opposite coffee 1 in row 3, coffee 3 opposite milk 2
# in row 4.
MILK = "1c 2c 3c 2f 4c"
COFFEE = "4h 3h 1h 3f 2h"


def make_brain() -> Brain:
    library = Library()
    for name in TEST_SETS:
        library.add_file(DATA / f"gatto_{name}.toml")
    return Brain(library)


BRAIN = make_brain()


def tile(text: str) -> gatto_pb2.GattoTile:
    return gatto_pb2.GattoTile(value=int(text[0]), preparation=LETTERS.index(text[1]) + 1)


def tile_text(message: gatto_pb2.GattoTile) -> str:
    return f"{message.value}{LETTERS[message.preparation - 1]}"


def table(
    set_id: str = "reconstructed",
    *,
    players: int = 2,
    milk: str = MILK,
    coffee: str = COFFEE,
    cups: Mapping[tuple[int, str], str | int] | None = None,
    coins: Sequence[int] | None = None,
    sugar: Sequence[int] | None = None,
    discard: str = "",
    unknown: int = 0,
    start: int = 1,
    turn: int = 1,
    round: int = 2,
    step: str = "fresh",
    queue: Sequence[int] = (),
    pending: Sequence[str] = (),
) -> game_pb2.GameState:
    """Return a position; tiles that are nowhere else are in the bag.

    cups: by player (from 1) and drink, the tiles from bottom to top or the points of the drink tile. discard: known
    discards.
    """
    entry = BRAIN.library.entry("gatto", set_id, "", "set")
    contents = BRAIN.get_components(pb.GetComponentsRequest(game="gatto", component_set={"id": set_id}))
    parts = contents.components.gatto
    message = game_pb2.GameState(component_set={"id": set_id, "hash": entry.components.hash})
    state = message.gatto
    lying = Counter(milk.split() + coffee.split() + discard.split())
    taken: Counter[tuple[str, int]] = Counter()
    for player in range(1, players + 1):
        given = state.players.add(
            coins=(coins or [4] + [5] * 4)[player - 1], sugar=(sugar or [0] * 5)[player - 1]
        )
        for drink in parts.drinks:
            cup = given.cups.add(drink=drink.id)
            content = (cups or {}).get((player, drink.id), "")
            if isinstance(content, int):
                cup.served = content
                taken[drink.id, content] += 1
            else:
                for text, color in zip(content.split(), drink.spaces, strict=False):
                    cup.tiles.add(tile=tile(text), color=color)
                    lying[text] += 1
    state.start_player, state.turn_player, state.round, state.step = start, turn, round, STEPS[step]
    state.intermediate_queue[:] = queue
    state.machine.milk.extend(map(tile, milk.split()))
    state.machine.coffee.extend(map(tile, coffee.split()))
    known = Counter(discard.split())
    for kind in parts.tiles:
        text = tile_text(kind.tile)
        state.bag.add(tile=kind.tile, count=kind.count - lying[text])
        state.discard.add(tile=kind.tile, count=known[text])
    state.unknown_discards = unknown
    for drink in parts.drinks:
        for points in drink.points:
            copies = players if points == drink.points[0] else 1
            state.drink_tiles.add(drink=drink.id, points=points, count=copies - taken[drink.id, points])
    state.pending_draws[:] = [COLUMNS[name] for name in pending]
    return message


def move(text: str) -> game_pb2.Move:
    words = text.split()
    message = game_pb2.Move()
    gatto = message.gatto
    if words[0] == "buy":
        gatto.buy.column, gatto.buy.row, gatto.buy.cup = COLUMNS[words[1]], int(words[2]), words[3]
    elif words[0] == "serve":
        gatto.serve.cup, gatto.serve.points = words[1], int(words[2])
    elif words[0] == "clean":
        gatto.clean.column = COLUMNS[words[1]]
    elif words[0] == "empty":
        gatto.empty_cup.cup = words[1]
    elif words[0] == "draw":
        gatto.draw.tile.CopyFrom(tile(words[1]))
    elif words[0] == "take":
        gatto.take_coins.SetInParent()
    else:
        assert text == "end"
        gatto.end_turn.SetInParent()
    return message


def words(message: game_pb2.Move) -> str:
    """Return the short words of a move, the reverse of `move`."""
    gatto = message.gatto
    kind = gatto.WhichOneof("move")
    if kind == "buy":
        return f"buy {COLUMN_NAMES[gatto.buy.column]} {gatto.buy.row} {gatto.buy.cup}"
    if kind == "serve":
        return f"serve {gatto.serve.cup} {gatto.serve.points}"
    if kind == "clean":
        return f"clean {COLUMN_NAMES[gatto.clean.column]}"
    if kind == "empty_cup":
        return f"empty {gatto.empty_cup.cup}"
    if kind == "draw":
        return f"draw {tile_text(gatto.draw.tile)}"
    return {"take_coins": "take", "end_turn": "end"}[kind]


def answer(state: game_pb2.GameState) -> pb.GetMovesResponse:
    return BRAIN.get_moves(pb.GetMovesRequest(state=state))


def moves(state: game_pb2.GameState, kind: str = "") -> list[str]:
    """Return the legal moves or possible draws, those of one kind where it is given."""
    return [text for text in (words(legal.move) for legal in answer(state).moves) if text.startswith(kind)]


def chances(state: game_pb2.GameState) -> dict[str, float]:
    return {words(legal.move): legal.probability for legal in answer(state).moves if legal.HasField("probability")}


def to_move(state: game_pb2.GameState) -> str:
    return answer(state).to_move


def after(state: game_pb2.GameState, *texts: str) -> game_pb2.GameState:
    """Return the position after moves and draws; nothing is drawn by itself."""
    for text in texts:
        request = pb.ApplyMoveRequest(state=state, move={"move": move(text)}, stop_at_chance=True)
        state = BRAIN.apply_move(request).state
    return state


def cup(state: game_pb2.GameState, player: int, drink: str) -> str | int:
    """Return a cup's tiles, or the points it was served for."""
    [found] = [cup for cup in state.gatto.players[player - 1].cups if cup.drink == drink]
    return found.served if found.HasField("served") else " ".join(tile_text(placed.tile) for placed in found.tiles)


def coins(state: game_pb2.GameState) -> list[int]:
    return [player.coins for player in state.gatto.players]


def sugar(state: game_pb2.GameState) -> list[int]:
    return [player.sugar for player in state.gatto.players]


def column(state: game_pb2.GameState, name: str) -> str:
    return " ".join(map(tile_text, getattr(state.gatto.machine, name)))


def pile(state: game_pb2.GameState, name: str) -> str:
    """Return the tiles in the bag or on the discard pile, in the order of the set."""
    counts = getattr(state.gatto, name)
    return " ".join(tile_text(entry.tile) for entry in counts for _ in range(entry.count))


def left(state: game_pb2.GameState, drink: str) -> dict[int, int]:
    """Return the drink tiles left on the menu board."""
    return {entry.points: entry.count for entry in state.gatto.drink_tiles if entry.drink == drink}


def step(state: game_pb2.GameState) -> str:
    return gatto_pb2.GattoStep.Name(state.gatto.step).removeprefix("GATTO_STEP_").lower()


def queue(state: game_pb2.GameState) -> list[int]:
    return list(state.gatto.intermediate_queue)
