"""The solver of puzzles: how fast each member of its portfolio is, and what a search takes of memory."""
from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial

from bench.measure import ROOT, Figure, Plan, from_samples, rate
from bench.positions import library
from cython_ext.rng import Random
from solver.positions import Position
from solver.solo import SoloSearch
from solver.solo_members import MEMBERS

SEED = 7
SHORT = 3  # rounds that the exact member solves; the others get whole games
UNITS = {"bound": "choices of cards/s"}  # of the others positions/s
MOST_MEMORY = 2048  # MiB of the command


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield what each member looks at per second on one thread, and the most memory that the command takes."""
    for member in MEMBERS:
        plan.announce(f"puzzles, {member}")
        work = partial(_search, member, plan.times(4, 1))
        samples = [rate(work, time.process_time) for _ in range(plan.times(5, 3))]
        yield from_samples(f"cafe, {member}", samples, UNITS.get(member, "positions/s"))
    plan.announce("memory of a search")
    seconds = plan.times(60, 5)
    command = [sys.executable, "-m", "cafebrain_cli", "solve", "cafe", "--deck-seed", str(SEED)]
    process = subprocess.Popen([*command, "--time", f"{seconds}s"], cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    yield Figure(f"cafe, solve for {seconds} s, most memory", usage.ru_maxrss / 1024, "MiB", most=MOST_MEMORY)


def _search(member: str, seconds: int) -> float:
    entry = library().entries("cafe")[0]
    state = entry.engine.initial(entry.game, 1, {"open_deck": "true"}, Random(SEED))
    rounds = SHORT if member == "exact" else None
    return SoloSearch(Position(entry, state), rounds=rounds, members=[member]).run(seconds).nodes
