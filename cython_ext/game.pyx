"""Positions for Python callers. Everything slow happens here, everything fast behind the GameTable."""
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint8_t
from libc.string cimport memcmp, memcpy

from cython_ext.rng cimport Random

CHANCE_POINT = CHANCE
GAME_OVER = OVER


cdef class Game:
    """A game with a component set loaded; base of every engine's native rules."""

    def __init__(self, components: object) -> None:
        self.components = components

    @property
    def state_size(self) -> int:
        """Bytes of a state."""
        return self.table.state_size

    @property
    def moves_max(self) -> int:
        """Most legal moves, or chance outcomes, of any state."""
        return self.table.moves_max

    cdef State new_state(self):
        cdef State state = State.__new__(State)
        state.game = self
        state.data = PyMem_Calloc(1, self.table.state_size)
        if state.data == NULL:
            raise MemoryError
        return state

    def from_bytes(self, data: bytes) -> State:
        """Return the state whose `bytes(state)` was `data`; for trusted bytes only, nothing but the length is checked.

        Raises ValueError where the length is not that of a state.
        """
        if <size_t>len(data) != self.table.state_size:
            raise ValueError(f"a state has {self.table.state_size} bytes, not {len(data)}")
        cdef State state = self.new_state()
        memcpy(state.data, <const char*>data, self.table.state_size)
        return state


cdef class State:
    """A position. Mutable: `apply` changes it; `copy` gives an independent one."""

    def __init__(self) -> None:
        raise TypeError("a state comes from its game")

    def __dealloc__(self):
        PyMem_Free(self.data)

    @property
    def players(self) -> int:
        """Number of players."""
        return (<StateHeader*>self.data).players

    @property
    def to_move(self) -> int:
        """The player to move from 0, CHANCE_POINT or GAME_OVER."""
        return (<StateHeader*>self.data).to_move

    def copy(self) -> State:
        """Return an independent copy."""
        cdef State other = self.game.new_state()
        memcpy(other.data, self.data, self.game.table.state_size)
        return other

    def moves(self) -> list[int]:
        """Return the legal moves of the player to move, ascending; empty where no player is to move."""
        if self.to_move < 0:
            return []
        cdef uint32_t* codes = <uint32_t*>PyMem_Malloc(self.game.table.moves_max * sizeof(uint32_t))
        if codes == NULL:
            raise MemoryError
        try:
            n = self.game.table.legal_moves(self.game.native, self.data, codes)
            return [codes[i] for i in range(n)]
        finally:
            PyMem_Free(codes)

    def outcomes(self) -> list[tuple[int, float]]:
        """Return the possible outcomes with their chances, ascending; empty where the state is no chance point."""
        if self.to_move != CHANCE:
            return []
        cdef size_t room = self.game.table.moves_max
        cdef uint32_t* codes = <uint32_t*>PyMem_Malloc(room * (sizeof(uint32_t) + sizeof(double)) + sizeof(double))
        if codes == NULL:
            raise MemoryError
        # Doubles come after the codes, at the next multiple of their size.
        cdef double* chances = <double*>((<size_t>(codes + room) + sizeof(double) - 1) // sizeof(double)
                                         * sizeof(double))
        try:
            n = self.game.table.outcomes(self.game.native, self.data, codes, chances)
            return [(codes[i], chances[i]) for i in range(n)]
        finally:
            PyMem_Free(codes)

    def sample(self, Random random) -> int:
        """Return a random outcome of this chance point.

        Raises ValueError where the state is no chance point.
        """
        if self.to_move != CHANCE:
            raise ValueError("not a chance point")
        return self.game.table.sample(self.game.native, self.data, &random.rng)

    def random_step(self, Random random) -> None:
        """Make a uniformly random move, or a sampled outcome.

        Raises ValueError where the game is over.
        """
        if self.to_move == OVER:
            raise ValueError("the game is over")
        self.game.table.random_step(self.game.native, self.data, &random.rng)

    def playout_step(self, Random random) -> None:
        """Make a move of the playout policy, or a sampled outcome; a random move where the game has no policy.

        Raises ValueError where the game is over.
        """
        if self.game.table.playout_step == NULL:
            self.random_step(random)
            return
        if self.to_move == OVER:
            raise ValueError("the game is over")
        self.game.table.playout_step(self.game.native, self.data, &random.rng)

    def greedy_move(self) -> int:
        """Return the move that looks best without looking further than its own effect.

        Raises ValueError where no player is to move.
        """
        if self.to_move < 0:
            raise ValueError("no player is to move")
        return self.game.table.greedy_move(self.game.native, self.data)

    def evaluate(self) -> tuple[list[float], list[float]]:
        """Return the expected final win share and score per player.

        Raises ValueError where the game is over or has no evaluation.
        """
        if self.to_move == OVER or self.game.table.evaluate == NULL:
            raise ValueError("there is nothing to evaluate")
        cdef float[MAX_PLAYERS] win
        cdef float[MAX_PLAYERS] score
        self.game.table.evaluate(self.game.native, self.data, win, score)
        return [win[i] for i in range(self.players)], [score[i] for i in range(self.players)]

    def priors(self) -> dict[int, float]:
        """Return the prior of each legal move; empty where no player is to move or the game has no priors."""
        if self.to_move < 0 or self.game.table.priors == NULL:
            return {}
        cdef size_t room = self.game.table.moves_max
        cdef uint32_t* codes = <uint32_t*>PyMem_Malloc(room * (sizeof(uint32_t) + sizeof(float)))
        if codes == NULL:
            raise MemoryError
        cdef float* chances = <float*>(codes + room)
        try:
            n = self.game.table.legal_moves(self.game.native, self.data, codes)
            self.game.table.priors(self.game.native, self.data, codes, n, chances)
            return {codes[i]: chances[i] for i in range(n)}
        finally:
            PyMem_Free(codes)

    def apply(self, move: int) -> None:
        """Make a move, or enter an outcome.

        Raises ValueError where it is not legal here.
        """
        legal = self.moves() if self.to_move >= 0 else [code for code, _ in self.outcomes()]
        if move not in legal:
            raise ValueError(f"{move} is not a legal move here")
        self.game.table.apply(self.game.native, self.data, move)

    def returns(self) -> tuple[list[float], list[float]]:
        """Return the final win share and score per player.

        Raises ValueError while the game goes on.
        """
        if self.to_move != OVER:
            raise ValueError("the game is not over")
        cdef float[MAX_PLAYERS] win
        cdef float[MAX_PLAYERS] score
        self.game.table.returns(self.game.native, self.data, win, score)
        return [win[i] for i in range(self.players)], [score[i] for i in range(self.players)]

    def determinize(self, viewer: int, Random random) -> None:
        """Replace what `viewer` (a player from 0) cannot know by a random possibility.

        Raises ValueError where there is no such player.
        """
        if not 0 <= viewer < self.players:
            raise ValueError(f"no player {viewer}")
        if self.game.table.determinize != NULL:
            self.game.table.determinize(self.game.native, self.data, viewer, &random.rng)

    def __bytes__(self) -> bytes:
        return PyBytes_FromStringAndSize(<const char*>self.data, self.game.table.state_size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        cdef State that = other
        if self.game is not that.game:
            return False
        return memcmp(self.data, that.data, self.game.table.state_size) == 0

    @property
    def hash(self) -> int:
        """64-bit hash of the position; equal positions have equal hashes."""
        return state_hash(self.data, self.game.table.state_size)


cdef inline uint64_t state_hash(const void* data, size_t size) noexcept nogil:
    """FNV-1a over the bytes of a canonical state."""
    cdef const uint8_t* byte = <const uint8_t*>data
    cdef uint64_t h = <uint64_t>0xCBF29CE484222325
    cdef size_t i
    for i in range(size):
        h = (h ^ byte[i]) * <uint64_t>0x100000001B3
    return h
