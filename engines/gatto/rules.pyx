"""Native rules of Café del Gatto; rules.pxd has the data."""
from libc.stdint cimport int8_t, int16_t, uint8_t, uint32_t
from libc.string cimport memset

from cython_ext.game cimport CHANCE, OVER, Components, ConstStatePtr, State, StatePtr
from cython_ext.rng cimport Rng, rng_below, rng_unit
from cython_ext.softmax cimport softmax
from engines.gatto.policy cimport gains
from engines.gatto.queries cimport (
    affordable_rows,
    bits,
    fullest_cups,
    lowest_bit,
    nth_bit,
    price,
    score_of,
    servable_tiles,
)
from engines.gatto.weights import WEIGHTS

# Capacities and figures of the rules, for Python.
MOST_DRINKS = DRINKS
MOST_SPACES = SPACES
MOST_DRINK_TILES = DRINK_TILES
MOST_EQUAL_TILES = 60
MOST_COINS = COINS_HELD
MOST_SUGAR = SUGAR_HELD
HIGHEST_VALUE = KINDS // 3
ROUNDS = LAST_ROUND
ROW_SURCHARGE = (0, 0, 0, 1, 2)
START_COINS = 5
TAKEN = TAKEN_COINS
CLEAN_COINS = CLEAN_PRICE
STEP_FRESH = FRESH
STEP_CLEANED = CLEANED
STEP_BOUGHT = BOUGHT
STEP_SERVING = SERVING
STEP_INTERMEDIATE_SERVING = INTERMEDIATE_SERVING
STEP_INTERMEDIATE_EMPTYING = INTERMEDIATE_EMPTYING
STEP_OVER = DONE
MOVE_TAKE_COINS = TAKE_COINS
MOVE_END_TURN = END_TURN
MOVE_CLEAN = CLEAN
MOVE_EMPTY_CUP = EMPTY_CUP
MOVE_SERVE = SERVE
MOVE_BUY = BUY
MOVE_DRAW = DRAW

cdef enum:
    CLEAN_PRICE = 2
    TAKEN_COINS = 2
    # What a player can hold where the reserve is unlimited, and what a limited reserve can be.
    COINS_HELD = 9999
    SUGAR_HELD = 99

cdef inline uint32_t add_serves(const Table* t, const Gatto* s, const Player* p, uint32_t* out) noexcept nogil:
    cdef uint32_t drink, tile, tiles, n = 0
    for drink in range(t.drinks):
        if p.filled >> drink & 1:
            tiles = servable_tiles(t, s, p, drink)
            for tile in range(t.tiles[drink]):
                if tiles >> tile & 1:
                    out[n] = SERVE + 8 * drink + tile
                    n += 1
    return n


cdef uint32_t legal_moves(Components components, ConstStatePtr state, uint32_t* out) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef const Gatto* s = <const Gatto*>state
    cdef const Player* p = &s.player[s.header.to_move]
    cdef uint32_t column, row, rows, drink, cups, n = 0
    if s.step == INTERMEDIATE_SERVING:
        return add_serves(t, s, p, out)
    if s.step == INTERMEDIATE_EMPTYING:
        cups = fullest_cups(t, p)
        for drink in range(t.drinks):
            if cups >> drink & 1:
                out[n] = EMPTY_CUP + drink
                n += 1
        return n
    out[0] = TAKE_COINS if s.step == FRESH else END_TURN
    n = 1
    if s.step == SERVING:
        return 1 + add_serves(t, s, p, out + 1)
    if p.coins >= CLEAN_PRICE:
        for column in range(2):
            if s.height[column]:
                out[n] = CLEAN + column
                n += 1
    if s.step == FRESH:
        n += add_serves(t, s, p, out + n)
    for column in range(2):
        cups = p.open[column]
        if cups:
            rows = affordable_rows(t, s, column, p.coins)
            for row in range(s.height[column]):
                if rows >> row & 1:
                    for drink in range(t.drinks):
                        if cups >> drink & 1:
                            out[n] = BUY + 8 * (ROWS * column + row) + drink
                            n += 1
    return n


cdef uint32_t random_move(const Table* t, const Gatto* s, Rng* rng) noexcept nogil:
    """A uniformly random legal move, found by counting: no list is made."""
    cdef const Player* p = &s.player[s.header.to_move]
    cdef uint32_t[2] rows
    cdef uint32_t[2] buys
    cdef uint32_t drink, tiles, pick, filled, cleans = 0, column
    cdef uint32_t[DRINKS] serves
    cdef uint32_t serve_count = 0
    if s.step == INTERMEDIATE_EMPTYING:
        tiles = fullest_cups(t, p)
        return EMPTY_CUP + nth_bit(tiles, rng_below(rng, bits(tiles)))
    if s.step != CLEANED:
        filled = p.filled
        while filled:
            drink = lowest_bit(filled)
            serves[drink] = servable_tiles(t, s, p, drink)
            serve_count += bits(serves[drink])
            filled &= filled - 1
    rows[0] = rows[1] = buys[0] = buys[1] = 0
    if s.step == FRESH or s.step == CLEANED:
        cleans = ((s.height[0] > 0) + (s.height[1] > 0)) if p.coins >= CLEAN_PRICE else 0
        for column in range(2):
            if p.open[column]:
                rows[column] = affordable_rows(t, s, column, p.coins)
                buys[column] = bits(rows[column]) * bits(p.open[column])
    pick = rng_below(rng, (s.step != INTERMEDIATE_SERVING) + cleans + serve_count + buys[0] + buys[1])
    for column in range(2):
        if pick < buys[column]:
            drink = nth_bit(p.open[column], pick % bits(p.open[column]))
            return BUY + 8 * (ROWS * column + nth_bit(rows[column], pick // bits(p.open[column]))) + drink
        pick -= buys[column]
    if pick < serve_count:
        filled = p.filled
        while True:
            drink = lowest_bit(filled)
            if pick < bits(serves[drink]):
                return SERVE + 8 * drink + nth_bit(serves[drink], pick)
            pick -= bits(serves[drink])
            filled &= filled - 1
    pick -= serve_count
    if pick < cleans:
        return CLEAN + (pick if s.height[0] else 1)
    return TAKE_COINS if s.step == FRESH else END_TURN


cdef void playout_step(Components components, StatePtr state, Rng* rng) noexcept nogil:
    """A draw, or the move with the largest gain and noise."""
    cdef const Table* t = <const Table*>components
    cdef Gatto* s = <Gatto*>state
    cdef uint32_t[MOVES] moves
    cdef float[MOVES] gain
    cdef uint32_t n, i, best = 0
    cdef float value, most = -1e30
    if s.header.to_move == CHANCE:
        draw(t, s, sampled_kind(t, s, rng))
        return
    n = legal_moves(components, state, moves)
    if n > 1:
        gains(t, s, moves, n, gain)
        for i in range(n):
            value = gain[i] + t.weight.noise * <float>rng_unit(rng)
            if value > most:
                most = value
                best = i
    apply(components, state, moves[best])


cdef void priors(
    Components components, ConstStatePtr state, const uint32_t* moves, uint32_t n, float* prior
) noexcept nogil:
    cdef const Table* t = <const Table*>components
    gains(t, <const Gatto*>state, moves, n, prior)
    softmax(prior, n, t.weight.prior)


cdef inline void pay_out(const Table* t, Gatto* s, Player* p, int16_t coins) noexcept nogil:
    """Give a player coins from the reserve, as far as they reach."""
    if t.coins == UNLIMITED:
        p.coins = min(<int16_t>(p.coins + coins), <int16_t>COINS_HELD)
        return
    if coins > s.coins:
        coins = s.coins
    s.coins -= coins
    p.coins += coins


cdef inline void pay(const Table* t, Gatto* s, Player* p, int16_t coins) noexcept nogil:
    p.coins -= coins
    if t.coins != UNLIMITED:
        s.coins += coins


cdef inline void discard_cup(const Table* t, Gatto* s, Player* p, uint32_t drink) noexcept nogil:
    cdef uint32_t space
    for space in range(p.fill[drink]):
        s.discard[p.tile[drink][space]] += 1
        p.tile[drink][space] = 0
    s.discards += p.fill[drink]
    p.fill[drink] = p.sum[drink] = p.preparations[drink] = 0


cdef inline void serve(const Table* t, Gatto* s, Player* p, uint32_t drink, uint32_t tile) noexcept nogil:
    cdef int16_t points = t.points[drink][tile]
    cdef int16_t difference = p.sum[drink] - points
    cdef int16_t coins = t.menu[drink][p.preparations[drink]]
    if difference >= 0:
        coins += difference
    else:
        p.sugar += difference
        if t.sugar != UNLIMITED:
            s.sugar -= difference
    pay_out(t, s, p, coins)
    p.points += points
    s.drink_tiles[drink][tile] -= 1
    discard_cup(t, s, p, drink)
    p.served_for[drink] = <uint8_t>(tile + 1)
    p.filled &= ~(<uint8_t>1 << drink)
    p.served += 1
    if p.served == t.drinks:
        s.ending = True


cdef inline void empty_cup(const Table* t, Gatto* s, Player* p, uint32_t drink) noexcept nogil:
    cdef uint8_t bit = <uint8_t>1 << drink
    discard_cup(t, s, p, drink)
    p.filled &= ~bit
    p.open[0] &= ~bit
    p.open[1] &= ~bit
    p.open[t.color[drink][0]] |= bit


cdef inline void place(const Table* t, Gatto* s, Player* p, uint32_t drink, uint8_t kind) noexcept nogil:
    cdef uint8_t bit = <uint8_t>1 << drink
    cdef uint8_t fill = p.fill[drink]
    p.tile[drink][fill] = kind
    p.sum[drink] += t.value[kind]
    p.preparations[drink] |= t.preparation[kind]
    p.open[t.color[drink][fill]] &= ~bit
    fill += 1
    p.fill[drink] = fill
    if fill == t.spaces[drink]:
        p.filled |= bit
    else:
        p.open[t.color[drink][fill]] |= bit
    if t.value[kind] == 1:
        if t.sugar == UNLIMITED:
            p.sugar += p.sugar < SUGAR_HELD
        elif s.sugar:
            s.sugar -= 1
            p.sugar += 1


cdef inline void buy(const Table* t, Gatto* s, Player* p, uint32_t column, uint32_t row, uint32_t drink) noexcept nogil:
    cdef uint8_t kind = s.column[column][row]
    cdef uint32_t above
    pay(t, s, p, price(t, s, column, row))
    s.height[column] -= 1
    for above in range(row, s.height[column]):
        s.column[column][above] = s.column[column][above + 1]
    s.column[column][s.height[column]] = 0
    place(t, s, p, drink, kind)


cdef inline void clean(const Table* t, Gatto* s, Player* p, uint32_t column) noexcept nogil:
    cdef uint32_t row
    pay(t, s, p, CLEAN_PRICE)
    for row in range(s.height[column]):
        s.discard[s.column[column][row]] += 1
        s.column[column][row] = 0
    s.discards += s.height[column]
    s.height[column] = 0


cdef inline bint last_in_round(const Gatto* s) noexcept nogil:
    cdef int following = s.turn_player + 1
    if following == s.header.players:
        following = 0
    return following == s.start_player


cdef inline void end_game(Gatto* s) noexcept nogil:
    s.step = DONE
    s.header.to_move = OVER


cdef inline void next_turn(Gatto* s) noexcept nogil:
    if last_in_round(s):
        s.round += 1
    s.turn_player += 1
    if s.turn_player == s.header.players:
        s.turn_player = 0
    s.step = FRESH
    go_on(s)


cdef inline void next_in_queue(Gatto* s) noexcept nogil:
    """Let the next player of an intermediate round act, or end the round."""
    cdef int player = s.turn_player
    if s.queue == 0:
        if s.ending and last_in_round(s):
            end_game(s)
        else:
            next_turn(s)
        return
    while True:
        player += 1
        if player == s.header.players:
            player = 0
        if s.queue >> player & 1:
            s.header.to_move = <int8_t>player
            return


cdef void intermediate_round(const Table* t, Gatto* s) noexcept nogil:
    cdef int player, drink
    s.step = INTERMEDIATE_SERVING
    for player in range(s.header.players):
        if s.player[player].filled:
            s.queue |= <uint8_t>1 << player
    if s.queue == 0:
        s.step = INTERMEDIATE_EMPTYING
        for player in range(s.header.players):
            for drink in range(t.drinks):
                if s.player[player].fill[drink]:
                    s.queue |= <uint8_t>1 << player
    next_in_queue(s)


cdef inline void end_turn(const Table* t, Gatto* s) noexcept nogil:
    if last_in_round(s) and (s.ending or s.round >= LAST_ROUND):
        end_game(s)
    elif s.unseen == 0 and s.discards == 0:
        intermediate_round(t, s)
    else:
        next_turn(s)


cdef inline void go_on(Gatto* s) noexcept nogil:
    """Within a turn: refill short columns first, as far as there are tiles; then its player is to move."""
    if (s.height[0] < ROWS or s.height[1] < ROWS) and (s.unseen or s.discards):
        s.header.to_move = CHANCE
    else:
        s.header.to_move = <int8_t>s.turn_player


cdef inline bint bag_is_empty(const Gatto* s) noexcept nogil:
    return s.unseen == s.unknown


cdef inline void draw(const Table* t, Gatto* s, uint32_t kind) noexcept nogil:
    cdef uint32_t column = 0 if s.height[0] < ROWS else 1
    cdef uint32_t k
    if bag_is_empty(s):
        for k in range(t.kinds):
            s.bag[k] += s.discard[k]
            s.discard[k] = 0
        s.unseen += s.discards
        s.discards = s.unknown = 0
    s.bag[kind] -= 1
    s.unseen -= 1
    s.column[column][s.height[column]] = <uint8_t>kind
    s.height[column] += 1
    if s.step == BOUGHT:
        end_turn(t, s)
    else:
        go_on(s)


cdef void apply(Components components, StatePtr state, uint32_t move) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef Gatto* s = <Gatto*>state
    cdef Player* p
    cdef uint32_t place_code
    if move >= DRAW:
        draw(t, s, move - DRAW)
        return
    p = &s.player[s.header.to_move]
    if move >= BUY:
        place_code = (move - BUY) >> 3
        buy(t, s, p, place_code // ROWS, place_code % ROWS, (move - BUY) & 7)
        s.step = BOUGHT
        if s.unseen or s.discards:
            s.header.to_move = CHANCE
        else:
            end_turn(t, s)
    elif move >= SERVE:
        serve(t, s, p, (move - SERVE) >> 3, (move - SERVE) & 7)
        if s.step == INTERMEDIATE_SERVING:
            s.queue &= ~(<uint8_t>1 << s.header.to_move)
            next_in_queue(s)
        else:
            s.step = SERVING
    elif move >= EMPTY_CUP:
        empty_cup(t, s, p, move - EMPTY_CUP)
        s.queue &= ~(<uint8_t>1 << s.header.to_move)
        next_in_queue(s)
    elif move >= CLEAN:
        clean(t, s, p, move - CLEAN)
        s.step = CLEANED
        go_on(s)
    else:
        if move == TAKE_COINS:
            pay_out(t, s, p, TAKEN_COINS)
        end_turn(t, s)


cdef uint32_t outcomes(Components components, ConstStatePtr state, uint32_t* out, double* probability) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef const Gatto* s = <const Gatto*>state
    cdef uint32_t kind, count, total = s.unseen, n = 0
    cdef bint refilled = bag_is_empty(s)
    if refilled:
        total += s.discards
    for kind in range(t.kinds):
        count = s.bag[kind] + (s.discard[kind] if refilled else 0)
        if count:
            out[n] = DRAW + kind
            probability[n] = <double>count / total
            n += 1
    return n


cdef inline uint32_t sampled_kind(const Table* t, const Gatto* s, Rng* rng) noexcept nogil:
    """Kind of a tile drawn from the bag, or from bag and discards where the bag is empty.

    Counts the kinds before it instead of stopping there: a loop that ends anywhere costs more than the rest of a draw.
    """
    cdef uint32_t kind, drawn = 0, reached = 0, pick
    if bag_is_empty(s):
        pick = rng_below(rng, s.unseen + s.discards)
        for kind in range(t.kinds):
            reached += s.bag[kind] + s.discard[kind]
            drawn += reached <= pick
    else:
        pick = rng_below(rng, s.unseen)
        for kind in range(t.kinds):
            reached += s.bag[kind]
            drawn += reached <= pick
    return drawn


cdef uint32_t sample(Components components, ConstStatePtr state, Rng* rng) noexcept nogil:
    return DRAW + sampled_kind(<const Table*>components, <const Gatto*>state, rng)


cdef void random_step(Components components, StatePtr state, Rng* rng) noexcept nogil:
    cdef const Table* t = <const Table*>components
    cdef Gatto* s = <Gatto*>state
    if s.header.to_move == CHANCE:
        draw(t, s, sampled_kind(t, s, rng))
    else:
        apply(components, state, random_move(t, s, rng))


cdef void returns(Components components, ConstStatePtr state, float* win, float* score) noexcept nogil:
    """Most points win, then most coins; equal players share."""
    cdef const Gatto* s = <const Gatto*>state
    cdef int player, winners = 0
    cdef int best = -1, standing
    for player in range(s.header.players):
        score[player] = score_of(&s.player[player])
        standing = (<int>score_of(&s.player[player]) << 16) + s.player[player].coins
        if standing > best:
            best = standing
            winners = 0
        winners += standing == best
    for player in range(s.header.players):
        standing = (<int>score_of(&s.player[player]) << 16) + s.player[player].coins
        win[player] = 1.0 / winners if standing == best else 0


cdef uint32_t greedy_move(Components components, ConstStatePtr state) noexcept nogil:
    """The move with the largest gain; the first of several."""
    cdef uint32_t[MOVES] moves
    cdef float[MOVES] gain
    cdef uint32_t n = legal_moves(components, state, moves), i, best = 0
    gains(<const Table*>components, <const Gatto*>state, moves, n, gain)
    for i in range(1, n):
        if gain[i] > gain[best]:
            best = i
    return moves[best]


cdef class GattoGame(Game):
    """Café del Gatto with a component set; `components.contents` is a GattoSet (engines/gatto/components.py)."""

    def __init__(self, components: object, weights: dict[str, float] | None = None) -> None:
        """weights: of the move values, for tuning them; see weights.py."""
        super().__init__(components)
        cdef Table* t = &self.table_of_set
        contents = components.contents
        memset(t, 0, sizeof(Table))
        t.kinds = len(contents.kinds)
        for k, kind in enumerate(contents.kinds):
            t.value[k] = kind.value
            t.preparation[k] = 1 << kind.preparation
        t.drinks = len(contents.drinks)
        for d, drink in enumerate(contents.drinks):
            t.spaces[d] = len(drink.spaces)
            for space, color in enumerate(drink.spaces):
                t.color[d][space] = color
            t.tiles[d] = len(drink.points)
            for tile, points in enumerate(drink.points):
                t.points[d][tile] = points
            for preparations in range(1, 8):
                different = preparations.bit_count()
                t.menu[d][preparations] = drink.menu[different - 1] if different <= len(drink.menu) else 0
        t.coins = UNLIMITED if contents.coins is None else contents.coins
        t.sugar = UNLIMITED if contents.sugar is None else contents.sugar
        self.native = t
        self.table.state_size = sizeof(Gatto)
        self.table.moves_max = MOVES
        self.table.legal_moves = legal_moves
        self.table.outcomes = outcomes
        self.table.sample = sample
        self.table.apply = apply
        self.table.random_step = random_step
        self.table.returns = returns
        self.table.greedy_move = greedy_move
        self.table.playout_step = playout_step
        self.table.priors = priors
        t.weight = weights or WEIGHTS

    def build(self, fields: dict) -> State:
        """Return the state with the given fields, as `read` returns them; only their ranges must be right.

        What follows from other fields (reserves, drink tiles left, open cups, who is to move) is worked out here.
        """
        cdef const Table* t = &self.table_of_set
        cdef State state = self.new_state()
        cdef Gatto* s = <Gatto*>state.data
        cdef Player* p
        cdef int drink
        s.header.players = len(fields["players"])
        s.start_player = fields["start_player"]
        s.turn_player = fields["turn_player"]
        s.round = fields["round"]
        s.step = fields["step"]
        for column in range(2):
            s.height[column] = len(fields["columns"][column])
            for row, kind in enumerate(fields["columns"][column]):
                s.column[column][row] = kind
        for k in range(t.kinds):
            s.bag[k] = fields["bag"][k]
            s.discard[k] = fields["discard"][k]
        s.unseen = sum(fields["bag"])
        s.discards = sum(fields["discard"])
        s.unknown = fields["unknown_discards"]
        s.coins = t.coins
        s.sugar = t.sugar
        for drink in range(t.drinks):
            for tile in range(t.tiles[drink]):
                s.drink_tiles[drink][tile] = 1 if tile else s.header.players
        for player, values in enumerate(fields["players"]):
            p = &s.player[player]
            p.coins = values["coins"]
            p.sugar = values["sugar"]
            if t.coins != UNLIMITED:
                s.coins -= p.coins
            if t.sugar != UNLIMITED:
                s.sugar -= p.sugar
            for drink in range(t.drinks):
                tiles, served = values["cups"][drink]
                if served is not None:
                    p.points += t.points[drink][<int>served]
                    p.served_for[drink] = served + 1
                    p.served += 1
                    s.drink_tiles[drink][<int>served] -= 1
                    continue
                for kind in tiles:
                    p.tile[drink][p.fill[drink]] = kind
                    p.sum[drink] += t.value[<int>kind]
                    p.preparations[drink] |= t.preparation[<int>kind]
                    p.fill[drink] += 1
                if p.fill[drink] == t.spaces[drink]:
                    p.filled |= 1 << drink
                else:
                    p.open[t.color[drink][p.fill[drink]]] |= 1 << drink
            if p.served == t.drinks:
                s.ending = True
        if s.step == DONE:
            s.header.to_move = OVER
        elif s.step == BOUGHT:
            s.header.to_move = CHANCE
        elif s.step in (INTERMEDIATE_SERVING, INTERMEDIATE_EMPTYING):
            for player in fields["queue"]:
                s.queue |= 1 << player
            next_in_queue(s)
        else:
            go_on(s)
        return state

    def read(self, State state) -> dict:
        """Return the fields of a state.

        players (each with coins, sugar, cups: (tile kinds bottom to top, index of the drink tile or None)),
        start_player, turn_player (from 0), round (from 1), step, queue (players in order), columns (milk, coffee; tile
        kinds from the bottom), bag and discard (tiles per kind), unknown_discards, drink_tiles (left, per drink).
        """
        cdef const Table* t = &self.table_of_set
        cdef const Gatto* s = <const Gatto*>state.data
        cdef const Player* p
        cdef int player, drink, tile, count = s.header.players
        players = []
        for player in range(count):
            p = &s.player[player]
            players.append({
                "coins": p.coins,
                "sugar": p.sugar,
                "cups": [
                    (
                        [p.tile[drink][tile] for tile in range(p.fill[drink])],
                        p.served_for[drink] - 1 if p.served_for[drink] else None,
                    )
                    for drink in range(t.drinks)
                ],
            })
        clockwise = [(s.turn_player + step) % count for step in range(1, count + 1)]
        return {
            "players": players,
            "start_player": s.start_player,
            "turn_player": s.turn_player,
            "round": s.round,
            "step": s.step,
            "queue": [player for player in clockwise if s.queue >> <int>player & 1],
            "columns": [[s.column[c][tile] for tile in range(s.height[c])] for c in range(2)],
            "bag": [s.bag[tile] for tile in range(t.kinds)],
            "discard": [s.discard[tile] for tile in range(t.kinds)],
            "unknown_discards": s.unknown,
            "drink_tiles": [
                [s.drink_tiles[drink][tile] for tile in range(t.tiles[drink])] for drink in range(t.drinks)
            ],
        }

    def price(self, State state, column: int, row: int) -> int:
        """Return the coins the tile in a column (0 milk, 1 coffee) and row (from 0) costs."""
        return price(&self.table_of_set, <const Gatto*>state.data, column, row)

    def payment(self, State state, drink: int, tile: int) -> tuple[int, int]:
        """Return (coins the reserve pays, sugar cubes spent) when the player to move serves a cup for a drink tile."""
        cdef const Table* t = &self.table_of_set
        cdef State after = state.copy()
        cdef Gatto* s = <Gatto*>after.data
        cdef Player* p = &s.player[s.header.to_move]
        coins, sugar = p.coins, p.sugar
        serve(t, s, p, drink, tile)
        return p.coins - coins, sugar - p.sugar
