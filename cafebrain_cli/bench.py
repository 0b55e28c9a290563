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

BUSY = 0.2  # cores taken by other processes from which on work on several threads is not judged
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

    A figure is the median of its samples, with their range; both sides of a ratio are sampled in turn. Work on one
    thread is timed in processor time. Work on several threads is timed by the clock and not judged while other
    processes keep the machine busy: each group tells how busy. The signature changes whenever the search behaves
    differently, and is the same on every machine.

    Exits with 1 where results are wrong; a speed below what is wanted is only marked.
    """
    groups = _groups()
    from bench.measure import Plan

    unknown = [name for name in only if name not in groups]
    if unknown:
        raise click.BadParameter(f"unknown group {unknown[0][:40]!r}; known: {', '.join(groups)}", param_hint="--only")
    chosen = [name for name in groups if name in only or not only]
    machine = _machine()
    report: list[dict[str, Any]] = []
    wrong = False
    if not as_json:
        _print_machine(machine)
    for done, name in enumerate(chosen):
        load = _OtherLoad()
        with _progress(done, len(chosen)) as announce:
            figures = list(groups[name](Plan(quick, announce)))
        busy = load.cores()
        wrong |= any(figure.check and figure.met is False for figure in figures)
        if as_json:
            report.append({"name": name, "other_load": busy, "figures": [_as_json(figure, busy) for figure in figures]})
        else:
            _print_group(name, busy, figures)
    if as_json:
        click.echo(json.dumps({"machine": machine, "quick": quick, "groups": report}, indent=2, ensure_ascii=False))
    if wrong:
        raise click.exceptions.Exit(REFUSED)


def _groups() -> dict[str, Callable[..., Iterator[Figure]]]:
    """Return the groups of figures in bench/, which is not installed."""
    if not (CHECKOUT / "bench" / "groups.py").is_file():
        raise Refused(f"the benchmarks are not installed: run this in a checkout ({CHECKOUT / 'bench'} is not there)")
    sys.path.insert(0, str(CHECKOUT))
    from bench.groups import GROUPS

    return GROUPS


class _OtherLoad:
    """How busy other processes keep the machine from now on."""

    def __init__(self) -> None:
        self._start = self._seconds()

    def cores(self) -> float | None:
        """Return the mean number of cores they used; None where the system does not tell."""
        if self._start is None or (now := self._seconds()) is None:
            return None
        passed, used = (end - start for start, end in zip(self._start, now, strict=True))
        return round(max(0.0, used / passed), 2)

    @staticmethod
    def _seconds() -> tuple[float, float] | None:
        """Return the time that has passed, and that of all cores taken by others, in seconds since some start."""
        try:
            user, nice, system, _, _, *interrupts = map(int, Path("/proc/stat").read_text().split()[1:9])
        except (OSError, ValueError):
            return None
        own = os.times()
        busy = (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
        return own.elapsed, busy - own.user - own.system - own.children_user - own.children_system


def _machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    from solver.brain import VERSION

    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
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

    cores = f"{machine['cores']} cores of {machine['processor']}"
    print_text(f"cafebrain {machine['version']}, Python {machine['python']}, {cores}")


def _print_group(name: str, busy: float | None, figures: list[Figure]) -> None:
    from cafebrain_cli.output import print_table, print_text

    print_text(name + ("" if busy is None else f" (other processes kept {busy:.2f} cores busy)"), "bold")
    rows, styles = [], []
    for figure in figures:
        spread = "" if figure.low is None or figure.high is None else f"{_number(figure.low)} – {_number(figure.high)}"
        limits = (("≥", figure.least), ("≤", figure.most))
        wanted = [f"{sign} {_number(limit)}" for sign, limit in limits if limit is not None]
        met = _verdict(figure, busy)
        verdict = {True: "met", False: "missed", None: "not judged" if wanted else ""}[met]
        rows.append((figure.name, f"{_number(figure.value)} {figure.unit}", spread, " ".join([*wanted, verdict])))
        styles.append({True: "green", False: "red", None: ""}[met])
    print_table(("figure", "median", "range", "wanted"), rows, styles)
    notes = [f"{figure.name}: {figure.note}" for figure in figures if figure.note]
    if notes:
        print_text("\n".join(notes) + "\n", "dim")


def _verdict(figure: Figure, busy: float | None) -> bool | None:
    """Return whether a figure is as wanted; None where that cannot be told."""
    return None if figure.wants_idle and busy is not None and busy > BUSY else figure.met


def _number(value: float | str | None) -> str:
    """Return a value with three digits; counts below a million in full."""
    if value is None or isinstance(value, str):
        return value or "-"
    if value >= 1e6:
        return f"{value / 1e6:.3g} M"
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"


def _as_json(figure: Figure, busy: float | None) -> dict[str, Any]:
    """Return what is known of a figure."""
    known = {key: value for key, value in asdict(figure).items() if value not in (None, "")}
    return {"value": None} | known | {"met": _verdict(figure, busy)}
