"""The positions that are measured: the same ones on every machine."""
from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from functools import cache
from itertools import count, product

from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.library import Library
from engines.registry import ENGINES
from solver.positions import Position

SEED = 3
LOOK = 5000  # visits to see who may win
SURE = 0.9  # share of the win from which a position counts as decided
MEMORY = 16 << 20


@cache
def library() -> Library:
    """Return the engines with their own component sets."""
    return Library()


def tables() -> Iterator[tuple[str, int]]:
    """Yield every game with every number of players."""
    for game, engine in ENGINES.items():
        for players in range(engine.min_players, engine.max_players + 1):
            yield game, players


def variants(game: str) -> Iterator[dict[str, str]]:
    """Yield every combination of a game's options; some are not for every number of players."""
    options = ENGINES[game].options
    for values in product(*(option.values for option in options)):
        yield {option.name: value for option, value in zip(options, values, strict=True)}


def check_players(game: str, players: int) -> None:
    """Exit with a message where a game is not one for so many players who play against each other."""
    engine = library().engine(game)
    least = max(2, engine.min_players)
    if not least <= players <= engine.max_players:
        sys.exit(f"error: --players {players}: wants {least} to {engine.max_players}")


def opening(game: str, players: int, seed: int = SEED) -> Position:
    """Return the first position with the default component set; it may stand at a chance point."""
    entry = library().entries(game)[0]
    return Position(entry, entry.engine.initial(entry.game, players, {}, Random(seed)))


def contested(game: str, players: int) -> Position:
    """Return the first position in the middle of a random game that nobody has won already.

    In a decided one a search looks at a few hundred nodes only.
    """
    for seed in count(SEED):
        position = midgame(game, players, seed)
        state = position.state
        if players == 1:
            break
        search = Search(state, viewer=state.to_move, seed=1, memory=MEMORY)
        search.run(LOOK, math.inf)
        total = sum(visits for _, visits, *_ in search.root_moves())
        shares = [sum(win[player] for _, _, win, *_ in search.root_moves()) / total for player in range(players)]
        if max(shares) < SURE:
            break
    return position


def midgame(game: str, players: int, seed: int = SEED) -> Position:
    """Return a position in the middle of a random game, a player to move."""
    start = opening(game, players, seed)
    steps = 0
    random, state = Random(seed), start.state.copy()
    while state.to_move != GAME_OVER:
        state.random_step(random)
        steps += 1
    random = Random(seed)
    for _ in range(steps // 2):
        start.state.random_step(random)
    while start.state.to_move == CHANCE_POINT:
        start.state.random_step(random)
    return start
