"""What speaks for and against a move in Café.

Every reason states what the position shows before and after the move, or a difference that the search measured and
that lies beyond its noise. Kinds: cup, free_cup, second_ship, shop, plentiful, denies, covers_nothing, covers_cubes,
covers_cup, closes_shop, joins, more_actions, grows, moves_on, shop_ready, discards, wanted, towards_shop, frees,
leads_to, completes_shop, points, last_cube.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cython_ext.game import State
from engines.advice import Question, Reason, wins_words
from engines.cafe.codes import FREE, Code, unpack
from engines.cafe.components import KINDS, CafeComponents, Shop
from engines.cafe.moves import COLOR_WORDS, cubes_words
from engines.cafe.rules import CafeGame
from engines.words import Text, count, name, say

LETTERS = {"plantation": 0, "double": 0, "sack": 0, "dry": 1, "roast": 2}
GROUP_WORDS = (say("plantations"), say("drying squares"), say("roasters"))
SHIPS = 2  # visible ships that make cups free
MOST_ACTIONS = 8
ROUNDS = 8


@dataclass(frozen=True)
class Table:
    """A position read once, from the eyes of one player."""

    contents: CafeComponents
    fields: dict[str, Any]
    scores: list[dict[str, int]]
    player: int

    @classmethod
    def of(cls, game: CafeGame, state: State, player: int) -> Table:
        """Read a position."""
        return cls(game.components.contents, game.read(state), game.score(state), player)

    @property
    def area(self) -> dict[str, Any]:
        """The player's area."""
        found: dict[str, Any] = self.fields["areas"][self.player]
        return found

    def groups(self) -> dict[int, list[int]]:
        """Return the cells of each group of plantations, drying squares or roasters."""
        found: dict[int, list[int]] = {}
        for cell, first in self.area["group"].items():
            if KINDS[self.area["visible"][cell][0]] in LETTERS:
                found.setdefault(first, []).append(cell)
        return found

    def letter(self, cell: int) -> int:
        """Return 0 for a plantation, 1 for drying, 2 for a roaster."""
        return LETTERS[KINDS[self.area["visible"][cell][0]]]

    def cubes_on(self, letter: int) -> Counter[int]:
        """Return the cubes per colour on all plantations, drying squares or roasters."""
        total: Counter[int] = Counter()
        for cell, cubes in self.area["cubes"].items():
            if KINDS[self.area["visible"][cell][0]] in LETTERS and self.letter(cell) == letter:
                total.update({color: n for color, n in enumerate(cubes) if n})
        return total

    def shop_at(self, cell: int) -> Shop:
        """Return the shop whose first square is a cell."""
        number: int = self.area["cards"][cell // 6][0]
        card = self.contents.cards[number]
        return card.shops[card.squares[cell % 6].shop]

    def wanting(self) -> dict[int, Counter[int]]:
        """Return what each open shop still asks for, by its first cell; satisfied ones are left out."""
        found = {}
        for cell in self.area["shops"]:
            has = self.area["cubes"].get(cell, (0, 0, 0, 0))
            left = Counter({
                color: want - got
                for color, (want, got) in enumerate(zip(self.shop_at(cell).cubes, has, strict=True)) if want > got
            })
            if left:
                found[cell] = left
        return found


def nudge(game: CafeGame, state: State, move: int) -> Text:
    """Return where to look for a move."""
    kind = unpack(move).kind
    if kind in ("take", "reject"):
        return say("Look at the cards on offer, and at the cubes you can spare.")
    if kind == "place":
        return say("Look for squares you no longer need.")
    if kind in ("grow", "fill"):
        return say("Look at your plantations.")
    if kind == "dry":
        return say("Look at your drying squares.")
    if kind == "roast":
        return say("Look at your roasters.")
    if kind in ("empty", "serve"):
        return say("Look at your roasters and shops.")
    if kind == "discard":
        return say("Look for cubes that only block the way.")
    if kind == "end":
        return say("Would another action gain anything?")
    return say("What is it worth to pick first?")


def idea(game: CafeGame, state: State, move: int) -> Text:
    """Return what kind of move it is."""
    code = unpack(move)
    if code.kind == "take":
        card = game.components.contents.cards[code.card]
        if card.shops:
            return say("Take a card with a shop.")
        return say("Take a card with a cup.") if card.count("cup") else say("Take a card for what you can make.")
    words = {
        "reject": say("Discard the card that helps others most."),
        "place": say("Place the card where it costs you little."),
        "grow": say("Grow."),
        "fill": say("Choose what grows."),
        "dry": say("Dry."),
        "roast": say("Roast."),
        "empty": say("Deliver."),
        "serve": say("Deliver."),
        "discard": say("Make room by discarding."),
        "end": say("Leave it at that."),
        "bid": say("Bid."),
        "pass": say("Pass."),
    }
    return words.get(code.kind, say("Pay with the cube you need least."))


def reasons(game: CafeGame, question: Question) -> list[Reason]:
    """Return what the position and the figures show of a move."""
    code = unpack(question.choice.move)
    before = Table.of(game, question.state, question.player)
    after = Table.of(game, question.after(), question.player)
    if code.kind == "take":
        return [*_take(before, code), *_denies(before, code, question)]
    if code.kind == "place":
        return list(_place(before, after))
    if code.kind in ("grow", "fill", "dry", "roast", "empty", "serve", "discard"):
        return [*_act(before, after, code), *_later(game, before, after, question)]
    if code.kind == "pay":
        return list(_plentiful(before, code.color))
    return []


def _take(table: Table, code: Code) -> Iterator[Reason]:
    card = table.contents.cards[code.card]
    if card.count("cup"):
        left = ROUNDS - table.fields["round"] + 1
        if table.area["cups"] < MOST_ACTIONS:
            text = count(
                "Its cup gives an action in this last round.", "Its cup gives one action more in each of {n} rounds.",
                left,
            )
            yield Reason("cup", text, 1 + 0.3 * left)
        if code.color == FREE:
            yield Reason("free_cup", say("Your ships make its cup free."), 1.5)
        else:
            yield from _plentiful(table, code.color)
    if card.count("ship") and table.area["ships"] == SHIPS - 1:
        yield Reason("second_ship", say("Its ship would be your second: cups then cost nothing."), 2)
    for shop in card.shops:
        cubes = cubes_words(shop.cubes)
        yield Reason("shop", say("Brings a shop of {points} points for {cubes}.", points=shop.points, cubes=cubes), 2)


def _plentiful(table: Table, color: int) -> Iterator[Reason]:
    stock = table.area["warehouse"]
    words = {"color": COLOR_WORDS[color]}
    if stock[color] == 1:
        yield Reason("last_cube", say("Costs your last cube of this colour: {color}.", **words), 0.6)
    elif all(stock[color] > other for index, other in enumerate(stock) if index != color):
        yield Reason("plentiful", say("You have most cubes of this colour: {color}.", **words), 0.8)


def _denies(table: Table, code: Code, question: Question) -> Iterator[Reason]:
    """Name the rival whom leaving a card would help, where the search measured it."""
    others = [
        other for other in question.others
        if unpack(other.move).kind != "take" or unpack(other.move).card != code.card
    ]
    shares = {
        rival: question.costs_rival(rival, others)
        for rival in range(table.fields["players"]) if rival != question.player
    }
    rival = max(shares, key=shares.__getitem__, default=-1)
    if rival >= 0 and shares[rival] > 0:
        text = say(
            "If you leave {card}, player {player} gains {wins}.",
            card=name(table.contents.cards[code.card].id), player=rival + 1, wins=wins_words(shares[rival]),
        )
        yield Reason("denies", text, 1.2 + 20 * shares[rival])


def _place(before: Table, after: Table) -> Iterator[Reason]:
    covered = [cell for cell in before.area["visible"] if cell not in after.area["visible"]]
    kinds = [KINDS[before.area["visible"][cell][0]] for cell in covered]
    lost = [sum(column) for column in zip(*(before.area["cubes"].get(c, (0, 0, 0, 0)) for c in covered), strict=True)]
    closed = [cell for cell in before.area["shops"] if cell not in after.area["shops"]]
    dead = [
        kind == "empty" or (kind == "shop" and not closed) for kind in kinds
    ]  # without a shop closing now, a covered shop square was closed before
    if all(dead):
        yield Reason("covers_nothing", say("Covers nothing you need."), 1.5)
    if any(lost):
        yield Reason("covers_cubes", say("But it costs the cubes it covers: {cubes}.", cubes=cubes_words(lost)), 1.2)
    if "cup" in kinds:
        yield Reason("covers_cup", say("But it covers a cup."), 1.3)
    for cell in closed:
        points = before.shop_at(cell).points
        yield Reason("closes_shop", say("But it closes a shop of {points} points.", points=points), 1.8)
    gained = min(after.area["cups"], MOST_ACTIONS) - min(before.area["cups"], MOST_ACTIONS)
    if gained > 0:
        actions = min(after.area["cups"], MOST_ACTIONS)
        text = count("You then have {n} action a round.", "You then have {n} actions a round.", actions)
        yield Reason("more_actions", text, 1.4)
    yield from _joins(before, after)


def _joins(before: Table, after: Table) -> Iterator[Reason]:
    """Tell the largest group in which the new card's squares meet older ones."""
    placed = 6 * (len(after.area["cards"]) - 1)  # the new card's first cell
    best = None
    for cells in after.groups().values():
        new = sum(cell >= placed for cell in cells)
        if new and new < len(cells) and (best is None or len(cells) > len(best)):
            best = cells
    if best is not None:
        what = GROUP_WORDS[after.letter(best[0])]
        text = say("Joins {n} {squares} in one group.", n=len(best), squares=what)
        yield Reason("joins", text, 0.8 + 0.3 * len(best))


def _act(before: Table, after: Table, code: Code) -> Iterator[Reason]:
    if code.kind in ("grow", "fill"):
        grown = (after.cubes_on(0) - before.cubes_on(0)).total()
        if grown:
            yield Reason("grows", count("Grows {n} cube.", "Grows {n} cubes with one action.", grown), 1 + 0.3 * grown)
    if code.kind in ("dry", "roast"):
        moved = before.cubes_on(0 if code.kind == "dry" else 1)[code.color]
        text = count("Moves {n} cube on.", "Moves {n} cubes on at once.", moved)
        yield Reason("moves_on", text, 0.8 + 0.3 * moved)
        lost = before.area["cubes"].get(code.cell)
        if lost is not None:
            yield Reason("discards", say("But it costs the cubes that lie there: {cubes}.", cubes=cubes_words(lost)), 1)
    if code.kind == "roast":
        yield from _shop_ready(before, after)
    if code.kind == "empty":
        yield from _wanted(before, code)
    done = [cell for cell in before.wanting() if cell in after.area["shops"] and cell not in after.wanting()]
    for cell in done:
        points = before.shop_at(cell).points
        yield Reason("completes_shop", say("Completes a shop of {points} points.", points=points), 3)
    if code.kind == "serve" and not done and code.cell in after.area["shops"]:
        left = after.wanting()[code.cell].total()
        text = count(
            "The shop of {points} points then lacks {n} cube.", "The shop of {points} points then lacks {n} cubes.",
            left, points=after.shop_at(code.cell).points,
        )
        yield Reason("towards_shop", text, 1.5)
    gained = after.scores[before.player]["total"] - before.scores[before.player]["total"]
    if gained > 0 and not done:
        text = count("Is worth {n} point as it stands.", "Is worth {n} points as it stands.", gained)
        yield Reason("points", text, 1 + 0.3 * gained)


def _wanted(table: Table, code: Code) -> Iterator[Reason]:
    """Tell the dearest shop that asks for cubes from a roaster."""
    lying = table.area["cubes"].get(code.cell, (0, 0, 0, 0))
    asking = [
        table.shop_at(cell).points for cell, wanted in table.wanting().items()
        if any(wanted[color] and number for color, number in enumerate(lying))
    ]
    if asking:
        text = say("Your shop of {points} points asks for what lies there.", points=max(asking))
        yield Reason("wanted", text, 1.5)


def _later(game: CafeGame, before: Table, after: Table, question: Question) -> Iterator[Reason]:
    """Tell what the search's best line makes of the move in the rest of the turn."""
    emptied = unpack(question.choice.move).kind in ("empty", "discard")
    cell = unpack(question.choice.move).cell
    state = question.after()
    for move in question.choice.line[1:]:
        fields = game.read(state)
        if state.to_move != question.player or fields["round"] != before.fields["round"]:
            break
        code = unpack(move)
        if emptied and code.kind in ("dry", "roast") and code.cell == cell:
            yield Reason("frees", say("Makes room for cubes: {color}.", color=COLOR_WORDS[code.color]), 1.3)
            emptied = False
        state.apply(move)
    total = game.score(state)[question.player]["total"]
    gained = total - after.scores[question.player]["total"]
    if gained > 0:
        text = count(
            "Leads to {n} point more within this turn.", "Leads to {n} points more within this turn.", gained
        )
        yield Reason("leads_to", text, 1 + 0.3 * gained)


def _shop_ready(before: Table, after: Table) -> Iterator[Reason]:
    """Tell the dearest shop that what is roasted now suffices for, and did not before."""
    had, has = before.cubes_on(2), after.cubes_on(2)
    ready = [
        after.shop_at(cell).points for cell, wanted in after.wanting().items()
        if wanted <= has and not wanted <= had
    ]
    if ready:
        text = say("What is roasted then suffices for your shop of {points} points.", points=max(ready))
        yield Reason("shop_ready", text, 2.5)
