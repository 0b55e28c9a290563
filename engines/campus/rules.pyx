"""Campus Café behind the engine interface, and what Python callers need of its positions."""
from enum import IntEnum

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from cython_ext.game cimport CHANCE, MAX_PLAYERS, OVER, Components, ConstStatePtr, Game, State, StatePtr
from cython_ext.rng cimport Rng, rng_below
from cython_ext.softmax cimport softmax
from engines.campus.choices cimport draw, list_moves, list_outcomes
from engines.campus.heuristic cimport expectation, move_values, sensible_step, turns_left
from engines.campus.layout cimport (
    ABIGAIL,
    ABOUT_CARDS,
    ABOUT_CUSTOMERS,
    ABOUT_GIFTS,
    ABOUT_GROUPS,
    ABOUT_RESOURCE,
    ABOUT_SPACES,
    ABOUT_TRAY,
    CAREER,
    Campus,
    Card,
    KINDS,
    MANIPULATOR,
    MOVES_MAX,
    MOVE_CARD,
    MOVE_DEPLETE,
    MOVE_DICE,
    MOVE_DISCARD,
    MOVE_DISLIKE,
    MOVE_GIFT,
    MOVE_OBJECTIVE,
    MOVE_PAY,
    MOVE_PLACE,
    MOVE_SERVE,
    MOVE_STACK,
    MOVE_STOP,
    MOVE_TALENT,
    MOVE_WAITER,
    MOVE_WILLIAM,
    MULTIPLIER,
    NONE,
    OBJECTIVES,
    Player,
    ROUNDS,
    SAMUEL,
    SATISFIER,
    SHIFT,
    STEP_ARRIVAL,
    STEP_COLORS,
    STEP_DEPLETE,
    STEP_DISCARD_COLLECTED,
    STEP_DISCARD_RESTOCKED,
    STEP_DISCARD_SERVED,
    STEP_DISLIKES,
    STEP_DRAFT,
    STEP_GIFT,
    STEP_OBJECTIVES,
    STEP_OVER,
    STEP_PAY,
    STEP_PLACE,
    STEP_REVEAL_SECRET,
    STEP_ROLL,
    STEP_SECRET,
    STEP_SERVE,
    STEP_TABLES,
    STEP_TALENT,
    STEP_WAITERS,
    STEP_WILLIAM,
    SUPPLIER,
    Set,
    Side,
    Turn,
    Weights,
)
from engines.campus.payments cimport Purse, canonical_payment, fill_purse
from engines.campus.scoring cimport CAREERS, Tally, awards, careers_total, residual, tally, totals
from engines.campus.turns cimport excess, play, refresh, secret_choices, set_up

from engines.campus import components as printed
from engines.campus.weights import WEIGHTS


cdef enum:
    # Steps, about a turn: plays as well at equal visits as whole playouts, in a quarter of the time.
    PLAYOUT_LIMIT = 16

Step = IntEnum("Step", {
    "OBJECTIVES": STEP_OBJECTIVES,
    "TABLES": STEP_TABLES,
    "DISLIKES": STEP_DISLIKES,
    "WAITERS": STEP_WAITERS,
    "DRAFT": STEP_DRAFT,
    "SECRET": STEP_SECRET,
    "ROLL": STEP_ROLL,
    "COLORS": STEP_COLORS,
    "PLACE": STEP_PLACE,
    "DISCARD_COLLECTED": STEP_DISCARD_COLLECTED,
    "SERVE": STEP_SERVE,
    "PAY": STEP_PAY,
    "GIFT": STEP_GIFT,
    "TALENT": STEP_TALENT,
    "DISCARD_SERVED": STEP_DISCARD_SERVED,
    "DEPLETE": STEP_DEPLETE,
    "ARRIVAL": STEP_ARRIVAL,
    "WILLIAM": STEP_WILLIAM,
    "DISCARD_RESTOCKED": STEP_DISCARD_RESTOCKED,
    "REVEAL_SECRET": STEP_REVEAL_SECRET,
    "OVER": STEP_OVER,
})
MoveKind = IntEnum("MoveKind", {
    "OBJECTIVE": MOVE_OBJECTIVE,
    "CARD": MOVE_CARD,
    "DISLIKE": MOVE_DISLIKE,
    "WAITER": MOVE_WAITER,
    "DICE": MOVE_DICE,
    "PLACE": MOVE_PLACE,
    "STACK": MOVE_STACK,
    "DISCARD": MOVE_DISCARD,
    "SERVE": MOVE_SERVE,
    "STOP": MOVE_STOP,
    "PAY": MOVE_PAY,
    "GIFT": MOVE_GIFT,
    "TALENT": MOVE_TALENT,
    "DEPLETE": MOVE_DEPLETE,
    "WILLIAM": MOVE_WILLIAM,
})


cdef uint32_t legal_moves(Components components, ConstStatePtr state, uint32_t* out) noexcept nogil:
    return list_moves(<const Set*>components, <const Campus*>state, out)


cdef uint32_t outcomes(
    Components components, ConstStatePtr state, uint32_t* out, double* probability
) noexcept nogil:
    return list_outcomes(<const Set*>components, <const Campus*>state, out, probability)


cdef uint32_t sample(Components components, ConstStatePtr state, Rng* rng) noexcept nogil:
    return draw(<const Set*>components, <const Campus*>state, rng)


cdef void apply(Components components, StatePtr state, uint32_t move) noexcept nogil:
    play(<const Set*>components, <Campus*>state, move)


cdef void random_step(Components components, StatePtr state, Rng* rng) noexcept nogil:
    cdef uint32_t[MOVES_MAX] moves
    cdef const Set* set = <const Set*>components
    cdef Campus* s = <Campus*>state
    if s.header.to_move == CHANCE:
        play(set, s, draw(set, s, rng))
    else:
        play(set, s, moves[rng_below(rng, list_moves(set, s, moves))])


cdef void returns(Components components, ConstStatePtr state, float* win, float* score) noexcept nogil:
    cdef int[MAX_PLAYERS] total
    cdef int p, best = -30000, firsts = 0, players = (<const Campus*>state).header.players
    totals(<const Set*>components, <const Campus*>state, total)
    for p in range(players):
        score[p] = total[p]
        if total[p] > best:
            best = total[p]
            firsts = 0
        firsts += total[p] == best
    for p in range(players):
        win[p] = <float>1.0 / firsts if total[p] == best else 0


cdef void determinize(Components components, StatePtr state, int viewer, Rng* rng) noexcept nogil:
    """Abigail's secret objective is all that some know and others do not."""
    cdef Campus* s = <Campus*>state
    cdef int choices, _
    if s.secret_color == NONE or s.step == STEP_SECRET or s.step >= STEP_REVEAL_SECRET:
        return
    if s.secret != NONE and s.player[viewer].waiter == ABIGAIL:
        return
    choices = secret_choices(<const Set*>components, s)
    for _ in range(rng_below(rng, __builtin_popcount(choices))):
        choices &= choices - 1
    s.secret = __builtin_ctz(choices)


cdef extern from *:
    int __builtin_popcount(unsigned int) noexcept nogil
    int __builtin_ctz(unsigned int) noexcept nogil


cdef void playout_step(Components components, StatePtr state, Rng* rng) noexcept nogil:
    sensible_step(<const Set*>components, <Campus*>state, rng)


cdef void evaluate(Components components, ConstStatePtr state, float* win, float* score) noexcept nogil:
    expectation(<const Set*>components, <const Campus*>state, win, score)


cdef void priors(
    Components components, ConstStatePtr state, const uint32_t* moves, uint32_t n, float* prior
) noexcept nogil:
    """Softmax of the move values."""
    cdef const Set* set = <const Set*>components
    move_values(set, <const Campus*>state, moves, n, prior)
    softmax(prior, n, set.weight.prior)


cdef uint32_t greedy_move(Components components, ConstStatePtr state) noexcept nogil:
    """The move after which the largest lead in points over the best opponent is expected; the first of several."""
    cdef uint32_t[MOVES_MAX] moves
    cdef float[MAX_PLAYERS] win
    cdef float[MAX_PLAYERS] score
    cdef Campus after
    cdef int me = (<const Campus*>state).header.to_move, p
    cdef uint32_t i, best = 0
    cdef float lead, most = <float>-1e30
    for i in range(legal_moves(components, state, moves)):
        memcpy(&after, state, sizeof(Campus))
        apply(components, &after, moves[i])
        if after.header.to_move == OVER:
            returns(components, &after, win, score)
        else:
            evaluate(components, &after, win, score)
        lead = <float>1e30
        for p in range(after.header.players):
            if p != me:
                lead = min(lead, score[me] - score[p])
        if lead > most:
            most = lead
            best = moves[i]
    return best


ROUND_LIMIT = ROUNDS  # a game ends after this round

ABOUT = {
    "resource": ABOUT_RESOURCE, "customers": ABOUT_CUSTOMERS, "groups": ABOUT_GROUPS, "gifts": ABOUT_GIFTS,
    "spaces": ABOUT_SPACES, "cards": ABOUT_CARDS, "tray": ABOUT_TRAY,
}


def mask(indices) -> int:
    """Return the mask of some indices."""
    return sum({1 << index for index in indices})


cdef list unsigned_list(const uint8_t* values, int n):
    return [values[i] for i in range(n)]


cdef list signed_list(const int8_t* values, int n):
    return [values[i] for i in range(n)]


cdef int fill_unsigned(uint8_t* values, int n, given) except -1:
    for i in range(n):
        values[i] = given[i]
    return 0


cdef int fill_signed(int8_t* values, int n, given) except -1:
    for i in range(n):
        values[i] = given[i]
    return 0


def letters(text: str) -> list[int]:
    """Return the numbers of resource letters."""
    return [printed.RESOURCES.index(letter) for letter in text]


cdef int load_weights(Weights* weight, object values) except -1:
    """Fill the native weights; those of a variant or a waiter are spelt NAME_OF."""
    kinds = {"income": printed.VARIANTS, "satisfier": printed.VARIANTS, "talent": printed.WAITERS}
    nested = {name: value for name, value in values.items() if name.split("_")[0] not in kinds}
    weight[0] = nested | {kind: [values[f"{kind}_{one}"] for one in of] for kind, of in kinds.items()}
    return 0


cdef class CampusGame(Game):
    """Campus Café's rules with a component set loaded."""

    def __cinit__(self):
        self.table.state_size = sizeof(Campus)
        self.table.moves_max = MOVES_MAX
        self.table.legal_moves = legal_moves
        self.table.outcomes = outcomes
        self.table.sample = sample
        self.table.apply = apply
        self.table.random_step = random_step
        self.table.returns = returns
        self.table.determinize = determinize
        self.table.greedy_move = greedy_move
        self.table.playout_step = playout_step
        self.table.evaluate = evaluate
        self.table.playout_limit = PLAYOUT_LIMIT
        self.table.priors = priors
        self.native = &self.set

    def __init__(self, components: object, weights: dict[str, float] | None = None) -> None:
        """weights: of the move values and the evaluation, for tuning them; see weights.py."""
        super().__init__(components)
        load_weights(&self.set.weight, weights or WEIGHTS)
        contents = components.contents
        for i, card in enumerate(contents.cards):
            load_card(&self.set, i, card)
        for i, objective in enumerate(contents.objectives):
            self.set.objective[i].color = printed.OBJECTIVE_COLORS.index(objective.color)
            self.set.objective[i].about = ABOUT[objective.kind]
            self.set.objective[i].param = letters(objective.resource)[0] if objective.resource else objective.size
            self.set.objective[i].types = mask(objective.types)
        for i, dislike in enumerate(contents.dislikes):
            self.set.dislike[i].about = ABOUT[dislike.kind]
            self.set.dislike[i].types = mask(dislike.types)
        load_side(&self.set.side[0], contents.basic)
        load_side(&self.set.side[1], contents.advanced)
        for i, row in enumerate(contents.awards):
            self.set.award[i + 2] = row

    def start(self, players: int, advanced: bool, dislikes: bool) -> State:
        """Return the first position, before the draws of the setup; players from 2 to 5."""
        cdef State state = self.new_state()
        set_up(&self.set, <Campus*>state.data, players, advanced, dislikes)
        return state

    def read(self, State state) -> dict[str, object]:
        """Return the members of the struct Campus of layout.pxd by name, arrays as lists.

        `turn` is a dictionary of the members of Turn, `players` a list with those of each Player.
        """
        cdef Campus* s = <Campus*>state.data
        cdef Turn* t = &s.turn
        cdef Player* p
        players = []
        for i in range(s.header.players):
            p = &s.player[i]
            players.append({
                "owned": p.owned, "score": p.score, "waiter": p.waiter, "dislike": p.dislike,
                "tray": unsigned_list(p.tray, KINDS), "spaces": p.spaces, "blue": unsigned_list(p.blue, KINDS),
                "supply": unsigned_list(p.supply, KINDS), "satisfied": p.satisfied, "manipulators": p.manipulators,
            })
        return {
            "to_move": s.header.to_move, "step": s.step, "advanced": s.advanced, "dislikes": s.dislikes,
            "active": s.active, "round": s.round, "last_round": s.last_round,
            "objective": signed_list(s.objective, 3), "secret_color": s.secret_color, "secret": s.secret,
            "waiters": s.waiters, "whites": s.whites, "top": signed_list(s.top, 2), "below": unsigned_list(s.below, 2),
            "zone": unsigned_list(s.zone, KINDS), "table": s.table, "unseen": s.unseen,
            "turn": {
                "served": t.served, "die": signed_list(t.die, 2), "placed": signed_list(t.placed, 2),
                "paying": t.paying, "money": t.money, "spent": unsigned_list(t.spent, KINDS),
                "blue": unsigned_list(t.blue, KINDS), "red": t.red, "white": t.white, "yellow": t.yellow,
                "converted": unsigned_list(t.converted, 2), "samuel": t.samuel,
                "gifts": unsigned_list(t.gifts, KINDS),
            },
            "players": players,
        }

    def build(self, fields: dict[str, object]) -> State:
        """Return the position with these members, the reverse of `read`.

        What follows from a player's waiter, dislike and owned cards is left out of `fields` or ignored. The values
        must be possible; the codec checks them.
        """
        cdef State state = self.new_state()
        cdef Campus* s = <Campus*>state.data
        cdef Turn* t = &s.turn
        cdef Player* p
        turn = fields["turn"]
        s.header.players = len(fields["players"])
        s.header.to_move = fields["to_move"]
        s.step = fields["step"]
        s.advanced = fields["advanced"]
        s.dislikes = fields["dislikes"]
        s.active = fields["active"]
        s.round = fields["round"]
        s.last_round = fields["last_round"]
        fill_signed(s.objective, 3, fields["objective"])
        s.secret_color = fields["secret_color"]
        s.secret = fields["secret"]
        s.waiters = fields["waiters"]
        s.whites = fields["whites"]
        fill_signed(s.top, 2, fields["top"])
        fill_unsigned(s.below, 2, fields["below"])
        fill_unsigned(s.zone, KINDS, fields["zone"])
        s.table = fields["table"]
        s.unseen = fields["unseen"]
        t.served = turn["served"]
        fill_signed(t.die, 2, turn["die"])
        fill_signed(t.placed, 2, turn["placed"])
        t.paying = turn["paying"]
        t.money = turn["money"]
        fill_unsigned(t.spent, KINDS, turn["spent"])
        fill_unsigned(t.blue, KINDS, turn["blue"])
        t.red = turn["red"]
        t.white = turn["white"]
        t.yellow = turn["yellow"]
        fill_unsigned(t.converted, 2, turn["converted"])
        t.samuel = turn["samuel"]
        fill_unsigned(t.gifts, KINDS, turn["gifts"])
        for i, given in enumerate(fields["players"]):
            p = &s.player[i]
            p.owned = given["owned"]
            p.score = given["score"]
            p.waiter = given["waiter"]
            p.dislike = given["dislike"]
            fill_unsigned(p.tray, KINDS, given["tray"])
            refresh(&self.set, s, i)
        return state

    def excess(self, State state) -> list[int]:
        """Return how many resources each player has beyond the tray spaces."""
        return [excess(&self.set, <Campus*>state.data, p) for p in range(state.players)]

    def secret_choices(self, State state) -> list[int]:
        """Return the objectives that may be Abigail's secret one, by index; empty where there is none."""
        cdef Campus* s = <Campus*>state.data
        if s.secret_color == NONE:
            return []
        choices = secret_choices(&self.set, s)
        return [i for i in range(OBJECTIVES) if choices >> i & 1]

    def turns_left(self, state: State) -> list[float]:
        """Return the turns each player is expected to have yet, the running one included until its check."""
        return [turns_left(&self.set, <Campus*>state.data, p) for p in range(state.players)]

    def forget_secret(self, State state) -> None:
        """Make Abigail's secret objective unknown."""
        (<Campus*>state.data).secret = NONE

    def canonical_payment(self, State state, move: int) -> int:
        """Return the legal payment that leaves the same as `move`, at STEP_PAY; `move` itself where there is none."""
        cdef Campus* s = <Campus*>state.data
        cdef Purse purse
        fill_purse(&self.set, s, &purse)
        return <uint32_t>MOVE_PAY << SHIFT | canonical_payment(&purse, &self.set.card[s.turn.paying], move)

    def score_parts(self, State state) -> list[dict[str, object]]:
        """Return, per player, what scores as the position stands, in $.

        `check` (the score track), `tray`, `careers` ({career index: $}, Samuel's doubling under -1), `objectives`
        (one per colour), `secret`.
        """
        cdef Campus* s = <Campus*>state.data
        cdef Tally[MAX_PLAYERS] tallies
        cdef int[MAX_PLAYERS] award
        parts = []
        for p in range(state.players):
            tally(&self.set, s.player[p].owned, &tallies[p])
            careers = {c: tallies[p].career[c] for c in range(CAREERS) if tallies[p].careers >> c & 1}
            if careers and s.player[p].waiter == SAMUEL:
                careers[-1] = careers_total(&tallies[p], True) - careers_total(&tallies[p], False)
            parts.append({
                "check": s.player[p].score, "tray": residual(&s.player[p]), "careers": careers,
                "objectives": [0, 0, 0], "secret": 0,
            })
        for color in range(3):
            if s.objective[color] != NONE:
                awards(&self.set, s, tallies, s.objective[color], award)
                for p in range(state.players):
                    parts[p]["objectives"][color] = award[p]
        if s.secret != NONE:
            awards(&self.set, s, tallies, s.secret, award)
            for p in range(state.players):
                if s.player[p].waiter == ABIGAIL:
                    parts[p]["secret"] = award[p]
        return parts


cdef int load_card(Set* set, int index, card) except -1:
    cdef Card* native = &set.card[index]
    dishes = letters(card.all_dishes)
    native.size = len(card.customers)
    native.dishes = len(dishes)
    for i, kind in enumerate(card.customers):
        native.type[i] = kind
        native.count[kind] += 1
        set.type_cards[kind] |= <uint64_t>1 << index
    native.types = mask(card.customers)
    for i, dish in enumerate(dishes):
        native.dish[i] = dish
        native.need[dish] += 1
    native.check = card.check
    native.gift = NONE
    if card.gift:
        native.gift = letters(card.gift)[0]
        set.gift_cards |= <uint64_t>1 << index
    native.reverse = printed.REVERSES.index(card.reverse)
    native.tokens = card.tokens
    native.spaces = card.spaces
    if native.reverse == CAREER:
        native.param = printed.CAREERS.index(card.career)
    elif native.reverse == SATISFIER:
        native.param = card.satisfier
    elif native.reverse == MULTIPLIER:
        native.param = letters(card.resources)[0]
    elif native.reverse == MANIPULATOR:
        native.param = printed.FORMS.index(card.form) * 3 + printed.DIE_COLORS.index(card.color)
    elif native.reverse == SUPPLIER:
        for resource in letters(card.resources):
            native.supply[resource] += 1
    return 0


cdef int load_side(Side* side, printed_side) except -1:
    for i in range(4):
        side.supply[i + 2] = printed_side.supply[i]
        side.deck[i + 2] = printed_side.deck[i]
    side.tray = printed_side.trays
    side.spaces = len(printed_side.spaces)
    for i, space in enumerate(printed_side.spaces):
        side.space[i].color = printed.SPACE_COLORS.index(space.color)
        side.space[i].money = space.money
        for resource in letters(space.give):
            side.space[i].give[resource] += 1
        side.space[i].source = mask(letters(space.source))
        side.space[i].target = mask(letters(space.target))
        side.space[i].times = space.times
    return 0
