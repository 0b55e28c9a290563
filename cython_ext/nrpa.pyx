"""Nested rollout policy adaptation (Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", 2011).

A rollout chooses its turns by a policy, a weight for every turn. A level makes some iterations, each of which is a
search of the level below that begins with the policy as it stands, the lowest ones being single rollouts; after each
the policy is drawn towards the best line the level has found. A turn's chance also grows with the game's value of the
position it leads to (Cazenave, "Generalized nested rollout policy adaptation", 2021).
"""
from libc.math cimport INFINITY, exp, log
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from cython_ext.clock cimport now
from cython_ext.game cimport ConstStatePtr
from cython_ext.rng cimport rng_seed, rng_unit
from cython_ext.solo cimport Puzzle, fingerprint, line_of, over

cdef enum:
    SLOTS = 1 << 20
    CODES_MAX = SLOTS // 2

cdef float ALPHA = 1  # of adapting, as in the paper


cdef uint32_t code_of(Nest* s, const uint32_t* moves, uint32_t n) noexcept nogil:
    """The number of a turn: the same moves in the same layer are the same turn, wherever they are made."""
    cdef uint64_t h = <uint64_t>0x9E3779B97F4A7C15 ^ s.here
    cdef uint32_t i, slot
    for i in range(n):
        h = (h ^ moves[i]) * <uint64_t>0xFF51AFD7ED558CCD
        h ^= h >> 32
    slot = h & (SLOTS - 1)
    while s.hashes[slot] and s.hashes[slot] != h:
        slot = (slot + 1) & (SLOTS - 1)
    if not s.hashes[slot]:
        if s.used == CODES_MAX:
            return 0
        s.hashes[slot] = h
        s.codes[slot] = s.used
        s.used += 1
    return s.codes[slot]


cdef bint consider(void* context, ConstStatePtr child, const uint32_t* moves, uint32_t n) noexcept nogil:
    """Draw one of the turns shown, each with a chance that grows e-fold with weight and bias (Gumbel's trick)."""
    cdef Nest* s = <Nest*>context
    cdef Rollout* r = &s.rollout
    cdef uint32_t here = r.first[r.steps + 1], code
    cdef float bias, strength
    if here == SHOWN_MAX:
        return False
    s.seen += 1
    code = code_of(s, moves, n)
    if over(s.task, child):
        bias = s.task.solo.points(s.task.native, child) / s.temperature
    else:
        bias = s.task.solo.value(s.task.native, child, s.task.last) / s.temperature
    r.codes[here] = code
    r.bias[here] = bias
    r.first[r.steps + 1] += 1
    strength = s.level[0].policy[code] + bias - <float>log(-log(rng_unit(&s.rng) + 1e-300))
    if strength > s.most:
        s.most = strength
        r.chosen[r.steps] = here
        s.print = fingerprint(s.task, child)
        memcpy(s.child, child, s.task.solo.bytes)
    return True


cdef bint roll(Nest* s, uint8_t* state) noexcept nogil:
    """Make a rollout by the lowest level's policy; False where a limit came before its end."""
    cdef Rollout* r = &s.rollout
    memcpy(state, s.task.root, s.task.size)
    r.steps = r.first[0] = 0
    while not over(s.task, state):
        if s.limits.stop or now() >= s.limits.end or r.steps == STEPS_MAX:
            return False
        s.here = s.task.solo.layer(s.task.native, state)
        s.most = -INFINITY
        r.first[r.steps + 1] = r.first[r.steps]
        s.task.solo.expand(s.task.native, state, s.effort, 0, r.steps == 0, consider, s)
        if r.first[r.steps + 1] == r.first[r.steps]:
            return False
        r.prints[r.steps] = s.print
        memcpy(state, s.child, s.task.solo.bytes)
        r.steps += 1
    r.points = s.task.solo.points(s.task.native, state)
    return True


cdef void copy(Rollout* to, const Rollout* r) noexcept nogil:
    cdef uint32_t shown = r.first[r.steps]
    to.points = r.points
    to.steps = r.steps
    memcpy(to.prints, r.prints, r.steps * sizeof(uint64_t))
    memcpy(to.chosen, r.chosen, r.steps * sizeof(uint32_t))
    memcpy(to.first, r.first, (r.steps + 1) * sizeof(uint32_t))
    memcpy(to.codes, r.codes, shown * sizeof(uint32_t))
    memcpy(to.bias, r.bias, shown * sizeof(float))


cdef void adapt(float* policy, const Rollout* r) noexcept nogil:
    """Draw a policy towards a line: a step up the gradient of its log likelihood."""
    cdef uint32_t step, i
    cdef float most, total
    for step in range(r.steps):
        most = -INFINITY
        total = 0
        for i in range(r.first[step], r.first[step + 1]):
            most = max(most, policy[r.codes[i]] + r.bias[i])
        for i in range(r.first[step], r.first[step + 1]):
            total += <float>exp(policy[r.codes[i]] + r.bias[i] - most)
        # One turn after another: the sums above hold the old weights of all of them, as no turn is shown twice.
        for i in range(r.first[step], r.first[step + 1]):
            if r.codes[i]:
                policy[r.codes[i]] -= ALPHA * <float>exp(policy[r.codes[i]] + r.bias[i] - most) / total
        if r.codes[r.chosen[step]]:
            policy[r.codes[r.chosen[step]]] += ALPHA


cdef void begin(Nest* s, uint32_t level) noexcept nogil:
    """Begin a level with the policy of the one above, the highest with none."""
    if level + 1 == s.levels:
        memset(s.level[level].policy, 0, CODES_MAX * sizeof(float))
    else:
        memcpy(s.level[level].policy, s.level[level + 1].policy, s.used * sizeof(float))
    s.level[level].done = 0
    s.level[level].best.points = -INFINITY


cdef void learn(Nest* s) noexcept nogil:
    """Take the rollout made into its level, and what a level has come to into the one above."""
    cdef uint32_t level = 0, below
    cdef const Rollout* found = &s.rollout
    if found.points > s.best:
        s.best = found.points
        s.found = True
        s.line_length = found.steps
        memcpy(s.line, found.prints, found.steps * sizeof(uint64_t))
    for level in range(s.levels):
        if found.points >= s.level[level].best.points:
            copy(&s.level[level].best, found)
        adapt(s.level[level].policy, &s.level[level].best)
        s.level[level].done += 1
        if s.level[level].done < s.iterations:
            break
        found = &s.level[level].best
    else:
        begin(s, s.levels - 1)
    for below in range(level, 0, -1):
        begin(s, below - 1)


cdef class Nrpa:
    """A search of a puzzle; `run` it on and on.

    effort: see SoloTable.expand. levels: 1 to 8. iterations: of each level. temperature: points of the value by which a
    turn's chance grows e-fold. Raises ValueError for other levels, MemoryError.
    """

    def __cinit__(
        self, Puzzle puzzle, seed: int, effort: int = 24, levels: int = 3, iterations: int = 50,
        temperature: float = 0.5,
    ):
        cdef Nest* s
        cdef uint32_t i
        if not 1 <= levels <= LEVELS:
            raise ValueError(f"levels must be 1 to {LEVELS}, not {levels}")
        self.puzzle = puzzle
        self.line = []
        self.nest = s = <Nest*>calloc(1, sizeof(Nest))
        self.state = <uint8_t*>malloc(puzzle.task.size)
        if s == NULL or self.state == NULL:
            raise MemoryError
        s.task = &puzzle.task
        s.limits = &self.limits
        s.effort = effort
        s.levels = levels
        s.iterations = iterations
        s.temperature = temperature
        s.used = 1
        s.best = -INFINITY
        rng_seed(&s.rng, seed)
        s.hashes = <uint64_t*>calloc(SLOTS, sizeof(uint64_t))
        s.codes = <uint32_t*>calloc(SLOTS, sizeof(uint32_t))
        s.child = <uint8_t*>malloc(puzzle.task.size)
        for i in range(levels):
            s.level[i].policy = <float*>calloc(CODES_MAX, sizeof(float))
            s.level[i].best.points = -INFINITY
            if s.level[i].policy == NULL:
                raise MemoryError
        if s.hashes == NULL or s.codes == NULL or s.child == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef uint32_t i
        if self.nest != NULL:
            for i in range(LEVELS):
                free(self.nest.level[i].policy)
            free(self.nest.hashes)
            free(self.nest.codes)
            free(self.nest.child)
        free(self.nest)
        free(self.state)

    def run(self, deadline: float, nodes: int) -> None:
        """Go on.

        deadline: on the clock of time.monotonic(). nodes: after that many positions no rollout is begun.
        """
        cdef Nest* s = self.nest
        self.limits.end = deadline
        self.limits.nodes = s.seen + <uint64_t>nodes
        with nogil:
            while s.seen < s.limits.nodes and roll(s, self.state):
                learn(s)
        if s.found:
            s.found = False
            self.line = line_of(self.puzzle, s.line, s.line_length, s.effort)
            self.best = s.best

    def stop(self) -> None:
        """End a running search and all later ones; callable from any thread."""
        self.limits.stop = 1

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return self.nest.seen
