"""Points that no play of a puzzle can exceed.

Every shop in the area or on a card that may still be taken is satisfied, every nata on them counts, and all cubes of
the game end in the warehouse in the best proportion.
"""
from libc.stdint cimport uint32_t

from cython_ext.game cimport Components, ConstStatePtr
from engines.cafe.scoring cimport Points, count_points
from engines.cafe.structs cimport (
    DECK_MAX,
    NO_CARD,
    ROUNDS,
    SQUARES,
    Position,
    Table,
    cards_per_round,
)


cdef float standing(Components components, ConstStatePtr state) noexcept nogil:
    cdef Points count
    count_points(<const Table*>components, <const Position*>state, &count)
    return count.total


cdef int card_points(const Table* t, int card) noexcept nogil:
    """All points printed on a card."""
    cdef int square, total = 0
    for square in range(SQUARES):
        total += t.card[card].nata[square]
        if t.card[card].shops >> square & 1:
            total += t.card[card].shop[square].points
    return total


cdef float bound(Components components, ConstStatePtr state, uint32_t last) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef const Position* p = <const Position*>state
    cdef int total = 3 * t.cubes, i, most = 0, first = 0, each = cards_per_round(p), rounds
    for i in range(p.area[0].cards):
        total += card_points(t, p.area[0].card[i])
    if p.taken != NO_CARD:
        total += card_points(t, p.taken)
    else:
        for i in range(p.offered):
            most = max(most, card_points(t, p.offer[i]))
        total += most
    rounds = min(<int>last, <int>ROUNDS) - p.round
    while first < DECK_MAX and p.deck[first] == NO_CARD:
        first += 1
    while rounds > 0 and first < DECK_MAX:
        most = 0
        for i in range(first, min(first + each, <int>DECK_MAX)):
            if p.deck[i] != NO_CARD:
                most = max(most, card_points(t, p.deck[i]))
        total += most
        first += each
        rounds -= 1
    return total
