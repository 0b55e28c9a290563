"""Café del Gatto: a quick opinion on every move, with the weights of weights.py."""
from libc.stdint cimport int16_t, uint8_t, uint32_t

from engines.gatto.queries cimport bits, price
from engines.gatto.rules cimport (
    BUY,
    CLEAN,
    DRINKS,
    EMPTY_CUP,
    FRESH,
    ROWS,
    SERVE,
    TAKE_COINS,
    Gatto,
    Player,
    Table,
)


cdef enum:
    ENOUGH = 8  # coins from which on more make no difference


cdef inline float top_points(const Table* t, const Gatto* s, uint32_t drink) noexcept nogil:
    """Points of the best drink tile left of a drink."""
    cdef int tile = t.tiles[drink] - 1
    while tile > 0 and not s.drink_tiles[drink][tile]:
        tile -= 1
    return t.points[drink][tile]


cdef inline float outlook(const Table* t, const Player* p, uint32_t drink, float top) noexcept nogil:
    """What a cup promises: its points so far, no more than its best drink tile, and the tiles it lacks."""
    return min(top, p.sum[drink] + t.weight.missing * (t.spaces[drink] - p.fill[drink]))


cdef inline void gains(const Table* t, const Gatto* s, const uint32_t* moves, uint32_t n, float* gain) noexcept nogil:
    """What each of some legal moves is good for."""
    cdef const Player* p = &s.player[s.header.to_move]
    cdef float[DRINKS] top
    cdef float[DRINKS] now
    cdef float coins = min(p.coins, <int16_t>ENOUGH)
    cdef uint32_t tiles = 0  # to be bought yet
    cdef uint32_t filled = bits(p.filled)
    cdef uint32_t i, move, drink, tile, place, kind
    cdef int16_t points, spent
    cdef uint8_t after
    for drink in range(t.drinks):
        if not p.served_for[drink]:
            top[drink] = top_points(t, s, drink)
            now[drink] = outlook(t, p, drink, top[drink])
            tiles += t.spaces[drink] - p.fill[drink]
    for i in range(n):
        move = moves[i]
        if move >= BUY:
            place = (move - BUY) >> 3
            drink = (move - BUY) & 7
            kind = s.column[place // ROWS][place % ROWS]
            after = p.preparations[drink] | t.preparation[kind]
            gain[i] = (
                t.weight.point * (min(top[drink], now[drink] + t.value[kind] - t.weight.missing) - now[drink])
                - t.weight.price * price(t, s, place // ROWS, place % ROWS)
                + t.weight.value * t.value[kind]
                + t.weight.progress * p.fill[drink]
            )
            if p.fill[drink]:
                gain[i] += t.weight.menu * (t.menu[drink][after] - t.menu[drink][p.preparations[drink]])
            if p.fill[drink] + 1 == t.spaces[drink]:
                gain[i] += t.weight.fill
            if t.value[kind] == 1 and s.sugar:
                gain[i] += t.weight.sugar
        elif move >= SERVE:
            drink = (move - SERVE) >> 3
            tile = (move - SERVE) & 7
            points = t.points[drink][tile]
            spent = max(points - p.sum[drink], 0)
            gain[i] = (
                t.weight.serve_point * points - t.weight.serve_sugar * spent
                + t.weight.serve_coin * (t.menu[drink][p.preparations[drink]] + max(p.sum[drink] - points, 0))
            )
            if s.step == FRESH:
                gain[i] += (
                    t.weight.serve + t.weight.serve_filled * filled - t.weight.serve_tile * tiles
                    - t.weight.serve_rich * coins
                )
            else:
                gain[i] += t.weight.serve_more
        elif move >= EMPTY_CUP:
            gain[i] = -t.weight.point * p.sum[move - EMPTY_CUP]
        elif move >= CLEAN:
            gain[i] = t.weight.clean + t.weight.clean_coin * coins
        elif move == TAKE_COINS:
            gain[i] = t.weight.take - t.weight.take_coin * coins
        else:
            gain[i] = 0
