from typing import Any

from cython_ext.game import State

def random_playouts(state: State, playouts: int, seed: int) -> dict[str, Any]: ...
