"""The native rules of Café del Gatto against the independent reference in tests/reference, move by move."""
from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.rng import Random
from engines.gatto import rules
from engines.gatto.components import COLORS, PREPARATIONS, GattoSet
from engines.gatto.moves import bought
from engines.gatto.rules import GattoGame
from engines.library import Entry
from tests.reference import gatto as ref
from tests.sets import gatto_entries

ENTRIES = gatto_entries()
STEPS = {
    "fresh": rules.STEP_FRESH,
    "cleaned": rules.STEP_CLEANED,
    "bought": rules.STEP_BOUGHT,
    "serving": rules.STEP_SERVING,
    "intermediate_serving": rules.STEP_INTERMEDIATE_SERVING,
    "intermediate_emptying": rules.STEP_INTERMEDIATE_EMPTYING,
}


def reference_set(contents: GattoSet) -> ref.ComponentSet:
    return ref.ComponentSet(
        tiles=tuple((kind.value, PREPARATIONS[kind.preparation], kind.count) for kind in contents.kinds),
        cups=tuple(
            ref.CupType(drink.id, "".join(COLORS[color] for color in drink.spaces), drink.points, drink.menu)
            for drink in contents.drinks
        ),
        coins=contents.coins,
        sugar=contents.sugar,
    )


def reference_move(contents: GattoSet, step: str, code: int) -> ref.Move:
    if code >= rules.MOVE_DRAW:
        return ("draw", code - rules.MOVE_DRAW)
    if code >= rules.MOVE_BUY:
        column, row, drink = bought(code)
        return ("buy", COLORS[column], row + 1, drink)
    if code >= rules.MOVE_SERVE:
        drink, tile = divmod(code - rules.MOVE_SERVE, rules.MOST_DRINK_TILES)
        return ("serve", drink, contents.drinks[drink].points[tile])
    if code >= rules.MOVE_EMPTY_CUP:
        return ("empty", code - rules.MOVE_EMPTY_CUP)
    if code >= rules.MOVE_CLEAN:
        return ("clean", COLORS[code - rules.MOVE_CLEAN])
    if code == rules.MOVE_END_TURN:
        return ("stop_serving",) if step == "serving" else ("end_turn",)
    return ("take_coins",)


def same_position(game: GattoGame, state: State, s: ref.State) -> None:
    fields: dict[str, Any] = game.read(state)
    drinks = game.components.contents.drinks
    for player, values in enumerate(fields["players"]):
        assert values["coins"] == s.coins[player]
        assert values["sugar"] == s.sugar[player]
        cups = [
            tiles if served is None else drink.points[served]
            for drink, (tiles, served) in zip(drinks, values["cups"], strict=True)
        ]
        assert cups == s.cups[player]
    assert fields["columns"] == [s.columns["M"], s.columns["C"]]
    assert fields["bag"] == s.bag
    assert fields["discard"] == s.discard
    assert fields["unknown_discards"] == s.unknown_discards
    assert fields["start_player"] == s.start_player
    assert fields["turn_player"] == s.player
    assert fields["round"] == s.round
    left = [[s.drink_tiles[drink.id][points] for points in drink.points] for drink in drinks]
    assert fields["drink_tiles"] == left
    if s.over:
        assert fields["step"] == rules.STEP_OVER
    else:
        assert fields["step"] == STEPS[s.step]
        assert fields["queue"] == s.queue


def play_both(entry: Entry, players: int, seed: int, unknown: bool = False) -> int:
    """Play one random game on both; return its number of steps."""
    game = entry.game
    assert isinstance(game, GattoGame)
    contents = game.components.contents
    cs = reference_set(contents)
    dice = random.Random(seed)
    s = ref.initial(cs, players)
    state = entry.engine.initial(game, players, {}, Random(0))
    steps = 0
    while True:
        same_position(game, state, s)
        to_move = ref.to_move(cs, s)
        if to_move == "over":
            break
        if unknown and s.step == "fresh" and sum(s.discard) and dice.random() < 0.1:
            # From here on nobody knows what lies on the discard pile.
            s = ref.copy_state(s)
            s.unknown_discards += sum(s.discard)
            s.bag = [a + b for a, b in zip(s.bag, s.discard, strict=True)]
            s.discard = [0] * len(s.discard)
            fields = game.read(state)
            fields["bag"], fields["discard"], fields["unknown_discards"] = s.bag, s.discard, s.unknown_discards
            state = game.build(fields)
        if to_move == "chance":
            assert state.to_move == CHANCE_POINT
            draws = {move[1]: chance for move, chance in ref.draws(cs, s)}
            mine = state.outcomes()
            assert {code - rules.MOVE_DRAW for code, _ in mine} == set(draws)
            for code, chance in mine:
                assert chance == pytest.approx(float(draws[code - rules.MOVE_DRAW]))
            codes = [code for code, _ in mine]
        else:
            assert state.to_move == to_move
            codes = state.moves()
            assert codes == sorted(set(codes))
            expected = ref.moves(cs, s)
            assert len(expected) == len(codes)
            assert {reference_move(contents, s.step, code) for code in codes} == set(expected)
        code = dice.choice(codes)
        s = ref.apply(cs, s, reference_move(contents, s.step, code))
        state.apply(code)
        steps += 1
    assert state.to_move == GAME_OVER
    wins, scores = state.returns()
    for (score, share), win, points in zip(ref.result(cs, s), wins, scores, strict=True):
        assert points == score
        assert Fraction(win).limit_denominator(10) == share
    return steps


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("set_id", sorted(ENTRIES))
def test_random_games_agree(set_id: str, players: int) -> None:
    # Scarce sets seldom end before the round limit, so one game is long enough.
    for seed in range(2 if set_id == "scarce" else 15):
        assert play_both(ENTRIES[set_id], players, seed) > 20


@pytest.mark.parametrize("set_id", sorted(ENTRIES))
def test_random_games_with_unknown_discards_agree(set_id: str) -> None:
    assert play_both(ENTRIES[set_id], 3, 99, unknown=True) > 20
