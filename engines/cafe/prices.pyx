"""A bound of long games by prices of cubes: see docs/solo.md for the proof.

Each colour has a price, such that the warehouse is never worth more than its cubes. Then a shop is worth its points
less the price of its cubes, and what is left is to bring home cubes of the highest value, as in bound.pyx. Best first,
a tree of the cards taken is searched: the highest bound of what is not yet searched is the bound of all. One card with
the most of each kind stands for all cards of a round to come. First nothing is covered; once all cards are taken every
way to share what they cover among the kinds of squares is looked at.
"""
from libc.stdint cimport int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from cython_ext.clock cimport now
from cython_ext.game cimport Components, ConstStatePtr, Game, Limits, State
from engines.cafe.bound cimport (
    CHOICES,
    Plan,
    Squares,
    add_best,
    add_card,
    begin,
    count_squares,
    limit_groups,
    look_ahead,
    most_of,
    natas_of,
)
from engines.cafe.schedule cimport NEVER, Front, Phase, brought_home, clear, copy, raise_front, run_phase
from engines.cafe.structs cimport (
    AREA_CARDS,
    COLORS,
    FREE_SHIPS,
    MAX_ACTIONS,
    NATA,
    OPEN_NONE,
    ROUNDS,
    SQUARES,
    STEP_ACT,
    STEP_GROW,
    STEP_PLACE,
    Area,
    Card,
    Position,
    Shop,
    Table,
    amount,
    card_at,
    kind_at,
    lowest,
    ones,
    shop_at,
)

cdef enum:
    UNIT = 4  # points are counted in quarters
    COVERED = 2  # squares a card covers at least
    LOST_TOLD = 7  # squares lost that are told apart
    WAYS = 330  # to share so many among five kinds
    NODES = 1 << 17


# A way to share what is lost among the kinds of squares.
cdef struct Way:
    int8_t plants
    int8_t dryers
    int8_t roasters
    int8_t cups
    int8_t shops
    Front front


cdef struct Ways:
    int n
    int lost
    uint16_t[LOST_TOLD + 1][LOST_TOLD + 1][LOST_TOLD + 1][LOST_TOLD + 1] at  # 1 + number of a way by its first four
    Way[WAYS] way


# What a shop still wants.
cdef struct Wish:
    uint8_t[COLORS] cubes
    int points
    int squares


# What the area and the cards taken have in all.
cdef struct Sum:
    Squares squares
    int paid
    int natas  # points
    int waiters
    int shops
    Wish[AREA_CARDS * SQUARES] shop


# What the bound takes into account: only the cards; what they cover, at prices that were found without that; or at
# prices found with it.
cdef enum Stage:
    UNCOVERED
    COVERED_ONCE
    FINAL


# Cards taken, by their place among those of each round.
cdef struct Node:
    int16_t bound
    int8_t[COLORS] price  # that gave it
    int8_t depth  # cards
    int8_t stage  # of Stage
    uint8_t[ROUNDS] choice


cdef struct Relaxation:
    const Table* t
    const Position* p
    Plan plan
    Sum root
    int actions  # of the phase in progress
    int n
    Ways[2] ways
    Node[NODES] heap


cdef size_t relaxation_bytes() noexcept nogil:
    return sizeof(Relaxation)


# --- cards taken -----------------------------------------------------------------------------------------------------


cdef void add_wish(Sum* s, const Shop* shop, uint8_t served) noexcept nogil:
    cdef Wish* wish = &s.shop[s.shops]
    cdef int color
    s.shops += 1
    for color in range(COLORS):
        wish.cubes[color] = amount(shop.need, color) - amount(served, color)
    wish.points = shop.points
    wish.squares = ones(shop.squares)


cdef void sum_up(const Table* t, const Position* p, Sum* s) noexcept nogil:
    cdef const Area* a = &p.area[0]
    cdef uint64_t rest = a.shops
    cdef int cell
    memset(s, 0, sizeof(Sum))
    count_squares(t, a, &s.squares)
    s.waiters = ones(a.waiters)
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        add_wish(s, shop_at(t, a, cell), a.cubes[cell])
    rest = a.visible
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if kind_at(t, a, cell) == NATA:
            s.natas += card_at(t, a, cell).nata[cell % SQUARES]


cdef void take(const Relaxation* r, int round, int choice, Sum* s) noexcept nogil:
    """Add a card of a round; the one after the last stands for none."""
    cdef const Card* card
    cdef uint32_t rest
    if choice == r.plan.choices[round]:
        return
    card = &r.t.card[r.plan.card[round][choice]]
    if card.cups and s.squares.ships < FREE_SHIPS and (round or r.p.step != STEP_PLACE):
        s.paid += 1
    s.squares.dead = max(0, s.squares.dead - COVERED)
    add_card(card, &s.squares)
    s.natas += natas_of(card)
    s.waiters += ones(card.waiters)
    rest = card.shops
    while rest:
        add_wish(s, &card.shop[lowest(rest)], 0)
        rest &= rest - 1


cdef int choices_of(const Relaxation* r, int round) noexcept nogil:
    """Cards of a round, and one more where all have cups: for want of a cube none may be placed."""
    cdef int i, n = r.plan.choices[round]
    if not round and r.p.step == STEP_PLACE:
        return n
    for i in range(n):
        if not r.t.card[r.plan.card[round][i]].cups:
            return n
    return n + 1


# --- phases by prices ------------------------------------------------------------------------------------------------


cdef void value_growth(const Squares* s, int lost, const int* price, int* growth) noexcept nogil:
    """The value of what the plantations of so many colours bring, `lost` plantations covered.

    The dearest colours first, each as much as its plantations and sacks take: nothing is dearer that keeps within what
    each colour, and all together, have. The most of several cards need not be what any card has.
    """
    cdef int[COLORS] of_color
    cdef int i, dearest, cubes, total = 0, room = s.plants - lost
    cdef uint32_t done = 0
    for i in range(COLORS):
        of_color[i] = price[i] * s.color[i]
    for _ in range(COLORS):
        dearest = -1
        for i in range(COLORS):
            if not done >> i & 1 and (dearest < 0 or price[i] > price[dearest]):
                dearest = i
        done |= 1 << dearest
        cubes = max(0, min(s.color[dearest], room))
        room -= cubes
        total += price[dearest] * cubes
    most_of(of_color, COLORS, COLORS, growth)
    for i in range(COLORS + 1):
        growth[i] = min(growth[i], total)


cdef void act(const Squares* s, const Way* w, const int* price, Front* f) noexcept nogil:
    """Make the actions of a phase to come with what a way has left."""
    cdef Phase phase
    phase.actions = min(s.cups - w.cups, <int>MAX_ACTIONS)
    phase.dryers = s.dryers - w.dryers
    phase.roasters = s.roasters - w.roasters
    phase.dried = phase.roasted = COLORS
    value_growth(s, w.plants, price, phase.growth)
    run_phase(f, &phase)


cdef void start(const Relaxation* r, const int* price, Way* w) noexcept nogil:
    """The one way before any card is taken, after the phase in progress."""
    cdef Phase phase
    memset(w, 0, sizeof(Way) - sizeof(Front))
    begin(&r.p.area[0], price, &w.front)
    phase.actions = r.actions
    phase.dryers = r.root.squares.dryers
    phase.roasters = r.root.squares.roasters
    limit_groups(&r.p.area[0], &phase)
    value_growth(&r.root.squares, 0, price, phase.growth)
    run_phase(&w.front, &phase)


cdef Way* find_way(Ways* ways, int plants, int dryers, int roasters, int cups, int shops) noexcept nogil:
    """The way that has these losses; a new one with nothing that can be where there is none yet."""
    cdef uint16_t* at = &ways.at[plants][dryers][roasters][cups]
    cdef Way* way
    if at[0]:
        return &ways.way[at[0] - 1]
    way = &ways.way[ways.n]
    ways.n += 1
    at[0] = ways.n
    way.plants = plants
    way.dryers = dryers
    way.roasters = roasters
    way.cups = cups
    way.shops = shops
    clear(&way.front)
    return way


cdef void cover(
    const Relaxation* r, const int* price, const Sum* before, const Sum* after, bint placed, const Ways* from_, Ways* to
) noexcept nogil:
    """Share what a card covers beyond what is of no use among all kinds, in every way, and make the phase's actions.

    Ways that have come to the same losses are one from then on.
    """
    cdef const Squares* s = &before.squares
    cdef const Way* w
    cdef int i, plants, dryers, roasters, cups, shops
    cdef int loss = min(max(0, COVERED - s.dead), LOST_TOLD - from_.lost) if placed else 0
    to.n = 0
    to.lost = from_.lost + loss
    memset(to.at, 0, sizeof(to.at))
    for i in range(from_.n):
        w = &from_.way[i]
        for plants in range(min(loss, s.plants - w.plants) + 1):
            for dryers in range(min(loss - plants, s.dryers - w.dryers) + 1):
                for roasters in range(min(loss - plants - dryers, s.roasters - w.roasters) + 1):
                    for cups in range(min(loss - plants - dryers - roasters, s.cups - w.cups) + 1):
                        shops = loss - plants - dryers - roasters - cups
                        if shops <= s.shops - w.shops:
                            raise_front(&find_way(
                                to, w.plants + plants, w.dryers + dryers, w.roasters + roasters, w.cups + cups,
                                w.shops + shops,
                            ).front, &w.front)
    for i in range(to.n):
        act(&after.squares, &to.way[i], price, &to.way[i].front)


# --- values ----------------------------------------------------------------------------------------------------------


cdef void value_shops(const Sum* s, const int* price, int* best) noexcept nogil:
    """best[n]: the most that shops are worth beyond the price of their cubes, n of their squares covered."""
    cdef int[LOST_TOLD + 1] old
    cdef int i, n, color, worth, to
    for n in range(LOST_TOLD + 1):
        best[n] = NEVER if n else 0
    for i in range(s.shops):
        worth = UNIT * s.shop[i].points
        for color in range(COLORS):
            worth -= price[color] * s.shop[i].cubes[color]
        memcpy(old, best, sizeof(old))
        for n in range(LOST_TOLD + 1):
            best[n] = old[n] + max(0, worth)
        for n in range(LOST_TOLD + 1):
            to = min(n + s.shop[i].squares, LOST_TOLD)
            best[to] = max(best[to], old[n])
    for n in range(LOST_TOLD - 1, -1, -1):
        best[n] = max(best[n], best[n + 1])  # more covered than need be


cdef int value_rest(const Relaxation* r, const Sum* s, const int* price) noexcept nogil:
    """The value of what is in the warehouse, on waiters and on natas, less the payments."""
    cdef const Area* a = &r.p.area[0]
    cdef uint64_t rest = a.waiters
    cdef int color, cheapest = price[0], dearest = price[0], worth = UNIT * s.natas
    for color in range(COLORS):
        cheapest = min(cheapest, price[color])
        dearest = max(dearest, price[color])
        worth += price[color] * a.warehouse[color]
    while rest:
        if a.cubes[lowest(rest)]:
            worth += dearest
        rest &= rest - 1
    return worth + s.waiters * (dearest - cheapest) - s.paid * cheapest


cdef int value_to_come(const Relaxation* r, const Sum* s, const int* price, int round, const Way* w) noexcept nogil:
    """The most that a way can reach from a round on."""
    cdef Front front
    cdef Squares squares = s.squares
    cdef Sum one
    cdef int[LOST_TOLD + 1] shops
    cdef int i, color, cheapest = price[0], dearest = price[0], most, worth = 0
    copy(&front, &w.front)
    for color in range(COLORS):
        cheapest = min(cheapest, price[color])
        dearest = max(dearest, price[color])
    while round < r.plan.rounds:
        add_best(r.t, &r.plan, round, &squares)
        act(&squares, w, price, &front)
        most = 0
        for i in range(r.plan.choices[round]):
            memset(&one, 0, sizeof(Sum))
            take(r, round, i, &one)
            value_shops(&one, price, shops)
            most = max(most, shops[0] + UNIT * one.natas + one.waiters * (dearest - cheapest))
        worth += most
        round += 1
    return worth + brought_home(&front)


cdef int value_uncovered(const Relaxation* r, const int* price, const uint8_t* choice, int depth) noexcept nogil:
    """What no line with some cards can exceed if nothing is covered."""
    cdef Sum s = r.root
    cdef Way w
    cdef int[LOST_TOLD + 1] shops
    cdef int round
    start(r, price, &w)
    for round in range(depth):
        take(r, round, choice[round], &s)
        act(&s.squares, &w, price, &w.front)
    value_shops(&s, price, shops)
    return shops[0] + value_to_come(r, &s, price, depth, &w) + value_rest(r, &s, price)


cdef int value_covered(Relaxation* r, const int* price, const uint8_t* choice) noexcept nogil:
    """What no line with these cards can exceed."""
    cdef Sum s = r.root
    cdef Sum next
    cdef Ways* ways = &r.ways[0]
    cdef Ways* others = &r.ways[1]
    cdef int[LOST_TOLD + 1] shops
    cdef int round, i, best = NEVER
    ways.n = 1
    ways.lost = 0
    start(r, price, &ways.way[0])
    for round in range(r.plan.rounds):
        next = s
        take(r, round, choice[round], &next)
        cover(r, price, &s, &next, choice[round] < r.plan.choices[round], ways, others)
        ways, others = others, ways
        s = next
    value_shops(&s, price, shops)
    for i in range(ways.n):
        best = max(best, brought_home(&ways.way[i].front) + shops[ways.way[i].shops])
    return best + value_rest(r, &s, price)


# --- prices ----------------------------------------------------------------------------------------------------------


cdef int value(Relaxation* r, const Node* node, const int* price, bint covered) noexcept nogil:
    if covered:
        return value_covered(r, price, node.choice)
    return value_uncovered(r, price, node.choice, node.depth)


cdef void lower(Relaxation* r, Node* node, int step, bint covered, const Limits* limits) noexcept nogil:
    """Lower a node's bound by better prices: as long as that helps `step` goes from one colour to another.

    The warehouse scores twice its fewest cubes and once its second fewest: prices that sum to 3 points, none of them
    above 2, never fall short of that.
    """
    cdef int[COLORS] price
    cdef int i, j, worth, best, since = 0, pair = 0
    for i in range(COLORS):
        price[i] = node.price[i]
    best = value(r, node, price, covered)
    while since < COLORS * COLORS and not limits.stop and now() < limits.end:  # pairs tried in vain
        i = pair // COLORS
        j = pair % COLORS
        pair = (pair + 1) % (COLORS * COLORS)
        since += 1
        if i == j or price[i] + step > 2 * UNIT or price[j] < step:
            continue
        price[i] += step
        price[j] -= step
        worth = value(r, node, price, covered)
        if worth < best:
            best = worth
            since = 0
        else:
            price[i] -= step
            price[j] += step
    for i in range(COLORS):
        node.price[i] = price[i]
    node.bound = min(<int>node.bound, best)


# --- best first ------------------------------------------------------------------------------------------------------


cdef void push(Relaxation* r, const Node* node) noexcept nogil:
    cdef int i = r.n, above
    r.n += 1
    while i:
        above = (i - 1) // 2
        if r.heap[above].bound >= node.bound:
            break
        r.heap[i] = r.heap[above]
        i = above
    r.heap[i] = node[0]


cdef void pop(Relaxation* r, Node* top) noexcept nogil:
    cdef Node last
    cdef int i = 0, below
    top[0] = r.heap[0]
    r.n -= 1
    last = r.heap[r.n]
    while 2 * i + 1 < r.n:
        below = 2 * i + 1
        if below + 1 < r.n and r.heap[below + 1].bound > r.heap[below].bound:
            below += 1
        if r.heap[below].bound <= last.bound:
            break
        r.heap[i] = r.heap[below]
        i = below
    r.heap[i] = last


cdef void relax(Components components, ConstStatePtr state, uint32_t last, void* memory) noexcept nogil:
    cdef Relaxation* r = <Relaxation*>memory
    cdef Node root
    cdef int i
    r.t = <const Table*>components
    r.p = <const Position*>state
    look_ahead(r.p, last, &r.plan)
    sum_up(r.t, r.p, &r.root)
    r.actions = 0
    if r.p.step == STEP_ACT or r.p.step == STEP_GROW:
        r.actions = r.p.actions + (r.p.open != OPEN_NONE or r.p.step == STEP_GROW)
    r.n = 0
    memset(&root, 0, sizeof(root))
    root.bound = -NEVER
    for i in range(COLORS):
        root.price[i] = 3 * UNIT // COLORS
    push(r, &root)


cdef float tighten(void* memory, const Limits* limits, uint64_t* seen, bint* done) noexcept nogil:
    cdef Relaxation* r = <Relaxation*>memory
    cdef Node node
    cdef Node child
    cdef int[COLORS] price
    cdef int i
    while True:
        done[0] = r.heap[0].stage == FINAL or r.n + CHOICES > NODES
        if done[0] or limits.stop or seen[0] >= limits.nodes or now() >= limits.end:
            return r.heap[0].bound // UNIT
        pop(r, &node)
        if node.depth < r.plan.rounds:
            for i in range(choices_of(r, node.depth)):
                child = node
                child.choice[node.depth] = i
                child.depth += 1
                lower(r, &child, 2, False, limits)
                push(r, &child)
                seen[0] += 1
            continue
        node.stage += 1
        seen[0] += 1
        if node.stage == COVERED_ONCE:
            lower(r, &node, 1, False, limits)
            for i in range(COLORS):
                price[i] = node.price[i]
            node.bound = min(<int>node.bound, value_covered(r, price, node.choice))
        else:
            lower(r, &node, 1, True, limits)
        push(r, &node)


def values(State state, prices: list[int], choices: list[int]) -> list[int]:
    """Return what no line can exceed that takes the first 0, 1, ... of some cards, at fixed prices.

    In quarter points, as `prices`, one of each colour, are. choices: of the cards of each round to come, from 0 on.
    For tests: knowing more of the cards never raises a bound.
    """
    cdef Relaxation* r = <Relaxation*>calloc(1, sizeof(Relaxation))
    cdef int[COLORS] price
    cdef uint8_t[ROUNDS] choice
    cdef int i
    if r == NULL:
        raise MemoryError
    relax((<Game>state.game).native, state.data, ROUNDS, r)
    for i in range(COLORS):
        price[i] = prices[i]
    for i in range(r.plan.rounds):
        choice[i] = choices[i]
    found = [value_uncovered(r, price, choice, i) for i in range(r.plan.rounds + 1)]
    free(r)
    return found
