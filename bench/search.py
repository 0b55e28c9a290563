"""Searches of positions in the middle of a game, and two threads beside one."""
from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count

from bench.measure import Figure, Plan, alternate, cores, from_samples, rate, wall_rate
from bench.positions import contested, tables
from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.mcts import Search
from solver.analysis import Control, Limits, analysis_for

VISITS = 20_000
MEMORY = 256 << 20
THREADS = 2
THREAD_TIME_MS = 200  # a bot move


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield simulations per second per game and number of players, informed and plain."""
    for game, players in tables():
        plan.announce(f"search of {game}, {players} players")
        yield from _speeds(plan, game, players)


def _speeds(plan: Plan, game: str, players: int) -> Iterator[Figure]:
    state = contested(game, players).state
    seeds = count()

    def simulations(informed: bool) -> float:
        search = Search(state, viewer=state.to_move, seed=next(seeds), memory=MEMORY, informed=informed)
        search.run(VISITS, math.inf)
        return VISITS

    informed, plain, _ = alternate(
        lambda: rate(lambda: simulations(True)), lambda: rate(lambda: simulations(False)), plan.times(15, 3)
    )
    yield from_samples(f"{game}, {players} players, informed", informed, "simulations/s")
    yield from_samples(f"{game}, {players} players, plain", plain, "simulations/s")


def thread_figures(plan: Plan) -> Iterator[Figure]:
    """Yield the visits per second of two threads as a multiple of one's, for the time of a bot move, without plans.

    A simulation of Connect Four takes less than a microsecond: its threads mostly wait for each other's nodes.
    """
    for game, players, least in (("gatto", 3, 1.8), ("cafe", 2, 1.8), ("campus", 2, 1.8), ("connect_four", 2, None)):
        plan.announce(f"threads, {game}")
        yield from _threads(plan, game, players, least)


def _threads(plan: Plan, game: str, players: int, least: float | None) -> Iterator[Figure]:
    name = f"{game}, {players} players"
    if cores() < THREADS:
        yield Figure(f"{name}, two threads to one", None, "×", least=least, note="wants two cores")
        return
    position = contested(game, players)
    seeds = count()

    # Not a given number of visits: that would end with the slower of two cores, whose speeds differ on many machines.
    def visits(threads: int) -> float:
        budget = pb.Budget(time_ms=THREAD_TIME_MS)
        request = pb.SuggestRequest(budget=budget, threads=threads, seed=next(seeds))
        analysis = analysis_for(position, request, Control(), Limits(), "", features={"plan": False})
        analysis.run()
        return analysis.search.visits

    two, one, ratios = alternate(
        lambda: wall_rate(lambda: visits(THREADS)), lambda: wall_rate(lambda: visits(1)), plan.times(61, 5)
    )
    yield from_samples(f"{name}, one thread", one, "visits/s")
    yield from_samples(f"{name}, two threads", two, "visits/s")
    yield from_samples(f"{name}, two threads to one", ratios, "×", least=least, wants_idle=True)
