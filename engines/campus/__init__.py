"""Campus Café: the basic and the advanced game for 2 to 5 players, with the promo Dislikes."""

from engines.campus.engine import ENGINE

__all__ = ["ENGINE"]
