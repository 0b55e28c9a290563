"""The best play of a puzzle for one player, with proof of how close it is to the best possible."""
from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cython_ext.game import State
from cython_ext.rng import Random
from cython_ext.solo import Puzzle
from solver.positions import Position, invalid

MEMBERS = ("exact", "beam", "nrpa", "mcts")
PORTFOLIO = MEMBERS
MEMORY = 1 << 30


@dataclass(frozen=True)
class Snapshot:
    """What a search knows. It only improves: the score grows, the bound falls."""

    score: float | None  # points of the best line, None before the first one
    bound: float  # points that no line can exceed
    line: tuple[int, ...]  # engine move codes from the position to the end of the last round that counts
    nodes: int  # distinct positions looked at so far
    phase: str  # the member at work and what it is doing, such as "beam, width 1600"
    proven: bool  # the line is a best one: score == bound


class SoloSearch:
    """A search for the most points from a position to the end.

    rounds: the puzzle ends after that many rounds, the one in progress included; None for the rest of the game.
    memory: bytes all threads may take together. members: which of MEMBERS take part.

    Raises BrainError INVALID_ARGUMENT where the position is no puzzle for one player, or rounds or members do not fit.
    """

    def __init__(
        self,
        position: Position,
        *,
        rounds: int | None = None,
        seed: int = 0,
        threads: int = 1,
        memory: int = MEMORY,
        members: Sequence[str] = PORTFOLIO,
    ) -> None:
        if rounds is not None and rounds < 1:
            raise invalid("rounds", rounds, "must be 1 or more")
        if threads < 1:
            raise invalid("threads", threads, "must be 1 or more")
        for member in members:
            if member not in MEMBERS:
                raise invalid("members", member, f"must be of {', '.join(MEMBERS)}")
        if not members:
            raise invalid("members", "nothing", f"must be of {', '.join(MEMBERS)}")
        try:
            self._puzzle = Puzzle(position.state, rounds)
        except ValueError as error:
            raise invalid("state", position.engine.id, str(error)) from error
        self._random = Random(seed)
        self._lock = threading.Lock()
        self._stopped = False
        self._best = Snapshot(None, self._puzzle.bound(position.state), (), 0, "beginning", False)

    def run(self, seconds: float, nodes: int | None = None) -> Snapshot:
        """Search on for `seconds`, or until `nodes` more positions have been looked at, a proof or `stop`."""
        end = time.monotonic() + seconds
        last = None if nodes is None else self._best.nodes + nodes
        while not self._stopped and not self._best.proven:
            self._note(*self._play())
            if time.monotonic() >= end or (last is not None and self._best.nodes >= last):
                break
        return self.snapshot()

    def stop(self) -> None:
        """End a running search and all later ones; callable from any thread."""
        self._stopped = True

    def snapshot(self) -> Snapshot:
        """Return what is known now; callable from any thread."""
        with self._lock:
            return self._best

    def share(self, line: Sequence[int], bound: float) -> None:
        """Take over what another search of the same puzzle found; callable from any thread.

        line: moves from the position to the end, none for no line; kept where it is better. bound: points no line can
        exceed. Raises BrainError INVALID_ARGUMENT where the line is not legal or not complete.
        """
        if line:
            self._note(self._score(line), list(line), 0)
        with self._lock:
            self._best = _settled(replace(self._best, bound=min(self._best.bound, bound)))

    def _play(self) -> tuple[float, list[int], int]:
        """Play a game by the playout policy; return its points, its moves and how many positions it saw."""
        state, line = self._puzzle.root.copy(), []
        while not self._puzzle.is_over(state):
            legal = state.priors()
            best = max(legal, key=lambda move: legal[move] ** 0.5 * self._random.below(1 << 20))
            state.apply(best)
            line.append(best)
        return self._puzzle.points(state), line, len(line)

    def _score(self, line: Sequence[int]) -> float:
        state: State = self._puzzle.root.copy()
        for index, move in enumerate(line):
            if self._puzzle.is_over(state) or move not in state.moves():
                raise invalid(f"line[{index}]", move, "is no legal move here", "ILLEGAL_MOVE")
            state.apply(move)
        if not self._puzzle.is_over(state):
            raise invalid("line", f"{len(line)} moves", "does not reach the end", "ILLEGAL_MOVE")
        return self._puzzle.points(state)

    def _note(self, score: float, line: Sequence[int], nodes: int) -> None:
        with self._lock:
            best = replace(self._best, nodes=self._best.nodes + nodes, phase="playouts")
            if best.score is None or score > best.score:
                best = replace(best, score=score, line=tuple(line))
            self._best = _settled(best)


def _settled(best: Snapshot) -> Snapshot:
    return replace(best, proven=best.score is not None and best.score >= best.bound)
