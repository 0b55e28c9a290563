"""Text for people: tables and paragraphs, coloured on a terminal, never wrapped in a pipe."""
from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

PIPE_WIDTH = 1000  # columns of a pipe: a table is as wide as its contents


def console(stderr: bool = False) -> Console:
    """Return a console on stdout or stderr."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)


def print_text(text: str, style: str = "") -> None:
    """Print a paragraph; a terminal wraps it itself."""
    console().print(Text(text, style), soft_wrap=True)


def print_paragraph(text: str, style: str = "") -> None:
    """Print a paragraph whose lines end between words at the width of the terminal."""
    console().print(Text(text, style))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], styles: Sequence[str] | None = None) -> None:
    """Print a table and an empty line. A column whose title begins with ">" is aligned to the right.

    styles: one per row.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for title in columns:
        right = title.startswith(">")
        table.add_column(Text(title.removeprefix(">")), justify="right" if right else "left", no_wrap=right)
    for index, row in enumerate(rows):
        table.add_row(*(Text(cell) for cell in row), style=styles[index] if styles else None)
    console().print(table, Text())


def print_board(game: str, board: str) -> None:
    """Print a board, coloured as the game's engine wants it; lines are cut at the width of the terminal."""
    from engines.registry import ENGINES

    text = Text(board.rstrip("\n"))
    for pattern, style in ENGINES[game].board_colors if game in ENGINES else ():
        text.highlight_regex(pattern, style)
    console().print(text, no_wrap=True, overflow="crop")


def points(value: float) -> str:
    """Return points as short as they are exact: 3, 2.5."""
    return f"{value:.10g}"


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal."""
    return f"{100 * share:.1f} %"
