"""The command arena: one subcommand per game, a match between two players."""
from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cafebrain_cli.exits import INTERRUPTED, Refused
from cafebrain_cli.game_group import GameGroup, options_given, setup_options
from cafebrain_cli.params import UINT32, budget_options, components_option, examples, json_option

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb
    from solver.arena import Log, Match, Tally
    from solver.elo import Interval

DEFAULT_VISITS = 1000
MAX_GAMES = 10_000_000
MAX_ELO = 2000
HELP = """\
Play a match at {game} and measure how much stronger player a is than player b.

\b
A player, SPEC, is one of
  random          any move
  greedy          the move that looks best without looking ahead
  uct[:OPTIONS]   plain tree search with random playouts
  mcts[:OPTIONS]  the search
  level:N         a level of 'cafebrain play'
  max[:OPTIONS]   the strongest level

\b
OPTIONS are NAME=VALUE, separated by commas:
{options}

Without visits or time of its own a search has those of --visits and --time, else {visits} visits a move. With visits,
equal seeds give equal games.

Games are played in pairs with the same draws. With two players they change seats; with more, a sits alone among b, then
b alone among a. The score rate is 0.5 where both are equally strong and 1 where a wins everything; its interval of 95 %
comes from the pairs, not from single games.

Ctrl-C ends the match, prints what it has shown so far and exits with 130. A log is gone on with by --resume, with more
games if you like.
"""


class ArenaGroup(GameGroup):
    """Plays a match."""

    def command_of(self, game: pb.Game) -> click.Command:
        """Return the subcommand that plays a match."""
        return _command(game)


@click.group(
    cls=ArenaGroup, subcommand_metavar="GAME [OPTIONS]", options_metavar="",
    epilog=examples(
        "cafebrain arena connect_four --a mcts:visits=200 --b greedy --games 20",
        "cafebrain arena gatto --a max --b uct --time 20ms --games 1000 --sprt 0 30",
        "cafebrain arena gatto --a max --b uct --games 1000 --out log.jsonl --resume",
        "cafebrain arena cafe --players 4 --a level:3 --b level:2 --threads 2",
    ),
)
def arena() -> None:
    """Let two players play a match and measure their strength.

    Each game has options of its own: 'cafebrain arena GAME --help' lists them.
    """


def _command(game: pb.Game) -> click.Command:
    def run(
        a: str,
        b: str,
        games: int,
        players: int,
        set_id: str | None,
        visits: int | None,
        time_ms: int | None,
        sprt: tuple[float, float] | None,
        seed: int,
        threads: int,
        out: str | None,
        resume: bool,
        timing: bool,
        as_json: bool,
        files: tuple[str, ...],
        **given: str | bool | None,
    ) -> None:
        from cafebrain.errors import BrainError
        from cafebrain.v1 import brain_service_pb2 as pb
        from cafebrain.v1 import game_pb2
        from cafebrain_cli.source import load_library, set_in
        from solver.arena import Match, Tally
        from solver.brain import Brain
        from solver.elo import Sprt
        from solver.players import player_for

        if visits is None and time_ms is None:
            visits = DEFAULT_VISITS
        budget = pb.Budget(visits=visits or 0, time_ms=time_ms or 0)
        try:
            first, second = player_for(a, budget, "--a"), player_for(b, budget, "--b")
        except BrainError as error:
            raise click.UsageError(error.message) from error
        try:
            test = Sprt(*sprt) if sprt else None
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--sprt") from error
        if out in ("", "-"):
            raise click.UsageError(f"--out wants a file; found {out!r}")
        if resume and out is None:
            raise click.UsageError("--resume goes on with the file of --out: name it")
        setup = pb.NewGameRequest(
            game=game.id,
            players=players,
            component_set=game_pb2.ComponentSetRef(id=set_id or set_in(files, game.id)),
            options=options_given(game, given),
        )
        library = load_library(files)[0]
        match = Match(Brain(library), setup, first, second, seed)
        entry = library.entry(game.id, setup.component_set.id, "", "set")
        played = {
            "game": game.id,
            "options": dict(sorted(setup.options.items())),
            "componentSet": entry.components.id,
            "componentSetHash": entry.components.hash,
            "engineVersion": entry.engine.version,
            "players": players,
            "a": a,
            "b": b,
            "visits": budget.visits,
            "timeMs": budget.time_ms,
            "seed": seed,
        }
        log = _log(out, played, resume) if out is not None else None
        tally = Tally(players, test)
        games += games % 2
        start = time.monotonic()
        try:
            fresh, interrupted = _play(match, tally, log, games, threads)
        finally:
            if log is not None:
                log.close()
        rate = fresh / (time.monotonic() - start) if fresh else None
        if as_json:
            report = played | _figures(tally, entry.engine.counts_points)
            click.echo(json.dumps(report | ({"gamesPerSecond": rate} if timing else {}), indent=2))
        else:
            _print(a, b, tally, entry.engine.counts_points, rate)
        if interrupted:
            raise click.exceptions.Exit(INTERRUPTED)

    function = json_option(components_option(run))
    function = click.option("--timing", is_flag=True, help="Report the games per second in --json, too.")(function)
    function = click.option("--resume", is_flag=True, help="Go on with the file of --out, if it is there.")(function)
    function = click.option("--out", metavar="FILE", help="Keep every game in this file, as JSON lines.")(function)
    function = click.option(
        "--threads", type=click.IntRange(1, 64), metavar="N", default=1, help="Games at a time; default 1."
    )(function)
    function = click.option(
        "--seed", type=click.IntRange(0, UINT32), metavar="N", default=0, help="Seed of everything random; default 0."
    )(function)
    elo = click.FloatRange(-MAX_ELO, MAX_ELO)
    function = click.option(
        "--sprt", type=(elo, elo), metavar="ELO0 ELO1",
        help="End as soon as one of these Elo differences is rejected, with 5 % errors.",
    )(function)
    function = budget_options(function)
    function = click.option(
        "--games", type=click.IntRange(1, MAX_GAMES), required=True, metavar="N",
        help="Games at most; they are played in pairs, so an odd number becomes even.",
    )(function)
    function = click.option("--b", required=True, metavar="SPEC", help="The player it is measured against.")(function)
    function = click.option("--a", required=True, metavar="SPEC", help="The player to measure.")(function)
    function = setup_options(game, function)
    return click.command(name=game.id, short_help=game.name, help=_help(game))(function)


def _help(game: pb.Game) -> str:
    from solver.players import OPTIONS

    options = "\n".join(f"  {key:<12} {option.text}" for key, option in OPTIONS.items())
    return HELP.format(game=game.name, options=options, visits=DEFAULT_VISITS)


def _log(out: str, played: dict[str, Any], resume: bool) -> Log:
    from solver.arena import Log

    try:
        return Log(Path(out), played, resume)
    except ValueError as error:
        raise Refused(f"{out}: {error}") from error


def _play(match: Match, tally: Tally, log: Log | None, games: int, threads: int) -> tuple[int, bool]:
    """Play the games that are not in the log; return how many, and whether it was interrupted."""
    known = {played.number: played for played in log.games if played.number < games} if log is not None else {}
    for number in sorted(known):
        tally.add(known[number])
    fresh = 0
    missing = [] if tally.decided else [number for number in range(games) if number not in known]
    try:
        with _progress(tally, games, len(known)) as report:
            for played in match.run(missing, threads):
                fresh += 1
                if log is not None:
                    log.add(played)
                tally.add(played)
                report()
                if tally.decided:
                    break
    except KeyboardInterrupt:
        return fresh, True
    return fresh, False


@contextmanager
def _progress(tally: Tally, games: int, done: int) -> Iterator[Callable[[], None]]:
    """Yield what counts the games: on a terminal with a bar, elsewhere nothing."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from cafebrain_cli.output import console

    text = TextColumn("{task.description}", markup=False)
    columns = (BarColumn(20), MofNCompleteColumn(), TimeRemainingColumn(), text)
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=games, completed=done)

        def report() -> None:
            text = f"score rate {tally.rate().value:.3f}" if tally.rates else ""
            if tally.sprt is not None:
                text += f", LLR {tally.sprt.llr:+.2f}"
            bar.update(task, advance=1, description=text)

        yield report


def _figures(tally: Tally, counts_points: bool) -> dict[str, Any]:
    """Return what the match has shown, as JSON; null where that is infinite or nothing was played."""
    from solver.elo import elo_interval

    figures: dict[str, Any] = {"pairs": len(tally.rates), "games": 2 * len(tally.rates)}
    if tally.rates:
        figures |= _as_json("scoreRate", tally.rate())
        figures |= _as_json("elo", elo_interval(tally.rate()))
        if tally.players > 2:
            figures |= _as_json("winShare", tally.share()) | {"fairShare": 1 / tally.players}
        if tally.players == 1:
            figures |= {"meanScoreA": _mean(tally.means[0]), "meanScoreB": _mean(tally.means[1])}
        if counts_points:
            figures |= _as_json("scoreDifference", tally.lead())
    if tally.sprt is not None:
        test = tally.sprt
        figures["sprt"] = {
            "elo0": test.elo0, "elo1": test.elo1, "llr": test.llr, "lower": test.lower, "upper": test.upper,
            "verdict": test.verdict,
        }  # fmt: skip
    return figures


def _as_json(name: str, interval: Interval) -> dict[str, float | None]:
    ends = {name: interval.value, f"{name}Low": interval.low, f"{name}High": interval.high}
    return {key: value if math.isfinite(value) else None for key, value in ends.items()}


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _print(a: str, b: str, tally: Tally, counts_points: bool, rate: float | None) -> None:
    from cafebrain_cli.output import print_table, print_text
    from solver.elo import elo_interval

    pairs = len(tally.rates)
    print_text(f"{a} against {b}: {2 * pairs} games in {pairs} pair{'' if pairs == 1 else 's'}", "bold")
    rows = []
    if tally.rates:
        rows.append(_row("score rate", tally.rate(), 3))
        rows.append(_row("Elo difference", elo_interval(tally.rate()), 0))
        if tally.players > 2:
            rows.append(_row(f"share of the win alone, fair {1 / tally.players:.3f}", tally.share(), 3))
        if tally.players == 1:
            for name, scores in zip("ab", tally.means, strict=True):
                rows.append((f"mean score of {name}", f"{_mean(scores):.2f}", ""))
        if counts_points:
            rows.append(_row("score difference, points", tally.lead(), 2))
        print_table(("", ">", "95 % interval"), rows)
    if tally.sprt is not None:
        test = tally.sprt
        said = {
            "accepted": f"{test.elo0:g} is rejected: {test.elo1:g} fits better",
            "rejected": f"{test.elo1:g} is rejected: {test.elo0:g} fits better",
            "open": "no verdict yet",
        }[test.verdict]
        print_text(
            f"SPRT of {test.elo0:g} and {test.elo1:g} Elo: {said} (LLR {test.llr:+.2f}, {test.lower:.2f} to"
            f" {test.upper:.2f})"
        )
    if rate is not None:
        print_text(f"{rate:.3g} games per second", "dim")


def _row(name: str, interval: Interval, digits: int) -> tuple[str, str, str]:
    sign = "+" if digits != 3 else ""

    def shown(value: float) -> str:
        return f"{value:{sign}.{digits}f}" if math.isfinite(value) else "∞" if value > 0 else "-∞"

    return name, shown(interval.value), f"{shown(interval.low)} to {shown(interval.high)}"
