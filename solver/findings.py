"""What a search has found, apart from its tree, and the answer that says it."""
from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from cafebrain.v1 import brain_service_pb2 as pb
from engines.calibration import Calibration
from solver.positions import Position, set_ref

CONFIDENCE = 1.96  # standard errors of a 95 % interval


@dataclass
class MoveSums:
    """What a search says of one root move; lists have one entry per player.

    exact: the move's values are known: the lists are means, not sums, and no visits were needed.
    over: the move ends the game: the means are results, and there is nothing to calibrate.
    """

    code: int
    visits: int
    win: list[float]
    win_squares: list[float]
    score: list[float]
    score_squares: list[float]
    exact: bool = False
    over: bool = False

    @property
    def count(self) -> int:
        """By what the sums are divided; 0 where nothing is known of the move."""
        return 1 if self.exact else self.visits

    def calibrated_by(self, calibration: Calibration) -> Calibration:
        """Return what the means are corrected by: nothing where they are results."""
        return Calibration() if self.exact or self.over else calibration

    def estimates(
        self, calibration: Calibration, mover: int, visits: int
    ) -> tuple[list[float], list[tuple[float, float]]]:
        """Return the share of the win, and mean and standard deviation of the score, per player, of a known move.

        mover: the player to move, from 0. visits: that the calibration counts; the same for all moves that are compared
        keeps the order of their shares of the win, but for those of results, which stay as they are.
        """
        calibration = self.calibrated_by(calibration)
        n = self.count
        wins = calibration.wins([win / n for win in self.win], visits, mover)
        scores = []
        for player, (total, squares) in enumerate(zip(self.score, self.score_squares, strict=True)):
            mean = total / n
            spread = math.sqrt(max(0.0, squares / n - mean * mean))
            scores.append(calibration.score(mean, spread, player == mover, len(wins), visits))
        return wins, scores


    def raised(self, mover: int, points: float, stake: float) -> MoveSums:
        """Return what is known when the player to move expects so many points more than the simulations brought.

        stake: points by which the odds of the win grow e-fold.
        """
        n = self.visits
        odds = math.exp(points / stake)
        share = self.win[mover] / n
        rest = 1 - share + share * odds
        slope = odds / rest**2  # of the new share of the win over the old one
        win, win_squares = [], []
        for player, (total, squares) in enumerate(zip(self.win, self.win_squares, strict=True)):
            mean = total / n
            raised = mean * (odds if player == mover else 1) / rest
            win.append(n * raised)
            win_squares.append(n * raised**2 + slope**2 * max(0.0, squares - n * mean**2))
        score, score_squares = list(self.score), list(self.score_squares)
        score[mover] += n * points
        score_squares[mover] += 2 * points * self.score[mover] + n * points**2
        return MoveSums(self.code, n, win, win_squares, score, score_squares)


@dataclass(frozen=True)
class Findings:
    """The root moves to be told, the best first.

    lines: per move, the moves that follow from it and itself, with their visits.
    visits: of all moves.
    started: when the search was, on the clock of time.monotonic(), where it is to be told how long it took.
    """

    position: Position
    calibration: Calibration
    objective: pb.Objective.ValueType
    moves: Sequence[MoveSums]
    lines: Sequence[Sequence[tuple[int, int]]]
    visits: int
    stop_reason: pb.StopReason.ValueType
    version: str
    started: float | None

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
        )
        # Messages are filled where they stand: one that is put into another is copied with all it holds.
        for sums, line in zip(self.moves, self.lines, strict=True):
            self._evaluate(sums, line, suggestion.moves.add())
        if self.started is not None:
            suggestion.elapsed_ms = 1000 * (time.monotonic() - self.started)
        return suggestion

    def _evaluate(self, sums: MoveSums, line: Sequence[tuple[int, int]], evaluation: pb.MoveEvaluation) -> None:
        evaluation.visits = sums.visits
        evaluation.id = sums.code
        if sums.count == 0:
            evaluation.text = self.position.engine.move_text(self.position.state, sums.code)
            self.position.engine.encode_move(self.position.state, sums.code, evaluation.move)
            return
        wins, scores = sums.estimates(self.calibration, self.position.state.to_move, sums.visits)
        for player, (win, (score, spread)) in enumerate(zip(wins, scores, strict=True), 1):
            evaluation.players.add(player=player, win_probability=win, expected_score=score, score_spread=spread)
        if sums.visits >= 2 or sums.exact:
            evaluation.lower_bound = self._lower_bound(sums, wins, scores)
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

    def _lower_bound(self, sums: MoveSums, wins: Sequence[float], scores: Sequence[tuple[float, float]]) -> float:
        """Return the lower end of the 95 % interval of what is maximised."""
        n, mover = sums.visits, self.position.state.to_move
        if sums.exact:
            return scores[mover][0] if self.objective == pb.OBJECTIVE_SCORE else wins[mover]
        calibration = sums.calibrated_by(self.calibration)
        if self.objective == pb.OBJECTIVE_SCORE:
            mean = sums.score[mover] / n
            variance = max(0.0, sums.score_squares[mover] - n * mean * mean) / (n - 1)
            return scores[mover][0] - CONFIDENCE * calibration.score_error(math.sqrt(variance / n), True)
        mean = sums.win[mover] / n
        variance = max(0.0, sums.win_squares[mover] - n * mean * mean) / (n - 1)
        slope = calibration.win_slope(mean, wins[mover], n, len(wins))
        error = math.sqrt(variance / n) * slope
        return max(0.0, wins[mover] - CONFIDENCE * error)
