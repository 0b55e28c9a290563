"""Points, as the position stands or at the end."""
from engines.cafe.structs cimport Position, Table


cdef struct Points:
    int shops
    int natas
    int warehouse
    int waiters  # what the exchanged waiter cubes add to the warehouse's points
    int total
    int roasted  # cubes on roasters: the first tie-break
    int dried  # cubes on drying squares: the second


# The points of every player, indexed by player. Waiter cubes are exchanged on paper, in this round's picking order;
# the position does not change.
cdef void count_points(const Table* t, const Position* p, Points* points) noexcept nogil

# Points of a warehouse: twice the smallest count plus the second smallest.
cdef int warehouse_points(const int* cubes) noexcept nogil
