"""What good play of Café lives on: `python bench/usage_cafe.py GAMES VISITS`, from the top of the source tree.

Plays solo games on closed decks, by the rules of thumb alone (greedy) and by a search of VISITS visits a move, and
prints the mean and standard deviation over the games of the score, of where its points come from, and of what was
used; then two-player games of the search against greedy, the search in either seat in turn.
"""
from __future__ import annotations

import sys
from statistics import mean, stdev

from bench.positions import library
from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, State
from cython_ext.rng import Random
from engines.cafe.codes import FREE, unpack
from engines.cafe.rules import CafeGame
from solver.arena import steps
from solver.players import Player, player_for
from solver.positions import Position


def play(players: list[Player], seed: int, expresso: bool = False) -> tuple[State, list[dict[str, float]]]:
    """Play a game; return its end and per player what was earned and used."""
    entry = library().entry("cafe", "", "", "set")
    options = {"expresso": str(expresso).lower()}
    state = entry.engine.initial(entry.game, len(players), options, Random(seed))
    game = entry.game
    assert isinstance(game, CafeGame)
    used: list[dict[str, float]] = [dict.fromkeys(("cubes paid", "cups for free"), 0) for _ in players]
    for _, code in steps(Position(entry, state), players, deal=seed, play=seed):
        if state.to_move == CHANCE_POINT:
            continue
        move = unpack(code)
        if move.kind == "take" and game.components.contents.cards[move.card].count("cup"):
            used[state.to_move]["cups for free" if move.color == FREE else "cubes paid"] += 1
    areas = game.read(state)["areas"]
    for uses, points, area in zip(used, game.score(state), areas, strict=True):
        uses |= {name: points[name] for name in ("total", "shops", "warehouse", "natas", "waiters")}
        uses |= {"cups at the end": area["cups"], "ships at the end": area["ships"]}
        uses["open shops at the end"] = len(area["shops"])
    return state, used


def table(title: str, rows: list[dict[str, float]]) -> None:
    """Print mean and standard deviation of every figure."""
    print(title)
    for name in sorted(rows[0], key=lambda name: (name != "total", name)):
        values = [row[name] for row in rows]
        print(f"  {name:<22} {mean(values):6.2f} ± {stdev(values):5.2f}")


def main(games: int, visits: int) -> None:
    """Play and print."""
    greedy, search = player_for("greedy", pb.Budget()), player_for("mcts", pb.Budget(visits=visits))
    for expresso in (False, True):
        name = "with Expresso" if expresso else "base"
        for who, one in (("greedy", greedy), (f"search, {visits} visits", search)):
            table(f"solo, {name}, {who}", [play([one], seed, expresso)[1][0] for seed in range(games)])
    wins, rows = 0.0, []
    for seed in range(games):
        me = seed % 2
        state, used = play([search, greedy] if me == 0 else [greedy, search], seed)
        wins += state.returns()[0][me]
        rows.append(used[me])
    table(f"two players, search against greedy: {wins:g} of {games} games won; the search's figures", rows)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
