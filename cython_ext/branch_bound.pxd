"""Depth-first branch and bound over the turns of a puzzle."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.solo cimport Limits, Puzzle, Task

cdef enum:
    PATH_MAX = 256  # most turns of a line


# A position that may still lead to more points.
cdef struct Branch:
    float bound
    float value
    uint32_t place  # of its bytes


# The branches of a position on the path, from `first` on; those before `next` are done or in progress.
cdef struct Frame:
    uint32_t first
    uint32_t next
    uint32_t end


cdef struct Hunt:
    const Task* task
    Limits* limits
    Frame[PATH_MAX] frames
    uint32_t depth  # frames in use
    Branch* branches  # a stack
    uint8_t* states  # by place
    uint32_t used
    uint32_t room
    uint64_t* known  # hash set of the keys of all branches ever made
    uint64_t mask
    uint64_t noted
    uint64_t seen
    float best  # points
    float root_bound
    uint64_t[PATH_MAX] line  # fingerprints of the best line found here
    uint32_t line_length
    bint failed  # for want of memory


cdef class BranchBound:
    cdef Puzzle puzzle
    cdef Limits limits
    cdef Hunt* hunt
    cdef uint8_t* state  # the position being expanded
    cdef readonly object best
    cdef readonly list line
    cdef readonly bint done, failed
