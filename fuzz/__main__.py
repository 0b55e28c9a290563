"""Fuzzing: `python -m fuzz` sends a million bad positions through the brain and 100,000 bad requests through a server.

It can be stopped at any time and goes on where it was; --fresh begins anew. What fails is kept in build/fuzz/failures,
and `python -m fuzz FILE...` tries kept files again.
"""
from __future__ import annotations

import argparse
import asyncio
import faulthandler
import hashlib
import importlib.util
import json
import shutil
import signal
import subprocess
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from fuzz import wire
from fuzz.codec import check
from fuzz.mutate import Mutator, good_positions

ROOT = Path(__file__).parent.parent
HOME = ROOT / "build" / "fuzz"
FAILURES = HOME / "failures"
CORPUS = HOME / "corpus"
CHUNK = 10_000  # cases between two notes of the progress
WATCHED = 100  # cases that a hang is looked for in; looking takes longer than most cases
HANG = 60.0  # seconds for these, of the processor's time: another's load is no hang


def keep(name: str, data: bytes, why: str) -> None:
    """Keep a failing case and say why it failed."""
    FAILURES.mkdir(parents=True, exist_ok=True)
    path = FAILURES / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    print(f"FAILED {path.relative_to(ROOT)}\n{why}", file=sys.stderr, flush=True)


def codec_chunk(chunk: int, cases: int) -> tuple[int, int]:
    """Check so many positions; return how many were taken as good, and how many failed."""
    mutator = Mutator(good_positions(chunk % 3), chunk)
    faulthandler.register(signal.SIGPROF, chain=True)  # says where it hangs, and ends the process
    taken = failed = 0
    for index in range(cases):
        data = mutator.state()
        if index % WATCHED == 0:
            signal.setitimer(signal.ITIMER_PROF, HANG)
        try:
            taken += check(data)
        except Exception:
            failed += 1
            keep("codec", data, traceback.format_exc(limit=-4))
    signal.setitimer(signal.ITIMER_PROF, 0)
    return taken, failed


def server_chunk(chunk: int, cases: int) -> int:
    """Send so many requests; return how many failed."""
    log = HOME / "server.log"
    with wire.server(log) as (process, address):
        wrong = asyncio.run(wire.campaign(address, Mutator(good_positions(chunk % 3), 1_000_000 + chunk), cases))
        crashed = process.poll() is not None
        process.terminate()
        ended = process.wait(HANG)
    for status, method, data in wrong:
        keep(f"server-{method}", data, status)
    faults = [line for line in log.read_text().splitlines() if '"level": "error"' in line]
    for line in faults:
        print(line, file=sys.stderr)
    if crashed or ended:
        print(f"FAILED the server ended with {ended}; see {log.relative_to(ROOT)}", file=sys.stderr)
    return len(wrong) + len(faults) + crashed + (ended != 0)


def guided(runs: int) -> int:
    """Let libFuzzer look for new paths; return how many failed."""
    if importlib.util.find_spec("atheris") is None:
        print("guided: left out, atheris is not installed")
        return 0
    CORPUS.mkdir(parents=True, exist_ok=True)
    FAILURES.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "fuzz.guided", str(CORPUS)]
    limits = [f"-artifact_prefix={FAILURES}/guided-", f"-timeout={HANG:.0f}", "-max_len=4096", "-print_final_stats=1"]
    done = subprocess.run([*command, f"-runs={runs}", *limits], cwd=ROOT, capture_output=True, text=True, check=False)
    print("\n".join(line for line in done.stderr.splitlines() if line.startswith("stat::number_of_executed")))
    if done.returncode:
        print(done.stderr[-3000:], file=sys.stderr)
    shrunk = CORPUS.with_name("corpus.small")
    shutil.rmtree(shrunk, ignore_errors=True)
    shrunk.mkdir()
    merge = [*command[:-1], "-merge=1", str(shrunk), str(CORPUS)]
    if subprocess.run(merge, cwd=ROOT, capture_output=True, check=False).returncode == 0:
        shutil.rmtree(CORPUS)
        shrunk.rename(CORPUS)
    return int(done.returncode != 0)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="kept positions to try again")
    parser.add_argument("--codec", type=int, default=1_000_000, metavar="N", help="positions; default 1,000,000")
    parser.add_argument("--server", type=int, default=100_000, metavar="N", help="requests; default 100,000")
    parser.add_argument("--guided", type=int, default=100_000, metavar="N", help="guided positions; default 100,000")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes; default 2")
    parser.add_argument("--fresh", action="store_true", help="begin anew")
    options = parser.parse_args()
    for file in options.files:
        print(file, "taken" if check(file.read_bytes()) else "refused")
    if options.files:
        return
    HOME.mkdir(parents=True, exist_ok=True)
    notes = HOME / "progress.json"
    begin = {"codec": 0, "taken": 0, "server": 0, "guided": 0, "failed": 0}
    done: dict[str, int] = begin if options.fresh or not notes.exists() else json.loads(notes.read_text())

    def note() -> None:
        notes.write_text(json.dumps(done))
        print(time.strftime("%H:%M:%S"), json.dumps(done), flush=True)

    with ProcessPoolExecutor(options.jobs) as pool:
        while (left := options.codec - done["codec"]) > 0:
            sizes = [min(CHUNK, left - index * CHUNK) for index in range(options.jobs) if left > index * CHUNK]
            first = done["codec"] // CHUNK
            for taken, failed in pool.map(codec_chunk, range(first, first + len(sizes)), sizes):
                done["taken"] += taken
                done["failed"] += failed
            done["codec"] += sum(sizes)
            note()
    while (left := options.server - done["server"]) > 0:
        size = min(CHUNK, left)
        done["failed"] += server_chunk(done["server"] // CHUNK, size)
        done["server"] += size
        note()
    if (left := options.guided - done["guided"]) > 0:
        done["failed"] += guided(left)
        done["guided"] += left
        note()
    print(f"{done['codec']:,} positions ({done['taken']:,} of them taken as good), {done['server']:,} requests,"
          f" {done['guided']:,} guided positions: {done['failed']} failed")  # fmt: skip
    sys.exit(done["failed"] > 0)


if __name__ == "__main__":
    main()
