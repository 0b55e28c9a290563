"""Game-agnostic native code: the engine interface, random numbers, playouts, perft and tree search."""
