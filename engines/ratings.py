"""What a final score is worth: where it lies among the scores that this project's own solver reached on random decks.

A game's ratings.toml holds them, written by scripts/ratings.py. They are not the printed game's table of titles.
"""
from __future__ import annotations

import tomllib
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MEDALS = ((0.75, "gold"), (0.5, "silver"), (0.25, "bronze"))  # from which share of lower scores on


@dataclass(frozen=True)
class Ratings:
    """Scores of the solver on random decks, one per deck."""

    options: Mapping[str, str]  # the game's options; with a deck in known order or without
    component_set: str  # id
    hash: str  # of the set's contents
    play: str  # how the scores came about, in words
    command: str  # by which command
    scores: tuple[float, ...]  # ascending

    def share_below(self, score: float) -> float:
        """Return the share of the decks on which the solver scored less."""
        return bisect_left(self.scores, score) / len(self.scores)

    def medal(self, score: float) -> str:
        """Return gold, silver, bronze, or "" for none."""
        below = self.share_below(score)
        return next((medal for least, medal in MEDALS if below >= least), "")


def read_ratings(path: Path) -> list[Ratings]:
    """Return the ratings in a file, none where there is no file."""
    if not path.is_file():
        return []
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["ratings"]
    return [
        Ratings(
            table["options"], table["component_set"], table["hash"], table["play"], table["command"],
            tuple(sorted(table["scores"])),
        )
        for table in tables
    ]  # fmt: skip
