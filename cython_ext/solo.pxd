"""A puzzle for one player: the most points from a position to the end of a round."""
from libc.stdint cimport uint32_t, uint64_t

from cython_ext.game cimport OVER, Components, ConstStatePtr, Game, Limits, SoloTable, State, StateHeader

cdef enum:
    LINE_MAX = 1024  # most moves of a line


cdef struct Task:
    const SoloTable* solo
    Components native
    uint32_t last  # the last round that counts
    size_t size  # bytes of a state
    ConstStatePtr root


cdef class Puzzle:
    cdef readonly State root
    cdef Game game
    cdef Task task


cdef inline bint over(const Task* t, ConstStatePtr state) noexcept nogil:
    """Whether a position lies behind the last move that counts."""
    return (<const StateHeader*>state).to_move == OVER or t.solo.round(t.native, state) > t.last


# Hash of the bytes of a state: positions that are alike for a search may still differ in what can follow.
cdef uint64_t fingerprint(const Task* task, ConstStatePtr state) noexcept nogil

# The moves of the line whose positions have these fingerprints, the root's left out. effort: with which they were met.
cdef list line_of(Puzzle puzzle, const uint64_t* prints, uint32_t n, uint32_t effort)
