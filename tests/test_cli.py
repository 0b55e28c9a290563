import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from google.protobuf.json_format import Parse

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cafebrain_cli.main import COMMANDS, cli
from cafebrain_cli.new import _command
from cafebrain_cli.params import address, duration_ms
from cafebrain_cli.positions import to_json
from engines.library import Library
from engines.registry import ENGINES
from solver.brain import Brain

COMMAND_LINE = [sys.executable, "-m", "cafebrain_cli"]
GAMES = [
    (engine.id, players)
    for engine in ENGINES.values()
    for players in range(engine.min_players, engine.max_players + 1)
]
BRAIN = Brain(Library())
EMPTY_BOARD = '{"componentSet": {"id": "standard", "hash": "%s"}, "connectFour": {"columns": %s}}'


def run(*args: str, stdin: str | bytes | None = None, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, args, input=stdin, prog_name="cafebrain")
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def board(*columns: str) -> str:
    reference = Library().entry("connect_four", "", "", "").components.hash
    return EMPTY_BOARD % (reference, json.dumps([*columns, *[""] * (7 - len(columns))]))


@pytest.fixture
def game(tmp_path: Path) -> str:
    path = tmp_path / "game.json"
    path.write_text(board())
    return str(path)


# Help


def test_every_command_has_help_with_examples():
    overview = run("--help").stdout
    for name, listed in COMMANDS.items():
        assert f"  {name} " in overview
        assert listed.summary in overview
        text = run(name, "--help").stdout
        assert text.startswith(f"Usage: cafebrain {name}")
        if name not in ("components", "serve"):  # the first is a group, the second not this package's
            assert "Examples:" in text
    assert "Exit codes:" in overview
    for name in ("check", "show"):
        assert "Examples:" in run("components", name, "--help").stdout


def test_help_fits_80_columns():
    for args in ([], *([name] for name in COMMANDS), *(["new", id_] for id_ in ENGINES)):
        assert max(map(len, run(*args, "--help").stdout.splitlines())) <= 80


def test_help_loads_neither_engines_nor_grpc():
    code = (
        "import sys; from cafebrain_cli.main import cli; cli(['--help'], standalone_mode=False);"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'engines', 'solver', 'grpc', 'google', 'rich'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_version():
    assert run("--version").stdout.startswith("cafebrain ")


@pytest.mark.parametrize("args", [[], ["new"], ["components"]])
def test_a_group_without_command_shows_its_help(args: list[str]):
    assert run(*args, code=2).stderr.startswith("Usage: cafebrain")


# Every game


@pytest.mark.parametrize(("id_", "players"), GAMES)
def test_new_is_what_the_brain_says(id_: str, players: int):
    printed = run("new", id_, "--players", str(players), "--seed", "7").stdout
    expected = Brain(Library()).new_game(pb.NewGameRequest(game=id_, players=players, seed=7))
    assert printed == to_json(expected.state)
    assert printed.endswith("}\n")
    text = Brain(Library()).show_board(pb.ShowBoardRequest(state=expected.state)).text
    assert run("show", "-", stdin=printed).stdout == text.rstrip("\n") + "\n"


@pytest.mark.parametrize("id_", ENGINES)
def test_new_help_is_built_from_what_the_engine_declares(id_: str):
    engine = ENGINES[id_]
    text = run("new", id_, "--help").stdout
    assert f"{engine.min_players}<=x<={engine.max_players}" in text
    assert f"{engine.default_set} (default)" in text
    for option in engine.options:
        assert f"--{option.name.replace('_', '-')}" in text
    flags = [flag for parameter in _commands_of(id_).params for flag in parameter.opts]
    assert len(flags) == len(set(flags)), "an option of the game hides one of the command"


def _commands_of(id_: str) -> click.Command:
    games = Brain(Library()).list_games(pb.ListGamesRequest()).games
    return _command(next(game for game in games if game.id == id_))


@pytest.mark.parametrize(("id_", "players"), GAMES)
def test_play_with_json(id_: str, players: int):
    state = run("new", id_, "--players", str(players), "--stop-at-chance").stdout
    for turn in range(12):
        listed = json.loads(run("moves", "-", "--json", stdin=state).stdout)
        assert list(listed) == ["toMove", "player", "moves", "scores", "result"]
        assert run("moves", "-", stdin=state).stdout
        moves = listed["moves"]
        if listed["toMove"] == "chance":
            assert sum(move["probability"] for move in moves) == pytest.approx(1)
            assert "a draw is due" in run("suggest", "-", "--visits", "10", stdin=state, code=1).stderr
            one = run("apply", "-", "--stop-at-chance", "--seed", "5", stdin=state)
            assert one.stderr == ""
            assert one.stdout == run("apply", "-", "draw", "--stop-at-chance", "--seed", "5", stdin=state).stdout
            here = Parse(state, game_pb2.GameState())
            requests = (
                pb.ApplyMoveRequest(state=here, move={"id": move["id"]}, stop_at_chance=True) for move in moves
            )
            assert one.stdout in [to_json(BRAIN.apply_move(request).state) for request in requests]
            state = one.stdout
        else:
            assert all(list(move) == ["id", "text", "move"] for move in moves)
            chosen = moves[turn % len(moves)]
            by_id = run("apply", "-", str(chosen["id"]), "--stop-at-chance", stdin=state).stdout
            state = run("apply", "-", json.dumps(chosen["move"]), "--stop-at-chance", stdin=state).stdout
            assert state == by_id


@pytest.mark.parametrize("id_", ENGINES)
def test_suggest_prints_the_brains_answer(id_: str):
    state = run("new", id_, "--seed", "7").stdout
    args = ("suggest", "-", "--visits", "3000", "--seed", "1", "--moves", "2")
    printed = run(*args, "--json", stdin=state).stdout
    brain = Brain(Library())
    position = brain.new_game(pb.NewGameRequest(game=id_, seed=7)).state
    request = pb.SuggestRequest(state=position, budget=pb.Budget(visits=3000), seed=1, moves_wanted=2)
    expected = brain.suggest(request).suggestion
    assert printed == to_json(expected)
    text = run(*args, stdin=state).stdout
    assert expected.moves[0].text in text
    assert f"player {expected.player}'s" in text
    assert "Best line:" in text
    assert "3,000 visits" in text
    assert ("reconstructed" in text) == expected.components_reconstructed


@pytest.mark.parametrize("id_", ENGINES)
def test_components(id_: str):
    shown = json.loads(run("components", "show", id_, "--json").stdout)
    assert list(shown) == ["componentSet", "components"]
    assert shown["componentSet"]["ref"]["hash"] in run("components", "show", id_).stdout
    for path in map(str, ENGINES[id_].built_in_sets()):
        report = json.loads(run("components", "check", path, "--json").stdout)["files"][0]
        assert (report["ok"], report["game"], report["file"]) == (True, id_, path)
        assert report["provenance"]
        assert report["hash"] in run("components", "check", path).stdout


@pytest.mark.parametrize("id_", ENGINES)
def test_a_component_set_of_ones_own(id_: str, tmp_path: Path):
    mine = tmp_path / "mine.toml"
    source = ENGINES[id_].built_in_sets()[0].read_text()
    old_id = next(line for line in source.splitlines() if line.startswith("id = "))
    mine.write_text(source.replace(old_id, 'id = "mine"'))
    state = run("new", id_, "--components", str(mine)).stdout
    assert json.loads(state)["componentSet"]["id"] == "mine"
    assert state == run("new", id_, "--components", str(mine), "--set", "mine").stdout
    assert "known: " in run("moves", "-", stdin=state, code=1).stderr
    for command in ("moves", "show"):
        assert run(command, "-", "--components", str(mine), stdin=state).stdout
    assert '"mine"' in run("components", "show", id_, "--components", str(mine), "--json").stdout
    assert "mine" in run("games", "--components", str(mine)).stdout
    other = next(other for other in ENGINES if other != id_)
    assert "holds no component set" in run("new", other, "--components", str(mine), code=1).stderr


# Options of a game


def test_options_of_a_game_become_flags(monkeypatch: pytest.MonkeyPatch):
    asked: list[pb.NewGameRequest] = []

    class Calls:
        def new_game(self, request: pb.NewGameRequest) -> pb.NewGameResponse:
            asked.append(request)
            return pb.NewGameResponse()

    monkeypatch.setattr("cafebrain_cli.source.open_calls", lambda server, files: Calls())
    switch = ("false", "true")
    game = pb.Game(id="some", name="Some", min_players=1, max_players=4, options=[
        pb.GameOption(name="auction", description="Bid.", values=switch, default_value="false"),
        pb.GameOption(name="big_deck", description="All cards.", values=switch, default_value="true"),
        pb.GameOption(name="variant", description="Rules.", values=["basic", "advanced"], default_value="basic"),
    ])

    def options(*args: str, code: int = 0) -> dict[str, str]:
        assert CliRunner().invoke(_command(game), args).exit_code == code
        return dict(asked[-1].options)

    assert options() == {}
    assert asked[-1].players == 1
    assert options("--auction", "--no-big-deck", "--variant", "advanced", "--players", "4") == {
        "auction": "true", "big_deck": "false", "variant": "advanced"
    }
    assert options("--big-deck") == {"big_deck": "true"}
    options("--variant", "other", code=2)
    options("--players", "5", code=2)


# Search options


def test_allowed_and_avoided_moves(game: str):
    def ids(*args: str) -> list[int]:
        answer = json.loads(run("suggest", game, "--visits", "100", "--json", *args).stdout)
        return sorted(move["id"] for move in answer["moves"])

    assert ids("--allow", "3", "--allow", '{"connectFour": {"column": 1}}') == [0, 3]
    assert ids("--avoid", "3", "--avoid", "4") == [0, 1, 2, 5, 6]


def test_clock_readings_only_where_asked_for(game: str):
    args = ("suggest", game, "--time", "50ms")
    assert "elapsedMs" not in run(*args, "--json").stdout
    assert json.loads(run(*args, "--json", "--timing").stdout)["elapsedMs"] >= 40
    assert " ms." in run(*args, "--timing").stdout


def test_objective_and_threads(game: str):
    args = ("suggest", game, "--visits", "500", "--objective", "score", "--threads", "2", "--viewer", "1", "--json")
    answer = json.loads(run(*args).stdout)
    assert (answer["objective"], answer["visits"]) == ("OBJECTIVE_SCORE", 500)


@pytest.mark.parametrize(
    ("text", "expected"), [("200ms", 200), ("60s", 60_000), ("2m", 120_000), ("1.5s", 1500), (" 1 ms ", 1)]
)
def test_durations(text: str, expected: int):
    assert duration_ms(text) == expected


@pytest.mark.parametrize("text", ["", "5", "s", "0s", "-1s", "1h", "61m", "1e3s", "0.0001s", "nan s", "١s", "9" * 5000])
def test_faulty_durations(text: str):
    with pytest.raises(click.BadParameter, match=r"duration|range"):
        duration_ms(text)


@pytest.mark.parametrize("text", ["", "host", ":1", "host:", "host:0", "host:65536", "http://host:1", "::1:50051"])
def test_faulty_addresses(text: str):
    with pytest.raises(click.BadParameter, match="HOST:PORT"):
        address(text)


def test_an_interrupt_before_the_first_answer(game: str, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Brain, "analyze", interrupt)
    assert run("suggest", game, code=130).stderr.strip() == "error: interrupted"


# Finished games, files


def test_a_finished_game():
    over = board("1111", "222")
    listed = json.loads(run("moves", "-", "--json", stdin=over).stdout)
    assert (listed["toMove"], listed["player"], listed["moves"]) == ("over", 0, [])
    assert [one["winShare"] for one in listed["result"]] == [1.0, 0.0]
    text = run("moves", "-", stdin=over).stdout
    assert "over" in text
    assert "100.0 %" in text
    assert "the game is over" in run("suggest", "-", stdin=over, code=1).stderr
    assert "the game is over" in run("apply", "-", "0", stdin=over, code=1).stderr


def test_out_writes_the_file_instead(game: str):
    printed = run("apply", game, "3").stdout
    assert run("apply", game, "3", "--out", game).stdout == ""
    assert Path(game).read_text() == printed


def test_json_keeps_the_order_of_the_contract_and_zeros(game: str):
    listed = json.loads(run("games", "--json").stdout)
    assert list(listed) == ["games", "version", "levels"]
    assert [one["id"] for one in listed["games"]] == list(ENGINES)
    assert list(listed["games"][0]) == [field.json_name for field in pb.Game.DESCRIPTOR.fields]
    assert json.loads(run("moves", game, "--json").stdout)["moves"][0]["id"] == 0


# Errors

FAULTY_TEXTS = {
    "empty": (b"", "is empty"),
    "blank": (b" \n", "is empty"),
    "cut off": (b'{"connectFour": {', "line 1, column 18: is no JSON"),
    "binary": (bytes(range(256)), "is no UTF-8 text (byte 128)"),
    "large": (b" " * (4 << 20) + b"{}", "larger than 4 MiB"),
    "deep list": (b"[" * 200_000, "nested too deeply"),
    "deep object": (b'{"a":' * 200_000, "nested too deeply"),
    "deep field": (b'{"connectFour":' * 300 + b"1" + b"}" * 300, "connectFour.connectFour: unknown field"),
    "list": (b"[]", "wants a JSON object; found []"),
    "number": (b"5", "wants a JSON object; found 5"),
    "null": (b"null", "wants a JSON object; found null"),
    "NaN": (b'{"gatto": {"round": NaN}}', "NaN is no number"),
    "infinity": (b'{"gatto": {"round": 1e999}}', "gatto.round: wants an integer from 0 to 4294967295; found Infinity"),
    "huge": (b'{"gatto": {"round": ' + b"9" * 5000 + b"}}", "4300 digits"),
    "negative": (b'{"gatto": {"players": [{}, {"coins": -1}]}}', "gatto.players[1].coins: wants an integer from 0"),
    "fraction": (b'{"gatto": {"round": 1.5}}', "gatto.round: wants an integer"),
    "unknown field": (b'{"gatto": {"players": [{"coinz": 1}]}}', "gatto.players[0].coinz: unknown field; known"),
    "unknown value": (b'{"gatto": {"step": "LATE"}}', "gatto.step: wants one of GATTO_STEP_"),
    "no list": (b'{"gatto": {"players": 5}}', "gatto.players: wants a list; found 5"),
    "no object": (b'{"gatto": 5}', "gatto: wants an object; found 5"),
    "no text": (b'{"connectFour": {"columns": [1]}}', "connectFour.columns[0]: wants a text; found 1"),
    "surrogate": (rb'{"gatto": {"step": "\ud800"}}', "half of a surrogate pair"),
    "twice": (b'{"gatto": {}, "gatto": {}}', "the key 'gatto' occurs twice"),
    "two games": (b'{"gatto": {}, "connectFour": {}}', "only one of gatto and connectFour"),
}


@pytest.mark.parametrize("fault", FAULTY_TEXTS)
@pytest.mark.parametrize("command", ["moves", "show", "suggest", "apply"])
def test_faulty_positions(fault: str, command: str, tmp_path: Path):
    content, reason = FAULTY_TEXTS[fault]
    path = tmp_path / "state.json"
    path.write_bytes(content)
    for source, name in ((str(path), str(path)), ("-", "standard input")):
        error = run(command, source, stdin=content, code=1).stderr
        assert error.startswith(f"error: {name}: ")
        assert reason in error


def test_files_that_cannot_be_read_or_written(game: str, tmp_path: Path):
    assert "No such file" in run("moves", str(tmp_path / "none"), code=1).stderr
    assert "directory" in run("moves", str(tmp_path), code=1).stderr
    assert f"{tmp_path}: cannot be written" in run("apply", game, "3", "--out", str(tmp_path), code=1).stderr


def test_violations_come_on_lines_of_their_own():
    state = board("\x1b[31m", "3", "1212121")
    lines = run("moves", "-", stdin=state, code=1).stderr.splitlines()
    assert lines[0].startswith("error: impossible position: ")
    assert len(lines) == 4
    assert all(line.startswith("  state.connect_four.columns[") for line in lines[1:])
    assert "\x1b" not in "".join(lines)
    assert "\\x1b[31m" in lines[1]


@pytest.mark.parametrize(
    ("args", "code", "reason"),
    [
        (["fly"], 2, "No such command 'fly'"),
        (["moves"], 2, "Missing argument 'STATE'"),
        (["new", "chess"], 2, "unknown game 'chess'; known: "),
        (["new", "connect_four", "--players", "0"], 2, "not in the range"),
        (["new", "connect_four", "--seed", "4294967296"], 2, "not in the range"),
        (["new", "connect_four", "--set", "no"], 1, "unknown component set"),
        (["components", "show", "chess"], 1, "unknown game"),
        (["components", "show", "connect_four", "--set", "no"], 1, "unknown component set"),
        (["games", "--server", "nowhere"], 2, "HOST:PORT"),
        (["new", "connect_four", "--server", "nowhere"], 2, "HOST:PORT"),
        (["games", "--server", "localhost:1"], 3, "localhost:1"),
        (["new", "connect_four", "--server=localhost:1"], 3, "localhost:1"),
        (["games", "--server", "localhost:1", "--components", "x"], 2, "--components"),
        (["games", "--components", "none.toml"], 1, "none.toml: (file): cannot be read"),
        (["apply", "GAME"], 1, "must be given"),
        (["apply", "GAME", "draw"], 1, "must be given"),
        (["apply", "GAME", "7"], 1, "no legal move"),
        (["apply", "GAME", "4294967296"], 2, "is no move"),
        (["apply", "GAME", "left"], 2, "is no move"),
        (["apply", "GAME", "{"], 1, "move: line 1"),
        (["apply", "GAME", "{}"], 1, "must be one of connect_four"),
        (["apply", "GAME", '{"connectFour": {"column": 8}}'], 1, "must be 1 to 7"),
        (["apply", "GAME", '{"gatto": {}}'], 1, "found gatto"),
        (["suggest", "GAME", "--time", "1h"], 2, "is no duration"),
        (["suggest", "GAME", "--visits", "0"], 2, "not in the range"),
        (["suggest", "GAME", "--threads", "65"], 2, "not in the range"),
        (["suggest", "GAME", "--viewer", "3"], 1, "viewer: at most 2"),
        (["suggest", "GAME", "--allow", "9"], 1, "allowed_moves[0]"),
        (["suggest", "GAME", "--allow", "3", "--avoid", "3"], 1, "leave no move"),
    ],
)
def test_refused_command_lines(args: list[str], code: int, reason: str, game: str):
    error = run(*[game if arg == "GAME" else arg for arg in args], code=code).stderr
    assert error.startswith("error: ")
    assert reason in error
    assert ("--help" in error) == (code == 2)


def test_component_faults_are_all_printed(tmp_path: Path):
    faulty, fine = tmp_path / "faulty.toml", ENGINES["connect_four"].built_in_sets()[0]
    faulty.write_text('game = "connect_four"\nid = "A B"\nrows = 3\n')
    result = run("components", "check", str(faulty), str(fine), str(tmp_path), code=1)
    for key in ("id", "name", "provenance", "rows"):
        assert f"{faulty}: {key}: fault: " in result.stdout
    assert f"{fine}: fine: connect_four standard" in result.stdout
    assert f"{tmp_path}: (file): fault: cannot be read" in result.stdout
    reports = json.loads(run("components", "check", str(faulty), str(fine), "--json", code=1).stdout)["files"]
    assert [report["ok"] for report in reports] == [False, True]
    assert {"key", "reason", "warning"} == set(reports[0]["faults"][0])


def test_a_fault_of_the_program_shows_no_traceback(game: str, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise ZeroDivisionError("for the test")

    monkeypatch.setattr(Brain, "get_moves", fail)
    assert "ZeroDivisionError: for the test" in run("moves", game, code=70).stderr
    monkeypatch.setenv("CAFEBRAIN_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        CliRunner().invoke(cli, ["moves", game], catch_exceptions=False)


# A server


def test_a_server_answers_the_same(tmp_path: Path):
    from server import background

    with background(Library()) as server:
        for id_ in ENGINES:
            state = tmp_path / f"{id_}.json"
            run("new", id_, "--seed", "3", "--out", str(state))
            move = str(json.loads(run("moves", str(state), "--json").stdout)["moves"][0]["id"])
            for args in (
                ["games", "--json"],
                ["new", id_, "--seed", "3"],
                ["new", id_, "--help"],
                ["moves", str(state)],
                ["show", str(state)],
                ["apply", str(state), move, "--seed", "2"],
                ["suggest", str(state), "--visits", "2000", "--seed", "1", "--json"],
                ["components", "show", id_, "--json"],
            ):
                assert run(*args, "--server", server.address).stdout == run(*args).stdout
        for args in (["apply", str(state), "999999"], ["moves", "-"]):
            bad = {"stdin": board("3", "4"), "code": 1}
            assert run(*args, "--server", server.address, **bad).stderr == run(*args, **bad).stderr


# Real processes


def test_a_pipe_twice_gives_the_same_bytes():
    def piped() -> bytes:
        new = subprocess.run([*COMMAND_LINE, "new", "gatto", "--players", "3", "--seed", "7"], stdout=-1, check=True)
        search = [*COMMAND_LINE, "suggest", "-", "--visits", "20000", "--seed", "1", "--json"]
        return subprocess.run(search, input=new.stdout, stdout=-1, check=True).stdout

    first = piped()
    assert json.loads(first)["visits"] == 20_000
    assert first == piped()


def test_an_interrupt_prints_the_best_moves_so_far(game: str):
    search = [*COMMAND_LINE, "suggest", game, "--time", "60s", "--json"]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests run in the background inherit it ignored
    for seconds in (1.5, 5, 15):  # a slow machine may not have begun to search
        with subprocess.Popen(search, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=20)
        if out:
            break
    assert (process.returncode, errors) == (130, b"")
    assert json.loads(out)["stopReason"] == "STOP_REASON_STOPPED"


@pytest.mark.parametrize("args", [["moves"], ["moves", "--json"], ["apply", "3"]])
def test_a_reader_that_goes_away(args: list[str], game: str):
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND_LINE, args[0], game, *args[1:]]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_progress_on_a_terminal_only_and_never_in_the_output(game: str):
    terminal, end = pty.openpty()
    search = [*COMMAND_LINE, "suggest", game, "--time", "2800ms", "--json"]
    env = os.environ | {"TERM": "xterm"}
    done = subprocess.run(search, stdout=subprocess.PIPE, stderr=end, env=env, check=True)
    os.close(end)
    shown = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert "visits, best: drop into column" in shown
    assert json.loads(done.stdout)["stopReason"] == "STOP_REASON_TIME"


def test_standard_streams_may_be_closed(game: str):
    def shell(command: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(["sh", "-c", command, sys.executable, game], capture_output=True, check=False)

    closed = shell('"$0" -m cafebrain_cli moves - <&-')
    assert (closed.returncode, closed.stderr) == (1, b"error: standard input: is empty; wants JSON\n")
    assert shell('"$0" -m cafebrain_cli moves "$1" >&-').stderr == b""


def test_letters_the_terminal_lacks():
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND_LINE, "games"], capture_output=True, env=env, check=True)
    assert b"Caf\\xe9 del Gatto" in done.stdout
