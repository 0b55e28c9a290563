"""Exit codes of the command line, and errors that commands raise themselves."""
from __future__ import annotations

import click

REFUSED = 1  # also what click and rich exit with when the reader of the output goes away
USAGE = 2
UNREACHABLE = 3
FAULT = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells report it


class Unreachable(click.ClickException):
    """A cluster that cannot be reached or used."""

    exit_code = UNREACHABLE


class Refused(click.ClickException):
    """A file, or a value in it, that cannot be used."""

    exit_code = REFUSED
