"""Monte-Carlo tree search with max^n backups and chance nodes.

One Search owns one tree, which several threads may share: see tree.pxd.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport MAX_PLAYERS, Game, Limits
from cython_ext.lookahead cimport Lookahead
from cython_ext.plan cimport Planner
from cython_ext.tree cimport Node, Tree
from cython_ext.worker cimport RootSums, Worker

cdef enum:
    MAX_DEPTH = 512  # longest path inside the tree; deeper positions are only played out
    POLL = 16  # most simulations between two looks at the clock and the stop flag; fewer where they are slow
    NONE = -1  # no child
    THREADS_MAX = 64


cdef enum Outcome:  # of the attempt to make a simulation
    MADE
    ENOUGH  # as many as were wanted are made, or begun by other threads
    FULL  # made, the last one that the memory allows


cdef class Search:
    cdef readonly Game game
    cdef void* root  # the position searched
    cdef Worker* workers  # of all threads
    cdef readonly int threads
    cdef bint shared  # whether threads share the tree
    cdef uint32_t chunk  # nodes that a thread reserves at once; 0: as many as it needs
    cdef Tree tree
    cdef uint64_t seed
    cdef int players
    cdef int viewer
    cdef bint score_objective
    cdef bint informed
    cdef float exploration
    cdef float least  # utility there can be
    cdef volatile int stop_flag
    cdef Limits plan_limits
    cdef readonly double ended  # when the last run ended, on the clock of time.monotonic(); 0 before the first
    cdef Planner planner  # of the turn, with its ends, and what looking ahead from them found; None before
    cdef Lookahead later
    cdef readonly bint settled  # looking ahead has told what the root moves are worth: visits go by their priors
    cdef int forced  # the root's child that every simulation goes through, or NONE

    cdef Outcome simulate(self, Worker* worker, uint32_t limit) noexcept nogil
    cdef bint expand(self, Worker* worker, Node* node) noexcept nogil
    cdef void play_out(self, Worker* worker, float* win, float* score, float* variance) noexcept nogil
    cdef void prefer(self, const float* value, float certainty) noexcept nogil
    cdef int forced_child(self, uint32_t move) except NONE
    cdef RootSums sums_of(self, int child)
    cdef Node* find(self, object line) except? NULL
