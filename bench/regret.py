"""What a player gives away by not searching longer: how much more time can win.

`python -m bench.regret FILE GAME --time 200ms --judge 2s --games 40` lets players of one search time play each other
and has one decision in EVERY judged. A longer search says what it would have done. Where that is another move, the
longer search values both anew, each by a search of its own that looks at nothing else; what the played move is worth
less is its regret, which noise can make negative. FILE keeps the games; called again, it goes on there.

The regrets of a player in a game add up to an estimate of what they would have won more with the longer search (after
the performance difference lemma: Kakade and Langford, "Approximately optimal approximate reinforcement learning",
2002). It is more likely too high than too low: the longer search judges its own choice, by values with its own faults,
and takes everybody to play on as well as itself.
"""
from __future__ import annotations

import argparse
import random
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.positions import check_players, library, opening
from cafebrain.v1 import brain_service_pb2 as pb
from solver.analysis import Control, Limits, analysis_for
from solver.arena import steps
from solver.durations import duration_ms
from solver.elo import mean_interval
from solver.journal import Journal
from solver.players import Player, player_for
from solver.positions import Position


@dataclass(frozen=True)
class Played:
    """A game: how many decisions all players made, and those that were judged.

    regrets: of each judged decision, shares of the win of the player to move.
    others: of how many of them the longer search would have made another move.
    """

    seed: int
    decisions: int
    regrets: tuple[float, ...]
    others: int


def play_game(game: str, players: int, choose: Player, judge: pb.Budget, every: int, seed: int) -> Played:
    """Play a game and judge each decision with a chance of 1 to `every`."""
    position = opening(game, players, seed)
    dice = random.Random(seed)
    regrets: list[float] = []
    decisions = others = 0

    def play(seen: Position, move_seed: int) -> int:
        nonlocal decisions, others
        code = choose(seen, move_seed)
        if len(seen.state.moves()) > 1:
            decisions += 1
            if dice.randrange(every) == 0:
                better = _best(seen, judge, dice.getrandbits(32))
                others += better != code
                regrets.append(_regret(seen, judge, better, code, dice))
        return code

    for _ in steps(position, [play] * players, seed, seed):
        pass
    return Played(seed, decisions, tuple(regrets), others)


def _best(seen: Position, judge: pb.Budget, seed: int) -> int:
    analysis = analysis_for(seen, pb.SuggestRequest(budget=judge, seed=seed), Control(), Limits(), "")
    analysis.run()
    return analysis.ranked()[0].code


def _regret(seen: Position, judge: pb.Budget, better: int, code: int, dice: random.Random) -> float:
    """Return by how much of the win one move is worth more than another."""
    if better == code:
        return 0.0
    return _value(seen, judge, better, dice.getrandbits(32)) - _value(seen, judge, code, dice.getrandbits(32))


def _value(seen: Position, judge: pb.Budget, code: int, seed: int) -> float:
    """Return the share of the win that a move is worth to the player to move."""
    request = pb.SuggestRequest(budget=judge, seed=seed, allowed_moves=[pb.MoveChoice(id=code)])
    analysis = analysis_for(seen, request, Control(), Limits(), "")
    analysis.run()
    (sums,) = analysis.ranked()
    return sums.win[seen.state.to_move] / sums.count  # not calibrated: that is for the best move of a whole search


def report(played: list[Played], players: int, every: int) -> str:
    """Return what the games say."""
    judged = sum(len(game.regrets) for game in played)
    others = sum(game.others for game in played)
    decisions = sum(game.decisions for game in played)
    if not judged:
        return f"{len(played)} games, no decision judged"
    # Every judged decision stands for `every` of them. Games are independent, decisions of one game are not.
    lost = mean_interval([every * sum(game.regrets) / players for game in played])
    each = decisions / len(played) / players
    return (
        f"{len(played)} games, {judged} of {decisions} decisions judged, {each:.1f} a player and game; "
        f"{others / judged:.0%} others by longer search\n"
        f"given away by a player in a game: {lost.value:.3f} of the win ({lost.low:.3f} to {lost.high:.3f})"
    )


def main() -> None:
    """Read the command line, play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("game", choices=library().games())
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--time", type=duration_ms, default="200ms", help="time a move")
    parser.add_argument("--judge", type=duration_ms, default="2s", help="time of the longer search")
    parser.add_argument("--every", type=int, default=5, help="one decision in so many is judged")
    parser.add_argument("--games", type=int, default=40)
    args = parser.parse_args()
    check_players(args.game, args.players)
    if min(args.every, args.games) < 1:
        parser.error("--every and --games: want 1 or more")
    journal = Journal(args.file)
    header = {name: value for name, value in vars(args).items() if name not in ("file", "games")}
    if not journal.records:
        journal.append(header)
    elif journal.records[0] != header:
        parser.error(f"{args.file} is of other games: {journal.records[0]}")
    played = [Played(**record) for record in journal.records[1:]]
    choose, judge = player_for("max", pb.Budget(time_ms=args.time)), pb.Budget(time_ms=args.judge)
    for seed in range(len(played), args.games):
        played.append(play_game(args.game, args.players, choose, judge, args.every, seed))
        journal.append(asdict(played[-1]))
    journal.close()
    print(report(played[: args.games], args.players, args.every))


if __name__ == "__main__":
    main()
