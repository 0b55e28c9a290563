"""Café del Gatto: the playout policy."""
from libc.stdint cimport int16_t, uint32_t

from cython_ext.rng cimport Rng, rng_next
from engines.gatto.queries cimport fullest_cups, nth_bit, price, servable_tiles
from engines.gatto.rules cimport (
    BUY,
    CLEANED,
    EMPTY_CUP,
    END_TURN,
    FRESH,
    INTERMEDIATE_EMPTYING,
    ROWS,
    SERVE,
    TAKE_COINS,
    Gatto,
    Player,
    Table,
)

cdef enum:
    VALUE_WEIGHT = 4
    PRICE_WEIGHT = 3
    MATCH_BONUS = 3
    FILL_BONUS = 3
    NOISE = 7
    LEAST = 2  # below this a purchase is worth less than taking coins


cdef inline uint32_t best_serve(const Table* t, const Gatto* s, const Player* p) noexcept nogil:
    """Serve the filled cup with the most valuable drink tile within reach."""
    cdef uint32_t drink, tiles, tile, best = SERVE
    cdef int16_t most = -1
    for drink in range(t.drinks):
        if p.filled >> drink & 1:
            tiles = servable_tiles(t, s, p, drink)
            tile = 0
            while tiles >> (tile + 1):
                tile += 1
            if t.points[drink][tile] > most:
                most = t.points[drink][tile]
                best = SERVE + 8 * drink + tile
    return best


cdef inline uint32_t policy_move(const Table* t, const Gatto* s, Rng* rng) noexcept nogil:
    """Serve what is filled; else buy where value exceeds price, into the cup it suits; else take coins.

    rng: for the noise; NULL for none.
    """
    cdef const Player* p = &s.player[s.header.to_move]
    cdef uint32_t column, row, drink, best = TAKE_COINS
    cdef int worth, base, most = LEAST
    cdef int16_t cost
    cdef unsigned long long noise
    if s.step == INTERMEDIATE_EMPTYING:
        return EMPTY_CUP + nth_bit(fullest_cups(t, p), 0)
    if s.step == CLEANED:
        best = END_TURN
        most = -1000
    elif p.filled:
        return best_serve(t, s, p)
    elif s.step != FRESH:
        return END_TURN
    for column in range(2):
        if not p.open[column]:
            continue
        noise = rng_next(rng) if rng != NULL else 0
        for row in range(s.height[column]):
            cost = price(t, s, column, row)
            if cost > p.coins:
                continue
            base = VALUE_WEIGHT * t.value[s.column[column][row]] - PRICE_WEIGHT * cost
            for drink in range(t.drinks):
                if p.open[column] >> drink & 1:
                    worth = base + <int>(noise & NOISE)
                    noise = (noise >> 3) | (noise << 61)
                    if p.preparations[drink] == 0 or p.preparations[drink] & t.preparation[s.column[column][row]]:
                        worth += MATCH_BONUS
                    if p.fill[drink] + 1 == t.spaces[drink]:
                        worth += FILL_BONUS
                    if worth > most:
                        most = worth
                        best = BUY + 8 * (ROWS * column + row) + drink
    return best
