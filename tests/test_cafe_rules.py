"""Café's rules on hand-written positions. Expected values come from the rulings by hand, unless a test says otherwise.

Cards of tests/data/cafe_written.toml used here, as they lie at rotation 0:
  start-1   red yellow dry / green cup roast
  plan-03   roast roast red / yellow empty dry
  plan-06   cup roast shop / yellow empty shop, asks for two yellow and a brown, 10 points
  plan-12   yellow red shop / roast green empty, asks for two red, 6 points
  plan-36   roast brown roast / shop empty yellow, asks for a yellow, 3 points
"""
from __future__ import annotations

import pytest

from cafebrain.v1 import cafe_pb2, game_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.perft import perft
from cython_ext.rng import Random
from engines.cafe import codes
from engines.cafe.engine import ENGINE
from engines.cafe.rules import CafeGame
from engines.library import Entry
from tests.cafe_agreement import reference_move
from tests.reference import cafe as ref
from tests.sets import cafe_entries, written_cafe

ENTRY: Entry = written_cafe()
CARDS = ENTRY.components.contents.cards
NUMBER = {card.id: number for number, card in enumerate(CARDS)}
Layout = list[tuple[str, int, int, int]]


def area(cards: Layout, warehouse: str = "", cubes: dict[tuple[int, int], str] | None = None) -> dict[str, object]:
    """Return an area: start-1 and more cards; cubes by (card, square from 1); cubes as letters of r y g b."""
    return {
        "cards": [(NUMBER["start-1"], 0, 0, 0), *((NUMBER[card], *where) for card, *where in cards)],
        "cubes": {6 * card + square - 1: count(text) for (card, square), text in (cubes or {}).items()},
        "warehouse": count(warehouse),
    }


def count(letters: str) -> list[int]:
    return [letters.count(letter) for letter in "rygb"]


def build(areas: list[dict[str, object]], **changes: object) -> State:
    """Return a position; it need not come from a game of as many rounds."""
    game = ENTRY.game
    assert isinstance(game, CafeGame)
    fields: dict[str, object] = {
        "players": len(areas), "to_move": 0, "step": codes.STEP_ACT, "round": 5, "master": len(areas) - 1, "turn": 0,
        "auction": False, "expresso": False, "open_deck": False, "unknown_discards": 0, "offer": [], "taken": None,
        "bid": 0, "bidder": 0, "bidding": [], "owed": 0, "pay_from": 0, "actions": 1, "open": 0, "open_cell": 0,
        "open_used": [], "hand": [0] * 4, "grow_cell": 0, "exhaust": [], "deck": [], "unseen": list(range(20, 40)),
        "areas": areas,
    } | changes  # fmt: skip
    return game.build(fields)


def texts(state: State) -> list[str]:
    return [ENGINE.move_text(state, code) for code in state.moves()]


def do(state: State, *moves: str) -> State:
    """Return the position after some moves in words."""
    state = state.copy()
    for move in moves:
        [code] = [code for code in state.moves() if ENGINE.move_text(state, code) == move]
        state.apply(code)
    return state


def cubes(state: State, player: int = 0) -> dict[tuple[int, int], str]:
    """Return the cubes by (card, square from 1)."""
    return {
        (cell // 6, cell % 6 + 1): "".join(letter * n for letter, n in zip("rygb", pile, strict=True))
        for cell, pile in ENTRY.game.read(state)["areas"][player]["cubes"].items()
    }


def warehouse(state: State, player: int = 0) -> str:
    stored = ENTRY.game.read(state)["areas"][player]["warehouse"]
    return "".join(letter * n for letter, n in zip("rygb", stored, strict=True))


def points(state: State) -> list[dict[str, int]]:
    return ENTRY.game.score(state)


# --- draft -----------------------------------------------------------------------------------------------------------


def test_a_cup_costs_a_cube_of_the_pickers_choice() -> None:
    offer = [NUMBER["plan-03"], NUMBER["plan-06"], NUMBER["plan-12"]]
    state = build([area([], "rrb")], step=codes.STEP_TAKE, offer=offer, actions=0)
    assert texts(state) == [
        "take plan-03", "take plan-06, paying a red cube", "take plan-06, paying a brown cube", "take plan-12",
    ]  # fmt: skip
    after = do(state, "take plan-06, paying a red cube")
    assert warehouse(after) == "rb"
    assert ENTRY.game.read(after)["supply"] == [34, 35, 35, 34]


def test_two_visible_ships_make_cups_free() -> None:
    # plan-05 is yellow dry roast / red ship red, plan-08 dry green dry / ship brown red.
    offer = [NUMBER["plan-06"], NUMBER["plan-12"], NUMBER["plan-36"]]
    for ships, free in (([("plan-05", 0, 2, 0)], False), ([("plan-05", 0, 2, 0), ("plan-08", 0, -2, 0)], True)):
        state = build([area(ships, "r")], step=codes.STEP_TAKE, offer=offer, actions=0)
        assert ("take plan-06" in texts(state)) == free
        assert ("take plan-06, paying a red cube" in texts(state)) != free


def test_the_forced_discard() -> None:
    # plan-01, plan-02, plan-06: a cup each. Without a cube one of them is discarded; it counts as the pick.
    offer = [NUMBER["plan-01"], NUMBER["plan-02"], NUMBER["plan-06"]]
    state = build([area([])], step=codes.STEP_TAKE, offer=offer, actions=0)
    assert texts(state) == ["discard plan-01", "discard plan-02", "discard plan-06"]
    after = do(state, "discard plan-02")
    assert ENTRY.game.read(after)["step"] == codes.STEP_ACT  # the only player acts, with the start card's cup
    offer[0] = NUMBER["plan-03"]
    assert texts(build([area([])], step=codes.STEP_TAKE, offer=offer, actions=0)) == ["take plan-03"]


def test_the_picking_order_starts_left_of_the_master_and_refills() -> None:
    state = ENTRY.engine.initial(
        ENTRY.game, 3, {"auction": "false", "expresso": "false", "open_deck": "false"}, Random(4)
    )
    master = ENTRY.game.read(state)["master"]
    order, random = [], Random(1)
    drawn = 0
    while ENTRY.game.read(state)["round"] == 1:
        if state.to_move == CHANCE_POINT:
            drawn += 1
        elif ENTRY.game.read(state)["step"] == codes.STEP_TAKE:
            order.append(state.to_move)
        state.random_step(random)
    assert order == [(master + i) % 3 for i in (1, 2, 3)]
    assert drawn == 3 + 2  # three on offer, refilled after every pick but the last
    assert ENTRY.game.read(state)["master"] == (master + 1) % 3


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("expresso", ["false", "true"])
def test_the_deck_comes_out_exactly(players: int, expresso: str) -> None:
    # 24 / 32 / 40 / 48 plan cards, with Expresso eight more.
    options = {"auction": "false", "expresso": expresso, "open_deck": "false"}
    state = ENTRY.engine.initial(ENTRY.game, players, options, Random(1))
    random = Random(2)
    drawn = []
    while state.to_move != GAME_OVER:
        if state.to_move == CHANCE_POINT:
            code = state.sample(random)
            drawn.append(codes.unpack(code).card)
            state.apply(code)
        else:
            state.random_step(random)
    extra = 8 if expresso == "true" else 0
    assert len(drawn) == len(set(drawn)) == 8 * (players + 2) + extra
    assert sum(card >= 48 for card in drawn) == extra
    assert ENTRY.game.read(state)["deck_left"] == 0


def test_chances_of_draws() -> None:
    # Solo with Expresso, before the first draw: 32 cards in the deck, each Expresso card is next with chance 1/32,
    # and the 48 plan cards, 24 of them removed, share the remaining 24/32.
    options = {"auction": "false", "expresso": "true", "open_deck": "false"}
    state = ENTRY.engine.initial(ENTRY.game, 1, options, Random(1))
    chances = {codes.unpack(code).card: chance for code, chance in state.outcomes()}
    assert len(chances) == 56
    assert all(chances[card] == pytest.approx(1 / 32) for card in range(48, 56))
    assert all(chances[card] == pytest.approx(24 / 32 / 48) for card in range(48))


# --- placement -------------------------------------------------------------------------------------------------------


def test_covering_returns_cubes_and_closes_shops() -> None:
    layout = [("plan-06", 0, 2, 0)]  # its shop lies at column 4, rows 0 and 1
    state = build(
        [area(layout, "", {(0, 1): "r", (1, 3): "yy", (1, 2): "ggg"})],
        step=codes.STEP_PLACE, taken=NUMBER["plan-03"], actions=0,
    )  # fmt: skip
    after = do(state, "place plan-03 unturned, top left at (1,3), over empty square, shop for 10 (closed by this), "
               "discarding 2 yellow")  # one shop square
    assert cubes(after) == {(0, 1): "r", (1, 2): "ggg"}
    assert ENTRY.game.read(after)["supply"] == [34, 35, 32, 35]
    assert ENTRY.game.read(after)["areas"][0]["shops"] == []
    after = do(state, "place plan-03 unturned, top left at (0,-2), over red, green, discarding 1 red")
    assert cubes(after) == {(1, 2): "ggg", (1, 3): "yy"}
    assert len(ENTRY.game.read(after)["areas"][0]["shops"]) == 1


def test_placements_of_the_first_card() -> None:
    # By hand: a 2 x 3 card over a 2 x 3 card covers (2 - |dr|) * (3 - |dc|) squares at offset (dr, dc); 2 to 4 of them
    # at (0, +-1) 4, (0, +-2) 2, (+-1, 0) 3, (+-1, +-1) 2: 2 + 2 + 2 + 4 = 10. Upright, 3 x 2, at rows -2..1 (1, 2, 2, 1
    # common rows) and columns -1..2 (1, 2, 2, 1): products 2 to 4: 4 * 4 minus the four corners of 1 = 12.
    state = build([area([])], step=codes.STEP_PLACE, taken=NUMBER["plan-03"], actions=0)
    moves = [codes.unpack(code) for code in state.moves()]
    assert [sum(move.rotation == r for move in moves) for r in range(4)] == [10, 12, 10, 12]


# --- actions ---------------------------------------------------------------------------------------------------------


def test_growing_fills_a_group_across_cards() -> None:
    # start-1 with plan-12 at column 3 would not touch; at row 0, column 2 plan-12 covers dry and roast. Yellow at
    # (0,1) and yellow at (0,2) touch; so the group is red, yellow, green of start-1, yellow, red of plan-12, and its
    # green at (1,3) touches red at (0,3).
    state = build([area([("plan-12", 0, 2, 0)])])
    assert texts(state)[0] == "grow on red (0,0), yellow (0,1), green (1,0), yellow (0,2), red (0,3), green (1,3)"
    after = do(state, "grow on red (0,0), yellow (0,1), green (1,0), yellow (0,2), red (0,3), green (1,3)")
    assert cubes(after) == {(0, 1): "r", (0, 2): "y", (0, 4): "g", (1, 1): "y", (1, 2): "r", (1, 5): "g"}


def test_drying_moves_all_cubes_of_a_colour_from_everywhere() -> None:
    state = build([area([("plan-12", 1, 1, 0)], "", {(0, 1): "r", (1, 2): "r", (0, 3): "b"})])
    # plan-12 at row 1, column 1 covers cup and roast of start-1.
    assert "dry all 2 red at (0,2), discarding 1 brown" in texts(state)
    after = do(state, "dry all 2 red at (0,2), discarding 1 brown")
    assert cubes(after) == {(0, 3): "rr"}
    assert ENTRY.game.read(after)["supply"] == [33, 35, 35, 35]


def test_one_roasting_action_fills_several_squares_of_a_group() -> None:
    # plan-03 at row 1, column 0: roast roast red at row 1; the roasters (1,0) and (1,1) are a group.
    layout = [("plan-03", 1, 0, 0)]
    state = build([area(layout, "", {(0, 3): "rr", (1, 6): "y"})], actions=1)
    first = do(state, "roast all 2 red at (1,1)")
    assert ENTRY.game.read(first)["actions"] == 0
    assert texts(first) == ["also roast all 1 yellow at (1,0)", "end the actions"]
    after = do(first, "also roast all 1 yellow at (1,0)")
    assert cubes(after) == {(1, 1): "y", (1, 2): "rr"}


def test_deliveries_divide_freely_among_shops_and_warehouse() -> None:
    layout = [("plan-06", 0, 2, 0)]
    state = build([area(layout, "", {(1, 2): "yyy"})], actions=1)
    first = do(state, "deliver 3 yellow from the roaster at (0,3)")
    assert warehouse(first) == "yyy"
    assert texts(first) == [
        "serve 1 yellow to the shop at (0,4)", "serve 2 yellow to the shop at (0,4)", "end the actions",
    ]  # fmt: skip
    after = do(first, "serve 2 yellow to the shop at (0,4)")
    assert (warehouse(after), cubes(after)) == ("y", {(1, 3): "yy"})


def test_an_action_out_of_order_is_one_more_action() -> None:
    # plan-21 is empty dry dry / empty empty shop: the drying squares (0,3) and (0,4) are a group. After yellow, green
    # may follow for free; red, and anything to the same square, costs the second action.
    state = build([area([("plan-21", 0, 2, 0)], "", {(0, 1): "r", (0, 2): "y", (0, 4): "g"})], actions=2)
    first = do(state, "dry all 1 yellow at (0,3)")
    assert texts(first) == [
        "grow on yellow (0,1)",
        "dry all 1 red at (0,3), discarding 1 yellow", "dry all 1 green at (0,3), discarding 1 yellow",
        "dry all 1 red at (0,4)", "also dry all 1 green at (0,4)",
        "end the actions, leaving 1 action unused",
    ]  # fmt: skip
    assert ENTRY.game.read(do(first, "also dry all 1 green at (0,4)"))["actions"] == 1
    second = do(first, "dry all 1 red at (0,4)")
    assert (ENTRY.game.read(second)["actions"], cubes(second)) == (0, {(0, 4): "g", (1, 2): "y", (1, 3): "r"})
    assert texts(second) == ["also dry all 1 green at (0,3), discarding 1 yellow", "end the actions"]


def test_a_second_delivery_begins_anew() -> None:
    # plan-03 is roast roast red / ..., plan-12 shop for two red at (0,0). The later roaster first: the earlier one is
    # a delivery of its own, whose cubes alone may be served.
    layout = [("plan-03", 0, 2, 0), ("plan-12", 0, -2, 0)]
    state = build([area(layout, "", {(1, 1): "r", (1, 2): "r"})], actions=2)
    first = do(state, "deliver 1 red from the roaster at (0,3)")
    assert "deliver 1 red from the roaster at (0,2)" in texts(first)
    second = do(first, "deliver 1 red from the roaster at (0,2)")
    assert (ENTRY.game.read(second)["actions"], warehouse(second)) == (0, "rr")
    assert texts(second) == ["serve 1 red to the shop at (0,0)", "end the actions"]
    both = do(state, "deliver 1 red from the roaster at (0,2)", "also deliver 1 red from the roaster at (0,3)")
    assert ENTRY.game.read(both)["actions"] == 1
    assert "serve 2 red to the shop at (0,0)" in texts(both)


def test_no_cup_no_action() -> None:
    state = build([area([], "rrrrrrrr")], step=codes.STEP_PLACE, taken=NUMBER["plan-12"], actions=0)
    after = do(state, "place plan-12 unturned, top left at (1,1), over cup, roaster")
    assert ENTRY.game.read(after)["round"] == 6


def test_no_more_than_eight_actions() -> None:
    """Nine cards with a cup each, laid by the reference so that no cup is covered."""
    game = ref.Game(ENTRY.components.contents, [56], 0, False, False)
    mine = game.areas[0]
    for number in [n for n in range(48) if CARDS[n].count("cup")][:8]:
        for rotation, row, column in sorted(game.placements(mine, number)):
            trial = game.fork()
            trial.lay(trial.areas[0], number, row, column, rotation)
            if trial.count(trial.areas[0], "cup") == len(trial.areas[0].cards):
                mine.__dict__.update(trial.areas[0].__dict__)
                break
    assert game.count(mine, "cup") == 9
    *before, last = mine.cards
    state = build(
        [{"cards": before, "cubes": {}, "warehouse": [0] * 4}], step=codes.STEP_PLACE, taken=last[0], actions=0, round=8
    )
    state.apply(codes.pack(codes.Code("place", row=last[1], column=last[2], rotation=last[3])))
    assert ENTRY.game.read(state)["areas"][0]["cups"] == 9
    assert ENTRY.game.read(state)["actions"] == 8


def test_a_supply_that_runs_short_leaves_the_choice_to_the_owner() -> None:
    # All reds but one are in the other player's warehouse: of the two red plantations one stays empty.
    mine, other = area([("plan-12", 0, 2, 0)]), area([], "r" * 34)
    state = build([mine, other], actions=1)
    grow = do(state, texts(state)[0])
    assert texts(grow) == ["leave the plantation at (0,0) empty", "grow 1 red at (0,0)"]
    left = do(grow, "leave the plantation at (0,0) empty")
    assert cubes(left)[1, 2] == "r"
    assert (0, 1) not in cubes(left)
    taken = do(grow, "grow 1 red at (0,0)")
    assert cubes(taken)[0, 1] == "r"
    assert (1, 2) not in cubes(taken)


# --- Expresso --------------------------------------------------------------------------------------------------------


def expresso(kind: str) -> str:
    """Return the id of the first Expresso card that shows a kind of square."""
    return next(card.id for card in CARDS[48:56] if card.count(kind))


def square(card: str, kind: str) -> int:
    """Return the number, from 1, of a card's first square of a kind."""
    return next(i for i, face in enumerate(CARDS[NUMBER[card]].squares, 1) if face.kind == kind)


def test_a_sack_grows_any_colour_and_can_be_grown_anew() -> None:
    card = expresso("sack")
    sack = square(card, "sack")
    where = {(0, 1): "r", (0, 2): "y", (0, 4): "g"}
    others = {
        (1, i): "rygb"[face.color] * (2 if face.kind == "double" else 1)
        for i, face in enumerate(CARDS[NUMBER[card]].squares, 1)
        if face.kind in ("plantation", "double")
    }
    state = build([area([(card, 0, 3, 0)], "", where | others)], expresso=True)
    [grow] = [text for text in texts(state) if text.startswith("grow")]
    choice = do(state, grow)
    assert [text.split(" at")[0] for text in texts(choice)] == [
        "grow 1 red", "grow 1 yellow", "grow 1 green", "grow 1 brown",
    ]  # fmt: skip
    full = build([area([(card, 0, 3, 0)], "", where | others | {(1, sack): "b"})], expresso=True)
    [discard] = [text for text in texts(full) if text.startswith("discard")]
    assert discard.startswith("discard 1 brown from")
    assert not [text for text in texts(full) if text.startswith("grow")]
    assert [text for text in texts(do(full, discard)) if text.startswith("grow")]


def test_a_double_bean_takes_two_cubes_only_when_it_is_empty() -> None:
    card = expresso("double")
    bean = square(card, "double")
    letter = "rygb"[CARDS[NUMBER[card]].squares[bean - 1].color]
    state = build([area([(card, 0, 3, 0)])], expresso=True, actions=3)
    while any(text.startswith("grow") for text in texts(state)):
        state.apply(state.moves()[0])
    assert cubes(state)[1, bean] == 2 * letter
    half = {key: pile for key, pile in cubes(state).items() if key != (1, bean)} | {(1, bean): letter}
    state = build([area([(card, 0, 3, 0)], "", half)], expresso=True, actions=3)
    assert not any(text.startswith("grow") for text in texts(state))
    assert sum(text.startswith(f"discard 1 {['red', 'yellow', 'green', 'brown']['rygb'.index(letter)]}")
               for text in texts(state)) >= 1  # fmt: skip


def test_a_full_sack_may_wait_for_a_colour_that_lies_elsewhere() -> None:
    # expresso-7 is empty red dry / empty sack, double green. Only red is in supply; the one green that can be had lies
    # on a drying square. It is discarded first, then the sack's red, then green or red grows on the sack.
    others = [area([], letter * 35) for letter in "yb"] + [area([], "g" * 31)]
    full = {(0, 1): "r", (0, 2): "y", (0, 4): "g", (1, 2): "r", (1, 5): "r", (1, 6): "gg", (0, 3): "g"}
    state = build([area([("expresso-7", 0, 3, 0)], "", full), *others[2:], others[1]], expresso=True)
    state = ENTRY.game.build(ENTRY.game.read(state) | {"actions": 1})
    after = do(state, "discard 1 green from (0,2)", "discard 1 red from (1,4)", "grow on sack (1,4)")
    assert "grow 1 green at (1,4)" in texts(after)


def test_a_half_filled_double_bean_may_wait_for_a_cube_that_lies_elsewhere() -> None:
    # As above: no green is in supply, one half fills the double bean, one lies on a drying square.
    full = {(0, 1): "r", (0, 2): "y", (0, 4): "g", (1, 2): "r", (1, 5): "r", (1, 6): "g", (0, 3): "g"}
    state = build([area([("expresso-7", 0, 3, 0)], "", full), area([], "g" * 32)], expresso=True)
    after = do(state, "discard 1 green from (0,2)", "discard 1 green from (1,5)", "grow on double green (1,5)")
    assert cubes(after)[1, 6] == "gg"


def test_a_discard_for_a_waiter_in_the_last_round() -> None:
    # expresso-1 shows a waiter. 2 2 2 1 in the warehouse is 2 * 1 + 2 = 4; no brown is in supply. Once the brown on
    # the drying square is discarded the waiter's red is exchanged for it: 2 2 2 2 is 6.
    mine = area([("expresso-1", 0, 3, 0)], "rryyggb", {(0, 3): "b", (1, 3): "r"})
    state = build([mine, area([], "b" * 33)], expresso=True, round=8)
    assert points(state)[0]["total"] == 4
    assert points(do(state, "discard 1 brown from (0,2)"))[0]["total"] == 6
    earlier = build([mine, area([], "b" * 33)], expresso=True, round=7)
    assert not [text for text in texts(earlier) if text.startswith("discard")]


def test_waiter_cubes_are_exchanged_for_what_the_warehouse_lacks_most() -> None:
    # Warehouse 3 red, 3 yellow, 3 green, 2 brown: 2 * 2 + 3 = 7; one more brown makes 2 * 3 + 3 = 9.
    card = expresso("waiter")
    waiter = square(card, "waiter")
    state = build([area([(card, 0, 3, 0)], "rrryyygggbb", {(1, waiter): "r"})], expresso=True)
    assert points(state)[0]["warehouse"] == 7
    assert points(state)[0]["waiters"] == 2
    # With no brown left in the supply nothing else helps: any colour keeps 2 * 2 + 3.
    other = area([], "b" * 33)
    state = build([area([(card, 0, 3, 0)], "rrryyygggbb", {(1, waiter): "r"}), other], expresso=True)
    assert points(state)[0]["waiters"] == 0
    # A brown cube on the waiter itself comes back first.
    other = area([], "b" * 32)
    state = build([area([(card, 0, 3, 0)], "rrryyygggbb", {(1, waiter): "b"}), other], expresso=True)
    assert points(state)[0]["waiters"] == 2


def test_waiters_are_exchanged_in_the_picking_order() -> None:
    # One brown is left. The player left of the master gets it: 2 * 0 + 0 becomes 2 * 1 + 1 for (1, 1, 1, 0) + brown.
    card, other = [c.id for c in CARDS[48:56] if c.count("waiter")][:2]
    first = area([(card, 0, 3, 0)], "ryg", {(1, square(card, "waiter")): "r"})
    second = area([(other, 0, 3, 0)], "ryg", {(1, square(other, "waiter")): "r"})
    hoard = area([], "b" * 34)
    for master, waiters in ((2, [2, 0, 0]), (0, [0, 2, 0])):
        state = build([first, second, hoard], expresso=True, master=master)
        assert [p["waiters"] for p in points(state)] == waiters


def test_the_best_nata_counts_for_a_shop() -> None:
    """On the odd set, whose last Expresso card is shop nata nata / shop waiter waiter; by hand."""
    entry = cafe_entries()["odd"]
    card = entry.components.contents.cards[55]
    assert [face.kind for face in card.squares] == ["shop", "nata", "nata", "shop", "waiter", "waiter"]
    best = card.squares[1].points  # only this one touches the shop
    game = entry.game
    assert isinstance(game, CafeGame)
    base = ENTRY.game.read(build([area([])], expresso=True))
    for served in (True, False):
        pile = list(card.shops[0].cubes) if served else [0, 0, 0, 0]
        cubes_ = {6: pile} if served else {}
        mine = {"cards": [(56, 0, 0, 0), (55, 0, 2, 0)], "cubes": cubes_, "warehouse": [0] * 4}
        state = game.build(base | {"areas": [mine]})
        assert game.score(state)[0]["natas"] == (best if served else 0)
        assert game.score(state)[0]["shops"] == (card.shops[0].points if served else 0)


# --- auction ---------------------------------------------------------------------------------------------------------


def auction(*stores: str) -> State:
    players = len(stores)
    offer = [NUMBER[card] for card in ("plan-03", "plan-05", "plan-12", "plan-36", "plan-08")][: players + 1]
    return build(
        [area([], store) for store in stores], auction=True, step=codes.STEP_AUCTION, master=0, to_move=0, actions=0,
        bidding=list(range(players)), offer=offer,
    )  # fmt: skip


def test_the_auction() -> None:
    state = auction("rr", "rygb", "r")
    assert texts(state) == ["pass", "bid 1 cube", "bid 2 cubes"]
    state = do(state, "bid 1 cube", "bid 2 cubes")
    assert texts(state) == ["pass"]  # player 3 has one cube
    state = do(state, "pass")
    assert state.to_move == 0
    assert texts(state) == ["pass"]  # player 1 would have to bid 3
    state = do(state, "pass")
    assert (state.to_move, ENTRY.game.read(state)["master"]) == (1, 1)
    # Two cubes of four different colours, in ascending order: the last colour cannot come first.
    assert texts(state) == [f"pay a {color} cube (2 left to pay)" for color in ("red", "yellow", "green")]
    state = do(state, "pay a yellow cube (2 left to pay)")
    assert texts(state) == ["pay a green cube (1 left to pay)", "pay a brown cube (1 left to pay)"]
    state = do(state, "pay a brown cube (1 left to pay)")
    assert warehouse(state, 1) == "rg"
    assert (ENTRY.game.read(state)["step"], state.to_move) == (codes.STEP_TAKE, 1)
    offers = []
    for _ in range(3):
        offers.append((state.to_move, len(ENTRY.game.read(state)["offer"])))
        state.apply(state.moves()[0])
        state.apply(state.moves()[0])
    assert offers == [(1, 4), (2, 3), (0, 2)]  # clockwise from the winner, without refilling
    assert ENTRY.game.read(state)["offer"] == []


def test_an_auction_nobody_wants() -> None:
    state = do(auction("r", "r"), "pass")
    assert texts(state) == ["pass", "bid 1 cube"]  # the last one may still bid
    won = do(state, "bid 1 cube")
    assert (ENTRY.game.read(won)["master"], ENTRY.game.read(won)["owed"]) == (1, 1)
    kept = do(state, "pass")
    assert (ENTRY.game.read(kept)["master"], kept.to_move) == (0, 0)
    assert ENTRY.game.read(kept)["step"] == codes.STEP_TAKE


# --- points ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("store", "expected"),
    [("", 0), ("rygb", 3), ("rrrryyyy", 0), ("rrrryyyyg", 1), ("rryyggg" + "bbbb", 6), ("r" + "ygb" * 5, 7)],
)
def test_warehouse(store: str, expected: int) -> None:
    # Twice the fewest plus the second fewest; a missing colour is the fewest.
    assert points(build([area([], store)]))[0]["warehouse"] == expected


def test_only_a_fully_satisfied_shop_scores() -> None:
    layout = [("plan-06", 0, 2, 0)]
    for pile, expected in (("yyb", 10), ("yy", 0), ("yb", 0)):
        assert points(build([area(layout, "", {(1, 3): pile})]))[0]["shops"] == expected


def test_ties_are_broken_by_roasters_then_drying_squares() -> None:
    # Both players have the same points; then cubes on roasters, then on drying squares decide.
    def shares(first: dict[tuple[int, int], str], second: dict[tuple[int, int], str]) -> list[float]:
        state = build(
            [area([], "rygb", first), area([], "rygb", second)], step=codes.STEP_OVER, to_move=GAME_OVER, round=8,
            actions=0,
        )  # fmt: skip
        wins, scores = state.returns()
        assert scores == [3, 3]
        return wins

    assert shares({(0, 6): "r"}, {(0, 3): "rrr"}) == [1, 0]
    assert shares({(0, 6): "r", (0, 3): "r"}, {(0, 6): "r", (0, 3): "rr"}) == [0, 1]
    assert shares({(0, 6): "r"}, {(0, 6): "b"}) == [0.5, 0.5]


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_what_is_shown_fits_and_hides_nothing() -> None:
    # Eight cards of two new columns each, nineteen columns in all, with piles of seven on drying squares and roasters.
    layout = [(f"plan-{number:02}", 0, 2 + 2 * i, 0) for i, number in enumerate((6, 10, 29, 3, 5, 8, 12, 36))]
    piles = {}
    for card, (name, *_) in enumerate(layout, 1):
        for number, face in enumerate(CARDS[NUMBER[name]].squares, 1):
            if face.kind in ("dry", "roast") and number % 3 and len(piles) < 16:
                piles[card, number] = "rygb"[len(piles) // 4] * 7
    bare = build([area(layout), area([])])
    seen = set(ENTRY.game.read(bare)["areas"][0]["visible"])
    piles = {key: pile for key, pile in piles.items() if 6 * key[0] + key[1] - 1 in seen}
    shown = ENGINE.show(build([area(layout, "", piles), area([])]))
    assert max(map(len, shown.splitlines())) <= 80
    assert len(piles) > 5
    for letter in "rygb":
        assert shown.split("player 2")[0].count(f"7{letter}") == sum(pile[0] == letter for pile in piles.values())
    stores = [area([], "rygb" * 35), area([]), area([]), area([])]
    assert max(map(len, ENGINE.show(build(stores, master=0)).splitlines())) <= 80
    delivery = build([area([("plan-03", 0, 2, 0)], "", {(1, 1): "r" * 27, (1, 2): "y" * 27})])
    delivery = do(delivery, "deliver 27 red from the roaster at (0,2)")
    assert max(map(len, ENGINE.show(delivery).splitlines())) <= 80
    assert "delivering r27" in ENGINE.show(delivery)


def test_a_known_deck_is_listed_in_order() -> None:
    options = {"auction": "false", "expresso": "true", "open_deck": "true"}
    state = ENGINE.initial(ENTRY.game, 1, options, Random(1))
    words = " ".join(ENGINE.show(state).split())
    assert "next cards: " + " ".join(CARDS[card].id for card in ENTRY.game.read(state)["deck"]) in words


def test_both_halves_of_a_shop_are_marked_and_understood() -> None:
    state = build([area([("plan-06", 0, 2, 0)], "", {(1, 2): "y"})], step=codes.STEP_TAKE, offer=[NUMBER["plan-10"]])
    assert "plan-10     Rst Dry  .  / Bro Shp14 Shp14=  shop rygb for 14" in ENGINE.show(state)
    assert "Shp10=" in ENGINE.show(state)
    state = build([area([("plan-06", 0, 2, 0)], "", {(1, 2): "y"})])
    state = do(state, "deliver 1 yellow from the roaster at (0,3)")
    for row in (0, 1):
        move = game_pb2.Move()
        move.cafe.serve.square.row, move.cafe.serve.square.column = row, 4
        move.cafe.serve.cubes.yellow = 1
        assert ENGINE.decode_move(state, move) in state.moves()


# --- perft -----------------------------------------------------------------------------------------------------------


def test_perft_of_the_opening_draws() -> None:
    # Solo: three of 48 cards in order, 48 * 47 * 46.
    options = {"auction": "false", "expresso": "false", "open_deck": "false"}
    state = ENTRY.engine.initial(ENTRY.game, 1, options, Random(1))
    assert [perft(state, depth) for depth in (1, 2, 3)] == [48, 48 * 47, 48 * 47 * 46]


@pytest.mark.parametrize(
    ("players", "auction_", "expresso_"), [(1, False, False), (1, False, True), (2, True, True), (3, False, False)]
)
def test_perft_agrees_with_the_reference(players: int, auction_: bool, expresso_: bool) -> None:
    """From a first offer on: draft, placement and the first action, counted by the reference move by move."""
    game = ENTRY.game
    assert isinstance(game, CafeGame)
    starts = [56, 57, 58][:players]
    state = game.initial(players, starts, 0, auction_, expresso_)
    other = ref.Game(ENTRY.components.contents, starts, 0, auction_, expresso_)
    random = Random(7)
    while state.to_move == CHANCE_POINT:
        code = state.sample(random)
        other.apply(reference_move(state, code))
        state.apply(code)

    def count_moves(position: ref.Game, depth: int) -> int:
        moves = position.moves()
        if depth == 1:
            return len(moves)
        total = 0
        for move in moves:
            after = position.fork()
            after.offer, after.unseen = set(position.offer), set(position.unseen)
            after.bidding = list(position.bidding)
            after.paying = None if position.paying is None else list(position.paying)
            after.apply(move)
            total += count_moves(after, depth - 1)
        return total

    assert perft(state, 3) == count_moves(other, 3)


# --- what the search uses --------------------------------------------------------------------------------------------


def test_messages_of_the_proto_are_used() -> None:
    """Every field of a state and every move of the contract occurs in random games."""
    fields, moves = set(), set()
    for seed in range(30):
        for options in ({"auction": "true"}, {"expresso": "true"}, {"open_deck": "true"}):
            players = 1 if "open_deck" in options else 2
            chosen = {"auction": "false", "expresso": "false", "open_deck": "false"} | options
            state = ENGINE.initial(ENTRY.game, players, chosen, Random(seed))
            random = Random(seed)
            while state.to_move != GAME_OVER:
                message, move = game_pb2.GameState(), game_pb2.Move()
                ENGINE.encode(state, message)
                fields |= {field.name for field, _ in message.cafe.ListFields()}
                code = codes_of(state)[random.below(len(codes_of(state)))]
                ENGINE.encode_move(state, code, move)
                moves.add(move.cafe.WhichOneof("move"))
                state.apply(code)
    assert fields >= {field.name for field in cafe_pb2.CafeState.DESCRIPTOR.fields} - {"unknown_discards"}
    assert moves >= {field.name for field in cafe_pb2.CafeMove.DESCRIPTOR.fields} - {"reject"}


def codes_of(state: State) -> list[int]:
    return state.moves() or [code for code, _ in state.outcomes()]
