"""What a search takes of memory, and that neither its simulations nor the positions of an ending allocate any."""
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
from cython_ext.exact import Exact
from cython_ext.mcts import Search
from engines.registry import ENGINES
from scripts.endings import LARGE, read_endings
from solver.positions import decode_state

VISITS = 20_000
MEMORY = 256 << 20
FEW, MANY = 1_000, 50_000  # simulations of the two runs whose allocations are compared


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield bytes per node, nodes per visit, and whether a longer run allocates more."""
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
        yield Figure("allocations", None, "more in a longer run", most=0, note="wants a C compiler and glibc")
        return
    for game, (few, many) in counts.items():
        note = f"{few} in a short run, {many} in a long one"
        yield Figure(f"{game}, allocations", many - few, "more in a longer run", most=0, check=True, note=note)


def allocations() -> dict[str, tuple[int, int]] | None:
    """Return per game how often a run of FEW simulations allocates memory, and how often one of MANY does.

    The same for the solver of endings: a run that is stopped at once, and one that solves the largest stored ending.

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
        ending = max(read_endings(game), key=lambda ending: ending.size)
        exact = Exact(decode_state(library(), ending.state).state, budget=LARGE)
        name = f"{game}, endings"
        counts[name] = []
        for deadline in (0.0, math.inf):
            before = calls()
            exact.run(deadline)
            counts[name].append(calls() - before)
    print(json.dumps(counts))


if __name__ == "__main__":
    _count()
