"""The solo solver as the layers above use it, and its members."""
import math
import threading
from statistics import fmean

import pytest

from cafebrain.errors import BrainError
from cython_ext.beam import Beam
from cython_ext.game import GAME_OVER
from cython_ext.rng import Random
from cython_ext.solo import Puzzle
from engines.library import Library
from solver.positions import Position
from solver.solo import MEMBERS, SoloSearch
from solver.solo_members import BeamMember, Budget, Team

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
    found = SoloSearch(position, rounds=rounds, seed=1).run(60, nodes=50_000)
    assert found.line
    assert replay(position, found.line) == found.score <= found.bound


@pytest.mark.parametrize("expresso", [False, True])
def test_positions_that_are_alike_do_not_mix_up_lines(expresso):
    """A narrow beam drops a position and takes another one that is alike; deck 18 then led to a line of neither."""
    for seed in range(10, 25):
        position = puzzle(seed, expresso)
        found = SoloSearch(position, seed=seed).run(60, nodes=3000)
        assert replay(position, found.line) == found.score


def test_goes_on_and_only_improves():
    search = SoloSearch(puzzle(4), seed=1)
    first = search.run(60, nodes=30_000)
    second = search.run(60, nodes=30_000)
    assert second.nodes > first.nodes
    assert second.score >= first.score
    assert second.bound <= first.bound


@pytest.mark.parametrize("seed", [0, 1 << 24, (1 << 32) - 1])
def test_takes_every_seed(seed):
    found = SoloSearch(puzzle(4), seed=seed, threads=2).run(60, nodes=1000)
    assert found.line


def test_stop_from_another_thread_ends_it():
    search = SoloSearch(puzzle(5), seed=1)
    timer = threading.Timer(0.2, search.stop)
    timer.start()
    search.run(3600)
    timer.join()


def test_takes_over_a_line_and_a_bound():
    position = puzzle(6)
    teacher, pupil = SoloSearch(position, seed=1), SoloSearch(position, seed=2)
    found = teacher.run(60, nodes=50_000)
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


def test_begins_in_mid_turn():
    position = puzzle(7, expresso=True)
    state = position.state.copy()
    dice = Random(1)
    for _ in range(60):  # at every step of the first rounds, an open action included
        found = SoloSearch(Position(ENTRY, state.copy()), rounds=1, seed=1).run(60, nodes=20_000)
        assert replay(Position(ENTRY, state), found.line) == found.score
        state.random_step(dice)
        if state.to_move == GAME_OVER:
            break


def test_threads_and_members():
    position = puzzle(8)
    for member in MEMBERS:
        found = SoloSearch(position, seed=1, threads=2, members=[member]).run(
            5 if member == "bound" else 60, nodes=100_000
        )
        assert found.phase.startswith((member, "beam") if member == "neighbourhood" else member)
        assert found.nodes >= (100 if member == "bound" else 50_000)  # the bound's are cards taken, not positions
        assert found.score is None or replay(position, found.line) == found.score


def test_the_clock_has_no_say_where_only_positions_are_limited():
    """However often it is looked at meanwhile, in slices of what the clock gives."""
    position = puzzle(7)
    answers = []
    for seconds in (math.inf, 0.01, 0.03):
        search = SoloSearch(position, seed=5)
        found = search.run(seconds, nodes=300_000, later=math.inf)
        while found.nodes < 300_000:
            found = search.run(seconds, nodes=300_000 - found.nodes, later=math.inf)
        answers.append((found.score, found.bound, found.line, found.nodes))
    assert answers[0] == answers[1] == answers[2]


def test_same_nodes_same_answer():
    position = puzzle(9)
    first, second = (SoloSearch(position, seed=5).run(60, nodes=200_000) for _ in range(2))
    assert first == second


def test_slices_reach_what_one_run_does():
    position = puzzle(9)
    sliced = SoloSearch(position, seed=5)
    for _ in range(10):
        sliced.run(60, nodes=20_000)
    whole = SoloSearch(position, seed=5).run(60, nodes=200_000)
    assert abs(sliced.snapshot().nodes - whole.nodes) < 20_000
    assert sliced.snapshot().score == whole.score


def widest_finished(planned, nodes):
    member = BeamMember(Puzzle(puzzle(9).state), Team(1, 0, 0, 1 << 28))
    finished = 0
    while nodes > 0:
        width = member.phase
        nodes -= member.turn(math.inf, min(nodes, 1 << 14), None, Budget(math.inf, nodes if planned else math.inf))
        if member.phase != width and nodes > 0:
            finished = max(finished, int(width.removeprefix("beam, width ")))
    return finished


def test_a_known_budget_is_planned_with():
    """Beams of 4, 8, 16 ... leave half of the budget and more to one that does not come to its end."""
    budgets = (300_000, 500_000, 700_000)
    planned, plain = (sum(widest_finished(planned, nodes) for nodes in budgets) for planned in (True, False))
    assert planned > 1.4 * plain


def test_parts_of_a_search_do_not_repeat_each_other():
    position = puzzle(10)
    lines = {SoloSearch(position, seed=3, part=part).run(60, nodes=100_000).line for part in range(3)}
    assert len(lines) == 3


@pytest.mark.parametrize("expresso", [False, True])
def test_beams_in_slices_are_the_same_beams(expresso):
    whole = Beam(Puzzle(puzzle(11, expresso).state))
    whole.begin(20, 10, 1.0, 5)
    assert whole.run(math.inf, 1 << 40)
    sliced = Beam(Puzzle(puzzle(11, expresso).state))
    sliced.begin(20, 10, 1.0, 5)
    size = 997
    while not sliced.run(math.inf, size):
        assert sliced.nodes % size == 0  # never one more than it was allowed
    assert (sliced.nodes, sliced.best, sliced.line) == (whole.nodes, whole.best, whole.line)


def test_a_beam_narrowed_looks_at_less():
    nodes = []
    for width in (100, 10):
        beam = Beam(Puzzle(puzzle(12).state))
        beam.begin(100, 10, 0.0, 0)
        beam.run(math.inf, 5000)
        beam.narrow(width)
        assert beam.run(math.inf, 1 << 40)
        assert replay(puzzle(12), beam.line) == beam.best
        nodes.append(beam.nodes)
    assert nodes[1] < nodes[0] / 4


def test_beams_aim_at_the_end_of_a_shortened_puzzle():
    """They reach more by then than lines of a whole game have; without being told the end it is 5 points, not 11."""
    more = []
    for seed in range(12):
        root = puzzle(seed).state
        short, whole = Beam(Puzzle(root, 5)), Beam(Puzzle(root))
        for beam in (short, whole):
            beam.begin(30, 12, 0.0, 0)
            assert beam.run(math.inf, 1 << 40)
        state = root.copy()
        for move in whole.line:
            if ENTRY.game.read(state)["round"] > 5:
                break
            state.apply(move)
        more.append(short.best - ENTRY.game.score(state)[0]["total"])
    assert fmean(more) > 8


@pytest.mark.parametrize("member", ["nrpa", "mcts"])
def test_other_members_solve_an_ending(member):
    """The last two actions, as a beam solves them that drops nothing."""
    dice, solved = Random(1), 0
    for seed in range(12):
        state = puzzle(seed).state.copy()
        fields = ENTRY.game.read(state)
        while state.to_move >= 0 and (fields["round"], fields["actions"], fields["open"]) != (8, 2, 0):
            state.playout_step(dice)
            fields = ENTRY.game.read(state)
        if state.to_move == GAME_OVER:
            continue
        beam = Beam(Puzzle(state))
        beam.begin(10_000, BeamMember.EFFORT, 0.0, 0)
        assert beam.run(math.inf, 1 << 40)
        position = Position(ENTRY, state)
        found = SoloSearch(position, seed=seed, members=[member]).run(60, nodes=100_000)
        assert replay(position, found.line) == found.score == beam.best
        solved += 1
    assert solved > 6
