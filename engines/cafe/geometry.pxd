"""Where cards may lie and which squares touch.

A card may lie wherever it covers 2 to 4 visible squares. Every card reaches at most two rows or columns further out,
so an area is at most 18 rows by 19 columns.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from engines.cafe.structs cimport CELLS, Area, Position, Table

cdef enum:
    STRIDE = 32  # grid squares of a line: 19 columns and margins of 3
    LINES = 26
    MARGIN = 3
    PLACEMENTS_MAX = 456  # 38 visible squares, each in 6 places, each place holds at least 2; four rotations


# The visible squares on a grid with an empty margin.
cdef struct Grid:
    int top  # row of the area at line 0
    int left  # column of the area at grid column 0
    uint8_t[LINES * STRIDE] cell  # cell + 1, 0 for none
    uint16_t[CELLS] at  # grid square of each visible cell


# The grid of an area.
cdef void lay_out(const Table* t, const Area* a, Grid* g) noexcept nogil

# All placements of a card as PLACE codes, ascending; returns how many. A card that looks the same after a half turn
# has only two rotations.
cdef uint32_t placements(const Table* t, const Area* a, int card, uint32_t* out) noexcept nogil

# Puts a card on top without looking at its legality. The cubes on covered squares and closed shops are added to
# `supply`. Cached masks, groups and counts are brought up to date.
cdef void place(const Table* t, Area* a, int card, int rotation, int row, int column, uint8_t* supply) noexcept nogil
