"""Two workers of a Ray cluster beside one: the time for the same number of positions, on one thread each."""
from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec

from bench.measure import Figure, Plan, alternate, cores, from_samples
from bench.positions import library
from cafebrain.v1 import brain_service_pb2 as pb
from engines.registry import ENGINES
from solver.brain import Brain
from solver.cluster.driver import LOCAL
from solver.cluster.error import ClusterError
from solver.cluster.executor import RayExecutor
from solver.solve_jobs import LocalExecutor, Task

WORKERS = 2
DECKS = 8
SECONDS = 1.5  # about how long a deck keeps one worker busy
MOST = 0.65  # of the time of one worker


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield the time of two workers as a share of one's, for each game that has puzzles."""
    name = f"time of {WORKERS} workers, of one's"
    if find_spec("ray") is None:
        yield Figure(name, None, most=MOST, note="wants Ray: pip install 'cafebrain[cluster]'")
        return
    if cores() < WORKERS:
        yield Figure(name, None, most=MOST, note=f"wants {WORKERS} cores")
        return
    for game, engine in ENGINES.items():
        if engine.puzzle:
            plan.announce(f"cluster, {game}")
            try:
                yield from _ratio(game, name, plan.times(3, 1))
            except ClusterError as error:  # Ray gives a busy machine 30 s to begin
                yield Figure(f"{game}, {name}", None, most=MOST, note=str(error))


def _ratio(game: str, name: str, repeats: int) -> Iterator[Figure]:
    puzzles = [puzzle(game, seed) for seed in range(DECKS)]
    nodes = round(positions_per_second(puzzles[0]) * SECONDS)
    one, two, ratios = alternate(
        lambda: seconds(puzzles, nodes, 1), lambda: seconds(puzzles, nodes, WORKERS), repeats
    )
    total = f"s for {DECKS * nodes:,} positions"
    yield from_samples(f"{game}, one worker", one, total)
    yield from_samples(f"{game}, {WORKERS} workers", two, total)
    yield from_samples(f"{game}, {name}", [1 / ratio for ratio in ratios], "", most=MOST, wants_idle=True)


def puzzle(game: str, seed: int) -> bytes:
    """Return the puzzle that a seed makes."""
    request = pb.NewGameRequest(
        game=game, players=1, seed=seed, options=dict(ENGINES[game].puzzle), stop_at_chance=True
    )
    return Brain(library()).new_game(request).state.SerializeToString()


def positions_per_second(position: bytes) -> float:
    """Return the speed of a search on one thread of this process."""
    [*_, last] = LocalExecutor(library(), 1).run([Task(0, position, seconds=1.0)])
    return last.nodes / last.seconds


def seconds(puzzles: list[bytes], nodes: int, workers: int) -> float:
    """Return the time that workers take for `nodes` positions of each puzzle, as fast as they are once all work."""
    tasks = [Task(number, position, nodes=nodes) for number, position in enumerate(puzzles)]
    looked_at: dict[int, int] = {}
    begun: tuple[float, int] | None = None
    for result in RayExecutor(library(), LOCAL, threads=cores() // workers).run(tasks):
        looked_at[result.number] = result.nodes
        ended = (time.perf_counter(), sum(looked_at.values()))
        if begun is None and len(looked_at) == workers:
            begun = ended
    assert begun is not None
    return (ended[0] - begun[0]) / (ended[1] - begun[1]) * nodes * len(puzzles)
