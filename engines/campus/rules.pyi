from enum import IntEnum
from typing import Any

from cython_ext.game import Game, State

ROUND_LIMIT: int

class Step(IntEnum):
    OBJECTIVES = 0
    TABLES = 1
    DISLIKES = 2
    WAITERS = 3
    DRAFT = 4
    SECRET = 5
    ROLL = 6
    COLORS = 7
    PLACE = 8
    DISCARD_COLLECTED = 9
    SERVE = 10
    PAY = 11
    GIFT = 12
    TALENT = 13
    DISCARD_SERVED = 14
    DEPLETE = 15
    ARRIVAL = 16
    WILLIAM = 17
    DISCARD_RESTOCKED = 18
    REVEAL_SECRET = 19
    OVER = 20

class MoveKind(IntEnum):
    OBJECTIVE = 1
    CARD = 2
    DISLIKE = 3
    WAITER = 4
    DICE = 5
    PLACE = 6
    STACK = 7
    DISCARD = 8
    SERVE = 9
    STOP = 10
    PAY = 11
    GIFT = 12
    TALENT = 13
    DEPLETE = 14
    WILLIAM = 15

class CampusGame(Game):
    def __init__(self, components: object, weights: dict[str, float] | None = None) -> None: ...
    def start(self, players: int, advanced: bool, dislikes: bool) -> State: ...
    def read(self, state: State) -> dict[str, Any]: ...
    def build(self, fields: dict[str, Any]) -> State: ...
    def excess(self, state: State) -> list[int]: ...
    def secret_choices(self, state: State) -> list[int]: ...
    def turns_left(self, state: State) -> list[float]: ...
    def forget_secret(self, state: State) -> None: ...
    def canonical_payment(self, state: State, move: int) -> int: ...
    def score_parts(self, state: State) -> list[dict[str, Any]]: ...
