"""Monte-Carlo tree search: see mcts.pxd for the data.

Selection is UCB1 (Auer et al. 2002; Kocsis & Szepesvári 2006) for a game without priors and PUCT (Rosin 2011; Silver
et al. 2017) for one with them. Every node keeps the mean utility of every player and each player maximises their own
(max^n, Luckhardt & Irani 1986). A node is expanded at its second visit. Where the game has hidden information, each
simulation starts from a random possibility (single-observer information-set search, Cowling et al. 2012).
"""
from libc.math cimport INFINITY, log, sqrt
from libc.stddef cimport size_t
from libc.stdint cimport UINT32_MAX, int8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from cython_ext.atomics cimport (
    acquire16, add32, load8, load32, load_float, release16, set_flag, store8, store_float,
)
from cython_ext.candidates cimport LEAST_ROWS, Candidates
from cython_ext.clock cimport now
from cython_ext.game cimport CHANCE, OVER, Components, GameTable, State, StateHeader
from cython_ext.lookahead cimport Lookahead
from cython_ext.plan cimport Planner
from cython_ext.rng cimport rng_below
from cython_ext.softmax cimport softmax
from cython_ext.tree cimport (
    CHUNK, Node, child_with, claim, next_node, node_at, select_prior, select_puct, select_ucb,
)
from cython_ext.worker cimport RootSums, add_sums, note_scores, reserve, sum_up, worker_free, worker_make

cdef double AWAY = 2e-4  # seconds between two looks at the clock and the stop flag that are too long
# What was found best by play: docs/search.md.
cdef double UCB_EXPLORATION = 0.7
cdef double PUCT_EXPLORATION = 1.4
cdef float FIRST_PLAY_REDUCTION = 0.1  # an untried move is taken to be this much worse than its parent's value
cdef double PLAN_SHARE = 0.3  # of a plan's budget for the turn itself; the rest is for looking ahead
cdef float SHARPER = 0.3  # what looking ahead makes of the points by which priors grow
cdef float EVEN = 0.2  # part of the prior that all moves have in equal shares, so that none starves


cdef enum:
    TABLED = 1024  # most nodes have fewer visits

# Two square roots and a logarithm in every node of every simulation are worth a table.
cdef float[TABLED] SQRT_LOG
cdef float[TABLED] INVERSE_SQRT
for _n in range(1, TABLED):
    SQRT_LOG[_n] = sqrt(log(<double>_n))
    INVERSE_SQRT[_n] = 1 / sqrt(<double>_n)


cdef inline float sqrt_log(uint32_t n) noexcept nogil:
    return SQRT_LOG[n] if n < TABLED else <float>sqrt(log(<double>n))


cdef inline float inverse_sqrt(uint32_t n) noexcept nogil:
    return INVERSE_SQRT[n] if n < TABLED else <float>(1 / sqrt(<double>n))


cdef inline void add_result(Node* node, const float* utility, int players, bint shared) noexcept nogil:
    """Count a simulation's result at a node it passed: the value first, for a node with visits has one."""
    cdef uint32_t visits = load32(&node.visits) + 1
    cdef float value
    cdef int player
    for player in range(players):
        value = load_float(&node.value[player])
        store_float(&node.value[player], value + (utility[player] - value) / visits)
    store_float(&node.explore, inverse_sqrt(visits))
    if shared:
        add32(&node.visits, 1)
    else:
        node.visits = visits


cdef class Search:
    """A search tree for one position.

    root: the position; a player must be to move, or a draw is due: then its outcomes take the place of moves.
    viewer: the player from 0 whose knowledge may be used.
    seed: 0 to 2**64 - 1.
    memory: bytes the tree may take; the search ends when they are used up.
    score_objective: maximise the expected final score instead of the win share.
    informed: use the game's playout policy, evaluation and priors; otherwise plain UCT with random playouts.
    exploration: weight of the exploration term, in spreads of the utility; None for what was found best.
    allowed: the moves to consider at the root; None for all legal ones.
    threads: 1 to 64 that share the tree. With one, the same seed and visits give the same figures.

    Raises ValueError where the game is over, no legal move is allowed, or for another number of threads.
    """

    def __cinit__(self, State root, *, viewer: int, seed: int, memory: int, score_objective: bool = False,
                  informed: bool = True, exploration: float | None = None, allowed: list[int] | None = None,
                  threads: int = 1):
        cdef size_t size = root.game.table.state_size
        cdef size_t room = root.game.table.moves_max
        if root.to_move == OVER:
            raise ValueError("the game is over")
        if not 1 <= threads <= THREADS_MAX:
            raise ValueError(f"{threads} threads; wants 1 to {THREADS_MAX}")
        if exploration is None:
            exploration = PUCT_EXPLORATION if informed and root.game.table.priors != NULL else UCB_EXPLORATION
        self.exploration = exploration
        self.game = root.game
        self.players = root.players
        self.viewer = viewer
        self.score_objective = score_objective
        self.informed = informed
        self.least = -INFINITY if score_objective else 0
        self.forced = NONE
        self.seed = seed
        self.workers = <Worker*>calloc(threads, sizeof(Worker))
        if self.workers == NULL:
            raise MemoryError
        self.threads = threads
        self.shared = threads > 1
        for i in range(threads):
            if not worker_make(&self.workers[i], size, room, self.seed + <uint64_t>i):
                raise MemoryError
        self.root = malloc(size)
        self.tree.stride = sizeof(Node) - (MAX_PLAYERS - self.players) * sizeof(float)
        self.tree.capacity = <uint32_t>min(<size_t>memory // self.tree.stride, <size_t>UINT32_MAX)
        if self.shared:
            self.chunk = min(<uint32_t>CHUNK, self.tree.capacity // (8 * <uint32_t>self.threads))
        if self.tree.capacity < room + 1:
            raise ValueError(f"the tree wants at least {(room + 1) * self.tree.stride} bytes")
        # Untouched pages cost nothing: the tree takes memory only as it grows.
        self.tree.nodes = <uint8_t*>malloc(self.tree.capacity * self.tree.stride)
        if self.root == NULL or self.tree.nodes == NULL:
            raise MemoryError
        cdef Worker* worker = &self.workers[0]
        memcpy(self.root, root.data, size)
        memcpy(worker.state, root.data, size)
        memset(self.tree.nodes, 0, self.tree.stride)
        self.tree.used = 1
        cdef Node* node = node_at(&self.tree, 0)
        node.actor = <int8_t>root.to_move
        if self.game.table.determinize != NULL:  # the priors, too, must not see what the viewer does not
            self.game.table.determinize(self.game.native, worker.state, self.viewer, &worker.rng)
        self.expand(worker, node)
        if allowed is not None:
            self.restrict(set(allowed))

    def __dealloc__(self):
        cdef int i
        with nogil:  # giving back a large tree takes milliseconds
            for i in range(self.threads):
                worker_free(&self.workers[i])
            free(self.workers)
            free(self.root)
            free(self.tree.nodes)

    def preferred(self) -> list[int]:
        """Return the root moves, those with the highest prior first; only before the search starts."""
        cdef Node* root = node_at(&self.tree, 0)
        return [node_at(&self.tree, root.first_child + i).move for i in range(root.children)]

    def restrict(self, allowed: set[int]) -> None:
        """Drop all root moves but the allowed ones; only before the search starts.

        Raises ValueError where none is left.
        """
        cdef Node* root = node_at(&self.tree, 0)
        cdef uint32_t i, kept = 0
        cdef float total = 0
        for i in range(root.children):
            if node_at(&self.tree, root.first_child + i).move in allowed:
                memcpy(node_at(&self.tree, root.first_child + kept), node_at(&self.tree, root.first_child + i),
                       self.tree.stride)
                total += node_at(&self.tree, root.first_child + i).prior
                kept += 1
        if kept == 0:
            raise ValueError("no legal move is allowed")
        root.children = <uint16_t>kept
        for i in range(kept):
            if total > 0:
                node_at(&self.tree, root.first_child + i).prior /= total

    def plan(self, positions: int, deadline: float, ahead: bool = False) -> int:
        """Plan the turn of the player to move, and give the root moves priors by what their best plans are worth.

        ahead: compare the ends of the best plans by what they are worth a round later. Where that was done (`settled`)
        the visits of the root's moves go by their priors alone.

        Only before the search starts. Ends after about so many positions, at the deadline or when stopped. Returns the
        positions looked at: 0 where there is no turn to plan.
        """
        cdef Node* root = node_at(&self.tree, 0)
        cdef Planner planner
        cdef Lookahead later
        cdef Limits* limits = &self.plan_limits
        cdef double began = now(), end = deadline
        cdef uint64_t most = positions, seen
        cdef bint cut
        cdef uint32_t i
        if self.game.solo.alone == NULL or not self.informed or root.actor < 0 or root.children < 2:
            return 0
        self.planner = planner = Planner(
            self.game, [node_at(&self.tree, root.first_child + i).move for i in range(root.children)]
        )
        limits.nodes = most
        limits.end = end
        if not ahead:
            with nogil:
                self.prefer(planner.run(self.workers[0].state, limits), self.game.solo.certainty)
            return planner.turn.seen
        self.later = later = Lookahead(self.game, self.threads)
        limits.nodes = <uint64_t>(PLAN_SHARE * most)
        limits.end = began + PLAN_SHARE * (end - began)
        with later.helped():
            with nogil:
                planner.run(self.workers[0].state, limits)
                seen = planner.turn.seen
                cut = seen >= limits.nodes or now() >= limits.end
                limits.nodes = most - min(seen, most)
                limits.end = end
                self.settled = later.run(planner, self.workers[0].rng.a, limits)
                seen += later.seen
                if self.settled:
                    self.prefer(planner.turn.value, SHARPER * self.game.solo.certainty)
                else:
                    # What was kept for looking ahead goes to the turn, if that is more than the turn has had.
                    if cut and seen <= most // 2 and now() <= began + (end - began) / 2:
                        limits.nodes = most - seen
                        planner.run(self.workers[0].state, limits)
                        seen += planner.turn.seen
                    self.prefer(planner.turn.value, self.game.solo.certainty)
        return seen

    def look_ahead(
        self, moves: list[int], positions: int, deadline: float
    ) -> tuple[list[list[int]], list[list[float]]]:
        """Look a round ahead from root moves, each with turns of its own, all over the same draws.

        Only where the plan has looked ahead. Ends after so many positions or at the deadline. Returns the numbers of
        the ends that each move's best turns come to, and per draw the points of the player to move after each end:
        nothing of either where the limits came before every move had an end and each end LEAST_ROWS draws. Raises
        ValueError for a move that is none.
        """
        cdef Limits* limits = &self.plan_limits
        cdef Candidates candidates
        cdef uint32_t move
        cdef uint64_t most = positions
        cdef bint found
        if not self.settled:
            raise ValueError("the search has not looked ahead")
        candidates = Candidates(self.later, self.planner, len(moves))
        reach = []
        limits.end = deadline
        for code in moves:
            if self.find([code]) == NULL:
                raise ValueError(f"{code} is no root move")
            move = code
            limits.nodes = most // (2 * len(moves))
            with nogil:
                found = candidates.add(move, limits)
            if not found:
                return [], []
            reach.append([candidates.best[i] for i in range(candidates.found)])
        limits.nodes = most // 2
        with nogil:
            candidates.sample(self.seed, limits)
        if candidates.rows_used < (LEAST_ROWS if self.later.drawn else 1):
            return [], []
        looked = [i for i in range(candidates.ends) if candidates.ranks[i] < candidates.looked]
        rows = candidates.rows
        return [[looked.index(end) for end in ends if end in looked] for ends in reach], [
            [rows[n * candidates.room + i] for i in looked] for n in range(candidates.rows_used)
        ]

    @property
    def stake(self) -> float:
        """Points by which the odds of the win of the player to move grow e-fold.

        Raises ValueError for a game whose turns are not planned.
        """
        if self.game.solo.stake == NULL:
            raise ValueError("the turns of this game are not planned")
        return self.game.solo.stake(self.game.native, self.root)

    cdef void prefer(self, const float* value, float certainty) noexcept nogil:
        """Give the root moves priors by their values, and sort them; -INFINITY: no value is known."""
        cdef Node* root = node_at(&self.tree, 0)
        cdef Node* child
        cdef Node spare
        cdef uint32_t i, j
        cdef float* priors = self.workers[0].priors
        cdef float best = -INFINITY
        for i in range(root.children):
            best = max(best, value[i])
            priors[i] = value[i]
        if best == -INFINITY:
            return
        softmax(priors, root.children, certainty)
        for i in range(root.children):
            child = node_at(&self.tree, root.first_child + i)
            child.prior = priors[i] + EVEN * (<float>1 / root.children - priors[i])
            memcpy(&spare, child, self.tree.stride)
            j = i
            while j > 0 and node_at(&self.tree, root.first_child + j - 1).prior < spare.prior:
                child = node_at(&self.tree, root.first_child + j)
                memcpy(child, node_at(&self.tree, root.first_child + j - 1), self.tree.stride)
                j -= 1
            memcpy(node_at(&self.tree, root.first_child + j), &spare, self.tree.stride)

    def run(self, visits: int, deadline: float, move: int | None = None) -> str:
        """Go on until the tree has `visits` visits, or until `deadline` on the clock of time.monotonic().

        move: all simulations go through this root move, until it has `visits` visits. ValueError where there is none.

        At least one simulation is made unless the visits are there already. Returns what ended the run: "visits",
        "time", "memory" or "stopped".
        """
        cdef uint32_t limit = visits
        self.tree.begun = self.visits
        if not limit:
            return "visits"
        if move is not None:
            self.forced = self.forced_child(move)
            self.tree.begun = self.sums_of(self.forced).n
        try:
            reasons = self._work_all(limit, deadline) if self.shared else {self._work(0, limit, deadline)}
        finally:
            self.forced = NONE
        # What a thread that ran out of time gave back, another one may have made.
        if self.tree.begun >= limit:
            reasons.discard("time")
        return next((reason for reason in ("stopped", "memory", "time") if reason in reasons), "visits")

    def _work_all(self, limit: int, deadline: float) -> set[str]:
        """Let all threads simulate, or as many as there can be; returns what ended each."""
        with ThreadPoolExecutor(self.threads - 1) as pool:
            others = []
            with suppress(RuntimeError):  # no more threads can be started
                for i in range(1, self.threads):
                    others.append(pool.submit(self._work, i, limit, deadline))
            return {self._work(0, limit, deadline), *(other.result() for other in others)}

    def _work(self, thread: int, uint32_t limit, deadline: float) -> str:
        """Simulate on one thread; returns what ended that."""
        cdef Worker* worker = &self.workers[<int>thread]
        cdef double end = deadline
        cdef uint32_t since_poll = 0, poll = POLL
        cdef double looked = now(), moment
        cdef Outcome outcome
        cdef const char* reason = "visits"
        with nogil:
            while True:
                outcome = self.simulate(worker, limit)
                if outcome == ENOUGH:
                    break
                if outcome == FULL:
                    reason = "memory"
                    break
                since_poll += 1
                if since_poll >= poll:
                    since_poll = 0
                    if self.stop_flag:
                        reason = "stopped"
                        break
                    moment = now()
                    if moment >= end and (worker.claimed or load32(&self.tree.begun) < limit):
                        reason = "time"
                        break
                    if moment - looked > AWAY:
                        poll = max(poll // 2, 1)
                    elif poll < POLL:
                        poll += 1
                    looked = moment
            add32(&self.tree.begun, -<int>worker.claimed)
            worker.claimed = 0
            moment = now()
        self.ended = max(self.ended, moment)
        return reason.decode()

    cdef int forced_child(self, uint32_t move) except NONE:
        """Index of a root move among the root's children, moved to the tried ones if it is none of them."""
        cdef Node* root = node_at(&self.tree, 0)
        cdef uint32_t index
        cdef Node* child
        cdef Node* first
        cdef Node spare
        for index in range(root.children):
            child = node_at(&self.tree, root.first_child + index)
            if child.move == move:
                break
        else:
            raise ValueError(f"{move} is no root move")
        if root.actor == CHANCE or index < root.tried:
            return <int>index
        first = node_at(&self.tree, root.first_child + root.tried)
        memcpy(&spare, first, self.tree.stride)
        memcpy(first, child, self.tree.stride)
        memcpy(child, &spare, self.tree.stride)
        root.tried += 1
        return <int>root.tried - 1

    def stop(self) -> None:
        """End a running search, and all later ones of this tree; callable from any thread."""
        self.stop_flag = 1
        self.plan_limits.stop = 1

    @property
    def visits(self) -> int:
        """Simulations so far."""
        cdef uint32_t made = 0
        cdef int thread
        for thread in range(self.threads):
            made += self.workers[thread].made
        return made

    @property
    def nodes(self) -> int:
        """Nodes in the tree, with those that a thread has reserved."""
        return self.tree.used

    @property
    def node_bytes(self) -> int:
        """Bytes of a node."""
        return self.tree.stride

    def root_moves(self) -> list[tuple[int, int, list[float], list[float], list[float], list[float]]]:
        """Return (move, visits, sum of win shares, their squares, sum of scores, their squares) per root move.

        The sums are lists with one entry per player.
        """
        cdef Node* root = node_at(&self.tree, 0)
        cdef Node* child = node_at(&self.tree, root.first_child)
        cdef RootSums sums
        cdef int p
        result = []
        for i in range(root.children):
            sums = self.sums_of(i)
            result.append((
                child.move,
                sums.n,
                [sums.win[p] for p in range(self.players)],
                [sums.win_squares[p] for p in range(self.players)],
                [sums.score[p] for p in range(self.players)],
                [sums.score_squares[p] for p in range(self.players)],
            ))
            child = next_node(&self.tree, child)
        return result

    cdef RootSums sums_of(self, int child):
        """What all threads found through one child of the root."""
        cdef RootSums sums = self.workers[0].sums[child]
        cdef int thread
        for thread in range(1, self.threads):
            add_sums(&sums, &self.workers[thread].sums[child], self.players)
        return sums

    def ending_moves(self) -> set[int]:
        """Root moves with visits that end the game: their means are results, not what play from there may bring."""
        cdef Node* root = node_at(&self.tree, 0)
        cdef Node* child = node_at(&self.tree, root.first_child)
        moves = set()
        for _ in range(root.children):
            if child.visits and child.actor == OVER:
                moves.add(child.move)
            child = next_node(&self.tree, child)
        return moves

    def children(self, line: list[int]) -> tuple[int, list[tuple[int, int]]]:
        """Return who is to move after a line of moves, and the moves tried there with their visits.

        Who: a player from 0, or below 0 where no player is to move or the line leaves the tree; then without moves.
        """
        cdef Node* node = self.find(line)
        if node == NULL or node.actor < 0 or node.children == 0:
            return -1, []
        moves = []
        for i in range(node.children):
            child = node_at(&self.tree, node.first_child + i)
            if child.visits:
                moves.append((child.move, child.visits))
        return node.actor, moves

    cdef Node* find(self, object line) except? NULL:
        """The node after a line of moves; NULL where it is not in the tree."""
        cdef Node* node = node_at(&self.tree, 0)
        cdef Node* child
        cdef uint32_t i, move
        for move in line:
            for i in range(node.children):
                child = node_at(&self.tree, node.first_child + i)
                if child.move == move:
                    node = child
                    break
            else:
                return NULL
        return node

    cdef Outcome simulate(self, Worker* worker, uint32_t limit) noexcept nogil:
        """One simulation, unless `limit` are begun: select, expand, play out, back up."""
        cdef Node* path[MAX_DEPTH]
        cdef Tree* tree = &self.tree
        cdef const GameTable* game = &self.game.table
        cdef Components native = self.game.native
        cdef Node* node = node_at(tree, 0)
        cdef StateHeader* header = <StateHeader*>worker.state
        cdef float[MAX_PLAYERS] win
        cdef float[MAX_PLAYERS] score
        cdef float[MAX_PLAYERS] variance
        cdef float[MAX_PLAYERS] utility
        cdef int depth = 0, player, actor
        cdef uint32_t move
        cdef uint8_t* first
        cdef uint32_t root_move
        cdef bint informed = self.informed and game.priors != NULL
        if not worker.claimed:
            worker.claimed = claim(tree, limit, self.threads)
            if not worker.claimed:
                return ENOUGH
        worker.claimed -= 1
        memcpy(worker.state, self.root, game.state_size)
        if game.determinize != NULL:
            game.determinize(native, worker.state, self.viewer, &worker.rng)
        path[0] = node
        while header.to_move != OVER and depth < MAX_DEPTH - 1:
            if acquire16(&node.children) == 0:
                if load32(&node.visits) == 0 or not self.expand(worker, node):
                    break
            if depth == 0 and self.forced != NONE:
                node = node_at(tree, node.first_child + self.forced)
                move = node.move
            elif depth == 0 and self.settled:
                node = select_prior(tree, node)
                move = node.move
            elif header.to_move == CHANCE:
                move = game.sample(native, worker.state, &worker.rng)
                node = child_with(tree, node, move)
            else:
                actor = header.to_move
                if informed:
                    node = select_puct(tree, node, actor, self.exploration * worker.scale[actor],
                                       FIRST_PLAY_REDUCTION * worker.scale[actor], self.least)
                else:
                    node = select_ucb(tree, node, actor,
                                      self.exploration * worker.scale[actor] * sqrt_log(load32(&node.visits)))
                move = node.move
            game.apply(native, worker.state, move)
            if node == NULL:
                break
            if load8(<uint8_t*>&node.actor) != <uint8_t>header.to_move:  # writing takes the node from other threads
                store8(<uint8_t*>&node.actor, <uint8_t>header.to_move)
            depth += 1
            path[depth] = node
        self.play_out(worker, win, score, variance)
        if self.score_objective:
            note_scores(worker, score, self.players)
        for player in range(self.players):
            utility[player] = score[player] if self.score_objective else win[player]
        if depth > 0:  # else a draw at the root came out that the position itself does not list
            first = <uint8_t*>node_at(tree, path[0].first_child)
            root_move = <uint32_t>(<uint8_t*>path[1] - first) // <uint32_t>tree.stride
            sum_up(&worker.sums[root_move], win, score, variance, self.players)
        while depth >= 0:
            add_result(path[depth], utility, self.players, self.shared)
            depth -= 1
        worker.made += 1
        return FULL if load8(&tree.full) else MADE

    cdef bint expand(self, Worker* worker, Node* node) noexcept nogil:
        """Give the node of the running simulation's position its children; False where memory is used up."""
        cdef Tree* tree = &self.tree
        cdef const GameTable* game = &self.game.table
        cdef Components native = self.game.native
        cdef uint32_t i, j, n, move, base
        cdef float prior
        cdef Node* child
        cdef bint chance = (<StateHeader*>worker.state).to_move == CHANCE
        if set_flag(&node.expanded):  # another thread is at it
            return False
        if chance:
            n = game.outcomes(native, worker.state, worker.moves, worker.chances)
        else:
            n = game.legal_moves(native, worker.state, worker.moves)
        if not reserve(worker, tree, n, self.chunk, &base):
            return False
        if not chance:
            for i in range(n - 1, 0, -1):  # untried moves are tried in random order, but for their priors
                j = rng_below(&worker.rng, i + 1)
                move = worker.moves[i]
                worker.moves[i] = worker.moves[j]
                worker.moves[j] = move
            if self.informed and game.priors != NULL:
                game.priors(native, worker.state, worker.moves, n, worker.priors)
                for i in range(n):
                    worker.priors[i] += EVEN * (<float>1 / n - worker.priors[i])
                for i in range(1, n):  # insertion sort, highest prior first
                    move = worker.moves[i]
                    prior = worker.priors[i]
                    j = i
                    while j > 0 and worker.priors[j - 1] < prior:
                        worker.moves[j] = worker.moves[j - 1]
                        worker.priors[j] = worker.priors[j - 1]
                        j -= 1
                    worker.moves[j] = move
                    worker.priors[j] = prior
        memset(node_at(tree, base), 0, n * tree.stride)
        for i in range(n):
            child = node_at(tree, base + i)
            child.move = worker.moves[i]
            child.prior = worker.priors[i] if self.informed and not chance else 0
        node.first_child = base
        release16(&node.children, <uint16_t>n)
        return True

    cdef void play_out(self, Worker* worker, float* win, float* score, float* variance) noexcept nogil:
        """Play the running simulation on to its end, or to where it is cut and evaluated.

        variance: what the evaluation leaves open of the scores.
        """
        cdef const GameTable* game = &self.game.table
        cdef Components native = self.game.native
        cdef StateHeader* header = <StateHeader*>worker.state
        cdef uint32_t left = UINT32_MAX
        cdef bint cut = self.informed and game.settled != NULL
        if self.informed and game.playout_limit:
            left = game.playout_limit
        memset(variance, 0, self.players * sizeof(float))
        while header.to_move != OVER and left and not (cut and game.settled(native, worker.state)):
            if self.informed and game.playout_step != NULL:
                game.playout_step(native, worker.state, &worker.rng)
            else:
                game.random_step(native, worker.state, &worker.rng)
            left -= 1
        if header.to_move == OVER:
            game.returns(native, worker.state, win, score)
        else:
            game.evaluate(native, worker.state, win, score)
            if game.doubt != NULL:
                game.doubt(native, worker.state, variance)
