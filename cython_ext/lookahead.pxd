"""What the ends of a planned turn are worth a round later: the draws after it, and the next turn planned as well.

A plan ends where the forecast likes it best, and so where the forecast is likely to err; a round later it errs less,
and on other things. Ends are compared over the same draws. When a share of the budget is spent the better half of them
stays (sequential halving, Karnin et al. 2013).
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport ConstStatePtr, Game, Limits
from cython_ext.plan cimport ENDS, Planner, Turn

cdef enum:
    WIDTH = 2  # of the beam that plans the next turn
    FINALISTS = 2  # ends that are compared to the last
    SAMPLES = 2  # draws at least before half of the ends are given up


cdef class Lookahead:
    cdef Game game
    cdef Planner planner  # of the next turn
    cdef uint8_t* state
    cdef double[ENDS] worth  # mean points a round later, of an end that is compared
    cdef uint32_t[ENDS] ranked  # the ends that were compared, those worth most first
    cdef uint32_t compared
    cdef float shift  # mean by which they are worth more a round later
    cdef uint64_t seen  # positions looked at
    cdef bint drawn  # whether anything was left to chance
    cdef double began
    cdef const Limits* limits

    # Puts what a turn's ends are worth a round later in the place of its values, as far as the limits allow: for the
    # first moves of the ends that were compared. The values of all others are shifted alike, and held below these.
    # False where the limits were too tight, or no next round follows; then all is as it was.
    cdef bint run(self, Planner turn, uint64_t seed, const Limits* limits) noexcept nogil

    # Starts the count of what is looked at within some limits.
    cdef void begin(self, const Limits* limits) noexcept nogil

    # Points at the end of the next turn after some draws, from the end of a turn; -INFINITY where a limit came first.
    cdef float sample(self, const Turn* turn, ConstStatePtr end, uint64_t seed) noexcept nogil

    # The share of the budget that is spent.
    cdef double used(self) noexcept nogil

    # What an end of the turn, by its key, is expected to be worth after `run`; foretold: its points by the forecast.
    cdef double expected(self, const Turn* turn, uint64_t key, float foretold) noexcept nogil

    cdef uint32_t affordable(self, uint32_t n) noexcept nogil
    cdef void value_moves(self, Turn* turn) noexcept nogil
