"""Wins and losses in plain sight: what any player must see, however weak."""
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, uint32_t, uint8_t
from libc.string cimport memcpy

from cython_ext.game cimport MAX_PLAYERS, OVER, Game, GameTable, State, StateHeader


def in_sight(State state) -> dict[int, int]:
    """Return what is certain of each legal move after at most one answer.

    1: it ends the game and wins it alone. -1: it ends the game and wins nothing, or the next player, if that is another
    one and no draw comes before, can end the game at once and win it alone. 0: neither. Empty where no player is to
    move.
    """
    cdef Game game = state.game
    cdef const GameTable* table = &game.table
    cdef size_t room = table.moves_max
    cdef uint32_t i, n
    if state.to_move < 0:
        return {}
    cdef uint32_t* moves = <uint32_t*>PyMem_Malloc(2 * room * sizeof(uint32_t) + room * sizeof(int8_t))
    cdef uint8_t* states = <uint8_t*>PyMem_Malloc(2 * table.state_size)
    if moves == NULL or states == NULL:
        PyMem_Free(moves)
        PyMem_Free(states)
        raise MemoryError
    cdef int8_t* found = <int8_t*>(moves + 2 * room)
    try:
        with nogil:
            n = table.legal_moves(game.native, state.data, moves)
            for i in range(n):
                memcpy(states, state.data, table.state_size)
                table.apply(game.native, states, moves[i])
                found[i] = seen(game, states, states + table.state_size, moves + room,
                                (<StateHeader*>state.data).to_move)
        return {moves[i]: found[i] for i in range(n)}
    finally:
        PyMem_Free(moves)
        PyMem_Free(states)


cdef int8_t seen(Game game, const void* after, void* scratch, uint32_t* moves, int me) noexcept nogil:
    """What is certain for player `me` after a move of theirs; see `in_sight`."""
    cdef const GameTable* table = &game.table
    cdef float[MAX_PLAYERS] win
    cdef float[MAX_PLAYERS] score
    cdef int next_player = (<const StateHeader*>after).to_move
    cdef uint32_t i, n
    if next_player == OVER:
        table.returns(game.native, after, win, score)
        return 1 if win[me] == 1 else -1 if win[me] == 0 else 0
    if next_player < 0 or next_player == me:
        return 0
    n = table.legal_moves(game.native, after, moves)
    for i in range(n):
        memcpy(scratch, after, table.state_size)
        table.apply(game.native, scratch, moves[i])
        if (<StateHeader*>scratch).to_move == OVER:
            table.returns(game.native, scratch, win, score)
            if win[next_player] == 1:
                return -1
    return 0
