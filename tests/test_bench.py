"""The benchmarks: what they find out apart from speed."""
import os
import subprocess
import sys

import pytest

from bench import gatto, memory, solo_members
from bench.measure import ROOT, Figure
from bench.positions import check_players
from bench.regret import Played, play_game, report
from cafebrain.v1 import brain_service_pb2 as pb
from solver.players import player_for


def signature(hash_seed):
    return subprocess.run(
        [sys.executable, "-c", "from bench.signature import signature; print(*signature())"],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_the_signature_is_the_same_in_every_process():
    nodes, digest = signature("0").split()
    assert signature("1").split() == [nodes, digest]
    assert int(nodes) > 0
    assert len(digest) == 16


def test_a_simulation_allocates_nothing():
    counts = memory.allocations()
    if counts is None:
        pytest.skip("allocations cannot be counted here")
    assert all(few > 0 for few, _ in counts.values()), "the counter counts"
    assert {game: many - few for game, (few, many) in counts.items()} == dict.fromkeys(counts, 0)


@pytest.mark.parametrize("players", gatto.PLAYERS)
def test_gatto_plays_like_the_c_program(players):
    program = gatto.compiled_playout()
    if program is None:
        pytest.skip("no C compiler")
    assert gatto.disagreement(program, players, 20_000, seed=2) < gatto.MOST_ERRORS


def test_a_figure_knows_whether_it_is_as_wanted():
    assert Figure("speed", 1.0).met is None
    assert Figure("speed", None, least=1).met is None
    assert Figure("speed", 1.0, least=1).met is True
    assert Figure("speed", 0.9, least=1).met is False
    assert Figure("errors", 0, most=0).met is True
    assert Figure("errors", 2, least=0, most=1).met is False


def test_the_comparison_of_solo_members_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    searched = []

    def search(member, seconds, deck):
        searched.append((member, seconds, deck))
        return (60.0 if member == "beam" else 50.0) + deck, 1000

    monkeypatch.setattr(solo_members, "search", search)
    file = tmp_path / "runs.jsonl"
    command = ["solo", str(file), "--members", "beam,mcts:200", "--seconds", "20", "--decks"]
    monkeypatch.setattr(sys, "argv", [*command, "1-2"])
    solo_members.main()
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:-1]) + lines[-1][:20])  # killed in the midst of a line
    monkeypatch.setattr(sys, "argv", [*command, "1-3"])
    capsys.readouterr()
    solo_members.main()
    assert searched[4:] == [("mcts", 200.0, 2), ("beam", 20.0, 3), ("mcts", 200.0, 3)]
    # 61, 62, 63: mean 62, standard deviation 1, 1.96 standard errors of 3.
    assert "| beam | 20 | 3 | 62.0 ± 1.1 | 0.0 ± 0.0 |" in (out := capsys.readouterr().out)
    assert "| mcts | 200 | 3 | 52.0 ± 1.1 | 10.0 ± 0.0 |" in out


def test_regrets_of_a_random_player_are_large_and_those_of_the_judge_small():
    judge = pb.Budget(visits=1500)
    lost = {}
    for spec in ("random", "max:visits=1500"):
        games = [play_game("connect_four", 2, player_for(spec, pb.Budget()), judge, 2, seed) for seed in range(4)]
        judged = [regret for game in games for regret in game.regrets]
        assert sum(game.decisions for game in games) > len(judged) > 10
        assert len(judged) >= sum(game.others for game in games)
        lost[spec] = sum(judged) / len(judged)
    assert lost["random"] > 0.1
    assert abs(lost["max:visits=1500"]) < 0.05


def test_the_regrets_of_a_game_by_hand():
    """Two players, one decision in 3 judged: 3 * 0.04 / 2 and 3 * 0.08 / 2 lost by a player."""
    games = [Played(0, 40, (0.0, 0.05, -0.01), 2), Played(1, 44, (0.08,), 1)]
    said = report(games, 2, 3)
    assert "2 games, 4 of 84 decisions judged, 21.0 a player and game; 75% others" in said
    assert "0.090 of the win" in said
    assert report([Played(0, 40, (), 0)], 2, 3) == "1 games, no decision judged"


@pytest.mark.parametrize(("game", "players"), [("connect_four", 3), ("gatto", 1), ("cafe", 5)])
def test_nothing_is_measured_of_games_nobody_can_play(game, players):
    with pytest.raises(SystemExit, match=f"players {players}: wants 2 to"):
        check_players(game, players)
