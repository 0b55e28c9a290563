"""Perft: counts the move sequences of a given length, the standard test of a move generator."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from cython_ext.game cimport CHANCE, Game, GameTable, State, StateHeader


cdef uint64_t count(Game game, uint8_t* states, uint32_t* moves, double* chances, int depth) noexcept nogil:
    cdef GameTable* table = &game.table
    cdef uint8_t* child = states + table.state_size
    cdef uint64_t leaves = 0
    cdef uint32_t i, n
    cdef int to_move = (<StateHeader*>states).to_move
    if depth == 0:
        return 1
    if to_move >= 0:
        n = table.legal_moves(game.native, states, moves)
    elif to_move == CHANCE:
        n = table.outcomes(game.native, states, moves, chances)
    else:
        return 0
    if depth == 1:
        return n
    for i in range(n):
        memcpy(child, states, table.state_size)
        table.apply(game.native, child, moves[i])
        leaves += count(game, child, moves + table.moves_max, chances, depth - 1)
    return leaves


def perft(State state, depth: int) -> int:
    """Return the number of sequences of `depth` (0 to 99) moves from a position.

    A draw at a chance point counts as a move, each possible outcome once. Sequences that end earlier do not count.
    """
    if not 0 <= depth <= 99:
        raise ValueError(f"depth must be 0 to 99, not {depth}")
    cdef Game game = state.game
    cdef size_t levels = depth + 1
    cdef uint8_t* states = <uint8_t*>malloc(levels * game.table.state_size)
    cdef uint32_t* moves = <uint32_t*>malloc(levels * game.table.moves_max * sizeof(uint32_t))
    cdef double* chances = <double*>malloc(game.table.moves_max * sizeof(double))
    cdef int plies = depth
    cdef uint64_t leaves
    try:
        if states == NULL or moves == NULL or chances == NULL:
            raise MemoryError
        memcpy(states, state.data, game.table.state_size)
        with nogil:
            leaves = count(game, states, moves, chances, plies)
        return leaves
    finally:
        free(states)
        free(moves)
        free(chances)


def divide(State state, depth: int) -> dict[int, int]:
    """Return the perft of `depth` (1 to 99), split by the first move or draw."""
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    counts = {}
    for move in state.moves() or [code for code, _ in state.outcomes()]:
        child = state.copy()
        child.apply(move)
        counts[move] = perft(child, depth - 1)
    return counts
