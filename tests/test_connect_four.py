"""Connect Four's positions on the wire: what can come about is accepted, what cannot is refused."""
from __future__ import annotations

import random
import time

import pytest

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cython_ext.game import GAME_OVER
from engines.library import Library
from solver.brain import Brain

BRAIN = Brain(Library())
ENTRY = BRAIN.library.entries("connect_four")[0]


def board(*columns: str) -> game_pb2.GameState:
    return game_pb2.GameState(
        component_set={"id": "standard", "hash": ENTRY.components.hash}, connect_four={"columns": columns}
    )


def answer(*columns: str) -> pb.GetMovesResponse:
    return BRAIN.get_moves(pb.GetMovesRequest(state=board(*[*columns, *[""] * (7 - len(columns))])))


@pytest.mark.parametrize(
    ("columns", "path", "value", "reason"),
    [
        ([""] * 6, "columns", "6", "must be 7 columns"),
        ([""] * 8, "columns", "8", "must be 7 columns"),
        ([], "columns", "0", "must be 7 columns"),
        (["1212121", *[""] * 6], "columns[0]", "1212121", "at most 6 discs"),
        (["", "13", *[""] * 5], "columns[1]", "13", 'must consist of "1" and "2"'),
        (["", "1 2", *[""] * 5], "columns[1]", "1 2", 'must consist of "1" and "2"'),
        (["", "\u0661", *[""] * 5], "columns[1]", "\u0661", 'must consist of "1" and "2"'),
        (["1", "1", *[""] * 5], "columns", "1,1,,,,,", "player 1 has 2 discs and player 2 has 0"),
        (["2", *[""] * 6], "columns", "2,,,,,,", "player 1 has 0 discs and player 2 has 1"),
        # Four of player 1 on the bottom and player 2 moved on.
        (["12", "12", "12", "1", "2", "", ""], "columns", "12,12,12,1,2,,", "over before the last disc fell"),
        # Both have a line.
        (["12", "12", "12", "12", "", "", ""], "columns", "12,12,12,12,,,", "over before the last disc fell"),
        # Player 1 is the last, but none of its top discs made the line at the bottom.
        (["12", "12", "12", "12", "1", "", ""], "columns", "12,12,12,12,1,,", "over before the last disc fell"),
        (["1221", "12", "12", "12", "1", "", ""], "columns", "1221,12,12,12,1,,", "over before the last disc fell"),
        # Player 2's disc lies below the only one of player 1, who moves first.
        (["21", *[""] * 6], "columns", "21,,,,,,", "no order in which these discs can have fallen"),
        (["2211", *[""] * 6], "columns", "2211,,,,,,", "no order in which these discs can have fallen"),
        # 1 first, then 2 twice in a row before the next 1 is free.
        (["1221", *[""] * 6], "columns", "1221,,,,,,", "no order in which these discs can have fallen"),
    ],
)
def test_impossible_positions_are_refused(columns, path, value, reason):
    with pytest.raises(BrainError) as caught:
        BRAIN.get_moves(pb.GetMovesRequest(state=board(*columns)))
    assert (caught.value.code, caught.value.reason) == ("INVALID_ARGUMENT", "INVALID_STATE")
    [violation] = caught.value.violations
    assert (violation.field, violation.value) == (f"state.connect_four.{path}", value)
    assert reason in violation.reason


def test_possible_positions():
    assert answer().to_move == "player 1"
    assert answer("1").to_move == "player 2"
    assert answer("12").to_move == "player 1"
    assert answer("1221", "2", "1").to_move == "player 1"  # 1 3 2: the second 2 falls after player 1's column 3
    won = answer("12", "12", "12", "1")
    assert (won.to_move, [result.win_share for result in won.result]) == ("over", [1, 0])
    # Seven in a row: the last disc closed the gap of two threes.
    won = answer("12", "12", "12", "1", "12", "12", "12")
    assert (won.to_move, [result.win_share for result in won.result]) == ("over", [1, 0])


def test_a_full_board_without_a_line_is_a_draw():
    # Bottom row 1 1 2 2 1 1 2, every other row its opposite; along a diagonal that makes 1 2 2 1 1 2 2 or its opposite.
    draw = answer("121212", "121212", "212121", "212121", "121212", "121212", "212121")
    assert draw.to_move == "over"
    assert not draw.moves
    assert [(result.win_share, result.score) for result in draw.result] == [(0.5, 0.5)] * 2


def test_every_position_of_random_games_is_accepted():
    dice = random.Random(4)
    for _ in range(300):
        state = ENTRY.engine.initial(ENTRY.game, 2, {}, None)
        while state.to_move != GAME_OVER:
            state.apply(dice.choice(state.moves()))
            assert ENTRY.game.position(ENTRY.game.columns(state)) == state


def test_what_is_accepted_can_have_come_about():
    """Small boards of any discs: accepted just when one of all orders of play leads there."""
    reached = {("",) * 3}
    frontier = {("",) * 3: 0}
    for _ in range(6):
        following = {}
        for columns, player in frontier.items():
            full = [*columns, *[""] * 4]
            if ENTRY.game.position(full).to_move == GAME_OVER:
                continue
            for number in range(3):
                if len(columns[number]) < 6:
                    after = (*columns[:number], columns[number] + "12"[player], *columns[number + 1 :])
                    following[after] = 1 - player
        reached |= following.keys()
        frontier = following
    dice = random.Random(2)
    accepted = 0
    for _ in range(4000):
        columns = tuple("".join(dice.choice("12") for _ in range(dice.randint(0, 3))) for _ in range(3))
        if sum(map(len, columns)) > 6:
            continue
        try:
            ENTRY.game.position([*columns, *[""] * 4])
        except ValueError:
            possible = False
        else:
            possible = True
        assert possible == (columns in reached), columns
        accepted += possible
    assert 50 < accepted < 4000


def test_refusing_takes_no_time():
    dice = random.Random(5)
    started = time.monotonic()
    for _ in range(30):
        discs = list("12" * 21)
        dice.shuffle(discs)
        columns = ["".join(discs[6 * number : 6 * number + 6]) for number in range(7)]
        try:
            BRAIN.get_moves(pb.GetMovesRequest(state=board(*columns)))
        except BrainError:
            continue
    assert time.monotonic() - started < 5


def has_line(columns: list[str], disc: str) -> bool:
    """Whether four discs lie in a row, looked for cell by cell."""
    cells = {(x, y) for x, column in enumerate(columns) for y, found in enumerate(column) if found == disc}
    return any(
        all((x + step * dx, y + step * dy) in cells for step in range(4))
        for x, y in cells
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


def test_a_game_ends_with_the_first_line_in_any_direction():
    dice = random.Random(3)
    directions = {"1": 0, "2": 0}
    for _ in range(300):
        state = ENTRY.game.position([""] * 7)
        while state.to_move != GAME_OVER:
            state.apply(dice.choice(state.moves()))
            columns = ENTRY.game.columns(state)
            winners = [player for player, disc in enumerate("12") if has_line(columns, disc)]
            assert ENTRY.game.winner(state) == (winners[0] if winners else -1)
            assert (state.to_move == GAME_OVER) == bool(winners or not state.copy().moves())
        directions["1" if winners == [0] else "2"] += 1
    assert min(directions.values()) > 50
