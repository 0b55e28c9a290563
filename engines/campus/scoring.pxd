"""Scoring at the end of the game, as the position stands."""
from libc.stdint cimport uint8_t, uint64_t

from engines.campus.layout cimport KINDS, TYPES, Campus, Player, Set

cdef enum:
    CAREERS = 10
    # Careers, in the order of components.CAREERS.
    CAREER_MANIPULATOR = 0
    CAREER_ENTERTAINER
    CAREER_RESTOCKER
    CAREER_DELIVERY_MAN
    CAREER_BARMAN
    CAREER_REFRESHER
    CAREER_CONFECTIONER
    CAREER_SPECIALIST
    CAREER_MEN
    CAREER_WOMEN


cdef struct Tally:  # what a player's cards show
    uint8_t[KINDS] dishes
    uint8_t[TYPES] customers
    uint8_t[3] groups  # cards of 2, 3, 4 customers
    uint8_t gifts
    uint8_t cards
    int[CAREERS] career  # $ of each career, followed or not
    int careers  # mask of those followed


cdef void tally(const Set* set, uint64_t owned, Tally* t) noexcept nogil

# $ of the careers followed; Samuel's lowest counts double.
cdef int careers_total(const Tally* t, bint samuel) noexcept nogil

# $ of the resources in the tray: half their worth, rounded down.
cdef int residual(const Player* player) noexcept nogil

# Awards of an objective (an index) per player.
cdef void awards(const Set* set, const Campus* s, const Tally* tallies, int objective, int* award) noexcept nogil

# Total $ per player, everything counted as the position stands. An unknown secret objective counts nothing.
cdef void totals(const Set* set, const Campus* s, int* total) noexcept nogil
