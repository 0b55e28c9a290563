"""The value of a puzzle's position: a weighted sum of what it shows, with weights by rounds and actions left.

The weights are fitted to the points that searches reached from many positions (bench/fit_cafe.py).
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
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
    HIDDEN,
    MAX_ACTIONS,
    NO_CARD,
    ROUNDS,
    SACK,
    STEP_PLACE,
    STEP_TAKE,
    Area,
    Network,
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


cdef enum:
    SHOPS_SEEN = 3  # open shops looked at one by one, those with the most points


cdef struct Groups:
    int count
    int largest
    int room  # most squares without cubes in one group


# What an open shop still lacks: cubes it misses, then those of them not roasted, not dried either, not even grown, and
# of colours that no plantation grows.
cdef struct Lack:
    int points
    int[5] cubes
    uint8_t[COLORS] missing


cdef void measure(const Area* a, uint64_t cells, Groups* g) noexcept nogil:
    """Groups of one letter."""
    cdef uint64_t heads = 0, rest = cells
    cdef int cell, size
    cdef int[CELLS] sizes
    cdef int[CELLS] rooms
    memset(g, 0, sizeof(Groups))
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.group[cell] == cell:
            heads |= bit(cell)
            sizes[cell] = 1
            rooms[cell] = not a.cubes[cell]
        else:
            sizes[a.group[cell]] += 1
            rooms[a.group[cell]] += not a.cubes[cell]
    while heads:
        cell = lowest(heads)
        heads &= heads - 1
        g.count += 1
        g.largest = max(g.largest, sizes[cell])
        g.room = max(g.room, rooms[cell])


cdef void most_colors(const Table* t, const Area* a, const int* need, float* out) noexcept nogil:
    """The most colours that one group of plantations grows, and the most of them that open shops ask for."""
    cdef uint64_t rest = a.plants, heads = 0
    cdef int cell, head, kind, color, wanted = 0
    cdef uint8_t[CELLS] colors
    for color in range(COLORS):
        if need[color]:
            wanted |= 1 << color
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        head = a.group[cell]
        if not heads & bit(head):
            heads |= bit(head)
            colors[head] = 0
        kind = kind_at(t, a, cell)
        colors[head] |= 15 if kind == SACK else 1 << color_at(t, a, cell)
    out[0] = out[1] = 0
    while heads:
        head = lowest(heads)
        heads &= heads - 1
        out[0] = max(out[0], <float>ones(colors[head]))
        out[1] = max(out[1], <float>ones(colors[head] & wanted))


cdef void reached(Lack* shops, int n, const int* roasted, const int* dried, const int* grown, float* out) noexcept nogil:
    """Points of the shops that cubes roasted, dried too, grown too would fill, those with the most points first."""
    cdef int[COLORS] cubes
    cdef int stage, i, color
    cdef bint fits
    memset(cubes, 0, sizeof(cubes))
    for stage in range(3):
        for color in range(COLORS):
            cubes[color] = roasted[color]
            if stage:
                cubes[color] += dried[color]
            if stage == 2:
                cubes[color] += grown[color]
        out[stage] = 0
        for i in range(n):
            fits = True
            for color in range(COLORS):
                if shops[i].missing[color] > cubes[color]:
                    fits = False
            if fits:
                out[stage] += shops[i].points
                for color in range(COLORS):
                    cubes[color] -= shops[i].missing[color]


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
    cdef Lack[CELLS] lacks
    cdef Lack lack
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
        memset(&lack, 0, sizeof(Lack))
        lack.points = points
        for color in range(COLORS):
            c = amount(a.cubes[cell], color)
            missing = amount(shop_at(t, a, cell).need, color) - c
            held += c
            asked += c + missing
            lack.missing[color] = missing
            if missing:
                need[color] += missing
                lack.cubes[0] += missing
                lack.cubes[1] += max(0, missing - roasted[color])
                lack.cubes[2] += max(0, missing - roasted[color] - dried[color])
                lack.cubes[3] += max(0, missing - roasted[color] - dried[color] - grown[color])
                lack.cubes[4] += missing if not plants[color] else 0
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
            i = open_shops
            while i and (lacks[i - 1].points < points or (
                    lacks[i - 1].points == points and lacks[i - 1].cubes[2] > lack.cubes[2])):
                lacks[i] = lacks[i - 1]
                i -= 1
            lacks[i] = lack
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
        while p.deck[first] == NO_CARD:
            first += 1
        for i in range(first, min(first + 6, <int>DECK_MAX)):
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
    n = 52
    for i in range(SHOPS_SEEN):
        out[n] = lacks[i].points if i < open_shops else 0
        for stage in range(5):
            out[n + 1 + stage] = lacks[i].cubes[stage] if i < open_shops else 0
        n += 6
    reached(lacks, open_shops, roasted, dried, grown, &out[n])
    most_colors(t, a, need, &out[n + 3])
    out[n + 5] = min(dg.room, 4)
    out[n + 6] = min(rg.room, 4)
    for i in range(6):
        out[n + 7 + i] = 0
    for color in range(COLORS):
        out[n + 7] += plants[color] > 0 and need[color] > 0
        out[n + 8] += grown[color] > 0 and need[color] > 0
        out[n + 9] += dried[color] > 0 and need[color] > 0
        out[n + 10] += roasted[color] > 0 and need[color] > 0
        out[n + 11] += need[color] > 0
        out[n + 12] += dried[color] > 0
    out[n + 13] = rounds_to_come(p, last)
    out[n + 14] = actions_left(p)
    out[n + 15] = out[n + 13] * cups
    out[n + 16] = 1


cdef inline int rounds_to_come(const Position* p, uint32_t last) noexcept nogil:
    return min(<int>last, <int>ROUNDS) - p.round + (1 if p.step == STEP_TAKE or p.step == STEP_PLACE else 0)


cdef inline int actions_left(const Position* p) noexcept nogil:
    return 0 if p.step == STEP_TAKE or p.step == STEP_PLACE else p.actions


cdef float value(Components components, ConstStatePtr state, uint32_t last) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef const Position* p = <const Position*>state
    cdef const Network* net = &t.value
    cdef float[FEATURES] x
    cdef float[HIDDEN] hidden
    cdef const float* w
    cdef const float* head
    cdef int rounds = rounds_to_come(p, last), actions = actions_left(p), i, j
    cdef float total = 0
    features(t, p, last, x)
    for j in range(HIDDEN):
        hidden[j] = 0
    for i in range(FEATURES):
        if x[i]:
            w = &net.hidden[i][0]
            for j in range(HIDDEN):
                hidden[j] += w[j] * x[i]
    head = &net.head[rounds][actions > 0][0]
    for j in range(HIDDEN):
        total += head[j] * max(hidden[j], <float>0)
    w = &net.linear[rounds][0][0]
    if not actions:
        for i in range(FEATURES):
            total += w[i] * x[i]
        return total
    for i in range(FEATURES):
        total += (net.linear[rounds][1][i] + actions * net.linear[rounds][2][i]) * x[i]
    return total
