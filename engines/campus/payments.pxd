"""Paying for a card: every dish gets one cover."""
from libc.stdint cimport uint8_t, uint32_t

from engines.campus.layout cimport KINDS, Campus, Card, Set

cdef enum:
    POOLS = 3  # conversions: the occupied counters, lower space first, then Samuel's talent


cdef struct Purse:
    uint8_t[KINDS] tray
    uint8_t[KINDS] spent  # from the tray earlier in this phase: wakes multipliers
    uint8_t[KINDS] blue  # tokens left
    uint8_t red  # masks of types
    uint8_t white
    uint8_t yellow
    uint8_t[POOLS] source  # masks of resources that may be served ...
    uint8_t[POOLS] target  # ... on dishes of these
    uint8_t[POOLS + 1] left  # conversions left; Samuel's on shakes, then on cupcakes


# What the player whose turn it is can pay with.
cdef void fill_purse(const Set* set, const Campus* s, Purse* purse) noexcept nogil

# Whether there is any payment for the card.
cdef bint payable(const Purse* purse, const Card* card) noexcept nogil

# Every payment for the card into out, ascending, once for each remaining tray, tokens and conversions; returns how
# many. A payment is five bits a dish, the first dish highest; of equal payments the smallest code counts.
cdef uint32_t payments(const Purse* purse, const Card* card, uint32_t* out) noexcept nogil

# Dishes of the card that need a cover beyond their own resource and its multiplier.
cdef int missing(const Purse* purse, const Card* card) noexcept nogil

# What a payment uses up, in quarters of a dollar; tokens and conversions come back every turn.
cdef int cost(const Card* card, uint32_t payment) noexcept nogil

# The payment the greedy informed player makes: few and cheap resources, tokens first; the card must be payable.
cdef uint32_t cheap_payment(const Purse* purse, const Card* card) noexcept nogil

# Puts the covers on the card: takes them from the tray and notes them in the turn.
cdef void pay(const Set* set, Campus* s, const Card* card, uint32_t payment) noexcept nogil

# The listed payment with the same outcome as any way to cover the card; the payment itself where it is impossible.
cdef uint32_t canonical_payment(const Purse* purse, const Card* card, uint32_t payment) noexcept nogil
