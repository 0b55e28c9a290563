"""Puzzles to be solved and what comes of them: the seam between whoever asks and whatever computes.

A Task goes to an Executor, which yields Results as they come: some that improve, then one that is final, for each
task. `solve` is how one task is solved where it runs; LocalExecutor runs it on the cores of this machine. Both
dataclasses are plain values that can be pickled.
"""
from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Protocol

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cython_ext.game import GAME_OVER
from engines.library import Library
from solver.analysis import TREE_BYTES, Control
from solver.closed import play_closed
from solver.positions import Position, decode_state, invalid
from solver.solo import PORTFOLIO, SoloSearch
from solver.solving import Solving

SLICE = 0.5  # seconds from one result of a task to the next, at most; the first ones come sooner
FIRST_SLICE = 0.05


@dataclass(frozen=True)
class Task:
    """One puzzle and what may be spent on it."""

    number: int  # whose result it is; one task at a time has it
    position: bytes  # GameState, serialised: one player, and all that is to come
    rounds: int | None = None  # play only so many of the game's rounds; None: to the end
    closed: bool = False  # play without looking at what is to come
    seed: int = 0
    part: int = 0  # from 0: of several workers at one task, the searches of different parts differ
    threads: int = 1
    seconds: float = math.inf  # of the clock; of a closed task for each move
    nodes: int | None = None  # positions, of a closed task for each move
    members: tuple[str, ...] = ()  # of the portfolio; empty: all
    line: tuple[int, ...] = ()  # the best line known, to begin with; of a closed task the moves made so far
    bound: float = math.inf  # what is proven already


@dataclass(frozen=True)
class Result:
    """What a task has come to. Scores are points."""

    number: int
    score: float | None  # of `line`, scored by the rules; None before the first line, and before a closed game is over
    bound: float | None  # no line scores more; None where nothing is proven, as in closed games
    line: tuple[int, ...]  # move codes from the task's position on
    nodes: int  # positions looked at by this run of the task
    seconds: float  # of the clock, by this run of the task
    phase: str  # what the search is at
    proven: bool  # whether no line can be better
    final: bool  # whether it is the task's last
    stopped: bool = False  # whether the task ended before its time


class Executor(Protocol):
    """Whatever solves tasks: the cores of this machine, or those of others."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results as they come. A task that is begun ends with a final one, unless this iterator is closed."""

    def stop(self) -> None:
        """Let every task that runs end with its best so far and begin no other; from any thread or signal handler."""


def solve(library: Library, task: Task, control: Control | None = None) -> Iterator[Result]:
    """Solve a task here and yield what it has come to: every half second, in a closed game whenever a round begins.

    control: stops the search from another thread, and holds the caller's deadline.
    Raises BrainError where the position is no puzzle.
    """
    message = game_pb2.GameState.FromString(task.position)
    position = decode_state(library, message)
    control = control or Control()
    if task.closed:
        return _play(position, task, control)
    return _search(position, task, control)


def score_of(position: Position, line: Sequence[int]) -> float:
    """Return the points a line ends with, by making its moves.

    Raises BrainError INVALID_ARGUMENT where a move is not legal.
    """
    return points_of(follow(position, line))


def follow(position: Position, line: Sequence[int]) -> Position:
    """Return the position after the moves of a line.

    Raises BrainError INVALID_ARGUMENT where one is not legal.
    """
    state = position.state.copy()
    for index, move in enumerate(line):
        if state.to_move < 0 or move not in state.moves():
            raise invalid(f"line[{index}]", move, "is no legal move there", "INVALID_MOVE")
        state.apply(move)
    return Position(position.entry, state)


def points_of(position: Position) -> float:
    """Return the only player's points as the position stands."""
    if position.state.to_move == GAME_OVER:
        return position.state.returns()[1][0]
    return sum(points for _, points in position.engine.score_items(position.state)[0])


def search_for(position: Position, task: Task) -> SoloSearch:
    """Return the search of an open task, with what is known to begin with.

    Raises BrainError where the position is no puzzle.
    """
    search = SoloSearch(
        position,
        rounds=task.rounds,
        seed=task.seed,
        part=task.part,
        threads=task.threads,
        memory=TREE_BYTES * task.threads,  # as much as a server gives unless configured otherwise
        members=task.members or PORTFOLIO,
    )
    if task.line or task.bound < math.inf:
        search.share(task.line, task.bound)
    return search


def _search(position: Position, task: Task, control: Control) -> Iterator[Result]:
    search = search_for(position, task)
    solving = Solving(position, search, control, task.seconds, math.inf if task.nodes is None else task.nodes)
    ended = False
    while not ended:
        ended = solving.run(min(SLICE, max(FIRST_SLICE, time.monotonic() - solving.started)))
        best, seconds = solving.best, time.monotonic() - solving.started
        yield Result(
            task.number, best.score, best.bound, best.line, best.nodes, seconds, best.phase, best.proven, ended,
            stopped=solving.stop_reason == pb.STOP_REASON_STOPPED,
        )  # fmt: skip


def _play(position: Position, task: Task, control: Control) -> Iterator[Result]:
    after = follow(position, task.line)
    line = list(task.line)
    started = time.monotonic()
    nodes = 0
    turn = position.engine.turn(after.state)
    for move, visits in play_closed(after, task.seconds, task.nodes, task.threads, task.seed + len(line), control):
        line.append(move)
        nodes += visits
        if (now := position.engine.turn(after.state)) != turn:
            turn = now
            yield Result(task.number, None, None, tuple(line), nodes, time.monotonic() - started, turn, False, False)
    over = after.state.to_move == GAME_OVER
    yield Result(
        task.number, points_of(after) if over else None, None, tuple(line), nodes, time.monotonic() - started, turn,
        False, True, stopped=not over,
    )  # fmt: skip


class LocalExecutor:
    """Solves tasks in threads of this process; the searches are native and let each other run.

    workers: tasks at a time.
    """

    def __init__(self, library: Library, workers: int) -> None:
        self._library = library
        self._workers = workers
        self._stopped = False
        self._controls: set[Control] = set()
        self._lock = Lock()

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results as they come."""
        results: SimpleQueue[Result | BaseException | None] = SimpleQueue()
        waiting = iter(tasks)
        threads = [Thread(target=self._work, args=(waiting, results), daemon=True) for _ in range(self._workers)]
        for thread in threads:
            thread.start()
        try:
            working = len(threads)
            while working:
                result = results.get()
                if isinstance(result, BaseException):
                    raise result
                if result is None:
                    working -= 1
                else:
                    yield result
        finally:
            self.stop()
            for thread in threads:
                thread.join()

    def stop(self) -> None:
        """End what runs, begin nothing more."""
        self._stopped = True
        for control in list(self._controls):
            control.stop()

    def _work(self, tasks: Iterator[Task], results: SimpleQueue[Result | BaseException | None]) -> None:
        try:
            while (begun := self._next(tasks)) is not None:
                task, control = begun
                for result in solve(self._library, task, control):
                    results.put(result)
                self._controls.discard(control)
        except BaseException as error:
            results.put(error)
        finally:
            results.put(None)

    def _next(self, tasks: Iterator[Task]) -> tuple[Task, Control] | None:
        with self._lock:
            task = None if self._stopped else next(tasks, None)
        if task is None:
            return None
        control = Control()
        self._controls.add(control)
        if self._stopped:  # since the question above
            control.stop()
        return task, control
