"""What the search knows about Campus Café: sane numbers at every position, and play that beats looking one move ahead.

The full measurement is bench/campus_report.py; here a few games show that nothing is broken.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.campus_report import greedy, searched
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.rng import Random
from engines.campus.components import VARIANTS
from tests.sets import campus_games

GAMES = campus_games()


def policy_game(set_id: str, players: int, variant: str, seed: int) -> Iterator[State]:
    """Yield every position of a game of the playout policy."""
    random = Random(seed)
    state = GAMES[set_id].start(players, variant == "advanced", seed % 2 == 1)
    while state.to_move != GAME_OVER:
        yield state
        state.playout_step(random)
    yield state


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("set_id", sorted(GAMES))
def test_numbers_are_sane_at_every_position(set_id: str, variant: str) -> None:
    for players in (2, 3, 4, 5):
        for state in policy_game(set_id, players, variant, players):
            if state.to_move == GAME_OVER:
                continue
            wins, scores = state.evaluate()
            assert sum(wins) == pytest.approx(1, abs=1e-5)
            assert all(0 <= win <= 1 for win in wins)
            assert all(-100 < score < 2000 for score in scores)
            priors = state.priors()
            assert sorted(priors) == state.moves()
            if priors:
                assert sum(priors.values()) == pytest.approx(1, abs=1e-4)
                assert min(priors.values()) >= 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_policy_makes_legal_moves_and_serves(variant: str) -> None:
    for players in (2, 5):
        before = None
        for state in policy_game("reconstructed", players, variant, 2 * players):
            if before is not None:
                codes = before.moves() or [code for code, _ in before.outcomes()]
                reached = set()
                for code in codes:
                    after = before.copy()
                    after.apply(code)
                    reached.add(bytes(after))
                assert bytes(state) in reached
            before = state.copy()
        fields = GAMES["reconstructed"].read(state)
        assert fields["round"] < 20
        assert all(player["owned"].bit_count() >= 2 for player in fields["players"])


@pytest.mark.parametrize("variant", VARIANTS)
def test_search_beats_looking_one_move_ahead(variant: str) -> None:
    won = 0.0
    for number in range(6):
        draws, seat = Random(number // 2), number % 2
        state = GAMES["reconstructed"].start(2, variant == "advanced", False)
        step = 0
        while state.to_move != GAME_OVER:
            step += 1
            if state.to_move == CHANCE_POINT:
                state.apply(state.sample(draws))
            else:
                state.apply(searched(state, 200, 100 * number + step) if state.to_move == seat else greedy(state))
        won += state.returns()[0][seat]
    assert won >= 5
