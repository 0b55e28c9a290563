"""Playing in the terminal: whole scripted games on a terminal of 80 columns, and every command of the session."""
from __future__ import annotations

import fcntl
import os
import pty
import random
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from click.testing import CliRunner

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain_cli.main import cli
from cafebrain_cli.records import read_record
from engines.library import Library
from solver.brain import Brain

ROOT = Path(__file__).parent.parent
GAMES = Library().games()
COLUMNS = 80
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# The fewest players that make a short game of each kind; a game that is not listed is played with its fewest.
ARGUMENTS = {"cafe": ["--players", "2"]}
NUMBER = re.compile(r"^ *(\d+)  ", re.MULTILINE)


def terminal(*arguments, color=True):
    """Start the command on a terminal of its own; return the process and the terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
    environment |= {"TERM": "xterm-256color"} if color else {"TERM": "dumb", "NO_COLOR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "cafebrain_cli", *arguments], stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT,
        env=environment, close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    return process, ours


def until_prompt(terminal_, prompts=("move> ", "draw> ")):
    """Return what is written up to the next prompt, or to the end of the command."""
    text = b""
    while True:
        try:
            more = os.read(terminal_, 1 << 16)
        except OSError:  # the other side has gone
            more = b""
        text += more
        if not more or text.endswith(tuple(prompt.encode() for prompt in prompts)):
            return text.decode()


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_on_a_terminal(game, tmp_path):
    record = tmp_path / "game.jsonl"
    process, ours = terminal(
        "play", game, *ARGUMENTS.get(game, []), "--level", "1", "--seed", "5", "--record", str(record), color=False
    )
    dice = random.Random(4)
    output = ""
    try:
        while True:
            text = until_prompt(ours)
            output += text
            if "The game is over." in text or not text:
                break
            offered = NUMBER.findall(text.split("your move:")[-1])
            assert offered, text
            os.write(ours, f"{dice.choice(offered)}\n".encode())
        rest = until_prompt(ours)
        output += rest
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert "The game is over." in output
    assert "\x1b[" not in output  # no colour was wanted
    lines = output.replace("\r", "").split("\n")
    # Boards fit; sentences and long moves are wrapped by the terminal itself.
    boards = [line for line in lines if not NUMBER.match(line) and ":" not in line and str(tmp_path) not in line]
    assert not [line for line in boards if len(line) > COLUMNS]
    state, steps = read_record(str(record))
    brain = Brain(Library())
    for step in steps:
        state = brain.apply_move(pb.ApplyMoveRequest(state=state, move=step, stop_at_chance=True)).state
    assert brain.get_moves(pb.GetMovesRequest(state=state)).to_move == "over"


def test_colours_on_a_terminal_that_has_them():
    process, ours = terminal("play", "connect_four")
    try:
        text = until_prompt(ours)
        assert ANSI.search(text)
        os.write(ours, b"q\n")
        until_prompt(ours)
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def play(*arguments, lines):
    result = CliRunner().invoke(cli, ["play", *arguments], input="".join(line + "\n" for line in lines))
    assert result.exit_code == 0, result.output
    assert "Traceback" not in result.output
    return result.output


def test_moves_by_number_and_by_words():
    output = play("connect_four", "--seat", "1", "--seat", "2", lines=["4", "column 4", "DROP  into COLUMN 5", "q"])
    board = output.rsplit("Player 2, your move:", 1)[0].rsplit("your move:", 1)[1]
    assert ". . . o . . ." in board
    assert ". . . x x . ." in board


def test_input_that_makes_no_sense_gets_help():
    nonsense = ["", "  ", "nothing like it", "0", "99", "999999999999999999999", "-1", "x", "drop", "\\", "é", "ü 3"]
    output = play("connect_four", lines=[*nonsense, "?", "q"])
    assert "Nothing here is called 'nothing like it'" in output
    assert "There is no number 99; 1 to 7 can be chosen." in output
    assert "Which one?" in output  # "drop" fits all seven
    assert "u  undo to your last decision" in output


def test_hints_become_clearer():
    output = play("connect_four", "--lang", "de", lines=["h", "h", "h", "q"])
    said = [line.removeprefix("move> ") for line in output.splitlines() if line.startswith("move> ")]
    assert said[0] == "Schau in die Mitte."
    assert said[1].startswith("Baue in Ruhe auf.")
    assert said[2].startswith("Wirf in Spalte 4.")


def test_why_undo_and_the_same_draws_again():
    output = play("gatto", "--seed", "3", lines=["w", "u", "take", "w", "u", "take", "q"])
    assert "The brain has made no move yet." in output
    assert "There is nothing to take back." in output
    assert "Taken back." in output
    moves = [line.split("Player 2: ")[1] for line in output.splitlines() if "Player 2: " in line]
    assert len(moves) == 2
    assert moves[0] == moves[1]
    why = output.split("Player 2: ")[1].split("move> ")[1]
    assert why.lower().startswith(moves[0].lower())


def test_save_and_resume(tmp_path):
    saved, kept = tmp_path / "saved.jsonl", tmp_path / "kept.jsonl"
    output = play("gatto", "--record", str(kept), lines=["s", f"s {saved}", "s /nowhere/game", "take", "s", "q"])
    assert f"Saved in {kept}" in output
    assert f"Saved in {saved}" in output
    assert "/nowhere/game: cannot be written" in output
    steps = len(read_record(str(kept))[1])
    assert steps > len(read_record(str(saved))[1]) == 10
    output = play("gatto", "--resume", str(kept), lines=["u", "q"])
    assert "Taken back." in output
    assert "round 2" in output
    result = CliRunner().invoke(cli, ["play", "connect_four", "--resume", str(kept)], standalone_mode=False)
    assert "is no record of connect_four" in str(result.exception)


def test_draws_of_a_real_table():
    draws = ["1 cold", "4 hot", "2 frothy", "9 hot", "3 hot", "3 hot", "1 hot", "2 cold", "2 cold", "4 cold", "4 cold"]
    output = play("gatto", "--physical", "--seat", "1", "--seat", "2", lines=[*draws, "take", "q"])
    assert "A draw is due: what came?" in output
    assert "Nothing here is called '9 hot'" in output
    board = output.split("Player 1, your move:")[0]
    rows = re.findall(r"^  (\d)   (\d \w+) +\d +(\d \w+)", board, re.MULTILINE)
    assert [(milk, coffee) for _, milk, coffee in reversed(rows)][:5] == [
        ("1 cold", "1 hot"), ("4 hot", "2 cold"), ("2 frothy", "2 cold"), ("3 hot", "4 cold"), ("3 hot", "4 cold"),
    ]  # fmt: skip


def test_an_undo_while_a_draw_is_due():
    draws = ["1 cold", "4 hot", "2 frothy", "3 hot", "3 hot", "1 hot", "2 cold", "2 cold", "4 cold", "4 cold"]
    lines = [*draws, "buy coffee row 1 doppio", "u", "take", "q"]
    output = play("gatto", "--physical", "--seat", "1", "--seat", "2", lines=lines)
    before, after = output.split("Taken back.")
    assert before.rstrip().endswith("draw>")
    assert "Player 1, your move:" in after
    assert "Player 2, your move:" in after


def test_leaving_by_end_of_input():
    assert play("connect_four", lines=[]).endswith("\n")


def test_the_games_own_options_are_there():
    for game in Brain(Library()).list_games(pb.ListGamesRequest()).games:
        text = CliRunner().invoke(cli, ["play", game.id, "--help"]).output
        for option in game.options:
            assert "--" + option.name.replace("_", "-") in text
