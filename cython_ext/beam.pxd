"""Beam search over the layers of a puzzle."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport DECISIONS
from cython_ext.solo cimport Limits, Puzzle, Task


# A position that waits in its layer.
cdef struct Entry:
    uint64_t key
    float rank
    uint32_t parent  # number of the position it came from
    uint32_t place  # of its bytes in the layer


# The best positions of a layer met so far.
cdef struct Layer:
    Entry* entries
    uint8_t* states
    uint32_t* slots  # hash table: index of an entry + 1
    uint32_t used
    float floor  # ranks up to this one are not taken any more


cdef struct Sweep:
    const Task* task
    Limits* limits
    Layer* layers
    uint32_t width
    uint32_t room  # entries of a layer before it is cut
    uint32_t mask
    uint32_t effort
    float noise
    uint64_t seed
    uint64_t* prints  # fingerprints of all positions kept, by number
    uint32_t* parents
    uint32_t kept
    uint32_t kept_room
    uint32_t parent  # number of the position being expanded
    bint begun
    uint32_t number  # of the layer in progress
    uint64_t* begun_at  # by layer: positions looked at before it, and in all
    uint64_t* before  # the same of the last beam that came to its end
    uint32_t next_entry  # of that layer
    uint32_t shown  # children of the position being expanded that were shown
    bint halted  # the limit came in the midst of an expansion
    uint32_t skip  # children taken before that
    uint64_t seen
    float best  # points
    uint32_t best_parent
    uint64_t best_print
    bint found  # a better one than before
    bint failed  # for want of memory
    bint keeps  # to some decisions
    uint64_t[DECISIONS + 2] decided  # by number, from 1 on; 0 where it is open


cdef class Beam:
    cdef Puzzle puzzle
    cdef Limits limits
    cdef Sweep sweep
    cdef uint8_t* state  # the position being expanded
    cdef readonly object best  # points of the best line since the search was begun, None before the first one
    cdef readonly list line

    cdef void empty(self)
    cdef void note(self)
