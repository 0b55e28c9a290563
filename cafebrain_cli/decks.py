"""Decks written by hand: ids in their order, in lines or as a JSON array."""
from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from cafebrain.errors import BrainError
from cafebrain_cli.exits import Refused
from cafebrain_cli.positions import SHOWN, read_text

if TYPE_CHECKING:
    from cafebrain.v1 import game_pb2
    from engines.library import Library


def lay_out(library: Library, state: game_pb2.GameState, path: str) -> game_pb2.GameState:
    """Return the first position of a puzzle with the deck in a file, "-" for standard input.

    Raises Refused, naming line and id, where it is no deck.
    """
    from solver.positions import Position, decode_state, encode_state

    source = "standard input" if path == "-" else path
    ids, lines = _read(read_text(path, source), source)
    position = decode_state(library, state)
    try:
        laid_out = position.engine.laid_out(position.state, ids)
    except BrainError as error:
        raise Refused("\n".join(_fault(source, lines, fault.field, fault.value, fault.reason)
                                for fault in error.violations)) from error
    return encode_state(Position(position.entry, laid_out))


def _read(text: str, source: str) -> tuple[list[str], list[int]]:
    """Return the ids in a text and the line of each; "#" begins a comment."""
    if text.lstrip().startswith("["):
        try:
            ids = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Refused(f"{source}: is no JSON array of ids: {error}") from error
        if not all(isinstance(id_, str) for id_ in ids):
            raise Refused(f"{source}: is no JSON array of ids: wants texts")
        ends = [match.end() for match in re.finditer(r'"(?:[^"\\]|\\.)*"', text)]
        return ids, [text.count("\n", 0, end) + 1 for end in ends]
    found = [
        (id_, number)
        for number, line in enumerate(text.split("\n"), 1)
        for id_ in re.split(r"[\s,]+", line.split("#")[0])
        if id_
    ]
    if not found:
        raise Refused(f"{source}: is empty; wants card ids in their order")
    return [id_ for id_, _ in found], [line for _, line in found]


def _fault(source: str, lines: list[int], field: str, value: str, reason: str) -> str:
    """Return one fault, with the line of the id that it names."""
    place = re.search(r"\[(\d+)\]", field)
    if place is None:
        return f"{source}: {reason}; found {value[:SHOWN]}"
    shown = re.sub(r"cards\[(\d+)\]", lambda match: f"line {lines[int(match[1])]}", reason)
    return f"{source}: line {lines[int(place[1])]}: {value[:SHOWN]}: {shown}"
