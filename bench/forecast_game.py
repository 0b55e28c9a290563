"""What bench/fit_forecast.py must know of a game. The module bench/forecast_GAME.py has it as GAME."""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

from numpy.typing import NDArray

from cython_ext.game import State
from cython_ext.rng import Random

Array = NDArray[Any]


class ForecastGame(ABC):
    """A game with a forecast.

    most_players: at a table. stages: numbers of the stages of a game by which errors are measured, in one or more
    dimensions; spreads of leads go by the first, where 0 is nearest to the end.
    """

    most_players: int
    stages: tuple[int, ...]

    @abstractmethod
    def opening(self, seed: int) -> tuple[State, Random]:
        """Return the first position of a game, and its draws: all numbers of players and options in turns."""

    @abstractmethod
    def phase(self, state: State) -> Hashable | None:
        """Return the part of the game a position belongs to; None where nothing is forecast.

        All players are seen where a part begins, within it the player to move. What is worth as much as a later
        forecast of the same player is the one where the next part begins.
        """

    @abstractmethod
    def inputs(self, state: State, player: int) -> list[float]:
        """Return what the network sees of a player."""

    @abstractmethod
    def live(self, x: Array) -> Array:
        """Return which rows of inputs are forecast; the others are counted."""

    @abstractmethod
    def stage(self, x: Array) -> tuple[Array, ...]:
        """Return the stage of every row of inputs, an array of whole numbers per dimension.

        The first is the same for all players of a position.
        """
