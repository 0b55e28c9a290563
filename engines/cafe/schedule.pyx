"""How much the actions of coming phases can bring home at most: a relaxation of Café's actions, solved exactly.

All groups of a letter are one. A load is all cubes of a colour that are dried together: it counts from the last growing
before that on, if it comes home in the end. Then all that matters is how many colours are on the plantations, how many
drying squares each colour occupies, and how many roasters are occupied; loads that do not come home are taken to
occupy nothing. An action may

* grow: loads of colours that are not on the plantations, at most what these bring in this phase;
* dry some of the colours, each to a free square;
* roast some colours, each to a free roaster: all its drying squares become free;
* deliver: all roasters become free.

Which colours they are is left open. The best is then to pile up: a colour dried goes to where most squares are
occupied, and those are roasted first. For the fewer squares all but the k fullest colours occupy, for every k, the
more can be done afterwards, and that holds on after every action.
"""
from libc.stdint cimport int16_t
from libc.string cimport memcpy, memset

cdef int[PARTS] squares  # occupied
cdef int[PARTS] colors  # with squares
cdef int[PARTS][COLORS + 1] filled  # after so many colours more, -1 for one that is not told apart
cdef int[PARTS][COLORS + 1] emptied  # after the removal of so many colours


cdef int find(const int* part, int wanted) noexcept:
    cdef int i
    for i in range(PARTS):
        if part[i] == wanted:
            return i
    return -1


cdef void list_parts() noexcept:
    """Number the ways to share, the fewest squares first. A way is written as a digit for each colour, fullest first."""
    cdef int[PARTS] part
    cdef int[COLORS + 1] digits  # 1 for each of so many colours
    cdef int n = 0, total, a, b, c, d, i, k
    for total in range(DRYERS_TOLD + 1):
        for a in range(total + 1):
            for b in range(min(a, total - a) + 1):
                for c in range(min(b, total - a - b) + 1):
                    d = total - a - b - c
                    if d <= c:
                        part[n] = a | b << 4 | c << 8 | d << 12
                        squares[n] = total
                        colors[n] = (a > 0) + (b > 0) + (c > 0) + (d > 0)
                        n += 1
    digits = [0, 0x1, 0x11, 0x111, 0x1111]
    for i in range(PARTS):
        for k in range(COLORS + 1):
            filled[i][k] = find(part, part[i] + digits[k])
            emptied[i][k] = find(part, part[i] >> (4 * k))


list_parts()


cdef void clear(Front* f) noexcept nogil:
    memset(f, 0xFF, sizeof(Front))


cdef int part_of_single_squares(int n) noexcept nogil:
    """The part in which n colours, 0 to 4, occupy a square each."""
    return filled[0][n]


cdef inline void raise_to(int16_t* most, int value) noexcept nogil:
    if value > most[0]:
        most[0] = value


cdef void run_phase(Front* f, const Phase* phase) noexcept nogil:
    """Make the actions of a phase in every way."""
    cdef Front before
    cdef int i, k, grown, part, roasters, most, more
    for i in range(phase.actions):
        memcpy(&before, f, sizeof(Front))
        for grown in range(COLORS + 1):
            for part in range(PARTS):
                if squares[part] > phase.dryers:
                    break
                for roasters in range(min(phase.roasters, <int>ROASTERS_TOLD) + 1):
                    most = before.most[grown][part][roasters]
                    if most < 0:
                        continue
                    for k in range(1, COLORS - grown + 1):
                        raise_to(&f.most[grown + k][part][roasters], most + phase.growth[k])
                    for k in range(1, min(grown, phase.dryers - squares[part]) + 1):
                        more = filled[part][k]
                        raise_to(&f.most[grown - k][more if more >= 0 else part][roasters], most)
                    for k in range(1, min(colors[part], phase.roasters - roasters) + 1):
                        raise_to(&f.most[grown][emptied[part][k]][min(roasters + k, <int>ROASTERS_TOLD)], most)
                    if roasters:
                        raise_to(&f.most[grown][part][0], most)


cdef int brought_home(const Front* f) noexcept nogil:
    return f.most[0][0][0]
