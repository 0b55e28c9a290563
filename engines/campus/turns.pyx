"""Transitions of Campus Café, after the rulebook and its order of phases."""
from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from cython_ext.game cimport CHANCE, OVER
from engines.campus.dice cimport can_place, put_dice
from engines.campus.layout cimport (
    ABIGAIL,
    ABOUT_CUSTOMERS,
    ABOUT_GIFTS,
    ABOUT_TRAY,
    ARGUMENT,
    CARDS,
    DESTINY,
    DISLIKES,
    JOHN,
    KINDS,
    MANIPULATOR,
    MOVE_CARD,
    MOVE_DEPLETE,
    MOVE_DICE,
    MOVE_DISCARD,
    MOVE_DISLIKE,
    MOVE_GIFT,
    MOVE_OBJECTIVE,
    MOVE_PAY,
    MOVE_SERVE,
    MOVE_STOP,
    MOVE_TALENT,
    MOVE_WAITER,
    MOVE_WILLIAM,
    MULTIPLIER,
    NONE,
    OBJECTIVES,
    ROUNDS,
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
    TABLES,
    TYPES,
    WILLIAM,
    C,
    Campus,
    Card,
    Dislike,
    E,
    H,
    M,
    Player,
    S,
    Set,
    Space,
    Turn,
)
from engines.campus.payments cimport pay

cdef enum:
    WHITE_TOKEN = 8  # argument of MOVE_GIFT in the advanced game
    DISLIKED_TRAY = 4  # spaces of the tray of the promo Dislikes, whoever's it is ...
    JOHN_DISLIKED_TRAY = 6  # ... but John's


# ---- setup ----

cdef void clear_turn(Turn* turn) noexcept nogil:
    memset(turn, 0, sizeof(Turn))
    turn.die[0] = turn.die[1] = turn.placed[0] = turn.placed[1] = turn.paying = NONE


cdef void set_up(const Set* set, Campus* s, int players, bint advanced, bint dislikes) noexcept nogil:
    cdef int k, p
    memset(s, 0, sizeof(Campus))
    s.header.players = players
    s.header.to_move = CHANCE
    s.step = STEP_OBJECTIVES
    s.advanced = advanced
    s.dislikes = dislikes
    s.round = 1
    for k in range(3):
        s.objective[k] = NONE
    s.secret_color = s.secret = s.top[0] = s.top[1] = NONE
    s.whites = 255 if advanced else 0
    s.unseen = (<uint64_t>1 << CARDS) - 1
    s.below[0] = set.side[advanced].deck[players]
    s.below[1] = CARDS - TABLES - s.below[0]
    for k in range(KINDS):
        s.zone[k] = set.side[advanced].supply[players][k]
    clear_turn(&s.turn)
    for p in range(players):
        s.player[p].waiter = s.player[p].dislike = NONE
        refresh(set, s, p)


cdef void refresh(const Set* set, Campus* s, int p) noexcept nogil:
    cdef Player* player = &s.player[p]
    cdef const Card* card
    cdef uint64_t left = player.owned
    cdef int k
    player.satisfied = player.manipulators = 0
    memset(player.blue, 0, KINDS)
    memset(player.supply, 0, KINDS)
    if s.advanced and player.waiter == NONE:
        player.spaces = 0
    elif player.dislike != NONE and set.dislike[player.dislike].about == ABOUT_TRAY:
        player.spaces = JOHN_DISLIKED_TRAY if player.waiter == JOHN else DISLIKED_TRAY
    else:
        player.spaces = set.side[s.advanced].tray[max(<int>player.waiter, 0)]
    while left:
        card = &set.card[lowest_bit(left)]
        left &= left - 1
        player.spaces += card.spaces
        if card.reverse == SATISFIER:
            player.satisfied |= 1 << card.param
        elif card.reverse == MULTIPLIER:
            player.blue[card.param] += card.tokens
        elif card.reverse == MANIPULATOR:
            player.manipulators |= 1 << card.param
        for k in range(KINDS):
            player.supply[k] = max(player.supply[k], card.supply[k])


cdef void start_turn(const Set* set, Campus* s) noexcept nogil:
    clear_turn(&s.turn)
    if s.player[s.active].waiter == ABIGAIL:
        s.step = STEP_COLORS
        s.header.to_move = s.active
    else:
        s.step = STEP_ROLL
        s.header.to_move = CHANCE


cdef void after_tables(const Set* set, Campus* s) noexcept nogil:
    if s.dislikes:
        s.step = STEP_DISLIKES
    else:
        after_dislikes(set, s)


cdef void after_dislikes(const Set* set, Campus* s) noexcept nogil:
    if s.advanced:
        s.step = STEP_WAITERS
    else:
        start_turn(set, s)


cdef void after_draft(const Set* set, Campus* s) noexcept nogil:
    """Abigail's secret objective; then the game starts."""
    cdef int p
    s.waiters = 0
    for p in range(s.header.players):
        if s.player[p].waiter == ABIGAIL:
            s.secret_color = set.card[s.top[0]].size - 2
    if s.secret_color >= 0:
        if secret_choices(set, s):
            s.step = STEP_SECRET
            s.header.to_move = CHANCE
            return
        s.secret_color = NONE
    start_turn(set, s)


cdef int secret_choices(const Set* set, const Campus* s) noexcept nogil:
    """Mask of the objectives that may be Abigail's secret one."""
    cdef int i, choices = 0
    for i in range(OBJECTIVES):
        if set.objective[i].color == s.secret_color and i != s.objective[s.secret_color]:
            choices |= 1 << i
    return choices


cdef int dislikes_left(const Campus* s) noexcept nogil:
    cdef int p, left = (1 << DISLIKES) - 1
    for p in range(s.header.players):
        if s.player[p].dislike != NONE:
            left ^= 1 << s.player[p].dislike
    return left


cdef int undecided(const Campus* s) noexcept nogil:
    """The first player without a dislike."""
    cdef int p = 0
    while s.player[p].dislike != NONE:
        p += 1
    return p


# ---- resources ----

cdef inline void take(Campus* s, int p, int k, int n) noexcept nogil:
    """From the zone into a tray, as far as the zone goes."""
    n = min(n, <int>s.zone[k])
    s.zone[k] -= n
    s.player[p].tray[k] += n


cdef inline bint has_reserved(const Campus* s, int p, const Set* set) noexcept nogil:
    return s.player[p].dislike != NONE and set.dislike[s.player[p].dislike].about == ABOUT_TRAY


cdef int loose(const Set* set, const Campus* s, int p, int k) noexcept nogil:
    cdef int n = s.player[p].tray[k]
    return n - 1 if n and k <= H and has_reserved(s, p, set) else n


cdef int excess(const Set* set, const Campus* s, int p) noexcept nogil:
    cdef int k, n = -<int>s.player[p].spaces
    if has_reserved(s, p, set):
        n += 2
    for k in range(KINDS):
        n += loose(set, s, p, k)
    return max(n, 0)


# ---- one turn ----

cdef void collect(const Set* set, Campus* s) noexcept nogil:
    cdef const Space* space
    cdef int i, k
    cdef int[KINDS] asked
    memset(asked, 0, sizeof(asked))
    for i in range(2):
        if s.turn.placed[i] != NONE:
            space = &set.side[s.advanced].space[s.turn.placed[i]]
            s.turn.money += space.money
            for k in range(KINDS):
                asked[k] += space.give[k]
    for k in range(KINDS):
        take(s, s.active, k, asked[k])
    if excess(set, s, s.active):
        s.step = STEP_DISCARD_COLLECTED
    else:
        s.step = STEP_SERVE


cdef void start_placing(const Set* set, Campus* s) noexcept nogil:
    s.step = STEP_PLACE
    s.header.to_move = s.active
    if not can_place(set, s):
        collect(set, s)


cdef uint64_t servable(const Set* set, const Campus* s) noexcept nogil:
    cdef const Player* me = &s.player[s.active]
    cdef const Dislike* dislike
    cdef uint64_t cards = s.table
    cdef int k
    if me.waiter == DESTINY:
        for k in range(2):
            if s.top[k] != NONE:
                cards |= <uint64_t>1 << s.top[k] & ~s.turn.served
    if s.advanced and me.dislike != NONE:
        dislike = &set.dislike[me.dislike]
        if dislike.about == ABOUT_GIFTS:
            cards &= ~set.gift_cards
        elif dislike.about == ABOUT_CUSTOMERS:
            for k in range(TYPES):
                if dislike.types >> k & 1:
                    cards &= ~set.type_cards[k]
    return cards


cdef int gift_choices(const Campus* s) noexcept nogil:
    """Mask of the arguments of MOVE_GIFT."""
    if s.advanced:
        return s.whites << WHITE_TOKEN
    return (
        (s.zone[M] > 0 or s.zone[H] > 0) | (s.zone[S] > 0 or s.zone[E] > 0) << 1 | (s.zone[C] > 0) << 2
    )


cdef int talent_choices(const Set* set, const Campus* s) noexcept nogil:
    """Mask of the resources the waiter's talent may give for the card just completed."""
    cdef int size = set.card[s.turn.paying].size, waiter = s.player[s.active].waiter, choices = 0, k
    if waiter == ABIGAIL and size == 2:
        choices = 1 << H | 1 << M
    elif waiter == DESTINY and size == 3:
        choices = 1 << E | 1 << H
    elif waiter == DESTINY and size == 4:
        choices = 1 << M | 1 << S
    for k in range(KINDS):
        if not s.zone[k]:
            choices &= ~(1 << k)
    return choices


cdef void complete(const Set* set, Campus* s) noexcept nogil:
    """The card being paid is covered."""
    cdef uint64_t bit = <uint64_t>1 << s.turn.paying
    cdef int8_t gift = set.card[s.turn.paying].gift
    s.turn.served |= bit
    s.table &= ~bit
    if gift >= 0:
        s.turn.gifts[gift] += 1
        if gift_choices(s):
            s.step = STEP_GIFT
            return
    after_gift(set, s)


cdef void after_gift(const Set* set, Campus* s) noexcept nogil:
    if talent_choices(set, s):
        s.step = STEP_TALENT
    else:
        after_talent(set, s)


cdef void after_talent(const Set* set, Campus* s) noexcept nogil:
    s.turn.paying = NONE
    s.step = STEP_DISCARD_SERVED if excess(set, s, s.active) else STEP_SERVE


cdef void receive_gift(Campus* s, int choice) noexcept nogil:
    if choice >= WHITE_TOKEN:
        s.whites ^= 1 << (choice - WHITE_TOKEN)
        s.turn.white |= 1 << (choice - WHITE_TOKEN)
    elif choice == 0:
        take(s, s.active, M, 1)
        take(s, s.active, H, 1)
    elif choice == 1:
        take(s, s.active, S, 1)
        take(s, s.active, E, 1)
    else:
        take(s, s.active, C, 1)


cdef int check(const Set* set, const Campus* s) noexcept nogil:
    cdef const Player* me = &s.player[s.active]
    cdef const Dislike* dislike = NULL
    cdef const Card* card
    cdef uint64_t left = s.turn.served
    cdef int k, total = s.turn.money + 4 * count_bits(s.turn.white)
    if me.dislike != NONE:
        dislike = &set.dislike[me.dislike]
    while left:
        card = &set.card[lowest_bit(left)]
        left &= left - 1
        total += card.check
        if s.advanced:
            continue
        for k in range(card.size):
            if me.satisfied >> card.type[k] & 1:
                total += 2
            if dislike != NULL and dislike.types >> card.type[k] & 1:
                total -= 2
        if dislike != NULL and dislike.about == ABOUT_GIFTS and card.gift >= 0:
            total -= 4
    return total


cdef void finish_service(const Set* set, Campus* s) noexcept nogil:
    """Check, training, depletion."""
    cdef Player* me = &s.player[s.active]
    cdef uint8_t[KINDS] gifts
    cdef int k
    me.score += check(set, s)
    for k in range(KINDS):
        s.zone[k] += s.turn.spent[k]
        gifts[k] = s.turn.gifts[k]
    me.owned |= s.turn.served
    for k in range(2):
        if s.top[k] != NONE and s.turn.served >> s.top[k] & 1:
            s.top[k] = NONE
    refresh(set, s, s.active)
    clear_turn(&s.turn)
    for k in range(KINDS):
        s.turn.gifts[k] = gifts[k]
    deplete(set, s)


cdef int deplete_choices(const Campus* s, int k) noexcept nogil:
    """Mask of the players whose tray may lose a resource."""
    cdef int p, choices = 0
    for p in range(s.header.players):
        if p != s.active and s.player[p].tray[k]:
            choices |= 1 << p
    if not choices and s.player[s.active].tray[k]:
        choices = 1 << s.active
    return choices


cdef int depleted(const Campus* s) noexcept nogil:
    """The resource that leaves the game next, or NONE."""
    cdef int k
    for k in range(KINDS):
        if s.turn.gifts[k]:
            return k
    return NONE


cdef void deplete(const Set* set, Campus* s) noexcept nogil:
    cdef int k
    while True:
        k = depleted(s)
        if k == NONE:
            arrive(set, s)
            return
        if s.zone[k]:
            s.zone[k] -= 1
        elif deplete_choices(s, k):
            s.step = STEP_DEPLETE
            return
        s.turn.gifts[k] -= 1


cdef void arrive(const Set* set, Campus* s) noexcept nogil:
    """Fills the tables; stops at the chance point of every new top."""
    while True:
        if s.top[0] == NONE and s.below[0] == 0 and not s.last_round:
            s.top[0] = s.top[1]
            s.below[0] = s.below[1]
            s.top[1] = NONE
            s.below[1] = 0
            s.last_round = 1
        elif s.top[0] == NONE and s.below[0]:
            break
        elif s.top[0] != NONE and count_bits(s.table) < TABLES:
            s.table |= <uint64_t>1 << s.top[0]
            s.top[0] = NONE
        elif s.top[1] == NONE and s.below[1]:
            break
        else:
            restock(set, s)
            return
    s.step = STEP_ARRIVAL
    s.header.to_move = CHANCE


cdef void reveal(Campus* s, int card) noexcept nogil:
    """A card becomes the top of the customers deck, else of the last customers deck."""
    cdef int deck = 0 if s.top[0] == NONE and s.below[0] else 1
    s.unseen ^= <uint64_t>1 << card
    s.top[deck] = card
    s.below[deck] -= 1


cdef void restock(const Set* set, Campus* s) noexcept nogil:
    cdef Player* me = &s.player[s.active]
    cdef int k
    s.header.to_move = s.active
    for k in range(KINDS):
        if me.supply[k] > me.tray[k]:
            take(s, s.active, k, me.supply[k] - me.tray[k])
    if me.waiter == WILLIAM:
        s.step = STEP_WILLIAM
    else:
        after_restock(set, s)


cdef void top_up(Campus* s, int k) noexcept nogil:
    if not s.player[s.active].tray[k]:
        take(s, s.active, k, 1)


cdef void after_restock(const Set* set, Campus* s) noexcept nogil:
    if excess(set, s, s.active):
        s.step = STEP_DISCARD_RESTOCKED
    else:
        end_turn(set, s)


cdef void end_turn(const Set* set, Campus* s) noexcept nogil:
    if s.active < s.header.players - 1:
        s.active += 1
        start_turn(set, s)
    elif not s.last_round and s.round < ROUNDS:
        s.active = 0
        s.round += 1
        start_turn(set, s)
    else:
        clear_turn(&s.turn)
        if s.secret_color >= 0 and s.secret == NONE:
            s.step = STEP_REVEAL_SECRET
            s.header.to_move = CHANCE
        else:
            s.step = STEP_OVER
            s.header.to_move = OVER


cdef void discard(const Set* set, Campus* s, uint32_t counts) noexcept nogil:
    cdef int k, n
    for k in range(KINDS):
        n = counts >> 4 * (KINDS - 1 - k) & 15
        s.player[s.active].tray[k] -= n
        s.zone[k] += n
    if s.step == STEP_DISCARD_RESTOCKED:
        end_turn(set, s)
    else:
        s.step = STEP_SERVE


cdef void draft(const Set* set, Campus* s, int waiter) noexcept nogil:
    cdef int k, p = s.header.to_move
    s.waiters ^= 1 << waiter
    s.player[p].waiter = waiter
    refresh(set, s, p)
    if waiter == JOHN:
        for k in range(KINDS):
            take(s, p, k, 1)
    if p:
        s.header.to_move = p - 1
    else:
        after_draft(set, s)


cdef void draw_objective(const Set* set, Campus* s, int objective) noexcept nogil:
    if s.step == STEP_OBJECTIVES:
        s.objective[set.objective[objective].color] = objective
        if set.objective[objective].color == 2:
            s.step = STEP_TABLES
        return
    s.secret = objective
    if s.step == STEP_SECRET:
        start_turn(set, s)
    else:
        s.step = STEP_OVER
        s.header.to_move = OVER


cdef void draw_card(const Set* set, Campus* s, int card) noexcept nogil:
    if s.step == STEP_ARRIVAL:
        reveal(s, card)
        arrive(set, s)
    elif count_bits(s.table) < TABLES:
        s.table |= <uint64_t>1 << card
        s.unseen ^= <uint64_t>1 << card
    else:
        reveal(s, card)
        if s.top[1] != NONE:
            after_tables(set, s)


cdef void draw_waiter(const Set* set, Campus* s, int waiter) noexcept nogil:
    s.waiters |= 1 << waiter
    if count_bits(s.waiters) == s.header.players + 1:
        s.step = STEP_DRAFT
        s.header.to_move = s.header.players - 1


cdef void play(const Set* set, Campus* s, uint32_t move) noexcept nogil:
    cdef uint32_t kind = move >> SHIFT, argument = move & ARGUMENT
    cdef int p
    if kind == MOVE_PAY:
        pay(set, s, &set.card[s.turn.paying], argument)
        complete(set, s)
    elif kind == MOVE_SERVE:
        s.turn.paying = argument
        s.step = STEP_PAY
    elif kind == MOVE_STOP:
        finish_service(set, s)
    elif kind == MOVE_CARD:
        draw_card(set, s, argument)
    elif kind == MOVE_DICE:
        s.turn.die[0] = argument // 3
        s.turn.die[1] = argument % 3
        start_placing(set, s)
    elif kind == MOVE_DISCARD:
        discard(set, s, argument)
    elif kind == MOVE_GIFT:
        receive_gift(s, argument)
        after_gift(set, s)
    elif kind == MOVE_TALENT:
        take(s, s.active, argument, 1)
        after_talent(set, s)
    elif kind == MOVE_DEPLETE:
        p = depleted(s)
        s.player[argument].tray[p] -= 1
        s.turn.gifts[p] -= 1
        deplete(set, s)
    elif kind == MOVE_WILLIAM:
        top_up(s, H if argument else E)
        top_up(s, M if argument else S)
        after_restock(set, s)
    elif kind == MOVE_OBJECTIVE:
        draw_objective(set, s, argument)
    elif kind == MOVE_DISLIKE:
        p = undecided(s)
        s.player[p].dislike = argument
        refresh(set, s, p)
        if p == s.header.players - 1:
            after_dislikes(set, s)
    elif kind == MOVE_WAITER:
        if s.step == STEP_DRAFT:
            draft(set, s, argument)
        else:
            draw_waiter(set, s, argument)
    elif put_dice(set, s, move):  # MOVE_PLACE or MOVE_STACK
        collect(set, s)
