"""A puzzle played by somebody who does not know what is to come."""
from __future__ import annotations

from collections.abc import Iterator

from cython_ext.solo import Puzzle
from solver.analysis import Control
from solver.planning import plan_turn
from solver.positions import Position
from solver.solo import SoloSearch


def play_closed(
    position: Position, seconds: float, nodes: int | None, threads: int, seed: int, control: Control
) -> Iterator[tuple[int, int]]:
    """Play a puzzle to its end and yield every move made with the positions looked at for it.

    position: with what is to come; it is changed as the game goes on. Moves are chosen without that knowledge.
    seconds, nodes: to be spent on a turn, a few moves at once; the first that is reached. Ends early where control
    stops it.
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
        return plan_turn(position, seconds, nodes, threads, seed, control)
    search = SoloSearch(position, seed=seed, threads=threads)  # nothing is to come any more
    control.hold([search])
    best = search.run(seconds, nodes, later=0.0)
    return list(best.line), best.nodes
