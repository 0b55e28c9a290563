"""Placing the two dice, manipulators included."""
from libc.stdint cimport uint32_t

from engines.campus.layout cimport Campus, Set

# Placements of the next die (or both, stacked) at STEP_PLACE, ascending; returns how many, at most 64.
cdef uint32_t place_moves(const Set* set, const Campus* s, uint32_t* out) noexcept nogil

# Whether there is such a placement.
cdef bint can_place(const Set* set, const Campus* s) noexcept nogil

# Makes a placement; returns whether the dice are done.
cdef bint put_dice(const Set* set, Campus* s, uint32_t move) noexcept nogil
