"""Café del Gatto: the native state and component table.

Colours, columns: 0 milk, 1 coffee. Rows from 0 (bottom). Tile kinds, drinks and drink tiles are indices into the
component set.

Move codes, ascending:
  0                 take 2 coins
  1                 end the turn
  2 + column        clean a column
  8 + drink         empty a cup (intermediate round)
  32 + 8 * drink + drink tile           serve a cup
  128 + 8 * (5 * column + row) + drink  buy a tile into a cup
  256 + kind        draw a tile (chance)
"""
from libc.stdint cimport int8_t, int16_t, uint8_t, uint16_t

from cython_ext.game cimport MAX_PLAYERS, Game, StateHeader

cdef enum:
    ROWS = 5
    DRINKS = 6  # most drinks
    SPACES = 6  # most spaces of a cup
    DRINK_TILES = 8  # most different drink tiles of a drink
    KINDS = 27  # most kinds of tile: nine values of three preparations
    UNLIMITED = 30000  # a reserve that is never paid from
    LAST_ROUND = 200
    MOVES = 160  # no state has more: 2 cleans, 48 serves, 60 buys and 2 others

cdef enum Step:
    # The numbers are those of GattoStep on the wire.
    FRESH = 1
    CLEANED = 2
    BOUGHT = 3
    SERVING = 4
    INTERMEDIATE_SERVING = 5
    INTERMEDIATE_EMPTYING = 6
    DONE = 7

cdef enum MoveBase:
    TAKE_COINS = 0
    END_TURN = 1
    CLEAN = 2
    EMPTY_CUP = 8
    SERVE = 32
    BUY = 128
    DRAW = 256


# weights.py explains them.
cdef struct Weights:
    float point
    float missing
    float price
    float value
    float progress
    float menu
    float fill
    float sugar
    float serve_point
    float serve_sugar
    float serve_coin
    float serve
    float serve_filled
    float serve_tile
    float serve_rich
    float serve_more
    float clean
    float clean_coin
    float take
    float take_coin
    float noise
    float prior


cdef struct Table:
    # A component set.
    uint8_t kinds
    uint8_t drinks
    uint8_t[KINDS] value
    uint8_t[KINDS] preparation  # one bit per preparation
    uint8_t[DRINKS] spaces
    uint8_t[DRINKS][SPACES] color  # bottom to top
    uint8_t[DRINKS] tiles  # different drink tiles
    int16_t[DRINKS][DRINK_TILES] points  # ascending
    int16_t[DRINKS][8] menu  # coins by the set of preparations in the cup
    int16_t coins  # in the game, or UNLIMITED
    int16_t sugar
    Weights weight


cdef struct Player:
    int16_t coins
    int16_t sugar
    int16_t points  # of the drink tiles taken
    uint8_t open[2]  # unserved cups whose next free space has that colour, a bit per drink
    uint8_t filled  # unserved cups without a free space
    uint8_t served  # served cups
    uint8_t[DRINKS] served_for  # drink tile plus one; 0 while not served
    uint8_t[DRINKS] fill  # tiles in the cup
    uint8_t[DRINKS] sum  # of their values
    uint8_t[DRINKS] preparations  # of them, one bit each
    uint8_t[DRINKS][SPACES] tile  # bottom to top, kind; 0 beyond fill


cdef struct Gatto:
    StateHeader header
    uint8_t start_player
    uint8_t turn_player
    uint8_t round  # from 1
    uint8_t step
    uint8_t queue  # intermediate round: players still to act, a bit each; they act clockwise from the turn's player
    uint8_t ending  # whether someone has served every cup
    uint8_t[2] height  # tiles per column
    uint8_t[2][ROWS] column  # kind, bottom first; 0 beyond height
    uint8_t[KINDS] bag  # unseen tiles per kind: those in the bag and the unknown discards
    uint8_t[KINDS] discard  # known discards per kind
    uint16_t unseen  # sum of bag
    uint16_t discards  # sum of discard
    uint16_t unknown  # discards among the unseen tiles
    int16_t coins  # reserve
    int16_t sugar  # reserve
    uint8_t[DRINKS][DRINK_TILES] drink_tiles  # left
    Player[MAX_PLAYERS] player


cdef class GattoGame(Game):
    cdef Table table_of_set
