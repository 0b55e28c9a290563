"""Exhaustive search of endings: the data of exact.pyx."""
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport MAX_PLAYERS, Game

cdef enum:
    MAX_DEPTH = 192  # moves and draws to the end; a longer game is no ending
    SPARE_MOVES = 1 << 13  # room for the moves of all positions on the way but the last, whose room is moves_max
    POLL = 256  # positions between two looks at the clock and the stop flag
    VALUES = 3 * MAX_PLAYERS
    NO_ENTRY = 0  # in the index


cdef struct Key:
    # 128-bit hash of a state. Two of n positions share one by chance with a probability of about n**2 / 2**129: for
    # the 10**8 positions that memory allows at most 2e-23.
    uint64_t a
    uint64_t b


cdef struct Table:
    # Open addressing. An entry is a Key and the values of its position: means of win share, score and squared score,
    # one of each per player. Entries lie in the order in which they were made, so that memory is taken as it is used.
    uint32_t* index  # number of an entry plus one, or NO_ENTRY
    uint32_t mask  # length of the index less one
    uint8_t* entries
    size_t stride  # bytes of an entry
    uint32_t used


cdef class Exact:
    cdef readonly Game game
    cdef uint8_t* states  # the positions on the way, the root first
    cdef size_t state_stride
    cdef uint32_t* moves  # of the positions on the way, one after the other
    cdef double* chances
    cdef uint32_t* root_moves
    cdef uint32_t root_count
    cdef uint32_t root_done
    cdef double* values  # VALUES per root move
    cdef Table table
    cdef int players
    cdef int first  # number among a mover's values of what they maximise
    cdef int second  # and of what decides between moves equal in it
    cdef readonly bint hidden  # whether a player does not know all of the root
    cdef bint large  # it has given up for good
    cdef uint64_t budget
    cdef uint64_t check  # positions at which it is seen whether the rest fits into the budget
    cdef double progress  # part of the tree that is done, each move of a position taken to be the same part of it
    cdef uint64_t seen  # positions, and the progress, at the last look
    cdef double seen_progress
    cdef double end
    cdef const char* reason  # what run returns
    cdef volatile int stop_flag
    cdef readonly uint64_t positions

    cdef bint look_for_secrets(self) noexcept nogil
    cdef bint value(self, int depth, uint32_t used, double share, double* values) noexcept nogil
    cdef bint promising(self) noexcept nogil
    cdef bint spend(self, uint32_t n) noexcept nogil
    cdef void give_back(self, uint32_t n) noexcept nogil
    cdef void final(self, const uint8_t* state, double* values) noexcept nogil
