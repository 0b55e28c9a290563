"""Connect Four: the smallest engine, the yardstick for speed and the example of docs/adding-a-game.md."""
from engines.connect_four.engine import ENGINE

__all__ = ["ENGINE"]
