from typing import Any

from cython_ext.game import Game, State

MOST_DRINKS: int
MOST_SPACES: int
MOST_DRINK_TILES: int
MOST_EQUAL_TILES: int
MOST_COINS: int
MOST_SUGAR: int
HIGHEST_VALUE: int
ROUNDS: int
ROW_SURCHARGE: tuple[int, ...]
START_COINS: int
TAKEN: int
CLEAN_COINS: int
STEP_FRESH: int
STEP_CLEANED: int
STEP_BOUGHT: int
STEP_SERVING: int
STEP_INTERMEDIATE_SERVING: int
STEP_INTERMEDIATE_EMPTYING: int
STEP_OVER: int
MOVE_TAKE_COINS: int
MOVE_END_TURN: int
MOVE_CLEAN: int
MOVE_EMPTY_CUP: int
MOVE_SERVE: int
MOVE_BUY: int
MOVE_DRAW: int

class GattoGame(Game):
    def __init__(self, components: object, weights: dict[str, float] | None = None) -> None: ...
    def build(self, fields: dict[str, Any]) -> State: ...
    def read(self, state: State) -> dict[str, Any]: ...
    def price(self, state: State, column: int, row: int) -> int: ...
    def payment(self, state: State, drink: int, tile: int) -> tuple[int, int]: ...
