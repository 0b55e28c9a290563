"""Matches: pairs share their draws, seats go round, the figures come from the pairs, and a killed match goes on."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain_cli.main import cli
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.rng import Random
from engines.campus.components import WAITERS
from engines.campus.moves import split
from engines.campus.rules import MoveKind, Step
from engines.library import Library
from solver.arena import Log, Match, Played, Tally, steps
from solver.brain import Brain
from solver.elo import Sprt
from solver.players import player_for
from solver.positions import Position, decode_state

ROOT = Path(__file__).parent.parent
BRAIN = Brain(Library())
NO_BUDGET = pb.Budget()


def opening(game: str, players: int, seed: int, **options: str) -> Position:
    setup = pb.NewGameRequest(game=game, players=players, seed=seed, options=options, stop_at_chance=True)
    return decode_state(BRAIN.library, BRAIN.new_game(setup).state)


def draws_of(game: str, names: list[str], deal: int, play: int) -> list[tuple[bytes, int]]:
    """Return what could come and what came at each chance point of a game."""
    seats = [player_for(name, NO_BUDGET) for name in names]
    return [
        (repr(position.state.outcomes()).encode(), move)
        for position, move in steps(opening(game, len(names), 1), seats, deal, play)
        if position.state.to_move == CHANCE_POINT
    ]


@pytest.mark.parametrize("game", ["gatto", "cafe", "campus"])
def test_draws_are_the_same_where_the_same_can_come(game: str) -> None:
    """Whoever sits where and whatever they do: the n-th draw is the same one, if what can come is the same."""
    one = draws_of(game, ["random", "greedy"], deal=5, play=1)
    two = draws_of(game, ["greedy", "random"], deal=5, play=2)
    same = [(a, b) for (can_a, a), (can_b, b) in zip(one, two, strict=False) if can_a == can_b]
    assert len(same) >= 3
    assert all(a == b for a, b in same)
    other = draws_of(game, ["random", "greedy"], deal=6, play=1)
    assert [move for _, move in one[:20]] != [move for _, move in other[:20]]


@pytest.mark.parametrize(("game", "players"), [("connect_four", 2), ("gatto", 3), ("campus", 4), ("cafe", 1)])
def test_seats_go_round_and_pairs_start_alike(game: str, players: int) -> None:
    moved: list[tuple[str, int]] = []
    starts: list[bytes] = []

    def noting(name: str):
        def play(position: Position, seed: int) -> int:
            if not moved:
                starts.append(bytes(position.state))
            moved.append((name, position.state.to_move))
            return position.state.moves()[seed % len(position.state.moves())]

        return play

    match = Match(BRAIN, pb.NewGameRequest(game=game, players=players), noting("a"), noting("b"), 3)
    for number in range(4 * players):
        moved.clear()
        match.play(number)
        lone, rest = ("a", "b") if number % 2 == 0 else ("b", "a")
        seat = number // 2 % players
        assert set(moved) == {(lone, seat)} | {(rest, other) for other in range(players) if other != seat}
        if number % 2:
            assert starts[-1] == starts[-2]


def test_a_player_sees_no_secret() -> None:
    """Abigail's secret objective is drawn anew for each of the other's decisions; her own are made knowing it."""
    game = BRAIN.library.entry("campus", "", "", "set").game
    abigail = WAITERS.index("abigail")
    seen: dict[bool, set[int]] = {True: set(), False: set()}  # by whether it is Abigail's decision

    def spy(position: Position, seed: int) -> int:
        fields = game.read(position.state)
        if fields["secret"] >= 0 and fields["step"] < Step.REVEAL_SECRET:
            seen[fields["players"][position.state.to_move]["waiter"] == abigail].add(fields["secret"])
        moves = position.state.moves()
        wanted = [move for move in moves if split(move) == (MoveKind.WAITER, abigail)]
        return (wanted or moves)[seed % len(wanted or moves)]

    truth = set()
    for position, _ in steps(opening("campus", 2, 5, variant="advanced"), [spy, spy], 5, 1):
        truth.add(game.read(position.state)["secret"])
    assert len(seen[True]) == 1
    assert truth == {-1} | seen[True]
    assert len(seen[False]) > 2


@pytest.mark.parametrize(("game", "players", "games"), [("gatto", 2, 300), ("campus", 4, 200), ("cafe", 1, 200)])
def test_equal_players_score_one_half(game: str, players: int, games: int) -> None:
    tally = tally_of(Match(BRAIN, pb.NewGameRequest(game=game, players=players), *2 * [RANDOM], 1), games, 2)
    found = tally.rate()
    assert found.low < 0.5 < found.high
    assert tally.share().low <= 1 / players <= tally.share().high


RANDOM = player_for("random", NO_BUDGET)


def tally_of(match: Match, games: int, threads: int) -> Tally:
    tally = Tally(match.players)
    for played in match.run(range(games), threads):
        tally.add(played)
    return tally


def test_results_do_not_depend_on_the_threads() -> None:
    found = []
    for threads in (1, 3):
        a, b = player_for("mcts:visits=30", NO_BUDGET), player_for("greedy", NO_BUDGET)
        tally = tally_of(Match(BRAIN, pb.NewGameRequest(game="gatto", players=2), a, b, 1), 12, threads)
        found.append((tally.rates, tally.leads))
    assert found[0] == found[1]


def test_the_rate_of_a_pair_by_hand() -> None:
    """Three players, pair 1: seat 2 is the lone one's. a alone wins half, b alone a tenth: (1 + 0.5 - 0.1) / 2."""
    tally = Tally(3)
    tally.add(Played(3, (0.6, 0.1, 0.3), (20, 13, 16), 9))
    tally.add(Played(2, (0.25, 0.5, 0.25), (10, 18, 12), 9))
    assert tally.rates == []  # pair 0 is not there yet
    tally.add(Played(0, (1, 0, 0), (9, 3, 5), 9))
    tally.add(Played(1, (0, 0.5, 0.5), (2, 4, 4), 9))
    assert tally.rates == pytest.approx([1, 0.7])
    # Alone a is 9 - 4 = 5 ahead and b 2 behind; then a 18 - 11 = 7 ahead and b 13 - 18 = 5 behind.
    assert tally.leads == pytest.approx([3.5, 6])
    assert tally.shares == pytest.approx([1, 0.5])


def test_two_players_change_seats_and_one_compares_points() -> None:
    two = Tally(2)
    two.add(Played(0, (1, 0), (7, 5), 9))  # a sits first and wins by 2
    two.add(Played(1, (0.5, 0.5), (6, 6), 9))  # b sits first
    assert (two.rates, two.leads) == ([0.75], [1])
    one = Tally(1)
    one.add(Played(0, (1,), (30,), 9))
    one.add(Played(1, (1,), (34,), 9))
    assert (one.rates, one.leads) == ([0], [-4])


def test_a_verdict_ends_the_count() -> None:
    tally = Tally(2, Sprt(0, 100))
    for number in range(100):
        a_is_first = number % 4 in (0, 3)  # lone in seat 1, then the other is; lone in seat 2, then the other is
        tally.add(Played(number, (1, 0) if a_is_first else (0, 1), (1, 0), 9))
    assert tally.sprt.verdict == "accepted"
    assert 3 < len(tally.rates) < 30


@pytest.mark.parametrize("game", BRAIN.library.games())
def test_greedy_beats_random(game: str) -> None:
    match = Match(BRAIN, pb.NewGameRequest(game=game, players=2), player_for("greedy", NO_BUDGET), RANDOM, 1)
    assert tally_of(match, 40, 1).rate().low > 0.6


@pytest.mark.parametrize("game", BRAIN.library.games())
def test_the_greedy_move_is_legal_and_always_the_same(game: str) -> None:
    engine = BRAIN.library.engine(game)
    for players in range(engine.min_players, engine.max_players + 1):
        state, random = opening(game, players, players).state, Random(players)
        with pytest.raises(ValueError, match="no player"):
            over(game, players).greedy_move()
        while state.to_move != GAME_OVER:
            if state.to_move != CHANCE_POINT:
                move = state.greedy_move()
                assert move in state.moves()
                assert move == state.copy().greedy_move()
            state.playout_step(random)


def over(game: str, players: int):
    state, random = opening(game, players, 1).state, Random(1)
    while state.to_move != GAME_OVER:
        state.random_step(random)
    return state


def test_greedy_completes_and_stops_fours() -> None:
    hash_ = BRAIN.library.entries("connect_four")[0].components.hash
    for columns, move in ((["111", "222"], 0), (["222", "111", "1"], 0), (["2", "111", "2"], 1), ([], 3)):
        state = pb.GetMovesRequest().state
        state.component_set.id, state.component_set.hash = "standard", hash_
        state.connect_four.columns.extend([*columns, *[""] * (7 - len(columns))])
        assert decode_state(BRAIN.library, state).state.greedy_move() == move, columns


def test_the_baseline_knows_nothing() -> None:
    """`uct` makes the moves of a search with everything switched off, and its options still apply."""
    position = opening("connect_four", 2, 1)
    moves = {
        name: [player_for(name, NO_BUDGET)(position, seed) for seed in range(20)]
        for name in ("uct:visits=40", "mcts:visits=40,informed=off,exploration=0.7", "uct:visits=41")
    }
    first, second, third = moves.values()
    assert first == second != third


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("clever", "must be random, greedy"),
        ("greedy:1", "must be random, greedy"),
        ("level:0", "level: wants a whole number from 1 to"),
        ("level:", "level: wants a whole number"),
        ("mcts:", "'' is no option; wants visits=…"),
        ("mcts:knobs=3", "'knobs=3' is no option"),
        ("mcts:visits=0", "visits: wants a whole number from 1"),
        ("mcts:visits=5,visits=6", "visits is given twice"),
        ("mcts:exploration=nan", "exploration: wants a number from 0 to 100"),
        ("mcts:time=3", "time: '3' is no duration"),
        ("uct:informed=maybe", "informed: wants one of on, off"),
    ],
)
def test_a_player_that_is_none(spec: str, message: str) -> None:
    with pytest.raises(BrainError, match=message) as raised:
        player_for(spec, NO_BUDGET, "--a")
    assert raised.value.violations[0].field == "--a"


COMMAND = ["arena", "gatto", "--a", "mcts:visits=25", "--b", "greedy", "--games", "40", "--seed", "4", "--json"]


def run(*args: str):
    return CliRunner().invoke(cli, args, standalone_mode=True)


@pytest.fixture(scope="module")
def unbroken() -> str:
    result = run(*COMMAND)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_report_for_machines(unbroken: str) -> None:
    report = json.loads(unbroken)
    assert report["scoreRateLow"] <= report["scoreRate"] <= report["scoreRateHigh"]
    assert (report["games"], report["pairs"], report["players"]) == (40, 20, 2)
    assert "gamesPerSecond" not in report
    timed = json.loads(run(*COMMAND[:7], "2", "--json", "--timing").stdout)
    assert timed["gamesPerSecond"] > 0


def test_a_killed_match_goes_on_and_ends_like_an_unbroken_one(unbroken: str, tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    command = [sys.executable, "-m", "cafebrain_cli", *COMMAND, "--out", str(log), "--resume", "--threads", "2"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, env={**os.environ, "COLUMNS": "80"}) as process:
        end = time.monotonic() + 60
        while not log.exists() or log.read_bytes().count(b"\n") < 5:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    lines = log.read_bytes().count(b"\n")
    assert 5 <= lines < 41
    with log.open("ab") as file:
        file.write(b'{"number": 39, "wi')  # as if the machine had gone down while writing
    assert run(*COMMAND, "--out", str(log), "--resume").stdout == unbroken
    assert sorted(json.loads(line)["number"] for line in log.read_text().splitlines()[1:]) == list(range(40))
    assert run(*COMMAND, "--out", str(log), "--resume").stdout == unbroken  # nothing is left to play


def test_a_log_of_something_else_is_refused(tmp_path: Path) -> None:
    log = str(tmp_path / "match.jsonl")
    short = [*COMMAND[:7], "2"]
    assert run(*short, "--out", log).exit_code == 0
    for args, message in (
        ([*short, "--out", log], "is there already"),
        ([*short, "--out", log, "--resume", "--seed", "5"], "is of another match: seed 0, not 5"),
        ([*short, "--resume"], "--resume goes on with the file of --out"),
        ([*short, "--out", "-"], "--out wants a file"),
        ([*short, "--out", str(tmp_path)], "Is a directory"),
        ([*short, "--sprt", "5", "5"], "must be less than the second"),
        ([*short, "--out", str(tmp_path / "no" / "match.jsonl")], "No such file"),
    ):
        result = run(*args)
        assert result.exit_code in (1, 2)
        assert message in result.stderr
        assert "Traceback" not in result.stderr
    Path(log).write_text('{"game": "gatto"}\n{"number": 1}\n')
    assert "another match" in run(*short, "--out", log, "--resume").stderr
    with pytest.raises(ValueError, match="line 2 is no line of a match"):
        Log(Path(log), {"game": "gatto"}, resume=True)


def test_a_player_that_does_not_exist_is_wrong_usage() -> None:
    result = run("arena", "gatto", "--a", "level:99", "--b", "greedy", "--games", "2")
    assert result.exit_code == 2
    assert "--a: level: wants a whole number from 1 to" in result.stderr


def test_a_sequential_test_on_the_command_line() -> None:
    command = "arena connect_four --a greedy --b random --games 400 --sprt 0 200 --json"
    report = json.loads(run(*command.split()).stdout)
    assert report["sprt"]["verdict"] == "accepted"
    assert report["games"] < 100
