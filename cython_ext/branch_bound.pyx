"""Depth-first branch and bound over the turns of a puzzle.

All turns that are needed to reach the most points are tried, the one with the highest bound first, unless that bound is
no better than the best line, or the position was met before: then the search from there is made elsewhere. Positions
are told apart by 64-bit hashes: with n positions the chance that two fall together is about n^2 / 2^65, below one in
a hundred thousand for ten million.
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcpy

from cython_ext.clock cimport now
from cython_ext.game cimport ConstStatePtr
from cython_ext.solo cimport Puzzle, fingerprint, line_of, over


cdef bint take(void* context, ConstStatePtr child, const uint32_t* moves, uint32_t n) noexcept nogil:
    """Take a position among the branches of the last frame, or its points where the puzzle ends there."""
    cdef Hunt* h = <Hunt*>context
    cdef Branch* branch
    cdef uint64_t key, slot
    cdef float bound
    cdef uint32_t i, place
    h.seen += 1
    if over(h.task, child):
        bound = h.task.solo.points(h.task.native, child)
        if bound > h.best:
            h.best = bound
            for i in range(h.depth - 1):
                place = h.branches[h.frames[i].next - 1].place
                h.line[i] = fingerprint(h.task, h.states + <size_t>place * h.task.solo.bytes)
            h.line[h.depth - 1] = fingerprint(h.task, child)
            h.line_length = h.depth
        return True
    key = h.task.solo.key(h.task.native, child, False, h.task.last)
    key += not key  # 0 marks a free slot
    slot = key & h.mask
    while h.known[slot]:
        if h.known[slot] == key:
            return True
        slot = (slot + 1) & h.mask
    if h.noted < h.mask - h.mask // 4:  # beyond that positions may be searched twice
        h.known[slot] = key
        h.noted += 1
    bound = h.task.solo.bound(h.task.native, child, h.task.last, False)
    if bound <= h.best:
        return True
    if h.used == h.room:
        h.failed = True
        return False
    branch = &h.branches[h.used]
    branch.bound = bound
    branch.value = h.task.solo.value(h.task.native, child, h.task.last)
    branch.place = h.used
    memcpy(h.states + <size_t>h.used * h.task.solo.bytes, child, h.task.solo.bytes)
    h.used += 1
    return True


cdef int by_promise(const void* a, const void* b) noexcept nogil:
    """Order for qsort: the higher bound first, then the higher value, then the order in which they were met."""
    cdef const Branch* x = <const Branch*>a
    cdef const Branch* y = <const Branch*>b
    if x.bound != y.bound:
        return -1 if x.bound > y.bound else 1
    if x.value != y.value:
        return -1 if x.value > y.value else 1
    return -1 if x.place < y.place else 1


cdef void open_frame(Hunt* h, ConstStatePtr state, bint first) noexcept nogil:
    """Go down to a position: find its branches."""
    cdef Frame* frame = &h.frames[h.depth]
    frame.first = frame.next = h.used
    h.depth += 1
    if h.depth == PATH_MAX:
        h.failed = True
        return
    h.task.solo.expand(h.task.native, state, 0, 0, first, take, h)
    frame.end = h.used
    qsort(h.branches + frame.first, frame.end - frame.first, sizeof(Branch), by_promise)


cdef bint go_on(Hunt* h, uint8_t* state) noexcept nogil:
    """Search on; True once all is searched."""
    cdef Frame* frame
    cdef Branch* branch
    if not h.depth:
        open_frame(h, h.task.root, True)
    while h.depth and not h.failed:
        frame = &h.frames[h.depth - 1]
        # All that follow are no better: they come in the order of their bounds.
        if frame.next == frame.end or h.branches[frame.next].bound <= h.best:
            h.used = frame.first
            h.depth -= 1
            continue
        if h.limits.stop or h.seen >= h.limits.nodes or now() >= h.limits.end:
            return False
        branch = &h.branches[frame.next]
        frame.next += 1
        memcpy(state, h.states + <size_t>branch.place * h.task.solo.bytes, h.task.solo.bytes)
        open_frame(h, state, False)
    return not h.failed


cdef class BranchBound:
    """An exact search of a puzzle; `run` it on and on until it is `done`, or `failed` for want of memory.

    memory: bytes it may take. Raises MemoryError where the machine has less.
    """

    def __cinit__(self, Puzzle puzzle, memory: int):
        cdef size_t bytes = max(<size_t>memory, <size_t>1 << 22)
        self.puzzle = puzzle
        self.line = []
        self.hunt = <Hunt*>calloc(1, sizeof(Hunt))
        self.state = <uint8_t*>calloc(1, puzzle.task.size)
        if self.hunt == NULL or self.state == NULL:
            raise MemoryError
        memcpy(self.state, puzzle.task.root, puzzle.task.size)
        self.hunt.task = &puzzle.task
        self.hunt.limits = &self.limits
        self.hunt.best = -INFINITY
        self.hunt.root_bound = puzzle.bound(puzzle.root)
        self.hunt.mask = 1
        while 2 * (self.hunt.mask + 1) * sizeof(uint64_t) <= bytes:
            self.hunt.mask = 2 * self.hunt.mask + 1
        self.hunt.mask >>= 1  # at most half for the keys
        self.hunt.room = <uint32_t>min(bytes // 2 // (puzzle.task.solo.bytes + sizeof(Branch)), <size_t>0xFFFFFFFF)
        # Untouched pages cost nothing.
        self.hunt.known = <uint64_t*>calloc(self.hunt.mask + 1, sizeof(uint64_t))
        self.hunt.branches = <Branch*>malloc(self.hunt.room * sizeof(Branch))
        self.hunt.states = <uint8_t*>malloc(self.hunt.room * puzzle.task.solo.bytes)
        if self.hunt.known == NULL or self.hunt.branches == NULL or self.hunt.states == NULL:
            raise MemoryError

    def __dealloc__(self):
        if self.hunt != NULL:
            free(self.hunt.known)
            free(self.hunt.branches)
            free(self.hunt.states)
        free(self.hunt)
        free(self.state)

    def run(self, deadline: float, nodes: int, score: float) -> bool:
        """Go on; return whether all is searched.

        deadline: on the clock of time.monotonic(). nodes: about the most positions to look at. score: points that are
        reached elsewhere; only better lines are looked for.
        """
        cdef bint done
        if self.done or self.failed:
            return self.done
        self.hunt.best = max(<float>score, self.hunt.best)
        self.limits.end = deadline
        self.limits.nodes = self.hunt.seen + <uint64_t>nodes
        with nogil:
            done = go_on(self.hunt, self.state)
        if self.hunt.line_length:
            self.line = line_of(self.puzzle, self.hunt.line, self.hunt.line_length, 0)
            self.best = self.hunt.best
            self.hunt.line_length = 0
        self.done = done
        self.failed = self.hunt.failed
        return done

    def stop(self) -> None:
        """End a running search and all later ones; callable from any thread."""
        self.limits.stop = 1

    @property
    def bound(self) -> float:
        """Points that no line can exceed, as far as the search has come."""
        cdef float most = self.hunt.best
        cdef Frame* frame
        if self.done:
            return most
        if self.failed or not self.hunt.depth:
            return self.hunt.root_bound
        for i in range(self.hunt.depth):
            frame = &self.hunt.frames[i]
            if frame.next < frame.end:
                most = max(most, self.hunt.branches[frame.next].bound)
        return min(most, self.hunt.root_bound)

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return self.hunt.seen
