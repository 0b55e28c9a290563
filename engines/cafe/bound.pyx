"""Points that no play of a puzzle can exceed: see docs/solo.md for the proof.

The relaxation: all groups of a letter are one, see schedule.pyx; what a card covers is chosen square by square among
all there are, wherever they lie; and a cube that is home may still go to any shop. With few rounds to come
every way to take one card of each and to cover two squares for it is looked at. With more, all cards of a round are
taken as one that has the most of each kind, and covers nothing; only of the shops one card a round counts. The cubes
that can be brought home, a knapsack over shops and the best use of the rest in the warehouse give the points.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from cython_ext.game cimport Components, ConstStatePtr
from engines.cafe.schedule cimport (
    ROASTERS_TOLD,
    Front,
    Phase,
    brought_home,
    can_be,
    clear,
    copy,
    run_phase,
)
from engines.cafe.scoring cimport Points, count_points
from engines.cafe.structs cimport (
    AREA_CARDS,
    CELLS,
    COLORS,
    DECK_MAX,
    DOUBLE,
    FREE_SHIPS,
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
    STOCK = 160  # cubes that are told apart; more are taken for as many as can be
    LOOK_AHEAD = 2  # rounds to come in which cards are looked at one by one
    SMALL = 3  # cards of an area for which it is one round more
    COVERED = 2  # squares a card covers at least
    IMPOSSIBLE = -10_000  # points
    GIVEN_UP = 4  # squares of shops given up that are told apart


# What can be brought home.
cdef struct Stock:
    int[COLORS] cubes  # of each colour
    int total


# A way to take and to cover, as far as it has come.
cdef struct Way:
    const Table* t
    const Position* p
    const Plan* plan
    bint first
    bint one_by_one  # cards are looked at, and what they cover
    uint8_t[ROUNDS] card  # taken, NO_CARD for none
    int[ROUNDS + 1] actions  # of the phases, the one in progress first
    int[ROUNDS + 1][COLORS] color  # cubes of each colour that grow at once
    int paid  # cubes
    int given_up  # squares of shops
    int best  # points of any way


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


# --- what there is ---------------------------------------------------------------------------------------------------


cdef void add_plants(const Card* card, uint64_t rest, Squares* s) noexcept nogil:
    """Add some plantations of a card."""
    cdef int cell, color, cubes
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        cubes = 2 if card.kind[cell] == DOUBLE else 1
        s.plants += cubes
        for color in range(COLORS):
            if card.kind[cell] == SACK or card.color[cell] == color:
                s.color[color] += cubes


cdef int shop_squares(const Card* card, uint64_t shops) noexcept nogil:
    cdef int squares = 0
    while shops:
        squares += ones(card.shop[lowest(shops)].squares)
        shops &= shops - 1
    return squares


cdef void add_card(const Card* card, Squares* s) noexcept nogil:
    cdef int shops = shop_squares(card, card.shops)
    add_plants(card, card.plants, s)
    s.dryers += ones(card.dryers)
    s.roasters += ones(card.roasters)
    s.cups += ones(card.cups)
    s.ships += ones(card.ships)
    s.shops += shops
    s.dead += SQUARES - shops - ones(card.plants) - ones(card.dryers) - ones(card.roasters) - ones(card.cups)


cdef void add_best(const Table* t, const Plan* plan, int round, Squares* s) noexcept nogil:
    """Add a card with the most of each kind that any card of a round has."""
    cdef Squares most
    cdef Squares one
    cdef int i, color
    memset(&most, 0, sizeof(most))
    for i in range(plan.choices[round]):
        memset(&one, 0, sizeof(one))
        add_card(&t.card[plan.card[round][i]], &one)
        most.plants = max(most.plants, one.plants)
        most.dryers = max(most.dryers, one.dryers)
        most.roasters = max(most.roasters, one.roasters)
        most.cups = max(most.cups, one.cups)
        for color in range(COLORS):
            most.color[color] = max(most.color[color], one.color[color])
    s.plants += most.plants
    s.dryers += most.dryers
    s.roasters += most.roasters
    s.cups += most.cups
    for color in range(COLORS):
        s.color[color] += most.color[color]


cdef void count_squares(const Table* t, const Area* a, Squares* s) noexcept nogil:
    cdef int place
    cdef const Card* card
    memset(s, 0, sizeof(Squares))
    for place in range(a.cards):
        card = &t.card[a.card[place]]
        add_plants(card, a.plants >> (place * SQUARES) & 0x3F, s)
        s.shops += shop_squares(card, a.shops >> (place * SQUARES) & 0x3F)
    s.dryers = ones(a.dryers)
    s.roasters = ones(a.roasters)
    s.cups = a.cups
    s.ships = a.ships
    s.dead = ones(a.visible & ~(a.plants | a.dryers | a.roasters)) - s.cups - s.shops


cdef void count_cubes(const Area* a, uint64_t cells, int* of_color) noexcept nogil:
    """Cubes on some squares by colour."""
    cdef int cell, color
    for color in range(COLORS):
        of_color[color] = 0
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        if a.cubes[cell]:
            of_color[pile_color(a.cubes[cell])] += pile_count(a.cubes[cell])


cdef void most_of(const int* piles, int n, int wanted, int* most) noexcept nogil:
    """most[k]: sum of the k largest of some piles, k from 0 to `wanted`."""
    cdef int[SQUARES * AREA_CARDS] sorted
    cdef int i, j
    for i in range(n):
        j = i
        while j and sorted[j - 1] < piles[i]:
            sorted[j] = sorted[j - 1]
            j -= 1
        sorted[j] = piles[i]
    most[0] = 0
    for i in range(wanted):
        most[i + 1] = most[i] + (sorted[i] if i < n else 0)


cdef void begin(const Area* a, const int* price, Front* f) noexcept nogil:
    """What lies on the area may come home, or may be discarded; dried cubes of a colour occupy one square only.

    price: what a cube of each colour counts.
    """
    cdef int[COLORS] color
    cdef int[COLORS + 1] grown
    cdef int[COLORS + 1] dried
    cdef int[SQUARES * AREA_CARDS] piles
    cdef int[ROASTERS_TOLD + 1] roasted
    cdef uint64_t rest = a.roasters
    cdef int n = 0, i, j, k, cell, more = 0
    clear(f)
    count_cubes(a, a.plants, color)
    for i in range(COLORS):
        color[i] *= price[i]
    most_of(color, COLORS, COLORS, grown)
    count_cubes(a, a.dryers, color)
    for i in range(COLORS):
        color[i] *= price[i]
    most_of(color, COLORS, COLORS, dried)
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if a.cubes[cell]:
            piles[n] = pile_count(a.cubes[cell]) * price[pile_color(a.cubes[cell])]
            n += 1
    most_of(piles, n, ROASTERS_TOLD, roasted)
    for i in range(n):
        more += piles[i]
    roasted[ROASTERS_TOLD] = more  # whatever more there are
    for i in range(COLORS + 1):
        for j in range(COLORS + 1):
            for k in range(min(n, <int>ROASTERS_TOLD) + 1):
                if (not i or grown[i] > grown[i - 1]) and (not j or dried[j] > dried[j - 1]):
                    can_be(f, i, j, k, grown[i] + dried[j] + roasted[k])


cdef int largest_group(const Area* a, uint64_t cells) noexcept nogil:
    cdef uint8_t[CELLS] sizes
    cdef int most = 0
    memset(sizes, 0, sizeof(sizes))
    while cells:
        sizes[a.group[lowest(cells)]] += 1
        most = max(most, <int>sizes[a.group[lowest(cells)]])
        cells &= cells - 1
    return most


cdef void limit_groups(const Area* a, Phase* phase) noexcept nogil:
    """Within a phase no groups are joined: one action goes to the largest one at best."""
    phase.dried = min(largest_group(a, a.dryers), <int>COLORS)
    phase.roasted = min(largest_group(a, a.roasters), <int>COLORS)


# --- ways to take and to cover ---------------------------------------------------------------------------------------


cdef void note_phase(Way* w, int number, int actions, const Squares* s, Front* f) noexcept nogil:
    """Make the actions of a phase."""
    cdef Phase phase
    cdef int color
    phase.actions = w.actions[number] = actions
    phase.dryers = s.dryers
    phase.roasters = s.roasters
    phase.dried = phase.roasted = COLORS
    if not number:
        limit_groups(&w.p.area[0], &phase)
    most_of(s.color, COLORS, COLORS, phase.growth)
    for color in range(COLORS):
        w.color[number][color] = min(s.color[color], s.plants)
        phase.growth[color + 1] = min(phase.growth[color + 1], s.plants)
    run_phase(f, &phase)


cdef void go_on(Way* w, int round, const Squares* s, const Front* f) noexcept nogil:
    """Look at all ways from the placement of a round on."""
    cdef Squares squares
    cdef Front front
    cdef int i, cups = 0, paid = w.paid
    cdef const Card* card
    if round == w.plan.rounds:
        w.best = max(w.best, most_points(w, f))
        return
    if not w.one_by_one:
        squares = s[0]
        copy(&front, f)
        add_best(w.t, w.plan, round, &squares)
        note_phase(w, round + 1, min(squares.cups, <int>MAX_ACTIONS), &squares, &front)
        go_on(w, round + 1, &squares, &front)
        return
    for i in range(w.plan.choices[round]):
        w.card[round] = w.plan.card[round][i]
        card = &w.t.card[w.card[round]]
        if card.cups:
            cups += 1
            if s.ships < FREE_SHIPS and (round or w.p.step != STEP_PLACE):
                w.paid += 1
        cover(w, round, s, f)
        w.paid = paid
    if cups == w.plan.choices[round] and (round or w.p.step != STEP_PLACE):  # for want of a cube none may be placed
        w.card[round] = NO_CARD
        copy(&front, f)
        note_phase(w, round + 1, min(s.cups, <int>MAX_ACTIONS), s, &front)
        go_on(w, round + 1, s, &front)


cdef void cover(Way* w, int round, const Squares* s, const Front* f) noexcept nogil:
    """Place a card; it covers what is of no use as long as there is any, else what it may be."""
    cdef Squares squares
    cdef Front front
    cdef int loss = max(0, COVERED - s.dead), plants, dryers, roasters, cups, shops
    for plants in range(min(loss, s.plants) + 1):
        for dryers in range(min(loss - plants, s.dryers) + 1):
            for roasters in range(min(loss - plants - dryers, s.roasters) + 1):
                for cups in range(min(loss - plants - dryers - roasters, s.cups) + 1):
                    shops = loss - plants - dryers - roasters - cups
                    if shops > s.shops:
                        continue
                    squares = s[0]
                    squares.plants -= plants
                    squares.dryers -= dryers
                    squares.roasters -= roasters
                    squares.cups -= cups
                    squares.shops -= shops
                    squares.dead -= COVERED - loss
                    add_card(&w.t.card[w.card[round]], &squares)
                    copy(&front, f)
                    w.given_up += shops
                    note_phase(w, round + 1, min(squares.cups, <int>MAX_ACTIONS), &squares, &front)
                    go_on(w, round + 1, &squares, &front)
                    w.given_up -= shops


# --- points ----------------------------------------------------------------------------------------------------------


cdef void count_stock(const Way* w, const Front* f, Stock* s) noexcept nogil:
    """The most cubes that can be brought home.

    Of one colour: n actions are (n - 2) / 2 growings at most that are dried separately, each made as late as the
    actions that must follow allow, when areas are largest.
    """
    cdef const Area* a = &w.p.area[0]
    cdef int[COLORS] lying
    cdef int j, color, loads, later = 0, total = 0
    s.total = brought_home(f)
    memset(s.cubes, 0, sizeof(s.cubes))
    for j in range(w.plan.rounds, -1, -1):
        total += w.actions[j]
        loads = max(0, (total - 2) // 2)
        for color in range(COLORS):
            s.cubes[color] += (loads - later) * w.color[j][color]
        later = loads
    if total >= 3 and total & 1:  # else no action is over for what has grown: it is part of the first load
        count_cubes(a, a.plants, lying)
        for color in range(COLORS):
            s.cubes[color] += lying[color]
    if total >= 2:
        count_cubes(a, a.dryers, lying)
        for color in range(COLORS):
            s.cubes[color] += lying[color]
    if total >= 1:
        count_cubes(a, a.roasters, lying)
        for color in range(COLORS):
            s.cubes[color] += lying[color]
    for color in range(COLORS):
        if w.first:
            s.cubes[color] += w.p.hand[color]
            s.total += w.p.hand[color]


cdef inline int lacking(const Shop* shop, uint8_t cubes, const Stock* s) noexcept nogil:
    """Cubes a shop lacks, or STOCK where a colour cannot be had."""
    cdef int color, missing, total = 0
    for color in range(COLORS):
        missing = amount(shop.need, color) - amount(cubes, color)
        if missing > s.cubes[color]:
            return STOCK
        total += missing
    return total


# most[g][n]: most points of shops for n cubes if shops with g squares are given up, GIVEN_UP for more; below 0 where
# there are none.
cdef struct Served:
    int[GIVEN_UP + 1][STOCK] most
    int given_up
    int room  # cubes


cdef void add_shop(Served* v, const Shop* shop, int cost) noexcept nogil:
    """Serve a shop, or give it up."""
    cdef Served old
    cdef int g, n, to
    for g in range(v.given_up + 1):
        for n in range(v.room + 1):
            old.most[g][n] = v.most[g][n]
            v.most[g][n] = v.most[g][n] + shop.points if cost == 0 else IMPOSSIBLE
        if cost:
            for n in range(cost, v.room + 1):
                v.most[g][n] = old.most[g][n - cost] + shop.points
    for g in range(v.given_up + 1):
        to = min(g + ones(shop.squares), v.given_up)
        for n in range(v.room + 1):
            v.most[to][n] = max(v.most[to][n], old.most[g][n])


cdef void add_any(const Table* t, const Plan* plan, int round, const Stock* s, Served* v) noexcept nogil:
    """Serve shops of one card of a round."""
    cdef int[STOCK] old
    cdef int[SQUARES] costs
    cdef int[SQUARES] gains
    cdef const Card* card
    cdef int i, n, count, some, j, cost, points
    cdef uint64_t rest
    for n in range(v.room + 1):
        old[n] = v.most[0][n]
    for i in range(plan.choices[round]):
        card = &t.card[plan.card[round][i]]
        count = 0
        rest = card.shops
        while rest:
            costs[count] = lacking(&card.shop[lowest(rest)], 0, s)
            gains[count] = card.shop[lowest(rest)].points
            rest &= rest - 1
            count += 1
        for some in range(1 << count):
            cost = 0
            points = natas_of(card)
            for j in range(count):
                if some >> j & 1:
                    cost += costs[j]
                    points += gains[j]
            for n in range(cost, v.room + 1):
                v.most[0][n] = max(v.most[0][n], old[n - cost] + points)


cdef int natas_of(const Card* card) noexcept nogil:
    cdef int i, points = 0
    for i in range(SQUARES):
        points += card.nata[i]
    return points


cdef void serve_shops(const Way* w, const Stock* s, Served* v) noexcept nogil:
    """The most points of shops and natas."""
    cdef const Area* a = &w.p.area[0]
    cdef const Card* card
    cdef uint64_t rest = a.shops
    cdef int cell, n, g, j, sure = 0
    v.given_up = min(w.given_up, <int>GIVEN_UP)
    v.room = min(s.total, STOCK - 1)
    if w.p.expresso:
        rest = a.visible
        while rest:
            cell = lowest(rest)
            rest &= rest - 1
            if kind_at(w.t, a, cell) == NATA:
                sure += card_at(w.t, a, cell).nata[cell % SQUARES]
        for j in range(w.plan.rounds):
            if w.one_by_one and w.card[j] != NO_CARD:
                sure += natas_of(&w.t.card[w.card[j]])
    for g in range(v.given_up + 1):
        for n in range(v.room + 1):
            v.most[g][n] = IMPOSSIBLE if g else sure
    rest = a.shops
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        add_shop(v, shop_at(w.t, a, cell), lacking(shop_at(w.t, a, cell), a.cubes[cell], s))
    for j in range(w.plan.rounds):
        if not w.one_by_one:
            add_any(w.t, w.plan, j, s, v)
        elif w.card[j] != NO_CARD:
            card = &w.t.card[w.card[j]]
            rest = card.shops
            while rest:
                add_shop(v, &card.shop[lowest(rest)], lacking(&card.shop[lowest(rest)], 0, s))
                rest &= rest - 1


cdef void fill_warehouse(const Way* w, const Stock* s, int* best) noexcept nogil:
    """best[n]: most points of the warehouse with n more cubes, those still to be paid taken out.

    A cube on a waiter counts as one of any colour; a free waiter may change the colour of one.
    """
    cdef const Area* a = &w.p.area[0]
    cdef uint64_t rest = a.waiters
    cdef int color, other, i, j, n, filled = 0, wild = 0, least, second, cost, most, have = 0
    cdef int room = min(s.total, STOCK - 1)
    cdef int[COLORS] top
    while rest:
        filled += a.cubes[lowest(rest)] != 0
        wild += 1
        rest &= rest - 1
    if w.p.expresso:
        for j in range(w.plan.rounds):
            most = 0
            for i in range(w.plan.choices[j]):
                most = max(most, ones(w.t.card[w.plan.card[j][i]].waiters))
            wild += most
    for color in range(COLORS):
        have += a.warehouse[color]
        top[color] = a.warehouse[color] + s.cubes[color] + wild
    for n in range(room + 1):
        best[n] = 0
    for color in range(COLORS):  # the colour with the fewest
        for least in range(top[color] + 1):
            for second in range(least, 2 * STOCK):
                cost = max(0, least - a.warehouse[color])
                for other in range(COLORS):
                    if other != color:
                        cost += max(0, second - a.warehouse[other])
                        if second > top[other]:
                            cost = 2 * STOCK
                # Where cubes of other colours may stand in all that is in the warehouse counts as one.
                if wild > filled and cost < 2 * STOCK:
                    cost = 0
                cost = max(0, cost - filled, least + 3 * second + w.paid - filled - have)
                if cost > room:
                    break
                best[cost] = max(best[cost], 2 * least + second)
            if max(0, least - a.warehouse[color]) - filled > room:
                break
    for n in range(1, room + 1):
        best[n] = max(best[n], best[n - 1])


cdef int most_points(const Way* w, const Front* f) noexcept nogil:
    """The most points of a way."""
    cdef Stock s
    cdef Served shops
    cdef int[STOCK] store
    cdef int n, best = 0
    count_stock(w, f, &s)
    serve_shops(w, &s, &shops)
    fill_warehouse(w, &s, store)
    for n in range(shops.room + 1):
        best = max(best, shops.most[shops.given_up][n] + store[shops.room - n])
    return best


cdef float bound(Components components, ConstStatePtr state, uint32_t last, bint first) noexcept nogil:
    cdef Way w
    cdef Plan plan
    cdef Squares squares
    cdef Front front
    cdef int[COLORS] one
    cdef int actions = 0, i
    w.t = <const Table*>components
    w.p = <const Position*>state
    w.plan = &plan
    w.first = first
    w.paid = w.given_up = w.best = 0
    look_ahead(w.p, last, &plan)
    w.one_by_one = plan.rounds <= LOOK_AHEAD + (w.p.area[0].cards <= SMALL)
    count_squares(w.t, &w.p.area[0], &squares)
    for i in range(COLORS):
        one[i] = 1
    begin(&w.p.area[0], one, &front)
    if w.p.step == STEP_ACT or w.p.step == STEP_GROW:
        actions = w.p.actions + (first and w.p.open != OPEN_NONE or w.p.step == STEP_GROW)
    note_phase(&w, 0, actions, &squares, &front)
    go_on(&w, 0, &squares, &front)
    return w.best
