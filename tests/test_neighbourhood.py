"""Searches around the best line of a puzzle."""
import math
from itertools import pairwise
from statistics import fmean

import pytest

from cython_ext.beam import Beam
from cython_ext.solo import Puzzle
from solver.neighbourhood import Neighbourhood
from solver.solo import SoloSearch
from solver.solo_members import Best, Budget, NeighbourhoodMember, Team
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
        around.take(score, line)
        known = score
        for _ in range(20):
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
        around.take(replay(position, line), line)
        left = 20_000
        while left:
            left -= around.turn(math.inf, min(size, left), 12, 24, 1.0)
        answers.append((around.score, around.line))
    assert answers[0] == answers[1]


def test_stopped_it_looks_at_nothing():
    position = puzzle(5)
    line = SoloSearch(position).run(0).line
    around = Neighbourhood(Puzzle(position.state), 7)
    around.take(replay(position, line), line)
    around.stop()
    assert around.turn(math.inf, 1000, 12, 24, 1.0) == 0


def test_three_positions_of_four_are_around_the_best_line():
    """After each beam where no budget is known; where one is, the last beam and what is around fill it."""
    for nodes in (None, 100_000, 600_000):
        member = NeighbourhoodMember(Puzzle(puzzle(9).state), Team(1, 0, 0, 1 << 28))
        spent = {"beam": 0, "neighbourhood": 0}
        shares, best, kind = [], Best(None, ()), "beam"
        left = nodes or 600_000
        while left:
            if member.phase.startswith("beam") and kind == "neighbourhood":
                shares.append(spent[kind] / sum(spent.values()))
            kind = member.phase.partition(",")[0]
            looked = member.turn(math.inf, min(left, 4096), best, Budget(math.inf, left if nodes else math.inf))
            spent[kind] += looked
            left -= looked
            if member.score is not None and (best.score is None or member.score > best.score):
                best = Best(member.score, member.line)
        assert len(shares) >= (1 if nodes else 3)
        assert all(share == pytest.approx(0.75, abs=0.01) for share in shares)
        if nodes:
            assert kind == "neighbourhood"
            assert 0.7 < spent[kind] / nodes < 0.85


def test_goes_on_from_the_line_of_another():
    """A better line that another search shares is what it looks around."""
    worse = 0
    for seed in range(6):
        position = puzzle(seed)
        found = SoloSearch(position, seed=1).run(60, nodes=100_000)
        pupil, alone = (SoloSearch(position, seed=2, members=["neighbourhood"]) for _ in range(2))
        pupil.run(60, nodes=3000)
        pupil.share(found.line, math.inf)
        assert pupil.run(60, nodes=9000).score >= found.score
        worse += alone.run(60, nodes=12_000).score < found.score
    assert worse >= 3
