"""Campus Café for the layers above: ties components, native rules, wire format and words together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cafebrain.v1 import game_pb2
from cython_ext.game import Game, State
from cython_ext.rng import Random
from engines.advice import Question, Reason
from engines.campus import codec, draw, moves, notation, reasons, words
from engines.campus.components import VARIANTS, CampusSet, parse
from engines.campus.rules import CampusGame
from engines.campus.totals import check_totals
from engines.campus.wire import encode_set
from engines.component_set import ComponentSet, Faults
from engines.engine import Engine, GameOption
from engines.words import Text


class CampusEngine(Engine):
    """Campus Café, 2 to 5 players."""

    id = "campus"
    name = "Campus Café"
    version = 1
    min_players = 2
    max_players = 5
    default_set = "reconstructed"
    options = (
        GameOption("variant", "the basic game, or the advanced game with waiters' talents", VARIANTS, "basic"),
        GameOption("dislikes", "each player gets a card of the promo Dislikes", ("false", "true"), "false"),
    )

    def parse_components(self, data: dict[str, Any], faults: Faults) -> CampusSet:
        """Check cards, objectives, board and tables, and that the printed totals add up."""
        contents = parse(data, faults)
        check_totals(contents, faults)
        return contents

    def encode_components(self, components: ComponentSet[CampusSet], message: game_pb2.Components) -> None:
        """Fill in cards, objectives, board and tables."""
        encode_set(components.contents, message.campus)

    def game(self, components: ComponentSet[CampusSet]) -> Game:
        """Return the native rules."""
        return CampusGame(components)

    def initial(self, game: Game, players: int, options: Mapping[str, str], random: Random) -> State:
        """Return the table before anything is drawn: objectives, cards, dislikes and waiters come next."""
        assert isinstance(game, CampusGame)
        return game.start(
            players, options.get("variant", "basic") == "advanced", options.get("dislikes", "false") == "true"
        )

    def encode(self, state: State, message: game_pb2.GameState) -> None:
        """Write the position."""
        codec.encode(_rules(state), state, message.campus)

    def decode(self, message: game_pb2.GameState, game: Game) -> State:
        """Read and check the position."""
        assert isinstance(game, CampusGame)
        return codec.decode(game, self.part(message, "state"))

    def encode_move(self, state: State, move: int, message: game_pb2.Move) -> None:
        """Write a move or draw."""
        moves.encode(_rules(state), state, move, message.campus)

    def decode_move(self, state: State, message: game_pb2.Move) -> int:
        """Read a move or draw."""
        return moves.decode(_rules(state), state, self.part(message, "move"))

    def move_text(self, state: State, move: int) -> str:
        """Return for example "serve card 33: MMSS $14 gift E (satisfier male teacher)"."""
        return str(self.move_words(state, move))

    def show(self, state: State) -> str:
        """Draw board, cards and players."""
        return notation.show(_rules(state), state)

    def score_items(self, state: State) -> list[list[tuple[str, float]]]:
        """Return score track, tray, careers and objectives."""
        return notation.score_items(_rules(state), state)

    board_colors = notation.BOARD_COLORS

    def svg(self, state: State) -> str:
        """Draw board, cards and players."""
        return draw.svg(_rules(state), state)

    def move_words(self, state: State, move: int) -> Text:
        """Return a move or draw in words."""
        return words.move(_rules(state), state, move)

    def nudge(self, state: State, move: int) -> Text:
        """Return where to look."""
        return reasons.nudge(_rules(state), state, move)

    def idea(self, state: State, move: int) -> Text:
        """Return what kind of move it is."""
        return reasons.idea(_rules(state), state, move)

    def reasons(self, question: Question) -> list[Reason]:
        """Return what the position and the figures show."""
        return reasons.reasons(_rules(question.state), question)


def _rules(state: State) -> CampusGame:
    assert isinstance(state.game, CampusGame)
    return state.game


ENGINE = CampusEngine()
