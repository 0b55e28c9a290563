"""Fits engines/cafe/values.json: the weights by which Café's solo solver ranks positions.

From the top of the source tree, again and again with other decks and more of them:

    python -m bench.fit_cafe collect FOLDER FIRST SECONDS    samples of random decks from number FIRST on
    python -m bench.fit_cafe fit FOLDER                      writes values.json anew
    python -m bench.fit_cafe check                           mean points of beams with these weights

Fitted value iteration on the search's own positions (as in DAgger, Ross et al. 2011): from positions that beams keep,
and from others one turn on, smaller beams are run; the weights are to explain the points they reach by what the
positions show. A linear part for every number of rounds to come and a layer of rectified units that all of them share
are fitted together (Adam, Kingma and Ba 2015).
"""
from __future__ import annotations

import json
import math
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from cython_ext.beam import Beam
from cython_ext.game import State
from cython_ext.rng import Random
from cython_ext.solo import Puzzle, turns
from engines.cafe import weights
from engines.cafe.engine import ENGINE
from engines.cafe.rules import CafeGame
from engines.library import Library

FILE = Path(weights.__file__).with_name("values.json")
WIDTH = 12  # of the beams that find out what a position is worth
EFFORT = 10
MET_WIDTH = 100  # of those that meet the positions
SAMPLES = 40  # positions of a deck
CHECK_WIDTH = 150
CHECKS = 24  # decks
CHECK_SEED = 5_000_000
LAST = 8  # round
HIDDEN = 32
EPOCHS = 40
BATCH = 512
RATE = 2e-3
DECAY = 1e-4  # of the weights of scaled features
HELD_OUT = 10  # one deck in so many tells the error

ALL = 1 << 62  # no limit of positions

Arrays = dict[str, np.ndarray]


def open_deck(game: CafeGame, seed: int) -> State:
    """Return a random puzzle, one in four with the Expresso cards."""
    options = {"open_deck": "true", "expresso": "true" if seed % 4 == 0 else "false"}
    return ENGINE.initial(game, 1, options, Random(seed))


def met(puzzle: Puzzle, dice: random.Random) -> list[State]:
    """Return positions that a beam keeps, where wrong weights do harm, and as many that lie a turn ahead of some."""
    beam = Beam(puzzle)
    beam.begin(MET_WIDTH, EFFORT, dice.choice([0.0, 1.0, 3.0]), dice.getrandbits(32))
    beam.run(math.inf, ALL)
    found = []
    for number in dice.sample(range(beam.kept), min(SAMPLES, beam.kept)):
        state = puzzle.root.copy()
        for move in beam.line_to(number):
            state.apply(move)
        if dice.random() < 0.5:
            state = dice.choice(turns(state, EFFORT, False))[0]
        if not puzzle.is_over(state):
            found.append(state)
    return found


def collect(folder: Path, first: int, seconds: float) -> None:
    """Write samples: what positions show, and what beams reach from them."""
    game = CafeGame(Library().entry("cafe", "", "", "set").components)
    end = time.monotonic() + seconds
    decks, shown, reached = [], [], []
    seed = first
    while time.monotonic() < end:
        for state in met(Puzzle(open_deck(game, seed)), random.Random(seed)):
            beam = Beam(Puzzle(state))
            beam.begin(WIDTH, EFFORT, 0.0, seed)
            beam.run(math.inf, ALL)
            if beam.best is not None:
                decks.append(seed)
                shown.append(game.features(state, LAST))
                reached.append(beam.best)
        seed += 1
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        folder / f"{first}.npz",
        deck=np.array(decks),
        shown=np.array(shown, dtype=np.float32),
        reached=np.array(reached, dtype=np.float32),
    )
    print(f"{len(decks)} positions of {seed - first} decks")


def main_fit(folder: Path) -> None:
    """Fit the weights to all samples of a folder, from where they are."""
    data = [np.load(path) for path in sorted(folder.glob("*.npz"))]
    deck = np.concatenate([part["deck"] for part in data])
    x = np.concatenate([part["shown"] for part in data]).astype(np.float64)
    y = np.concatenate([part["reached"] for part in data]).astype(np.float64)
    values, error = fit(deck, x, y, json.loads(FILE.read_text()))
    FILE.write_text(json.dumps(values))
    print(f"{len(y)} positions, root mean square error {error:.3f} on decks left out")


def unpack(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rounds to come and actions left, the fourth and third last of what a position shows."""
    return x[:, -4].astype(int), x[:, -3]


def predict(weights_: Arrays, x: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the values, the hidden units, and the positions' weights of features and units."""
    rounds, actions = unpack(x)
    acting = (actions > 0).astype(int)
    linear = weights_["linear"][rounds, acting] + weights_["linear"][rounds, 2] * actions[:, None]
    head = weights_["head"][rounds, acting]
    units = np.maximum(x @ weights_["hidden"], 0)
    return (linear * x).sum(1) + (head * units).sum(1), units, head


def fit(deck: np.ndarray, x: np.ndarray, y: np.ndarray, old: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """Return the weights that explain the data, and the error on decks left out.

    What a deck is worth as such is no business of the weights: its mean error is taken off.
    """
    scale = np.maximum(x.std(axis=0), 1e-3)
    scale[-1] = 1
    dice = np.random.default_rng(1)
    w: Arrays = {name: np.array(part, dtype=np.float64) for name, part in old.items()}
    w["linear"] *= scale
    w["hidden"] *= scale[:, None]
    if not w["head"].any():
        w["hidden"] = dice.normal(0, 1 / np.sqrt(x.shape[1]), w["hidden"].shape)
    x = x / scale
    rounds, actions = x[:, -4] * scale[-4], x[:, -3] * scale[-3]
    rounds = np.rint(rounds).astype(int)
    actions = np.rint(actions)
    acting = (actions > 0).astype(int)
    _, deck = np.unique(deck, return_inverse=True)
    held = deck % HELD_OUT == 0
    rows = np.flatnonzero(~held)
    bias = np.zeros(deck.max() + 1)
    moments = {name: (np.zeros_like(part), np.zeros_like(part)) for name, part in w.items()}
    step = 0

    def value(i: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        linear = w["linear"][rounds[i], acting[i]] + w["linear"][rounds[i], 2] * actions[i, None]
        head = w["head"][rounds[i], acting[i]]
        units = np.maximum(x[i] @ w["hidden"], 0)
        return np.einsum("ij,ij->i", linear, x[i]) + np.einsum("ij,ij->i", head, units), units, head

    def settle() -> float:
        """Take off each deck's mean error; return what is left on those left out."""
        wrong = np.concatenate([y[i] - value(i)[0] for i in np.array_split(np.arange(len(y)), len(y) // 4096 + 1)])
        count = np.bincount(deck)
        bias[:] = np.bincount(deck, wrong) / (count + 2)
        rest = wrong[held] - bias[deck[held]]
        return float(np.sqrt(np.mean(rest**2)))

    print(f"  before: {settle():.3f}", flush=True)
    for epoch in range(EPOCHS):
        rate = RATE * 0.5 * (1 + math.cos(math.pi * epoch / EPOCHS))
        for i in np.array_split(dice.permutation(rows), len(rows) // BATCH + 1):
            step += 1
            guess, units, head = value(i)
            slope = (guess + bias[deck[i]] - y[i]) / len(i)
            grad = {name: np.zeros_like(part) for name, part in w.items()}
            np.add.at(grad["linear"], (rounds[i], acting[i]), slope[:, None] * x[i])
            np.add.at(grad["linear"], (rounds[i], 2), (slope * actions[i])[:, None] * x[i])
            np.add.at(grad["head"], (rounds[i], acting[i]), slope[:, None] * units)
            grad["hidden"] = x[i].T @ (slope[:, None] * head * (units > 0))
            for name, part in w.items():
                first, second = moments[name]
                first += 0.1 * (grad[name] - first)
                second += 0.001 * (grad[name] ** 2 - second)
                part -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8) + (
                    rate * DECAY * part
                )
        if epoch % 5 == 4:
            print(f"  epoch {epoch + 1}: {settle():.3f}", flush=True)
    error = settle()
    w["linear"] /= scale
    w["hidden"] /= scale[:, None]
    return {name: np.round(part, 4).tolist() for name, part in w.items()}, error


def check(width: int = CHECK_WIDTH) -> None:
    """Print the mean points of beams, and what a position costs."""
    game = CafeGame(Library().entry("cafe", "", "", "set").components)
    began = time.process_time()
    scores, nodes = [], 0
    for seed in range(CHECK_SEED, CHECK_SEED + CHECKS):
        beam = Beam(Puzzle(open_deck(game, seed)))
        beam.begin(width, 2 * EFFORT, 0.0, 0)
        beam.run(math.inf, ALL)
        scores.append(beam.best or 0)
        nodes += beam.nodes
    spent = time.process_time() - began
    print(f"width {width}: {np.mean(scores):.2f} points, {spent / CHECKS:.2f} s a deck, {1e6 * spent / nodes:.2f} µs a position")


if __name__ == "__main__":
    if sys.argv[1] == "collect":
        collect(Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
    elif sys.argv[1] == "fit":
        main_fit(Path(sys.argv[2]))
    else:
        check(*map(int, sys.argv[2:]))
