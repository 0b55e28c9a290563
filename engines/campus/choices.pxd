"""Legal moves and possible draws of a position."""
from libc.stdint cimport uint32_t

from cython_ext.rng cimport Rng
from engines.campus.layout cimport Campus, Set

# As the members of GameTable say.
cdef uint32_t list_moves(const Set* set, const Campus* s, uint32_t* out) noexcept nogil
cdef uint32_t list_outcomes(const Set* set, const Campus* s, uint32_t* out, double* probability) noexcept nogil
cdef uint32_t draw(const Set* set, const Campus* s, Rng* rng) noexcept nogil
