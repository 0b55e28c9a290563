"""Golden playthroughs: whole random games as text, one per game, variant and number of players.

Run `python scripts/golden.py` to write those that are missing into tests/golden, and `--rewrite [GAME...]` to write
them anew after a rule was corrected. tests/test_golden.py replays every file.

A file consists of lines `key: value` (game, component_set, component_hash, options, players, seed), the initial
position as JSON, then one line per step:

  NUMBER WHO CHOICES CODE SCORES TEXT

WHO is the player to move (from 1) or `draw`; CHOICES the number of legal moves or possible draws there; CODE the
number of the move made; SCORES what every player has after it; TEXT the move in words. The last lines are `win`, the
share of the win, and `score`, the final score, per player.
"""
from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.json_format import MessageToDict

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from cafebrain.errors import BrainError  # noqa: E402
from cython_ext.game import CHANCE_POINT, GAME_OVER, State  # noqa: E402
from cython_ext.rng import Random  # noqa: E402
from engines.engine import Engine  # noqa: E402
from engines.library import Entry, Library  # noqa: E402
from solver.positions import Position, encode_state  # noqa: E402

GOLDEN = ROOT / "tests" / "golden"
STEPS_MOST = 600  # a longer game is cut there: its file has no result
SEEDS_TRIED = 20


@dataclass(frozen=True)
class Variant:
    """One way a game can be started."""

    engine: Engine
    players: int
    options: tuple[tuple[str, str], ...]

    @property
    def path(self) -> Path:
        """The golden file."""
        name = "-".join([f"{self.players}p", *(f"{option}={value}" for option, value in self.options)])
        return GOLDEN / self.engine.id / f"{name}.txt"


def variants(library: Library, engine: Engine) -> Iterator[Variant]:
    """Yield every number of players with every combination of the options' values the engine starts with."""
    entry = library.entries(engine.id)[0]
    for players in range(engine.min_players, engine.max_players + 1):
        for values in itertools.product(*(option.values for option in engine.options)):
            options = tuple(zip((option.name for option in engine.options), values, strict=True))
            try:
                engine.initial(entry.game, players, dict(options), Random(0))
            except BrainError as error:
                if error.code != "INVALID_ARGUMENT":
                    raise
                continue
            yield Variant(engine, players, options)


def score_text(engine: Engine, state: State) -> str:
    """Return what every player has, as it stands."""
    return "/".join(f"{sum(points for _, points in items):g}" for items in engine.score_items(state))


def record(entry: Entry, variant: Variant, seed: int, most: int = STEPS_MOST) -> list[str]:
    """Play a random game and return its lines."""
    engine = entry.engine
    state = engine.initial(entry.game, variant.players, dict(variant.options), Random(seed))
    initial = MessageToDict(encode_state(Position(entry, state)), preserving_proto_field_name=True)
    lines = [
        f"game: {engine.id}",
        f"component_set: {entry.components.id}",
        f"component_hash: {entry.components.hash}",
        " ".join(["options:", *(f"{name}={value}" for name, value in variant.options)]),
        f"players: {variant.players}",
        f"seed: {seed}",
        "initial: " + json.dumps(initial, ensure_ascii=False, separators=(",", ":"), sort_keys=True),
    ]
    dice = random.Random(seed)
    for number in range(1, most + 1):
        if state.to_move == GAME_OVER:
            break
        if state.to_move == CHANCE_POINT:
            codes, weights = zip(*state.outcomes(), strict=True)
            who, code = "draw", dice.choices(codes, weights)[0]
        else:
            codes = tuple(state.moves())
            who, code = f"{state.to_move + 1}", dice.choice(codes)
        text = engine.move_text(state, code)
        state.apply(code)
        lines.append(f"{number} {who} {len(codes)} {code} {score_text(engine, state)} {text}")
    if state.to_move == GAME_OVER:
        wins, scores = state.returns()
        lines.append("win: " + " ".join(f"{win:g}" for win in wins))
        lines.append("score: " + " ".join(f"{score:g}" for score in scores))
    return lines


def write(library: Library, variant: Variant) -> None:
    """Write a variant's file: the first seed's game that ends within STEPS_MOST, else the first seed's, cut."""
    entry = library.entries(variant.engine.id)[0]
    games = (record(entry, variant, seed) for seed in range(1, SEEDS_TRIED + 1))
    first = next(games)
    lines = first if first[-1].startswith("score: ") else next(
        (game for game in games if game[-1].startswith("score: ")), first
    )
    variant.path.parent.mkdir(parents=True, exist_ok=True)
    variant.path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Write golden files."""
    parser = argparse.ArgumentParser(description="Write the golden playthroughs that are missing.")
    parser.add_argument("--rewrite", nargs="*", metavar="GAME", help="write those of these games (all) anew")
    arguments = parser.parse_args()
    library = Library()
    for game in library.games():
        anew = arguments.rewrite is not None and (not arguments.rewrite or game in arguments.rewrite)
        for variant in variants(library, library.engine(game)):
            if anew or not variant.path.exists():
                write(library, variant)
                print(variant.path.relative_to(ROOT))


if __name__ == "__main__":
    main()
