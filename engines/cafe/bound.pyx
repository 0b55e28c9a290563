"""Points that no play of a puzzle can exceed: see docs/solo.md for the proof.

The relaxation: all groups of a letter are one, nothing is ever covered, and of the cards of each round to come one may
be taken as far as its shops go, while its plantations, cups and drying squares are the most any card of the round has.
A cube reaches a shop or the warehouse by being grown, dried, roasted and delivered. What the actions left can bring
home of each colour, and in all, is a stock of cubes. A knapsack over shops (one card a round) and the best use of the
rest in the warehouse give the bound.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from cython_ext.game cimport Components, ConstStatePtr
from engines.cafe.scoring cimport Points, count_points
from engines.cafe.structs cimport (
    COLORS,
    DECK_MAX,
    DOUBLE,
    MAX_ACTIONS,
    NATA,
    NO_CARD,
    OPEN_NONE,
    ROUNDS,
    SACK,
    SQUARES,
    STEP_ACT,
    STEP_GROW,
    STEP_PLACE,
    STEP_TAKE,
    Area,
    Card,
    Position,
    Shop,
    Table,
    amount,
    card_at,
    cards_per_round,
    kind_at,
    lowest,
    ones,
    pile_color,
    pile_count,
    shop_at,
)

cdef enum:
    CHOICES = 4  # cards of a round
    STOCK = 160  # cubes that are told apart; more are taken for as many as can be
    ALL_ACTIONS = ROUNDS * MAX_ACTIONS + 1  # of a game, and an open one


# The cards of the rounds to come; one of each may be taken.
cdef struct Plan:
    int rounds
    int[ROUNDS] choices
    uint8_t[ROUNDS][CHOICES] card


# What can be brought home.
cdef struct Stock:
    int[COLORS] cubes  # of each colour
    int total


cdef float standing(Components components, ConstStatePtr state) noexcept nogil:
    cdef Points count
    count_points(<const Table*>components, <const Position*>state, &count)
    return count.total


cdef void look_ahead(const Position* p, uint32_t last, Plan* plan) noexcept nogil:
    """The cards that may still be taken."""
    cdef int i, first = 0, each = cards_per_round(p), left = min(<int>last, <int>ROUNDS) - p.round
    plan.rounds = 0
    if p.step == STEP_PLACE:
        plan.choices[0] = 1
        plan.card[0][0] = p.taken
        plan.rounds = 1
    elif p.step == STEP_TAKE:
        plan.choices[0] = p.offered
        for i in range(p.offered):
            plan.card[0][i] = p.offer[i]
        plan.rounds = 1
    while first < DECK_MAX and p.deck[first] == NO_CARD:
        first += 1
    while left > 0:
        plan.choices[plan.rounds] = each
        for i in range(each):
            plan.card[plan.rounds][i] = p.deck[first + i]
        first += each
        plan.rounds += 1
        left -= 1


# What an area with the best cards to come shows in a phase.
cdef struct Phase:
    int actions
    int plants  # cubes that all plantations take
    int[COLORS] color  # of one colour; a sack takes any
    int dryers
    int roasters


cdef void count_plants(const Table* t, const Card* card, uint64_t rest, Phase* f) noexcept nogil:
    """Add some plantations of a card."""
    cdef int cell, color, cubes
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        cubes = 2 if card.kind[cell] == DOUBLE else 1
        f.plants += cubes
        for color in range(COLORS):
            if card.kind[cell] == SACK or card.color[cell] == color:
                f.color[color] += cubes


cdef void foresee(const Table* t, const Position* p, const Plan* plan, Phase* phase) noexcept nogil:
    """The phases to come, the one in progress first; of each kind of square every round brings the most a card has."""
    cdef const Area* a = &p.area[0]
    cdef const Card* card
    cdef Phase one, most
    cdef int i, j, color, place, cups = a.cups, more_cups
    memset(phase, 0, sizeof(Phase))
    if p.step == STEP_ACT or p.step == STEP_GROW:
        phase.actions = p.actions + (p.open != OPEN_NONE or p.step == STEP_GROW)
    for place in range(a.cards):
        count_plants(t, &t.card[a.card[place]], a.plants >> (place * SQUARES) & 0x3F, phase)
    phase.dryers = ones(a.dryers)
    phase.roasters = ones(a.roasters)
    for j in range(plan.rounds):
        memset(&most, 0, sizeof(Phase))
        more_cups = 0
        for i in range(plan.choices[j]):
            card = &t.card[plan.card[j][i]]
            memset(&one, 0, sizeof(Phase))
            count_plants(t, card, card.plants, &one)
            most.plants = max(most.plants, one.plants)
            for color in range(COLORS):
                most.color[color] = max(most.color[color], one.color[color])
            most.dryers = max(most.dryers, ones(card.dryers))
            most.roasters = max(most.roasters, ones(card.roasters))
            more_cups = max(more_cups, ones(card.cups))
        cups += more_cups
        phase[j + 1] = phase[j]
        phase[j + 1].actions = min(cups, <int>MAX_ACTIONS)
        phase[j + 1].plants += most.plants
        phase[j + 1].dryers += most.dryers
        phase[j + 1].roasters += most.roasters
        for color in range(COLORS):
            phase[j + 1].color[color] += most.color[color]


cdef int wet_load(const Phase* f) noexcept nogil:
    """The most cubes one drying action moves: of as many colours as there are squares, each all that grow at once."""
    cdef int[COLORS] color
    cdef int i, j, load = 0
    for i in range(COLORS):
        color[i] = f.color[i]
        j = i
        while j and color[j - 1] < color[j]:
            color[j - 1], color[j] = color[j], color[j - 1]
            j -= 1
    for i in range(min(f.dryers, <int>COLORS)):
        load += color[i]
    return min(load, f.plants)


cdef int most_of_one(const Phase* f) noexcept nogil:
    cdef int color, most = 0
    for color in range(COLORS):
        most = max(most, f.color[color])
    return most


cdef void bring_home(const Table* t, const Position* p, const Plan* plan, Stock* s) noexcept nogil:
    """The most cubes the actions left can deliver.

    n cubes at the end ask for so many grows, dries, roasts and deliveries that what these can move adds up to n, each
    of them made as late as those that must still follow allow, when areas are largest.
    """
    cdef const Area* a = &p.area[0]
    cdef Phase[ROUNDS + 1] phase
    cdef int[4][ALL_ACTIONS + 1] moved  # by the last k grows, dries, roasts, deliveries
    cdef int[4] load
    cdef int[4] had  # cubes beyond these steps already
    cdef int[4] used  # actions
    cdef int i, j, k, color, loads, later, total, n
    memset(s, 0, sizeof(Stock))
    foresee(t, p, plan, phase)
    for i in range(4):
        moved[i][0] = 0
    total = later = 0
    used[0] = used[1] = used[2] = used[3] = 0  # so far, from the end
    for j in range(plan.rounds, -1, -1):
        total += phase[j].actions
        load[0] = phase[j].plants
        load[1] = wet_load(&phase[j])
        load[2] = phase[j].dryers * most_of_one(&phase[j]) if phase[j].roasters else 0
        load[3] = phase[j].roasters * load[2]
        for i in range(4):
            while used[i] < total - (3 - i):  # a dry, a roast and a delivery come after the last grow, and so on
                used[i] += 1
                moved[i][used[i]] = moved[i][used[i] - 1] + load[i]
        loads = max(0, (total - 2) // 2)  # grows with a dry of their own
        for color in range(COLORS):
            s.cubes[color] += (loads - later) * phase[j].color[color]
        later = loads
    had[3] = 0
    had[2] = add_piles(a, a.roasters, total >= 1, s)
    had[1] = had[2] + add_piles(a, a.dryers, total >= 2, s)
    had[0] = had[1] + add_piles(a, a.plants, total >= 3, s)
    if total >= 4 and not total & 1:  # no action is over for what has grown: it is part of the first load
        for color in range(COLORS):
            s.cubes[color] -= grown_of(a, color)
    n = most_of_one(&phase[0])
    had[2] += larger(a, a.dryers, n)  # than any pile to come
    had[3] += larger(a, a.roasters, n * phase[0].dryers)
    n = k = 0
    used[0] = used[1] = used[2] = used[3] = 0
    while n < STOCK - 1 and k <= total:
        for i in range(4):
            while k <= total and had[i] + moved[i][used[i]] < n + 1:
                used[i] += 1
                k += 1 if used[i] <= total - (3 - i) else total + 1
        n += k <= total
    s.total = n if total else 0
    for color in range(COLORS):
        s.cubes[color] += p.hand[color]
        s.total += p.hand[color]


cdef int larger(const Area* a, uint64_t cells, int size) noexcept nogil:
    """Cubes by which piles exceed a size."""
    cdef int cell, cubes = 0
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        cubes += max(0, pile_count(a.cubes[cell]) - size)
    return cubes


cdef int grown_of(const Area* a, int color) noexcept nogil:
    """Cubes of a colour on plantations."""
    cdef uint64_t rest = a.plants
    cdef int cell, cubes = 0
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.cubes[cell] and pile_color(a.cubes[cell]) == color:
            cubes += pile_count(a.cubes[cell])
    return cubes


cdef int add_piles(const Area* a, uint64_t cells, bint wanted, Stock* s) noexcept nogil:
    """Add the cubes on some squares to the stock of their colours, if they can come home; return how many there are."""
    cdef int cell, cubes = 0
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        if a.cubes[cell]:
            cubes += pile_count(a.cubes[cell])
            if wanted:
                s.cubes[pile_color(a.cubes[cell])] += pile_count(a.cubes[cell])
    return cubes


cdef inline int lacking(const Shop* shop, uint8_t cubes, const Stock* s) noexcept nogil:
    """Cubes a shop lacks, or STOCK where a colour cannot be had."""
    cdef int color, missing, total = 0
    for color in range(COLORS):
        missing = amount(shop.need, color) - amount(cubes, color)
        if missing > s.cubes[color]:
            return STOCK
        total += missing
    return total


cdef void serve_shops(const Table* t, const Position* p, const Plan* plan, const Stock* s, int* best) noexcept nogil:
    """best[n]: most points that shops not yet satisfied, and natas, give for n cubes (knapsack)."""
    cdef const Area* a = &p.area[0]
    cdef const Card* card
    cdef uint64_t rest = a.shops
    cdef int cell, cost, points, i, j, n, room = min(s.total, STOCK - 1), natas, first, second, count
    cdef int[STOCK] old
    cdef int[SQUARES] costs
    cdef int[SQUARES] gains
    memset(best, 0, STOCK * sizeof(int))
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        cost = lacking(shop_at(t, a, cell), a.cubes[cell], s)
        points = shop_at(t, a, cell).points
        if cost:
            for n in range(room, cost - 1, -1):
                best[n] = max(best[n], best[n - cost] + points)
    for j in range(plan.rounds):
        for n in range(room + 1):
            old[n] = best[n]
        for i in range(plan.choices[j]):
            card = &t.card[plan.card[j][i]]
            natas = 0
            for cell in range(SQUARES):
                natas += card.nata[cell]
            count = 0
            rest = card.shops
            while rest:
                cell = lowest(rest)
                rest &= rest - 1
                costs[count] = lacking(&card.shop[cell], 0, s)
                gains[count] = card.shop[cell].points
                count += 1
            for first in range(1 << count):
                cost = 0
                points = natas
                for second in range(count):
                    if first >> second & 1:
                        cost += costs[second]
                        points += gains[second]
                for n in range(room, cost - 1, -1):
                    best[n] = max(best[n], old[n - cost] + points)


cdef void fill_warehouse(const Table* t, const Position* p, const Plan* plan, const Stock* s, int* best) noexcept nogil:
    """best[n]: most points of the warehouse with n more cubes.

    A cube on a waiter counts as one of any colour; a free waiter may change the colour of one.
    """
    cdef const Area* a = &p.area[0]
    cdef uint64_t rest = a.waiters
    cdef int cell, color, other, i, j, n, filled = 0, wild = 0, least, second, cost, most
    cdef int room = min(s.total, STOCK - 1)
    cdef int[COLORS] have
    cdef int[COLORS] top
    memset(best, 0, STOCK * sizeof(int))
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        filled += a.cubes[cell] != 0
        wild += 1
    for j in range(plan.rounds):
        most = 0
        for i in range(plan.choices[j]):
            most = max(most, ones(t.card[plan.card[j][i]].waiters))
        wild += most
    for color in range(COLORS):
        have[color] = a.warehouse[color]
        top[color] = have[color] + s.cubes[color] + wild
    for color in range(COLORS):  # the colour with the fewest
        for least in range(top[color] + 1):
            for second in range(least, 2 * STOCK):
                cost = max(0, least - have[color]) - filled
                for other in range(COLORS):
                    if other != color:
                        cost += max(0, second - have[other])
                        if second > top[other]:
                            cost = STOCK
                if wild > filled:  # cubes of other colours may stand in: all that is in the warehouse counts as one
                    cost = least + 3 * second - filled - have[0] - have[1] - have[2] - have[3]
                    for other in range(COLORS):
                        if other != color and second > top[other]:
                            cost = STOCK
                cost = max(0, cost)
                if cost > room:
                    break
                best[cost] = max(best[cost], 2 * least + second)
            if max(0, least - have[color]) - filled > room:
                break
    for n in range(1, room + 1):
        best[n] = max(best[n], best[n - 1])


cdef int relaxed(const Table* t, const Position* p, const Plan* plan) noexcept nogil:
    """The bound where the cards that may be taken are these."""
    cdef const Area* a = &p.area[0]
    cdef Stock s
    cdef int[STOCK] shops
    cdef int[STOCK] store
    cdef uint64_t rest = a.shops
    cdef int cell, n, room, sure = 0, best = 0
    bring_home(t, p, plan, &s)
    serve_shops(t, p, plan, &s, shops)
    fill_warehouse(t, p, plan, &s, store)
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.cubes[cell] == shop_at(t, a, cell).need:
            sure += shop_at(t, a, cell).points
    if p.expresso:
        rest = a.visible
        while rest:
            cell = lowest(rest)
            rest &= rest - 1
            if kind_at(t, a, cell) == NATA:
                sure += card_at(t, a, cell).nata[cell % SQUARES]
    room = min(s.total, STOCK - 1)
    for n in range(room + 1):
        best = max(best, shops[n] + store[room - n])
    return sure + best


cdef float bound(Components components, ConstStatePtr state, uint32_t last) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef const Position* p = <const Position*>state
    cdef Plan plan
    look_ahead(p, last, &plan)
    return relaxed(t, p, &plan)
