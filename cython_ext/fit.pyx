"""Measures by which an engine's weights are tuned.

How well its greedy player does, and how well its move priors and its evaluation foretell what a search and the end of
the game say.
"""
from array import array

from libc.math cimport log
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from cython_ext.game cimport CHANCE, MAX_PLAYERS, OVER, Game, State, StateHeader
from cython_ext.rng cimport Rng, rng_seed

cdef double LEAST = 1e-6  # a probability of 0 would cost infinitely much


cdef class Sample:
    """Positions, each with the share of a search's visits that its moves got and the result of its game."""
    cdef list states  # bytes
    cdef list moves  # uint32, legal moves; none where nobody is to move
    cdef list shares  # float per move
    cdef list wins  # float per player
    cdef list scores

    def __init__(self) -> None:
        self.states, self.moves, self.shares, self.wins, self.scores = [], [], [], [], []

    def __len__(self) -> int:
        return len(self.states)

    def add(self, state: State, visits: dict[int, int], win: list[float], score: list[float]) -> None:
        """Add a position; visits: by move, empty where the moves shall not count."""
        legal = state.moves() if visits else []
        total = sum(visits.values())
        self.states.append(bytes(state))
        self.moves.append(array("I", legal))
        self.shares.append(array("f", [visits.get(move, 0) / total for move in legal]))
        self.wins.append(array("f", win))
        self.scores.append(array("f", score))

    def prior_loss(self, Game game) -> float:
        """Mean cross entropy of the visits and the priors, in nats."""
        array_of_priors = array("f", bytes(4 * game.table.moves_max))
        cdef float[::1] prior = array_of_priors
        cdef const unsigned int[::1] moves
        cdef const float[::1] shares
        cdef const unsigned char[::1] data
        cdef double loss = 0
        cdef uint32_t i, n, counted = 0
        for data, moves, shares in zip(self.states, self.moves, self.shares, strict=True):
            n = moves.shape[0]
            if n < 2:
                continue
            counted += 1
            game.table.priors(game.native, &data[0], &moves[0], n, &prior[0])
            for i in range(n):
                if shares[i] > 0:
                    loss -= shares[i] * log(prior[i] + LEAST)
        return loss / counted

    def evaluation_loss(self, Game game) -> tuple[float, float]:
        """Mean cross entropy of the win shares and the evaluation, in nats, and mean squared error of the scores."""
        cdef float[MAX_PLAYERS] win
        cdef float[MAX_PLAYERS] score
        cdef const float[::1] wins, scores
        cdef const unsigned char[::1] data
        cdef double loss = 0, squares = 0
        cdef uint32_t player, players
        for data, wins, scores in zip(self.states, self.wins, self.scores, strict=True):
            game.table.evaluate(game.native, &data[0], win, score)
            players = wins.shape[0]
            for player in range(players):
                loss -= wins[player] * log(win[player] + LEAST)
                squares += (scores[player] - score[player]) ** 2 / players
        return loss / len(self.states), squares / len(self.states)


def contest(Game one, Game others, starts: list[bytes], seed: int) -> float:
    """Mean win share of a greedy player against greedy players of another game object with the same rules.

    Every start is played once; the one sits in each seat in turn. Draws depend on the seed and the start alone.
    """
    cdef const unsigned char[::1] data
    cdef size_t size = one.table.state_size
    cdef void* state = malloc(size)
    cdef StateHeader* header = <StateHeader*>state
    cdef float[MAX_PLAYERS] win
    cdef float[MAX_PLAYERS] score
    cdef Rng rng
    cdef int seat
    cdef double total = 0
    if state == NULL:
        raise MemoryError
    for number, data in enumerate(starts):
        memcpy(state, &data[0], size)
        rng_seed(&rng, seed + number)
        seat = number % header.players
        with nogil:
            while header.to_move != OVER:
                if header.to_move == CHANCE:
                    one.table.apply(one.native, state, one.table.sample(one.native, state, &rng))
                elif header.to_move == seat:
                    one.table.apply(one.native, state, one.table.greedy_move(one.native, state))
                else:
                    others.table.apply(others.native, state, others.table.greedy_move(others.native, state))
            one.table.returns(one.native, state, win, score)
        total += win[seat]
    free(state)
    return total / len(starts)
