"""All distinct end positions of an action phase, without those another one dominates.

A node is what an action phase changes: the cubes on the player's squares and in the warehouse (the supply follows).
Levels are actions; within an action every way of completing it is followed through the micro-moves of actions.pxd.
Nodes are told apart by a hash table over their bytes.

Dominance. P dominates Q if on every square P has at least Q's cubes of the same colour (or Q has none there), every
shop at least the cubes, and the warehouse at least as many of each colour. *If the supply cannot run short, then for
every position reachable from Q in k actions one that dominates it is reachable in at most k from a position that is
kept.* First let P hold cubes on no waiter that is empty in Q. By induction over the moves, P doing what Q does:

* Dry or roast colour c to square x: P has c wherever Q has it, so the move is legal and carries at least as much; what
  lay on x is gone in both, the squares c came from are empty of c in both, all else is as before.
* Grow: P fills its empty squares of the group. A square already holding at least Q's cubes of the right colour stays;
  a sack of another colour or a half filled double bean is discarded first (free, and offered). If nothing is left to
  fill, P does without the action.
* Deliver: P empties the same roasters and hands out the same cubes, but those a fuller shop does not take; they go to
  the warehouse, so squares and warehouse together stay ahead. Waiters take the same cubes in both.
* Discard: P does nothing.

A fuller shop in P holds cubes of the colours it asks for, so it can never be worse off. Now let P hold cubes on
waiters that are empty in Q. They were put there by deliveries since the start of the phase (waiters are never emptied),
which could have left them in the warehouse: that position, P*, is reached in as many actions, dominates Q and is no
such exception. If P* is not kept it is because another R dominates it; then R* dominates P* and is not P*, as it has at
least one cube more. Such a chain ends, as there are finitely many positions, with one that is kept.

Hence a dominated node is neither an end worth keeping nor worth expanding, also where P took fewer actions. The supply
cannot run short while it holds what `wants` says (actions.pxd); otherwise nothing is cut before the end, where
dominated ends are still left out. For the same reason a discard is only followed by growing while the supply is ample
and dominated positions are left out, and else is kept as a node of its own level. In the last round a waiter's cube may
want a colour the supply is short of: then an end only dominates others that leave no more of it in the supply.

The moves of an end are legal one after another: a move that the search takes for a new action costs one in play, or
none where it happens to continue the open action; so a line costs at most the actions counted, and no fewer, as an end
keeps the fewest it was met with.
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from cython_ext.game cimport State
from engines.cafe.actions cimport act, action_moves, continuations, fills, wants
from engines.cafe.structs cimport (
    CELLS,
    COLORS,
    DISCARD,
    END,
    GROW,
    MOVES_MAX,
    OPEN_NONE,
    ROUNDS,
    STEP_ACT,
    TYPE_SHIFT,
    Area,
    Position,
    Table,
    amount,
    bit,
    lowest,
    pile_color,
)

from engines.cafe.rules import CafeGame

cdef enum:
    BYTES = CELLS + COLORS
    NO_NODE = 0xFFFFFFFF


cdef struct Node:
    uint8_t[BYTES] cubes  # per cell as in Area, then the warehouse
    uint8_t[COLORS] supply
    uint8_t level  # actions spent
    uint8_t dominated
    uint32_t parent
    uint64_t occupied  # cells with cubes


cdef inline bint covers(const Node* p, const Node* q, uint64_t shops, int scarce) noexcept nogil:
    """Whether p dominates q. scarce: colours of which it must not leave less in the supply, one bit each."""
    cdef uint64_t rest = q.occupied
    cdef int cell, color
    if p.occupied & q.occupied != q.occupied:
        return False
    for color in range(COLORS):
        if p.cubes[CELLS + color] < q.cubes[CELLS + color]:
            return False
        if scarce >> color & 1 and p.supply[color] < q.supply[color]:
            return False
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        if p.cubes[cell] == q.cubes[cell]:
            continue
        if shops & bit(cell):
            for color in range(COLORS):
                if amount(p.cubes[cell], color) < amount(q.cubes[cell], color):
                    return False
        elif pile_color(p.cubes[cell]) != pile_color(q.cubes[cell]) or p.cubes[cell] < q.cubes[cell]:
            return False
    return True


cdef class Outcomes:
    """The end positions the player to move can reach with up to `actions` actions, dominated ones left out.

    state: a position at an action phase's step "act" without an open action. actions: 1 to the actions left (default).
    prune: False keeps dominated ends and expands dominated nodes. limit: most nodes; once reached the search stops and
    `complete` is False. comparisons: about the most comparisons of two nodes (2 ns each); once reached the rest stays
    uncompared, so that dominated ends may be left, and `pruned` is False. Raises ValueError where state or actions do
    not fit.
    """

    cdef State state
    cdef const Table* table
    cdef Node* nodes
    cdef uint32_t* slots
    cdef uint32_t used, room, mask, limit
    cdef uint32_t* found
    cdef uint32_t ends
    cdef uint64_t comparisons  # that may still be done
    cdef int depth
    cdef bint ample, lazy  # the supply cannot run short; discards only where growing follows
    cdef readonly bint complete, pruned

    def __cinit__(self):
        self.nodes = NULL
        self.slots = NULL
        self.found = NULL

    def __dealloc__(self):
        free(self.nodes)
        free(self.slots)
        free(self.found)

    def __init__(
        self, State state, actions: int | None = None, prune: bool = True, limit: int = 1 << 20,
        comparisons: int = 1 << 30,
    ) -> None:
        cdef Position* p = <Position*>state.data
        if not isinstance(state.game, CafeGame):
            raise ValueError("not a position of Café")
        if p.step != STEP_ACT or p.open != OPEN_NONE:
            raise ValueError("not at the start of an action")
        self.depth = p.actions if actions is None else actions
        if not 1 <= self.depth <= p.actions:
            raise ValueError(f"actions must be 1 to {p.actions}, not {self.depth}")
        if not 1 <= limit <= 1 << 26:
            raise ValueError(f"limit must be 1 to {1 << 26}, not {limit}")
        self.state = state.copy()
        self.table = <const Table*>state.game.native
        self.limit = limit
        self.comparisons = comparisons
        self.complete = True
        self.pruned = prune
        if not make_room(self) or not search(self, prune):
            raise MemoryError

    def __len__(self) -> int:
        return self.ends

    def states(self) -> list[State]:
        """Return the end positions, the phase of the player not yet closed: `actions` says what is left."""
        return [self.at(self.found[i]) for i in range(self.ends)]

    def line(self, index: int) -> list[int]:
        """Return moves from the position to end position `index`, without a closing "end".

        Raises IndexError where there is none.
        """
        cdef uint32_t node
        if not 0 <= index < self.ends:
            raise IndexError(index)
        node = self.found[index]
        steps = []
        while self.nodes[node].parent != NO_NODE:
            steps.append(node)
            node = self.nodes[node].parent
        moves = []
        for step in reversed(steps):
            moves += self.way(self.nodes[<uint32_t>step].parent, step)
        return moves

    @property
    def nodes_visited(self) -> int:
        """Distinct positions met, at all numbers of actions."""
        return self.used

    cdef State at(self, uint32_t node):
        cdef State state = self.state.copy()
        load(self, node, <Position*>state.data)
        (<Position*>state.data).actions = (<Position*>self.state.data).actions - self.nodes[node].level
        return state

    cdef list way(self, uint32_t start, uint32_t goal):
        """The moves of one action, or discard, between two nodes."""
        cdef State state = self.at(start)
        cdef Position* p = <Position*>state.data
        cdef bint discard = self.nodes[start].level == self.nodes[goal].level
        moves = []
        p.actions = self.depth - self.nodes[start].level
        if not retrace(self, p, &self.nodes[goal], discard, False, moves):
            raise RuntimeError("no way between two nodes")
        return moves


cdef void load(Outcomes o, uint32_t node, Position* p) noexcept nogil:
    """The position of a node, no action open."""
    cdef Area* a = &p.area[p.header.to_move]
    cdef Node* n = &o.nodes[node]
    memcpy(a.cubes, n.cubes, CELLS)
    memcpy(a.warehouse, &n.cubes[CELLS], COLORS)
    memcpy(p.supply, n.supply, COLORS)


cdef uint64_t mix(const uint8_t* cubes) noexcept nogil:
    """Hash of a node's bytes."""
    cdef uint64_t h = 0x9E3779B97F4A7C15, word
    cdef int i
    for i in range(0, BYTES, 8):
        word = 0
        memcpy(&word, &cubes[i], 8 if i + 8 <= BYTES else BYTES - i)
        h = (h ^ word) * <uint64_t>0xFF51AFD7ED558CCD
        h ^= h >> 32
    return h


cdef bint make_room(Outcomes o) noexcept nogil:
    """Double the room for nodes and, twice as large, the hash table; False where memory fails."""
    cdef uint32_t room = 2 * o.room if o.room else 512, i, slot
    cdef Node* nodes = <Node*>realloc(o.nodes, room * sizeof(Node))
    cdef uint32_t* slots
    if nodes == NULL:
        return False
    o.nodes = nodes
    slots = <uint32_t*>realloc(o.slots, 2 * room * sizeof(uint32_t))
    if slots == NULL:
        return False
    o.slots = slots
    o.room = room
    o.mask = 2 * room - 1
    memset(slots, 0xFF, 2 * room * sizeof(uint32_t))
    for i in range(o.used):
        slot = mix(nodes[i].cubes) & o.mask
        while slots[slot] != NO_NODE:
            slot = (slot + 1) & o.mask
        slots[slot] = i
    return True


cdef bint add(Outcomes o, const Position* p, uint32_t parent, int level) noexcept nogil:
    """Note a position unless it is known; False where memory fails."""
    cdef const Area* a = &p.area[p.header.to_move]
    cdef uint8_t[BYTES] cubes
    cdef uint64_t occupied = 0
    cdef uint32_t slot
    cdef int i
    cdef Node* n
    memcpy(cubes, a.cubes, CELLS)
    memcpy(&cubes[CELLS], a.warehouse, COLORS)
    slot = mix(cubes) & o.mask
    while o.slots[slot] != NO_NODE:
        if memcmp(o.nodes[o.slots[slot]].cubes, cubes, BYTES) == 0:
            return True
        slot = (slot + 1) & o.mask
    if o.used == o.limit:
        o.complete = False
        return True
    for i in range(CELLS):
        if cubes[i]:
            occupied |= bit(i)
    n = &o.nodes[o.used]
    memcpy(n.cubes, cubes, BYTES)
    memcpy(n.supply, p.supply, COLORS)
    n.level = level
    n.dominated = False
    n.parent = parent
    n.occupied = occupied
    o.slots[slot] = o.used
    o.used += 1
    return o.used < o.room or make_room(o)


cdef bint follow(Outcomes o, const Position* p, uint32_t parent, int level) noexcept nogil:
    """Note the positions after the open action and all its continuations."""
    cdef uint32_t[MOVES_MAX] moves
    cdef Position next_p
    cdef uint32_t n, i
    if p.step == STEP_ACT:
        if not add(o, p, parent, level):
            return False
        n = continuations(o.table, p, moves)
    else:
        n = fills(o.table, p, moves)
    for i in range(n):
        next_p = p[0]
        act(o.table, &next_p, moves[i])
        if not follow(o, &next_p, parent, level):
            return False
    return True


cdef bint expand(Outcomes o, const Position* p, uint32_t node, int level, uint32_t after) noexcept nogil:
    """Note what one action leads to. after: the last discard made for it, 0 for none; then only growing follows."""
    cdef uint32_t[MOVES_MAX] moves
    cdef Position next_p
    cdef uint32_t n = action_moves(o.table, p, moves), i, kind
    for i in range(n):
        kind = moves[i] >> TYPE_SHIFT << TYPE_SHIFT
        if kind == END or (after and kind != GROW and (kind != DISCARD or moves[i] <= after)):
            continue
        next_p = p[0]
        act(o.table, &next_p, moves[i])
        if kind != DISCARD:
            if not follow(o, &next_p, node, level + 1):
                return False
        elif o.lazy and not expand(o, &next_p, node, level, moves[i]):
            return False
    return True


cdef bint discard_all(Outcomes o, uint32_t node, int level) noexcept nogil:
    """Note the positions after one discard."""
    cdef uint32_t[MOVES_MAX] moves
    cdef Position p = (<Position*>o.state.data)[0], next_p
    cdef uint32_t n, i
    load(o, node, &p)
    p.actions = o.depth - level
    n = action_moves(o.table, &p, moves)
    for i in range(n):
        if moves[i] >> TYPE_SHIFT << TYPE_SHIFT == DISCARD:
            next_p = p
            act(o.table, &next_p, moves[i])
            if not add(o, &next_p, node, level):
                return False
    return True


cdef int scarce_colors(Outcomes o) noexcept nogil:
    """Colours that can run short in the phase, one bit each."""
    cdef const Position* p = <const Position*>o.state.data
    cdef int color, scarce = 0
    cdef int[COLORS] want
    wants(o.table, p, &p.area[p.header.to_move], o.depth, want)
    for color in range(COLORS):
        if p.supply[color] < want[color]:
            scarce |= 1 << color
    return scarce


cdef void prune_from(Outcomes o, uint32_t first, uint64_t shops, int scarce) noexcept nogil:
    """Mark the nodes that another one dominates, where at least one of the two is `first` or later."""
    cdef uint32_t i, j
    for i in range(first, o.used):
        if o.comparisons < o.used:
            o.comparisons = 0
            o.pruned = False
            return
        for j in range(o.used):
            if o.nodes[j].dominated or i == j:
                continue
            o.comparisons -= 1
            if covers(&o.nodes[j], &o.nodes[i], shops, scarce):
                o.nodes[i].dominated = True
                break
            if j < first and covers(&o.nodes[i], &o.nodes[j], shops, scarce):
                o.nodes[j].dominated = True


cdef bint search(Outcomes o, bint prune) except -1:
    cdef Position* root = <Position*>o.state.data
    cdef Position p = root[0]
    cdef const Area* a = &root.area[root.header.to_move]
    cdef uint64_t shops = a.shops
    cdef uint32_t first = 0, last, i
    cdef int level, scarce
    cdef bint done = True
    with nogil:
        scarce = scarce_colors(o)
        o.ample = not scarce
        o.lazy = o.ample and prune
        done = add(o, root, NO_NODE, 0)
        for level in range(o.depth):
            i = first
            while done and not o.lazy and i < o.used:
                done = discard_all(o, i, level)
                i += 1
            last = o.used
            for i in range(first, last):
                if not done or not o.complete:
                    break
                if not o.nodes[i].dominated:
                    load(o, i, &p)
                    p.actions = o.depth - level
                    done = expand(o, &p, i, level, 0)
            first = last
            if prune and o.ample:
                prune_from(o, first, shops, 0)
        if prune and not o.ample:
            prune_from(o, 0, shops, scarce if root.round == ROUNDS and a.waiters else 0)
    if not done:
        return False
    o.found = <uint32_t*>malloc(o.used * sizeof(uint32_t))
    if o.found == NULL:
        return False
    for i in range(o.used):
        if not o.nodes[i].dominated:
            o.found[o.ends] = i
            o.ends += 1
    return True


cdef bint retrace(Outcomes o, Position* p, const Node* goal, bint discard, bint begun, list moves):
    """Find the moves of one discard, or of one action and the discards made for it, by trying all.

    begun: the action has begun, only its continuations follow.
    """
    cdef uint32_t[MOVES_MAX] codes
    cdef Position next_p
    cdef uint32_t n, i, kind
    cdef Area* a = &p.area[p.header.to_move]
    if moves and p.step == STEP_ACT and begun:
        if memcmp(a.cubes, goal.cubes, CELLS) == 0 and memcmp(a.warehouse, &goal.cubes[CELLS], COLORS) == 0:
            return True
        if discard:
            return False
    if p.step != STEP_ACT:
        n = fills(o.table, p, codes)
    elif begun:
        n = continuations(o.table, p, codes)
    else:
        n = action_moves(o.table, p, codes)
    for i in range(n):
        kind = codes[i] >> TYPE_SHIFT << TYPE_SHIFT
        if kind == END or (discard and kind != DISCARD) or (kind == DISCARD and not (discard or o.lazy)):
            continue
        if moves and not begun and kind != GROW and (kind != DISCARD or codes[i] <= <uint32_t>moves[len(moves) - 1]):
            continue  # after a discard made for it only growing follows
        next_p = p[0]
        act(o.table, &next_p, codes[i])
        moves.append(codes[i])
        if retrace(o, &next_p, goal, discard, discard or kind != DISCARD, moves):
            return True
        moves.pop()
    return False
