"""Recorded games: JSON lines, the first position, then every move and draw as `cafebrain moves --json` lists it."""
from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from google.protobuf.json_format import MessageToDict

from cafebrain_cli.exits import Refused
from cafebrain_cli.positions import parse_json, read_text, write_text

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain.v1 import game_pb2


def read_record(path: str) -> tuple[game_pb2.GameState, list[pb.MoveChoice]]:
    """Return the first position of a record and its moves and draws, "-" for standard input."""
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain.v1 import game_pb2

    name = "standard input" if path == "-" else path
    state = game_pb2.GameState()
    lines = [line for line in read_text(path, name).split("\n") if line.strip()]
    if not lines:
        raise Refused(f"{name}: is empty; wants a record, one JSON object a line")
    parse_json(lines[0], state, f"{name}: line 1")
    steps = []
    for number, line in enumerate(lines[1:], 2):
        step = pb.LegalMove()
        parse_json(line, step, f"{name}: line {number}")
        given = step.HasField("move")
        steps.append(pb.MoveChoice(move=step.move) if given else pb.MoveChoice(id=step.id))
    return state, steps


def write_record(path: str, state: game_pb2.GameState, steps: Iterable[pb.LegalMove]) -> None:
    """Write a record."""
    messages: Sequence[game_pb2.GameState | pb.LegalMove] = [state, *steps]
    write_text("".join(json.dumps(MessageToDict(message)) + "\n" for message in messages), path)
