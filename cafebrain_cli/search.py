"""The command suggest: a search, watched and interruptible."""
from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

import click

from cafebrain_cli.exits import INTERRUPTED
from cafebrain_cli.params import (
    UINT32,
    LevelType,
    components_option,
    duration_ms,
    examples,
    json_option,
    server_option,
    state_argument,
)
from cafebrain_cli.source import Calls, open_calls

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb

REPORT_INTERVAL_MS = 250  # also how soon an interrupt is noticed
QUIET_SECONDS = 2.0  # shorter searches show no progress
MAX_VISITS = 100_000_000

STOPPED_BECAUSE = {
    "STOP_REASON_VISITS": "the visits were used up",
    "STOP_REASON_TIME": "the time was used up",
    "STOP_REASON_MEMORY": "the memory for the search was used up",
    "STOP_REASON_STOPPED": "it was stopped",
    "STOP_REASON_PROVEN": "the position is solved: the values are exact",
}


@click.command(
    epilog=examples(
        "cafebrain suggest game.json --time 5s",
        "cafebrain suggest game.json --visits 20000 --seed 1 --moves 3 --json",
        "cafebrain suggest game.json --avoid 3 --threads 2",
    ),
)
@state_argument
@click.option("--visits", type=click.IntRange(1, MAX_VISITS), metavar="N", help="Search so many visits.")
@click.option("--time", "time_ms", type=duration_ms, metavar="TIME", help="Search so long: 200ms, 60s, 2m.")
@click.option(
    "--objective",
    type=click.Choice(["win", "score"]),
    help="What to maximise; default win, alone at the table always score.",
)
@click.option(
    "--level", type=LevelType(), default="max", metavar="N",
    help="Level of play, from 1 for a beginner's, or max (the default); its move comes first.",
)
@click.option(
    "--viewer",
    type=click.IntRange(1, 99),
    metavar="P",
    help="Player whose knowledge may be used; default the player to move.",
)
@click.option("--seed", type=click.IntRange(0, UINT32), metavar="N", default=0, help="Seed of the search; default 0.")
@click.option("--threads", type=click.IntRange(1, 64), metavar="N", default=1, help="Threads; default 1.")
@click.option("--moves", "wanted", type=click.IntRange(1, UINT32), metavar="N", help="Moves to print; default all.")
@click.option("--allow", multiple=True, metavar="MOVE", help="Consider only this move; repeatable.")
@click.option("--avoid", multiple=True, metavar="MOVE", help="Do not consider this move; repeatable.")
@click.option("--timing", is_flag=True, help="Report the elapsed time.")
@json_option
@server_option
@components_option
def suggest(
    path: str,
    visits: int | None,
    time_ms: int | None,
    objective: str | None,
    level: int,
    viewer: int | None,
    seed: int,
    threads: int,
    wanted: int | None,
    allow: tuple[str, ...],
    avoid: tuple[str, ...],
    timing: bool,
    as_json: bool,
    server: str | None,
    files: tuple[str, ...],
) -> None:
    """Search a position for its best moves.

    STATE is a file with a position as JSON, or "-" for standard input; MOVE is an id listed by 'cafebrain moves', or
    the move itself as JSON. The first limit of --visits and --time ends the search; without either it takes a second.
    With --visits and one thread, equal input gives equal bytes.

    Ctrl-C ends the search, prints the best moves so far and exits with 130.
    """
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain_cli.positions import parse_choice, read_state, to_json, write_text

    request = pb.SuggestRequest(
        viewer=viewer or 0,
        budget=pb.Budget(visits=visits or 0, time_ms=time_ms or 0),
        objective=pb.Objective.Value(f"OBJECTIVE_{(objective or 'unspecified').upper()}"),
        level=level,
        seed=seed,
        threads=threads,
        moves_wanted=wanted or 0,
        allowed_moves=[parse_choice(move) for move in allow],
        avoided_moves=[parse_choice(move) for move in avoid],
        timing=timing,
        state=read_state(path),
    )
    with _progress(request.budget) as report:
        suggestion, interrupted = _search(open_calls(server, files), request, report)
    if as_json:
        write_text(to_json(suggestion), "-")
    else:
        _print_suggestion(suggestion)
    if interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _search(
    calls: Calls, request: pb.SuggestRequest, report: Callable[[pb.Suggestion], None]
) -> tuple[pb.Suggestion, bool]:
    """Return the final answer, or on an interrupt the latest one, and whether there was an interrupt."""
    from cafebrain.v1 import brain_service_pb2 as pb

    latest: pb.Suggestion | None = None
    try:
        for answer in calls.analyze(pb.AnalyzeRequest(suggest=request, report_interval_ms=REPORT_INTERVAL_MS)):
            latest = answer.suggestion
            report(latest)
    except KeyboardInterrupt:
        if latest is None:
            raise
        latest.stop_reason = pb.STOP_REASON_STOPPED
        return latest, True
    assert latest is not None, "an analysis ends with an answer"
    return latest, False


@contextmanager
def _progress(budget: pb.Budget) -> Iterator[Callable[[pb.Suggestion], None]]:
    """Yield what shows an answer so far: on a terminal a bar once the search takes long, elsewhere nothing."""
    if not sys.stderr.isatty():
        yield lambda suggestion: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    from cafebrain_cli.output import console

    started = time.monotonic()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(20), TaskProgressColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=console(stderr=True), transient=True)
    task = bar.add_task("searching", total=1.0)

    def report(suggestion: pb.Suggestion) -> None:
        elapsed = time.monotonic() - started
        if elapsed < QUIET_SECONDS:
            return
        done = [suggestion.visits / budget.visits] if budget.visits else []
        done += [1000 * elapsed / budget.time_ms] if budget.time_ms else []
        best = suggestion.moves[0].text[:40] if suggestion.moves else ""
        bar.update(task, description=f"{suggestion.visits:,} visits, best: {best}", completed=max(done, default=0.0))
        bar.start()

    try:
        yield report
    finally:
        bar.stop()


def _print_suggestion(suggestion: pb.Suggestion) -> None:
    """Print the moves as a table, then the best line in words."""
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain_cli.output import percent, print_table, print_text

    by_score = suggestion.objective == pb.OBJECTIVE_SCORE
    player = suggestion.player
    goal = "expected score" if by_score else "win probability"
    print_text(f"Player {player} to move. Values are player {player}'s, who maximises the {goal}:", "bold")
    rows = []
    for move in suggestion.moves:
        lower = f"{move.lower_bound:.1f}" if by_score else percent(move.lower_bound)
        mine = next((estimate for estimate in move.players if estimate.player == player), None)
        rows.append((
            str(move.id),
            move.text,
            f"{move.visits:,}",
            percent(mine.win_probability) if mine else "-",
            f"{mine.expected_score:.1f} ± {mine.score_spread:.1f}" if mine else "-",
            lower if move.HasField("lower_bound") else "-",
        ))
    styles = ["green" if index == 0 else "" for index in range(len(rows))]
    bound = ">score ≥" if by_score else ">win ≥"
    print_table((">id", "move", ">visits", ">win", ">score ±", bound), rows, styles)
    if suggestion.moves:
        print_text("Best line:")
        for who, turn in groupby(suggestion.moves[0].principal_variation, lambda planned: planned.player):
            print_text(f"  player {who}: " + "; ".join(planned.text for planned in turn))
    reason = STOPPED_BECAUSE[pb.StopReason.Name(suggestion.stop_reason)]
    ended = f"{suggestion.visits:,} visits; the search ended because {reason}."
    if suggestion.HasField("elapsed_ms"):
        ended += f" It took {suggestion.elapsed_ms:.0f} ms."
    print_text(ended, "dim")
    if suggestion.components_reconstructed:
        print_text(
            f"Component set {suggestion.component_set.id!r} is partly reconstructed: these are not the values of the"
            " printed game.",
            "yellow",
        )
