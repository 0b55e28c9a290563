"""The command solve: its answers, its run folder, and what happens when it is interrupted or killed."""
from __future__ import annotations

import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain_cli import plots
from cafebrain_cli.main import cli
from cafebrain_cli.positions import to_json
from cafebrain_cli.run_folder import Run, read_run
from engines.library import Library
from engines.ratings import Ratings, read_ratings
from engines.registry import ENGINES
from scripts import ratings as ratings_script
from server import background
from solver.brain import Brain
from solver.positions import decode_state
from solver.solve_jobs import Result as Found
from solver.summary import distribution
from tests.test_cli import COMMAND_LINE

BRAIN = Brain(Library())
QUICK = ("--nodes", "300", "--threads", "1")
ROOT = Path(__file__).parent.parent


def run(*args: str | Path, stdin: str | None = None, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, ["solve", *map(str, args)], input=stdin, prog_name="cafebrain")
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def puzzle(seed: int, expresso: bool = False):
    options = {"open_deck": "true", "expresso": str(expresso).lower()}
    return BRAIN.new_game(pb.NewGameRequest(game="cafe", players=1, seed=seed, options=options)).state


def deck_of(state) -> list[str]:
    """Return the start card and the deck of a first position, the cards on offer in front."""
    part = state.cafe
    return [part.players[0].cards[0].card, *part.offer, *part.deck]


def replay(state, moves) -> float:
    """Return the final score after making moves, as JSON, one call each."""
    for move in moves:
        choice = pb.MoveChoice(id=move["id"])
        state = BRAIN.apply_move(pb.ApplyMoveRequest(state=state, move=choice, stop_at_chance=True)).state
    listed = BRAIN.get_moves(pb.GetMovesRequest(state=state))
    return listed.scores[0].total


# One position


@pytest.mark.parametrize("expresso", [False, True])
def test_the_line_scores_what_is_said(expresso):
    options = ["--expresso"] if expresso else []
    data = json.loads(run("cafe", "--deck-seed", "7", *options, *QUICK, "--json").stdout)
    assert data["options"]["expresso"] == str(expresso).lower()
    assert replay(puzzle(7, expresso), data["moves"]) == data["score"] <= data["upperBound"]
    assert sum(item["points"] for item in data["items"]) == data["score"]
    assert data["gap"] == pytest.approx((data["upperBound"] - data["score"]) / data["upperBound"])
    assert data["nodes"] >= 300
    assert data["deck"] == 7
    assert "elapsedMs" not in data
    assert [move["turn"] for move in data["moves"]] == sorted(move["turn"] for move in data["moves"])
    assert data["moves"][-1]["turn"] == "round 8"
    for move in data["moves"][:3]:
        assert set(move) == {"turn", "id", "text", "move"}


def test_the_moves_are_those_that_apply_accepts():
    data = json.loads(run("cafe", "--deck-seed", "7", *QUICK, "--rounds", "1", "--json").stdout)
    state = to_json(puzzle(7))
    for index, move in enumerate(data["moves"]):
        choice = str(move["id"]) if index % 2 else json.dumps(move["move"])
        state = CliRunner().invoke(cli, ["apply", "-", choice], input=state).stdout
    assert '"round": 2,' in state


def test_the_same_nodes_give_the_same_bytes():
    assert run("cafe", "--deck-seed", "7", *QUICK, "--json").stdout == (
        run("cafe", "--deck-seed", "7", *QUICK, "--json").stdout
    )


def test_the_text_says_the_same():
    text = run("cafe", "--deck-seed", "7", *QUICK).stdout
    data = json.loads(run("cafe", "--deck-seed", "7", *QUICK, "--json").stdout)
    assert text.startswith(f"Deck 7: {data['score']:g} points; no line scores more than {data['upperBound']:g} (gap ")
    for move in data["moves"]:
        assert f"{move['id']}  {move['text']}\n" in text
    assert [line for line in text.splitlines() if line.startswith("  round")] == [f"  round {n}" for n in range(1, 9)]
    assert "partly reconstructed" in text
    assert " s." not in text.splitlines()[-2]
    assert re.search(r"positions in \d+\.\d s\.", run("cafe", "--deck-seed", "7", *QUICK, "--timing").stdout)
    assert json.loads(run("cafe", "--deck-seed", "7", *QUICK, "--json", "--timing").stdout)["elapsedMs"] > 0


def test_rounds_end_the_game_early():
    data = json.loads(run("cafe", "--deck-seed", "3", "--rounds", "2", *QUICK, "--json").stdout)
    assert {move["turn"] for move in data["moves"]} == {"round 1", "round 2"}
    assert replay(puzzle(3), data["moves"]) == data["score"]
    assert data["rating"] is None
    assert data["rounds"] == 2


def test_a_position_in_midgame(tmp_path):
    line = json.loads(run("cafe", "--deck-seed", "7", *QUICK, "--json").stdout)["moves"]
    state = puzzle(7)
    for move in line[: len(line) // 2]:
        state = BRAIN.apply_move(pb.ApplyMoveRequest(state=state, move=pb.MoveChoice(id=move["id"]))).state
    file = tmp_path / "state.json"
    file.write_text(to_json(state))
    data = json.loads(run(file, *QUICK, "--json").stdout)
    assert data == json.loads(run("-", *QUICK, "--json", stdin=to_json(state)).stdout)
    assert replay(state, data["moves"]) == data["score"]
    assert data["deck"] is None
    assert run(file, *QUICK).stdout.startswith("From here on: ")


def test_what_cannot_be_solved(tmp_path):
    closed = BRAIN.new_game(pb.NewGameRequest(game="cafe", players=1, seed=7)).state
    two = BRAIN.new_game(pb.NewGameRequest(game="cafe", players=2, seed=7)).state
    four = BRAIN.new_game(pb.NewGameRequest(game="connect_four", seed=7)).state
    for state in (closed, two, four):
        message = run("-", *QUICK, "--out", tmp_path / "run", stdin=to_json(state), code=1).stderr
        assert message.startswith("error: state: ")
        assert not (tmp_path / "run" / "report.html").exists()
    assert "gatto has no puzzles for one player; known: cafe" in run("gatto", "--deck-seed", "1", code=2).stderr
    assert "unknown game 'chess'; known: cafe" in run("chess", code=2).stderr
    for missing in ("none.json", tmp_path / "none"):
        assert run(missing, code=1).stderr == f"error: {missing}: cannot be read: No such file or directory\n"
    assert "is empty" in run("-", stdin="", code=1).stderr


def test_a_position_from_a_pipe_and_a_game_that_a_file_is_named_like(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("cafe").write_text("no position")
    assert run("cafe", "--deck-seed", "7", *QUICK).stdout.startswith("Deck 7: ")
    state = BRAIN.new_game(pb.NewGameRequest(game="cafe", players=1, seed=7, options={"open_deck": "true"})).state
    os.mkfifo("pipe")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(Path("pipe").write_text, to_json(state))
        assert run("pipe", *QUICK).stdout.startswith("From here on: ")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "wants one of --deck-seed, --deck and --decks"),
        (("--deck-seed", "1", "--decks", "1-2"), "wants one of"),
        (("--decks", "5-1"), "is no range"),
        (("--decks", "1-"), "is no list of numbers"),
        (("--decks", "1-99999999"), "is no range"),
        (("--decks", "1-2", "--closed", "--rounds", "2"), "--rounds is for decks whose order is known"),
        (("--deck-seed", "1", "--open-time", "1s"), "--open-time goes with --closed"),
        (("--deck-seed", "1", "--resume"), "--resume wants the folder"),
        (("--deck-seed", "1", "--out", ""), "--out wants a folder"),
        (("--deck-seed", "1", "--out", "-"), "--out wants a folder"),
        (("--deck-seed", "1", "--time", "0s"), "out of range"),
        (("--deck-seed", "1", "--auction"), "No such option"),
        (("--deck-seed", "1", "--open-deck"), "No such option"),
    ],
)
def test_wrong_usage(args, message):
    assert message in run("cafe", *args, code=2).stderr


def test_help_fits_80_columns():
    for args in ((), ("cafe",)):
        text = run(*args, "--help").stdout
        assert "Examples:" in text
        assert max(map(len, text.splitlines())) <= 80


# On a server


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with background(Library()) as server:
        yield server.address


@pytest.mark.parametrize("args", [("--deck-seed", "7"), ("--decks", "1-2"), ("--deck-seed", "3", "--rounds", "2")])
def test_a_server_answers_the_same(address, args):
    here = run("cafe", *args, *QUICK, "--json").stdout
    assert run("cafe", *args, *QUICK, "--json", "--server", address).stdout == here
    state = to_json(puzzle(7))
    assert run("-", *QUICK, "--server", address, stdin=state).stdout == run("-", *QUICK, stdin=state).stdout


def test_what_a_server_refuses(address):
    error = run("cafe", "--deck-seed", "7", "--time", "1s", "--threads", "64", "--server", address, code=1).stderr
    assert "threads" in error
    assert "this server" in error
    assert "--closed is for this process" in run(
        "cafe", "--closed", "--decks", "1", "--server", address, code=2
    ).stderr
    closed = BRAIN.new_game(pb.NewGameRequest(game="cafe", players=1, seed=7)).state
    assert run("-", *QUICK, "--server", address, stdin=to_json(closed), code=1).stderr.startswith("error: ")
    run("-", *QUICK, "--server", "localhost:1", stdin=to_json(puzzle(7)), code=3)


def test_an_interrupt_ends_the_wait_for_a_server(address, tmp_path):
    process = start("cafe", "--deck-seed", "7", "--time", "10m", "--server", address, "--out", tmp_path, "--json")
    wait_for(tmp_path / "open.jsonl", 2, process)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    data = json.loads(stdout)
    assert data["stopped"]
    assert replay(puzzle(7), data["moves"]) == data["score"]


# Decks


def test_a_seed_is_the_deck_of_new():
    printed = CliRunner().invoke(cli, ["new", "cafe", "--open-deck", "--seed", "7"]).stdout
    assert "cafebrain new cafe --open-deck --seed N" in " ".join(run("cafe", "--help").stdout.split())
    by_state = json.loads(run("-", *QUICK, "--json", stdin=printed).stdout)
    by_seed = json.loads(run("cafe", "--deck-seed", "7", *QUICK, "--json").stdout)
    assert by_state["moves"] == by_seed["moves"]


def test_the_deck_of_a_seed_stays():
    """Written down once: whoever changes how a seed shuffles a deck changes everybody's puzzles."""
    numbers = "02 20 28 21 17 11 06 13 10 40 31 12 14 26 27 01 41 16 23 48 07 25 04 30"
    assert deck_of(puzzle(7)) == ["start-2", *(f"plan-{number}" for number in numbers.split())]


@pytest.mark.parametrize("form", ["lines", "json", "words"])
@pytest.mark.parametrize("expresso", [False, True])
def test_a_deck_from_a_file(tmp_path, form, expresso):
    ids = deck_of(puzzle(7, expresso))
    texts = {
        "lines": "# my deck\n" + "\n".join(ids) + "\n",
        "json": json.dumps(ids, indent=1),
        "words": ", ".join(ids[:5]) + "  # first round\n" + " ".join(ids[5:]),
    }
    file = tmp_path / "deck.txt"
    file.write_text(texts[form])
    options = ["--expresso"] if expresso else []
    data = json.loads(run("cafe", "--deck", file, *options, *QUICK, "--json").stdout)
    seeded = json.loads(run("cafe", "--deck-seed", "7", *options, *QUICK, "--json").stdout)
    # The order of the cards on offer in the first round is not known from a position, and does not matter.
    assert (data["moves"], data["score"], data["upperBound"]) == (
        seeded["moves"], seeded["score"], seeded["upperBound"],
    )
    assert data["deck"] is None


def faulty(change) -> list[str]:
    ids = deck_of(puzzle(7))
    change(ids)
    return ids


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (faulty(lambda ids: ids.__setitem__(3, "plan-99")), "line 4: plan-99: the component set has no such card"),
        (faulty(lambda ids: ids.__setitem__(9, ids[2])), "comes twice, first as line 3"),
        (faulty(lambda ids: ids.__setitem__(9, "expresso-1")), "line 10: expresso-1: is an Expresso card"),
        (faulty(lambda ids: ids.append("start-1")), "line 26: start-1: a start card can only come first"),
        (faulty(lambda ids: ids.pop()), "a game for one player has 24; found 23 plan cards"),
        ([], "is empty; wants card ids"),
        (["[1, 2]"], "wants texts"),
        (["[plan-01]"], "is no JSON array"),
    ],
)
def test_a_faulty_deck_is_named_by_line_and_id(tmp_path, ids, message):
    file = tmp_path / "deck.txt"
    file.write_text("\n".join(ids))
    error = run("cafe", "--deck", file, *QUICK, code=1).stderr
    assert error.startswith(f"error: {file}: ")
    assert message in error


def test_lines_of_a_json_deck(tmp_path):
    ids = faulty(lambda ids: ids.__setitem__(9, ids[2]))
    error = run("cafe", "--deck", "-", *QUICK, stdin=json.dumps(ids, indent=1), code=1).stderr
    assert "standard input: line 11: " in error
    assert "comes twice, first as line 4" in error


# Many decks, open and closed


def test_many_decks_are_summed_up(tmp_path):
    data = json.loads(run("cafe", "--decks", "1-3,7", *QUICK, "--out", tmp_path / "run", "--json").stdout)
    decks = data["open"]["decks"]
    assert [deck["deck"] for deck in decks] == [1, 2, 3, 7]
    for deck in decks:
        assert replay(puzzle(deck["deck"]), [{"id": id_} for id_ in deck["moves"]]) == deck["score"]
    points, summary = [deck["score"] for deck in decks], data["open"]["summary"]
    assert summary["count"] == 4
    assert summary["mean"] == pytest.approx(sum(points) / 4)
    assert summary["error"] == pytest.approx(1.96 * stdev(points) / 2)
    assert (summary["least"], summary["most"]) == (min(points), max(points))
    assert summary["meanGap"] == pytest.approx(fmean(deck["gap"] for deck in decks))
    assert data["costOfNotKnowing"] is None
    alone = json.loads(run("cafe", "--deck-seed", "7", *QUICK, "--json").stdout)
    assert decks[3]["moves"] == [move["id"] for move in alone["moves"]]
    text = run("cafe", "--decks", "1-3,7", *QUICK).stdout
    assert re.search(rf"order known +4 +{fmean(points):.1f} ", text)


def test_closed_decks_and_what_not_knowing_costs(tmp_path):
    folder = tmp_path / "run"
    opened = json.loads(run("cafe", "--decks", "1-4", *QUICK, "--out", folder, "--json").stdout)["open"]["decks"]
    closed_args = ("cafe", "--closed", "--decks", "2-3", "--nodes", "20", "--out", folder)
    data = json.loads(run(*closed_args, "--json").stdout)
    decks = data["closed"]["decks"]
    assert [deck["deck"] for deck in decks] == [2, 3]
    for deck in decks:
        assert replay(puzzle(deck["deck"]), [{"id": id_} for id_ in deck["moves"]]) == deck["score"]
        assert deck["upperBound"] is deck["gap"] is None
    differences = [known["score"] - deck["score"] for known, deck in zip(opened[1:3], decks, strict=True)]
    assert data["costOfNotKnowing"]["mean"] == pytest.approx(fmean(differences))
    assert data["costOfNotKnowing"]["count"] == 2
    text = run(*closed_args, "--resume").stdout
    assert f"Not knowing the order costs {fmean(differences):.1f} ± " in text
    assert {path.name for path in folder.iterdir()} == {
        "open.jsonl", "closed.jsonl", "summary.json", "scores.png", "convergence.png", "best.jsonl", "board.svg",
        "board.png", "report.html",
    }  # fmt: skip


def test_open_time_solves_both():
    data = json.loads(
        run("cafe", "--closed", "--decks", "1-2", "--nodes", "5", "--open-time", "100ms", "--json").stdout
    )
    cost = [a["score"] - b["score"] for a, b in zip(data["open"]["decks"], data["closed"]["decks"], strict=True)]
    assert data["costOfNotKnowing"]["mean"] == pytest.approx(fmean(cost))


def test_open_results_of_another_game_tell_no_cost(tmp_path):
    run("cafe", "--decks", "1", "--expresso", *QUICK, "--out", tmp_path)
    data = json.loads(run("cafe", "--closed", "--decks", "1", "--nodes", "5", "--out", tmp_path, "--json").stdout)
    assert data["costOfNotKnowing"] is None
    assert "open" not in data


def test_one_closed_deck():
    data = json.loads(run("cafe", "--closed", "--deck-seed", "5", "--nodes", "10", "--json").stdout)
    assert data["closed"]
    assert data["gap"] is None
    assert replay(puzzle(5), data["moves"]) == data["score"]
    assert "Deck 5, its order unknown: " in run("cafe", "--closed", "--deck-seed", "5", "--nodes", "10").stdout


def test_distribution_by_hand():
    numbers = distribution([1.0, 2.0, 3.0, 4.0])
    assert numbers.mean == 2.5
    assert numbers.spread == pytest.approx((5 / 3) ** 0.5)  # squares of 1.5, 0.5, 0.5, 1.5 over 3
    assert numbers.error == pytest.approx(1.96 * (5 / 3) ** 0.5 / 2)
    assert numbers.quartiles == (1.75, 2.5, 3.25)
    assert distribution([7.0]).error is None


# The run folder


def test_resume_does_only_what_is_left(tmp_path):
    folder = tmp_path / "run"
    run("cafe", "--decks", "1-2", *QUICK, "--out", folder)
    before = (folder / "open.jsonl").read_bytes()
    error = run("cafe", "--decks", "1-2", *QUICK, "--out", folder, code=1).stderr
    assert "open.jsonl: holds a run already; go on with --resume" in error
    first = run("cafe", "--decks", "1-2", *QUICK, "--out", folder, "--resume", "--json").stdout
    assert (folder / "open.jsonl").read_bytes() == before
    more = json.loads(run("cafe", "--decks", "1-3", *QUICK, "--out", folder, "--resume", "--json").stdout)
    assert (folder / "open.jsonl").read_bytes().startswith(before)
    assert more["open"]["decks"][:2] == json.loads(first)["open"]["decks"]
    assert more["open"]["summary"]["count"] == 3
    assert json.loads((folder / "summary.json").read_text()) == more


def test_resume_of_nothing_begins(tmp_path):
    run("cafe", "--decks", "1", *QUICK, "--out", tmp_path / "new" / "run", "--resume")
    (tmp_path / "open.jsonl").write_bytes(b'{"record": "sett')
    assert "a torn last line was dropped" in run(
        "cafe", "--decks", "1", *QUICK, "--out", tmp_path, "--resume"
    ).stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("my notes", "line 1 is no JSON object"),
        ("my notes\n", "line 1 is no JSON object"),
        ('{"mine": 1}\n', "line 1 is no record of 'cafebrain solve'"),
    ],
)
def test_a_file_of_something_else_is_left_alone(tmp_path, text, message):
    file = tmp_path / "open.jsonl"
    file.write_text(text)
    command = ("cafe", "--decks", "1", *QUICK, "--out", tmp_path)
    assert run(*command, "--resume", code=1).stderr == f"error: {file}: {message}\n"
    run(*command, code=1)
    assert file.read_text() == text
    assert run("cafe", "--decks", "1", *QUICK, "--out", file, code=1).stderr == f"error: {file}: is no folder\n"


def test_settings_must_match(tmp_path):
    run("cafe", "--decks", "1", *QUICK, "--out", tmp_path)
    error = run(
        "cafe", "--decks", "1", "--nodes", "301", "--threads", "1", "--seed", "4", "--out", tmp_path, "--resume", code=1
    ).stderr
    assert error == (
        f"error: {tmp_path}/open.jsonl: made with nodes 300, not 301, seed 0, not 4; resume with the same settings or "
        "choose another folder\n"
    )
    assert 'options {"auction"' in run(
        "cafe", "--decks", "1", "--expresso", *QUICK, "--out", tmp_path, "--resume", code=1
    ).stderr


def test_a_folder_that_another_run_writes_is_refused(tmp_path):
    holder = Run({"kind": "open"}, tmp_path / "open.jsonl")
    holder.open(resume=False)
    assert "another command is writing it" in run(
        "cafe", "--decks", "1", *QUICK, "--out", tmp_path, "--resume", code=1
    ).stderr
    holder.close()


def test_folders_that_cannot_be(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert "cannot be written" in run("cafe", "--decks", "1", *QUICK, "--out", file / "run", code=1).stderr
    (tmp_path / "open.jsonl").write_text('{"record": "settings"}\nnonsense\n{"record": "result"}\n')
    assert "open.jsonl: line 2 is no JSON" in run(
        "cafe", "--decks", "1", *QUICK, "--out", tmp_path, "--resume", code=1
    ).stderr
    run("cafe", "--decks", "1", *QUICK, "--out", tmp_path / "run")
    with (tmp_path / "run" / "open.jsonl").open("a") as file:
        file.write('{"record": "progress"}\n')
    assert "is no record of 'cafebrain solve'" in run(
        "cafe", "--decks", "1", *QUICK, "--out", tmp_path / "run", "--resume", code=1
    ).stderr


def found(number: int, score: float, line: tuple[int, ...], final: bool = False) -> Found:
    return Found(number, score, 99.0, line, 10, 0.5, "beam", False, final)


def test_a_file_cut_anywhere_is_read_up_to_there(tmp_path):
    path = tmp_path / "open.jsonl"
    whole = Run({"kind": "open"}, path)
    whole.open(resume=False)
    sizes = [path.stat().st_size]
    same = found(1, 5, (1, 2))
    for result in (same, same, found(1, 7, (3,)), found(2, 4, (8,)), found(1, 7, (3,), True)):
        whole.note(result)
        sizes.append(path.stat().st_size)
    whole.close()
    data = path.read_bytes()
    sizes[0] = data.index(b"\n") + 1  # the settings come with the first result
    first, better = {1: (5, (1, 2), False)}, {1: (7, (3,), False)}
    other = {2: (4, (8,), False)}
    expected = [{}, first, first, better, better | other, {1: (7, (3,), True)} | other]
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        again = Run({"kind": "open"}, path)
        again.open(resume=True)
        again.close()
        complete = sum(size <= length for size in sizes)
        known = {n: (deck.last.score, deck.last.line, deck.done) for n, deck in again.decks.items()}
        assert known == (expected[complete - 1] if complete else {})
        assert again.torn == (length not in (0, *sizes))
        assert path.read_bytes() == (data[: sizes[complete - 1]] if complete else b"")


def test_seconds_and_nodes_go_on_counting(tmp_path):
    path = tmp_path / "open.jsonl"
    first = Run({}, path)
    first.open(resume=False)
    first.note(found(1, 5, (1,)))
    first.close()
    second = Run({}, path)
    second.open(resume=True)
    second.note(found(1, 6, (2,)))
    second.close()
    (deck,) = read_run(path).decks.values()
    assert [(seconds, score) for seconds, score, _ in deck.curve] == [(0.5, 5), (1.0, 6)]
    assert deck.last.nodes == 20


def start(*args: str | Path) -> subprocess.Popen[str]:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests run in the background inherit it ignored
    return subprocess.Popen(
        [*COMMAND_LINE, "solve", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(path: Path, records: int, process: subprocess.Popen[str]) -> None:
    """Wait until a run has written so many records."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") > records:
            return
        time.sleep(0.01)


def test_a_run_killed_again_and_again_comes_to_its_end(tmp_path):
    """Killed at random moments; nothing written is lost, and what is known only improves."""
    dice = random.Random(8)
    path = tmp_path / "open.jsonl"
    args = ("cafe", "--decks", "1-3", "--time", "900ms", "--workers", "2", "--out", tmp_path, "--resume")
    kept = b""
    for _ in range(5):
        process = start(*args)
        wait_for(path, kept.count(b"\n"), process)
        time.sleep(dice.random() * 0.4)
        process.kill()
        process.communicate()
        assert path.read_bytes().startswith(kept)
        whole = path.read_bytes()
        kept = whole[: whole.rfind(b"\n") + 1]
    process = start(*args, "--json")
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    assert path.read_bytes().startswith(kept)
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [record["record"] for record in records].count("settings") == 1
    for number in (1, 2, 3):
        ours = [record for record in records[1:] if record["deck"] == number]
        assert [record["record"] for record in ours] == ["progress"] * (len(ours) - 1) + ["result"]
        for before, after in pairwise(ours):
            assert before["score"] <= after["score"]
            assert before["upperBound"] >= after["upperBound"]
            assert before["seconds"] <= after["seconds"]
    for deck in json.loads(stdout)["open"]["decks"]:
        assert replay(puzzle(deck["deck"]), [{"id": id_} for id_ in deck["moves"]]) == deck["score"]


def test_a_closed_game_goes_on_after_a_kill(tmp_path):
    path = tmp_path / "closed.jsonl"
    args = ("cafe", "--closed", "--decks", "4", "--nodes", "150", "--out", tmp_path, "--resume")
    process = start(*args)
    wait_for(path, 2, process)
    process.kill()
    process.communicate()
    run(*args)
    whole = json.loads(run("cafe", "--closed", "--decks", "4", "--nodes", "150", "--json").stdout)
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    lines = [record["moves"] for record in records if "moves" in record]
    for before, after in pairwise(lines):
        assert after[: len(before)] == before
    assert len(lines[-1]) > 20
    assert whole["closed"]["decks"][0]["score"] is not None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_prints_and_keeps_the_best(tmp_path, number):
    process = start("cafe", "--deck-seed", "7", "--time", "10m", "--threads", "1", "--out", tmp_path, "--json")
    wait_for(tmp_path / "open.jsonl", 2, process)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    data = json.loads(stdout)
    assert data["interrupted"]
    assert replay(puzzle(7), data["moves"]) == data["score"]
    assert (tmp_path / "report.html").exists()
    records = [json.loads(line) for line in (tmp_path / "open.jsonl").read_text().splitlines()]
    assert records[-1]["record"] == "result"
    assert records[-1]["stopped"]
    process = start("cafe", "--deck-seed", "7", "--time", "10m", "--threads", "1", "--out", tmp_path, "--resume")
    wait_for(tmp_path / "open.jsonl", len(records) + 1, process)
    process.send_signal(number)
    process.communicate(timeout=60)
    more = [json.loads(line) for line in (tmp_path / "open.jsonl").read_text().splitlines()]
    assert more[: len(records)] == records
    assert more[len(records)]["score"] >= records[-1]["score"]


def test_progress_shows_best_bound_and_gap_on_a_terminal_only():
    terminal, end = pty.openpty()
    args = [*COMMAND_LINE, "solve", "cafe", "--deck-seed", "7", "--time", "3s", "--threads", "1", "--json"]
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=end, env=os.environ | {"TERM": "xterm"}, check=True)
    os.close(end)
    shown = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert re.search(r"best \d+, bound \d+, gap \d+\.\d %", re.sub(r"\x1b\[[\d;?]*\w", "", shown))
    assert json.loads(done.stdout)["score"] > 0


# Pictures and the report


class Page(HTMLParser):
    """Checks that tags close, and collects what there is."""

    VOID = ("meta", "img", "br", "link", "input")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    assert page.open == []
    return page


def test_the_report_is_one_file_that_shows_it_all(tmp_path):
    data = json.loads(run("cafe", "--deck-seed", "7", "--time", "300ms", "--out", tmp_path, "--json").stdout)
    page = parsed(tmp_path / "report.html")
    names = [tag for tag, _ in page.tags]
    assert "script" not in names
    assert "svg" in names
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in page.tags
    for tag, attributes in page.tags:
        assert tag not in ("link", "iframe", "object")
        assert str(attributes.get("src", "data:")).startswith("data:")
        assert "href" not in attributes
    text = " ".join(page.text)
    assert f"{data['score']:g} points" in text
    for move in data["moves"]:
        assert move["text"] in text
    assert names.count("img") == 1
    for picture in ("convergence.png", "board.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG\r\n")
    ElementTree.parse(tmp_path / "board.svg")
    review = CliRunner().invoke(cli, ["review", str(tmp_path / "best.jsonl"), "--visits", "20", "--json"])
    assert review.exit_code == 0, review.output


def test_texts_in_the_report_are_escaped(tmp_path, monkeypatch):
    monkeypatch.setattr(type(ENGINES["cafe"]), "turn", lambda self, state: "<script>&")
    run("cafe", "--deck-seed", "7", *QUICK, "--out", tmp_path)
    assert "<h3>&lt;script&gt;&amp;</h3>" in (tmp_path / "report.html").read_text()


def test_the_report_of_many(tmp_path):
    run("cafe", "--decks", "1-3", "--time", "200ms", "--out", tmp_path)
    run("cafe", "--closed", "--decks", "1-3", "--nodes", "5", "--out", tmp_path)
    page = parsed(tmp_path / "report.html")
    assert [tag for tag, _ in page.tags].count("img") == 2
    text = " ".join(page.text)
    assert "Not knowing the order costs" in text
    assert text.count("closed") >= 3


def test_without_matplotlib_all_the_rest_is_written(tmp_path):
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from cafebrain_cli.main import cli\n"
        f"cli(['solve', 'cafe', '--deck-seed', '7', '--nodes', '300', '--out', {str(tmp_path)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == plots.MISSING + "\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "best.jsonl", "board.svg", "open.jsonl", "report.html", "summary.json",
    ]  # fmt: skip
    assert "img" not in [tag for tag, _ in parsed(tmp_path / "report.html").tags]


# Ratings


RATINGS = Ratings({}, "a", "b", "somehow", "a command", (10, 20, 20, 30, 40, 50, 60, 70))


@pytest.mark.parametrize(
    ("score", "below", "medal"),
    [(5, 0, ""), (10, 0, ""), (20, 1 / 8, ""), (25, 3 / 8, "bronze"), (45, 5 / 8, "silver"), (40, 0.5, "silver"),
     (60, 0.75, "gold"), (99, 1, "gold")],
)  # fmt: skip
def test_shares_and_medals_by_hand(score, below, medal):
    assert RATINGS.share_below(score) == below
    assert RATINGS.medal(score) == medal


def test_ratings_are_made_from_runs(tmp_path, monkeypatch):
    run("cafe", "--decks", "1-4", "--expresso", *QUICK, "--out", tmp_path)
    data = json.loads(run("cafe", "--decks", "1-4", "--expresso", *QUICK, "--json").stdout)
    run("cafe", "--closed", "--decks", "1-3", "--expresso", "--nodes", "5", "--out", tmp_path)
    file = tmp_path / "ratings.toml"
    monkeypatch.setattr(ratings_script, "path_of", lambda engine: file)
    monkeypatch.setattr(sys, "argv", ["ratings.py", str(tmp_path)])
    ratings_script.main()
    ratings_script.main()  # takes the place of what the first one wrote
    closed, opened = read_ratings(file)
    assert opened.scores == tuple(sorted(deck["score"] for deck in data["open"]["decks"]))
    assert opened.options == {"auction": "false", "expresso": "true", "open_deck": "true"}
    assert closed.options == {"auction": "false", "expresso": "true", "open_deck": "false"}
    assert opened.command == "cafebrain solve cafe --expresso --decks 1-4 --nodes 300"
    assert closed.command == "cafebrain solve cafe --expresso --closed --decks 1-3 --nodes 5"
    assert (opened.play, closed.play) == (
        "order known, 300 positions a deck", "order unknown, 5 positions a move",
    )
    assert "# 4 decks" in file.read_text()


@pytest.mark.parametrize("expresso", [False, True])
def test_the_committed_ratings_fit(expresso):
    start = decode_state(BRAIN.library, puzzle(7, expresso))
    known = start.engine.ratings(start.engine.hidden(start.state))
    assert known is not None
    assert len(known.scores) >= 20
    assert known.command.startswith("cafebrain solve cafe ")
    assert known.component_set == start.entry.components.id


def test_a_score_is_rated():
    args = ("cafe", "--closed", "--deck-seed", "7", "--nodes", "10")
    data = json.loads(run(*args, "--json").stdout)
    known = read_ratings(ROOT / "engines" / "cafe" / "ratings.toml")[0]
    assert data["rating"]["decks"] == len(known.scores)
    assert data["rating"]["shareBelow"] == sum(score < data["score"] for score in known.scores) / len(known.scores)
    text = run(*args).stdout
    assert f"better than {100 * data['rating']['shareBelow']:.0f} % of {len(known.scores)} random decks" in text
    assert "not the printed game's table of titles" in text


def test_a_game_alone_is_rated_in_the_end():
    result = CliRunner().invoke(cli, ["play", "cafe", "--seed", "7"], input="1\n" * 400)
    assert "random decks as cafebrain plays" in result.stdout
