"""Placements by bit-sliced counting, groups by flood fill."""
from libc.string cimport memset

from engines.cafe.structs cimport (
    COLORS,
    ORIGIN,
    PLACE,
    SQUARES,
    Card,
    amount,
    bit,
    card_at,
    column_at,
    lowest,
    ones,
    pile_color,
    pile_count,
    row_at,
)


cdef void bounds(const Table* t, const Area* a, int* top, int* left) noexcept nogil:
    """The first row and column of the visible squares."""
    cdef uint64_t rest = a.visible
    cdef int cell, row, column
    top[0] = left[0] = 127
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        row = row_at(t, a, cell)
        column = column_at(t, a, cell)
        if row < top[0]:
            top[0] = row
        if column < left[0]:
            left[0] = column


cdef void lay_out(const Table* t, const Area* a, Grid* g) noexcept nogil:
    cdef uint64_t rest = a.visible
    cdef int cell
    cdef uint16_t square
    bounds(t, a, &g.top, &g.left)
    g.top -= MARGIN
    g.left -= MARGIN
    memset(g.cell, 0, sizeof(g.cell))
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        square = (row_at(t, a, cell) - g.top) * STRIDE + column_at(t, a, cell) - g.left
        g.at[cell] = square
        g.cell[square] = cell + 1


cdef inline uint32_t cover_two_to_four(const uint32_t* lines, int height, int width) noexcept nogil:
    """Bit c: the height x width rectangle whose top left square is bit c of lines[0] holds 2 to 4 set bits.

    The six squares of all rectangles of a line are added at once, in three bit planes.
    """
    cdef uint32_t one = 0, two = 0, four = 0, squares, carry
    cdef int line, column
    for line in range(height):
        for column in range(width):
            squares = lines[line] >> column
            carry = one & squares
            one ^= squares
            four |= two & carry
            two ^= carry
    return (two & ~four) | (four & ~two & ~one)


cdef uint32_t placements(const Table* t, const Area* a, int card, uint32_t* out) noexcept nogil:
    cdef uint32_t[LINES] lines  # bit c: a visible square
    cdef uint64_t rest = a.visible
    cdef uint32_t fits, turned, half, n = 0
    cdef int cell, top, left, upright, line, row, column, height, width
    memset(lines, 0, sizeof(lines))
    bounds(t, a, &top, &left)
    top -= MARGIN
    left -= MARGIN
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        lines[row_at(t, a, cell) - top] |= <uint32_t>1 << (column_at(t, a, cell) - left)
    for upright in range(2):
        height = 3 if upright else 2
        width = 5 - height
        for line in range(LINES - 2):
            fits = cover_two_to_four(&lines[line], height, width)
            row = line + top + ORIGIN
            while fits:
                column = lowest(fits) + left + ORIGIN
                fits &= fits - 1
                out[n] = PLACE | upright << 12 | row << 6 | column
                n += 1
    if t.card[card].symmetric:
        return n
    half = n
    for turned in range(half):  # rotations 2 and 3 cover the same squares as 0 and 1
        out[n] = out[turned] + (2 << 12)
        n += 1
    return n


cdef void flood(Area* a, const Grid* g, uint64_t cells) noexcept nogil:
    """Set the group of every cell of one letter."""
    cdef uint64_t rest = cells, front
    cdef int first, cell, neighbour, direction
    cdef int[4] step
    step[0] = 1
    step[1] = -1
    step[2] = STRIDE
    step[3] = -STRIDE
    while rest:
        first = lowest(rest)
        front = bit(first)
        rest ^= front
        while front:
            cell = lowest(front)
            front &= front - 1
            a.group[cell] = first
            for direction in range(4):
                neighbour = g.cell[g.at[cell] + step[direction]]
                if neighbour and rest & bit(neighbour - 1):
                    rest ^= bit(neighbour - 1)
                    front |= bit(neighbour - 1)


cdef inline void give_back(Area* a, int cell, uint8_t* supply) noexcept nogil:
    supply[pile_color(a.cubes[cell])] += pile_count(a.cubes[cell])
    a.cubes[cell] = 0


cdef void cover(const Table* t, Area* a, int cell, uint8_t* supply) noexcept nogil:
    """Take a square out of the game."""
    cdef const Card* card = card_at(t, a, cell)
    cdef int square = cell % SQUARES, first, color
    cdef uint64_t gone = bit(cell), shops = a.shops & (<uint64_t>card.shops << (cell - square))
    a.visible &= ~gone
    a.cups -= card.cups >> square & 1
    a.ships -= card.ships >> square & 1
    if (a.plants | a.dryers | a.roasters | a.waiters) & gone:
        give_back(a, cell, supply)
        a.plants &= ~gone
        a.dryers &= ~gone
        a.roasters &= ~gone
        a.waiters &= ~gone
        a.group[cell] = 0
        return
    while shops:
        first = lowest(shops)
        shops &= shops - 1
        if card.shop[first % SQUARES].squares >> square & 1:
            for color in range(COLORS):
                supply[color] += amount(a.cubes[first], color)
            a.cubes[first] = 0
            a.shops &= ~bit(first)


cdef void place(const Table* t, Area* a, int card, int rotation, int row, int column, uint8_t* supply) noexcept nogil:
    cdef const Card* new = &t.card[card]
    cdef int shift = a.cards * SQUARES, place = a.cards, height = 3 if rotation & 1 else 2, cell, line, left
    cdef uint64_t rest = a.visible
    cdef Grid grid
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        line = row_at(t, a, cell) - row
        left = column_at(t, a, cell) - column
        if 0 <= line < height and 0 <= left < 5 - height:
            cover(t, a, cell, supply)
    a.card[place] = card
    a.row[place] = row
    a.column[place] = column
    a.rotation[place] = rotation
    a.cards += 1
    a.visible |= <uint64_t>0x3F << shift
    a.plants |= <uint64_t>new.plants << shift
    a.dryers |= <uint64_t>new.dryers << shift
    a.roasters |= <uint64_t>new.roasters << shift
    a.shops |= <uint64_t>new.shops << shift
    a.waiters |= <uint64_t>new.waiters << shift
    a.cups += ones(new.cups)
    a.ships += ones(new.ships)
    lay_out(t, a, &grid)
    flood(a, &grid, a.plants)
    flood(a, &grid, a.dryers)
    flood(a, &grid, a.roasters)
