"""Tunes engines/cafe/weights.py: hill climbing on the mean score of the greedy player.

`python bench/tune_cafe.py SECONDS`, from the top of the source tree; prints the weights it ends with. Each step changes
a few weights at random and keeps the change where the mean score over the same solo games, half of them with the
Expresso cards, grows; every now and then the games are exchanged so that nothing is learnt by heart.
"""
from __future__ import annotations

import math
import random
import sys
import time

from cython_ext.game import GAME_OVER
from cython_ext.rng import Random
from engines.cafe.engine import ENGINE
from engines.cafe.rules import CafeGame
from engines.cafe.weights import WEIGHTS
from engines.library import Library

GAMES = 300
FIXED = {"noise", "prior"}  # no part of the greedy player


def mean_score(components: object, weights: dict[str, float], first_seed: int, games: int = GAMES) -> float:
    """Return the mean score of greedy solo games."""
    game = CafeGame(components, weights)
    total = 0
    for seed in range(first_seed, first_seed + games):
        rng = Random(seed)
        options = {"auction": "false", "expresso": "true" if seed % 2 else "false", "open_deck": "false"}
        state = ENGINE.initial(game, 1, options, rng)
        while state.to_move != GAME_OVER:
            state.apply(state.greedy_move() if state.to_move >= 0 else state.sample(rng))
        total += game.score(state)[0]["total"]
    return total / games


def main(seconds: float) -> None:
    """Tune and print."""
    components = Library().entry("cafe", "", "", "set").components
    dice = random.Random(1)
    names = [name for name in WEIGHTS if name not in FIXED]
    best, step, first = dict(WEIGHTS), 0, 0
    value = mean_score(components, best, first)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        step += 1
        if step % 60 == 0:
            first += GAMES
            value = mean_score(components, best, first)
            print(f"step {step}: {value:.2f}", flush=True)
        trial = dict(best)
        for name in dice.sample(names, dice.randint(1, 4)):
            trial[name] = trial[name] * math.exp(dice.gauss(0, 0.35)) + dice.gauss(0, 0.03)
        found = mean_score(components, trial, first)
        if found >= value:
            best, value = trial, found
    print(f"unseen games: {mean_score(components, best, 10_000_000, 2000):.2f}")
    for name, weight in best.items():
        print(f'    "{name}": {weight:.3f},')


if __name__ == "__main__":
    main(float(sys.argv[1]))
