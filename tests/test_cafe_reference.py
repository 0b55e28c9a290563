"""The native rules of Café against the independent reference in tests/reference: whole games, and boards by hand."""
from __future__ import annotations

import random

import pytest

from cython_ext.game import State
from engines.cafe import codes
from engines.cafe.outcomes import Outcomes
from engines.cafe.rules import CafeGame
from tests.cafe_agreement import play_both
from tests.cafe_boards import key, mirror, one_action, random_board, undominated
from tests.sets import cafe_entries

GAMES: dict[str, CafeGame] = {id_: entry.game for id_, entry in cafe_entries().items()}  # type: ignore[misc]
VARIANTS = [
    (players, auction, expresso)
    for players in (1, 2, 3, 4)
    for auction in (False, True)
    for expresso in (False, True)
    if players > 1 or not auction
]


@pytest.mark.parametrize(("players", "auction", "expresso"), VARIANTS)
@pytest.mark.parametrize("set_id", sorted(GAMES))
def test_random_games_agree(set_id: str, players: int, auction: bool, expresso: bool) -> None:
    """Placements, groups, every legal move, supply, scores and results at every step."""
    assert play_both(GAMES[set_id], players, auction, expresso, seed=players, busy=True) > 40


@pytest.mark.parametrize("expresso", [False, True])
@pytest.mark.parametrize("set_id", sorted(GAMES))
def test_every_way_to_do_one_action_is_reached(set_id: str, expresso: bool) -> None:
    """The micro-moves of one action lead to exactly the positions that the words of the rules allow."""
    met = 0
    for seed in range(40):
        board = random_board(GAMES[set_id], seed, expresso=expresso, filled=random.Random(seed).uniform(0.2, 0.8))
        expected = {after.key(0) for after in mirror(board).outcomes_of_one_action(0)}
        assert one_action(board) == expected
        met += len(expected)
    assert met > 1000


@pytest.mark.parametrize(("actions", "rounds"), [(1, 3), (2, 2)])
@pytest.mark.parametrize("expresso", [False, True])
def test_no_use_of_free_discards_is_missed(actions: int, rounds: int, expresso: bool) -> None:
    """Any piles may be discarded before and after every action: what is best of that is reached."""
    boards = 0
    for seed in range(12):
        board = random_board(
            GAMES["reconstructed"], seed, expresso=expresso, actions=actions, rounds=rounds, filled=0.35
        )
        start = mirror(board)
        known = {start.key(0): start}
        level = [start]
        for _ in range(actions):
            found = {}
            for before in level:
                for discarded in before.discarded(0):
                    known.setdefault(discarded.key(0), discarded)
                    for after in discarded.outcomes_of_one_action(0):
                        if after.key(0) not in known:
                            known[after.key(0)] = found[after.key(0)] = after
            level = list(found.values())
        outcomes = Outcomes(board, actions)
        assert {key(state, 0) for state in outcomes.states()} == undominated(set(known))
        boards += 1
    assert boards == 12


def plain_search(board: State, actions: int) -> set[tuple[object, ...]]:
    """Return every position of the solo player reached by up to `actions` actions, by trying all moves."""
    game = board.game
    assert isinstance(game, CafeGame)
    known: dict[bytes, tuple[object, ...] | None] = {}
    front = [game.build(dict(game.read(board), actions=actions))]
    while front:
        state = front.pop()
        if bytes(state) in known:
            continue
        fields = game.read(state)
        known[bytes(state)] = None if fields["step"] == codes.STEP_GROW else key(state, 0)
        if state.to_move == 0 and fields["round"] == game.read(board)["round"]:
            for move in state.moves():
                if codes.unpack(move).kind != "end":
                    front.append(state.copy())
                    front[-1].apply(move)
    return {found for found in known.values() if found is not None}


@pytest.mark.parametrize(("set_id", "expresso", "actions", "rounds", "boards"), [
    ("reconstructed", False, 3, 4, 4), ("reconstructed", True, 3, 4, 4), ("reconstructed", False, 4, 3, 4),
    ("reconstructed", True, 4, 2, 4), ("odd", False, 2, 4, 4), ("odd", True, 2, 4, 4), ("odd", True, 3, 2, 4),
    ("odd", False, 4, 1, 4),
])  # fmt: skip
def test_distinct_outcomes_are_those_of_plain_search(
    set_id: str, expresso: bool, actions: int, rounds: int, boards: int
) -> None:
    """With an ample supply dominated positions are left out on the way, with a short one only at the end."""
    for seed in range(boards):
        board = random_board(GAMES[set_id], seed, expresso=expresso, actions=actions, rounds=rounds, filled=0.3)
        found = plain_search(board, actions)
        outcomes = Outcomes(board, actions)
        assert outcomes.complete
        assert {key(state, 0) for state in outcomes.states()} == undominated(found)
        assert len(outcomes) <= outcomes.nodes_visited


@pytest.mark.parametrize(("set_id", "expresso"), [("reconstructed", False), ("reconstructed", True), ("odd", True)])
def test_lines_lead_to_the_outcomes(set_id: str, expresso: bool) -> None:
    for seed in range(4):
        board = random_board(GAMES[set_id], seed, expresso=expresso, actions=3, rounds=5, filled=0.4)
        outcomes = Outcomes(board)
        for index, end in list(enumerate(outcomes.states()))[:: max(1, len(outcomes) // 40)]:
            state = board.copy()
            for move in outcomes.line(index):
                state.apply(move)
            assert key(state, 0) == key(end, 0)


def test_without_pruning_everything_is_kept() -> None:
    board = random_board(GAMES["reconstructed"], 1, actions=3, rounds=4, filled=0.3)
    everything = {key(state, 0) for state in Outcomes(board, prune=False).states()}
    assert everything == plain_search(board, 3)


def test_outcomes_say_when_they_are_cut_short() -> None:
    board = random_board(GAMES["reconstructed"], 1, actions=3, rounds=8, filled=0.5)
    outcomes = Outcomes(board, limit=10)
    assert not outcomes.complete
    assert outcomes.nodes_visited == 10


def test_outcomes_refuse_what_does_not_fit() -> None:
    board = random_board(GAMES["reconstructed"], 1, actions=3, rounds=4)
    with pytest.raises(ValueError, match="1 to 3, not 4"):
        Outcomes(board, 4)
    with pytest.raises(ValueError, match="limit"):
        Outcomes(board, limit=0)
    with pytest.raises(IndexError):
        Outcomes(board, 1).line(10**6)
    start = GAMES["reconstructed"].initial(1, [56], 0, False, False)
    with pytest.raises(ValueError, match="not at the start of an action"):
        Outcomes(start)
