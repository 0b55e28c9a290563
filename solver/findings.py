"""What a search has found, apart from its trees, and the answer that says it."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cafebrain.v1 import brain_service_pb2 as pb
from solver.positions import Position, set_ref

CONFIDENCE = 1.96  # standard errors of a 95 % interval


@dataclass
class MoveSums:
    """What all trees say of one root move; lists have one entry per player."""

    code: int
    visits: int
    win: list[float]
    win_squares: list[float]
    score: list[float]
    score_squares: list[float]


@dataclass(frozen=True)
class Findings:
    """The root moves to be told, the best first.

    lines: per move, the moves that follow from it and itself, with their visits.
    visits: of all moves.
    """

    position: Position
    objective: pb.Objective.ValueType
    moves: Sequence[MoveSums]
    lines: Sequence[Sequence[tuple[int, int]]]
    visits: int
    stop_reason: pb.StopReason.ValueType
    version: str
    elapsed_ms: float | None

    def suggestion(self) -> pb.Suggestion:
        """Return the answer."""
        position = self.position
        components = position.entry.components
        suggestion = pb.Suggestion(
            player=position.state.to_move + 1,
            objective=self.objective,
            visits=self.visits,
            stop_reason=self.stop_reason,
            component_set=set_ref(components),
            components_reconstructed=components.reconstructed,
            version=self.version,
            engine_version=position.engine.version,
            elapsed_ms=self.elapsed_ms,
        )
        # Messages are filled where they stand: one that is put into another is copied with all it holds.
        for sums, line in zip(self.moves, self.lines, strict=True):
            self._evaluate(sums, line, suggestion.moves.add())
        return suggestion

    def _evaluate(self, sums: MoveSums, line: Sequence[tuple[int, int]], evaluation: pb.MoveEvaluation) -> None:
        n = evaluation.visits = sums.visits
        evaluation.id = sums.code
        if n == 0:
            evaluation.text = self.position.engine.move_text(self.position.state, sums.code)
            self.position.engine.encode_move(self.position.state, sums.code, evaluation.move)
            return
        for player in range(self.position.state.players):
            mean = sums.score[player] / n
            evaluation.players.add(
                player=player + 1,
                win_probability=sums.win[player] / n,
                expected_score=mean,
                score_spread=math.sqrt(max(0.0, sums.score_squares[player] / n - mean * mean)),
            )
        if n >= 2:
            evaluation.lower_bound = self._lower_bound(sums)
        self._plan(line, evaluation)
        evaluation.text = evaluation.principal_variation[0].text
        evaluation.move.CopyFrom(evaluation.principal_variation[0].move)

    def _plan(self, line: Sequence[tuple[int, int]], evaluation: pb.MoveEvaluation) -> None:
        """Write the principal variation."""
        engine, state = self.position.engine, self.position.state.copy()
        for index, (code, visits) in enumerate(line):
            if index:
                state.apply(line[index - 1][0])
            planned = evaluation.principal_variation.add(
                player=state.to_move + 1, id=code, text=engine.move_text(state, code), visits=visits
            )
            engine.encode_move(state, code, planned.move)

    def _lower_bound(self, sums: MoveSums) -> float:
        n, mover = sums.visits, self.position.state.to_move
        if self.objective == pb.OBJECTIVE_SCORE:
            total, squares, least = sums.score[mover], sums.score_squares[mover], -math.inf
        else:
            total, squares, least = sums.win[mover], sums.win_squares[mover], 0.0
        mean = total / n
        variance = max(0.0, squares - n * mean * mean) / (n - 1)
        return max(least, mean - CONFIDENCE * math.sqrt(variance / n))
