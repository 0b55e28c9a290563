"""The positions that are measured: the same ones on every machine."""
from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.rng import Random
from engines.library import Library
from engines.registry import ENGINES
from solver.positions import Position

SEED = 3


@cache
def library() -> Library:
    """Return the engines with their own component sets."""
    return Library()


def tables() -> Iterator[tuple[str, int]]:
    """Yield every game with every number of players."""
    for game, engine in ENGINES.items():
        for players in range(engine.min_players, engine.max_players + 1):
            yield game, players


def opening(game: str, players: int) -> Position:
    """Return the first position with the default component set; it may stand at a chance point."""
    entry = library().entries(game)[0]
    return Position(entry, entry.engine.initial(entry.game, players, {}, Random(SEED)))


def midgame(game: str, players: int) -> Position:
    """Return a position in the middle of a random game, a player to move."""
    start = opening(game, players)
    steps = 0
    random, state = Random(SEED), start.state.copy()
    while state.to_move != GAME_OVER:
        state.random_step(random)
        steps += 1
    random = Random(SEED)
    for _ in range(steps // 2):
        start.state.random_step(random)
    while start.state.to_move == CHANCE_POINT:
        start.state.random_step(random)
    return start
