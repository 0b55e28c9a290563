"""How much the actions of coming phases can bring home at most: see schedule.pyx."""
from libc.stdint cimport int16_t

from engines.cafe.structs cimport COLORS

cdef enum:
    DRYERS_TOLD = 10  # occupied drying squares, and below roasters, that are told apart
    ROASTERS_TOLD = 7
    PARTS = 94  # ways to share up to DRYERS_TOLD squares among four colours, whichever has more
    NEVER = -20_000  # what cannot be; far enough from 0 that it stays below whatever is added


# A phase of actions.
cdef struct Phase:
    int actions
    int dryers
    int roasters
    int dried  # most colours one action dries
    int roasted
    int[COLORS + 1] growth  # most that the plantations of so many colours bring


# Most that is on its way home or there, by squares occupied for drying, colours on plantations, and roasters.
cdef struct Front:
    int parts  # that can be, the first ones
    int16_t[PARTS][COLORS + 1][ROASTERS_TOLD + 1] most  # below 0: cannot be


cdef void clear(Front* f) noexcept nogil
cdef void copy(Front* to, const Front* f) noexcept nogil
cdef void raise_front(Front* to, const Front* f) noexcept nogil
cdef void run_phase(Front* f, const Phase* phase) noexcept nogil
cdef int brought_home(const Front* f) noexcept nogil
cdef void can_be(Front* f, int grown, int dried, int roasters, int most) noexcept nogil
