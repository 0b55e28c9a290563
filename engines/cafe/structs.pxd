"""Native structs of Café: the position and the printed cards, shared by all native modules of the engine.

A *cell* is one square of one placed card: 6 * (place of the card in the player's area) + (square of the card). Sets of
cells are 54-bit masks. All structs are flat; a position is canonical: what is unused is zero (cards: NO_CARD).
"""
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t

from cython_ext.game cimport StateHeader
from cython_ext.network cimport Network

cdef enum:
    PLAYERS_MAX = 4
    COLORS = 4
    SQUARES = 6  # of a card
    PLAN_CARDS = 48  # cards 0 to 47
    FIRST_EXPRESSO = 48  # cards 48 to 55
    EXPRESSO_CARDS = 8
    FIRST_START = 56  # cards 56 to 59
    CARDS = 60
    AREA_CARDS = 9  # a start card and one card a round
    CELLS = AREA_CARDS * SQUARES
    ROUNDS = 8
    MAX_ACTIONS = 8
    FREE_SHIPS = 2  # visible ships that make cups free
    OFFER_MAX = 6
    DECK_MAX = 32  # cards of a solo deck with Expresso
    NO_CARD = 255
    # Most moves of a state: 456 placements, or in an open delivery 38 squares that are either shops with at most 35
    # servings each (six cubes of four colours: 3 * 3 * 2 * 2 - 1) or have fewer moves, and the end.
    MOVES_MAX = 38 * 35 + 2
    INPUTS = 67  # of the network of forecast.pyx
    ORIGIN = 32  # offset of rows and columns in move codes


# What a square shows; the order is that of components.KINDS.
cdef enum Kind:
    EMPTY
    PLANTATION
    DOUBLE
    SACK
    DRY
    ROAST
    SHOP
    WAITER
    CUP
    SHIP
    NATA


cdef enum Step:
    STEP_DRAW  # chance: cards come to the offer
    STEP_AUCTION
    STEP_PAY  # the winner of the auction pays, cube by cube
    STEP_TAKE
    STEP_PLACE
    STEP_ACT
    STEP_GROW  # within a growing action: what one square takes
    STEP_OVER


# An action that may go on without costing another one.
cdef enum Open:
    OPEN_NONE
    OPEN_DRY  # further colours, ascending, to the same group
    OPEN_ROAST
    OPEN_EMPTY  # delivery: further roasters, ascending, or shops
    OPEN_SERVE  # delivery: further shops, ascending


# Move codes: the type above TYPE_SHIFT, what it is about below.
cdef enum:
    TYPE_SHIFT = 24
    DRAW = 1 << TYPE_SHIFT  # card
    PASS = 2 << TYPE_SHIFT
    BID = 3 << TYPE_SHIFT  # cubes
    PAY = 4 << TYPE_SHIFT  # colour
    TAKE = 5 << TYPE_SHIFT  # card << 3 | colour paid, COLORS for nothing
    REJECT = 6 << TYPE_SHIFT  # card: the forced discard
    PLACE = 7 << TYPE_SHIFT  # rotation << 12 | (row + ORIGIN) << 6 | column + ORIGIN
    GROW = 8 << TYPE_SHIFT  # lowest cell of the group
    FILL = 9 << TYPE_SHIFT  # cell << 4 | cubes << 2 | colour
    DRY_TO = 10 << TYPE_SHIFT  # cell << 2 | colour
    ROAST_TO = 11 << TYPE_SHIFT  # cell << 2 | colour
    EMPTY_ROASTER = 12 << TYPE_SHIFT  # cell
    SERVE = 13 << TYPE_SHIFT  # cell << 8 | cubes, two bits a colour
    DISCARD = 14 << TYPE_SHIFT  # cell
    END = 15 << TYPE_SHIFT


# One player's area and warehouse.
cdef struct Area:
    uint64_t visible  # cells not covered
    uint64_t plants  # visible plantations, sacks and double beans
    uint64_t dryers  # visible drying squares
    uint64_t roasters  # visible roasters
    uint64_t shops  # the lowest square of every open shop
    uint64_t waiters  # visible waiters
    uint8_t[CELLS] cubes  # see `pile`; at the lowest square of a shop: cubes delivered, two bits a colour
    uint8_t[CELLS] group  # of visible plants, dryers and roasters: lowest cell of their group
    uint8_t cards  # cards placed
    uint8_t[AREA_CARDS] card  # in the order they were placed
    int8_t[AREA_CARDS] row  # of the top left square as the card lies; the start card's is 0
    int8_t[AREA_CARDS] column
    uint8_t[AREA_CARDS] rotation  # clockwise quarter turns
    uint8_t cups  # visible cups
    uint8_t ships  # visible ships
    uint8_t[COLORS] warehouse


cdef struct Position:
    StateHeader header
    uint8_t step  # of Step
    uint8_t round  # 1 to ROUNDS
    uint8_t master  # holder of the coffee master
    uint8_t turn  # players who have taken their turn in this phase of the round
    uint8_t auction  # the game has an auction
    uint8_t expresso  # the game has the Expresso cards
    uint8_t open_deck  # solo: the order of the deck is known, and there is a deck
    uint8_t unknown_discards  # discarded cards nobody noted; they count as unseen
    uint8_t offered  # cards on offer
    uint8_t[OFFER_MAX] offer  # ascending
    uint8_t taken  # the card to be placed
    uint8_t bid  # standing bid in cubes, 0 for none
    uint8_t bidder
    uint8_t bidding  # players who have not passed, one bit each
    uint8_t owed  # cubes of the bid still to be paid
    uint8_t pay_from  # lowest colour that may still be paid with
    uint8_t actions  # actions left
    uint8_t open  # of Open
    uint8_t open_cell  # OPEN_EMPTY: the last roaster, OPEN_SERVE: the last shop; OPEN_DRY, OPEN_ROAST: the last colour
    uint8_t[COLORS] hand  # open delivery: cubes that may still go to shops; they are counted in the warehouse
    uint8_t grow_cell  # STEP_GROW: the square whose cubes are to be chosen
    uint8_t exhaust  # STEP_GROW: colours that this action must use up, one bit each
    uint8_t[COLORS] supply
    uint8_t[DECK_MAX] deck  # open deck: cards from the next one on at their places, others NO_CARD
    uint64_t unseen  # plan and Expresso cards in the deck, removed, or discarded unnoted
    uint64_t open_used  # OPEN_DRY, OPEN_ROAST: squares this action has filled
    Area[PLAYERS_MAX] area


cdef struct Shop:
    uint8_t squares  # mask of the card's squares
    uint8_t need  # cubes asked for, two bits a colour
    uint8_t points


cdef struct Card:
    uint8_t[SQUARES] kind
    uint8_t[SQUARES] color
    uint8_t[SQUARES] nata  # points
    uint8_t plants  # masks of the card's squares
    uint8_t dryers
    uint8_t roasters
    uint8_t waiters
    uint8_t cups
    uint8_t ships
    uint8_t shops  # lowest square of each shop
    uint8_t symmetric  # looks the same after a half turn
    Shop[SQUARES] shop  # by lowest square


# Weights of the rules of thumb; weights.py explains them.
cdef struct Weights:
    float shop_cube
    float store_cube
    float grown
    float dried
    float roasted
    float partial
    float cup
    float shop
    float plant
    float wanted
    float dryer
    float roaster
    float late
    float ship
    float plant_touch
    float dryer_touch
    float roaster_touch
    float waiter
    float nata
    float sack
    float double
    float pay
    float keep
    float discard
    float noise
    float prior


# The network of forecast.pyx, and by rounds to begin the spread of a lead and its error without and with actions left.
cdef struct Forecast:
    Network points
    float[ROUNDS + 1] spread
    float[ROUNDS + 1][2] error


cdef struct Table:
    Card[CARDS] card
    uint8_t cubes  # of each colour in the game
    int8_t[4][SQUARES] down  # row of a square below the top left one, by rotation
    int8_t[4][SQUARES] right
    Weights weight
    Forecast forecast


cdef inline uint64_t bit(int cell) noexcept nogil:
    return <uint64_t>1 << cell


cdef extern from *:
    """
    #define cafe_lowest(x) __builtin_ctzll(x)
    #define cafe_ones(x) __builtin_popcountll(x)
    """
    int lowest "cafe_lowest"(uint64_t x) noexcept nogil  # x != 0
    int ones "cafe_ones"(uint64_t x) noexcept nogil


cdef inline uint8_t pile(int count, int color) noexcept nogil:
    """Cubes of one colour on a square; 0 for none."""
    return <uint8_t>(count << 2 | color) if count else 0


cdef inline int pile_count(uint8_t cubes) noexcept nogil:
    return cubes >> 2


cdef inline int pile_color(uint8_t cubes) noexcept nogil:
    return cubes & 3


cdef inline int amount(uint8_t packed, int color) noexcept nogil:
    """Cubes of a colour in two bits a colour."""
    return packed >> (2 * color) & 3


cdef inline const Card* card_at(const Table* t, const Area* a, int cell) noexcept nogil:
    return &t.card[a.card[cell // SQUARES]]


cdef inline int kind_at(const Table* t, const Area* a, int cell) noexcept nogil:
    return card_at(t, a, cell).kind[cell % SQUARES]


cdef inline int color_at(const Table* t, const Area* a, int cell) noexcept nogil:
    return card_at(t, a, cell).color[cell % SQUARES]


cdef inline const Shop* shop_at(const Table* t, const Area* a, int cell) noexcept nogil:
    return &card_at(t, a, cell).shop[cell % SQUARES]


cdef inline int row_at(const Table* t, const Area* a, int cell) noexcept nogil:
    cdef int place = cell // SQUARES
    return a.row[place] + t.down[a.rotation[place]][cell % SQUARES]


cdef inline int column_at(const Table* t, const Area* a, int cell) noexcept nogil:
    cdef int place = cell // SQUARES
    return a.column[place] + t.right[a.rotation[place]][cell % SQUARES]


cdef inline int stored(const Area* a) noexcept nogil:
    """Cubes in the warehouse."""
    return a.warehouse[0] + a.warehouse[1] + a.warehouse[2] + a.warehouse[3]


cdef inline int player_in_turn(const Position* p, int turn) noexcept nogil:
    """The player who picks and acts as number `turn` of the round, from 0."""
    return (p.master + turn + (0 if p.auction else 1)) % p.header.players


cdef inline int offer_size(const Position* p) noexcept nogil:
    """Cards of a full offer."""
    return (p.header.players + 1 if p.auction else 3) + p.expresso


cdef inline int cards_per_round(const Position* p) noexcept nogil:
    return p.header.players + (1 if p.auction else 2) + p.expresso


cdef inline int deck_after(const Position* p, int rounds) noexcept nogil:
    """Cards left in the deck after so many rounds; what the auction leaves unused counts."""
    cdef int size = ROUNDS * (p.header.players + 2) + (EXPRESSO_CARDS if p.expresso else 0)
    return size - rounds * cards_per_round(p)


cdef inline int deck_left(const Position* p) noexcept nogil:
    """Cards left in the deck."""
    cdef int drawn = cards_per_round(p)  # in this round
    if p.step == STEP_DRAW or p.step == STEP_TAKE and not p.auction:
        drawn = p.offered + p.turn
    elif p.step == STEP_PLACE and not p.auction:
        drawn = p.offered + p.turn + 1
    return deck_after(p, p.round - 1) - drawn
