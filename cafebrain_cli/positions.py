"""Positions and moves as JSON: read from files, pipes and arguments; equal messages are written as equal bytes."""
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import click
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from cafebrain_cli.exits import Refused
from cafebrain_cli.params import UINT32

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain.v1 import game_pb2

MAX_BYTES = 4 << 20  # what a server accepts as one message unless configured otherwise
SHOWN = 60  # characters of a faulty value that are repeated


def read_state(path: str) -> game_pb2.GameState:
    """Return the position in a file, "-" for standard input."""
    from cafebrain.v1 import game_pb2

    name = "standard input" if path == "-" else path
    state = game_pb2.GameState()
    parse_json(read_text(path, name), state, name)
    return state


def parse_choice(text: str) -> pb.MoveChoice:
    """Return a move given by id or as JSON."""
    from cafebrain.v1 import brain_service_pb2 as pb

    text = text.strip()
    if text.startswith("{"):
        choice = pb.MoveChoice()
        parse_json(text, choice.move, "move")
        choice.move.SetInParent()
        return choice
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= UINT32):
        raise click.UsageError(
            f"{text[:SHOWN]!r} is no move; wants an id as listed by 'cafebrain moves', or the move itself as JSON"
        )
    return pb.MoveChoice(id=int(text))


def parse_json(text: str, message: Message, name: str) -> None:
    """Fill a message from JSON; `name` says in errors where the text is from."""
    if not text.strip():
        raise Refused(f"{name}: is empty; wants JSON")
    try:
        data = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        json.dumps(data, ensure_ascii=False).encode()  # protobuf fails on what UTF-8 cannot hold
    except json.JSONDecodeError as error:
        raise Refused(f"{name}: line {error.lineno}, column {error.colno}: is no JSON: {error.msg}") from error
    except RecursionError as error:
        raise Refused(f"{name}: is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise Refused(f"{name}: is no JSON: half of a surrogate pair in a text") from error
    except ValueError as error:
        raise Refused(f"{name}: is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise Refused(f"{name}: wants a JSON object; found {_shown(data)}")
    try:
        ParseDict(data, message)
    except (ParseError, RecursionError) as error:
        place, reason = _first_fault(data, _type(message), "") or ("", str(error))
        raise Refused(": ".join(filter(None, (name, place.removeprefix("."), reason)))) from error


def to_json(message: Message) -> str:
    """Return the message as JSON with zeros and empty lists, fields in the order of the contract; ends the line.

    Only ASCII, so that the bytes depend on no locale.
    """
    data = MessageToDict(message, always_print_fields_with_no_presence=True)
    return json.dumps(_in_order(data, _type(message)), indent=2) + "\n"


def write_text(text: str, path: str) -> None:
    """Write to a file, "-" for standard output."""
    if path == "-":
        click.echo(text, nl=False)
    else:
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise Refused(f"{path}: cannot be written: {error.strerror}") from error


def read_text(path: str, name: str) -> str:
    """Return the text of a file, "-" for standard input; `name` is what errors call it."""
    try:
        if path == "-":
            raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Refused(f"{name}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # a NUL in the path
        raise Refused(f"{name}: cannot be read: {error}") from error
    if len(raw) > MAX_BYTES:
        raise Refused(f"{name}: is larger than {MAX_BYTES >> 20} MiB")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{name}: is no UTF-8 text (byte {error.start})") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice[:SHOWN]!r} occurs twice in an object")
    return data


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number there")


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _type(message: Message) -> Descriptor:
    return cast(Descriptor, message.DESCRIPTOR)  # the native implementation is a class of its own


def _first_fault(data: object, type_: Descriptor, path: str) -> tuple[str, str] | None:
    """Return path and reason of the first value that does not fit the message; None where all fit one by one."""
    if not isinstance(data, dict):
        return path, f"wants an object; found {_shown(data)}"
    known = {field.json_name: field for field in type_.fields} | {field.name: field for field in type_.fields}
    for key, value in data.items():
        place = f"{path}.{key}"
        field = known.get(key)
        if field is None:
            return place, f"unknown field; known here: {', '.join(field.json_name for field in type_.fields)}"
        if value is None:
            continue
        if field.is_repeated and not isinstance(value, list):
            return place, f"wants a list; found {_shown(value)}"
        for index, item in enumerate(value if field.is_repeated else [value]):
            fault = _value_fault(item, field, f"{place}[{index}]" if field.is_repeated else place)
            if fault:
                return fault
    for group in type_.oneofs:
        chosen = [key for key in data if known[key].containing_oneof == group and data[key] is not None]
        if len(chosen) > 1:
            return path, f"only one of {' and '.join(chosen)} can be given"
    return None


def _value_fault(value: object, field: FieldDescriptor, path: str) -> tuple[str, str] | None:
    if field.message_type is not None:
        return _first_fault(value, field.message_type, path)
    assert field.containing_type is not None
    try:
        ParseDict({field.name: [value] if field.is_repeated else value}, GetMessageClass(field.containing_type)())
    except ParseError:
        return path, f"wants {_wanted(field)}; found {_shown(value)}"
    return None


def _wanted(field: FieldDescriptor) -> str:
    if field.enum_type is not None:
        return f"one of {', '.join(value.name for value in field.enum_type.values)}"
    return {
        FieldDescriptor.CPPTYPE_UINT32: f"an integer from 0 to {UINT32}",
        FieldDescriptor.CPPTYPE_INT32: f"an integer from {-(UINT32 // 2) - 1} to {UINT32 // 2}",
        FieldDescriptor.CPPTYPE_BOOL: "true or false",
        FieldDescriptor.CPPTYPE_STRING: "a text",
    }.get(field.cpp_type, "a number")


def _in_order(data: Any, type_: Descriptor | None) -> Any:
    """Return JSON data with the fields of every message in the order of its definition."""
    if isinstance(data, list):
        return [_in_order(item, type_) for item in data]
    if type_ is None or not isinstance(data, dict):
        return data
    if type_.GetOptions().map_entry:
        return {key: _in_order(data[key], type_.fields_by_name["value"].message_type) for key in sorted(data)}
    return {
        field.json_name: _in_order(data[field.json_name], field.message_type)
        for field in type_.fields
        if field.json_name in data
    }
