"""A quick opinion on every move: what it gains, in points, by rules of thumb whose weights are in weights.py."""
from libc.stdint cimport uint32_t

from cython_ext.game cimport Components, ConstStatePtr, StatePtr
from cython_ext.rng cimport Rng
from engines.cafe.structs cimport Position, Table

# Estimated gain of each of some legal moves.
cdef void gains(const Table* t, const Position* p, const uint32_t* moves, uint32_t n, float* gain) noexcept nogil

# See GameTable.
cdef void playout_step(Components components, StatePtr state, Rng* rng) noexcept nogil
cdef void priors(
    Components components, ConstStatePtr state, const uint32_t* moves, uint32_t n, float* prior
) noexcept nogil

# The move with the largest gain; the first of several.
cdef uint32_t best_move(Components components, ConstStatePtr state) noexcept nogil
