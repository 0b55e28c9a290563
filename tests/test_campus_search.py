"""What the search knows about Campus Café: sane numbers at every position, and play that beats looking one move ahead.

docs/strength.md has the full measurement; here a few games show that nothing is broken.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.rng import Random
from engines.campus.components import VARIANTS
from engines.campus.rules import Step
from engines.library import Library
from solver.arena import Match, Tally
from solver.brain import Brain
from solver.players import player_for
from solver.positions import Position
from tests.campus_tables import do, position, step
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
        served = [player["owned"].bit_count() for player in fields["players"]]
        assert min(served) >= 1
        assert sum(served) >= 3 * players


def match(variant: str, a: str, b: str) -> Match:
    setup = pb.NewGameRequest(game="campus", players=2, options={"variant": variant})
    return Match(Brain(Library()), setup, player_for(a, pb.Budget()), player_for(b, pb.Budget()), seed=1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_search_beats_looking_one_move_ahead(variant: str) -> None:
    tally = Tally(2)
    for played in match(variant, "mcts:visits=200", "greedy").run(range(20), 1):
        tally.add(played)
    assert tally.rate().value >= 0.75


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_evaluation_does_not_jump_when_a_last_turn_ends(variant: str) -> None:
    """Stopping with an empty hand in the last round brings what the check pays and no further turn.

    Two dollars are left for cards that are nearly in reach while serving.
    """
    waiters = ("samuel", "melissa") if variant == "advanced" else ()
    for served, spent in (([], ""), ([17], "EEE")):  # 3 E, $3, an extension, no gift
        state = position(
            Step.SERVE, advanced=variant == "advanced", waiters=waiters, dice=[0, 1], placed=[7, 14], served=served,
            spent=spent, tops=(-1, -1), table=[20, 21, 22, 23, 24, 25, 26][len(served) :], below=(0, 0),
            last_round=True, round_=6, scores={0: 40, 1: 40},
        )  # fmt: skip
        _, before = state.evaluate()
        do(state, "stop")
        assert step(state) != Step.SERVE
        _, after = state.evaluate()
        assert after == pytest.approx(before, abs=2)


def test_a_waiter_is_worth_something_at_the_draft_and_after() -> None:
    """Melissa's yellow token pays for a dish every turn; Abigail's talent is the weakest (bench/campus_report.py)."""
    scores = {}
    for waiter in ("abigail", "melissa"):
        state = position(Step.ROLL, advanced=True, waiters=(waiter, "william"), active=1, round_=1)
        scores[waiter] = state.evaluate()[1][0]
    assert scores["melissa"] > scores["abigail"]


def test_the_draft_prefers_strong_waiters() -> None:
    """Melissa and Samuel win most with waiters dealt at random (bench/campus_report.py waiters), John does not."""
    fields = GAMES["reconstructed"].read(position(Step.ROLL, advanced=True, waiters=("abigail", "abigail"), round_=1))
    for seed, laid_out, wanted in ((1, 0b1110, {3}), (2, 0b10101, {4}), (3, 0b11100, {3, 4})):  # with John each time
        fields.update(step=Step.DRAFT, to_move=1, waiters=laid_out)
        for player in fields["players"]:
            player["waiter"] = -1
        state = GAMES["reconstructed"].build(fields)
        asked = Position(Library().entry("campus", "", "", "set"), state)
        assert player_for("mcts:visits=400", pb.Budget())(asked, seed) & 15 in wanted


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_greedy_player_is_no_straw_man(variant: str) -> None:
    """Looking one move ahead makes the move that leaves the largest lead, and holds its own against the move values."""
    game = GAMES["reconstructed"]
    won = 0.0
    for number in range(20):
        draws, seat = Random(number // 2), number % 2
        state = game.start(2, variant == "advanced", False)
        while state.to_move != GAME_OVER:
            if state.to_move == CHANCE_POINT:
                state.apply(state.sample(draws))
            elif state.to_move == seat:
                move = state.greedy_move()
                assert number or lead(state, move) == max(lead(state, other) for other in state.moves())
                state.apply(move)
            else:
                state.apply(max(priors := state.priors(), key=priors.__getitem__))
        assert game.read(state)["round"] < 15
        won += state.returns()[0][seat]
    assert won >= 5


def lead(state: State, move: int) -> float:
    """Return the expected lead in points of the player to move after a move."""
    after = state.copy()
    after.apply(move)
    _, scores = after.returns() if after.to_move == GAME_OVER else after.evaluate()
    return scores[state.to_move] - scores[1 - state.to_move]
