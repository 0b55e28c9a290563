"""A search tree: its nodes, and the ways to choose among the children of one."""
from libc.math cimport sqrt
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t

from cython_ext.game cimport MAX_PLAYERS


cdef struct Node:
    # A node takes only as many values as there are players: see Tree.stride.
    uint32_t move  # the move or outcome that leads here
    uint32_t visits
    uint32_t first_child  # index of the first of `children` neighbouring nodes
    uint16_t children  # 0 until expanded
    uint16_t tried  # children visited at least once, always the first ones; unused at chance nodes
    float explore  # 1 / sqrt(visits)
    float prior
    int8_t actor  # StateHeader.to_move, known from the first visit on
    float[MAX_PLAYERS] value  # mean utility per player


cdef struct Tree:
    uint8_t* nodes
    size_t stride  # bytes of a node
    uint32_t used
    uint32_t capacity
    bint full


cdef inline Node* node_at(Tree* tree, uint32_t index) noexcept nogil:
    return <Node*>(tree.nodes + index * tree.stride)


cdef inline Node* next_node(Tree* tree, Node* node) noexcept nogil:
    return <Node*>(<uint8_t*>node + tree.stride)


cdef inline Node* select_ucb(Tree* tree, Node* parent, float k) noexcept nogil:
    """Untried moves first, then the highest upper confidence bound. k: weight of 1 / sqrt(visits)."""
    cdef Node* child = node_at(tree, parent.first_child)
    cdef Node* best = child
    cdef float bound, best_bound = -1e30
    cdef int actor = parent.actor
    cdef uint32_t _
    if parent.tried < parent.children:
        parent.tried += 1
        return node_at(tree, parent.first_child + parent.tried - 1)
    for _ in range(parent.children):
        bound = child.value[actor] + k * child.explore
        if bound > best_bound:
            best_bound = bound
            best = child
        child = next_node(tree, child)
    return best


cdef inline Node* select_puct(Tree* tree, Node* parent, float exploration, float reduction, float least) noexcept nogil:
    """Highest value plus prior bonus; children are in order of prior, so of the untried only the first can win.

    least: no move is worth less; else an untried one would be taken to be worse than moves that have lost.
    """
    cdef Node* child = node_at(tree, parent.first_child)
    cdef Node* best = child
    cdef float bound, best_bound = -1e30
    cdef float k = exploration * <float>sqrt(<double>parent.visits)
    cdef int actor = parent.actor
    cdef uint32_t _
    for _ in range(parent.tried):
        bound = child.value[actor] + k * child.prior / (1 + child.visits)
        if bound > best_bound:
            best_bound = bound
            best = child
        child = next_node(tree, child)
    if (parent.tried < parent.children
            and max(parent.value[actor] - reduction, least) + k * child.prior > best_bound):
        parent.tried += 1
        return child
    return best


cdef inline Node* select_prior(Tree* tree, Node* parent) noexcept nogil:
    """The child that has the fewest visits for its prior; before any was forced, which breaks their order."""
    cdef Node* child = node_at(tree, parent.first_child)
    cdef Node* best = child
    cdef float share, most = -1
    cdef uint32_t _
    for _ in range(parent.tried):
        share = child.prior / (1 + child.visits)
        if share > most:
            most = share
            best = child
        child = next_node(tree, child)
    if parent.tried < parent.children and child.prior > most:
        parent.tried += 1
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
