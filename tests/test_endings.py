"""The solver of endings against brute force over the reference rules, its limits, and the search that uses it."""
from __future__ import annotations

import math
import random
import time

import pytest

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.exact import Exact
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.rng import Random
from engines.library import Library
from scripts.endings import NEAR, difference, lost, read_endings
from solver.analysis import Control, Limits, analysis_for
from solver.brain import Brain
from solver.levels import LEVELS, REACH
from solver.positions import Position, decode_state, encode_state
from tests.gatto_tables import table
from tests.write_endings import LARGEST, SMALLEST, by_force, find, played, variants

LIBRARY = Library()
BRAIN = Brain(LIBRARY)
GAMES = list(LARGEST)
ENDINGS = {game: read_endings(game) for game in GAMES}
SAMPLE = 18  # of the stored endings, every so many; scripts/endings.py checks all of them


def state_of(ending) -> State:
    return decode_state(LIBRARY, ending.state).state


def solved(state, **more) -> dict[int, tuple[list[float], list[float], list[float]]]:
    exact = Exact(state, budget=1 << 20, **more)
    assert exact.run(math.inf) == "solved"
    return {code: parts for code, *parts in exact.root_values()}


# --- against brute force -------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_stored_endings_are_many_and_different(game):
    endings = ENDINGS[game]
    assert len(endings) >= 200
    assert len({ending.state.SerializeToString(deterministic=True) for ending in endings}) == len(endings)
    for ending in endings:
        mover = state_of(ending).to_move
        wins = [wins[mover] for wins, _ in ending.values.values()]
        assert max(wins) - min(wins) >= SMALLEST
    sizes = [ending.size for ending in endings]
    assert max(sizes) > 50 * min(sizes)


@pytest.mark.parametrize("game", GAMES)
def test_the_solver_agrees_with_the_stored_brute_force(game):
    for ending in ENDINGS[game]:
        assert difference(LIBRARY, ending) < 1e-6


@pytest.mark.parametrize("game", GAMES)
def test_the_solver_agrees_with_fresh_brute_force(game):
    """Endings that were never stored, also by the score objective where the brute force's rule is turned round."""
    dice = random.Random(5)
    ways = variants(LIBRARY, game)
    found = 0
    while found < 4:
        entry, players, options = dice.choice(ways)
        states = played(entry, players, options, dice.randrange(1 << 32))
        ending = find(states, 6, 300)
        if ending is None:
            continue
        found += 1
        last, _ = ending
        for by_score in (False, True):
            values = solved(states[last], score_objective=by_score)
            for code, (wins, scores) in by_force(entry, states[: last + 1], options, by_score).items():
                assert values[code][0] == pytest.approx([float(win) for win in wins], abs=1e-6)
                assert values[code][1] == pytest.approx([float(score) for score in scores], abs=1e-6)


@pytest.mark.parametrize("exact", [True, False], ids=["solver on", "solver off"])
@pytest.mark.parametrize("game", GAMES)
def test_the_search_finds_the_best_moves(game, exact):
    """All endings: scripts/endings.py; its figures are in docs/search.md."""
    losses = [lost(LIBRARY, ending, exact)[0] for ending in ENDINGS[game][::SAMPLE]]
    assert sum(loss <= NEAR for loss in losses) >= len(losses) - (not exact)


@pytest.mark.parametrize(("game", "number"), [("cafe", 195), ("cafe", 201), ("campus", 77)])
def test_no_move_starves(game, number):
    """The best move has a prior of 0.004 or less, or wins only with the right moves after it."""
    losses = [lost(LIBRARY, ENDINGS[game][number], exact=False, seed=seed)[0] for seed in range(10)]
    assert sum(loss <= NEAR for loss in losses) >= 8


# --- values that fit together --------------------------------------------------------------------


def value_of(state: State, by_score: bool) -> list[list[float]]:
    """The value of a position, put together from those of its moves or draws by the rule of the solver."""
    if state.to_move == GAME_OVER:
        wins, scores = state.returns()
        return [wins, scores, [score * score for score in scores]]
    moves = solved(state, score_objective=by_score)
    if state.to_move == CHANCE_POINT:
        weights = dict(state.outcomes())
    else:
        first, second = (1, 0) if by_score else (0, 1)

        def worth(code: int) -> tuple[float, float]:
            return round(moves[code][first][state.to_move], 6), round(moves[code][second][state.to_move], 6)

        best = max(map(worth, moves))
        equal = [code for code in moves if worth(code) == best]
        weights = dict.fromkeys(equal, 1 / len(equal))
    return [
        [sum(weight * moves[code][part][player] for code, weight in weights.items()) for player in range(state.players)]
        for part in range(3)
    ]


@pytest.mark.parametrize("by_score", [False, True], ids=["win", "score"])
@pytest.mark.parametrize("game", GAMES)
def test_a_move_is_worth_what_the_position_after_it_is(game, by_score):
    for ending in ENDINGS[game][::SAMPLE]:
        state = state_of(ending)
        for code, parts in solved(state, score_objective=by_score).items():
            after = state.copy()
            after.apply(code)
            for part, expected in zip(parts, value_of(after, by_score), strict=True):
                assert part == pytest.approx(expected, rel=1e-6, abs=1e-6)
            assert sum(parts[0]) == pytest.approx(1, abs=1e-6)
            for score, square in zip(parts[1], parts[2], strict=True):
                assert square >= score * score - 1e-6


def test_ties_are_broken_by_points_and_then_by_nothing():
    # Player 2 cannot reach player 1's 23 points. The espresso of 4 makes 19; with the odd cube 5 makes 20: for points
    # player 2 takes the 5. With nothing else to do both moves that serve nothing are worth 15.
    served = {(1, "espresso"): 1, (1, "doppio"): 4, (1, "macchiato"): 4, (1, "cappuccino"): 6,
              (1, "latte_macchiato"): 8, (2, "doppio"): 5, (2, "latte_macchiato"): 10}  # fmt: skip
    message = table(cups={**served, (2, "espresso"): "4h"}, turn=2, coins=[6, 1], sugar=[0, 1], round=30)
    suggestion = BRAIN.suggest(pb.SuggestRequest(state=message, budget={"visits": 100})).suggestion
    assert suggestion.stop_reason == pb.STOP_REASON_PROVEN
    best = suggestion.moves[0].players[1]
    assert (best.win_probability, best.expected_score) == (0, 20)


# --- when it gives up ----------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_large_positions_are_given_up_early(game):
    budget = 1 << 20
    for entry, players, options in variants(LIBRARY, game):
        state = entry.engine.initial(entry.game, players, options, Random(1))
        exact = Exact(state, budget=budget)
        assert exact.run(math.inf) == "large"
        assert exact.positions < budget / 50
        assert exact.run(math.inf) == "large"
        with pytest.raises(ValueError, match="not solved"):
            exact.root_values()


@pytest.mark.parametrize("game", GAMES)
def test_a_run_that_was_cut_short_goes_on(game):
    state = state_of(max(ENDINGS[game], key=lambda ending: ending.size))
    whole = Exact(state, budget=1 << 20)
    assert whole.run(math.inf) == "solved"
    parts = Exact(state, budget=1 << 20)
    assert parts.run(0.0) == "time"
    assert parts.positions < whole.positions
    while parts.run(time.monotonic() + 1e-4) == "time":
        assert parts.positions < whole.positions
    assert parts.root_values() == whole.root_values()
    assert parts.positions == whole.positions
    stopped = Exact(state, budget=1 << 20)
    stopped.stop()
    assert stopped.run(math.inf) == "stopped"
    assert stopped.run(math.inf) == "stopped"


def test_only_allowed_moves_are_solved():
    state = state_of(ENDINGS["connect_four"][0])
    values = solved(state)
    one = min(values)
    assert solved(state, allowed=[one]) == {one: values[one]}
    with pytest.raises(ValueError, match="no legal move is allowed"):
        Exact(state, budget=100, allowed=[99])


def test_what_cannot_be_solved_is_refused():
    state = state_of(ENDINGS["connect_four"][0])
    for budget in (0, (1 << 30) + 1):
        with pytest.raises(ValueError, match="budget"):
            Exact(state, budget=budget)
    while state.to_move != GAME_OVER:
        state.apply(state.moves()[0])
    with pytest.raises(ValueError, match="over"):
        Exact(state, budget=100)


def test_a_position_with_a_secret_is_not_solved():
    """Abigail's secret objective is hidden from the others: a solution would play with open cards."""
    entry = LIBRARY.entries("campus")[0]
    seen = set()
    for seed in range(40):
        states = played(entry, 2, {"variant": "advanced", "dislikes": "false"}, seed)
        fields = entry.game.read(states[-2])
        secret = fields["secret_color"] >= 0
        seen.add(secret)
        for state in states[-8:-1]:
            exact = Exact(state, budget=100_000)
            assert exact.hidden == secret
            if exact.hidden:
                assert exact.run(math.inf) == "hidden"
                assert exact.positions == 0
                request = pb.SuggestRequest(budget={"visits": 20}, viewer=1)
                analysis = analysis_for(Position(entry, state), request, Control(), Limits(), "", at_chance=True)
                analysis.run()
                assert not analysis.solved
    assert seen == {False, True}


# --- what is made of it --------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("game", GAMES)
def test_an_answer_that_is_solved(game, threads):
    ending = ENDINGS[game][1]
    request = pb.SuggestRequest(state=ending.state, budget={"visits": 5000}, threads=threads)
    suggestion = BRAIN.suggest(request).suggestion
    assert suggestion.stop_reason == pb.STOP_REASON_PROVEN
    assert suggestion.visits == 0
    mover = suggestion.player - 1
    assert {move.id for move in suggestion.moves} == ending.values.keys()
    order = []
    for move in suggestion.moves:
        assert move.visits == 0
        wins, scores = ending.values[move.id]
        assert [estimate.win_probability for estimate in move.players] == pytest.approx(wins, abs=1e-6)
        assert [estimate.expected_score for estimate in move.players] == pytest.approx(scores, abs=1e-6)
        assert move.lower_bound == move.players[mover].win_probability
        assert move.principal_variation[0].id == move.id
        order.append((round(wins[mover], 6), round(scores[mover], 6)))
    assert order == sorted(order, reverse=True)
    # The seed and a longer search make no difference.
    request.seed, request.budget.visits = 77, 50_000
    assert BRAIN.suggest(request).suggestion == suggestion


def test_a_line_follows_the_best_moves():
    for ending in ENDINGS["connect_four"][::SAMPLE]:
        suggestion = BRAIN.suggest(pb.SuggestRequest(state=ending.state, budget={"visits": 5000})).suggestion
        state = state_of(ending)
        best = suggestion.moves[0]
        for planned in best.principal_variation:
            assert planned.player == state.to_move + 1
            state.apply(planned.id)
        # Nothing is drawn: the line of best moves ends as the position is worth.
        assert state.to_move == GAME_OVER
        assert state.returns()[0] == [estimate.win_probability for estimate in best.players]


def test_without_the_solver_the_search_goes_on_as_ever():
    position = decode_state(LIBRARY, ENDINGS["connect_four"][0].state)
    request = pb.SuggestRequest(budget={"visits": 300})
    analysis = analysis_for(position, request, Control(), Limits(), "", features={"exact": False})
    assert analysis.run()
    assert analysis.suggestion().stop_reason == pb.STOP_REASON_VISITS
    assert analysis.visits_made == 300


@pytest.mark.parametrize("game", GAMES)
def test_hints_reviews_and_levels_use_it(game):
    ending = ENDINGS[game][2]
    state = state_of(ending)
    mover = state.to_move
    hint = BRAIN.hint(pb.HintRequest(state=ending.state, grade=pb.HINT_GRADE_FULL, budget={"visits": 2000}))
    assert hint.exact
    assert hint.visits == 0
    best = max(wins[mover] for wins, _ in ending.values.values())
    assert hint.moves[0].players[mover].win_probability == pytest.approx(best, abs=1e-6)
    for move in hint.moves:
        assert move.win_loss == pytest.approx(ending.loss(move.id, mover), abs=1e-6)
    worst = min(ending.values, key=lambda code: ending.values[code][0][mover])
    request = pb.ReviewGameRequest(state=ending.state, steps=[{"id": worst}], budget={"visits": 2000})
    step = next(iter(BRAIN.review_game(request))).step
    assert step.exact
    assert step.error == 0
    assert step.win_loss == pytest.approx(ending.loss(worst, mover), abs=1e-6)
    for number, level in enumerate(LEVELS, 1):
        suggestion = BRAIN.suggest(pb.SuggestRequest(state=ending.state, level=number, seed=3)).suggestion
        assert suggestion.stop_reason == pb.STOP_REASON_PROVEN
        assert ending.loss(suggestion.moves[0].id, mover) <= REACH * level.temperature + 1e-6


def test_a_draw_of_a_review_is_solved():
    """Player 2's last turn: whatever is drawn after the purchase, the game is over and nothing changes."""
    served = {(1, "espresso"): 1, (1, "doppio"): 4, (1, "macchiato"): 4, (1, "cappuccino"): 6,
              (1, "latte_macchiato"): 8, (2, "doppio"): 5, (2, "latte_macchiato"): 10}  # fmt: skip
    position = decode_state(LIBRARY, table(cups=served, turn=2, coins=[6, 1], round=30))
    buy = next(code for code in position.state.moves() if code >= 100)
    position.state.apply(buy)
    assert position.state.to_move == CHANCE_POINT
    draw = position.state.outcomes()[0][0]
    request = pb.ReviewGameRequest(state=encode_state(position), steps=[{"id": draw}], budget={"visits": 500})
    step = next(iter(BRAIN.review_game(request))).step
    assert step.exact
    assert [estimate.win_probability for estimate in step.before] == [1, 0]
    assert [estimate.win_probability for estimate in step.after] == [1, 0]
