"""A search tree: its nodes, and the ways to choose among the children of one.

Threads may share it without a lock (Enzenberger and Müller, "A lock-free multithreaded Monte-Carlo tree search
algorithm", 2009): all results are counted, but of two that reach a node in the same instant its mean may miss one.
There is no virtual loss; by priors a child whose first result is still to come is passed over.
"""
from libc.math cimport sqrt
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t

from cython_ext.atomics cimport load16, load32, load_float, store8, swap16, swap32
from cython_ext.game cimport MAX_PLAYERS


cdef enum:
    CACHE_LINE = 64  # bytes
    CHUNK = 512  # nodes that a thread reserves at once, where there are others
    BATCH = 16  # simulations that a thread begins at once, at most


cdef struct Node:
    # A node takes only as many values as there are players: see Tree.stride.
    uint32_t move  # the move or outcome that leads here
    uint32_t visits
    uint32_t first_child  # index of the first of `children` neighbouring nodes
    uint16_t children  # 0 until expanded; written last, with release
    uint16_t tried  # children visited at least once, or just being so, always the first ones; unused at chance nodes
    float explore  # 1 / sqrt(visits)
    float prior
    int8_t actor  # StateHeader.to_move, known from the first visit on
    uint8_t expanded  # or just being so
    float[MAX_PLAYERS] value  # mean utility per player


cdef struct Tree:
    uint8_t* nodes
    size_t stride  # bytes of a node
    uint32_t capacity
    uint8_t full
    # What all threads write shares no line of a cache with what they only read.
    uint8_t[CACHE_LINE] before
    uint32_t used
    uint32_t begun  # simulations towards the number that was asked for
    uint8_t[CACHE_LINE] after


cdef inline Node* node_at(Tree* tree, uint32_t index) noexcept nogil:
    return <Node*>(tree.nodes + index * tree.stride)


cdef inline bint take_nodes(Tree* tree, uint32_t* n, uint32_t least, uint32_t* first) noexcept nogil:
    """Take n neighbouring nodes, or `least` where that is all there is; False where there are not even so many."""
    first[0] = load32(&tree.used)
    while True:
        if tree.capacity - first[0] < n[0]:
            n[0] = least
        if tree.capacity - first[0] < least:
            store8(&tree.full, True)
            return False
        if swap32(&tree.used, first, first[0] + n[0]):
            return True


cdef inline uint32_t claim(Tree* tree, uint32_t limit, uint32_t threads) noexcept nogil:
    """Begin some simulations; returns how many, 0 where `limit` are begun. Towards the end all threads have some."""
    cdef uint32_t n, begun = load32(&tree.begun)
    while begun < limit:
        n = max(min(<uint32_t>BATCH, (limit - begun) // (2 * threads)), <uint32_t>1)
        if swap32(&tree.begun, &begun, begun + n):
            return n
    return 0


cdef inline Node* next_node(Tree* tree, Node* node) noexcept nogil:
    return <Node*>(<uint8_t*>node + tree.stride)


cdef inline void try_next(Node* parent, uint16_t tried) noexcept nogil:
    """Count one more child as tried, unless another thread just did."""
    swap16(&parent.tried, &tried, tried + 1)


cdef inline Node* select_ucb(Tree* tree, Node* parent, int actor, float k) noexcept nogil:
    """Untried moves first, then the highest upper confidence bound. k: weight of 1 / sqrt(visits)."""
    cdef Node* child = node_at(tree, parent.first_child)
    cdef Node* best = child
    cdef float bound, best_bound = -1e30
    cdef uint16_t tried = load16(&parent.tried)
    cdef uint32_t _
    if tried < parent.children:
        try_next(parent, tried)
        return node_at(tree, parent.first_child + tried)
    for _ in range(parent.children):
        bound = load_float(&child.value[actor]) + k * load_float(&child.explore)
        if bound > best_bound:
            best_bound = bound
            best = child
        child = next_node(tree, child)
    return best


cdef inline Node* select_puct(
    Tree* tree, Node* parent, int actor, float exploration, float reduction, float least
) noexcept nogil:
    """Highest value plus prior bonus; children are in order of prior, so of the untried only the first can win.

    least: no move is worth less; else an untried one would be taken to be worse than moves that have lost.
    """
    cdef Node* child = node_at(tree, parent.first_child)
    cdef Node* best = child
    cdef float bound, best_bound = -1e30
    cdef float k = exploration * <float>sqrt(<double>load32(&parent.visits))
    cdef float untried = max(load_float(&parent.value[actor]) - reduction, least)
    cdef uint16_t tried = load16(&parent.tried)
    cdef uint32_t visits
    cdef uint32_t _
    for _ in range(tried):
        visits = load32(&child.visits)
        bound = load_float(&child.value[actor]) + k * child.prior / (1 + visits)
        if bound > best_bound and visits:  # without visits: another thread is about to make the first
            best_bound = bound
            best = child
        child = next_node(tree, child)
    if tried < parent.children and untried + k * child.prior > best_bound:
        try_next(parent, tried)
        return child
    return best


cdef inline Node* select_prior(Tree* tree, Node* parent) noexcept nogil:
    """The child that has the fewest visits for its prior; before any was forced, which breaks their order."""
    cdef Node* child = node_at(tree, parent.first_child)
    cdef Node* best = child
    cdef float share, most = -1
    cdef uint16_t tried = load16(&parent.tried)
    cdef uint32_t _
    for _ in range(tried):
        share = child.prior / (1 + load32(&child.visits))
        if share > most:
            most = share
            best = child
        child = next_node(tree, child)
    if tried < parent.children and child.prior > most:
        try_next(parent, tried)
        return child
    return best


cdef inline Node* child_with(Tree* tree, Node* parent, uint32_t move) noexcept nogil:
    """The child of a chance node for an outcome, by binary search; NULL where it is not listed."""
    cdef uint32_t low = 0, high = parent.children, middle
    cdef Node* child
    while low < high:
        middle = (low + high) >> 1
        child = node_at(tree, parent.first_child + middle)
        if child.move == move:
            return child
        if child.move < move:
            low = middle + 1
        else:
            high = middle
    return NULL
