"""What came of solving as one HTML page that needs no other file and no script."""
from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from cafebrain_cli.report import STYLE
from cafebrain_cli.solve_answer import Solved, deck_gap, is_single, sentences
from cafebrain_cli.solve_work import Outcome

MORE_STYLE = """
figure img { max-width: 100%; height: auto } .scroll { overflow-x: auto }
ol { padding-left: 2.2rem } li { margin: .1rem 0 } .big { font-size: 1.25rem }
"""
SHOWN_SETTINGS = ("seconds", "nodes", "threads", "rounds", "seed")


def page(
    outcome: Outcome, found: Solved | None, table: Sequence[Sequence[str]], lines: Sequence[str],
    plots: Mapping[str, bytes], board: str,
) -> str:
    """Return the page.

    table: of the summary, heads first. lines: the summary in words. plots: captions and PNG pictures.
    board: the final board of `found` as SVG.
    """
    position = outcome.positions[outcome.plan.problems[0].number]
    components = position.entry.components
    title = f"{position.engine.name}, solved"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{STYLE}{MORE_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        *(f"<p{' class=big' if index == 0 else ''}>{escape(line)}</p>" for index, line in enumerate(lines)),
    ]
    if components.reconstructed:
        name = escape(components.id)
        parts.append(f"<p>Component set <b>{name}</b> is partly reconstructed: not the values of the printed game.</p>")
    if table:
        parts.append(_table(table))
    for caption, picture in plots.items():
        data = base64.b64encode(picture).decode()
        parts.append(
            f'<figure><img alt="{escape(caption)}" src="data:image/png;base64,{data}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )
    if found is not None:
        if not is_single(outcome):
            parts += ["<h2>The best of them</h2>", *(f"<p>{escape(line)}</p>" for line in sentences(found))]
        parts += _line(found, board)
    if not is_single(outcome):
        parts.append(_decks(outcome))
    parts += [_settings(outcome), "</body></html>"]
    return "\n".join(parts) + "\n"


def _line(found: Solved, board: str) -> list[str]:
    parts = [f"<figure class=scroll>{board}<figcaption>The board in the end</figcaption></figure>"]
    number = 1
    for turn, steps in groupby(found.steps, lambda step: step.turn):
        texts = [step.move.text for step in steps]
        items = "".join(f"<li>{escape(text)}</li>" for text in texts)
        parts.append(f"<h3>{escape(turn)}</h3><ol start={number}>{items}</ol>")
        number += len(texts)
    ids = " ".join(str(step.move.id) for step in found.steps)
    parts.append(f"<details><summary>As moves for cafebrain apply</summary><p>{ids}</p></details>")
    return parts


def _decks(outcome: Outcome) -> str:
    rows = [("deck", "play", "score", "upper bound", "gap", "proven")]
    for kind in outcome.runs:
        for deck in outcome.decks(kind):
            last, gap = deck.last, deck_gap(deck)
            rows.append((
                str(deck.number),
                kind,
                "-" if last.score is None else f"{last.score:g}",
                "-" if last.bound is None else f"{last.bound:g}",
                "-" if gap is None else f"{100 * gap:.1f} %",
                "yes" if last.proven else "",
            ))
    return f"<details><summary>Every deck</summary>{_table(rows)}</details>"


def _settings(outcome: Outcome) -> str:
    rows: list[tuple[str, ...]] = [("play", *SHOWN_SETTINGS)]
    for kind, run in outcome.runs.items():
        rows.append((kind, *(_setting(run.settings.get(key)) for key in SHOWN_SETTINGS)))
    return "<h2>Settings</h2>" + _table(rows)


def _setting(value: Any) -> str:
    return "-" if value is None else str(value)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table, heads first; all columns but the first are numbers."""
    shown = []
    for index, row in enumerate(rows):
        tag = "td" if index else "th"
        cells = (f"<{tag}{' class=n' if place else ''}>{escape(cell)}</{tag}>" for place, cell in enumerate(row))
        shown.append(f"<tr>{''.join(cells)}</tr>")
    return f"<div class=scroll><table>{''.join(shown)}</table></div>"
