"""Rules of thumb for every move.

A cube is worth more the further it has come: a share of its worth on plantations, drying squares and roasters, as long
as enough actions are left to bring it home. A square of a card is worth something by what it shows and how many rounds
are left. Gains are differences of such worths.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from cython_ext.game cimport CHANCE, Components, ConstStatePtr, StatePtr
from cython_ext.rng cimport Rng, rng_below, rng_unit
from cython_ext.softmax cimport softmax
from engines.cafe.flow cimport apply, legal_moves, sample
from engines.cafe.geometry cimport STRIDE, Grid, lay_out
from engines.cafe.scoring cimport warehouse_points
from engines.cafe.structs cimport (
    BID,
    CELLS,
    COLORS,
    CUP,
    DISCARD,
    DOUBLE,
    DRY,
    DRY_TO,
    EMPTY_ROASTER,
    FILL,
    GROW,
    MAX_ACTIONS,
    MOVES_MAX,
    NATA,
    OPEN_EMPTY,
    ORIGIN,
    PAY,
    PLANTATION,
    ROAST,
    ROAST_TO,
    ROUNDS,
    SACK,
    SERVE,
    SHIP,
    SHOP,
    SQUARES,
    STEP_ACT,
    STEP_GROW,
    STEP_PLACE,
    TAKE,
    TYPE_SHIFT,
    WAITER,
    Area,
    Card,
    Position,
    Shop,
    Table,
    amount,
    bit,
    card_at,
    color_at,
    kind_at,
    lowest,
    pile_color,
    pile_count,
    shop_at,
)

cdef enum:
    PLACEMENTS_TRIED = 24  # placements looked at in a step of a playout


# What one player has, colour by colour, and what a cube on its way is worth.
cdef struct Outlook:
    int rounds  # left, this one included
    int[COLORS] need  # cubes open shops still ask for
    int[COLORS] grown  # cubes on plantations
    int[COLORS] dried
    float[3] share  # worth of a cube on plantations, drying squares, roasters; 0 where it cannot come home any more


cdef void look(const Table* t, const Position* p, int player, int actions, Outlook* o) noexcept nogil:
    """actions: those left in this round after the move considered."""
    cdef const Area* a = &p.area[player]
    cdef uint64_t rest = a.shops
    cdef int cell, color
    cdef bint more = p.round < ROUNDS
    memset(o, 0, sizeof(Outlook))
    o.rounds = ROUNDS + 1 - p.round
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        for color in range(COLORS):
            o.need[color] += amount(shop_at(t, a, cell).need, color) - amount(a.cubes[cell], color)
    count(a, a.plants, o.grown)
    count(a, a.dryers, o.dried)
    o.share[0] = t.weight.grown if more or actions >= 3 else 0
    o.share[1] = t.weight.dried if more or actions >= 2 else 0
    o.share[2] = t.weight.roasted if more or actions >= 1 else 0


cdef void count(const Area* a, uint64_t cells, int* cubes) noexcept nogil:
    cdef int cell
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        cubes[pile_color(a.cubes[cell])] += pile_count(a.cubes[cell])


cdef inline float worth(const Table* t, const Outlook* o, int color, int cubes) noexcept nogil:
    """Worth of some cubes of a colour once delivered."""
    cdef int wanted = min(cubes, o.need[color])
    return t.weight.shop_cube * wanted + t.weight.store_cube * (cubes - wanted)


cdef inline float pile_worth(const Table* t, const Outlook* o, uint8_t cubes) noexcept nogil:
    return worth(t, o, pile_color(cubes), pile_count(cubes)) if cubes else 0


cdef float shop_worth(const Table* t, const Shop* shop, uint8_t cubes) noexcept nogil:
    """Points of a shop for the cubes it holds."""
    cdef int color, have = 0, want = 0
    for color in range(COLORS):
        have += amount(cubes, color)
        want += amount(shop.need, color)
    return shop.points if have == want else shop.points * t.weight.partial * have / want


# --- actions ---------------------------------------------------------------------------------------------------------


cdef float grow_gain(const Table* t, const Position* p, const Area* a, const Outlook* o, int group) noexcept nogil:
    cdef uint64_t rest = a.plants
    cdef int cell, color, best
    cdef float gain = 0
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.group[cell] != group or a.cubes[cell]:
            continue
        color = color_at(t, a, cell)
        if kind_at(t, a, cell) == SACK:
            best = 0
            for color in range(COLORS):
                if o.need[color]:
                    best = 1
            gain += t.weight.shop_cube if best else t.weight.store_cube
        elif p.supply[color]:
            gain += worth(t, o, color, 2 if kind_at(t, a, cell) == DOUBLE else 1)
    return gain * o.share[0]


cdef float empty_gain(const Table* t, const Area* a, const Outlook* o, int cell) noexcept nogil:
    """Delivering one roaster's cubes: those wanted by shops at their full worth, others to the warehouse."""
    cdef int color = pile_color(a.cubes[cell]), cubes = pile_count(a.cubes[cell]), wanted = min(cubes, o.need[color])
    return (worth(t, o, color, cubes) - pile_worth(t, o, a.cubes[cell]) * t.weight.roasted
            - (cubes - wanted) * (o.rounds - 1) * t.weight.keep)


cdef float action_gain(const Table* t, const Position* p, const Area* a, const Outlook* o,
                       uint32_t kind, uint32_t what) noexcept nogil:
    cdef int cell, color
    cdef uint64_t rest
    cdef uint8_t cubes
    cdef float gain = 0, one
    if kind == GROW:
        return grow_gain(t, p, a, o, what)
    if kind == FILL:
        cell = what >> 4
        return worth(t, o, what & 3, what >> 2 & 3) + 0.01 * (o.need[what & 3] - o.grown[what & 3])
    if kind == DRY_TO:
        cell, color = what >> 2, what & 3
        return (worth(t, o, color, o.grown[color]) * (o.share[1] - o.share[0])
                - pile_worth(t, o, a.cubes[cell]) * o.share[1])
    if kind == ROAST_TO:
        cell, color = what >> 2, what & 3
        return (worth(t, o, color, o.dried[color]) * (o.share[2] - o.share[1])
                - pile_worth(t, o, a.cubes[cell]) * o.share[2])
    if kind == EMPTY_ROASTER:
        gain = empty_gain(t, a, o, what)
        if p.open != OPEN_EMPTY or <int>what < p.open_cell:  # those after it can follow for free
            rest = a.roasters & ~bit(what)
            while rest:
                cell = lowest(rest)
                rest &= rest - 1
                if a.cubes[cell]:
                    one = empty_gain(t, a, o, cell)
                    if cell > <int>what:
                        gain += max(one, <float>0)
                    else:
                        gain -= max(one, <float>0)
        return gain
    if kind == SERVE:
        cell = what >> 8
        cubes = what & 0xFF
        if a.waiters & bit(cell):
            return t.weight.waiter * (0.1 if o.need[0] + o.need[1] + o.need[2] + o.need[3] else 1)
        return shop_worth(t, shop_at(t, a, cell), a.cubes[cell] + cubes) - shop_worth(
            t, shop_at(t, a, cell), a.cubes[cell])
    if kind == DISCARD:
        return t.weight.discard
    return 0  # END


# --- cards -----------------------------------------------------------------------------------------------------------


cdef float square_worth(const Table* t, const Outlook* o, const Card* card, int square, int cups) noexcept nogil:
    """What a square of a card is worth, shops by their lowest square."""
    cdef int kind = card.kind[square]
    cdef float late = t.weight.late + (1 - t.weight.late) * (o.rounds - 1) / (ROUNDS - 1)
    if kind == CUP:
        return t.weight.cup * o.rounds if cups < MAX_ACTIONS else 0
    if kind == SHOP:
        return t.weight.shop * card.shop[square].points * late if card.shops >> square & 1 else 0
    if kind == PLANTATION:
        return (t.weight.plant + (t.weight.wanted if o.need[card.color[square]] else 0)) * late
    if kind == DRY:
        return t.weight.dryer * late
    if kind == ROAST:
        return t.weight.roaster * late
    if kind == SHIP:
        return t.weight.ship * (o.rounds - 1) / (ROUNDS - 1)
    if kind == WAITER:
        return t.weight.waiter
    if kind == NATA:
        return t.weight.nata * card.nata[square]
    if kind == SACK:
        return t.weight.sack * late
    if kind == DOUBLE:
        return t.weight.double * late
    return 0


cdef float take_gain(const Table* t, const Position* p, const Area* a, const Outlook* o, uint32_t what) noexcept nogil:
    cdef const Card* card = &t.card[what >> 3]
    cdef int square
    cdef float gain = 0
    for square in range(SQUARES):
        gain += square_worth(t, o, card, square, a.cups)
    if what & 7 < COLORS:
        gain -= pay_cost(t, a, what & 7)
    return gain


cdef float pay_cost(const Table* t, const Area* a, int paid) noexcept nogil:
    """What a cube from the warehouse costs."""
    cdef int[COLORS] cubes
    cdef int color, before
    for color in range(COLORS):
        cubes[color] = a.warehouse[color]
    before = warehouse_points(cubes)
    cubes[paid] -= 1
    return t.weight.pay + 0.5 * (before - warehouse_points(cubes)) - 0.02 * cubes[paid]


cdef inline int letter(const Area* a, int cell) noexcept nogil:
    """1 for plantations, 2 for drying squares, 3 for roasters, else 0."""
    if a.plants & bit(cell):
        return 1
    if a.dryers & bit(cell):
        return 2
    return 3 if a.roasters & bit(cell) else 0


# An area made ready for judging many placements of one card.
cdef struct Site:
    Grid grid
    float[CELLS] loss  # what covering a cell costs; a shop's cost on each of its squares
    uint8_t[CELLS] shop  # 1 + lowest cell of the open shop on a cell
    uint8_t[CELLS] letter
    float[SQUARES] worth  # of the card's squares
    uint8_t[SQUARES] new_letter
    float[4] touch  # by letter
    float total


cdef void survey(const Table* t, const Position* p, const Area* a, const Outlook* o, Site* s) noexcept nogil:
    cdef const Card* card = &t.card[p.taken]
    cdef const Card* old
    cdef uint64_t rest = a.visible
    cdef int cell, square, first, kind, other
    lay_out(t, a, &s.grid)
    memset(s.shop, 0, sizeof(s.shop))
    s.touch[0] = 0
    s.touch[1] = t.weight.plant_touch
    s.touch[2] = t.weight.dryer_touch
    s.touch[3] = t.weight.roaster_touch
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        s.letter[cell] = letter(a, cell)
        old = card_at(t, a, cell)
        s.loss[cell] = 0
        if old.kind[cell % SQUARES] != SHOP:
            s.loss[cell] = square_worth(t, o, old, cell % SQUARES, 0)
            if s.letter[cell]:
                s.loss[cell] += pile_worth(t, o, a.cubes[cell]) * o.share[s.letter[cell] - 1]
            elif a.waiters & bit(cell) and a.cubes[cell]:
                s.loss[cell] += t.weight.store_cube
    rest = a.shops
    while rest:
        first = lowest(rest)
        rest &= rest - 1
        old = card_at(t, a, first)
        for square in range(SQUARES):
            if old.shop[first % SQUARES].squares >> square & 1:
                cell = first - first % SQUARES + square
                s.shop[cell] = first + 1
                s.loss[cell] = max(
                    shop_worth(t, shop_at(t, a, first), a.cubes[first]), square_worth(t, o, old, first % SQUARES, 0))
    s.total = 0
    for square in range(SQUARES):
        s.worth[square] = square_worth(t, o, card, square, a.cups)
        s.total += s.worth[square]
        kind = card.kind[square]
        other = 1 if kind == PLANTATION or kind == DOUBLE or kind == SACK else 2 if kind == DRY else 0
        s.new_letter[square] = 3 if kind == ROAST else other


cdef float place_gain(const Table* t, const Position* p, const Site* s, uint32_t what) noexcept nogil:
    cdef int rotation = what >> 12, row = <int>(what >> 6 & 63) - ORIGIN - s.grid.top
    cdef int column = <int>(what & 63) - ORIGIN - s.grid.left
    cdef int square, here, cell, direction, line, place, height = 3 if rotation & 1 else 2
    cdef int width = 5 - height
    cdef float gain = s.total
    cdef uint64_t lost = 0  # shops by their lowest cell
    cdef int[4] step
    step[0] = 1
    step[1] = -1
    step[2] = STRIDE
    step[3] = -STRIDE
    for square in range(SQUARES):
        line = row + t.down[rotation][square]
        place = column + t.right[rotation][square]
        here = line * STRIDE + place
        cell = s.grid.cell[here] - 1
        if cell >= 0:
            if not s.shop[cell]:
                gain -= s.loss[cell]
            elif not lost & bit(s.shop[cell] - 1):  # a shop is lost once
                gain -= s.loss[cell]
                lost |= bit(s.shop[cell] - 1)
        if not s.new_letter[square]:
            continue
        for direction in range(4):
            if (direction == 0 and place - column == width - 1) or (direction == 1 and place == column) or (
                    direction == 2 and line - row == height - 1) or (direction == 3 and line == row):
                cell = s.grid.cell[here + step[direction]] - 1
                if cell >= 0 and s.letter[cell] == s.new_letter[square]:
                    gain += s.touch[s.new_letter[square]]
    return gain


cdef void gains(const Table* t, const Position* p, const uint32_t* moves, uint32_t n, float* gain) noexcept nogil:
    cdef int player = p.header.to_move
    cdef const Area* a = &p.area[player]
    cdef uint32_t i, kind, what
    cdef Outlook o
    cdef Site site
    look(t, p, player, p.actions - 1 if p.step == STEP_ACT else p.actions, &o)
    if p.step == STEP_PLACE:
        o.share[0] = t.weight.grown
        o.share[1] = t.weight.dried
        o.share[2] = t.weight.roasted
        survey(t, p, a, &o, &site)
        for i in range(n):
            gain[i] = place_gain(t, p, &site, moves[i] & 0xFFFFFF)
        return
    for i in range(n):
        kind = moves[i] >> TYPE_SHIFT << TYPE_SHIFT
        what = moves[i] & 0xFFFFFF
        if kind == TAKE:
            gain[i] = take_gain(t, p, a, &o, what)
        elif kind == PAY:
            gain[i] = -pay_cost(t, a, what)
        elif kind == BID:
            gain[i] = -<float>0.5 - t.weight.pay * what
        elif p.step == STEP_ACT or p.step == STEP_GROW:
            gain[i] = action_gain(t, p, a, &o, kind, what)
        else:
            gain[i] = 0


# --- for the search --------------------------------------------------------------------------------------------------


cdef uint32_t best_move(Components components, ConstStatePtr state) noexcept nogil:
    cdef uint32_t[MOVES_MAX] moves
    cdef float[MOVES_MAX] gain
    cdef uint32_t n = legal_moves(components, state, moves), i, best = 0
    gains(<const Table*>components, <const Position*>state, moves, n, gain)
    for i in range(1, n):
        if gain[i] > gain[best]:
            best = i
    return moves[best]


cdef void playout_step(Components components, StatePtr state, Rng* rng) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef Position* p = <Position*>state
    cdef uint32_t[MOVES_MAX] moves
    cdef float[MOVES_MAX] gain
    cdef uint32_t n, i, j, best = 0, tried = PLACEMENTS_TRIED
    cdef float value, best_value = -1e30
    if p.header.to_move == CHANCE:
        apply(components, state, sample(components, state, rng))
        return
    n = legal_moves(components, state, moves)
    if p.step == STEP_PLACE and n > tried:
        for i in range(tried):
            j = i + rng_below(rng, n - i)
            moves[i], moves[j] = moves[j], moves[i]
        n = tried
    if n > 1:
        gains(t, p, moves, n, gain)
        for i in range(n):
            value = gain[i] + t.weight.noise * <float>rng_unit(rng)
            if value > best_value:
                best_value = value
                best = i
    apply(components, state, moves[best])


cdef void priors(
    Components components, ConstStatePtr state, const uint32_t* moves, uint32_t n, float* prior
) noexcept nogil:
    cdef const Table* t = <const Table*>components
    gains(t, <const Position*>state, moves, n, prior)
    softmax(prior, n, t.weight.prior)
