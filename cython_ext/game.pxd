"""The engine interface: what a game gives to playouts, perft and search.

A state is one flat struct without pointers that starts with a StateHeader and is copied by memcpy. It is canonical:
two states are the same position if and only if their bytes are equal, so everything unused is zero (or another fixed
value) and padding is never written. Components are one read-only table, shared by all states of a Game.

Every function of a GameTable is noexcept nogil, allocates nothing and takes the components and a state. Moves and
chance outcomes are 32-bit codes; a code means the same in every state. Legal moves and outcomes never depend on
anything that `determinize` may change: a node of a search tree has one list of moves for all possibilities.
"""
from libc.stdint cimport int8_t, uint32_t, uint64_t

from cython_ext.rng cimport Rng


cdef enum:
    CHANCE = -1  # StateHeader.to_move at a chance point
    OVER = -2  # StateHeader.to_move when the game is over
    MAX_PLAYERS = 5
    DECISIONS = 64  # of a line of a puzzle at most


cdef struct StateHeader:
    int8_t players  # number of players, 1 to MAX_PLAYERS
    int8_t to_move  # player to move from 0, CHANCE or OVER


ctypedef const void* Components
ctypedef void* StatePtr
ctypedef const void* ConstStatePtr


cdef struct GameTable:
    size_t state_size  # bytes of a state
    uint32_t moves_max  # most legal moves, and most chance outcomes, in any state
    # Legal moves of the player to move into out (room for moves_max), ascending and unique; returns how many, >= 1.
    uint32_t (*legal_moves)(Components, ConstStatePtr, uint32_t* out) noexcept nogil
    # Possible outcomes at a chance point, ascending, with probabilities that sum to 1; returns how many, >= 1.
    uint32_t (*outcomes)(Components, ConstStatePtr, uint32_t* out, double* probability) noexcept nogil
    # One outcome at a chance point, drawn with the probabilities of `outcomes`.
    uint32_t (*sample)(Components, ConstStatePtr, Rng*) noexcept nogil
    # Makes a legal move or a possible outcome.
    void (*apply)(Components, StatePtr, uint32_t move) noexcept nogil
    # Makes a uniformly random legal move, or at a chance point a sampled outcome; the game is not over.
    void (*random_step)(Components, StatePtr, Rng*) noexcept nogil
    # Final win share (sums to 1) and score per player; the game is over.
    void (*returns)(Components, ConstStatePtr, float* win, float* score) noexcept nogil
    # Replaces what `viewer` (a player from 0) cannot know by a random possibility. NULL where nothing is hidden.
    void (*determinize)(Components, StatePtr, int viewer, Rng*) noexcept nogil
    # The move that looks best without looking further than its own effect, an opponent to measure against; a player is
    # to move, and nothing is random.
    uint32_t (*greedy_move)(Components, ConstStatePtr) noexcept nogil
    # What the search knows about the game; each may be NULL.
    # Like random_step, but prefers sensible moves. NULL: random_step.
    void (*playout_step)(Components, StatePtr, Rng*) noexcept nogil
    # Expected final win share (sums to 1) and score per player of a state that is not over. NULL: none.
    void (*evaluate)(Components, ConstStatePtr, float* win, float* score) noexcept nogil
    # Variance of every player's final score about the one that `evaluate` expects. NULL: taken to be 0.
    void (*doubt)(Components, ConstStatePtr, float* variance) noexcept nogil
    # A playout is cut and evaluated after playout_limit steps (0: never), or before that in a settled state: one where
    # nothing half done misleads `evaluate`. NULL: never.
    uint32_t playout_limit
    bint (*settled)(Components, ConstStatePtr) noexcept nogil
    # Prior of each legal move, >= 0, summing to 1. NULL: none.
    void (*priors)(Components, ConstStatePtr, const uint32_t* moves, uint32_t n, float* prior) noexcept nogil


# When to end a search, looked at every few positions.
cdef struct Limits:
    volatile int stop
    double end  # on the clock of time.monotonic()
    uint64_t nodes  # positions that may still be looked at


# Takes one successor of a position and the moves that lead to it; False to see no more of them.
ctypedef bint (*Visit)(void* context, ConstStatePtr child, const uint32_t* moves, uint32_t n) noexcept nogil


# What solving a puzzle for one player wants to know of a game. `solvable` is NULL where a game has no such puzzles.
# A puzzle ends with round `last`. Its positions lie in layers; a turn, a few moves at once, leads to a later layer, the
# first turn perhaps within its own.
cdef struct SoloTable:
    uint32_t last  # round of a game
    size_t bytes  # that differ between the states of a puzzle, from the first one on
    uint32_t layers
    # Whether the position is a puzzle: one player, nothing left to chance.
    bint (*solvable)(Components, ConstStatePtr) noexcept nogil
    # The round a position belongs to; it never falls.
    uint32_t (*round)(Components, ConstStatePtr) noexcept nogil
    # The layer of a position, below `layers`.
    uint32_t (*layer)(Components, ConstStatePtr) noexcept nogil
    # Points as the position stands.
    float (*points)(Components, ConstStatePtr) noexcept nogil
    # Points that no play up to the end of round `last` can exceed. first: as for `expand`.
    float (*bound)(Components, ConstStatePtr, uint32_t last, bint first) noexcept nogil
    # A search for a bound that takes longer, in a block of memory of so many bytes: `relax` begins it; `tighten` goes
    # on to a limit and returns the bound so far. seen: nodes looked at; done: it falls no more. NULL: none.
    size_t (*relaxation_bytes)() noexcept nogil
    void (*relax)(Components, ConstStatePtr, uint32_t last, void* memory) noexcept nogil
    float (*tighten)(void* memory, const Limits*, uint64_t* seen, bint* done) noexcept nogil
    # About the points that good play reaches by the end of round `last`.
    float (*value)(Components, ConstStatePtr, uint32_t last) noexcept nogil
    # Shows the positions that lie one turn ahead. effort: about how many of the most promising of each kind; 0 for all
    # that are needed to reach the most points. decided: the lasting decision to be made next, of which no other is
    # shown, whatever the effort; 0 for any. first: the position is the puzzle's own; any other one was shown by this
    # function, and what was shown with it need not be shown again.
    void (*expand)(
        Components, ConstStatePtr, uint32_t effort, uint64_t decided, bint first, Visit visit, void* context
    ) noexcept nogil
    # Hash of what matters for the points to come up to the end of round `last`. alike: differences that hardly ever
    # matter may be overlooked.
    uint64_t (*key)(Components, ConstStatePtr, bint alike, uint32_t last) noexcept nogil
    # How many lasting decisions lie on the way to a position, up to DECISIONS. last: the last one as a number, not 0.
    # NULL: there are none.
    uint32_t (*decisions)(Components, ConstStatePtr, uint64_t* last) noexcept nogil
    # Makes a position of one player, in which the rest of the turn can be planned with the functions above, out of what
    # the player to move has in a position of several; the same moves lead on. It may end with draws to come. False
    # where there is nothing to plan. NULL: turns are not planned.
    bint (*alone)(Components, ConstStatePtr, StatePtr) noexcept nogil
    # Points by which the odds of the win of the player to move grow e-fold, in a position of several.
    float (*stake)(Components, ConstStatePtr) noexcept nogil
    float certainty  # points by which the end of a plan must be better for its prior to grow e-fold


cdef class Game:
    """A game with a component set loaded.

    An engine's subclass fills in `table`, `native` and, where it has puzzles, `solo`.
    """
    cdef GameTable table
    cdef SoloTable solo
    cdef Components native
    cdef readonly object components

    cdef State new_state(self)


cdef class State:
    """A position that owns its bytes."""
    cdef readonly Game game
    cdef void* data
