"""What a search takes of memory, and that its simulations allocate none."""
from __future__ import annotations

import ctypes
import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Iterator

from bench.measure import ROOT, Figure, Plan, compiled
from bench.positions import library, midgame, tables
from cython_ext.mcts import Search
from engines.registry import ENGINES

VISITS = 20_000
MEMORY = 256 << 20
FEW, MANY = 1_000, 50_000  # simulations of the two runs whose allocations are compared


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield bytes per node, nodes per visit, and allocations per simulation."""
    for game, players in tables():
        plan.announce(f"memory, {game}, {players} players")
        state = midgame(game, players).state
        search = Search(state, viewer=state.to_move, seed=1, memory=MEMORY)
        search.run(VISITS, math.inf)
        name = f"{game}, {players} players"
        yield Figure(name, search.node_bytes, "bytes/node")
        yield Figure(name, search.nodes / search.visits, f"nodes/visit of {VISITS:,}")
    for game in ENGINES:
        yield Figure(f"{game}, state", library().entries(game)[0].game.state_size, "bytes")
    plan.announce("allocations")
    counts = allocations()
    if counts is None:
        yield Figure("allocations", None, "per simulation", most=0, note="wants a C compiler and glibc")
        return
    for game, (few, many) in counts.items():
        note = f"{few} in a run of {FEW:,} simulations, {many} in one of {MANY:,}"
        per_simulation = (many - few) / (MANY - FEW)
        yield Figure(f"{game}, allocations", per_simulation, "per simulation", most=0, check=True, note=note)


def allocations() -> dict[str, tuple[int, int]] | None:
    """Return per game how often a run of FEW simulations allocates memory, and how often one of MANY does.

    None where this cannot be counted: no C compiler, no glibc, or another library preloaded (sanitizers).
    """
    if platform.libc_ver()[0] != "glibc" or "LD_PRELOAD" in os.environ:
        return None
    counter = compiled("count_allocations.c", "-shared", "-fPIC")
    if counter is None:
        return None
    # Without Python's own pools the objects it makes are counted too.
    env = os.environ | {"LD_PRELOAD": str(counter), "PYTHONMALLOC": "malloc"}
    command = [sys.executable, "-m", "bench.memory"]
    output = subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE).stdout
    return {game: (few, many) for game, (few, many) in json.loads(output).items()}


def _count() -> None:
    """Print the counts; runs in a process with count_allocations.c preloaded."""
    calls = ctypes.CDLL(None).allocation_calls
    counts: dict[str, list[int]] = {}
    for game, engine in ENGINES.items():
        state = midgame(game, engine.max_players).state
        search = Search(state, viewer=state.to_move, seed=1, memory=MEMORY)
        search.run(FEW, math.inf)  # what happens only once happens here
        counts[game] = []
        for simulations in (FEW, MANY):
            target = search.visits + simulations
            before = calls()
            search.run(target, math.inf)
            counts[game].append(calls() - before)
    print(json.dumps(counts))


if __name__ == "__main__":
    _count()
