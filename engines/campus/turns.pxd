"""The course of the game: one turn cut into small moves and draws."""
from libc.stdint cimport uint32_t, uint64_t

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

# $ of the running turn if its service ended now.
cdef int check(const Set* set, const Campus* s) noexcept nogil

# Cards the player whose turn it is could serve if they can pay.
cdef uint64_t servable(const Set* set, const Campus* s) noexcept nogil

# Masks of what there is to choose: Abigail's secret objectives, dislikes nobody has, arguments of MOVE_GIFT,
# resources of the waiter's talent for the card just completed, players whose tray may lose a resource.
cdef int secret_choices(const Set* set, const Campus* s) noexcept nogil
cdef int dislikes_left(const Campus* s) noexcept nogil
cdef int gift_choices(const Campus* s) noexcept nogil
cdef int talent_choices(const Set* set, const Campus* s) noexcept nogil
cdef int deplete_choices(const Campus* s, int k) noexcept nogil

# The resource that leaves the game next, or NONE.
cdef int depleted(const Campus* s) noexcept nogil

# Makes a legal move or a possible draw.
cdef void play(const Set* set, Campus* s, uint32_t move) noexcept nogil
