"""What good play of Café lives on: `python bench/usage_cafe.py GAMES VISITS`, from the top of the source tree.

Plays solo games on closed decks, by the rules of thumb alone (greedy) and by a search of VISITS visits a move, and
prints the mean and standard deviation over the games of the score, of where its points come from, and of what was
used; then two-player games of the search against greedy, the search in either seat in turn.
"""
from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import mean, stdev
from typing import Any

from bench.positions import library
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.cafe.codes import FREE, unpack
from engines.cafe.rules import CafeGame

MEMORY = 256 << 20
Player = Callable[[State, int], int]


def greedy(state: State, seed: int) -> int:
    """Return the move the rules of thumb like best."""
    assert isinstance(state.game, CafeGame)
    return state.game.greedy_move(state)


def searching(visits: int) -> Player:
    """Return a player who searches."""

    def choose(state: State, seed: int) -> int:
        moves = state.moves()
        if len(moves) == 1:
            return moves[0]
        me, solo = state.to_move, state.players == 1
        search = Search(state, viewer=me, seed=seed, memory=MEMORY, score_objective=solo)
        search.run(visits, time.monotonic() + 3600)

        def rank(row: Any) -> tuple[int, float, int]:
            return -row[1], -(row[4] if solo else row[2])[me] / max(1, row[1]), row[0]

        return int(min(search.root_moves(), key=rank)[0])

    return choose


def play(players: list[Player], seed: int, expresso: bool = False) -> tuple[State, list[dict[str, float]]]:
    """Play a game; return its end and per player what was earned and used."""
    entry = library().entry("cafe", "", "", "set")
    random = Random(seed)
    options = {"expresso": str(expresso).lower()}
    state = entry.engine.initial(entry.game, len(players), options, random)
    game = entry.game
    assert isinstance(game, CafeGame)
    used: list[dict[str, float]] = [dict.fromkeys(("cubes paid", "cups for free"), 0) for _ in players]
    number = 0
    while state.to_move != GAME_OVER:
        number += 1
        if state.to_move == CHANCE_POINT:
            state.apply(state.sample(random))
            continue
        code = players[state.to_move](state, 1000 * seed + number)
        move = unpack(code)
        if move.kind == "take" and game.components.contents.cards[move.card].count("cup"):
            used[state.to_move]["cups for free" if move.color == FREE else "cubes paid"] += 1
        state.apply(code)
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
    search = searching(visits)
    for expresso in (False, True):
        name = "with Expresso" if expresso else "base"
        for who, player in (("greedy", greedy), (f"search, {visits} visits", search)):
            table(f"solo, {name}, {who}", [play([player], seed, expresso)[1][0] for seed in range(games)])
    wins, rows = 0.0, []
    for seed in range(games):
        me = seed % 2
        state, used = play([search, greedy] if me == 0 else [greedy, search], seed)
        wins += state.returns()[0][me]
        rows.append(used[me])
    table(f"two players, search against greedy: {wins:g} of {games} games won; the search's figures", rows)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
