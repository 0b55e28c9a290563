"""Monte Carlo tree search for one player (Schadd et al., "Single-player Monte-Carlo tree search", 2008).

A simulation goes down a tree of turns, at each by the highest upper confidence bound with a term for the spread of the
points, and plays on by the game's playout policy. A turn begins with the game's value as if that had been its first
visit. A node gets its children at its second visit; where the memory is full, simulations end the tree where it is.
"""
from libc.math cimport INFINITY, log, sqrt
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from cython_ext.clock cimport now
from cython_ext.game cimport ConstStatePtr
from cython_ext.rng cimport Rng, rng_seed
from cython_ext.solo cimport LINE_MAX, Puzzle, over

cdef enum:
    MOVES_A_TURN = 3  # room for so many, on average


cdef bint add(void* context, ConstStatePtr child, const uint32_t* moves, uint32_t n) noexcept nogil:
    """Take a turn into the tree."""
    cdef Grove* s = <Grove*>context
    cdef Node* node
    if s.used == s.room or s.moves_used + n > s.moves_room:
        s.full = True
        return False
    s.seen += 1
    node = &s.nodes[s.used]
    s.used += 1
    memset(node, 0, sizeof(Node))
    node.moves = s.moves_used
    node.move_count = n
    memcpy(s.moves + s.moves_used, moves, n * sizeof(uint32_t))
    s.moves_used += n
    if over(s.task, child):
        node.estimate = s.task.solo.points(s.task.native, child)
    else:
        node.estimate = s.task.solo.value(s.task.native, child, s.task.last)
    return True


cdef void grow(Grove* s, Node* node, ConstStatePtr state) noexcept nogil:
    """Give a node its children, all or none."""
    cdef uint32_t used = s.used, moves_used = s.moves_used
    s.task.solo.expand(s.task.native, state, s.effort, 0, node == s.nodes, add, s)
    if s.full:
        s.used = used
        s.moves_used = moves_used
        return
    node.first = used
    node.children = s.used - used


cdef Node* choose(Grove* s, const Node* node) noexcept nogil:
    """The child with the highest bound."""
    cdef Node* child
    cdef Node* best = NULL
    cdef double logarithm = log(node.visits + 1), most = -INFINITY, mean, spread, bound, visits
    cdef uint32_t i
    for i in range(node.children):
        child = &s.nodes[node.first + i]
        visits = child.visits + 1
        mean = (child.sum + child.estimate) / visits
        spread = child.squares + <double>child.estimate * child.estimate - visits * mean * mean
        bound = mean + s.exploration * sqrt(logarithm / visits) + sqrt(max(0.0, spread + s.doubt) / visits)
        if bound > most:
            most = bound
            best = child
    return best


cdef bint trace(Grove* s, uint8_t* state, uint8_t* before, uint8_t* tried, Rng rng) noexcept nogil:
    """Make a playout again that began at `state` with the random numbers `rng`, and note its moves."""
    cdef uint32_t n, i = 0
    while not over(s.task, state):
        memcpy(before, state, s.task.size)
        s.table.playout_step(s.task.native, state, &rng)
        n = s.table.legal_moves(s.task.native, before, s.codes)
        for i in range(n):
            memcpy(tried, before, s.task.size)
            s.table.apply(s.task.native, tried, s.codes[i])
            if not memcmp(tried, state, s.task.size):
                break
        if i == n or s.line_length == LINE_MAX:
            return False
        s.line[s.line_length] = s.codes[i]
        s.line_length += 1
    return True


cdef bint simulate(Grove* s, uint8_t* state) noexcept nogil:
    """Make a simulation; False where a limit came before its end."""
    cdef uint32_t[PATH_MAX] path  # nodes by number
    cdef Node* node = s.nodes
    cdef uint8_t* leaf = state + s.task.size
    cdef uint32_t depth = 1, i
    cdef double points
    cdef Rng rng
    if s.limits.stop or now() >= s.limits.end:
        return False
    s.seen += 1  # where all is in the tree, nothing else is
    path[0] = 0
    memcpy(state, s.task.root, s.task.size)
    while depth < PATH_MAX and not over(s.task, state):
        if not node.children and node.visits and not s.full:
            grow(s, node, state)
        if not node.children:
            break
        node = choose(s, node)
        path[depth] = <uint32_t>(node - s.nodes)
        depth += 1
        for i in range(node.move_count):
            s.table.apply(s.task.native, state, s.moves[node.moves + i])
    memcpy(leaf, state, s.task.size)
    rng = s.rng
    while not over(s.task, state):
        if s.limits.stop or now() >= s.limits.end:
            return False
        s.table.playout_step(s.task.native, state, &s.rng)
        s.seen += 1
    points = s.task.solo.points(s.task.native, state)
    if points > s.best:
        s.line_length = 0
        for i in range(1, depth):
            node = &s.nodes[path[i]]
            memcpy(s.line + s.line_length, s.moves + node.moves, node.move_count * sizeof(uint32_t))
            s.line_length += node.move_count
        if trace(s, leaf, leaf + s.task.size, leaf + 2 * s.task.size, rng):
            s.best = points
            s.found = True
    for i in range(depth):
        node = &s.nodes[path[i]]
        node.visits += 1
        node.sum += points
        node.squares += points * points
    return True


cdef class SoloMcts:
    """A search of a puzzle; `run` it on and on.

    memory: bytes it may take. effort: see SoloTable.expand. exploration: in points. doubt: what is added to the spread
    of a turn's points before it is divided by its visits, in squared points (D in the paper). Raises ValueError for a
    game without a playout policy, MemoryError.
    """

    def __cinit__(
        self, Puzzle puzzle, seed: int, memory: int, effort: int = 24, exploration: float = 2.0, doubt: float = 10.0
    ):
        cdef Grove* s
        if puzzle.game.table.playout_step == NULL:
            raise ValueError("the game has no playout policy")
        self.puzzle = puzzle
        self.line = []
        self.grove = s = <Grove*>calloc(1, sizeof(Grove))
        self.state = <uint8_t*>malloc(4 * puzzle.task.size)
        if s == NULL or self.state == NULL:
            raise MemoryError
        s.task = &puzzle.task
        s.table = &puzzle.game.table
        s.limits = &self.limits
        s.effort = effort
        s.exploration = exploration
        s.doubt = doubt
        s.best = -INFINITY
        rng_seed(&s.rng, seed)
        s.room = <uint32_t>min(max(memory, 1 << 20) // (sizeof(Node) + MOVES_A_TURN * sizeof(uint32_t)), 1 << 31)
        s.moves_room = MOVES_A_TURN * s.room
        # Untouched pages cost nothing.
        s.nodes = <Node*>malloc(s.room * sizeof(Node))
        s.moves = <uint32_t*>malloc(s.moves_room * sizeof(uint32_t))
        s.codes = <uint32_t*>malloc(s.table.moves_max * sizeof(uint32_t))
        if s.nodes == NULL or s.moves == NULL or s.codes == NULL:
            raise MemoryError
        memset(s.nodes, 0, sizeof(Node))
        s.used = 1

    def __dealloc__(self):
        if self.grove != NULL:
            free(self.grove.nodes)
            free(self.grove.moves)
            free(self.grove.codes)
        free(self.grove)
        free(self.state)

    def run(self, deadline: float, nodes: int) -> None:
        """Go on.

        deadline: on the clock of time.monotonic(). nodes: after that many positions no simulation is begun.
        """
        cdef Grove* s = self.grove
        self.limits.end = deadline
        self.limits.nodes = s.seen + <uint64_t>nodes
        with nogil:
            while s.seen < s.limits.nodes and simulate(s, self.state):
                pass
        if s.found:
            s.found = False
            self.line = [s.line[i] for i in range(s.line_length)]
            self.best = s.best

    def stop(self) -> None:
        """End a running search and all later ones; callable from any thread."""
        self.limits.stop = 1

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return self.grove.seen
