"""Fits engines/cafe/values.json: the weights by which Café's solo solver ranks positions.

`python -m bench.fit_cafe ITERATIONS DECKS PROCESSES`, from the top of the source tree; writes the file anew. Fitted
value iteration on the search's own positions (as in DAgger, Ross et al. 2011): from positions that beam searches keep
on random open decks smaller ones are run; ridge regression explains the points they reach by what the positions show,
for every number of rounds to come. The better the weights, the better the beams: the fit is repeated, each time with
new decks added.
"""
from __future__ import annotations

import json
import math
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cython_ext.beam import Beam
from cython_ext.game import State
from cython_ext.rng import Random
from cython_ext.solo import Puzzle
from engines.cafe import weights
from engines.cafe.engine import ENGINE
from engines.cafe.rules import CafeGame
from engines.library import Library

FILE = Path(weights.__file__).with_name("values.json")
WIDTH = 12  # of the beams
EFFORT = 10
MET_WIDTH = 60  # of those that meet the positions
SAMPLES = 40  # positions of a deck
STEP = 0.7  # of the way to the weights that fit best
SETBACK = 2.0  # points below the best weights after which they are taken up again
CHECK_WIDTH = 150
CHECKS = 24  # decks
CHECK_SEED = 5_000_000
FIRST_SEED = 1_000_000
MOST_SAMPLES = 60_000
LAST = 8  # round
RIDGE = 30.0

ALL = 1 << 62  # no limit of positions

Values = list[list[list[float]]]


class Sample(NamedTuple):
    """A position and the points a beam reached from it."""

    deck: int
    rounds: int  # to come
    actions: int  # left
    features: list[float]
    reached: float


def open_deck(game: CafeGame, seed: int) -> State:
    """Return a random puzzle, one in three with the Expresso cards."""
    options = {"open_deck": "true", "expresso": "true" if seed % 3 == 0 else "false"}
    return ENGINE.initial(game, 1, options, Random(seed))


def place_of(game: CafeGame, state: State) -> tuple[int, int]:
    """Return rounds to come and actions left, as value.pyx reads them."""
    fields: dict[str, Any] = game.read(state)
    rounds = LAST - fields["round"]
    if fields["step"] in (3, 4):
        return rounds + 1, 0
    return rounds, fields["actions"]


def met(puzzle: Puzzle, dice: random.Random) -> list[State]:
    """Return positions that a beam keeps, where wrong weights do harm."""
    beam = Beam(puzzle)
    beam.begin(MET_WIDTH, EFFORT, dice.choice([0.0, 1.0, 3.0]), dice.getrandbits(32))
    beam.run(math.inf, ALL)
    found = []
    for number in dice.sample(range(beam.kept), min(SAMPLES, beam.kept)):
        state = puzzle.root.copy()
        for move in beam.line_to(number):
            state.apply(move)
        found.append(state)
    return found


def samples(game: CafeGame, seed: int) -> list[Sample]:
    """Return what beams reach from positions of one deck."""
    dice = random.Random(seed)
    root = open_deck(game, seed)
    found = []
    for state in met(Puzzle(root), dice):
        beam = Beam(Puzzle(state))
        beam.begin(WIDTH, EFFORT, 0.0, seed)
        beam.run(math.inf, ALL)
        if beam.best is None:
            continue
        found.append(Sample(seed, *place_of(game, state), game.features(state, LAST), beam.best))
    return found


def fit(data: list[Sample], old: Values) -> tuple[Values, float]:
    """Return weights that explain the data, pulled towards the old ones, and the root mean square error.

    What a deck is worth as such is no business of the weights: its mean error is taken off, in turns with the fit.
    """
    decks = dict.fromkeys({row.deck for row in data}, 0.0)
    new: Values = [[list(kind) for kind in kinds] for kinds in old]
    for _ in range(4):
        rest: dict[int, list[float]] = {deck: [] for deck in decks}
        for rounds in range(LAST + 1):
            for acting in (False, True):
                rows = [row for row in data if row.rounds == rounds and (row.actions > 0) == acting]
                if (rounds == 0 and not acting) or len(rows) < 200:
                    continue
                x = np.array([row.features for row in rows])
                actions = np.array([row.actions for row in rows])[:, None]
                size = x.shape[1]
                base = np.array(old[rounds][1 if acting else 0])
                if acting:
                    x = np.hstack([x, x * actions])
                    base = np.concatenate([base, old[rounds][2]])
                y = np.array([row.reached - decks[row.deck] for row in rows]) - x @ base
                scale = x.std(axis=0)
                scale[size - 1] = scale[size - 1] or 10.0  # the constant is hardly pulled
                x = x / np.maximum(scale, 1e-6) * (scale > 1e-6)
                change = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ y)
                for row, error in zip(rows, y - x @ change, strict=True):
                    rest[row.deck].append(float(error))
                weights = base + change / np.maximum(scale, 1e-6) * (scale > 1e-6)
                new[rounds][1 if acting else 0] = weights[:size].tolist()
                if acting:
                    new[rounds][2] = weights[size:].tolist()
        for deck, errors in rest.items():
            decks[deck] += sum(errors) / (len(errors) + 2)
    every = [error for errors in rest.values() for error in errors]
    return new, float(np.sqrt(np.mean(np.square(every))))


def work(values: Values, seeds: range) -> list[Sample]:
    """Return what beams with these weights reach on some decks."""
    game = CafeGame(Library().entry("cafe", "", "", "set").components)
    game.set_values(values)
    return [sample for seed in seeds for sample in samples(game, seed)]


def mean_score(values: Values, seeds: range) -> float:
    """Return the mean points of beams of CHECK_WIDTH."""
    game = CafeGame(Library().entry("cafe", "", "", "set").components)
    game.set_values(values)
    total = 0.0
    for seed in seeds:
        beam = Beam(Puzzle(open_deck(game, seed)))
        beam.begin(CHECK_WIDTH, EFFORT, 0.0, 0)
        beam.run(math.inf, ALL)
        total += beam.best or 0
    return total / len(seeds)


def main(iterations: int, decks: int, processes: int) -> None:
    """Fit, and write what did best on decks of their own."""
    values = best = json.loads(FILE.read_text())
    most = 0.0
    data: list[Sample] = []
    seed = FIRST_SEED
    with ProcessPoolExecutor(processes) as pool:
        for iteration in range(iterations + 1):
            checks = [range(first, first + 4) for first in range(CHECK_SEED, CHECK_SEED + CHECKS, 4)]
            reached = float(np.mean(list(pool.map(mean_score, [values] * len(checks), checks))))
            print(f"iteration {iteration}: {reached:.2f} points, {len(data)} positions so far", flush=True)
            if reached > most:
                most, best = reached, values
                FILE.write_text(json.dumps([[[round(w, 4) for w in kind] for kind in kinds] for kinds in best]))
            elif reached < most - SETBACK:
                values = best
            batches = [range(first, first + 4) for first in range(seed, seed + decks, 4)]
            seed += decks
            for found in pool.map(work, [values] * len(batches), batches):
                data += found
            data = data[-MOST_SAMPLES:]
            wanted, error = fit(data, values)
            print(f"  error {error:.2f}", flush=True)
            step = STEP * (np.array(wanted) - np.array(values))
            values = (np.array(values) + step).tolist()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
