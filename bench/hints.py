"""How long a person waits for a hint at the default budget, on one thread, and the visits behind it."""
from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from bench.measure import Figure, Plan, from_samples
from bench.positions import library
from cafebrain.v1 import brain_service_pb2 as pb
from scripts.hints import read_positions
from solver.brain import Brain

LONGEST_MS = {pb.HINT_GRADE_NUDGE: 100.0, pb.HINT_GRADE_FULL: 300.0}


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield the time of a nudge and of a full hint per game, over its stored positions."""
    brain = Brain(library())
    for game in library().games():
        plan.announce(f"hints, {game}")
        for grade, longest in LONGEST_MS.items():
            waits, visits = [], []
            for state in read_positions(game):
                for _ in range(plan.times(3, 1)):
                    start = time.perf_counter()
                    visits.append(brain.hint(pb.HintRequest(state=state, grade=grade)).visits)
                    waits.append(1000 * (time.perf_counter() - start))
            name = f"{game}, {pb.HintGrade.Name(grade).removeprefix('HINT_GRADE_').lower()}"
            note = f"{sorted(visits)[len(visits) // 2]:,} visits"
            yield replace(from_samples(name, waits, "ms", wants_idle=True, note=note), most=longest)
