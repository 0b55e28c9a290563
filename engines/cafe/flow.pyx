"""The course of a round: draft, auction, actions in turn; chance; the result."""
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from cython_ext.game cimport CHANCE, OVER, Components, ConstStatePtr, StatePtr
from cython_ext.rng cimport Rng, rng_below
from engines.cafe.actions cimport act, action_moves
from engines.cafe.geometry cimport place, placements
from engines.cafe.scoring cimport Points, count_points
from engines.cafe.structs cimport (
    BID,
    COLORS,
    DRAW,
    FIRST_EXPRESSO,
    FREE_SHIPS,
    MAX_ACTIONS,
    MOVES_MAX,
    NO_CARD,
    ORIGIN,
    PASS,
    PAY,
    PLACE,
    PLAYERS_MAX,
    REJECT,
    ROUNDS,
    STEP_ACT,
    STEP_AUCTION,
    STEP_DRAW,
    STEP_GROW,
    STEP_OVER,
    STEP_PAY,
    STEP_PLACE,
    STEP_TAKE,
    TAKE,
    TYPE_SHIFT,
    Area,
    Position,
    Table,
    bit,
    deck_left,
    lowest,
    offer_size,
    ones,
    player_in_turn,
    stored,
)

# --- draft -----------------------------------------------------------------------------------------------------------


cdef uint32_t draft_moves(const Table* t, const Position* p, uint32_t* out) noexcept nogil:
    cdef const Area* a = &p.area[p.header.to_move]
    cdef int i, color, card
    cdef uint32_t n = 0
    for i in range(p.offered):
        card = p.offer[i]
        if not t.card[card].cups or a.ships >= FREE_SHIPS:
            out[n] = TAKE | card << 3 | COLORS
            n += 1
            continue
        for color in range(COLORS):
            if a.warehouse[color]:
                out[n] = TAKE | card << 3 | color
                n += 1
    if n:
        return n
    for i in range(p.offered):  # nothing free on offer and nothing to pay with
        out[n] = REJECT | p.offer[i]
        n += 1
    return n


cdef void remove_offer(Position* p, int card) noexcept nogil:
    cdef int i = 0
    while p.offer[i] != card:
        i += 1
    p.offered -= 1
    while i < p.offered:
        p.offer[i] = p.offer[i + 1]
        i += 1
    p.offer[p.offered] = NO_CARD


cdef void draw(const Table* t, Position* p, int card) noexcept nogil:
    """A card comes to the offer; once that is full the draft or the auction goes on."""
    cdef int i = p.offered
    p.unseen &= ~bit(card)
    while i > 0 and p.offer[i - 1] > card:
        p.offer[i] = p.offer[i - 1]
        i -= 1
    p.offer[i] = card
    p.offered += 1
    if p.offered < offer_size(p):
        return
    if p.auction and p.turn == 0:
        p.step = STEP_AUCTION
        p.bidding = (1 << p.header.players) - 1
        p.header.to_move = p.master
    else:
        p.step = STEP_TAKE
        p.header.to_move = player_in_turn(p, p.turn)


cdef void draw_all(const Table* t, Position* p) noexcept nogil:
    """Go to the next draw; with an open deck the cards come by themselves."""
    cdef int next_place, card
    p.step = STEP_DRAW
    p.header.to_move = CHANCE
    while p.open_deck and p.step == STEP_DRAW:
        next_place = 0
        while p.deck[next_place] == NO_CARD:
            next_place += 1
        card = p.deck[next_place]
        p.deck[next_place] = NO_CARD
        draw(t, p, card)
        if not deck_left(p):
            p.open_deck = False  # nothing is left to know


cdef void picked(const Table* t, Position* p) noexcept nogil:
    """The next player picks, or the actions begin."""
    p.turn += 1
    if p.turn < p.header.players:
        if p.auction:
            p.step = STEP_TAKE
            p.header.to_move = player_in_turn(p, p.turn)
        else:
            draw_all(t, p)
        return
    p.offered = 0
    memset(p.offer, NO_CARD, sizeof(p.offer))
    p.turn = 0
    next_actions(t, p)


cdef void next_actions(const Table* t, Position* p) noexcept nogil:
    """The actions of the player number `turn`, or of the next one who has any; then the next round, or the end."""
    cdef int player
    while p.turn < p.header.players:
        player = player_in_turn(p, p.turn)
        if p.area[player].cups:
            p.step = STEP_ACT
            p.header.to_move = player
            p.actions = min(<int>p.area[player].cups, <int>MAX_ACTIONS)
            return
        p.turn += 1
    p.turn = 0
    if p.round == ROUNDS:
        p.step = STEP_OVER
        p.header.to_move = OVER
        return
    p.round += 1
    p.master = (p.master + 1) % p.header.players
    draw_all(t, p)


# --- auction ---------------------------------------------------------------------------------------------------------


cdef uint32_t pay_moves(const Position* p, uint32_t* out) noexcept nogil:
    """Colours to pay the next cube with; ascending, so that each way to pay is one sequence."""
    cdef const Area* a = &p.area[p.header.to_move]
    cdef int color, above = 0
    cdef uint32_t n = 0
    for color in range(p.pay_from, COLORS):
        above += a.warehouse[color]
    for color in range(p.pay_from, COLORS):
        if above >= p.owed and a.warehouse[color]:
            out[n] = PAY | color
            n += 1
        above -= a.warehouse[color]
    return n


cdef void draft_from_master(Position* p) noexcept nogil:
    p.bid = p.bidder = p.bidding = p.owed = p.pay_from = 0
    p.step = STEP_TAKE
    p.header.to_move = p.master


cdef void bid(Position* p, int cubes) noexcept nogil:
    """A bid, or 0 to pass."""
    cdef int player = p.header.to_move
    if cubes:
        p.bid = cubes
        p.bidder = player
    else:
        p.bidding &= ~(1 << player)
    if not p.bidding:
        draft_from_master(p)
    elif p.bid and ones(p.bidding) == 1:
        p.master = p.bidder
        p.owed = p.bid
        p.bid = p.bidder = p.bidding = 0
        p.step = STEP_PAY
        p.header.to_move = p.master
    else:
        player = (player + 1) % p.header.players
        while not p.bidding >> player & 1:
            player = (player + 1) % p.header.players
        p.header.to_move = player


# --- the table -------------------------------------------------------------------------------------------------------


cdef uint32_t legal_moves(Components components, ConstStatePtr state, uint32_t* out) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef const Position* p = <const Position*>state
    cdef int cubes, most
    cdef uint32_t n = 1
    if p.step == STEP_ACT or p.step == STEP_GROW:
        return action_moves(t, p, out)
    if p.step == STEP_TAKE:
        return draft_moves(t, p, out)
    if p.step == STEP_PLACE:
        return placements(t, &p.area[p.header.to_move], p.taken, out)
    if p.step == STEP_PAY:
        return pay_moves(p, out)
    out[0] = PASS
    most = stored(&p.area[p.header.to_move])
    for cubes in range(p.bid + 1, most + 1):
        out[n] = BID | cubes
        n += 1
    return n


cdef uint32_t outcomes(Components components, ConstStatePtr state, uint32_t* out, double* probability) noexcept nogil:
    """Each unseen Expresso card is next with the same chance; unseen plan cards, some removed, share the rest."""
    cdef const Position* p = <const Position*>state
    cdef uint64_t plan = p.unseen & (bit(FIRST_EXPRESSO) - 1), expresso = p.unseen >> FIRST_EXPRESSO
    cdef double each = 1.0 / (deck_left(p) + p.unknown_discards)
    cdef double rest = 1.0 - ones(expresso) * each
    cdef double plan_each = rest / ones(plan) if plan else 0.0
    cdef uint32_t n = 0
    if ones(expresso) < deck_left(p) + p.unknown_discards:
        while plan:
            out[n] = DRAW | lowest(plan)
            probability[n] = plan_each
            plan &= plan - 1
            n += 1
    while expresso:
        out[n] = DRAW | FIRST_EXPRESSO | lowest(expresso)
        probability[n] = each
        expresso &= expresso - 1
        n += 1
    return n


cdef inline int nth(uint64_t cards, uint32_t n) noexcept nogil:
    """The n-th member of a set, from 0."""
    while n:
        cards &= cards - 1
        n -= 1
    return lowest(cards)


cdef uint32_t sample(Components components, ConstStatePtr state, Rng* rng) noexcept nogil:
    cdef const Position* p = <const Position*>state
    cdef uint64_t plan = p.unseen & (bit(FIRST_EXPRESSO) - 1), expresso = p.unseen & ~plan
    cdef uint32_t number
    if expresso:
        number = rng_below(rng, deck_left(p) + p.unknown_discards)
        if number < <uint32_t>ones(expresso):
            return DRAW | nth(expresso, number)
    return DRAW | nth(plan, rng_below(rng, ones(plan)))


cdef void apply(Components components, StatePtr state, uint32_t move) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef Position* p = <Position*>state
    cdef uint32_t kind = move >> TYPE_SHIFT << TYPE_SHIFT, what = move & 0xFFFFFF
    cdef Area* a
    if kind == DRAW:
        draw(t, p, what)
        return
    a = &p.area[p.header.to_move]
    if kind == PLACE:
        place(t, a, p.taken, what >> 12, <int>(what >> 6 & 63) - ORIGIN, <int>(what & 63) - ORIGIN, p.supply)
        p.taken = NO_CARD
        picked(t, p)
    elif kind == TAKE:
        p.taken = what >> 3
        remove_offer(p, p.taken)
        if what & 7 < COLORS:
            a.warehouse[what & 7] -= 1
            p.supply[what & 7] += 1
        p.step = STEP_PLACE
    elif kind == REJECT:
        remove_offer(p, what)
        picked(t, p)
    elif kind == BID or kind == PASS:
        bid(p, what)
    elif kind == PAY:
        a.warehouse[what] -= 1
        p.supply[what] += 1
        p.owed -= 1
        p.pay_from = what
        if not p.owed:
            draft_from_master(p)
    elif act(t, p, move):
        p.turn += 1
        next_actions(t, p)


cdef void random_step(Components components, StatePtr state, Rng* rng) noexcept nogil:
    cdef uint32_t[MOVES_MAX] moves
    cdef uint32_t n
    if (<Position*>state).header.to_move == CHANCE:
        apply(components, state, sample(components, state, rng))
        return
    n = legal_moves(components, state, moves)
    apply(components, state, moves[rng_below(rng, n)])


cdef void returns(Components components, ConstStatePtr state, float* win, float* score) noexcept nogil:
    cdef const Position* p = <const Position*>state
    cdef Points[PLAYERS_MAX] points
    cdef int[PLAYERS_MAX] key
    cdef int player, best = -1, winners = 0
    count_points(<const Table*>components, p, points)
    for player in range(p.header.players):
        key[player] = points[player].total << 20 | points[player].roasted << 10 | points[player].dried
        best = max(best, key[player])
    for player in range(p.header.players):
        winners += key[player] == best
    for player in range(p.header.players):
        win[player] = 1.0 / winners if key[player] == best else 0.0
        score[player] = points[player].total
