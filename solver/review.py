"""Review of a recorded game: what each move lost, what each draw brought, and where the game turned."""
from __future__ import annotations

import gettext
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER
from engines.advice import Choice
from engines.words import Text, say
from solver.analysis import Control, Limits, analysis_for
from solver.classes import CLASSES, SHARE_PER_SPREAD, Loss, loss_of
from solver.comparison import compare, outcomes
from solver.hints import estimates
from solver.languages import catalogue_for
from solver.positions import Position, decode_choice, encode_state, invalid, set_ref

BUDGET_MS = 200  # per position, where none is given
MOVES = 5  # the best moves a played one is compared with
MOST_STEPS = 5000
TURNING_POINTS = 4
TURNING_SHARE = 0.05  # of the win that a turning point moves at least

CLASS_WORDS = {
    pb.MOVE_CLASS_BEST: say("best"),
    pb.MOVE_CLASS_GOOD: say("good"),
    pb.MOVE_CLASS_INACCURACY: say("inaccuracy"),
    pb.MOVE_CLASS_MISTAKE: say("mistake"),
    pb.MOVE_CLASS_BLUNDER: say("blunder"),
}


@dataclass
class Tally:
    """What has been added up for one player."""

    accuracies: list[float] = field(default_factory=list)
    win_loss: float = 0.0
    win_luck: float = 0.0
    luck_variance: float = 0.0
    score_luck: float = 0.0
    classes: list[int] = field(default_factory=lambda: [0] * len(CLASSES))


@dataclass(frozen=True)
class Turn:
    """A step that moved the game, by `size` of the win."""

    size: float
    point: pb.TurningPoint


def review_for(
    position: Position, request: pb.ReviewGameRequest, control: Control, limits: Limits, version: str
) -> Iterator[pb.ReviewGameResponse]:
    """Check a record and return its review, to be made step by step.

    Raises BrainError INVALID_ARGUMENT for a faulty request or an impossible step.
    """
    catalogue = catalogue_for(request.language, position.engine)
    if not 1 <= len(request.steps) <= MOST_STEPS:
        raise invalid("steps", len(request.steps), f"must be 1 to {MOST_STEPS}")
    codes = _codes(position, request.steps)
    search = pb.SuggestRequest(budget=request.budget, seed=request.seed)
    if not search.budget.visits and not search.budget.time_ms:
        search.budget.time_ms = BUDGET_MS
    return _Review(position, search, control, limits, version, catalogue).answers(codes)


def _codes(position: Position, steps: Sequence[pb.MoveChoice]) -> list[int]:
    walk = Position(position.entry, position.state.copy())
    codes = []
    for index, step in enumerate(steps):
        if walk.state.to_move == GAME_OVER:
            raise invalid(f"steps[{index}]", "a step", "the game is over before it", "ILLEGAL_MOVE")
        try:
            codes.append(decode_choice(walk, step, f"steps[{index}]"))
        except BrainError as error:
            violations = error.violations
            raise BrainError(error.code, error.reason, f"steps[{index}]: {error.message}", violations) from error
        walk.state.apply(codes[-1])
    return codes


class _Review:
    """A review in progress; walks its position through the game."""

    def __init__(
        self, position: Position, search: pb.SuggestRequest, control: Control, limits: Limits, version: str,
        catalogue: gettext.NullTranslations,
    ) -> None:
        self.position = Position(position.entry, position.state.copy())
        self.search = search
        self.control = control
        self.limits = limits
        self.version = version
        self.catalogue = catalogue
        self.tallies = [Tally() for _ in range(position.state.players)]
        self.turns: list[Turn] = []

    def answers(self, codes: Sequence[int]) -> Iterator[pb.ReviewGameResponse]:
        """Yield one answer per step, then the summary."""
        for number, code in enumerate(codes, 1):
            chance = self.position.state.to_move == CHANCE_POINT
            yield pb.ReviewGameResponse(step=self._draw(number, code) if chance else self._move(number, code))
            self.position.state.apply(code)
        yield pb.ReviewGameResponse(summary=self._summary())

    def _words(self, code: int) -> Text:
        return self.position.engine.move_words(self.position.state, code)

    def _move(self, number: int, code: int) -> pb.StepReview:
        state = self.position.state
        player = state.to_move
        self.search.viewer = player + 1
        analysis = analysis_for(self.position, self.search, self.control, self.limits, self.version)
        choices = compare(analysis, MOVES, [code])
        best = choices[0]
        played = next((choice for choice in choices if choice.move == code), None)
        step = pb.StepReview(
            number=number,
            player=player + 1,
            id=code,
            text=self._words(code).translated(self.catalogue),
            before=estimates(best),
            best_id=best.move,
            best_text=self._words(best.move).translated(self.catalogue),
            exact=analysis.solved,
        )
        if played is None:  # the search was stopped before it came to the move
            return step
        step.after.extend(estimates(played))
        step.error = played.win_errors[player]
        if len(state.moves()) > 1:
            loss = loss_of(played, best, player)
            step.move_class, step.win_loss, step.score_loss = loss.move_class, loss.win, loss.score
            self._note_move(number, player, code, best, loss)
        return step

    def _note_move(self, number: int, player: int, code: int, best: Choice, loss: Loss) -> None:
        tally = self.tallies[player]
        tally.accuracies.append(accuracy(loss.sure))
        tally.win_loss += loss.win
        tally.classes[CLASSES.index(loss.move_class)] += 1
        if loss.sure >= TURNING_SHARE:
            text = say(
                "Player {player}: {move} ({move_class}). Better was: {best}.",
                player=player + 1,
                move=self._words(code),
                move_class=CLASS_WORDS[loss.move_class],
                best=self._words(best.move),
            )
            self._note_turn(loss.sure, number, text)

    def _draw(self, number: int, code: int) -> pb.StepReview:
        state = self.position.state
        step = pb.StepReview(number=number, id=code, text=self._words(code).translated(self.catalogue))
        self.search.viewer = 1
        analysis = analysis_for(self.position, self.search, self.control, self.limits, self.version, at_chance=True)
        found = outcomes(analysis)
        if code not in found:  # the search was stopped before it came to the draw
            return step
        after = found[code]
        chances = {outcome: chance for outcome, chance in state.outcomes() if outcome in found}
        before = _mean(found, chances)
        step.before.extend(estimates(before))
        step.after.extend(estimates(after))
        step.error = after.win_errors[0]
        step.exact = analysis.solved
        for player in range(state.players):
            self.tallies[player].win_luck += after.wins[player] - before.wins[player]
            self.tallies[player].luck_variance += after.win_errors[player] ** 2 + before.win_errors[player] ** 2
            self.tallies[player].score_luck += after.scores[player] - before.scores[player]
        self._note_draw(number, code, before, after)
        return step

    def _note_draw(self, number: int, code: int, before: Choice, after: Choice) -> None:
        """Note a draw that moved the game, if it did beyond the noise of the search."""
        if self.position.state.players == 1:
            luck = after.scores[0] - before.scores[0]
            size = (abs(luck) - 2 * after.score_errors[0]) / max(before.spreads[0], 1e-9) * SHARE_PER_SPREAD
            gain = f"{luck:+.1f}"
            text = say("Drawn: {draw}. It brings {points} points.", draw=self._words(code), points=gain)
        else:
            changes = [abs(now - then) for now, then in zip(after.wins, before.wins, strict=True)]
            player = changes.index(max(changes))
            size = changes[player] - 2 * after.win_errors[player]
            text = say(
                "Drawn: {draw}. Player {player} goes from {before} to {after} wins in 100.",
                draw=self._words(code),
                player=player + 1,
                before=round(100 * before.wins[player]),
                after=round(100 * after.wins[player]),
            )
        if size >= TURNING_SHARE:
            self._note_turn(size, number, text)

    def _note_turn(self, size: float, number: int, text: Text) -> None:
        point = pb.TurningPoint(
            number=number, text=text.translated(self.catalogue), state=encode_state(self.position)
        )
        self.turns.append(Turn(size, point))

    def _summary(self) -> pb.GameReview:
        components = self.position.entry.components
        summary = pb.GameReview(
            component_set=set_ref(components), components_reconstructed=components.reconstructed
        )
        for player, tally in enumerate(self.tallies, 1):
            values = tally.accuracies
            summary.players.append(
                pb.PlayerReview(
                    player=player,
                    decisions=len(values),
                    accuracy=sum(values) / len(values) if values else None,
                    win_loss=tally.win_loss,
                    win_luck=tally.win_luck,
                    win_luck_error=math.sqrt(tally.luck_variance),
                    score_luck=tally.score_luck,
                    classes=tally.classes,
                )
            )
        largest = sorted(self.turns, key=lambda turn: -turn.size)[:TURNING_POINTS]
        summary.turning_points.extend(sorted((turn.point for turn in largest), key=lambda point: point.number))
        state = self.position.state
        if state.to_move == GAME_OVER:
            wins, scores = state.returns()
            for player, (win, score) in enumerate(zip(wins, scores, strict=True), 1):
                summary.result.append(pb.PlayerResult(player=player, score=score, win_share=win))
        return summary


def accuracy(loss: float) -> float:
    """Return 0 to 100 for a decision that loses a share of the win: the curve of lichess.org."""
    return min(100.0, max(0.0, 103.1668 * math.exp(-4.354 * loss) - 3.1669))


def _mean(found: dict[int, Choice], chances: dict[int, float]) -> Choice:
    """Return the mean over the outcomes of a chance point, weighted with their chances."""
    total = sum(chances.values())
    weights = {code: chance / total for code, chance in chances.items()}

    def mean(values: str) -> tuple[float, ...]:
        columns = zip(*(getattr(found[code], values) for code in weights), strict=True)
        return tuple(
            sum(weight * value for weight, value in zip(weights.values(), column, strict=True)) for column in columns
        )

    def error(values: str) -> tuple[float, ...]:
        columns = zip(*(getattr(found[code], values) for code in weights), strict=True)
        return tuple(
            math.hypot(*(weight * value for weight, value in zip(weights.values(), column, strict=True)))
            for column in columns
        )

    return Choice(
        move=-1,
        visits=sum(choice.visits for choice in found.values()),
        line=(),
        wins=mean("wins"),
        win_errors=error("win_errors"),
        scores=mean("scores"),
        score_errors=error("score_errors"),
        spreads=mean("spreads"),
    )
