"""Who works on what in a cluster: every task ends once, whatever happens to the workers."""
from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.cluster.error import ClusterError
from solver.cluster.schedule import MOST_LOST, Schedule
from solver.solve_jobs import SLICE, Result, Task


def outcome(task, score=None, bound=100.0, line=(), nodes=10, seconds=SLICE, final=False, stopped=False):
    return Result(task.number, score, bound, line, nodes, seconds, "search", proven=False, final=final, stopped=stopped)


def new(workers, *tasks):
    ended = []
    schedule = Schedule(lambda worker, job: ended.append((worker, job)))
    for worker in range(workers):
        schedule.join(worker)
    for task in tasks:
        schedule.add(task)
    return schedule, ended


def test_workers_take_a_task_each_and_keep_to_it():
    schedule, _ = new(2, *(Task(number, b"", seconds=2 * SLICE) for number in (7, 8, 9)))
    assert [(worker, order.task.number) for worker, order in schedule.orders()] == [(0, 7), (1, 8)]
    assert list(schedule.orders()) == []
    schedule.report(1, outcome(Task(8, b"")))
    [(worker, order)] = schedule.orders()
    assert (worker, order.task.number, order.task.seconds) == (1, 8, SLICE)
    assert schedule.report(1, outcome(Task(8, b""))).final
    assert [order.task.number for _, order in schedule.orders()] == [9]


def test_those_at_one_task_do_other_parts_and_share_what_they_find():
    schedule, ended = new(2, Task(1, b"", seed=5, seconds=60.0))
    (_, first), (_, second) = schedule.orders()
    assert first.job == second.job
    assert (first.task.part, second.task.part) == (0, 1)
    assert first.task.seed == second.task.seed == 5
    schedule.report(0, outcome(first.task, 40.0, 90.0, (1, 2)))
    [(_, again)] = schedule.orders()
    told = schedule.report(1, outcome(second.task, 50.0, 95.0, (3, 4)))
    assert (told.score, told.bound, told.line, told.nodes, told.seconds) == (50.0, 90.0, (3, 4), 20, SLICE)
    [(worker, order)] = schedule.orders()
    assert (worker, order.task.line, order.task.bound, order.task.part) == (1, (3, 4), 90.0, 1)
    # One proves that the other's line is best: that ends both at once.
    proven = schedule.report(1, outcome(order.task, 45.0, 50.0, (5,)))
    assert (proven.score, proven.bound, proven.proven, proven.final) == (50.0, 50.0, True, False)
    assert ended == [(0, again.job)]
    last = schedule.report(0, outcome(again.task, 50.0, 70.0, (3, 4)))
    assert (last.line, last.final, last.stopped, last.nodes) == ((3, 4), True, False, 40)
    assert schedule.idle


def test_positions_are_handed_out_once():
    schedule, _ = new(2, Task(1, b"", nodes=1001))
    (_, first), (_, second) = schedule.orders()
    assert (first.task.nodes, second.task.nodes) == (501, 500)
    schedule.report(0, outcome(first.task, nodes=301))  # its time was up before
    [(_, third)] = schedule.orders()
    assert third.task.nodes == 200
    assert not schedule.report(0, outcome(third.task, nodes=200)).final
    assert list(schedule.orders()) == []  # the rest is being looked at
    assert schedule.report(1, outcome(second.task, nodes=500)).final


def test_a_lost_worker_takes_its_slice_with_it_and_nothing_else():
    schedule, _ = new(1, Task(1, b"", nodes=100, seed=3))
    [(_, order)] = schedule.orders()
    schedule.report(0, outcome(order.task, 30.0, 60.0, (1,), nodes=40))
    assert [order.task.nodes for _, order in schedule.orders()] == [60]
    assert list(schedule.lose(0)) == []
    schedule.join(1)
    [(worker, order)] = schedule.orders()
    assert (worker, order.task.nodes, order.task.line, order.task.bound, order.task.part) == (1, 60, (1,), 60.0, 0)
    last = schedule.report(1, outcome(order.task, 20.0, 60.0, (2,), nodes=60))
    assert (last.score, last.line, last.nodes, last.seconds, last.final) == (30.0, (1,), 100, 2 * SLICE, True)


def test_a_task_that_loses_every_worker_is_given_up():
    schedule, _ = new(MOST_LOST, Task(1, b""))
    list(schedule.orders())
    for worker in range(MOST_LOST - 1):
        assert list(schedule.lose(worker)) == []
    with pytest.raises(ClusterError, match="5 workers died"):
        list(schedule.lose(MOST_LOST - 1))


def test_a_closed_game_goes_on_from_its_moves_with_one_worker():
    task = Task(1, b"", closed=True, seconds=1.0, nodes=50)
    schedule, _ = new(2, task)
    [(worker, order)] = schedule.orders()
    assert (worker, order.task) == (0, task)
    schedule.report(0, outcome(task, None, None, (1, 2)))
    [(worker, order)] = schedule.orders()
    assert (worker, order.task) == (0, replace(task, line=(1, 2)))
    assert list(schedule.lose(0)) == []
    [(worker, order)] = schedule.orders()
    assert (worker, order.task) == (1, replace(task, line=(1, 2)))
    last = schedule.report(1, outcome(task, 34.0, None, (1, 2, 3), final=True))
    assert (last.score, last.bound, last.line, last.nodes, last.final) == (34.0, None, (1, 2, 3), 20, True)


def test_stopping_ends_what_runs_and_forgets_what_waits():
    schedule, ended = new(1, Task(1, b"", seconds=60.0), Task(2, b"", seconds=60.0))
    [(_, order)] = schedule.orders()
    assert list(schedule.stop()) == []
    assert ended == [(0, order.job)]
    last = schedule.report(0, outcome(order.task, 30.0, 60.0, (1,), seconds=0.1))
    assert (last.number, last.score, last.final, last.stopped) == (1, 30.0, True, True)
    assert schedule.idle


@settings(deadline=None)
@given(st.data(), st.lists(st.tuples(st.booleans(), st.integers(1, 60)), min_size=1, max_size=6))
def test_every_task_ends_once_and_nothing_is_counted_twice(data, given_tasks):
    schedule, _ = new(0)
    budget = {}
    for number, (closed, size) in enumerate(given_tasks):
        schedule.add(Task(number, b"", closed=closed, nodes=None if closed else size))
        budget[number] = size
    at, counted, finals, moves = {}, dict.fromkeys(budget, 0), {}, dict.fromkeys(budget, 0)
    workers = 0
    for _ in range(400):
        if schedule.idle:
            break
        for worker, order in schedule.orders():
            assert worker not in at
            at[worker] = order
        choice = data.draw(st.integers(0, 9)) if workers else 0
        if choice == 0 and workers < 12:
            schedule.join(workers)
            workers += 1
        elif choice == 1 and at:
            lost = data.draw(st.sampled_from(sorted(at)))
            del at[lost]
            try:
                assert list(schedule.lose(lost)) == []
            except ClusterError:
                return
        elif at:
            worker = data.draw(st.sampled_from(sorted(at)))
            task = at.pop(worker).task
            if task.closed:
                assert len(task.line) == moves[task.number]
                moves[task.number] += 1
                over = moves[task.number] == budget[task.number]
                told = schedule.report(worker, outcome(task, None, None, (0,) * moves[task.number], final=over))
            else:
                done = data.draw(st.integers(1, task.nodes))
                counted[task.number] += done
                assert counted[task.number] <= budget[task.number]
                told = schedule.report(worker, outcome(task, nodes=done))
                assert told.nodes == counted[task.number]
            assert told.number not in finals
            if told.final:
                finals[told.number] = told
    if schedule.idle:
        assert sorted(finals) == sorted(budget)
        assert all(counted[n] == budget[n] for n, (closed, _) in enumerate(given_tasks) if not closed)
