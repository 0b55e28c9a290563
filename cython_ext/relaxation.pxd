"""A game's own search for a bound of a puzzle."""
from libc.stdint cimport uint64_t

from cython_ext.solo cimport Limits, Puzzle


cdef class Relaxation:
    cdef Puzzle puzzle
    cdef Limits limits
    cdef void* memory
    cdef uint64_t seen
    cdef readonly bint done
    cdef readonly float bound
