"""The server as a process: what it prints, its options, how it ends; admission on its own; what the client imports."""
from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cafebrain import Client
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceStub
from engines.library import Library
from server import background, is_loopback, serve, split_address
from service.settings import Settings

ROOT = Path(__file__).parent.parent
PATIENCE = 20.0
LONG = pb.Budget(time_ms=3_600_000)


@contextmanager
def server_process(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server; yield it and its address."""
    command = [sys.executable, "server.py", "--listen", "127.0.0.1:0", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready, address = process.stdout.readline().rsplit(maxsplit=1)
            assert ready == "listening on"
            yield process, address
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_searches_answer_with_their_best(number: int) -> None:
    with server_process("--searches", "2") as (process, address), grpc.insecure_channel(address) as channel:
        stub = BrainServiceStub(channel)
        state = stub.NewGame(pb.NewGameRequest(game="connect_four")).state
        request = pb.SuggestRequest(state=state, budget=LONG)
        analysis = stub.Analyze(pb.AnalyzeRequest(suggest=request, report_interval_ms=50))
        search = stub.Suggest.future(request)
        assert [next(analysis).is_final for _ in range(4)] == [False] * 4
        process.send_signal(number)
        suggestion = search.result(PATIENCE).suggestion
        assert suggestion.stop_reason == pb.STOP_REASON_STOPPED
        assert suggestion.visits > 16
        *_, final = analysis
        assert final.is_final
        assert final.suggestion.stop_reason == pb.STOP_REASON_STOPPED
        printed, log = process.communicate(timeout=PATIENCE)
        assert printed == ""
        assert {json.loads(line)["message"] for line in log.splitlines()} == {"call"}
        assert process.returncode == 0


def test_a_second_signal_ends_the_server_at_once() -> None:
    with server_process("--searches", "1") as (process, address), grpc.insecure_channel(address) as channel:
        stub = BrainServiceStub(channel)
        state = stub.NewGame(pb.NewGameRequest(game="connect_four")).state
        # A stream whose client neither reads nor closes its side keeps the server draining.
        requests: queue.Queue[pb.AnalyzeManyRequest] = queue.Queue()
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        answers = stub.AnalyzeMany(iter(requests.get, None))
        suggest = pb.SuggestRequest(state=state, budget=LONG)
        query = pb.AnalyzeQuery(id="a", analyze=pb.AnalyzeRequest(suggest=suggest, report_interval_ms=10), report=True)
        requests.put(pb.AnalyzeManyRequest(query=query))
        next(answers)
        process.send_signal(signal.SIGINT)
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) in (0, 128 + signal.SIGINT)
        requests.put(None)


def printed_config(*options: str, **environment: str) -> str:
    command = [sys.executable, "server.py", "--print-config", *options]
    env = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True).stdout


def test_flags_go_before_environment_before_file(tmp_path: Path) -> None:
    path = tmp_path / "cafebrain.toml"
    path.write_text("searches = 3\nqueue = 7\nmax_time_ms = 1000\nchannelz = true\n")
    environment = {"CAFEBRAIN_SERVE_QUEUE": "8", "CAFEBRAIN_SERVE_MAX_TIME_MS": "2000"}
    printed = printed_config("--config", str(path), "--max-time-ms", "3000", **environment)
    assert tomllib.loads(printed).items() >= {
        ("searches", 3),
        ("queue", 8),
        ("max_time_ms", 3000),
        ("channelz", True),
        ("listen", "127.0.0.1:50051"),
    }
    assert "searches = 3  # settings file\nqueue = 8  # environment\n" in printed
    assert "max_time_ms = 3000  # command line\n" in printed
    # What is printed can be read again, and the file can be named in the environment too.
    copy = tmp_path / "copy.toml"
    copy.write_text(printed)
    again = printed_config(CAFEBRAIN_SERVE_CONFIG=str(copy))
    assert tomllib.loads(again) == tomllib.loads(printed)


def test_faulty_settings_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cafebrain.toml"
    for text, reason in (
        ("port = 1", "port: unknown; known: "),
        ("searches = [1]", "searches: wants text, a number, true or false"),
        ("searches = 0", "0 is not in the range"),
        ("searches", "is no TOML"),
    ):
        path.write_text(text)
        result = CliRunner().invoke(serve, ["--config", str(path), "--print-config"])
        assert result.exit_code == 2
        assert reason in result.stderr
    missing = CliRunner().invoke(serve, ["--config", str(tmp_path / "nothing")])
    assert (missing.exit_code, missing.stderr.splitlines()[-1]) == (
        2,
        f"Error: {tmp_path / 'nothing'}: No such file or directory",
    )


def test_component_sets_of_a_directory_are_served(tmp_path: Path) -> None:
    builtin = next(Path(ROOT / "engines/connect_four/components").glob("*.toml")).read_text()
    (tmp_path / "mine.toml").write_text(builtin.replace('id = "standard"', 'id = "mine"'))
    with server_process("--components-dir", str(tmp_path)) as (_, address), Client(address) as client:
        games = {game.id: game for game in client.list_games().games}
    assert [entry.ref.id for entry in games["connect_four"].component_sets] == ["standard", "mine"]


def test_what_cannot_be_served_gives_one_clear_message(tmp_path: Path) -> None:
    def refusal(*options: str) -> tuple[int, str]:
        result = CliRunner().invoke(serve, options)
        assert isinstance(result.exception, SystemExit)
        assert result.stdout == ""
        return result.exit_code, result.stderr.splitlines()[-1]

    (tmp_path / "bad.toml").write_text('game = "connect_four"\n')
    code, message = refusal("--components-dir", str(tmp_path))
    assert code == 2
    assert message.startswith(f"{tmp_path / 'bad.toml'}: provenance: ")
    for address in ("nowhere", "127.0.0.1:65536", "::1:50051", "127.0.0.1:", ":50051"):
        code, message = refusal("--listen", address)
        assert code == 2
        assert address in message
    code, message = refusal("--listen", "0.0.0.0:0")
    assert code == 2
    assert "no TLS and no tokens: --insecure-public" in message
    code, message = refusal("--listen", "192.0.2.1:0", "--insecure-public")
    assert (code, message) == (1, "Error: cannot listen on 192.0.2.1:0: Cannot assign requested address")
    with background(Library()) as server:
        code, message = refusal("--listen", server.address)
        assert (code, message) == (1, f"Error: cannot listen on {server.address}: Address already in use")
        taken = Settings(listen=server.address)
        with pytest.raises(OSError, match="Address already in use"), background(Library(), taken):
            pass


def test_addresses() -> None:
    assert split_address("127.0.0.1:0") == ("127.0.0.1", 0)
    assert split_address("[::1]:50051") == ("::1", 50051)
    for host in ("127.0.0.1", "127.8.9.1", "::1", "localhost"):
        assert is_loopback(host)
    for host in ("0.0.0.0", "::", "192.168.0.1", "example.org"):
        assert not is_loopback(host)


def test_the_client_package_is_a_leaf() -> None:
    code = (
        "import sys, cafebrain\n"
        "rooms = {name.partition('.')[0] for name in sys.modules}\n"
        "assert not rooms & {'engines', 'cython_ext', 'solver', 'service', 'server', 'numpy', 'click'}, rooms\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
