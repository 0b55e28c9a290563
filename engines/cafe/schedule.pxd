"""How much the actions of coming phases can bring home at most: see schedule.pyx."""
from libc.stdint cimport int16_t

from engines.cafe.structs cimport COLORS

cdef enum:
    DRYERS_TOLD = 8  # occupied drying squares, and below roasters, that are told apart
    ROASTERS_TOLD = 6
    PARTS = 53  # ways to share up to DRYERS_TOLD squares among four colours, whichever has more


# A phase of actions with all squares of a letter in one group.
cdef struct Phase:
    int actions
    int dryers
    int roasters
    int[COLORS + 1] growth  # most that the plantations of so many colours bring


# Most that is on its way home or there, by colours on plantations, squares occupied for drying, and roasters.
cdef struct Front:
    int16_t[COLORS + 1][PARTS][ROASTERS_TOLD + 1] most  # -1: cannot be


cdef void clear(Front* f) noexcept nogil
cdef void run_phase(Front* f, const Phase* phase) noexcept nogil
cdef int brought_home(const Front* f) noexcept nogil
cdef int part_of_single_squares(int squares) noexcept nogil
