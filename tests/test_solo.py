"""The solo solver as the layers above use it."""
import threading

import pytest

from cafebrain.errors import BrainError
from cython_ext.rng import Random
from engines.library import Library
from solver.positions import Position
from solver.solo import SoloSearch

ENTRY = Library().entry("cafe", "", "", "set")


def puzzle(seed, expresso=False):
    options = {"open_deck": "true", "expresso": "true" if expresso else "false"}
    return Position(ENTRY, ENTRY.engine.initial(ENTRY.game, 1, options, Random(seed)))


def replay(position, line):
    state = position.state.copy()
    for move in line:
        state.apply(move)  # raises where it is not legal
    return sum(points for _, points in position.engine.score_items(state)[0])


@pytest.mark.parametrize("expresso", [False, True])
@pytest.mark.parametrize("rounds", [1, 2, None])
def test_line_is_legal_and_scored_by_the_engine(expresso, rounds):
    position = puzzle(3, expresso)
    found = SoloSearch(position, rounds=rounds, seed=1).run(0.5)
    assert found.line
    assert replay(position, found.line) == found.score <= found.bound


def test_goes_on_and_only_improves():
    search = SoloSearch(puzzle(4), seed=1)
    first = search.run(0.1)
    second = search.run(0.3)
    assert second.nodes > first.nodes
    assert second.score >= first.score
    assert second.bound <= first.bound


def test_stop_from_another_thread_ends_it():
    search = SoloSearch(puzzle(5), seed=1)
    timer = threading.Timer(0.2, search.stop)
    timer.start()
    assert search.run(3600).score is not None
    timer.join()


def test_takes_over_a_line_and_a_bound():
    position = puzzle(6)
    teacher, pupil = SoloSearch(position, seed=1), SoloSearch(position, seed=2)
    found = teacher.run(0.5)
    pupil.share(found.line, found.score)
    assert pupil.snapshot().score == found.score
    assert pupil.snapshot().proven
    with pytest.raises(BrainError, match="legal"):
        pupil.share([1, 2, 3], found.bound)
    with pytest.raises(BrainError, match="end"):
        pupil.share(found.line[:-1], found.bound)


def test_refuses_what_is_no_puzzle():
    closed = ENTRY.engine.initial(ENTRY.game, 1, {}, Random(1))
    with pytest.raises(BrainError, match="puzzle"):
        SoloSearch(Position(ENTRY, closed))
    other = Library().entry("connect_four", "", "", "set")
    with pytest.raises(BrainError, match="puzzle"):
        SoloSearch(Position(other, other.engine.initial(other.game, 2, {}, Random(1))))
    with pytest.raises(BrainError, match="members"):
        SoloSearch(puzzle(1), members=["luck"])
