"""A puzzle for one player: the most points from a position to the end of a round."""
from libc.stdint cimport uint32_t

from cython_ext.game cimport OVER, State, StateHeader

NO_LAST_ROUND = 0x7FFFFFFF


cdef class Puzzle:
    """Reach the most points from `root` to the end of its game, or of the first `rounds` rounds.

    root: a position of one player in which nothing is left to chance. rounds: 1 or more, the round in progress
    included; None for the rest of the game. Raises ValueError where they do not fit.
    """

    def __init__(self, State root, rounds: int | None = None) -> None:
        self.game = root.game
        if self.game.solo.solvable == NULL:
            raise ValueError("the game has no puzzles for one player")
        if root.to_move == OVER:
            raise ValueError("the game is over")
        if not self.game.solo.solvable(self.game.native, root.data):
            raise ValueError("no puzzle: one player, and nothing left to chance, is what it wants")
        if rounds is not None and rounds < 1:
            raise ValueError(f"rounds must be 1 or more, not {rounds}")
        self.root = root.copy()
        self.last = NO_LAST_ROUND
        if rounds is not None:
            self.last = min(self.game.solo.round(self.game.native, root.data) + rounds - 1, NO_LAST_ROUND)

    cdef bint over(self, const void* state) noexcept nogil:
        """Whether a position lies behind the last move that counts."""
        return ((<const StateHeader*>state).to_move == OVER
                or self.game.solo.round(self.game.native, state) > <uint32_t>self.last)

    def is_over(self, State state) -> bool:
        """Return whether a position lies behind the last move that counts."""
        return self.over(state.data)

    def points(self, State state) -> float:
        """Return the points as a position stands."""
        return self.game.solo.points(self.game.native, state.data)

    def bound(self, State state) -> float:
        """Return points that no play from a position can exceed."""
        if self.over(state.data):
            return self.game.solo.points(self.game.native, state.data)
        return self.game.solo.bound(self.game.native, state.data, self.last)
