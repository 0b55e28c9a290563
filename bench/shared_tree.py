"""What two threads in one tree are worth: the win that searches give away in positions of a game.

`python -m bench.shared_tree gatto --positions 160 --visits 2500` lets four kinds of searches choose a move: one thread
with so many visits, one with twice as many, two trees whose visits are added up (root parallelism, Chaslot et al.
2008), and two threads that share one tree. All but the first make twice the visits. Each move that any of them chose is
valued by a search of its own that looks at nothing else.
"""
from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable
from statistics import fmean

from bench.positions import check_players, library, midgame
from cython_ext.game import State
from cython_ext.mcts import Search
from solver.elo import mean_interval

MEMORY = 256 << 20
WIDTH = 30  # characters of a kind's name
JUDGED = 6  # times the visits of a search, for the value of a move


def visited(state: State, seed: int, visits: int, threads: int = 1) -> Counter[int]:
    """Return the visits of the moves of a search."""
    search = Search(state, viewer=state.to_move, seed=seed, memory=MEMORY, threads=threads)
    search.run(visits, math.inf)
    return Counter({move: n for move, n, *_ in search.root_moves()})


TWICE = "one thread, twice the visits"
KINDS: dict[str, Callable[[State, int, int], Counter[int]]] = {
    "one thread": lambda state, seed, visits: visited(state, seed, visits),
    TWICE: lambda state, seed, visits: visited(state, seed + 1, 2 * visits),
    "two trees": lambda state, seed, visits: visited(state, seed + 2, visits) + visited(state, seed + 3, visits),
    "two threads in one tree": lambda state, seed, visits: visited(state, seed + 4, 2 * visits, 2),
}


def most_visited(visits: Counter[int]) -> int:
    """Return the move with the most visits, the first of equal ones."""
    return min(visits, key=lambda move: (-visits[move], move))


def value(state: State, move: int, visits: int) -> float:
    """Return the share of the win that a move of the player to move is worth."""
    search = Search(state, viewer=state.to_move, seed=0, memory=MEMORY)
    search.run(visits, math.inf, move)
    return next(win[state.to_move] / n for code, n, win, *_ in search.root_moves() if code == move)


def regrets(state: State, visits: int, searches: int) -> list[float]:
    """Return what each kind of search gives away of the win, mean of some searches."""
    chosen = [
        [most_visited(search(state, len(KINDS) * 2 * number, visits)) for number in range(searches)]
        for search in KINDS.values()
    ]
    worth = {move: value(state, move, JUDGED * visits) for move in set().union(*chosen)}
    return [max(worth.values()) - fmean(worth[move] for move in moves) for moves in chosen]


def main() -> None:
    """Read the command line, search and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=library().games())
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--positions", type=int, default=160)
    parser.add_argument("--visits", type=int, default=2500)
    parser.add_argument("--searches", type=int, default=8, help="of each kind in a position")
    args = parser.parse_args()
    check_players(args.game, args.players)
    if min(args.positions, args.visits, args.searches) < 1:
        parser.error("--positions, --visits and --searches: want 1 or more")
    rows = [
        regrets(midgame(args.game, args.players, seed).state, args.visits, args.searches)
        for seed in range(args.positions)
    ]
    print("thousandths of the win given away by a decision, and by how much more than with twice the visits")
    twice = list(KINDS).index(TWICE)
    for number, name in enumerate(KINDS):
        lost = mean_interval([1000 * row[number] for row in rows])
        more = mean_interval([1000 * (row[number] - row[twice]) for row in rows])
        print(
            f"{name:{WIDTH}}{lost.value:7.2f} ({lost.low:.2f} to {lost.high:.2f})"
            f"{more.value:+7.2f} ({more.low:+.2f} to {more.high:+.2f})"
        )


if __name__ == "__main__":
    main()
