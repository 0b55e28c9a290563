"""Café del Gatto: questions about a native state, answered inline."""
from libc.stdint cimport int16_t, uint8_t, uint32_t

from engines.gatto.rules cimport ROWS, Gatto, Player, Table


cdef extern from *:
    int __builtin_ctz(unsigned int) noexcept nogil


cdef inline uint32_t bits(uint32_t mask) noexcept nogil:
    """Number of set bits of a mask of drinks, drink tiles or rows (up to eight)."""
    mask -= (mask >> 1) & 0x55
    mask = (mask & 0x33) + ((mask >> 2) & 0x33)
    return (mask + (mask >> 4)) & 0x0F


cdef inline uint32_t lowest_bit(uint32_t mask) noexcept nogil:
    """Index of the lowest set bit of a mask that has one."""
    return <uint32_t>__builtin_ctz(mask)


cdef inline uint32_t nth_bit(uint32_t mask, uint32_t n) noexcept nogil:
    """Index of the set bit with n set bits below it."""
    cdef uint32_t below = bits(mask & 0xF), index = 0
    if below <= n:
        n -= below
        mask >>= 4
        index = 4
    below = (mask & 1) + (mask >> 1 & 1)
    if below <= n:
        n -= below
        mask >>= 2
        index += 2
    return index + ((mask & 1) <= n)


cdef inline int16_t price(const Table* t, const Gatto* s, uint32_t column, uint32_t row) noexcept nogil:
    """Coins for the tile in a column and row: the value opposite, and a surcharge in the two top rows."""
    cdef int16_t opposite = t.value[s.column[1 - column][row]] if row < s.height[1 - column] else 0
    return opposite + (row - 2 if row > 2 else 0)


cdef inline uint32_t affordable_rows(const Table* t, const Gatto* s, uint32_t column, int16_t coins) noexcept nogil:
    """Rows of a column whose tile the coins suffice for, a bit each."""
    cdef uint32_t row, rows = 0
    for row in range(<uint32_t>ROWS):
        rows |= <uint32_t>(price(t, s, column, row) <= coins) << row
    return rows & ((<uint32_t>1 << s.height[column]) - 1)


cdef inline uint32_t servable_tiles(const Table* t, const Gatto* s, const Player* p, uint32_t drink) noexcept nogil:
    """Drink tiles a filled cup can take, a bit each."""
    cdef int16_t reach = p.sum[drink] + p.sugar
    cdef uint32_t tile, tiles = 0
    for tile in range(t.tiles[drink]):
        tiles |= <uint32_t>((t.points[drink][tile] <= reach) & (s.drink_tiles[drink][tile] > 0)) << tile
    return tiles


cdef inline uint32_t fullest_cups(const Table* t, const Player* p) noexcept nogil:
    """Cups with the most tiles in them, a bit each; none where the player has no tiles."""
    cdef uint32_t drink, cups = 0
    cdef uint8_t most = 1
    for drink in range(t.drinks):
        if p.fill[drink] > most:
            most = p.fill[drink]
            cups = 0
        if p.fill[drink] == most:
            cups |= <uint32_t>1 << drink
    return cups


cdef inline int16_t score_of(const Player* p) noexcept nogil:
    return p.points + p.sugar // 2
