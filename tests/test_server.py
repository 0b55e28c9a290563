"""The server as a process: what it prints, its options, how it ends; admission on its own; what the client imports."""
from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner

from cafebrain import BrainError, Client
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceStub
from engines.library import Library
from server import background, is_loopback, serve, split_address
from service.admission import WAITING_PER_PLACE, Admission
from solver.analysis import Control

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
        assert process.communicate(timeout=PATIENCE) == ("", "")
        assert process.returncode == 0


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
    assert "no TLS" in message
    assert "--insecure-public" in message
    code, message = refusal("--listen", "192.0.2.1:0", "--insecure-public")
    assert (code, message) == (1, "Error: cannot listen on 192.0.2.1:0: Cannot assign requested address")
    with background(Library()) as server:
        code, message = refusal("--listen", server.address)
        assert (code, message) == (1, f"Error: cannot listen on {server.address}: Address already in use")
        with pytest.raises(OSError, match="Address already in use"), background(Library(), server.address):
            pass


def test_addresses() -> None:
    assert split_address("127.0.0.1:0") == ("127.0.0.1", 0)
    assert split_address("[::1]:50051") == ("::1", 50051)
    for host in ("127.0.0.1", "127.8.9.1", "::1", "localhost"):
        assert is_loopback(host)
    for host in ("0.0.0.0", "::", "192.168.0.1", "example.org"):
        assert not is_loopback(host)


def test_admission_is_first_come_first_served_and_counts_threads() -> None:
    async def scenario() -> None:
        admission = Admission(2)
        order: list[str] = []

        async def search(name: str, threads: int, release: asyncio.Event) -> None:
            async with admission.place(Control(), threads):
                order.append(name)
                await release.wait()

        def start(name: str, threads: int) -> tuple[asyncio.Task[None], asyncio.Event]:
            release = asyncio.Event()
            return asyncio.create_task(search(name, threads, release)), release

        async def settle() -> None:
            for _ in range(5):
                await asyncio.sleep(0)

        first, first_end = start("first", 1)
        wide, wide_end = start("wide", 64)
        last, last_end = start("last", 0)
        await settle()
        # One place is free, but the wide search is before the last one and takes all there are.
        assert (order, admission.running, admission.waiting) == (["first"], 1, 2)
        first_end.set()
        await settle()
        assert order == ["first", "wide"]
        left, _ = start("left", 1)
        await settle()
        left.cancel()
        wide.cancel()
        last_end.set()
        await asyncio.wait({first, wide, last, left})
        assert order == ["first", "wide", "last"]
        assert not wide_end.is_set()
        assert (admission.running, admission.waiting) == (0, 0)

        # A cancel at the very moment the turn comes gives the places to the next one.
        async with admission.place(Control(), 2):
            gone, _ = start("gone", 2)
            after, after_end = start("after", 2)
            await settle()
        gone.cancel()
        after_end.set()
        await after
        assert order[3:] == ["after"]

        many = [start(f"{index}", 1) for index in range(2 + 2 * WAITING_PER_PLACE)]
        await settle()
        with pytest.raises(BrainError, match="taken") as refusal:
            await search("refused", 1, asyncio.Event())
        assert refusal.value.code == "RESOURCE_EXHAUSTED"
        admission.close()
        for _, end in many:
            end.set()
        results = await asyncio.gather(*(task for task, _ in many), return_exceptions=True)
        assert [getattr(result, "code", None) for result in results] == [None] * 2 + ["UNAVAILABLE"] * (len(many) - 2)

    asyncio.run(scenario())


def test_closing_admission_stops_running_searches() -> None:
    async def scenario() -> None:
        admission = Admission(1)
        control = Control()
        async with admission.place(control, 1):
            admission.close()
            assert control.stopped
        with pytest.raises(BrainError) as refusal:
            async with admission.place(Control(), 1):
                pass
        assert (refusal.value.code, refusal.value.reason) == ("UNAVAILABLE", "SHUTTING_DOWN")

    asyncio.run(scenario())


def test_the_client_package_is_a_leaf() -> None:
    code = (
        "import sys, cafebrain\n"
        "rooms = {name.partition('.')[0] for name in sys.modules}\n"
        "assert not rooms & {'engines', 'cython_ext', 'solver', 'service', 'server', 'numpy', 'click'}, rooms\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
