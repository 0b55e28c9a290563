"""Writes tests/endings: endings with the exact value of every move, by brute force over the reference rules.

Run `python -m tests.write_endings [GAME...]`: some minutes for each. It goes on where it was stopped; remove a file of
tests/endings to have it written anew. The positions come from games of the playout policy. Of each game at most one
position is taken; it has two moves or more whose share of the win differs by SMALLEST at least. Every number of
players, option and component set comes equally often, and so does every band of sizes, where such endings are found.
"""
from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import sys
import time
from collections.abc import Iterator

from google.protobuf.json_format import MessageToDict

from cython_ext.exact import Exact
from cython_ext.game import GAME_OVER, State
from cython_ext.rng import Random
from engines.library import Entry, Library
from engines.registry import ENGINES
from scripts.endings import ENDINGS
from solver.positions import Position, encode_state
from tests.brute_force import Table, Values, solve, start

WANTED = 216  # endings of a game
SMALLEST = 0.02  # difference of the win share between the best and the worst move
BANDS = 6  # of sizes, each the same factor larger than the one before
LEAST_SIZE = 6
TRIES = 300  # games tried for an ending
# The largest ending of a game in positions: what the reference solves in a few seconds.
LARGEST = {"connect_four": 20_000, "gatto": 4000, "cafe": 800, "campus": 2000}
OPEN_DECK = "open_deck"  # an option for one player


def variants(library: Library, game: str) -> list[tuple[Entry, int, dict[str, str]]]:
    """Return every way to start a game for two or more, with every component set."""
    engine = ENGINES[game]
    found = []
    for entry in library.entries(game):
        for players in range(max(2, engine.min_players), engine.max_players + 1):
            names = [option for option in engine.options if option.name != OPEN_DECK]
            for values in itertools.product(*(option.values for option in names)):
                options = {option.name: value for option, value in zip(names, values, strict=True)}
                found.append((entry, players, options))
    return found


def played(entry: Entry, players: int, options: dict[str, str], seed: int) -> list[State]:
    """Return the positions of a game, from the first to the last."""
    state = entry.engine.initial(entry.game, players, options, Random(seed))
    random_, states = Random(seed), [state]
    while state.to_move != GAME_OVER:
        state = state.copy()
        state.playout_step(random_)
        states.append(state)
    return states


def find(states: list[State], least: float, most: float) -> tuple[int, int] | None:
    """Return the last position of a game that is an ending of the size wanted, by its number, and its size; or None."""
    for number in range(len(states) - 2, -1, -1):
        state = states[number]
        if state.to_move < 0 or len(state.moves()) < 2:
            continue
        exact = Exact(state, budget=int(most))
        if exact.run(math.inf) != "solved":
            return None  # what comes before is hardly ever smaller
        wins = [win[state.to_move] for _, win, _, _ in exact.root_values()]
        if exact.positions >= least and max(wins) - min(wins) >= SMALLEST:
            return number, exact.positions
    return None


def by_force(
    entry: Entry, states: list[State], options: dict[str, str], by_score: bool = False
) -> dict[int, Values]:
    """Return what the moves of the last of some positions that follow one another are worth, by brute force."""
    table: Table = start(entry, states[0], options)
    for before, after in itertools.pairwise(states):
        table = table.after(table.read(before, code_between(before, after)))
    state = states[-1]
    assert table.to_move() == state.to_move
    memo: dict[object, Values] = {}
    return {code: solve(table.after(table.read(state, code)), memo, by_score) for code in state.moves()}


def code_between(before: State, after: State) -> int:
    """Return the move or draw that leads from one position to the next."""
    for code in before.moves() or [code for code, _ in before.outcomes()]:
        state = before.copy()
        state.apply(code)
        if state == after:
            return code
    raise AssertionError("no move leads there")


def endings(library: Library, game: str, done: int) -> Iterator[dict[str, object]]:
    """Yield the endings of a game that are missing, where there are `done`."""
    ways = variants(library, game)
    step = (LARGEST[game] / LEAST_SIZE) ** (1 / BANDS)
    barren = set()  # ways to start and bands for which no ending was found
    for number in itertools.count(done):
        way, band = number % len(ways), number // len(ways) % BANDS
        if done == WANTED:
            return
        if (way, band) in barren:
            continue
        dice = random.Random(f"{game} {number}")
        entry, players, options = ways[way]
        for _ in range(TRIES):
            states = played(entry, players, options, dice.randrange(1 << 32))
            found = find(states, LEAST_SIZE * step**band, LEAST_SIZE * step ** (band + 1))
            if found:
                break
        else:
            barren.add((way, band))
            print(f"{game}: no ending of band {band} for {players} players {options}", file=sys.stderr)
            continue
        done += 1
        last, size = found
        began = time.process_time()
        values = by_force(entry, states[: last + 1], options)
        print(f"{game} {done}: {size} positions, {time.process_time() - began:.2f} s", file=sys.stderr)
        yield {
            "options": options,
            "size": size,
            "state": MessageToDict(encode_state(Position(entry, states[last]))),
            "moves": [
                [code, *([round(float(value), 9) for value in part] for part in parts)]
                for code, parts in values.items()
            ],
        }


def main() -> None:
    """Write the endings of some games, or of all."""
    parser = argparse.ArgumentParser(description="Write tests/endings anew.")
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"default all: {', '.join(LARGEST)}")
    library = Library()
    ENDINGS.mkdir(exist_ok=True)
    for game in parser.parse_args().games or LARGEST:
        path = ENDINGS / f"{game}.jsonl"
        with path.open("a+", encoding="utf-8") as file:
            file.seek(0)
            for line in endings(library, game, len(file.readlines())):
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
                file.flush()


if __name__ == "__main__":
    main()
