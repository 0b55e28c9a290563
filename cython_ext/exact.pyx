"""Exhaustive search of endings: expectimax (Michie 1966) for several players, that is max^n (Luckhardt & Irani 1986)
with the mean at chance points. See exact.pxd for the data.

Who is to move makes the move with the highest value for themselves. Among moves equal in it they make the one with
the highest other value (of equal shares of the win the higher score, of equal scores the larger share of the win).
Moves equal in both are made equally often: the position is worth their mean to everybody. So a player who has won or
lost plays for points, and nobody is taken to help or to harm others.

Positions reached in several ways are searched once. Nothing is cut off: every root move gets its value.
"""
from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from cython_ext.clock cimport now
from cython_ext.game cimport CHANCE, OVER, Components, GameTable, State, StateHeader
from cython_ext.rng cimport Rng, rng_seed, splitmix64

cdef double TIE = 1e-7  # values closer than this are equal: sums of floats hardly ever meet exactly
cdef enum:
    LEAST_INDEX = 512  # length of a table's index at first
    TRIES = 32  # possibilities that are looked at to see whether a player has something hidden from them
    FIRST_CHECK = 128  # the first look at whether the budget will do comes after this part of it ...
    LEAST_CHECK = 256  # ... and after so many positions
    # By how much faster than its beginning the rest may go: positions reached again cost nothing. Found by counting
    # what was solved, and what was spent in vain, in random games of all four games.
    OPTIMISM = 63


cdef inline Key key_of(const uint8_t* state, size_t size) noexcept nogil:
    """Two multiplicative hashes of the words of a state, with different constants and different ways of mixing."""
    cdef uint64_t a = <uint64_t>0x9E3779B97F4A7C15, b = <uint64_t>0xC2B2AE3D27D4EB4F, word
    cdef Key key
    cdef size_t at = 0
    while at + 8 <= size:
        memcpy(&word, state + at, 8)
        a = (a ^ word) * <uint64_t>0xFF51AFD7ED558CCD
        a ^= a >> 32
        b = (((b << 29) | (b >> 35)) + word) * <uint64_t>0xD6E8FEB86659FD93
        b ^= b >> 29
        at += 8
    if at < size:
        word = 0
        memcpy(&word, state + at, size - at)
        a = (a ^ word) * <uint64_t>0xFF51AFD7ED558CCD
        b = (((b << 29) | (b >> 35)) + word) * <uint64_t>0xD6E8FEB86659FD93
    key.a = splitmix64(&a)
    key.b = splitmix64(&b)
    return key


cdef inline uint32_t slot_of(const Table* table, Key key) noexcept nogil:
    """The key's place in the index, or the empty one where it belongs."""
    cdef uint32_t slot = <uint32_t>key.a & table.mask
    cdef const Key* found
    while table.index[slot] != NO_ENTRY:
        found = <const Key*>(table.entries + <size_t>(table.index[slot] - 1) * table.stride)
        if found.a == key.a and found.b == key.b:
            break
        slot = (slot + 1) & table.mask
    return slot


cdef inline double* values_at(const Table* table, uint32_t slot) noexcept nogil:
    return <double*>(table.entries + <size_t>(table.index[slot] - 1) * table.stride + sizeof(Key))


cdef inline void store(Table* table, Key key, const double* values, int n) noexcept nogil:
    cdef uint32_t slot, entry
    if 2 * table.used > table.mask:  # half full: spread the entries over twice the length
        table.mask = 2 * table.mask + 1
        memset(table.index, 0, (<size_t>table.mask + 1) * sizeof(uint32_t))
        for entry in range(table.used):
            table.index[slot_of(table, (<Key*>(table.entries + entry * table.stride))[0])] = entry + 1
    slot = slot_of(table, key)
    table.used += 1
    table.index[slot] = table.used
    memcpy(table.entries + <size_t>(table.used - 1) * table.stride, &key, sizeof(Key))
    memcpy(values_at(table, slot), values, n * sizeof(double))


def entry_bytes(players: int) -> int:
    """Return the bytes that a position takes, index included (at most)."""
    return sizeof(Key) + 3 * players * sizeof(double) + 4 * sizeof(uint32_t)


def most_positions(memory: int, players: int) -> int:
    """Return the largest budget whose table fits into `memory` bytes."""
    return min(memory // entry_bytes(players), 1 << 30)


cdef class Exact:
    """The exact values of a small ending.

    root: the position; a player must be to move, or a draw is due: then its outcomes take the place of moves.
    budget: positions to look at before giving up, 1 to 2**30. A position reached again counts again.
    score_objective: everybody maximises their expected final score instead of their share of the win.
    allowed: the moves to consider at the root; None for all legal ones.

    A position with something hidden from one of the players is not solved: its values would be those of a game played
    with open cards.

    Raises ValueError where the game is over, the budget is out of range, or no legal move is allowed.
    """

    def __cinit__(self, State root, *, budget: int, score_objective: bool = False, allowed: list[int] | None = None):
        cdef size_t size = root.game.table.state_size
        cdef size_t room = root.game.table.moves_max
        cdef uint32_t i, n
        if root.to_move == OVER:
            raise ValueError("the game is over")
        if not 1 <= budget <= 1 << 30:
            raise ValueError(f"the budget must be 1 to {1 << 30}, not {budget}")
        self.game = root.game
        self.players = root.players
        self.first = self.players if score_objective else 0
        self.second = 0 if score_objective else self.players
        self.budget = budget
        self.check = max(self.budget // FIRST_CHECK, <uint64_t>LEAST_CHECK)
        self.state_stride = (size + 15) // 16 * 16
        self.states = <uint8_t*>malloc((MAX_DEPTH + 1) * self.state_stride)
        self.moves = <uint32_t*>malloc((SPARE_MOVES + room) * sizeof(uint32_t))
        self.chances = <double*>malloc((SPARE_MOVES + room) * sizeof(double))
        self.table.stride = sizeof(Key) + 3 * self.players * sizeof(double)
        self.table.mask = LEAST_INDEX - 1
        # Room for all that the budget allows. What is never touched costs nothing, so only the beginning is used first.
        self.table.index = <uint32_t*>calloc(max(4 * <size_t>self.budget, <size_t>LEAST_INDEX), sizeof(uint32_t))
        self.table.entries = <uint8_t*>malloc(self.budget * self.table.stride)
        if (self.states == NULL or self.moves == NULL or self.chances == NULL or self.table.index == NULL
                or self.table.entries == NULL):
            raise MemoryError
        memcpy(self.states, root.data, size)
        self.hidden = self.look_for_secrets()
        if root.to_move == CHANCE:
            n = self.game.table.outcomes(self.game.native, self.states, self.moves, self.chances)
        else:
            n = self.game.table.legal_moves(self.game.native, self.states, self.moves)
        for i in range(n):
            if allowed is None or self.moves[i] in allowed:
                self.moves[self.root_count] = self.moves[i]
                self.root_count += 1
        if self.root_count == 0:
            raise ValueError("no legal move is allowed")
        self.root_moves = <uint32_t*>malloc(self.root_count * sizeof(uint32_t))
        self.values = <double*>malloc(self.root_count * VALUES * sizeof(double))
        if self.root_moves == NULL or self.values == NULL:
            raise MemoryError
        memcpy(self.root_moves, self.moves, self.root_count * sizeof(uint32_t))

    def __dealloc__(self):
        with nogil:
            free(self.states)
            free(self.moves)
            free(self.chances)
            free(self.root_moves)
            free(self.values)
            free(self.table.index)
            free(self.table.entries)

    cdef bint look_for_secrets(self) noexcept nogil:
        """Whether `determinize` changes the root for any player: then that player does not know all of it.

        What has n equally likely possibilities is overlooked with a chance of n**-TRIES.
        """
        cdef const GameTable* game = &self.game.table
        cdef uint8_t* other = self.states + self.state_stride
        cdef Rng rng
        cdef int player, _
        if game.determinize == NULL:
            return False
        rng_seed(&rng, 0)
        for player in range(self.players):
            for _ in range(TRIES):
                memcpy(other, self.states, game.state_size)
                game.determinize(self.game.native, other, player, &rng)
                if memcmp(other, self.states, game.state_size) != 0:
                    return True
        return False

    def run(self, deadline: float) -> str:
        """Search on, until `deadline` on the clock of time.monotonic() at the latest.

        Returns "solved"; "large" where the budget was used up or would not do, "hidden" where something is hidden, both
        for good; "stopped"; or "time": then another run goes on.

        It gives up as soon as the part of the tree it has done shows that the budget will not do. Only the budget
        decides whether a position is solved, never the clock, nor into how many runs it is cut.
        """
        cdef double share = 1.0 / self.root_count
        if self.hidden:
            return "hidden"
        if self.large:
            return "large"
        if self.stop_flag:
            return "stopped"
        self.end = deadline
        self.reason = "solved"
        self.progress = share * self.root_done
        with nogil:
            while self.root_done < self.root_count:
                memcpy(self.states + self.state_stride, self.states, self.game.table.state_size)
                self.game.table.apply(self.game.native, self.states + self.state_stride,
                                      self.root_moves[self.root_done])
                if not self.spend(1):
                    break
                if not self.value(1, 0, share, self.values + VALUES * self.root_done):
                    self.give_back(1)
                    break
                self.root_done += 1
        return self.reason.decode()

    def stop(self) -> None:
        """End a running search, and all later ones of this object; callable from any thread."""
        self.stop_flag = 1

    @property
    def table_bytes(self) -> int:
        """Bytes of the positions kept."""
        return self.table.used * self.table.stride

    def root_values(self) -> list[tuple[int, list[float], list[float], list[float]]]:
        """Return each root move with the means, one per player, of the win share, the score and the squared score.

        Raises ValueError before the position is solved.
        """
        if self.root_done < self.root_count:
            raise ValueError("the position is not solved")
        cdef double* values
        cdef int n = self.players
        found = []
        for i in range(self.root_count):
            values = &self.values[VALUES * <int>i]
            found.append((
                self.root_moves[i],
                [min(values[p], 1.0) for p in range(n)],  # sums over draws round
                [values[n + p] for p in range(n)],
                [values[2 * n + p] for p in range(n)],
            ))
        return found

    def best(self, State state) -> int:
        """Return the best move of a position that the solved root leads to, of equal ones the lowest.

        Raises ValueError where no player is to move or the position was not searched.
        """
        cdef const GameTable* game = &self.game.table
        cdef double[VALUES] values
        cdef double[2] best = [0, 0]
        cdef int mover = state.to_move
        if mover < 0 or self.root_done < self.root_count:
            raise ValueError("no player is to move, or the root is not solved")
        chosen = None
        self.end = INFINITY
        for move in state.moves():
            memcpy(self.states + self.state_stride, state.data, game.state_size)
            game.apply(self.game.native, self.states + self.state_stride, move)
            if not self.value(1, 0, 0, values):
                raise ValueError("the position was not searched")
            if chosen is None or better(values[self.first + mover], values[self.second + mover], best):
                chosen = move
                best[0] = values[self.first + mover]
                best[1] = values[self.second + mover]
        return chosen

    cdef bint spend(self, uint32_t n) noexcept nogil:
        """Count positions; False where the search has to end."""
        cdef uint64_t before = self.positions
        self.positions += n
        if self.positions > self.budget or (self.positions >= self.check and not self.promising()):
            self.large = True
            self.reason = "large"
            return False
        if before // POLL != self.positions // POLL and (self.stop_flag or now() >= self.end):
            self.reason = "stopped" if self.stop_flag else "time"
            self.give_back(n)
            return False
        return True

    cdef void give_back(self, uint32_t n) noexcept nogil:
        """Take back the count of a position that a run could not end; the next run counts it again."""
        if not self.large:
            self.positions -= n

    cdef bint promising(self) noexcept nogil:
        """Whether the budget may do, by how much of the tree was done since the last look.

        As the table fills the rest goes faster, the more so the more there is.
        """
        cdef double left = <double>(self.budget - self.positions) / self.budget
        cdef double pace = (self.progress - self.seen_progress) / (self.positions - self.seen)
        cdef double rest = pace * (self.budget - self.positions) * (1 + OPTIMISM * left * left * left)
        self.seen = self.positions
        self.seen_progress = self.progress
        self.check = self.positions + self.positions // 2
        return self.progress + rest >= 1

    cdef bint value(self, int depth, uint32_t used, double share, double* values) noexcept nogil:
        """Find the values of the position at `depth`; False where the search has to end.

        used: moves of the positions before it. share: part of the tree that it is.
        """
        cdef const GameTable* game = &self.game.table
        cdef Components native = self.game.native
        cdef uint8_t* state = self.states + depth * self.state_stride
        cdef uint8_t* child = state + self.state_stride
        cdef uint32_t* moves = self.moves + used
        cdef double* chances = self.chances + used
        cdef int mover = (<StateHeader*>state).to_move
        cdef int size = 3 * self.players, i
        cdef uint32_t n, m, tied = 0, slot
        cdef double[VALUES] found
        cdef double[2] best = [0, 0]
        cdef Key key
        if mover == OVER:
            self.final(state, values)
            self.progress += share
            return True
        key = key_of(state, game.state_size)
        slot = slot_of(&self.table, key)
        if self.table.index[slot] != NO_ENTRY:
            memcpy(values, values_at(&self.table, slot), size * sizeof(double))
            self.progress += share
            return True
        if depth == MAX_DEPTH or used > SPARE_MOVES:
            self.large = True
            self.reason = "large"
            return False
        if mover == CHANCE:
            n = game.outcomes(native, state, moves, chances)
        else:
            n = game.legal_moves(native, state, moves)
        if not self.spend(n):
            return False
        memset(values, 0, size * sizeof(double))
        for m in range(n):
            memcpy(child, state, game.state_size)
            game.apply(native, child, moves[m])
            if not self.value(depth + 1, used + n, share / n, found):
                self.give_back(n)
                return False
            if mover == CHANCE:
                for i in range(size):
                    values[i] += chances[m] * found[i]
            elif tied == 0 or better(found[self.first + mover], found[self.second + mover], best):
                best[0] = found[self.first + mover]
                best[1] = found[self.second + mover]
                memcpy(values, found, size * sizeof(double))
                tied = 1
            elif not worse(found[self.first + mover], found[self.second + mover], best):
                tied += 1
                for i in range(size):
                    values[i] += found[i]
        if tied > 1:
            for i in range(size):
                values[i] /= tied
        store(&self.table, key, values, size)
        return True

    cdef void final(self, const uint8_t* state, double* values) noexcept nogil:
        """The values of a finished game."""
        cdef float[MAX_PLAYERS] win
        cdef float[MAX_PLAYERS] score
        cdef int player, n = self.players
        self.game.table.returns(self.game.native, state, win, score)
        for player in range(n):
            values[player] = win[player]
            values[n + player] = score[player]
            values[2 * n + player] = <double>score[player] * score[player]


cdef inline bint better(double first, double second, const double* best) noexcept nogil:
    return first > best[0] + TIE or (first > best[0] - TIE and second > best[1] + TIE)


cdef inline bint worse(double first, double second, const double* best) noexcept nogil:
    return first < best[0] - TIE or (first < best[0] + TIE and second < best[1] - TIE)
