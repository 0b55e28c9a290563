"""The deck of Café when its order is known: shuffled, laid out card by card, and hidden again."""
from __future__ import annotations

from collections.abc import Sequence

from cython_ext.game import State
from cython_ext.rng import Random
from engines.cafe.codec import FIRST_EXPRESSO, FIRST_START
from engines.cafe.rules import CafeGame
from engines.violations import Violations

PLAN_CARDS = 24  # of a game for one player, drawn from the 48


def shuffled(cards: list[int], random: Random) -> list[int]:
    """Return the cards in random order (Fisher and Yates)."""
    for last in range(len(cards) - 1, 0, -1):
        other = random.below(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


def shuffled_deck(expresso: bool, random: Random) -> list[int]:
    """Return the deck of a game for one player: 24 plan cards, with Expresso its eight shuffled in."""
    deck = shuffled(list(range(FIRST_EXPRESSO)), random)[:PLAN_CARDS]
    return shuffled(deck + list(range(FIRST_EXPRESSO, FIRST_START)), random) if expresso else deck


def laid_out(game: CafeGame, state: State, ids: Sequence[str]) -> State:
    """Return the first position with the deck `ids`; a start card in front of it takes the place of the one in `state`.

    state: whether it is played with Expresso, and the start card.
    Raises BrainError INVALID_ARGUMENT for unknown ids, cards that come twice or a wrong number of them.
    """
    fields = game.read(state)
    numbers = {card.id: number for number, card in enumerate(game.components.contents.cards)}
    faults = Violations("deck", "INVALID_REQUEST", "no deck")
    start = fields["areas"][0]["cards"][0][0]
    places: dict[int, int] = {}
    for index, id_ in enumerate(ids):
        card = numbers.get(id_)
        if card is None:
            faults.add(f"cards[{index}]", id_, "the component set has no such card")
        elif card >= FIRST_START:
            start = card
            if index:
                faults.add(f"cards[{index}]", id_, "a start card can only come first")
        elif card >= FIRST_EXPRESSO and not fields["expresso"]:
            faults.add(f"cards[{index}]", id_, "is an Expresso card, and the game is without Expresso")
        elif card in places:
            faults.add(f"cards[{index}]", id_, f"comes twice, first as cards[{places[card]}]")
        else:
            places[card] = index
    faults.check()
    deck = list(places)
    plan = sum(card < FIRST_EXPRESSO for card in deck)
    if plan != PLAN_CARDS:
        faults.add("", f"{plan} plan cards", f"a game for one player has {PLAN_CARDS}")
    if fields["expresso"] and len(deck) - plan != FIRST_START - FIRST_EXPRESSO:
        faults.add("", f"{len(deck) - plan} Expresso cards", f"all {FIRST_START - FIRST_EXPRESSO} are in the deck")
    faults.check()
    return game.initial(1, [start], 0, False, fields["expresso"], deck)


def hidden(game: CafeGame, state: State) -> State:
    """Return the position of a game for one player as it is where the order of the deck is unknown."""
    return game.build({**game.read(state), "deck": [], "open_deck": False})
