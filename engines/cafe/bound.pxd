"""Points that no play of a puzzle can exceed: see bound.pyx."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport Components, ConstStatePtr
from engines.cafe.schedule cimport Front, Phase
from engines.cafe.structs cimport COLORS, ROUNDS, Area, Card, Position, Table

cdef enum:
    CHOICES = 4  # cards of a round


# The cards of the rounds to come; one of each may be taken.
cdef struct Plan:
    int rounds
    int[ROUNDS] choices
    uint8_t[ROUNDS][CHOICES] card


# What an area shows in all, groups and places left out.
cdef struct Squares:
    int plants  # cubes that all plantations take
    int[COLORS] color  # of one colour; a sack takes any
    int dryers
    int roasters
    int cups
    int ships
    int shops  # squares of open shops
    int dead  # squares that are covered at no loss


cdef float standing(Components components, ConstStatePtr state) noexcept nogil
cdef float bound(Components components, ConstStatePtr state, uint32_t last, bint first) noexcept nogil

cdef void look_ahead(const Position* p, uint32_t last, Plan* plan) noexcept nogil
cdef void count_squares(const Table* t, const Area* a, Squares* s) noexcept nogil
cdef void add_card(const Card* card, Squares* s) noexcept nogil
cdef void add_best(const Table* t, const Plan* plan, int round, Squares* s) noexcept nogil
cdef void begin(const Area* a, const int* price, Front* f) noexcept nogil
cdef void limit_groups(const Area* a, Phase* phase) noexcept nogil
cdef void most_of(const int* piles, int n, int wanted, int* most) noexcept nogil
cdef int natas_of(const Card* card) noexcept nogil
