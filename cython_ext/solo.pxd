"""A puzzle for one player: the most points from a position to the end of a round."""
from libc.stdint cimport uint32_t

from cython_ext.game cimport OVER, Game, State, StateHeader


cdef class Puzzle:
    cdef readonly State root
    cdef Game game
    cdef readonly int last  # the last round that counts

    cdef bint over(self, const void* state) noexcept nogil
