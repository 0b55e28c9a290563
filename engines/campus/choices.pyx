"""Legal moves and possible draws of a position."""
from libc.stdint cimport uint32_t, uint64_t

from cython_ext.rng cimport Rng, rng_below
from engines.campus.dice cimport place_moves
from engines.campus.layout cimport (
    ARGUMENT,
    KINDS,
    MOVE_CARD,
    MOVE_DEPLETE,
    MOVE_DICE,
    MOVE_DISCARD,
    MOVE_DISLIKE,
    MOVE_GIFT,
    MOVE_OBJECTIVE,
    MOVE_PAY,
    MOVE_SERVE,
    MOVE_STOP,
    MOVE_TALENT,
    MOVE_WAITER,
    MOVE_WILLIAM,
    NONE,
    OBJECTIVES,
    SHIFT,
    STEP_ARRIVAL,
    STEP_COLORS,
    STEP_DEPLETE,
    STEP_DISLIKES,
    STEP_DRAFT,
    STEP_GIFT,
    STEP_OBJECTIVES,
    STEP_PAY,
    STEP_PLACE,
    STEP_ROLL,
    STEP_SERVE,
    STEP_TABLES,
    STEP_TALENT,
    STEP_WAITERS,
    STEP_WILLIAM,
    WAITERS,
    C,
    Campus,
    E,
    H,
    M,
    S,
    Set,
)
from engines.campus.payments cimport Purse, fill_purse, payable, payments
from engines.campus.turns cimport (
    count_bits,
    deplete_choices,
    depleted,
    dislikes_left,
    excess,
    gift_choices,
    loose,
    lowest_bit,
    secret_choices,
    servable,
    talent_choices,
)


cdef inline uint32_t code(uint32_t kind, uint32_t argument) noexcept nogil:
    return kind << SHIFT | argument


cdef uint32_t list_mask(uint32_t kind, uint64_t mask, uint32_t* out) noexcept nogil:
    cdef uint32_t n = 0
    while mask:
        out[n] = code(kind, lowest_bit(mask))
        mask &= mask - 1
        n += 1
    return n


cdef uint32_t discards(const Set* set, const Campus* s, uint32_t* out) noexcept nogil:
    """Every choice of exactly the excess resources."""
    cdef int left = excess(set, s, s.active)
    cdef int[KINDS] most
    cdef int e, h, m, c, r
    cdef uint32_t n = 0
    for r in range(KINDS):
        most[r] = loose(set, s, s.active, r)
    for e in range(min(most[E], left) + 1):
        for h in range(min(most[H], left - e) + 1):
            for m in range(min(most[M], left - e - h) + 1):
                for r in range(min(most[S], left - e - h - m) + 1):
                    c = left - e - h - m - r
                    if c <= most[C]:
                        out[n] = code(MOVE_DISCARD, e << 16 | h << 12 | m << 8 | r << 4 | c)
                        n += 1
    return n


cdef uint32_t serve_moves(const Set* set, const Campus* s, uint32_t* out) noexcept nogil:
    cdef Purse purse
    cdef uint64_t cards = servable(set, s)
    cdef uint32_t n = 0
    cdef int card
    fill_purse(set, s, &purse)
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        if payable(&purse, &set.card[card]):
            out[n] = code(MOVE_SERVE, card)
            n += 1
    out[n] = code(MOVE_STOP, 0)
    return n + 1


cdef uint32_t list_moves(const Set* set, const Campus* s, uint32_t* out) noexcept nogil:
    cdef Purse purse
    cdef uint32_t i, n
    cdef int step = s.step
    if step == STEP_SERVE:
        return serve_moves(set, s, out)
    if step == STEP_PAY:
        fill_purse(set, s, &purse)
        n = payments(&purse, &set.card[s.turn.paying], out)
        for i in range(n):
            out[i] |= <uint32_t>MOVE_PAY << SHIFT
        return n
    if step == STEP_PLACE:
        return place_moves(set, s, out)
    if step == STEP_GIFT:
        return list_mask(MOVE_GIFT, gift_choices(s), out)
    if step == STEP_TALENT:
        return list_mask(MOVE_TALENT, talent_choices(set, s), out)
    if step == STEP_DEPLETE:
        return list_mask(MOVE_DEPLETE, deplete_choices(s, depleted(s)), out)
    if step == STEP_WILLIAM:
        return list_mask(MOVE_WILLIAM, 3, out)
    if step == STEP_DRAFT:
        return list_mask(MOVE_WAITER, s.waiters, out)
    if step == STEP_COLORS:
        return list_mask(MOVE_DICE, 0b100110111, out)  # 0, 1, 2, 4, 5, 8: ascending pairs
    return discards(set, s, out)


cdef uint64_t draws(const Set* set, const Campus* s, uint32_t* kind) noexcept nogil:
    """Mask of the equally likely arguments at a chance point other than the dice."""
    cdef uint64_t mask = 0
    cdef int i, color = 0
    if s.step == STEP_TABLES or s.step == STEP_ARRIVAL:
        kind[0] = MOVE_CARD
        return s.unseen
    if s.step == STEP_WAITERS:
        kind[0] = MOVE_WAITER
        return ((1 << WAITERS) - 1) ^ s.waiters
    if s.step == STEP_DISLIKES:
        kind[0] = MOVE_DISLIKE
        return dislikes_left(s)
    kind[0] = MOVE_OBJECTIVE
    if s.step != STEP_OBJECTIVES:
        return secret_choices(set, s)
    while s.objective[color] != NONE:
        color += 1
    for i in range(OBJECTIVES):
        if set.objective[i].color == color:
            mask |= 1 << i
    return mask


cdef uint32_t list_outcomes(const Set* set, const Campus* s, uint32_t* out, double* probability) noexcept nogil:
    cdef uint32_t i, n, kind
    cdef uint64_t mask
    if s.step == STEP_ROLL:
        n = list_mask(MOVE_DICE, 0b100110111, out)
        for i in range(n):
            probability[i] = (1.0 if (out[i] & ARGUMENT) % 4 == 0 else 2.0) / 9.0  # 0, 4, 8 are pairs of one colour
        return n
    mask = draws(set, s, &kind)
    n = list_mask(kind, mask, out)
    for i in range(n):
        probability[i] = 1.0 / n
    return n


cdef uint32_t draw(const Set* set, const Campus* s, Rng* rng) noexcept nogil:
    cdef uint32_t low, high, kind, _
    cdef uint64_t mask
    if s.step == STEP_ROLL:
        low = rng_below(rng, 3)
        high = rng_below(rng, 3)
        return code(MOVE_DICE, min(low, high) * 3 + max(low, high))
    mask = draws(set, s, &kind)
    for _ in range(rng_below(rng, count_bits(mask))):
        mask &= mask - 1
    return code(kind, lowest_bit(mask))
