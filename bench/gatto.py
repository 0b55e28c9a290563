"""Random playouts of Café del Gatto, beside the same in plain C."""
from __future__ import annotations

import math
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from bench.measure import Figure, Plan, alternate, compiled, from_samples, rate
from bench.positions import opening
from cython_ext.playout import random_playouts

PLAYERS = range(2, 6)
MOST_ERRORS = 4.5  # standard errors: of 18 comparisons of equals, one in 8,000 times one is further apart


@dataclass(frozen=True)
class CRun:
    """What gatto_playout.c prints: seconds, and (mean, standard deviation) of steps and of each player's score."""

    seconds: float
    moments: list[tuple[float, float]]


def compiled_playout() -> Path | None:
    """Compile gatto_playout.c; None where there is no C compiler."""
    return compiled("gatto_playout.c", "-lm")


def run_c(program: Path, players: int, playouts: int, seed: int) -> CRun:
    """Run the compiled gatto_playout.c."""
    arguments = [str(program), str(players), str(playouts), str(seed)]
    lines = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.splitlines()
    moments = [(float(mean), float(deviation)) for mean, deviation in map(str.split, lines[1:])]
    return CRun(float(lines[0]), moments)


def disagreement(program: Path, players: int, playouts: int, seed: int) -> float:
    """Return the largest difference between the engine's and the C program's means, in standard errors."""
    ours = random_playouts(opening("gatto", players).state, playouts, seed)
    theirs = run_c(program, players, playouts, seed).moments
    means: list[float] = [ours["steps"] / playouts, *ours["score"]]
    return max(
        abs(mean - expected) / (deviation * math.sqrt(2 / playouts))
        for mean, (expected, deviation) in zip(means, theirs, strict=True)
    )


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield playouts and steps per second per number of players, their ratio to plain C, and whether both agree."""
    program = compiled_playout()
    for players in PLAYERS:
        plan.announce(f"random playouts, {players} players")
        yield from _speeds(plan, program, players)
    if program is not None:
        plan.announce("agreement with plain C")
        playouts = plan.times(200_000, 20_000)
        worst = max(disagreement(program, players, playouts, seed=1) for players in PLAYERS)
        yield Figure(
            "difference from plain C",
            worst,
            "standard errors",
            most=MOST_ERRORS,
            check=True,
            note=f"the greatest in mean steps or score, of {playouts:,} playouts per number of players",
        )


def _speeds(plan: Plan, program: Path | None, players: int) -> Iterator[Figure]:
    state = opening("gatto", players).state
    playouts = plan.times(20_000, 5_000)
    repeats = plan.times(9, 5)
    seeds = count()
    steps: list[int] = []

    def ours() -> float:
        steps.append(random_playouts(state, playouts, next(seeds))["steps"])
        return playouts

    def theirs() -> float:
        assert program is not None
        return playouts / run_c(program, players, playouts, next(seeds)).seconds

    name = f"{players} players"
    if program is None:
        rates = [rate(ours) for _ in range(repeats)]
        compared = [Figure(f"{name}, ratio to plain C", None, "×", least=0.5, note="wants a C compiler")]
    else:
        rates, c_rates, ratios = alternate(lambda: rate(ours), theirs, repeats)
        compared = [
            from_samples(f"{name}, plain C", c_rates, "playouts/s"),
            from_samples(f"{name}, ratio to plain C", ratios, "×", least=0.5),
        ]
    length = sum(steps) / (repeats * playouts)
    yield from_samples(name, rates, "playouts/s", note=f"{length:.1f} moves and draws per game")
    yield from_samples(name, [length * sample for sample in rates], "steps/s")
    yield from compared
