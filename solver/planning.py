"""The next turn of a puzzle for somebody who does not know what is to come."""
from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from math import ceil, inf, log2
from statistics import fmean

from cython_ext.beam import Beam
from cython_ext.game import State
from cython_ext.rng import Random
from cython_ext.solo import Puzzle, turns
from solver.analysis import Control
from solver.positions import Position

EFFORT = 12  # of the turns considered and of the beams: see SoloTable.expand
CANDIDATES = 24
WIDTH = 8  # of the beams


class _Candidate:
    """A turn, and the points that beams reached after it."""

    def __init__(self, state: State, moves: list[int]) -> None:
        self.state = state
        self.moves = moves
        self.points: list[float] = []


def plan_turn(
    position: Position, seconds: float, nodes: int | None, threads: int, seed: int, control: Control
) -> tuple[list[int], int]:
    """Return the moves of the turn to make, and the positions looked at.

    position: of a game for one player, without what is to come. seconds, nodes: to be spent, the first that is reached.

    Sequential halving (Karnin et al. 2013): what is to come is drawn at random, the same for all candidates, and a
    narrow beam from each finds what it is worth then; when its share of the budget is spent, the better half stays.
    """
    began = time.monotonic()
    most = inf if nodes is None else nodes
    random = Random(seed)
    candidates = _candidates(position, random)
    looked = len(candidates)
    del candidates[CANDIDATES:]
    rounds = ceil(log2(len(candidates))) if len(candidates) > 1 else 0

    def left(share: float) -> bool:
        return not control.stopped and time.monotonic() - began < share * seconds and looked < share * most

    with ThreadPoolExecutor(threads) as pool:
        for number in range(1, rounds + 1):
            while left(number / rounds):
                deck = random.below(1 << 31)
                beams = [_beam(position, candidate, deck) for candidate in candidates]
                control.hold(beams)
                nodes_left = int(min(most, 1 << 60) - looked) // len(beams)
                done = list(pool.map(Beam.run, beams, repeat(began + seconds), repeat(nodes_left)))
                looked += sum(beam.nodes for beam in beams)
                if not all(done):
                    break
                for candidate, beam in zip(candidates, beams, strict=True):
                    candidate.points.append(beam.best or 0.0)
            candidates.sort(key=lambda candidate: -fmean(candidate.points or [0]))
            del candidates[ceil(len(candidates) / 2) :]
    return candidates[0].moves, looked


def _candidates(position: Position, random: Random) -> list[_Candidate]:
    """Return the turns to choose from, those with the highest value first."""
    puzzle = Puzzle(position.engine.revealed(position.state, random))
    found = [_Candidate(state, moves) for state, moves in turns(position.state, EFFORT)]
    return sorted(found, key=lambda candidate: -puzzle.value(candidate.state))


def _beam(position: Position, candidate: _Candidate, seed: int) -> Beam:
    beam = Beam(Puzzle(position.engine.revealed(candidate.state, Random(seed))))
    beam.begin(WIDTH, EFFORT, 0.0, 0)
    return beam
