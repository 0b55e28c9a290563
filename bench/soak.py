"""A server under everything at once: `python -m bench.soak` runs it, hurts it, and says whether it held.

64 clients ask for mixed games in a process of their own, on the loopback interface only: answers that are known, time
budgets, short deadlines, cancels, disconnects, streams, garbage. Another process checks the health service. It stops by
itself after --minutes, of which the first warms up.
"""
from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from urllib.request import urlopen

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bench.measure import BUILD, ROOT, Figure
from bench.positions import variants
from cafebrain.client import AsyncClient
from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from engines.library import Library
from engines.registry import ENGINES
from fuzz.mutate import puzzles
from service.errors import SERVICE
from solver.brain import Brain

CLIENTS = 64
POSITIONS = 12  # of each game, at different depths
FEWER = 4  # of each variant of a game that has several
WARM = 60.0  # seconds
REST = 3.0  # seconds without clients before memory and threads are looked at: trees come and go
PROBE_EVERY = 0.02  # seconds between two health checks
PATIENCE = 60.0  # seconds after which a call without an answer counts as hanging
BATCH_TIMEOUT = 5.0  # seconds: batch searches may wait for as long as interactive ones keep coming


@dataclass
class Tally:
    """What the clients saw."""

    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    lost: int = 0  # deadlines that passed without an answer
    overrun: list[float] = field(default_factory=list)  # ms past a time budget when the answer was complete


@dataclass(frozen=True)
class Known:
    """A request and the only right answer."""

    request: pb.SuggestRequest
    answer: bytes


def known_answers() -> list[Known]:
    """Search positions of all games, in all variants, in this process."""
    brain = Brain(Library())
    found: list[Known] = []
    for game, engine in ENGINES.items():
        for options in variants(game):
            players = engine.min_players
            if options:
                players += len(found) % (engine.max_players + 1 - players)
            new = pb.NewGameRequest(game=game, players=players, options=options, seed=len(found))
            try:
                state = brain.new_game(new).state
            except BrainError:  # options that do not go together, or not with so many players
                continue
            for depth in range(3 * (POSITIONS if len(engine.options) == 0 else FEWER)):
                moves = brain.get_moves(pb.GetMovesRequest(state=state)).moves
                if not moves:
                    state = brain.new_game(new).state
                    continue
                if depth % 3 == 0:
                    request = pb.SuggestRequest(state=state, budget=pb.Budget(visits=200 + 50 * depth), seed=depth)
                    found.append(Known(request, brain.suggest(request).SerializeToString(deterministic=True)))
                choice = pb.MoveChoice(id=moves[depth % len(moves)].id)
                state = brain.apply_move(pb.ApplyMoveRequest(state=state, move=choice, seed=depth)).state
    return found


class Visitor:
    """One client; each method is one thing clients do to a server."""

    def __init__(self, address: str, known: list[Known], tally: Tally, seed: int) -> None:
        self._address = address
        self._known = known
        self._tally = tally
        self._random = random.Random(seed)
        self._client = AsyncClient(address)
        self._acts: list[Callable[[], Awaitable[None]]] = [
            self.known_answer,
            self.known_answer,
            self.small_calls,
            self.time_budget,
            self.short_deadline,
            self.cancel,
            self.disconnect,
            self.stream,
            self.hint,
            self.review,
            self.solve,
            self.job,
            self.garbage,
        ]

    async def run(self, until: float) -> None:
        """Go on until then."""
        while time.monotonic() < until:
            act = self._random.choice(self._acts)
            try:
                async with asyncio.timeout(PATIENCE):
                    await act()
                self._tally.done[act.__name__] += 1
            except BrainError as error:
                self._tally.done[error.reason] += 1
                if error.retry_after is not None:
                    await asyncio.sleep(error.retry_after * self._random.random())
                elif error.code == "DEADLINE_EXCEEDED":
                    self._tally.lost += 1
                else:
                    self._tally.wrong.append(f"{act.__name__}: {error.code} {error.reason}: {error}")
            except TimeoutError:
                self._tally.wrong.append(f"{act.__name__}: no answer after {PATIENCE:g} s")
        await self._client.close()

    def _pick(self) -> Known:
        return self._random.choice(self._known)

    def _search(self, **budget: int) -> pb.SuggestRequest:
        return pb.SuggestRequest(state=self._pick().request.state, budget=pb.Budget(**budget), moves_wanted=3)

    async def known_answer(self) -> None:
        """Search with a known answer."""
        known = self._pick()
        answer = await self._client.suggest(known.request)
        if answer.SerializeToString(deterministic=True) != known.answer:
            self._tally.wrong.append("known_answer: another answer than in this process")

    async def small_calls(self) -> None:
        """Ask for moves, make one, look at the board."""
        state = self._pick().request.state
        moves = (await self._client.get_moves(pb.GetMovesRequest(state=state))).moves
        choice = pb.MoveChoice(id=self._random.choice(moves).id)
        await self._client.apply_move(pb.ApplyMoveRequest(state=state, move=choice, seed=1))
        await self._client.show_board(pb.ShowBoardRequest(state=state))

    async def time_budget(self) -> None:
        """Search for a time."""
        milliseconds = self._random.randrange(20, 200)
        request = self._search(time_ms=milliseconds)
        request.timing = True
        suggestion = (await self._client.suggest(request)).suggestion
        if suggestion.stop_reason == pb.STOP_REASON_TIME:
            self._tally.overrun.append(suggestion.elapsed_ms - milliseconds)

    async def short_deadline(self) -> None:
        """Search under a deadline."""
        await self._client.suggest(self._search(time_ms=60_000), timeout=self._random.uniform(0.1, 0.6))

    async def cancel(self) -> None:
        """Cancel a search that runs."""
        request = pb.AnalyzeRequest(suggest=self._search(time_ms=60_000), report_interval_ms=10)
        async with aclosing(self._client.analyze(request)) as answers:
            await anext(answers)  # now it runs

    async def disconnect(self) -> None:
        """Cut a connection with a search on it."""
        channel = grpc.aio.insecure_channel(self._address)
        request = self._search(time_ms=60_000).SerializeToString()
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/Suggest")
        call = method(request)
        await asyncio.sleep(self._random.uniform(0, 0.3))
        await channel.close()
        call.cancel()

    async def stream(self) -> None:
        """Search many positions over one stream and end it early."""
        ids = [str(index) for index in range(self._random.randrange(1, 8))]

        async def requests() -> AsyncIterator[pb.AnalyzeManyRequest]:
            for id_ in ids:
                analyze = pb.AnalyzeRequest(suggest=self._search(visits=self._random.randrange(1, 2000)))
                query = pb.AnalyzeQuery(id=id_, analyze=analyze, report=True, priority=self._random.randrange(3))
                yield pb.AnalyzeManyRequest(query=query)
            await asyncio.sleep(self._random.uniform(0, 0.5))
            yield pb.AnalyzeManyRequest(terminate=pb.Terminate(all=True))

        finals: Counter[str] = Counter()
        async for answer in self._client.analyze_many(requests()):
            finals[answer.id] += answer.is_final
        if finals != Counter(ids):
            self._tally.wrong.append(f"stream: finals {dict(finals)} of {len(ids)} queries")

    async def solve(self) -> None:
        """Solve a puzzle over a stream, to its end or not."""
        task = pb.SoloTask(state=self._random.choice(puzzles()), budget=pb.SolveBudget(time_ms=300))
        finals = 0
        request = pb.SolveSoloRequest(task=task, report_interval_ms=50)
        async with aclosing(self._client.solve_solo(request, timeout=BATCH_TIMEOUT)) as answers:
            async for answer in answers:
                finals += answer.is_final
                if self._random.random() < 0.1:
                    return
        if finals != 1:
            self._tally.wrong.append(f"solve: {finals} final answers")

    async def job(self) -> None:
        """Start a job, look at it, end it."""
        task = pb.SoloTask(state=self._random.choice(puzzles()), budget=pb.SolveBudget(time_ms=60_000))
        job = (await self._client.start_solve(pb.StartSolveRequest(task=task))).job
        await asyncio.sleep(self._random.uniform(0, 2))
        await self._client.get_solve(pb.GetSolveRequest(job_id=job.id))
        ended = (await self._client.cancel_solve(pb.CancelSolveRequest(job_id=job.id))).job
        if ended.state not in (pb.JOB_STATE_CANCELLED, pb.JOB_STATE_DONE):
            self._tally.wrong.append(f"job: {pb.JobState.Name(ended.state)} after its end")

    async def hint(self) -> None:
        """Ask for help."""
        grade = self._random.choice(pb.HintGrade.values())
        language = self._random.choice(("en", "de"))
        budget = pb.Budget(visits=self._random.randrange(1, 1000))
        state = self._pick().request.state
        await self._client.hint(pb.HintRequest(state=state, grade=grade, language=language, budget=budget))

    async def review(self) -> None:
        """Have a move and the draws after it reviewed; half of the time leave before the end."""
        state = self._pick().request.state
        moves = (await self._client.get_moves(pb.GetMovesRequest(state=state))).moves
        step = pb.MoveChoice(id=self._random.choice(moves).id)
        applied = await self._client.apply_move(pb.ApplyMoveRequest(state=state, move=step, seed=1))
        steps = [step, *(pb.MoveChoice(id=draw.id) for draw in applied.draws)]
        budget = pb.Budget(visits=self._random.randrange(1, 500))
        request = pb.ReviewGameRequest(state=state, steps=steps, budget=budget)
        count = 0
        async with aclosing(self._client.review_game(request, timeout=BATCH_TIMEOUT)) as answers:
            if self._random.random() < 0.5:
                await anext(answers)
                return
            async for _ in answers:
                count += 1
        if count != len(steps) + 1:
            self._tally.wrong.append(f"review: {count} answers for {len(steps)} steps")

    async def garbage(self) -> None:
        """Send spoilt bytes."""
        good = self._pick().request.SerializeToString()
        bad = bytearray(good)
        for _ in range(self._random.randrange(1, 8)):
            bad[self._random.randrange(len(bad))] = self._random.randrange(256)
        name = self._random.choice(("GetMoves", "ShowBoard", "ApplyMove", "GetComponents", "NewGame"))
        raw = self._random.choice((bytes(bad), self._random.randbytes(200)))
        channel = grpc.aio.insecure_channel(self._address)
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/{name}")
        try:
            await method(raw, timeout=PATIENCE)
        except grpc.aio.AioRpcError as error:
            if error.code().name not in ("INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"):
                self._tally.wrong.append(f"garbage: {error.code().name}: {error.details()}")
        finally:
            await channel.close()


@contextmanager
def server(log: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Run a server; give it, its address and the URL of its metrics."""
    jobs = log.with_name("soak.sqlite")
    for path in (jobs, jobs.with_name("soak.sqlite-wal")):
        path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "server", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]
    command += ["--jobs-file", str(jobs), "--max-jobs", str(CLIENTS)]
    with (
        log.open("w") as errors,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        assert process.stdout is not None
        try:
            address, metrics_url = (process.stdout.readline().split()[-1] for _ in range(2))
            yield process, address, metrics_url
        finally:
            process.terminate()


def resident(pid: int) -> int:
    """Return the bytes of memory a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def threads(pid: int) -> int:
    """Return the threads of a process."""
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


async def soak(address: str, seconds: float, known: list[Known], tally: Tally) -> None:
    """Let all clients loose."""
    until = time.monotonic() + seconds
    visitors = [Visitor(address, known, tally, seed) for seed in range(CLIENTS)]
    await asyncio.gather(*(visitor.run(until) for visitor in visitors))


def at_rest(pid: int) -> tuple[int, int]:
    """Return the memory and the threads of a process once all searches are over."""
    time.sleep(REST)
    return resident(pid), threads(pid)


def probe(address: str, seconds: float) -> None:
    """Check the health service again and again; print the milliseconds each check took, and each sleep too long.

    The latter tells how busy the machine is: nothing of the server is in it.
    """
    taken, slept = [], []
    until = time.monotonic() + seconds
    with grpc.insecure_channel(address) as channel:
        check = health_pb2_grpc.HealthStub(channel).Check  # type: ignore[attr-defined] # not in its stubs
        request = health_pb2.HealthCheckRequest(service=SERVICE)
        while time.monotonic() < until:
            start = time.perf_counter()
            check(request, timeout=PATIENCE)
            taken.append(1000 * (time.perf_counter() - start))
            start = time.perf_counter()
            time.sleep(PROBE_EVERY)
            slept.append(1000 * (time.perf_counter() - start - PROBE_EVERY))
    print(json.dumps([taken, slept]))


def within(metrics: str, name: str, bound: float) -> tuple[float, int]:
    """Return the share of a histogram's values up to a bound, and how many values it has."""
    found = re.findall(rf'^cafebrain_{name}_bucket{{le="([^"]+)"}} (\S+)$', metrics, re.MULTILINE)
    counts = {float(le): float(count) for le, count in found}
    total = counts[float("inf")]
    return (counts[bound] / total if total else 1.0), int(total)


def p99(values: list[float]) -> float:
    """Return the 99th percentile."""
    return quantiles(values, n=100, method="inclusive")[98]


def run(minutes: float) -> list[Figure]:
    """Soak a server and return the figures."""
    BUILD.mkdir(parents=True, exist_ok=True)
    log = BUILD / "soak.log"
    known = known_answers()
    seconds = 60 * minutes
    warm = min(WARM, seconds / 3)
    with server(log) as (process, address, metrics_url):
        tally = Tally()
        asyncio.run(soak(address, warm, known, tally))
        memory, threads_then = at_rest(process.pid)
        prober = subprocess.Popen(
            [sys.executable, "-m", "bench.soak", "--probe", address, "--minutes", str(minutes - warm / 60)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        asyncio.run(soak(address, seconds - warm, known, tally))
        health, slept = json.loads(prober.communicate(timeout=PATIENCE)[0])
        memory_now, threads_now = at_rest(process.pid)
        with urlopen(metrics_url) as answer:
            metrics = answer.read().decode()
        crashed = process.poll() is not None
        process.terminate()
        drained = process.wait(PATIENCE)
    faults = [line for line in log.read_text().splitlines() if '"level": "error"' in line]
    for line in [*tally.wrong[:10], *faults[:10]]:
        print(line[:500], file=sys.stderr)
    cancels, cancelled = within(metrics, "cancel_seconds", 0.01)
    overruns, overran = within(metrics, "overrun_seconds", 0.01)
    acts = ", ".join(f"{name} {count}" for name, count in sorted(tally.done.items()))
    return [
        Figure("clients", CLIENTS, note=f"{minutes:g} minutes; load average {os.getloadavg()[0]:.1f}"),
        Figure("done", sum(tally.done.values()), note=acts),
        Figure("wrong answers and hangs", len(tally.wrong), most=0),
        Figure("faults in the log", len(faults), most=0),
        Figure("crashes", int(crashed), most=0),
        Figure("exit code after SIGTERM", drained, most=0),
        Figure("deadlines that passed without an answer", tally.lost, note="of short_deadline"),
        Figure("memory at the end to after the first minute", memory_now / memory, "×", most=1.05,
               note=f"{memory / 2**20:.1f} MiB, then {memory_now / 2**20:.1f} MiB, both at rest"),
        Figure("threads more than before", threads_now - threads_then, most=0),
        Figure("health check, 99 %", p99(health), "ms", most=50, note=f"{len(health)} checks"),
        Figure("a bare process wakes up late by, 99 %", p99(slept), "ms", note="the machine, not the server"),
        Figure("time budget to complete answer, 99 %", p99(tally.overrun), "ms", most=10,
               note=f"{len(tally.overrun)} searches"),
        Figure("searches ended within 10 ms of their deadline", 100 * overruns, "%", least=99,
               note=f"{overran} searches"),
        Figure("cancels that ended the search within 10 ms", 100 * cancels, "%", least=99,
               note=f"{cancelled} cancels"),
    ]  # fmt: skip


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=9.0, help="how long; default 9")
    parser.add_argument("--probe", metavar="ADDRESS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        probe(options.probe, 60 * options.minutes)
        return
    missed = False
    for figure in run(options.minutes):
        value = f"{figure.value:.2f}" if isinstance(figure.value, float) else figure.value
        missed |= figure.met is False
        mark = {None: "", True: "  ok", False: "  MISSED"}[figure.met]
        print(f"{figure.name}: {value} {figure.unit}{mark}" + (f"  ({figure.note})" if figure.note else ""))
    sys.exit(missed)


if __name__ == "__main__":
    main()
