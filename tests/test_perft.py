"""Perft: numbers of move sequences against published counts and against another implementation."""
from __future__ import annotations

from copy import deepcopy
from functools import cache

import pytest

from cython_ext.perft import divide, perft
from cython_ext.rng import Random
from engines.library import Library
from tests.gatto_tables import BRAIN
from tests.reference import campus as campus_ref
from tests.reference import gatto as ref
from tests.sets import campus_games
from tests.test_campus_reference import reference_move as campus_move
from tests.test_gatto_reference import reference_move, reference_set

# Published counts of Connect Four's move sequences (John Tromp; also the chessprogramming wiki).
CONNECT_FOUR = [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234]


def connect_four(columns=("",) * 7):
    entry = Library().entries("connect_four")[0]
    return entry.game.position(list(columns))


@pytest.mark.parametrize("depth", range(len(CONNECT_FOUR)))
def test_connect_four(depth):
    assert perft(connect_four(), depth) == CONNECT_FOUR[depth]


@pytest.mark.parametrize("depth", [1, 2, 7])
def test_divide_sums_to_perft(depth):
    parts = divide(connect_four(), depth)
    assert sorted(parts) == list(range(7))
    assert sum(parts.values()) == CONNECT_FOUR[depth]
    # The board is symmetric.
    assert all(parts[column] == parts[6 - column] for column in range(7))


def test_sequences_that_end_earlier_do_not_count():
    # Player 1 has three in columns 1 to 3, player 2 three on top of them: column 4 wins at once, the others go on.
    state = connect_four(["12", "12", "12", "", "", "", ""])
    assert perft(state, 1) == 7
    parts = divide(state, 2)
    assert parts[3] == 0
    # From column 5 to 7 player 1 leaves seven moves.
    assert [parts[column] for column in (4, 5, 6)] == [7, 7, 7]
    # A full column cannot be played into.
    assert perft(connect_four(["121212", "", "", "", "", "", ""]), 1) == 6


def test_a_finished_game_has_no_sequences():
    state = connect_four(["12", "12", "12", "1", "", "", ""])
    assert (perft(state, 0), perft(state, 1), perft(state, 3)) == (1, 0, 0)


@pytest.mark.parametrize("depth", [-1, 100])
def test_depths_out_of_range(depth):
    with pytest.raises(ValueError, match="depth"):
        perft(connect_four(), depth)


# --- Café del Gatto: a draw counts as a move, each possible outcome once -------------------------


def reference_perft(cs, s, depth):
    """Count with the reference, position by position."""
    if depth == 0:
        return 1
    to_move = ref.to_move(cs, s)
    if to_move == "over":
        return 0
    moves = [move for move, _ in ref.draws(cs, s)] if to_move == "chance" else ref.moves(cs, s)
    if depth == 1:
        return len(moves)
    return sum(reference_perft(cs, ref.apply(cs, s, move), depth - 1) for move in moves)


@cache
def midgame(set_id, players, plies):
    """The same position in both, some random plies into a game."""
    entry = BRAIN.library.entry("gatto", set_id, "", "set")
    contents = entry.components.contents
    cs = reference_set(contents)
    state, s = entry.engine.initial(entry.game, players, {}, Random(0)), ref.initial(cs, players)
    dice = Random(plies)
    for _ in range(plies):
        codes = state.moves() or [code for code, _ in state.outcomes()]
        code = codes[dice.below(len(codes))]
        s = ref.apply(cs, s, reference_move(contents, s.step, code))
        state.apply(code)
    return cs, state, s


# Plies: in the setup, at the first turn, in the middle of a game, for small sets around intermediate rounds.
@pytest.mark.parametrize(
    ("set_id", "players", "plies", "depth"),
    [
        ("reconstructed", 2, 7, 3),
        ("reconstructed", 2, 10, 4),
        ("reconstructed", 3, 60, 3),
        ("reconstructed", 5, 81, 3),
        ("owners", 4, 70, 3),
        ("odd", 2, 10, 2),
        ("odd", 5, 55, 3),
        ("scarce", 2, 30, 5),
        ("scarce", 3, 60, 5),
        ("scarce", 5, 40, 5),
        ("thirteen", 4, 50, 4),
        ("twelve", 5, 91, 4),
    ],
)
def test_gatto_against_the_reference(set_id, players, plies, depth):
    cs, state, s = midgame(set_id, players, plies)
    expected = [reference_perft(cs, s, plies_on) for plies_on in range(depth + 1)]
    assert expected[-1] > 0
    assert [perft(state, plies_on) for plies_on in range(depth + 1)] == expected
    assert sum(divide(state, depth).values()) == expected[depth]


# --- Campus Café ---------------------------------------------------------------------------------


def campus_perft(game, depth):
    if depth == 0:
        return 1
    if game.step == "over":
        return 0
    moves = game.outcomes() if game.mover is None else game.moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = deepcopy(game)
        after.set, after.side = game.set, game.side
        after.apply(move)
        total += campus_perft(after, depth - 1)
    return total


# Plies: the first draws, the draft, and in the middle of games.
@pytest.mark.parametrize(
    ("set_id", "variant", "dislikes", "players", "plies", "depth"),
    [
        ("reconstructed", "basic", False, 2, 0, 3),
        ("reconstructed", "basic", True, 3, 60, 3),
        ("reconstructed", "advanced", False, 4, 17, 3),
        ("reconstructed", "advanced", False, 2, 90, 3),
        ("reconstructed", "advanced", True, 3, 120, 3),
        ("other", "basic", False, 5, 150, 3),
        ("other", "advanced", True, 5, 140, 3),
        ("cramped", "basic", True, 2, 100, 4),
        ("cramped", "advanced", False, 3, 130, 3),
    ],
)
def test_campus_against_the_reference(set_id, variant, dislikes, players, plies, depth):
    native = campus_games()[set_id]
    state = native.start(players, variant == "advanced", dislikes)
    game = campus_ref.Game(native.components.contents, players, variant, dislikes)
    dice = Random(plies)
    for _ in range(plies):
        codes = state.moves() or [code for code, _ in state.outcomes()]
        code = codes[dice.below(len(codes))]
        game.apply(campus_move(game, code))
        state.apply(code)
    expected = [campus_perft(game, plies_on) for plies_on in range(depth + 1)]
    assert expected[-1] > 0
    assert [perft(state, plies_on) for plies_on in range(depth + 1)] == expected
