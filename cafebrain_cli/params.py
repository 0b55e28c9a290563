"""Kinds of command-line values, and the options several commands share."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

UINT32 = (1 << 32) - 1
MAX_VISITS = 100_000_000
MAX_NUMBERS = 100_000  # of a list

TLS = "cafebrain.tls"  # key of the context's meta: whether to connect with TLS

Function = TypeVar("Function", bound=Callable[..., Any])


def examples(*lines: str) -> str:
    """Return the end of a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)  # \\b keeps click from joining the lines


def duration_ms(text: str) -> int:
    """Return the milliseconds of a duration such as "200ms", "1.5s" or "2m", from 1 ms to an hour."""
    from solver import durations  # only now, as help does without

    try:
        return durations.duration_ms(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def ray_address(text: str) -> str:
    """Return "local", or HOST:PORT as it was written."""
    return text if text == "local" else address(text)


def numbers(text: str) -> list[int]:
    """Return the numbers of a list such as "1-200" or "3,7,10-20", each once, in the order of the list."""
    found: dict[int, None] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,10})(?:\s*-\s*(\d{1,10}))?\s*", part, re.ASCII)
        if match is None:
            raise click.BadParameter(f"{text[:40]!r} is no list of numbers; wants such as 1-200 or 3,7,10-20")
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last <= UINT32 or last - first >= MAX_NUMBERS:
            raise click.BadParameter(
                f"{part[:40]!r} is no range; wants one that ascends, within 0 to {UINT32}, of {MAX_NUMBERS} at most"
            )
        found |= dict.fromkeys(range(first, last + 1))
    if len(found) > MAX_NUMBERS:
        raise click.BadParameter(f"{text[:40]!r} holds {len(found)} numbers; wants {MAX_NUMBERS} at most")
    return list(found)


def address(text: str) -> str:
    """Return HOST:PORT as it was written, an IPv6 host in brackets."""
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]+):(\d{1,5})", text, re.ASCII)
    if match is None or not 1 <= int(match[2]) <= 65535:
        raise click.BadParameter(f"{text[:80]!r} is no address; wants HOST:PORT, such as localhost:50051")
    return text


def server_option(function: Function) -> Function:
    """Add --server and --tls."""
    function = tls_option(function)
    return click.option("--server", type=address, metavar="HOST:PORT", help="Ask this server instead.")(function)


def tls_option(function: Function) -> Function:
    """Add --tls; `connect` reads it off the context."""
    return click.option(
        "--tls", is_flag=True, expose_value=False, callback=_note_tls, help="Connect to the server with TLS."
    )(function)


def _note_tls(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.meta[TLS] = value or ctx.meta.get(TLS, False)


def components_option(function: Function) -> Function:
    """Add --components."""
    return click.option(
        "--components", "files", multiple=True, metavar="FILE", help="Load a component set of yours; repeatable."
    )(function)


def json_option(function: Function) -> Function:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def language_option(function: Function) -> Function:
    """Add --lang."""
    return click.option(
        "--lang", "language", metavar="LANGUAGE", default="en", show_default=True, help="Language of the texts: en, de."
    )(function)


def budget_options(function: Function) -> Function:
    """Add --visits and --time."""
    function = click.option("--time", "time_ms", type=duration_ms, metavar="TIME", help="Search so long: 200ms, 2s.")(
        function
    )
    return click.option("--visits", type=click.IntRange(1, MAX_VISITS), metavar="N", help="Search so many visits.")(
        function
    )


class LevelType(click.ParamType[int]):
    """A level of play: 1 and up, or "max", which is 0."""

    name = "level"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the level's number."""
        from solver.levels import LEVELS

        if value in (0, "max"):
            return 0
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= len(LEVELS)):
            self.fail(f"{text[:40]!r} is no level; wants 1 to {len(LEVELS)}, or max", param, ctx)
        return int(text)


def seed_option(function: Function) -> Function:
    """Add --seed."""
    return click.option(
        "--seed", type=click.IntRange(0, UINT32), metavar="N", default=0, help="Seed of the search; default 0."
    )(function)


def state_argument(function: Function) -> Function:
    """Add STATE."""
    return click.argument("path", metavar="STATE")(function)


def out_option(function: Function) -> Function:
    """Add --out."""
    return click.option("--out", metavar="FILE", default="-", help="Write the position here instead of to stdout.")(
        function
    )


def chance_options(function: Function) -> Function:
    """Add --seed and --stop-at-chance."""
    function = click.option(
        "--stop-at-chance", is_flag=True, help="Leave draws open, to enter real ones with 'apply'."
    )(function)
    return click.option(
        "--seed", type=click.IntRange(0, UINT32), metavar="N", default=0, help="Seed of everything random; default 0."
    )(function)
