"""Stored endings with the exact value of every move, and how the search does in them.

Run `python scripts/endings.py [GAME...]` to see how often the search finds a best move, with the solver of endings and
without it, and whether that solver agrees with the stored values. `python -m tests.write_endings` writes them.

A line of tests/endings/GAME.jsonl is an ending: `options` the game was started with, `size` the positions that the
native solver looks at, `state`, and `moves`, a list of [id, win share per player, score per player].
"""
from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.json_format import ParseDict

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from cafebrain.v1 import brain_service_pb2 as pb  # noqa: E402
from cafebrain.v1 import game_pb2  # noqa: E402
from cython_ext.exact import Exact  # noqa: E402
from engines.library import Library  # noqa: E402
from solver.analysis import Control, Limits, analysis_for  # noqa: E402
from solver.positions import decode_state  # noqa: E402

ENDINGS = ROOT / "tests" / "endings"
LARGE = 1 << 20  # positions: more than any stored ending takes
VISITS = 5000  # of the search that is checked
NEAR = 0.01  # share of the win by which a move may be worse than the best and still count as found


@dataclass(frozen=True)
class Ending:
    """An ending and what its moves are worth. values: win share and score per player, by move."""

    size: int
    state: game_pb2.GameState
    values: dict[int, tuple[list[float], list[float]]]

    def loss(self, move: int, player: int) -> float:
        """Return the share of the win that a move loses for a player from 0."""
        return max(wins[player] for wins, _ in self.values.values()) - self.values[move][0][player]


def read_endings(game: str) -> list[Ending]:
    """Return the stored endings of a game."""
    endings = []
    for line in (ENDINGS / f"{game}.jsonl").read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        values = {code: (wins, scores) for code, wins, scores in found["moves"]}
        endings.append(Ending(found["size"], ParseDict(found["state"], game_pb2.GameState()), values))
    return endings


def lost(library: Library, ending: Ending, exact: bool, seed: int = 1, visits: int = VISITS) -> tuple[float, bool]:
    """Return the share of the win that the search's move loses in an ending, and whether it solved the position."""
    position = decode_state(library, ending.state)
    request = pb.SuggestRequest(budget=pb.Budget(visits=visits), seed=seed)
    analysis = analysis_for(position, request, Control(), Limits(), "", features={"exact": exact})
    analysis.run()
    return ending.loss(analysis.ranked()[0].code, position.state.to_move), analysis.solved


def difference(library: Library, ending: Ending) -> float:
    """Return the largest difference between a value of the native solver and the brute force; infinite if unsolved."""
    exact = Exact(decode_state(library, ending.state).state, budget=LARGE)
    if exact.run(math.inf) != "solved":
        return math.inf
    found = {code: (wins, scores) for code, wins, scores, _ in exact.root_values()}
    if found.keys() != ending.values.keys():
        return math.inf
    return max(
        abs(mine - theirs)
        for code, parts in ending.values.items()
        for stored, native in zip(parts, found[code], strict=True)
        for mine, theirs in zip(native, stored, strict=True)
    )


def check(games: Sequence[str], visits: int, seed: int) -> None:
    """Print a line per game: how many endings, the largest error of the solver, how many best moves were found."""
    library = Library()
    for game in games:
        endings = read_endings(game)
        error = max(difference(library, ending) for ending in endings)
        line = f"{game}: {len(endings)} endings, largest error {error:.1e}"
        for name, exact in (("on", True), ("off", False)):
            losses, solutions = zip(*(lost(library, ending, exact, seed, visits) for ending in endings), strict=True)
            found = sum(loss <= NEAR for loss in losses) / len(losses)
            line += f"; solver {name}: {found:.1%} found, mean loss {sum(losses) / len(losses):.5f}"
            line += f", {sum(solutions)} solved" if exact else ""
        print(line, flush=True)


def main() -> None:
    """Check the endings of some games, or of all."""
    parser = argparse.ArgumentParser(description="How the search does in endings solved by brute force.")
    parser.add_argument("games", nargs="*", metavar="GAME", help="default all")
    parser.add_argument("--visits", type=int, default=VISITS, help=f"of a search; default {VISITS}")
    parser.add_argument("--seed", type=int, default=1, help="of a search; default 1")
    given = parser.parse_args()
    check(given.games or sorted(path.stem for path in ENDINGS.glob("*.jsonl")), given.visits, given.seed)


if __name__ == "__main__":
    main()
