"""The action phase as micro-moves.

One action is one to a few moves, cut so that an outcome of the rules is reached in exactly one way within an action:

* Grow: GROW names a group. Squares the supply surely fills are filled at once; sacks, and squares of a colour that
  runs short, are then decided one by one in cell order (FILL), each choice only where the rest can still obey the rule
  that nothing stays empty while its cube is there.
* Dry, roast: DRY_TO, ROAST_TO move one colour to one square. The action stays open: further colours go to other
  squares of the same group without costing an action, in ascending order of colour. What lies on the target is
  discarded first: apart from what DISCARD is offered for this is all a free discard is good for.
* Deliver: EMPTY_ROASTER moves a roaster's cubes to the warehouse; further roasters follow in ascending order. Cubes
  delivered by this action may then go on to shops and waiters (SERVE), in ascending order of their squares.
* DISCARD is offered where it may lead to something else than without it: for a sack while another colour is in supply,
  a half filled double bean while its colour is, and every pile of a colour the supply may run short of (`wants`).

Any move that does not continue the open action closes it and costs an action of its own, also a further colour or
roaster out of order. With no action left and none open the next player follows at once.
"""
from libc.stdint cimport uint32_t

from engines.cafe.structs cimport Area, Position, Table

# Legal moves at STEP_ACT and STEP_GROW, ascending; returns how many.
cdef uint32_t action_moves(const Table* t, const Position* p, uint32_t* out) noexcept nogil

# Makes one of them. Returns whether the player's phase is over.
cdef bint act(const Table* t, Position* p, uint32_t move) noexcept nogil

# What the open action may still do, ascending; returns how many.
cdef uint32_t continuations(const Table* t, const Position* p, uint32_t* out) noexcept nogil

# The choices for the square grow_cell at STEP_GROW, ascending; returns how many.
cdef uint32_t fills(const Table* t, const Position* p, uint32_t* out) noexcept nogil

# The most cubes of each colour that `actions` actions of a player can take from the supply on balance, whatever is
# discarded; in the last round also what waiters may ask of it. While the supply holds as many of a colour it cannot
# run short. A drying action between two growing ones frees at most every plantation: each pair of actions takes at
# most what all plantations hold, an odd one more what those take that are not full (a sack wants every colour).
cdef void wants(const Table* t, const Position* p, const Area* a, int actions, int* want) noexcept nogil
