"""Honest values: the map by hand and by simulation, and what the samples of self-play games hold."""
from __future__ import annotations

import math
import random
import statistics
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

import pytest

from bench.calibration import LEAST_GAMES, Sample, calibration_error, coverage, curve, fit, fitted, sample_game
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cython_ext.game import CHANCE_POINT
from cython_ext.rng import Random
from engines.calibration import Calibration, log_visits, read_calibration, unsure
from engines.library import Library
from solver.analysis import Control, Limits, analysis_for
from solver.comparison import compare
from solver.journal import Journal
from solver.positions import Position, decode_state

MANY = 10**9  # visits that leave a mean as it is


def test_without_a_file_nothing_changes(tmp_path: Path) -> None:
    calibration = read_calibration(tmp_path / "none.toml")
    assert calibration.wins([0.25, 0.75], 3, 0) == [0.25, 0.75]
    assert calibration.score(12, 3, True, 4, 50) == (12, 3)
    assert calibration.win_slope(0.25, 0.25, 3, 2) == 1


def test_the_map_by_hand(tmp_path: Path) -> None:
    """Odds of 4 to 1 squared are 16 to 1. With 100 visits the power is 2 + 0.5 ln(1/10)."""
    file = tmp_path / "calibration.toml"
    file.write_text("[calibration]\npower = 2.0\nshift = 0.5\nmover_shift = -0.25\nscale = 1.5\n")
    calibration = read_calibration(file)
    assert calibration.wins([0.8, 0.2], MANY, 1) == pytest.approx([16 / 17, 1 / 17], abs=1e-6)
    assert calibration.wins([0.5, 0.3, 0.2], MANY, 0) == pytest.approx([25 / 38, 9 / 38, 4 / 38], abs=1e-6)
    assert calibration.score(20, 4, False, 5, 50) == (22, 6)
    assert calibration.score(20, 4, True, 2, 50) == (19, 6)
    crowded = Calibration(scale=1.5, scale_power=0.5, scale_slope=2)  # with 4 players by the root of 2 wider
    assert crowded.score(20, 4, True, 4, 1000) == pytest.approx((20, 6 * math.sqrt(2)))
    assert crowded.score(20, 4, True, 2, 1000) == (20, 6)
    assert crowded.score(20, 4, True, 2, 500) == pytest.approx((20, 1.5))  # half the visits, squared
    slower = Calibration(mover=-math.log(4))  # the odds of the player to move are divided by 4
    assert slower.wins([0.8, 0.2], MANY, 0) == pytest.approx([0.5, 0.5], abs=1e-6)
    assert slower.wins([0.8, 0.2], MANY, 1) == pytest.approx([16 / 17, 1 / 17], abs=1e-6)
    sloped = Calibration(power=2, power_slope=0.5)
    power = 2 + 0.5 * math.log(0.1)
    odds = (unsure(0.8, 100, 2) / unsure(0.2, 100, 2)) ** power
    assert sloped.wins([0.8, 0.2], 100, 0)[0] == pytest.approx(odds / (1 + odds))
    crowded = Calibration(power=1, power_crowd=1 / math.log(2), mover_crowd=1)  # with 4 players squared, and doubled
    assert crowded.wins([0.8, 0.2], MANY, 0) == pytest.approx([0.8, 0.2], abs=1e-6)
    assert crowded.wins([0.4, 0.3, 0.2, 0.1], MANY, 1) == pytest.approx([16 / 39, 18 / 39, 4 / 39, 1 / 39], abs=1e-6)
    assert unsure(1, 9, 2) == pytest.approx(0.95)
    assert log_visits(1000) == 0
    assert log_visits(1) == log_visits(20)
    assert log_visits(MANY) == log_visits(2000) == pytest.approx(math.log(2))  # nothing was measured beyond


@pytest.mark.parametrize("players", [2, 3, 5])
def test_order_and_sum_are_kept(players: int) -> None:
    dice = random.Random(players)
    for _ in range(200):
        calibration = Calibration(power=dice.uniform(0.1, 3), power_slope=dice.uniform(0, 0.3))
        raw = [dice.random() for _ in range(players)]
        wins = [win / sum(raw) for win in raw]
        found = calibration.wins(wins, 1000, 0)
        assert sum(found) == pytest.approx(1)
        assert sorted(range(players), key=wins.__getitem__) == sorted(range(players), key=found.__getitem__)


def test_the_slope_is_the_derivative() -> None:
    calibration = Calibration(power=1.7, mover=-0.4)
    for win in (0.1, 0.5, 0.83):
        low, high = (calibration.wins([win + step, 1 - win - step], MANY, 0)[0] for step in (-1e-5, 1e-5))
        honest = calibration.wins([win, 1 - win], MANY, 0)[0]
        assert calibration.win_slope(win, honest, MANY, 2) == pytest.approx((high - low) / 2e-5, rel=1e-4)


def test_errors_of_scores_are_those_of_simulated_means() -> None:
    """Means of 50 normal scores, moved by 0.9 of their spread: how far they lie apart, and the error that is told."""
    dice = random.Random(4)
    calibration = Calibration(mover_shift=-0.9)
    moved = []
    for _ in range(8000):
        scores = [dice.gauss(20, 6) for _ in range(50)]
        moved.append(calibration.score(statistics.fmean(scores), statistics.pstdev(scores), True, 2, 50)[0])
    told = calibration.score_error(6 / math.sqrt(50), True)
    assert told == pytest.approx(statistics.stdev(moved), rel=0.03)
    assert calibration.score_error(2, False) == 2  # nothing is added to the others' scores


def crowd(players: int, visits: int, scale: float, seed: int) -> list[Sample]:
    """Return positions in which nothing is off but the spreads of the scores, by this factor."""
    dice = random.Random(seed)
    even = (1 / players,) * players
    return [
        Sample(visits, 0, even, (20,) * players, (3,) * players, even, tuple(dice.gauss(20, 3 * scale) for _ in even))
        for _ in range(4000)
    ]


def test_spreads_grow_with_players_and_visits_as_they_were_simulated() -> None:
    """By 1.2 with 2 players at 1,000 visits; to the power 3/4 of half the players and 1/5 of the visits."""
    samples: list[Sample] = []
    for seed, (players, visits) in enumerate([(2, 100), (4, 100), (2, 2000)]):
        samples += crowd(players, visits, 1.2 * (players / 2) ** 0.75 * (visits / 1000) ** 0.2, seed)
    calibration = fitted(samples)
    assert calibration.scale == pytest.approx(1.2, abs=0.05)
    assert calibration.scale_power == pytest.approx(0.75, abs=0.06)
    assert calibration.scale_slope == pytest.approx(0.2, abs=0.02)
    alone = fitted(samples[4000:8000])
    assert alone.scale == pytest.approx(1.2 * 2**0.75 / 10**0.2, abs=0.06)
    assert (alone.scale_power, alone.scale_slope) == pytest.approx((0, 0), abs=1e-3)


def simulated(number: int, seed: int) -> list[Sample]:
    """Return positions won at half the odds said, to the power of 1.7; scores are 0.6 spreads higher, 1.4 wider."""
    dice = random.Random(seed)
    samples = []
    for _ in range(number):
        win = dice.uniform(0.05, 0.95)
        odds = (win / (1 - win)) ** 1.7 / 2
        won = float(dice.random() < odds / (1 + odds))
        spread = dice.uniform(2, 8)
        finals = tuple(20 + 0.6 * spread + dice.gauss(0, 1.4 * spread) for _ in range(2))
        shares = (won, 1 - won)
        samples.append(Sample(MANY, 0, (win, 1 - win), (20, 20), (spread, spread), shares, finals))
    return samples


def test_crowds_are_fitted_as_they_were_simulated() -> None:
    """Two players win by the shares said, four by their squares with those of the player to move doubled."""
    dice = random.Random(3)
    samples = []
    for players in (2, 4):
        for _ in range(4000):
            raw = [dice.uniform(0.2, 1) for _ in range(players)]
            said = tuple(share / sum(raw) for share in raw)
            weights = said if players == 2 else [share**2 * (2 - (p > 0)) for p, share in enumerate(said)]
            winner = dice.choices(range(players), weights)[0]
            even = (20,) * players
            shares = tuple(float(player == winner) for player in range(players))
            finals = tuple(dice.gauss(20, 3) for _ in range(players))
            samples.append(Sample(MANY, 0, said, even, (3,) * players, shares, finals))
    calibration = fitted(samples)
    for players, power, mover in ((2, 1, 0), (4, 2, math.log(2))):
        crowd, late = math.log(players / 2), log_visits(MANY)
        found = calibration.power + calibration.power_slope * late + calibration.power_crowd * crowd
        assert found == pytest.approx(power, abs=0.15)
        found = calibration.mover + calibration.mover_slope * late + calibration.mover_crowd * crowd
        assert found == pytest.approx(mover, abs=0.15)


def test_the_fit_finds_what_was_simulated() -> None:
    calibration = fitted(simulated(4000, 1))
    power = calibration.power + calibration.power_slope * log_visits(MANY)
    assert power == pytest.approx(1.7, abs=0.12)
    assert calibration.mover + calibration.mover_slope * log_visits(MANY) == pytest.approx(-math.log(2), abs=0.12)
    assert (calibration.shift, calibration.mover_shift) == pytest.approx((0.6, 0.6), abs=0.07)
    assert calibration.scale == pytest.approx(1.4, abs=0.06)
    fresh = simulated(4000, 2)
    assert calibration_error(curve((fresh, calibration))) < 0.03 < calibration_error(curve((fresh, Calibration())))
    assert coverage((fresh, calibration)) == pytest.approx(0.9, abs=0.02)
    assert coverage((fresh, Calibration())) < 0.8


def test_the_error_by_hand() -> None:
    """Three positions said 0.8 of which two were won, one said 0.25 that was lost: (3 * |0.8 - 2/3| + 0.25) / 4."""
    said = [(0.8, 1.0), (0.8, 1.0), (0.8, 0.0), (0.25, 0.0)]
    samples = [Sample(MANY, 0, (p, 1 - p), (0, 0), (1, 1), (won, 1 - won), (0, 3)) for p, won in said]
    assert calibration_error(curve((samples, Calibration()))) == pytest.approx((3 * (0.8 - 2 / 3) + 0.25) / 4)
    assert coverage((samples, Calibration())) == 1  # the mover's score is as it was said


def test_too_few_games_are_not_fitted(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "gatto-2-8.jsonl")
    journal.append({"game": "gatto"})
    for _ in range(LEAST_GAMES - 1):
        journal.append(asdict(Sample(4, 0, (0.5, 0.5), (0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (3.0, 0.0))))
    journal.close()
    with pytest.raises(SystemExit, match=f"gatto-2-8: wants {LEAST_GAMES} games or more"):
        fit(Namespace(folder=tmp_path))


@pytest.mark.parametrize(("game", "players"), [("gatto", 2), ("campus", 4)])
def test_a_sample_is_one_decision_of_a_whole_game(game: str, players: int) -> None:
    found = [sample_game(game, players, 8, seed) for seed in range(6)]
    assert found[0] == sample_game(game, players, 8, 0)
    assert len({sample.mover for sample in found}) > 1
    for sample in found:
        assert len(sample.wins) == len(sample.finals) == players
        assert sum(sample.wins) == pytest.approx(1)
        assert sum(sample.shares) == pytest.approx(1)
        assert 1 <= sample.visits <= 8


@pytest.mark.parametrize("threads", [1, 2])
def test_a_result_is_not_calibrated(threads: int) -> None:
    """Player 1 of Connect Four wins at once in column 1; elsewhere the game goes on."""
    library = Library()
    columns = ["111", "222", *[""] * 5]
    component_set = {"id": "standard", "hash": library.entries("connect_four")[0].components.hash}
    state = game_pb2.GameState(component_set=component_set, connect_four={"columns": columns})
    request = pb.SuggestRequest(budget=pb.Budget(visits=400), seed=1, threads=threads)
    position = decode_state(library, state)
    analysis = analysis_for(position, request, Control(), Limits(), "", features={"exact": False})
    analysis.calibration = Calibration(power=0.5, mover=-1, mover_shift=2)
    analysis.run()
    best, *others = analysis.suggestion().moves
    mover = best.players[0]
    assert (best.id, mover.win_probability, mover.score_spread, best.lower_bound) == (0, 1, 0, 1)
    assert best.players[1].win_probability == 0
    means = {sums.code: sums.win[0] / sums.visits for sums in analysis.ranked()}
    tried = [move for move in others if move.visits]
    assert tried
    for move in tried:
        honest = analysis.calibration.wins([means[move.id], 1 - means[move.id]], move.visits, 0)
        assert move.players[0].win_probability == pytest.approx(honest[0])
    request.threads = 1
    again = analysis_for(position, request, Control(), Limits(), "", features={"exact": False})
    again.calibration = analysis.calibration
    hint = compare(again, 3)[0]
    assert (hint.wins, hint.win_errors) == ((1, 0), (0, 0))


def test_the_errors_told_are_those_of_calibrated_scores() -> None:
    """A shift of 0.9 spreads makes errors larger by the root of 1 + 0.81 / 2, in hints and in the lower bound."""
    library = Library()
    entry = library.entries("gatto")[0]
    position = Position(entry, entry.engine.initial(entry.game, 2, {}, Random(3)))
    while position.state.to_move == CHANCE_POINT:
        position.state.apply(position.state.sample(Random(3)))
    request = pb.SuggestRequest(budget=pb.Budget(visits=300), seed=1, objective=pb.OBJECTIVE_SCORE)
    errors, margins = [], []
    for calibration in (Calibration(), Calibration(mover_shift=-0.9)):
        analysis = analysis_for(position, request, Control(), Limits(), "")
        analysis.calibration = calibration
        analysis.run()
        move = analysis.suggestion().moves[0]
        margins.append(move.players[position.state.to_move].expected_score - move.lower_bound)
        analysis = analysis_for(position, request, Control(), Limits(), "")
        analysis.calibration = calibration
        hint = next(choice for choice in compare(analysis, 3) if choice.move == move.id)
        errors.append(hint.score_errors[position.state.to_move])
    wider = math.sqrt(1 + 0.9**2 / 2)
    assert margins[1] / margins[0] == pytest.approx(wider)
    assert errors[1] / errors[0] == pytest.approx(wider)
