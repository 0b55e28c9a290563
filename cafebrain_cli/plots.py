"""Plots and pictures of solved decks as PNG, where the packages for them are installed."""
from __future__ import annotations

import io
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from cafebrain_cli.run_folder import Deck

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MISSING = "no plots and PNG pictures: matplotlib and resvg-py are not installed; pip install 'cafebrain[plots]'"
SCORE, BOUND = "#1f6f8b", "#c2571a"
COLORS = {"open": SCORE, "closed": "#3f7d3a"}
LABELS = {"open": "order known", "closed": "order unknown"}
SHARES = 60  # moments at which the mean over many decks is taken
BIN = 5  # points


def available() -> bool:
    """Return whether the packages for plots and pictures are installed; loads them, which takes a second."""
    try:
        import matplotlib.backends.backend_agg
        import matplotlib.figure  # noqa: F401
        import resvg_py  # noqa: F401
    except ImportError:
        return False
    return True


def png_of(svg: str) -> bytes:
    """Return an SVG picture as PNG."""
    from resvg_py import svg_to_bytes

    return bytes(svg_to_bytes(svg_string=svg))


def distribution_plot(scores: Mapping[str, Sequence[float]]) -> bytes:
    """Return the histogram of scores by kind, with their means, as PNG."""
    from matplotlib.ticker import MaxNLocator

    figure, axes = _figure()
    values = [score for kind in scores.values() for score in kind]
    low, high = BIN * math.floor(min(values) / BIN), BIN * (math.floor(max(values) / BIN) + 1)
    bins = [float(edge) for edge in range(low, high + 1, BIN)]
    for kind, points in scores.items():
        label = f"{LABELS[kind]}: {len(points)} decks, mean {fmean(points):.1f}"
        axes.hist(points, bins=bins, color=COLORS[kind], alpha=0.65, label=label, edgecolor="white")
        axes.axvline(fmean(points), color=COLORS[kind], linestyle="--")
    axes.set_xticks(bins)
    axes.set_xlabel("score in points")
    axes.set_ylabel("decks")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(frameon=False)
    return _png(figure)


def convergence_plot(decks: Sequence[Deck]) -> bytes:
    """Return best score and upper bound over time, of one deck or the mean over many, as PNG."""
    figure, axes = _figure()
    end = max(deck.last.seconds for deck in decks)
    if len(decks) == 1:
        moments = [seconds for seconds, _, _ in decks[0].curve]
    else:
        begin = max(deck.curve[0][0] for deck in decks)
        moments = [begin + (end - begin) * index / SHARES for index in range(SHARES + 1)]
    known = [[deck.curve[max(0, bisect_right(_seconds(deck), at) - 1)] for deck in decks] for at in moments]
    for which, color, label in ((1, SCORE, "best score"), (2, BOUND, "upper bound")):
        line = [(at, [v for point in points if (v := point[which]) is not None])
                for at, points in zip(moments, known, strict=True)]
        shown = [(at, fmean(values)) for at, values in line if len(values) == len(decks)]
        if shown:
            ats, means = zip(*shown, strict=True)
            axes.step(ats, means, where="post", color=color, label=f"{label}: {means[-1]:.4g}", linewidth=2)
    axes.set_xlabel("seconds" if len(decks) == 1 else f"seconds; mean over {len(decks)} decks")
    axes.set_ylabel("points")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    return _png(figure)


def _seconds(deck: Deck) -> list[float]:
    return [seconds for seconds, _, _ in deck.curve]


def _figure() -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.8), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _png(figure: Figure) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()
