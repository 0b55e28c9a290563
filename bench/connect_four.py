"""Connect Four through the generic kernel, beside OpenSpiel's C++ search."""
from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import import_module
from itertools import count
from typing import Any

from bench.measure import Figure, Plan, alternate, from_samples, rate
from bench.positions import opening
from cython_ext.mcts import Search
from cython_ext.perft import perft

SIMULATIONS = 10_000
SEARCHES = 10  # per sample
MEMORY = 64 << 20
OPEN_SPIEL_EXPLORATION = 1.4  # the kernel's 0.7 on OpenSpiel's scale of values, -1 to 1 instead of 0 to 1
PERFT_DEPTH = 8
SEARCH = f"UCT, {SIMULATIONS:,} from the empty board"
RATIO = "ratio to OpenSpiel's C++ MCTSBot"


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield simulations per second, their ratio to OpenSpiel's, and perft."""
    state = opening("connect_four", 2).state
    seeds = count()

    def searches() -> float:
        for _ in range(SEARCHES):
            search = Search(state, viewer=0, seed=next(seeds), memory=MEMORY, informed=False)
            search.run(SIMULATIONS, math.inf)
        return SEARCHES * SIMULATIONS

    plan.announce(SEARCH)
    repeats = plan.times(25, 5)
    try:
        spiel: Any = import_module("pyspiel")
    except ImportError:
        yield from_samples(SEARCH, [rate(searches) for _ in range(repeats)], "simulations/s")
        yield Figure(RATIO, None, "×", least=7, note="wants pip install '.[bench]'")
    else:
        game = spiel.load_game("connect_four")
        board = game.new_initial_state()

        def open_spiel() -> float:
            seed = next(seeds)
            rollout = spiel.RandomRolloutEvaluator(1, seed)
            memory_mb = MEMORY >> 20
            bot = spiel.MCTSBot(game, rollout, OPEN_SPIEL_EXPLORATION, SIMULATIONS, memory_mb, False, seed, False)
            bot.mcts_search(board)
            return SIMULATIONS

        ours, theirs, ratios = alternate(lambda: rate(searches), lambda: rate(open_spiel), repeats)
        yield from_samples(SEARCH, ours, "simulations/s")
        yield from_samples("OpenSpiel's C++ MCTSBot", theirs, "simulations/s")
        yield from_samples(RATIO, ratios, "×", least=7)
    plan.announce("perft")
    samples = [rate(lambda: perft(state, PERFT_DEPTH)) for _ in range(repeats)]
    yield from_samples(f"perft({PERFT_DEPTH})", samples, "leaves/s")
