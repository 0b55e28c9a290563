"""What speaks for and against a move in Campus Café.

Every reason states what the position shows, what the search's best line does later in the turn, or a difference that
the search measured and that lies beyond its noise. Kinds: gives, money, zone_empty, converts, leads_to, leads_to_none,
gives_up_least, check, reverse, gift, objective, denies, keeps, saves, tokens_back, costs_rival.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cython_ext.game import State
from engines.advice import Choice, Question, Reason, wins_words
from engines.campus.components import RESOURCES, VARIANTS, CampusSet, Card, Space
from engines.campus.moves import COUNTER_COVERS, covers, discarded, split
from engines.campus.rules import CampusGame, MoveKind
from engines.campus.terms import COLOR_WORDS, RESOURCE_WORDS, objective, resources, reverse
from engines.words import Text, count, either, joined, listed, say

WORTH = (1, 2, 3, 4, 5)  # dollars per resource
REVERSE_WEIGHTS = {
    "career": 1.8, "multiplier": 1.8, "satisfier": 1.6, "supplier": 1.4, "extension": 1.2, "manipulator": 1.0,
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A position read once, from the eyes of one player."""

    contents: CampusSet
    fields: dict[str, Any]
    player: int

    @classmethod
    def of(cls, game: CampusGame, state: State, player: int) -> Table:
        """Read a position."""
        return cls(game.components.contents, game.read(state), player)

    @property
    def tray(self) -> list[int]:
        """What is in the player's tray, per resource."""
        tray: list[int] = self.fields["players"][self.player]["tray"]
        return tray

    def space(self, index: int) -> Space:
        """Return a dice space."""
        return self.contents.side(VARIANTS[self.fields["advanced"]]).spaces[index]


def nudge(game: CampusGame, state: State, move: int) -> Text:
    """Return where to look for a move."""
    kind, argument = split(move)
    if kind in (MoveKind.PLACE, MoveKind.STACK):
        space = Table.of(game, state, state.to_move).space(argument & 15)
        return say("Look at the {color} spaces.", color=COLOR_WORDS[space.color])
    return {
        MoveKind.SERVE: say("Look at the cards you can serve now."),
        MoveKind.STOP: say("Do you need your tray for the next turn?"),
        MoveKind.PAY: say("Which resources and tokens do you want to keep?"),
        MoveKind.DISCARD: say("Which of your resources do you need least?"),
        MoveKind.DICE: say("Which colours of dice do you need?"),
        MoveKind.WAITER: say("Compare what the waiters can do."),
        MoveKind.DEPLETE: say("Who needs this resource most?"),
    }.get(kind, say("What does your tray lack?"))


def idea(game: CampusGame, state: State, move: int) -> Text:
    """Return what kind of move it is."""
    kind, argument = split(move)
    if kind in (MoveKind.PLACE, MoveKind.STACK):
        space = Table.of(game, state, state.to_move).space(argument & 15)
        if space.times:
            return say("Use a counter.")
        return say("Collect resources.") if space.give else say("Take money.")
    if kind == MoveKind.SERVE:
        return say("Serve a card.")
    if kind == MoveKind.STOP:
        return say("Serve nothing more.")
    if kind == MoveKind.PAY:
        tokens = any(cover for cover in _covers(game, state, argument) if cover)
        return say("Pay with tokens or conversions where you can.") if tokens else say("Pay from the tray.")
    return nudge(game, state, move)


def reasons(game: CampusGame, question: Question) -> list[Reason]:
    """Return what the position and the figures show of a move."""
    kind, argument = split(question.choice.move)
    table = Table.of(game, question.state, question.player)
    if kind in (MoveKind.PLACE, MoveKind.STACK):
        twice = 2 if kind == MoveKind.STACK else 1
        return [*_space(table, table.space(argument & 15), twice), *_leads_to(table, question.choice)]
    if kind == MoveKind.DISCARD:
        return [*_discard(table, question, argument), *_leads_to(table, question.choice)]
    if kind == MoveKind.SERVE:
        return list(_serve(table, question, argument))
    if kind == MoveKind.STOP:
        return list(_stop(table, question))
    if kind == MoveKind.PAY:
        return list(_pay(game, table, question, argument))
    if kind in (MoveKind.GIFT, MoveKind.TALENT, MoveKind.WILLIAM):
        return list(_leads_to(table, question.choice))
    if kind == MoveKind.DEPLETE:
        share = question.costs_rival(argument) if argument != question.player else 0
        if share > 0:
            text = say("Costs player {player} {wins}.", player=argument + 1, wins=wins_words(share))
            return [Reason("costs_rival", text, 2)]
    return []


def _space(table: Table, space: Space, twice: int) -> Iterator[Reason]:
    if space.times:
        text = count(
            "Lets you serve {source} for {target} once.", "Lets you serve {source} for {target} up to {n} times.",
            space.times * twice, source=_any_of(space.source), target=_any_of(space.target),
        )
        yield Reason("converts", text, 1.5)
    wanted = [twice * space.give.count(letter) for letter in RESOURCES]
    given = [min(want, left) for want, left in zip(wanted, table.fields["zone"], strict=True)]
    if any(given):
        worth = sum(n * worth for n, worth in zip(given, WORTH, strict=True))
        text = say("Gives {resources}, worth ${worth}.", resources=resources(given), worth=worth)
        yield Reason("gives", text, 0.8 + 0.1 * worth)
    if given != wanted:
        lacking = [RESOURCE_WORDS[i] for i, (want, got) in enumerate(zip(wanted, given, strict=True)) if got < want]
        yield Reason("zone_empty", say("The zone is short of {resources}.", resources=listed(lacking)), 1)
    if space.money:
        yield Reason("money", say("Pays ${money} at the check.", money=space.money * twice), 0.5 + 0.1 * space.money)


def _any_of(letters: str) -> Text:
    words = [RESOURCE_WORDS[RESOURCES.index(letter)] for letter in letters]
    return say("anything") if len(letters) == len(RESOURCES) else either(words)


def _served_later(choice: Choice) -> list[int]:
    """Return the cards that the search's best line serves after the move, in the same turn."""
    codes = [split(move) for move in choice.line[1:]]
    stop = next((index for index, (kind, _) in enumerate(codes) if kind == MoveKind.STOP), len(codes))
    return [argument for kind, argument in codes[:stop] if kind == MoveKind.SERVE]


def _leads_to(table: Table, choice: Choice) -> Iterator[Reason]:
    cards = _served_later(choice)
    if cards:
        checks = sum(table.contents.cards[card].check for card in cards)
        numbers = joined([say("card {number}", number=card + 1) for card in cards])
        text = say("You can then serve {cards} for ${checks}.", cards=numbers, checks=checks)
        yield Reason("leads_to", text, 2 + 0.05 * checks)


def _discard(table: Table, question: Question, argument: int) -> Iterator[Reason]:
    def worth(code: int) -> int:
        return sum(n * value for n, value in zip(discarded(split(code)[1]), WORTH, strict=True))

    mine = worth(question.choice.move)
    if mine == min(map(worth, question.state.moves())):
        yield Reason("gives_up_least", say("Gives up as little as possible, ${worth}.", worth=mine), 1.5)


def _serve(table: Table, question: Question, argument: int) -> Iterator[Reason]:
    card = table.contents.cards[argument]
    yield Reason("check", say("Brings ${check} at the check.", check=card.check), 1 + 0.1 * card.check)
    text = say("Its reverse serves you from the next turn on: {reverse}.", reverse=reverse(card))
    yield Reason("reverse", text, REVERSE_WEIGHTS[card.reverse])
    if card.gift:
        gift = RESOURCE_WORDS[RESOURCES.index(card.gift)]
        yield Reason("gift", say("Has a gift, {resource}.", resource=gift), 1.1)
    yield from _objectives(table, card)
    others = [other for other in question.others if split(other.move) != (MoveKind.SERVE, argument)]
    shares = {
        rival: question.costs_rival(rival, others)
        for rival in range(question.state.players) if rival != question.player
    }
    rival = max(shares, key=shares.__getitem__)
    if shares[rival] > 0:
        text = say("If you leave it, player {player} gains {wins}.", player=rival + 1, wins=wins_words(shares[rival]))
        yield Reason("denies", text, 1.2 + 20 * shares[rival])


def _objectives(table: Table, card: Card) -> Iterator[Reason]:
    """Name the first objective on the table that the card counts for."""
    for index in table.fields["objective"]:
        if index < 0:
            continue
        goal = table.contents.objectives[index]
        counts = (
            (goal.kind == "resource" and goal.resource in card.all_dishes)
            or (goal.kind == "customers" and any(kind in goal.types for kind in card.customers))
            or (goal.kind == "groups" and goal.size == len(card.customers))
        )
        if counts:
            yield Reason("objective", say("Counts for an objective: {objective}.", objective=objective(goal)), 1.2)
            return


def _stop(table: Table, question: Question) -> Iterator[Reason]:
    serves = any(split(move)[0] == MoveKind.SERVE for move in question.state.moves())
    if serves and any(table.tray):
        yield Reason("saves", say("Saves {resources} for later.", resources=resources(table.tray)), 1)


def _covers(game: CampusGame, state: State, argument: int) -> list[int]:
    fields = game.read(state)
    return covers(game.components.contents.cards[fields["turn"]["paying"]], argument)


def _pay(game: CampusGame, table: Table, question: Question, argument: int) -> Iterator[Reason]:
    used = _covers(game, question.state, argument)
    card = table.contents.cards[table.fields["turn"]["paying"]]
    spent = [0] * len(RESOURCES)
    for letter, cover in zip(card.all_dishes, used, strict=True):
        if cover == 0:
            spent[RESOURCES.index(letter)] += 1
        elif cover >= COUNTER_COVERS:
            spent[(cover - COUNTER_COVERS) % len(RESOURCES)] += 1
    left = [has - n for has, n in zip(table.tray, spent, strict=True)]
    if any(left):
        yield Reason("keeps", say("Keeps {resources} in the tray.", resources=resources(left)), 1)
    if any(cover in (1, 2, 4) for cover in used):
        yield Reason("tokens_back", say("The coloured tokens come back after the turn."), 0.8)
    yield from _leads_to(table, question.choice)
