"""What the ends of a planned turn are worth a round later: the draws after it, and the next turn planned as well.

A plan ends where the forecast likes it best, and so where the forecast is likely to err; a round later it errs less,
and on other things. Ends are compared over the same draws. When a share of the budget is spent the better half of them
stays (sequential halving, Karnin et al. 2013).
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport Game, Limits
from cython_ext.plan cimport ENDS, Planner, Turn

cdef enum:
    WIDTH = 8  # of the beam that plans the next turn
    FINALISTS = 2  # ends that are compared to the last
    SAMPLES = 2  # draws at least before half of the ends are given up
    NOT_COMPARED = -1


cdef class Lookahead:
    cdef Game game
    cdef Planner planner  # of the next turn
    cdef uint8_t* state
    cdef double[ENDS] worth  # mean points a round later, of an end that is compared
    cdef uint32_t[ENDS] counted  # samples in that mean
    cdef double[ENDS] off_mean  # of a sample's difference from the mean of all ends over the same draws
    cdef double[ENDS] off_squares  # squared deviations from that, summed
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

    # Points a round later of the best turn that begins with a move, by the comparison that was `run`, and the best end
    # of such a turn. Of ends that were not compared it is what the forecast says, shifted, and held below the others.
    # -INFINITY where the limits came before the first beam's end.
    cdef double through(self, Planner turn, uint32_t move, const Limits* limits, int* end) noexcept nogil

    # Standard error of the points of an end, but for what all ends have in common. Of NOT_COMPARED, and where one
    # sample was all: by how much the forecast was wrong about those that were compared.
    cdef double error(self, const Turn* turn, int end) noexcept nogil

    cdef float sample(self, const Turn* turn, uint32_t end, uint64_t seed) noexcept nogil
    cdef double used(self) noexcept nogil
    cdef uint32_t affordable(self, uint32_t n) noexcept nogil
    cdef double later(self, const Turn* turn, uint64_t key, float foretold, int* end) noexcept nogil
    cdef void note(self, const float* row, uint32_t n) noexcept nogil
    cdef void value_moves(self, Turn* turn) noexcept nogil
