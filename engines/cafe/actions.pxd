"""The action phase as micro-moves.

One action is one to a few moves, cut so that an outcome of the rules is reached in exactly one way within an action:

* Grow: GROW names a group. Squares the supply surely fills are filled at once; sacks, and squares of a colour that
  runs short, are then decided one by one in cell order (FILL), each choice only where the rest can still obey the rule
  that nothing stays empty while its cube is there.
* Dry, roast: DRY_TO, ROAST_TO move one colour to one square. The action stays open: further colours go to other
  squares of the same group without costing an action, in ascending order. What lies on the target is discarded first:
  apart from sacks, half filled double beans and a supply that runs short this is all a free discard is good for.
* Deliver: EMPTY_ROASTER moves a roaster's cubes to the warehouse; further roasters follow in ascending order. Cubes
  delivered by this action may then go on to shops and waiters (SERVE), in ascending order of their squares.
* DISCARD is offered where it lets something grow that could not: a sack that may take another colour, a half filled
  double bean, a colour the supply is short of.

An open action is closed by any other move and is never offered anew on the same group while open. With no action left
and none open the next player follows at once.
"""
from libc.stdint cimport uint32_t

from engines.cafe.structs cimport Position, Table

# Legal moves at STEP_ACT and STEP_GROW, ascending; returns how many.
cdef uint32_t action_moves(const Table* t, const Position* p, uint32_t* out) noexcept nogil

# Makes one of them. Returns whether the player's phase is over.
cdef bint act(const Table* t, Position* p, uint32_t move) noexcept nogil

# What the open action may still do, ascending; returns how many.
cdef uint32_t continuations(const Table* t, const Position* p, uint32_t* out) noexcept nogil

# The choices for the square grow_cell at STEP_GROW, ascending; returns how many.
cdef uint32_t fills(const Table* t, const Position* p, uint32_t* out) noexcept nogil
