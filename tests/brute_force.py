"""Endings solved by plain recursion over the reference rules: nothing of the native rules or search is used.

The player to move makes the move with the highest share of the win for themselves; of equal ones one with the highest
score; moves equal in both are made equally often. By the score objective share and score change places. All figures
are fractions, so equal means equal.
"""
from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from cython_ext.game import State
from engines.campus.rules import CampusGame
from engines.library import Entry
from tests.cafe_agreement import reference_move as cafe_move
from tests.reference import cafe, campus, gatto
from tests.test_campus_reference import reference_move as campus_move
from tests.test_gatto_reference import reference_move as gatto_move
from tests.test_gatto_reference import reference_set

Values = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]  # win share and score per player
CHANCE, OVER = "chance", "over"


class Table(ABC):
    """A position of a game under its reference rules."""

    @abstractmethod
    def to_move(self) -> int | str:
        """The player to move, CHANCE or OVER."""

    @abstractmethod
    def moves(self) -> Iterable[Any]:
        """The legal moves."""

    @abstractmethod
    def outcomes(self) -> dict[Any, Fraction]:
        """The chances of the possible draws."""

    @abstractmethod
    def after(self, move: Any) -> Table:
        """The position after a move or draw."""

    @abstractmethod
    def result(self) -> Values:
        """Win shares and scores of a finished game."""

    @abstractmethod
    def key(self) -> Any:
        """The position as something hashable."""

    @abstractmethod
    def read(self, state: State, code: int) -> Any:
        """The move or draw that has a code in the native state of this position."""


def freeze(value: Any) -> Any:
    """Something hashable that is equal for equal values; counts of zero do not count."""
    if isinstance(value, dict):
        return frozenset((key, freeze(item)) for key, item in value.items() if item)
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if hasattr(value, "__dict__"):
        return tuple(freeze(item) for item in vars(value).values())
    return value


class Gatto(Table):
    def __init__(self, rules: gatto.ComponentSet, contents: Any, state: gatto.State) -> None:
        self.rules, self.contents, self.state = rules, contents, state

    def to_move(self) -> int | str:
        return gatto.to_move(self.rules, self.state)

    def moves(self) -> list[gatto.Move]:
        return gatto.moves(self.rules, self.state)

    def outcomes(self) -> dict[gatto.Move, Fraction]:
        return dict(gatto.draws(self.rules, self.state))

    def after(self, move: gatto.Move) -> Gatto:
        return Gatto(self.rules, self.contents, gatto.apply(self.rules, self.state, move))

    def result(self) -> Values:
        found = gatto.result(self.rules, self.state)
        return tuple(share for _, share in found), tuple(Fraction(score) for score, _ in found)

    def key(self) -> Any:
        return freeze(self.state)

    def read(self, state: State, code: int) -> gatto.Move:
        return gatto_move(self.contents, self.state.step, code)


class Cafe(Table):
    def __init__(self, game: cafe.Game) -> None:
        self.game = game

    def to_move(self) -> int | str:
        player = self.game.player()
        return {"draw": CHANCE, "over": OVER}[self.game.step] if player is None else player

    def moves(self) -> set[Any]:
        return self.game.moves()

    def outcomes(self) -> dict[Any, Fraction]:
        # Chances are quotients of numbers of cards.
        return {("draw", card): Fraction(p).limit_denominator(10_000) for card, p in self.game.draws().items()}

    def after(self, move: Any) -> Cafe:
        game = self.game.fork()
        for name, value in vars(game).items():
            if name != "areas" and isinstance(value, list | set):
                setattr(game, name, copy.copy(value))
        game.apply(move)
        return Cafe(game)

    def result(self) -> Values:
        points = self.game.points()
        shares = tuple(Fraction(share).limit_denominator(10) for share in cafe.win_shares(points))
        return shares, tuple(Fraction(each["total"]) for each in points)

    def key(self) -> Any:
        return freeze({name: value for name, value in vars(self.game).items() if name != "components"})

    def read(self, state: State, code: int) -> Any:
        return cafe_move(state, code)


class Campus(Table):
    def __init__(self, game: campus.Game) -> None:
        self.game = game

    def to_move(self) -> int | str:
        if self.game.step == "over":
            return OVER
        return CHANCE if self.game.mover is None else self.game.mover

    def moves(self) -> set[Any]:
        return self.game.moves()

    def outcomes(self) -> dict[Any, Fraction]:
        return self.game.outcomes()

    def after(self, move: Any) -> Campus:
        shared = (self.game.set, self.game.side, *(seat.dislike for seat in self.game.seats))
        game = copy.deepcopy(self.game, {id(part): part for part in shared})
        game.apply(move)
        return Campus(game)

    def result(self) -> Values:
        totals = self.game.totals()
        first = max(totals)
        shares = tuple(Fraction(total == first, totals.count(first)) for total in totals)
        return shares, tuple(Fraction(total) for total in totals)

    def key(self) -> Any:
        return freeze({name: value for name, value in vars(self.game).items() if name not in ("set", "side")})

    def read(self, state: State, code: int) -> Any:
        return campus_move(self.game, code)


class ConnectFour(Table):
    """Columns are strings of "1" and "2" from bottom to top; `winner` is the disc of the player with four in a row."""

    def __init__(self, columns: tuple[str, ...], winner: str = "") -> None:
        self.columns, self.winner = columns, winner

    def to_move(self) -> int | str:
        discs = sum(map(len, self.columns))
        return OVER if self.winner or discs == 42 else discs % 2

    def moves(self) -> list[int]:
        return [x for x, column in enumerate(self.columns) if len(column) < 6]

    def after(self, move: int) -> ConnectFour:
        columns = list(self.columns)
        disc = "12"[sum(map(len, columns)) % 2]
        columns[move] += disc
        top = len(columns[move]) - 1
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            # The line through the disc that fell, three squares to either side.
            line = "".join(
                columns[x][y] if 0 <= x < 7 and 0 <= y < len(columns[x]) else " "
                for x, y in ((move + i * dx, top + i * dy) for i in range(-3, 4))
            )
            if disc * 4 in line:
                return ConnectFour(tuple(columns), disc)
        return ConnectFour(tuple(columns))

    def outcomes(self) -> dict[Any, Fraction]:
        return {}

    def result(self) -> Values:
        shares = tuple(Fraction(self.winner == player) if self.winner else Fraction(1, 2) for player in "12")
        return shares, shares

    def key(self) -> Any:
        return self.columns

    def read(self, state: State, code: int) -> int:
        return code


def start(entry: Entry, state: State, options: dict[str, str]) -> Table:
    """The reference position of a game's first native state."""
    return STARTS[entry.engine.id](entry, state, options)


def _start_gatto(entry: Entry, state: State, options: dict[str, str]) -> Gatto:
    rules = reference_set(entry.components.contents)
    return Gatto(rules, entry.components.contents, gatto.initial(rules, state.players))


def _start_cafe(entry: Entry, state: State, options: dict[str, str]) -> Cafe:
    fields: dict[str, Any] = entry.game.read(state)  # type: ignore[attr-defined]
    starts = [area["cards"][0][0] for area in fields["areas"]]
    auction, expresso = (options.get(name) == "true" for name in ("auction", "expresso"))
    return Cafe(cafe.Game(entry.components.contents, starts, fields["master"], auction, expresso))


def _start_campus(entry: Entry, state: State, options: dict[str, str]) -> Campus:
    assert isinstance(entry.game, CampusGame)
    variant, dislikes = options.get("variant", "basic"), options.get("dislikes") == "true"
    return Campus(campus.Game(entry.components.contents, state.players, variant, dislikes))


STARTS: dict[str, Callable[[Entry, State, dict[str, str]], Table]] = {
    "gatto": _start_gatto,
    "cafe": _start_cafe,
    "campus": _start_campus,
    "connect_four": lambda entry, state, options: ConnectFour(("",) * 7),
}


def solve(table: Table, memo: dict[Any, Values], by_score: bool = False) -> Values:
    """The values of a position."""
    mover = table.to_move()
    if mover == OVER:
        return table.result()
    key = table.key()
    if key not in memo:
        if mover == CHANCE:
            found = [(chance, solve(table.after(move), memo, by_score)) for move, chance in table.outcomes().items()]
            assert sum(chance for chance, _ in found) == 1
        else:
            values = [solve(table.after(move), memo, by_score) for move in table.moves()]
            order = (1, 0) if by_score else (0, 1)
            best = max(tuple(each[part][mover] for part in order) for each in values)
            equal = [each for each in values if tuple(each[part][mover] for part in order) == best]
            found = [(Fraction(1, len(equal)), each) for each in equal]
        players = range(len(found[0][1][0]))
        wins, scores = (
            tuple(sum((weight * each[part][player] for weight, each in found), Fraction()) for player in players)
            for part in (0, 1)
        )
        memo[key] = wins, scores
    return memo[key]
