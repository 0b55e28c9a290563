"""The native rules of Café against the independent reference in tests/reference: whole games, and boards by hand."""
from __future__ import annotations

import random

import pytest

from cython_ext.game import State
from cython_ext.rng import Random
from engines.cafe import codes
from engines.cafe.outcomes import Outcomes
from engines.cafe.rules import CafeGame
from tests.cafe_agreement import play_both
from tests.cafe_boards import key, mirror, one_action, random_board, undominated
from tests.reference import cafe as ref
from tests.sets import cafe_entries, gatto_entries, written_cafe

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


def with_all_discards(board: State, actions: int) -> dict[tuple[object, ...], ref.Game]:
    """Return all the rules allow: any piles may be discarded before and after every action."""
    player, start = board.to_move, mirror(board)
    known = {start.key(player): start}
    level = [start]
    for _ in range(actions):
        found = {}
        for before in level:
            for discarded in before.discarded(player):
                known.setdefault(discarded.key(player), discarded)
                for after in discarded.outcomes_of_one_action(player):
                    if after.key(player) not in known:
                        known[after.key(player)] = found[after.key(player)] = after
        level = list(found.values())
    return known


@pytest.mark.parametrize(
    ("set_id", "players", "actions", "rounds", "filled"),
    [("reconstructed", 1, 1, 3, 0.35), ("reconstructed", 1, 2, 2, 0.35), ("reconstructed", 2, 1, 3, 0.4),
     ("reconstructed", 3, 2, 2, 0.35), ("odd", 4, 1, 2, 0.4), ("odd", 2, 2, 1, 0.4)],
)  # fmt: skip
@pytest.mark.parametrize("expresso", [False, True])
def test_no_use_of_free_discards_is_missed(
    set_id: str, players: int, actions: int, rounds: int, filled: float, expresso: bool
) -> None:
    """What is best of all ways to discard is reached; with opponents the supply is short."""
    boards = 0
    for seed in range(12):
        board = random_board(
            GAMES[set_id], seed, players, expresso, actions, rounds, filled, scarce=players > 1
        )
        known = with_all_discards(board, actions)
        ends = {key(state, board.to_move) for state in Outcomes(board, actions).states()}
        assert ends == undominated(set(known))
        boards += 1
    assert boards == 12


def test_no_discard_for_the_waiters_is_missed() -> None:
    """In the last round a discard may bring a colour into the supply for which a waiter's cube is exchanged."""
    gained = boards = 0
    for seed in range(400):
        board = random_board(GAMES["reconstructed"], seed, 2, True, 1, 8, filled=0.25, scarce=True)
        player = board.to_move
        start = mirror(board)
        piles = sum(start.letter(start.areas[player], place) in ("A", "B", "C") for place in start.areas[player].cubes)
        if not start.count(start.areas[player], "waiter") or piles > 6:
            continue
        boards += 1
        known = with_all_discards(board, 1).values()
        best = max(end.points()[player]["total"] for end in known)
        ends = [GAMES["reconstructed"].score(end)[player]["total"] for end in Outcomes(board, 1).states()]
        assert max(ends) == best
        plain = max(end.points()[player]["total"] for end in [start, *start.outcomes_of_one_action(player)])
        gained += best > plain
        if boards == 40:
            break
    assert boards == 40
    assert gained


def plain_search(board: State, actions: int) -> set[tuple[object, ...]]:
    """Return every position the acting player reaches by up to `actions` actions, by trying all moves."""
    game, player = board.game, board.to_move
    assert isinstance(game, CafeGame)
    turn = (game.read(board)["round"], game.read(board)["turn"])
    known: dict[bytes, tuple[object, ...] | None] = {}
    front = [game.build(dict(game.read(board), actions=actions))]
    while front:
        state = front.pop()
        if bytes(state) in known:
            continue
        fields = game.read(state)
        known[bytes(state)] = None if fields["step"] == codes.STEP_GROW else key(state, player)
        if state.to_move == player and (fields["round"], fields["turn"]) == turn and fields["step"] in (
            codes.STEP_ACT, codes.STEP_GROW
        ):  # fmt: skip
            for move in state.moves():
                if codes.unpack(move).kind != "end":
                    front.append(state.copy())
                    front[-1].apply(move)
    return {found for found in known.values() if found is not None}


@pytest.mark.parametrize(("set_id", "expresso", "actions", "rounds", "boards"), [
    ("reconstructed", False, 3, 4, 4), ("reconstructed", True, 3, 4, 4), ("reconstructed", False, 4, 2, 4),
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
@pytest.mark.parametrize(("players", "prune"), [(1, True), (2, True), (3, False), (4, True)])
def test_lines_lead_to_the_outcomes(set_id: str, expresso: bool, players: int, prune: bool) -> None:
    """Move by move legal, with as many actions left as the end says; with opponents the supply is short."""
    for seed in range(6):
        rounds, actions = (5, 3) if players == 1 else (3, 2)
        board = random_board(GAMES[set_id], seed, players, expresso, actions, rounds, 0.4, scarce=players > 1)
        outcomes = Outcomes(board, prune=prune, limit=20_000)
        game = GAMES[set_id]
        for index, end in list(enumerate(outcomes.states()))[:: max(1, len(outcomes) // 40)]:
            state = board.copy()
            for move in outcomes.line(index):
                assert state.to_move == board.to_move
                assert move in state.moves()
                state.apply(move)
            assert key(state, board.to_move) == key(end, board.to_move)
            if state.to_move == board.to_move and game.read(state)["step"] == codes.STEP_ACT:
                assert game.read(state)["actions"] == game.read(end)["actions"] or not outcomes.complete


@pytest.mark.parametrize(("players", "expresso"), [(1, False), (1, True), (2, False), (3, True)])
def test_without_pruning_everything_is_kept(players: int, expresso: bool) -> None:
    for seed in range(1, 4):
        board = random_board(
            GAMES["reconstructed"], seed, players, expresso, 2, 3, filled=0.3, scarce=players > 1
        )
        everything = {key(state, board.to_move) for state in Outcomes(board, prune=False).states()}
        assert everything == plain_search(board, 2)


def test_outcomes_say_when_they_are_cut_short() -> None:
    board = random_board(GAMES["reconstructed"], 1, actions=3, rounds=8, filled=0.5)
    outcomes = Outcomes(board, limit=10)
    assert not outcomes.complete
    assert outcomes.nodes_visited == 10
    assert outcomes.pruned
    assert not Outcomes(board, limit=10, prune=False).pruned


def test_outcomes_say_when_not_all_were_compared() -> None:
    game = written_cafe().game
    assert isinstance(game, CafeGame)
    board = random_board(game, 1, actions=2, rounds=8, filled=0.5)
    all_compared, few, none = (Outcomes(board, comparisons=most) for most in (1 << 30, 200_000, 0))
    assert all_compared.pruned
    assert not few.pruned
    assert not none.pruned
    assert all_compared.complete
    assert few.complete
    ends = [{key(state, 0) for state in outcomes.states()} for outcomes in (all_compared, few, none)]
    assert ends[0] < ends[1] < ends[2]


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
    other = next(iter(gatto_entries().values()))
    options = {option.name: option.default for option in other.engine.options}
    with pytest.raises(ValueError, match="not a position of Café"):
        Outcomes(other.engine.initial(other.game, 2, options, Random(1)))
