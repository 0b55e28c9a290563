"""Café as a puzzle for one player: see SoloTable."""
from libc.stdint cimport uint32_t

from cython_ext.game cimport Components, ConstStatePtr

cdef float standing(Components components, ConstStatePtr state) noexcept nogil
cdef float bound(Components components, ConstStatePtr state, uint32_t last, bint first) noexcept nogil
