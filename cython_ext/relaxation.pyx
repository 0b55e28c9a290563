"""A game's own search for a bound of a puzzle."""
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from cython_ext.solo cimport Puzzle


cdef class Relaxation:
    """A bound that falls: `run` it on and on until it is `done`.

    Raises ValueError where the game has none, MemoryError.
    """

    def __cinit__(self, Puzzle puzzle):
        self.puzzle = puzzle
        if puzzle.task.solo.relax == NULL:
            raise ValueError("the game has no such bound")
        self.memory = calloc(1, puzzle.task.solo.relaxation_bytes())
        if self.memory == NULL:
            raise MemoryError
        self.bound = puzzle.bound(puzzle.root)

    def __dealloc__(self):
        free(self.memory)

    def run(self, deadline: float, nodes: int) -> bool:
        """Go on; return whether the bound falls no more.

        deadline: on the clock of time.monotonic(). nodes: about the most nodes to look at.
        """
        cdef float bound
        cdef bint done = self.done
        if done:
            return True
        self.limits.end = deadline
        self.limits.nodes = self.seen + <uint64_t>nodes
        with nogil:
            if not self.seen:
                self.puzzle.task.solo.relax(
                    self.puzzle.task.native, self.puzzle.task.root, self.puzzle.task.last, self.memory
                )
            bound = self.puzzle.task.solo.tighten(self.memory, &self.limits, &self.seen, &done)
        self.bound = min(self.bound, bound)
        self.done = done
        return done

    def stop(self) -> None:
        """End a running search and all later ones; callable from any thread."""
        self.limits.stop = 1

    @property
    def nodes(self) -> int:
        """Nodes looked at so far."""
        return self.seen
