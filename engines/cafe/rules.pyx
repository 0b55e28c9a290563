"""Native rules of Café: the course of a round, chance, the native component table, and access for Python."""
from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from cython_ext.game cimport CHANCE, OVER, Components, ConstStatePtr, Game, State, StatePtr
from cython_ext.rng cimport Random, Rng, rng_below, rng_unit
from engines.cafe.actions cimport act, action_moves, continuations
from engines.cafe.geometry cimport place, placements
from engines.cafe.scoring cimport Points, count_points
from engines.cafe.structs cimport (
    AREA_CARDS,
    BID,
    CARDS,
    CELLS,
    COLORS,
    CUP,
    DECK_MAX,
    DOUBLE,
    DRAW,
    DRY,
    EXPRESSO_CARDS,
    FIRST_EXPRESSO,
    FIRST_START,
    FREE_SHIPS,
    MAX_ACTIONS,
    MOVES_MAX,
    NATA,
    NO_CARD,
    OFFER_MAX,
    ORIGIN,
    PASS,
    PAY,
    PLACE,
    PLANTATION,
    PLAYERS_MAX,
    REJECT,
    ROAST,
    ROUNDS,
    SACK,
    SHIP,
    SHOP,
    SQUARES,
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
    WAITER,
    Area,
    Card,
    Position,
    Table,
    bit,
    column_at,
    deck_left,
    kind_at,
    lowest,
    offer_size,
    ones,
    pile,
    pile_color,
    pile_count,
    player_in_turn,
    row_at,
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
    cdef int place, card
    p.step = STEP_DRAW
    p.header.to_move = CHANCE
    while p.open_deck and p.step == STEP_DRAW:
        place = 0
        while p.deck[place] == NO_CARD:
            place += 1
        card = p.deck[place]
        p.deck[place] = NO_CARD
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
    """Each unseen Expresso card is next with the same chance; unseen plan cards, some of them removed, share the rest."""
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


# --- Python ----------------------------------------------------------------------------------------------------------


cdef class CafeGame(Game):
    """Café's rules with a component set loaded; cards are numbered as in CafeComponents.cards."""

    cdef Table cards

    def __cinit__(self):
        self.table.state_size = sizeof(Position)
        self.table.moves_max = MOVES_MAX
        self.table.legal_moves = legal_moves
        self.table.outcomes = outcomes
        self.table.sample = sample
        self.table.apply = apply
        self.table.random_step = random_step
        self.table.returns = returns
        self.native = &self.cards

    def __init__(self, components: object) -> None:
        super().__init__(components)
        load(&self.cards, components.contents)

    def initial(
        self, players: int, starts: list[int], master: int, auction: bool, expresso: bool, deck: list[int] | None = None
    ) -> State:
        """Return the first position.

        starts: start card number (56 to 59) per player; master: the player from 0 with the coffee master;
        deck: an open deck (solo only), all its cards from the first one on.
        """
        cdef State state = self.new_state()
        cdef Position* p = <Position*>state.data
        empty(p, &self.cards, players)
        p.auction = auction
        p.expresso = expresso
        p.master = master
        p.unseen = bit(FIRST_EXPRESSO + EXPRESSO_CARDS if expresso else FIRST_EXPRESSO) - 1
        for player, card in enumerate(starts):
            place(&self.cards, &p.area[<int>player], card, 0, 0, 0, p.supply)
            for color in range(COLORS):
                p.area[<int>player].warehouse[<int>color] = 1
        for color in range(COLORS):
            p.supply[<int>color] -= players
        if deck is not None:
            p.open_deck = True
            for index, card in enumerate(deck):
                p.deck[<int>index] = card
        draw_all(&self.cards, p)
        return state

    def read(self, State state) -> dict[str, object]:
        """Return the position as plain values: the fields of Position, and of Area per player under "areas"."""
        cdef Position* p = <Position*>state.data
        return {
            "players": p.header.players, "to_move": p.header.to_move, "step": p.step, "round": p.round,
            "master": p.master, "turn": p.turn, "auction": bool(p.auction), "expresso": bool(p.expresso),
            "open_deck": bool(p.open_deck), "unknown_discards": p.unknown_discards,
            "offer": [p.offer[i] for i in range(p.offered)],
            "taken": None if p.taken == NO_CARD else p.taken,
            "bid": p.bid, "bidder": p.bidder, "bidding": [i for i in range(PLAYERS_MAX) if p.bidding >> i & 1],
            "owed": p.owed, "pay_from": p.pay_from, "actions": p.actions, "open": p.open, "open_cell": p.open_cell,
            "open_used": [i for i in range(CELLS) if p.open_used & bit(i)], "hand": list(p.hand[:COLORS]),
            "grow_cell": p.grow_cell, "exhaust": [c for c in range(COLORS) if p.exhaust >> c & 1],
            "supply": list(p.supply[:COLORS]), "deck": [card for card in p.deck[:DECK_MAX] if card != NO_CARD],
            "unseen": [i for i in range(CARDS) if p.unseen & bit(i)],
            "deck_left": deck_left(p), "offer_size": offer_size(p),
            "areas": [describe_area(&self.cards, &p.area[i]) for i in range(p.header.players)],
        }  # fmt: skip

    def build(self, fields: dict[str, object]) -> State:
        """Return the position with the given fields, the reverse of `read`.

        The fields must describe a possible position; what follows from others ("supply", "visible", "group" ...) is
        not read.
        """
        cdef State state = self.new_state()
        cdef Position* p = <Position*>state.data
        cdef int i, cell
        cdef uint8_t[COLORS] nowhere  # nothing lies on the cards yet
        empty(p, &self.cards, fields["players"])
        p.header.to_move = fields["to_move"]
        p.step = fields["step"]
        p.round = fields["round"]
        p.master = fields["master"]
        p.turn = fields["turn"]
        p.auction = fields["auction"]
        p.expresso = fields["expresso"]
        p.open_deck = fields["open_deck"]
        p.unknown_discards = fields["unknown_discards"]
        for card in sorted(fields["offer"]):
            p.offer[p.offered] = card
            p.offered += 1
        if fields["taken"] is not None:
            p.taken = fields["taken"]
        p.bid = fields["bid"]
        p.bidder = fields["bidder"]
        for player in fields["bidding"]:
            p.bidding |= 1 << <int>player
        p.owed = fields["owed"]
        p.pay_from = fields["pay_from"]
        p.actions = fields["actions"]
        p.open = fields["open"]
        p.open_cell = fields["open_cell"]
        for cell in fields["open_used"]:
            p.open_used |= bit(cell)
        p.grow_cell = fields["grow_cell"]
        for color in fields["exhaust"]:
            p.exhaust |= 1 << <int>color
        for card in fields["unseen"]:
            p.unseen |= bit(card)
        size = DECK_MAX if p.expresso else DECK_MAX - EXPRESSO_CARDS  # of a solo deck
        for i, card in enumerate(fields["deck"]):
            p.deck[<int>size - <int>len(fields["deck"]) + i] = card
        for i, area in enumerate(fields["areas"]):
            for card, row, column, rotation in area["cards"]:
                place(&self.cards, &p.area[i], card, rotation, row, column, nowhere)
            for cell, cubes in area["cubes"].items():
                set_cubes(p, &p.area[i], cell, cubes)
            for color in range(COLORS):
                p.area[i].warehouse[<int>color] = area["warehouse"][color]
                p.supply[<int>color] -= p.area[i].warehouse[<int>color]
        for color in range(COLORS):
            p.hand[<int>color] = fields["hand"][color]
        return state

    def goes_on(self, State state) -> bool:
        """Return whether the open action of a position has a continuation."""
        cdef uint32_t[MOVES_MAX] moves
        return continuations(&self.cards, <Position*>state.data, moves) > 0

    def score(self, State state) -> list[dict[str, int]]:
        """Return shops, natas, warehouse, waiters and total as the position stands, per player; also the cubes roasted
        and dried, which break ties."""
        cdef Points[PLAYERS_MAX] points
        cdef Position* p = <Position*>state.data
        count_points(&self.cards, p, points)
        return [points[i] for i in range(p.header.players)]


cdef void empty(Position* p, const Table* t, int players):
    """A position before anything is laid out."""
    p.header.players = players
    p.header.to_move = CHANCE
    p.step = STEP_DRAW
    p.round = 1
    p.taken = NO_CARD
    memset(p.offer, NO_CARD, sizeof(p.offer))
    memset(p.deck, NO_CARD, sizeof(p.deck))
    memset(p.supply, t.cubes, sizeof(p.supply))


cdef void set_cubes(Position* p, Area* a, int cell, object cubes):
    """Put cubes, a count per colour, on a square and take them from the supply."""
    cdef int color, count
    for color in range(COLORS):
        count = cubes[color]
        p.supply[color] -= count
        if a.shops & bit(cell):
            a.cubes[cell] |= count << (2 * color)
        else:
            a.cubes[cell] |= pile(count, color)


cdef dict describe_area(const Table* t, const Area* a):
    """An area as plain values: `cubes` counts per colour by cell, `visible` (kind, row, column) by cell."""
    cdef int cell, color
    cubes = {}
    visible = {}
    for cell in range(CELLS):
        if not a.visible & bit(cell):
            continue
        visible[cell] = (kind_at(t, a, cell), row_at(t, a, cell), column_at(t, a, cell))
        if a.cubes[cell]:
            if a.shops & bit(cell):
                cubes[cell] = [a.cubes[cell] >> (2 * color) & 3 for color in range(COLORS)]
            else:
                cubes[cell] = [
                    pile_count(a.cubes[cell]) if pile_color(a.cubes[cell]) == color else 0 for color in range(COLORS)
                ]
    letters = a.plants | a.dryers | a.roasters
    return {
        "cards": [(a.card[i], a.row[i], a.column[i], a.rotation[i]) for i in range(a.cards)],
        "cubes": cubes,
        "visible": visible,
        "group": {cell: a.group[cell] for cell in range(CELLS) if letters & bit(cell)},
        "shops": [cell for cell in range(CELLS) if a.shops & bit(cell)],
        "warehouse": list(a.warehouse[:COLORS]),
        "cups": a.cups,
        "ships": a.ships,
    }


cdef void load(Table* t, object contents):
    """Fill the native table from CafeComponents."""
    cdef int index, square, row, column, color
    kinds = ("empty", "plantation", "double", "sack", "dry", "roast", "shop", "waiter", "cup", "ship", "nata")
    t.cubes = contents.cubes
    for square in range(SQUARES):
        row = square // 3
        column = square % 3
        t.down[0][square], t.right[0][square] = row, column
        t.down[1][square], t.right[1][square] = column, 1 - row
        t.down[2][square], t.right[2][square] = 1 - row, 2 - column
        t.down[3][square], t.right[3][square] = 2 - column, row
    for index, card in enumerate(contents.cards):
        t.card[index].symmetric = card.symmetric
        for square, face in enumerate(card.squares):
            kind = kinds.index(face.kind)
            t.card[index].kind[square] = kind
            t.card[index].color[square] = face.color
            t.card[index].nata[square] = face.points
            mask = 1 << square
            if kind in (PLANTATION, DOUBLE, SACK):
                t.card[index].plants |= mask
            elif kind == DRY:
                t.card[index].dryers |= mask
            elif kind == ROAST:
                t.card[index].roasters |= mask
            elif kind == WAITER:
                t.card[index].waiters |= mask
            elif kind == CUP:
                t.card[index].cups |= mask
            elif kind == SHIP:
                t.card[index].ships |= mask
        for number, shop in enumerate(card.shops):
            squares = [i for i, face in enumerate(card.squares) if face.kind == "shop" and face.shop == number]
            square = squares[0]
            t.card[index].shops |= 1 << square
            for other in squares:
                t.card[index].shop[square].squares |= 1 << <int>other
            for color in range(COLORS):
                t.card[index].shop[square].need |= shop.cubes[color] << (2 * color)
            t.card[index].shop[square].points = shop.points
