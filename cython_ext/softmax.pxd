"""Shares from values."""
from libc.math cimport exp
from libc.stdint cimport uint32_t


cdef inline void softmax(float* values, uint32_t n, float temperature) noexcept nogil:
    """Turn n >= 1 values into shares that sum to 1; a value that is `temperature` higher has e times the share."""
    cdef float best = values[0], total = 0
    cdef uint32_t i
    for i in range(1, n):
        best = max(best, values[i])
    for i in range(n):
        values[i] = <float>exp((values[i] - best) / temperature)
        total += values[i]
    for i in range(n):
        values[i] /= total
