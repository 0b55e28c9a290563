"""Growing, drying, roasting, delivering."""
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from engines.cafe.structs cimport (
    COLORS,
    DISCARD,
    DOUBLE,
    DRY_TO,
    EMPTY_ROASTER,
    END,
    FILL,
    GROW,
    MOVES_MAX,
    OPEN_DRY,
    OPEN_EMPTY,
    OPEN_NONE,
    OPEN_ROAST,
    OPEN_SERVE,
    ROAST_TO,
    ROUNDS,
    SACK,
    SERVE,
    STEP_ACT,
    STEP_GROW,
    TYPE_SHIFT,
    Area,
    amount,
    bit,
    color_at,
    kind_at,
    lowest,
    ones,
    pile,
    pile_color,
    pile_count,
    shop_at,
)

cdef enum:
    EVERY_COLOR = 15


# What the empty squares of one group of plantations could take.
cdef struct Demand:
    int[COLORS] cubes  # on plantations and double beans
    int sacks


cdef inline int room(const Table* t, const Area* a, int cell) noexcept nogil:
    """Cubes an empty plantation, double bean or sack takes."""
    return 2 if kind_at(t, a, cell) == DOUBLE else 1


cdef inline bint any_left(const uint8_t* supply) noexcept nogil:
    return (supply[0] | supply[1] | supply[2] | supply[3]) != 0


cdef inline bint can_take(const Table* t, const Area* a, int cell, const uint8_t* supply) noexcept nogil:
    """Whether there is a cube for an empty plantation."""
    if kind_at(t, a, cell) == SACK:
        return any_left(supply)
    return supply[color_at(t, a, cell)] != 0


cdef void add_demand(const Table* t, const Area* a, int group, int after, Demand* d) noexcept nogil:
    """The demand of a group's empty squares above cell `after`."""
    cdef uint64_t rest = a.plants
    cdef int cell
    memset(d, 0, sizeof(Demand))
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.group[cell] != group or a.cubes[cell] or cell <= after:
            continue
        if kind_at(t, a, cell) == SACK:
            d.sacks += 1
        else:
            d.cubes[color_at(t, a, cell)] += room(t, a, cell)


cdef uint32_t growths(const Table* t, const Position* p, const Area* a, uint32_t* out) noexcept nogil:
    cdef uint64_t rest = a.plants, groups = 0
    cdef uint32_t n = 0
    cdef int cell
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if not a.cubes[cell] and can_take(t, a, cell, p.supply):
            groups |= bit(a.group[cell])
    while groups:
        out[n] = GROW | lowest(groups)
        groups &= groups - 1
        n += 1
    return n


cdef int colors_on(const Area* a, uint64_t cells) noexcept nogil:
    """The colours of the cubes on some plantations or drying squares, one bit each."""
    cdef int cell, colors = 0
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        if a.cubes[cell]:
            colors |= 1 << pile_color(a.cubes[cell])
    return colors


cdef inline bint same_action(const Position* p, const Area* a, int kind, int cell, int color) noexcept nogil:
    """Whether moving a colour to a square continues the open action of this kind."""
    return (p.open == kind and a.group[lowest(p.open_used)] == a.group[cell] and not p.open_used & bit(cell)
            and color > p.open_cell)


cdef uint32_t transfers(const Position* p, const Area* a, bint roast, bint fresh, uint32_t* out) noexcept nogil:
    """Moves of one colour to one square; fresh: also those that do not continue an open action of this kind."""
    cdef uint64_t rest = a.roasters if roast else a.dryers
    cdef int colors = colors_on(a, a.dryers if roast else a.plants), cell, color
    cdef uint32_t n = 0
    if not colors:
        return 0
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        for color in range(COLORS):
            if colors >> color & 1 and (fresh or same_action(p, a, OPEN_ROAST if roast else OPEN_DRY, cell, color)):
                out[n] = (ROAST_TO if roast else DRY_TO) | cell << 2 | color
                n += 1
    return n


cdef uint32_t empties(const Area* a, int after, uint32_t* out) noexcept nogil:
    """Roasters with cubes above cell `after`."""
    cdef uint64_t rest = a.roasters
    cdef uint32_t n = 0
    cdef int cell
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if cell > after and a.cubes[cell]:
            out[n] = EMPTY_ROASTER | cell
            n += 1
    return n


cdef uint32_t servings(const Table* t, const Position* p, const Area* a, int after, uint32_t* out) noexcept nogil:
    """What may go to shops and waiters above cell `after`."""
    cdef uint64_t rest = (a.shops | a.waiters) & (~<uint64_t>0 << (after + 1))
    cdef uint32_t n = 0
    cdef int cell, color, cubes
    cdef int[COLORS] most
    cdef int red, yellow, green, brown
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.waiters & bit(cell):
            if not a.cubes[cell]:
                for color in range(COLORS):
                    if p.hand[color]:
                        out[n] = SERVE | cell << 8 | 1 << (2 * color)
                        n += 1
            continue
        for color in range(COLORS):
            cubes = amount(shop_at(t, a, cell).need, color) - amount(a.cubes[cell], color)
            most[color] = cubes if cubes < p.hand[color] else p.hand[color]
        for brown in range(most[3] + 1):
            for green in range(most[2] + 1):
                for yellow in range(most[1] + 1):
                    for red in range(most[0] + 1):
                        if red + yellow + green + brown:
                            out[n] = SERVE | cell << 8 | brown << 6 | green << 4 | yellow << 2 | red
                            n += 1
    return n


cdef void wants(const Table* t, const Position* p, const Area* a, int actions, int* want) noexcept nogil:
    cdef uint64_t rest = a.plants
    cdef int cell, color, kind, here, player, waiters = 0
    cdef int[COLORS] all_of, now  # what all plantations take, and those that are not full of the colour
    memset(all_of, 0, sizeof(all_of))
    memset(now, 0, sizeof(now))
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        kind = kind_at(t, a, cell)
        for color in range(COLORS):
            if kind == SACK or color == color_at(t, a, cell):
                here = pile_count(a.cubes[cell]) if pile_color(a.cubes[cell]) == color else 0
                all_of[color] += room(t, a, cell)
                now[color] += room(t, a, cell) - here
    if p.round == ROUNDS and a.waiters:
        for player in range(p.header.players):
            waiters += ones(p.area[player].waiters)
    for color in range(COLORS):
        want[color] = actions // 2 * all_of[color] + (now[color] if actions & 1 else 0) + waiters


cdef uint32_t discards(const Table* t, const Position* p, const Area* a, uint32_t* out) noexcept nogil:
    cdef uint64_t rest = a.plants | a.dryers | a.roasters
    cdef uint32_t n = 0
    cdef int cell, color, kind
    cdef int[COLORS] want
    cdef bint useful
    wants(t, p, a, p.actions, want)
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if not a.cubes[cell]:
            continue
        color = pile_color(a.cubes[cell])
        kind = kind_at(t, a, cell)
        useful = p.supply[color] < want[color]
        if kind == SACK:  # to grow another colour
            useful |= p.supply[0] + p.supply[1] + p.supply[2] + p.supply[3] > p.supply[color]
        elif kind == DOUBLE and pile_count(a.cubes[cell]) == 1:  # to grow two
            useful |= p.supply[color] > 0
        if useful:
            out[n] = DISCARD | cell
            n += 1
    return n


cdef uint32_t continuations(const Table* t, const Position* p, uint32_t* out) noexcept nogil:
    cdef const Area* a = &p.area[p.header.to_move]
    cdef uint32_t n
    if p.open == OPEN_DRY or p.open == OPEN_ROAST:
        return transfers(p, a, p.open == OPEN_ROAST, False, out)
    if p.open == OPEN_EMPTY:
        n = empties(a, p.open_cell, out)
        return n + servings(t, p, a, -1, out + n)
    if p.open == OPEN_SERVE:
        return servings(t, p, a, p.open_cell, out)
    return 0


cdef uint32_t action_moves(const Table* t, const Position* p, uint32_t* out) noexcept nogil:
    cdef const Area* a = &p.area[p.header.to_move]
    cdef uint32_t n = 0
    if p.step == STEP_GROW:
        return fills(t, p, out)
    if p.actions:
        n += growths(t, p, a, out)
        n += transfers(p, a, False, True, out + n)
        n += transfers(p, a, True, True, out + n)
        n += empties(a, -1, out + n)
        if p.open == OPEN_EMPTY:
            n += servings(t, p, a, -1, out + n)
        elif p.open == OPEN_SERVE:
            n += servings(t, p, a, p.open_cell, out + n)
        n += discards(t, p, a, out + n)
    else:
        n += continuations(t, p, out)
    out[n] = END
    return n + 1


cdef bint keeps_rule(const Position* p, const Demand* later, int color, int cubes, int exhaust) noexcept nogil:
    """Whether, after taking `cubes` of a colour, the later squares can use up every colour in `exhaust`."""
    cdef int c, left, needed = 0
    for c in range(COLORS):
        if exhaust >> c & 1:
            left = p.supply[c] - (cubes if c == color else 0) - later.cubes[c]
            if left > 0:
                needed += left
    return needed <= later.sacks


cdef uint32_t fills(const Table* t, const Position* p, uint32_t* out) noexcept nogil:
    cdef const Area* a = &p.area[p.header.to_move]
    cdef int cell = p.grow_cell, kind = kind_at(t, a, cell), color = color_at(t, a, cell), cubes, c
    cdef int code = FILL | cell << 4
    cdef Demand later
    cdef uint32_t n = 0
    add_demand(t, a, a.group[cell], cell, &later)
    if keeps_rule(p, &later, 0, 0, EVERY_COLOR if kind == SACK else p.exhaust | 1 << color):
        out[n] = code
        n += 1
    if kind == SACK:
        for c in range(COLORS):
            if p.supply[c] and keeps_rule(p, &later, c, 1, p.exhaust):
                out[n] = code | 1 << 2 | c
                n += 1
        return n
    for cubes in range(1, room(t, a, cell) + 1):
        if cubes <= p.supply[color] and keeps_rule(
            p, &later, color, cubes, p.exhaust if cubes == room(t, a, cell) else p.exhaust | 1 << color
        ):
            out[n] = code | cubes << 2 | color
            n += 1
    return n


cdef void fill(const Table* t, Position* p, Area* a, uint32_t move) noexcept nogil:
    """Put cubes on the square grow_cell, or leave it empty."""
    cdef int cell = p.grow_cell, cubes = move >> 2 & 3, color = move & 3
    a.cubes[cell] = pile(cubes, color)
    p.supply[color] -= cubes
    if kind_at(t, a, cell) == SACK:
        if not cubes:
            p.exhaust = EVERY_COLOR
    elif cubes < room(t, a, cell):
        p.exhaust |= 1 << color_at(t, a, cell)


cdef void grow_on(const Table* t, Position* p, Area* a, int group, int after) noexcept nogil:
    """Fill the group's squares above cell `after` up to one where there is a choice."""
    cdef uint64_t rest = a.plants
    cdef int cell
    cdef uint32_t[COLORS + 1] choice
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if cell <= after or a.group[cell] != group or a.cubes[cell]:
            continue
        p.grow_cell = cell
        if fills(t, p, choice) > 1:
            p.step = STEP_GROW
            return
        fill(t, p, a, choice[0])
    p.step = STEP_ACT
    p.grow_cell = p.exhaust = 0


cdef void grow(const Table* t, Position* p, Area* a, int group) noexcept nogil:
    cdef uint64_t rest = a.plants
    cdef int cell, color
    cdef Demand d
    cdef bint[COLORS] plenty
    add_demand(t, a, group, -1, &d)
    for color in range(COLORS):
        plenty[color] = p.supply[color] >= d.cubes[color] + d.sacks
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.group[cell] != group or a.cubes[cell] or kind_at(t, a, cell) == SACK:
            continue
        color = color_at(t, a, cell)
        if plenty[color]:
            a.cubes[cell] = pile(room(t, a, cell), color)
            p.supply[color] -= room(t, a, cell)
    grow_on(t, p, a, group, -1)


cdef void transfer(Position* p, Area* a, uint64_t sources, int cell, int color) noexcept nogil:
    """Move all cubes of a colour to a square, whose cubes go back to the supply."""
    cdef int from_cell, cubes = 0
    p.supply[pile_color(a.cubes[cell])] += pile_count(a.cubes[cell])
    while sources:
        from_cell = lowest(sources)
        sources &= sources - 1
        if a.cubes[from_cell] and pile_color(a.cubes[from_cell]) == color:
            cubes += pile_count(a.cubes[from_cell])
            a.cubes[from_cell] = 0
    a.cubes[cell] = pile(cubes, color)


cdef void close(Position* p) noexcept nogil:
    p.open = OPEN_NONE
    p.open_cell = 0
    p.open_used = 0
    memset(p.hand, 0, sizeof(p.hand))


cdef inline void begin(Position* p, int kind, bint further) noexcept nogil:
    """Go on with the open action, or close it and spend an action on a new one."""
    if not further:
        close(p)
        p.actions -= 1
    p.open = kind


cdef bint act(const Table* t, Position* p, uint32_t move) noexcept nogil:
    cdef Area* a = &p.area[p.header.to_move]
    cdef uint32_t kind = move >> TYPE_SHIFT << TYPE_SHIFT, what = move & 0xFFFFFF
    cdef uint32_t[MOVES_MAX] moves
    cdef int cell, color, cubes
    if kind == GROW:
        close(p)
        p.actions -= 1
        grow(t, p, a, what)
    elif kind == FILL:
        cell = p.grow_cell
        fill(t, p, a, move)
        grow_on(t, p, a, a.group[cell], cell)
    elif kind == DRY_TO or kind == ROAST_TO:
        cell = what >> 2
        color = what & 3
        if kind == DRY_TO:
            begin(p, OPEN_DRY, same_action(p, a, OPEN_DRY, cell, color))
            transfer(p, a, a.plants, cell, color)
        else:
            begin(p, OPEN_ROAST, same_action(p, a, OPEN_ROAST, cell, color))
            transfer(p, a, a.dryers, cell, color)
        p.open_used |= bit(cell)
        p.open_cell = color
    elif kind == EMPTY_ROASTER:
        begin(p, OPEN_EMPTY, p.open == OPEN_EMPTY and <int>what > p.open_cell)
        color = pile_color(a.cubes[what])
        cubes = pile_count(a.cubes[what])
        a.cubes[what] = 0
        a.warehouse[color] += cubes
        p.hand[color] += cubes
        p.open_cell = what
    elif kind == SERVE:
        cell = what >> 8
        for color in range(COLORS):
            cubes = amount(what & 0xFF, color)
            a.warehouse[color] -= cubes
            p.hand[color] -= cubes
            if a.waiters & bit(cell):
                a.cubes[cell] |= pile(cubes, color)
            else:
                a.cubes[cell] += cubes << (2 * color)
        p.open = OPEN_SERVE
        p.open_cell = cell
    elif kind == DISCARD:
        close(p)
        p.supply[pile_color(a.cubes[what])] += pile_count(a.cubes[what])
        a.cubes[what] = 0
    else:  # END
        p.actions = 0
        close(p)
        return True
    if p.step == STEP_ACT and p.open != OPEN_NONE and not continuations(t, p, moves):
        close(p)
    return p.step == STEP_ACT and p.actions == 0 and p.open == OPEN_NONE
