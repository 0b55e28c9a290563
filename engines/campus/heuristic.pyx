"""Move values, playout policy and evaluation.

Everything is measured in $, as far as tuning has left it so: what a card earns now and later, and what its resources
would have been worth. Weights are in weights.py; other figures are prices of the rules.
"""
from libc.math cimport exp, sqrt
from libc.stdint cimport int8_t, uint32_t, uint64_t
from libc.string cimport memset

from cython_ext.game cimport CHANCE, MAX_PLAYERS
from cython_ext.rng cimport Rng, rng_below
from engines.campus.choices cimport draw, list_moves
from engines.campus.layout cimport (
    ABIGAIL,
    ABOUT_CUSTOMERS,
    ABOUT_GIFTS,
    ABOUT_GROUPS,
    ABOUT_RESOURCE,
    ABOUT_SPACES,
    ARGUMENT,
    CAREER,
    JOHN,
    KINDS,
    MANIPULATOR,
    MOVE_DEPLETE,
    MOVE_DICE,
    MOVE_DISCARD,
    MOVE_PAY,
    MOVE_PLACE,
    MOVE_SERVE,
    MOVE_STACK,
    MOVE_STOP,
    MOVE_TALENT,
    MOVE_WAITER,
    MOVE_WILLIAM,
    MOVES_MAX,
    MULTIPLIER,
    NONE,
    SAMUEL,
    SATISFIER,
    SHIFT,
    STACK,
    STEP_DEPLETE,
    STEP_GIFT,
    STEP_PAY,
    STEP_PLACE,
    SUPPLIER,
    TABLES,
    TYPES,
    C,
    Campus,
    Card,
    Dislike,
    E,
    H,
    M,
    Objective,
    Player,
    S,
    Set,
    Space,
)
from engines.campus.payments cimport POOLS, Purse, cheap_payment, cost, fill_purse
from engines.campus.scoring cimport (
    CAREER_BARMAN,
    CAREER_CONFECTIONER,
    CAREER_DELIVERY_MAN,
    CAREER_ENTERTAINER,
    CAREER_MANIPULATOR,
    CAREER_MEN,
    CAREER_REFRESHER,
    CAREER_RESTOCKER,
    CAREER_SPECIALIST,
    Tally,
    awards,
    careers_total,
    tally,
)
from engines.campus.turns cimport check, count_bits, lowest_bit, play, servable

cdef enum:
    CANDIDATES = 9  # cards that can be served at a time


cdef float turns_left(const Set* set, const Campus* s, int p) noexcept nogil:
    """Turns player p is expected to have yet, the running one included until its check.

    The cards of the customers deck tell after how many turns it runs out; that round is played to its end.
    """
    cdef bint checked = s.step >= STEP_DEPLETE
    cdef int cards = s.below[0] + (s.top[0] != NONE)
    cdef float rounds = 1
    if checked:
        cards -= TABLES - count_bits(s.table)
    if not s.last_round and cards > 0:
        rounds = (s.active + checked + cards / set.weight.cards_a_turn) / s.header.players + set.weight.last_round
    return max(rounds, <float>1) - (p < s.active + checked)


cdef inline float keep_value(const Set* set, int k, float later) noexcept nogil:
    """What a resource in the tray is good for with this many turns to come."""
    if later <= 0:
        return <float>0.5 * (k + 1)
    return ((set.weight.keep + set.weight.keep_worth * (k + 1)) * min(later, <float>1)
            + <float>0.5 * (k + 1) * max(1 - later, <float>0))


cdef float reverse_value(const Set* set, const Campus* s, const Card* card, float turns) noexcept nogil:
    """What a reverse side earns in this many turns, in $."""
    cdef float worth = 0
    cdef int k
    if card.reverse == MULTIPLIER:
        worth = set.weight.multiplier + set.weight.multiplier_worth * card.param
        worth *= 1 if card.tokens == 1 else set.weight.tokens_two if card.tokens == 2 else set.weight.tokens_three
    elif card.reverse == SATISFIER:
        worth = set.weight.satisfier[s.advanced]
    elif card.reverse == SUPPLIER:
        for k in range(KINDS):
            worth += (set.weight.supply + set.weight.supply_worth * (k + 1)) * card.supply[k]
    elif card.reverse == MANIPULATOR:
        worth = set.weight.stacker if card.param // 3 == STACK else set.weight.recolorer
    worth += set.weight.space * card.spaces
    worth *= turns
    if card.reverse == CAREER:
        worth += set.weight.career + set.weight.career_turn * turns
    return worth


cdef float career_gain(const Set* set, const Tally* mine, const Card* card) noexcept nogil:
    """$ a card adds to careers that are followed already."""
    cdef float gain = 0
    cdef int k, shown = 0
    for k in range(KINDS):
        shown += card.supply[k]
    if mine.careers >> CAREER_MANIPULATOR & 1 and card.reverse == MANIPULATOR:
        gain += 3
    if mine.careers >> CAREER_ENTERTAINER & 1 and card.reverse == SATISFIER:
        gain += 3
    if mine.careers >> CAREER_RESTOCKER & 1 and shown:
        gain += 4 if shown > 1 else 3
    if mine.careers >> CAREER_DELIVERY_MAN & 1:
        gain += 2 * card.spaces
    if mine.careers >> CAREER_BARMAN & 1 and card.need[H] and card.need[E] + card.need[H] >= 3:
        gain += 3
    if mine.careers >> CAREER_REFRESHER & 1 and card.need[S] and card.need[M] + card.need[S] >= 2:
        gain += 3
    if mine.careers >> CAREER_CONFECTIONER & 1 and card.need[C]:
        gain += 3
    if mine.careers >> CAREER_SPECIALIST & 1:
        for k in range(KINDS):
            if card.need[k] == card.dishes:
                gain += 3
    for k in range(card.size):
        if mine.careers >> (CAREER_MEN + (card.type[k] & 1)) & 1:
            gain += set.weight.career_customer
    return gain


cdef float objective_gain(const Set* set, const Objective* objective, const Card* card) noexcept nogil:
    """Rough $ a card adds to the chances in an objective."""
    cdef float n = 0
    cdef int k
    if objective.about == ABOUT_RESOURCE:
        return set.weight.award_dish * card.need[objective.param]
    if objective.about == ABOUT_CUSTOMERS:
        for k in range(TYPES):
            if objective.types >> k & 1:
                n += card.count[k]
        return set.weight.award_customer * n
    if objective.about == ABOUT_GROUPS:
        return set.weight.award_group if card.size == objective.param else 0
    if objective.about == ABOUT_GIFTS:
        return -set.weight.award_gift if card.gift != NONE else 0
    if objective.about == ABOUT_SPACES:
        return -set.weight.award_space * card.spaces
    return -set.weight.award_card


cdef float card_gain(
    const Set* set, const Campus* s, const Player* me, const Tally* mine, const Card* card, float turns
) noexcept nogil:
    """What serving a card now is worth, without what it costs."""
    cdef const Dislike* dislike
    cdef float gain = card.check
    cdef int k
    if not s.advanced:
        for k in range(card.size):
            if me.satisfied >> card.type[k] & 1:
                gain += 2
        if me.dislike != NONE:
            dislike = &set.dislike[me.dislike]
            for k in range(card.size):
                if dislike.types >> card.type[k] & 1:
                    gain -= 2
            if dislike.about == ABOUT_GIFTS and card.gift != NONE:
                gain -= 4
    if card.gift != NONE:
        gain += set.weight.gift
    if mine.careers:
        gain += career_gain(set, mine, card)
    for k in range(3):
        gain += objective_gain(set, &set.objective[s.objective[k]], card)
    if me.waiter == ABIGAIL and s.secret != NONE:
        gain += objective_gain(set, &set.objective[s.secret], card)
    return gain + reverse_value(set, s, card, max(turns - 1, <float>0))


cdef struct Offer:  # the cards the active player may serve, and what each is worth
    int n
    int8_t[CANDIDATES] card
    float[CANDIDATES] gain
    float[KINDS] keep  # what a resource is good for if it stays in the tray


cdef void fill_offer(const Set* set, const Campus* s, Offer* offer) noexcept nogil:
    cdef const Player* me = &s.player[s.active]
    cdef Tally mine
    cdef uint64_t left = servable(set, s)
    cdef float turns = turns_left(set, s, s.active)
    cdef int k
    tally(set, me.owned | s.turn.served, &mine)
    offer.n = 0
    for k in range(KINDS):
        offer.keep[k] = keep_value(set, k, turns - 1)
    while left:
        offer.card[offer.n] = lowest_bit(left)
        left &= left - 1
        offer.gain[offer.n] = card_gain(set, s, me, &mine, &set.card[offer.card[offer.n]], turns)
        offer.n += 1


cdef float serving_value(const Set* set, const Offer* offer, const Purse* purse, int index) noexcept nogil:
    """What a card of the offer is good for: its gain less the resources it takes, less still with dishes missing."""
    cdef const Card* card = &set.card[offer.card[index]]
    cdef int k, pool, own, gap = 0, spare = 0, blue, eligible, open_dishes, converted = 0
    cdef int[KINDS] short
    cdef float value = offer.gain[index]
    for k in range(KINDS):
        own = min(card.need[k], purse.tray[k])
        value -= offer.keep[k] * own
        spare += purse.tray[k] - own
        short[k] = card.need[k] - own
        if short[k] and (own or purse.spent[k]):
            blue = min(short[k], <int>purse.blue[k])
            short[k] -= blue
        gap += short[k]
    if gap == 0:
        return value
    gap -= purse.yellow + count_bits(purse.red & card.types) + count_bits(purse.white & card.types)
    for pool in range(POOLS):
        if gap > converted and spare > converted and (purse.left[pool] or pool == POOLS - 1 and purse.left[POOLS]):
            eligible = 0
            for k in range(KINDS):
                if purse.target[pool] >> k & 1:
                    eligible += short[k]
            open_dishes = purse.left[pool] + (purse.left[POOLS] if pool == POOLS - 1 else 0)
            converted += min(eligible, min(open_dishes, min(gap, spare) - converted))
    value -= set.weight.convert * converted
    gap -= converted
    while gap > 0:
        value *= set.weight.near_miss
        gap -= 1
    return value


cdef float purse_value(const Set* set, const Offer* offer, const Purse* purse) noexcept nogil:
    """What the tray and tokens are good for: the best card, some of the second best, and what is left over."""
    cdef float best = 0, second = 0, value, rest = 0
    cdef int i, k
    for i in range(offer.n):
        value = serving_value(set, offer, purse, i)
        if value > best:
            second = best
            best = value
        elif value > second:
            second = value
    for k in range(KINDS):
        rest += purse.tray[k] * offer.keep[k]
    return best + set.weight.second * second + rest


cdef void fit(Purse* purse, int spaces) noexcept nogil:
    """Drop the cheapest resources a tray has no space for."""
    cdef int k, n = -spaces
    for k in range(KINDS):
        n += purse.tray[k]
    for k in range(KINDS):
        while n > 0 and purse.tray[k]:
            purse.tray[k] -= 1
            n -= 1


cdef inline void add(const Campus* s, Purse* purse, int k, int n) noexcept nogil:
    purse.tray[k] += min(n, <int>s.zone[k])


cdef void collect_first(const Set* set, const Campus* s, Purse* purse) noexcept nogil:
    """What the first die will give."""
    cdef int k
    for k in range(KINDS):
        add(s, purse, k, set.side[s.advanced].space[s.turn.placed[0]].give[k])


cdef float space_value(
    const Set* set, const Campus* s, const Offer* offer, const Purse* purse, int space, int times
) noexcept nogil:
    """Value of the position once a space has given what it gives."""
    cdef const Space* given = &set.side[s.advanced].space[space]
    cdef Purse after = purse[0]
    cdef int k, pool
    for k in range(KINDS):
        add(s, &after, k, given.give[k] * times)
    if given.times:
        pool = 1 if after.left[0] else 0
        after.source[pool] = given.source
        after.target[pool] = given.target
        after.left[pool] = given.times * times
    fit(&after, s.player[s.active].spaces)
    return given.money * times + purse_value(set, offer, &after)


cdef float changed_value(
    const Set* set, const Campus* s, const Offer* offer, const Purse* purse, uint32_t kind, int argument
) noexcept nogil:
    """Value of the position once a move has changed the tray or the tokens."""
    cdef Purse after = purse[0]
    cdef int k
    if kind == MOVE_DISCARD:
        for k in range(KINDS):
            after.tray[k] -= argument >> 4 * (KINDS - 1 - k) & 15
    elif kind == MOVE_TALENT:
        add(s, &after, argument, 1)
    elif kind == MOVE_WILLIAM:
        k = H if argument else E
        if not after.tray[k]:
            add(s, &after, k, 1)
        k = M if argument else S
        if not after.tray[k]:
            add(s, &after, k, 1)
    elif argument >= 8:
        after.white |= 1 << (argument - 8)
    elif argument == 0:
        add(s, &after, M, 1)
        add(s, &after, H, 1)
    elif argument == 1:
        add(s, &after, S, 1)
        add(s, &after, E, 1)
    else:
        add(s, &after, C, 1)
    fit(&after, s.player[s.active].spaces)
    return purse_value(set, offer, &after)


cdef void move_values(const Set* set, const Campus* s, const uint32_t* moves, uint32_t n, float* value) noexcept nogil:
    cdef Purse purse
    cdef Offer offer
    cdef uint32_t i, kind
    cdef int argument, k, card
    cdef float paid
    memset(value, 0, n * sizeof(float))
    kind = moves[0] >> SHIFT
    if kind == MOVE_WAITER:
        for i in range(n):
            value[i] = set.weight.talent[moves[i] & ARGUMENT] * turns_left(set, s, s.header.to_move)
            if moves[i] & ARGUMENT == JOHN:
                for k in range(KINDS):
                    value[i] += keep_value(set, k, 1)
        return
    if kind == MOVE_DEPLETE or kind == MOVE_DICE:
        return
    fill_purse(set, s, &purse)
    if kind == MOVE_PAY:
        for i in range(n):
            value[i] = -cost(&set.card[s.turn.paying], moves[i] & ARGUMENT) * set.weight.pay
        return
    fill_offer(set, s, &offer)
    if kind == MOVE_PLACE or kind == MOVE_STACK:
        if s.turn.placed[0] != NONE:
            collect_first(set, s, &purse)
        for i in range(n):
            argument = moves[i] & ARGUMENT
            if moves[i] >> SHIFT == MOVE_STACK:
                value[i] = space_value(set, s, &offer, &purse, argument, 2)
                value[i] -= set.weight.die  # the other die is used up
            else:
                value[i] = space_value(set, s, &offer, &purse, argument & 15, 1)
        return
    for i in range(n):
        kind = moves[i] >> SHIFT
        argument = moves[i] & ARGUMENT
        if kind == MOVE_STOP:
            value[i] = 0
        elif kind == MOVE_SERVE:
            for k in range(offer.n):
                if offer.card[k] == argument:
                    paid = 0
                    for card in range(KINDS):
                        paid += min(set.card[argument].need[card], purse.tray[card]) * offer.keep[card]
                    value[i] = offer.gain[k] - paid
        else:
            value[i] = changed_value(set, s, &offer, &purse, kind, argument)


cdef void sensible_step(const Set* set, Campus* s, Rng* rng) noexcept nogil:
    cdef uint32_t[MOVES_MAX] moves
    cdef float[MOVES_MAX] value
    cdef Purse purse
    cdef uint32_t i, n, best = 0
    if s.header.to_move == CHANCE:
        play(set, s, draw(set, s, rng))
        return
    if s.step == STEP_PAY:
        fill_purse(set, s, &purse)
        play(set, s, <uint32_t>MOVE_PAY << SHIFT | cheap_payment(&purse, &set.card[s.turn.paying]))
        return
    n = list_moves(set, s, moves)
    if n > 1:
        if rng_below(rng, 10) == 0:
            best = rng_below(rng, n)
        else:
            move_values(set, s, moves, n, value)
            best = rng_below(rng, n)  # any of equal values
            for i in range(n):
                if value[i] > value[best]:
                    best = i
    play(set, s, moves[best])


cdef float ability(const Set* set, const Campus* s, uint64_t left) noexcept nogil:
    """$ a turn that training with these cards earns."""
    cdef float income = 0
    while left:
        if set.card[lowest_bit(left)].reverse != CAREER:
            income += reverse_value(set, s, &set.card[lowest_bit(left)], 1)
        else:
            income += set.weight.career_income
        left &= left - 1
    return income


cdef void expectation(const Set* set, const Campus* s, float* win, float* score) noexcept nogil:
    """What there is if the running service ends now, what it may earn yet, and the turns to come."""
    cdef Tally[MAX_PLAYERS] tallies
    cdef const Player* player
    cdef uint64_t owned
    cdef int p, k, players = s.header.players
    cdef float turns, later, most = 0, spread, total = 0, settled
    cdef Campus paid
    cdef Purse purse
    if s.step == STEP_PAY:  # the card is as good as served
        paid = s[0]
        fill_purse(set, s, &purse)
        play(set, &paid, <uint32_t>MOVE_PAY << SHIFT | cheap_payment(&purse, &set.card[s.turn.paying]))
        expectation(set, &paid, win, score)
        return
    for p in range(players):
        player = &s.player[p]
        owned = player.owned
        turns = turns_left(set, s, p)
        score[p] = player.score
        if p == s.active and s.turn.die[0] != NONE:
            owned |= s.turn.served
            turns -= 1
            score[p] += check(set, s) + running_value(set, s)
        else:
            for k in range(KINDS):
                score[p] += keep_value(set, k, turns) * player.tray[k]
        tally(set, owned, &tallies[p])
        score[p] += careers_total(&tallies[p], player.waiter == SAMUEL)
        most = max(most, turns)
        later = max(turns - 1, <float>0)
        score[p] += turns * (
            set.weight.income[s.advanced] + set.weight.growth * later + set.weight.trained * ability(set, s, owned)
        )
        if player.waiter != NONE:
            score[p] += turns * set.weight.talent[player.waiter]
    settled = 1 / (1 + set.weight.unsettled * most)
    for k in range(3):
        if s.objective[k] != NONE:
            expect_awards(set, s, tallies, s.objective[k], settled, False, score)
    if s.secret_color != NONE:
        expect_awards(set, s, tallies, s.secret, settled, True, score)
    spread = set.weight.spread + set.weight.spread_turns * <float>sqrt(most)
    turns = score[0]
    for p in range(1, players):
        turns = max(turns, score[p])
    for p in range(players):
        win[p] = <float>exp((score[p] - turns) / spread)
        total += win[p]
    for p in range(players):
        win[p] /= total


cdef void expect_awards(
    const Set* set, const Campus* s, const Tally* tallies, int objective, float settled, bint secret, float* score
) noexcept nogil:
    """Adds an objective's awards, as far as they are settled, and else an equal share; a secret one's for Abigail."""
    cdef int[MAX_PLAYERS] award
    cdef int p, players = s.header.players
    memset(award, 0, sizeof(award))
    if objective != NONE:
        awards(set, s, tallies, objective, award)
    else:
        settled = 0
    for p in range(players):
        if not secret or s.player[p].waiter == ABIGAIL:
            score[p] += settled * award[p] + (1 - settled) * set.award[players][0] / players


cdef float running_value(const Set* set, const Campus* s) noexcept nogil:
    """What the active player's tray and tokens are good for in this turn and later, and what is about to come in."""
    cdef Offer offer
    cdef Purse purse
    cdef float value = 0
    fill_purse(set, s, &purse)
    fill_offer(set, s, &offer)
    if s.step == STEP_PLACE and s.turn.placed[0] != NONE:
        collect_first(set, s, &purse)
        value = set.side[s.advanced].space[s.turn.placed[0]].money
        fit(&purse, s.player[s.active].spaces)
    elif s.step == STEP_GIFT:
        value = set.weight.gift
    return value + purse_value(set, &offer, &purse)
