"""Moves compared by what their best turns are worth a round later: see candidates.pxd."""
from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from cython_ext.game cimport StateHeader
from cython_ext.plan cimport Turn, points


cdef uint32_t note(Aim* aims, uint32_t n, const Aim* aim) noexcept nogil:
    """Put an end among the best LOOKED, the best first; returns how many there are."""
    cdef uint32_t i
    for i in range(n):
        if aims[i].key == aim.key:
            return n
    if n < LOOKED:
        n += 1
    elif aims[n - 1].expected >= aim.expected:
        return n
    i = n - 1
    while i and aims[i - 1].expected < aim.expected:
        aims[i] = aims[i - 1]
        i -= 1
    aims[i] = aim[0]
    return n


cdef class Candidates:
    """Up to `moves` moves of a turn that was planned and looked ahead from."""

    def __cinit__(self, Lookahead later, Planner turn, moves: int):
        self.later = later
        self.turn = turn
        self.room = moves * LOOKED
        self.states = <uint8_t*>malloc(self.room * turn.turn.table.state_size)
        self.keys = <uint64_t*>malloc(self.room * sizeof(uint64_t))
        self.ranks = <uint32_t*>malloc(self.room * sizeof(uint32_t))
        self.rows = <float*>malloc(MOST_ROWS * self.room * sizeof(float))
        if self.states == NULL or self.keys == NULL or self.ranks == NULL or self.rows == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.states)
        free(self.keys)
        free(self.ranks)
        free(self.rows)

    cdef bint add(self, uint32_t move, const Limits* limits) noexcept nogil:
        cdef Turn* t = &self.turn.turn
        cdef Turn* rest = &self.later.own.planner.turn
        cdef size_t size = t.table.state_size
        cdef const StateHeader* header = <const StateHeader*>self.later.own.state
        cdef Aim[LOOKED] aims
        cdef Aim aim
        cdef uint32_t i, j, n = 0
        for i in range(t.ends):
            if t.moves[t.end[i].first] == move:
                aim.key = t.end[i].key
                aim.expected = self.later.expected(t, aim.key, t.end[i].points)
                aim.state = t.end_states + i * size
                n = note(aims, n, &aim)
        memcpy(self.later.own.state, t.root, size)
        t.table.apply(t.native, self.later.own.state, move)
        if header.to_move < 0 or t.solo.round(t.native, self.later.own.state) != t.round:
            aim.key = t.solo.key(t.native, self.later.own.state, True, t.solo.last)
            aim.expected = self.later.expected(t, aim.key, points(t, self.later.own.state))
            aim.state = self.later.own.state
            n = note(aims, n, &aim)
        else:
            self.later.own.planner.run(self.later.own.state, limits)
            for i in range(rest.ends):
                aim.key = rest.end[i].key
                aim.expected = self.later.expected(t, aim.key, rest.end[i].points)
                aim.state = rest.end_states + i * size
                n = note(aims, n, &aim)
        for i in range(n):
            j = 0
            while j < self.ends and self.keys[j] != aims[i].key:
                j += 1
            if j == self.ends:
                self.keys[j] = aims[i].key
                self.ranks[j] = i
                memcpy(self.states + j * size, aims[i].state, size)
                self.ends += 1
            self.ranks[j] = min(self.ranks[j], i)
            self.best[i] = j
        self.found = n
        return n > 0

    cdef void sample(self, uint64_t seed, const Limits* limits) noexcept nogil:
        cdef Turn* t = &self.turn.turn
        cdef uint32_t i
        cdef double each
        cdef float* row
        self.rows_used = 0
        self.looked = LOOKED
        self.later.begin(limits)
        while self.rows_used < MOST_ROWS:
            row = self.rows + self.rows_used * self.room
            for i in range(self.ends):
                if self.ranks[i] >= self.looked:
                    continue
                row[i] = self.later.sample(t, self.states + i * t.table.state_size, seed + self.rows_used)
                if row[i] == -INFINITY:
                    return
                if self.rows_used == 0 and i == 0:
                    each = self.later.used()
                    while self.looked > 1 and self.later.drawn and each * self.ends_looked() * FEW_ROWS > 1:
                        self.looked -= 1
            self.rows_used += 1
            if not self.later.drawn or self.later.used() >= 1:
                return

    cdef uint32_t ends_looked(self) noexcept nogil:
        """How many ends are looked at."""
        cdef uint32_t i, n = 0
        for i in range(self.ends):
            n += self.ranks[i] < self.looked
        return n
