"""Golden hints: what the brain says to a person in ten stored positions of each game.

Run `python scripts/hints.py` to write what is missing, and `--rewrite [GAME...]` to write the texts anew after the
search, a reason or a text was changed. Read them before you commit them: they should sound like a good player's advice.

tests/hints/GAME.jsonl holds the positions, one a line; tests/hints/GAME.txt the hints: for each position
the player to move, then the grades in English and the full hint in German, with the good moves, their classes and
reasons. tests/test_hints.py compares.
"""
from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.json_format import MessageToDict, Parse

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from cafebrain.v1 import brain_service_pb2 as pb  # noqa: E402
from cafebrain.v1 import game_pb2  # noqa: E402
from cython_ext.rng import Random  # noqa: E402
from engines.library import Library  # noqa: E402
from scripts.golden import variants  # noqa: E402
from solver.brain import Brain  # noqa: E402
from solver.positions import Position, encode_state  # noqa: E402

POSITIONS = 10
VISITS = 3000  # enough for sensible advice, few enough for a test
SHARES = (0.08, 0.9)  # of a game that the positions lie in
LEAST_MOVES = 3
POLICY_VISITS = 150  # of the games the positions are taken from


def positions_path(game: str) -> Path:
    """Return the file of a game's positions."""
    return ROOT / "tests" / "hints" / f"{game}.jsonl"


def golden_path(game: str) -> Path:
    """Return the file of a game's hints."""
    return ROOT / "tests" / "hints" / f"{game}.txt"


def read_positions(game: str) -> list[game_pb2.GameState]:
    """Return the stored positions of a game."""
    lines = positions_path(game).read_text(encoding="utf-8").splitlines()
    return [Parse(line, game_pb2.GameState()) for line in lines]


def hint_lines(brain: Brain, state: game_pb2.GameState) -> Iterator[str]:
    """Yield what the brain says of a position."""
    def ask(grade: pb.HintGrade.ValueType, language: str) -> pb.HintResponse:
        budget = pb.Budget(visits=VISITS)
        return brain.hint(pb.HintRequest(state=state, grade=grade, language=language, budget=budget, seed=1))

    full = ask(pb.HINT_GRADE_FULL, "en")
    yield f"player {full.player}"
    yield f"nudge: {ask(pb.HINT_GRADE_NUDGE, 'en').text}"
    yield f"idea: {ask(pb.HINT_GRADE_IDEA, 'en').text}"
    yield f"full: {full.text}"
    yield f"de: {ask(pb.HINT_GRADE_FULL, 'de').text}"
    for move in full.moves:
        kind = pb.MoveClass.Name(move.move_class).removeprefix("MOVE_CLASS_").lower()
        reasons = " ".join(reason.text for reason in move.reasons)
        yield f"  {kind}: {move.text}" + (f" | {reasons}" if reasons else "")


def golden(brain: Brain, game: str) -> str:
    """Return the text of a game's golden file."""
    blocks = (
        "\n".join([f"position {number}, {next(lines)}", *lines])
        for number, lines in enumerate((hint_lines(brain, state) for state in read_positions(game)), 1)
    )
    return "\n\n".join(blocks) + "\n"


def find_positions(library: Library, game: str) -> list[game_pb2.GameState]:
    """Return positions from games of weak play: every variant in turn, later in the game from one to the next."""
    brain = Brain(library)
    chosen: list[game_pb2.GameState] = []
    starts = itertools.cycle(variants(library, library.engine(game)))
    for index in range(POSITIONS):
        variant = next(starts)
        entry = library.entries(game)[0]
        state = entry.engine.initial(entry.game, variant.players, dict(variant.options), Random(index))
        message = encode_state(Position(entry, state))
        decisions = []
        for step in range(2000):
            listed = brain.get_moves(pb.GetMovesRequest(state=message))
            if listed.to_move == "over":
                break
            choice = None
            if listed.player:
                if len(listed.moves) >= LEAST_MOVES:
                    decisions.append(message)
                budget = pb.Budget(visits=POLICY_VISITS)
                answer = brain.suggest(pb.SuggestRequest(state=message, budget=budget, seed=index, moves_wanted=1))
                choice = pb.MoveChoice(id=answer.suggestion.moves[0].id)
            message = brain.apply_move(pb.ApplyMoveRequest(state=message, move=choice, seed=100 * index + step)).state
        share = SHARES[0] + (SHARES[1] - SHARES[0]) * index / (POSITIONS - 1)
        chosen.append(decisions[int(share * len(decisions))])
    return chosen


def main() -> None:
    """Write positions and golden hints."""
    parser = argparse.ArgumentParser(description="Write the golden hints that are missing.")
    parser.add_argument("--rewrite", nargs="*", metavar="GAME", help="write those of these games (all) anew")
    arguments = parser.parse_args()
    library = Library()
    brain = Brain(library)
    for game in library.games():
        if not positions_path(game).exists():
            lines = (
                json.dumps(MessageToDict(state), separators=(",", ":")) for state in find_positions(library, game)
            )
            positions_path(game).parent.mkdir(parents=True, exist_ok=True)
            positions_path(game).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        anew = arguments.rewrite is not None and (not arguments.rewrite or game in arguments.rewrite)
        if anew or not golden_path(game).exists():
            golden_path(game).parent.mkdir(parents=True, exist_ok=True)
            golden_path(game).write_text(golden(brain, game), encoding="utf-8")
            print(golden_path(game).relative_to(ROOT))


if __name__ == "__main__":
    main()
