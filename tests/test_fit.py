"""What weights are tuned by: losses against the formula, contests against the same games played in Python; what
forecasts are fitted to, and how well."""
from __future__ import annotations

import json
import math
from argparse import Namespace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bench.fit_forecast import fit, forecast, play, replay, spreads, subject
from bench.tune import Tuner, fit_recorded, load
from cython_ext.fit import Sample, contest
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.rng import Random
from engines.gatto.rules import MOVE_BUY, GattoGame
from engines.gatto.weights import WEIGHTS
from engines.library import Library

LIBRARY = Library()


def middle(game: str, seed: int):
    """Return a position in which a player has a choice."""
    entry = LIBRARY.entries(game)[0]
    state = entry.engine.initial(entry.game, 2, {}, Random(seed))
    random = Random(seed)
    for _ in range(30):
        state.random_step(random)
    while state.to_move == CHANCE_POINT or len(state.moves()) < 2:
        state.random_step(random)
    return state


def test_losses_are_cross_entropies() -> None:
    sample = Sample()
    states = [middle("campus", seed) for seed in range(3)]
    entropy = wins = squares = 0.0
    for state in states:
        first, second = state.moves()[:2]
        sample.add(state, {first: 30, second: 10}, [1, 0], [70, 60])
        sample.add(state, {}, [0.5, 0.5], [70, 60])
        priors = state.priors()
        entropy -= 0.75 * math.log(priors[first]) + 0.25 * math.log(priors[second])
        win, score = state.evaluate()
        wins -= math.log(win[0]) + 0.5 * (math.log(win[0]) + math.log(win[1]))
        squares += (70 - score[0]) ** 2 + (60 - score[1]) ** 2
    assert len(sample) == 6
    assert sample.prior_loss(states[0].game) == pytest.approx(entropy / 3, abs=1e-4)
    loss, error = sample.evaluation_loss(states[0].game)
    assert loss == pytest.approx(wins / 6, abs=1e-4)
    assert error == pytest.approx(squares / 6, rel=1e-5)


def test_a_contest_is_played_by_greedy_players_in_each_seat_in_turn() -> None:
    entry = LIBRARY.entries("gatto")[0]
    thrifty = GattoGame(entry.components, WEIGHTS | {"price": 20.0})
    starts = [bytes(entry.engine.initial(entry.game, 2, {}, Random(seed))) for seed in range(6)]
    total = 0.0
    for number, start in enumerate(starts):
        state, draws = entry.game.from_bytes(start), Random(5 + number)
        while state.to_move != GAME_OVER:
            if state.to_move == CHANCE_POINT:
                code = state.sample(draws)
            else:
                mine = state.to_move == number % 2
                code = (thrifty.from_bytes(bytes(state)) if mine else state).greedy_move()
            state.apply(code)
        total += state.returns()[0][number % 2]
    assert contest(thrifty, entry.game, starts, 5) == total / 6
    assert contest(thrifty, entry.game, starts, 6) != contest(entry.game, thrifty, starts, 6)


def test_a_coin_less_makes_a_purchase_likelier_by_the_weight_of_a_price() -> None:
    """Equal tiles into the same cup differ in their price alone."""
    compared = 0
    for seed in range(40):
        state = middle("gatto", seed)
        game = state.game
        columns = game.read(state)["columns"]
        priors = state.priors()
        buys = [(divmod((move - MOVE_BUY) >> 3, 5), (move - MOVE_BUY) & 7, move) for move in priors if move >= MOVE_BUY]
        for (column, row), drink, move in buys:
            for (other, above), same, dearer in buys:
                if column == other and row < above and drink == same and columns[column][row] == columns[column][above]:
                    coins = game.price(state, column, above) - game.price(state, column, row)
                    ratio = math.exp(-WEIGHTS["price"] * coins / WEIGHTS["prior"])
                    assert priors[dearer] == pytest.approx(priors[move] * ratio, rel=1e-3)
                    compared += 1
    assert compared > 5


def recorded(tuner: Tuner, seed: int, steps: int, prior: float) -> str:
    """The beginning of a game whose visits are as priors of this certainty have it."""
    native = tuner.build({"prior": prior})
    state, players, options, draws = tuner.start(seed)
    made: list[list[int]] = []
    while len(made) < steps and state.to_move != GAME_OVER:
        visits = {move: round(10_000 * share) for move, share in native.from_bytes(bytes(state)).priors().items()}
        code = max(visits, key=visits.__getitem__) if visits else state.sample(draws)
        made.append([code, *(number for pair in visits.items() for number in pair)])
        state.apply(code)
    shares = [1 / players] * players
    game = {"players": players, "options": options, "seed": seed, "steps": made, "win": shares, "score": shares}
    return json.dumps(game)


def test_the_certainty_of_priors_is_found_and_games_that_drag_on_are_left_out(tmp_path: Path) -> None:
    tuner, file = Tuner("gatto"), tmp_path / "games.jsonl"
    certainty = WEIGHTS["prior"] * 1.1**5
    kinds = len(tuner.variants)
    games = [recorded(tuner, seed, 20, certainty) for seed in range(1, 2 * kinds)]
    file.write_text("\n".join([*games, recorded(tuner, 2 * kinds, 41, 0.1)]) + "\n")
    assert [len(sample) for sample in load(tuner, file, 1)] == [kinds * 20, (kinds - 1) * 20]
    found = fit_recorded(tuner, Namespace(what="prior", file=file, sparse=1))
    assert found["prior"] == pytest.approx(certainty)


@pytest.mark.parametrize(("game", "seed"), [("cafe", 2), ("cafe", 19)])
def test_a_sample_leads_to_the_same_player_a_part_later(game: str, seed: int) -> None:
    about = subject(game)
    state, _ = about.opening(seed)
    moves = play(game, 0, seed)
    samples, together = replay(about, seed, moves)
    assert len(together) > 5
    for (places, win), (following, _) in pairwise(together):
        assert len(win) == len(places) == state.players
        for player, place in enumerate(places):
            assert samples[place].later == following[player]
            assert samples[place].points == samples[following[player]].points
    for code in moves:
        state.apply(code)
    assert state.to_move == GAME_OVER
    wins, scores = state.returns()
    assert [samples[place].points for place in together[0][0]] == scores
    assert together[0][1] == wins


def test_a_network_learns_what_a_linear_part_cannot() -> None:
    """The points are a sum and an absolute value; the latter alone spreads by 1.2, and the noise by 0.5."""
    dice = np.random.default_rng(3)
    x = dice.normal(size=(160_000, 4)).astype(np.float32)
    exact = 10 + x[:, 0] + 2 * np.abs(x[:, 1] - x[:, 2]) / math.sqrt(2)
    points = (exact + dice.normal(0, 0.5, len(x))).astype(np.float32)
    alone = np.full(len(x), -1)
    net = fit(x, points, alone, np.full(len(x), True), np.arange(len(x)))
    assert math.sqrt(np.mean((forecast(net, x) - exact) ** 2)) < 0.2


def test_spreads_of_leads_are_those_the_winners_were_drawn_with() -> None:
    about = subject("cafe")
    dice = np.random.default_rng(4)
    leads = []
    for _ in range(4_000):
        points = dice.normal(40, 6, 3)
        share = np.exp((points - points.max()) / 5)
        winner = dice.choice(3, p=share / share.sum())
        leads += [(left, points, [float(player == winner) for player in range(3)]) for left in range(9)]
    assert spreads(about, leads) == [pytest.approx(5, abs=0.4)] * 9
    some = spreads(about, [lead for lead in leads if lead[0] not in (0, 4)])
    assert (some[0], some[4]) == (1, some[3])
