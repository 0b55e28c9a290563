"""Careers (Appendix IV), objectives (Appendix II) and awards of the rulebook."""
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from cython_ext.game cimport MAX_PLAYERS
from engines.campus.layout cimport (
    ABIGAIL,
    ABOUT_CARDS,
    ABOUT_CUSTOMERS,
    ABOUT_GIFTS,
    ABOUT_GROUPS,
    ABOUT_RESOURCE,
    ABOUT_SPACES,
    CAREER,
    KINDS,
    MANIPULATOR,
    SAMUEL,
    SATISFIER,
    SUPPLIER,
    TYPES,
    C,
    Campus,
    Card,
    E,
    H,
    M,
    Objective,
    Player,
    S,
    Set,
)


cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil


cdef void tally(const Set* set, uint64_t owned, Tally* t) noexcept nogil:
    cdef const Card* card
    cdef int k, shown, full
    memset(t, 0, sizeof(Tally))
    while owned:
        card = &set.card[__builtin_ctzll(owned)]
        owned &= owned - 1
        t.cards += 1
        t.groups[card.size - 2] += 1
        t.gifts += card.gift >= 0
        shown = 0
        for k in range(KINDS):
            t.dishes[k] += card.need[k]
            shown += card.supply[k]
            if card.need[k] == card.dishes:
                t.career[CAREER_SPECIALIST] += 3
        for k in range(card.size):
            t.customers[card.type[k]] += 1
        if card.reverse == MANIPULATOR:
            t.career[CAREER_MANIPULATOR] += 3
        elif card.reverse == SATISFIER:
            t.career[CAREER_ENTERTAINER] += 3
        elif card.reverse == SUPPLIER:
            t.career[CAREER_RESTOCKER] += 4 if shown > 1 else 3
        elif card.reverse == CAREER:
            t.careers |= 1 << card.param
        t.career[CAREER_DELIVERY_MAN] += 2 * card.spaces
        if card.need[H] and card.need[E] + card.need[H] >= 3:
            t.career[CAREER_BARMAN] += 3
        if card.need[S] and card.need[M] + card.need[S] >= 2:
            t.career[CAREER_REFRESHER] += 3
        if card.need[C]:
            t.career[CAREER_CONFECTIONER] += 3
    for shown in range(2):  # men, then women
        full = 255
        for k in range(shown, TYPES, 2):
            full = min(full, t.customers[k])
        t.career[CAREER_MEN + shown] = 6 * full


cdef int careers_total(const Tally* t, bint samuel) noexcept nogil:
    cdef int k, total = 0, lowest = -1
    for k in range(CAREERS):
        if t.careers >> k & 1:
            total += t.career[k]
            if lowest < 0 or t.career[k] < lowest:
                lowest = t.career[k]
    return total + lowest if samuel and lowest > 0 else total


cdef int residual(const Player* player) noexcept nogil:
    cdef int k, worth = 0
    for k in range(KINDS):
        worth += player.tray[k] * (k + 1)
    return worth // 2


cdef int element(const Objective* objective, const Player* player, const Tally* t) noexcept nogil:
    """What the objective counts, negated where the fewest win."""
    cdef int k, n = 0
    if objective.about == ABOUT_RESOURCE:
        return t.dishes[objective.param]
    if objective.about == ABOUT_GROUPS:
        return t.groups[objective.param - 2]
    if objective.about == ABOUT_GIFTS:
        return -t.gifts
    if objective.about == ABOUT_SPACES:
        return -player.spaces
    if objective.about == ABOUT_CARDS:
        return -t.cards
    for k in range(TYPES):
        if objective.types >> k & 1:
            n += t.customers[k]
    return n


cdef void awards(const Set* set, const Campus* s, const Tally* tallies, int objective, int* award) noexcept nogil:
    cdef const Objective* card = &set.objective[objective]
    cdef const uint8_t* prize = set.award[s.header.players]
    cdef int[MAX_PLAYERS] value
    cdef int p, best = -1000, second = -1000, firsts = 0
    cdef bint most = (
        card.about == ABOUT_RESOURCE or card.about == ABOUT_CUSTOMERS or card.about == ABOUT_GROUPS
    )
    for p in range(s.header.players):
        award[p] = 0
        value[p] = element(card, &s.player[p], &tallies[p])
        if most and value[p] == 0:
            value[p] = -1000  # never an award
        elif value[p] > best:
            second = best
            best = value[p]
            firsts = 1
        elif value[p] == best:
            firsts += 1
        elif value[p] > second:
            second = value[p]
    for p in range(s.header.players):
        if value[p] == -1000:
            continue
        if value[p] == best:
            award[p] = prize[0] if firsts == 1 else prize[1]
        elif firsts == 1 and value[p] == second:
            award[p] = prize[2]


cdef void totals(const Set* set, const Campus* s, int* total) noexcept nogil:
    cdef Tally[MAX_PLAYERS] tallies
    cdef int[MAX_PLAYERS] award
    cdef const Player* player
    cdef int p, color, players = s.header.players
    for p in range(players):
        player = &s.player[p]
        tally(set, player.owned, &tallies[p])
        total[p] = player.score + residual(player) + careers_total(&tallies[p], player.waiter == SAMUEL)
    for color in range(3):
        if s.objective[color] < 0:
            continue
        awards(set, s, tallies, s.objective[color], award)
        for p in range(players):
            total[p] += award[p]
    if s.secret >= 0:
        awards(set, s, tallies, s.secret, award)
        for p in range(players):
            if s.player[p].waiter == ABIGAIL:
                total[p] += award[p]
