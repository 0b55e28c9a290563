"""Plays the native rules of Café and the reference side by side, for the tests."""
from __future__ import annotations

import random
from typing import Any

import pytest

from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from engines.cafe.codes import FREE, STEP_NAMES, unpack
from engines.cafe.components import CafeComponents
from engines.cafe.rules import CafeGame
from tests.reference import cafe as ref


def place_of(fields: dict[str, Any], player: int) -> dict[int, tuple[int, int]]:
    """The (row, column) of each visible cell."""
    return {cell: (row, column) for cell, (_, row, column) in fields["areas"][player]["visible"].items()}


def reference_move(state: State, code: int) -> tuple[object, ...]:
    """A native move as the reference writes it."""
    game = state.game
    assert isinstance(game, CafeGame)
    fields = game.read(state)
    move = unpack(code)
    kind = move.kind
    if kind in ("draw", "reject"):
        return (kind, move.card)
    if kind == "pass":
        return (kind,)
    if kind == "bid":
        return (kind, move.number)
    if kind == "pay":
        return (kind, move.color)
    if kind == "take":
        return (kind, move.card, None if move.color == FREE else move.color)
    if kind == "place":
        return (kind, move.rotation, move.row, move.column)
    if kind == "end":
        return (kind,)
    where = place_of(fields, state.to_move)
    if kind == "grow":
        group = fields["areas"][state.to_move]["group"]
        kinds = fields["areas"][state.to_move]["visible"]
        plants = (1, 2, 3)
        return (kind, frozenset(where[c] for c, g in group.items() if g == move.cell and kinds[c][0] in plants))
    if kind == "fill":
        return (kind, where[move.cell], ref.one(move.color, move.number))
    if kind in ("dry", "roast"):
        return (kind, where[move.cell], move.color)
    if kind == "serve":
        return (kind, where[move.cell], move.cubes)
    return (kind, where[move.cell])


def same_area(state: State, player: int, other: ref.Game) -> None:
    game = state.game
    assert isinstance(game, CafeGame)
    area, mine = game.read(state)["areas"][player], other.areas[player]
    where = place_of(game.read(state), player)
    assert area["cards"] == mine.cards
    assert {place: (cell // 6, cell % 6) for cell, place in where.items()} == mine.top
    shops = {other.shop_place(mine, shop): cubes for shop, cubes in mine.served.items()}
    assert {where[cell] for cell in area["shops"]} == set(shops)
    expected = dict(mine.cubes) | {place: cubes for place, cubes in shops.items() if any(cubes)}
    assert {where[cell]: tuple(cubes) for cell, cubes in area["cubes"].items()} == expected
    assert tuple(area["warehouse"]) == mine.warehouse
    assert area["cups"] == other.count(mine, "cup")
    assert area["ships"] == other.count(mine, "ship")
    for cell, first in area["group"].items():
        expected_group = other.group(mine, where[cell])
        same = {c for c, g in area["group"].items() if g == first and other.letter(mine, where[c])
                == other.letter(mine, where[cell])}  # fmt: skip
        assert {where[c] for c in same} == expected_group
        assert first == min(same)


def same_position(state: State, other: ref.Game) -> None:
    game = state.game
    assert isinstance(game, CafeGame)
    fields = game.read(state)
    assert STEP_NAMES[fields["step"]] == other.step
    assert tuple(fields["supply"]) == other.supply()
    assert (fields["round"], fields["master"]) == (other.round, other.master)
    assert set(fields["offer"]) == other.offer
    assert fields["taken"] == other.taken
    assert set(fields["unseen"]) == other.unseen
    for player in range(other.players):
        same_area(state, player, other)
    for mine, theirs in zip(game.score(state), other.points(), strict=True):
        assert mine == theirs


def play_both(
    game: CafeGame, players: int, auction: bool, expresso: bool, seed: int, busy: bool = False
) -> int:
    """Play one random game on both, checking everything at every step; return its number of steps.

    busy: rarely end an action phase before the actions are used up.
    """
    contents: CafeComponents = game.components.contents
    dice = random.Random(seed)
    starts = dice.sample(range(56, 60), players)
    master = dice.randrange(players)
    state = game.initial(players, starts, master, auction, expresso)
    other = ref.Game(contents, starts, master, auction, expresso)
    steps = 0
    while other.step != "over":
        same_position(state, other)
        if other.step == "draw":
            assert state.to_move == CHANCE_POINT
            chances = {reference_move(state, code)[1]: chance for code, chance in state.outcomes()}
            assert chances == pytest.approx(other.draws())
            codes = [code for code, _ in state.outcomes()]
        else:
            assert state.to_move == other.player()
            codes = state.moves()
            moves = [reference_move(state, code) for code in codes]
            assert len(set(moves)) == len(moves)
            assert set(moves) == other.moves()
        assert codes == sorted(set(codes))
        code = dice.choice(codes)
        if busy and len(codes) > 1 and unpack(code).kind in ("end", "discard") and dice.random() < 0.9:
            code = dice.choice(codes[:-1])
        other.apply(reference_move(state, code))
        state.apply(code)
        assert bytes(game.build(game.read(state))) == bytes(state)
        steps += 1
    assert state.to_move == GAME_OVER
    same_position(state, other)
    wins, scores = state.returns()
    assert scores == [points["total"] for points in other.points()]
    assert wins == pytest.approx(ref.win_shares(other.points()))
    return steps


