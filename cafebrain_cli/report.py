"""A game's review as one HTML page that needs no other file."""
from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from cafebrain_cli.hint import class_text

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb

PLAYER_COLORS = ("#1f6f8b", "#c2571a", "#3f7d3a", "#8a3f8f", "#8a6d1f")
WIDTH, HEIGHT, LEFT, TOP = 900, 240, 48, 16  # of a chart
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #2b2420;
  background: #fdfaf4 }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
td, th { text-align: left; padding: .15rem .5rem; border-bottom: 1px solid #e5dccd; vertical-align: top }
.n { text-align: right; white-space: nowrap }
.draw { color: #8a8178 }
.best { color: #1d7a36 } .good { color: #4f8f2f } .inaccuracy { color: #b58a00 } .mistake { color: #cc5a12 }
.blunder { color: #c01f1f; font-weight: bold }
figure { margin: 1rem 0 } figure svg { max-width: 100%; height: auto }
"""


def page(game: str, steps: Sequence[pb.StepReview], summary: pb.GameReview, boards: Sequence[str]) -> str:
    """Return the page. boards: one SVG picture per turning point."""
    title = f"Review: {game}, {len(steps)} steps"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
    ]
    if summary.components_reconstructed:
        name = escape(summary.component_set.id)
        parts.append(f"<p>Component set <b>{name}</b> is partly reconstructed: not the values of the printed game.</p>")
    parts += [_summary(summary), "<h2>Win probability</h2>", _chart(steps, summary, by_score=False)]
    parts += ["<h2>Expected score</h2>", _chart(steps, summary, by_score=True)]
    if summary.turning_points:
        parts.append("<h2>Turning points</h2>")
    for point, board in zip(summary.turning_points, boards, strict=True):
        caption = f"Step {point.number}: {point.text}"
        parts.append(f"<figure>{board}<figcaption>{escape(caption)}</figcaption></figure>")
    parts += ["<h2>Moves and draws</h2>", _steps(steps), "</body></html>"]
    return "\n".join(parts) + "\n"


def _row(cells: Sequence[str], tag: str = "td", numbers: Sequence[int] = (), style: str = "") -> str:
    shown = "".join(
        f"<{tag}{' class=n' if index in numbers else ''}>{escape(cell)}</{tag}>" for index, cell in enumerate(cells)
    )
    return f"<tr class={style}>{shown}</tr>" if style else f"<tr>{shown}</tr>"


def _summary(summary: pb.GameReview) -> str:
    heads = ("", "accuracy", "lost", "luck", "luck in points", "best", "good", "inaccuracies", "mistakes", "blunders")
    results = {one.player: f"{one.score:g}" for one in summary.result}
    rows = [_row([*heads, "final score"], "th")]
    for player in summary.players:
        cells = [
            f"player {player.player}",
            f"{player.accuracy:.0f}" if player.HasField("accuracy") else "-",
            f"{100 * player.win_loss:.0f} %",
            f"{100 * player.win_luck:+.0f} ± {100 * player.win_luck_error:.0f} %",
            f"{player.score_luck:+.1f}",
            *map(str, player.classes),
            results.get(player.player, "-"),
        ]
        rows.append(_row(cells, numbers=range(1, len(cells))))
    return f"<table>{''.join(rows)}</table>"


def _steps(steps: Sequence[pb.StepReview]) -> str:
    rows = [_row(("step", "who", "move or draw", "class", "lost", "points lost", "better"), "th")]
    for step in steps:
        kind = class_text(step.move_class)
        better = step.best_text if kind not in ("", "best") and step.best_id != step.id else ""
        cells = (
            str(step.number),
            f"player {step.player}" if step.player else "draw",
            step.text,
            kind,
            f"{100 * step.win_loss:.1f} %" if kind else "",
            f"{step.score_loss:+.1f}" if kind else "",
            better,
        )
        rows.append(_row(cells, numbers=(0, 4, 5), style=kind or ("" if step.player else "draw")))
    return f"<table>{''.join(rows)}</table>"


def _chart(steps: Sequence[pb.StepReview], summary: pb.GameReview, by_score: bool) -> str:
    """Return the curves of one measure, a line per player over the steps, as SVG."""
    def value(estimate: pb.PlayerEstimate) -> float:
        return estimate.expected_score if by_score else 100 * estimate.win_probability

    lines = [
        [(step.number, value(step.before[index])) for step in steps if len(step.before) > index]
        for index in range(len(summary.players))
    ]
    values = [y for line in lines for _, y in line] or [0.0]
    low, high = (min(values), max(values)) if by_score else (0.0, 100.0)
    span = (high - low) or 1.0
    across = (WIDTH - LEFT - 100) / max(1, len(steps) - 1)

    def place(step: int, y: float) -> str:
        return f"{LEFT + (step - 1) * across:.1f},{TOP + (high - y) / span * (HEIGHT - 2 * TOP):.1f}"

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-size="12">']
    for mark in (low, (low + high) / 2, high):
        y = TOP + (high - mark) / span * (HEIGHT - 2 * TOP)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 100}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e5dccd"/>')
        unit = "" if by_score else " %"
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{mark:.0f}{unit}</text>')
    for point in summary.turning_points:
        x = LEFT + (point.number - 1) * across
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - TOP}" stroke="#b9ac98" stroke-dasharray="3 3"/>'
        )
    for index, line in enumerate(lines):
        color = PLAYER_COLORS[index % len(PLAYER_COLORS)]
        path = " ".join(place(step, y) for step, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDTH - 90}" y="{TOP + 14 + 18 * index}" fill="{color}">player {index + 1}</text>')
    return f"<figure>{''.join(parts)}</svg></figure>"
