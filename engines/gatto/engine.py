"""Café del Gatto for the layers above: ties components, native rules, wire format and words together."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cafebrain.v1 import game_pb2
from cython_ext.game import Game, State
from cython_ext.rng import Random
from engines.advice import Question, Reason
from engines.component_set import ComponentSet, Faults
from engines.engine import Engine
from engines.gatto import codec, draw, moves, notation, reasons, rules
from engines.gatto.components import GattoSet, encode_set, parse
from engines.gatto.rules import GattoGame
from engines.words import Text


class GattoEngine(Engine):
    """Café del Gatto, 2 to 5 players."""

    id = "gatto"
    name = "Café del Gatto"
    version = 1
    min_players = 2
    max_players = 5
    default_set = "reconstructed"

    def parse_components(self, data: dict[str, Any], faults: Faults) -> GattoSet:
        """Check tiles, cups, menu and reserves."""
        return parse(data, faults)

    def encode_components(self, components: ComponentSet[GattoSet], message: game_pb2.Components) -> None:
        """Fill in tiles, cups, menu and reserves."""
        encode_set(components.contents, message)

    def game(self, components: ComponentSet[GattoSet]) -> Game:
        """Return the native rules."""
        return GattoGame(components)

    def initial(self, game: Game, players: int, options: Mapping[str, str], random: Random) -> State:
        """Return the table before the machine is filled: ten draws come next. Player 1 starts."""
        assert isinstance(game, GattoGame)
        contents: GattoSet = game.components.contents
        return game.build(
            {
                "players": [
                    {
                        "coins": rules.START_COINS - (player == 0),
                        "sugar": 0,
                        "cups": [([], None)] * len(contents.drinks),
                    }
                    for player in range(players)
                ],
                "start_player": 0,
                "turn_player": 0,
                "round": 1,
                "step": rules.STEP_FRESH,
                "queue": [],
                "columns": [[], []],
                "bag": [kind.count for kind in contents.kinds],
                "discard": [0] * len(contents.kinds),
                "unknown_discards": 0,
            }
        )

    def encode(self, state: State, message: game_pb2.GameState) -> None:
        """Write the position."""
        codec.encode(_rules(state), state, message.gatto)

    def decode(self, message: game_pb2.GameState, game: Game) -> State:
        """Read and check the position."""
        assert isinstance(game, GattoGame)
        return codec.decode(game, self.part(message, "state"))

    def encode_move(self, state: State, move: int, message: game_pb2.Move) -> None:
        """Write a move or draw."""
        moves.encode(state.game.components.contents, move, message.gatto)

    def decode_move(self, state: State, message: game_pb2.Move) -> int:
        """Read a move or draw."""
        return moves.decode(state.game.components.contents, self.part(message, "move"))

    def move_text(self, state: State, move: int) -> str:
        """Return for example "buy milk 3 hot from row 3 for 1 coin into Macchiato"."""
        return str(self.move_words(state, move))

    def show(self, state: State) -> str:
        """Draw machine, menu and players."""
        return notation.show(_rules(state), state)

    def score_items(self, state: State) -> list[list[tuple[str, float]]]:
        """Return each served drink and the pairs of sugar cubes."""
        return notation.score_items(_rules(state), state)

    board_colors = notation.COLORS_OF_BOARD

    def svg(self, state: State) -> str:
        """Draw machine, menu and players."""
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


def _rules(state: State) -> GattoGame:
    assert isinstance(state.game, GattoGame)
    return state.game


ENGINE = GattoEngine()
