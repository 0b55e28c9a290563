"""The command review: what each move of a recorded game lost and each draw brought."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from cafebrain_cli.hint import STYLES, class_text
from cafebrain_cli.params import (
    budget_options,
    components_option,
    examples,
    json_option,
    language_option,
    seed_option,
    server_option,
)
from cafebrain_cli.source import open_calls

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb


@click.command(
    epilog=examples(
        "cafebrain review game.jsonl",
        "cafebrain review game.jsonl --visits 2000 --html game.html",
    ),
)
@click.argument("path", metavar="GAME")
@click.option("--html", metavar="FILE", help="Write a page with curves and boards; it needs no other file.")
@language_option
@budget_options
@seed_option
@json_option
@server_option
@components_option
def review(
    path: str,
    html: str | None,
    language: str,
    visits: int | None,
    time_ms: int | None,
    seed: int,
    as_json: bool,
    server: str | None,
    files: tuple[str, ...],
) -> None:
    """Review a recorded game.

    GAME is a file of JSON lines as 'cafebrain play' writes them: the first position, then each move and draw. "-"
    reads standard input. The budget is that of one position; without --visits and --time 200 ms.

    A move loses the difference between the best move and itself, in shares of the win and in points. A draw brings
    the difference between what came and the mean over all that could have come.
    """
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain_cli.positions import write_text
    from cafebrain_cli.records import read_record

    state, steps = read_record(path)
    request = pb.ReviewGameRequest(
        state=state,
        steps=steps,
        budget=pb.Budget(visits=visits or 0, time_ms=time_ms or 0),
        language=language,
        seed=seed,
    )
    calls = open_calls(server, files)
    reviewed: list[pb.StepReview] = []
    summary = pb.GameReview()
    with _progress(len(steps)) as report:
        for answer in calls.review_game(request):
            if answer.HasField("summary"):
                summary = answer.summary
                continue
            reviewed.append(answer.step)
            report(answer.step)
            if as_json:
                write_text(_line(answer), "-")
    if as_json:
        write_text(_line(pb.ReviewGameResponse(summary=summary)), "-")
    else:
        _print_steps(reviewed)
        _print_summary(summary)
    if html is not None:
        from cafebrain_cli.report import page

        boards = [calls.show_board(pb.ShowBoardRequest(state=p.state, svg=True)).svg for p in summary.turning_points]
        write_text(page(state.WhichOneof("game") or "", reviewed, summary, boards), html)
    elif not as_json:
        from cafebrain_cli.output import print_text

        print_text("With --html FILE as a page with curves and boards.", "dim")


def _line(answer: pb.ReviewGameResponse) -> str:
    import json

    from cafebrain_cli.positions import to_json

    return json.dumps(json.loads(to_json(answer))) + "\n"


@contextmanager
def _progress(total: int) -> Iterator[Callable[[pb.StepReview], None]]:
    """Yield what counts the steps: on a terminal with a bar, elsewhere nothing."""
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from cafebrain_cli.output import console

    columns = (TextColumn("{task.description}", markup=False), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("reviewing", total=total)
        yield lambda step: bar.update(task, completed=step.number)


def _print_steps(steps: list[pb.StepReview]) -> None:
    from cafebrain_cli.output import print_table

    rows, styles = [], []
    for step in steps:
        kind = class_text(step.move_class)
        if step.player:
            lost = f"{100 * step.win_loss:.1f} %" if kind else ""
            points = f"{step.score_loss:+.1f}" if kind else ""
            better = step.best_text if kind and step.best_id != step.id and kind != "best" else ""
            rows.append((str(step.number), f"player {step.player}", step.text, kind, lost, points, better))
        else:
            rows.append((str(step.number), "draw", step.text, "", "", "", _luck_text(step)))
        styles.append(STYLES.get(kind, "") if step.player else "dim")
    print_table((">step", "who", "move or draw", "class", ">lost", ">points lost", "better, or luck"), rows, styles)


def _luck_text(step: pb.StepReview) -> str:
    """Return what a draw changed for whom, where it is 1 % of the win at least."""
    lucks = [
        f"player {now.player} {100 * (now.win_probability - then.win_probability):+.0f} %"
        for then, now in zip(step.before, step.after, strict=False)
        if abs(now.win_probability - then.win_probability) >= 0.01
    ]
    return ", ".join(lucks)


def _print_summary(summary: pb.GameReview) -> None:
    from cafebrain_cli.output import points, print_table, print_text

    results = {one.player: one for one in summary.result}
    rows = []
    for player in summary.players:
        result = results.get(player.player)
        rows.append((
            f"player {player.player}",
            f"{player.accuracy:.0f}" if player.HasField("accuracy") else "-",
            f"{100 * player.win_loss:.0f} %",
            f"{100 * player.win_luck:+.0f} ± {100 * player.win_luck_error:.0f} %",
            f"{player.score_luck:+.1f}",
            "/".join(map(str, player.classes)),
            points(result.score) if result else "-",
        ))
    classes = "best/good/inaccuracy/mistake/blunder"
    print_table(("", ">accuracy", ">lost", ">luck", ">luck in points", classes, ">final score"), rows)
    if summary.turning_points:
        print_text("Turning points:", "bold")
        for point in summary.turning_points:
            print_text(f"  step {point.number}: {point.text}")
    if summary.components_reconstructed:
        print_text(
            f"Component set {summary.component_set.id!r} is partly reconstructed: these are not the values of the"
            " printed game.",
            "yellow",
        )
