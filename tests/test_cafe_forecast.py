"""What the search expects of a game of Café that is not over: counted where nothing is left, forecast before that."""
from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.cafe import weights
from engines.cafe.codes import STEP_PLACE
from engines.cafe.rules import CafeGame
from tests.cafe_boards import random_board
from tests.sets import cafe_entries

ENTRIES = cafe_entries()
NETWORK: dict[str, Any] = json.loads(Path(weights.__file__).with_name("forecast.json").read_text())


def positions(players: int, auction: str, expresso: str, seed: int) -> list[State]:
    """Return all positions of a game of the greedy player."""
    entry = ENTRIES["reconstructed"]
    options = {"auction": auction, "expresso": expresso, "open_deck": "false"}
    state, random = entry.engine.initial(entry.game, players, options, Random(seed)), Random(seed)
    found = [state.copy()]
    while state.to_move != GAME_OVER:
        state.apply(state.sample(random) if state.to_move == CHANCE_POINT else state.greedy_move())
        found.append(state.copy())
    return found


def rules(state: State) -> CafeGame:
    """Return the rules of a position."""
    assert isinstance(state.game, CafeGame)
    return state.game


@pytest.mark.parametrize(("players", "auction", "expresso"), [(1, "false", "false"), (3, "true", "true")])
def test_the_network_is_computed_as_written_down(players: int, auction: str, expresso: str) -> None:
    net = {name: np.array(value) for name, value in NETWORK.items()}
    for state in positions(players, auction, expresso, 5)[:-1]:
        game = rules(state)
        wins, scores = state.evaluate()
        assert sum(wins) == pytest.approx(1)
        for player in range(players):
            x = np.array(game.inputs(state, player))
            if x[0] == x[1] == 0:
                assert scores[player] == game.score(state)[player]["total"]
                continue
            units = np.maximum(x @ net["hidden"] + net["bias"], 0)
            assert scores[player] == pytest.approx(units @ net["out"] + x @ net["direct"] + net["base"], abs=1e-2)
        for (one, won), (other, lost) in pairwise(sorted(zip(scores, wins, strict=True))):
            assert won <= lost or one == other


@pytest.mark.parametrize(
    ("field", "value"),
    [("bias", [0.0] * 25), ("out", []), ("direct", [0.0] * 66), ("hidden", [[0.0] * 24] * 68)],
)
def test_a_network_of_another_shape_is_refused(field: str, value: list[Any]) -> None:
    game = CafeGame(ENTRIES["reconstructed"].components)
    with pytest.raises(ValueError, match=f"{field}: wants (24|67) numbers; found {len(value)}"):
        game.set_forecast(NETWORK | {field: value})
    with pytest.raises(ValueError, match=r"hidden\[1\]: wants 24 numbers; found 1"):
        game.set_forecast(NETWORK | {"hidden": [[0.0] * 24] + [[0.0]] * 66})


def test_rounds_and_actions_to_come() -> None:
    """A player's rounds to begin fall by one when their card lies; their actions then are their cups, or those left."""
    for auction in ("false", "true"):
        for state in positions(3, auction, "false", 2)[:-1]:
            fields = rules(state).read(state)
            order = [(fields["master"] + (auction == "false") + turn) % 3 for turn in range(3)]
            for turn, player in enumerate(order):
                cups = min(8, fields["areas"][player]["cups"])
                if fields["step"] > STEP_PLACE:
                    actions = cups if turn > fields["turn"] else 0 if turn < fields["turn"] else fields["actions"]
                    expected = (8 - fields["round"], actions)
                else:
                    begun = turn < fields["turn"]
                    expected = (8 - fields["round"], cups) if begun else (9 - fields["round"], 0)
                assert tuple(rules(state).inputs(state, player)[:2]) == expected


@pytest.mark.parametrize("set_id", sorted(ENTRIES))
def test_squares_and_cubes_are_counted(set_id: str) -> None:
    game = ENTRIES[set_id].game
    assert isinstance(game, CafeGame)
    kinds = {1: "plants", 2: "plants", 3: "plants", 4: "dryers", 5: "roasters"}
    for seed in range(40):
        state = random_board(game, seed, expresso=seed % 2 == 1, rounds=3 + seed % 6)
        area = game.read(state)["areas"][0]
        groups: dict[str, dict[int, list[int]]] = {"plants": {}, "dryers": {}, "roasters": {}}
        for cell, (kind, _, _) in area["visible"].items():
            if kind in kinds:
                groups[kinds[kind]].setdefault(area["group"][cell], []).append(cell)
        x = game.inputs(state, 0)
        for first, letter in ((33, "plants"), (39, "dryers"), (45, "roasters")):
            cells = [cell for group in groups[letter].values() for cell in group]
            sizes = [*sorted(map(len, groups[letter].values()), reverse=True), 0, 0]
            free = [
                sum(2 if area["visible"][cell][0] == 2 else 1 for cell in group if cell not in area["cubes"])
                for group in groups[letter].values()
            ]
            assert x[first : first + 6] == [
                len(cells), len(groups[letter]), sizes[0], sizes[1], sum(free), max(free, default=0),
            ]  # fmt: skip
        assert x[11:15] == sorted(area["warehouse"])
        assert x[9] == game.score(state)[0]["shops"]


def test_a_playout_is_not_cut_with_a_card_in_hand() -> None:
    for state in positions(2, "false", "false", 1)[:-1]:
        fields = rules(state).read(state)
        if fields["step"] == STEP_PLACE:
            assert not rules(state).settled(state)
        if fields["step"] < STEP_PLACE:
            assert rules(state).settled(state)


def test_the_spread_of_scores_holds_the_error_of_the_forecast() -> None:
    """The only simulation takes a card, places it and is cut: the first round is over but for its actions, if any."""
    state = positions(1, "false", "false", 3)[3]
    search = Search(state, viewer=0, seed=1, memory=1 << 24)
    search.run(1, math.inf)
    (score, squares), = ((row[4][0], row[5][0]) for row in search.root_moves() if row[1])
    assert any(squares - score**2 == pytest.approx(error**2, rel=1e-3) for error in NETWORK["error"][7])
