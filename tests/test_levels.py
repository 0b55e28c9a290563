"""Levels: no win in hand is overlooked, no game thrown away, weak ones stray, equal seeds give equal moves."""
from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.rng import Random
from cython_ext.sight import in_sight
from engines.library import Library
from scripts.hints import read_positions
from solver.analysis import Control, Limits, MoveSums, analysis_for
from solver.brain import Brain
from solver.levels import LEVELS, REACH, Level, pick
from solver.positions import decode_state

LIBRARY = Library()
HASH = LIBRARY.entries("connect_four")[0].components.hash
EVERY_LEVEL = range(1, len(LEVELS) + 1)
# Four wins: up, along the bottom, and along both diagonals; player 1 is to move.
WINS = [
    (["111", "222"], 0),
    (["12", "12", "12"], 3),
    (["1", "21", "221", "121", "", "", "2"], 3),
    (["2", "", "", "121", "221", "21", "1"], 3),
]


def fours(columns):
    filled = [*columns, *[""] * (7 - len(columns))]
    return decode_state(
        LIBRARY,
        game_pb2.GameState(component_set={"id": "standard", "hash": HASH}, connect_four={"columns": filled}),
    )


# Player 1 threatens a four that can be stopped with one move: up, or along the bottom with one open end.
THREATS = [(["111", "2", "2"], 0), (["2", "1", "1", "1", "", "", "2"], 4), (["12", "12", "1"], 3)]


def move_of(position, level, seed):
    """Return the move a level makes, the first one of the answer."""
    request = pb.SuggestRequest(level=level, seed=seed, moves_wanted=1, budget=pb.Budget(visits=50_000))
    analysis = analysis_for(position, request, Control(), Limits(), "")
    analysis.run()
    return analysis.suggestion().moves[0].id


@pytest.mark.parametrize(("columns", "winning"), WINS)
@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_no_level_overlooks_a_win_in_hand(level, columns, winning):
    for seed in range(5):
        assert move_of(fours(columns), level, seed) == winning


@pytest.mark.parametrize(("columns", "stopping"), THREATS)
@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_no_level_throws_a_game_away_in_one_move(level, columns, stopping):
    for seed in range(5):
        assert move_of(fours(columns), level, seed) == stopping


@pytest.mark.parametrize("game", LIBRARY.games())
def test_what_is_in_sight_is_what_the_rules_say(game):
    """Checked against the rules called from Python, in the last moves of random games."""
    entry = LIBRARY.entries(game)[0]
    options = {option.name: option.default for option in entry.engine.options}
    found = set()
    for seed in range(40):
        state, random = entry.engine.initial(entry.game, 2, options, Random(seed)), Random(seed)
        trail = []
        while state.to_move != GAME_OVER:
            trail.append(state.copy())
            state.random_step(random)
        for before in [one for one in trail[-12:] if one.to_move != CHANCE_POINT and len(one.moves()) < 100]:
            seen = in_sight(before)
            assert list(seen) == before.moves()
            for move, sight in seen.items():
                assert sight == expected_sight(before, move)
                found.add(sight)
    assert found == {-1, 0, 1}
    assert in_sight(state) == {}


def expected_sight(state, move):
    after = state.copy()
    after.apply(move)
    if after.to_move == GAME_OVER:
        return {1: 1, 0: -1}.get(after.returns()[0][state.to_move], 0)
    rival = after.to_move
    for answer in after.moves() if rival not in (state.to_move, CHANCE_POINT) else []:
        end = after.copy()
        end.apply(answer)
        if end.to_move == GAME_OVER and end.returns()[0][rival] == 1:
            return -1
    return 0


def test_a_pick_by_hand():
    """40 of 60 and 20 of 40 visits won, the mean 0.6 less 0.05 mixed in with four visits; one move was not tried."""
    state = fours([]).state
    ranked = [
        MoveSums(code, visits, [won, visits - won], [0, 0], [0, 0], [0, 0])
        for code, visits, won in ((3, 60, 40), (2, 40, 20), (0, 0, 0))
    ]
    values = [42.2 / 64, 22.2 / 44, 0.55]
    chances = [math.exp(value / 0.1) for value in values]
    picked = [pick(state, ranked, False, 0.1, seed) for seed in range(4000)]
    for code, chance in zip((3, 2, 0), chances, strict=True):
        assert picked.count(code) / 4000 == pytest.approx(chance / sum(chances), abs=0.025)
    nearest = values[0] - values[2]
    assert {pick(state, ranked, False, nearest / REACH * 0.99, seed) for seed in range(200)} == {3}
    assert {pick(state, ranked, False, nearest / REACH * 1.01, seed) for seed in range(200)} == {3, 0}
    assert pick(state, ranked, False, 0, 1) == 3


def test_weak_levels_stray_more():
    position = fours([])
    moves = {level: {move_of(position, level, seed) for seed in range(24)} for level in (1, len(LEVELS))}
    assert len(moves[1]) > 2
    assert len(moves[len(LEVELS)]) < len(moves[1])


@pytest.mark.parametrize("game", LIBRARY.games())
def test_every_level_makes_a_legal_move_the_same_every_time(game):
    for message in read_positions(game)[1:8:3]:
        position = decode_state(LIBRARY, message)
        for level in (1, 2):
            move = move_of(position, level, 7)
            assert move in position.state.moves()
            assert move_of(position, level, 7) == move


def test_a_level_keeps_to_its_visits_and_to_less():
    brain = Brain(LIBRARY)
    state = brain.new_game(pb.NewGameRequest(game="gatto", seed=1)).state
    for budget, visits in ((0, LEVELS[1].visits), (10, 10), (10**6, LEVELS[1].visits)):
        request = pb.SuggestRequest(state=state, level=2, budget=pb.Budget(visits=budget), seed=3)
        suggestion = brain.suggest(request).suggestion
        assert suggestion.visits == visits
        rest = [move.visits for move in suggestion.moves[1:]]
        assert rest == sorted(rest, reverse=True)


def test_the_number_of_levels_is_told():
    assert Brain(LIBRARY).list_games(pb.ListGamesRequest()).levels == len(LEVELS)


def test_no_such_level():
    with pytest.raises(BrainError, match=f"level: must be 1 to {len(LEVELS)}, or 0 for full strength"):
        move_of(fours([]), len(LEVELS) + 1, 0)


def test_the_documented_levels_are_these():
    text = (Path(__file__).parent.parent / "docs" / "levels.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| ([\d,]+) \| ([\d.]+) \|$", text, re.MULTILINE)
    assert [Level(int(visits.replace(",", "")), float(warmth)) for _, visits, warmth in rows] == list(LEVELS)
    assert [int(number) for number, _, _ in rows] == list(EVERY_LEVEL)
