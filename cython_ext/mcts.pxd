"""Monte-Carlo tree search with max^n backups and chance nodes.

One Search owns one tree and is run by one thread at a time; several trees searched in parallel and added up at the
root make a parallel search (root parallelism, Chaslot et al. 2008).
"""
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t

from cython_ext.game cimport MAX_PLAYERS, Game, Limits
from cython_ext.rng cimport Rng

cdef enum:
    MAX_DEPTH = 512  # longest path inside the tree; deeper positions are only played out
    POLL = 16  # most simulations between two looks at the clock and the stop flag; fewer where they are slow
    NONE = -1  # no child


cdef struct Node:
    # A node takes only as many values as there are players: see Tree.stride.
    uint32_t move  # the move or outcome that leads here
    uint32_t visits
    uint32_t first_child  # index of the first of `children` neighbouring nodes
    uint16_t children  # 0 until expanded
    uint16_t tried  # children visited at least once, always the first ones; unused at chance nodes
    float explore  # 1 / sqrt(visits)
    float prior
    int8_t actor  # StateHeader.to_move, known from the first visit on
    float[MAX_PLAYERS] value  # mean utility per player


cdef struct Tree:
    uint8_t* nodes
    size_t stride  # bytes of a node
    uint32_t used
    uint32_t capacity
    bint full


cdef struct RootSums:
    # Sums over the simulations through one root move, per player. The squares of the scores hold the variance that
    # evaluations leave.
    double[MAX_PLAYERS] win
    double[MAX_PLAYERS] win_squares
    double[MAX_PLAYERS] score
    double[MAX_PLAYERS] score_squares


cdef class Search:
    cdef readonly Game game
    cdef void* root  # the position searched
    cdef void* state  # the position of the running simulation
    cdef uint32_t* moves
    cdef double* chances
    cdef float* priors
    cdef RootSums* sums
    cdef Tree tree
    cdef Rng rng
    cdef int players
    cdef int viewer
    cdef bint score_objective
    cdef bint informed
    cdef float exploration
    cdef float least  # utility there can be
    cdef float[MAX_PLAYERS] scale  # spread of the utility, by which exploration is scaled
    cdef double score_count
    cdef double[MAX_PLAYERS] score_mean
    cdef double[MAX_PLAYERS] score_m2
    cdef volatile int stop_flag
    cdef Limits plan_limits
    cdef readonly double ended  # when the last run ended, on the clock of time.monotonic(); 0 before the first
    cdef readonly bint settled  # looking ahead has told what the root moves are worth: visits go by their priors
    cdef int forced  # the root's child that every simulation goes through, or NONE

    cdef void simulate(self) noexcept nogil
    cdef bint expand(self, Node* node) noexcept nogil
    cdef void play_out(self, float* win, float* score, float* variance) noexcept nogil
    cdef void note_scores(self, const float* score) noexcept nogil
    cdef void prefer(self, const float* value, float certainty) noexcept nogil
    cdef int forced_child(self, uint32_t move) except NONE
    cdef Node* find(self, object line) except? NULL
