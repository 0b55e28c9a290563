"""A final score of one player in words: where it lies among the solver's own scores on random decks."""
from __future__ import annotations

from dataclasses import dataclass

from engines.ratings import Ratings
from solver.positions import Position


@dataclass(frozen=True)
class Rating:
    """What a score is worth."""

    medal: str  # gold, silver, bronze or ""
    share_below: float  # of the solver's scores
    known: Ratings

    def __str__(self) -> str:
        medal = self.medal.capitalize() or "No medal"
        return (
            f"{medal}: better than {100 * self.share_below:.0f} % of {len(self.known.scores)} random decks as cafebrain"
            f" plays them ({self.known.play}); this is not the printed game's table of titles."
        )


def rate(start: Position, score: float) -> Rating | None:
    """Rate a final score; None where the scores of such games are not known.

    start: the beginning of the game, for one player, as the player knew it: with the order of the deck or without.
    """
    ratings = start.engine.ratings(start.state)
    return None if ratings is None else Rating(ratings.medal(score), ratings.share_below(score), ratings)
