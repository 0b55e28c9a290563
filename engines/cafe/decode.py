"""Reads a position of Café from the wire. Refuses every position that cannot come about, naming field and reason."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cafebrain.v1 import cafe_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from engines.cafe import codes
from engines.cafe.area import Cells, read_area
from engines.cafe.codec import (
    FIRST_EXPRESSO,
    FIRST_START,
    cubes_of,
)
from engines.cafe.components import COLORS, CafeComponents
from engines.cafe.rules import CafeGame
from engines.violations import Violations

ROUNDS = 8
MAX_ACTIONS = 8
START_CUBES = 4  # one of each colour
NOT_IN_GAME = "is an Expresso card, and the game is played without them"


def decode(game: CafeGame, message: cafe_pb2.CafeState) -> State:
    """Return the position.

    Raises BrainError INVALID_ARGUMENT with field violations unless it is possible.
    """
    faults = Violations("state.cafe")
    reader = _Reader(game.components.contents, message, faults)
    fields = reader.fields()
    faults.check()  # what follows relies on every number and card being there
    reader.check_cards(fields)
    reader.check_cubes(fields)
    reader.check_phase(fields)
    faults.check()
    return _built(game, fields, faults)


def _built(game: CafeGame, fields: dict[str, Any], faults: Violations) -> State:
    """Return the native position; refuse one that stands within an action where nothing is left to choose."""
    state = game.build(fields)
    if fields["open"] and not game.goes_on(state):
        faults.add("open_action", "stated", "this action cannot go on; leave it out")
    if fields["step"] == codes.STEP_GROW and len(state.moves()) < 2:
        faults.add("growing", "stated", "there is nothing to choose for this square")
    faults.check()
    return state


class _Reader:
    """Reads a message field by field and notes what does not exist, is out of range or does not fit."""

    def __init__(self, contents: CafeComponents, message: cafe_pb2.CafeState, faults: Violations) -> None:
        self.contents = contents
        self.message = message
        self.faults = faults
        self.numbers = {card.id: number for number, card in enumerate(contents.cards)}
        self.players = len(message.players)
        self.cells: list[Cells] = []

    def fields(self) -> dict[str, Any]:
        """Return the fields as CafeGame.build wants them; only to be used where no fault was noted."""
        message, faults = self.message, self.faults
        faults.in_range("players", self.players, 1, 4)
        faults.check()
        if message.auction and self.players == 1:
            faults.add("auction", "true", "wants at least two players")
        over = message.step == cafe_pb2.CAFE_STEP_OVER
        faults.in_range("round", message.round, 1, ROUNDS)
        faults.in_range("master", message.master, 1, self.players)
        faults.in_range("step", message.step, cafe_pb2.CAFE_STEP_DRAW, cafe_pb2.CAFE_STEP_OVER)
        faults.in_range("turn_player", message.turn_player, 0 if over else 1, 0 if over else self.players)
        areas = [self.area(index, player) for index, player in enumerate(message.players)]
        fields: dict[str, Any] = {
            "players": self.players, "auction": message.auction, "expresso": message.expresso,
            "round": message.round, "master": message.master - 1, "step": message.step - 1,
            "turn": self.turn(), "areas": areas, "open_deck": bool(message.deck),
            "offer": self.cards("offer", message.offer), "discards": self.cards("discards", message.discards),
            "deck": self.cards("deck", message.deck), "unknown_discards": message.unknown_discards,
            "taken": self.card("taken", message.taken) if message.taken else None,
            "actions": message.actions_left, "bid": 0, "bidder": 0, "bidding": [], "owed": 0, "pay_from": 0,
            "open": 0, "open_cell": 0, "open_used": [], "hand": [0, 0, 0, 0], "grow_cell": 0, "exhaust": [],
        }  # fmt: skip
        faults.in_range("unknown_discards", message.unknown_discards, 0, FIRST_START)
        faults.in_range("actions_left", message.actions_left, 0, MAX_ACTIONS)
        faults.check()
        step = fields["step"]
        fields["to_move"] = {codes.STEP_DRAW: CHANCE_POINT, codes.STEP_OVER: GAME_OVER}.get(
            step, message.turn_player - 1
        )
        self.parts_present(fields)
        if step in (codes.STEP_AUCTION, codes.STEP_PAY):
            self.bids(fields)
        if message.HasField("open_action"):
            self.open_action(fields)
        if step == codes.STEP_GROW:
            self.growing(fields)
        return fields

    def turn(self) -> int:
        """Return how many players have had their turn in this phase of the round."""
        message = self.message
        if message.step in (cafe_pb2.CAFE_STEP_OVER, cafe_pb2.CAFE_STEP_AUCTION, cafe_pb2.CAFE_STEP_PAY):
            return 0
        first = message.master - 1 + (not message.auction)
        return (message.turn_player - 1 - first) % self.players

    def area(self, index: int, player: cafe_pb2.CafePlayer) -> dict[str, Any]:
        """Return one player's cards, cubes and warehouse."""
        for place, placed in enumerate(player.cards):
            if not self.message.expresso and FIRST_EXPRESSO <= self.numbers.get(placed.card, 0) < FIRST_START:
                self.faults.add(f"players[{index}].cards[{place}].card", placed.card, NOT_IN_GAME)
        area, cells = read_area(self.contents, self.numbers, f"players[{index}]", player, self.faults)
        self.cells.append(cells)
        return area

    def card(self, path: str, id_: str) -> int:
        """Return the number of a plan or Expresso card."""
        number = self.numbers.get(id_)
        if number is None:
            self.faults.add(path, id_, "the component set has no such card")
        elif number >= FIRST_START:
            self.faults.add(path, id_, "is a start card")
        elif number >= FIRST_EXPRESSO and not self.message.expresso:
            self.faults.add(path, id_, NOT_IN_GAME)
        return number or 0

    def cards(self, path: str, ids: Sequence[str]) -> list[int]:
        """Return the numbers of some cards."""
        return [self.card(f"{path}[{index}]", id_) for index, id_ in enumerate(ids)]

    def color(self, path: str, color: int) -> int:
        """Return a colour from 0."""
        if not self.faults.in_range(path, color, 1, len(COLORS)):
            return 0
        return color - 1

    def cell(self, path: str, square: cafe_pb2.CafeSquare, kinds: Sequence[str]) -> int:
        """Return the acting player's visible cell at a square; it must show one of some kinds."""
        cell = self.cells[self.message.turn_player - 1].get((square.row, square.column))
        if cell is None:
            self.faults.add(path, f"row {square.row}, column {square.column}", "the acting player has no square there")
            return 0
        kind = self.contents.cards[cell.card].squares[cell.square].kind
        if kind not in kinds:
            self.faults.add(path, f"row {square.row}, column {square.column}: {kind}", f"must be {' or '.join(kinds)}")
        card = self.contents.cards[cell.card]
        return cell.number - cell.square + card.first_square(cell.square)

    def parts_present(self, fields: dict[str, Any]) -> None:
        """Note parts of the message that do not belong to the step, or are missing."""
        step, message, faults = fields["step"], self.message, self.faults
        for name, steps in (("bids", (codes.STEP_AUCTION, codes.STEP_PAY)), ("growing", (codes.STEP_GROW,))):
            if message.HasField(name) != (step in steps):  # type: ignore[arg-type]
                faults.add(name, "absent" if step in steps else "stated", "belongs exactly to the steps " + ", ".join(
                    codes.STEP_NAMES[s] for s in steps))  # fmt: skip
        if message.HasField("open_action") and step != codes.STEP_ACT:
            faults.add("open_action", "stated", "belongs to the step act")
        if (fields["taken"] is not None) != (step == codes.STEP_PLACE):
            faults.add("taken", message.taken or "empty", "a card is to be placed exactly at the step place")
        if step in (codes.STEP_AUCTION, codes.STEP_PAY) and not fields["auction"]:
            faults.add("step", codes.STEP_NAMES[step], "the game is played without the auction")
        if step == codes.STEP_PAY and fields["to_move"] != fields["master"]:
            faults.add("turn_player", message.turn_player, "the holder of the coffee master pays")
        faults.check()

    def bids(self, fields: dict[str, Any]) -> None:
        """Read and check the auction."""
        bids, faults, players = self.message.bids, self.faults, self.players
        warehouses = [sum(area["warehouse"]) for area in fields["areas"]]
        turn = fields["to_move"]
        if fields["step"] == codes.STEP_PAY:
            fields["pay_from"] = self.color("bids.pay_from", bids.pay_from)
            fields["owed"] = bids.owed
            left = sum(fields["areas"][turn]["warehouse"][fields["pay_from"] :])
            if not 1 <= bids.owed <= left:
                faults.add("bids.owed", bids.owed, f"must be 1 to {left}, the cubes of the colours it may be paid with")
            paid = [color for color, count in enumerate(fields["areas"][turn]["warehouse"]) if not count]
            if fields["round"] == 1 and fields["pay_from"] != max(paid, default=0):
                faults.add("bids.pay_from", bids.pay_from, "must be the last colour paid with, red before the first")
            if bids.bid or bids.bidder or bids.bidding:
                faults.add("bids", bids.bid, "bid, bidder and bidding must be empty once the auction is won")
            return
        if bids.owed or bids.pay_from:
            faults.add("bids.owed", bids.owed, "must be 0, and pay_from unspecified, while the auction goes on")
        bidding = [player - 1 for player in bids.bidding]
        if bidding != sorted(set(bidding)) or not all(0 <= player < players for player in bidding):
            faults.add("bids.bidding", [*bids.bidding], f"must be ascending players from 1 to {players}")
            return
        fields["bid"], fields["bidding"] = bids.bid, bidding
        if turn not in bidding:
            faults.add("turn_player", turn + 1, "has passed in the auction")
            return
        if not bids.bid:
            waiting = [(turn + i) % players for i in range((fields["master"] - turn - 1) % players + 1)]
            if bids.bidder:
                faults.add("bids.bidder", bids.bidder, "must be 0: there is no bid")
            if bidding != sorted(waiting):
                faults.add("bids.bidding", [*bids.bidding], "without a bid everyone before turn_player has passed")
            return
        if not faults.in_range("bids.bidder", bids.bidder, 1, players):
            return
        bidder = bids.bidder - 1
        fields["bidder"] = bidder
        if bidder == turn or bidder not in bidding:
            faults.add("bids.bidder", bids.bidder, "must be another player who has not passed")
        between = [(bidder + i) % players for i in range(1, (turn - bidder) % players)]
        if set(between) & set(bidding):
            faults.add("bids.bidding", [*bids.bidding], "everyone between the bidder and turn_player has passed")
        if faults.in_range("bids.bid", bids.bid, 1, warehouses[bidder]):
            self.check_bid_before(turn, bidding, warehouses, fields)

    def check_bid_before(self, turn: int, bidding: list[int], warehouses: list[int], fields: dict[str, Any]) -> None:
        """Check that the bids of those who have not passed can have led to the standing bid, each above the last."""
        place = {player: (player - fields["master"]) % self.players for player in range(self.players)}
        order = sorted(bidding, key=lambda player: place[player])
        before = [player for player in order if place[player] < place[turn]]
        after = [player for player in order if place[player] >= place[turn]]
        ways = [[*before, *after, *before]]  # everyone has had a turn
        if before and all(player in bidding for player in place if place[player] >= place[turn]):
            ways.append(before)  # those from turn_player on have had none
        for way in ways:
            if len(way) <= fields["bid"] and all(warehouses[player] > i for i, player in enumerate(way)):
                return
        self.faults.add(
            "bids.bid", fields["bid"], "every player before who has not passed has bid, each more than the last"
        )

    def open_action(self, fields: dict[str, Any]) -> None:
        """Read and check an action that goes on."""
        action, faults = self.message.open_action, self.faults
        area = fields["areas"][fields["to_move"]]
        if not faults.in_range("open_action.kind", action.kind, codes.OPEN_DRY, codes.OPEN_SERVE):
            return
        kinds = {
            codes.OPEN_DRY: ["dry"],
            codes.OPEN_ROAST: ["roast"],
            codes.OPEN_EMPTY: ["roast"],
            codes.OPEN_SERVE: ["shop", "waiter"],
        }
        cells = [
            self.cell(f"open_action.squares[{index}]", square, kinds[action.kind])
            for index, square in enumerate(action.squares)
        ]
        most = 3 if action.kind in (codes.OPEN_DRY, codes.OPEN_ROAST) else 1
        faults.in_range("open_action.squares", len(cells), 1, most)
        fields["open"], hand = action.kind, cubes_of(action.hand)
        faults.check()
        if action.kind in (codes.OPEN_DRY, codes.OPEN_ROAST):
            colors = [color for cell in cells for color, count in enumerate(area["cubes"].get(cell, [])) if count]
            if len(colors) != len(cells) or len(set(colors)) != len(colors) or len(set(cells)) != len(cells):
                faults.add("open_action.squares", len(cells), "must be different squares of different colours")
            if any(hand):
                faults.add("open_action.hand", hand, "must be empty")
            fields["open_used"], fields["open_cell"] = cells, max(colors, default=0)
            if not set(cells) <= set(self.group(cells[0], kinds[action.kind])):
                faults.add("open_action.squares", len(cells), "must be squares of one group")
            sources = ("plantation", "double", "sack") if action.kind == codes.OPEN_DRY else ("dry",)
            for cell in self.acting_cells(sources):
                if any(count and color in colors for color, count in enumerate(area["cubes"].get(cell, []))):
                    faults.add("open_action.squares", len(cells), f"their colours are still on a square {sources[0]}")
                    break
            return
        fields["open_cell"], fields["hand"] = cells[0], hand
        stored = area["warehouse"]
        if any(count > there for count, there in zip(hand, stored, strict=True)):
            faults.add("open_action.hand", hand, f"is counted in the warehouse, which holds {stored}")
        if (cells[0] in area["cubes"]) != (action.kind == codes.OPEN_SERVE):
            faults.add(
                "open_action.squares[0]", "cubes" if action.kind == codes.OPEN_EMPTY else "no cubes",
                "a roaster just emptied is empty, a shop or waiter just served is not",
            )  # fmt: skip
        last = cells[0] if action.kind == codes.OPEN_EMPTY else max(self.acting_cells(("roast",)), default=0)
        emptied = sum(cell <= last and cell not in area["cubes"] for cell in self.acting_cells(("roast",)))
        least = 1 if action.kind == codes.OPEN_EMPTY else 0
        if not least <= sum(count > 0 for count in hand) <= emptied:
            faults.add(
                "open_action.hand", hand, f"comes from roasters, each of one colour; {emptied} can have been emptied"
            )

    def acting_cells(self, kinds: Sequence[str]) -> list[int]:
        """Return the acting player's visible cells of some kinds, ascending."""
        cells = self.cells[self.message.turn_player - 1].values()
        return sorted(
            cell.number for cell in cells if self.contents.cards[cell.card].squares[cell.square].kind in kinds
        )

    def group(self, first: int, kinds: Sequence[str]) -> list[int]:
        """Return the acting player's cells joined to one by edges through squares of some kinds, ascending."""
        by_place = self.cells[self.message.turn_player - 1]
        wanted = set(self.acting_cells(kinds))
        front = [place for place, cell in by_place.items() if cell.number == first]
        reached = set(front)
        while front:
            row, column = front.pop()
            for place in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
                if place in by_place and place not in reached and by_place[place].number in wanted:
                    reached.add(place)
                    front.append(place)
        return sorted(by_place[place].number for place in reached)

    def growing(self, fields: dict[str, Any]) -> None:
        """Read and check the choice within a growing action."""
        growing, faults = self.message.growing, self.faults
        kinds = ("plantation", "double", "sack")
        cell = self.cell("growing.square", growing.square, kinds)
        if cell in fields["areas"][fields["to_move"]]["cubes"]:
            faults.add("growing.square", "cubes", "must be empty")
        exhaust = [self.color(f"growing.exhaust[{index}]", color) for index, color in enumerate(growing.exhaust)]
        if exhaust != sorted(set(exhaust)):
            faults.add("growing.exhaust", [*growing.exhaust], "must be different colours, ascending")
        fields["grow_cell"], fields["exhaust"] = cell, exhaust
        faults.check()
        must, may = self.left_empty(cell, fields["areas"][fields["to_move"]]["cubes"])
        if not must <= set(exhaust) <= may:
            names = ", ".join(COLORS[color] for color in sorted(must)) or "none"
            faults.add(
                "growing.exhaust", [*growing.exhaust], f"by the squares of the group left empty before it: {names}"
            )

    def left_empty(self, cell: int, cubes: dict[int, list[int]]) -> tuple[set[int], set[int]]:
        """Return the colours that must be used up for what was left empty below a cell, and those that may have to."""
        must: set[int] = set()
        may: set[int] = set()
        faces = {c.number: self.contents.cards[c.card].squares[c.square] for c in self.cells[
            self.message.turn_player - 1].values()}  # fmt: skip
        for other in self.group(cell, ("plantation", "double", "sack")):
            if other >= cell:
                break
            face, here = faces[other], sum(cubes.get(other, ()))
            if not here:
                must |= set(range(len(COLORS))) if face.kind == "sack" else {face.color}
            elif face.kind == "double" and here == 1:
                may.add(face.color)
        return must, must | may

    def check_cards(self, fields: dict[str, Any]) -> None:
        """Every card is in one place, and there are as many of them as have come out."""
        faults, message = self.faults, self.message
        seen: dict[int, str] = {}
        lists = [
            *((f"players[{i}].cards", [card for card, *_ in area["cards"]]) for i, area in enumerate(fields["areas"])),
            ("offer", fields["offer"]), ("discards", fields["discards"]), ("deck", fields["deck"]),
            *([("taken", [fields["taken"]])] if fields["taken"] is not None else []),
        ]  # fmt: skip
        for path, cards in lists:
            for index, card in enumerate(cards):
                here = path if path == "taken" else f"{path}[{index}]"
                if card in seen:
                    faults.add(here, self.contents.cards[card].id, f"this card is also {seen[card]}")
                seen[card] = here
        faults.check()
        picks = [self.picks(fields, player) for player in range(self.players)]
        missing = [1 + pick - len(area["cards"]) for pick, area in zip(picks, fields["areas"], strict=True)]
        for player, gone in enumerate(missing):
            most = picks[player]
            if not fields["auction"]:  # who has to discard a card has paid the start cubes for cups before
                cups = sum(self.contents.cards[card].count("cup") for card, *_ in fields["areas"][player]["cards"][1:])
                most = max(0, most - START_CUBES) if cups >= START_CUBES else 0
            if not 0 <= gone <= most:
                faults.add(
                    f"players[{player}].cards", 1 + picks[player] - gone,
                    f"after {picks[player]} picks must be {1 + picks[player]} cards, fewer only by forced discards",
                )  # fmt: skip
        faults.check()
        complete = fields["round"] - (fields["step"] < codes.STEP_ACT)
        left_over = (1 if fields["auction"] else 2) + fields["expresso"]
        discarded = complete * left_over + sum(missing)
        if len(fields["discards"]) + message.unknown_discards != discarded:
            faults.add(
                "discards", f"{len(fields['discards'])} known and {message.unknown_discards} unknown",
                f"must be {discarded} together at this point of the game",
            )  # fmt: skip
        self.check_offer(fields)
        deck = set(fields["deck"])
        fields["unseen"] = [
            card
            for card in range(FIRST_START if fields["expresso"] else FIRST_EXPRESSO)
            if card in deck or card not in seen
        ]
        if not faults.found:
            self.check_deck(fields)

    def picks(self, fields: dict[str, Any], player: int) -> int:
        """Return how often a player has picked and placed a card, or had to discard one."""
        before = fields["round"] - 1
        if fields["step"] in (codes.STEP_ACT, codes.STEP_GROW, codes.STEP_OVER):
            return int(before + 1)
        order = (player - fields["master"] - (not fields["auction"])) % self.players
        return int(before + (order < fields["turn"]))

    def check_offer(self, fields: dict[str, Any]) -> None:
        """Check the number of cards on offer, which follows from the step."""
        step, turn, found = fields["step"], fields["turn"], len(fields["offer"])
        full = (self.players + 1 if fields["auction"] else 3) + fields["expresso"]
        gone = turn if fields["auction"] else 0
        low = high = 0
        if step == codes.STEP_DRAW:
            if turn and fields["auction"]:
                self.faults.add("turn_player", turn, "with the auction cards are only drawn before it")
            low, high = (full - 1, full - 1) if turn else (0, full - 1)
        elif step in (codes.STEP_AUCTION, codes.STEP_PAY):
            low = high = full
        elif step == codes.STEP_TAKE:
            low = high = full - gone
        elif step == codes.STEP_PLACE:
            low = high = full - gone - 1
        self.faults.in_range("offer", found, low, high)

    def check_deck(self, fields: dict[str, Any]) -> None:
        """Check that what is unseen fits into the deck, and that a known deck is complete."""
        faults = self.faults
        per_round = self.players + (1 if fields["auction"] else 2) + fields["expresso"]
        size = ROUNDS * (self.players + 2) + (8 if fields["expresso"] else 0)
        drawn = per_round
        if fields["step"] == codes.STEP_DRAW or (fields["step"] <= codes.STEP_PLACE and not fields["auction"]):
            drawn = len(fields["offer"]) + fields["turn"] + (fields["taken"] is not None)
        left = size - (fields["round"] - 1) * per_round - drawn
        expresso = sum(card >= FIRST_EXPRESSO for card in fields["unseen"])
        if expresso > left + fields["unknown_discards"]:
            faults.add("discards", expresso, f"{expresso} Expresso cards are unseen, the deck has only {left} cards")
        if not fields["open_deck"]:
            return
        if self.players != 1:
            faults.add("deck", len(fields["deck"]), "only a game for one player can have a known deck")
            return
        if len(fields["deck"]) != left:
            faults.add("deck", len(fields["deck"]), f"must be the {left} cards left in the deck")
        if fields["step"] == codes.STEP_DRAW:
            faults.add("step", "draw", "cards of a known deck come to the offer at once")
        unknown = expresso - sum(card >= FIRST_EXPRESSO for card in fields["deck"])
        if unknown > fields["unknown_discards"]:
            faults.add("deck", unknown, "every unseen Expresso card must be in it")

    def check_cubes(self, fields: dict[str, Any]) -> None:
        """No more cubes than there are, and in each warehouse what cups and bids can have left."""
        for color, name in enumerate(COLORS):
            total = sum(
                area["warehouse"][color] + sum(cubes[color] for cubes in area["cubes"].values())
                for area in fields["areas"]
            )
            if total > self.contents.cubes:
                self.faults.add("players", f"{total} {name} cubes", f"the set has {self.contents.cubes}")
        for player in range(self.players):
            self.check_warehouse(fields, player)

    def check_warehouse(self, fields: dict[str, Any], player: int) -> None:
        """Cubes leave a warehouse only for cups and bids, and come into it only by actions."""
        area, step = fields["areas"][player], fields["step"]
        path, stored = f"players[{player}]", sum(area["warehouse"])
        cards = [card for card, *_ in area["cards"][1:]]
        if fields["taken"] is not None and player == fields["to_move"]:
            cards.append(fields["taken"])
        left = START_CUBES - sum(self.contents.cards[card].count("cup") for card in cards)
        # Whoever may have won an auction may have paid a bid.
        bid = fields["auction"] and (
            fields["round"] > 1 or (step >= codes.STEP_PAY and player == fields["master"])
        )
        delivered = sum(fields["hand"]) if player == fields["to_move"] else 0
        if stored - delivered < left and not bid:
            besides = f" besides the {delivered} being delivered" if delivered else ""
            reason = f"must be at least {left}{besides}: cubes only leave it for cups"
            self.faults.add(f"{path}.warehouse", stored, reason)
        if self.has_acted(fields, player):
            return
        if area["cubes"]:
            self.faults.add(f"{path}.cards", "cubes", "nothing has grown before the player's first action")
        if stored > left or max(area["warehouse"]) > 1:
            paid = f"less {START_CUBES - left} paid for cups"
            reason = f"must be one cube of each colour, {paid}, before the first action"
            self.faults.add(f"{path}.warehouse", stored, reason)

    def cups(self, player: int) -> int:
        """Return the cups a player shows."""
        cells = self.cells[player].values()
        return sum(self.contents.cards[cell.card].squares[cell.square].kind == "cup" for cell in cells)

    def has_acted(self, fields: dict[str, Any], player: int) -> bool:
        """Return whether a player may have done an action by now."""
        if fields["round"] > 1:
            return True
        order = (player - fields["master"] - (not fields["auction"])) % self.players
        if fields["step"] not in (codes.STEP_ACT, codes.STEP_GROW) or order > fields["turn"]:
            return False
        actions = min(self.cups(player), MAX_ACTIONS)
        begun = fields["step"] == codes.STEP_GROW or fields["open"] or fields["actions"] < actions
        return actions > 0 and bool(order < fields["turn"] or begun)

    def check_phase(self, fields: dict[str, Any]) -> None:
        """Actions left must fit the cups and what is going on."""
        faults, step, message = self.faults, fields["step"], self.message
        if step == codes.STEP_OVER and fields["round"] != ROUNDS:
            faults.add("step", "over", f"the game ends with round {ROUNDS}")
        if step not in (codes.STEP_ACT, codes.STEP_GROW):
            faults.in_range("actions_left", message.actions_left, 0, 0)
            return
        cups = self.cups(fields["to_move"])
        begun = fields["open"] != 0 or step == codes.STEP_GROW
        most = min(cups, MAX_ACTIONS) - begun
        low = 0 if begun else 1
        if not low <= message.actions_left <= most:
            faults.add(
                "actions_left", message.actions_left,
                f"player {fields['to_move'] + 1} shows {cups} cups, so it must be {low} to {most} here"
                if most >= low
                else f"player {fields['to_move'] + 1} shows {cups} cups and has no action here",
            )  # fmt: skip
