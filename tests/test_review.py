"""Reviews of recorded games: the planted blunder, luck, totals, and what the command prints and writes."""
from __future__ import annotations

import json
import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain_cli.main import cli
from cafebrain_cli.records import read_record, write_record
from solver.review import accuracy
from tests.gatto_tables import BRAIN

# Searches of 8,000 visits on both sides but for step 34: player 2 takes the highest drink tile, with one coin left.
RECORD = Path(__file__).parent / "records" / "gatto_blunder.jsonl"
PLANTED = 34
FOURS = BRAIN.new_game(pb.NewGameRequest(game="connect_four")).state


def review(state, steps, visits=400, **more):
    """Return the steps and the summary."""
    request = pb.ReviewGameRequest(state=state, steps=steps, budget={"visits": visits}, seed=1, **more)
    answers = list(BRAIN.review_game(request))
    assert all(answer.HasField("step") for answer in answers[:-1])
    assert answers[-1].HasField("summary")
    return [answer.step for answer in answers[:-1]], answers[-1].summary


@pytest.fixture(scope="module")
def reviewed():
    state, steps = read_record(str(RECORD))
    return review(state, steps, visits=1500)


def test_the_planted_blunder_is_named_and_no_other(reviewed):
    steps, summary = reviewed
    blunders = [step.number for step in steps if step.move_class == pb.MOVE_CLASS_BLUNDER]
    assert blunders == [PLANTED]
    assert PLANTED in [point.number for point in summary.turning_points]
    [point] = [point for point in summary.turning_points if point.number == PLANTED]
    assert "12 points and 3 coins (blunder). Better was: serve Latte macchiato for 4 points and 11" in point.text
    assert [list(player.classes)[-1] for player in summary.players] == [0, 1]


def test_steps_and_totals_agree(reviewed):
    steps, summary = reviewed
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    for player in summary.players:
        mine = [step for step in steps if step.player == player.player and step.move_class]
        assert player.decisions == len(mine) == sum(player.classes)
        assert player.win_loss == pytest.approx(sum(step.win_loss for step in mine))
        assert 90 < player.accuracy <= 100
        lucks = [
            step.after[player.player - 1].win_probability - step.before[player.player - 1].win_probability
            for step in steps if step.player == 0
        ]
        assert player.win_luck == pytest.approx(sum(lucks))
        assert 0 < player.win_luck_error < 1
    assert summary.players[0].win_luck == pytest.approx(-summary.players[1].win_luck)
    assert [(one.player, one.win_share) for one in summary.result] == [(1, 1), (2, 0)]
    assert 1 <= len(summary.turning_points) <= 4


def test_luck_is_the_draw_less_the_mean_of_all_draws():
    """The draws of a setup: over all that can come, weighted with their chances, luck cancels out."""
    state = BRAIN.new_game(pb.NewGameRequest(game="gatto", stop_at_chance=True)).state
    draws = BRAIN.get_moves(pb.GetMovesRequest(state=state)).moves
    total = 0.0
    for draw in draws:
        [step], _ = review(state, [pb.MoveChoice(id=draw.id)], visits=1200)
        total += draw.probability * (step.after[0].win_probability - step.before[0].win_probability)
    assert total == pytest.approx(0, abs=1e-9)


def test_a_choice_of_one_is_no_decision():
    dice = random.Random(1)
    while True:  # until a board is full but for one column
        state, listed = FOURS, BRAIN.get_moves(pb.GetMovesRequest(state=FOURS))
        while len(listed.moves) > 1:
            move = pb.MoveChoice(id=dice.choice(listed.moves).id)
            state = BRAIN.apply_move(pb.ApplyMoveRequest(state=state, move=move)).state
            listed = BRAIN.get_moves(pb.GetMovesRequest(state=state))
        if listed.moves:
            break
    [step], summary = review(state, [pb.MoveChoice(id=listed.moves[0].id)])
    assert step.move_class == pb.MOVE_CLASS_UNSPECIFIED
    assert [player.decisions for player in summary.players] == [0, 0]
    assert not summary.players[0].HasField("accuracy")


def test_impossible_records_are_refused_before_the_first_answer():
    for steps, field in (
        ([], "steps"),
        ([pb.MoveChoice(id=3), pb.MoveChoice(id=9)], "steps[1]"),
        ([pb.MoveChoice(id=column) for column in (0, 1, 0, 1, 0, 1, 0, 1)], "steps[7]"),
        ([pb.MoveChoice()], "steps[0]"),
    ):
        with pytest.raises(BrainError) as caught:
            BRAIN.review_game(pb.ReviewGameRequest(state=FOURS, steps=steps))
        assert caught.value.code == "INVALID_ARGUMENT"
        assert caught.value.violations[0].field == field


def test_accuracy_falls_with_the_loss():
    assert [round(accuracy(loss)) for loss in (0, 0.05, 0.1, 1)] == [100, 80, 64, 0]


def test_a_record_is_written_as_it_is_read(tmp_path):
    state, steps = read_record(str(RECORD))
    listed = []
    walk = state
    for step in steps:
        known = BRAIN.get_moves(pb.GetMovesRequest(state=walk)).moves
        code = BRAIN.apply_move(pb.ApplyMoveRequest(state=walk, move=step, stop_at_chance=True))
        listed.append(next(move for move in known if move.move == step.move))
        walk = code.state
    path = tmp_path / "again.jsonl"
    write_record(str(path), state, listed)
    assert read_record(str(path)) == (state, steps)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty; wants a record"),
        ("[]\n", "line 1: wants a JSON object"),
        ('{"connectFour": {"columns": 3}}\n', "line 1: connectFour.columns: wants a list"),
        ('{"connectFour": {"columns": []}}\n{"id": "x"}\n', "line 2: id: wants an integer"),
    ],
)
def test_faulty_records(tmp_path, text, reason):
    path = tmp_path / "game.jsonl"
    path.write_text(text)
    result = CliRunner().invoke(cli, ["review", str(path)], standalone_mode=False)
    assert result.exit_code == 1
    assert reason in str(result.exception)


def test_the_command_writes_a_page_that_needs_nothing_else(tmp_path):
    record, page = tmp_path / "fours.jsonl", tmp_path / "fours.html"
    steps = [pb.LegalMove(id=column) for column in (3, 0, 3, 0, 3, 1, 3)]
    write_record(str(record), FOURS, steps)
    result = CliRunner().invoke(cli, ["review", str(record), "--visits", "500", "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert "blunder" in result.output
    html = page.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert not re.search(r'(?:src|href)=|url\(|@import', html.replace('xmlns="http', ""))
    for picture in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        ElementTree.fromstring(picture)
    # Two charts, and a board at each turning point.
    assert html.count("<svg") == 2 + html.count("Step ")
    assert html.count("<polyline") >= 4


def test_the_command_prints_json_lines(tmp_path):
    record = tmp_path / "fours.jsonl"
    write_record(str(record), FOURS, [pb.LegalMove(id=3), pb.LegalMove(id=2)])
    result = CliRunner().invoke(cli, ["review", str(record), "--visits", "100", "--json"])
    lines = [json.loads(line) for line in result.output.splitlines()]
    assert [list(line) for line in lines] == [["step"], ["step"], ["summary"]]
    assert lines[0]["step"]["text"] == "drop into column 4"
