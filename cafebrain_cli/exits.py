"""Exit codes of the command line, and the error of a file that cannot be used."""
from __future__ import annotations

import click

REFUSED = 1
USAGE = 2
UNREACHABLE = 3
FAULT = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
CLOSED_PIPE = 141  # 128 + SIGPIPE


class Refused(click.ClickException):
    """A file, or a value in it, that cannot be used."""

    exit_code = REFUSED
