"""The course of the game: one turn cut into small moves and draws."""
from libc.stdint cimport uint32_t, uint64_t

from cython_ext.rng cimport Rng
from engines.campus.layout cimport Campus, Set


cdef inline int count_bits(uint64_t mask) noexcept nogil:
    return __builtin_popcountll(mask)


cdef inline int lowest_bit(uint64_t mask) noexcept nogil:
    """Index of the lowest bit of a mask that is not 0."""
    return __builtin_ctzll(mask)


cdef extern from *:
    int __builtin_popcountll(unsigned long long) noexcept nogil
    int __builtin_ctzll(unsigned long long) noexcept nogil


# The first position of a game, before every draw of the setup.
cdef void set_up(const Set* set, Campus* s, int players, bint advanced, bint dislikes) noexcept nogil

# Fills in what follows from a player's waiter, dislike and owned cards.
cdef void refresh(const Set* set, Campus* s, int p) noexcept nogil

# Resources beyond the player's tray spaces.
cdef int excess(const Set* set, const Campus* s, int p) noexcept nogil

# Resources of a kind that a discard may take: not those on a space reserved by the dislike.
cdef int loose(const Set* set, const Campus* s, int p, int k) noexcept nogil

# Cards the player whose turn it is could serve if they can pay.
cdef uint64_t servable(const Set* set, const Campus* s) noexcept nogil

# Mask of the objectives that may be Abigail's secret one.
cdef int secret_choices(const Set* set, const Campus* s) noexcept nogil

# As the members of GameTable say.
cdef uint32_t list_moves(const Set* set, const Campus* s, uint32_t* out) noexcept nogil
cdef uint32_t list_outcomes(const Set* set, const Campus* s, uint32_t* out, double* probability) noexcept nogil
cdef uint32_t draw(const Set* set, const Campus* s, Rng* rng) noexcept nogil
cdef void play(const Set* set, Campus* s, uint32_t move) noexcept nogil
