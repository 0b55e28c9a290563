"""Moves compared by what the turns that begin with them are worth a round later, all over the same draws.

A plan counts each end of a turn for one first move, and looking ahead gives most draws to the best ends: that finds the
best move, but does not tell how much worse another one is. Here each move has ends of its own, found by planning the
rest of its turn, and all ends have the same draws. Ends that several moves lead to are looked at once.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport ConstStatePtr, Limits
from cython_ext.lookahead cimport Lookahead
from cython_ext.plan cimport Planner

cdef enum:
    LOOKED = 3  # ends of a move at most, those expected to be best
    FEW_ROWS = 8  # draws; fewer ends where there would not be as many
    LEAST_ROWS = 4  # of which a standard error can be told
    MOST_ROWS = 400


# An end that a move may lead to.
cdef struct Aim:
    uint64_t key
    double expected  # points
    ConstStatePtr state


cdef class Candidates:
    cdef Lookahead later
    cdef Planner turn  # whose plan was looked ahead from
    cdef uint32_t room  # ends
    cdef uint32_t ends
    cdef uint8_t* states  # of the ends
    cdef uint64_t* keys
    cdef uint32_t* ranks  # place among the ends of a move, from 0, the best it has
    cdef uint32_t looked  # ends of a move: those with lower ranks are looked at
    cdef float* rows  # points per draw, each in a row of `room`; of an end that is looked at
    cdef uint32_t rows_used
    # Of the move added last: its best ends, the best first.
    cdef uint32_t found
    cdef uint32_t[LOOKED] best

    # Finds the best ends of the turns that begin with a move. False where the limits came before any was found.
    cdef bint add(self, uint32_t move, const Limits* limits) noexcept nogil

    # Looks at ends over the same draws, as often as the limits allow.
    cdef void sample(self, uint64_t seed, const Limits* limits) noexcept nogil

    cdef uint32_t ends_looked(self) noexcept nogil
