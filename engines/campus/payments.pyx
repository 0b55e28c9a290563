"""Payments by depth-first search over the dishes of a card.

Dishes that can be covered in the same ways (same resource, same tokens in reach) take their covers in ascending order.
What then still leads to the same outcome is found by its key. The search meets payments in ascending order, so the
first of equal ones is the smallest. With the printed counters, every token and a full tray no card has more than 10,987
payments (tests/test_campus_payments.py), which is what MOVES_MAX has room for.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memmove, memset

from engines.campus.layout cimport (
    C,
    COVER_BLUE,
    COVER_CONVERTED,
    COVER_RED,
    COVER_TRAY,
    COVER_WHITE,
    COVER_YELLOW,
    DISHES,
    KINDS,
    M,
    MELISSA,
    MOVES_MAX,
    S,
    SAMUEL,
    TYPES,
    Campus,
    Card,
    Player,
    Set,
    Side,
    Space,
)

cdef enum:
    BITS = 5
    MASK = 31
    ALL = (1 << KINDS) - 1


cdef struct Search:
    Purse left
    uint8_t[KINDS] spent
    uint8_t[KINDS] blue
    uint8_t[POOLS + 1] converted
    uint8_t red
    uint8_t white
    uint8_t yellow
    uint8_t[DISHES] group  # equal for dishes that can be covered in the same ways
    uint8_t[DISHES] cover
    uint32_t limit
    uint32_t n
    uint32_t* out
    uint64_t* keys  # ascending
    int least  # instead of listing payments: what the cheapest met so far costs; 0 to list them all
    uint32_t cheapest


cdef inline int pool_of(int pool, int dish) noexcept nogil:
    """Index into Purse.left of a pool used on a dish."""
    return POOLS if pool == POOLS - 1 and dish == C else pool


cdef void fill_purse(const Set* set, const Campus* s, Purse* purse) noexcept nogil:
    cdef const Player* me = &s.player[s.active]
    cdef const Side* side = &set.side[s.advanced]
    cdef const Space* space
    cdef int i, k, low, high, pools = 0
    memset(purse, 0, sizeof(Purse))
    for k in range(KINDS):
        purse.tray[k] = me.tray[k]
        purse.spent[k] = s.turn.spent[k]
        purse.blue[k] = me.blue[k] - s.turn.blue[k]
    if s.advanced:
        purse.red = me.satisfied & ~s.turn.red
        purse.white = s.turn.white
        purse.yellow = me.waiter == MELISSA and not s.turn.yellow
    low = s.turn.placed[0]
    high = s.turn.placed[1]
    if low > high:
        low, high = high, low
    for i in range(2):
        k = high if i else low
        if k < 0 or not side.space[k].times or i and low == high:
            continue
        space = &side.space[k]
        purse.source[pools] = space.source
        purse.target[pools] = space.target
        purse.left[pools] = space.times * (2 if low == high else 1) - s.turn.converted[pools]
        pools += 1
    if me.waiter == SAMUEL:
        purse.source[POOLS - 1] = ALL
        purse.target[POOLS - 1] = 1 << M | 1 << S | 1 << C
        purse.left[POOLS - 1] = not s.turn.samuel & 1
        purse.left[POOLS] = not s.turn.samuel & 2


cdef inline uint64_t outcome(const Search* x) noexcept nogil:
    """What the payment leaves, as a number."""
    cdef uint64_t key = 0
    cdef int k
    for k in range(KINDS):
        key = key << 6 | x.spent[k] << 3 | x.blue[k]
    for k in range(POOLS + 1):
        key = key << 3 | x.converted[k]
    return (key << 17) | (<uint64_t>x.red << 9) | (<uint64_t>x.white << 1) | x.yellow


cdef inline int cover_cost(int cover, int dish) noexcept nogil:
    if cover == COVER_TRAY:
        return 4 + 4 * dish
    if cover >= COVER_CONVERTED:
        return 5 + 4 * ((cover - COVER_CONVERTED) % KINDS)
    if cover == COVER_WHITE:
        return 8
    return 1 + dish // 2


cdef void found(Search* x, const Card* card, uint32_t code) noexcept nogil:
    cdef uint64_t key
    cdef uint32_t low = 0, high = x.n, middle
    cdef int k
    for k in range(KINDS):
        if x.blue[k] and not x.spent[k] and not x.left.spent[k]:
            return  # an asleep multiplier
    if x.least:
        x.least = cost(card, code)
        x.cheapest = code
        return
    key = outcome(x)
    while low < high:
        middle = (low + high) >> 1
        if x.keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < x.n and x.keys[low] == key:
        return
    memmove(&x.keys[low + 1], &x.keys[low], (x.n - low) * sizeof(uint64_t))
    x.keys[low] = key
    x.out[x.n] = code
    x.n += 1


cdef void extend(Search* x, const Card* card, int i, uint32_t code) noexcept nogil:
    """Covers dish i and those after it in every way."""
    cdef int dish, pool, at, k, least = 0, j, price = 0
    cdef uint8_t bit
    if x.n == x.limit:
        return
    if x.least:
        for j in range(i):
            price += cover_cost(x.cover[j], card.dish[j])
        if price >= x.least:
            return
    if i == card.dishes:
        found(x, card, code)
        return
    dish = card.dish[i]
    for j in range(i):
        if x.group[j] == x.group[i]:
            least = x.cover[j]
    code <<= BITS
    if least == COVER_TRAY and x.left.tray[dish]:
        x.cover[i] = COVER_TRAY
        x.left.tray[dish] -= 1
        x.spent[dish] += 1
        extend(x, card, i + 1, code | COVER_TRAY)
        x.left.tray[dish] += 1
        x.spent[dish] -= 1
    if least <= COVER_BLUE and x.left.blue[dish]:
        x.cover[i] = COVER_BLUE
        x.left.blue[dish] -= 1
        x.blue[dish] += 1
        extend(x, card, i + 1, code | COVER_BLUE)
        x.left.blue[dish] += 1
        x.blue[dish] -= 1
    if i < card.size:
        bit = 1 << card.type[i]
        if least <= COVER_RED and x.left.red & bit:
            x.cover[i] = COVER_RED
            x.left.red ^= bit
            x.red |= bit
            extend(x, card, i + 1, code | COVER_RED)
            x.left.red ^= bit
            x.red ^= bit
        if least <= COVER_WHITE and x.left.white & bit:
            x.cover[i] = COVER_WHITE
            x.left.white ^= bit
            x.white |= bit
            extend(x, card, i + 1, code | COVER_WHITE)
            x.left.white ^= bit
            x.white ^= bit
    if least <= COVER_YELLOW and x.left.yellow:
        x.cover[i] = COVER_YELLOW
        x.left.yellow = 0
        x.yellow = 1
        extend(x, card, i + 1, code | COVER_YELLOW)
        x.left.yellow = 1
        x.yellow = 0
    for pool in range(POOLS):
        at = pool_of(pool, dish)
        if not x.left.left[at] or not x.left.target[pool] >> dish & 1:
            continue
        for k in range(KINDS):
            if k == dish or not x.left.tray[k] or not x.left.source[pool] >> k & 1:
                continue
            if COVER_CONVERTED + pool * KINDS + k < least:
                continue
            x.cover[i] = COVER_CONVERTED + pool * KINDS + k
            x.left.tray[k] -= 1
            x.spent[k] += 1
            x.left.left[at] -= 1
            x.converted[at] += 1
            extend(x, card, i + 1, code | x.cover[i])
            x.left.tray[k] += 1
            x.spent[k] -= 1
            x.left.left[at] += 1
            x.converted[at] -= 1


cdef void prepare(Search* x, const Purse* purse, const Card* card) noexcept nogil:
    cdef int i
    cdef uint8_t tokens = purse.red | purse.white
    memset(x, 0, sizeof(Search))
    x.left = purse[0]
    for i in range(card.dishes):
        x.group[i] = card.dish[i] * (TYPES + 1)
        if i < card.size and tokens >> card.type[i] & 1:
            x.group[i] += 1 + card.type[i]


cdef int missing(const Purse* purse, const Card* card) noexcept nogil:
    """Dishes that need a cover beyond their own resource and its multiplier."""
    cdef int k, gap, missing = 0
    for k in range(KINDS):
        gap = card.need[k] - purse.tray[k]
        if gap > 0:
            if purse.tray[k] or purse.spent[k]:
                gap -= purse.blue[k]
            if gap > 0:
                missing += gap
    return missing


cdef bint payable(const Purse* purse, const Card* card) noexcept nogil:
    cdef Search x
    cdef uint32_t code
    cdef uint64_t key
    cdef int helpers, i, gaps = missing(purse, card)
    cdef uint8_t red = 0, white = 0, bit
    if gaps == 0:
        return True
    # No more than one red and one white token for each type on the card.
    helpers = purse.yellow
    for i in range(card.size):
        bit = 1 << card.type[i]
        if purse.red & bit & ~red:
            red |= bit
            helpers += 1
        if purse.white & bit & ~white:
            white |= bit
            helpers += 1
    for i in range(POOLS + 1):
        helpers += purse.left[i]
    if gaps > helpers:
        return False
    prepare(&x, purse, card)
    x.limit = 1
    x.out = &code
    x.keys = &key
    extend(&x, card, 0, 0)
    return x.n > 0


cdef uint32_t payments(const Purse* purse, const Card* card, uint32_t* out) noexcept nogil:
    cdef Search x
    cdef uint64_t[MOVES_MAX] keys
    prepare(&x, purse, card)
    x.limit = MOVES_MAX
    x.out = out
    x.keys = keys
    extend(&x, card, 0, 0)
    return x.n


cdef bint cover(Search* x, const Card* card, int i, int how) noexcept nogil:
    """Covers dish i; returns whether that is possible."""
    cdef int dish = card.dish[i], pool, at, k
    cdef uint8_t bit = 1 << card.type[i] if i < card.size else 0
    if how == COVER_TRAY and x.left.tray[dish]:
        x.left.tray[dish] -= 1
        x.spent[dish] += 1
    elif how == COVER_BLUE and x.left.blue[dish]:
        x.left.blue[dish] -= 1
        x.blue[dish] += 1
    elif how == COVER_RED and x.left.red & bit:
        x.left.red ^= bit
        x.red |= bit
    elif how == COVER_WHITE and x.left.white & bit:
        x.left.white ^= bit
        x.white |= bit
    elif how == COVER_YELLOW and x.left.yellow:
        x.left.yellow = 0
        x.yellow = 1
    elif COVER_CONVERTED <= how < COVER_CONVERTED + POOLS * KINDS:
        pool = (how - COVER_CONVERTED) // KINDS
        k = (how - COVER_CONVERTED) % KINDS
        at = pool_of(pool, dish)
        if not x.left.left[at] or not x.left.target[pool] >> dish & 1 or not x.left.source[pool] >> k & 1:
            return False
        if k == dish or not x.left.tray[k]:
            return False
        x.left.tray[k] -= 1
        x.spent[k] += 1
        x.left.left[at] -= 1
        x.converted[at] += 1
    else:
        return False
    return True


cdef uint32_t canonical_payment(const Purse* purse, const Card* card, uint32_t payment) noexcept nogil:
    cdef uint32_t[MOVES_MAX] out
    cdef Search given, listed
    cdef uint32_t i, n
    cdef int dish
    prepare(&given, purse, card)
    for dish in range(card.dishes):
        if not cover(&given, card, dish, payment >> BITS * (card.dishes - 1 - dish) & MASK):
            return payment
    n = payments(purse, card, out)
    for i in range(n):
        prepare(&listed, purse, card)
        for dish in range(card.dishes):
            cover(&listed, card, dish, out[i] >> BITS * (card.dishes - 1 - dish) & MASK)
        if outcome(&listed) == outcome(&given):
            return out[i]
    return payment


cdef int cost(const Card* card, uint32_t payment) noexcept nogil:
    cdef int i, total = 0
    for i in range(card.dishes):
        total += cover_cost(payment >> BITS * (card.dishes - 1 - i) & MASK, card.dish[i])
    return total


cdef uint32_t cheap_payment(const Purse* purse, const Card* card) noexcept nogil:
    """Depth first, cutting off what is no cheaper than the best so far; of equally cheap ones the smallest code."""
    cdef Search x
    prepare(&x, purse, card)
    x.limit = 1  # none is listed
    x.least = 1 << 20
    extend(&x, card, 0, 0)
    return x.cheapest


cdef void pay(const Set* set, Campus* s, const Card* card, uint32_t payment) noexcept nogil:
    cdef Player* me = &s.player[s.active]
    cdef int i, cover, dish, pool, k
    for i in range(card.dishes):
        cover = payment >> BITS * (card.dishes - 1 - i) & MASK
        dish = card.dish[i]
        if cover == COVER_TRAY:
            me.tray[dish] -= 1
            s.turn.spent[dish] += 1
        elif cover == COVER_BLUE:
            s.turn.blue[dish] += 1
        elif cover == COVER_RED:
            s.turn.red |= 1 << card.type[i]
        elif cover == COVER_WHITE:
            s.turn.white &= ~(1 << card.type[i])
        elif cover == COVER_YELLOW:
            s.turn.yellow = 1
        else:
            pool = (cover - COVER_CONVERTED) // KINDS
            k = (cover - COVER_CONVERTED) % KINDS
            me.tray[k] -= 1
            s.turn.spent[k] += 1
            if pool < POOLS - 1:
                s.turn.converted[pool] += 1
            else:
                s.turn.samuel |= 2 if dish == C else 1
