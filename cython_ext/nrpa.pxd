"""Nested rollout policy adaptation on the turns of a puzzle."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from cython_ext.rng cimport Rng
from cython_ext.solo cimport Limits, Puzzle, Task

cdef enum:
    LEVELS = 8  # at most
    STEPS_MAX = 256  # turns of a line
    SHOWN_MAX = 1 << 16  # turns shown along a line


# A line, and what was to choose from at each of its turns.
cdef struct Rollout:
    float points
    uint32_t steps
    uint64_t[STEPS_MAX] prints  # fingerprints of the positions after the turns
    uint32_t[STEPS_MAX] chosen  # places in `codes`
    uint32_t[STEPS_MAX + 1] first  # the turns shown at a step are those from here to the next step's
    uint32_t[SHOWN_MAX] codes
    float[SHOWN_MAX] bias


cdef struct Level:
    float* policy  # weights by code
    Rollout best
    uint32_t done  # iterations


cdef struct Nest:
    const Task* task
    Limits* limits
    uint32_t effort
    uint32_t levels
    uint32_t iterations  # of a level
    float temperature
    Rng rng
    uint64_t* hashes  # of turns, by slot; 0 for none
    uint32_t* codes  # by slot
    uint32_t used  # codes, 0 for turns that have found no place
    uint64_t seen
    float best
    bint found
    uint64_t[STEPS_MAX] line  # fingerprints
    uint32_t line_length
    Rollout rollout
    Level[LEVELS] level
    # the turn being chosen
    uint32_t here  # layer of the position
    float most
    uint64_t print
    uint8_t* child


cdef class Nrpa:
    cdef Puzzle puzzle
    cdef Limits limits
    cdef Nest* nest
    cdef uint8_t* state
    cdef readonly object best  # points of the best line, None before the first one
    cdef readonly list line
