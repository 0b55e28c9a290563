"""Café for Python: the native component table, and positions as plain values."""
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from cython_ext.game cimport CHANCE, Game, State
from cython_ext.network cimport load as load_network
from engines.cafe.actions cimport continuations
from engines.cafe.bound cimport bound, standing
from engines.cafe.flow cimport apply, draw_all, legal_moves, outcomes, random_step, returns, sample
from engines.cafe.forecast cimport doubt, evaluate, inputs, settled, stake, value
from engines.cafe.geometry cimport place
from engines.cafe.prices cimport relax, relaxation_bytes, tighten
from engines.cafe.policy cimport best_move, gains, playout_step, priors
from engines.cafe.scoring cimport Points, count_points
from engines.cafe.structs cimport (
    CARDS,
    CELLS,
    COLORS,
    CUP,
    DECK_MAX,
    DOUBLE,
    DRY,
    EXPRESSO_CARDS,
    FIRST_EXPRESSO,
    INPUTS,
    MOVES_MAX,
    NO_CARD,
    PLANTATION,
    PLAYERS_MAX,
    ROAST,
    ROUNDS,
    SACK,
    SHIP,
    SQUARES,
    STEP_DRAW,
    WAITER,
    Area,
    Position,
    Table,
    bit,
    column_at,
    deck_left,
    kind_at,
    offer_size,
    pile,
    pile_color,
    pile_count,
    row_at,
)
from engines.cafe.turns cimport LAYERS_A_ROUND, alone, decisions, expand, key, layer, round_of, solvable

from engines.cafe.weights import FORECAST, WEIGHTS


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
        self.table.greedy_move = best_move
        self.table.playout_step = playout_step
        self.table.priors = priors
        self.table.settled = settled
        self.table.evaluate = evaluate
        self.table.doubt = doubt
        self.solo.bytes = sizeof(Position) - (PLAYERS_MAX - 1) * sizeof(Area)
        self.solo.last = ROUNDS
        self.solo.layers = ROUNDS * LAYERS_A_ROUND
        self.solo.solvable = solvable
        self.solo.round = round_of
        self.solo.layer = layer
        self.solo.points = standing
        self.solo.bound = bound
        self.solo.relaxation_bytes = relaxation_bytes
        self.solo.relax = relax
        self.solo.tighten = tighten
        self.solo.value = value
        self.solo.expand = expand
        self.solo.key = key
        self.solo.decisions = decisions
        self.solo.alone = alone
        self.solo.stake = stake
        self.native = &self.cards

    def __init__(self, components: object, weights: dict[str, float] | None = None) -> None:
        """weights: of the rules of thumb, for tuning them; see weights.py."""
        super().__init__(components)
        load(&self.cards, components.contents)
        self.cards.weight = weights or WEIGHTS
        self.solo.certainty = self.cards.weight.prior
        self.set_forecast(FORECAST)

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

    def set_forecast(self, forecast: dict[str, object]) -> None:
        """Take over the weights of forecast.pyx: the fields of Forecast."""
        load_network(&self.cards.forecast.points, forecast, INPUTS)
        for rounds in range(ROUNDS + 1):
            self.cards.forecast.spread[<int>rounds] = forecast["spread"][rounds]
            for acting in range(2):
                self.cards.forecast.error[<int>rounds][<int>acting] = forecast["error"][rounds][acting]

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

    def gains(self, State state) -> list[float]:
        """Return what the rules of thumb say each legal move gains, in points; a player must be to move."""
        cdef uint32_t[MOVES_MAX] moves
        cdef float[MOVES_MAX] gain
        cdef uint32_t n = legal_moves(&self.cards, state.data, moves), i
        gains(&self.cards, <Position*>state.data, moves, n, gain)
        return [gain[i] for i in range(n)]

    def inputs(self, State state, player: int) -> list[float]:
        """Return what forecast.pyx sees of a player."""
        cdef float[INPUTS] x
        cdef Points[PLAYERS_MAX] points
        cdef Position* p = <Position*>state.data
        count_points(&self.cards, p, points)
        inputs(&self.cards, p, player, &points[<int>player], x)
        return [x[i] for i in range(INPUTS)]

    def settled(self, State state) -> bool:
        """Return whether a playout may be cut here."""
        return settled(&self.cards, state.data)

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
