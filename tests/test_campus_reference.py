"""The native rules of Campus Café against the independent reference in tests/reference, move by move."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from engines.campus import components as printed
from engines.campus.rules import CampusGame
from tests.reference import campus as ref
from tests.sets import campus_games

GAMES = campus_games()
RESOURCES = printed.RESOURCES
# The steps in the order of layout.pxd.
STEPS = (
    "objectives",
    "tables",
    "dislikes",
    "waiters",
    "draft",
    "secret",
    "roll",
    "colors",
    "place",
    "discard_collected",
    "serve",
    "pay",
    "gift",
    "talent",
    "discard_served",
    "deplete",
    "arrival",
    "william",
    "discard_restocked",
    "reveal_secret",
    "over",
)


def covered(game: ref.Game, argument: int) -> tuple[Any, ...]:
    """The outcome of a payment given cover by cover, by hand from the layout of MOVE_PAY."""
    card = game.set.cards[game.paying]
    counters = sorted({s for s in game.phase.places.values() if game.side.spaces[s].times})
    spent, blue, red, white, yellow = "", "", [], [], 0
    conversions: Counter[int] = Counter()
    samuel = set()
    for i, dish in enumerate(card.all_dishes):
        cover = argument >> 5 * (len(card.all_dishes) - 1 - i) & 31
        if cover == 0:
            spent += dish
        elif cover == 1:
            blue += dish
        elif cover == 2:
            red.append(card.customers[i])
        elif cover == 3:
            white.append(card.customers[i])
        elif cover == 4:
            yellow += 1
        else:
            pool, resource = divmod(cover - 5, 5)
            spent += RESOURCES[resource]
            if pool < 2:
                conversions[counters[pool]] += 1
            else:
                samuel.add("cupcake" if dish == "C" else "shake")
    return (
        "".join(sorted(spent, key=RESOURCES.index)),
        "".join(sorted(blue, key=RESOURCES.index)),
        tuple(sorted(red)),
        tuple(sorted(white)),
        yellow,
        tuple(sorted(conversions.items())),
        tuple(sorted(samuel)),
    )


def reference_move(game: ref.Game, code: int) -> tuple[Any, ...]:
    kind, argument = code >> 28, code & (1 << 28) - 1
    colors = printed.DIE_COLORS
    if kind == 1:
        return ("objective", argument)
    if kind == 2:
        return ("card", argument)
    if kind == 3:
        return ("dislike", argument)
    if kind == 4:
        return ("waiter", printed.WAITERS[argument])
    if kind == 5:
        return ("dice", colors[argument // 3], colors[argument % 3])
    if kind == 6:
        return ("place", colors[argument >> 4], argument & 15)
    if kind == 7:
        return ("stack", argument)
    if kind == 8:
        return ("discard", "".join(r * (argument >> 16 - 4 * i & 15) for i, r in enumerate(RESOURCES)))
    if kind == 9:
        return ("serve", argument)
    if kind == 10:
        return ("stop",)
    if kind == 11:
        return ("pay", *covered(game, argument))
    if kind == 12:
        return ("token", argument - 8) if argument >= 8 else ("gift", argument)
    if kind == 13:
        return ("talent", RESOURCES[argument])
    if kind == 14:
        return ("deplete", argument)
    return ("william", ("ES", "HM")[argument])


def bits(mask: int) -> set[int]:
    return {i for i in range(mask.bit_length()) if mask >> i & 1}


def same_position(native: CampusGame, state: State, game: ref.Game) -> None:
    fields: dict[str, Any] = native.read(state)
    assert STEPS[fields["step"]] == game.step
    assert fields["active"] == game.turn
    assert fields["round"] == game.round
    assert bool(fields["last_round"]) == game.last
    assert bits(fields["table"]) == game.table
    assert bits(fields["unseen"]) == game.unseen
    assert fields["zone"] == [game.zone[r] for r in RESOURCES]
    assert [[None if t < 0 else t, n] for t, n in zip(fields["top"], fields["below"], strict=True)] == game.decks
    assert bits(fields["whites"]) == game.whites
    assert fields["secret"] == (-1 if game.secret is None else game.secret)
    for player, seat in zip(fields["players"], game.seats, strict=True):
        assert player["score"] == seat.score
        assert player["tray"] == [seat.tray[r] for r in RESOURCES]
        assert bits(player["owned"]) == seat.cards
        assert player["spaces"] == game.spaces(seat)
    turn = fields["turn"]
    assert bits(turn["served"]) == set(game.phase.served)
    assert turn["money"] == game.phase.money
    assert bits(turn["white"]) == game.phase.white
    assert turn["spent"] == [game.phase.spent[r] for r in RESOURCES]


def play_both(native: CampusGame, players: int, variant: str, dislikes: bool, seed: int, eager: float = 0.6) -> int:
    """Play one random game on both; return its number of steps. Where cards can be served, most are."""
    dice = random.Random(seed)
    game = ref.Game(native.components.contents, players, variant, dislikes)
    state = native.start(players, variant == "advanced", dislikes)
    steps = 0
    while True:
        same_position(native, state, game)
        if state.to_move == GAME_OVER:
            break
        if state.to_move == CHANCE_POINT:
            expected = game.outcomes()
            chances = {reference_move(game, code): chance for code, chance in state.outcomes()}
            assert set(chances) == set(expected)
            for move, chance in chances.items():
                assert chance == pytest.approx(float(expected[move]))
            codes = [code for code, _ in state.outcomes()]
        else:
            assert state.to_move == game.mover
            codes = state.moves()
            assert codes == sorted(set(codes))
            listed = [reference_move(game, code) for code in codes]
            assert len(set(listed)) == len(listed)
            assert set(listed) == game.moves()
            if game.step == "serve" and len(codes) > 1 and dice.random() < eager:
                codes = codes[:-1]
        code = dice.choice(codes)
        game.apply(reference_move(game, code))
        state.apply(code)
        steps += 1
    wins, scores = state.returns()
    totals = game.totals()
    assert scores == totals
    best = max(totals)
    assert wins == pytest.approx([(t == best) / totals.count(best) for t in totals])
    return steps


@pytest.mark.parametrize("dislikes", [False, True])
@pytest.mark.parametrize("variant", printed.VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("set_id", sorted(GAMES))
def test_random_games_agree(set_id: str, players: int, variant: str, dislikes: bool) -> None:
    for seed in range(3):
        assert play_both(GAMES[set_id], players, variant, dislikes, seed) > 20
