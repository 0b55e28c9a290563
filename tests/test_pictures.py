"""Boards as pictures: well-formed, of a sensible size, with nothing drawn outside; and as coloured text."""
from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain_cli.main import cli
from cafebrain_cli.positions import to_json
from engines.drawing import Picture, text_board
from engines.engine import Engine
from scripts.hints import read_positions
from tests.gatto_tables import BRAIN

GAMES = BRAIN.library.games()
SVG = "{http://www.w3.org/2000/svg}"


def check(svg):
    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width")), float(root.get("height"))
    assert 100 < width < 2000
    assert 100 < height < 4000
    for part in root:
        for across in ("x", "cx"):
            assert -1 <= float(part.get(across, 0)) <= width
        for down in ("y", "cy"):
            assert -1 <= float(part.get(down, 0)) <= height
        if part.tag == f"{SVG}rect":
            assert float(part.get("x")) + float(part.get("width")) <= width + 1
            assert float(part.get("y")) + float(part.get("height")) <= height + 1
    return root


@pytest.mark.parametrize("game", GAMES)
def test_every_board_can_be_drawn(game):
    start = BRAIN.new_game(pb.NewGameRequest(game=game, seed=3, stop_at_chance=True)).state
    for state in [start, *read_positions(game)]:
        root = check(BRAIN.show_board(pb.ShowBoardRequest(state=state, svg=True)).svg)
        assert len(root) > 10
    assert BRAIN.show_board(pb.ShowBoardRequest(state=start)).svg == ""


def test_a_game_that_draws_nothing_shows_its_text():
    engine = BRAIN.library.engine("connect_four")
    entry = BRAIN.library.entries("connect_four")[0]
    state = entry.game.position(["12", *[""] * 6])
    root = check(Engine.svg(engine, state))
    assert [part.text for part in root if part.tag == f"{SVG}text"] == engine.show(state).split("\n")


def test_texts_are_escaped():
    picture = Picture(200, 200)
    picture.text(10, 10, "a < b & c", font='"')
    assert check(picture.svg())[-1].text == "a < b & c"
    assert check(text_board("\n".join(["<&>" * 10] * 8)))[-1].text == "<&>" * 10


def test_show_writes_the_picture(tmp_path):
    state, svg = tmp_path / "state.json", tmp_path / "board.svg"
    state.write_text(to_json(read_positions("gatto")[0]))
    result = CliRunner().invoke(cli, ["show", str(state), "--svg", str(svg)])
    assert (result.exit_code, result.output) == (0, "")
    check(svg.read_text(encoding="utf-8"))


@pytest.mark.parametrize("game", GAMES)
def test_colours_of_the_text_find_something(game):
    boards = "\n".join(BRAIN.show_board(pb.ShowBoardRequest(state=s)).text for s in read_positions(game))
    for pattern, _ in BRAIN.library.engine(game).board_colors:
        assert re.search(pattern, boards), pattern
