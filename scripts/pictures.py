"""Draw the boards of docs/boards, one stored position of each game: SVG, made a PNG by resvg. Run `make pictures`."""
from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from resvg_py import svg_to_bytes  # noqa: E402

from cafebrain.v1 import brain_service_pb2 as pb  # noqa: E402
from engines.library import Library  # noqa: E402
from scripts.hints import read_positions  # noqa: E402
from solver.brain import Brain  # noqa: E402

BOARDS = ROOT / "docs" / "boards"
SHOWN = 6  # which of the stored positions


def main() -> None:
    """Write the pictures of every game."""
    library = Library()
    brain = Brain(library)
    BOARDS.mkdir(exist_ok=True)
    for game in library.games():
        state = read_positions(game)[SHOWN]
        svg = brain.show_board(pb.ShowBoardRequest(state=state, svg=True)).svg
        (BOARDS / f"{game}.png").write_bytes(bytes(svg_to_bytes(svg_string=svg)))
        print(f"docs/boards/{game}.png")


if __name__ == "__main__":
    main()
