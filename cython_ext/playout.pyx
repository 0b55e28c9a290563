"""Random playouts, for measuring and for checking an engine."""
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from cython_ext.game cimport MAX_PLAYERS, OVER, Game, State, StateHeader
from cython_ext.rng cimport Rng, rng_seed


def random_playouts(State state, playouts: int, seed: int) -> dict[str, object]:
    """Play `playouts` games from a position with uniformly random moves.

    playouts: at least 1. Returns `playouts`, `steps` (moves and draws in all), and the means `win` (share) and `score`
    (points) per player.
    """
    cdef Game game = state.game
    cdef Rng rng
    cdef uint64_t n = playouts, steps = 0, _
    cdef float[MAX_PLAYERS] win
    cdef float[MAX_PLAYERS] score
    cdef double[MAX_PLAYERS] win_sum
    cdef double[MAX_PLAYERS] score_sum
    cdef int player, players = state.players
    cdef State scratch = state.copy()
    cdef void* s = scratch.data
    if n == 0:
        raise ValueError("playouts must be at least 1")
    rng_seed(&rng, seed)
    for player in range(players):
        win_sum[player] = score_sum[player] = 0
    with nogil:
        for _ in range(n):
            memcpy(s, state.data, game.table.state_size)
            while (<StateHeader*>s).to_move != OVER:
                game.table.random_step(game.native, s, &rng)
                steps += 1
            game.table.returns(game.native, s, win, score)
            for player in range(players):
                win_sum[player] += win[player]
                score_sum[player] += score[player]
    return {
        "playouts": n,
        "steps": steps,
        "win": [win_sum[player] / n for player in range(players)],
        "score": [score_sum[player] / n for player in range(players)],
    }
