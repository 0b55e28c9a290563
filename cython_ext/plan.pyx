"""The rest of a turn planned over distinct positions: see plan.pxd."""
from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

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
    cdef uint32_t i, place = 0
    if t.ends == ENDS:
        for i in range(1, ENDS):
            if t.end[i].points < t.end[place].points:
                place = i
        if worth <= t.end[place].points:
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


cdef bint take(void* context, ConstStatePtr child, const uint32_t* moves, uint32_t n) noexcept nogil:
    """Take a position into its layer, or what it is worth where the turn is over."""
    cdef Turn* t = <Turn*>context
    cdef Layer* layer
    cdef uint64_t key
    cdef uint32_t number, place, i, first = t.first
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
    for i in range(layer.used):
        if layer.entry[i].key == key:
            return True
    rank = points(t, child)
    place = layer.used
    if layer.used < t.width:
        layer.used += 1
    else:
        place = layer.order[layer.used - 1]
        if rank <= layer.entry[place].rank:
            return True
    i = layer.used - 1
    while i > 0 and layer.entry[layer.order[i - 1]].rank < rank:
        layer.order[i] = layer.order[i - 1]
        i -= 1
    layer.order[i] = place
    layer.entry[place].key = key
    layer.entry[place].rank = rank
    layer.entry[place].first = first
    memcpy(state_at(t, number, place), child, t.solo.bytes)
    return True


cdef bint sweep(Turn* t, uint32_t width) noexcept nogil:
    """One beam; False where a limit came before its end."""
    cdef Layer* layer
    cdef uint32_t number, i, place
    t.width = width
    for number in range(t.layers_count):
        t.layers[number].used = 0
    t.first = NO_FIRST
    t.solo.expand(t.native, t.root, EFFORT, True, take, t)
    for number in range(t.layers_count):
        layer = &t.layers[number]
        for i in range(layer.used):
            if t.limits.stop or t.seen >= t.limits.nodes or now() >= t.limits.end:
                return False
            place = layer.order[i]
            t.first = layer.entry[place].first
            memcpy(t.state, state_at(t, number, place), t.solo.bytes)
            t.solo.expand(t.native, t.state, EFFORT, False, take, t)
    return t.seen < t.limits.nodes and not t.limits.stop and now() < t.limits.end


cdef void clear(Turn* t) noexcept nogil:
    cdef uint32_t i
    for i in range(max(t.n, <uint32_t>1)):
        t.value[i] = -INFINITY


cdef bint set_out(Turn* t, ConstStatePtr state, const Limits* limits, bint ends) noexcept nogil:
    """Begin with a position; False where there is nothing to plan. ends: keep those of the turn."""
    t.seen = 0
    t.ends = 0
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
