"""The command solve: one subcommand per game that has puzzles, and one for a position in the midst of a game."""
from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cafebrain_cli.exits import INTERRUPTED
from cafebrain_cli.game_group import GameGroup, options_given, own_options
from cafebrain_cli.params import (
    UINT32,
    components_option,
    duration_ms,
    examples,
    json_option,
    numbers,
    ray_address,
    seed_option,
    server_option,
    state_argument,
)

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb

TIME_ONE, TIME_MANY, TIME_MOVE = "10s", "20s", "1s"  # where neither --time nor --nodes is given
EXAMPLES = (
    "cafebrain solve GAME --deck-seed 7 --time 60s --out run",
    "cafebrain solve GAME --deck deck.txt --expresso --time 5m --threads 2",
    "cafebrain solve GAME --decks 1-200 --time 20s --out run --resume",
    "cafebrain solve GAME --decks 1-200 --time 20s --out run --ray 192.0.2.1:6379",
    "cafebrain solve GAME --closed --decks 1-200 --time 1s --out run",
    "cafebrain solve game.json --time 10s --json",
)


class SolveGroup(GameGroup):
    """Solves the puzzles of a game, or goes on from a position."""

    def command_of(self, game: pb.Game) -> click.Command:
        """Return the subcommand of a game."""
        return _command(game)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the game's subcommand; "-", and what is a path and no game, is a position to go on from."""
        from engines.registry import ENGINES

        name = args[0]
        if name in ENGINES:
            if not ENGINES[name].puzzle:
                ctx.fail(f"{name} has no puzzles for one player; known: {', '.join(self.list_commands(ctx))}")
        elif name == "-" or Path(name).exists() or Path(name).suffix or os.sep in name:
            return "", from_state, args
        return super().resolve_command(ctx, args)

    def games(self, ctx: click.Context) -> Sequence[pb.Game]:
        """Return the games that have puzzles."""
        from engines.registry import ENGINES

        return [game for game in super().games(ctx) if game.id in ENGINES and ENGINES[game.id].puzzle]


@click.group(
    cls=SolveGroup, subcommand_metavar="GAME|STATE [OPTIONS]", options_metavar="", epilog=examples(*EXAMPLES)
)
def solve() -> None:
    """Find the best score of a puzzle, with proof of how close it is.

    A puzzle is a game for one player in which all that comes is known, such as the order of a deck. GAME sets one up:
    'cafebrain solve GAME --help' has the options. STATE is a file with a position as JSON, or "-" for standard input,
    to go on from.

    The answer is the best line found, its score, counted by making every move, and an upper bound: no line scores
    more. Where both meet, the line is proven best. The answer only improves with time. Ctrl-C ends the search; what was
    found is printed and kept, and the exit code is 130.
    """


def _work_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what a search may spend and where its results go."""
    for decorator in reversed((
        click.option("--time", "time_ms", type=duration_ms, metavar="TIME", help="Search so long: 200ms, 60s, 5m."),
        click.option("--nodes", type=click.IntRange(1, UINT32), metavar="N", help="Look at so many positions."),
        click.option(
            "--threads", type=click.IntRange(1, 64), metavar="N",
            help="Threads for a position; default all cores, with --decks, a cluster or a server 1.",
        ),
        click.option(
            "--ray", type=ray_address, metavar="ADDRESS",
            help='Let a Ray cluster do the work: HOST:PORT of its head, or "local" for one of this machine\'s cores.',
        ),
        click.option(
            "--rounds", type=click.IntRange(1, 99), metavar="N", help="Stop after N rounds, the current one included."
        ),
        seed_option,
        click.option("--out", metavar="DIR", help="Keep results, plots and a report in this folder."),
        click.option("--resume", is_flag=True, help="Go on with what the folder holds."),
        click.option("--timing", is_flag=True, help="Report the elapsed time."),
        json_option,
        server_option,
        components_option,
    )):
        function = decorator(function)
    return function


@click.command(name="STATE", epilog=examples("cafebrain solve game.json --time 10s"))
@state_argument
@_work_options
def from_state(path: str, **given: Any) -> None:
    """Find the best score from a position on.

    STATE is a file with a position as JSON, or "-" for standard input: one player, and all that comes is known.
    Without --time and --nodes the search takes 10 s.
    """
    from cafebrain_cli.positions import read_state
    from cafebrain_cli.solve_work import Problem

    _check(given)
    if given["server"] is not None and given["files"]:
        raise click.UsageError("--components is for this process; a server loads its own sets")
    _work([Problem(0, read_state(path), "From here on")], given)


def _command(game: pb.Game) -> click.Command:
    """Return the subcommand that solves puzzles of a game."""

    def run(set_id: str | None, deck_seed: int | None, deck: str | None, decks: list[int] | None, **given: Any) -> None:
        from cafebrain.v1 import brain_service_pb2 as pb
        from cafebrain.v1 import game_pb2
        from cafebrain_cli.decks import lay_out
        from cafebrain_cli.solve_work import Problem
        from cafebrain_cli.source import load_library, open_calls, set_in
        from engines.registry import ENGINES

        if sum(value is not None for value in (deck_seed, deck, decks)) != 1:
            raise click.UsageError("wants one of --deck-seed, --deck and --decks")
        _check(given)
        calls = open_calls(given["server"], given["files"])
        reference = game_pb2.ComponentSetRef(id=set_id or set_in(given["files"], game.id))
        options = {**ENGINES[game.id].puzzle, **options_given(game, given)}

        def puzzle(seed: int) -> game_pb2.GameState:
            request = pb.NewGameRequest(
                game=game.id, players=1, component_set=reference, options=options, seed=seed, stop_at_chance=True
            )
            return calls.new_game(request).state

        if deck is not None:
            state = lay_out(load_library(given["files"])[0], puzzle(0), deck)
            problems = [Problem(0, state, "The deck", whole=True)]
        else:
            seeds = decks if decks is not None else [deck_seed or 0]
            problems = [Problem(seed, puzzle(seed), f"Deck {seed}", seeded=True, whole=True) for seed in seeds]
        _work(problems, given, many=decks is not None)

    function: Callable[..., Any] = _work_options(run)
    for decorator in reversed((
        click.option(
            "--deck-seed", type=click.IntRange(0, UINT32), metavar="N", help="The deck that this seed shuffles."
        ),
        click.option("--deck", metavar="FILE", help='Your deck: card ids in order; "-" is standard input.'),
        click.option("--decks", type=numbers, metavar="N-M", help="Many decks, by seed: 1-200, or 3,7,10-20."),
        click.option("--closed", is_flag=True, help="Play each deck not knowing its order; --time is per move."),
        click.option(
            "--open-time", "open_time_ms", type=duration_ms, metavar="TIME",
            help="With --closed: solve each deck, order known, for so long first.",
        ),
        click.option(
            "--workers", type=click.IntRange(1, 256), metavar="N", help="Decks at a time; default one per free core."
        ),
    )):
        function = decorator(function)
    function = own_options(game, function, fixed=_fixed(game))
    shown = [line.replace("GAME", game.id) for line in EXAMPLES if "game.json" not in line]
    summary = f"""Find the best score of {game.name} for one player.

    Seed N gives the deck of 'cafebrain new {game.id} {_flags(game)} --seed N', the same on every machine.
    Without --time and --nodes one deck gets {TIME_ONE}, each of many decks {TIME_MANY}, a move of a closed deck
    {TIME_MOVE}. With --nodes and one thread, equal input gives equal answers.

    A closed deck is played move by move by a search that never sees the order of the cards. Decks solved in the same
    folder tell what not knowing costs.

    The folder of --out holds every result as it came, a summary, plots, the final board, and report.html with it all.
    After a kill at any moment, the same command with --resume goes on.
    """
    return click.command(name=game.id, short_help=game.name, help=summary, epilog=examples(*shown))(function)


def _flags(game: pb.Game) -> str:
    """Return the options of 'cafebrain new' that make a game a puzzle."""
    from engines.registry import ENGINES

    return " ".join(f"--{name.replace('_', '-')}" for name, value in ENGINES[game.id].puzzle.items() if value == "true")


def _fixed(game: pb.Game) -> set[str]:
    from engines.registry import ENGINES

    return set(ENGINES[game.id].puzzle)


def _check(given: dict[str, Any]) -> None:
    """Refuse options that do not go together."""
    if given.get("open_time_ms") is not None and not given.get("closed"):
        raise click.UsageError("--open-time goes with --closed")
    if given.get("closed") and given["rounds"]:
        raise click.UsageError("--rounds is for decks whose order is known")
    if given.get("closed") and given["server"] is not None:
        raise click.UsageError("--closed is for this process; a server solves decks whose order is known")
    if given["ray"] is not None and given["server"] is not None:
        raise click.UsageError("wants --ray or --server, not both")
    if given["ray"] is not None and given.get("workers"):
        raise click.UsageError("--workers is for this machine; with --ray every core of the cluster works")
    if given["resume"] and given["out"] is None:
        raise click.UsageError("--resume wants the folder: --out DIR")
    if given["out"] in ("", "-"):
        raise click.UsageError(f"--out wants a folder; found {given['out']!r}")


def _work(problems: Any, given: dict[str, Any], many: bool = False) -> None:
    """Solve problems as the options say, print what came of it, and exit with 130 where a signal ended it."""
    from cafebrain_cli.solve_output import print_outcome
    from cafebrain_cli.solve_work import Budget, Plan, work

    closed, resume, out = given.get("closed", False), given["resume"], given["out"]
    cores = os.cpu_count() or 1
    elsewhere = given["server"] is not None or given["ray"] is not None
    threads = given["threads"] or (1 if many or elsewhere else cores)
    standard = TIME_MOVE if closed else TIME_MANY if many else TIME_ONE
    time_ms = given["time_ms"] or (duration_ms(standard) if given["nodes"] is None else None)
    budgets = {}
    if not closed:
        budgets["open"] = Budget(_seconds(time_ms), given["nodes"])
    else:
        if given["open_time_ms"] is not None:
            budgets["open"] = Budget(_seconds(given["open_time_ms"]), None)
        budgets["closed"] = Budget(_seconds(time_ms), given["nodes"])
    plan = Plan(
        problems=problems,
        budgets=budgets,
        many=many,
        threads=threads,
        workers=given.get("workers") or max(1, cores // threads),
        ray=given["ray"],
        rounds=given["rounds"],
        seed=given["seed"],
        folder=None if out is None else Path(out),
        resume=resume,
        server=given["server"],
        files=given["files"],
    )
    outcome = work(plan)
    print_outcome(outcome, given["as_json"], given["timing"])
    if outcome.interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _seconds(time_ms: int | None) -> float:
    return math.inf if time_ms is None else time_ms / 1000
