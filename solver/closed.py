"""A puzzle played by somebody who does not know what is to come."""
from __future__ import annotations

from collections.abc import Iterator

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.solo import Puzzle
from solver.analysis import AHEAD_TIME, MAX_VISITS, PLANNED_PER_VISIT, Control, Limits, analysis_for
from solver.durations import MAX_TIME_MS
from solver.positions import Position
from solver.solo import SoloSearch


def play_closed(
    position: Position, seconds: float, nodes: int | None, threads: int, seed: int, control: Control
) -> Iterator[tuple[int, int]]:
    """Play a puzzle to its end and yield every move made with the positions looked at for it.

    position: with what is to come; it is changed as the game goes on. Moves are chosen without that knowledge.
    seconds, nodes: to be spent on a move, or on all that are left once nothing is to come any more; the first that is
    reached. A move takes an hour at most, and ends earlier where its tree is full. Ends early where control stops it.
    """
    state = position.state
    made = 0
    while state.to_move >= 0 and not control.stopped:
        known = Position(position.entry, position.engine.hidden(state))
        moves, looked = choose(known, seconds, nodes, threads, (seed + made) & 0xFFFFFFFF, control)
        if control.stopped:  # the choice was cut short
            return
        for move in moves:
            state.apply(move)
            made += 1
            yield move, looked
            looked = 0


def choose(
    position: Position, seconds: float, nodes: int | None, threads: int, seed: int, control: Control
) -> tuple[list[int], int]:
    """Return the moves to make next in a position of a game for one player, and the positions looked at."""
    moves = position.state.moves()
    if len(moves) == 1:
        return moves, 0
    try:
        Puzzle(position.state)
    except ValueError:
        return suggested(position, seconds, nodes, threads, seed, control)
    search = SoloSearch(position, seed=seed, threads=threads)  # nothing is to come any more
    control.hold([search])
    best = search.run(seconds, nodes, later=0.0)
    return list(best.line), best.nodes


def suggested(
    position: Position, seconds: float, nodes: int | None, threads: int, seed: int, control: Control
) -> tuple[list[int], int]:
    """Return the move that the brain would suggest, and the positions looked at: those of its plan and one a visit."""
    budget = pb.Budget(time_ms=max(1, round(min(1000 * seconds, MAX_TIME_MS))))
    if nodes is not None:
        budget.visits = min(max(1, int(AHEAD_TIME * nodes / PLANNED_PER_VISIT)), MAX_VISITS)
    request = pb.SuggestRequest(budget=budget, threads=threads, seed=seed)
    analysis = analysis_for(position, request, control, Limits(), "", features={"exact": False})
    try:
        analysis.plan()
        if nodes is not None:  # what the plan has left is the search's
            analysis.visits = max(1, nodes - analysis.planned)
        analysis.run()
        return [analysis.ranked()[0].code], analysis.visits_made + analysis.planned
    finally:
        analysis.release()
