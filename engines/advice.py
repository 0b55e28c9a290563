"""What a search measured of the good moves of a position, and the reasons an engine draws from it."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cython_ext.game import State
from engines.words import Text, count

SURE = 2.0  # standard errors a difference has to have before it is called one


def wins_words(share: float) -> Text:
    """Return a share of the win as a number of games, at least one."""
    return count("{n} win in 100", "{n} wins in 100", max(1, round(100 * share)))


@dataclass(frozen=True)
class Choice:
    """A move and what the search measured of it; tuples have one entry per player."""

    move: int
    visits: int
    line: tuple[int, ...]  # the move and those expected after it, up to the next draw
    wins: tuple[float, ...]  # mean share of the win
    win_errors: tuple[float, ...]  # standard errors of these means
    scores: tuple[float, ...]  # mean final score
    score_errors: tuple[float, ...]
    spreads: tuple[float, ...]  # standard deviation of the final score


@dataclass(frozen=True)
class Reason:
    """One thing that speaks for or against a move, or tells what it does.

    kind: stable name for programs and tests, such as "fills_cup". weight: how much it says, by which reasons are
    ordered; about 1 for a plain fact, more for what decides.
    """

    kind: str
    text: Text
    weight: float


@dataclass(frozen=True)
class Question:
    """What reasons are asked for: a move, and the other good moves to compare it with.

    others: best first, without the move itself.
    """

    state: State
    choice: Choice
    others: Sequence[Choice]

    @property
    def player(self) -> int:
        """The player to move, from 0."""
        return self.state.to_move

    def after(self, choice: Choice | None = None) -> State:
        """Return the position after the move, or after another choice."""
        state = self.state.copy()
        state.apply((choice or self.choice).move)
        return state

    def costs_rival(self, rival: int, others: Sequence[Choice] | None = None) -> float:
        """Return the share of the win that `rival` gets less than after each of `others`; 0 where that is not sure.

        others: the choices to compare with; default all others.
        """
        mine = self.choice
        compared = self.others if others is None else others
        if not compared:
            return 0.0
        losses = []
        for other in compared:
            loss = other.wins[rival] - mine.wins[rival]
            if loss <= SURE * math.hypot(mine.win_errors[rival], other.win_errors[rival]):
                return 0.0
            losses.append(loss)
        return min(losses)
