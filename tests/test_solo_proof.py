"""Proofs of the solo solver against independent searches, and its bound against all that was ever reached."""
from __future__ import annotations

import json
import time
from math import inf

import pytest

from cython_ext.branch_bound import BranchBound
from cython_ext.game import GAME_OVER, State
from cython_ext.relaxation import Relaxation
from cython_ext.rng import Random
from cython_ext.solo import Puzzle
from engines.cafe.prices import values
from engines.library import Library
from solver.positions import Position
from solver.solo import SoloSearch
from tests.write_puzzles import FILE

ENTRY = Library().entry("cafe", "", "", "set")
MEMORY = 256 << 20
SOLVED = [json.loads(line) for line in FILE.read_text().splitlines()]
THREE = [line for line in SOLVED if line["rounds"] == 3]


def first(seed: int, expresso: bool = False) -> State:
    options = {"open_deck": "true", "expresso": "true" if expresso else "false"}
    return ENTRY.engine.initial(ENTRY.game, 1, options, Random(seed))


def proven(puzzle: Puzzle, known: float = -inf) -> float:
    """Return the most points of a puzzle, by branch and bound for a line of more points than are known."""
    search = BranchBound(puzzle, MEMORY)
    assert search.run(time.monotonic() + 280, 10**9, known)
    assert search.bound == search.best
    return search.best


def test_two_rounds_equal_an_independent_search() -> None:
    for line in SOLVED:
        if line["rounds"] == 2:
            puzzle = Puzzle(first(line["deck"]), 2)
            assert proven(puzzle) == line["points"], line
            assert puzzle.bound(puzzle.root) >= line["points"]


@pytest.mark.parametrize("line", THREE, ids=[f"deck {line['deck']}" for line in THREE])
def test_three_rounds_equal_an_independent_search(line: dict[str, int]) -> None:
    """Told of one point less, it has to find a line and to prove that there is no better one, in half the time."""
    puzzle = Puzzle(first(line["deck"]), 3)
    assert proven(puzzle, line["points"] - 1) == line["points"]
    assert puzzle.bound(puzzle.root) >= line["points"]


def bound_by_prices(puzzle: Puzzle, nodes: int = 10**6) -> float:
    search = Relaxation(puzzle)
    search.run(inf, nodes)
    return search.bound


def test_bound_by_prices_is_never_below_an_independent_search() -> None:
    for line in SOLVED:
        puzzle = Puzzle(first(line["deck"]), line["rounds"])
        assert bound_by_prices(puzzle) >= line["points"], line


def best_by_trying(puzzle: Puzzle, state: State, known: dict[bytes, float]) -> float:
    """Return the most points from a position, by every legal move."""
    if puzzle.is_over(state):
        return puzzle.points(state)
    key = bytes(state)
    if key not in known:
        known[key] = -inf
        for move in state.moves():
            after = state.copy()
            after.apply(move)
            known[key] = max(known[key], best_by_trying(puzzle, after, known))
    return known[key]


@pytest.mark.parametrize("expresso", [False, True])
def test_bound_is_never_below_what_can_be_reached(expresso: bool) -> None:
    """At every position of the last phase of random lines, by every legal move."""
    looked_at = 0
    for seed in range(60):
        rounds = 1 + seed % 8
        puzzle = Puzzle(first(seed, expresso), rounds)
        state, random = puzzle.root.copy(), Random(seed)
        while not puzzle.is_over(state):
            if ENTRY.game.read(state)["round"] == rounds and 0 < ENTRY.game.read(state)["actions"] <= 2:
                known: dict[bytes, float] = {}
                best = best_by_trying(puzzle, state, known)
                for position, points in known.items():
                    assert puzzle.bound(ENTRY.game.from_bytes(position)) >= points
                assert puzzle.bound(state) >= best
                looked_at += len(known)
                break
            state.playout_step(random)
    assert looked_at > 1000


@pytest.mark.parametrize("expresso", [False, True])
def test_bound_is_never_below_a_line(expresso: bool) -> None:
    """At every position of good lines, and at positions of random ones from which a beam goes on."""
    for seed in range(16):
        rounds = 1 + seed % 8
        puzzle = Puzzle(first(seed, expresso), rounds)
        found = SoloSearch(Position(ENTRY, puzzle.root), rounds=rounds, members=["beam"]).run(60, nodes=20_000)
        state = puzzle.root.copy()
        for number, move in enumerate(found.line):
            assert puzzle.bound(state) >= found.score
            if number % 9 == 0:
                assert bound_by_prices(Puzzle(state, rounds + 1 - ENTRY.game.read(state)["round"]), 60) >= found.score
            state.apply(move)
        state, random = puzzle.root.copy(), Random(seed)
        while state.to_move != GAME_OVER:
            here = Puzzle(state, None)
            reached = SoloSearch(Position(ENTRY, state), members=["beam"]).run(60, nodes=300)
            assert here.bound(state) >= reached.score
            for _ in range(7):
                if state.to_move != GAME_OVER:
                    state.playout_step(random)


@pytest.mark.parametrize("expresso", [False, True])
def test_no_card_raises_the_bound(expresso: bool) -> None:
    """The best of a round's cards is no worse than any of them, at any prices."""
    for seed in range(12):
        state, random = first(seed, expresso), Random(seed)
        for _ in range(40):
            prices = [0] * 4
            while sum(prices) < 12:  # 3 points, none above 2
                color = random.below(4)
                prices[color] += prices[color] < 8
            found = values(state, prices, [random.below(4 if expresso else 3) for _ in range(8)])
            assert found == sorted(found, reverse=True), (seed, prices)
