"""The search: exact budgets, equal answers, forced wins, and solved endings against exhaustive expectimax."""
from __future__ import annotations

import math
import threading
import time

import pytest

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.mcts import Search
from engines.library import Library
from solver.analysis import BUILD_TIME, Control
from solver.positions import decode_state
from tests.gatto_tables import BRAIN, after, table, words

LIBRARY: Library = BRAIN.library
HASH = LIBRARY.entries("connect_four")[0].components.hash


def board(*columns: str) -> game_pb2.GameState:
    filled = [*columns, *[""] * (7 - len(columns))]
    return game_pb2.GameState(
        component_set={"id": "standard", "hash": HASH}, connect_four={"columns": filled}
    )


def suggest(state, visits=1000, *, control=None, time_ms=0, **more) -> pb.Suggestion:
    request = pb.SuggestRequest(state=state, budget={"visits": visits, "time_ms": time_ms}, **more)
    return BRAIN.suggest(request, control).suggestion


def best_column(suggestion: pb.Suggestion) -> int:
    return suggestion.moves[0].move.connect_four.column


def columns(suggestion: pb.Suggestion) -> list[int]:
    return sorted(evaluation.move.connect_four.column for evaluation in suggestion.moves)


GATTO = BRAIN.new_game(pb.NewGameRequest(game="gatto", players=3, seed=7)).state


# --- budget and answer ---------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("visits", [1, 2, 17, 1000, 3001])
@pytest.mark.parametrize("state", [board(), GATTO], ids=["connect_four", "gatto"])
def test_visits_are_exact(state, visits, threads):
    answer = suggest(state, visits, threads=threads)
    assert answer.visits == visits
    assert sum(evaluation.visits for evaluation in answer.moves) == visits
    assert answer.stop_reason == pb.STOP_REASON_VISITS


@pytest.mark.parametrize("state", [board("12", "1"), GATTO], ids=["connect_four", "gatto"])
def test_the_same_seed_gives_the_same_answer_byte_for_byte(state):
    def answer(seed):
        return suggest(state, 3000, seed=seed).SerializeToString(deterministic=True)

    assert answer(5) == answer(5)
    assert len({answer(seed) for seed in (5, 6, 4294967295)}) == 3


def test_analyze_ends_with_the_answer_of_suggest():
    request = pb.SuggestRequest(state=GATTO, budget={"visits": 40_000}, seed=3)
    answers = list(BRAIN.analyze(pb.AnalyzeRequest(suggest=request, report_interval_ms=10)))
    assert [answer.is_final for answer in answers] == [False] * (len(answers) - 1) + [True]
    assert len(answers) > 1
    assert answers[-1].suggestion == BRAIN.suggest(request).suggestion
    visits = [answer.suggestion.visits for answer in answers]
    assert visits == sorted(set(visits))
    assert {answer.suggestion.stop_reason for answer in answers[:-1]} == {pb.STOP_REASON_UNSPECIFIED}


@pytest.mark.parametrize("state", [board("1212", "2211", "12"), GATTO, table()], ids=["connect_four", "gatto", "table"])
@pytest.mark.parametrize("objective", [pb.OBJECTIVE_WIN, pb.OBJECTIVE_SCORE])
def test_what_an_answer_says_hangs_together(state, objective):
    answer = suggest(state, 2000, objective=objective, seed=1)
    listed = BRAIN.get_moves(pb.GetMovesRequest(state=state))
    assert answer.player == listed.player
    assert answer.objective == objective
    assert answer.component_set == state.component_set
    assert not answer.HasField("elapsed_ms")
    assert {evaluation.id: evaluation.text for evaluation in answer.moves} == {
        legal.id: legal.text for legal in listed.moves
    }
    visits = [evaluation.visits for evaluation in answer.moves]
    assert visits == sorted(visits, reverse=True)
    players = len(listed.scores)
    for evaluation in answer.moves:
        estimates = evaluation.players
        if not evaluation.visits:  # with priors some moves are never tried
            assert state.WhichOneof("game") == "gatto"
            assert not estimates
            assert not evaluation.principal_variation
            continue
        assert [estimate.player for estimate in estimates] == list(range(1, players + 1))
        assert sum(estimate.win_probability for estimate in estimates) == pytest.approx(1, abs=1e-6)
        assert all(0 <= estimate.win_probability <= 1 for estimate in estimates)
        assert all(estimate.score_spread >= 0 for estimate in estimates)
        mine = estimates[answer.player - 1]
        mean = mine.expected_score if objective == pb.OBJECTIVE_SCORE else mine.win_probability
        assert evaluation.HasField("lower_bound") == (evaluation.visits >= 2)
        if evaluation.visits >= 2:
            assert evaluation.lower_bound <= mean + 1e-12
            if objective == pb.OBJECTIVE_WIN:
                assert evaluation.lower_bound >= 0
    assert suggest(state, 50, timing=True).elapsed_ms > 0


def test_one_visit_has_a_value_but_no_bound():
    answer = suggest(board(), 1)
    tried = [evaluation for evaluation in answer.moves if evaluation.visits]
    assert len(answer.moves) == 7
    assert len(tried) == 1
    assert not tried[0].HasField("lower_bound")
    assert len(tried[0].players) == 2
    assert tried[0].players[0].win_probability in (0, 0.5, 1)
    assert all(not evaluation.players for evaluation in answer.moves if not evaluation.visits)


def test_the_lower_bound_is_the_confidence_intervals():
    # Connect Four's results are 0, 1/2 and 1. The objective's spread and number of visits give the bound:
    # mean - 1.96 * s / sqrt(n) with the sample deviation s, where score_spread is the one over n.
    answer = suggest(board(), 5000, objective=pb.OBJECTIVE_SCORE)
    for evaluation in answer.moves:
        mine, n = evaluation.players[0], evaluation.visits
        deviation = mine.score_spread * math.sqrt(n / (n - 1))
        assert evaluation.lower_bound == pytest.approx(mine.expected_score - 1.96 * deviation / math.sqrt(n), abs=1e-9)


@pytest.mark.parametrize("state", [board("12", "1"), GATTO, table()], ids=["connect_four", "gatto", "table"])
def test_principal_variations_are_legal_and_stop_at_draws(state):
    answer = suggest(state, 4000, seed=2)
    lengths = []
    for evaluation in answer.moves:
        if not evaluation.visits:
            continue
        line = evaluation.principal_variation
        assert line[0].id == evaluation.id
        assert line[0].visits == evaluation.visits
        assert line[0].player == answer.player
        position = decode_state(LIBRARY, state).state
        game = state.WhichOneof("game")
        engine = LIBRARY.engine(game)
        for planned in line:
            assert position.to_move + 1 == planned.player
            assert planned.id in position.moves()
            assert planned.text == engine.move_text(position, planned.id)
            assert engine.decode_move(position, planned.move) == planned.id
            assert 0 < planned.visits <= evaluation.visits
            position.apply(planned.id)
        if position.to_move >= 0:
            assert len(line) <= 16
        lengths.append(len(line))
    assert game == "gatto" or max(lengths) > 1  # there most moves are followed by a draw


def test_a_line_ends_with_the_purchase_whose_draw_comes_next():
    answer = suggest(table(), 3000)
    for evaluation in answer.moves:
        for number, planned in enumerate(evaluation.principal_variation, 1):
            if words(planned.move).startswith(("buy", "clean")):
                assert number == len(evaluation.principal_variation)


def test_moves_wanted():
    full = suggest(GATTO, 500, seed=4)
    assert suggest(GATTO, 500, seed=4, moves_wanted=3).moves == full.moves[:3]
    assert suggest(GATTO, 500, seed=4, moves_wanted=4294967295).moves == full.moves


def test_one_legal_move():
    # Only column 7 has room, for one disc.
    state = board("121212", "121212", "212121", "121212", "121212", "212121", "12121")
    answer = suggest(state, 100)
    assert [evaluation.move.connect_four.column for evaluation in answer.moves] == [7]
    assert answer.stop_reason == pb.STOP_REASON_PROVEN


# --- refusals ------------------------------------------------------------------------------------


def refusal(state=None, **more) -> BrainError:
    with pytest.raises(BrainError) as caught:
        suggest(state or GATTO, 10, **more)
    return caught.value


def test_finished_games_and_chance_points_are_refused():
    error = refusal(board("12", "12", "12", "1"))
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "GAME_OVER")
    drawing = after(table(), "buy milk 3 latte_macchiato")
    error = refusal(drawing)
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "CHANCE_POINT")
    assert "draw 1 frothy into the milk column" in error.message
    request = pb.AnalyzeRequest(suggest={"state": drawing, "budget": {"visits": 10}})
    with pytest.raises(BrainError, match="a draw is due"):  # at once, not with the first answer
        BRAIN.analyze(request)


@pytest.mark.parametrize(
    ("field", "more"),
    [
        ("viewer", {"viewer": 4}),
        ("viewer", {"viewer": 4294967295}),
        ("threads", {"threads": 65}),
        ("objective", {"objective": 3}),
        ("budget.time_ms", {"time_ms": 3_600_001}),
        ("allowed_moves[0]", {"allowed_moves": [{"id": 1}]}),
        ("allowed_moves[1]", {"allowed_moves": [{"id": 0}, {"id": 4294967295}]}),
        ("avoided_moves[0]", {"avoided_moves": [{"id": 31}]}),
        ("avoided_moves[0]", {"avoided_moves": [{}]}),
        ("avoided_moves", {"allowed_moves": [{"id": 0}], "avoided_moves": [{"id": 0}]}),
    ],
)
def test_faulty_requests_are_refused(field, more):
    error = refusal(**more)
    assert error.code == "INVALID_ARGUMENT"
    assert [violation.field for violation in error.violations] == [field]


def test_faults_below_a_move_or_an_analysis_name_the_whole_path():
    wrong = {"move": {"gatto": {"buy": {"column": 1, "row": 9, "cup": "espresso"}}}}
    error = refusal(avoided_moves=[{"id": 0}, wrong])
    assert [violation.field for violation in error.violations] == ["avoided_moves[1].move.gatto.buy.row"]
    with pytest.raises(BrainError) as caught:
        BRAIN.analyze(pb.AnalyzeRequest(suggest={"state": GATTO, "threads": 65}))
    assert [violation.field for violation in caught.value.violations] == ["suggest.threads"]


def test_too_many_visits_and_report_intervals_out_of_range():
    with pytest.raises(BrainError) as caught:
        suggest(GATTO, 100_000_001)
    assert caught.value.violations[0].field == "budget.visits"
    for interval in (9, 3_600_001):
        with pytest.raises(BrainError) as caught:
            BRAIN.analyze(pb.AnalyzeRequest(suggest={"state": GATTO}, report_interval_ms=interval))
        assert caught.value.violations[0].field == "report_interval_ms"


def test_every_viewer_at_the_table_is_accepted():
    # Nothing is hidden in this game, so the answer is the same for all.
    answers = {suggest(GATTO, 300, viewer=viewer).SerializeToString(deterministic=True) for viewer in range(4)}
    assert len(answers) == 1


# --- Connect Four --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_an_immediate_win_is_found(seed):
    # Three of player 1 in columns 1 to 3 on the bottom.
    answer = suggest(board("12", "12", "12"), 2000, seed=seed)
    assert best_column(answer) == 4
    assert answer.moves[0].players[0].win_probability == 1
    assert answer.moves[0].players[1].win_probability == 0
    assert answer.moves[0].lower_bound == 1
    assert len(answer.moves[0].principal_variation) == 1
    # Player 2's three on top of each other in column 4.
    assert best_column(suggest(board("1", "1", "", "222", "1", "1"), 2000, seed=seed)) == 4


@pytest.mark.parametrize("seed", range(3))
def test_a_threat_is_blocked(seed):
    # Player 2 to move; player 1 threatens column 4 and nothing else.
    answer = suggest(board("12", "12", "1"), 4000, seed=seed)
    assert answer.player == 2
    assert best_column(answer) == 4
    # Every other move loses at once to player 1's column 4.
    for evaluation in answer.moves[1:]:
        assert evaluation.players[1].win_probability < answer.moves[0].players[1].win_probability


@pytest.mark.parametrize("seed", range(3))
def test_a_win_in_three_plies_is_found(seed):
    # Player 1 has columns 3 and 4 on the bottom; column 2 or 5 makes three with both ends open, which player 2 cannot
    # stop with one disc: 1 or 5 after column 2, 2 or 6 after column 5 wins. Any other move lets player 2 stop it.
    answer = suggest(board("", "", "12", "12"), 20_000, seed=seed)
    assert answer.player == 1
    assert best_column(answer) in (2, 5)
    assert answer.moves[0].players[0].win_probability > 0.9
    # It sees the next two plies as well: player 2 fills one end, player 1 the other.
    line = [planned.move.connect_four.column for planned in answer.moves[0].principal_variation]
    if len(line) >= 3:
        ends = {2: {1, 5}, 5: {2, 6}}[line[0]]
        assert line[2] in ends


def test_the_first_move_in_the_middle_is_best():
    # Solved (Allis 1988, Allen 1988): only the middle column wins.
    assert best_column(suggest(board(), 20_000)) == 4


def test_allowed_and_avoided_moves():
    state = board("12", "12", "12")
    column = {number: {"move": {"connect_four": {"column": number}}} for number in range(1, 8)}
    assert columns(suggest(state, 300, allowed_moves=[column[1], column[7], {"id": 0}])) == [1, 7]
    assert columns(suggest(state, 300, avoided_moves=[column[4]])) == [1, 2, 3, 5, 6, 7]
    answer = suggest(state, 300, allowed_moves=[column[4], column[5]], avoided_moves=[column[4]])
    assert columns(answer) == [5]
    assert answer.moves[0].visits == 300
    for threads in (1, 2):
        answer = suggest(state, 300, allowed_moves=[column[5], column[6]], threads=threads)
        assert sum(evaluation.visits for evaluation in answer.moves) == 300
        # Not moving to 4 oneself leaves it to the opponent only as a defence: the values are of those moves.
        assert all(evaluation.players[0].win_probability < 1 for evaluation in answer.moves)


# --- time, stop, memory --------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_a_time_budget(threads):
    started = time.monotonic()
    answer = suggest(GATTO, 0, time_ms=80, threads=threads)
    assert 0.08 - BUILD_TIME <= time.monotonic() - started < 2
    assert answer.stop_reason == pb.STOP_REASON_TIME
    assert answer.visits > 0
    assert suggest(GATTO, 5, time_ms=60_000).stop_reason == pb.STOP_REASON_VISITS


def test_a_deadline_is_a_time_budget_minus_what_the_answer_needs():
    started = time.monotonic()
    answer = suggest(GATTO, 0, control=Control(started + 0.15))
    assert answer.stop_reason == pb.STOP_REASON_TIME
    assert 0.05 < time.monotonic() - started < 1
    # The tighter of two counts.
    started = time.monotonic()
    assert suggest(GATTO, 0, time_ms=60_000, control=Control(started + 0.1)).stop_reason == pb.STOP_REASON_TIME
    assert time.monotonic() - started < 2
    # A deadline that is over already still gets an answer.
    answer = suggest(GATTO, 0, control=Control(time.monotonic() - 1))
    assert 1 <= answer.visits <= 100


@pytest.mark.parametrize("threads", [1, 2])
def test_stop_from_another_thread(threads):
    control = Control()
    timer = threading.Timer(0.05, control.stop)
    timer.start()
    started = time.monotonic()
    answer = suggest(GATTO, 100_000_000, control=control, threads=threads)
    timer.join()
    assert answer.stop_reason == pb.STOP_REASON_STOPPED
    assert time.monotonic() - started < 5
    assert answer.visits > 0
    assert answer.moves[0].visits > 0


def test_stopped_before_it_began():
    control = Control()
    control.stop()
    answer = suggest(GATTO, 100_000_000, control=control)
    assert answer.stop_reason == pb.STOP_REASON_STOPPED
    assert 1 <= answer.visits <= 100


def search(state, **more) -> Search:
    given = {"viewer": 0, "seed": 1, "memory": 1 << 22, **more}
    return Search(decode_state(LIBRARY, state).state, **given)


def test_memory_ends_a_search_with_its_best_answer():
    # Player 2 has to block column 4.
    small = search(board("12", "12", "1"), viewer=1, memory=40_000)
    assert small.run(1_000_000, math.inf) == "memory"
    assert small.nodes * small.node_bytes <= 40_000
    assert 0 < small.visits < 1_000_000
    assert sum(visits for _, visits, *_ in small.root_moves()) == small.visits
    best = max(small.root_moves(), key=lambda root_move: root_move[1])
    assert best[0] == 3
    before = small.visits
    assert small.run(1_000_000, math.inf) == "memory"
    assert small.visits >= before


def test_memory_too_small_for_one_node_is_refused():
    with pytest.raises(ValueError, match="at least"):
        search(board(), memory=100)


def test_a_search_runs_on():
    running = search(GATTO)
    assert running.run(100, math.inf) == "visits"
    assert running.run(100, math.inf) == "visits"
    assert running.visits == 100
    assert running.run(250, math.inf) == "visits"
    assert running.visits == 250
    whole = search(GATTO)
    whole.run(250, math.inf)
    assert whole.root_moves() == running.root_moves()
    assert running.run(10_000, 0.0) == "time"
    assert 250 < running.visits < 300


def test_a_stopped_search_stays_stopped():
    stopped = search(GATTO)
    stopped.stop()
    assert stopped.run(1_000_000, math.inf) == "stopped"
    assert stopped.run(1_000_000, math.inf) == "stopped"


def test_children_of_a_line():
    tree = search(board())
    tree.run(2000, math.inf)
    mover, moves = tree.children([])
    assert mover == 0
    assert sorted(code for code, _ in moves) == list(range(7))
    assert sum(visits for _, visits in moves) == 2000
    mover, replies = tree.children([3])
    assert mover == 1
    # The first visit of a move only plays out; each later one goes on to a reply.
    assert sum(visits for _, visits in replies) == dict(moves)[3] - 1
    assert tree.children([9]) == (-1, [])
    assert tree.children([3] * 30) == (-1, [])


def test_searches_of_finished_games_are_refused():
    over = decode_state(LIBRARY, board("12", "12", "12", "1")).state
    with pytest.raises(ValueError, match="the game is over"):
        Search(over, viewer=0, seed=1, memory=1 << 20)
    with pytest.raises(ValueError, match="no legal move is allowed"):
        search(board(), allowed=[9])


# --- solved endings ------------------------------------------------------------------------------


def expectimax(state, known):
    """Expected win share per player when everyone maximises their own: the plain definition."""
    key = bytes(state)
    if key not in known:
        if state.to_move == GAME_OVER:
            known[key] = state.returns()[0]
        elif state.to_move == CHANCE_POINT:
            total = [0.0] * state.players
            for code, chance in state.outcomes():
                child = state.copy()
                child.apply(code)
                total = [a + chance * b for a, b in zip(total, expectimax(child, known), strict=True)]
            known[key] = total
        else:
            values = by_move(state, known)
            known[key] = max(values.values(), key=lambda value: value[state.to_move])
    return known[key]


def by_move(state, known):
    values = {}
    for code in state.moves():
        child = state.copy()
        child.apply(code)
        values[code] = expectimax(child, known)
    return values


def served(player, **drinks):
    return {(player, drink): points for drink, points in drinks.items()}


LAST_TURN = {
    # Player 2's last turn; player 1 has finished with 1 + 4 + 4 + 6 + 8 = 23 points and 6 coins.
    **served(1, espresso=1, doppio=4, macchiato=4, cappuccino=6, latte_macchiato=8),
    **served(2, doppio=5, latte_macchiato=10),
}
# Positions with what the mover's best is worth and the moves that are best, by hand.
ENDINGS = {
    # 15 points; the filled cups hold 4 (espresso) and 5 (macchiato): served for 4 + 5 they make 24 and win, for less
    # they do not. Either may be first.
    "both cups": (
        table(cups={**LAST_TURN, (2, "espresso"): "4h", (2, "macchiato"): "3h 2c"}, turn=2, coins=[6, 1], round=30),
        1,
        {"serve espresso 4", "serve macchiato 5"},
    ),
    # 15 points and 4 cubes: the espresso for 5 takes one, 20 points and 3 // 2 = 1 are 21 and lose like all else.
    "nothing helps": (
        table(cups={**LAST_TURN, (2, "espresso"): "4h"}, turn=2, coins=[6, 1], sugar=[0, 4], round=30),
        0,
        None,
    ),
    # The cappuccino holds 9 and a cube is there. For 10 it makes 25 points. For 8 it makes 23, the tie, and pays the
    # menu's 1 and the difference of 1: 3 coins against 2 win it. The 6 is taken, the 3 makes 18.
    "points or coins": (
        table(cups={**LAST_TURN, (2, "cappuccino"): "4h 4c 1f"}, turn=2, coins=[2, 1], sugar=[0, 1], round=30),
        1,
        {"serve cappuccino 8", "serve cappuccino 10"},
    ),
    # The game's last turn, 4 points each, player 1 has more coins: player 2 needs a second cube. No tile of value 1 is
    # within 3 coins, and after a clean there is 1 coin left. Of the bag's 1h and 2f the milk column's row 1 gets the
    # 1h with a chance of 1/2, then coffee 1c opposite costs 1 (and so does the 1h). In row 2 the 1h costs 2, in the
    # rows above a tile of value 1 costs 2 or more. Cleaned coffee always lies opposite milk of 3 or 4.
    "a clean in hope": (
        table("twelve", milk="4c 4f 4h 3c 3f", coffee="1c 2c 3h 1f 2h", cups={(1, "doppio"): 4, (2, "macchiato"): 4},
              coins=[20, 3], sugar=[0, 1], turn=2, round=200),
        0.5,
        {"clean milk"},
    ),
    # One turn each, 4 points and one cube each: whoever gets a tile of value 1 has 5 points. Row 1 holds the only ones
    # within 1 coin, opposite each other: when player 1 buys one, the other lies opposite a 2 or a 4. If player 1 does
    # not, player 2 buys one. (The tile drawn lies in row 5 and costs at least 1 + 2.)
    "the only sugar": (
        table("twelve", milk="1c 4f 4h 3c 3f", coffee="1h 2c 3h 4c 2h", cups={(1, "doppio"): 4, (2, "macchiato"): 4},
              coins=[1, 1], sugar=[1, 1], turn=1, round=200),
        1,
        {"buy milk 1 latte_macchiato", "buy coffee 1 espresso", "buy coffee 1 macchiato", "buy coffee 1 cappuccino"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDINGS)
def test_endings_agree_with_expectimax(name):
    message, value, best_moves = ENDINGS[name]
    state = decode_state(LIBRARY, message).state
    mover = state.to_move
    exact = {code: values[mover] for code, values in by_move(state, {}).items()}
    assert max(exact.values()) == pytest.approx(value)
    short = {legal.id: words(legal.move) for legal in BRAIN.get_moves(pb.GetMovesRequest(state=message)).moves}
    best = {short[code] for code, found in exact.items() if found == pytest.approx(value)}
    assert best == (best_moves or set(short.values()))
    for seed in range(2):
        answer = suggest(message, 30_000, seed=seed)
        chosen = answer.moves[0]
        assert short[chosen.id] in best
        assert chosen.players[mover].win_probability == pytest.approx(value, abs=0.05)
        assert {evaluation.id for evaluation in answer.moves} == exact.keys()


def test_the_score_objective_takes_the_most_points():
    # The last turn of the game: the espresso of 4 makes 4, or with the odd cube, which is worth nothing alone, 5.
    cups = {**LAST_TURN, (2, "espresso"): "4h"}
    state = table(cups=cups, turn=2, coins=[6, 1], sugar=[0, 1], round=30)
    answer = suggest(state, 4000, objective=pb.OBJECTIVE_SCORE)
    best = answer.moves[0]
    assert words(best.move) == "serve espresso 5"
    assert best.players[1].expected_score == 15 + 5
    assert best.players[1].score_spread == 0
    assert best.lower_bound == 20
    # Player 1's score does not move: 1 + 4 + 4 + 6 + 8.
    assert {evaluation.players[0].expected_score for evaluation in answer.moves} == {23}
