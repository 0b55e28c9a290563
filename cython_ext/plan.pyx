"""The rest of a turn planned over distinct positions: see plan.pxd."""
from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from cython_ext.clock cimport now
from cython_ext.game cimport MAX_PLAYERS, OVER, ConstStatePtr, StateHeader


cdef float points(const Turn* t, ConstStatePtr state) noexcept nogil:
    cdef float[MAX_PLAYERS] win
    cdef float[MAX_PLAYERS] score
    if (<const StateHeader*>state).to_move == OVER:
        t.table.returns(t.native, state, win, score)
    else:
        t.table.evaluate(t.native, state, win, score)
    return score[0]


cdef inline uint8_t* state_at(const Turn* t, uint32_t number, uint32_t place) noexcept nogil:
    return t.states + (<size_t>number * WIDTH_MAX + place) * t.solo.bytes


cdef void note_end(Turn* t, ConstStatePtr state, float worth, uint32_t first) noexcept nogil:
    """Keep a position in which the turn is over, if it is one of the best."""
    cdef uint64_t key
    cdef uint32_t i, place = t.lowest
    if t.ends == ENDS and worth <= t.end[place].points:
        return
    key = t.solo.key(t.native, state, True, t.solo.last)
    for i in range(t.ends):
        if t.end[i].key == key:
            return
    if t.ends < ENDS:
        place = t.ends
        t.ends += 1
    t.end[place].key = key
    t.end[place].points = worth
    t.end[place].first = first
    memcpy(t.end_states + <size_t>place * t.table.state_size, state, t.table.state_size)
    if t.ends == ENDS:
        for i in range(ENDS):
            if t.end[i].points < t.end[t.lowest].points:
                t.lowest = i


cdef void rise(Layer* layer, uint32_t place) noexcept nogil:
    """Put a new entry, the last one, into the heap."""
    cdef uint32_t i = place, parent
    while i:
        parent = (i - 1) // 2
        if layer.entry[layer.order[parent]].rank <= layer.entry[place].rank:
            break
        layer.order[i] = layer.order[parent]
        i = parent
    layer.order[i] = place


cdef void sink(Layer* layer, uint32_t n) noexcept nogil:
    """Put the entry on top of a heap of n where it belongs."""
    cdef uint32_t place = layer.order[0], i = 0, child = 1
    while child < n:
        if child + 1 < n and layer.entry[layer.order[child + 1]].rank < layer.entry[layer.order[child]].rank:
            child += 1
        if layer.entry[layer.order[child]].rank >= layer.entry[place].rank:
            break
        layer.order[i] = layer.order[child]
        i = child
        child = 2 * i + 1
    layer.order[i] = place


cdef void sort(Layer* layer) noexcept nogil:
    """Make a sorted list of the heap, the highest rank first (heapsort, Williams 1964)."""
    cdef uint32_t n = layer.used, lowest
    while n > 1:
        n -= 1
        lowest = layer.order[0]
        layer.order[0] = layer.order[n]
        sink(layer, n)
        layer.order[n] = lowest


cdef bint take(void* context, ConstStatePtr child, const uint32_t* moves, uint32_t n) noexcept nogil:
    """Take a position into its layer, or what it is worth where the turn is over."""
    cdef Turn* t = <Turn*>context
    cdef Layer* layer
    cdef uint64_t key
    cdef uint64_t* seen
    cdef uint32_t number, place, first = t.first
    cdef float rank
    if t.seen >= t.limits.nodes or t.limits.stop or not t.seen % POLL and now() >= t.limits.end:
        return False
    t.seen += 1
    if not t.n:  # one is as good as another
        first = 0
    elif first == NO_FIRST:
        first = 0
        while first < t.n and t.moves[first] != moves[0]:
            first += 1
        if first == t.n:  # not to be considered
            return True
    if (<const StateHeader*>child).to_move < 0 or t.solo.round(t.native, child) != t.round:
        rank = points(t, child)
        t.value[first] = max(t.value[first], rank)
        if t.keeps_ends:
            note_end(t, child, rank, first)
        return True
    number = t.solo.layer(t.native, child) - t.first_layer
    layer = &t.layers[number]
    key = t.solo.key(t.native, child, True, t.solo.last)
    seen = &layer.seen[key & (t.places - 1)]
    if seen[0] == key:
        return True
    seen[0] = key
    rank = points(t, child)
    if layer.used < t.width:
        place = layer.used
        layer.used += 1
        layer.entry[place].rank = rank
        rise(layer, place)
    else:
        place = layer.order[0]
        if rank <= layer.entry[place].rank:
            return True
        layer.entry[place].rank = rank
        sink(layer, layer.used)
    layer.entry[place].first = first
    memcpy(state_at(t, number, place), child, t.solo.bytes)
    return True


cdef bint sweep(Turn* t, uint32_t width) noexcept nogil:
    """One beam; False where a limit came before its end."""
    cdef Layer* layer
    cdef uint32_t number, i, place
    t.width = width
    t.places = max(SEEN * width, <uint32_t>SEEN_LEAST)
    for number in range(t.layers_count):
        t.layers[number].used = 0
        memset(t.layers[number].seen, 0, t.places * sizeof(uint64_t))
    t.first = NO_FIRST
    t.solo.expand(t.native, t.root, EFFORT, 0, True, take, t)
    for number in range(t.layers_count):
        layer = &t.layers[number]
        sort(layer)
        for i in range(layer.used):
            if t.limits.stop or t.seen >= t.limits.nodes or now() >= t.limits.end:
                return False
            place = layer.order[i]
            t.first = layer.entry[place].first
            memcpy(t.state, state_at(t, number, place), t.solo.bytes)
            t.solo.expand(t.native, t.state, EFFORT, 0, False, take, t)
    return t.seen < t.limits.nodes and not t.limits.stop and now() < t.limits.end


cdef void clear(Turn* t) noexcept nogil:
    cdef uint32_t i
    for i in range(max(t.n, <uint32_t>1)):
        t.value[i] = -INFINITY


cdef bint set_out(Turn* t, ConstStatePtr state, const Limits* limits, bint ends) noexcept nogil:
    """Begin with a position; False where there is nothing to plan. ends: keep those of the turn."""
    t.seen = 0
    t.ends = t.lowest = 0
    t.keeps_ends = ends
    t.limits = limits
    if not t.solo.alone(t.native, state, t.root):
        return False
    memcpy(t.state, t.root, t.table.state_size)
    t.round = t.solo.round(t.native, t.root)
    t.first_layer = t.solo.layer(t.native, t.root)
    return True


cdef class Planner:
    """Plans turns that begin with one of some moves; with any where none are named."""

    def __cinit__(self, Game game, list moves):
        cdef Turn* t = &self.turn
        cdef uint32_t i
        self.game = game
        t.table = &game.table
        t.solo = &game.solo
        t.native = game.native
        t.n = len(moves)
        t.layers_count = t.solo.layers // t.solo.last
        t.root = <uint8_t*>malloc(t.table.state_size)
        t.state = <uint8_t*>malloc(t.table.state_size)
        t.moves = <uint32_t*>malloc(max(t.n, <uint32_t>1) * sizeof(uint32_t))
        t.value = <float*>malloc(max(t.n, <uint32_t>1) * sizeof(float))
        # Untouched pages cost nothing.
        t.layers = <Layer*>malloc(t.layers_count * sizeof(Layer))
        t.states = <uint8_t*>malloc(<size_t>t.layers_count * WIDTH_MAX * t.solo.bytes)
        t.end_states = <uint8_t*>malloc(ENDS * t.table.state_size)
        if (t.root == NULL or t.state == NULL or t.moves == NULL or t.value == NULL or t.layers == NULL
                or t.states == NULL or t.end_states == NULL):
            raise MemoryError
        for i in range(t.n):
            t.moves[i] = moves[i]

    def __dealloc__(self):
        free(self.turn.root)
        free(self.turn.state)
        free(self.turn.moves)
        free(self.turn.value)
        free(self.turn.layers)
        free(self.turn.states)
        free(self.turn.end_states)

    cdef const float* run(self, ConstStatePtr state, const Limits* limits) noexcept nogil:
        cdef Turn* t = &self.turn
        cdef uint32_t width = NARROW
        clear(t)
        if set_out(t, state, limits, True):
            while width <= WIDTH_MAX and sweep(t, width):
                width *= WIDEN
            if width == NARROW:  # what is known of some moves only would mislead
                clear(t)
                t.ends = 0
        return t.value

    cdef float best(self, ConstStatePtr state, uint32_t width, const Limits* limits) noexcept nogil:
        cdef Turn* t = &self.turn
        clear(t)
        if set_out(t, state, limits, False) and not sweep(t, width):
            return -INFINITY
        return t.value[0]
