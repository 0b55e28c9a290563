"""Café: random playouts, distinct outcomes of action phases, size of a state."""
from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count

from bench.measure import Figure, Plan, from_samples, rate
from bench.positions import SEED, opening
from cython_ext.game import CHANCE_POINT, State
from cython_ext.playout import random_playouts
from cython_ext.rng import Random
from engines.cafe.codes import STEP_ACT
from engines.cafe.outcomes import Outcomes
from engines.cafe.rules import CafeGame

PLAYERS = range(1, 5)
PHASES = 20  # action phases searched
ACTIONS = 3
MOST_BYTES = 1024


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield playouts and steps per second per number of players, distinct outcomes per second, bytes of a state."""
    for players in PLAYERS:
        plan.announce(f"random playouts, {players} players")
        yield from _playouts(plan, players)
    plan.announce("distinct outcomes")
    yield from _outcomes(plan)
    size = opening("cafe", 1).state.game.state_size
    yield Figure("state", size, "bytes", most=MOST_BYTES, check=True)


def _playouts(plan: Plan, players: int) -> Iterator[Figure]:
    state = opening("cafe", players).state
    playouts = plan.times(5_000, 1_000)
    repeats = plan.times(9, 5)
    seeds = count()
    steps: list[int] = []

    def play() -> float:
        steps.append(random_playouts(state, playouts, next(seeds))["steps"])
        return playouts

    rates = [rate(play) for _ in range(repeats)]
    length = sum(steps) / (repeats * playouts)
    name = "1 player" if players == 1 else f"{players} players"
    yield from_samples(name, rates, "playouts/s", note=f"{length:.1f} moves and draws per game")
    yield from_samples(name, [length * sample for sample in rates], "steps/s")


def _outcomes(plan: Plan) -> Iterator[Figure]:
    phases = action_phases(plan.times(PHASES, 5))
    ends: list[int] = []

    def search(prune: bool) -> float:
        found = [Outcomes(phase, ACTIONS, prune=prune) for phase in phases]
        ends.append(sum(len(outcomes) for outcomes in found))
        return sum(outcomes.nodes_visited for outcomes in found)

    for name, prune in (("distinct outcomes", False), ("distinct outcomes, dominated ones pruned", True)):
        rates = [rate(partial(search, prune)) for _ in range(plan.times(7, 3))]
        note = f"{ACTIONS} actions, {len(phases)} phases in the middle of solo games, {ends[-1]:,} ends kept"
        yield from_samples(name, rates, "positions/s", note=note)


def action_phases(number: int) -> list[State]:
    """Return the beginnings of action phases in rounds 4 to 8 of greedy solo games."""
    phases: list[State] = []
    for seed in count(SEED):
        position = opening("cafe", 1)
        game, state = position.state.game, position.state
        assert isinstance(game, CafeGame)
        random = Random(seed)
        wanted = 4 + seed % 5
        while True:
            fields = game.read(state)
            if fields["step"] == STEP_ACT and fields["round"] == wanted:
                break
            state.apply(state.sample(random) if state.to_move == CHANCE_POINT else state.greedy_move())
            if state.to_move < CHANCE_POINT:
                break
        if fields["step"] == STEP_ACT and fields["actions"] >= ACTIONS:
            phases.append(state)
        if len(phases) == number:
            return phases
    raise AssertionError
