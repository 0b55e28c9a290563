"""Questions for reasons with figures made up by the test, so that each reason can be true or not as wanted."""
from __future__ import annotations

from collections.abc import Mapping, Sequence

from cafebrain.v1 import game_pb2
from engines.advice import Choice, Question
from solver.positions import Position


def choice(
    position: Position, move: int, wins: Sequence[float], error: float = 0.005, line: Sequence[int] = ()
) -> Choice:
    players = position.state.players
    return Choice(
        move=move,
        visits=1000,
        line=(move, *line),
        wins=tuple(wins),
        win_errors=(error,) * players,
        scores=(20.0,) * players,
        score_errors=(0.1,) * players,
        spreads=(5.0,) * players,
    )


def reasons(
    position: Position,
    move: int,
    wins: Sequence[float] = (),
    others: Mapping[int, Sequence[float]] | None = None,
    error: float = 0.005,
    line: Sequence[int] = (),
) -> dict[str, str]:
    """Return the reasons for a move by kind.

    wins: what it leaves every player; others: the same for other moves; line: the moves expected after it.
    """
    equal = [1 / position.state.players] * position.state.players
    asked = choice(position, move, wins or equal, error, line)
    alternatives = [choice(position, other, value, error) for other, value in (others or {}).items()]
    found = position.engine.reasons(Question(position.state, asked, alternatives))
    assert all(reason.weight > 0 for reason in found)
    return {reason.kind: str(reason.text) for reason in found}


def code_of(position: Position, message: game_pb2.Move) -> int:
    code = position.engine.decode_move(position.state, message)
    assert code in position.state.moves()
    return code
