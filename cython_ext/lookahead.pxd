"""What the ends of a planned turn are worth a round later: the draws after it, and the next turn planned as well.

A plan ends where the forecast likes it best, and so where the forecast is likely to err; a round later it errs less,
and on other things. Ends are compared over the same draws. When a share of the budget is spent the better half of them
stays (sequential halving, Karnin et al. 2013). The ends of one draw are shared among the threads there are.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport ConstStatePtr, Game, Limits
from cython_ext.plan cimport ENDS, Planner, Turn
from cython_ext.threads cimport Condition, Lock

cdef enum:
    WIDTH = 2  # of the beam that plans the next turn
    FINALISTS = 2  # ends that are compared to the last
    SAMPLES = 2  # draws at least before half of the ends are given up


cdef class Sampler:
    """What a thread needs to look ahead from one end."""
    cdef Game game
    cdef Planner planner  # of the next turn
    cdef uint8_t* state
    cdef bint drawn  # whether anything was left to chance

    # Points at the end of the next turn after some draws, from the end of a turn; -INFINITY where a limit came first.
    cdef float sample(self, const Turn* turn, ConstStatePtr end, uint64_t seed, const Limits* limits) noexcept nogil


# The ends to be looked at over the same draws, by all threads.
cdef struct Row:
    const Turn* turn
    const uint32_t* ends
    uint32_t n
    uint32_t claimed  # of the ends, those that a thread looks at or has looked at
    uint32_t filled  # those that are done with
    uint64_t seed  # of the draws
    float* points


cdef class Lookahead:
    cdef Game game
    cdef Sampler own  # of the thread that leads
    cdef list others
    cdef int threads
    cdef double[ENDS] worth  # mean points a round later, of an end that is compared
    cdef uint32_t[ENDS] ranked  # the ends that were compared, those worth most first
    cdef uint32_t compared
    cdef float shift  # mean by which they are worth more a round later
    cdef double began
    cdef const Limits* limits
    cdef Lock lock  # of all that follows
    cdef Condition changed  # a row has begun or was filled, or no more are to come
    cdef Row row
    cdef bint over  # no more rows are to come
    cdef bint cut  # a limit came before the row was filled
    cdef uint64_t seen  # positions looked at
    cdef bint drawn  # whether anything was left to chance

    # Puts what a turn's ends are worth a round later in the place of its values, as far as the limits allow: for the
    # first moves of the ends that were compared. The values of all others are shifted alike, and held below these.
    # False where the limits were too tight, or no next round follows; then all is as it was.
    cdef bint run(self, Planner turn, uint64_t seed, const Limits* limits) noexcept nogil

    # Starts the count of what is looked at within some limits.
    cdef void begin(self, const Limits* limits) noexcept nogil

    # Looks ahead from one end, on the thread that leads: see Sampler.
    cdef float sample(self, const Turn* turn, ConstStatePtr end, uint64_t seed) noexcept nogil

    # Looks ahead from n ends on all threads; False where a limit came first.
    cdef bint fill(
        self, float* points, const Turn* turn, const uint32_t* ends, uint32_t n, uint64_t seed
    ) noexcept nogil

    # The share of the budget that is spent.
    cdef double used(self) noexcept nogil

    # What an end of the turn, by its key, is expected to be worth after `run`; foretold: its points by the forecast.
    cdef double expected(self, const Turn* turn, uint64_t key, float foretold) noexcept nogil

    cdef double nodes_used(self) noexcept nogil
    cdef double time_used(self) noexcept nogil
    cdef uint32_t affordable(self, uint32_t n) noexcept nogil
    cdef void value_moves(self, Turn* turn) noexcept nogil
    cdef void work(self, Sampler sampler) noexcept nogil
    cdef void help(self, Sampler sampler) noexcept nogil
    cdef void finish(self) noexcept nogil
