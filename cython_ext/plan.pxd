"""The rest of a turn planned over distinct positions: beam searches in layers, one wider than the other.

Different orders of the same moves lead to one position, which is hardly ever looked at twice. What a move of the
position planned for is worth is the most points that the player to move expects at the end of a turn that begins with
it; of several that lead to one position the first counts.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport Components, ConstStatePtr, Game, GameTable, Limits, SoloTable

cdef enum:
    WIDTH_MAX = 4096  # positions kept in a layer by the widest beam
    NARROW = 4  # by the first one
    WIDEN = 4  # each is so many times as wide as the one before
    EFFORT = 12  # see SoloTable.expand
    ENDS = 128  # ends of the turn that are kept
    SEEN = 4  # places for keys of positions met in a layer, for each position it may keep
    SEEN_LEAST = 128
    POLL = 16  # positions between two looks at the clock and the stop flag
    NO_FIRST = 0xFFFFFFFF


# A position kept in a layer.
cdef struct Entry:
    float rank
    uint32_t first  # number of the turn's first move


cdef struct Layer:
    uint32_t used
    uint32_t[WIDTH_MAX] order  # of the entries: a heap with the lowest rank on top, sorted when the layer is expanded
    Entry[WIDTH_MAX] entry
    uint64_t[SEEN * WIDTH_MAX] seen  # keys by their last bits, a later one in the place of an earlier one


# A position in which the turn is over.
cdef struct End:
    uint64_t key
    float points  # expected there
    uint32_t first  # number of the turn's first move


cdef struct Turn:
    const GameTable* table
    const SoloTable* solo
    Components native
    uint8_t* root  # the position, as a game for one
    uint8_t* state  # the position being expanded
    uint32_t round  # of the root
    uint32_t n  # moves there
    uint32_t* moves
    float* value  # points expected at the end of the best turn found that begins with a move; -INFINITY: none
    Layer* layers
    uint8_t* states  # of the entries
    uint32_t layers_count  # of a round
    uint32_t first_layer  # the root's
    uint32_t width  # of the beam in progress, a power of 2
    uint32_t places  # for keys
    uint32_t first  # number of the first move of what is being expanded, NO_FIRST at the root
    bint keeps_ends
    End[ENDS] end  # those with the most points, in no order
    uint8_t* end_states
    uint32_t ends
    uint32_t lowest  # the end with the fewest points, once there are ENDS
    uint64_t seen  # positions looked at
    const Limits* limits


# Points that the player planned for expects at the end of the game.
cdef float points(const Turn* t, ConstStatePtr state) noexcept nogil


cdef class Planner:
    cdef Game game  # keeps what the turn points to
    cdef Turn turn

    # The value of every move of a position, see Turn.value, after looking at `limits.nodes` positions at most. All are
    # -INFINITY where there is no turn to plan, and where not even the first beam came to its end.
    cdef const float* run(self, ConstStatePtr state, const Limits* limits) noexcept nogil

    # The most points that one beam finds at the end of a turn, of any first move; no ends are kept. -INFINITY where
    # a limit came before its end.
    cdef float best(self, ConstStatePtr state, uint32_t width, const Limits* limits) noexcept nogil
