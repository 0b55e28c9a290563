"""Commands about component sets: components check, components show."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from cafebrain_cli.exits import REFUSED
from cafebrain_cli.params import components_option, examples, json_option, server_option

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb


@click.group()
def components() -> None:
    """Check and show component sets: the printed part of a game as data."""


@components.command(
    short_help="Check component files.",
    epilog=examples(
        "cafebrain components check mine.toml",
        "cafebrain components check sets/*.toml --json",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@json_option
def check(files: tuple[str, ...], as_json: bool) -> None:
    """Check component files and print every fault with its file, key and reason.

    Prints id, content hash and provenance of a file that can be used. Exits with 1 if any file cannot. Each file is
    checked for itself, against the sets that come with cafebrain.
    """
    reports = [_check(file) for file in files]
    if as_json:
        click.echo(json.dumps({"files": reports}, indent=2))
    else:
        for report in reports:
            _print_report(report)
    if not all(report["ok"] for report in reports):
        raise click.exceptions.Exit(REFUSED)


@components.command(
    name="show",
    short_help="Show a component set.",
    epilog=examples(
        "cafebrain components show connect_four",
        "cafebrain components show connect_four --set standard --json",
    ),
)
@click.argument("game")
@click.option("--set", "set_id", metavar="ID", default="", help="The set; default the game's default set.")
@json_option
@server_option
@components_option
def show_set(game: str, set_id: str, as_json: bool, server: str | None, files: tuple[str, ...]) -> None:
    """Show a component set: where its figures come from, with --json also its contents."""
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain.v1 import game_pb2
    from cafebrain_cli.positions import to_json, write_text
    from cafebrain_cli.source import open_calls, set_in

    calls = open_calls(server, files)
    ref = game_pb2.ComponentSetRef(id=set_id or set_in(files, game))
    answer = calls.get_components(pb.GetComponentsRequest(game=game, component_set=ref))
    if as_json:
        write_text(to_json(answer), "-")
    else:
        _print_set(answer.component_set)


def _check(file: str) -> dict[str, Any]:
    """Return what is to say about a file."""
    from pathlib import Path

    from engines.component_set import ComponentError
    from engines.library import Library

    try:
        found = Library().add_file(Path(file))
    except ComponentError as error:
        return {"file": file, "ok": False, "faults": [vars(fault) for fault in error.faults]}
    return {
        "file": file,
        "ok": True,
        "faults": [vars(fault) for fault in found.warnings],
        "game": found.game,
        "id": found.id,
        "hash": found.hash,
        "name": found.name,
        "reconstructed": found.reconstructed,
        "provenance": [vars(origin) for origin in found.provenance],
    }


def _print_report(report: dict[str, Any]) -> None:
    from cafebrain_cli.output import print_table, print_text

    for fault in report["faults"]:
        kind, style = ("warning", "yellow") if fault["warning"] else ("fault", "red")
        print_text(f"{report['file']}: {fault['key']}: {kind}: {fault['reason']}", style)
    if not report["ok"]:
        return
    set_text = f"{report['game']} {report['id']}, hash {report['hash']}, {report['name']}"
    print_text(f"{report['file']}: fine: {set_text}", "green")
    print_table(
        ("group", "source", "note"),
        [(origin["group"], origin["source"], origin["note"]) for origin in report["provenance"]],
    )


def _print_set(components: pb.ComponentSet) -> None:
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain_cli.output import print_table, print_text

    print_text(f"{components.ref.id}, hash {components.ref.hash}: {components.name}", "bold")
    if components.reconstructed:
        print_text("Partly reconstructed: not the printed game.", "yellow")
    print_table(
        ("group", "source", "note"),
        [
            (origin.group, pb.Source.Name(origin.source).removeprefix("SOURCE_").lower(), origin.note)
            for origin in components.provenance
        ],
    )
    print_text("With --json its contents too.", "dim")
