"""Hints for people: graded help, good moves with their classes, and reasons in the game's own terms."""
from __future__ import annotations

import gettext
import math
from collections.abc import Sequence

from cafebrain.v1 import brain_service_pb2 as pb
from engines.advice import SURE, Choice, Question, wins_words
from engines.words import Text, count, say
from solver.analysis import Analysis, Control, Limits, analysis_for
from solver.classes import loss_of
from solver.comparison import compare
from solver.languages import SOURCE_LANGUAGE, catalogue_for
from solver.positions import Position, decode_choice, encode_move, invalid, set_ref

MOVES = 5  # good moves of a hint
REASONS = 3  # of the best move; the others get one fewer
MOST_PLANNED = 7  # moves of a turn that are told ahead; alone at the table turns follow one another without end
NUDGE_MS, HINT_MS = 60, 200  # budgets where none is given: the answer is there within 100 and 300 ms


def hint_for(
    position: Position, request: pb.HintRequest, control: Control, limits: Limits, version: str
) -> pb.HintResponse:
    """Search a position and return the hint.

    Raises BrainError: INVALID_ARGUMENT for a faulty request, FAILED_PRECONDITION where no player is to move.
    """
    if request.grade not in pb.HintGrade.values():
        raise invalid("grade", request.grade, "unknown grade")
    grade = request.grade or pb.HINT_GRADE_NUDGE
    catalogue = catalogue_for(request.language, position.engine)
    budget = request.budget
    if not budget.visits and not budget.time_ms:
        budget = pb.Budget(time_ms=NUDGE_MS if grade == pb.HINT_GRADE_NUDGE else HINT_MS)
    suggest = pb.SuggestRequest(
        viewer=request.viewer, budget=budget, objective=request.objective, seed=request.seed, threads=1
    )
    analysis = analysis_for(position, suggest, control, limits, version)
    also = [decode_choice(position, request.about, "about")] if request.HasField("about") else []
    choices = compare(analysis, MOVES, also)
    response = pb.HintResponse(
        player=position.state.to_move + 1,
        grade=grade,
        language=request.language or SOURCE_LANGUAGE,
        objective=analysis.objective,
        visits=analysis.visits_made,
        exact=analysis.solved,
        component_set=set_ref(position.entry.components),
        components_reconstructed=position.entry.components.reconstructed,
    )
    engine, state, best = position.engine, position.state, choices[0]
    if grade == pb.HINT_GRADE_NUDGE:
        only = len(state.moves()) == 1
        text = say("There is only one move.") if only else engine.nudge(state, best.move)
        response.text = text.translated(catalogue)
    elif grade == pb.HINT_GRADE_IDEA:
        reasons = _reasons(position, best, choices)[:REASONS]
        response.text = _sentences([engine.idea(state, best.move), *(text for _, text in reasons)], catalogue)
    else:
        response.certainty = _certainty(choices, analysis, len(state.moves()))
        response.moves.extend(_hint_move(analysis, choice, choices, catalogue) for choice in choices)
        about = next((choice for choice in choices if choice.move in also), best)
        response.text = _sentences(_full(position, about, choices, response.certainty), catalogue)
    return response


def _hint_move(
    analysis: Analysis, choice: Choice, choices: Sequence[Choice], catalogue: gettext.NullTranslations
) -> pb.HintMove:
    position = analysis.position
    player = position.state.to_move
    loss = loss_of(choice, choices[0], player)
    most = REASONS if choice is choices[0] else REASONS - 1
    turn = []
    walk = Position(position.entry, position.state.copy())
    for code, visits in analysis.line(choice.move, choice.visits):
        if walk.state.to_move != player:
            break
        text = walk.engine.move_words(walk.state, code).translated(catalogue)
        turn.append(pb.PlannedMove(player=player + 1, id=code, text=text, move=encode_move(walk, code), visits=visits))
        walk.state.apply(code)
    return pb.HintMove(
        id=choice.move,
        text=position.engine.move_words(position.state, choice.move).translated(catalogue),
        move=encode_move(position, choice.move),
        move_class=loss.move_class,
        win_loss=loss.win,
        score_loss=loss.score,
        players=estimates(choice),
        reasons=[
            pb.Reason(kind=kind, text=text.translated(catalogue))
            for kind, text in _reasons(position, choice, choices)[:most]
        ],
        turn=turn,
        visits=choice.visits,
    )


def estimates(choice: Choice) -> list[pb.PlayerEstimate]:
    """Return the expectations of a choice, per player."""
    figures = zip(choice.wins, choice.scores, choice.spreads, strict=True)
    return [
        pb.PlayerEstimate(player=player, win_probability=min(1.0, win), expected_score=score, score_spread=spread)
        for player, (win, score, spread) in enumerate(figures, 1)
    ]


def _reasons(position: Position, choice: Choice, choices: Sequence[Choice]) -> list[tuple[str, Text]]:
    """Return kinds and texts of what speaks for and against a move, the most important first."""
    others = [other for other in choices if other is not choice]
    found = position.engine.reasons(Question(position.state, choice, others))
    return [(reason.kind, reason.text) for reason in sorted(found, key=lambda reason: -reason.weight)]


def _full(
    position: Position, choice: Choice, choices: Sequence[Choice], certainty: pb.Certainty.ValueType
) -> list[Text]:
    """Return the sentences of a full hint on a move: what, why, what it leads to, what else, how sure."""
    engine, state, player = position.engine, position.state, position.state.to_move
    best = choices[0]
    sentences = [say("{move}.", move=engine.move_words(state, choice.move))]
    sentences += [text for _, text in _reasons(position, choice, choices)[:REASONS]]
    plan = _plan(position, choice)
    if plan:
        sentences.append(say("Then: {moves}.", moves=plan))
    sentences.append(_gain(position, choice))
    if choice is not best:
        loss = loss_of(choice, best, player)
        words = {"move": engine.move_words(state, best.move), "loss": _by_how_much(loss.win, loss.score)}
        sentences.append(say("Better is {move}; this one brings {loss}.", **words))
    elif len(choices) > 1 and certainty != pb.CERTAINTY_CLOSE:
        loss = loss_of(choices[1], best, player)
        second = engine.move_words(state, choices[1].move)
        sentences.append(say("Next best: {move} ({loss}).", move=second, loss=_by_how_much(loss.win, loss.score)))
    sentences += _certainty_words(position, choices, certainty)
    return sentences


def _plan(position: Position, choice: Choice) -> Text | None:
    """Return the rest of the player's turn in words; None where the move ends it, or a draw comes first."""
    state = position.state.copy()
    player = state.to_move
    plan: Text | None = None
    for index, move in enumerate(choice.line[: MOST_PLANNED + 1]):
        if state.to_move != player:
            break
        words = position.engine.move_words(state, move)
        if index:
            plan = words if plan is None else say("{before}; {move}", before=plan, move=words)
        state.apply(move)
    return plan


def _gain(position: Position, choice: Choice) -> Text:
    player = position.state.to_move
    points = count("{n} point", "{n} points", round(choice.scores[player]))
    wins = round(100 * choice.wins[player])
    if len(choice.wins) == 1:
        return say("You can expect about {points}.", points=points)
    if not position.engine.counts_points:
        return say("With it you win about {wins} of 100 games.", wins=wins)
    return say("With it you win about {wins} of 100 games and end with about {points}.", wins=wins, points=points)


def _by_how_much(win: float, score: float) -> Text:
    """Return what a move gives up, in the measure in which it shows."""
    if win >= 0.005:
        return say("{wins} less", wins=wins_words(win))
    if score >= 0.05:
        amount = f"{score:.1f}"
        return say("{amount} points less", amount=amount)
    return say("hardly less")


def _certainty(choices: Sequence[Choice], analysis: Analysis, legal: int) -> pb.Certainty.ValueType:
    if legal == 1:
        return pb.CERTAINTY_ONLY_MOVE
    if len(choices) == 1:
        return pb.CERTAINTY_CLEAR
    player = analysis.position.state.to_move
    best, second = choices[0], choices[1]
    if analysis.objective == pb.OBJECTIVE_SCORE:
        ahead = best.scores[player] - second.scores[player]
        noise = math.hypot(best.score_errors[player], second.score_errors[player])
    else:
        ahead = best.wins[player] - second.wins[player]
        noise = math.hypot(best.win_errors[player], second.win_errors[player])
    if ahead > 2 * SURE * noise:
        return pb.CERTAINTY_CLEAR
    return pb.CERTAINTY_LIKELY if ahead > noise else pb.CERTAINTY_CLOSE


def _certainty_words(
    position: Position, choices: Sequence[Choice], certainty: pb.Certainty.ValueType
) -> list[Text]:
    if certainty == pb.CERTAINTY_ONLY_MOVE:
        return [say("It is the only move.")]
    if certainty == pb.CERTAINTY_CLEAR:
        return [say("The difference is clear.")]
    if certainty == pb.CERTAINTY_LIKELY:
        return [say("It is probably the best.")]
    second = position.engine.move_words(position.state, choices[1].move)
    return [say("It is close: {move} may be as good.", move=second)]


def _sentences(texts: Sequence[Text], catalogue: gettext.NullTranslations) -> str:
    """Return the texts one after the other, each beginning with a capital letter."""
    words = (text.translated(catalogue) for text in texts)
    return " ".join(text[:1].upper() + text[1:] for text in words if text)
