"""Players of a match, named by a line of text such as "greedy", "level:3" or "mcts:visits=500,exploration=0.5".

A player gets a position as the player to move knows it, and a seed for whatever is random in their choice.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.rng import Random
from solver.analysis import MAX_THREADS, MAX_VISITS, Control, Limits, analysis_for
from solver.durations import duration_ms
from solver.levels import LEVELS
from solver.positions import Position, invalid

Player = Callable[[Position, int], int]  # position, seed from 0 to 2**32 - 1 -> code of a legal move


@dataclass(frozen=True)
class Option:
    """An option of a searching player.

    parse: raises ValueError with what is wanted.
    feature: it is the argument of Search with this name, `exact`, `plan` or `ahead`; otherwise it belongs to the
    request.
    plain: its value in plain UCT, the fixed baseline; of a feature only.
    """

    parse: Callable[[str], Any]
    text: str
    feature: bool = False
    plain: Any = None


def _number(least: float, most: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise ValueError(f"wants a number from {least:g} to {most:g}")
        return value

    return parse


def _count(most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 12 and 1 <= int(text) <= most):
            raise ValueError(f"wants a whole number from 1 to {most}")
        return int(text)

    return parse


def _choice(values: dict[str, Any]) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        if text not in values:
            raise ValueError(f"wants one of {', '.join(values)}")
        return values[text]

    return parse


SWITCH = _choice({"on": True, "off": False})
OPTIONS = {
    "visits": Option(_count(MAX_VISITS), "visits a move"),
    "time": Option(duration_ms, "time a move, such as 50ms"),
    "threads": Option(_count(MAX_THREADS), "threads of a search"),
    "temperature": Option(_number(1e-6, 1), "share of the win by which it strays, as levels do"),
    "objective": Option(_choice({"win": pb.OBJECTIVE_WIN, "score": pb.OBJECTIVE_SCORE}), "win or score"),
    "exploration": Option(_number(0, 100), "weight of exploration, in spreads of the utility", True, 0.7),
    "informed": Option(SWITCH, "on or off: the game's playouts, evaluation and priors", True, False),
    "exact": Option(SWITCH, "on or off: endings are solved", True, False),
    "plan": Option(SWITCH, "on or off: turns are planned before the search", True, False),
    "ahead": Option(SWITCH, "on or off: plans look a round ahead", True, False),
}


def player_for(spec: str, budget: pb.Budget, field: str = "player") -> Player:
    """Return the player that a line of text names.

    budget: of a search whose options name none. field: what the text is called in errors.

    Raises BrainError INVALID_ARGUMENT where there is no such player.
    """
    name, colon, rest = spec.partition(":")
    try:
        if name in ("random", "greedy") and not colon:
            return _random if name == "random" else _greedy
        if name == "level":
            level = LEVELS[_count(len(LEVELS))(rest) - 1]
            return _searching({"visits": level.visits, "temperature": level.temperature}, budget)
        if name in ("uct", "mcts", "max"):
            plain = {key: option.plain for key, option in OPTIONS.items() if option.feature} if name == "uct" else {}
            return _searching(plain | (_options(rest) if colon else {}), budget)
    except ValueError as error:
        raise invalid(field, spec, f"{name}: {error}") from error
    raise invalid(field, spec, "must be random, greedy, uct[:OPTIONS], mcts[:OPTIONS], level:N or max[:OPTIONS]")


def _random(position: Position, seed: int) -> int:
    moves = position.state.moves()
    return moves[Random(seed).below(len(moves))]


def _greedy(position: Position, seed: int) -> int:
    return position.state.greedy_move()


def _options(text: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for item in text.split(","):
        key, equals, value = item.partition("=")
        if key not in OPTIONS or not equals:
            raise ValueError(f"{item[:40]!r} is no option; wants {', '.join(f'{key}=…' for key in OPTIONS)}")
        if key in given:
            raise ValueError(f"{key} is given twice")
        try:
            given[key] = OPTIONS[key].parse(value)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from error
    return given


def _searching(given: dict[str, Any], budget: pb.Budget) -> Player:
    if "visits" in given or "time" in given:
        budget = pb.Budget(visits=given.get("visits", 0), time_ms=given.get("time", 0))
    features = {key: value for key, value in given.items() if OPTIONS[key].feature}
    threads, temperature = given.get("threads", 1), given.get("temperature")
    objective = given.get("objective", pb.OBJECTIVE_UNSPECIFIED)

    def play(position: Position, seed: int) -> int:
        moves = position.state.moves()
        if len(moves) == 1:
            return moves[0]
        request = pb.SuggestRequest(budget=budget, threads=threads, objective=objective, seed=seed)
        analysis = analysis_for(position, request, Control(), Limits(), "", features=features)
        analysis.run()
        return analysis.ranked()[0].code if temperature is None else analysis.chosen(temperature)

    return play
