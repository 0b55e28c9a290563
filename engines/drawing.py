"""SVG pictures, written as text: just what boards need."""
from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

INK = "#2b2420"
PAPER = "#f6efe4"
FONT = "DejaVu Sans, Verdana, sans-serif"
LINE = 16  # height of a line of text set by `text_board`
CHAR = 7.6  # width of its letters


class Picture:
    """A picture of a fixed size; things drawn later lie above earlier ones."""

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self._parts: list[str] = []
        self.rect(0, 0, width, height, fill=PAPER)

    def rect(
        self, x: float, y: float, width: float, height: float, *, fill: str = "none", stroke: str = "none",
        radius: float = 0, line: float = 1, dashed: bool = False,
    ) -> None:
        """Draw a rectangle with round corners."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self._add(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{fill}"'
            f' stroke="{stroke}" stroke-width="{line:g}"{dash}/>'
        )

    def circle(self, x: float, y: float, radius: float, *, fill: str = "none", stroke: str = "none") -> None:
        """Draw a circle."""
        self._add(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{stroke}"/>')

    def line(self, points: Sequence[tuple[float, float]], *, stroke: str = INK, width: float = 1) -> None:
        """Draw straight lines from point to point."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._add(f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="{width:g}"/>')

    def text(
        self, x: float, y: float, text: str, *, size: float = 13, fill: str = INK, anchor: str = "start",
        bold: bool = False, font: str = FONT,
    ) -> None:
        """Write a line of text; y is its base line, anchor start, middle or end."""
        weight = ' font-weight="bold"' if bold else ""
        self._add(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"'
            f' font-family={quoteattr(font)}{weight} xml:space="preserve">{escape(text)}</text>'
        )

    def svg(self) -> str:
        """Return the picture as a file's text."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" height="{self.height:g}"'
            f' viewBox="0 0 {self.width:g} {self.height:g}">'
        )
        return "\n".join([head, *self._parts, "</svg>"]) + "\n"

    def _add(self, part: str) -> None:
        self._parts.append(part)


def text_board(board: str) -> str:
    """Return a board of text as a picture: what a game has that draws nothing of its own."""
    lines = board.rstrip("\n").split("\n")
    picture = Picture(CHAR * max(map(len, lines)) + 24, LINE * len(lines) + 24)
    for row, line in enumerate(lines):
        picture.text(12, 24 + LINE * row, line, size=12.5, font="DejaVu Sans Mono, monospace")
    return picture.svg()
