"""Café for the layers above: ties components, native rules, wire format and words together."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from cafebrain.errors import BrainError, FieldViolation
from cafebrain.v1 import game_pb2
from cython_ext.game import Game, State
from cython_ext.rng import Random
from engines.advice import Question, Reason
from engines.cafe import codec, deck, draw, moves, notation, reasons
from engines.cafe.components import CafeComponents, parse
from engines.cafe.decode import decode
from engines.cafe.rules import CafeGame
from engines.component_set import ComponentSet, Faults
from engines.engine import Engine, GameOption
from engines.words import Text


class CafeEngine(Engine):
    """Café, 1 to 4 players, with or without the auction and the Expresso cards."""

    id = "cafe"
    name = "Café"
    version = 1
    min_players = 1
    max_players = 4
    default_set = "reconstructed"
    options = (
        GameOption("auction", "Advanced game for 2 to 4 players: bid for the first pick.", ("false", "true"), "false"),
        GameOption("expresso", "Expansion: eight Expresso cards.", ("false", "true"), "false"),
        GameOption("open_deck", "Puzzle for one player: the order of the deck is known.", ("false", "true"), "false"),
    )

    def parse_components(self, data: dict[str, Any], faults: Faults) -> CafeComponents:
        """Check cards, cubes and totals."""
        return parse(data, faults)

    def encode_components(self, components: ComponentSet[CafeComponents], message: game_pb2.Components) -> None:
        """Fill in every card."""
        codec.encode_set(components.contents, message)

    def game(self, components: ComponentSet[CafeComponents]) -> Game:
        """Return the native rules."""
        return CafeGame(components)

    def initial(self, game: Game, players: int, options: Mapping[str, str], random: Random) -> State:
        """Return the table before the first offer is drawn. Start cards, first master and an open deck are random.

        Raises BrainError INVALID_ARGUMENT for an auction without opponents or an open deck with some.
        """
        assert isinstance(game, CafeGame)
        on = {option.name: options.get(option.name, option.default) == "true" for option in self.options}
        if on["auction"] and players == 1:
            raise _refused("auction", "an auction wants at least two players")
        if on["open_deck"] and players > 1:
            raise _refused("open_deck", "only a game for one player can have a known deck")
        starts = deck.shuffled(list(range(codec.FIRST_START, codec.FIRST_START + 4)), random)[:players]
        master = random.below(players)
        cards = deck.shuffled_deck(on["expresso"], random) if on["open_deck"] else None
        return game.initial(players, starts, master, on["auction"], on["expresso"], cards)

    def encode(self, state: State, message: game_pb2.GameState) -> None:
        """Write the position."""
        codec.encode(_rules(state), state, message.cafe)

    def decode(self, message: game_pb2.GameState, game: Game) -> State:
        """Read and check the position."""
        assert isinstance(game, CafeGame)
        return decode(game, self.part(message, "state"))

    def encode_move(self, state: State, move: int, message: game_pb2.Move) -> None:
        """Write a move or draw."""
        moves.encode(_rules(state), state, move, message.cafe)

    def decode_move(self, state: State, message: game_pb2.Move) -> int:
        """Read a move or draw."""
        return moves.decode(_rules(state), state, self.part(message, "move"))

    def move_text(self, state: State, move: int) -> str:
        """Return for example "take plan-07, paying a red cube"."""
        return str(self.move_words(state, move))

    def show(self, state: State) -> str:
        """Draw the offer and every player's area."""
        return notation.show(_rules(state), state)

    def score_items(self, state: State) -> list[list[tuple[str, float]]]:
        """Return the points of shops, natas, warehouse and waiters."""
        return notation.score_items(_rules(state), state)

    board_colors = notation.BOARD_COLORS

    def svg(self, state: State) -> str:
        """Draw the offer and every player's area."""
        return draw.svg(_rules(state), state)

    def move_words(self, state: State, move: int) -> Text:
        """Return a move or draw in words."""
        return moves.words(_rules(state), state, move)

    def nudge(self, state: State, move: int) -> Text:
        """Return where to look."""
        return reasons.nudge(_rules(state), state, move)

    def idea(self, state: State, move: int) -> Text:
        """Return what kind of move it is."""
        return reasons.idea(_rules(state), state, move)

    def reasons(self, question: Question) -> list[Reason]:
        """Return what the position and the figures show."""
        return reasons.reasons(_rules(question.state), question)

    puzzle = MappingProxyType({"auction": "false", "open_deck": "true"})

    def options_of(self, state: State) -> dict[str, str]:
        """Return the options; an open deck is one with cards to come."""
        fields = _rules(state).read(state)
        return {option.name: str(fields[option.name]).lower() for option in self.options}

    def laid_out(self, state: State, cards: Sequence[str]) -> State:
        """Return the position before the first round with this deck, an id of a start card may come first."""
        return deck.laid_out(_rules(state), state, cards)

    def hidden(self, state: State) -> State:
        """Return the position without the order of the deck."""
        return deck.hidden(_rules(state), state)

    def turn(self, state: State) -> str:
        """Return the round."""
        return f"round {_rules(state).read(state)['round']}"


def _refused(option: str, reason: str) -> BrainError:
    return BrainError(
        "INVALID_ARGUMENT", "INVALID_REQUEST", f"options[{option}]: {reason}",
        [FieldViolation(f"options[{option}]", "true", reason)],
    )  # fmt: skip


def _rules(state: State) -> CafeGame:
    assert isinstance(state.game, CafeGame)
    return state.game


ENGINE = CafeEngine()
