/* Random playouts of Café del Gatto in plain C: the yardstick for the engine of engines/gatto.
 *
 * The rules in full, for the component set "reconstructed" alone, whose figures are compiled in. Every move is drawn
 * uniformly from the legal ones. It shares no code with the engine, so that equal results check both.
 *
 *     gatto_playout PLAYERS PLAYOUTS SEED
 *
 * prints the seconds of processor time taken, then mean and standard deviation of the steps of a game (moves and draws) and of the final
 * score of each player.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CUPS = 5, SPACES = 4, DRINK_TILES = 5, ROWS = 5, TILES = 36, MAX_PLAYERS = 5, LAST_ROUND = 200 };
enum { MILK, COFFEE };

static const uint8_t SIZE[CUPS] = {1, 2, 2, 3, 4};
static const uint8_t COLOR[CUPS][SPACES] = {
    {COFFEE}, {COFFEE, COFFEE}, {COFFEE, MILK}, {COFFEE, COFFEE, MILK}, {MILK, MILK, COFFEE, MILK}};
static const uint8_t POINTS[CUPS][DRINK_TILES] = {
    {1, 2, 3, 4, 5}, {2, 4, 5, 6, 7}, {2, 4, 5, 6, 7}, {3, 6, 8, 10, 12}, {4, 8, 10, 12, 14}};
static const uint8_t MENU[CUPS][3] = {{2}, {3, 1}, {3, 1}, {5, 3, 1}, {7, 4, 2}};
static const uint8_t SURCHARGE[ROWS] = {0, 0, 0, 1, 2};

typedef struct {
    uint8_t value; /* 1 to 4 */
    uint8_t preparation; /* one of the bits 1, 2, 4 */
} Tile;

typedef struct {
    int coins, sugar, points;
    uint8_t open[2]; /* unserved cups whose next space is milk, coffee: a bit each */
    uint8_t full; /* unserved cups without a free space */
    uint8_t served;
    uint8_t fill[CUPS], sum[CUPS], preparations[CUPS];
    Tile tile[CUPS][SPACES];
} Player;

typedef struct {
    int players, turn, round, coins, sugar, ending, steps;
    int height[2], in_bag, discarded;
    Tile column[2][ROWS];
    Tile bag[TILES], discard[TILES];
    uint8_t drink_tiles[CUPS]; /* tiles left but for the lowest, of which nobody can want more: a bit each */
    Player player[MAX_PLAYERS];
} Game;

static uint64_t random_state;
static uint8_t ones[256]; /* set bits of a byte */
static uint8_t nth[256][8]; /* position of the n-th set bit of a byte */

/* Uniform in [0, n), from splitmix64. */
static inline uint32_t below(uint32_t n) {
    uint64_t z = random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (uint32_t)(((z >> 32) * n) >> 32);
}

static inline int take(int *reserve, int wanted) {
    int taken = wanted < *reserve ? wanted : *reserve;
    *reserve -= taken;
    return taken;
}

/* Fill up a column from the bag, which takes in the discarded tiles when a draw finds it empty. */
static inline void refill(Game *g, int column) {
    while (g->height[column] < ROWS) {
        if (g->in_bag == 0) {
            if (g->discarded == 0)
                return;
            memcpy(g->bag, g->discard, sizeof g->bag);
            g->in_bag = g->discarded;
            g->discarded = 0;
        }
        uint32_t pick = below(g->in_bag);
        g->column[column][g->height[column]++] = g->bag[pick];
        g->bag[pick] = g->bag[--g->in_bag];
        g->steps++;
    }
}

static inline void discard_cup(Game *g, Player *p, int cup) {
    for (int i = 0; i < p->fill[cup]; i++)
        g->discard[g->discarded++] = p->tile[cup][i];
    p->fill[cup] = p->sum[cup] = p->preparations[cup] = 0;
}

/* Drink tiles a full cup can be served for, a bit each. */
static inline uint8_t choices(const Game *g, const Player *p, int cup) {
    int reach = p->sum[cup] + p->sugar;
    uint8_t tiles = 0;
    for (int i = 0; i < DRINK_TILES && POINTS[cup][i] <= reach; i++)
        tiles |= 1 << i;
    return tiles & g->drink_tiles[cup];
}

static inline int serves(const Game *g, const Player *p, uint8_t *tiles) {
    int n = 0;
    for (uint8_t left = p->full; left; left &= left - 1) {
        int cup = nth[left][0];
        tiles[cup] = choices(g, p, cup);
        n += ones[tiles[cup]];
    }
    return n;
}

/* Make the serve number `pick` of those that serves() counted. */
static inline void serve(Game *g, Player *p, const uint8_t *tiles, int pick) {
    uint8_t left = p->full;
    int cup = nth[left][0];
    while (pick >= ones[tiles[cup]]) {
        pick -= ones[tiles[cup]];
        left &= left - 1;
        cup = nth[left][0];
    }
    int tile = nth[tiles[cup]][pick];
    int difference = p->sum[cup] - POINTS[cup][tile];
    int coins = MENU[cup][ones[p->preparations[cup]] - 1];
    if (difference >= 0) {
        coins += difference;
    } else {
        p->sugar += difference;
        g->sugar -= difference;
    }
    p->coins += take(&g->coins, coins);
    p->points += POINTS[cup][tile];
    if (tile > 0)
        g->drink_tiles[cup] &= ~(1 << tile);
    discard_cup(g, p, cup);
    p->full &= ~(1 << cup);
    g->ending |= ++p->served == CUPS;
    g->steps++;
}

static inline void buy(Game *g, Player *p, int column, int row, int price, int cup) {
    Tile tile = g->column[column][row];
    p->coins -= price;
    g->coins += price;
    g->height[column]--;
    for (int i = row; i < g->height[column]; i++)
        g->column[column][i] = g->column[column][i + 1];
    p->tile[cup][p->fill[cup]++] = tile;
    p->sum[cup] += tile.value;
    p->preparations[cup] |= tile.preparation;
    p->open[column] &= ~(1 << cup);
    if (p->fill[cup] == SIZE[cup])
        p->full |= 1 << cup;
    else
        p->open[COLOR[cup][p->fill[cup]]] |= 1 << cup;
    if (tile.value == 1)
        p->sugar += take(&g->sugar, 1);
}

static void turn(Game *g) {
    Player *p = &g->player[g->turn];
    uint8_t tiles[CUPS], rows[2];
    int prices[2][ROWS], buys[2];
    for (int cleaned = 0;; cleaned = 1) {
        for (int column = 0; column < 2; column++) {
            rows[column] = 0;
            if (p->open[column])
                for (int row = 0; row < ROWS; row++) {
                    prices[column][row] = g->column[1 - column][row].value + SURCHARGE[row];
                    rows[column] |= (prices[column][row] <= p->coins) << row;
                }
            buys[column] = ones[rows[column]] * ones[p->open[column]];
        }
        int cleans = p->coins >= 2 ? 2 : 0;
        int serve_count = cleaned ? 0 : serves(g, p, tiles);
        int pick = below(1 + cleans + serve_count + buys[0] + buys[1]);
        for (int column = 0; column < 2; column++) {
            if (pick < buys[column]) {
                int cups = ones[p->open[column]];
                int row = nth[rows[column]][pick / cups];
                buy(g, p, column, row, prices[column][row], nth[p->open[column]][pick % cups]);
                g->steps++;
                refill(g, column);
                return;
            }
            pick -= buys[column];
        }
        if (pick < serve_count) {
            do {
                serve(g, p, tiles, pick);
                serve_count = serves(g, p, tiles);
                pick = below(serve_count + 1);
            } while (pick < serve_count);
            g->steps++; /* stop serving */
            return;
        }
        pick -= serve_count;
        g->steps++;
        if (pick == cleans) { /* take coins; after a clean: end the turn */
            if (!cleaned)
                p->coins += take(&g->coins, 2);
            return;
        }
        p->coins -= 2;
        g->coins += 2;
        for (int row = 0; row < ROWS; row++)
            g->discard[g->discarded++] = g->column[pick][row];
        g->height[pick] = 0;
        refill(g, pick);
    }
}

static void empty_fullest_cup(Game *g, Player *p) {
    int most = 1;
    uint8_t cups = 0;
    for (int cup = 0; cup < CUPS; cup++) {
        if (p->fill[cup] > most) {
            most = p->fill[cup];
            cups = 0;
        }
        if (p->fill[cup] == most)
            cups |= 1 << cup;
    }
    if (!cups)
        return;
    int cup = nth[cups][below(ones[cups])];
    discard_cup(g, p, cup);
    p->open[MILK] &= ~(1 << cup);
    p->open[COFFEE] &= ~(1 << cup);
    p->open[COLOR[cup][0]] |= 1 << cup;
    g->steps++;
}

/* Everyone with a full cup serves one; if nobody has one, everyone empties a cup. */
static void intermediate_round(Game *g) {
    uint8_t tiles[CUPS];
    int anyone = 0;
    for (int i = 0; i < g->players; i++)
        anyone |= g->player[i].full;
    for (int i = 1; i <= g->players; i++) {
        Player *p = &g->player[(g->turn + i) % g->players];
        if (!anyone)
            empty_fullest_cup(g, p);
        else if (p->full)
            serve(g, p, tiles, below(serves(g, p, tiles)));
    }
}

static void play(Game *g, int players) {
    memset(g, 0, sizeof *g);
    g->players = players;
    g->coins = 45;
    g->sugar = 12;
    for (int value = 1; value <= 4; value++)
        for (int preparation = 0; preparation < 3; preparation++)
            for (int copy = 0; copy < 3; copy++)
                g->bag[g->in_bag++] = (Tile){value, 1 << preparation};
    memset(g->drink_tiles, (1 << DRINK_TILES) - 1, sizeof g->drink_tiles);
    for (int i = 0; i < players; i++) {
        g->player[i].coins = take(&g->coins, i ? 5 : 4);
        for (int cup = 0; cup < CUPS; cup++)
            g->player[i].open[COLOR[cup][0]] |= 1 << cup;
    }
    refill(g, MILK);
    refill(g, COFFEE);
    for (g->round = 1; g->round <= LAST_ROUND; g->round++) {
        for (g->turn = 0; g->turn < players; g->turn++) {
            int last = g->turn == players - 1;
            turn(g);
            if (last && (g->ending || g->round == LAST_ROUND))
                return;
            if (g->in_bag == 0 && g->discarded == 0) {
                intermediate_round(g);
                if (last && g->ending)
                    return;
                refill(g, MILK);
                refill(g, COFFEE);
            }
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s PLAYERS PLAYOUTS SEED\n", argv[0]);
        return 2;
    }
    int players = atoi(argv[1]), playouts = atoi(argv[2]);
    random_state = strtoull(argv[3], NULL, 10);
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                nth[byte][ones[byte]++] = bit;
    double sum[1 + MAX_PLAYERS] = {0}, squares[1 + MAX_PLAYERS] = {0};
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (int i = 0; i < playouts; i++) {
        Game game;
        play(&game, players);
        for (int j = 0; j <= players; j++) {
            const Player *p = &game.player[j - 1];
            double x = j ? p->points + p->sugar / 2 : game.steps;
            sum[j] += x;
            squares[j] += x * x;
        }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%.9f\n", (end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec));
    for (int j = 0; j <= players; j++) {
        double mean = sum[j] / playouts;
        printf("%.9f %.9f\n", mean, sqrt(squares[j] / playouts - mean * mean));
    }
    return 0;
}
