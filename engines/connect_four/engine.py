"""Connect Four for the layers above: wire format, words and board."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cafebrain.v1 import game_pb2
from cython_ext.game import Game, State
from cython_ext.rng import Random
from engines.advice import Question, Reason
from engines.component_set import ComponentSet, Faults
from engines.connect_four import reasons
from engines.connect_four.rules import COLUMN_COUNT, ROW_COUNT, ConnectFour
from engines.drawing import Picture
from engines.engine import Engine
from engines.violations import Violations
from engines.words import Text, say

EMPTY = [""] * COLUMN_COUNT
CELL = 56  # of the picture
DISC_COLORS = {"1": "#f2c230", "2": "#c8372d"}


class ConnectFourEngine(Engine):
    """Four in a row on a board of seven columns and six rows, for two players."""

    id = "connect_four"
    name = "Connect Four"
    version = 1
    min_players = 2
    max_players = 2
    default_set = "standard"

    def parse_components(self, data: dict[str, Any], faults: Faults) -> None:
        """Check that nothing is configured: the rules fix the board."""
        faults.unknown_keys(data, set())

    def encode_components(self, components: ComponentSet[None], message: game_pb2.Components) -> None:
        """Fill in the size of the board."""
        message.connect_four.columns = COLUMN_COUNT
        message.connect_four.rows = ROW_COUNT

    def game(self, components: ComponentSet[None]) -> Game:
        """Return the native rules."""
        return ConnectFour(components)

    def initial(self, game: Game, players: int, options: Mapping[str, str], random: Random) -> State:
        """Return the empty board."""
        assert isinstance(game, ConnectFour)
        return game.position(EMPTY)

    def encode(self, state: State, message: game_pb2.GameState) -> None:
        """Write the discs column by column."""
        message.connect_four.columns[:] = _rules(state).columns(state)

    def decode(self, message: game_pb2.GameState, game: Game) -> State:
        """Read the discs; refuse columns that do not exist and positions that cannot come about."""
        assert isinstance(game, ConnectFour)
        columns = list(self.part(message, "state").columns)
        faults = Violations("state.connect_four")
        if len(columns) != COLUMN_COUNT:
            faults.add("columns", len(columns), f"must be {COLUMN_COUNT} columns")
        for index, column in enumerate(columns):
            if len(column) > ROW_COUNT:
                faults.add(f"columns[{index}]", column, f"must hold at most {ROW_COUNT} discs")
            if column.strip("12"):
                faults.add(f"columns[{index}]", column, 'must consist of "1" and "2"')
        faults.check()
        try:
            return game.position(columns)
        except ValueError as error:
            faults.add("columns", ",".join(columns), str(error))
            faults.check()
            raise

    def encode_move(self, state: State, move: int, message: game_pb2.Move) -> None:
        """Write the column."""
        message.connect_four.column = move + 1

    def decode_move(self, state: State, message: game_pb2.Move) -> int:
        """Read the column."""
        column: int = self.part(message, "move").column
        faults = Violations("move.connect_four", "INVALID_MOVE", "no move")
        faults.in_range("column", column, 1, COLUMN_COUNT)
        faults.check()
        return column - 1

    def move_text(self, state: State, move: int) -> str:
        """Return for example "drop into column 4"."""
        return str(self.move_words(state, move))

    def show(self, state: State) -> str:
        """Draw the board: x player 1, o player 2."""
        columns = _rules(state).columns(state)
        rows = [
            " ".join({"1": "x", "2": "o"}[column[row]] if row < len(column) else "." for column in columns)
            for row in reversed(range(ROW_COUNT))
        ]
        return "\n".join([*rows, " ".join(str(column + 1) for column in range(COLUMN_COUNT)), "x player 1, o player 2"])

    def score_items(self, state: State) -> list[list[tuple[str, float]]]:
        """Return one point for a line of four."""
        winner = _rules(state).winner(state)
        return [[("four in a row", 1.0)] if player == winner else [] for player in range(2)]

    counts_points = False
    board_colors = ((r"x(?= |$| player 1)", "bold yellow"), (r"o(?= |$| player 2)", "bold red"))

    def svg(self, state: State) -> str:
        """Draw the board: yellow player 1, red player 2."""
        columns = _rules(state).columns(state)
        picture = Picture(COLUMN_COUNT * CELL + 40, ROW_COUNT * CELL + 60)
        picture.rect(12, 12, COLUMN_COUNT * CELL + 16, ROW_COUNT * CELL + 16, fill="#2f5d9b", radius=10)
        for column, content in enumerate(columns):
            x = 20 + CELL * (column + 0.5)
            for row in range(ROW_COUNT):
                fill = DISC_COLORS[content[row]] if row < len(content) else "#f6efe4"
                picture.circle(x, 20 + CELL * (ROW_COUNT - row - 0.5), CELL * 0.4, fill=fill)
            picture.text(x, ROW_COUNT * CELL + 50, str(column + 1), anchor="middle")
        return picture.svg()

    def move_words(self, state: State, move: int) -> Text:
        """Return the column."""
        return say("drop into column {column}", column=move + 1)

    def nudge(self, state: State, move: int) -> Text:
        """Return where to look."""
        return reasons.nudge(_rules(state).columns(state), move, state.to_move)

    def idea(self, state: State, move: int) -> Text:
        """Return what kind of move it is."""
        return reasons.idea(_rules(state).columns(state), move, state.to_move)

    def reasons(self, question: Question) -> list[Reason]:
        """Return what the board shows."""
        return reasons.reasons(_rules(question.state).columns(question.state), question)


def _rules(state: State) -> ConnectFour:
    assert isinstance(state.game, ConnectFour)
    return state.game


ENGINE = ConnectFourEngine()
