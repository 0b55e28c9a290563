"""Tasks and results of solving: one task, many on this machine's cores, and closed decks."""
from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from engines.library import Library
from solver.brain import Brain
from solver.positions import Position, decode_state, encode_state
from solver.solve_jobs import LocalExecutor, Task, follow, points_of, score_of, solve

LIBRARY = Library()
BRAIN = Brain(LIBRARY)


def puzzle(seed: int, expresso: bool = False) -> bytes:
    options = {"open_deck": "true", "expresso": str(expresso).lower()}
    request = pb.NewGameRequest(game="cafe", players=1, seed=seed, options=options)
    return BRAIN.new_game(request).state.SerializeToString()


def position(task: Task) -> Position:
    return decode_state(LIBRARY, game_pb2.GameState.FromString(task.position))


@pytest.mark.parametrize("expresso", [False, True])
def test_results_improve_and_the_last_is_final(expresso):
    task = Task(3, puzzle(3, expresso), seconds=1.2)
    results = list(solve(LIBRARY, task))
    assert [result.final for result in results] == [False] * (len(results) - 1) + [True]
    assert len(results) >= 2
    for earlier, later in pairwise(results):
        assert earlier.score <= later.score
        assert earlier.bound >= later.bound
        assert earlier.nodes <= later.nodes
    last = results[-1]
    after = follow(position(task), last.line)
    assert last.score == after.state.returns()[1][0] == score_of(position(task), last.line) <= last.bound
    assert not last.stopped


def test_nodes_end_a_task_and_a_line_known_is_kept():
    task = Task(1, puzzle(4), nodes=2000)
    first = list(solve(LIBRARY, task))[-1]
    assert first.nodes >= 2000
    again = list(solve(LIBRARY, replace(task, seed=9, nodes=1, line=first.line, bound=first.bound)))[-1]
    assert again.score >= first.score
    assert again.bound <= first.bound
    assert again.nodes < 2000


def test_a_line_that_is_not_legal_is_refused():
    task = Task(1, puzzle(4), nodes=1)
    with pytest.raises(BrainError, match=r"line\[0\]"):
        score_of(position(task), [1])
    with pytest.raises(BrainError):
        list(solve(LIBRARY, replace(task, line=(1,))))


def test_only_a_puzzle_can_be_solved():
    state = BRAIN.new_game(pb.NewGameRequest(game="connect_four", players=2)).state
    with pytest.raises(BrainError) as caught:
        list(solve(LIBRARY, Task(1, state.SerializeToString(), nodes=1)))
    assert caught.value.code == "INVALID_ARGUMENT"


def test_every_task_of_an_executor_gets_one_final_result():
    tasks = [Task(number, puzzle(number), nodes=500) for number in range(5)]
    finals = [result for result in LocalExecutor(LIBRARY, 2).run(iter(tasks)) if result.final]
    assert sorted(result.number for result in finals) == list(range(5))
    for result in finals:
        assert result.score == score_of(position(tasks[result.number]), result.line)


def test_stop_ends_what_runs_and_begins_nothing_more():
    executor = LocalExecutor(LIBRARY, 2)
    results = []
    for result in executor.run(Task(number, puzzle(number), seconds=600) for number in range(5)):
        results.append(result)
        executor.stop()
    finals = [result for result in results if result.final]
    assert 1 <= len(finals) <= 2
    assert all(result.stopped for result in finals)


def test_an_error_of_a_task_reaches_whoever_asked():
    tasks = [Task(1, puzzle(1), seconds=600), Task(2, puzzle(2), line=(5,))]
    with pytest.raises(BrainError, match=r"line\[0\]"):
        list(LocalExecutor(LIBRARY, 2).run(tasks))


# Closed decks


def test_a_closed_deck_is_played_to_the_end():
    task = Task(1, puzzle(1), closed=True, nodes=20)
    results = list(solve(LIBRARY, task))
    last = results[-1]
    assert last.final
    assert last.score == points_of(follow(position(task), last.line))
    assert last.bound is None
    assert {result.phase for result in results} >= {f"round {number}" for number in range(2, 9)}
    assert list(solve(LIBRARY, task))[-1].line == last.line
    half = last.line[: len(last.line) // 2]
    on = list(solve(LIBRARY, replace(task, line=half)))[-1]
    assert on.line[: len(half)] == half
    assert on.score is not None


def test_moves_of_a_closed_deck_do_not_depend_on_what_is_to_come():
    """Two decks that differ only in cards not yet drawn are played alike as long as the same cards have come."""
    first = position(Task(1, puzzle(1)))
    cards = [card.id for card in first.entry.components.contents.cards]
    fields = first.state.game.read(first.state)
    offer = [cards[card] for card in fields["offer"]]
    rest = [cards[card] for card in fields["deck"]]
    start = cards[fields["areas"][0]["cards"][0][0]]
    lines = []
    for deck in ([*offer, *rest], [*offer, *reversed(rest)]):
        state = first.engine.laid_out(first.state, [start, *deck])
        laid_out = encode_state(Position(first.entry, state)).SerializeToString()
        task = Task(1, laid_out, closed=True, nodes=30, seed=5)
        opened = position(task)
        line = list(solve(LIBRARY, task))[-1].line
        turns = []
        for move in line:
            if opened.engine.turn(opened.state) != "round 1":
                break
            turns.append(move)
            opened.state.apply(move)
        lines.append(turns)
    assert lines[0] == lines[1]
    assert len(lines[0]) > 2

