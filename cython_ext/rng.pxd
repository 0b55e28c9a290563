"""Random numbers: xoroshiro128++ seeded by splitmix64 (Blackman & Vigna, "Scrambled linear pseudorandom number
generators", 2021). 16 bytes of state, one stream per search thread."""
from libc.stdint cimport uint32_t, uint64_t


cdef struct Rng:
    uint64_t a
    uint64_t b


cdef inline uint64_t splitmix64(uint64_t* x) noexcept nogil:
    cdef uint64_t z
    x[0] += <uint64_t>0x9E3779B97F4A7C15
    z = x[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline void rng_seed(Rng* r, uint64_t seed) noexcept nogil:
    cdef uint64_t x = seed
    r.a = splitmix64(&x)
    r.b = splitmix64(&x)  # the two outputs are never both zero


cdef inline uint64_t rng_next(Rng* r) noexcept nogil:
    cdef uint64_t a = r.a, b = r.b, sum = a + b, result
    result = ((sum << 17) | (sum >> 47)) + a
    b ^= a
    r.a = ((a << 49) | (a >> 15)) ^ b ^ (b << 21)
    r.b = (b << 28) | (b >> 36)
    return result


cdef inline uint32_t rng_below(Rng* r, uint32_t n) noexcept nogil:
    """Uniform in [0, n) for n >= 1, by multiply and shift (Lemire 2019); the bias is below n / 2**32."""
    return <uint32_t>(((rng_next(r) >> 32) * <uint64_t>n) >> 32)


cdef inline double rng_unit(Rng* r) noexcept nogil:
    """Uniform in [0, 1)."""
    return <double>(rng_next(r) >> 11) * (1.0 / 9007199254740992.0)


cdef class Random:
    """A seeded stream for Python callers."""
    cdef Rng rng
