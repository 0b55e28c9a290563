"""Searches around the best line of a puzzle."""
import math
from itertools import pairwise
from statistics import fmean

import pytest

from cython_ext.beam import Beam
from cython_ext.solo import Puzzle
from solver import solo_members
from solver.neighbourhood import Neighbourhood
from solver.solo import SoloSearch
from solver.solo_members import Best, Budget, NeighbourhoodMember, Team, luby
from tests.test_solo import ENTRY, puzzle, replay

WHOLE = 1 << 40


def cards(position, line):
    """The cards laid on the way, without the start card: as the engine reads them."""
    state = position.state.copy()
    for move in line:
        state.apply(move)
    return ENTRY.game.read(state)["areas"][0]["cards"][1:]


def beam_line(position, width, seed, decided=None):
    beam = Beam(Puzzle(position.state))
    beam.begin(width, 24, 1.0, seed, decided)
    assert beam.run(math.inf, WHOLE)
    return beam.best, beam.line


@pytest.mark.parametrize("expresso", [False, True])
def test_a_beam_keeps_to_decisions(expresso):
    """All cards as before, or all but the fifth and sixth. Where those lie elsewhere the later ones may not fit."""
    found, differ = 0, 0
    for seed in range(8):
        position = puzzle(seed, expresso)
        _, line = beam_line(position, 20, 1)
        decided = Puzzle(position.state).decisions(line)
        assert list(decided) == list(range(1, len(cards(position, line)) + 1))
        same = cards(position, line)
        _, other = beam_line(position, 40, 2, decided)
        assert cards(position, other) == same
        free = {number: decided[number] for number in decided if number not in (5, 6)}
        best, other = beam_line(position, 60, 2, free)
        if best is not None:
            found += 1
            laid = cards(position, other)
            assert laid[:4] + laid[6:] == same[:4] + same[6:]
            differ += laid[4:6] != same[4:6]
        _, other = beam_line(position, 40, 2)
        assert cards(position, other) != same  # a beam that is free goes elsewhere
    assert found >= 4
    assert differ >= 2


def test_a_line_begins_a_round_eight_times():
    position = puzzle(1)
    _, line = beam_line(position, 10, 1)
    begun = Puzzle(position.state).rounds_of(line)
    assert [ENTRY.game.read(state)["round"] for _, state in begun] == list(range(1, 9))
    assert all(not ENTRY.game.read(state)["taken"] for _, state in begun)
    assert begun[0][0] == 0
    assert all(earlier < later for (earlier, _), (later, _) in pairwise(begun))
    replayed = position.state.copy()
    for move in line[: begun[4][0]]:
        replayed.apply(move)
    assert bytes(replayed) == bytes(begun[4][1])


def test_the_rest_of_a_puzzle_ends_where_it_does():
    position = puzzle(2)
    _, line = beam_line(position, 10, 1)
    whole = Puzzle(position.state, 5)
    (_, third), (_, sixth) = (Puzzle(position.state).rounds_of(line)[i] for i in (2, 5))
    assert whole.rest(third).rounds == 3
    with pytest.raises(ValueError, match="over"):
        whole.rest(sixth)


@pytest.mark.parametrize("expresso", [False, True])
def test_lines_get_better_and_are_legal(expresso):
    """From the line of the rules of thumb on; the score is the engine's."""
    better = []
    for seed in range(4):
        position = puzzle(seed, expresso)
        line = SoloSearch(position).run(0).line
        score = replay(position, line)
        around = Neighbourhood(Puzzle(position.state), seed)
        around.begin(score, line)
        known = score
        for _ in range(40):
            assert around.turn(math.inf, 1000, 20, 24, 1.0) == 1000
            assert around.score >= known
            assert replay(position, around.line) == around.score
            known = around.score
        better.append(known - score)
    assert min(better) > 0
    assert fmean(better) > 10


def test_turns_cut_short_come_to_the_same():
    answers = []
    for size in (20_000, 997):
        position = puzzle(5)
        around = Neighbourhood(Puzzle(position.state), 7)
        line = SoloSearch(position).run(0).line
        around.begin(replay(position, line), line)
        left = 20_000
        while left:
            left -= around.turn(math.inf, min(size, left), 12, 24, 1.0)
        answers.append((around.score, around.line))
    assert answers[0] == answers[1]


def test_stopped_it_looks_at_nothing():
    position = puzzle(5)
    line = SoloSearch(position).run(0).line
    around = Neighbourhood(Puzzle(position.state), 7)
    around.begin(replay(position, line), line)
    around.stop()
    assert around.turn(math.inf, 1000, 12, 24, 1.0) == 0


def stages(member, nodes, known):
    """Run a member; return the widths of its beams, and positions looked at in each beam and around its line."""
    widths, spent, left = [], [], nodes
    while left:
        kind, width = member.phase.split(", width ")
        if kind == "beam" and (not widths or len(spent[-1]) == 2):
            widths.append(int(width))
            spent.append([0])
        elif kind == "neighbourhood" and len(spent[-1]) == 1:
            spent[-1].append(0)
        looked = member.turn(math.inf, min(left, 4096), Best(None, ()), Budget(math.inf, left if known else math.inf))
        spent[-1][-1] += looked
        left -= looked
    return widths, spent


def test_three_positions_of_four_are_around_the_line_of_a_beam():
    widths, spent = stages(NeighbourhoodMember(Puzzle(puzzle(9).state), Team(1, 0, 0, 1 << 28)), 600_000, False)
    assert widths == [4, 16, 64, 256]
    assert len(spent[-2]) == 2  # the last one is in progress
    assert all(around == 3 * beam for beam, around in spent[:-1])


@pytest.mark.parametrize("nodes", [100_000, 300_000, 1_200_000])
def test_a_known_budget_is_used_up_around_a_wide_beam_s_line(nodes):
    _, spent = stages(NeighbourhoodMember(Puzzle(puzzle(9).state), Team(1, 0, 0, 1 << 28)), nodes, True)
    beam, around = spent[-1]
    assert 0.7 < around / (beam + around) < 0.85
    assert beam + around > nodes / 2


class Clock:
    """Stands for the module time: every look at it takes 2 ms, and nothing else does."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        self.now += 0.002
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(solo_members, "time", clock)
    return clock


def test_a_pause_does_not_count(clock):
    """Between two turns others may be at work; the widths follow the time the member has itself."""
    member = NeighbourhoodMember(Puzzle(puzzle(9).state), Team(1, 0, 0, 1 << 28))
    member.turn(math.inf, 1000, Best(None, ()), Budget(60, math.inf))
    clock.now += 100
    widths, end = set(), clock.now + 0.5
    while clock.now < end:
        member.turn(math.inf, 4096, Best(None, ()), Budget(end, math.inf))
        widths.add(int(member.phase.split(", width ")[1]))
    assert max(widths) > 16


def test_counts_on_its_part_of_the_time(clock):
    """Another member takes nine parts of ten: there must be time left around the line of the last beam."""
    for seconds in (0.5, 0.7, 1.0, 1.4, 2.0):
        member = NeighbourhoodMember(Puzzle(puzzle(9).state), Team(2, 0, 0, 1 << 28))
        left = seconds
        while left > 0:
            began = clock.now
            member.turn(math.inf, 4096, Best(None, ()), Budget(began + left, math.inf, 0.1))
            left -= (clock.now - began) / 0.1
        assert member.phase.startswith("neighbourhood")


def test_where_nothing_fits_any_more_it_goes_on_around_the_best_line():
    position = puzzle(6)
    best = SoloSearch(position, seed=1).run(60, nodes=200_000)
    member = NeighbourhoodMember(Puzzle(position.state), Team(1, 0, 5, 1 << 28))
    left = 20_000
    while left:
        left -= member.turn(math.inf, min(left, 256), Best(best.score, best.line), Budget(math.inf, left))
    assert member.score >= best.score


def test_decisions_that_cannot_be_are_refused():
    beam = Beam(Puzzle(puzzle(1).state))
    for number in (-1, 0, 65):
        with pytest.raises(ValueError, match=f"no decision {number}"):
            beam.begin(4, 24, 0.0, 0, {number: 1})


def test_only_lines_with_enough_points_count():
    position = puzzle(3)
    best, line = beam_line(position, 20, 1)
    beam = Beam(Puzzle(position.state))
    for least, found in ((best, line), (best + 0.5, [])):
        beam.begin(20, 24, 1.0, 1, None, least)
        assert beam.run(math.inf, WHOLE)
        assert beam.line == found
        assert beam.best == (best if found else None)


def test_stages_get_wider_now_and_then():
    """Terms of the sequence as Luby, Sinclair and Zuckerman print it; the first stages are narrower."""
    assert [luby(i) for i in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]

    class Small(NeighbourhoodMember):
        WIDTH = 8

    widths, _ = stages(Small(Puzzle(puzzle(9).state), Team(1, 0, 0, 1 << 28)), 400_000, False)
    assert widths[:8] == [4, 8, 8, 16, 8, 8, 16, 32]
