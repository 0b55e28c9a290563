"""Monte-Carlo tree search with max^n backups and chance nodes.

One Search owns one tree and is run by one thread at a time; several trees searched in parallel and added up at the
root make a parallel search (root parallelism, Chaslot et al. 2008).
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport MAX_PLAYERS, Game, Limits
from cython_ext.lookahead cimport Lookahead
from cython_ext.plan cimport Planner
from cython_ext.rng cimport Rng
from cython_ext.tree cimport Node, Tree

cdef enum:
    MAX_DEPTH = 512  # longest path inside the tree; deeper positions are only played out
    POLL = 16  # most simulations between two looks at the clock and the stop flag; fewer where they are slow
    NONE = -1  # no child


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
    cdef uint64_t seed
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
    cdef Planner planner  # of the turn, with its ends, and what looking ahead from them found; None before
    cdef Lookahead later
    cdef readonly bint settled  # looking ahead has told what the root moves are worth: visits go by their priors
    cdef int forced  # the root's child that every simulation goes through, or NONE

    cdef void simulate(self) noexcept nogil
    cdef bint expand(self, Node* node) noexcept nogil
    cdef void play_out(self, float* win, float* score, float* variance) noexcept nogil
    cdef void note_scores(self, const float* score) noexcept nogil
    cdef void prefer(self, const float* value, float certainty) noexcept nogil
    cdef int forced_child(self, uint32_t move) except NONE
    cdef Node* find(self, object line) except? NULL
