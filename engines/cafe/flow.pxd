"""The course of the game as native functions: see GameTable."""
from libc.stdint cimport uint32_t

from cython_ext.game cimport Components, ConstStatePtr, StatePtr
from cython_ext.rng cimport Rng
from engines.cafe.structs cimport Position, Table

cdef uint32_t legal_moves(Components components, ConstStatePtr state, uint32_t* out) noexcept nogil
cdef uint32_t outcomes(Components components, ConstStatePtr state, uint32_t* out, double* probability) noexcept nogil
cdef uint32_t sample(Components components, ConstStatePtr state, Rng* rng) noexcept nogil
cdef void apply(Components components, StatePtr state, uint32_t move) noexcept nogil
cdef void random_step(Components components, StatePtr state, Rng* rng) noexcept nogil
cdef void returns(Components components, ConstStatePtr state, float* win, float* score) noexcept nogil

# Goes to the next draw; with an open deck the cards come by themselves.
cdef void draw_all(const Table* t, Position* p) noexcept nogil
