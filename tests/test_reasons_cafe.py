"""Reasons of Café: each in a position where it is true, and in one where it is not.

Cards of tests/data/cafe_written.toml, as they lie at rotation 0:
  start-1   red yellow dry / green cup roast
  plan-03   roast roast red / yellow empty dry
  plan-05   yellow dry roast / red ship red
  plan-06   cup roast shop / yellow empty shop, asks for two yellow and a brown, 10 points
  plan-08   dry green dry / ship brown red
  plan-12   yellow red shop / roast green empty, asks for two red, 6 points
  plan-13   cup brown dry / empty empty green
  plan-36   roast brown roast / shop empty yellow, asks for a yellow, 3 points
"""
from __future__ import annotations

from engines.cafe import codes
from engines.cafe.engine import ENGINE
from solver.positions import Position
from tests.advice import reasons
from tests.test_cafe_rules import ENTRY, NUMBER, area, build, do, texts

PLAIN = area([], "rygb")
EVEN, AHEAD = (0.5, 0.5), (0.6, 0.4)


def code_of(state, text):
    [code] = [code for code in state.moves() if ENGINE.move_text(state, code) == text]
    return code


def ask(state, text, wins=(), others=None, **more):
    figures = {code_of(state, other): value for other, value in (others or {}).items()}
    return reasons(Position(ENTRY, state), code_of(state, text), wins, figures, **more)


def offer(*cards, mine=PLAIN, **changes):
    fields = {"step": codes.STEP_TAKE, "actions": 0, "offer": [NUMBER[card] for card in cards]} | changes
    return build([mine, area([], "rygb")], **fields)


def placing(card, mine=PLAIN):
    return build([mine], step=codes.STEP_PLACE, actions=0, taken=NUMBER[card])


def acting(mine, actions=3, **changes):
    return build([mine], actions=actions, **changes)


# --- the draft -------------------------------------------------------------------------------------------------------


def test_a_cup_is_worth_an_action_in_every_round_left():
    state = offer("plan-13", "plan-08")
    assert ask(state, "take plan-13, paying a red cube")["cup"] == "Its cup gives one action more in each of 4 rounds."
    assert "cup" not in ask(state, "take plan-08")
    last = offer("plan-13", "plan-08", round=8)
    assert ask(last, "take plan-13, paying a red cube")["cup"] == "Its cup gives an action in this last round."


def test_ships():
    one = area([("plan-08", 0, 2, 0)], "rygb")
    two = area([("plan-08", 0, 2, 0), ("plan-05", 2, -1, 0)], "rygb")
    assert ask(offer("plan-05", mine=one), "take plan-05")["second_ship"] == (
        "Its ship would be your second: cups then cost nothing."
    )
    assert "second_ship" not in ask(offer("plan-05"), "take plan-05")
    with_two = offer("plan-13", mine=two)
    assert ask(with_two, "take plan-13")["free_cup"] == "Your ships make its cup free."
    assert "free_cup" not in ask(offer("plan-13"), "take plan-13, paying a red cube")


def test_a_shop_with_what_it_asks_for():
    state = offer("plan-12", "plan-08")
    assert ask(state, "take plan-12")["shop"] == "Brings a shop of 6 points for 2 red."
    assert "shop" not in ask(state, "take plan-08")


def test_the_cube_that_is_paid():
    state = offer("plan-13", mine=area([], "rrry"))
    assert "plentiful" in ask(state, "take plan-13, paying a red cube")
    last = ask(state, "take plan-13, paying a yellow cube")
    assert last["last_cube"] == "Costs your last cube of this colour: yellow."
    assert "plentiful" not in last
    assert not {"plentiful", "last_cube"} & set(
        ask(offer("plan-13", mine=area([], "rryy")), "take plan-13, paying a red cube")
    )


def test_denies_is_measured_against_moves_that_leave_the_card():
    state = offer("plan-12", "plan-08", "plan-05")
    leaving = {"take plan-08": EVEN, "take plan-05": (0.54, 0.46)}
    assert ask(state, "take plan-12", AHEAD, leaving)["denies"] == (
        "If you leave plan-12, player 2 gains 6 wins in 100."
    )
    assert "denies" not in ask(state, "take plan-12", EVEN, leaving)
    assert "denies" not in ask(state, "take plan-12", AHEAD, leaving, error=0.1)


# --- placing ---------------------------------------------------------------------------------------------------------


def place(card, row, column, mine=PLAIN, turned="unturned"):
    state, start = placing(card, mine), f"place {card} {turned}, top left at ({row},{column}), over "
    [text] = [text for text in texts(state) if text.startswith(start)]
    return ask(state, text)


def test_what_a_card_covers():
    # At (0,2) it covers the dry square and the roaster, at (0,1) the cup as well.
    right = place("plan-03", 0, 2)
    assert not {"covers_nothing", "covers_cubes", "covers_cup"} & set(right)
    assert place("plan-03", 0, 1)["covers_cup"] == "But it covers a cup."
    cubes = area([], "rygb", {(0, 3): "gg"})
    assert place("plan-03", 0, 2, cubes)["covers_cubes"] == "But it costs the cubes it covers: 2 green."
    # The two empty squares in the lower row of plan-13, laid to the right of the start card.
    empty = area([("plan-13", 0, 2, 0)], "rygb")
    clockwise = "a quarter turn clockwise"
    assert place("plan-03", 1, 2, empty, clockwise)["covers_nothing"] == "Covers nothing you need."


def test_closing_a_shop():
    shop = area([("plan-12", 0, 2, 0)], "rygb")
    assert place("plan-03", 0, 4, shop)["closes_shop"] == "But it closes a shop of 6 points."
    assert "closes_shop" not in place("plan-03", 0, 4, area([("plan-03", 0, 2, 0)], "rygb"))


def test_more_actions():
    assert place("plan-13", 0, 2)["more_actions"] == "You then have 2 actions a round."
    assert "more_actions" not in place("plan-03", 0, 2)


def test_joining_groups():
    # The two plantations of plan-12's upper row meet the start card's yellow when it lies over dry and roaster.
    joined = place("plan-12", 0, 2)
    assert joined["joins"].startswith("Joins ")
    assert joined["joins"].endswith(" plantations in one group.")
    # The lower row of plan-13 laid over the upper row of the start card: nothing of one kind meets.
    assert "joins" not in place("plan-13", -1, 1, turned="a half turn")


# --- actions ---------------------------------------------------------------------------------------------------------


def test_growing():
    state = acting(PLAIN)
    grow = next(text for text in texts(state) if text.startswith("grow on"))
    assert ask(state, grow)["grows"] == "Grows 3 cubes with one action."
    assert "grows" not in ask(state, "end the actions, leaving 3 actions unused")


def test_moving_cubes_on():
    ripe = acting(area([("plan-12", 0, 3, 0)], "rygb", {(0, 1): "r", (0, 2): "y", (0, 4): "g"}))
    assert ask(ripe, "dry all 1 red at (0,2)")["moves_on"] == "Moves 1 cube on."
    assert "discards" not in ask(ripe, "dry all 1 red at (0,2)")
    full = acting(area([], "rygb", {(0, 1): "r", (0, 3): "gg"}))
    dries = [text for text in texts(full) if text.startswith("dry all 1 red")]
    assert ask(full, dries[0])["discards"] == "But it costs the cubes that lie there: 2 green."


def shop_area(cubes, warehouse="rygb"):
    return area([("plan-36", 0, 2, 0)], warehouse, cubes)


def test_roasting_for_a_shop():
    # Yellow dried on the start card's drying square is covered: dry on plan-03 instead.
    mine = area([("plan-36", 0, 2, 0), ("plan-03", 2, 2, 0)], "rygb", {(2, 6): "y"})
    state = acting(mine)
    roasts = [text for text in texts(state) if text.startswith("roast all 1 yellow")]
    assert roasts
    assert ask(state, roasts[0])["shop_ready"] == "What is roasted then suffices for your shop of 3 points."
    red = acting(area([("plan-36", 0, 2, 0), ("plan-03", 2, 2, 0)], "rygb", {(2, 6): "r"}))
    [other, *_] = [text for text in texts(red) if text.startswith("roast all 1 red")]
    assert "shop_ready" not in ask(red, other)


def test_delivering():
    state = acting(shop_area({(1, 1): "y"}))
    deliver = next(text for text in texts(state) if text.startswith("deliver 1 yellow"))
    assert ask(state, deliver)["wanted"] == "Your shop of 3 points asks for what lies there."
    serve = next(text for text in texts(do(state, deliver)) if text.startswith("serve 1 yellow"))
    assert ask(do(state, deliver), serve)["completes_shop"] == "Completes a shop of 3 points."
    red = acting(shop_area({(1, 1): "rr"}, "ygb"))
    deliver = next(text for text in texts(red) if text.startswith("deliver 2 red"))
    found = ask(red, deliver)
    assert "wanted" not in found
    # Red, yellow, green, brown: 0 1 1 1 in the warehouse is worth 1 point, 2 1 1 1 is worth 3.
    assert found["points"] == "Is worth 2 points as it stands."
    rich = acting(shop_area({(1, 1): "rr"}, "rrrrrygb"))
    assert "points" not in ask(rich, next(text for text in texts(rich) if text.startswith("deliver 2 red")))


def test_on_the_way_to_a_shop():
    # plan-06 asks for two yellow and a brown; one yellow of a roaster leaves two cubes missing.
    mine = area([("plan-06", 0, 2, 0)], "rygb", {(1, 2): "y"})
    state = acting(mine)
    deliver = next(text for text in texts(state) if text.startswith("deliver 1 yellow"))
    serve = next(text for text in texts(do(state, deliver)) if text.startswith("serve 1 yellow"))
    found = ask(do(state, deliver), serve)
    assert found["towards_shop"] == "The shop of 10 points then lacks 2 cubes."
    assert "completes_shop" not in found


# --- paying for the master -------------------------------------------------------------------------------------------


def test_paying_with_what_there_is_most_of():
    state = build(
        [area([], "rrry"), area([], "rygb")], step=codes.STEP_PAY, actions=0, auction=True, owed=1, bid=1, bidder=0,
        offer=[NUMBER["plan-12"], NUMBER["plan-08"], NUMBER["plan-05"]], bidding=[0],
    )  # fmt: skip
    assert "plentiful" in ask(state, "pay a red cube (1 left to pay)")
    assert "plentiful" not in ask(state, "pay a yellow cube (1 left to pay)")


# --- what the rest of the turn makes of a move -----------------------------------------------------------------------


def line_of(state, *moves):
    """Return the codes of moves in words, one after the other."""
    state, codes_ = state.copy(), []
    for text in moves:
        codes_.append(code_of(state, text))
        state.apply(codes_[-1])
    return codes_


def test_points_later_in_the_turn():
    # Roasting the yellow of plan-03 for the shop of plan-36, then delivering it.
    state = acting(area([("plan-36", 0, 2, 0), ("plan-03", 2, 2, 0)], "rygb", {(2, 6): "y"}))
    roast = next(text for text in texts(state) if text.startswith("roast all 1 yellow"))
    deliver = next(text for text in texts(do(state, roast)) if text.startswith("deliver 1 yellow"))
    serve = next(text for text in texts(do(state, roast, deliver)) if text.startswith("serve 1 yellow"))
    rest = line_of(do(state, roast), deliver, serve)
    assert ask(state, roast, line=rest)["leads_to"] == "Leads to 3 points more within this turn."
    assert "leads_to" not in ask(state, roast)


def test_making_room():
    # A roaster of plan-36 holds red; green has been dried on plan-03.
    state = acting(area([("plan-36", 0, 2, 0), ("plan-03", 2, 2, 0)], "ygb", {(1, 1): "rr", (2, 6): "g"}))
    deliver = next(text for text in texts(state) if text.startswith("deliver 2 red"))
    then = do(state, deliver)
    where = deliver.rsplit(" ", 1)[1]
    roast = f"roast all 1 green at {where}"
    assert ask(state, deliver, line=line_of(then, roast))["frees"] == "Makes room for cubes: green."
    other = next(text for text in texts(then) if text.startswith("grow"))
    assert "frees" not in ask(state, deliver, line=line_of(then, other))
