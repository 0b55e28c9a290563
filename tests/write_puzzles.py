"""Writes tests/data/cafe_puzzles.jsonl: the most points of the first rounds of decks, by tests/reference/cafe_puzzle.c.

Run `python -m tests.write_puzzles`: some minutes on one core for two rounds, some hours for three. It goes on where it
was stopped; remove the file to have it written anew. With two rounds the program tries everything; with three it leaves
out what a trivial bound rules out, and decks that take it longer than PATIENCE are passed over.
"""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from cython_ext.rng import Random
from engines.cafe.components import Card
from engines.cafe.rules import CafeGame
from engines.library import Library

FILE = Path(__file__).parent / "data" / "cafe_puzzles.jsonl"
PROGRAM = Path(__file__).parent / "reference" / "cafe_puzzle.c"
WANTED = {2: 100, 3: 20}  # decks by rounds
PATIENCE = 600  # seconds
LETTERS = {"empty": "e", "cup": "u", "ship": "s", "dry": "d", "roast": "r"}


def described(card: Card) -> str:
    """Return a card as the program reads it."""
    squares = [
        str(square.color) if square.kind == "plantation"
        else "ABCDEF"[square.shop] if square.kind == "shop"
        else LETTERS[square.kind]
        for square in card.squares
    ]  # fmt: skip
    shops = [f"{' '.join(map(str, shop.cubes))} {shop.points}" for shop in card.shops]
    return " ".join(["".join(squares), str(len(shops)), *shops])


def puzzle(deck: int, rounds: int) -> str:
    """Return the first rounds of a deck as the program reads them."""
    entry = Library().entry("cafe", "", "", "set")
    assert isinstance(entry.game, CafeGame)
    cards = entry.game.components.contents.cards
    state = entry.engine.initial(entry.game, 1, {"open_deck": "true"}, Random(deck))
    fields = entry.game.read(state)
    numbers = [fields["areas"][0]["cards"][0][0], *fields["offer"], *fields["deck"]]
    return "\n".join([str(rounds), *(described(cards[number]) for number in numbers[: 1 + 3 * rounds]), ""])


def main() -> None:
    known = [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []
    with tempfile.TemporaryDirectory() as folder, FILE.open("a") as out:
        program = Path(folder) / "cafe_puzzle"
        subprocess.run(["cc", "-O2", "-o", program, PROGRAM], check=True)
        for rounds, wanted in WANTED.items():
            mine = [line["deck"] for line in known if line["rounds"] == rounds]
            found, deck = len(mine), max(mine, default=-1)
            while found < wanted:
                deck += 1
                try:
                    run = subprocess.run(
                        [program], input=puzzle(deck, rounds), capture_output=True, check=True, text=True,
                        timeout=PATIENCE,
                    )  # fmt: skip
                except subprocess.TimeoutExpired:
                    continue
                points, positions = map(int, run.stdout.split())
                line = {"rounds": rounds, "deck": deck, "points": points, "positions": positions}
                out.write(json.dumps(line) + "\n")
                out.flush()
                print(line, file=sys.stderr)
                found += 1


if __name__ == "__main__":
    main()
