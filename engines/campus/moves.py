"""Moves of Campus Café: native codes (layout.pxd) and wire messages; words.py has them in words."""

from __future__ import annotations

from cafebrain.v1 import campus_pb2
from cython_ext.game import State
from engines.campus import terms
from engines.campus.codec import counters
from engines.campus.components import (
    CARDS,
    DIE_COLORS,
    RESOURCES,
    TYPES,
    VARIANTS,
    WAITERS,
    CampusSet,
    Card,
    Space,
)
from engines.campus.rules import CampusGame, MoveKind, Step
from engines.campus.wire import read_resources, resources_message
from engines.violations import Violations

SHIFT = 28
COUNTER_COVERS, SAMUEL_COVERS = 5, 15  # first codes of converted covers
WHITE_TOKEN = 8
GIFTS, SUPPLIES = 3, 2  # what can be chosen


def split(move: int) -> tuple[MoveKind, int]:
    """Return kind and argument of a code."""
    return MoveKind(move >> SHIFT), move & (1 << SHIFT) - 1


def discarded(argument: int) -> list[int]:
    """Return the counts of E H M S C of a discard."""
    return [argument >> 16 - 4 * resource & 15 for resource in range(len(RESOURCES))]


def covers(card: Card, argument: int) -> list[int]:
    """Return the cover of each dish of a payment."""
    count = len(card.all_dishes)
    return [argument >> 5 * (count - 1 - dish) & 31 for dish in range(count)]


def encode(game: CampusGame, state: State, move: int, message: campus_pb2.CampusMove) -> None:
    """Fill the message with a legal move or possible draw of `state`."""
    contents: CampusSet = game.components.contents
    kind, argument = split(move)
    if kind == MoveKind.OBJECTIVE:
        message.draw_objective.objective = contents.objectives[argument].id
    elif kind == MoveKind.CARD:
        message.reveal_card.card = argument + 1
    elif kind == MoveKind.DISLIKE:
        message.draw_dislike.dislike = contents.dislikes[argument].id
    elif kind == MoveKind.WAITER:
        message.take_waiter.waiter = campus_pb2.CampusWaiter.ValueType(argument + 1)
    elif kind == MoveKind.DICE:
        message.dice.colors[:] = [campus_pb2.CampusColor.ValueType(color + 1) for color in divmod(argument, 3)]
    elif kind == MoveKind.PLACE:
        message.place_die.color = campus_pb2.CampusColor.ValueType((argument >> 4) + 1)
        message.place_die.space = (argument & 15) + 1
    elif kind == MoveKind.STACK:
        message.stack_dice.space = argument + 1
    elif kind == MoveKind.DISCARD:
        message.discard.resources.CopyFrom(resources_message(discarded(argument)))
    elif kind == MoveKind.SERVE:
        message.serve.card = argument + 1
    elif kind == MoveKind.STOP:
        message.stop.SetInParent()
    elif kind == MoveKind.PAY:
        _encode_covers(game, state, argument, message.pay)
    elif kind == MoveKind.GIFT and argument >= WHITE_TOKEN:
        message.take_token.customer = campus_pb2.CampusCustomer.ValueType(argument - WHITE_TOKEN + 1)
    elif kind == MoveKind.GIFT:
        message.take_gift.gift = campus_pb2.CampusGiftKind.ValueType(argument + 1)
    elif kind == MoveKind.TALENT:
        message.talent.resource = campus_pb2.CampusResource.ValueType(argument + 1)
    elif kind == MoveKind.DEPLETE:
        message.deplete.player = argument + 1
    else:
        message.william.supply = campus_pb2.CampusWilliamSupply.ValueType(argument + 1)


def _encode_covers(game: CampusGame, state: State, argument: int, message: campus_pb2.CampusPay) -> None:
    fields = game.read(state)
    occupied = counters(game.components.contents, fields)
    for cover in covers(game.components.contents.cards[fields["turn"]["paying"]], argument):
        if cover < COUNTER_COVERS:
            message.covers.add(kind=campus_pb2.CampusCoverKind.ValueType(cover + 1))
            continue
        pool, resource = divmod(cover - COUNTER_COVERS, len(RESOURCES))
        served = campus_pb2.CampusResource.ValueType(resource + 1)
        if cover < SAMUEL_COVERS:
            message.covers.add(kind=campus_pb2.CAMPUS_COVER_KIND_COUNTER, resource=served, space=occupied[pool] + 1)
        else:
            message.covers.add(kind=campus_pb2.CAMPUS_COVER_KIND_SAMUEL, resource=served)


def decode(game: CampusGame, state: State, message: campus_pb2.CampusMove) -> int:
    """Return the code of a move or draw; a payment's is that of the listed payment with the same outcome.

    Raises BrainError INVALID_ARGUMENT with field violations where it is no move at all.
    """
    faults = Violations("move.campus", "INVALID_MOVE", "no move")
    kind, argument = _decode(game, state, message, faults)
    faults.check()
    code = kind << SHIFT | argument
    return game.canonical_payment(state, code) if kind == MoveKind.PAY else code


def _index(path: str, value: int, count: int, faults: Violations) -> int:
    """Return a number from 1 as an index."""
    return value - 1 if faults.in_range(path, value, 1, count) else 0


def _name(path: str, name: str, known: list[str], faults: Violations) -> int:
    if name in known:
        return known.index(name)
    faults.add(path, name, f"must be one of {', '.join(known)}")
    return 0


def _decode(game: CampusGame, state: State, message: campus_pb2.CampusMove, faults: Violations) -> tuple[MoveKind, int]:
    contents: CampusSet = game.components.contents
    spaces = len(contents.side(VARIANTS[game.read(state)["advanced"]]).spaces)
    kind = message.WhichOneof("move")
    if kind == "draw_objective":
        known = [objective.id for objective in contents.objectives]
        return MoveKind.OBJECTIVE, _name("draw_objective.objective", message.draw_objective.objective, known, faults)
    if kind == "reveal_card":
        return MoveKind.CARD, _index("reveal_card.card", message.reveal_card.card, CARDS, faults)
    if kind == "draw_dislike":
        known = [dislike.id for dislike in contents.dislikes]
        return MoveKind.DISLIKE, _name("draw_dislike.dislike", message.draw_dislike.dislike, known, faults)
    if kind == "take_waiter":
        return MoveKind.WAITER, _index("take_waiter.waiter", message.take_waiter.waiter, len(WAITERS), faults)
    if kind == "dice":
        if len(message.dice.colors) != 2:
            faults.add("dice.colors", len(message.dice.colors), "must be two colours")
            return MoveKind.DICE, 0
        low, high = sorted(_index(f"dice.colors[{i}]", c, 3, faults) for i, c in enumerate(message.dice.colors))
        return MoveKind.DICE, low * 3 + high
    if kind == "place_die":
        color = _index("place_die.color", message.place_die.color, len(DIE_COLORS), faults)
        return MoveKind.PLACE, color << 4 | _index("place_die.space", message.place_die.space, spaces, faults)
    if kind == "stack_dice":
        return MoveKind.STACK, _index("stack_dice.space", message.stack_dice.space, spaces, faults)
    if kind == "discard":
        counts = read_resources("discard.resources", message.discard.resources, [15] * len(RESOURCES), faults)
        return MoveKind.DISCARD, sum((n & 15) << 16 - 4 * resource for resource, n in enumerate(counts))
    if kind == "serve":
        return MoveKind.SERVE, _index("serve.card", message.serve.card, CARDS, faults)
    if kind == "stop":
        return MoveKind.STOP, 0
    if kind == "pay":
        return MoveKind.PAY, _decode_covers(game, state, message.pay, faults)
    if kind == "take_token":
        customer = _index("take_token.customer", message.take_token.customer, len(TYPES), faults)
        return MoveKind.GIFT, WHITE_TOKEN + customer
    if kind == "take_gift":
        return MoveKind.GIFT, _index("take_gift.gift", message.take_gift.gift, GIFTS, faults)
    if kind == "talent":
        return MoveKind.TALENT, _index("talent.resource", message.talent.resource, len(RESOURCES), faults)
    if kind == "deplete":
        return MoveKind.DEPLETE, _index("deplete.player", message.deplete.player, state.players, faults)
    if kind == "william":
        return MoveKind.WILLIAM, _index("william.supply", message.william.supply, SUPPLIES, faults)
    faults.add("", "nothing", "must be one of the moves of CampusMove")
    return MoveKind.STOP, 0


def _decode_covers(game: CampusGame, state: State, message: campus_pb2.CampusPay, faults: Violations) -> int:
    fields = game.read(state)
    if fields["step"] != Step.PAY:
        faults.add("pay", "a payment", "no card is being paid")
        return 0
    occupied = counters(game.components.contents, fields)
    dishes = game.components.contents.cards[fields["turn"]["paying"]].all_dishes
    if len(message.covers) != len(dishes):
        faults.add("pay.covers", len(message.covers), f"must be {len(dishes)}, one for each dish")
        return 0
    argument = 0
    for i, cover in enumerate(message.covers):
        path = f"pay.covers[{i}]"
        code = _index(f"{path}.kind", cover.kind, len(campus_pb2.CampusCoverKind.values()) - 1, faults)
        if code >= COUNTER_COVERS:
            resource = _index(f"{path}.resource", cover.resource, len(RESOURCES), faults)
            if cover.kind == campus_pb2.CAMPUS_COVER_KIND_SAMUEL:
                code = SAMUEL_COVERS + resource
            elif cover.space - 1 in occupied:
                code = COUNTER_COVERS + occupied.index(cover.space - 1) * len(RESOURCES) + resource
            else:
                faults.add(f"{path}.space", cover.space, "is no counter with a die on it")
        argument = argument << 5 | code
    return argument


def space_text(space: Space) -> str:
    """Return what a dice space gives, such as "M+$2" or "counter 2x EH on MS"."""
    return str(terms.space(space))


def card_text(card: Card) -> str:
    """Return the order of a card and its check, such as "MMSS $14 gift E"."""
    return str(terms.order(card))


def reverse_text(card: Card) -> str:
    """Return what the reverse of a card gives."""
    return str(terms.reverse(card))
