/* The most points of the first rounds of a game of Café for one player, by trying everything.
 *
 * Written from the rules alone: it shares no code with the engine. Base game, the order of the cards known. Nothing is
 * pruned in one or two rounds. With three or more it looks for a line of so many points, and leaves out positions whose
 * trivial bound (see `count_most`) is less; first of many points, then of one less, until there is one. Positions met
 * twice are looked at once: those at the end of a phase are compared byte by byte, last phases by a 128-bit hash of all
 * that matters in them.
 *
 * Standard input: the number of rounds, then the start card and three cards for each round. A card is six squares,
 * row by row: e (empty), u (cup), s (ship), d (drying), r (roaster), 0 to 3 (plantation of a colour), A to F (a square
 * of that shop); then the number of shops, and for each its cubes of the four colours and its points.
 * Standard output: the most points, and the last phases and ends of earlier ones that were looked at.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CARDS = 5, SQUARES = 6, IDS = CARDS * SQUARES, SIZE = 24, ACTIONS_MAX = 8, COLORS = 4, CHOICES = 3 };

typedef struct { int need[COLORS], points, size; } Shop;
typedef struct { char square[SQUARES]; int shops; Shop shop[SQUARES]; } Card;

/* What placing changes. A square of the area is numbered 6 * (place of its card) + (square of the card). */
typedef struct {
    uint8_t top[SIZE * SIZE]; /* 1 + number of the square on top, 0 for none */
    int cards, card[CARDS];
} Layout;

/* What actions change. */
typedef struct {
    uint8_t count[IDS], color[IDS];         /* cubes on plantations, drying squares and roasters */
    uint8_t served[CARDS][SQUARES][COLORS]; /* cubes on shops */
    uint8_t closed[CARDS][SQUARES];
    uint8_t store[COLORS];
} Cubes;

/* Squares of a letter that are joined by edges. */
typedef struct { int size, id[IDS]; } Group;
typedef struct { int n; Group group[IDS]; } Groups;
typedef struct { Groups plants, dryers, roasters; int cups, ships; uint8_t visible[IDS]; } View;

static Card start, offer[CARDS][CHOICES];
static int rounds, best = -1;
static int least = -1; /* with more rounds than two only lines of so many points count */
static unsigned long long looked_at;

static void *memory(size_t bytes) {
    void *found = calloc(1, bytes);
    if (!found) { fprintf(stderr, "out of memory\n"); exit(1); }
    return found;
}

/* --- sets of positions ------------------------------------------------------------------------------------------- */

typedef struct { Cubes *item; int n, room; int *slot; int slots; } Set;

static uint64_t hash_of(const void *bytes, size_t n, uint64_t seed) {
    const uint8_t *b = bytes;
    uint64_t factor = seed | 1;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, b + i, n - i < 8 ? n - i : 8);
        seed = (seed ^ word) * factor;
        seed ^= seed >> 32;
    }
    return seed;
}

static void grow_set(Set *s) {
    s->room = s->room ? 2 * s->room : 64;
    s->item = realloc(s->item, s->room * sizeof(Cubes));
    free(s->slot);
    s->slots = 2 * s->room;
    s->slot = memory(s->slots * sizeof(int));
    if (!s->item) exit(1);
    for (int i = 0; i < s->n; i++) {
        int at = hash_of(&s->item[i], sizeof(Cubes), 0x9FB21C651E98DF25u) % s->slots;
        while (s->slot[at]) at = (at + 1) % s->slots;
        s->slot[at] = i + 1;
    }
}

static void add(Set *s, const Cubes *c) {
    if (s->n == s->room) grow_set(s);
    int at = hash_of(c, sizeof(Cubes), 0x9FB21C651E98DF25u) % s->slots;
    for (; s->slot[at]; at = (at + 1) % s->slots)
        if (!memcmp(&s->item[s->slot[at] - 1], c, sizeof(Cubes))) return;
    s->item[s->n++] = *c;
    s->slot[at] = s->n;
}

static void empty_set(Set *s) {
    free(s->item);
    free(s->slot);
    memset(s, 0, sizeof(Set));
}

/* --- the area ---------------------------------------------------------------------------------------------------- */

static const Card *card_of(const Layout *l, int id) {
    int number = l->card[id / SQUARES];
    return number < 0 ? &start : &offer[number / CHOICES][number % CHOICES];
}

static char face(const Layout *l, int id) { return card_of(l, id)->square[id % SQUARES]; }

static int letter(const Layout *l, int id) {
    char c = face(l, id);
    return c >= '0' && c <= '3' ? 'A' : c == 'd' ? 'B' : c == 'r' ? 'C' : 0;
}

static void find_groups(const Layout *l, int wanted, Groups *g) {
    uint8_t done[SIZE * SIZE] = {0};
    int stack[SIZE * SIZE], step[4] = {1, -1, SIZE, -SIZE};
    g->n = 0;
    for (int at = 0; at < SIZE * SIZE; at++) {
        if (!l->top[at] || done[at] || letter(l, l->top[at] - 1) != wanted) continue;
        Group *group = &g->group[g->n++];
        int n = 0;
        group->size = 0;
        stack[n++] = at;
        done[at] = 1;
        while (n) {
            int here = stack[--n];
            group->id[group->size++] = l->top[here] - 1;
            for (int i = 0; i < 4; i++) {
                int next = here + step[i];
                if (l->top[next] && !done[next] && letter(l, l->top[next] - 1) == wanted) {
                    done[next] = 1;
                    stack[n++] = next;
                }
            }
        }
    }
}

static void look(const Layout *l, View *v) {
    find_groups(l, 'A', &v->plants);
    find_groups(l, 'B', &v->dryers);
    find_groups(l, 'C', &v->roasters);
    v->cups = v->ships = 0;
    memset(v->visible, 0, sizeof(v->visible));
    for (int at = 0; at < SIZE * SIZE; at++) {
        if (!l->top[at]) continue;
        v->visible[l->top[at] - 1] = 1;
        v->cups += face(l, l->top[at] - 1) == 'u';
        v->ships += face(l, l->top[at] - 1) == 's';
    }
}

static int missing(const Layout *l, const Cubes *c, int place, int shop) {
    int n = 0;
    for (int color = 0; color < COLORS; color++)
        n += card_of(l, SQUARES * place)->shop[shop].need[color] - c->served[place][shop][color];
    return n;
}

static int points(const Layout *l, const Cubes *c) {
    int total = 0, a = 255, b = 255;
    for (int color = 0; color < COLORS; color++) {
        int n = c->store[color];
        if (n < a) { b = a; a = n; } else if (n < b) b = n;
    }
    for (int place = 0; place < l->cards; place++)
        for (int shop = 0; shop < card_of(l, SQUARES * place)->shops; shop++)
            if (!c->closed[place][shop] && !missing(l, c, place, shop))
                total += card_of(l, SQUARES * place)->shop[shop].points;
    return total + 2 * a + b;
}

/* --- actions ----------------------------------------------------------------------------------------------------- */

/* All cubes of some colours go to different squares of a group, which are emptied first. */
static void move_colors(const Groups *from, const Group *to, const Cubes *c, int color, int used, Set *out) {
    if (color == COLORS) {
        if (used) add(out, c);
        return;
    }
    move_colors(from, to, c, color + 1, used, out);
    int n = 0;
    Cubes without = *c;
    for (int i = 0; i < from->n; i++)
        for (int j = 0; j < from->group[i].size; j++) {
            int id = from->group[i].id[j];
            if (c->count[id] && c->color[id] == color) {
                n += c->count[id];
                without.count[id] = without.color[id] = 0;
            }
        }
    if (!n) return;
    for (int j = 0; j < to->size; j++) {
        if (used >> j & 1) continue;
        Cubes after = without;
        after.count[to->id[j]] = n;
        after.color[to->id[j]] = color;
        move_colors(from, to, &after, color + 1, used | 1 << j, out);
    }
}

/* What is in hand goes to shops, from one colour of one shop to the next, in every way; the rest is stored. */
static void serve(const Layout *l, const Cubes *c, const int *hand, int place, int shop, int color, Set *out) {
    while (place < l->cards && (shop >= card_of(l, SQUARES * place)->shops || c->closed[place][shop])) {
        if (shop >= card_of(l, SQUARES * place)->shops) { place++; shop = 0; } else shop++;
    }
    if (place == l->cards) {
        Cubes after = *c;
        for (int i = 0; i < COLORS; i++) after.store[i] += hand[i];
        add(out, &after);
        return;
    }
    int most = card_of(l, SQUARES * place)->shop[shop].need[color] - c->served[place][shop][color];
    for (int n = 0; n <= most && n <= hand[color]; n++) {
        Cubes after = *c;
        int left[COLORS];
        memcpy(left, hand, sizeof(left));
        left[color] -= n;
        after.served[place][shop][color] += n;
        if (color + 1 < COLORS) serve(l, &after, left, place, shop, color + 1, out);
        else serve(l, &after, left, place, shop + 1, 0, out);
    }
}

static void one_action(const Layout *l, const View *v, const Cubes *c, Set *out) {
    for (int i = 0; i < v->plants.n; i++) {
        Cubes after = *c;
        int grown = 0;
        for (int j = 0; j < v->plants.group[i].size; j++) {
            int id = v->plants.group[i].id[j];
            if (after.count[id]) continue;
            after.count[id] = 1;
            after.color[id] = face(l, id) - '0';
            grown++;
        }
        if (grown) add(out, &after);
    }
    for (int i = 0; i < v->dryers.n; i++) move_colors(&v->plants, &v->dryers.group[i], c, 0, 0, out);
    for (int i = 0; i < v->roasters.n; i++) move_colors(&v->dryers, &v->roasters.group[i], c, 0, 0, out);
    int full[IDS], n = 0;
    for (int i = 0; i < v->roasters.n; i++)
        for (int j = 0; j < v->roasters.group[i].size; j++)
            if (c->count[v->roasters.group[i].id[j]]) full[n++] = v->roasters.group[i].id[j];
    for (int some = 1; some < 1 << n; some++) {
        Cubes after = *c;
        int hand[COLORS] = {0};
        for (int i = 0; i < n; i++)
            if (some >> i & 1) {
                hand[c->color[full[i]]] += c->count[full[i]];
                after.count[full[i]] = after.color[full[i]] = 0;
            }
        serve(l, &after, hand, 0, 0, 0, out);
    }
}

/* All positions in which a phase can end. */
static void all_ends(const Layout *l, const View *v, const Cubes *c, Set *ends) {
    int actions = v->cups < ACTIONS_MAX ? v->cups : ACTIONS_MAX, from = 0;
    add(ends, c);
    for (int i = 0; i < actions; i++) {
        int to = ends->n;
        for (int j = from; j < to; j++) {
            Cubes before = ends->item[j];
            one_action(l, v, &before, ends);
        }
        from = to;
    }
}

/* --- last phases: only groups, shops, warehouse and the number of actions matter ---------------------------------- */

typedef struct { uint64_t a, b; int points; } Known;
static Known *known;
static size_t known_n, known_room;

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, 2 * (IDS + 1)); }

static size_t describe(const Layout *l, const Cubes *c, const Groups *g, uint8_t *out) {
    uint16_t line[IDS][IDS + 1];
    memset(line, 0, sizeof(line));
    for (int i = 0; i < g->n; i++) {
        uint16_t *piles = line[i];
        for (int j = 0; j < g->group[i].size; j++) {
            int id = g->group[i].id[j], k = j;
            int color = letter(l, id) == 'A' ? face(l, id) - '0' : c->color[id];
            uint16_t pile = 1 + (c->count[id] << 2 | color); /* 0 is no square */
            for (; k && piles[k - 1] > pile; k--) piles[k] = piles[k - 1];
            piles[k] = pile;
        }
    }
    qsort(line, g->n, sizeof(line[0]), by_bytes);
    memcpy(out, line, g->n * sizeof(line[0]));
    out[g->n * sizeof(line[0])] = 255;
    return g->n * sizeof(line[0]) + 1;
}

static Known *find(uint64_t a, uint64_t b) {
    size_t at = a % known_room;
    while (known[at].points && (known[at].a != a || known[at].b != b)) at = (at + 1) % known_room;
    return &known[at];
}

static void grow_known(void) {
    Known *old = known;
    size_t n = known_room;
    known_room = n ? 2 * n + 1 : 100003;
    known = memory(known_room * sizeof(Known));
    for (size_t i = 0; i < n; i++)
        if (old[i].points) *find(old[i].a, old[i].b) = old[i];
    free(old);
}

static int last_phase(const Layout *l, const View *v, const Cubes *c) {
    uint8_t all[2 * IDS * (IDS + 1) + 1024];
    size_t n = 0;
    n += describe(l, c, &v->plants, all + n);
    n += describe(l, c, &v->dryers, all + n);
    n += describe(l, c, &v->roasters, all + n);
    all[n++] = v->cups;
    memcpy(all + n, c->store, COLORS);
    n += COLORS;
    for (int place = 0; place < l->cards; place++)
        for (int shop = 0; shop < card_of(l, SQUARES * place)->shops; shop++) {
            all[n++] = c->closed[place][shop];
            all[n++] = card_of(l, SQUARES * place)->shop[shop].points;
            for (int i = 0; i < COLORS; i++) {
                all[n++] = card_of(l, SQUARES * place)->shop[shop].need[i];
                all[n++] = c->served[place][shop][i];
            }
        }
    if (2 * known_n >= known_room) grow_known();
    uint64_t a = hash_of(all, n, 0xCBF29CE484222325u), b = hash_of(all, n, 0x9E3779B97F4A7C15u);
    Known *k = find(a, b);
    if (!k->points) {
        Set ends = {0};
        int most = 0;
        all_ends(l, v, c, &ends);
        for (int i = 0; i < ends.n; i++) {
            int p = points(l, &ends.item[i]);
            most = p > most ? p : most;
        }
        looked_at += ends.n;
        empty_set(&ends);
        k->a = a;
        k->b = b;
        k->points = most + 1;
        known_n++;
    }
    return k->points - 1;
}

/* --- the trivial bound ------------------------------------------------------------------------------------------- */

static int all_have_cups(int round) {
    for (int i = 0; i < CHOICES; i++)
        if (!memchr(offer[round][i].square, 'u', SQUARES)) return 0;
    return 1;
}

static int warehouse(const int *n) {
    int a = 1 << 20, b = 1 << 20;
    for (int i = 0; i < COLORS; i++)
        if (n[i] < a) { b = a; a = n[i]; } else if (n[i] < b) b = n[i];
    return 2 * a + b;
}

/* Cubes that have yet to grow and can still come home, at most: `grow` + `dry` + ... actions, shared out in every way.
 *
 * What one drying moves of one colour is a load: cubes from the plantations of that colour, which must have grown since
 * the load before. A load stays on a drying square until a roasting, so there are no more loads than drying squares for
 * each drying, and for each roasting; roasters and deliveries limit in the same way how often colours are roasted. */
static int most_grown(const int *plants, int dryers, int roasters, int actions) {
    int sorted[COLORS], found = 0;
    for (int i = 0; i < COLORS; i++) {
        int k = i;
        for (; k && sorted[k - 1] < plants[i]; k--) sorted[k] = sorted[k - 1];
        sorted[k] = plants[i];
    }
    for (int grow = 1; grow <= actions - 3; grow++)
        for (int dry = 1; dry <= actions - 2 - grow; dry++)
            for (int roast = 1; roast <= actions - 1 - grow - dry; roast++) {
                int deliver = actions - grow - dry - roast, cubes = 0;
                int loads = dryers * (dry < roast ? dry : roast), each = grow < dry ? grow : dry;
                int colors = roasters * (roast < deliver ? roast : deliver);
                for (int i = 0; i < COLORS && i < colors; i++) {
                    int n = each < loads ? each : loads;
                    cubes += n * sorted[i];
                    loads -= n;
                }
                found = cubes > found ? cubes : found;
            }
    return found;
}

/* Points that cannot be exceeded with these cards in the rounds to come and `actions` more actions in this round.
 *
 * Nothing is covered, all groups are one, and cubes are only counted. A cube that has yet to grow takes a growing, a
 * drying, a roasting and a delivery; of n actions (n - 2) / 2 at most can be growings that are dried separately, and
 * each brings at most one cube on every plantation there can be. */
static int count_most(const Layout *l, const View *v, const Cubes *c, const Card *const *cards, int n, int actions) {
    int plants[COLORS] = {0}, come[COLORS] = {0}, full[COLORS], all = 0, stock = 0, paid = 0, found = 0, sure = 0;
    int cups = v->cups, ships = v->ships, want[32][COLORS], worth[32], shops = 0, dryers = 0, roasters = 0, grown;
    for (int i = 0; i < n; i++) {
        int cup = 0, ship = 0;
        for (int s = 0; s < SQUARES; s++) {
            char face = cards[i]->square[s];
            cup += face == 'u';
            ship += face == 's';
            dryers += face == 'd';
            roasters += face == 'r';
            if (face >= '0' && face <= '3') plants[face - '0']++;
        }
        paid += cup && ships < 2 && !all_have_cups(rounds - n + i); /* else none may be placed, for want of a cube */
        ships += ship;
        cups += cup;
        actions += cups < ACTIONS_MAX ? cups : ACTIONS_MAX;
    }
    int growings = actions >= 4 ? (actions - 2) / 2 : 0;
    for (int id = 0; id < SQUARES * l->cards; id++) {
        if (!v->visible[id]) continue;
        int kind = letter(l, id);
        if (kind == 'A') plants[face(l, id) - '0']++;
        dryers += kind == 'B';
        roasters += kind == 'C';
        if (c->count[id] && actions >= (kind == 'A' ? 3 : kind == 'B' ? 2 : 1)) come[c->color[id]] += c->count[id];
    }
    grown = most_grown(plants, dryers, roasters, actions);
    for (int i = 0; i < COLORS; i++) {
        int grows = growings * plants[i];
        all += come[i];
        come[i] += grows < grown ? grows : grown;
        full[i] = c->store[i] + come[i];
        stock += c->store[i];
    }
    for (int place = 0; place < l->cards + n; place++) {
        const Card *card = place < l->cards ? card_of(l, SQUARES * place) : cards[place - l->cards];
        for (int shop = 0; shop < card->shops; shop++) {
            int lacks = 0;
            if (place < l->cards && c->closed[place][shop]) continue;
            for (int i = 0; i < COLORS; i++) {
                want[shops][i] = card->shop[shop].need[i] - (place < l->cards ? c->served[place][shop][i] : 0);
                lacks += want[shops][i];
            }
            if (!lacks) sure += card->shop[shop].points;
            else worth[shops++] = card->shop[shop].points;
        }
    }
    all += grown;
    int most_stored = warehouse(full);
    found = sure;
    for (int some = 0; some < 1 << shops; some++) {
        int left = all - paid, sum = sure, left_of[COLORS], can = 1;
        memcpy(left_of, come, sizeof(come));
        for (int i = 0; i < shops; i++)
            if (some >> i & 1) {
                sum += worth[i];
                for (int k = 0; k < COLORS; k++) { left_of[k] -= want[i][k]; left -= want[i][k]; }
            }
        for (int k = 0; k < COLORS; k++) can &= left_of[k] >= 0;
        if (!can || stock + left < 0) continue;
        int stored = 3 * ((stock + left) / 4) + ((stock + left) % 4 == 3);
        sum += stored < most_stored ? stored : most_stored;
        found = sum > found ? sum : found;
    }
    return found;
}

/* The same for any cards from a round on, `n` of them chosen already. */
static int most(const Layout *l, const View *v, const Cubes *c, const Card **cards, int n, int round, int actions) {
    int found = 0;
    if (round == rounds) return count_most(l, v, c, cards, n, actions);
    for (int i = 0; i < CHOICES; i++) {
        cards[n] = &offer[round][i];
        int points = most(l, v, c, cards, n + 1, round + 1, actions);
        found = points > found ? points : found;
    }
    return found;
}

static int pruned(const Layout *l, const View *v, const Cubes *c, const Card **cards, int n, int round, int actions) {
    return rounds > 2 && (best >= least || most(l, v, c, cards, n, round, actions) < least);
}

/* --- rounds ------------------------------------------------------------------------------------------------------ */

static void play_round(const Layout *l, const View *v, const Set *all, int round);

static void act(const Layout *l, const View *v, const Cubes *c, int round) {
    const Card *cards[CARDS];
    if (pruned(l, v, c, cards, 0, round + 1, v->cups < ACTIONS_MAX ? v->cups : ACTIONS_MAX)) return;
    if (round == rounds - 1) {
        int p = last_phase(l, v, c);
        best = p > best ? p : best;
        return;
    }
    Set ends = {0};
    all_ends(l, v, c, &ends);
    looked_at += ends.n;
    play_round(l, v, &ends, round + 1);
    empty_set(&ends);
}

/* A card is placed, once for all positions of the cubes. */
static void place(const Layout *l, const Set *all, int round, int number, int row, int column, int turns) {
    int height = turns & 1 ? 3 : 2, width = 5 - height, covered[SQUARES], n = 0;
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            int under = l->top[(row + i) * SIZE + column + j];
            if (under) covered[n++] = under - 1;
        }
    if (n < 2 || n > 4) return;
    Layout after = *l;
    View v;
    int here = after.cards++;
    after.card[here] = number;
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            int at_turns[4] = {3 * i + j, 3 * (1 - j) + i, 5 - 3 * i - j, 3 * j + 2 - i}, square = at_turns[turns];
            after.top[(row + i) * SIZE + column + j] = 1 + SQUARES * here + square;
        }
    look(&after, &v);
    for (int k = 0; k < all->n; k++) {
        Cubes cubes = all->item[k];
        for (int i = 0; i < n; i++) {
            char under = face(l, covered[i]);
            cubes.count[covered[i]] = cubes.color[covered[i]] = 0;
            if (under >= 'A' && under <= 'F') {
                cubes.closed[covered[i] / SQUARES][under - 'A'] = 1;
                memset(cubes.served[covered[i] / SQUARES][under - 'A'], 0, COLORS);
            }
        }
        act(&after, &v, &cubes, round);
    }
}

static void play_round(const Layout *l, const View *v, const Set *all, int round) {
    const Card *cards[CARDS];
    for (int i = 0; i < CHOICES; i++) {
        int cup = 0, free = v->ships >= 2;
        Set payers = {0};
        for (int s = 0; s < SQUARES; s++) cup |= offer[round][i].square[s] == 'u';
        cards[0] = &offer[round][i];
        for (int k = 0; k < all->n; k++) {
            const Cubes *c = &all->item[k];
            if (pruned(l, v, c, cards, 1, round + 1, 0)) continue;
            if (!cup || free) add(&payers, c);
            else for (int color = 0; color < COLORS; color++) {
                Cubes paid = *c;
                if (!paid.store[color]) continue;
                paid.store[color]--;
                add(&payers, &paid);
            }
        }
        for (int turns = 0; turns < 4 && payers.n; turns++)
            for (int row = 1; row < SIZE - 3; row++)
                for (int column = 1; column < SIZE - 3; column++)
                    place(l, &payers, round, CHOICES * round + i, row, column, turns);
        empty_set(&payers);
    }
    if (!all_have_cups(round) || v->ships >= 2) return;
    for (int k = 0; k < all->n; k++) {
        const Cubes *c = &all->item[k];
        if (!(c->store[0] + c->store[1] + c->store[2] + c->store[3])) act(l, v, c, round); /* a card is discarded */
    }
}

static void read_card(Card *card) {
    char squares[16];
    memset(card, 0, sizeof(*card));
    if (scanf("%15s %d", squares, &card->shops) != 2 || strlen(squares) != SQUARES) exit(2);
    memcpy(card->square, squares, SQUARES);
    for (int i = 0; i < card->shops; i++) {
        int *n = card->shop[i].need;
        if (scanf("%d %d %d %d %d", n, n + 1, n + 2, n + 3, &card->shop[i].points) != 5) exit(2);
    }
}

int main(void) {
    Layout l;
    Cubes c;
    if (scanf("%d", &rounds) != 1 || rounds < 1 || rounds >= CARDS) return 2;
    read_card(&start);
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < CHOICES; i++) read_card(&offer[r][i]);
    memset(&l, 0, sizeof(l));
    memset(&c, 0, sizeof(c));
    memset(c.store, 1, COLORS);
    l.cards = 1;
    l.card[0] = -1;
    for (int s = 0; s < SQUARES; s++) l.top[(SIZE / 2 + s / 3) * SIZE + SIZE / 2 + s % 3] = 1 + s;
    Set first = {0};
    View v;
    const Card *cards[CARDS];
    add(&first, &c);
    look(&l, &v);
    if (rounds > 2) least = most(&l, &v, &c, cards, 0, 0, 0);
    do { /* look for as much as the bound, then for less and less until there is a line */
        best = least - 1;
        play_round(&l, &v, &first, 0);
    } while (best < least--);
    printf("%d %llu\n", best, looked_at);
    return 0;
}
