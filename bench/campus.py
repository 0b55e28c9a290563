"""Playouts of Campus Café, basic and advanced: random ones, and those of the playout policy."""
from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from bench.measure import Figure, Plan, from_samples, rate
from bench.positions import library
from cython_ext.game import GAME_OVER
from cython_ext.playout import random_playouts
from cython_ext.rng import Random
from engines.campus.components import VARIANTS
from engines.campus.rules import CampusGame

PLAYERS = (2, 4)


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield random playouts and steps per second, policy playouts per second, and the bytes of a state."""
    game = library().entries("campus")[0].game
    assert isinstance(game, CampusGame)
    for variant in VARIANTS:
        for players in PLAYERS:
            plan.announce(f"playouts, {variant}, {players} players")
            yield from _speeds(plan, game, variant, players)
    yield Figure("state", game.state_size, "bytes", most=1024, check=True)


def _speeds(plan: Plan, game: CampusGame, variant: str, players: int) -> Iterator[Figure]:
    state = game.start(players, variant == "advanced", False)
    playouts = plan.times(2_000, 300)
    repeats = plan.times(9, 5)
    seeds = count()
    steps: list[int] = []
    lengths: list[int] = []

    def at_random() -> float:
        steps.append(random_playouts(state, playouts, next(seeds))["steps"])
        return playouts

    def sensibly() -> float:
        random = Random(next(seeds))
        games = playouts // 10
        for _ in range(games):
            played, length = state.copy(), 0
            while played.to_move != GAME_OVER:
                played.playout_step(random)
                length += 1
            lengths.append(length)
        return games

    name = f"{variant}, {players} players"
    rates = [rate(at_random) for _ in range(repeats)]
    length = sum(steps) / (repeats * playouts)
    yield from_samples(f"{name}, random", rates, "playouts/s", note=f"{length:.1f} moves and draws per game")
    yield from_samples(f"{name}, random", [length * sample for sample in rates], "steps/s")
    informed = [rate(sensibly) for _ in range(repeats)]
    note = f"{sum(lengths) / len(lengths):.1f} moves and draws per game, stepped from Python"
    yield from_samples(f"{name}, playout policy", informed, "playouts/s", note=note)
