"""What one worker of a cluster does, apart from Ray."""
from __future__ import annotations

from dataclasses import replace
from threading import Timer

import pytest

from cafebrain.v1 import brain_service_pb2 as pb
from engines.library import Library
from solver.brain import Brain
from solver.cluster.schedule import Order
from solver.cluster.worker import Worker
from solver.solve_jobs import LocalExecutor, Task

LIBRARY = Library()


def puzzle(seed):
    request = pb.NewGameRequest(game="cafe", players=1, seed=seed, options={"open_deck": "true"})
    return Brain(LIBRARY).new_game(request).state.SerializeToString()


def test_a_slice_goes_on_where_the_last_one_ended_and_counts_for_itself():
    worker = Worker()
    task = Task(1, puzzle(1), seconds=60.0, nodes=300)
    first = worker.work(Order(1, task))
    second = worker.work(Order(1, task))
    whole = Worker().work(Order(1, replace(task, nodes=first.nodes + second.nodes)))
    assert first.nodes >= 300
    assert second.nodes >= 300
    assert second.score >= first.score
    assert (whole.score, whole.line) == (second.score, second.line)


def test_a_slice_begins_with_what_others_found():
    [*_, best] = LocalExecutor(LIBRARY, 1).run([Task(1, puzzle(1), seed=9, nodes=20_000)])
    worker = Worker()
    task = Task(1, puzzle(1), seconds=60.0, nodes=1)
    worker.work(Order(1, task))
    told = worker.work(Order(1, replace(task, line=best.line, bound=best.score + 1)))
    assert told.score >= best.score
    assert told.bound <= best.score + 1


@pytest.mark.parametrize("closed", [False, True])
def test_ending_a_job_ends_its_slice_whether_running_or_to_come(closed):
    task = Task(1, puzzle(1), closed=closed, seconds=3000.0)
    worker = Worker()
    timer = Timer(0.3, worker.end, [1])
    timer.start()
    worker.work(Order(1, task))  # for hours unless it is ended
    timer.join()
    worker.end(2)
    worker.work(Order(2, task))
    other = worker.work(Order(3, replace(task, seconds=0.05)))
    assert other.nodes > 0
