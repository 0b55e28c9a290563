"""A number that changes when the rules, the random numbers or the search behave differently, and only then."""
from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from itertools import product

from bench.measure import Figure, Plan
from bench.positions import midgame, opening, tables
from cython_ext.mcts import Search
from cython_ext.playout import random_playouts

VISITS = 2000
PLAYOUTS = 100
MEMORY = 64 << 20


def signature() -> tuple[int, str]:
    """Return the nodes of all searches, and a hash of their visits and of random playouts.

    Each game is searched in the middle with each number of players, by win share and by score, plain and informed.
    """
    nodes = 0
    digest = hashlib.sha256()
    for game, players in tables():
        played = random_playouts(opening(game, players).state, PLAYOUTS, seed=1)
        digest.update(f"{game} {players} {played['steps']} {played['score']}\n".encode())
        state = midgame(game, players).state
        for by_score, informed in product((False, True), repeat=2):
            search = Search(
                state, viewer=state.to_move, seed=1, memory=MEMORY, score_objective=by_score, informed=informed
            )
            search.plan(VISITS, math.inf)
            search.run(VISITS, math.inf)
            nodes += search.nodes
            visits = [(move, visits) for move, visits, *_ in search.root_moves()]
            digest.update(f"{search.nodes} {visits}\n".encode())
    return nodes, digest.hexdigest()[:16]


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield the signature."""
    plan.announce("signature")
    nodes, digest = signature()
    yield Figure("all searches", nodes, "nodes")
    yield Figure("signature", digest)
