"""A bound of long games by prices of cubes: see prices.pyx."""
from libc.stdint cimport uint32_t, uint64_t

from cython_ext.game cimport Components, ConstStatePtr, Limits

cdef size_t relaxation_bytes() noexcept nogil
cdef void relax(Components components, ConstStatePtr state, uint32_t last, void* memory) noexcept nogil
cdef float tighten(void* memory, const Limits* limits, uint64_t* seen, bint* done) noexcept nogil
