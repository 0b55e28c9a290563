"""Beam search over the layers of a puzzle, with hash de-duplication.

Layer by layer all positions are expanded by a turn; of the positions met in a layer only the `width` with the highest
rank are kept. The rank is the game's value of the position and some noise, which depends on the position alone.
"""
from libc.math cimport INFINITY, nextafterf
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from cython_ext.clock cimport now
from cython_ext.game cimport ConstStatePtr
from cython_ext.rng cimport splitmix64
from cython_ext.solo cimport Puzzle, fingerprint, line_of, over

cdef enum:
    SPARE = 3  # a layer has room for this many times the width before it is cut
    ROOT = 0xFFFFFFFF  # parent of the root's children
    DEPTH_MAX = 1024
    EVERY = 1 << 16  # effort that leaves nothing out


cdef bint take(void* context, ConstStatePtr child, const uint32_t* moves, uint32_t n) noexcept nogil:
    """Take a position into its layer, or its points where the puzzle ends there."""
    cdef Sweep* s = <Sweep*>context
    cdef Layer* layer
    cdef Entry* entry
    cdef uint64_t key, mixed
    cdef uint32_t slot
    cdef float rank
    if s.shown < s.skip:
        s.shown += 1
        return True
    if s.seen >= s.limits.nodes:
        return False
    s.shown += 1
    if over(s.task, child):
        s.seen += 1
        rank = s.task.solo.points(s.task.native, child)
        if rank > s.best:
            s.best = rank
            s.best_parent = s.parent
            s.best_print = fingerprint(s.task, child)
            s.found = True
        return True
    layer = &s.layers[s.task.solo.layer(s.task.native, child)]
    if layer.entries == NULL and not open_layer(s, layer):
        s.failed = True
        return False
    key = s.task.solo.key(s.task.native, child, True, s.task.last)
    slot = key & s.mask
    while layer.slots[slot]:
        if layer.entries[layer.slots[slot] - 1].key == key:
            return True
        slot = (slot + 1) & s.mask
    s.seen += 1
    rank = s.task.solo.value(s.task.native, child, s.task.last)
    if s.noise:
        mixed = key ^ s.seed
        rank += s.noise * (<float>(splitmix64(&mixed) >> 40) / <float>(1 << 23) - 1)
    if rank <= layer.floor:
        return True
    entry = &layer.entries[layer.used]
    entry.key = key
    entry.rank = rank
    entry.parent = s.parent
    memcpy(layer.states + entry.place * s.task.solo.bytes, child, s.task.solo.bytes)
    layer.used += 1
    layer.slots[slot] = layer.used
    if layer.used == s.room:
        cut(s, layer)
    return True


cdef inline uint64_t next_decision(const Sweep* s, ConstStatePtr state) noexcept nogil:
    """The one that is to be made next; 0 for any."""
    cdef uint64_t last
    return s.decided[s.task.solo.decisions(s.task.native, state, &last) + 1] if s.keeps else 0


cdef bint open_layer(const Sweep* s, Layer* layer) noexcept nogil:
    cdef uint32_t i
    layer.entries = <Entry*>malloc(s.room * sizeof(Entry))
    layer.states = <uint8_t*>malloc(s.room * s.task.solo.bytes)
    layer.slots = <uint32_t*>calloc(s.mask + 1, sizeof(uint32_t))
    layer.used = 0
    layer.floor = -INFINITY
    if layer.entries == NULL or layer.states == NULL or layer.slots == NULL:
        return False
    for i in range(s.room):
        layer.entries[i].place = i
    return True


cdef void close_layer(Layer* layer) noexcept nogil:
    free(layer.entries)
    free(layer.states)
    free(layer.slots)
    memset(layer, 0, sizeof(Layer))


cdef void cut(const Sweep* s, Layer* layer) noexcept nogil:
    """Keep the `width` entries with the highest rank. Dropped ones stay behind them; their places are used again."""
    cdef uint32_t i, slot
    if layer.used <= s.width:
        return
    select(layer.entries, layer.used, s.width)
    layer.used = s.width
    layer.floor = INFINITY
    memset(layer.slots, 0, (s.mask + 1) * sizeof(uint32_t))
    for i in range(layer.used):
        layer.floor = min(layer.floor, layer.entries[i].rank)
        slot = layer.entries[i].key & s.mask
        while layer.slots[slot]:
            slot = (slot + 1) & s.mask
        layer.slots[slot] = i + 1


cdef void select(Entry* entries, uint32_t n, uint32_t k) noexcept nogil:
    """Bring the k entries with the highest rank to the front (Hoare's selection)."""
    cdef long low = 0, high = <long>n - 1, i, j, want = <long>k - 1
    cdef float pivot
    cdef Entry spare
    while low < high:
        pivot = entries[(low + high) // 2].rank
        i = low
        j = high
        while i <= j:
            while entries[i].rank > pivot:
                i += 1
            while entries[j].rank < pivot:
                j -= 1
            if i <= j:
                spare = entries[i]
                entries[i] = entries[j]
                entries[j] = spare
                i += 1
                j -= 1
        if want <= j:
            high = j
        elif want >= i:
            low = i
        else:
            return


cdef bint keep(Sweep* s, const uint8_t* state, uint32_t parent) noexcept nogil:
    """Give a position a number."""
    cdef uint32_t room
    cdef uint64_t* prints
    cdef uint32_t* parents
    if s.kept == s.kept_room:
        room = 2 * s.kept_room if s.kept_room else 1024
        prints = <uint64_t*>realloc(s.prints, room * sizeof(uint64_t))
        if prints == NULL:
            return False
        s.prints = prints
        parents = <uint32_t*>realloc(s.parents, room * sizeof(uint32_t))
        if parents == NULL:
            return False
        s.parents = parents
        s.kept_room = room
    s.prints[s.kept] = fingerprint(s.task, state)
    s.parents[s.kept] = parent
    s.kept += 1
    return True


cdef bint expand(Sweep* s, ConstStatePtr state) noexcept nogil:
    """Take the positions one turn ahead; where the limit comes in between, the next time those after it."""
    s.shown = 0
    s.task.solo.expand(s.task.native, state, s.effort, next_decision(s, state), s.parent == ROOT, take, s)
    if s.failed:
        return False
    s.halted = s.seen >= s.limits.nodes
    s.skip = s.shown if s.halted else 0
    return not s.halted


cdef bint go_on(Sweep* s, uint8_t* state) noexcept nogil:
    """Go through the layers from where it was; False where a limit or want of memory came before the end."""
    cdef Layer* layer
    if not s.begun:
        s.parent = ROOT
        if not expand(s, s.task.root):
            return False
        s.begun = True
    while s.number < s.task.solo.layers:
        layer = &s.layers[s.number]
        if layer.entries != NULL:
            if s.next_entry == 0 and not s.halted:
                s.begun_at[s.number] = s.seen
                cut(s, layer)
            while s.next_entry < layer.used:
                if s.limits.stop or now() >= s.limits.end:
                    return False
                memcpy(state, layer.states + layer.entries[s.next_entry].place * s.task.solo.bytes, s.task.solo.bytes)
                if not s.halted and not keep(s, state, layer.entries[s.next_entry].parent):
                    s.failed = True
                    return False
                s.parent = s.kept - 1
                if not expand(s, state):
                    return False
                s.next_entry += 1
            close_layer(layer)
        else:
            s.begun_at[s.number] = s.seen
        s.next_entry = 0
        s.number += 1
    s.begun_at[s.number] = s.seen
    return not s.failed


cdef class Beam:
    """Beam searches of a puzzle, one after another: `begin` one, and `run` it to its end or on and on.

    Raises MemoryError.
    """

    def __cinit__(self, Puzzle puzzle):
        self.puzzle = puzzle
        self.line = []
        self.sweep.task = &puzzle.task
        self.sweep.limits = &self.limits
        self.sweep.layers = <Layer*>calloc(puzzle.task.solo.layers, sizeof(Layer))
        self.state = <uint8_t*>calloc(1, puzzle.task.size)
        self.sweep.begun_at = <uint64_t*>calloc(puzzle.task.solo.layers + 1, sizeof(uint64_t))
        self.sweep.before = <uint64_t*>calloc(puzzle.task.solo.layers + 1, sizeof(uint64_t))
        if self.sweep.layers == NULL or self.state == NULL or self.sweep.begun_at == NULL or self.sweep.before == NULL:
            raise MemoryError
        memcpy(self.state, puzzle.task.root, puzzle.task.size)

    def __dealloc__(self):
        self.empty()
        free(self.sweep.layers)
        free(self.state)
        free(self.sweep.begun_at)
        free(self.sweep.before)
        free(self.sweep.prints)
        free(self.sweep.parents)

    cdef void empty(self):
        cdef uint32_t i
        if self.sweep.layers != NULL:
            for i in range(self.puzzle.task.solo.layers):
                close_layer(&self.sweep.layers[i])

    def begin(
        self, width: int, effort: int, noise: float, seed: int, decided: dict[int, int] | None = None,
        least: float = -INFINITY,
    ) -> None:
        """Begin anew. width: positions kept in a layer. effort: see SoloTable.expand. noise: in points.

        decided: lasting decisions that lines are to make, as Puzzle.decisions has them; all others are free. least:
        points that a line must have to count. Raises ValueError for decisions that there cannot be.
        """
        cdef Sweep* s = &self.sweep
        self.empty()
        memset(s.decided, 0, sizeof(s.decided))
        for number, decision in (decided or {}).items():
            if not 1 <= number <= DECISIONS or s.task.solo.decisions == NULL:
                raise ValueError(f"there is no decision {number}")
            s.decided[<int>number] = decision
        s.keeps = bool(decided)
        if s.number == self.puzzle.task.solo.layers:
            s.begun_at, s.before = s.before, s.begun_at
        s.width = width
        s.room = SPARE * s.width
        s.mask = 1
        while s.mask < 2 * s.room:
            s.mask *= 2
        s.mask -= 1
        s.effort = effort
        s.noise = noise
        s.seed = seed
        s.begun = s.halted = False
        s.number = s.next_entry = s.kept = s.skip = 0
        s.seen = 0
        self.best = None
        self.line = []
        s.best = nextafterf(least, -INFINITY)
        s.best_parent = ROOT
        s.found = False
        s.failed = False

    def run(self, deadline: float, nodes: int) -> bool:
        """Go on; return whether that came to the end of the search.

        deadline: on the clock of time.monotonic(). nodes: the most positions to look at.
        """
        cdef Sweep* s = &self.sweep
        cdef bint done
        self.limits.end = deadline
        self.limits.nodes = s.seen + <uint64_t>nodes
        with nogil:
            done = go_on(s, self.state)
        if s.found:
            self.note()
            s.found = False
        if s.failed:
            raise MemoryError
        return done

    @property
    def progress(self) -> float:
        """How far the search is, as a share of its positions, if they lie in layers as in the last search that ended.

        0 to 1; 0 where none has.
        """
        cdef Sweep* s = &self.sweep
        cdef uint64_t all_of = s.before[self.puzzle.task.solo.layers]
        cdef double part = 0
        if not all_of:
            return 0.0
        if s.number == self.puzzle.task.solo.layers:
            return 1.0
        if s.layers[s.number].used:
            part = s.next_entry / <double>s.layers[s.number].used
        return (s.before[s.number] + part * (s.before[s.number + 1] - s.before[s.number])) / all_of

    def narrow(self, width: int) -> None:
        """Keep fewer positions from the layer in progress on, at least 1."""
        self.sweep.width = max(1, min(<uint32_t>width, self.sweep.width))

    cdef void note(self):
        """Take over the best line."""
        cdef uint64_t[DEPTH_MAX] prints
        cdef uint32_t n = DEPTH_MAX - 1, parent = self.sweep.best_parent
        prints[n] = self.sweep.best_print
        while parent != ROOT:
            n -= 1
            prints[n] = self.sweep.prints[parent]
            parent = self.sweep.parents[parent]
        self.line = line_of(self.puzzle, &prints[n], DEPTH_MAX - n, EVERY if self.sweep.keeps else self.sweep.effort)
        self.best = self.sweep.best

    def stop(self) -> None:
        """End a running search and all later ones; callable from any thread."""
        self.limits.stop = 1

    @property
    def nodes(self) -> int:
        """Positions looked at since the search was begun."""
        return self.sweep.seen

    @property
    def bytes_per_width(self) -> int:
        """About the memory that one position of the width takes."""
        return 4 * SPARE * (self.puzzle.task.solo.bytes + sizeof(Entry) + 16)
