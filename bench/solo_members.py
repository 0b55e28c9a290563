"""Compares the members of the solo solver's portfolio: points on the same decks, each alone on one thread.

    python -m bench.solo_members FILE --decks 1-10 --members beam,nrpa,mcts,mcts:200 --seconds 20

MEMBER:SECONDS gives one member another time. Results are JSON lines in FILE; what it holds already is not searched
again, so that the command can be stopped at any time and goes on where it was. The table shows the mean points with
their 95 % interval, and by how much a member is better or worse than the first one on the same decks.
"""
from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench.cluster import puzzle
from bench.positions import library
from cafebrain.v1 import game_pb2
from solver.positions import decode_state
from solver.solo import SoloSearch
from solver.summary import distribution

Key = tuple[str, float, int]  # member, seconds, deck


def main() -> None:
    """Search what is missing in the file, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--decks", default="1-10", help="first and last seed")
    parser.add_argument("--members", default="beam,nrpa,mcts")
    parser.add_argument("--seconds", type=float, default=20.0)
    given = parser.parse_args()
    first, last = map(int, given.decks.split("-"))
    named = [name.partition(":") for name in given.members.split(",")]
    members = [(member, float(seconds or given.seconds)) for member, _, seconds in named]
    known = read(given.file)
    with given.file.open("a") as file:
        if file.tell() and not given.file.read_bytes().endswith(b"\n"):
            file.write("\n")
        for deck in range(first, last + 1):
            for member, seconds in members:
                if (member, seconds, deck) not in known:
                    points, nodes = search(member, seconds, deck)
                    known[member, seconds, deck] = points
                    record = {"member": member, "seconds": seconds, "deck": deck, "points": points, "nodes": nodes}
                    file.write(json.dumps(record) + "\n")
                    file.flush()
    print_table(known, members, range(first, last + 1))


def read(path: Path) -> dict[Key, float]:
    """Return the points in a file; lines that were cut off are left out."""
    if not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]
    return {(record["member"], record["seconds"], record["deck"]): record["points"] for record in records}


def search(member: str, seconds: float, deck: int) -> tuple[float, int]:
    """Return the points a member reaches, and the positions it looked at."""
    position = decode_state(library(), game_pb2.GameState.FromString(puzzle("cafe", deck)))
    found = SoloSearch(position, members=[member]).run(seconds, later=0.0)
    assert found.score is not None
    return found.score, found.nodes


def print_table(known: dict[Key, float], members: list[tuple[str, float]], decks: range) -> None:
    """Print a line for each member."""
    print("| member | seconds | decks | points | less than the first |\n|---|---|---|---|---|")
    for member, seconds in members:
        points = [known[member, seconds, deck] for deck in decks]
        lost = distribution([known[*members[0], deck] - known[member, seconds, deck] for deck in decks])
        mean = distribution(points)
        print(f"| {member} | {seconds:g} | {len(decks)} | {mean.mean:.1f} ± {mean.error:.1f} "
              f"| {lost.mean:.1f} ± {lost.error:.1f} |")  # fmt: skip


if __name__ == "__main__":
    main()
