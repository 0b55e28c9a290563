"""What the ends of a planned turn are worth a round later: see lookahead.pxd."""
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from cython_ext.clock cimport now
from cython_ext.game cimport CHANCE, OVER, ConstStatePtr, Game, StateHeader
from cython_ext.rng cimport Rng, rng_seed
from cython_ext.threads cimport (
    acquire, condition_destroy, condition_make, lock_destroy, lock_make, release, wait, wake_all,
)


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


cdef class Sampler:
    def __cinit__(self, Game game):
        self.game = game
        self.planner = Planner(game, [])
        self.state = <uint8_t*>malloc(game.table.state_size)
        if self.state == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.state)

    cdef float sample(self, const Turn* turn, ConstStatePtr end, uint64_t seed, const Limits* limits) noexcept nogil:
        cdef Rng rng
        cdef uint32_t draw
        memcpy(self.state, end, self.game.table.state_size)
        rng_seed(&rng, seed)
        self.drawn = False
        while (<const StateHeader*>self.state).to_move == CHANCE:
            draw = self.game.table.sample(turn.native, self.state, &rng)
            self.game.table.apply(turn.native, self.state, draw)
            self.drawn = True
        return self.planner.best(self.state, WIDTH, limits)


cdef class Lookahead:
    """Looks ahead from the turns of one game, on so many threads."""

    def __cinit__(self, Game game, threads: int):
        self.game = game
        self.own = Sampler(game)
        self.threads = threads
        self.others = [Sampler(game) for _ in range(threads - 1)]
        lock_make(&self.lock)
        condition_make(&self.changed, NULL)

    def __dealloc__(self):
        condition_destroy(&self.changed)
        lock_destroy(&self.lock)

    @contextmanager
    def helped(self):
        """Lets all threads look ahead."""
        if not self.others:
            yield
            return
        with ThreadPoolExecutor(len(self.others)) as pool:
            try:
                for sampler in self.others:
                    pool.submit(self._help, sampler)
                yield
            finally:
                self.finish()

    def _help(self, Sampler sampler):
        with nogil:
            self.help(sampler)

    cdef void finish(self) noexcept nogil:
        """Let the other threads go."""
        acquire(&self.lock)
        self.over = True
        wake_all(&self.changed)
        release(&self.lock)

    cdef void help(self, Sampler sampler) noexcept nogil:
        """Help with one row after the other."""
        acquire(&self.lock)
        while not self.over:
            if self.row.claimed < self.row.n:
                release(&self.lock)
                self.work(sampler)
                acquire(&self.lock)
            else:
                wait(&self.changed, &self.lock)
        release(&self.lock)

    cdef void work(self, Sampler sampler) noexcept nogil:
        """Look ahead from ends of the row until there are no more."""
        cdef Row* row = &self.row
        cdef uint32_t i, end
        cdef float found
        acquire(&self.lock)
        while row.claimed < row.n:
            i = row.claimed
            row.claimed += 1
            release(&self.lock)
            end = row.ends[i]
            found = sampler.sample(
                row.turn, row.turn.end_states + end * self.game.table.state_size, row.seed, self.limits
            )
            acquire(&self.lock)
            row.points[i] = found
            self.seen += sampler.planner.turn.seen
            self.drawn |= sampler.drawn
            row.filled += 1
            if found == -INFINITY:  # a limit came: the rest is left
                row.filled += row.n - row.claimed
                row.claimed = row.n
                self.cut = True
        if row.filled == row.n:
            wake_all(&self.changed)
        release(&self.lock)

    cdef bint fill(
        self, float* points, const Turn* turn, const uint32_t* ends, uint32_t n, uint64_t seed
    ) noexcept nogil:
        cdef Row* row = &self.row
        acquire(&self.lock)
        row.turn = turn
        row.ends = ends
        row.n = n
        row.claimed = row.filled = 0
        row.seed = seed
        row.points = points
        self.cut = False
        wake_all(&self.changed)
        release(&self.lock)
        self.work(self.own)
        acquire(&self.lock)
        while row.filled < row.n:
            wait(&self.changed, &self.lock)
        release(&self.lock)
        return not self.cut

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
        cdef uint32_t i, n = 0, stages, stage = 1, samples = 0, skip
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
            skip = 0 if samples else 1
            if self.fill(row + skip, t, ends + skip, n - skip, seed + samples):
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
        cdef float found = self.own.sample(turn, end, seed, self.limits)
        self.seen += self.own.planner.turn.seen
        self.drawn |= self.own.drawn
        return found

    cdef double used(self) noexcept nogil:
        return max(self.nodes_used(), self.time_used())

    cdef double nodes_used(self) noexcept nogil:
        return self.seen / max(<double>self.limits.nodes, 1.0)

    cdef double time_used(self) noexcept nogil:
        return (now() - self.began) / (self.limits.end - self.began)

    cdef uint32_t affordable(self, uint32_t n) noexcept nogil:
        """How many of n ends can be compared, now that one sample was taken of one of them by one thread."""
        cdef double each = max(self.nodes_used(), self.time_used() / self.threads)
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
