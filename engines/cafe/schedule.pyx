"""How much the actions of coming phases can bring home at most: a relaxation of Café's actions, solved exactly.

All groups of a letter are one, but that one action dries or roasts no more colours than the phase allows. A load is
all cubes of a colour that are dried together: it counts from the last growing before that on, if it comes home in the
end. Then all that matters is how many colours are on the plantations, how many
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
from libc.string cimport memcpy

cdef int[PARTS] squares  # occupied
cdef int[PARTS] colors  # with squares
cdef int[PARTS][COLORS + 1] filled  # after so many colours more
cdef int[PARTS][COLORS + 1] emptied  # after the removal of so many colours
cdef int[DRYERS_TOLD + 1] up_to  # parts of so many squares at most


cdef int find(const int* part, int wanted) noexcept:
    cdef int i
    for i in range(PARTS):
        if part[i] == wanted:
            return i
    return -1


cdef void list_parts() noexcept:
    """Number the ways to share, the fewest squares first; a way is written as a digit a colour, the fullest first.

    Of squares that are too many to be told apart those of the fullest colours are left out.
    """
    cdef int[PARTS] part
    cdef int n = 0, total, a, b, c, d, i, k, j
    cdef int[COLORS] digit
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
        up_to[total] = n
    for i in range(PARTS):
        for k in range(COLORS + 1):
            for j in range(COLORS):
                digit[j] = (part[i] >> 4 * j & 15) + (j < k)
            while digit[0] + digit[1] + digit[2] + digit[3] > DRYERS_TOLD:
                j = 0
                while j + 1 < COLORS and digit[j + 1] == digit[0]:
                    j += 1
                digit[j] -= 1
            filled[i][k] = find(part, digit[0] | digit[1] << 4 | digit[2] << 8 | digit[3] << 12)
            emptied[i][k] = find(part, part[i] >> (4 * k))


list_parts()


cdef void extend(Front* f, int parts) noexcept nogil:
    """Let more parts be, with nothing in them."""
    cdef int16_t* most
    cdef int i
    if parts > f.parts:
        most = &f.most[f.parts][0][0]
        for i in range((parts - f.parts) * (COLORS + 1) * (ROASTERS_TOLD + 1)):
            most[i] = NEVER
        f.parts = parts


cdef void clear(Front* f) noexcept nogil:
    f.parts = 0


cdef void can_be(Front* f, int grown, int dried, int roasters, int most) noexcept nogil:
    """Note what is there with so many colours grown, and dried with a square each."""
    extend(f, up_to[dried])
    f.most[filled[0][dried]][grown][roasters] = <int16_t>most


cdef void copy(Front* to, const Front* f) noexcept nogil:
    to.parts = f.parts
    memcpy(to.most, f.most, f.parts * sizeof(f.most[0]))


cdef void raise_front(Front* to, const Front* f) noexcept nogil:
    """Let be what is in either."""
    cdef int16_t* most = &to.most[0][0][0]
    cdef const int16_t* other = &f.most[0][0][0]
    cdef int i
    extend(to, f.parts)
    for i in range(f.parts * (COLORS + 1) * (ROASTERS_TOLD + 1)):
        most[i] = max(most[i], other[i])


cdef inline void raise_row(int16_t* to, const int16_t* row, int more) noexcept nogil:
    """Raise what can be to that of another row and some more, for every number of roasters occupied."""
    cdef int i, value
    for i in range(ROASTERS_TOLD + 1):
        value = row[i] + more
        to[i] = <int16_t>(value if value > to[i] else to[i])


cdef void run_phase(Front* f, const Phase* phase) noexcept nogil:
    """Make the actions of a phase in every way."""
    cdef Front before
    cdef const int16_t* row
    cdef int16_t* to
    cdef int action, grown, part, i, k, most, room = min(phase.roasters, <int>ROASTERS_TOLD)
    cdef int parts = up_to[min(phase.dryers, <int>DRYERS_TOLD)]
    extend(f, parts)
    for action in range(phase.actions):  # no-cython-lint
        copy(&before, f)
        for part in range(parts):
            for grown in range(COLORS + 1):
                row = before.most[part][grown]
                most = NEVER
                for i in range(room + 1):
                    most = max(most, <int>row[i])
                if most < 0:
                    continue
                for k in range(1, COLORS - grown + 1):
                    raise_row(f.most[part][grown + k], row, phase.growth[k])
                for k in range(1, min(grown, phase.dried, phase.dryers - squares[part]) + 1):
                    raise_row(f.most[filled[part][k]][grown - k], row, 0)
                for k in range(1, min(colors[part], phase.roasted, phase.roasters) + 1):
                    to = f.most[emptied[part][k]][grown]
                    for i in range(min(room, phase.roasters - k) + 1):
                        to[min(i + k, room)] = max(to[min(i + k, room)], row[i])
                f.most[part][grown][0] = max(f.most[part][grown][0], <int16_t>most)


cdef int brought_home(const Front* f) noexcept nogil:
    return f.most[0][0][0]
