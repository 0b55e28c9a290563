"""What the ends of a planned turn are worth a round later: see lookahead.pxd."""
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from cython_ext.clock cimport now
from cython_ext.game cimport CHANCE, OVER, ConstStatePtr, Game, StateHeader
from cython_ext.rng cimport Rng, rng_seed


cdef void sort(uint32_t* ends, uint32_t n, const double* worth) noexcept nogil:
    """Order ends, those worth most first."""
    cdef uint32_t i, j, end
    for i in range(1, n):
        end = ends[i]
        j = i
        while j and worth[ends[j - 1]] < worth[end]:
            ends[j] = ends[j - 1]
            j -= 1
        ends[j] = end


cdef uint32_t stages_of(uint32_t n) noexcept nogil:
    """Equal shares of the budget in which n ends become FINALISTS, half of them leaving after each; one for these."""
    cdef uint32_t stages = 1
    while n > FINALISTS:
        n = (n + 1) // 2
        stages += 1
    return stages


cdef bint decided(const Turn* t, const uint32_t* ends, uint32_t n) noexcept nogil:
    """Whether all ends have one first move."""
    cdef uint32_t i
    for i in range(1, n):
        if t.end[ends[i]].first != t.end[ends[0]].first:
            return False
    return True


cdef class Lookahead:
    """Looks ahead from the turns of one game."""

    def __cinit__(self, Game game):
        self.game = game
        self.planner = Planner(game, [])
        self.state = <uint8_t*>malloc(game.table.state_size)
        if self.state == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.state)

    cdef void begin(self, const Limits* limits) noexcept nogil:
        self.began = now()
        self.limits = limits
        self.seen = 0
        self.drawn = False

    cdef bint run(self, Planner turn, uint64_t seed, const Limits* limits) noexcept nogil:
        cdef Turn* t = &turn.turn
        cdef uint32_t* ends = self.ranked
        cdef size_t size = self.game.table.state_size
        cdef float[ENDS] row
        cdef uint32_t i, n = 0, stages, stage = 1, samples = 0
        self.begin(limits)
        self.shift = 0
        for i in range(t.ends):
            ends[i] = i
            self.worth[i] = t.end[i].points
            n += (<const StateHeader*>(t.end_states + i * size)).to_move != OVER
        if n < t.ends or n < FINALISTS:  # a next round follows for all or for none
            return False
        sort(ends, n, self.worth)
        row[0] = self.sample(t, t.end_states + ends[0] * size, seed)
        self.compared = n = self.affordable(n)
        if row[0] == -INFINITY or n < FINALISTS:
            return False
        stages = stages_of(n)
        while True:
            for i in range(0 if samples else 1, n):
                row[i] = self.sample(t, t.end_states + ends[i] * size, seed + samples)
                if row[i] == -INFINITY:
                    break
            else:
                for i in range(n):
                    if not samples:
                        self.shift += (row[i] - t.end[ends[i]].points) / n
                        self.worth[ends[i]] = 0
                    self.worth[ends[i]] += (row[i] - self.worth[ends[i]]) / (samples + 1)
                samples += 1
                while stage < stages and self.used() * stages >= stage:
                    sort(ends, n, self.worth)
                    n = (n + 1) // 2
                    stage += 1
                if self.drawn and self.used() < 1 and not decided(t, ends, n):
                    continue
            break
        if not samples:
            return False
        sort(ends, n, self.worth)
        # Means of fewer draws do not compare: who left earlier stays behind those that stayed longer.
        for i in range(n, self.compared):
            self.worth[ends[i]] = min(self.worth[ends[i]], self.worth[ends[i - 1]])
        self.value_moves(t)
        return True

    cdef float sample(self, const Turn* turn, ConstStatePtr end, uint64_t seed) noexcept nogil:
        cdef Rng rng
        cdef uint32_t draw
        cdef float found
        memcpy(self.state, end, self.game.table.state_size)
        rng_seed(&rng, seed)
        while (<const StateHeader*>self.state).to_move == CHANCE:
            draw = self.game.table.sample(turn.native, self.state, &rng)
            self.game.table.apply(turn.native, self.state, draw)
            self.drawn = True
        found = self.planner.best(self.state, WIDTH, self.limits)
        self.seen += self.planner.turn.seen
        return found

    cdef double used(self) noexcept nogil:
        cdef double nodes = self.seen / max(<double>self.limits.nodes, 1.0)
        return max(nodes, (now() - self.began) / (self.limits.end - self.began))

    cdef uint32_t affordable(self, uint32_t n) noexcept nogil:
        """How many of n ends can be compared, now that one sample was taken of one of them."""
        cdef double each = self.used()
        while n >= FINALISTS and each * n * SAMPLES * stages_of(n) > 1:
            n -= 1
        return n

    cdef void value_moves(self, Turn* turn) noexcept nogil:
        """Value the first moves by the ends that were compared."""
        cdef uint32_t i, first, end
        cdef float least = self.worth[self.ranked[self.compared - 1]]
        for i in range(turn.n):
            turn.value[i] = min(turn.value[i] + self.shift, least)
        for i in range(self.compared):
            end = self.ranked[i]
            first = turn.end[end].first
            turn.value[first] = max(turn.value[first], <float>self.worth[end])

    cdef double expected(self, const Turn* turn, uint64_t key, float foretold) noexcept nogil:
        cdef uint32_t i
        for i in range(self.compared):
            if turn.end[self.ranked[i]].key == key:
                return self.worth[self.ranked[i]]
        return min(<double>(foretold + self.shift), self.worth[self.ranked[self.compared - 1]])
