"""Threads that share one tree, and one look ahead: nothing is lost or counted twice, and the answers are as good."""
from __future__ import annotations

import math
import threading

import pytest

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.library import Library
from solver.analysis import Control, Limits, analysis_for
from solver.positions import Position

LIBRARY = Library()
FOREVER = math.inf
GAMES = [("connect_four", 2), ("gatto", 1), ("gatto", 3), ("cafe", 2), ("campus", 4)]


def opening(game: str, players: int, seed: int = 7, moves: int = 0) -> State:
    """Return the first position after some moves of the playout policy in which somebody has to choose."""
    entry = LIBRARY.entry(game, "", "", "")
    dice = Random(seed)
    state = entry.engine.initial(entry.game, players, {}, dice)
    while moves > 0 or state.to_move == CHANCE_POINT or len(state.moves()) < 3:
        state.playout_step(dice)
        moves -= 1
    return state


def shared(state: State, threads: int = 4, memory: int = 64 << 20, **more: object) -> Search:
    return Search(state, viewer=max(state.to_move, 0), seed=1, memory=memory, threads=threads, **more)


def check_node(search: Search, state: State, line: list[int], visits: int, depth: int) -> None:
    """Check that visits of a node go on to legal moves, but for the first, and those while it is being expanded."""
    _, moves = search.children(line)
    if not moves or not depth:
        return
    after = state.copy()
    for move in line:
        after.apply(move)
    assert {move for move, _ in moves} <= set(after.moves())
    assert 0 < sum(n for _, n in moves) < visits
    for move, n in sorted(moves, key=lambda pair: -pair[1])[:3]:
        check_node(search, state, [*line, move], n, depth - 1)


@pytest.mark.parametrize("objective", [False, True], ids=["win", "score"])
@pytest.mark.parametrize(("game", "players"), GAMES)
def test_every_simulation_is_counted_once(game: str, players: int, objective: bool) -> None:
    state = opening(game, players)
    search = shared(state, score_objective=objective)
    for visits in (1, 3, 500, 20_000):
        assert search.run(visits, FOREVER) == "visits"
        assert search.visits == visits
        moves = search.root_moves()
        assert sum(n for _, n, *_ in moves) == visits
        # Each simulation shares out one win.
        assert sum(sum(win) for _, _, win, *_ in moves) == pytest.approx(visits)
        for _, n, win, squares, *_ in moves:
            assert sum(win) == pytest.approx(n)
            assert all(0 <= square <= one + 1e-6 for one, square in zip(win, squares, strict=True))
    for move, n, *_ in search.root_moves():
        check_node(search, state, [move], n, 3)


def test_one_move_alone_has_the_visits_it_is_told() -> None:
    search = shared(opening("gatto", 2))
    search.run(100, FOREVER)
    move, _, *_ = min(search.root_moves(), key=lambda found: found[1])
    before = {code: n for code, n, *_ in search.root_moves() if code != move}
    assert search.run(5000, FOREVER, move) == "visits"
    after = {code: n for code, n, *_ in search.root_moves()}
    assert after.pop(move) == 5000
    assert after == before


def test_many_short_runs_are_as_good_as_one() -> None:
    state = opening("gatto", 2)
    values = []
    for step in (40, 40_000):
        search = shared(state)
        for visits in range(step, 40_001, step):
            search.run(visits, FOREVER)
        _, n, win, *_ = max(search.root_moves(), key=lambda found: found[1])
        values.append(win[state.to_move] / n)
    assert values[0] == pytest.approx(values[1], abs=0.05)


@pytest.mark.parametrize("threads", [16, 64])
@pytest.mark.parametrize("visits", [1, 40, 160, 500])
def test_many_threads_for_few_visits(threads: int, visits: int) -> None:
    """Each thread reserves nodes for itself; there have to be enough for all visits."""
    entry = LIBRARY.entry("connect_four", "", "", "")
    state = entry.engine.initial(entry.game, 2, {}, Random(1))
    request = pb.SuggestRequest(budget=pb.Budget(visits=visits), seed=1, threads=threads)
    analysis = analysis_for(Position(entry, state), request, Control(), Limits(), "", features={"exact": False})
    assert analysis.run()
    assert (analysis.visits_made, analysis.stop_reason) == (visits, pb.STOP_REASON_VISITS)


@pytest.mark.parametrize("threads", [0, 65])
def test_numbers_of_threads(threads: int) -> None:
    with pytest.raises(ValueError, match="1 to 64"):
        shared(opening("gatto", 2), threads=threads)


def test_a_forced_win_is_found() -> None:
    entry = LIBRARY.entry("connect_four", "", "", "")
    state = entry.engine.initial(entry.game, 2, {}, Random(1))
    # Solved (Allis 1988, Allen 1988): only the middle column wins.
    search = shared(state, threads=8)
    search.run(40_000, FOREVER)
    assert max(search.root_moves(), key=lambda found: found[1])[0] == 3


@pytest.mark.parametrize("memory", [200_000, 2_000_000])
def test_memory_is_never_passed(memory: int) -> None:
    search = shared(opening("gatto", 3), threads=8, memory=memory)
    assert search.run(10**9, FOREVER) == "memory"
    assert search.nodes * search.node_bytes <= memory
    before = search.visits
    assert sum(n for _, n, *_ in search.root_moves()) == before > 0
    assert search.run(10**9, FOREVER) == "memory"
    assert search.visits > before


def test_pauses_and_a_time_limit() -> None:
    search = shared(opening("gatto", 2))
    for visits in (200, 400):
        assert search.run(10**9, 0.0) == "time"
        assert search.run(visits, FOREVER) == "visits"
        assert search.visits == visits


def test_a_stop_ends_all_threads() -> None:
    search = shared(opening("campus", 2), threads=8)
    timer = threading.Timer(0.1, search.stop)
    timer.start()
    assert search.run(10**9, FOREVER) == "stopped"
    timer.join()
    assert search.run(10**9, FOREVER) == "stopped"


# Looking ahead


def planned(state: State, threads: int, positions: int = 60_000) -> tuple[Search, int]:
    search = shared(state, threads)
    return search, search.plan(positions, FOREVER, ahead=True)


@pytest.mark.parametrize("players", [1, 2, 4])
def test_threads_look_ahead_from_the_same_ends(players: int) -> None:
    """Limited by positions, it does not matter who looks at them."""
    for seed in range(4):
        state = opening("cafe", players, seed, moves=40 * players)
        one, seen = planned(state, 1)
        four, seen_by_four = planned(state, 4)
        assert one.settled == four.settled
        assert seen == seen_by_four
        assert one.preferred() == four.preferred()


def test_a_stop_ends_a_plan_of_all_threads() -> None:
    state = opening("cafe", 2, moves=30)
    search = shared(state)
    timer = threading.Timer(0.05, search.stop)
    timer.start()
    seen = search.plan(10**9, FOREVER, ahead=True)
    timer.join()
    assert seen < shared(state).plan(2_000_000, FOREVER, ahead=True)
    assert shared(state).plan(10**6, 0.0, ahead=True) == 0


def test_visits_are_planned_for_alike_whoever_makes_them() -> None:
    state = opening("cafe", 2, moves=30)
    entry = LIBRARY.entry("cafe", "", "", "")
    seen = set()
    for threads in (1, 3):
        request = pb.SuggestRequest(budget=pb.Budget(visits=30_000), seed=1, threads=threads)
        analysis = analysis_for(Position(entry, state), request, Control(), Limits(), "")
        analysis.run()
        seen.add(analysis.planned)
        assert analysis.visits_made == 30_000
    assert len(seen) == 1


def test_no_game_is_left_unplayed() -> None:
    """A search of several threads plays on from every position of a game, as it comes."""
    for game, players in GAMES:
        state = opening(game, players)
        dice = Random(3)
        while state.to_move != GAME_OVER:
            if state.to_move == CHANCE_POINT:
                state.apply(state.sample(dice))
                continue
            search = shared(state, threads=3, memory=4 << 20)
            search.run(30, FOREVER)
            state.apply(max(search.root_moves(), key=lambda found: found[1])[0])
