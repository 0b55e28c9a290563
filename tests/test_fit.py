"""What weights are tuned by: losses against the formula, contests against the same games played in Python."""
from __future__ import annotations

import math

import pytest

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
