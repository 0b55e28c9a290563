"""A puzzle for one player: the most points from a position to the end of a round."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from cython_ext.game cimport OVER, ConstStatePtr, State


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
        self.task.solo = &self.game.solo
        self.task.native = self.game.native
        self.task.last = self.game.solo.last
        if rounds is not None:
            self.task.last = min(self.game.solo.round(self.game.native, root.data) + rounds - 1, self.task.last)
        self.task.size = self.game.table.state_size
        self.task.root = self.root.data

    @property
    def rounds(self) -> int:
        """Rounds to be played, the one in progress included."""
        return self.task.last + 1 - self.game.solo.round(self.game.native, self.root.data)

    def rest(self, State state) -> Puzzle:
        """Return the puzzle that a position on the way leaves. Raises ValueError where nothing is left to play."""
        if over(&self.task, state.data):
            raise ValueError("the puzzle is over")
        rest = Puzzle(state)
        rest.task.last = self.task.last
        return rest

    def rounds_of(self, line: list[int]) -> list[tuple[int, State]]:
        """Return where rounds begin in a line of moves from the root, the root included: moves before, position."""
        cdef State state = self.root.copy()
        cdef uint32_t round, last = 0
        found = []
        for made, move in enumerate(line):
            round = self.task.solo.round(self.task.native, state.data)
            if round != last:
                found.append((made, state.copy()))
                last = round
            state.apply(move)
        return found

    def decisions(self, line: list[int]) -> dict[int, int]:
        """Return the lasting decisions that a line of moves from the root makes: each by its number."""
        cdef State state = self.root.copy()
        cdef uint32_t number, before
        cdef uint64_t last
        made = {}
        if self.task.solo.decisions != NULL:
            before = self.task.solo.decisions(self.task.native, state.data, &last)
            for move in line:
                state.apply(move)
                number = self.task.solo.decisions(self.task.native, state.data, &last)
                if number > before:
                    made[number] = last
                    before = number
        return made

    def is_over(self, State state) -> bool:
        """Return whether a position lies behind the last move that counts."""
        return over(&self.task, state.data)

    def points(self, State state) -> float:
        """Return the points as a position stands."""
        return self.game.solo.points(self.game.native, state.data)

    def bound(self, State state) -> float:
        """Return points that no play from a position can exceed."""
        if over(&self.task, state.data):
            return self.points(state)
        return self.game.solo.bound(self.game.native, state.data, self.task.last, True)


cdef uint64_t fingerprint(const Task* task, ConstStatePtr state) noexcept nogil:
    cdef const uint8_t* bytes = <const uint8_t*>state
    cdef uint64_t h = 0, word
    cdef size_t i
    for i in range(0, task.solo.bytes, 8):
        word = 0
        memcpy(&word, bytes + i, min(<size_t>8, task.solo.bytes - i))
        h = (h ^ word) * <uint64_t>0xFF51AFD7ED558CCD
        h ^= h >> 32
    return h


cdef struct Wanted:
    const Task* task
    uint64_t print
    void* child
    uint32_t n  # moves, 0 until found
    uint32_t[LINE_MAX] moves


cdef bint look_at(void* context, ConstStatePtr child, const uint32_t* moves, uint32_t n) noexcept nogil:
    cdef Wanted* w = <Wanted*>context
    if fingerprint(w.task, child) != w.print:
        return True
    memcpy(w.child, child, w.task.size)
    memcpy(w.moves, moves, n * sizeof(uint32_t))
    w.n = n
    return False


cdef list line_of(Puzzle puzzle, const uint64_t* prints, uint32_t n, uint32_t effort):
    cdef State state = puzzle.root.copy(), child = puzzle.root.copy()
    cdef Wanted w
    cdef uint32_t i
    line = []
    w.task = &puzzle.task
    for i in range(n):
        w.print = prints[i]
        w.child = child.data
        w.n = 0
        puzzle.game.solo.expand(puzzle.game.native, state.data, effort, 0, i == 0, look_at, &w)
        if not w.n:
            raise RuntimeError("a line cannot be followed")
        line += [w.moves[j] for j in range(w.n)]
        state, child = child, state
    return line
