"""What every game offers to the layers above: the Python side of the engine interface.

The native side is cython_ext.game: `Engine.game` returns a Game whose states search, playouts and perft work on.
"""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cafebrain.errors import BrainError, FieldViolation
from cafebrain.v1 import game_pb2
from cython_ext.game import Game, State
from cython_ext.rng import Random
from engines.advice import Question, Reason
from engines.calibration import Calibration, read_calibration
from engines.component_set import ComponentSet, Faults, parse_set, read_toml
from engines.drawing import text_board
from engines.ratings import Ratings, read_ratings
from engines.words import Text, name, say


@dataclass(frozen=True)
class GameOption:
    """An option a game can be started with; a switch has the values ("false", "true")."""

    name: str
    description: str
    values: tuple[str, ...]
    default: str


class Engine(ABC):
    """One game. Stateless; `id` is also the name of its lines in the oneofs of GameState, Move and Components."""

    id: str
    name: str
    version: int  # grows whenever a rule is corrected
    min_players: int
    max_players: int
    options: tuple[GameOption, ...] = ()
    default_set: str  # id of the component set used unless told otherwise

    @abstractmethod
    def parse_components(self, data: dict[str, Any], faults: Faults) -> Any:
        """Check the keys of a component file that belong to this game and return its contents; note every fault."""

    @abstractmethod
    def encode_components(self, components: ComponentSet[Any], message: game_pb2.Components) -> None:
        """Fill `message` with everything printed in the set."""

    @abstractmethod
    def game(self, components: ComponentSet[Any]) -> Game:
        """Return the native rules with a component set loaded; `Game.components` is that set."""

    @abstractmethod
    def initial(self, game: Game, players: int, options: Mapping[str, str], random: Random) -> State:
        """Return the first position; it may stand at a chance point.

        `players` and `options` are valid one by one. Raises BrainError INVALID_ARGUMENT where they do not go together.
        random: decides what belongs to the game's configuration; draws during the game are chance points.
        """

    @abstractmethod
    def encode(self, state: State, message: game_pb2.GameState) -> None:
        """Fill this game's part of `message` with the position."""

    @abstractmethod
    def decode(self, message: game_pb2.GameState, game: Game) -> State:
        """Return the position in this game's part of `message`.

        Raises BrainError INVALID_ARGUMENT with field violations unless the position is possible.
        """

    @abstractmethod
    def encode_move(self, state: State, move: int, message: game_pb2.Move) -> None:
        """Fill this game's part of `message` with a legal move, or a possible draw, of `state`."""

    @abstractmethod
    def decode_move(self, state: State, message: game_pb2.Move) -> int:
        """Return the code of the move in this game's part of `message`; it need not be legal in `state`.

        Raises BrainError INVALID_ARGUMENT with field violations where it is no move at all.
        """

    @abstractmethod
    def move_text(self, state: State, move: int) -> str:
        """Return a legal move, or a possible draw, of `state` in words."""

    @abstractmethod
    def show(self, state: State) -> str:
        """Return the board as text a person can read, at most 80 columns wide, without colour."""

    @abstractmethod
    def score_items(self, state: State) -> list[list[tuple[str, float]]]:
        """Return what scores as the position stands, per player, as (name, points)."""

    # What follows makes a game friendlier to people; each has a default.

    counts_points = True  # whether the final score says more than who won
    board_colors: tuple[tuple[str, str], ...] = ()  # parts of `show` to colour: regular expressions and rich's styles

    def svg(self, state: State) -> str:
        """Return the board as an SVG picture."""
        return text_board(self.show(state))

    def move_words(self, state: State, move: int) -> Text:
        """Return a legal move, or a possible draw, of `state` in words that can be translated."""
        return name(self.move_text(state, move))

    def nudge(self, state: State, move: int) -> Text:
        """Return where to look for a legal move, without giving it away."""
        return say("Take another look at the board.")

    def idea(self, state: State, move: int) -> Text:
        """Return what kind of move a legal move is, without giving it away."""
        return self.nudge(state, move)

    def reasons(self, question: Question) -> list[Reason]:
        """Return what speaks for and against a move in the game's own terms, only what the position or figures show."""
        return []

    # What follows is for puzzles: games for one player in which everything to come is known.

    puzzle: Mapping[str, str] = MappingProxyType({})  # options that make a game a puzzle; empty where there is none

    def options_of(self, state: State) -> dict[str, str]:
        """Return the options a position is played with, those that were given to `initial`."""
        return {}

    def laid_out(self, state: State, cards: Sequence[str]) -> State:
        """Return the first position `state` of a puzzle with these things to come, ids in their order.

        Raises BrainError INVALID_ARGUMENT; a violation by one id is under "deck.cards[INDEX]", counted from 0.
        """
        raise NotImplementedError

    def hidden(self, state: State) -> State:
        """Return the position of a puzzle as somebody has it who does not know what is to come; moves are the same."""
        raise NotImplementedError

    def turn(self, state: State) -> str:
        """Return the part of the game that a position belongs to, such as "round 3"; "" where there are no parts."""
        return ""

    def ratings(self, state: State) -> Ratings | None:
        """Return the scores of other games with the options and component set of a position; None where none are known.

        state: the beginning of a game for one player.
        """
        options, components = self.options_of(state), state.game.components
        for found in read_ratings(Path(__file__).parent / self.id / "ratings.toml"):
            if (found.options, found.hash) == (options, components.hash):
                return found
        return None

    @cached_property
    def calibration(self) -> Calibration:
        """How the values of a search are turned into honest ones: calibration.toml in the engine's folder, if any."""
        return read_calibration(Path(__file__).parent / self.id / "calibration.toml")

    def built_in_sets(self) -> list[Path]:
        """Return the component files that come with the engine."""
        return sorted((Path(__file__).parent / self.id / "components").glob("*.toml"))

    def load(self, path: Path) -> ComponentSet[Any]:
        """Return the component set in a file.

        Raises ComponentError with every fault.
        """
        return parse_set(read_toml(path), path, self.id, self.parse_components)

    def part(self, message: game_pb2.GameState | game_pb2.Move | game_pb2.Components, field: str) -> Any:
        """Return this game's part of a message; `field` is the message's path.

        Raises BrainError INVALID_ARGUMENT where the message is of another game.
        """
        found = message.WhichOneof("game")
        if found != self.id:
            reason = f"must be one of {self.id}" + (f", found {found}" if found else "")
            raise BrainError(
                "INVALID_ARGUMENT", "WRONG_GAME", f"{field} {reason}", [FieldViolation(field, found or "", reason)]
            )
        return getattr(message, self.id)
