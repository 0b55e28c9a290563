"""The main job in one go: start a server, send it a stored mid-game position, print the moves it suggests."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from google.protobuf import json_format
from rich.console import Console
from rich.table import Table

from cafebrain import Client
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2

POSITION = Path(__file__).parent / "positions" / "gatto_midgame.json"
TIME_MS = 200


def main() -> None:
    """Run the demo."""
    server = subprocess.Popen(
        [sys.executable, "-m", "server", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # its log
        text=True,
        cwd=Path(__file__).parent.parent,
    )
    try:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("listening on ").strip()
        if not address:
            sys.exit("the server did not start; `cafebrain serve` says why")
        print(f"server listening on {address}")
        state = json_format.Parse(POSITION.read_text(encoding="utf-8"), game_pb2.GameState())
        with Client(address) as client:
            request = pb.SuggestRequest(
                state=state, budget=pb.Budget(time_ms=TIME_MS), seed=1, moves_wanted=5, timing=True
            )
            suggestion = client.suggest(request).suggestion
        print_suggestion(suggestion)
    finally:
        server.terminate()
        server.wait()


def print_suggestion(suggestion: pb.Suggestion) -> None:
    """Print the ranked moves with what they are worth to the player to move."""
    player = suggestion.player
    table = Table(title=f"{POSITION.name}: moves of player {player}, best first")
    for heading in ("move", "visits", f"player {player} wins", f"player {player} scores"):
        table.add_column(heading, justify="left" if heading == "move" else "right")
    for move in filter(lambda move: move.visits, suggestion.moves):
        mine = move.players[player - 1]
        table.add_row(
            move.text,
            str(move.visits),
            f"{mine.win_probability:.1%}",
            f"{mine.expected_score:.1f} ± {mine.score_spread:.1f}",
        )
    console = Console()
    console.print(table)
    console.print(f"{suggestion.visits} simulations in {suggestion.elapsed_ms:.0f} ms")
    if suggestion.components_reconstructed:
        console.print("The component set is reconstructed: these are not the values of the printed game.")


if __name__ == "__main__":
    main()
