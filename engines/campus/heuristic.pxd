"""What the search knows about Campus Café beyond its rules: rough values in $."""
from libc.stdint cimport uint32_t

from cython_ext.rng cimport Rng
from engines.campus.layout cimport Campus, Set

# Turns player p is expected to have yet, the running one included until its check.
cdef float turns_left(const Set* set, const Campus* s, int p) noexcept nogil

# Value of each legal move for the player to move, in $; only differences count.
cdef void move_values(const Set* set, const Campus* s, const uint32_t* moves, uint32_t n, float* value) noexcept nogil

# A sensible move, now and then a random one; or a draw.
cdef void sensible_step(const Set* set, Campus* s, Rng* rng) noexcept nogil

# Expected final win share and score per player; the game is not over.
cdef void expectation(const Set* set, const Campus* s, float* win, float* score) noexcept nogil
