"""What gRPC costs: a real server in a process of its own on the loopback interface."""
from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from statistics import median, quantiles

import grpc

from bench.echo import METHOD
from bench.measure import ROOT, Figure, Plan, alternate, cores, from_samples, wall_rate
from bench.positions import midgame
from cafebrain.client import Client
from cafebrain.v1 import brain_service_pb2 as pb
from service.errors import SERVICE
from solver.analysis import Control, Limits, analysis_for
from solver.positions import encode_state

CLIENTS = 4
VISITS = (20_000, 100_000)  # of a request: a weak, quick bot's, and about those of a move of TIME_MS
TIME_MS = 200


@contextmanager
def server() -> Iterator[str]:
    """Run a server and give its address."""
    with _process("server", "--listen", "127.0.0.1:0") as address:
        yield address


@contextmanager
def _process(module: str, *options: str) -> Iterator[str]:
    """Run a server in a process of its own and give its address."""
    command = [sys.executable, "-m", module, *options]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=nothing, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().removeprefix("listening on ").strip()
        finally:
            process.terminate()


def figures(plan: Plan) -> Iterator[Figure]:
    """Yield the throughput of four clients beside the bare engine's, and the time of an empty call."""
    with ExitStack() as stack:
        address = stack.enter_context(server())
        clients = [stack.enter_context(Client(address)) for _ in range(CLIENTS)]
        for game, players, visits, least in (
            ("gatto", 3, VISITS[0], None),
            ("gatto", 3, VISITS[1], 0.9),
            ("connect_four", 2, VISITS[0], None),
            ("connect_four", 2, VISITS[1], None),
        ):
            plan.announce(f"{CLIENTS} clients, {game}, {visits:,} visits")
            yield from _throughput(plan, clients, game, players, visits, least)
        plan.announce("empty calls")
        yield Figure("ListGames, median", median(_times(clients[0].list_games, plan.times(2000, 200))), "ms")
        yield from _empty_calls(plan, clients[0])


def _empty_calls(plan: Plan, client: Client) -> Iterator[Figure]:
    """Yield the time of an empty call beside that of a bare gRPC server with an answer of the same size."""
    size = client.get_server_info().ByteSize()
    with ExitStack() as stack:
        echo = stack.enter_context(_process("bench.echo", str(size)))
        repeats = plan.times(200, 50)

        def sampler(address: str, method: str) -> Callable[[], float]:
            channel = stack.enter_context(grpc.insecure_channel(address))
            call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(method)
            return lambda: median(_times(lambda: call(b""), repeats))

        brain, bare = sampler(client.address, f"/{SERVICE}/GetServerInfo"), sampler(echo, METHOD)
        brain(), bare()  # connects
        with_brain, without, ratios = alternate(brain, bare, plan.times(15, 5))
    yield from_samples("empty call, median", with_brain, "ms", note=f"GetServerInfo, {size} bytes")
    yield from_samples("empty call of a bare grpcio server, median", without, "ms")
    yield from_samples("empty call, brain to bare server", ratios, "×", most=1.5, wants_idle=True)


def _throughput(
    plan: Plan, clients: list[Client], game: str, players: int, visits: int, least: float | None
) -> Iterator[Figure]:
    position = midgame(game, players)
    state = encode_state(position)
    requests = max(1, plan.times(10, 3) * VISITS[0] // visits)  # of each client, per sample
    searches = len(clients) * requests
    seeds = count()

    def request() -> pb.SuggestRequest:
        return pb.SuggestRequest(state=state, budget=pb.Budget(visits=visits), seed=next(seeds))

    def ask(client: Client) -> None:
        for _ in range(requests):
            client.suggest(request())

    def search(_: int) -> None:
        analysis_for(position, request(), Control(), Limits(), "").run()

    with ThreadPoolExecutor(len(clients)) as callers, ThreadPoolExecutor(cores()) as engine:

        def served() -> float:
            list(callers.map(ask, clients))
            return searches * visits

        def bare() -> float:
            list(engine.map(search, range(searches)))
            return searches * visits

        served()  # connects
        with_service, without, ratios = alternate(
            lambda: wall_rate(served), lambda: wall_rate(bare), plan.times(15, 3)
        )
    name = f"{game}, {players} players, {visits:,} visits"
    note = f"{len(clients)} clients, each asking again and again"
    yield from_samples(f"{name}, bare engine", without, "visits/s", note=f"{cores()} threads")
    yield from_samples(f"{name}, gRPC", with_service, "visits/s", note=note)
    yield from_samples(f"{name}, gRPC to bare engine", ratios, "×", least=least, wants_idle=True)


def latency_figures(plan: Plan) -> Iterator[Figure]:
    """Yield how much longer than its time budget a suggestion takes."""
    with server() as address, Client(address) as client:
        for game, players in (("gatto", 3), ("connect_four", 2)):
            plan.announce(f"suggestions of {TIME_MS} ms, {game}")
            yield from _overrun(plan, client, game, players)


def _overrun(plan: Plan, client: Client, game: str, players: int) -> Iterator[Figure]:
    state = encode_state(midgame(game, players))
    request = pb.SuggestRequest(state=state, budget=pb.Budget(time_ms=TIME_MS))
    client.suggest(request)  # connects
    over = [taken - TIME_MS for taken in _times(lambda: client.suggest(request), plan.times(100, 10))]
    name = f"{game}, {players} players, beyond {TIME_MS} ms"
    yield Figure(f"{name}, median", median(over), "ms", note=f"{len(over)} calls")
    yield Figure(f"{name}, 99 %", quantiles(over, n=100, method="inclusive")[98], "ms")


def _times(call: Callable[[], object], repeats: int) -> list[float]:
    """Return the milliseconds each of the calls took."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        taken.append(1000 * (time.perf_counter() - start))
    return taken
