"""Searches around a line of a puzzle (large neighbourhood search, Shaw 1998).

A round is drawn. What was done before it stays; from there on a beam looks for a better line that makes the same
lasting decisions, but for a few neighbouring ones, or all, which are free. In Café those are the cards: which is taken,
and where it lies. With these given, all of a beam's width is for what is left, the actions.
"""
from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf

from cython_ext.beam import Beam
from cython_ext.rng import Random
from cython_ext.solo import Puzzle

ALL = 99
SEEDS = 1 << 31
FREE = (0, 0, 0, 1, 1, 1, 2, 2, ALL, ALL)  # decisions that are free, one is drawn: what helped most for its time


class Neighbourhood:
    """Looks for better lines near the best one it has found since it began.

    score, line: that one, the first of equal ones; it is the newest that is gone on from. seed: 0 to 2**64 - 1.
    """

    def __init__(self, puzzle: Puzzle, seed: int) -> None:
        self._puzzle = puzzle
        self._random = Random(seed)
        self._beam: Beam | None = None
        self._newest: list[int] = []
        self._before: list[int] = []  # moves of it before the round that was drawn
        self._stopped = False
        self.score = -inf
        self.line: list[int] = []

    def begin(self, score: float, line: Sequence[int]) -> None:
        """Begin with a line from the puzzle's position to its end, and its score; forget those before."""
        self._beam = None
        self.score = -inf
        self._take(score, line)

    def turn(self, end: float, nodes: int, width: int, effort: int, noise: float) -> int:
        """Go on until `end` on the clock of time.monotonic(), or for `nodes` positions; return how many.

        width, effort, noise: of the beams, see Beam.begin.
        """
        looked = 0
        while looked < nodes and not self._stopped:
            if looked and time.monotonic() >= end:
                break
            if self._beam is None:
                self._draw(width, effort, noise)
            assert self._beam is not None
            before = self._beam.nodes
            done = self._beam.run(end, nodes - looked)
            looked += self._beam.nodes - before
            if self._beam.best is not None:
                self._take(self._beam.best, self._before + self._beam.line)
            if not done:
                break
            looked += not self._beam.nodes  # a beam counts if there is nothing for it to look at, too
            self._beam = None
        return looked

    def _take(self, score: float, line: Sequence[int]) -> None:
        """Go on from a line that is no worse."""
        if score > self.score:
            self.score, self.line = score, list(line)
        self._newest = list(line)

    def _draw(self, width: int, effort: int, noise: float) -> None:
        """Draw a round and what is free from there on, and begin a beam."""
        rounds = self._puzzle.rounds_of(self._newest)
        made, state = rounds[self._random.below(len(rounds))]
        self._before = self._newest[:made]
        before = self._puzzle.decisions(self._before)
        decided = {n: which for n, which in self._puzzle.decisions(self._newest).items() if n not in before}
        numbers = list(decided)
        free = min(FREE[self._random.below(len(FREE))], len(numbers))
        first = self._random.below(len(numbers) - free + 1)
        for number in numbers[first : first + free]:
            del decided[number]
        self._beam = Beam(self._puzzle.rest(state))
        self._beam.begin(width, effort, noise, self._random.below(SEEDS), decided, self.score)
        if self._stopped:
            self._beam.stop()

    def stop(self) -> None:
        """End a running turn and all later ones; callable from any thread."""
        self._stopped = True
        if (beam := self._beam) is not None:
            beam.stop()
