"""Native rules of Connect Four.

A column takes seven bits of a 64-bit board, bit 0 of each the bottom row and bit 6 always empty, so that lines never
run over from one column into the next.
"""
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from cython_ext.game cimport OVER, Components, ConstStatePtr, Game, State, StateHeader, StatePtr
from cython_ext.rng cimport Rng, rng_below

cdef enum:
    COLUMNS = 7
    ROWS = 6
    STRIDE = ROWS + 1


cdef uint32_t[COLUMNS] MIDDLE_FIRST = [3, 2, 4, 1, 5, 0, 6]

COLUMN_COUNT = COLUMNS
ROW_COUNT = ROWS


cdef struct Board:
    StateHeader header
    int8_t winner  # player from 0, or -1
    int8_t discs  # discs on the board
    int8_t[COLUMNS] height  # discs per column
    uint64_t[2] player  # discs of each player


cdef inline bint has_four(uint64_t b) noexcept nogil:
    cdef uint64_t pairs
    cdef int shift
    for shift in range(4):
        # vertical, diagonal down, horizontal, diagonal up
        pairs = b & (b >> (STRIDE + shift - 2 if shift else 1))
        if pairs & (pairs >> (2 * (STRIDE + shift - 2) if shift else 2)):
            return True
    return False


cdef uint32_t legal_moves(Components components, ConstStatePtr state, uint32_t* out) noexcept nogil:
    cdef const Board* b = <const Board*>state
    cdef uint32_t column, n = 0
    for column in range(<uint32_t>COLUMNS):
        if b.height[column] < ROWS:
            out[n] = column
            n += 1
    return n


cdef void apply(Components components, StatePtr state, uint32_t column) noexcept nogil:
    cdef Board* b = <Board*>state
    cdef int8_t me = b.header.to_move
    b.player[me] |= <uint64_t>1 << (column * STRIDE + b.height[column])
    b.height[column] += 1
    b.discs += 1
    if has_four(b.player[me]):
        b.winner = me
        b.header.to_move = OVER
    elif b.discs == COLUMNS * ROWS:
        b.header.to_move = OVER
    else:
        b.header.to_move = 1 - me


cdef void random_step(Components components, StatePtr state, Rng* rng) noexcept nogil:
    cdef Board* b = <Board*>state
    cdef uint32_t column
    while True:  # a free column is found after 7 tries on average at worst
        column = rng_below(rng, COLUMNS)
        if b.height[column] < ROWS:
            apply(components, state, column)
            return


cdef void returns(Components components, ConstStatePtr state, float* win, float* score) noexcept nogil:
    cdef const Board* b = <const Board*>state
    cdef int player
    for player in range(2):
        win[player] = 0.5 if b.winner < 0 else 1 if b.winner == player else 0
        score[player] = win[player]


cdef uint32_t greedy_move(Components components, ConstStatePtr state) noexcept nogil:
    """Completes a line of four, else stops one, else takes the free column nearest the middle."""
    cdef const Board* b = <const Board*>state
    cdef int8_t me = b.header.to_move
    cdef uint32_t column, i, found = COLUMNS
    cdef uint64_t disc
    cdef bint blocks = False
    for i in range(COLUMNS):
        column = MIDDLE_FIRST[i]
        if b.height[column] == ROWS:
            continue
        disc = <uint64_t>1 << (column * STRIDE + b.height[column])
        if has_four(b.player[me] | disc):
            return column
        if not blocks and has_four(b.player[1 - me] | disc):
            blocks = True
            found = column
        elif found == COLUMNS:
            found = column
    return found


cdef class ConnectFour(Game):
    """Connect Four's rules."""

    def __cinit__(self):
        self.table.state_size = sizeof(Board)
        self.table.moves_max = COLUMNS
        self.table.legal_moves = legal_moves
        self.table.apply = apply
        self.table.random_step = random_step
        self.table.returns = returns
        self.table.greedy_move = greedy_move

    def position(self, columns: list[str]) -> State:
        """Return the position with the given discs, strings of "1" and "2" from bottom to top.

        Raises ValueError where it cannot come about by taking turns: the counts differ by more than the first move,
        a line of four was there before the last disc fell, or no order of the discs alternates.
        """
        cdef State state = self.new_state()
        cdef Board* b = <Board*>state.data
        cdef int discs[2]
        discs[0] = discs[1] = 0
        b.header.players = 2
        b.winner = -1
        for index, column in enumerate(columns):
            for disc in column:
                player = int(disc) - 1
                b.player[player] |= <uint64_t>1 << (<int>index * STRIDE + b.height[index])
                b.height[index] += 1
                discs[player] += 1
        b.discs = discs[0] + discs[1]
        if discs[0] - discs[1] not in (0, 1):
            raise ValueError(f"player 1 has {discs[0]} discs and player 2 has {discs[1]}")
        last = 1 - (discs[0] - discs[1])
        if has_four(b.player[1 - last]) or (has_four(b.player[last]) and not won_by_last(b, last)):
            raise ValueError("the game was over before the last disc fell")
        if not can_have_fallen(b, last):
            raise ValueError("no order in which these discs can have fallen alternates between the players")
        b.winner = last if has_four(b.player[last]) else -1
        b.header.to_move = OVER if b.winner >= 0 or b.discs == COLUMNS * ROWS else 1 - last
        return state

    def columns(self, State state) -> list[str]:
        """Return the discs of each column, the reverse of `position`."""
        cdef Board* b = <Board*>state.data
        return [
            "".join(
                "1" if b.player[0] >> (column * STRIDE + row) & 1 else "2" for row in range(b.height[column])
            )
            for column in range(COLUMNS)
        ]

    def winner(self, State state) -> int:
        """Return the winning player from 0, or -1."""
        return (<Board*>state.data).winner


cdef bint ends_with(const Board* b, int last, int column) noexcept:
    """Whether the top disc of a column is of player `last` and no line of four is there without it."""
    cdef uint64_t top
    if b.height[column] == 0:
        return False
    top = <uint64_t>1 << (column * STRIDE + b.height[column] - 1)
    return b.player[last] & top and not has_four(b.player[last] & ~top)


cdef bint won_by_last(const Board* b, int last) noexcept:
    """Whether taking off one top disc of player `last` leaves no line of four."""
    for column in range(COLUMNS):
        if ends_with(b, last, column):
            return True
    return False


cdef bint can_have_fallen(Board* b, int last) except -1:
    """Whether some order of the discs alternates; where a line of four is there, it has to come with the last disc."""
    cdef int8_t[COLUMNS] height
    cdef bint possible = False
    # Heights from which the rest cannot fall, a digit of base ROWS + 1 per column.
    cdef uint8_t* dead = <uint8_t*>PyMem_Calloc(STRIDE ** COLUMNS, 1)
    if dead == NULL:
        raise MemoryError
    memset(height, 0, sizeof(height))
    if not has_four(b.player[last]):
        possible = can_fall(b, height, 0, b.discs, dead)
    else:
        for column in range(COLUMNS):
            if not possible and ends_with(b, last, column):
                b.height[column] -= 1
                memset(dead, 0, STRIDE ** COLUMNS)
                memset(height, 0, sizeof(height))
                possible = can_fall(b, height, 0, b.discs - 1, dead)
                b.height[column] += 1
    PyMem_Free(dead)
    return possible


cdef bint can_fall(const Board* b, int8_t* height, int fallen, int discs, uint8_t* dead) noexcept:
    """Whether the discs above `height` can fall in turn, after `fallen` of `discs`."""
    cdef int column
    cdef uint32_t key = 0
    if fallen == discs:
        return True
    for column in range(COLUMNS):
        key = key * STRIDE + height[column]
    if dead[key]:
        return False
    for column in range(COLUMNS):
        if height[column] < b.height[column] and b.player[fallen & 1] >> (column * STRIDE + height[column]) & 1:
            height[column] += 1
            if can_fall(b, height, fallen + 1, discs, dead):
                return True
            height[column] -= 1
    dead[key] = True
    return False
