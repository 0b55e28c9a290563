"""Connect Four: the smallest engine, the yardstick for speed and the example of docs/adding-a-game.md."""
