"""What came of solving for people: on the terminal, and the files of the run folder."""
from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import click

from cafebrain_cli import plots
from cafebrain_cli.output import percent, print_table, print_text
from cafebrain_cli.positions import write_text
from cafebrain_cli.records import write_record
from cafebrain_cli.run_folder import write_whole
from cafebrain_cli.solve_answer import (
    Solved,
    answer,
    best,
    cost_of_not_knowing,
    deck_gap,
    gaps,
    is_single,
    scores,
    sentences,
)
from cafebrain_cli.solve_report import page
from cafebrain_cli.solve_work import Outcome
from solver.summary import Distribution, distribution

HEADS = (
    "", ">decks", ">mean", ">95 % ±", ">least", ">25 %", ">median", ">75 %", ">most", ">bound", ">gap", ">proven",
)  # fmt: skip
FEW = 20  # decks that are listed one by one
BAR = 40  # columns of the longest bar
BIN = 5  # points


def print_outcome(outcome: Outcome, as_json: bool, timing: bool) -> None:
    """Print the answer, after writing it to the run folder where there is one."""
    found = best(outcome)
    if outcome.plan.folder is not None:
        _write_folder(outcome, outcome.plan.folder, found)
    for note in outcome.notes:
        click.echo(note, err=True)
    if as_json:
        write_text(json.dumps(answer(outcome, timing), indent=2) + "\n", "-")
    elif is_single(outcome):
        _print_single(outcome, found, timing)
    else:
        _print_summary(outcome)
    if not as_json:
        _print_end(outcome)
    if outcome.interrupted and outcome.plan.folder is not None:
        click.echo("interrupted; the same command with --resume goes on", err=True)


def _print_single(outcome: Outcome, found: Solved | None, timing: bool) -> None:
    if found is None:
        print_text("Nothing was found in the time given.", "bold")
        return
    (first, *others) = sentences(found)
    print_text(first, "bold")
    for line in others:
        print_text(line)
    print_text("Best line, moves with their ids:" if found.kind == "open" else "Moves with their ids:")
    for turn, steps in groupby(found.steps, lambda step: step.turn):
        print_text(f"  {turn}" if turn else "", "bold")
        for step in steps:
            print_text(f"    {step.move.id:>10}  {step.move.text}")
    ended = f"{found.deck.last.nodes:,} positions"
    if timing:
        ended += f" in {found.deck.last.seconds:.1f} s"
    print_text(ended + ("; the search was stopped early." if found.deck.last.stopped else "."), "dim")


def _print_summary(outcome: Outcome) -> None:
    rows = _summary_rows(outcome)
    if not rows:
        print_text("No deck is finished.", "bold")
        return
    print_table(HEADS, rows)
    for line in _cost_lines(outcome):
        print_text(line, "bold")
    for kind in outcome.runs:
        points = scores(outcome.decks(kind))
        if points:
            print_text(f"Scores, {plots.LABELS[kind]}:")
            for line in _bars(points):
                print_text("  " + line)
    for kind in outcome.runs:
        decks = outcome.decks(kind)
        if len(decks) <= FEW:
            rows = [
                (str(deck.number), f"{deck.last.score:g}", *_bound_and_gap(deck.last.bound, deck_gap(deck)))
                for deck in decks
                if deck.last.score is not None
            ]
            print_table((f">deck, {plots.LABELS[kind]}", ">score", ">bound", ">gap"), rows)


def _summary_rows(outcome: Outcome) -> list[tuple[str, ...]]:
    rows = []
    for kind in outcome.runs:
        decks = outcome.decks(kind)
        points = scores(decks)
        if not points:
            continue
        bounds = [deck.last.bound for deck in decks if deck.last.bound is not None]
        proven = (
            f"{distribution(bounds).mean:.1f}", percent(distribution(gaps(decks)).mean),
            str(sum(deck.last.proven for deck in decks)),
        ) if bounds else ("-", "-", "-")  # fmt: skip
        rows.append((plots.LABELS[kind], *_numbers(distribution(points)), *proven))
    cost = cost_of_not_knowing(outcome)
    if cost is not None:
        rows.append(("difference", *_numbers(cost), "", "", ""))
    return rows


def _numbers(numbers: Distribution) -> tuple[str, ...]:
    error = "-" if numbers.error is None else f"{numbers.error:.1f}"
    places = (numbers.least, *numbers.quartiles, numbers.most)
    return (str(numbers.count), f"{numbers.mean:.1f}", error, *(f"{value:g}" for value in places))


def _mean_lines(outcome: Outcome) -> list[str]:
    lines = []
    for kind in outcome.runs:
        points = scores(outcome.decks(kind))
        if points:
            mean = distribution(points)
            error = "" if mean.error is None else f" ± {mean.error:.1f}"
            played = plots.LABELS[kind].capitalize()
            lines.append(f"{played}: {mean.mean:.1f}{error} points, mean over {mean.count} decks.")
    return lines or ["No deck is finished."]


def _cost_lines(outcome: Outcome) -> list[str]:
    cost = cost_of_not_knowing(outcome)
    if cost is None:
        return []
    error = "" if cost.error is None else f" ± {cost.error:.1f}"
    return [f"Not knowing the order costs {cost.mean:.1f}{error} points a deck (mean over {cost.count} decks)."]


def _bars(points: Sequence[float]) -> list[str]:
    """Return a histogram, a line per range of points."""
    counts: dict[int, int] = {}
    for value in points:
        place = math.floor(value / BIN)
        counts[place] = counts.get(place, 0) + 1
    longest = max(counts.values())
    return [
        f"{BIN * place:>4}–{BIN * place + BIN - 1:<4} {'█' * math.ceil(BAR * counts[place] / longest)} {counts[place]}"
        if place in counts else f"{BIN * place:>4}–{BIN * place + BIN - 1:<4}"
        for place in range(min(counts), max(counts) + 1)
    ]  # fmt: skip


def _bound_and_gap(bound: float | None, gap: float | None) -> tuple[str, str]:
    return "-" if bound is None else f"{bound:g}", "-" if gap is None else percent(gap)


def _print_end(outcome: Outcome) -> None:
    components = outcome.positions[outcome.plan.problems[0].number].entry.components
    if components.reconstructed:
        print_text(
            f"Component set {components.id!r} is partly reconstructed: these are not the values of the printed game.",
            "yellow",
        )
    if outcome.plan.folder is not None:
        print_text(f"Everything is in {outcome.plan.folder}; {outcome.plan.folder / 'report.html'} shows it.", "dim")


def _write_folder(outcome: Outcome, folder: Path, found: Solved | None) -> None:
    """Write summary.json, the best line, its board, plots and report.html."""
    write_whole(folder / "summary.json", (json.dumps(answer(outcome, timing=False), indent=2) + "\n").encode())
    pictures: dict[str, bytes] = {}
    drawn = plots.available()
    if not drawn:
        outcome.notes.append(plots.MISSING)
    points = {kind: some for kind in outcome.runs if (some := scores(outcome.decks(kind)))}
    if drawn and points and not is_single(outcome):
        pictures["Distribution of scores"] = plots.distribution_plot(points)
        write_whole(folder / "scores.png", pictures["Distribution of scores"])
    solved = [deck for deck in outcome.decks("open") if deck.last.score is not None]
    if drawn and solved:
        pictures["Best score and upper bound over time"] = plots.convergence_plot(solved)
        write_whole(folder / "convergence.png", pictures["Best score and upper bound over time"])
    board = ""
    if found is not None:
        write_record(str(folder / "best.jsonl"), found.problem.state, [step.move for step in found.steps])
        board = found.end.engine.svg(found.end.state)
        write_whole(folder / "board.svg", board.encode())
        if drawn:
            write_whole(folder / "board.png", plots.png_of(board))
    if is_single(outcome):
        table, lines = [], sentences(found) if found is not None else ["Nothing was found in the time given."]
    else:
        rows = _summary_rows(outcome)
        table = [[head.removeprefix(">") for head in HEADS], *rows] if rows else []
        lines = _mean_lines(outcome) + _cost_lines(outcome)
    html = page(outcome, found, table, lines, pictures, board)
    write_whole(folder / "report.html", html.encode())
