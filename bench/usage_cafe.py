"""Tells what good play of Café lives on.

    python -m bench.usage_cafe games GAMES VISITS
    python -m bench.usage_cafe lines DECKS POSITIONS

From the top of the source tree. Both print the mean and standard deviation of the score, of where its points come from,
and of what was used. `games` plays solo games on closed decks, by the rules of thumb alone (greedy) and by a search of
VISITS visits a move; then two-player games of the search against greedy, the search in either seat in turn. `lines`
follows the best lines that the solo solver finds on open decks within so many positions each.
"""
from __future__ import annotations

import math
import sys
from statistics import mean, stdev

from bench.positions import library
from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.rng import Random
from engines.cafe.codes import FREE, unpack
from engines.cafe.rules import CafeGame
from solver.arena import steps
from solver.players import Player, player_for
from solver.positions import Position
from solver.solo import SoloSearch

TAKEN = ("cubes paid", "cups for free", "ship cards taken")


def play(players: list[Player], seed: int, expresso: bool = False) -> tuple[State, list[dict[str, float]]]:
    """Play a game; return its end and per player what was earned and used."""
    position = opening(len(players), seed, expresso=expresso)
    state = position.state
    used: list[dict[str, float]] = [dict.fromkeys(TAKEN, 0) for _ in players]
    for _, code in steps(position, players, deal=seed, play=seed):
        if state.to_move != CHANCE_POINT:
            count(position, code, used[state.to_move])
    sum_up(position, used)
    return state, used


def follow(seed: int, positions: int, expresso: bool = False) -> dict[str, float]:
    """Return what the best line found for an open deck earns and uses."""
    position = opening(1, seed, expresso=expresso, open_deck=True)
    found = SoloSearch(position, members=["beam"]).run(math.inf, positions)
    state = position.state
    used: dict[str, float] = dict.fromkeys(TAKEN, 0)
    for code in found.line:
        count(position, code, used)
        state.apply(code)
    assert state.to_move == GAME_OVER
    sum_up(position, [used])
    assert used["total"] == found.score
    return used


def opening(players: int, seed: int, **options: bool) -> Position:
    """Return the first position of a game, by its seed."""
    entry = library().entry("cafe", "", "", "set")
    values = {name: str(value).lower() for name, value in options.items()}
    return Position(entry, entry.engine.initial(entry.game, players, values, Random(seed)))


def rules(position: Position) -> CafeGame:
    """Return the rules of a position of Café."""
    game = position.entry.game
    assert isinstance(game, CafeGame)
    return game


def count(position: Position, code: int, used: dict[str, float]) -> None:
    """Count what a move takes, before it is made."""
    move = unpack(code)
    if move.kind == "take":
        card = rules(position).components.contents.cards[move.card]
        used["ship cards taken"] += card.count("ship")
        if card.count("cup"):
            used["cups for free" if move.color == FREE else "cubes paid"] += 1


def sum_up(position: Position, used: list[dict[str, float]]) -> None:
    """Add what every player's area shows at the end of the game, and their points."""
    game, state = rules(position), position.state
    areas = game.read(state)["areas"]
    for uses, points, area in zip(used, game.score(state), areas, strict=True):
        uses |= {name: points[name] for name in ("total", "shops", "warehouse", "natas", "waiters")}
        uses |= {"cups at the end": area["cups"], "ships at the end": area["ships"]}
        uses["open shops at the end"] = len(area["shops"])


def table(title: str, rows: list[dict[str, float]]) -> None:
    """Print mean and standard deviation of every figure."""
    print(title)
    for name in sorted(rows[0], key=lambda name: (name != "total", name)):
        values = [row[name] for row in rows]
        print(f"  {name:<22} {mean(values):6.2f} ± {stdev(values) if len(values) > 1 else math.nan:5.2f}")


def lines(decks: int, positions: int) -> None:
    """Solve and print."""
    for expresso in (False, True):
        rows = [follow(seed, positions, expresso) for seed in range(decks)]
        table(f"best lines of open decks, {'with Expresso' if expresso else 'base'}", rows)
        free = sum(row["cups for free"] > 0 for row in rows)
        print(f"  a cup was free in {free} of {decks} lines")


def games(games: int, visits: int) -> None:
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
    {"games": games, "lines": lines}[sys.argv[1]](int(sys.argv[2]), int(sys.argv[3]))
