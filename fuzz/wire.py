"""Bad requests through a real server: each gets an answer or a refusal that is meant, and the server lives on."""
from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc.aio

from fuzz.mutate import Mutator
from service.errors import SERVICE
from service.settings import MESSAGE_BYTES

ROOT = Path(__file__).parent.parent
AT_ONCE = 16
PATIENCE = 30.0  # seconds after which a call counts as hanging
MEANT = ("OK", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "NOT_FOUND", "ALREADY_EXISTS")


async def send(channel: grpc.aio.Channel, method: str, data: bytes) -> str:
    """Make one call and return the name of its status."""
    path = f"/{SERVICE}/{method}"
    try:
        if method == "AnalyzeMany":
            both: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(path)
            async for _ in both(iter([data]), timeout=PATIENCE):
                pass
        elif method in ("Analyze", "ReviewGame", "SolveSolo"):
            many: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream(path)
            async for _ in many(data, timeout=PATIENCE):
                pass
        else:
            one: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(path)
            await one(data, timeout=PATIENCE)
    except grpc.aio.AioRpcError as error:
        return error.code().name
    return "OK"


async def campaign(address: str, mutator: Mutator, cases: int) -> list[tuple[str, str, bytes]]:
    """Send so many bad requests; return status, method and bytes of those that got what they should not."""
    wrong: list[tuple[str, str, bytes]] = []
    left = cases

    async with grpc.aio.insecure_channel(address) as channel:

        async def worker() -> None:
            nonlocal left
            while left > 0:
                left -= 1
                method, data = mutator.request()
                status = await send(channel, method, data)
                too_large = status == "RESOURCE_EXHAUSTED" and len(data) > MESSAGE_BYTES
                if status not in MEANT and not too_large:
                    wrong.append((status, method, data))

        await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    return wrong


@contextmanager
def server(log: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server; give it and its address, and end it unless that is done already."""
    jobs = log.with_name("jobs.sqlite")
    for path in (jobs, jobs.with_name("jobs.sqlite-wal")):
        path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "server", "--listen", "127.0.0.1:0", "--queue", "1000", "--searches", "4"]
    command += ["--jobs-file", str(jobs), "--max-jobs", "10000"]
    with (
        log.open("w") as errors,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().split()[-1]
        finally:
            process.kill()
