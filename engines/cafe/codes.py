"""Numbers of the native structs for Python: steps, open actions and move codes, as laid down in structs.pxd."""
from __future__ import annotations

from typing import NamedTuple

STEP_NAMES = ("draw", "auction", "pay", "take", "place", "act", "grow", "over")
STEP_DRAW, STEP_AUCTION, STEP_PAY, STEP_TAKE, STEP_PLACE, STEP_ACT, STEP_GROW, STEP_OVER = range(len(STEP_NAMES))
OPEN_DRY, OPEN_ROAST, OPEN_EMPTY, OPEN_SERVE = 1, 2, 3, 4
SHIFT = 24
KINDS = (
    "", "draw", "pass", "bid", "pay", "take", "reject", "place", "grow", "fill", "dry", "roast", "empty", "serve",
    "discard", "end",
)  # fmt: skip
ORIGIN = 32
FREE = 4  # in place of a colour: nothing is paid


class Code(NamedTuple):
    """A move code taken apart; which fields count depends on the kind."""

    kind: str  # one of KINDS
    card: int = 0  # draw, take, reject: card number
    number: int = 0  # bid, fill: cubes
    color: int = 0  # pay, take (FREE: nothing paid), fill, dry, roast
    row: int = 0  # place
    column: int = 0
    rotation: int = 0
    cell: int = 0  # grow, fill, dry, roast, empty, serve, discard
    cubes: tuple[int, ...] = ()  # serve: per colour


def unpack(code: int) -> Code:
    """Take a move code apart."""
    kind, what = KINDS[code >> SHIFT], code & 0xFFFFFF
    if kind in ("draw", "reject"):
        return Code(kind, card=what)
    if kind == "bid":
        return Code(kind, number=what)
    if kind == "pay":
        return Code(kind, color=what)
    if kind == "take":
        return Code(kind, card=what >> 3, color=what & 7)
    if kind == "place":
        return Code(kind, row=(what >> 6 & 63) - ORIGIN, column=(what & 63) - ORIGIN, rotation=what >> 12)
    if kind == "fill":
        return Code(kind, cell=what >> 4, number=what >> 2 & 3, color=what & 3)
    if kind in ("dry", "roast"):
        return Code(kind, cell=what >> 2, color=what & 3)
    if kind == "serve":
        return Code(kind, cell=what >> 8, cubes=tuple(what >> 2 * color & 3 for color in range(4)))
    return Code(kind, cell=what)


def pack(code: Code) -> int:
    """Put a move code together, the reverse of `unpack`."""
    kind = code.kind
    if kind in ("draw", "reject"):
        what = code.card
    elif kind == "bid":
        what = code.number
    elif kind == "pay":
        what = code.color
    elif kind == "take":
        what = code.card << 3 | code.color
    elif kind == "place":
        what = code.rotation << 12 | (code.row + ORIGIN) << 6 | code.column + ORIGIN
    elif kind == "fill":
        what = code.cell << 4 | code.number << 2 | code.color
    elif kind in ("dry", "roast"):
        what = code.cell << 2 | code.color
    elif kind == "serve":
        what = code.cell << 8 | sum(count << 2 * color for color, count in enumerate(code.cubes))
    else:
        what = code.cell
    return KINDS.index(kind) << SHIFT | what
