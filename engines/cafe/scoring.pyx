"""Shops, natas by best assignment, warehouse, waiters."""
from libc.stdint cimport int8_t, uint8_t, uint64_t
from libc.string cimport memset

from engines.cafe.geometry cimport STRIDE, Grid, lay_out
from engines.cafe.structs cimport (
    CELLS,
    COLORS,
    NATA,
    SQUARES,
    Area,
    bit,
    card_at,
    kind_at,
    lowest,
    pile_color,
    pile_count,
    player_in_turn,
    shop_at,
)


cdef int warehouse_points(const int* cubes) noexcept nogil:
    cdef int color, least = cubes[0], second = 1 << 20
    for color in range(1, COLORS):
        if cubes[color] < least:
            second = least
            least = cubes[color]
        elif cubes[color] < second:
            second = cubes[color]
    return 2 * least + second


cdef bint serve_nata(int nata, const uint64_t* beside, uint64_t* tried, int8_t* shop_nata) noexcept nogil:
    """Find a satisfied shop for a nata, moving others where needed (an augmenting path)."""
    cdef uint64_t rest
    cdef int shop
    while True:
        rest = beside[nata] & ~tried[0]
        if not rest:
            return False
        shop = lowest(rest)
        tried[0] |= bit(shop)
        if shop_nata[shop] < 0 or serve_nata(shop_nata[shop], beside, tried, shop_nata):
            shop_nata[shop] = nata
            return True


cdef int nata_points(const Table* t, const Area* a, uint64_t natas, uint64_t satisfied) noexcept nogil:
    """The best assignment of natas to satisfied shops beside them.

    Only natas have a weight, so taking them from the most points down, each if all taken so far can still be served,
    is best (the sets of natas that can be served form a transversal matroid).
    """
    cdef Grid grid
    cdef uint64_t[CELLS] beside  # by nata: satisfied shops it touches, by their lowest square
    cdef uint8_t[CELLS] shop_of
    cdef int8_t[CELLS] shop_nata
    cdef uint64_t rest, tried
    cdef int cell, square, neighbour, direction, worth, best, points = 0, first
    cdef int[4] step
    step[0] = 1
    step[1] = -1
    step[2] = STRIDE
    step[3] = -STRIDE
    lay_out(t, a, &grid)
    memset(shop_of, 0xFF, sizeof(shop_of))
    memset(shop_nata, 0xFF, sizeof(shop_nata))
    rest = satisfied
    while rest:
        first = lowest(rest)
        rest &= rest - 1
        for square in range(SQUARES):
            if shop_at(t, a, first).squares >> square & 1:
                shop_of[first - first % SQUARES + square] = first
    rest = natas
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        beside[cell] = 0
        for direction in range(4):
            neighbour = grid.cell[grid.at[cell] + step[direction]]
            if neighbour and shop_of[neighbour - 1] != 0xFF:
                beside[cell] |= bit(shop_of[neighbour - 1])
    while natas:
        rest = natas
        best = cell = -1
        while rest:
            first = lowest(rest)
            rest &= rest - 1
            worth = card_at(t, a, first).nata[first % SQUARES]
            if worth > best:
                best = worth
                cell = first
        natas &= ~bit(cell)
        tried = 0
        if serve_nata(cell, beside, &tried, shop_nata):
            points += best
    return points


cdef void area_points(const Table* t, const Area* a, bint expresso, Points* points) noexcept nogil:
    """Everything but waiters."""
    cdef uint64_t rest = a.shops, satisfied = 0, natas = 0
    cdef int cell, color
    cdef int[COLORS] cubes
    memset(points, 0, sizeof(Points))
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.cubes[cell] == shop_at(t, a, cell).need:
            points.shops += shop_at(t, a, cell).points
            satisfied |= bit(cell)
    if expresso and satisfied:
        rest = a.visible
        while rest:
            cell = lowest(rest)
            rest &= rest - 1
            if kind_at(t, a, cell) == NATA:
                natas |= bit(cell)
        if natas:
            points.natas = nata_points(t, a, natas, satisfied)
    for color in range(COLORS):
        cubes[color] = a.warehouse[color]
    points.warehouse = warehouse_points(cubes)
    rest = a.roasters
    while rest:
        points.roasted += pile_count(a.cubes[lowest(rest)])
        rest &= rest - 1
    rest = a.dryers
    while rest:
        points.dried += pile_count(a.cubes[lowest(rest)])
        rest &= rest - 1
    points.total = points.shops + points.natas + points.warehouse


cdef void exchange(const Area* a, int* supply, Points* points) noexcept nogil:
    """Exchange the waiters' cubes: own cubes back first, then the best choice; ties: most red, yellow, green."""
    cdef uint64_t rest = a.waiters
    cdef int cubes = 0, color, cell, red, yellow, green, brown, worth, best = -1
    cdef int[COLORS] store
    cdef int[COLORS] take
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.cubes[cell]:
            supply[pile_color(a.cubes[cell])] += 1
            cubes += 1
    if not cubes:
        return
    memset(take, 0, sizeof(take))
    for red in range(min(cubes, supply[0]), -1, -1):
        for yellow in range(min(cubes - red, supply[1]), -1, -1):
            for green in range(min(cubes - red - yellow, supply[2]), -1, -1):
                brown = cubes - red - yellow - green
                if brown > supply[3]:
                    continue
                store[0] = a.warehouse[0] + red
                store[1] = a.warehouse[1] + yellow
                store[2] = a.warehouse[2] + green
                store[3] = a.warehouse[3] + brown
                worth = warehouse_points(store)
                if worth > best:
                    best = worth
                    take[0], take[1], take[2], take[3] = red, yellow, green, brown
    for color in range(COLORS):
        supply[color] -= take[color]
    points.waiters = best - points.warehouse
    points.total += points.waiters


cdef void count_points(const Table* t, const Position* p, Points* points) noexcept nogil:
    cdef int player, turn, color
    cdef int[COLORS] supply
    for player in range(p.header.players):
        area_points(t, &p.area[player], p.expresso, &points[player])
    if not p.expresso:
        return
    for color in range(COLORS):
        supply[color] = p.supply[color]
    for turn in range(p.header.players):
        player = player_in_turn(p, turn)
        exchange(&p.area[player], supply, &points[player])
