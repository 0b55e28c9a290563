"""Reads and writes of what other threads may write at the same time, by the built-ins of GCC and Clang.

Relaxed ones are plain instructions on today's processors: no thread sees half a number, but no order is promised.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef extern from * nogil:
    """
    #define relaxed_load(p) __atomic_load_n(p, __ATOMIC_RELAXED)
    #define relaxed_store(p, x) __atomic_store_n(p, x, __ATOMIC_RELAXED)
    #define relaxed_add(p, x) __atomic_fetch_add(p, x, __ATOMIC_RELAXED)
    #define load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
    #define store_release(p, x) __atomic_store_n(p, x, __ATOMIC_RELEASE)
    #define set_flag(p) __atomic_exchange_n(p, 1, __ATOMIC_RELAXED)
    static inline float relaxed_load_float(const float *p) {
        float x;
        __atomic_load(p, &x, __ATOMIC_RELAXED);
        return x;
    }
    static inline void relaxed_store_float(float *p, float x) {
        __atomic_store(p, &x, __ATOMIC_RELAXED);
    }
    #define relaxed_swap(p, old, x) \
        __atomic_compare_exchange_n(p, old, x, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
    """
    uint8_t load8 "relaxed_load"(const uint8_t* place)
    uint16_t load16 "relaxed_load"(const uint16_t* place)
    uint32_t load32 "relaxed_load"(const uint32_t* place)
    float load_float "relaxed_load_float"(const float* place)
    void store8 "relaxed_store"(uint8_t* place, uint8_t number)
    void store_float "relaxed_store_float"(float* place, float number)
    # Returns what was there before.
    uint32_t add32 "relaxed_add"(uint32_t* place, int number)
    # What was written before a release is seen after an acquire of what was released.
    uint16_t acquire16 "load_acquire"(const uint16_t* place)
    void release16 "store_release"(uint16_t* place, uint16_t number)
    # Returns whether the flag was set already.
    uint8_t set_flag(uint8_t* flag)
    # Writes a number if the old one is still there, else reads what is; returns whether it wrote.
    bint swap16 "relaxed_swap"(uint16_t* place, uint16_t* old, uint16_t number)
    bint swap32 "relaxed_swap"(uint32_t* place, uint32_t* old, uint32_t number)
