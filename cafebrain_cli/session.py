"""A game in the terminal: persons type, levels answer, and everything that happened can be undone and saved."""
from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import click

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cafebrain_cli.output import percent, points, print_board, print_paragraph, print_table, print_text
from cafebrain_cli.rating import rate
from cafebrain_cli.records import write_record
from solver.brain import Brain
from solver.positions import decode_choice, decode_state

SHOWN = 24  # choices listed at once; the rest by typing words
GRADES = (pb.HINT_GRADE_NUDGE, pb.HINT_GRADE_IDEA, pb.HINT_GRADE_FULL)
HELP = """\
Type the number of a move, or words that only this move has.
  h  hint; again for a clearer one      w  why did the brain make its last move
  u  undo to your last decision         s  save: "s FILE"
  b  the board                          m  all moves: "m" or "m WORDS"
  q  leave the game                     ?  this help"""


@dataclass(frozen=True)
class Setup:
    """How a game is played. persons: players from 1. level: 0 for full strength."""

    persons: frozenset[int]
    level: int
    seed: int
    physical: bool
    record: str | None
    language: str


class Left(Exception):  # noqa: N818 - leaving is no error
    """The person has left the game."""


class Session:
    """A game in progress: the first position, and every step with the position after it."""

    def __init__(self, brain: Brain, state: game_pb2.GameState, setup: Setup) -> None:
        self.brain = brain
        self.setup = setup
        self.states = [state]
        self.steps: list[pb.LegalMove] = []
        self.hints = 0  # given for this decision
        self.bot_step: int | None = None  # index of the brain's last move that was a choice

    @property
    def state(self) -> game_pb2.GameState:
        """The position now."""
        return self.states[-1]

    def replay(self, steps: Iterable[pb.MoveChoice]) -> None:
        """Make the steps of a record.

        Raises BrainError where one is not possible.
        """
        for step in steps:
            listed = self._listed()
            position = decode_state(self.brain.library, self.state)
            code = decode_choice(position, step, f"step {len(self.steps) + 1}")
            self._make(next(move for move in listed.moves if move.id == code))

    def play(self) -> None:
        """Play to the end, or until the person leaves."""
        print_text('Type "?" for help.', "dim")
        try:
            while (listed := self._listed()).to_move != "over":
                if listed.to_move == "chance":
                    self._draw(listed)
                elif listed.player in self.setup.persons:
                    self._person(listed)
                else:
                    self._bot(listed)
        except Left:
            self._say_where()
            return
        self._print_board()
        print_text("The game is over.", "bold")
        print_table(
            ("", ">score", ">share of the win"),
            [(f"player {one.player}", points(one.score), percent(one.win_share)) for one in listed.result],
        )
        if len(listed.result) == 1:
            rating = rate(decode_state(self.brain.library, self.states[0]), listed.result[0].score)
            if rating is not None:
                print_text(str(rating))
        self._say_where()

    def _say_where(self) -> None:
        if self.setup.record is not None:
            print_text(f"The record is in {self.setup.record}.", "dim")

    def _listed(self) -> pb.GetMovesResponse:
        return self.brain.get_moves(pb.GetMovesRequest(state=self.state))

    def _print_board(self) -> None:
        board = self.brain.show_board(pb.ShowBoardRequest(state=self.state)).text
        print_board(self.state.WhichOneof("game") or "", board)

    def _make(self, move: pb.LegalMove) -> None:
        request = pb.ApplyMoveRequest(state=self.state, move=pb.MoveChoice(id=move.id), stop_at_chance=True)
        self.states.append(self.brain.apply_move(request).state)
        self.steps.append(move)
        self.hints = 0
        if self.setup.record is not None:
            write_record(self.setup.record, self.states[0], self.steps)

    def _seed(self) -> int:
        """Return a seed that is another one at every step, but the same again after an undo."""
        return (self.setup.seed * 1_000_003 + len(self.steps)) & 0xFFFFFFFF

    def _draw(self, listed: pb.GetMovesResponse) -> None:
        if self.setup.physical:
            print_text("A draw is due: what came?", "bold")
            self._print_choices(listed.moves)
            self._make_asked(listed.moves, "draw")
            return
        request = pb.ApplyMoveRequest(state=self.state, seed=self._seed(), stop_at_chance=True)
        (drawn,) = self.brain.apply_move(request).draws
        self._make(drawn)
        print_text(f"  {drawn.text}", "dim")

    def _bot(self, listed: pb.GetMovesResponse) -> None:
        request = pb.SuggestRequest(state=self.state, level=self.setup.level, seed=self._seed(), moves_wanted=1)
        code = self.brain.suggest(request).suggestion.moves[0].id
        if len(listed.moves) > 1:
            self.bot_step = len(self.steps)
        self._make(next(move for move in listed.moves if move.id == code))
        print_text(f"Player {listed.player}: {self.steps[-1].text}", "cyan")

    def _person(self, listed: pb.GetMovesResponse) -> None:
        print_text("")
        self._print_board()
        print_text(f"Player {listed.player}, your move:", "bold")
        self._print_choices(listed.moves)
        self._make_asked(listed.moves, "move")

    def _make_asked(self, choices: Sequence[pb.LegalMove], what: str) -> None:
        """Ask until a choice is clear and make it, or until an undo has led elsewhere."""
        length = len(self.steps)
        while len(self.steps) == length:
            text = self._read(f"{what}> ")
            if not text:
                continue
            letter = len(text.split()[0]) == 1 and not text.isdigit()
            chosen = self._command(text, choices) if letter else self._find(text, choices)
            if chosen is not None:
                self._make(chosen)

    @staticmethod
    def _read(prompt: str) -> str:
        sys.stdout.flush()
        try:
            return input(prompt).strip()
        except EOFError:
            print_text("")
            raise Left from None
        except UnicodeDecodeError:
            print_text("That is no text.")
            return ""

    def _find(self, text: str, choices: Sequence[pb.LegalMove]) -> pb.LegalMove | None:
        if text.isdigit():
            if len(text) < 10 and 1 <= int(text) <= len(choices):
                return choices[int(text) - 1]
            print_text(f"There is no number {text[:20]}; 1 to {len(choices)} can be chosen.")
            return None
        found = _matching(text, choices)
        if len(found) == 1:
            return found[0][1]
        if not found:
            print_text(f"Nothing here is called {text[:40]!r}. Type a number, words from the list, or ? for help.")
        else:
            print_text("Which one?")
            _print_numbered(found)
        return None

    def _command(self, text: str, choices: Sequence[pb.LegalMove]) -> pb.LegalMove | None:
        letter, _, rest = text.partition(" ")
        match letter.lower():
            case "?":
                print_text(HELP)
            case "h":
                self._hint()
            case "w":
                self._why()
            case "u":
                self._undo()
            case "s":
                self._save(rest.strip())
            case "b":
                self._print_board()
            case "m":
                _print_numbered(_matching(rest, choices))
            case "q":
                raise Left
            case _:
                return self._find(text, choices)
        return None

    def _print_choices(self, choices: Sequence[pb.LegalMove]) -> None:
        _print_numbered(list(enumerate(choices, 1))[:SHOWN])
        if len(choices) > SHOWN:
            print_text(f'  … {len(choices) - SHOWN} more: "m" lists them, "m WORDS" those with these words')

    def _hint(self) -> None:
        if self._listed().player == 0:
            print_text("There is nothing to decide now.")
            return
        grade = GRADES[min(self.hints, len(GRADES) - 1)]
        self.hints += 1
        request = pb.HintRequest(state=self.state, grade=grade, language=self.setup.language, seed=self.setup.seed)
        print_paragraph(self.brain.hint(request).text, "green")

    def _why(self) -> None:
        if self.bot_step is None or self.bot_step >= len(self.steps):
            print_text("The brain has made no move yet.")
            return
        request = pb.HintRequest(
            state=self.states[self.bot_step],
            grade=pb.HINT_GRADE_FULL,
            language=self.setup.language,
            seed=self.setup.seed,
            about=pb.MoveChoice(id=self.steps[self.bot_step].id),
        )
        print_paragraph(self.brain.hint(request).text, "green")

    def _undo(self) -> None:
        for index in range(len(self.steps) - 1, -1, -1):
            listed = self.brain.get_moves(pb.GetMovesRequest(state=self.states[index]))
            if listed.player in self.setup.persons:
                del self.states[index + 1 :], self.steps[index:]
                self.hints = 0
                self.bot_step = None
                print_text("Taken back.")
                return
        print_text("There is nothing to take back.")

    def _save(self, path: str) -> None:
        path = path or self.setup.record or ""
        if not path:
            print_text('Where to? Type "s FILE".')
            return
        try:
            write_record(path, self.states[0], self.steps)
        except (click.ClickException, BrainError) as error:
            print_text(str(error.message))
        else:
            print_text(f"Saved in {path}; go on with --resume {path}.")


def _matching(text: str, choices: Sequence[pb.LegalMove]) -> list[tuple[int, pb.LegalMove]]:
    """Return the numbered choices that hold all words of a text; those that are the text if there are any."""
    words = text.lower().split()
    found = [(number, move) for number, move in enumerate(choices, 1) if all(w in move.text.lower() for w in words)]
    exact = [(number, move) for number, move in found if move.text.lower() == " ".join(words)]
    return exact or found


def _print_numbered(choices: Sequence[tuple[int, pb.LegalMove]]) -> None:
    for number, move in choices:
        chance = f" ({percent(move.probability)})" if move.HasField("probability") else ""
        print_text(f"{number:>4}  {move.text}{chance}")
    if not choices:
        print_text("None.")
