"""How far apart the levels are: `python -m bench.levels FOLDER`, from the top of the source tree.

Plays every level against the one below, the first against a random player and `max` against the last, two players each,
in every game, and prints a table for docs/levels.md. The games are kept in FOLDER; called again, it goes on there.
"""
from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path

from bench.positions import library
from cafebrain.v1 import brain_service_pb2 as pb
from solver.arena import Log, Match, Tally
from solver.brain import Brain
from solver.durations import duration_ms
from solver.elo import Interval, elo_interval
from solver.levels import LEVELS
from solver.players import player_for

PLAYERS = ["random", *(f"level:{level}" for level in range(1, len(LEVELS) + 1)), "max"]


def measured(game: str, a: str, b: str, args: argparse.Namespace) -> Interval:
    """Return the Elo difference of two players, from a match that goes on where it was."""
    budget = pb.Budget(time_ms=args.time)
    setup = pb.NewGameRequest(game=game, players=2)
    match = Match(Brain(library()), setup, player_for(a, budget), player_for(b, budget), args.seed)
    header = {"game": game, "a": repr(_described(a, args.time)), "b": repr(_described(b, args.time)), "seed": args.seed}
    path = args.folder / f"{game}-{a}-{b}.jsonl".replace(":", "")
    try:
        log = Log(path, header, resume=True)
    except ValueError as error:
        sys.exit(f"error: {path}: {error}")
    tally = Tally(2)
    known = {played.number: played for played in log.games if played.number < args.games}
    for played in known.values():
        tally.add(played)
    for played in match.run((number for number in range(args.games) if number not in known), args.threads):
        log.add(played)
        tally.add(played)
    log.close()
    return elo_interval(tally.rate())


def _described(spec: str, time_ms: int) -> object:
    """Return what makes the player, so that a log of a level that has changed is not gone on with."""
    if spec.startswith("level:"):
        return LEVELS[int(spec.partition(":")[2]) - 1]
    return (spec, time_ms) if spec == "max" else spec


def main() -> None:
    """Read the command line, play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=400, help="games of a match, an even number")
    parser.add_argument("--only", choices=library().games(), action="append", help="this game; repeatable")
    parser.add_argument("--highest", default="max", choices=PLAYERS, help="leave out the players above this one")
    parser.add_argument("--time", type=duration_ms, default="200ms", help="time a move of max")
    parser.add_argument("--threads", type=int, default=1, help="games at a time")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    games = args.only or library().games()
    print(f"| | {' | '.join(library().engine(game).name for game in games)} |")
    print("|---" * (len(games) + 1) + "|")
    for b, a in pairwise(PLAYERS[: PLAYERS.index(args.highest) + 1]):
        cells = []
        for game in games:
            elo = measured(game, a, b, args)
            cells.append(f"{elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})")
        print(f"| `{a}` against `{b}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
