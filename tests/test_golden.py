"""Golden playthroughs: every stored game replays move by move, and every engine has one for each of its variants."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from google.protobuf.json_format import ParseDict

from cafebrain.v1 import game_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.rng import Random
from engines.library import Library
from scripts.golden import GOLDEN, Variant, record, score_text, variants
from solver.positions import decode_state
from tests.reference import gatto as ref
from tests.test_gatto_reference import reference_move, reference_set, same_position

LIBRARY = Library()
ENGINES = [LIBRARY.engine(game) for game in LIBRARY.games()]
VARIANTS = {
    str(variant.path.relative_to(GOLDEN)): variant for engine in ENGINES for variant in variants(LIBRARY, engine)
}
FILES = sorted(GOLDEN.glob("*/*.txt"))
MOST_BYTES = 60_000


def names(path: Path) -> str:
    return str(path.relative_to(GOLDEN))


def read(path: Path) -> tuple[dict[str, str], list[list[str]]]:
    """Return the lines with a key, and the steps (number, who, choices, code, scores, text)."""
    keys, steps = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line[0].isdigit():
            steps.append(line.split(" ", 5))
        else:
            key, value = line.split(":", 1)
            keys[key] = value.strip()
    return keys, steps


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_has_a_golden_playthrough(name: str) -> None:
    assert VARIANTS[name].path.is_file(), f"{name} is missing: run scripts/golden.py"


def test_every_number_of_players_has_a_variant() -> None:
    for engine in ENGINES:
        players = {variant.players for variant in VARIANTS.values() if variant.engine is engine}
        assert players == set(range(engine.min_players, engine.max_players + 1))
        for option in engine.options:
            values = {dict(variant.options)[option.name] for variant in VARIANTS.values() if variant.engine is engine}
            assert values == set(option.values)


def test_no_file_is_left_over() -> None:
    assert {names(path) for path in FILES} <= VARIANTS.keys()


@pytest.mark.parametrize("path", FILES, ids=names)
def test_playthrough(path: Path) -> None:
    assert path.stat().st_size < MOST_BYTES
    keys, steps = read(path)
    variant: Variant = VARIANTS[names(path)]
    assert keys["game"] == variant.engine.id
    assert keys["options"].split() == [f"{option}={value}" for option, value in variant.options]
    assert int(keys["players"]) == variant.players
    entry = LIBRARY.entry(keys["game"], keys["component_set"], keys["component_hash"], "set")
    engine = entry.engine
    message = ParseDict(json.loads(keys["initial"]), game_pb2.GameState())
    state = decode_state(LIBRARY, message).state
    assert state == engine.initial(entry.game, variant.players, dict(variant.options), Random(int(keys["seed"])))
    for number, (stored, who, choices, code, scores, text) in enumerate(steps, 1):
        assert int(stored) == number
        where = f"step {number}"
        if state.to_move == CHANCE_POINT:
            codes = [outcome for outcome, _ in state.outcomes()]
            assert who == "draw", where
        else:
            codes = state.moves()
            assert who == str(state.to_move + 1), where
        assert len(codes) == int(choices), where
        assert engine.move_text(state, int(code)) == text, where
        state.apply(int(code))
        assert score_text(engine, state) == scores, where
    assert len(steps) > 5
    assert ("win" in keys) == (state.to_move == GAME_OVER)
    if "win" in keys:
        wins, points = state.returns()
        assert keys["win"].split() == [f"{win:g}" for win in wins]
        assert keys["score"].split() == [f"{score:g}" for score in points]


def test_most_playthroughs_end() -> None:
    """A cut game shows no result, so each game needs some that end."""
    for engine in ENGINES:
        ends = ["win" in read(variant.path)[0] for variant in VARIANTS.values() if variant.engine is engine]
        assert sum(ends) * 2 > len(ends)


def test_what_is_recorded_is_what_is_replayed() -> None:
    """The generator's lines are the file's, so a rewritten file changes only where a rule has changed."""
    path = GOLDEN / "connect_four" / "2p.txt"
    keys, _ = read(path)
    entry = LIBRARY.entries("connect_four")[0]
    lines = record(entry, VARIANTS[names(path)], int(keys["seed"]))
    assert path.read_text(encoding="utf-8").splitlines() == lines


@pytest.mark.parametrize("path", sorted((GOLDEN / "gatto").glob("*.txt")), ids=names)
def test_gattos_playthroughs_agree_with_the_reference(path: Path) -> None:
    keys, steps = read(path)
    entry = LIBRARY.entry("gatto", keys["component_set"], keys["component_hash"], "set")
    contents = entry.components.contents
    cs = reference_set(contents)
    s = ref.initial(cs, int(keys["players"]))
    state = decode_state(LIBRARY, ParseDict(json.loads(keys["initial"]), game_pb2.GameState())).state
    for _, who, choices, code, scores, _ in steps:
        same_position(entry.game, state, s)
        to_move = ref.to_move(cs, s)
        if to_move == "chance":
            assert who == "draw"
            assert int(choices) == len(ref.draws(cs, s))
        else:
            assert who == str(to_move + 1)
            assert int(choices) == len(ref.moves(cs, s))
        s = ref.apply(cs, s, reference_move(contents, s.step, int(code)))
        state.apply(int(code))
        totals = [sum(ref.score_items(cs, s, player).values()) for player in range(s.players)]
        assert scores == "/".join(map(str, totals))
    assert s.over
    result = ref.result(cs, s)
    assert keys["score"].split() == [str(score) for score, _ in result]
    assert keys["win"].split() == [f"{float(share):g}" for _, share in result]
