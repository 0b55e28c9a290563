"""What each thread of a search has for itself."""
from libc.math cimport sqrt
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from cython_ext.game cimport MAX_PLAYERS
from cython_ext.rng cimport Rng, rng_seed
from cython_ext.tree cimport CACHE_LINE, Tree, take_nodes


cdef struct RootSums:
    # Over the simulations through one root move: their number, and sums per player. The squares of the scores hold the
    # variance that evaluations leave.
    uint32_t n
    double[MAX_PLAYERS] win
    double[MAX_PLAYERS] win_squares
    double[MAX_PLAYERS] score
    double[MAX_PLAYERS] score_squares


cdef struct Worker:
    void* state  # the position of the running simulation
    uint32_t* moves
    double* chances
    float* priors
    RootSums* sums  # over its own simulations
    Rng rng
    float[MAX_PLAYERS] scale  # spread of the utility, by which exploration is scaled
    double score_count
    double[MAX_PLAYERS] score_mean
    double[MAX_PLAYERS] score_m2
    uint32_t made  # simulations
    uint32_t claimed  # simulations that it may begin
    uint32_t next_node  # of those it has reserved
    uint32_t nodes  # that are left of them
    uint8_t[CACHE_LINE] after


cdef inline bint worker_make(Worker* w, size_t state_size, size_t moves_max, uint64_t seed) noexcept nogil:
    """Fill a worker that is all zero; False where memory is used up."""
    cdef int player
    rng_seed(&w.rng, seed)
    for player in range(MAX_PLAYERS):
        w.scale[player] = 1
    w.state = malloc(state_size + CACHE_LINE)
    w.moves = <uint32_t*>malloc(moves_max * sizeof(uint32_t) + CACHE_LINE)
    w.chances = <double*>malloc(moves_max * sizeof(double) + CACHE_LINE)
    w.priors = <float*>malloc(moves_max * sizeof(float) + CACHE_LINE)
    w.sums = <RootSums*>calloc(1, moves_max * sizeof(RootSums) + CACHE_LINE)
    return w.state != NULL and w.moves != NULL and w.chances != NULL and w.priors != NULL and w.sums != NULL


cdef inline void worker_free(Worker* w) noexcept nogil:
    free(w.state)
    free(w.moves)
    free(w.chances)
    free(w.priors)
    free(w.sums)


cdef inline void note_scores(Worker* w, const float* score, int players) noexcept nogil:
    """Keep the spread of the final scores, the scale of exploration when they are the utility (Welford 1962)."""
    cdef int player
    cdef double delta
    w.score_count += 1
    for player in range(players):
        delta = score[player] - w.score_mean[player]
        w.score_mean[player] += delta / w.score_count
        w.score_m2[player] += delta * (score[player] - w.score_mean[player])
        w.scale[player] = <float>(2 * sqrt(w.score_m2[player] / w.score_count) + 1e-3)


cdef inline void add_sums(RootSums* sums, const RootSums* more, int players) noexcept nogil:
    cdef int player
    sums.n += more.n
    for player in range(players):
        sums.win[player] += more.win[player]
        sums.win_squares[player] += more.win_squares[player]
        sums.score[player] += more.score[player]
        sums.score_squares[player] += more.score_squares[player]


cdef inline void sum_up(
    RootSums* sums, const float* win, const float* score, const float* variance, int players
) noexcept nogil:
    """Add a simulation. variance: what the evaluation of its last position leaves open of the scores."""
    cdef int player
    sums.n += 1
    for player in range(players):
        sums.win[player] += win[player]
        sums.win_squares[player] += win[player] * win[player]
        sums.score[player] += score[player]
        sums.score_squares[player] += score[player] * score[player] + variance[player]


cdef inline bint reserve(Worker* w, Tree* tree, uint32_t n, uint32_t chunk, uint32_t* first) noexcept nogil:
    """Take n neighbouring nodes, where there are so many; a small part of a chunk that is reserved at once."""
    cdef uint32_t taken = n
    if 4 * n > chunk:
        return take_nodes(tree, &taken, n, first)
    if n > w.nodes:
        w.nodes = chunk
        if not take_nodes(tree, &w.nodes, n, &w.next_node):
            w.nodes = 0
            return False
    first[0] = w.next_node
    w.next_node += n
    w.nodes -= n
    return True
