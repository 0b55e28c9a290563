"""The command bench: figures of speed and memory, from the benchmarks of a checkout."""
from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cafebrain_cli.exits import REFUSED, Refused
from cafebrain_cli.params import examples, json_option

if TYPE_CHECKING:
    from bench.measure import Figure

CHECKOUT = Path(__file__).resolve().parents[1]


@click.command(
    epilog=examples(
        "cafebrain bench",
        "cafebrain bench --quick --json",
        "cafebrain bench --only signature --only connect_four",
    ),
)
@click.option("--quick", is_flag=True, help="Take half a minute instead of four; the figures are less steady.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this group of figures; repeatable.")
@json_option
def bench(quick: bool, only: tuple[str, ...], as_json: bool) -> None:
    """Measure speed and memory; only in a checkout.

    A figure is the median of its samples, with their range. Ratios are of samples taken in turn. The signature changes
    whenever the search behaves differently, and is the same on every machine.

    Exits with 1 where results are wrong; a speed below what is wanted is marked, no error.
    """
    groups = _groups()
    from bench.measure import Plan

    unknown = [name for name in only if name not in groups]
    if unknown:
        raise click.BadParameter(f"unknown group {unknown[0][:40]!r}; known: {', '.join(groups)}", param_hint="--only")
    chosen = [name for name in groups if name in only or not only]
    machine = _machine()
    report: dict[str, list[Figure]] = {}
    if not as_json:
        _print_machine(machine)
    for done, name in enumerate(chosen):
        with _progress(done, len(chosen)) as announce:
            report[name] = list(groups[name](Plan(quick, announce)))
        if not as_json:
            _print_group(name, report[name])
    if as_json:
        shown = {name: [_as_json(figure) for figure in figures] for name, figures in report.items()}
        click.echo(json.dumps({"machine": machine, "quick": quick, "groups": shown}, indent=2, ensure_ascii=False))
    if any(figure.check and figure.met is False for figures in report.values() for figure in figures):
        raise click.exceptions.Exit(REFUSED)


def _groups() -> dict[str, Callable[..., Iterator[Figure]]]:
    """Return the groups of figures in bench/, which is not installed."""
    if not (CHECKOUT / "bench" / "groups.py").is_file():
        raise Refused(f"the benchmarks are not installed: run this in a checkout ({CHECKOUT / 'bench'} is not there)")
    sys.path.insert(0, str(CHECKOUT))
    from bench.groups import GROUPS

    return GROUPS


def _machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    from solver.brain import VERSION

    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "version": VERSION,
    }


@contextmanager
def _progress(done: int, total: int) -> Iterator[Callable[[str], None]]:
    """Yield what shows the work in hand during one of `total` groups: on a terminal with a bar, elsewhere nothing."""
    if not sys.stderr.isatty():
        yield lambda what: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from cafebrain_cli.output import console

    columns = (TextColumn("{task.description}", markup=False), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, completed=done)
        yield lambda what: bar.update(task, description=what)


def _print_machine(machine: dict[str, Any]) -> None:
    from cafebrain_cli.output import print_text

    print_text(
        f"cafebrain {machine['version']}, Python {machine['python']}, {machine['cores']} cores of"
        f" {machine['processor']}, load {machine['load']:.2f} before the start"
    )


def _print_group(name: str, figures: list[Figure]) -> None:
    from cafebrain_cli.output import print_table, print_text

    print_text(name, "bold")
    rows = []
    for figure in figures:
        spread = "" if figure.low is None or figure.high is None else f"{_number(figure.low)} to {_number(figure.high)}"
        limits = (("≥", figure.least), ("≤", figure.most))
        wanted = " ".join(f"{sign} {_number(limit)}" for sign, limit in limits if limit is not None)
        verdict = {True: "met", False: "missed", None: ""}[figure.met]
        rows.append((figure.name, _number(figure.value), figure.unit, spread, wanted, verdict, figure.note))
    styles = [{True: "green", False: "red", None: ""}[figure.met] for figure in figures]
    print_table(("figure", ">value", "unit", "range", "wanted", "", "note"), rows, styles)


def _number(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or "-"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def _as_json(figure: Figure) -> dict[str, Any]:
    """Return what is known of a figure."""
    known = {key: value for key, value in asdict(figure).items() if value not in (None, "")}
    return {"value": None} | known | {"met": figure.met}
