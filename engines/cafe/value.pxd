"""About the points that good play of a puzzle reaches: see SoloTable."""
from libc.stdint cimport uint32_t

from cython_ext.game cimport Components, ConstStatePtr
from engines.cafe.structs cimport Position, Table

# What a position shows, as numbers; value_weights.json holds their weights.
cdef void features(const Table* t, const Position* p, uint32_t last, float* out) noexcept nogil

cdef float value(Components components, ConstStatePtr state, uint32_t last) noexcept nogil
