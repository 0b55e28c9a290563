"""Campus Café between wire and native state. checks.py refuses positions that cannot come about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cafebrain.v1 import campus_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from engines.campus import checks
from engines.campus.components import CARDS, GIFTS_MAX, OBJECTIVE_COLORS, RESOURCES, TYPES, VARIANTS, WAITERS, CampusSet
from engines.campus.rules import ROUND_LIMIT, CampusGame, Step
from engines.campus.wire import at_most, enums, indices, read_enums, read_resources, resources_message
from engines.violations import Violations

LOWEST_SCORE, HIGHEST_SCORE = -200, 2000
CHANCE_STEPS = (
    Step.OBJECTIVES,
    Step.TABLES,
    Step.DISLIKES,
    Step.WAITERS,
    Step.SECRET,
    Step.ROLL,
    Step.ARRIVAL,
    Step.REVEAL_SECRET,
)


def encode(game: CampusGame, state: State, message: campus_pb2.CampusState) -> None:
    """Fill the message with the position."""
    contents: CampusSet = game.components.contents
    fields = game.read(state)
    message.variant = campus_pb2.CampusVariant.ValueType(fields["advanced"] + 1)
    message.dislikes = bool(fields["dislikes"])
    for player in fields["players"]:
        message.players.add(
            waiter=campus_pb2.CampusWaiter.ValueType(player["waiter"] + 1),
            dislike=contents.dislikes[player["dislike"]].id if player["dislike"] >= 0 else "",
            score=player["score"],
            tray=resources_message(player["tray"]),
            cards=enums(player["owned"]),
        )
    message.turn_player = fields["active"] + 1
    message.round = fields["round"]
    message.last_round = bool(fields["last_round"])
    message.step = campus_pb2.CampusStep.ValueType(fields["step"] + 1)
    message.objectives[:] = [contents.objectives[i].id for i in fields["objective"] if i >= 0]
    message.secret_color = campus_pb2.CampusObjectiveColor.ValueType(fields["secret_color"] + 1)
    if fields["secret"] >= 0:
        message.secret_objective = contents.objectives[fields["secret"]].id
    message.waiters[:] = [campus_pb2.CampusWaiter.ValueType(value) for value in enums(fields["waiters"])]
    message.white_tokens[:] = _customers(fields["whites"])
    message.table[:] = enums(fields["table"])
    for deck, part in enumerate((message.customers_deck, message.last_customers_deck)):
        part.hidden = fields["below"][deck]
        if fields["top"][deck] >= 0:
            part.top = fields["top"][deck] + 1
    message.zones.CopyFrom(resources_message(fields["zone"]))
    _encode_turn(game, fields, message.turn)


def _customers(mask: int) -> list[campus_pb2.CampusCustomer.ValueType]:
    return [campus_pb2.CampusCustomer.ValueType(value) for value in enums(mask)]


def _encode_turn(game: CampusGame, fields: dict[str, Any], message: campus_pb2.CampusTurn) -> None:
    turn = fields["turn"]
    dice = [die for die in turn["die"] if die >= 0]
    message.dice[:] = [campus_pb2.CampusColor.ValueType(die + 1) for die in dice]
    for die, space in zip(turn["die"], turn["placed"], strict=True):
        if space >= 0:
            message.placed.add(color=campus_pb2.CampusColor.ValueType(die + 1), space=space + 1)
    message.served[:] = enums(turn["served"])
    message.paying = turn["paying"] + 1
    message.spent.CopyFrom(resources_message(turn["spent"]))
    message.blue_tokens.CopyFrom(resources_message(turn["blue"]))
    message.red_tokens[:] = _customers(turn["red"])
    message.white_tokens[:] = _customers(turn["white"])
    message.yellow_token = bool(turn["yellow"])
    for space, used in zip(counters(game.components.contents, fields), turn["converted"], strict=False):
        if used:
            message.conversions.add(space=space + 1, used=used)
    message.samuel_shake = bool(turn["samuel"] & 1)
    message.samuel_cupcake = bool(turn["samuel"] & 2)
    message.depletion.CopyFrom(resources_message(turn["gifts"] if fields["step"] == Step.DEPLETE else [0] * 5))


def counters(contents: CampusSet, fields: dict[str, Any]) -> list[int]:
    """Return the occupied counters, by ascending space: the pools of conversions."""
    spaces = contents.side(VARIANTS[fields["advanced"]]).spaces
    return sorted({space for space in fields["turn"]["placed"] if space >= 0 and spaces[space].times})


def decode(game: CampusGame, message: campus_pb2.CampusState) -> State:
    """Return the position.

    Raises BrainError INVALID_ARGUMENT with field violations unless it is possible.
    """
    faults = Violations("state.campus")
    fields = _Reader(game.components.contents, message, faults).fields()
    faults.check()  # what follows relies on every number being in range
    checks.check(game, fields, faults)
    return game.build(fields)


class _Reader:
    """Reads a message field by field and notes what does not exist or is out of range."""

    def __init__(self, contents: CampusSet, message: campus_pb2.CampusState, faults: Violations) -> None:
        self.contents = contents
        self.message = message
        self.faults = faults
        self.objectives = [objective.id for objective in contents.objectives]
        self.dislikes = [dislike.id for dislike in contents.dislikes]
        self.places: dict[int, str] = {}  # where each card was found

    def fields(self) -> dict[str, Any]:
        """Return the fields as CampusGame.build wants them; only to be used where no fault was noted."""
        message, faults = self.message, self.faults
        count = len(message.players)
        if not 2 <= count <= 5:
            faults.add("players", count, "must be 2 to 5 players")
        faults.in_range("variant", message.variant, 1, len(VARIANTS))
        faults.in_range("step", message.step, 1, len(Step))
        faults.in_range("round", message.round, 1, ROUND_LIMIT)
        faults.in_range("secret_color", message.secret_color, 0, len(OBJECTIVE_COLORS))
        faults.check()
        faults.in_range("turn_player", message.turn_player, 1, count)
        step = Step(message.step - 1)
        fields: dict[str, Any] = {
            "advanced": message.variant - 1,
            "dislikes": message.dislikes,
            "step": step,
            "active": message.turn_player - 1,
            "round": message.round,
            "last_round": message.last_round,
            "players": [self.player(f"players[{i}]", player) for i, player in enumerate(message.players)],
            "objective": self.laid_out(),
            "secret_color": message.secret_color - 1,
            "secret": self.secret(),
            "waiters": read_enums("waiters", message.waiters, len(WAITERS), faults),
            "whites": read_enums("white_tokens", message.white_tokens, len(TYPES), faults),
            "table": self.cards("table", message.table),
            "zone": read_resources("zones", message.zones, self.contents.tokens, faults),
        }
        decks = [self.deck(name) for name in ("customers_deck", "last_customers_deck")]
        fields["top"], fields["below"] = [top for top, _ in decks], [hidden for _, hidden in decks]
        faults.check()
        fields["turn"] = self.turn(fields)
        fields["unseen"] = ((1 << CARDS) - 1) & ~sum(1 << card for card in self.places)
        fields["to_move"] = _to_move(fields)
        return fields

    def card(self, path: str, number: int) -> int:
        """Return a card from 0 and note one that lies elsewhere too; -1 where there is no such card."""
        if not self.faults.in_range(path, number, 1, CARDS):
            return -1
        if number - 1 in self.places:
            self.faults.add(path, number, f"this card is also in {self.places[number - 1]}")
        self.places[number - 1] = path
        return number - 1

    def cards(self, path: str, numbers: Sequence[int]) -> int:
        """Return cards as a mask."""
        if not at_most(path, numbers, CARDS, self.faults):
            return 0
        found = [self.card(f"{path}[{i}]", number) for i, number in enumerate(numbers)]
        return sum({1 << card for card in found if card >= 0})

    def deck(self, name: str) -> tuple[int, int]:
        """Return top and hidden cards of a deck."""
        message: campus_pb2.CampusDeck = getattr(self.message, name)
        self.faults.in_range(f"{name}.hidden", message.hidden, 0, CARDS)
        return (self.card(f"{name}.top", message.top) if message.HasField("top") else -1), message.hidden

    def player(self, path: str, message: campus_pb2.CampusPlayer) -> dict[str, Any]:
        """Return what lies in front of a player."""
        faults = self.faults
        faults.in_range(f"{path}.waiter", message.waiter, 0, len(WAITERS))
        faults.in_range(f"{path}.score", message.score, LOWEST_SCORE, HIGHEST_SCORE)
        return {
            "waiter": message.waiter - 1,
            "dislike": self.known(f"{path}.dislike", message.dislike, self.dislikes) if message.dislike else -1,
            "score": message.score,
            "tray": read_resources(f"{path}.tray", message.tray, self.contents.tokens, faults),
            "owned": self.cards(f"{path}.cards", message.cards),
        }

    def known(self, path: str, name: str, known: list[str]) -> int:
        """Return the index of a name; -1 where it is unknown."""
        if name in known:
            return known.index(name)
        self.faults.add(path, name, f"must be one of {', '.join(known)}")
        return -1

    def laid_out(self) -> list[int]:
        """Return the objective of each colour, -1 where it is not laid out yet."""
        result = [-1, -1, -1]
        if not at_most("objectives", self.message.objectives, len(result), self.faults):
            return result
        for i, name in enumerate(self.message.objectives):
            result[i] = self.known(f"objectives[{i}]", name, self.objectives)
            if result[i] >= 0 and self.contents.objectives[result[i]].color != OBJECTIVE_COLORS[i]:
                self.faults.add(f"objectives[{i}]", name, f"must be a {OBJECTIVE_COLORS[i]} objective")
        return result

    def secret(self) -> int:
        """Return Abigail's secret objective, -1 where it is not told."""
        if not self.message.HasField("secret_objective"):
            return -1
        return self.known("secret_objective", self.message.secret_objective, self.objectives)

    def turn(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Return the running turn."""
        message, faults = self.message.turn, self.faults
        spaces = self.contents.side(VARIANTS[fields["advanced"]]).spaces
        for name, items, most in (
            ("dice", message.dice, 2),
            ("placed", message.placed, 2),
            ("conversions", message.conversions, 2),
            ("served", message.served, CARDS),
        ):
            at_most(f"turn.{name}", items, most, faults)
        faults.check()
        dice = [die - 1 for i, die in enumerate(message.dice) if faults.in_range(f"turn.dice[{i}]", die, 1, 3)]
        if len(message.dice) not in (0, 2):
            faults.add("turn.dice", len(message.dice), "must be two dice, or none")
        elif dice != sorted(dice):
            faults.add("turn.dice", list(message.dice), "must be in ascending order")
        faults.check()
        served = 0
        for i, number in enumerate(message.served):
            # A top of a deck stays there until the training.
            if number and number - 1 in fields["top"] and not served >> number - 1 & 1:
                served |= 1 << number - 1
            else:
                card = self.card(f"turn.served[{i}]", number)
                served |= 1 << card if card >= 0 else 0
        faults.in_range("turn.paying", message.paying, 0, CARDS)
        turn: dict[str, Any] = {
            "die": dice or [-1, -1],
            "placed": self.placed(dice, len(spaces)),
            "served": served,
            "paying": message.paying - 1,
            "spent": read_resources("turn.spent", message.spent, self.contents.tokens, faults),
            "blue": read_resources("turn.blue_tokens", message.blue_tokens, [3] * 5, faults),
            "red": read_enums("turn.red_tokens", message.red_tokens, len(TYPES), faults),
            "white": read_enums("turn.white_tokens", message.white_tokens, len(TYPES), faults),
            "yellow": message.yellow_token,
            "samuel": message.samuel_shake | message.samuel_cupcake << 1,
            "converted": [0, 0],
            "money": 0,
        }
        depletion = read_resources("turn.depletion", message.depletion, [GIFTS_MAX] * 5, faults)
        faults.check()
        if fields["step"] == Step.DEPLETE:
            turn["gifts"] = depletion
        else:
            if any(depletion):
                faults.add("turn.depletion", depletion, "must be empty but at CAMPUS_STEP_DEPLETE")
            gifts = [self.contents.cards[card].gift for card in indices(served)]
            turn["gifts"] = [gifts.count(resource) for resource in RESOURCES]
        if fields["step"] not in (Step.PLACE, Step.DEPLETE):
            turn["money"] = sum(spaces[space].money for space in turn["placed"] if space >= 0)
        occupied = counters(self.contents, {"advanced": fields["advanced"], "turn": turn})
        for i, conversions in enumerate(message.conversions):
            path = f"turn.conversions[{i}]"
            if conversions.space - 1 not in occupied:
                faults.add(f"{path}.space", conversions.space, "is no counter with a die on it")
                continue
            if i and conversions.space <= message.conversions[i - 1].space:
                faults.add(f"{path}.space", conversions.space, "must be in ascending order")
            most = spaces[conversions.space - 1].times * turn["placed"].count(conversions.space - 1)
            faults.in_range(f"{path}.used", conversions.used, 0, most)
            turn["converted"][occupied.index(conversions.space - 1)] = conversions.used
        return turn

    def placed(self, dice: list[int], spaces: int) -> list[int]:
        """Return the space of each die, -1 where it is not placed."""
        placed = [-1, -1]
        for i, die in enumerate(self.message.turn.placed):
            path = f"turn.placed[{i}]"
            known = self.faults.in_range(f"{path}.space", die.space, 1, spaces)
            free = [d for d in range(len(dice)) if dice[d] == die.color - 1 and placed[d] < 0]
            if not free:
                self.faults.add(f"{path}.color", die.color, "there is no further die of this colour")
            elif known:
                placed[free[0]] = die.space - 1
        # Of dice of one colour the lower space counts first.
        return sorted(placed) if len(set(dice)) == 1 and -1 not in placed else placed


def _to_move(fields: dict[str, Any]) -> int:
    """Return who is to move at a step."""
    step = fields["step"]
    if step == Step.OVER:
        return GAME_OVER
    if step in CHANCE_STEPS:
        return CHANCE_POINT
    if step == Step.DRAFT:
        return max((p for p, player in enumerate(fields["players"]) if player["waiter"] < 0), default=0)
    active: int = fields["active"]
    return active
