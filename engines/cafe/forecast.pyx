"""Expected final points of every player, by a small neural network, and shares of the win from their differences.

The network sees one player at a time; its weights and the spreads of the leads are fitted to games of the search
against itself (bench/fit_forecast.py).
"""
from libc.math cimport exp
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from cython_ext.network cimport predict
from engines.cafe.scoring cimport Points, count_points
from engines.cafe.structs cimport (
    CELLS,
    COLORS,
    DOUBLE,
    FREE_SHIPS,
    INPUTS,
    MAX_ACTIONS,
    OPEN_EMPTY,
    OPEN_SERVE,
    PLAYERS_MAX,
    ROUNDS,
    SACK,
    STEP_ACT,
    STEP_GROW,
    STEP_PLACE,
    Area,
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


# The groups of one letter.
cdef struct Groups:
    int squares
    int count
    int largest
    int second
    int free  # room for cubes on squares without any
    int freest  # the most of it in one group


cdef void measure(const Table* t, const Area* a, uint64_t cells, int* cubes, Groups* g) noexcept nogil:
    """Measure the groups of one letter, and count its cubes by colour."""
    cdef uint64_t rest = cells
    cdef int[CELLS] size
    cdef int[CELLS] free
    cdef int cell, head, kind
    memset(g, 0, sizeof(Groups))
    memset(cubes, 0, COLORS * sizeof(int))
    g.squares = ones(cells)
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        head = a.group[cell]
        if head == cell:  # a group's lowest cell comes first
            size[head] = free[head] = 0
        size[head] += 1
        if a.cubes[cell]:
            cubes[pile_color(a.cubes[cell])] += pile_count(a.cubes[cell])
        else:
            kind = kind_at(t, a, cell)
            free[head] += 2 if kind == DOUBLE else 1
    rest = cells
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.group[cell] != cell:
            continue
        g.count += 1
        g.free += free[cell]
        g.freest = max(g.freest, free[cell])
        if size[cell] > g.largest:
            g.second = g.largest
            g.largest = size[cell]
        elif size[cell] > g.second:
            g.second = size[cell]


cdef void harvests(const Table* t, const Area* a, const int* need, const int* lack, float* x) noexcept nogil:
    """The most cubes one growing brings: of those shops ask for if all squares of a group were empty, and the colours
    of that group; of those that shops still lack on the squares that are."""
    cdef int[CELLS][COLORS] all_of
    cdef int[CELLS][COLORS] free
    cdef uint64_t rest = a.plants, heads = 0
    cdef int cell, head, color, cubes, wanted, lacking, most = 0
    x[0] = x[1] = x[2] = 0
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        head = a.group[cell]
        if head == cell:
            heads |= bit(cell)
            for color in range(COLORS):
                all_of[head][color] = free[head][color] = 0
        if kind_at(t, a, cell) == SACK:
            continue
        color = color_at(t, a, cell)
        cubes = 2 if kind_at(t, a, cell) == DOUBLE else 1
        all_of[head][color] += cubes
        if not a.cubes[cell]:
            free[head][color] += cubes
    while heads:
        head = lowest(heads)
        heads &= heads - 1
        wanted = lacking = 0
        for color in range(COLORS):
            wanted += min(need[color], all_of[head][color])
            lacking += min(lack[color], free[head][color])
        if wanted > most:
            most = wanted
            x[1] = some(all_of[head])
        x[2] = max(x[2], <float>lacking)
    x[0] = most


cdef inline int some(const int* cubes) noexcept nogil:
    """Colours of which there are cubes."""
    return (cubes[0] > 0) + (cubes[1] > 0) + (cubes[2] > 0) + (cubes[3] > 0)


cdef void progress(const Position* p, int player, int* rounds, int* actions) noexcept nogil:
    """Rounds a player has still to begin, and actions left in the round in progress."""
    cdef int order = player - p.master - (0 if p.auction else 1)
    if order < 0:
        order += p.header.players
    rounds[0] = ROUNDS - p.round
    actions[0] = min(<int>p.area[player].cups, <int>MAX_ACTIONS)
    if p.step == STEP_ACT or p.step == STEP_GROW:
        if order < p.turn:
            actions[0] = 0
        elif order == p.turn:
            actions[0] = p.actions
    elif order >= p.turn:
        rounds[0] += 1
        actions[0] = 0


cdef void inputs(const Table* t, const Position* p, int player, const Points* points, float* x) noexcept nogil:
    cdef const Area* a = &p.area[player]
    cdef Groups plants, dryers, roasters
    cdef int[COLORS] grown
    cdef int[COLORS] dried
    cdef int[COLORS] roasted
    cdef int[COLORS] need
    cdef int[COLORS] yields  # cubes of a colour its plantations take
    cdef int[COLORS] store
    cdef int[COLORS] lack  # cubes shops ask for that are not even grown
    cdef int[5] matched  # cubes open shops lack, by where such cubes are: nowhere, to be grown, grown, dried, roasted
    cdef int[5] close  # points of open shops, by where the worst of the cubes they lack are
    cdef int[3] spare  # cubes grown, dried, roasted that no shop asks for
    cdef uint64_t rest
    cdef int rounds, actions, cell, color, kind, i, c, least, worth, held, asked, missing, stage, worst, left, take
    cdef int sacks = 0, doubles = 0, open_points = 0, open_shops = 0, full = 0, wanted = 0
    cdef float filled = 0
    progress(p, player, &rounds, &actions)
    measure(t, a, a.plants, grown, &plants)
    measure(t, a, a.dryers, dried, &dryers)
    measure(t, a, a.roasters, roasted, &roasters)
    memset(need, 0, sizeof(need))
    memset(yields, 0, sizeof(yields))
    memset(matched, 0, sizeof(matched))
    memset(close, 0, sizeof(close))
    memset(spare, 0, sizeof(spare))
    rest = a.plants
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        kind = kind_at(t, a, cell)
        if kind == SACK:
            sacks += 1
        else:
            yields[color_at(t, a, cell)] += 2 if kind == DOUBLE else 1
            doubles += kind == DOUBLE
    rest = a.shops
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        worth = shop_at(t, a, cell).points
        held = asked = 0
        worst = 4
        for color in range(COLORS):
            c = amount(a.cubes[cell], color)
            missing = amount(shop_at(t, a, cell).need, color) - c
            held += c
            asked += c + missing
            if missing:
                need[color] += missing
                if roasted[color] >= missing:
                    stage = 4
                elif roasted[color] + dried[color] >= missing:
                    stage = 3
                elif roasted[color] + dried[color] + grown[color] >= missing:
                    stage = 2
                else:
                    stage = 1 if yields[color] or sacks else 0
                worst = min(worst, stage)
        if held < asked:
            open_points += worth
            open_shops += 1
            filled += <float>worth * held / asked
            close[worst] += worth
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
        lack[color] = left
        take = min(left, yields[color])
        matched[1] += take
        matched[0] += left - take
        wanted += yields[color] if need[color] else 0
        store[color] = a.warehouse[color]
    x[0] = rounds
    x[1] = actions
    x[2] = rounds * a.cups
    x[3] = a.cups
    x[4] = min(<int>a.ships, <int>FREE_SHIPS)
    x[5] = a.ships >= FREE_SHIPS
    x[6] = p.expresso
    x[7] = p.auction
    x[8] = p.header.players
    x[9] = points.shops
    x[10] = points.warehouse
    for i in range(COLORS):  # the warehouse, fewest first
        least = i
        for c in range(i + 1, COLORS):
            if store[c] < store[least]:
                least = c
        store[i], store[least] = store[least], store[i]
        x[11 + i] = store[i]
    x[15] = store[0] + store[1] + store[2] + store[3] > 0
    x[16] = filled
    x[17] = open_points
    x[18] = open_shops
    x[19] = some(need)
    for i in range(5):
        x[20 + i] = matched[i]
        x[25 + i] = close[i]
    for i in range(3):
        x[30 + i] = spare[i]
    put_groups(&plants, x + 33)
    put_groups(&dryers, x + 39)
    put_groups(&roasters, x + 45)
    x[51] = some(grown)
    x[52] = some(dried)
    x[53] = some(roasted)
    x[54] = some(yields)
    x[55] = ones(a.visible)
    x[56] = min(p.supply[0], p.supply[1], p.supply[2], p.supply[3])
    x[57] = wanted
    memset(x + 58, 0, 6 * sizeof(float))
    if p.expresso:
        rest = a.waiters
        while rest:
            full += a.cubes[lowest(rest)] != 0
            rest &= rest - 1
        x[58] = sacks
        x[59] = doubles
        x[60] = ones(a.waiters) - full
        x[61] = full
        x[62] = points.natas
        x[63] = points.waiters
    harvests(t, a, need, lack, x + 64)


cdef inline void put_groups(const Groups* g, float* x) noexcept nogil:
    x[0] = g.squares
    x[1] = g.count
    x[2] = g.largest
    x[3] = g.second
    x[4] = g.free
    x[5] = g.freest


cdef float expected(const Table* t, const Position* p, int player, const Points* points) noexcept nogil:
    """Expected final points of a player; points: as the position stands."""
    cdef float[INPUTS] x
    inputs(t, p, player, points, x)
    return foretold(t, x, points)


cdef inline float foretold(const Table* t, const float* x, const Points* points) noexcept nogil:
    """Expected final points of who is seen as x, with so many points now."""
    if x[0] == 0 and x[1] == 0:  # no round and no action is left
        return points.total
    return max(predict(&t.forecast.points, x), <float>0)  # a set unlike the one it was fitted with may mislead it


cdef bint settled(Components components, ConstStatePtr state) noexcept nogil:
    """Whether no card is in hand and no action half done."""
    cdef const Position* p = <const Position*>state
    if p.step == STEP_PLACE or p.step == STEP_GROW:
        return False
    return p.open != OPEN_EMPTY and p.open != OPEN_SERVE


cdef void doubt(Components components, ConstStatePtr state, float* variance) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef const Position* p = <const Position*>state
    cdef int player, rounds, actions
    for player in range(p.header.players):
        progress(p, player, &rounds, &actions)
        variance[player] = t.forecast.error[rounds][actions > 0] ** 2


cdef void evaluate(Components components, ConstStatePtr state, float* win, float* score) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef const Position* p = <const Position*>state
    cdef int player, n = p.header.players, rounds, actions
    cdef float best = -1e30, total = 0, spread
    cdef Points[PLAYERS_MAX] points
    count_points(t, p, points)
    progress(p, player_last(p), &rounds, &actions)
    spread = t.forecast.spread[rounds]
    for player in range(n):
        score[player] = expected(t, p, player, &points[player])
        best = max(best, score[player])
    for player in range(n):
        win[player] = <float>exp((score[player] - best) / spread)
        total += win[player]
    for player in range(n):
        win[player] /= total


cdef float stake(Components components, ConstStatePtr state) noexcept nogil:
    """Of two players: what one has more leaves the other one's expectation as it is."""
    return (<const Table*>components).forecast.spread[ROUNDS - (<const Position*>state).round]


cdef float value(Components components, ConstStatePtr state, uint32_t last) noexcept nogil:
    """Points of a puzzle that ends with round `last`; what is to come is not looked at."""
    cdef const Table* t = <const Table*>components
    cdef const Position* p = <const Position*>state
    cdef float[INPUTS] x
    cdef Points points
    count_points(t, p, &points)
    inputs(t, p, 0, &points, x)
    x[0] -= ROUNDS - last
    x[2] -= <float>(ROUNDS - last) * p.area[0].cups
    return foretold(t, x, &points)


cdef inline int player_last(const Position* p) noexcept nogil:
    """The player who acts last in this round."""
    return (p.master + p.header.players - (1 if p.auction else 0)) % p.header.players
