"""How a game is likely to end: see GameTable.settled, GameTable.evaluate and SoloTable.stake and value."""
from libc.stdint cimport uint32_t

from cython_ext.game cimport Components, ConstStatePtr
from engines.cafe.scoring cimport Points
from engines.cafe.structs cimport Position, Table

# What the network sees of a player, INPUTS numbers, most of them counts. points: as the position stands.
cdef void inputs(const Table* t, const Position* p, int player, const Points* points, float* x) noexcept nogil

cdef bint settled(Components components, ConstStatePtr state) noexcept nogil
cdef void doubt(Components components, ConstStatePtr state, float* variance) noexcept nogil
cdef void evaluate(Components components, ConstStatePtr state, float* win, float* score) noexcept nogil
cdef float stake(Components components, ConstStatePtr state) noexcept nogil
cdef float value(Components components, ConstStatePtr state, uint32_t last) noexcept nogil
