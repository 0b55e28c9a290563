"""What came of solving, as values: for --json, the run folder, the terminal and the report alike."""
from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain_cli.positions import to_json
from cafebrain_cli.rating import Rating, rate
from cafebrain_cli.run_folder import Deck
from cafebrain_cli.solve_work import KINDS, Outcome, Problem
from solver.brain import VERSION
from solver.positions import Position, legal_move
from solver.solve_jobs import follow
from solver.solving import gap
from solver.summary import Distribution, distribution


@dataclass(frozen=True)
class Step:
    """A move of a line, and the part of the game it belongs to."""

    turn: str
    move: pb.LegalMove


@dataclass(frozen=True)
class Solved:
    """One deck and its line."""

    problem: Problem
    kind: str
    deck: Deck
    steps: Sequence[Step]
    end: Position  # after the line
    rating: Rating | None


def solved(outcome: Outcome, kind: str, deck: Deck) -> Solved:
    """Return a deck with its line in words."""
    problem = next(problem for problem in outcome.plan.problems if problem.number == deck.number)
    start = outcome.positions[deck.number]
    at = Position(start.entry, start.state.copy())
    steps = []
    for code in deck.last.line:
        steps.append(Step(at.engine.turn(at.state), legal_move(at, code)))
        at.state.apply(code)
    rating = None
    if problem.whole and outcome.plan.rounds is None and deck.last.score is not None:
        known = start.engine.hidden(start.state) if kind == "closed" else start.state
        rating = rate(Position(start.entry, known), deck.last.score)
    return Solved(problem, kind, deck, steps, follow(start, deck.last.line), rating)


def best(outcome: Outcome) -> Solved | None:
    """Return the deck with the highest score, of the kind that was asked for last."""
    for kind in reversed(tuple(outcome.plan.budgets)):
        scored = [deck for deck in outcome.decks(kind) if deck.last.score is not None]
        if scored:
            return solved(outcome, kind, max(scored, key=lambda deck: (deck.last.score or 0.0, -deck.number)))
    return None


def sentences(found: Solved) -> list[str]:
    """Return score, bound and rating of a deck in words."""
    last, name = found.deck.last, found.problem.name
    if last.score is None:
        return [f"{name}: the game is not over."]
    if last.bound is None:
        lines = [f"{name}, its order unknown: {last.score:g} points."]
    elif last.proven:
        lines = [f"{name}: {last.score:g} points, proven: no line scores more."]
    else:
        short = f"{100 * gap(last.score, last.bound):.1f} %"
        lines = [f"{name}: {last.score:g} points; no line scores more than {last.bound:g} (gap {short})."]
    (items,) = found.end.engine.score_items(found.end.state)
    lines.append("From " + ", ".join(f"{item} {points:g}" for item, points in items) + ".")
    if found.rating is not None:
        lines.append(str(found.rating))
    return lines


def is_single(outcome: Outcome) -> bool:
    """Whether the answer is one deck of one kind, and not a summary."""
    return not outcome.plan.many and len(outcome.plan.budgets) == 1


def answer(outcome: Outcome, timing: bool) -> dict[str, Any]:
    """Return the answer as JSON values."""
    first = outcome.positions[outcome.plan.problems[0].number]
    components = first.entry.components
    head: dict[str, Any] = {
        "game": first.engine.id,
        "componentSet": {"id": components.id, "hash": components.hash},
        "componentsReconstructed": components.reconstructed,
        "options": first.engine.options_of(first.state),
        "rounds": outcome.plan.rounds,
        "version": VERSION,
        "engineVersion": first.engine.version,
        "interrupted": outcome.interrupted,
    }
    if is_single(outcome):
        return {**head, **_single(outcome, timing)}
    for kind in KINDS:
        decks = outcome.decks(kind)
        if kind in outcome.runs:
            head[kind] = {"summary": _summary(kind, decks), "decks": [_deck(deck, timing) for deck in decks]}
    cost = cost_of_not_knowing(outcome)
    head["costOfNotKnowing"] = None if cost is None else _values(cost)
    return head


def cost_of_not_knowing(outcome: Outcome) -> Distribution | None:
    """Return open minus closed scores of the decks that have both; None where there are none."""
    scores = {deck.number: deck.last.score for deck in outcome.decks("open")}
    differences = [
        known - deck.last.score
        for deck in outcome.decks("closed")
        if deck.last.score is not None and (known := scores.get(deck.number)) is not None
    ]
    return distribution(differences) if differences else None


def scores(decks: Sequence[Deck]) -> list[float]:
    """Return the scores of decks."""
    return [deck.last.score for deck in decks if deck.last.score is not None]


def gaps(decks: Sequence[Deck]) -> list[float]:
    """Return the gaps of decks."""
    return [g for deck in decks if (g := deck_gap(deck)) is not None]


def deck_gap(deck: Deck) -> float | None:
    """Return the gap of a deck; None where nothing is proven or found."""
    score, bound = deck.last.score, deck.last.bound
    return None if score is None or bound is None else gap(score, bound)


def _single(outcome: Outcome, timing: bool) -> dict[str, Any]:
    (kind,) = outcome.plan.budgets
    (problem,) = outcome.plan.problems
    decks = outcome.decks(kind)
    one: dict[str, Any] = {"deck": problem.number if problem.seeded else None, "closed": kind == "closed"}
    if not decks:
        return {**one, "score": None, "upperBound": None, "gap": None, "proven": False, "nodes": 0, "moves": []}
    found = solved(outcome, kind, decks[0])
    (items,) = found.end.engine.score_items(found.end.state)
    return {
        **_deck(found.deck, timing),
        **one,
        "items": [{"name": name, "points": points} for name, points in items],
        "moves": [{"turn": step.turn, **json.loads(to_json(step.move))} for step in found.steps],
        "rating": None if found.rating is None else {
            "medal": found.rating.medal,
            "shareBelow": found.rating.share_below,
            "decks": len(found.rating.known.scores),
            "play": found.rating.known.play,
        },
    }


def _deck(deck: Deck, timing: bool) -> dict[str, Any]:
    data = {
        "deck": deck.number,
        "score": deck.last.score,
        "upperBound": deck.last.bound,
        "gap": deck_gap(deck),
        "proven": deck.last.proven,
        "stopped": deck.last.stopped,
        "nodes": deck.last.nodes,
        "moves": list(deck.last.line),
    }
    if timing:
        data["elapsedMs"] = round(1000 * deck.last.seconds, 1)
    return data


def _summary(kind: str, decks: Sequence[Deck]) -> dict[str, Any] | None:
    points = scores(decks)
    if not points:
        return None
    summary = _values(distribution(points))
    if kind == "open":
        bounds = [deck.last.bound for deck in decks if deck.last.bound is not None]
        summary["meanUpperBound"] = distribution(bounds).mean
        summary["meanGap"] = distribution(gaps(decks)).mean
        summary["proven"] = sum(deck.last.proven for deck in decks)
    return summary


def _values(numbers: Distribution) -> dict[str, Any]:
    data = asdict(numbers)
    return {**data, "quartiles": list(data["quartiles"])}
