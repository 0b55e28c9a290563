"""Campus Café: what good play makes use of, and what a waiter is worth.

`python bench/campus_report.py usage --variant basic --players 3 --games 20 --visits 500` plays games between searches;
`python bench/campus_report.py waiters --players 2 --games 100 --visits 100` deals the waiters at random.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict

from bench.positions import library
from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.rng import Random
from engines.campus.components import REVERSES, VARIANTS, WAITERS
from engines.campus.moves import reverse_text, space_text, split
from engines.campus.rules import CampusGame, MoveKind, Step
from engines.library import Entry
from solver.arena import steps
from solver.players import Player, player_for
from solver.positions import Position


def usage(entry: Entry, game: CampusGame, args: argparse.Namespace) -> None:
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
    search = player_for("mcts", pb.Budget(visits=args.visits))
    for index in range(args.games):
        state = game.start(args.players, args.variant == "advanced", args.dislikes)
        for _, move in steps(Position(entry, state), [search] * args.players, args.seed + index, index):
            kind, argument = split(move)
            if state.to_move >= 0 and kind == MoveKind.PLACE:
                spaces[argument & 15] += 1
            elif state.to_move >= 0 and kind == MoveKind.STACK:
                spaces[argument] += 2
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


def dealt(game: CampusGame, search: Player) -> Player:
    """Return a player who takes any waiter and searches everything else."""
    def choose(position: Position, seed: int) -> int:
        if game.read(position.state)["step"] != Step.DRAFT:
            return search(position, seed)
        moves = position.state.moves()
        return moves[Random(seed).below(len(moves))]

    return choose


def waiters(entry: Entry, game: CampusGame, args: argparse.Namespace) -> None:
    """Let searches play each other with waiters dealt at random.

    Prints for each waiter the win share, the final lead over the others' mean, and the $ a turn by which the evaluation
    at the start of the turns was too low: the least squares fit of what came out, in turns left.
    """
    wins_of: dict[int, list[float]] = defaultdict(list)
    leads: dict[int, list[float]] = defaultdict(list)
    missed: dict[int, float] = defaultdict(float)
    squares: dict[int, float] = defaultdict(float)
    one = dealt(game, player_for("mcts", pb.Budget(visits=args.visits)))
    for index in range(args.games):
        state = game.start(args.players, True, args.dislikes)
        starts: list[tuple[list[float], list[float]]] = []
        for _ in steps(Position(entry, state), [one] * args.players, args.seed + index, index):
            fields = game.read(state)
            if fields["step"] == Step.ROLL and fields["active"] == 0:
                starts.append((state.evaluate()[1], game.turns_left(state)))
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


REPORTS = {"usage": usage, "waiters": waiters}


def main() -> None:
    """Read the command line and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", choices=tuple(REPORTS))
    parser.add_argument("--variant", choices=VARIANTS, default="basic")
    parser.add_argument("--dislikes", action="store_true")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--visits", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    entry = library().entry("campus", "reconstructed", "", "set")
    assert isinstance(entry.game, CampusGame)
    REPORTS[args.report](entry, entry.game, args)


if __name__ == "__main__":
    main()
