"""Solving on a server: its stream of solutions as the results of tasks."""
from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from queue import SimpleQueue
from threading import Thread

from cafebrain.client import Client
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from engines.library import Library
from solver.durations import MAX_TIME_MS
from solver.positions import decode_state
from solver.solve_jobs import Result, Task, score_of


class ServerExecutor:
    """Solves open tasks on a server, one after the other.

    library: has the tasks' component sets, to check the lines that the server sends.
    """

    def __init__(self, client: Client, library: Library) -> None:
        self._client = client
        self._library = library
        self._stopped = False
        self._answers: SimpleQueue[pb.SolveSoloResponse | BaseException | None] = SimpleQueue()

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results as they come."""
        for task in tasks:
            if self._stopped:
                return
            yield from self._solve(task)

    def stop(self) -> None:
        """End the task that runs with the best that has arrived."""
        self._stopped = True
        self._answers.put(None)

    def _solve(self, task: Task) -> Iterator[Result]:
        # In a thread of its own, so that a signal handler can end the wait for the next answer.
        Thread(target=self._stream, args=(task,), daemon=True).start()
        position = decode_state(self._library, game_pb2.GameState.FromString(task.position))
        score = score_of(position, task.line) if task.line else None
        latest = Result(task.number, score, task.bound, task.line, 0, 0.0, "waiting", False, False)
        while not latest.final:
            answer = self._answers.get()
            if isinstance(answer, BaseException):
                raise answer
            before, latest = latest, replace(latest, final=True, stopped=True)
            if answer is not None:
                latest = _result(answer, before)
            if latest.line != before.line:
                latest = replace(latest, score=score_of(position, latest.line))
            yield latest

    def _stream(self, task: Task) -> None:
        request = pb.SolveSoloRequest(
            task=pb.SoloTask(
                state=game_pb2.GameState.FromString(task.position),
                rounds=task.rounds or 0,
                seed=task.seed,
                budget=pb.SolveBudget(
                    time_ms=0 if task.seconds == math.inf else min(MAX_TIME_MS, max(1, round(1000 * task.seconds))),
                    nodes=task.nodes or 0,
                    threads=task.threads,
                ),
            ),
            timing=True,
        )
        try:
            for answer in self._client.solve_solo(request):
                self._answers.put(answer)
        except Exception as error:  # raised again by who waits for the answers
            self._answers.put(error)


def _result(answer: pb.SolveSoloResponse, before: Result) -> Result:
    """Return an answer as a result; where it is no better, the line is that of the result before."""
    solution = answer.solution
    better = solution.line and (before.score is None or solution.score > before.score)
    return Result(
        number=before.number,
        score=solution.score if better else before.score,
        bound=min(solution.upper_bound, math.inf if before.bound is None else before.bound),
        line=tuple(move.id for move in solution.line) if better else before.line,
        nodes=int(solution.nodes),
        seconds=solution.elapsed_ms / 1000,
        phase=solution.phase,
        proven=solution.proven,
        final=answer.is_final,
        stopped=solution.stop_reason == pb.STOP_REASON_STOPPED,
    )
