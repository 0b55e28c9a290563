"""The value of a puzzle's position: a weighted sum of what it shows, with weights by rounds and actions left.

The weights are fitted to the points that searches reached from many positions (bench/fit_cafe.py).
"""
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from cython_ext.game cimport Components, ConstStatePtr
from engines.cafe.scoring cimport Points, count_points, warehouse_points
from engines.cafe.structs cimport (
    CELLS,
    COLORS,
    DECK_MAX,
    DOUBLE,
    EMPTY,
    FEATURES,
    FREE_SHIPS,
    MAX_ACTIONS,
    NO_CARD,
    ROUNDS,
    SACK,
    STEP_PLACE,
    STEP_TAKE,
    Area,
    Position,
    Table,
    amount,
    bit,
    color_at,
    kind_at,
    lowest,
    ones,
    pile_color,
    pile_count,
    shop_at,
)


cdef struct Groups:
    int count
    int largest
    int second


cdef void measure(const Area* a, uint64_t cells, Groups* g) noexcept nogil:
    """Groups of one letter."""
    cdef uint64_t heads = 0, rest = cells
    cdef int cell, size
    cdef int[CELLS] sizes
    memset(g, 0, sizeof(Groups))
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.group[cell] == cell:
            heads |= bit(cell)
            sizes[cell] = 1
        else:
            sizes[a.group[cell]] += 1
    while heads:
        cell = lowest(heads)
        heads &= heads - 1
        g.count += 1
        size = sizes[cell]
        if size > g.largest:
            g.second = g.largest
            g.largest = size
        elif size > g.second:
            g.second = size


cdef void features(const Table* t, const Position* p, uint32_t last, float* out) noexcept nogil:
    cdef const Area* a = &p.area[0]
    cdef uint64_t rest
    cdef int cell, color, i, missing, stage, worst, points, held, asked, c
    cdef int[COLORS] need
    cdef int[COLORS] grown
    cdef int[COLORS] dried
    cdef int[COLORS] roasted
    cdef int[COLORS] plants
    cdef int[COLORS] coming
    cdef int[COLORS] store
    cdef int cups = min(<int>a.cups, <int>MAX_ACTIONS), n, left, take, sacks = 0, doubles = 0
    cdef int open_points = 0, open_shops = 0, satisfied = 0, empties = 0, needed = 0, free_plants = 0, first
    cdef float filled = 0
    cdef int[5] closeness
    cdef int[5] matched
    cdef int[3] spare
    cdef Groups pg, dg, rg
    cdef Points count
    for i in range(COLORS):
        need[i] = grown[i] = dried[i] = roasted[i] = plants[i] = coming[i] = 0
        store[i] = a.warehouse[i]
    rest = a.plants
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        i = kind_at(t, a, cell)
        if i == SACK:
            sacks += 1
        else:
            plants[color_at(t, a, cell)] += 2 if i == DOUBLE else 1
        if a.cubes[cell]:
            grown[pile_color(a.cubes[cell])] += pile_count(a.cubes[cell])
        else:
            free_plants += 1
    rest = a.dryers
    n = 0
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.cubes[cell]:
            dried[pile_color(a.cubes[cell])] += pile_count(a.cubes[cell])
        else:
            n += 1
    out[0] = n  # free drying squares
    rest = a.roasters
    n = 0
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.cubes[cell]:
            roasted[pile_color(a.cubes[cell])] += pile_count(a.cubes[cell])
        else:
            n += 1
    out[1] = n  # free roasters
    for i in range(5):
        closeness[i] = matched[i] = 0
    rest = a.shops
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        points = shop_at(t, a, cell).points
        held = asked = 0
        worst = 4
        for color in range(COLORS):
            c = amount(a.cubes[cell], color)
            missing = amount(shop_at(t, a, cell).need, color) - c
            held += c
            asked += c + missing
            if missing:
                need[color] += missing
                stage = 0
                if roasted[color] >= missing:
                    stage = 4
                elif roasted[color] + dried[color] >= missing:
                    stage = 3
                elif roasted[color] + dried[color] + grown[color] >= missing:
                    stage = 2
                elif plants[color] or sacks:
                    stage = 1
                worst = min(worst, stage)
        if held == asked:
            satisfied += points
        else:
            open_points += points
            open_shops += 1
            filled += <float>points * held / asked
            closeness[worst] += points
            needed += asked - held
    spare[0] = spare[1] = spare[2] = 0
    for color in range(COLORS):
        left = need[color]
        take = min(left, roasted[color])
        matched[4] += take
        spare[2] += roasted[color] - take
        left -= take
        take = min(left, dried[color])
        matched[3] += take
        spare[1] += dried[color] - take
        left -= take
        take = min(left, grown[color])
        matched[2] += take
        spare[0] += grown[color] - take
        left -= take
        take = min(left, plants[color])
        matched[1] += take
        matched[0] += left - take
    rest = a.visible & ~(a.plants | a.dryers | a.roasters | a.waiters)
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if kind_at(t, a, cell) == EMPTY:
            empties += 1
    measure(a, a.plants, &pg)
    measure(a, a.dryers, &dg)
    measure(a, a.roasters, &rg)
    first = 0
    if p.open_deck:
        while first < DECK_MAX and p.deck[first] == NO_CARD:
            first += 1
        for i in range(first, min(first + 6, <int>DECK_MAX)):
            if p.deck[i] == NO_CARD:  # a base game's deck ends before the array does
                break
            cell = t.card[p.deck[i]].shops
            while cell:
                for color in range(COLORS):
                    coming[color] += amount(t.card[p.deck[i]].shop[lowest(cell)].need, color)
                cell &= cell - 1
    for i in range(p.offered):
        cell = t.card[p.offer[i]].shops
        while cell:
            for color in range(COLORS):
                coming[color] += amount(t.card[p.offer[i]].shop[lowest(cell)].need, color)
            cell &= cell - 1
    n = 0
    for color in range(COLORS):
        n += coming[color] * (1 if plants[color] else 0)
    out[2] = satisfied
    out[3] = warehouse_points(store)
    i = store[0] + store[1] + store[2] + store[3]
    out[4] = i
    out[5] = 1 if i else 0
    out[6] = 1 if i > 1 else 0
    out[7] = filled
    out[8] = open_points
    out[9] = open_shops
    out[10] = needed
    for i in range(5):
        out[11 + i] = matched[i]
        out[16 + i] = closeness[i]
    out[21] = spare[0]
    out[22] = spare[1]
    out[23] = spare[2]
    out[24] = cups
    out[25] = cups * cups
    out[26] = min(<int>a.ships, <int>FREE_SHIPS)
    out[27] = 1 if a.ships >= FREE_SHIPS else 0
    out[28] = ones(a.plants)
    out[29] = ones(a.dryers)
    out[30] = ones(a.roasters)
    out[31] = pg.count
    out[32] = dg.count
    out[33] = rg.count
    out[34] = pg.largest
    out[35] = dg.largest
    out[36] = rg.largest
    out[37] = empties
    out[38] = free_plants
    out[39] = (plants[0] > 0) + (plants[1] > 0) + (plants[2] > 0) + (plants[3] > 0)
    out[40] = n
    out[41] = cups * pg.largest
    out[42] = cups * needed
    out[43] = min(dg.largest, 4) * min(rg.largest, 4)
    out[44] = 1 if dg.largest >= 3 else 0
    out[45] = 1 if rg.largest >= 3 else 0
    # Expresso
    out[46] = out[47] = out[48] = out[49] = out[50] = out[51] = 0
    if p.expresso:
        out[46] = sacks
        out[47] = doubles
        n = 0
        rest = a.waiters
        while rest:
            cell = lowest(rest)
            rest &= rest - 1
            n += a.cubes[cell] != 0
        out[48] = n
        out[49] = ones(a.waiters) - n
        count_points(t, p, &count)
        out[50] = count.natas
        out[51] = count.waiters
    out[52] = 1


cdef float value(Components components, ConstStatePtr state, uint32_t last) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef const Position* p = <const Position*>state
    cdef float[FEATURES] x
    cdef const float* w
    cdef int rounds = min(<int>last, <int>ROUNDS) - p.round, actions = p.actions, i
    cdef float total = 0
    if p.step == STEP_TAKE or p.step == STEP_PLACE:
        rounds += 1
        actions = 0
    features(t, p, last, x)
    if not actions:
        w = &t.value[rounds][0][0]
        for i in range(FEATURES):
            total += w[i] * x[i]
        return total
    w = &t.value[rounds][1][0]
    for i in range(FEATURES):
        total += (w[i] + actions * t.value[rounds][2][i]) * x[i]
    return total
