"""Placements of dice.

The dice go one by one in the order of their colours, of equal colours to ascending spaces, so that each placement of
both is met once. Which manipulators were used does not matter afterwards, only whether there are enough for both dice:
each manipulator may help one die a turn.
"""
from libc.stdint cimport uint32_t

from engines.campus.layout cimport (
    ABIGAIL,
    ARGUMENT,
    FROM_COLOR,
    MOVE_PLACE,
    MOVE_STACK,
    NONE,
    SHIFT,
    SPACES,
    STACK,
    TO_COLOR,
    WHITE,
    Campus,
    Player,
    Set,
    Side,
)


cdef extern from *:
    int __builtin_popcount(unsigned int) noexcept nogil


cdef enum:
    ORDINARY = 1 << 15  # beside the masks of manipulators


cdef int ways(const Side* side, const Player* me, int color, int space) noexcept nogil:
    """ORDINARY where the die may lie there anyway, else the mask of the manipulators that allow it."""
    cdef int target = side.space[space].color, mask = 0
    if target == color or target == WHITE:
        return ORDINARY
    if me.waiter != ABIGAIL:  # she may only stack
        mask = me.manipulators & (1 << (TO_COLOR * 3 + target) | 1 << (FROM_COLOR * 3 + color))
    return mask


cdef inline bint both(int first, int second) noexcept nogil:
    """Whether there are two different ways, each manipulator once."""
    if not first or not second:
        return False
    return (first | second) & ORDINARY or __builtin_popcount(first | second) > 1


cdef uint32_t place_moves(const Set* set, const Campus* s, uint32_t* out) noexcept nogil:
    cdef const Side* side = &set.side[s.advanced]
    cdef const Player* me = &s.player[s.active]
    cdef int a = s.turn.die[0], b = s.turn.die[1], placed = s.turn.placed[0], n_spaces = side.spaces
    cdef int[SPACES] first
    cdef int[SPACES] second
    cdef int i, j
    cdef uint32_t n = 0
    cdef bint stack = me.manipulators >> STACK * 3 & (1 << a | 1 << b)
    for i in range(n_spaces):
        first[i] = ways(side, me, a, i)
        second[i] = ways(side, me, b, i)
    if placed != NONE:
        for j in range(placed + 1 if a == b else 0, n_spaces):
            if j != placed and both(first[placed], second[j]):
                out[n] = <uint32_t>MOVE_PLACE << SHIFT | b << 4 | j
                n += 1
        return n
    for i in range(n_spaces):
        for j in range(i + 1 if a == b else 0, n_spaces):
            if j != i and both(first[i], second[j]):
                out[n] = <uint32_t>MOVE_PLACE << SHIFT | a << 4 | i
                n += 1
                break
    if stack:  # the lower die lies by the ordinary rule
        for i in range(n_spaces):
            if (first[i] | second[i]) & ORDINARY:
                out[n] = <uint32_t>MOVE_STACK << SHIFT | i
                n += 1
    if n:
        return n
    # Not both: then one of them if possible.
    for i in range(n_spaces):
        if first[i]:
            out[n] = <uint32_t>MOVE_PLACE << SHIFT | a << 4 | i
            n += 1
    if a != b:
        for i in range(n_spaces):
            if second[i]:
                out[n] = <uint32_t>MOVE_PLACE << SHIFT | b << 4 | i
                n += 1
    return n


cdef bint can_place(const Set* set, const Campus* s) noexcept nogil:
    cdef uint32_t[64] moves
    return place_moves(set, s, moves) > 0


cdef bint put_dice(const Set* set, Campus* s, uint32_t move) noexcept nogil:
    cdef int argument = move & ARGUMENT, color = argument >> 4, space = argument & 15
    if move >> SHIFT == MOVE_STACK:
        s.turn.placed[0] = s.turn.placed[1] = argument
        return True
    if s.turn.placed[0] != NONE:
        s.turn.placed[1] = space
        return True
    if color != s.turn.die[0]:
        s.turn.placed[1] = space
        return True
    s.turn.placed[0] = space
    return not can_place(set, s)
