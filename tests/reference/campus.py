"""Reference rules of Campus Café: clear and slow, written from the rulebook and the rulings.

Resources are letters, customers type names' indices, dice colours and spaces words and numbers, a move is a tuple.
Payments are found by trying every cover of every dish. Chance points list their outcomes with exact probabilities.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from typing import Any

WORTH = {"E": 1, "H": 2, "M": 3, "S": 4, "C": 5}
GIFTS = {0: "MH", 1: "SE", 2: "C"}


@dataclass
class Seat:
    """One player."""

    waiter: str = ""
    dislike: Any = None
    score: int = 0
    tray: Counter[str] = field(default_factory=Counter)
    cards: set[int] = field(default_factory=set)


@dataclass
class Phase:
    """What lasts for one turn."""

    dice: list[str] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)  # die index -> space
    money: int = 0
    served: list[int] = field(default_factory=list)
    spent: Counter[str] = field(default_factory=Counter)
    blue: Counter[str] = field(default_factory=Counter)
    red: set[int] = field(default_factory=set)
    white: set[int] = field(default_factory=set)
    yellow: bool = False
    counters: Counter[int] = field(default_factory=Counter)  # conversions used by space
    samuel: set[str] = field(default_factory=set)
    gifts: list[str] = field(default_factory=list)


class Game:
    """A game of Campus Café."""

    def __init__(self, contents: Any, players: int, variant: str, dislikes: bool) -> None:
        self.set = contents
        self.variant = variant
        self.advanced = variant == "advanced"
        self.side = contents.side(variant)
        self.seats = [Seat() for _ in range(players)]
        self.zone = Counter(dict(zip("EHMSC", self.side.supply[players - 2], strict=True)))
        self.unseen = set(range(48))
        self.table: set[int] = set()
        customers = self.side.deck[players - 2]
        self.decks: list[list[Any]] = [[None, customers], [None, 48 - 7 - customers]]  # [top, unseen below]
        self.objectives: list[int] = []
        self.secret: int | None = None
        self.secret_color = ""
        self.whites = set(range(8)) if self.advanced else set()
        self.waiters: list[str] = []
        self.with_dislikes = dislikes
        self.round = 1
        self.turn = 0
        self.last = False
        self.phase = Phase()
        self.step = "objectives"
        self.mover: int | None = None  # None: chance, or over
        self.paying: int | None = None

    # ---- who and what ----

    @property
    def me(self) -> Seat:
        return self.seats[self.turn]

    def reverse(self, seat: Seat, kind: str) -> list[Any]:
        return [self.set.cards[i] for i in seat.cards if self.set.cards[i].reverse == kind]

    def spaces(self, seat: Seat) -> int:
        order = ("abigail", "destiny", "john", "melissa", "samuel", "william")
        if self.advanced and not seat.waiter:
            return 0
        if seat.dislike is not None and seat.dislike.kind == "tray":
            base = 6 if seat.waiter == "john" else 4
        else:
            base = self.side.trays[order.index(seat.waiter)] if seat.waiter else 5
        return base + sum(self.set.cards[i].spaces for i in seat.cards)

    def too_much(self, seat: Seat, tray: Counter[str]) -> bool:
        count = sum(tray.values())
        if seat.dislike is None or seat.dislike.kind != "tray":
            return count > self.spaces(seat)
        # One space takes only E, one only H.
        rest = count - min(tray["E"], 1) - min(tray["H"], 1)
        return rest > self.spaces(seat) - 2

    def take(self, seat: Seat, wanted: str) -> None:
        for letter in wanted:
            if self.zone[letter]:
                self.zone[letter] -= 1
                seat.tray[letter] += 1

    # ---- moves ----

    def moves(self) -> set[tuple[Any, ...]]:
        return getattr(self, "moves_" + self.step)()

    def moves_draft(self) -> set[tuple[Any, ...]]:
        return {("waiter", name) for name in self.waiters}

    def moves_colors(self) -> set[tuple[Any, ...]]:
        return {("dice", *pair) for pair in combinations_with_replacement(("red", "blue", "green"), 2)}

    def ways(self, color: str, space: int) -> set[str]:
        """Every way a die may go on a space: "rule", or the card index of a manipulator."""
        target = self.side.spaces[space].color
        found = {"rule"} if target in (color, "white") else set()
        if self.me.waiter != "abigail":
            for i in self.me.cards:
                card = self.set.cards[i]
                if card.reverse == "manipulator" and (card.form, card.color) in (
                    ("to_color", target),
                    ("from_color", color),
                ):
                    found.add(str(i))
        return found

    def placements(self) -> tuple[set[frozenset[tuple[str, int]]], set[int]]:
        """Placements of both dice on two spaces, as sets of (colour, space) with the dice told apart; stacks."""
        pairs = set()
        stacks = set()
        first, second = self.phase.dice
        stackable = any(
            card.form == "stack" and card.color in (first, second) for card in self.reverse(self.me, "manipulator")
        )
        for one, two in permutations(range(len(self.side.spaces)), 2):
            ok = any(a == b == "rule" or a != b for a in self.ways(first, one) for b in self.ways(second, two))
            if ok:
                pairs.add((one, two))
        if stackable:
            for space in range(len(self.side.spaces)):
                if "rule" in self.ways(first, space) | self.ways(second, space):
                    stacks.add(space)
        return pairs, stacks

    def moves_place(self) -> set[tuple[Any, ...]]:
        first, second = self.phase.dice
        pairs, stacks = self.placements()
        if first == second:
            pairs = {(a, b) for a, b in pairs if a < b}
        if 0 in self.phase.places:
            return {("place", second, two) for one, two in pairs if one == self.phase.places[0]}
        found = {("place", first, one) for one, _ in pairs} | {("stack", space) for space in stacks}
        if found:
            return found
        return {
            ("place", color, space)
            for color in (first, second)
            for space in range(len(self.side.spaces))
            if self.ways(color, space)
        }

    def moves_discard(self) -> set[tuple[Any, ...]]:
        """The smallest discards after which the tray is not too full."""
        tray = "".join(sorted(self.me.tray.elements()))
        for size in range(1, len(tray) + 1):
            fitting = set()
            for gone in combinations_with_replacement("EHMSC", size):
                count = Counter(gone)
                if count <= self.me.tray and not self.too_much(self.me, self.me.tray - count):
                    fitting.add(("discard", "".join(gone)))
            if fitting:
                return fitting
        raise AssertionError("nothing to discard")

    moves_discard_collected = moves_discard_served = moves_discard_restocked = moves_discard

    def moves_serve(self) -> set[tuple[Any, ...]]:
        cards = set(self.table)
        if self.me.waiter == "destiny":
            cards |= {deck[0] for deck in self.decks if deck[0] is not None} - set(self.phase.served)
        if self.advanced and self.me.dislike is not None:
            kind = self.me.dislike.kind
            if kind == "gifts":
                cards = {i for i in cards if not self.set.cards[i].gift}
            if kind == "customers":
                cards = {i for i in cards if not set(self.set.cards[i].customers) & set(self.me.dislike.types)}
        return {("stop",)} | {("serve", i) for i in cards if self.payments(i)}

    def moves_pay(self) -> set[tuple[Any, ...]]:
        return {("pay", *outcome) for outcome in self.payments(self.paying)}

    def covers(self, dish: str, customer: int | None) -> list[tuple[Any, ...]]:
        """Everything that might cover a dish, whether or not there is enough of it for the whole card."""
        me, phase = self.me, self.phase
        found: list[tuple[Any, ...]] = []
        if me.tray[dish]:
            found.append(("tray", dish))
        if any(card.resources == dish for card in self.reverse(me, "multiplier")):
            found.append(("blue", dish))
        if self.advanced and customer is not None:
            if any(card.satisfier == customer for card in self.reverse(me, "satisfier")) and customer not in phase.red:
                found.append(("red", customer))
            if customer in phase.white:
                found.append(("white", customer))
        if me.waiter == "melissa" and not phase.yellow:
            found.append(("yellow",))
        for other in "EHMSC":
            if other == dish or not me.tray[other]:
                continue
            for space in set(phase.places.values()):
                counter = self.side.spaces[space]
                if counter.times and other in counter.source and dish in counter.target:
                    found.append(("counter", other, space))
            if me.waiter == "samuel":
                if dish in "MS" and "shake" not in phase.samuel:
                    found.append(("samuel", other, "shake"))
                if dish == "C" and "cupcake" not in phase.samuel:
                    found.append(("samuel", other, "cupcake"))
        return found

    def payments(self, index: int) -> set[tuple[Any, ...]]:
        """The outcomes of all ways to cover the card's dishes: (spent, blue, red, white, yellow, counters, samuel)."""
        me, phase, card = self.me, self.phase, self.set.cards[index]
        dishes = list(zip(card.dishes, card.customers, strict=True))
        if card.common:
            dishes.append((card.common, None))
        found = set()
        for choice in product(*(self.covers(dish, customer) for dish, customer in dishes)):
            spent = Counter(c[1] for c in choice if c[0] in ("tray", "counter", "samuel"))
            blue = Counter(c[1] for c in choice if c[0] == "blue")
            red = sorted(c[1] for c in choice if c[0] == "red")
            white = sorted(c[1] for c in choice if c[0] == "white")
            yellow = sum(1 for c in choice if c[0] == "yellow")
            counters = Counter(c[2] for c in choice if c[0] == "counter")
            samuel = Counter(c[2] for c in choice if c[0] == "samuel")
            tokens = Counter[str]()
            for owned in self.reverse(me, "multiplier"):
                tokens[owned.resources] += owned.tokens
            stacked = 2 if len(phase.places) == 2 and len(set(phase.places.values())) == 1 else 1
            if (
                spent <= me.tray
                and all(blue[r] + phase.blue[r] <= tokens[r] and spent[r] + phase.spent[r] > 0 for r in blue)
                and len(set(red)) == len(red)
                and len(set(white)) == len(white)
                and yellow <= 1
                and all(n + phase.counters[s] <= self.side.spaces[s].times * stacked for s, n in counters.items())
                and all(n == 1 for n in samuel.values())
            ):
                found.add(
                    (
                        "".join(sorted(spent.elements(), key="EHMSC".index)),
                        "".join(sorted(blue.elements(), key="EHMSC".index)),
                        tuple(red),
                        tuple(white),
                        yellow,
                        tuple(sorted(counters.items())),
                        tuple(sorted(samuel)),
                    )
                )
        return found

    def moves_gift(self) -> set[tuple[Any, ...]]:
        if self.advanced:
            return {("token", customer) for customer in self.whites}
        return {("gift", i) for i, given in GIFTS.items() if any(self.zone[r] for r in given)}

    def talent(self) -> str:
        size = len(self.set.cards[self.paying].customers)
        offered = {("abigail", 2): "HM", ("destiny", 3): "EH", ("destiny", 4): "MS"}.get((self.me.waiter, size), "")
        return "".join(r for r in offered if self.zone[r])

    def moves_talent(self) -> set[tuple[Any, ...]]:
        return {("talent", r) for r in self.talent()}

    def losers(self) -> set[int]:
        lost = self.phase.gifts[0]
        others = {p for p, seat in enumerate(self.seats) if p != self.turn and seat.tray[lost]}
        return others or ({self.turn} if self.me.tray[lost] else set())

    def moves_deplete(self) -> set[tuple[Any, ...]]:
        return {("deplete", p) for p in self.losers()}

    def moves_william(self) -> set[tuple[Any, ...]]:
        return {("william", "ES"), ("william", "HM")}

    # ---- chance ----

    def outcomes(self) -> dict[tuple[Any, ...], Fraction]:
        if self.step == "roll":
            chances: Counter[tuple[Any, ...]] = Counter()
            colors = ("red", "blue", "green")
            for pair in product(colors, repeat=2):
                chances["dice", *sorted(pair, key=colors.index)] += Fraction(1, 9)
            return dict(chances)
        if self.step in ("tables", "arrival"):
            equal = {("card", i) for i in self.unseen}
        elif self.step == "waiters":
            names = {"abigail", "destiny", "john", "melissa", "samuel", "william"}
            equal = {("waiter", name) for name in names - set(self.waiters)}
        elif self.step == "dislikes":
            held = {seat.dislike.id for seat in self.seats if seat.dislike}
            equal = {("dislike", i) for i, d in enumerate(self.set.dislikes) if d.id not in held}
        else:
            color = (
                ("yellow", "azure", "gray")[len(self.objectives)] if self.step == "objectives" else self.secret_color
            )
            equal = {
                ("objective", i)
                for i, o in enumerate(self.set.objectives)
                if o.color == color and i not in self.objectives
            }
        return dict.fromkeys(equal, Fraction(1, len(equal)))

    # ---- the course of the game ----

    def apply(self, move: tuple[Any, ...]) -> None:
        getattr(self, "do_" + move[0])(*move[1:])

    def do_objective(self, index: int) -> None:
        if self.step == "objectives":
            self.objectives.append(index)
            if len(self.objectives) == 3:
                self.step = "tables"
            return
        self.secret = index
        if self.step == "secret":
            self.begin_turn()
        else:
            self.step = "over"

    def do_card(self, index: int) -> None:
        self.unseen.remove(index)
        if self.step == "arrival":
            self.show_top(index)
            self.arrival()
        elif len(self.table) < 7:
            self.table.add(index)
        else:
            self.show_top(index)
            if self.decks[1][0] is not None:
                self.step = "dislikes" if self.with_dislikes else "waiters"
                if not self.advanced and not self.with_dislikes:
                    self.begin_turn()

    def show_top(self, index: int) -> None:
        deck = next(deck for deck in self.decks if deck[0] is None and deck[1])
        deck[0] = index
        deck[1] -= 1

    def do_dislike(self, index: int) -> None:
        next(seat for seat in self.seats if seat.dislike is None).dislike = self.set.dislikes[index]
        if all(seat.dislike for seat in self.seats):
            self.step = "waiters"
            if not self.advanced:
                self.begin_turn()

    def do_waiter(self, name: str) -> None:
        if self.step == "waiters":
            self.waiters.append(name)
            if len(self.waiters) == len(self.seats) + 1:
                self.step = "draft"
                self.mover = len(self.seats) - 1
            return
        self.waiters.remove(name)
        self.seats[self.mover].waiter = name
        if name == "john":
            self.take(self.seats[self.mover], "EHMSC")
        self.mover -= 1
        if self.mover >= 0:
            return
        self.mover = None
        self.waiters = []
        if any(seat.waiter == "abigail" for seat in self.seats):
            size = len(self.set.cards[self.decks[0][0]].customers)
            self.secret_color = {2: "yellow", 3: "azure", 4: "gray"}[size]
            self.step = "secret"
        else:
            self.begin_turn()

    def begin_turn(self) -> None:
        self.phase = Phase()
        if self.me.waiter == "abigail":
            self.step, self.mover = "colors", self.turn
        else:
            self.step, self.mover = "roll", None

    def do_dice(self, first: str, second: str) -> None:
        self.phase.dice = [first, second]
        self.step, self.mover = "place", self.turn
        if not self.moves_place():
            self.collect()

    def do_place(self, color: str, space: int) -> None:
        pairs, stacks = self.placements()
        if 0 in self.phase.places:
            self.phase.places[1] = space
            self.collect()
        elif not pairs and not stacks:
            self.phase.places[self.phase.dice.index(color)] = space
            self.collect()
        else:
            self.phase.places[0] = space

    def do_stack(self, space: int) -> None:
        self.phase.places = {0: space, 1: space}
        self.collect()

    def collect(self) -> None:
        for space in self.phase.places.values():
            self.phase.money += self.side.spaces[space].money
            self.take(self.me, self.side.spaces[space].give)
        self.step = "discard_collected" if self.too_much(self.me, self.me.tray) else "serve"

    def do_discard(self, gone: str) -> None:
        for letter in gone:
            self.me.tray[letter] -= 1
            self.zone[letter] += 1
        if self.step == "discard_restocked":
            self.end_turn()
        else:
            self.step = "serve"

    def do_serve(self, index: int) -> None:
        self.paying = index
        self.step = "pay"

    def do_pay(self, spent: str, blue: str, red: Any, white: Any, yellow: int, counters: Any, samuel: Any) -> None:
        phase = self.phase
        self.me.tray -= Counter(spent)
        phase.spent += Counter(spent)
        phase.blue += Counter(blue)
        phase.red |= set(red)
        phase.white -= set(white)
        phase.yellow = phase.yellow or bool(yellow)
        phase.counters += Counter(dict(counters))
        phase.samuel |= set(samuel)
        phase.served.append(self.paying)
        self.table.discard(self.paying)
        self.step = "talent"
        if self.set.cards[self.paying].gift:
            phase.gifts.append(self.set.cards[self.paying].gift)
            if self.moves_gift():
                self.step = "gift"
                return
        self.before_talent()

    def do_gift(self, choice: int) -> None:
        self.take(self.me, GIFTS[choice])
        self.before_talent()

    def do_token(self, customer: int) -> None:
        self.whites.remove(customer)
        self.phase.white.add(customer)
        self.before_talent()

    def before_talent(self) -> None:
        self.step = "talent"
        if not self.talent():
            self.completed()

    def do_talent(self, resource: str) -> None:
        self.take(self.me, resource)
        self.completed()

    def completed(self) -> None:
        self.paying = None
        self.step = "discard_served" if self.too_much(self.me, self.me.tray) else "serve"

    def do_stop(self) -> None:
        me, phase = self.me, self.phase
        cards = [self.set.cards[i] for i in phase.served]
        me.score += phase.money + sum(card.check for card in cards)
        if self.advanced:
            me.score += 4 * len(phase.white)
        else:
            satisfied = [card.satisfier for card in self.reverse(me, "satisfier")]
            customers = Counter(kind for card in cards for kind in card.customers)
            me.score += sum(2 * customers[kind] for kind in satisfied)
            if me.dislike is not None:
                me.score -= sum(2 * customers[kind] for kind in me.dislike.types)
                if me.dislike.kind == "gifts":
                    me.score -= 4 * len(phase.gifts)
        self.zone += phase.spent
        me.cards |= set(phase.served)
        for deck in self.decks:
            if deck[0] in phase.served:
                deck[0] = None
        gifts = sorted(phase.gifts, key="EHMSC".index)
        self.phase = Phase(gifts=gifts)
        self.depletion()

    def depletion(self) -> None:
        while self.phase.gifts:
            lost = self.phase.gifts[0]
            if self.zone[lost]:
                self.zone[lost] -= 1
            elif self.losers():
                self.step = "deplete"
                return
            self.phase.gifts.pop(0)
        self.arrival()

    def do_deplete(self, player: int) -> None:
        self.seats[player].tray[self.phase.gifts.pop(0)] -= 1
        self.depletion()

    def arrival(self) -> None:
        customers, last = self.decks
        self.step, self.mover = "arrival", None
        while True:
            if customers[0] is None and customers[1]:
                return
            if customers[0] is None and not self.last:
                self.last = True
                customers[:] = last
                last[:] = [None, 0]
                continue
            if customers[0] is None or len(self.table) == 7:
                break
            self.table.add(customers[0])
            customers[0] = None
        if last[0] is None and last[1]:
            return
        self.restock()

    def restock(self) -> None:
        self.mover = self.turn
        for card in self.reverse(self.me, "supplier"):
            self.supply(card.resources)
        if self.me.waiter == "william":
            self.step = "william"
        else:
            self.restocked()

    def supply(self, shown: str) -> None:
        for letter, count in Counter(shown).items():
            self.take(self.me, letter * max(0, count - self.me.tray[letter]))

    def do_william(self, pair: str) -> None:
        self.supply(pair)
        self.restocked()

    def restocked(self) -> None:
        if self.too_much(self.me, self.me.tray):
            self.step = "discard_restocked"
        else:
            self.end_turn()

    def end_turn(self) -> None:
        if self.turn == len(self.seats) - 1 and (self.last or self.round == 60):
            self.mover = None
            self.phase = Phase()
            self.step = "reveal_secret" if self.secret_color and self.secret is None else "over"
            return
        self.turn = (self.turn + 1) % len(self.seats)
        self.round += self.turn == 0
        self.begin_turn()

    # ---- scoring ----

    def totals(self) -> list[int]:
        """Final $ per player."""
        total = [
            seat.score + sum(WORTH[r] * n for r, n in seat.tray.items()) // 2 + self.careers(seat)
            for seat in self.seats
        ]
        for index in self.objectives:
            for p, award in enumerate(self.awards(index)):
                total[p] += award
        if self.secret is not None:
            for p, award in enumerate(self.awards(self.secret)):
                if self.seats[p].waiter == "abigail":
                    total[p] += award
        return total

    def careers(self, seat: Seat) -> int:
        followed = [self.career(card.career, seat) for card in self.reverse(seat, "career")]
        return sum(followed) + (min(followed) if followed and seat.waiter == "samuel" else 0)

    def career(self, name: str, seat: Seat) -> int:
        cards = [self.set.cards[i] for i in seat.cards]
        count = [Counter(card.dishes + card.common) for card in cards]
        customers = Counter(kind for card in cards for kind in card.customers)
        return {
            "manipulator": lambda: 3 * len(self.reverse(seat, "manipulator")),
            "entertainer": lambda: 3 * len(self.reverse(seat, "satisfier")),
            "restocker": lambda: sum({1: 3, 2: 4}[len(card.resources)] for card in self.reverse(seat, "supplier")),
            "delivery_man": lambda: 2 * sum(card.spaces for card in cards),
            "barman": lambda: 3 * sum(1 for c in count if c["H"] >= 1 and c["H"] + c["E"] >= 3),
            "refresher": lambda: 3 * sum(1 for c in count if c["S"] >= 1 and c["S"] + c["M"] >= 2),
            "confectioner": lambda: 3 * sum(1 for c in count if c["C"]),
            "specialist": lambda: 3 * sum(1 for c in count if len(c) == 1),
            "men_responsible": lambda: 6 * min(customers[kind] for kind in (0, 2, 4, 6)),
            "women_responsible": lambda: 6 * min(customers[kind] for kind in (1, 3, 5, 7)),
        }[name]()

    def awards(self, index: int) -> list[int]:
        objective = self.set.objectives[index]
        values = [self.elements(objective, seat) for seat in self.seats]
        fewest = objective.kind in ("gifts", "spaces", "cards")
        ranked = sorted({v for v in values if fewest or v}, reverse=not fewest)
        first, tied, second = self.set.awards[len(self.seats) - 2]
        result = []
        for value in values:
            sole = bool(ranked) and values.count(ranked[0]) == 1
            if ranked and value == ranked[0]:
                result.append(first if sole else tied)
            elif sole and len(ranked) > 1 and value == ranked[1]:
                result.append(second)
            else:
                result.append(0)
        return result

    def elements(self, objective: Any, seat: Seat) -> int:
        cards = [self.set.cards[i] for i in seat.cards]
        if objective.kind == "resource":
            return sum((card.dishes + card.common).count(objective.resource) for card in cards)
        if objective.kind == "customers":
            return sum(1 for card in cards for kind in card.customers if kind in objective.types)
        if objective.kind == "groups":
            return sum(1 for card in cards if len(card.customers) == objective.size)
        if objective.kind == "gifts":
            return sum(1 for card in cards if card.gift)
        return self.spaces(seat) if objective.kind == "spaces" else len(cards)
