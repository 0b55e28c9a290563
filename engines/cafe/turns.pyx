"""A puzzle's turns: a card taken, paid and placed is one or two, and each action with the discards made for it is one.

Within a phase a position keeps its open action, so that lines are played as they are searched. What the open action
could still do is left out when the position is expanded: it was shown, at no cost, when the action was made.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from cython_ext.game cimport CHANCE, Components, ConstStatePtr, StatePtr, Visit
from engines.cafe.actions cimport action_moves, continuations, fills, wants
from engines.cafe.flow cimport apply, legal_moves
from engines.cafe.geometry cimport PLACEMENTS_MAX
from engines.cafe.policy cimport gains
from engines.cafe.structs cimport (
    CELLS,
    COLORS,
    DISCARD,
    DRY_TO,
    END,
    GROW,
    MAX_ACTIONS,
    MOVES_MAX,
    OPEN_EMPTY,
    OPEN_NONE,
    OPEN_SERVE,
    ORIGIN,
    PLACE,
    PLAYERS_MAX,
    REJECT,
    ROUNDS,
    ROAST_TO,
    SERVE,
    STEP_ACT,
    STEP_GROW,
    STEP_PLACE,
    STEP_TAKE,
    TAKE,
    TYPE_SHIFT,
    Area,
    Position,
    Table,
    amount,
    bit,
    color_at,
    deck_after,
    deck_left,
    kind_at,
    lowest,
    shop_at,
)


cdef bint alone(Components components, ConstStatePtr state, StatePtr one) noexcept nogil:
    """The player to move takes, places and acts as if nobody else were there, and nothing were auctioned.

    The auction itself is no turn. From the next round on each card has the chance to come that it has for all players:
    what their deck has more counts as unknown.
    """
    cdef const Position* p = <const Position*>state
    cdef Position* out = <Position*>one
    if p.step not in (STEP_TAKE, STEP_PLACE, STEP_ACT, STEP_GROW):
        return False
    out[0] = p[0]
    out.header.players = 1
    out.header.to_move = 0
    out.master = out.turn = 0
    out.auction = False
    out.unknown_discards += deck_left(p) - deck_after(out, p.round)
    out.area[0] = p.area[p.header.to_move]
    memset(&out.area[1], 0, (PLAYERS_MAX - 1) * sizeof(Area))
    return True


cdef bint solvable(Components components, ConstStatePtr state) noexcept nogil:
    cdef const Position* p = <const Position*>state
    return p.header.players == 1 and p.header.to_move != CHANCE and (p.open_deck or not deck_left(p))


cdef uint32_t round_of(Components components, ConstStatePtr state) noexcept nogil:
    return (<const Position*>state).round


cdef uint32_t layer(Components components, ConstStatePtr state) noexcept nogil:
    """By round, step and actions spent."""
    cdef const Position* p = <const Position*>state
    cdef uint32_t first = (p.round - 1) * LAYERS_A_ROUND
    if p.step == STEP_TAKE:
        return first
    if p.step == STEP_PLACE:
        return first + 1
    return first + 2 + min(<int>p.area[0].cups, <int>MAX_ACTIONS) - p.actions


cdef uint32_t decisions(Components components, ConstStatePtr state, uint64_t* last) noexcept nogil:
    """Cards laid. last: the card, and below it the move that lays it."""
    cdef const Area* a = &(<const Position*>state).area[0]
    cdef int i = a.cards - 1
    last[0] = (<uint64_t>a.card[i] << 32 | PLACE | <uint32_t>a.rotation[i] << 12 | (a.row[i] + ORIGIN) << 6
               | a.column[i] + ORIGIN)
    return i


# --- showing turns ---------------------------------------------------------------------------------------------------


cdef struct Walk:
    Components components
    Visit visit
    void* context
    uint32_t n  # moves so far
    uint64_t decided  # see `decisions`; 0 for any
    bint scarce  # the supply may run short: any cube may be discarded for it
    bint frugal  # leave out what is hardly ever good
    bint discards  # show free discards; there may be 2 ** n ways to make them
    bint done  # nothing more is wanted
    uint32_t[TURN_MAX] moves


cdef inline void step(Walk* w, const Position* p, uint32_t move, Position* after) noexcept nogil:
    after[0] = p[0]
    apply(w.components, after, move)
    w.moves[w.n] = move
    w.n += 1


cdef inline void show(Walk* w, const Position* p) noexcept nogil:
    if not w.done and not w.visit(w.context, p, w.moves, w.n):
        w.done = True


cdef inline uint64_t empty_squares(const Area* a, uint64_t cells, int group) noexcept nogil:
    """Squares of a group without cubes."""
    cdef uint64_t found = 0
    cdef int cell
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        if a.group[cell] == group and not a.cubes[cell]:
            found |= bit(cell)
    return found


cdef bint frugal_move(const Position* p, uint32_t move) noexcept nogil:
    """Whether a move is one of those that are looked at when not all are.

    A colour goes to the first empty square of a group, or onto cubes only where there is none. Shops are served by
    `serve_first`.
    """
    cdef const Area* a = &p.area[0]
    cdef uint32_t kind = move >> TYPE_SHIFT << TYPE_SHIFT
    cdef int cell
    cdef uint64_t free
    if kind == DRY_TO or kind == ROAST_TO:
        cell = (move & 0xFFFFFF) >> 2
        free = empty_squares(a, a.dryers if kind == DRY_TO else a.roasters, a.group[cell])
        return not free or lowest(free) == cell
    return kind != DISCARD and kind != SERVE


cdef int asked(
    const Table* t, const Position* p, int shop, const uint8_t* hand, bint whole, int* worth
) noexcept nogil:
    """What a shop can take of some cubes, two bits a colour; whole: nothing unless that is all it wants.

    worth: its points per cube it wants, in thousands.
    """
    cdef int color, lacking, missing = 0, given = 0, cubes = 0
    for color in range(COLORS):
        lacking = amount(shop_at(t, &p.area[0], shop).need, color) - amount(p.area[0].cubes[shop], color)
        missing += lacking
        given += min(lacking, <int>hand[color])
        cubes |= min(lacking, <int>hand[color]) << (2 * color)
    worth[0] = 1000 * shop_at(t, &p.area[0], shop).points // missing if missing else 0
    return 0 if whole and given < missing else cubes


cdef void serve_first(Walk* w, const Position* p, int favourite, bint whole) noexcept nogil:
    """Show the delivery of what is in hand to one shop first, then to the others by worth, the rest to waiters.

    whole: only to shops that want no more then; what is left is worth something in the warehouse.
    """
    cdef const Table* t = <const Table*>w.components
    cdef const Area* a = &p.area[0]
    cdef uint64_t rest, shops = a.shops
    cdef uint8_t[COLORS] hand
    cdef uint32_t[CELLS] serve
    cdef int shop = favourite, cell, color, worth, best, most
    cdef uint32_t n = w.n
    cdef Position after = p[0]
    memset(serve, 0, sizeof(serve))
    memcpy(hand, p.hand, COLORS)
    while shop >= 0:
        serve[shop] = asked(t, p, shop, hand, whole, &worth)
        for color in range(COLORS):
            hand[color] -= amount(<uint8_t>serve[shop], color)
        shops &= ~bit(shop)
        shop = -1
        best = 0
        rest = shops
        while rest:
            cell = lowest(rest)
            rest &= rest - 1
            if asked(t, p, cell, hand, whole, &worth) and worth > best:
                best = worth
                shop = cell
    rest = a.waiters
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        most = 0
        for color in range(1, COLORS):
            if hand[color] > hand[most]:
                most = color
        if not a.cubes[cell] and hand[most]:
            hand[most] -= 1
            serve[cell] = 1 << (2 * most)
    rest = a.shops | a.waiters
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if serve[cell]:
            step(w, &after, SERVE | cell << 8 | serve[cell], &after)
    show_open(w, &after, p.round)
    w.n = n


cdef void show_open(Walk* w, const Position* p, int round_now) noexcept nogil:
    """Show a position after an action; where none is left its continuations are closed."""
    cdef Position after
    if p.round != round_now or p.step != STEP_ACT or p.actions:
        show(w, p)
        return
    step(w, p, END, &after)
    show(w, &after)
    w.n -= 1


cdef void follow(Walk* w, const Position* p, int round_now) noexcept nogil:
    """Show the positions after the open action and all its continuations."""
    cdef uint32_t[MOVES_MAX] moves
    cdef Position after
    cdef uint32_t n, i
    cdef uint64_t rest
    if w.done or w.n + 2 > TURN_MAX:
        return
    if p.round != round_now or p.step not in (STEP_ACT, STEP_GROW):
        show(w, p)
        return
    if p.step == STEP_GROW:
        n = fills(<const Table*>w.components, p, moves)
    else:
        if not w.frugal or p.open != OPEN_EMPTY:
            show_open(w, p, round_now)
        else:
            rest = p.area[0].shops | (1 if not p.area[0].shops else 0)
            while rest:
                serve_first(w, p, lowest(rest) if p.area[0].shops else -1, False)
                if round_now == ROUNDS:
                    serve_first(w, p, lowest(rest) if p.area[0].shops else -1, True)
                rest &= rest - 1
        n = continuations(<const Table*>w.components, p, moves)
    for i in range(n):
        if w.frugal and not frugal_move(p, moves[i]):
            continue
        step(w, p, moves[i], &after)
        follow(w, &after, round_now)
        w.n -= 1


cdef void show_actions(Walk* w, const Position* p, uint32_t after_discard, bint first) noexcept nogil:
    """Show what one action leads to, and the end of the phase.

    after_discard: the last discard made for it, 0 for none. Unless the supply may run short only growing follows one,
    and no phase ends before all has grown: what has can be discarded later.
    """
    cdef const Table* t = <const Table*>w.components
    cdef uint32_t[MOVES_MAX] moves
    cdef uint32_t[MOVES_MAX] known
    cdef Position after
    cdef uint32_t n = action_moves(t, p, moves), i, kind, j = 0, m = 0
    cdef bint grows = False
    if p.open != OPEN_NONE and not first:
        m = continuations(t, p, known)
    for i in range(n):
        if moves[i] >> TYPE_SHIFT << TYPE_SHIFT == GROW:
            grows = True
    for i in range(n):
        if w.done:
            return
        while j < m and known[j] < moves[i]:
            j += 1
        if j < m and known[j] == moves[i]:
            continue
        kind = moves[i] >> TYPE_SHIFT << TYPE_SHIFT
        if kind == END and grows and not w.frugal and not w.scarce:
            continue
        if after_discard:
            if kind == DISCARD:
                if moves[i] <= after_discard:
                    continue
            elif kind != GROW and not w.scarce:
                continue
        if w.frugal and not frugal_move(p, moves[i]) or kind == DISCARD and (not w.discards or w.n + 8 > TURN_MAX):
            continue
        step(w, p, moves[i], &after)
        if kind == DISCARD:
            show_actions(w, &after, moves[i], False)
        else:
            follow(w, &after, p.round)
        w.n -= 1


cdef void show_placements(Walk* w, const Position* p, uint32_t effort) noexcept nogil:
    """Show the placements of the card taken; with an effort only about that many, the best by the rules of thumb.

    Where it is decided how the card lies only that is shown.
    """
    cdef uint32_t[PLACEMENTS_MAX] moves
    cdef float[PLACEMENTS_MAX] gain
    cdef float[PLACEMENTS_MAX] sorted_gain
    cdef Position after
    cdef uint32_t n = legal_moves(w.components, p, moves), i, shown = 0
    cdef float least = -1e30
    if effort and n > effort and not w.decided:
        gains(<const Table*>w.components, p, moves, n, gain)
        memcpy(sorted_gain, gain, n * sizeof(float))
        least = nth_largest(sorted_gain, n, effort)
    for i in range(n):
        if least > -1e30 and (gain[i] < least or shown == effort) or w.decided and moves[i] != <uint32_t>w.decided:
            continue
        shown += 1
        step(w, p, moves[i], &after)
        show(w, &after)
        w.n -= 1
        if w.done:
            return


cdef float nth_largest(float* x, int n, int k) noexcept nogil:
    """The k-th largest of n numbers, k from 1 (Hoare's selection); reorders them."""
    cdef int low = 0, high = n - 1, i, j
    cdef float pivot
    k -= 1
    while low < high:
        pivot = x[(low + high) // 2]
        i = low
        j = high
        while i <= j:
            while x[i] > pivot:
                i += 1
            while x[j] < pivot:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return x[k]


# A placement shown for one colour paid is shown for every other one too.
cdef struct Payments:
    Walk* walk
    int paid
    int[COLORS] other
    int others


cdef bint show_paid(void* context, ConstStatePtr child, const uint32_t* moves, uint32_t n) noexcept nogil:
    cdef Payments* pay = <Payments*>context
    cdef Walk* w = pay.walk
    cdef Position p = (<const Position*>child)[0]
    cdef uint32_t first = w.moves[0]
    cdef int i, color, paid = pay.paid
    for i in range(pay.others + 1):
        w.moves[w.n] = moves[n - 1]
        w.n += 1
        show(w, &p)
        w.n -= 1
        if i == pay.others or w.done:
            break
        color = pay.other[i]
        p.area[0].warehouse[paid] += 1
        p.supply[paid] -= 1
        p.area[0].warehouse[color] -= 1
        p.supply[color] += 1
        paid = color
        w.moves[0] = first & ~<uint32_t>7 | color
    w.moves[0] = first
    return not w.done


cdef void show_takes(Walk* w, const Position* p, uint32_t effort) noexcept nogil:
    """Show every card on offer, every way to pay, and its placements; these are a turn of their own without an effort.

    Then what a card and its payment leave can be judged before the placements are looked at.
    """
    cdef uint32_t[MOVES_MAX] moves
    cdef Position after
    cdef uint32_t n = legal_moves(w.components, p, moves), i = 0, card
    cdef Payments pay
    cdef Walk inner
    while i < n and not w.done:
        if w.decided and moves[i] >> TYPE_SHIFT << TYPE_SHIFT == TAKE and (moves[i] & 0xFFFFFF) >> 3 != w.decided >> 32:
            i += 1
            continue
        step(w, p, moves[i], &after)
        if not effort or moves[i] >> TYPE_SHIFT << TYPE_SHIFT == REJECT:
            show(w, &after)
            i += 1
        else:
            card = moves[i] >> 3
            pay.walk = w
            pay.paid = moves[i] & 7
            pay.others = 0
            i += 1
            while i < n and moves[i] >> 3 == card:
                pay.other[pay.others] = moves[i] & 7
                pay.others += 1
                i += 1
            inner.components = w.components
            inner.visit = show_paid
            inner.context = &pay
            inner.n = 0
            inner.decided = w.decided
            inner.done = False
            show_placements(&inner, &after, effort)
        w.n -= 1


cdef void expand(
    Components components, ConstStatePtr state, uint32_t effort, uint64_t decided, bint first, Visit visit,
    void* context,
) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef const Position* p = <const Position*>state
    cdef Walk w
    cdef int color
    cdef int[COLORS] want
    w.components = components
    w.visit = visit
    w.context = context
    w.n = 0
    w.decided = decided
    w.scarce = False
    w.frugal = effort > 0 and not (first and p.open in (OPEN_EMPTY, OPEN_SERVE))
    w.discards = effort == 0
    w.done = False
    if p.step == STEP_TAKE:
        show_takes(&w, p, effort)
    elif p.step == STEP_PLACE:
        show_placements(&w, p, effort)
    else:
        if not effort:
            wants(t, p, &p.area[0], p.actions, want)
            for color in range(COLORS):
                if p.supply[color] < want[color]:
                    w.scarce = True
        if p.step == STEP_GROW:
            follow(&w, p, p.round)
        else:
            show_actions(&w, p, 0, first)


# --- telling positions apart -----------------------------------------------------------------------------------------


cdef inline uint64_t mix(uint64_t h, uint64_t word) noexcept nogil:
    h = (h ^ word) * <uint64_t>0xFF51AFD7ED558CCD
    return h ^ h >> 32


cdef uint64_t key(Components components, ConstStatePtr state, bint alike, uint32_t last) noexcept nogil:
    """Hash of round, step, area and warehouse; the rest follows from them.

    What an open action could still do is left out, see above. In the last phase it does not matter where squares lie
    but for natas: areas with the same groups and shops are one. alike: drying squares, and roasters, of a group are
    interchangeable before that, too.
    """
    cdef const Table* t = <const Table*>components
    cdef const Position* p = <const Position*>state
    cdef const Area* a = &p.area[0]
    cdef uint64_t h = 0x9E3779B97F4A7C15, word, rest
    cdef int i, cell
    h = mix(h, p.round | p.step << 8 | p.actions << 16 | <uint64_t>p.taken << 24)
    word = 0
    memcpy(&word, a.warehouse, COLORS)
    h = mix(h, word)
    if p.step == STEP_ACT and not p.expresso and p.round == min(last, <uint32_t>ROUNDS):
        return mix(h, group_sum(t, a))
    for i in range(a.cards):
        h = mix(h, a.card[i] | <uint64_t><uint8_t>a.row[i] << 8 | <uint64_t><uint8_t>a.column[i] << 16
                | <uint64_t>a.rotation[i] << 24)
    if not alike:
        for i in range(0, CELLS, 8):
            word = 0
            memcpy(&word, &a.cubes[i], 8 if i + 8 <= CELLS else CELLS - i)
            h = mix(h, word)
        return h
    word = 0
    rest = a.visible
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.cubes[cell]:
            if (a.dryers | a.roasters) & bit(cell):
                word += mix(0x52B2AE3D27D4EB4F, a.group[cell] << 8 | a.cubes[cell])
            else:
                word += mix(0x165667B19E3779F9, cell << 8 | a.cubes[cell])
    return mix(h, word)


cdef uint64_t group_sum(const Table* t, const Area* a) noexcept nogil:
    """A number that areas have in common whose groups and shops are the same, wherever they lie."""
    cdef uint64_t rest = a.plants | a.dryers | a.roasters, heads = 0, sum = 0
    cdef uint64_t[CELLS] group
    cdef int cell, letter
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        letter = 1 if a.plants & bit(cell) else 2 if a.dryers & bit(cell) else 3
        if not heads & bit(a.group[cell]):
            heads |= bit(a.group[cell])
            group[a.group[cell]] = letter
        group[a.group[cell]] += mix(0x52B2AE3D27D4EB4F, a.cubes[cell] << 8 | (
            kind_at(t, a, cell) << 2 | color_at(t, a, cell) if letter == 1 else 0))
    while heads:
        cell = lowest(heads)
        heads &= heads - 1
        sum += mix(0x165667B19E3779F9, group[cell])
    rest = a.shops
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        sum += mix(0x27D4EB2F165667C5, a.cubes[cell] << 16 | shop_at(t, a, cell).need << 8 | shop_at(t, a, cell).points)
    return sum
