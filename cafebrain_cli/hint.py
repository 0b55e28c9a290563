"""The command hint: graded help for a person."""
from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cafebrain_cli.params import (
    budget_options,
    components_option,
    examples,
    json_option,
    language_option,
    seed_option,
    server_option,
    state_argument,
)
from cafebrain_cli.source import open_calls

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb

GRADES = ("nudge", "idea", "full")
STYLES = {"best": "bold green", "good": "green", "inaccuracy": "yellow", "mistake": "red", "blunder": "bold red"}


@click.command(
    epilog=examples(
        "cafebrain hint game.json",
        "cafebrain hint game.json --grade full --lang de",
        "cafebrain hint game.json --grade full --about 3",
    ),
)
@state_argument
@click.option("--grade", type=click.Choice(GRADES), default="nudge", show_default=True, help="How much to give away.")
@language_option
@budget_options
@click.option("--objective", type=click.Choice(["win", "score"]), help="What to achieve; default as in 'suggest'.")
@click.option("--viewer", type=click.IntRange(1, 99), metavar="P", help="Player whose knowledge may be used.")
@seed_option
@click.option("--about", metavar="MOVE", help="Explain this move; with --grade full.")
@json_option
@server_option
@components_option
def hint(
    path: str,
    grade: str,
    language: str,
    visits: int | None,
    time_ms: int | None,
    objective: str | None,
    viewer: int | None,
    seed: int,
    about: str | None,
    as_json: bool,
    server: str | None,
    files: tuple[str, ...],
) -> None:
    """Help a person: where to look, what kind of move, or the good moves with reasons.

    STATE is a file with a position as JSON, or "-" for standard input. Without --visits and --time a nudge takes 60 ms
    and the other grades 200 ms. The percentages of the table are shares of the win.
    """
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain_cli.positions import parse_choice, read_state, to_json, write_text

    request = pb.HintRequest(
        state=read_state(path),
        viewer=viewer or 0,
        grade=pb.HintGrade.Value(f"HINT_GRADE_{grade.upper()}"),
        language=language,
        budget=pb.Budget(visits=visits or 0, time_ms=time_ms or 0),
        objective=pb.Objective.Value(f"OBJECTIVE_{(objective or 'unspecified').upper()}"),
        seed=seed,
        about=None if about is None else parse_choice(about),
    )
    answer = open_calls(server, files).hint(request)
    if as_json:
        write_text(to_json(answer), "-")
    else:
        print_hint(answer)


def print_hint(answer: pb.HintResponse) -> None:
    """Print the hint, and the good moves where it has them."""
    from cafebrain_cli.output import percent, print_paragraph, print_table, print_text

    print_paragraph(answer.text)
    if not answer.moves:
        return
    print_text("")
    rows, styles = [], []
    for move in answer.moves:
        kind = class_text(move.move_class)
        mine = move.players[answer.player - 1]
        rows.append((
            kind,
            str(move.id),
            move.text,
            percent(mine.win_probability) if len(move.players) > 1 else "-",
            f"{mine.expected_score:.1f}",
            "\n".join(reason.text for reason in move.reasons),
        ))
        styles.append(STYLES.get(kind, ""))
    print_table(("class", ">id", "move", ">win", ">points", "why"), rows, styles)
    if answer.components_reconstructed:
        print_text(
            f"Component set {answer.component_set.id!r} is partly reconstructed: these are not the values of the"
            " printed game.",
            "yellow",
        )


def class_text(move_class: pb.MoveClass.ValueType) -> str:
    """Return the word for a class; empty where there is none."""
    from cafebrain.v1 import brain_service_pb2 as pb

    word = pb.MoveClass.Name(move_class).removeprefix("MOVE_CLASS_").lower()
    return "" if word == "unspecified" else word
