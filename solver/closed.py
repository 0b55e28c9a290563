"""A puzzle played by somebody who does not know what is to come."""
from __future__ import annotations

import math
from collections.abc import Iterator

from cafebrain.v1 import brain_service_pb2 as pb
from solver.analysis import Control, Limits, analysis_for
from solver.durations import MAX_TIME_MS
from solver.positions import Position


def play_closed(
    position: Position, seconds: float, visits: int | None, threads: int, seed: int, control: Control
) -> Iterator[tuple[int, int]]:
    """Play a puzzle to its end and yield every move made with the visits it took.

    position: with what is to come; it is changed as the game goes on. Moves are chosen without that knowledge.
    seconds, visits: of the search for one move, the first that is reached. Ends early where control stops it.
    """
    state = position.state
    made = 0
    while state.to_move >= 0 and not control.stopped:
        known = Position(position.entry, position.engine.hidden(state))
        move, spent = choose(known, seconds, visits, threads, (seed + made) & 0xFFFFFFFF, control)
        if control.stopped:  # the choice was cut short
            return
        state.apply(move)
        made += 1
        yield move, spent


def choose(
    position: Position, seconds: float, visits: int | None, threads: int, seed: int, control: Control
) -> tuple[int, int]:
    """Return the move to make in a position of a game for one player, and the visits its search took."""
    moves = position.state.moves()
    if len(moves) == 1:
        return moves[0], 0
    time_ms = 0 if seconds == math.inf else min(MAX_TIME_MS, max(1, round(1000 * seconds)))
    request = pb.SuggestRequest(budget=pb.Budget(visits=visits or 0, time_ms=time_ms), threads=threads, seed=seed)
    analysis = analysis_for(position, request, control, Limits(), "")
    analysis.run()
    best, spent = analysis.ranked()[0].code, analysis.visits_made
    analysis.release()
    return best, spent
