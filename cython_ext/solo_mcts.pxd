"""Monte Carlo tree search of a puzzle for one player."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.game cimport GameTable
from cython_ext.rng cimport Rng
from cython_ext.solo cimport LINE_MAX, Limits, Puzzle, Task

cdef enum:
    PATH_MAX = 256  # turns from the root to a leaf


cdef struct Node:
    uint32_t first  # of its children, which lie side by side
    uint32_t children
    uint32_t moves  # place of the moves that lead to it
    uint32_t move_count
    uint32_t visits
    float estimate  # the game's value, in points
    double sum  # of the points of its visits
    double squares


cdef struct Grove:
    const Task* task
    const GameTable* table
    Limits* limits
    uint32_t effort
    double exploration  # points
    double doubt  # squared points
    Rng rng
    Node* nodes
    uint32_t used
    uint32_t room
    uint32_t* moves
    uint32_t moves_used
    uint32_t moves_room
    bint full
    uint64_t seen
    float best
    bint found
    uint32_t[LINE_MAX] line  # moves of the best line
    uint32_t line_length
    uint32_t* codes  # room for the legal moves of a position


cdef class SoloMcts:
    cdef Puzzle puzzle
    cdef Limits limits
    cdef Grove* grove
    cdef uint8_t* state
    cdef readonly object best  # points of the best line, None before the first one
    cdef readonly list line
