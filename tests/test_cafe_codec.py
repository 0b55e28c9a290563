"""Café on the wire: round trips, and refusal of what cannot come about, each with the field it is about."""
from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from cafebrain.errors import MAX_VIOLATIONS, BrainError
from cafebrain.v1 import cafe_pb2, game_pb2
from cython_ext.game import GAME_OVER, State
from cython_ext.rng import Random
from engines.cafe import codes
from engines.cafe.components import KINDS, CafeComponents
from engines.library import Entry
from tests.mutations import mutate
from tests.sets import cafe_entries, written_cafe

ENTRIES = cafe_entries()
WRITTEN = written_cafe()
OPTIONS = [
    (players, auction, expresso)
    for players in (1, 2, 3, 4)
    for auction in ("false", "true")
    for expresso in ("false", "true")
    if players > 1 or auction == "false"
]


def conserved(entry: Entry, state: State) -> None:
    """Every cube and card is somewhere, counted independently of the codec."""
    contents: CafeComponents = entry.components.contents
    fields = entry.game.read(state)
    for color in range(4):
        cubes = fields["supply"][color]
        for area in fields["areas"]:
            cubes += area["warehouse"][color] + sum(pile[color] for pile in area["cubes"].values())
        assert cubes == contents.cubes
        assert fields["supply"][color] >= 0
    seen = [card for area in fields["areas"] for card, *_ in area["cards"]] + fields["offer"] + fields["unseen"]
    if fields["taken"] is not None:
        seen.append(fields["taken"])
    assert len(set(seen)) == len(seen)
    assert set(fields["deck"]) <= set(fields["unseen"])
    removed = 48 - 8 * (fields["players"] + 2)
    assert len(fields["unseen"]) == fields["deck_left"] + removed + fields["unknown_discards"]
    for area in fields["areas"]:
        assert set(area["cubes"]) <= set(area["visible"])
        assert area["cups"] == sum(kind == 8 for kind, _, _ in area["visible"].values())
        places = [place for _, *place in area["visible"].values()]
        assert len({tuple(place) for place in places}) == len(places)


def encode(entry: Entry, state: State) -> game_pb2.GameState:
    message = game_pb2.GameState(component_set={"id": entry.components.id, "hash": entry.components.hash})
    entry.engine.encode(state, message)
    return message


def begin(entry: Entry, players: int, auction: str, expresso: str, open_deck: str = "false", seed: int = 0) -> State:
    options = {"auction": auction, "expresso": expresso, "open_deck": open_deck}
    return entry.engine.initial(entry.game, players, options, Random(seed))


def play(state: State, dice: random.Random) -> Iterator[State]:
    """Yield every position of a random game that seldom ends its actions early."""
    yield state
    while state.to_move != GAME_OVER:
        moves = state.moves() or [code for code, _ in state.outcomes()]
        code = dice.choice(moves)
        if code == moves[-1] and len(moves) > 1 and dice.random() < 0.8:
            code = dice.choice(moves[:-1])
        state.apply(code)
        yield state


@pytest.mark.parametrize(("players", "auction", "expresso"), OPTIONS)
@pytest.mark.parametrize("set_id", sorted(ENTRIES))
def test_every_position_of_random_games_goes_there_and_back(
    set_id: str, players: int, auction: str, expresso: str
) -> None:
    entry = ENTRIES[set_id]
    steps: Counter[int] = Counter()
    for seed in range(3):
        for state in play(begin(entry, players, auction, expresso, seed=seed), random.Random(seed)):
            message = encode(entry, state)
            wire = message.SerializeToString(deterministic=True)
            again = entry.engine.decode(game_pb2.GameState.FromString(wire), entry.game)
            assert bytes(again) == bytes(state)
            assert encode(entry, again).SerializeToString(deterministic=True) == wire
            conserved(entry, state)
            steps[entry.game.read(state)["step"]] += 1
    wanted = {codes.STEP_DRAW, codes.STEP_TAKE, codes.STEP_PLACE, codes.STEP_ACT, codes.STEP_OVER}
    if auction == "true":
        wanted |= {codes.STEP_AUCTION, codes.STEP_PAY}
    if set_id == "odd" and expresso == "true":
        wanted.add(codes.STEP_GROW)
    assert wanted <= steps.keys()


@pytest.mark.parametrize("expresso", ["false", "true"])
def test_a_known_deck_comes_in_its_order(expresso: str) -> None:
    entry = WRITTEN
    state = begin(entry, 1, "false", expresso, "true", seed=5)
    size, offer = (32, 4) if expresso == "true" else (24, 3)
    cards = [*encode(entry, state).cafe.offer, *encode(entry, state).cafe.deck]
    assert len(set(cards)) == len(cards) == size
    assert sum(card.startswith("expresso") for card in cards) == (8 if expresso == "true" else 0)
    seen = []
    fields = {}
    for later in play(state, random.Random(1)):
        message = encode(entry, later)
        assert later.to_move == GAME_OVER or later.to_move == 0
        assert entry.engine.decode(message, entry.game) == later
        if (message.cafe.round, message.cafe.step) not in fields and message.cafe.step == cafe_pb2.CAFE_STEP_TAKE:
            seen += sorted(message.cafe.offer)
        fields[message.cafe.round, message.cafe.step] = True
    assert seen == [card for i in range(0, size, offer) for card in sorted(cards[i : i + offer])]


@pytest.mark.parametrize("expresso", ["false", "true"])
def test_unknown_discards_count_as_unseen(expresso: str) -> None:
    entry = WRITTEN
    dice = random.Random(2)
    declared = 0
    for state in play(begin(entry, 2, "false", expresso), dice):
        message = encode(entry, state)
        if not message.cafe.discards:
            continue
        gone = len(message.cafe.discards)
        del message.cafe.discards[:]
        message.cafe.unknown_discards = gone
        hidden = entry.engine.decode(message, entry.game)
        conserved(entry, hidden)
        assert encode(entry, hidden) == message
        for code, _chance in hidden.outcomes():
            later = hidden.copy()
            later.apply(code)
            assert entry.engine.decode(encode(entry, later), entry.game) == later
        declared += 1
    assert declared > 20


def test_a_half_turn_of_a_symmetric_card_is_the_same_position() -> None:
    entry = ENTRIES["odd"]
    contents: CafeComponents = entry.components.contents
    found = 0
    for seed in range(60):
        for state in play(begin(entry, 1, "false", "false", seed=seed), random.Random(seed)):
            message = encode(entry, state)
            numbers = {card.id: card for card in contents.cards}
            for placed in message.cafe.players[0].cards[1:]:
                if numbers[placed.card].symmetric:
                    assert placed.rotation < 2
                    placed.rotation += 2
                    found += bool(placed.cubes)
                    for pile in placed.cubes:
                        pile.square = 7 - pile.square
            assert entry.engine.decode(message, entry.game) == state
        if found > 3:
            return
    pytest.fail("no symmetric card with cubes was met")


# --- refusals --------------------------------------------------------------------------------------------------------

Change = Callable[[cafe_pb2.CafeState], object]


def position(
    step: str, players: int = 2, auction: str = "false", expresso: str = "false", round_: int = 3, seed: int = 0
) -> cafe_pb2.CafeState:
    """Return the first position of a random game at a step, not before a round."""
    entry = WRITTEN
    for number in range(seed, seed + 200):
        for state in play(begin(entry, players, auction, expresso, seed=number), random.Random(number)):
            message = encode(entry, state).cafe
            if message.step == codes.STEP_NAMES.index(step) + 1 and message.round >= round_:
                return message
    raise AssertionError(step)


def refused(message: cafe_pb2.CafeState) -> dict[str, str]:
    """Return the fields a position is refused for, with the reasons."""
    entry = WRITTEN
    with pytest.raises(BrainError) as error:
        entry.engine.decode(game_pb2.GameState(cafe=message), entry.game)
    assert error.value.code == "INVALID_ARGUMENT"
    assert 1 <= len(error.value.violations) <= MAX_VIOLATIONS
    assert all(v.field.startswith("state.cafe") and v.reason for v in error.value.violations)
    return {v.field.removeprefix("state.cafe").lstrip("."): v.reason for v in error.value.violations}


def set_step(step: str) -> Change:
    return lambda m: setattr(m, "step", codes.STEP_NAMES.index(step) + 1)


SIMPLE: list[tuple[str, str, Change, str, str]] = [
    ("take", "no players", lambda m: m.ClearField("players"), "players", "must be 1 to 4"),
    ("take", "five players", lambda m: m.players.extend([m.players[0]] * 3), "players", "must be 1 to 4"),
    ("take", "round 0", lambda m: setattr(m, "round", 0), "round", "must be 1 to 8"),
    ("take", "round 9", lambda m: setattr(m, "round", 9), "round", "must be 1 to 8"),
    ("take", "no master", lambda m: setattr(m, "master", 0), "master", "must be 1 to 2"),
    ("take", "no step", lambda m: setattr(m, "step", 0), "step", "must be 1 to 8"),
    ("take", "no turn player", lambda m: setattr(m, "turn_player", 0), "turn_player", "must be 1 to 2"),
    ("take", "no start card", lambda m: m.players[0].ClearField("cards"), "players[0].cards", "must be 1 to 9"),
    ("take", "unknown card", lambda m: setattr(m.players[0].cards[1], "card", "plan-99"), "players[0].cards[1].card",
     "no such card"),
    ("take", "start card twice", lambda m: setattr(m.players[0].cards[1], "card", "start-1"),
     "players[0].cards[1].card", "first card"),
    ("take", "Expresso card without Expresso", lambda m: m.offer.__setitem__(0, "expresso-1"), "offer[0]",
     "without them"),
    ("take", "Expresso card placed without Expresso", lambda m: setattr(m.players[1].cards[1], "card", "expresso-1"),
     "players[1].cards[1].card", "without them"),
    ("take", "start card on offer", lambda m: m.offer.__setitem__(0, "start-1"), "offer[0]", "is a start card"),
    ("take", "card twice", lambda m: m.offer.__setitem__(0, m.players[1].cards[1].card), "offer[0]", "is also players"),
    ("take", "too few on offer", lambda m: m.offer.pop(), "offer", "must be 3"),
    ("take", "start card moved", lambda m: setattr(m.players[0].cards[0], "row", 1), "players[0].cards[0]",
     "row 0, column 0"),
    ("take", "card far away", lambda m: setattr(m.players[0].cards[1], "column", 25), "players[0].cards[1]",
     "2 to 4 squares"),
    ("take", "card outside", lambda m: setattr(m.players[0].cards[1], "column", 40), "players[0].cards[1].column",
     "must be -31 to 31"),
    ("take", "rotation 4", lambda m: setattr(m.players[0].cards[1], "rotation", 4), "players[0].cards[1].rotation",
     "must be 0 to 3"),
    ("take", "too many cubes", lambda m: setattr(m.players[0].warehouse, "red", 36), "players[0].warehouse.red",
     "must be 0 to 35"),
    ("take", "cubes beyond conservation", lambda m: [setattr(p.warehouse, "red", 20) for p in m.players], "players",
     "the set has 35"),
    ("take", "actions outside the action phase", lambda m: setattr(m, "actions_left", 1), "actions_left", "must be 0"),
    ("take", "taken too early", lambda m: setattr(m, "taken", m.offer[0]), "taken", "exactly at the step place"),
    ("take", "auction details without auction", lambda m: setattr(m.bids, "bid", 1), "bids", "belongs exactly"),
    ("take", "an auction step without auction", set_step("auction"), "bids", "belongs exactly"),
    ("take", "too many discards", lambda m: setattr(m, "unknown_discards", 1), "discards", "must be 4 together"),
    ("take", "a known deck for two", lambda m: m.deck.append(next(unused(m))), "deck", "only a game for one player"),
    ("place", "nothing taken", lambda m: setattr(m, "taken", ""), "taken", "exactly at the step place"),
    ("act", "no action left", lambda m: setattr(m, "actions_left", 0), "actions_left", "cups"),
    ("act", "more actions than cups", lambda m: setattr(m, "actions_left", 8), "actions_left", "cups"),
    ("act", "cards on offer", lambda m: m.offer.append(next(unused(m))), "offer", "must be 0"),
    ("act", "over in round 3", lambda m: (set_step("over")(m), setattr(m, "turn_player", 0)), "step", "round 8"),
    ("act", "growing elsewhere", lambda m: setattr(m.growing.square, "row", 0), "growing", "belongs exactly"),
    ("draw", "a full offer", lambda m: m.offer.extend([*unused(m)][: 3 - len(m.offer)]), "offer", "must be"),
]  # fmt: skip


def unused(message: cafe_pb2.CafeState) -> Iterator[str]:
    """Plan cards that the position does not name."""
    named = {placed.card for player in message.players for placed in player.cards}
    named |= {*message.offer, *message.discards, message.taken}
    return (card for n in range(1, 49) if (card := f"plan-{n:02}") not in named)


@pytest.mark.parametrize(("step", "name", "change", "field", "reason"), SIMPLE, ids=[case[1] for case in SIMPLE])
def test_refuses(step: str, name: str, change: Change, field: str, reason: str) -> None:
    message = position(step)
    change(message)
    found = refused(message)
    assert field in found, found
    assert reason in found[field]


def hand_made(cards: list[tuple[str, int, int, int]], step: str = "take") -> cafe_pb2.CafeState:
    """Return a solo position whose area holds the start card start-1 and these (card, row, column, rotation)."""
    round_ = len(cards) + (step == "take")
    message = cafe_pb2.CafeState(round=round_, master=1, turn_player=1, step=codes.STEP_NAMES.index(step) + 1)
    player = message.players.add()
    player.cards.add(card="start-1")
    for card, row, column, rotation in cards:
        player.cards.add(card=card, row=row, column=column, rotation=rotation)
    for color in ("red", "yellow", "green", "brown"):
        setattr(player.warehouse, color, 1)
    others = unused(message)
    message.discards.extend(next(others) for _ in range(2 * (round_ - (step == "take"))))
    if step == "take":
        message.offer.extend(next(others) for _ in range(3))
    else:
        message.actions_left = 1
    return message


# start-1 is red yellow dry / green cup roast; plan-03 is roast roast red / yellow empty dry, without a cup.
@pytest.mark.parametrize(("row", "column", "covered"), [(1, 2, 1), (0, 0, 6), (2, 0, 0), (-1, -2, 1)])
def test_refuses_covering_too_few_or_too_many(row: int, column: int, covered: int) -> None:
    assert "players[0].cards[1]" in refused(hand_made([("plan-03", row, column, 0)]))
    entry = WRITTEN
    with pytest.raises(BrainError, match=f"found {covered} squares"):
        entry.engine.decode(game_pb2.GameState(cafe=hand_made([("plan-03", row, column, 0)])), entry.game)


def test_refuses_five_covered_squares() -> None:
    # Two cards side by side fill rows 0 and 1 from column 0 to 4; a third upright one over the middle covers four, a
    # fourth that lies in a hole-free block of three rows covers all six of its squares.
    cards = [("plan-03", 0, 2, 0), ("plan-04", 2, 0, 0)]
    assert "players[0].cards[2]" in refused(hand_made(cards))  # touches, covers nothing
    cards = [("plan-03", 1, 0, 0), ("plan-04", 0, 1, 1)]
    assert refused(hand_made(cards))["players[0].cards[2]"] == "a card must cover 2 to 4 squares of the area"


def pile(message: cafe_pb2.CafeState, card: int, square: int, **cubes: int) -> cafe_pb2.CafeState:
    message.players[0].cards[card].cubes.add(square=square, cubes=cafe_pb2.CafeCubes(**cubes))
    return message


@pytest.mark.parametrize(
    ("square", "cubes", "reason"),
    [
        (2, {"yellow": 2}, "at most 1"),
        (2, {"red": 1}, "yellow grows here"),
        (3, {"red": 1, "green": 1}, "of one colour"),
        (5, {"red": 1}, "at most 0"),
        (6, {}, "at least one cube"),
        (6, {"red": 36}, "35 cubes of each colour"),
        (7, {"red": 1}, "must be 1 to 6"),
        (0, {"red": 1}, "must be 1 to 6"),
    ],
)
def test_refuses_cubes_on_wrong_squares(square: int, cubes: dict[str, int], reason: str) -> None:
    message = pile(hand_made([("plan-03", 0, -2, 0)]), 0, square, **cubes)
    found = refused(message)
    assert any(field.startswith("players[0].cards[0].cubes[0]") and reason in why for field, why in found.items())


def test_refuses_cubes_on_covered_squares_and_listed_twice() -> None:
    message = pile(hand_made([("plan-03", 0, 2, 0)]), 0, 3, red=1)  # the drying square under plan-03
    assert refused(message)["players[0].cards[0].cubes[0]"] == "this square is covered"
    message = pile(pile(hand_made([("plan-03", 0, 2, 0)]), 0, 1, red=1), 0, 1, red=1)
    assert refused(message)["players[0].cards[0].cubes[1]"] == "this square is listed twice"


def test_refuses_what_a_shop_does_not_ask_for() -> None:
    # plan-06 is cup roast shop / yellow empty shop, asking for two yellow and a brown.
    def shop(square: int, **cubes: int) -> dict[str, str]:
        message = pile(hand_made([("plan-06", 0, 2, 0)]), 1, square, **cubes)
        message.players[0].warehouse.red = 0  # paid for the cup
        return refused(message)

    assert "2 yellow, 1 brown only" in shop(3, yellow=3)["players[0].cards[1].cubes[0]"]
    assert "only" in shop(3, red=1)["players[0].cards[1].cubes[0]"]
    assert "at its square 3" in shop(6, yellow=1)["players[0].cards[1].cubes[0]"]


def test_refuses_cubes_on_a_closed_shop() -> None:
    # plan-04 at row 0, column 4 covers both squares of the shop's column; turned upright one row up only the upper.
    message = pile(hand_made([("plan-06", 0, 2, 0), ("plan-04", -2, 3, 1)]), 1, 6, yellow=1)
    assert "this shop is closed" in refused(message)["players[0].cards[1].cubes[0]"]


def test_refuses_cups_that_were_not_paid_for() -> None:
    message = hand_made([("plan-06", 0, 2, 0)], step="act")  # a cup, and still four cubes in the warehouse
    message.actions_left = 2  # no action has been done
    assert "less 1 paid for cups" in refused(message)["players[0].warehouse"]
    message.actions_left = 1
    acting = WRITTEN.engine.decode(game_pb2.GameState(cafe=message), WRITTEN.game)
    assert acting.to_move == 0  # a player who acts may have anything
    before = position("place", round_=1)
    for color in ("red", "yellow", "green", "brown"):
        setattr(before.players[before.turn_player - 1].warehouse, color, 1)
    before.taken, other = "plan-06", before.taken
    before.offer[:] = [card if card != "plan-06" else other for card in before.offer]
    assert "less 1 paid for cups" in refused(before)[f"players[{before.turn_player - 1}].warehouse"]


def test_refuses_a_start_richer_or_poorer_than_it_was() -> None:
    for count in (0, 2):
        message = position("take", round_=1)
        message.players[0].warehouse.red = count
        assert "players[0].warehouse" in refused(message)
    message = position("take", round_=1)
    pile(message, 0, 1, red=1)
    message.players[0].cards[0].card, message.players[1].cards[0].card = "start-1", "start-2"
    assert "nothing has grown" in refused(message)["players[0].cards"]


AUCTION: list[tuple[str, Change, str]] = [
    ("bidder without bid", lambda m: (setattr(m.bids, "bid", 0), setattr(m.bids, "bidder", 1)), "bids.bidder"),
    ("turn player has passed", lambda m: m.bids.bidding.remove(m.turn_player), "turn_player"),
    ("bid without bidder", lambda m: (setattr(m.bids, "bid", 1), setattr(m.bids, "bidder", 0)), "bids.bidder"),
    ("own bid", lambda m: (setattr(m.bids, "bid", 1), setattr(m.bids, "bidder", m.turn_player)), "bids.bidder"),
    ("owed while bidding", lambda m: setattr(m.bids, "owed", 1), "bids.owed"),
    ("not ascending", lambda m: m.bids.bidding.reverse(), "bids.bidding"),
    ("no details", lambda m: m.ClearField("bids"), "bids"),
    ("bid beyond the warehouse", lambda m: (setattr(m.bids, "bid", 99), setattr(
        m.bids, "bidder", m.turn_player % 3 + 1)), "bids.bid"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "field"), AUCTION, ids=[case[0] for case in AUCTION])
def test_refuses_impossible_auctions(name: str, change: Change, field: str) -> None:
    message = position("auction", players=3, auction="true", round_=1)
    assert len(message.bids.bidding) == 3
    change(message)
    found = refused(message)
    assert any(key.startswith(field) for key in found), found


def test_refuses_impossible_payments() -> None:
    message = position("pay", players=3, auction="true", round_=1)
    message.bids.owed = 9
    assert "bids.owed" in refused(message)
    message = position("pay", players=3, auction="true", round_=1)
    message.turn_player = message.turn_player % 3 + 1
    assert "coffee master pays" in refused(message)["turn_player"]
    message = position("pay", players=3, auction="true", round_=1)
    message.bids.pay_from = 0
    assert "bids.pay_from" in refused(message)


def bidding(bid: int, bidder: int, turn: int, still: list[int], stores: list[int]) -> cafe_pb2.CafeState:
    """Return an auction of three players; players count from the holder of the coffee master, 0, here."""
    message = position("auction", players=3, auction="true", round_=1 if stores == [4, 4, 4] else 3)

    def number(player: int) -> int:
        return (message.master - 1 + player) % 3 + 1

    message.bids.bid, message.bids.bidder, message.turn_player = bid, number(bidder), number(turn)
    message.bids.bidding[:] = sorted(number(player) for player in still)
    for player, store in enumerate(stores):
        warehouse = message.players[number(player) - 1].warehouse
        for color, name in enumerate(("red", "yellow", "green", "brown")):
            setattr(warehouse, name, (store + color) // 4)
    return message


@pytest.mark.parametrize(
    ("bid", "bidder", "turn", "still", "stores", "possible"),
    [
        (1, 0, 1, [0, 1, 2], [4, 4, 4], True),  # the holder bids 1
        (1, 1, 2, [0, 1, 2], [4, 4, 4], False),  # before player 1 the holder has bid, or would have passed
        (2, 1, 2, [0, 1, 2], [4, 4, 4], True),
        (1, 1, 2, [1, 2], [4, 4, 4], True),  # the holder has passed
        (2, 2, 0, [0, 1, 2], [4, 4, 4], False),  # three have bid
        (3, 2, 0, [0, 1, 2], [4, 4, 4], True),
        (1, 0, 2, [0, 2], [4, 4, 4], True),  # player 1 has passed
        (1, 1, 0, [0, 1], [4, 4, 4], False),  # the holder has had a turn
        (2, 1, 0, [0, 1], [4, 4, 4], True),
        (2, 0, 1, [0, 1], [4, 4, 4], False),  # player 2 has passed, so player 1 has bid, so the holder twice
        (3, 0, 1, [0, 1], [4, 4, 4], True),
        (2, 1, 2, [0, 1, 2], [0, 8, 8], False),  # the holder had nothing to bid
        (4, 1, 2, [0, 1, 2], [1, 8, 8], True),
        (8, 0, 1, [0, 1], [8, 1, 8], False),  # player 1 could bid 1 only, above the holder's first bid
        (8, 0, 1, [0, 1, 2], [8, 1, 8], True),
    ],
)
def test_refuses_bids_that_cannot_have_come_about(
    bid: int, bidder: int, turn: int, still: list[int], stores: list[int], possible: bool
) -> None:
    message = bidding(bid, bidder, turn, still, stores)
    if possible:
        entry = WRITTEN
        assert entry.engine.decode(game_pb2.GameState(cafe=message), entry.game).to_move == message.turn_player - 1
    else:
        assert "each more than the last" in refused(message)["bids.bid"]


def test_refuses_a_first_round_that_is_further_than_it_can_be() -> None:
    message = position("act", players=1, round_=1)
    message.players[0].warehouse.red = 9
    assert "before the first action" in refused(message)["players[0].warehouse"]
    message = position("act", players=1, round_=1)
    pile(message, 0, 6, red=5)  # the start card's roaster
    assert "before the player's first action" in refused(message)["players[0].cards"]
    for step in ("draw", "auction"):
        message = position(step, auction="true", round_=1)
        message.players[message.master - 1].warehouse.red = 0
        assert "at least 4" in refused(message)[f"players[{message.master - 1}].warehouse"]
    message = position("pay", auction="true", round_=1)
    message.bids.pay_from, message.bids.owed = cafe_pb2.CAFE_COLOR_BROWN, 1
    assert "the last colour paid with" in refused(message)["bids.pay_from"]


def test_refuses_a_solo_auction() -> None:
    message = position("take", players=1)
    message.auction = True
    assert "two players" in refused(message)["auction"]


def open_position(kind: int) -> cafe_pb2.CafeState:
    entry = WRITTEN
    for seed in range(400):
        for state in play(begin(entry, 2, "false", "true", seed=seed), random.Random(seed)):
            message = encode(entry, state).cafe
            if message.HasField("open_action") and message.open_action.kind == kind:
                return message
    raise AssertionError(kind)


@pytest.mark.parametrize("kind", [codes.OPEN_DRY, codes.OPEN_ROAST, codes.OPEN_EMPTY, codes.OPEN_SERVE])
def test_refuses_impossible_open_actions(kind: int) -> None:
    message = open_position(kind)
    message.open_action.squares[0].row = 30
    assert refused(message)["open_action.squares[0]"] == "the acting player has no square there"
    message = open_position(kind)
    message.open_action.ClearField("squares")
    assert "open_action.squares" in refused(message)
    message = open_position(kind)
    message.open_action.kind = codes.OPEN_DRY if kind == codes.OPEN_SERVE else codes.OPEN_SERVE
    assert "must be" in refused(message)["open_action.squares[0]"]
    message = open_position(kind)
    message.actions_left = 8
    assert "actions_left" in refused(message)
    message = open_position(kind)
    message.open_action.hand.red = 30
    assert "open_action.hand" in refused(message)
    message = open_position(kind)
    message.step = codes.STEP_TAKE + 1
    assert "open_action" in refused(message)


def accepted(message: cafe_pb2.CafeState) -> State:
    entry = WRITTEN
    return entry.engine.decode(game_pb2.GameState(cafe=message), entry.game)


def test_refuses_to_dry_what_has_not_all_been_moved() -> None:
    # plan-21 is empty dry dry / empty empty shop. Yellow has come to (0,3); green may follow to (0,4).
    message = pile(pile(hand_made([("plan-21", 0, 2, 0)], "act"), 1, 2, yellow=1), 0, 4, green=1)
    message.actions_left = 0
    message.open_action.kind = cafe_pb2.CAFE_ACTION_KIND_DRY
    message.open_action.squares.add(row=0, column=3)
    assert len(accepted(message).moves()) == 2
    pile(message, 0, 2, yellow=1)
    assert "are still on" in refused(message)["open_action.squares"]


def test_refuses_forced_discards_of_who_could_pay() -> None:
    message = position("take", players=1, round_=7)
    cards = message.players[0].cards
    message.discards.append(cards[-1].card)
    del cards[-1]
    contents: CafeComponents = WRITTEN.components.contents
    with_cup = {card.id for card in contents.plan if card.count("cup")}
    assert sum(card.card in with_cup for card in cards) < 4
    assert "forced discards" in refused(message)["players[0].cards"]


def test_refuses_to_hand_out_what_no_roaster_held() -> None:
    # plan-03 has roasters at (0,2) and (0,3); the first is empty, the second may follow.
    message = pile(hand_made([("plan-03", 0, 2, 0)], "act"), 1, 2, red=1)
    message.actions_left = 0
    message.open_action.kind = cafe_pb2.CAFE_ACTION_KIND_EMPTY
    message.open_action.squares.add(row=0, column=2)
    message.open_action.hand.yellow = 1
    message.players[0].warehouse.yellow = 2
    assert len(accepted(message).moves()) == 2
    message.players[0].warehouse.yellow = 0
    message.players[0].warehouse.red = 1
    message.open_action.hand.CopyFrom(cafe_pb2.CafeCubes(red=1))
    assert "besides the 1 being delivered" in refused(message)["players[0].warehouse"]
    message.open_action.hand.green = 1
    assert "1 can have been emptied" in refused(message)["open_action.hand"]
    message.open_action.hand.Clear()
    assert "can have been emptied" in refused(message)["open_action.hand"]


def test_a_shop_just_served_is_named_by_either_square() -> None:
    # plan-06 is cup roast shop / yellow empty shop, asking for two yellow and a brown.
    # The shop of plan-36, roast brown roast / shop empty yellow, may take a yellow next.
    states = []
    for row in (0, 1):
        message = pile(hand_made([("plan-06", 0, 2, 0), ("plan-36", -1, 0, 0)], "act"), 1, 3, yellow=1)
        message.players[0].warehouse.red = 0
        message.actions_left = 0
        message.open_action.kind = cafe_pb2.CAFE_ACTION_KIND_SERVE
        message.open_action.squares.add(row=row, column=4)
        message.open_action.hand.yellow = 1
        message.players[0].warehouse.yellow = 2
        states.append(accepted(message))
    assert states[0] == states[1]
    assert len(states[0].moves()) == 2


def test_refuses_an_open_action_that_cannot_go_on() -> None:
    message = open_position(codes.OPEN_SERVE)
    message.open_action.hand.Clear()
    assert "cannot go on" in refused(message)["open_action"]


def test_refuses_impossible_growing() -> None:
    def growing() -> cafe_pb2.CafeState:
        return position("grow", expresso="true", round_=2)

    message = growing()
    message.growing.exhaust.append(9)
    assert "growing.exhaust[0]" in refused(message)
    message = growing()
    message.growing.square.column = 30
    assert "growing.square" in refused(message)
    message = growing()
    message.ClearField("growing")
    assert "growing" in refused(message)
    message = growing()
    message.growing.exhaust[:] = [1, 2, 3, 4]  # nothing was left empty
    assert "left empty before it: none" in refused(message)["growing.exhaust"]
    message = hand_made([("plan-03", 0, 2, 0)], "grow")
    message.actions_left = 0
    message.growing.square.SetInParent()  # the red plantation at (0,0), with red in supply
    assert "nothing to choose" in refused(message)["growing"]


def test_refuses_growing_past_an_empty_square() -> None:
    """A square was left empty before the one in question, so its colour must be used up."""
    entry, met = ENTRIES["odd"], 0
    for seed in range(200):
        for state in play(begin(entry, 3, "false", "true", seed=seed), random.Random(seed)):
            fields = entry.game.read(state)
            if fields["step"] != codes.STEP_GROW:
                continue
            area, cell = fields["areas"][fields["to_move"]], fields["grow_cell"]
            group = [c for c, first in area["group"].items() if first == area["group"][cell] and c < cell]
            grown = [c for c in group if c in area["cubes"] and KINDS[area["visible"][c][0]] == "plantation"]
            if not grown:
                continue
            message = encode(entry, state)
            card = message.cafe.players[fields["to_move"]].cards[grown[0] // 6]
            kept = [pile for pile in card.cubes if pile.square != grown[0] % 6 + 1]
            del card.cubes[:]
            card.cubes.extend(kept)
            with pytest.raises(BrainError, match="left empty before it"):
                entry.engine.decode(message, entry.game)
            met += 1
            if met == 5:
                return
    pytest.fail("too few such positions")


def test_refuses_wrong_known_decks() -> None:
    entry = WRITTEN

    def known() -> cafe_pb2.CafeState:
        return encode(entry, begin(entry, 1, "false", "true", "true")).cafe

    message = known()
    message.deck.pop()
    assert "cards left in the deck" in refused(message)["deck"]
    message = known()
    message.deck[0] = message.offer[0]
    assert "is also offer" in refused(message)["deck[0]"]
    message = known()
    number = next(i for i, card in enumerate(message.deck) if card.startswith("expresso"))
    message.deck[number] = next(card for card in unused(message) if card not in message.deck)
    assert "every unseen Expresso card" in refused(message)["deck"]


def test_no_more_violations_than_fit() -> None:
    message = position("take", players=4, round_=6)
    for player in message.players:
        for card in player.cards:
            card.card = "nonsense"
    refused(message)


TEXTS = ["", "plan-01", "plan-30", "expresso-3", "start-1", "tea\x00", "é" * 70]


@pytest.mark.parametrize(("players", "auction", "expresso"), OPTIONS[::2])
@pytest.mark.parametrize("set_id", sorted(ENTRIES))
def test_mutations_are_refused_or_playable(set_id: str, players: int, auction: str, expresso: str) -> None:
    entry = ENTRIES[set_id]
    dice = random.Random(players)
    outcome: Counter[str] = Counter()
    for state in play(begin(entry, players, auction, expresso, seed=players), dice):
        message = encode(entry, state)
        for _ in range(dice.choice([1, 1, 2])):
            mutate(message.cafe, dice, TEXTS)
        refused_: BrainError | None = None
        try:
            mutated = entry.engine.decode(message, entry.game)
        except BrainError as error:
            refused_ = error
        if refused_:
            assert refused_.code == "INVALID_ARGUMENT"
            assert all(found.field.startswith("state.cafe") for found in refused_.violations)
            outcome["refused"] += 1
            continue
        outcome["same" if mutated == state else "accepted"] += 1
        assert entry.engine.decode(encode(entry, mutated), entry.game) == mutated
        for number, later in enumerate(play(mutated, dice)):
            if number % 8 == 0:
                conserved(entry, later)
                assert entry.engine.decode(encode(entry, later), entry.game) == later
    assert outcome["refused"] > 20
