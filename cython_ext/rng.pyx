"""Random numbers for Python callers; native callers use the inline functions of rng.pxd."""


cdef class Random:
    """A reproducible stream of random numbers.

    seed: 0 to 2**64 - 1.
    """

    def __init__(self, seed: int) -> None:
        rng_seed(&self.rng, seed)

    def below(self, n: int) -> int:
        """Return a uniform integer in [0, n); n is 1 to 2**32 - 1."""
        if not 1 <= n < 1 << 32:
            raise ValueError(f"n must be 1 to {2**32 - 1}, not {n}")
        return rng_below(&self.rng, n)
