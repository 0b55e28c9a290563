"""Campus Café: search against simpler players, what good play makes use of, and what a waiter is worth.

    python bench/campus_report.py strength --variant advanced --games 200 --visits 2000
    python bench/campus_report.py usage --variant basic --players 3 --games 20 --visits 500
    python bench/campus_report.py waiters --players 2 --games 100 --visits 100

The opponent `greedy` looks one move ahead: it makes the move after which the engine's evaluation expects the largest
lead in points over the best opponent. The opponent `values` makes the move with the highest move value, the playout
policy without its random moves. Seats alternate; the two games of a pair have the same draws as long as they agree.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from math import sqrt

from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.campus.components import REVERSES, VARIANTS, WAITERS
from engines.campus.moves import reverse_text, space_text, split
from engines.campus.rules import CampusGame, MoveKind, Step
from engines.library import Library


def lead(state: State, player: int) -> float:
    """Return the expected lead of a player over the best opponent."""
    _, scores = state.returns() if state.to_move == GAME_OVER else state.evaluate()
    return scores[player] - max(score for p, score in enumerate(scores) if p != player)


def greedy(state: State) -> int:
    """Return the greedy player's move."""

    def after(move: int) -> float:
        child = state.copy()
        child.apply(move)
        return lead(child, state.to_move)

    return max(state.moves(), key=after)


def valued(state: State) -> int:
    """Return the move with the highest move value."""
    priors = state.priors()
    return max(priors, key=priors.__getitem__)


OPPONENTS = {"greedy": greedy, "values": valued}


def searched(state: State, visits: int, seed: int) -> int:
    """Return the most visited move of a search."""
    moves = state.moves()
    if len(moves) == 1:
        return moves[0]
    search = Search(state, viewer=state.to_move, seed=seed, memory=64 << 20)
    search.run(visits, float("inf"))
    best: int = max(search.root_moves(), key=lambda entry: entry[1])[0]
    return best


def strength(game: CampusGame, args: argparse.Namespace) -> None:
    """Play search against an opponent, two players."""
    points = margin = 0.0
    results = []
    for index in range(args.games):
        draws, seat = Random(args.seed + index // 2), index % 2
        state = game.start(2, args.variant == "advanced", args.dislikes)
        step = 0
        while state.to_move != GAME_OVER:
            step += 1
            if state.to_move == CHANCE_POINT:
                move = state.sample(draws)
            elif state.to_move == seat:
                move = searched(state, args.visits, args.seed * 7919 + index * 1009 + step)
            else:
                move = OPPONENTS[args.opponent](state)
            state.apply(move)
        wins, scores = state.returns()
        points += wins[seat]
        margin += scores[seat] - scores[1 - seat]
        results.append(wins[seat])
        if (index + 1) % 20 == 0 or index + 1 == args.games:
            n = index + 1
            error = 1.96 * sqrt(max(points / n * (1 - points / n), 1e-9) / n)
            print(f"{n} games: search scores {points / n:.3f} +- {error:.3f}, mean lead ${margin / n:.1f}", flush=True)


def usage(game: CampusGame, args: argparse.Namespace) -> None:
    """Let searches play each other and count what they use."""
    contents = game.components.contents
    side = contents.side(args.variant)
    owned: Counter[str] = Counter()
    reverses: Counter[str] = Counter()
    spaces: Counter[int] = Counter()
    rounds: Counter[int] = Counter()
    waiters: Counter[int] = Counter()
    wins_of: dict[int, float] = defaultdict(float)
    turns = 0
    scores: list[float] = []
    choice = random.Random(args.seed)
    for index in range(args.games):
        draws = Random(args.seed + index)
        state = game.start(args.players, args.variant == "advanced", args.dislikes)
        while state.to_move != GAME_OVER:
            if state.to_move == CHANCE_POINT:
                move = state.sample(draws)
            else:
                move = searched(state, args.visits, choice.getrandbits(32))
                kind, argument = split(move)
                if kind == MoveKind.PLACE:
                    spaces[argument & 15] += 1
                elif kind == MoveKind.STACK:
                    spaces[argument] += 2
            state.apply(move)
        fields = game.read(state)
        rounds[fields["round"]] += 1
        turns += fields["round"] * args.players
        wins, points = state.returns()
        scores += points
        for player, win in zip(fields["players"], wins, strict=True):
            if player["waiter"] >= 0:
                waiters[player["waiter"]] += 1
                wins_of[player["waiter"]] += win
            for card, printed in enumerate(contents.cards):
                if player["owned"] >> card & 1:
                    reverses[printed.reverse] += 1
                    if printed.reverse == "career":
                        owned[reverse_text(printed)] += 1
    print(f"{args.games} games, {args.players} players, {args.variant}, {args.visits} visits a move")
    print("rounds: " + ", ".join(f"{n} {rounds[n]}x" for n in sorted(rounds)))
    print(f"mean score ${sum(scores) / len(scores):.1f}; cards a turn {sum(reverses.values()) / turns:.2f}")
    print("reverse sides a game: " + ", ".join(f"{kind} {reverses[kind] / args.games:.2f}" for kind in REVERSES))
    for name, count in owned.most_common():
        print(f"  {name}: {count / args.games:.2f} a game")
    print("spaces, uses a turn:")
    for index, space in enumerate(side.spaces):
        print(f"  {index + 1:>2} {space.color:<5} {space_text(space):<28} {spaces[index] / turns:.3f}")
    for waiter in sorted(waiters):
        print(f"  {WAITERS[waiter]}: taken {waiters[waiter]}x, won {wins_of[waiter] / waiters[waiter]:.2f}")


def ahead(scores: list[float], player: int) -> float:
    """Return a player's lead over the mean of the others."""
    return scores[player] - (sum(scores) - scores[player]) / (len(scores) - 1)


def waiters(game: CampusGame, args: argparse.Namespace) -> None:
    """Let searches play each other with waiters dealt at random; without visits, the playout policy.

    Prints for each waiter the win share, the final lead over the others' mean, and the $ a turn by which the evaluation
    at the start of the turns was too low: the least squares fit of what came out, in turns left.
    """
    wins_of: dict[int, list[float]] = defaultdict(list)
    leads: dict[int, list[float]] = defaultdict(list)
    missed: dict[int, float] = defaultdict(float)
    squares: dict[int, float] = defaultdict(float)
    for index in range(args.games):
        draws = Random(args.seed + index)
        choice = random.Random(args.seed + index)
        state = game.start(args.players, True, args.dislikes)
        starts: list[tuple[list[float], list[float]]] = []
        while state.to_move != GAME_OVER:
            fields = game.read(state)
            if fields["step"] == Step.ROLL and fields["active"] == 0:
                starts.append((state.evaluate()[1], game.turns_left(state)))
            if state.to_move == CHANCE_POINT:
                state.apply(state.sample(draws))
            elif fields["step"] == Step.DRAFT:
                state.apply(choice.choice(state.moves()))
            elif args.visits:
                state.apply(searched(state, args.visits, choice.getrandbits(32)))
            else:
                state.playout_step(draws)
        wins, scores = state.returns()
        for p, player in enumerate(game.read(state)["players"]):
            waiter = player["waiter"]
            wins_of[waiter].append(wins[p])
            leads[waiter].append(ahead(scores, p))
            for expected, turns in starts:
                missed[waiter] += turns[p] * (leads[waiter][-1] - ahead(expected, p))
                squares[waiter] += turns[p] ** 2
    print(f"{args.games} games, {args.players} players, {args.visits} visits a move, waiters at random")
    for waiter in sorted(wins_of):
        n = len(wins_of[waiter])
        print(
            f"  {WAITERS[waiter]:<8} {n:>4} games, won {sum(wins_of[waiter]) / n:.2f}, "
            f"lead ${sum(leads[waiter]) / n:+.1f}, evaluation low by ${missed[waiter] / squares[waiter]:+.2f} a turn"
        )


REPORTS = {"strength": strength, "usage": usage, "waiters": waiters}


def main() -> None:
    """Read the command line and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", choices=tuple(REPORTS))
    parser.add_argument("--variant", choices=VARIANTS, default="basic")
    parser.add_argument("--dislikes", action="store_true")
    parser.add_argument("--opponent", choices=tuple(OPPONENTS), default="greedy")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--visits", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    game = Library().entry("campus", "reconstructed", "", "set").game
    assert isinstance(game, CampusGame)
    REPORTS[args.report](game, args)


if __name__ == "__main__":
    main()
