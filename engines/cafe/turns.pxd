"""Café's turns for solving puzzles: see SoloTable."""
from libc.stdint cimport uint32_t, uint64_t

from cython_ext.game cimport Components, ConstStatePtr, StatePtr, Visit

cdef enum:
    LAYERS_A_ROUND = 12
    TURN_MAX = 64  # most moves of a turn

cdef bint alone(Components components, ConstStatePtr state, StatePtr one) noexcept nogil
cdef bint solvable(Components components, ConstStatePtr state) noexcept nogil
cdef uint32_t decisions(Components components, ConstStatePtr state, uint64_t* last) noexcept nogil
cdef uint32_t round_of(Components components, ConstStatePtr state) noexcept nogil
cdef uint32_t layer(Components components, ConstStatePtr state) noexcept nogil
cdef void expand(
    Components components, ConstStatePtr state, uint32_t effort, uint64_t decided, bint first, Visit visit,
    void* context,
) noexcept nogil
cdef uint64_t key(Components components, ConstStatePtr state, bint alike, uint32_t last) noexcept nogil
