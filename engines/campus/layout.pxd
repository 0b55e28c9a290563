"""The flat structs of Campus Café: a component set and a position.

Resources count from 0 in the order E H M S C (worth resource + 1 dollars), customer types in the order of
components.TYPES (male even, female odd), dice colours red 0, blue 1, green 2, and spaces also white 3.
"""
from libc.stdint cimport int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t

from cython_ext.game cimport MAX_PLAYERS, StateHeader


cdef enum:
    NONE = -1
    KINDS = 5  # resources
    TYPES = 8  # customer types
    CARDS = 48
    TABLES = 7
    SPACES = 16  # most dice spaces of a board
    OBJECTIVES = 15
    WAITERS = 6
    DISLIKES = 6
    DISHES = 5  # most dishes of a card
    CUSTOMERS = 4  # most customers of a card
    ROUNDS = 60
    MOVES_MAX = 16384  # room for the payments of one card: 10,987 at most with the printed counters
    WHITE = 3


cdef enum:  # resources
    E
    H
    M
    S
    C


cdef enum:  # waiters
    ABIGAIL
    DESTINY
    JOHN
    MELISSA
    SAMUEL
    WILLIAM


cdef enum:  # reverse sides
    CAREER
    SATISFIER
    MULTIPLIER
    MANIPULATOR
    SUPPLIER
    EXTENSION


cdef enum:  # manipulator forms
    TO_COLOR
    FROM_COLOR
    STACK


cdef enum:  # what objectives and dislikes are about
    ABOUT_RESOURCE
    ABOUT_CUSTOMERS
    ABOUT_GROUPS
    ABOUT_GIFTS
    ABOUT_SPACES
    ABOUT_CARDS
    ABOUT_TRAY


cdef enum:  # StateHeader.to_move is CHANCE at the steps marked so
    STEP_OBJECTIVES  # chance: objectives are laid out, yellow, azure, gray
    STEP_TABLES  # chance: cards for the tables, then the decks' tops
    STEP_DISLIKES  # chance: a dislike for each player in turn
    STEP_WAITERS  # chance: waiters are laid out
    STEP_DRAFT  # a player takes a waiter
    STEP_SECRET  # chance: Abigail's secret objective
    STEP_ROLL  # chance: the dice
    STEP_COLORS  # Abigail chooses the dice
    STEP_PLACE  # dice go on spaces
    STEP_DISCARD_COLLECTED  # too much in the tray after collecting
    STEP_SERVE  # serve a card or stop
    STEP_PAY  # pay for the card being served
    STEP_GIFT  # choose what the gift gives
    STEP_TALENT  # choose what the waiter's talent gives
    STEP_DISCARD_SERVED  # too much in the tray after a gift or talent
    STEP_DEPLETE  # choose a tray a resource leaves the game from
    STEP_ARRIVAL  # chance: a deck's new top
    STEP_WILLIAM  # choose William's supply
    STEP_DISCARD_RESTOCKED  # too much in the tray after the restock
    STEP_REVEAL_SECRET  # chance: a secret objective nobody gave, before scoring
    STEP_OVER


cdef struct Card:
    uint8_t size  # customers
    uint8_t dishes  # size, or size + 1 with a common dish
    uint8_t[CUSTOMERS] type
    uint8_t[DISHES] dish  # in front of each customer, then the common one
    uint8_t[KINDS] need  # dishes of each resource
    uint8_t[TYPES] count  # customers of each type
    uint8_t types  # mask of types
    uint8_t check
    int8_t gift  # a resource or NONE
    uint8_t reverse
    uint8_t param  # career, satisfier's type, multiplier's resource, or manipulator's form * 3 + colour
    uint8_t tokens  # blue tokens of a multiplier
    uint8_t[KINDS] supply  # what a supplier shows
    uint8_t spaces  # extra tray spaces


cdef struct Space:
    uint8_t color
    uint8_t money
    uint8_t[KINDS] give
    uint8_t source  # counter: mask of resources that may be served ...
    uint8_t target  # ... on dishes of this mask
    uint8_t times  # conversions; 0 where the space is no counter


cdef struct Objective:
    uint8_t color
    uint8_t about
    uint8_t param  # resource or group size
    uint8_t types  # mask


cdef struct Dislike:
    uint8_t about
    uint8_t types  # mask


cdef struct Side:
    uint8_t[MAX_PLAYERS + 1][KINDS] supply  # by number of players
    uint8_t[MAX_PLAYERS + 1] deck
    uint8_t[WAITERS] tray
    uint8_t spaces
    Space[SPACES] space


# weights.py explains them.
cdef struct Weights:
    float cards_a_turn
    float last_round
    float keep
    float keep_worth
    float multiplier
    float multiplier_worth
    float tokens_two
    float tokens_three
    float[2] satisfier  # basic, advanced
    float supply
    float supply_worth
    float stacker
    float recolorer
    float space
    float career
    float career_turn
    float career_customer
    float award_dish
    float award_customer
    float award_group
    float award_gift
    float award_space
    float award_card
    float gift
    float convert
    float near_miss
    float second
    float pay
    float die
    float[2] income  # basic, advanced
    float growth
    float trained
    float career_income
    float[WAITERS] talent
    float unsettled
    float spread
    float spread_turns
    float prior


cdef struct Set:
    Card[CARDS] card
    Objective[OBJECTIVES] objective
    Dislike[DISLIKES] dislike
    Side[2] side  # basic, advanced
    uint8_t[MAX_PLAYERS + 1][3] award  # first, tied first, second
    uint64_t gift_cards  # mask
    uint64_t[TYPES] type_cards  # masks of the cards with a customer of the type
    Weights weight


cdef struct Player:
    uint64_t owned  # mask of cards
    int16_t score  # $
    int8_t waiter  # NONE in the basic game and before the draft
    int8_t dislike  # NONE without the promo
    uint8_t[KINDS] tray
    # The rest follows from waiter, dislike and owned cards.
    uint8_t spaces  # tray spaces
    uint8_t[KINDS] blue  # tokens per resource
    uint8_t[KINDS] supply  # most of each resource one supplier shows
    uint8_t satisfied  # mask of the satisfiers' types
    uint16_t manipulators  # mask of form * 3 + colour


cdef struct Turn:
    uint64_t served  # cards completed this turn
    int8_t[2] die  # colours, ascending; NONE before the roll
    int8_t[2] placed  # spaces; NONE where not placed
    int8_t paying  # card being paid, or whose gift or talent is chosen
    uint8_t money  # $ of the dice spaces
    uint8_t[KINDS] spent  # resources on completed cards
    uint8_t[KINDS] blue  # blue tokens on completed cards
    uint8_t red  # mask of types: red tokens on completed cards
    uint8_t white  # mask of types: white tokens taken and not used yet
    uint8_t yellow  # 1 where Melissa's token lies on a card
    uint8_t[2] converted  # conversions used of the occupied counters, lower space first
    uint8_t samuel  # mask of used conversions: 1 on shakes, 2 on cupcakes
    uint8_t[KINDS] gifts  # received this turn and not yet depleted, by colour


cdef struct Campus:
    StateHeader header
    int8_t step
    int8_t advanced
    int8_t dislikes  # whether played with the promo
    int8_t active  # whose turn it is, from 0
    int8_t round  # from 1
    int8_t last_round  # whether the customers deck has run out
    int8_t[3] objective  # by colour; NONE before it is laid out
    int8_t secret_color  # of Abigail's secret objective; NONE where there is none
    int8_t secret  # NONE where unknown
    uint8_t waiters  # mask: laid out and not taken
    uint8_t whites  # mask of types: white tokens in the bonuses zone
    int8_t[2] top  # visible top of the customers deck and the last customers deck, or NONE
    uint8_t[2] below  # cards in each deck that nobody has seen
    uint8_t[KINDS] zone
    uint64_t table
    uint64_t unseen
    Turn turn
    Player[MAX_PLAYERS] player


cdef enum:  # move kinds, the top four bits of a code; the other bits are the argument
    SHIFT = 28
    ARGUMENT = (1 << SHIFT) - 1
    MOVE_OBJECTIVE = 1  # chance: objective (also the secret one)
    MOVE_CARD = 2  # chance: card revealed
    MOVE_DISLIKE = 3  # chance: dislike
    MOVE_WAITER = 4  # chance: waiter laid out; at the draft: waiter taken
    MOVE_DICE = 5  # chance, or Abigail's choice: colour * 3 + colour, ascending
    MOVE_PLACE = 6  # die colour * 16 + space
    MOVE_STACK = 7  # both dice on this space
    MOVE_DISCARD = 8  # counts of E H M S C, four bits each, E highest
    MOVE_SERVE = 9  # card
    MOVE_STOP = 10  # end of the service
    MOVE_PAY = 11  # a cover for each dish, five bits each, the first dish highest
    MOVE_GIFT = 12  # basic: 0 M+H, 1 S+E, 2 C; advanced: 8 + type of the white token
    MOVE_TALENT = 13  # resource
    MOVE_DEPLETE = 14  # player from 0
    MOVE_WILLIAM = 15  # 0 E and S, 1 H and M


cdef enum:  # covers of a dish
    COVER_TRAY  # its resource
    COVER_BLUE
    COVER_RED
    COVER_WHITE
    COVER_YELLOW
    COVER_CONVERTED  # + pool * KINDS + resource served; pools as in payments.pxd, the two Samuel pools as one
