"""Solving what was asked for: tasks to an executor, results to the run folder and to a progress bar."""
from __future__ import annotations

import hashlib
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Any

from cafebrain.v1 import game_pb2
from cafebrain_cli import plots
from cafebrain_cli.exits import Unreachable
from cafebrain_cli.run_folder import Deck, Run, read_run
from cafebrain_cli.solve_server import ServerExecutor
from cafebrain_cli.source import connect, load_library
from engines.library import Library
from solver.brain import VERSION
from solver.cluster.error import ClusterError
from solver.cluster.executor import RayExecutor
from solver.positions import Position, decode_state
from solver.solve_jobs import Executor, LocalExecutor, Result, Task
from solver.solving import gap

KINDS = ("open", "closed")
QUIET_SECONDS = 2.0  # shorter work shows no progress
COMPARED = ("game", "componentSet", "hash", "options")  # settings that open and closed runs of the same decks share


@dataclass(frozen=True)
class Problem:
    """A position to be solved."""

    number: int  # of its deck; 0 for a single one without a seed
    state: game_pb2.GameState
    name: str  # for people
    seeded: bool = False  # whether the number is the seed of the deck
    whole: bool = False  # whether it is the beginning of a game


@dataclass(frozen=True)
class Budget:
    """What a deck may take; of a closed deck, a move."""

    seconds: float
    nodes: int | None


@dataclass(frozen=True)
class Plan:
    """What to do."""

    problems: Sequence[Problem]
    budgets: Mapping[str, Budget]  # by kind, in the order in which they are worked on
    many: bool
    threads: int
    workers: int  # tasks at a time, on this machine
    ray: str | None  # address of the cluster that does the work; None for this machine
    rounds: int | None
    seed: int
    folder: Path | None
    resume: bool
    server: str | None
    files: Sequence[str]


@dataclass
class Outcome:
    """What came of a plan. runs: by kind, those of this plan and the one that an earlier one left in the folder."""

    plan: Plan
    positions: dict[int, Position]
    runs: dict[str, Run] = field(default_factory=dict)
    interrupted: bool = False
    notes: list[str] = field(default_factory=list)

    def decks(self, kind: str) -> list[Deck]:
        """Return the finished decks of a kind that were asked for; a single one also if it was cut short."""
        if kind not in self.runs:
            return []
        known = self.runs[kind].decks
        decks = [known[problem.number] for problem in self.plan.problems if problem.number in known]
        return [deck for deck in decks if deck.done or not self.plan.many]


def work(plan: Plan) -> Outcome:
    """Solve everything; a first interrupt ends it early, a second one at once."""
    library, _ = load_library(plan.files)
    positions = {problem.number: decode_state(library, problem.state) for problem in plan.problems}
    outcome = Outcome(plan, positions)
    with ExitStack() as stack:
        for kind in plan.budgets:
            path = None if plan.folder is None else plan.folder / f"{kind}.jsonl"
            run = outcome.runs[kind] = Run(_settings(plan, kind, positions), path)
            stack.callback(run.close)
            run.open(plan.resume)
            if run.torn:
                outcome.notes.append(f"{path}: a torn last line was dropped")
        if plan.folder is not None:  # what is loaded while the search is at work need not be waited for at its end
            Thread(target=plots.available, daemon=True).start()
        for kind, run in outcome.runs.items():
            if not outcome.interrupted:
                outcome.interrupted = _work_on(run, plan, kind, library)
    if plan.folder is not None:
        for kind in KINDS:
            earlier = None if kind in outcome.runs else read_run(plan.folder / f"{kind}.jsonl")
            if earlier is not None and all(
                earlier.settings.get(key) == run.settings[key] for run in outcome.runs.values() for key in COMPARED
            ):
                outcome.runs[kind] = earlier
    return outcome


def _work_on(run: Run, plan: Plan, kind: str, library: Library) -> bool:
    """Solve what is left to do of a run; return whether a signal ended it."""
    tasks = [task for problem in plan.problems if (task := run.task(_task(plan, kind, problem))) is not None]
    try:
        executor = _executor(plan, library)
        with _stopped_by_signals(executor) as interrupted, _progress(plan, kind, run, len(tasks)) as report:
            for result in executor.run(tasks):
                report(run.note(result))
            return bool(interrupted)
    except ClusterError as error:
        raise Unreachable(str(error)) from error


def _executor(plan: Plan, library: Library) -> Executor:
    """Return what solves the tasks."""
    if plan.ray is not None:
        return RayExecutor(library, plan.ray, plan.threads, [Path(file) for file in plan.files])
    if plan.server is not None:
        return ServerExecutor(connect(plan.server), library)
    return LocalExecutor(library, plan.workers)


def _task(plan: Plan, kind: str, problem: Problem) -> Task:
    budget = plan.budgets[kind]
    return Task(
        number=problem.number,
        position=problem.state.SerializeToString(deterministic=True),
        rounds=plan.rounds,
        closed=kind == "closed",
        seed=plan.seed,
        threads=plan.threads,
        seconds=budget.seconds,
        nodes=budget.nodes,
    )


def _settings(plan: Plan, kind: str, positions: Mapping[int, Position]) -> dict[str, Any]:
    """Return what decides what comes of a deck. Decks with a seed can be added to a run, so they are not in it."""
    first = plan.problems[0]
    position = positions[first.number]
    budget = plan.budgets[kind]
    digest = hashlib.sha256(first.state.SerializeToString(deterministic=True)).hexdigest()
    return {
        "kind": kind,
        "game": position.engine.id,
        "componentSet": position.entry.components.id,
        "hash": position.entry.components.hash,
        "options": position.engine.options_of(position.state),
        "position": None if first.seeded else digest[:16],
        "rounds": plan.rounds,
        "seconds": None if budget.seconds == math.inf else budget.seconds,
        "nodes": budget.nodes,
        "threads": plan.threads,
        "seed": plan.seed,
        "version": VERSION,
        "engineVersion": position.engine.version,
    }


@contextmanager
def _stopped_by_signals(executor: Executor) -> Iterator[list[int]]:
    """Let the first SIGINT or SIGTERM stop an executor, which then ends with its best; a second one interrupts.

    Yields a list that then holds the signal. One that whoever started the process wants ignored stays so.
    """
    received: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(number)
        executor.stop()

    heard = [n for n in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heard}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _progress(plan: Plan, kind: str, run: Run, tasks: int) -> Iterator[Callable[[Deck], None]]:
    """Yield what shows how far a deck has come: on a terminal a bar once the work takes long, elsewhere nothing."""
    if not sys.stderr.isatty() or not tasks:
        yield lambda deck: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    from cafebrain_cli.output import console

    started = time.monotonic()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(20), TaskProgressColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=console(stderr=True), transient=True)
    done = {deck.number: 1.0 for deck in run.decks.values() if deck.done}
    line = bar.add_task("solving", total=float(len(done) + tasks))

    def report(deck: Deck) -> None:
        done[deck.number] = 1.0 if deck.done else _share(deck, plan.budgets[kind])
        bar.update(line, description=_told(deck, plan.many, len(done)), completed=sum(done.values()))
        if time.monotonic() - started >= QUIET_SECONDS:
            bar.start()

    try:
        yield report
    finally:
        bar.stop()


def _share(deck: Deck, budget: Budget) -> float:
    """Return what share of its budget an open deck has had."""
    if deck.last.bound is None:
        return 0.0
    return min(1.0, max(deck.last.seconds / budget.seconds, deck.last.nodes / (budget.nodes or math.inf)))


def _told(deck: Deck, many: bool, begun: int) -> str:
    last: Result = deck.last
    text = f"{begun} decks, deck {deck.number}: " if many else ""
    if last.score is None or last.bound is None:
        return text + ("over, " if last.final else "") + last.phase
    return f"{text}best {last.score:g}, bound {last.bound:g}, gap {100 * gap(last.score, last.bound):.1f} %"


