"""The solver of endings: its speed on the stored ones, and what it takes of a search whose position is too large."""
from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from bench.measure import Figure, Plan, alternate, from_samples, rate
from bench.positions import library, midgame, tables
from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.exact import Exact
from cython_ext.game import State
from scripts.endings import LARGE, read_endings
from solver.analysis import Control, Limits, analysis_for
from solver.positions import Position, decode_state

LARGEST = 20  # stored endings of a game that are timed, the largest
VISITS = 5000


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield positions per second per game, and the time of searches with the solver to those without it."""
    for game in library().games():
        plan.announce(f"endings, {game}")
        endings = sorted(read_endings(game), key=lambda ending: ending.size)[-LARGEST:]
        work = partial(_solve, [decode_state(library(), ending.state).state for ending in endings])

        yield from_samples(f"{game}, endings", [rate(work) for _ in range(plan.times(15, 3))], "positions/s")
    for game, players in tables():
        plan.announce(f"midgame searches, {game}, {players} players")
        position = midgame(game, players)
        *_, ratios = alternate(
            partial(rate, partial(_visits, position, False)),
            partial(rate, partial(_visits, position, True)),
            plan.times(25, 3),
        )
        name = f"{game}, {players} players, midgame search with the solver to one without"
        yield from_samples(name, ratios, "× the time", wants_idle=True)


def _solve(states: list[State]) -> float:
    positions = 0
    for state in states:
        exact = Exact(state, budget=LARGE)
        exact.run(math.inf)
        positions += exact.positions
    return positions


def _visits(position: Position, exact: bool) -> float:
    request = pb.SuggestRequest(budget=pb.Budget(visits=VISITS), seed=1)
    analysis_for(position, request, Control(), Limits(), "", features={"exact": exact}).run()
    return VISITS
