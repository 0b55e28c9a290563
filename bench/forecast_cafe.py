"""What bench/fit_forecast.py must know of Café."""
from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

from bench.forecast_game import Array, ForecastGame
from cython_ext.game import State
from cython_ext.rng import Random
from engines.cafe.codes import STEP_PLACE
from engines.cafe.engine import ENGINE
from engines.cafe.rules import CafeGame
from engines.library import Library

ROUNDS = 8


class CafeForecast(ForecastGame):
    """Café: a round has two parts, cards and actions; a stage is the rounds to begin, and whether actions are left."""

    most_players = 4
    stages = (ROUNDS + 1, 2)

    @cached_property
    def rules(self) -> CafeGame:
        """The rules with the default set."""
        game = Library().entry("cafe", "", "", "set").game
        assert isinstance(game, CafeGame)
        return game

    def opening(self, seed: int) -> tuple[State, Random]:
        """Return the first position of a game, and its draws: all numbers of players and options in turns."""
        players = 1 + seed % 4
        auction = seed // 4 % 3 == 1 and players > 1
        options = {"auction": str(auction).lower(), "expresso": str(seed // 12 % 3 == 1).lower()}
        draws = Random(seed)
        return ENGINE.initial(self.rules, players, options, draws), draws

    def phase(self, state: State) -> Hashable | None:
        """Return round and part of the round."""
        if not self.rules.settled(state):
            return None
        fields = self.rules.read(state)
        return fields["round"], fields["step"] > STEP_PLACE

    def inputs(self, state: State, player: int) -> list[float]:
        """Return what the network sees of a player."""
        return self.rules.inputs(state, player)

    def live(self, x: Array) -> Array:
        """Return whether a round or an action is left."""
        found: Array = (x[:, 0] > 0) | (x[:, 1] > 0)
        return found

    def stage(self, x: Array) -> tuple[Array, ...]:
        """Return rounds to begin, and whether actions are left."""
        return x[:, 0].astype(int), (x[:, 1] > 0).astype(int)


GAME = CafeForecast()
