"""Reference rules of Café: clear and slow, independent of the native engine.

Areas are dictionaries from (row, column) to what lies on top there; placements, groups, growing and the exchange of
waiter cubes are found by trying everything. Moves are tuples. `outcomes_of_one_action` knows nothing of the engine's
micro-moves: it enumerates whole actions from the words of the rules.
"""
from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from engines.cafe.components import CafeComponents, Card, Square

Place = tuple[int, int]
Cubes = tuple[int, int, int, int]
NONE: Cubes = (0, 0, 0, 0)
LETTER = {"plantation": "A", "double": "A", "sack": "A", "dry": "B", "roast": "C", "shop": "D", "waiter": "D"}
ROUNDS = 8


def one(color: int, count: int = 1) -> Cubes:
    """Cubes of one colour."""
    return tuple(count if c == color else 0 for c in range(4))  # type: ignore[return-value]


def plus(a: Cubes, b: Cubes, sign: int = 1) -> Cubes:
    return tuple(x + sign * y for x, y in zip(a, b, strict=True))  # type: ignore[return-value]


def turned(card: Card, rotation: int) -> list[list[int]]:
    """The square numbers of a card as it lies after clockwise quarter turns."""
    grid = [[0, 1, 2], [3, 4, 5]]
    for _ in range(rotation):
        grid = [list(row) for row in zip(*grid[::-1], strict=True)]
    return grid


def squares_at(card: Card, row: int, column: int, rotation: int) -> dict[Place, int]:
    return {
        (row + r, column + c): square
        for r, line in enumerate(turned(card, rotation))
        for c, square in enumerate(line)
    }


@dataclass
class Area:
    """One player's cards, cubes and warehouse."""

    cards: list[tuple[int, int, int, int]] = field(default_factory=list)
    top: dict[Place, tuple[int, int]] = field(default_factory=dict)  # place -> (index in cards, square)
    cubes: dict[Place, Cubes] = field(default_factory=dict)  # not on shops
    served: dict[tuple[int, int], Cubes] = field(default_factory=dict)  # (index in cards, shop) of open shops
    warehouse: Cubes = NONE


class Game:
    """A position and the rules; `moves` and `apply`."""

    def __init__(
        self, components: CafeComponents, starts: list[int], master: int, auction: bool, expresso: bool
    ) -> None:
        self.components = components
        self.players = len(starts)
        self.auction, self.expresso = auction, expresso
        self.areas = [Area(warehouse=(1, 1, 1, 1)) for _ in starts]
        for area, card in zip(self.areas, starts, strict=True):
            self.lay(area, card, 0, 0, 0)
        self.master, self.round = master, 1
        self.unseen = set(range(56 if expresso else 48))
        self.drawn = 0
        self.start_round()

    def fork(self) -> Game:
        """A copy whose areas can be changed."""
        other = copy.copy(self)
        other.areas = [
            Area(list(area.cards), dict(area.top), dict(area.cubes), dict(area.served), area.warehouse)
            for area in self.areas
        ]
        return other

    # --- areas ---

    def face(self, area: Area, place: Place) -> Square:
        index, square = area.top[place]
        return self.components.cards[area.cards[index][0]].squares[square]

    def letter(self, area: Area, place: Place) -> str | None:
        """The letter of a square; a closed shop has none."""
        face = self.face(area, place)
        if face.kind == "shop" and (area.top[place][0], face.shop) not in area.served:
            return None
        return LETTER.get(face.kind)

    def lay(self, area: Area, card: int, row: int, column: int, rotation: int) -> None:
        for place, square in squares_at(self.components.cards[card], row, column, rotation).items():
            if place in area.top:
                index = area.top[place][0]
                face = self.face(area, place)
                area.cubes.pop(place, None)
                if face.kind == "shop":
                    area.served.pop((index, face.shop), None)
            area.top[place] = (len(area.cards), square)
        for shop in range(len(self.components.cards[card].shops)):
            area.served[len(area.cards), shop] = NONE
        area.cards.append((card, row, column, rotation))

    def placements(self, area: Area, card: int) -> set[tuple[int, int, int]]:
        """(rotation, row, column) of every legal placement."""
        found = set()
        face = self.components.cards[card]
        for rotation in range(4):
            if rotation >= 2 and face.face() == face.face(half_turn=True):
                continue
            for row in range(-20, 22):
                for column in range(-20, 22):
                    covered = sum(p in area.top for p in squares_at(face, row, column, rotation))
                    if 2 <= covered <= 4:
                        found.add((rotation, row, column))
        return found

    def group(self, area: Area, place: Place) -> frozenset[Place]:
        """The group a square belongs to."""
        letter, found, front = self.letter(area, place), {place}, [place]
        while front:
            row, column = front.pop()
            for other in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
                if other in area.top and other not in found and self.letter(area, other) == letter:
                    found.add(other)
                    front.append(other)
        return frozenset(found)

    def places(self, area: Area, letter: str) -> list[Place]:
        """Squares of a letter, in order of card and square."""
        found = [place for place in area.top if self.letter(area, place) == letter]
        return sorted(found, key=lambda place: area.top[place])

    def groups(self, area: Area, letter: str) -> list[frozenset[Place]]:
        return list(dict.fromkeys(self.group(area, place) for place in self.places(area, letter)))

    def count(self, area: Area, kind: str) -> int:
        return sum(self.face(area, place).kind == kind for place in area.top)

    def supply(self) -> Cubes:
        """What is neither in a warehouse nor on a card."""
        left: Cubes = (self.components.cubes,) * 4
        for area in self.areas:
            for cubes in (area.warehouse, *area.cubes.values(), *area.served.values()):
                left = plus(left, cubes, -1)
        return left

    # --- growing by trying everything ---

    def growths(self, area: Area, group: frozenset[Place], supply: Cubes) -> list[dict[Place, Cubes]]:
        """Every way to grow on a group: what comes to its empty squares, without those that waste a cube."""
        empty = [p for p in sorted(group, key=lambda p: area.top[p]) if p not in area.cubes]
        options = []
        for place in empty:
            face = self.face(area, place)
            if face.kind == "sack":
                options.append([NONE, *(one(color) for color in range(4))])
            else:
                options.append([one(face.color, n) for n in range(3 if face.kind == "double" else 2)])
        found = []
        for choice in itertools.product(*options):
            left = supply
            for cubes in choice:
                left = plus(left, cubes, -1)
            if min(left) < 0 or not any(map(sum, choice)):
                continue
            wasted = False
            for place, cubes in zip(empty, choice, strict=True):
                face = self.face(area, place)
                if face.kind == "sack":
                    wasted |= not any(cubes) and any(left)
                else:
                    wasted |= sum(cubes) < (2 if face.kind == "double" else 1) and left[face.color] > 0
            if not wasted:
                found.append(dict(zip(empty, choice, strict=True)))
        return found

    # --- whole actions, from the rules ---

    def outcomes_of_one_action(self, player: int) -> Iterator[Game]:
        """The position after every action the player could do now.

        Drying and roasting may first empty the squares they fill; other discards are left to `discarded`.
        """
        area = self.areas[player]
        for group in self.groups(area, "A"):
            for grown in self.growths(area, group, self.supply()):
                after = self.fork()
                for place, cubes in grown.items():
                    if any(cubes):
                        after.areas[player].cubes[place] = cubes
                yield after
        for source, target in (("A", "B"), ("B", "C")):
            lying = [p for p in self.places(area, source) if p in area.cubes]
            colors = sorted({c for p in lying for c in range(4) if area.cubes[p][c]})
            for group in self.groups(area, target):
                for size in range(1, len(colors) + 1):
                    for some in itertools.combinations(colors, size):
                        for targets in itertools.permutations(sorted(group), size):
                            after = self.fork()
                            mine = after.areas[player].cubes
                            for color, to in zip(some, targets, strict=True):
                                mine[to] = one(color, sum(area.cubes[p][color] for p in lying))
                                for p in lying:
                                    if area.cubes[p][color]:
                                        del mine[p]
                            yield after
        full = [p for p in self.places(area, "C") if p in area.cubes]
        for size in range(1, len(full) + 1):
            for some in itertools.combinations(full, size):
                after = self.fork()
                hand = NONE
                for p in some:
                    hand = plus(hand, after.areas[player].cubes.pop(p))
                yield from after.deliveries(player, hand)

    def deliveries(self, player: int, hand: Cubes) -> Iterator[Game]:
        """Every way to divide the cubes in hand among shops, waiters and the warehouse."""
        area = self.areas[player]
        targets: list[tuple[str, tuple[int, int], list[Cubes]]] = []
        for (index, shop), cubes in area.served.items():
            need = plus(self.components.cards[area.cards[index][0]].shops[shop].cubes, cubes, -1)
            targets.append(("shop", (index, shop), list(itertools.product(*(range(n + 1) for n in need)))))
        for place in self.places(area, "D"):
            if self.face(area, place).kind == "waiter" and place not in area.cubes:
                targets.append(("waiter", place, [NONE, *(one(color) for color in range(4))]))

        def divide(index: int, left: Cubes, chosen: list[Cubes]) -> Iterator[list[Cubes]]:
            if index == len(targets):
                yield chosen
                return
            for cubes in targets[index][2]:
                rest = plus(left, cubes, -1)
                if min(rest) >= 0:
                    yield from divide(index + 1, rest, [*chosen, cubes])

        for chosen in divide(0, hand, []):
            after = self.fork()
            mine, left = after.areas[player], hand
            for (kind, target, _), cubes in zip(targets, chosen, strict=True):
                if not any(cubes):
                    continue
                left = plus(left, cubes, -1)
                if kind == "waiter":
                    mine.cubes[target] = cubes
                else:
                    mine.served[target] = plus(mine.served[target], cubes)
            mine.warehouse = plus(mine.warehouse, left)
            yield after

    def discarded(self, player: int) -> Iterator[Game]:
        """The position after discarding any set of piles, also none."""
        area = self.areas[player]
        piles = [p for p in area.cubes if self.letter(area, p) in "ABC"]
        for size in range(len(piles) + 1):
            for some in itertools.combinations(piles, size):
                after = self.fork()
                for p in some:
                    del after.areas[player].cubes[p]
                yield after

    def key(self, player: int) -> tuple[object, ...]:
        """What an action phase changes."""
        area = self.areas[player]
        return (
            tuple(sorted(area.cubes.items())),
            tuple(sorted((shop, cubes) for shop, cubes in area.served.items() if any(cubes))),
            area.warehouse,
        )

    # --- the course of a game, in the engine's micro-moves ---

    def start_round(self) -> None:
        self.offer: set[int] = set()
        self.turn = 0
        self.bid, self.bidder, self.bidding = 0, None, list(range(self.players))
        self.paying: list[int] | None = None
        self.taken: int | None = None
        self.step = "draw"

    def order(self) -> list[int]:
        first = self.master if self.auction else self.master + 1
        return [(first + i) % self.players for i in range(self.players)]

    def offer_size(self) -> int:
        return (self.players + 1 if self.auction else 3) + self.expresso

    def player(self) -> int | None:
        """The player to move, None at a draw or the end."""
        if self.step in ("draw", "over"):
            return None
        if self.step == "auction":
            return self.bidding[0]
        if self.step == "pay":
            return self.master
        return self.order()[self.turn]

    def draws(self) -> dict[int, float]:
        plan = {card for card in self.unseen if card < 48}
        size = 8 * (self.players + 2) + (8 if self.expresso else 0) - self.drawn
        each = 1 / size
        chances = dict.fromkeys(self.unseen - plan, each)
        rest = 1 - len(chances) * each
        if rest > 1e-9:
            chances |= {card: rest / len(plan) for card in plan}
        return chances

    def moves(self) -> set[tuple[object, ...]]:
        if self.step == "draw":
            return {("draw", card) for card in self.draws()}
        player = self.player()
        assert player is not None
        area = self.areas[player]
        if self.step == "auction":
            return {("pass",)} | {("bid", n) for n in range(self.bid + 1, sum(area.warehouse) + 1)}
        if self.step == "pay":
            assert self.paying is not None
            ways = [w for w in self.ways_to_pay(area.warehouse) if w[: len(self.paying)] == self.paying]
            return {("pay", way[len(self.paying)]) for way in ways}
        if self.step == "take":
            return self.takes(area)
        if self.step == "place":
            assert self.taken is not None
            return {("place", *where) for where in self.placements(area, self.taken)}
        if self.step == "grow":
            return {("fill", self.undecided[0], g[self.undecided[0]]) for g in self.growing}
        return self.acts(area)

    def ways_to_pay(self, warehouse: Cubes) -> list[list[int]]:
        """All ways to pay the bid with the cubes there were, as ascending lists of colours."""
        assert self.paying is not None
        whole = warehouse
        for color in self.paying:
            whole = plus(whole, one(color))
        return [
            list(way)
            for way in itertools.combinations_with_replacement(range(4), self.bid)
            if all(way.count(c) <= whole[c] for c in range(4))
        ]

    def takes(self, area: Area) -> set[tuple[object, ...]]:
        found: set[tuple[object, ...]] = set()
        for card in self.offer:
            if not self.components.cards[card].count("cup") or self.count(area, "ship") >= 2:
                found.add(("take", card, None))
            else:
                found |= {("take", card, color) for color in range(4) if area.warehouse[color]}
        return found or {("reject", card) for card in self.offer}

    def acts(self, area: Area) -> set[tuple[object, ...]]:
        found: set[tuple[object, ...]] = {("end",)}
        supply, open_ = self.supply(), self.open
        if self.actions:
            for group in self.groups(area, "A"):
                if self.growths(area, group, supply):
                    found.add(("grow", group))
        for source, target, kind in (("A", "B", "dry"), ("B", "C", "roast")):
            colors = {c for p in self.places(area, source) for c in range(4) if area.cubes.get(p, NONE)[c]}
            for place in self.places(area, target):
                for color in colors:
                    if self.actions or self.continues(area, kind, place, color):
                        found.add((kind, place, color))
        for place in self.places(area, "C"):
            if place in area.cubes and (self.actions or self.continues(area, "empty", place)):
                found.add(("empty", place))
        if open_ and open_[0] == "deliver":
            found |= self.servings(area, open_[2], open_[3])
        if self.actions:
            found |= {("discard", p) for p in area.cubes if self.frees(area, p, supply)}
        return found

    def continues(self, area: Area, kind: str, place: Place, color: int = 0) -> bool:
        """Whether drying or roasting a colour to a square, or emptying a roaster, is part of the open action.

        The order in which one action names its colours or roasters is laid down, so that each way to do it is one
        sequence of moves: colours, or roasters, ascend. Anything else is an action of its own.
        """
        if not self.open:
            return False
        if kind == "empty":
            return self.open[0] == "deliver" and self.open[3] is None and area.top[place] > area.top[self.open[1]]
        if self.open[0] != kind or place in self.open[1]:
            return False
        return self.open[1][0] in self.group(area, place) and color > self.open[2]

    def servings(self, area: Area, hand: Cubes, last: tuple[int, int] | None) -> set[tuple[object, ...]]:
        found: set[tuple[object, ...]] = set()
        for place in self.places(area, "D"):
            face, at = self.face(area, place), area.top[place]
            if face.kind == "waiter":
                if place not in area.cubes and (last is None or at > last):
                    found |= {("serve", place, one(c)) for c in range(4) if hand[c]}
                continue
            index = at[0]
            if place != self.shop_place(area, (index, face.shop)) or (last is not None and at <= last):
                continue
            asked = self.components.cards[area.cards[index][0]].shops[face.shop].cubes
            need = plus(asked, area.served[index, face.shop], -1)
            for cubes in itertools.product(*(range(min(n, h) + 1) for n, h in zip(need, hand, strict=True))):
                if any(cubes):
                    found.add(("serve", place, cubes))
        return found

    def shop_place(self, area: Area, shop: tuple[int, int]) -> Place:
        """The first square of an open shop."""
        return min(
            (p for p in area.top if area.top[p][0] == shop[0] and self.face(area, p).kind == "shop"
             and self.face(area, p).shop == shop[1]), key=lambda p: area.top[p]
        )  # fmt: skip

    def frees(self, area: Area, place: Place, supply: Cubes) -> bool:
        """Whether discarding a pile may lead to something else than keeping it.

        A sack may take another colour, a half filled double bean another cube; and a colour may run short. With n
        actions left the supply gives at most: where n is 1 what squares not full of the colour take; where n is 2 all
        plantations once (dry, grow); and so on, all of them once more with two more actions. Waiters may each ask for a
        cube after the last round.
        """
        if self.letter(area, place) not in ("A", "B", "C"):
            return False
        face, cubes = self.face(area, place), area.cubes[place]
        color = next(c for c in range(4) if cubes[c])
        if face.kind == "sack" and any(supply[c] for c in range(4) if c != color):
            return True
        if face.kind == "double" and sum(cubes) == 1 and supply[color]:
            return True
        plants = [p for p in self.places(area, "A") if self.face(area, p).kind == "sack"
                  or self.face(area, p).color == color]  # fmt: skip
        once = [2 if self.face(area, p).kind == "double" else 1 for p in plants]
        now = [room - area.cubes.get(p, NONE)[color] for p, room in zip(plants, once, strict=True)]
        wanted = 0
        for left in range(self.actions, 0, -2):
            wanted += sum(now) if left == 1 else sum(once)
        if self.round == ROUNDS and self.count(area, "waiter"):
            wanted += sum(self.count(other, "waiter") for other in self.areas)
        return wanted > supply[color]

    def apply(self, move: tuple[object, ...]) -> None:
        kind = move[0]
        if kind == "draw":
            self.unseen.remove(move[1])
            self.offer.add(move[1])
            self.drawn += 1
            if len(self.offer) == self.offer_size():
                self.step = "auction" if self.auction and self.turn == 0 else "take"
                if self.step == "auction":
                    self.bidding = [(self.master + i) % self.players for i in range(self.players)]
            return
        player = self.player()
        area = self.areas[player]
        if kind == "pass":
            self.bidding.pop(0)
            self.settle_auction()
        elif kind == "bid":
            self.bid, self.bidder = move[1], player
            self.bidding.append(self.bidding.pop(0))
            self.settle_auction()
        elif kind == "pay":
            area.warehouse = plus(area.warehouse, one(move[1]), -1)
            self.paying.append(move[1])
            if len(self.paying) == self.bid:
                self.step, self.paying, self.bid, self.bidder = "take", None, 0, None
        elif kind == "take":
            self.offer.remove(move[1])
            self.taken = move[1]
            if move[2] is not None:
                area.warehouse = plus(area.warehouse, one(move[2]), -1)
            self.step = "place"
        elif kind == "reject":
            self.offer.remove(move[1])
            self.picked()
        elif kind == "place":
            self.lay(area, self.taken, move[2], move[3], move[1])
            self.taken = None
            self.picked()
        elif kind == "end":
            self.actions, self.open = 0, None
            self.acted()
        else:
            self.action(area, move)

    def settle_auction(self) -> None:
        if not self.bidding:
            self.step = "take"
        elif self.bid and self.bidding == [self.bidder]:
            self.master, self.step, self.paying = self.bidder, "pay", []

    def picked(self) -> None:
        self.turn += 1
        if self.turn < self.players:
            self.step = "take" if self.auction else "draw"
            return
        self.offer = set()
        self.turn = -1
        self.acted()

    def acted(self) -> None:
        """On to the next player with actions, the next round or the end."""
        while True:
            self.turn += 1
            if self.turn == self.players:
                break
            self.actions = min(8, self.count(self.areas[self.order()[self.turn]], "cup"))
            if self.actions:
                self.step, self.open = "act", None
                return
        if self.round == ROUNDS:
            self.step, self.turn = "over", 0
            return
        self.master = (self.master + 1) % self.players
        self.round += 1
        self.start_round()

    def action(self, area: Area, move: tuple[object, ...]) -> None:
        kind, open_ = move[0], self.open
        if kind == "grow":
            self.actions -= 1
            self.open = None
            self.growing = self.growths(area, move[1], self.supply())
            self.undecided = []
            for place in self.growing[0]:
                face = self.face(area, place)
                full = one(face.color, 2 if face.kind == "double" else 1)
                if face.kind != "sack" and all(g[place] == full for g in self.growing):
                    area.cubes[place] = full
                else:
                    self.undecided.append(place)
            self.grow_on(area)
        elif kind == "fill":
            self.growing = [g for g in self.growing if g[move[1]] == move[2]]
            self.grow_on(area)
        elif kind in ("dry", "roast"):
            _, place, color = move
            if self.continues(area, kind, place, color):
                self.open = (kind, [*open_[1], place], color)
            else:
                self.actions -= 1
                self.open = (kind, [place], color)
            moved = 0
            for p in self.places(area, "A" if kind == "dry" else "B"):
                if area.cubes.get(p, NONE)[color]:
                    moved += area.cubes.pop(p)[color]
            area.cubes[place] = one(color, moved)
        elif kind == "empty":
            place = move[1]
            hand = NONE
            if self.continues(area, kind, place):
                hand = open_[2]
            else:
                self.actions -= 1
            cubes = area.cubes.pop(place)
            area.warehouse = plus(area.warehouse, cubes)
            self.open = ("deliver", place, plus(hand, cubes), None)
        elif kind == "serve":
            _, place, cubes = move
            area.warehouse = plus(area.warehouse, cubes, -1)
            if self.face(area, place).kind == "waiter":
                area.cubes[place] = cubes
            else:
                shop = (area.top[place][0], self.face(area, place).shop)
                area.served[shop] = plus(area.served[shop], cubes)
            self.open = ("deliver", None, plus(open_[2], cubes, -1), area.top[place])
        elif kind == "discard":
            del area.cubes[move[1]]
            self.open = None
        if self.step == "act" and self.open:
            actions, self.actions = self.actions, 0
            if self.acts(area) == {("end",)}:
                self.open = None
            self.actions = actions
        if self.step == "act" and not self.actions and not self.open:
            self.acted()

    def grow_on(self, area: Area) -> None:
        """Fill squares up to one where the remaining ways to grow differ."""
        while self.undecided:
            place = self.undecided[0]
            choices = {g[place] for g in self.growing}
            if len(choices) > 1:
                break
            cubes = choices.pop()
            if any(cubes):
                area.cubes[place] = cubes
            self.undecided.pop(0)
        self.step = "grow" if self.undecided else "act"

    # --- points ---

    def points(self) -> list[dict[str, int]]:
        supply = self.supply()
        found = []
        for area in self.areas:
            found.append(self.points_of(area))
        for player in self.order():
            area = self.areas[player]
            waiting = [c for p, c in area.cubes.items() if self.face(area, p).kind == "waiter"]
            for cubes in waiting:
                supply = plus(supply, cubes)
            best = max(
                (
                    (warehouse_points(plus(area.warehouse, way)), way)
                    for way in itertools.product(range(len(waiting) + 1), repeat=4)
                    if sum(way) == len(waiting) and all(w <= s for w, s in zip(way, supply, strict=True))
                ),
            )
            supply = plus(supply, best[1], -1)
            found[player]["waiters"] = best[0] - found[player]["warehouse"]
            found[player]["total"] += found[player]["waiters"]
        return found

    def points_of(self, area: Area) -> dict[str, int]:
        satisfied = []
        points = 0
        for (index, shop), cubes in area.served.items():
            wanted = self.components.cards[area.cards[index][0]].shops[shop]
            if cubes == wanted.cubes:
                satisfied.append((index, shop))
                points += wanted.points
        natas = [p for p in area.top if self.face(area, p).kind == "nata"]
        best = 0
        options = []
        for row, column in natas:
            beside = {
                (area.top[p][0], self.face(area, p).shop)
                for p in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))
                if p in area.top and self.face(area, p).kind == "shop"
            }
            options.append([None, *(shop for shop in satisfied if shop in beside)])
        for choice in itertools.product(*options):
            used = [shop for shop in choice if shop is not None]
            if len(used) == len(set(used)):
                taken = [p for p, shop in zip(natas, choice, strict=True) if shop is not None]
                best = max(best, sum(self.face(area, p).points for p in taken))
        stored = warehouse_points(area.warehouse)
        return {
            "shops": points, "natas": best, "warehouse": stored, "waiters": 0, "total": points + best + stored,
            "roasted": sum(sum(area.cubes.get(p, NONE)) for p in self.places(area, "C")),
            "dried": sum(sum(area.cubes.get(p, NONE)) for p in self.places(area, "B")),
        }  # fmt: skip


def warehouse_points(cubes: Cubes) -> int:
    a, b, _, _ = sorted(cubes)
    return 2 * a + b


def win_shares(points: list[dict[str, int]]) -> list[float]:
    keys = [(p["total"], p["roasted"], p["dried"]) for p in points]
    winners = keys.count(max(keys))
    return [1 / winners if key == max(keys) else 0.0 for key in keys]
