"""Rules of Café del Gatto on positions written by hand, through messages.

Every figure is the rulebook's (marked so) or follows by the arithmetic in the comment beside it.
"""
from __future__ import annotations

import pytest

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import gatto_pb2
from tests.gatto_tables import (
    BRAIN,
    after,
    answer,
    chances,
    coins,
    column,
    cup,
    left,
    move,
    moves,
    pile,
    queue,
    step,
    sugar,
    table,
    to_move,
)

# One tile of each kind: ten of the set of twelve in the machine, 4f and 4h remain.
MILK_12 = "1c 1f 1h 2c 2f"
COFFEE_12 = "2h 3c 3f 3h 4c"
FOUR_SERVED = {"doppio": 7, "macchiato": 6, "cappuccino": 8, "latte_macchiato": 14}


def twelve(cups, **more):
    return table("twelve", milk=MILK_12, coffee=COFFEE_12, cups=cups, **more)


def last_tile(set_id, cups, **more):
    """The turn's player has bought the 2h; the tile that replaces it, 4h, is the last: bag and discard pile are empty.

    No other way leads to an intermediate round: after any other action a tile is in the bag or on the pile.
    """
    coffee = COFFEE_12.removeprefix("2h ")
    state = table(set_id, milk=MILK_12, coffee=coffee, cups=cups, step="bought", pending=["coffee"], **more)
    assert chances(state) == {"draw 4h": 1}
    state = after(state, "draw 4h")
    assert (pile(state, "bag"), pile(state, "discard")) == ("", "")
    assert column(state, "coffee") == coffee + " 4h"
    return state


def refused(state, text):
    with pytest.raises(BrainError) as caught:
        after(state, text)
    assert (caught.value.code, caught.value.reason) == ("INVALID_ARGUMENT", "ILLEGAL_MOVE")
    assert [violation.field for violation in caught.value.violations] == ["move"]


# --- setup ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_start_coins_and_machine(players):
    # Rulebook: 5 coins each, the start player pays one back; five tiles on either side; as many of the lowest drink
    # tiles as there are players, one of each other.
    state = BRAIN.new_game(pb.NewGameRequest(game="gatto", players=players, seed=3)).state
    assert coins(state) == [4] + [5] * (players - 1)
    assert sugar(state) == [0] * players
    assert len(state.gatto.machine.milk) == len(state.gatto.machine.coffee) == 5
    assert len(pile(state, "bag").split()) == 26  # 36 - 10
    assert left(state, "cappuccino") == {3: players, 6: 1, 8: 1, 10: 1, 12: 1}
    assert (to_move(state), state.gatto.round, state.gatto.start_player) == ("player 1", 1, 1)


def test_setup_fills_the_milk_column_first_from_row_1():
    state = BRAIN.new_game(pb.NewGameRequest(game="gatto", players=2, stop_at_chance=True)).state
    drawn = ["1c", "2f", "3h", "4c", "1f", "2h", "3c", "4f", "1h", "2c"]
    for index, tile in enumerate(drawn):
        assert to_move(state) == "chance"
        # Each kind still has its three tiles; 36 - index are in the bag.
        assert chances(state)[f"draw {tile}"] == pytest.approx(3 / (36 - index))
        assert [*state.gatto.pending_draws] == [1] * max(0, 5 - index) + [2] * min(5, 10 - index)
        state = after(state, f"draw {tile}")
    assert column(state, "milk") == " ".join(drawn[:5])
    assert column(state, "coffee") == " ".join(drawn[5:])
    assert to_move(state) == "player 1"


# --- buying --------------------------------------------------------------------------------------


def price(state, text):
    """What the mover pays, seen in the coins."""
    return coins(state)[0] - coins(after(state, text))[0]


def test_rulebook_prices():
    state = table(coins=[9, 5])
    assert price(state, "buy milk 3 latte_macchiato") == 1  # rulebook, Luna: milk 3 opposite coffee 1
    assert price(state, "buy coffee 3 espresso") == 3  # rulebook: the coffee 1 would have cost 3
    assert price(state, "buy coffee 4 espresso") == 3  # rulebook, Cosmo: 2 + 1 in the second row from the top
    assert price(state, "buy coffee 5 espresso") == 6  # opposite milk 4, +2 in the top row
    assert price(state, "buy milk 5 latte_macchiato") == 4  # opposite coffee 2, +2
    assert price(state, "buy milk 4 latte_macchiato") == 4  # opposite coffee 3, +1
    assert price(state, "buy milk 1 latte_macchiato") == 4  # opposite coffee 4, no surcharge in the lower rows
    assert price(state, "buy coffee 2 espresso") == 2  # opposite milk 2


def test_the_text_of_a_buy_names_its_price():
    texts = [legal.text for legal in answer(table()).moves]
    assert "buy milk 3 cold from row 3 for 1 coin into Latte macchiato" in texts
    assert "buy coffee 3 frothy from row 4 for 3 coins into Espresso" in texts


def test_a_buy_needs_its_coins():
    # Prices: milk 4 3 1 4 4, coffee 1 2 3 3 6 from row 1 up; 2 coins buy milk row 3 and coffee rows 1 and 2.
    state = table(coins=[2, 5])
    rows = {tuple(text.split()[1:3]) for text in moves(state, "buy")}
    assert rows == {("milk", "3"), ("coffee", "1"), ("coffee", "2")}
    refused(state, "buy coffee 3 espresso")
    assert moves(table(coins=[0, 5]), "") == ["take"]


def test_a_buy_needs_a_cup_whose_next_space_has_its_colour():
    # From the bottom up: latte macchiato M M C M with two tiles wants coffee, macchiato C M with one wants milk,
    # cappuccino C C M with one still wants coffee, the doppio is served, the espresso filled.
    cups = {
        (1, "latte_macchiato"): "1f 1f",
        (1, "macchiato"): "2h",
        (1, "cappuccino"): "2h",
        (1, "doppio"): 4,
        (1, "espresso"): "4h",
    }
    state = table(coins=[9, 5], cups=cups)
    assert {text.split()[3] for text in moves(state, "buy milk")} == {"macchiato"}
    assert {text.split()[3] for text in moves(state, "buy coffee")} == {"latte_macchiato", "cappuccino"}
    for drink in ("doppio", "espresso", "macchiato"):
        refused(state, f"buy coffee 1 {drink}")


def test_a_buy_slides_the_column_down_and_draws_on_top():
    state = after(table(), "buy milk 3 latte_macchiato")
    assert cup(state, 1, "latte_macchiato") == "3c"
    assert column(state, "milk") == "1c 2c 2f 4c"
    assert column(state, "coffee") == "4h 3h 1h 3f 2h"
    assert (step(state), to_move(state)) == ("bought", "chance")
    assert [*state.gatto.pending_draws] == [gatto_pb2.GATTO_COLOR_MILK]
    # 26 tiles in the bag, three of them 1f.
    assert chances(state)["draw 1f"] == pytest.approx(3 / 26)
    assert sum(chances(state).values()) == pytest.approx(1)
    state = after(state, "draw 1f")
    assert column(state, "milk") == "1c 2c 2f 4c 1f"
    assert (step(state), to_move(state), state.gatto.round) == ("fresh", "player 2", 2)
    # What is drawn is gone: of the three 1h one was in the machine already.
    assert len(pile(state, "bag").split()) == 25


def test_impossible_draws_are_refused():
    state = after(table(), "buy milk 3 latte_macchiato")
    with pytest.raises(BrainError, match="possible draw"):
        after(state, "take")
    gone = table(cups={(1, "doppio"): "1f 1f", (1, "espresso"): "1f"})
    refused(after(gone, "buy milk 3 latte_macchiato"), "draw 1f")


@pytest.mark.parametrize(("others", "gained"), [(0, 1), (11, 1), (12, 0)])
def test_a_tile_of_value_one_gives_sugar_while_the_reserve_has_one(others, gained):
    # 12 cubes in the game; the cube is there before the draw.
    state = after(table(sugar=[0, others]), "buy coffee 3 espresso")
    assert (sugar(state), step(state)) == ([gained, others], "bought")


def test_other_values_give_no_sugar():
    assert sugar(after(table(), "buy coffee 1 espresso")) == [0, 0]


def test_an_unlimited_reserve_always_pays():
    # The odd set's coins are unlimited; 9,000 with the other player change nothing.
    milk, coffee = "1c 3c 1f 2f 3c", "1h 2h 3h 4h 5h"
    state = table("odd", milk=milk, coffee=coffee, coins=[4, 9000])
    assert coins(after(state, "take")) == [6, 9000]
    # Its 3 sugar cubes are limited.
    assert sugar(after(table("odd", milk=milk, coffee=coffee, sugar=[0, 3]), "buy milk 1 ristretto")) == [0, 3]
    assert sugar(after(table("odd", milk=milk, coffee=coffee, sugar=[0, 2]), "buy milk 1 ristretto")) == [1, 2]


# --- serving -------------------------------------------------------------------------------------

MINKA = {(1, "cappuccino"): "2h 1c 4h"}  # rulebook: hot and cold coffee, hot milk with values 2, 1, 4


@pytest.mark.parametrize(
    ("cubes", "points", "paid", "cubes_left"),
    [
        (0, 6, 3 + 1, 0),  # rulebook: two preparations pay 3 coins; the 6 pays 1 more
        (0, 3, 3 + 4, 0),  # rulebook: the 3 pays 7 - 3 = 4 more
        (1, 8, 3, 0),  # rulebook: one sugar cube reaches the 8
        (1, 6, 3 + 1, 1),  # no cube is needed, so none is spent and none turns into a coin
        (3, 8, 3, 2),  # only as many as are needed
        (5, 12, 3, 0),  # 7 + 5
    ],
)
def test_minkas_cappuccino(cubes, points, paid, cubes_left):
    state = table(cups=MINKA, sugar=[cubes, 0])
    reach = {int(text.split()[2]) for text in moves(state, "serve cappuccino")}
    assert reach == {tile for tile in (3, 6, 8, 10, 12) if tile <= 7 + cubes}
    served = after(state, f"serve cappuccino {points}")
    assert (coins(served), sugar(served)) == ([4 + paid, 5], [cubes_left, 0])
    assert cup(served, 1, "cappuccino") == points
    assert pile(served, "discard") == "1c 2h 4h"
    assert left(served, "cappuccino")[points] == (1 if points == 3 else 0)  # two copies of the lowest, else one
    assert (step(served), to_move(served), moves(served)) == ("serving", "player 1", ["end"])
    assert to_move(after(served, "end")) == "player 2"


def test_spent_sugar_returns_to_the_reserve():
    # All 12 cubes are with players; the one spent is there for the next tile of value 1.
    state = after(table(cups=MINKA, sugar=[1, 11]), "serve cappuccino 8", "end", "buy coffee 3 espresso")
    assert sugar(state) == [0, 12]


def test_a_taken_drink_tile_is_gone_but_the_lowest_has_a_copy_for_each_player():
    cups = {**MINKA, (2, "cappuccino"): 6}
    assert moves(table(cups=cups), "serve") == ["serve cappuccino 3"]
    cups = {**MINKA, (2, "cappuccino"): 3}
    assert moves(table(cups=cups), "serve") == ["serve cappuccino 3", "serve cappuccino 6"]


@pytest.mark.parametrize(
    ("drink", "tiles", "paid"),
    # All tiles have value 1 and the lowest drink tile equals their number, so the menu pays alone (rulings).
    [
        ("espresso", "1h", 2),
        ("doppio", "1h 1h", 3),
        ("doppio", "1h 1c", 1),
        ("macchiato", "1h 1h", 3),
        ("macchiato", "1h 1f", 1),
        ("cappuccino", "1h 1h 1h", 5),
        ("cappuccino", "1h 1h 1c", 3),
        ("cappuccino", "1h 1f 1c", 1),
        ("latte_macchiato", "1h 1h 1h 1f", 4),
        ("latte_macchiato", "1h 1f 1h 1c", 2),
    ],
)
def test_menu(drink, tiles, paid):
    state = table(milk="4c 4c 4c 3c 3c", coffee="4f 4f 4f 3f 3f", cups={(1, drink): tiles})
    lowest = len(tiles.split())
    assert coins(after(state, f"serve {drink} {lowest}"))[0] == 4 + paid


def test_latte_macchiato_of_one_preparation():
    # The 7 of the menu wants four equal preparations: hot 1 1 2 2, value 6, the lowest tile 4 pays 2 more.
    state = table(milk="4c 4c 4c 3c 3c", coffee="4f 4f 4f 3f 3f", cups={(1, "latte_macchiato"): "1h 1h 2h 2h"})
    assert coins(after(state, "serve latte_macchiato 4"))[0] == 4 + 7 + 2


def test_several_cups_in_one_turn_then_stop():
    state = table(cups={(1, "espresso"): "2h", (1, "doppio"): "3h 1f", (2, "espresso"): "4f"})
    state = after(state, "serve doppio 4")
    assert moves(state) == ["end", "serve espresso 1", "serve espresso 2"]
    refused(state, "take")
    refused(state, "clean milk")
    refused(state, "buy milk 3 latte_macchiato")
    state = after(state, "serve espresso 1")
    # Doppio of two preparations 1; espresso 2 + (2 - 1).
    assert coins(state) == [4 + 1 + 3, 5]
    assert moves(state) == ["end"]  # a step with one legal move is still a step
    assert {legal.text for legal in answer(state).moves} == {"stop serving"}


def test_a_serve_pays_at_most_the_reserve_in_one_payment():
    # 45 coins; 4 + 36 are with the players, 5 are left, 3 + 4 are due.
    assert coins(after(table(cups=MINKA, coins=[4, 36]), "serve cappuccino 3")) == [9, 36]
    assert coins(after(table(cups=MINKA, coins=[9, 36]), "serve cappuccino 3")) == [9, 36]


@pytest.mark.parametrize(("reserve", "taken"), [(5, 2), (2, 2), (1, 1), (0, 0)])
def test_taking_coins_takes_what_is_left(reserve, taken):
    state = after(table(coins=[4, 41 - reserve]), "take")
    assert coins(state) == [4 + taken, 41 - reserve]
    assert to_move(state) == "player 2"


# --- cleaning ------------------------------------------------------------------------------------


def test_a_clean_costs_two_coins_and_refills_the_column():
    state = after(table(), "clean milk")
    assert (coins(state), column(state, "milk"), pile(state, "discard")) == ([2, 5], "", "1c 2c 2f 3c 4c")
    assert (step(state), [*state.gatto.pending_draws]) == ("cleaned", [gatto_pb2.GATTO_COLOR_MILK] * 5)
    assert chances(state)["draw 4f"] == pytest.approx(3 / 26)
    state = after(state, "draw 1f", "draw 1f", "draw 1f", "draw 4f", "draw 4f")
    assert column(state, "milk") == "1f 1f 1f 4f 4f"
    assert (to_move(state), step(state)) == ("player 1", "cleaned")


def test_after_a_clean_only_clean_buy_or_end():
    # A filled cup that may not be served now.
    cups = {(1, "espresso"): "2f"}
    fresh = table(cups=cups)
    assert {text.split()[0] for text in moves(fresh)} == {"take", "clean", "serve", "buy"}
    refused(fresh, "end")
    state = after(fresh, "clean milk", *["draw 1f"] * 3, "draw 4f", "draw 4f")
    assert {text.split()[0] for text in moves(state)} == {"end", "clean", "buy"}
    refused(state, "take")
    refused(state, "serve espresso 1")
    # 2 coins are left. Coffee in rows 1 to 3 lies opposite 1f, in rows 4 and 5 opposite 4f; milk lies opposite coffee
    # 4 3 1 3 2, so only row 3 is within 2 coins.
    bought = {tuple(text.split()[1:3]) for text in moves(state, "buy")}
    assert bought == {("milk", "3"), ("coffee", "1"), ("coffee", "2"), ("coffee", "3")}
    assert to_move(after(state, "end")) == "player 2"
    bought = after(state, "buy coffee 3 doppio")
    assert (step(bought), coins(bought), sugar(bought)) == ("bought", [1, 5], [1, 0])


def test_cleaning_again_while_the_coins_last():
    state = after(table(), "clean milk", *["draw 1f"] * 3, "draw 4f", "draw 4f", "clean coffee")
    assert coins(state) == [0, 5]
    state = after(state, *["draw 1h"] * 2, "draw 2h", "draw 2h", "draw 4f")
    # No tile is free and no coin left: only the end of the turn.
    assert moves(state) == ["end"]
    assert moves(table(coins=[1, 5]), "clean") == []
    assert moves(table(coins=[2, 5]), "clean") == ["clean milk", "clean coffee"]


def test_a_finished_player_may_clean():
    state = table(cups={(1, drink): points for drink, points in {**FOUR_SERVED, "espresso": 4}.items()}, start=2)
    assert moves(state) == ["take", "clean milk", "clean coffee"]


# --- bag and discard pile ------------------------------------------------------------------------


def test_the_discard_pile_enters_an_empty_bag_at_the_draw_and_not_earlier():
    cups = {(2, "doppio"): "4f", (2, "macchiato"): "4h"}
    state = after(table("thirteen", milk=MILK_12, coffee=COFFEE_12, cups=cups, discard="1c"), "clean milk")
    assert (pile(state, "bag"), pile(state, "discard")) == ("", "1c 1c 1f 1h 2c 2f")
    assert chances(state) == {
        f"draw {tile}": pytest.approx((2 if tile == "1c" else 1) / 6) for tile in MILK_12.split()
    }
    state = after(state, "draw 2c")
    assert (pile(state, "bag"), pile(state, "discard")) == ("1c 1c 1f 1h 2f", "")
    state = after(state, "draw 1c", "draw 1f", "draw 1h", "draw 2f")
    assert (pile(state, "bag"), step(state), to_move(state)) == ("1c", "cleaned", "player 1")
    assert (step(after(state, "end")), to_move(after(state, "end"))) == ("fresh", "player 2")


def test_an_empty_bag_alone_is_no_intermediate_round():
    # 4h is on the discard pile, 4f in a cup: the bag is empty, the turn ends as usual.
    state = after(twelve({(2, "espresso"): "4f"}, discard="4h"), "take")
    assert (step(state), to_move(state), pile(state, "discard")) == ("fresh", "player 2", "4h")


def test_unknown_discards_are_unseen_and_stay_out_of_the_bag():
    # Of 26 tiles outside the machine 6 are known discards, 19 lie unknown on the pile, 1 is in the bag.
    known = "1f 1f 1f 4f 4f 4f"
    state = table(discard=known, unknown=19)
    state = after(state, "buy milk 3 latte_macchiato")
    # 20 unseen tiles, one of them in the bag: any unseen tile may be drawn, a known discard may not.
    assert "draw 1f" not in chances(state)
    assert chances(state)["draw 3h"] == pytest.approx(2 / 20)  # one of the three 3h is in the machine
    state = after(state, "draw 3h")
    assert (state.gatto.unknown_discards, len(pile(state, "bag").split())) == (19, 19)
    # Now the bag is empty, so all 25 discards come in at the next draw.
    state = after(state, "buy coffee 1 espresso")
    assert chances(state)["draw 1f"] == pytest.approx(3 / 25)
    state = after(state, "draw 1f")
    assert (state.gatto.unknown_discards, len(pile(state, "bag").split()), pile(state, "discard")) == (0, 24, "")


# --- intermediate rounds -------------------------------------------------------------------------


def test_intermediate_serving_starts_with_the_next_player_and_ends_with_the_turns_player():
    cups = {(1, "espresso"): "2h", (2, "espresso"): "4f", (3, "doppio"): "1c"}
    state = last_tile("thirteen", cups, players=3)
    # Player 3 has no filled cup.
    assert (step(state), queue(state), to_move(state)) == ("intermediate_serving", [2, 1], "player 2")
    assert moves(state) == [f"serve espresso {points}" for points in (1, 2, 3, 4)]  # must serve; no way out
    state = after(state, "serve espresso 4")
    assert (queue(state), coins(state)) == ([1], [4, 7, 5])  # the menu's 2
    assert moves(state) == ["serve espresso 1", "serve espresso 2"]
    state = after(state, "serve espresso 1")
    assert coins(state) == [4 + 2 + 1, 7, 5]
    # The turn passes to the player after the one whose turn it was; nothing is drawn, the machine is full.
    assert (step(state), queue(state), to_move(state), state.gatto.round) == ("fresh", [], "player 2", 2)
    assert (pile(state, "bag"), pile(state, "discard"), cup(state, 3, "doppio")) == ("", "2h 4f", "1c")


def test_exactly_one_cup_is_served_in_an_intermediate_round():
    # All 26 tiles outside the machine are in cups.
    cups = {
        (1, "doppio"): "1c", (1, "macchiato"): "1c",
        (2, "espresso"): "4f", (2, "doppio"): "4f 4f", (2, "macchiato"): "4h 4h", (2, "cappuccino"): "4h 4c 4c",
        (2, "latte_macchiato"): "3h 3h 3f 3f",
        (3, "espresso"): "1f", (3, "doppio"): "1h 1f", (3, "macchiato"): "2c 1h", (3, "cappuccino"): "2f 2f 2c",
        (3, "latte_macchiato"): "3c 3c 2h 2h",
    }  # fmt: skip
    state = table(
        milk=MILK_12, coffee=COFFEE_12, cups=cups, players=3, step="intermediate_serving", queue=[2, 3]
    )
    assert {text.split()[1] for text in moves(state)} == {
        "espresso", "doppio", "macchiato", "cappuccino", "latte_macchiato",
    }  # fmt: skip
    state = after(state, "serve doppio 7")
    assert (step(state), queue(state), to_move(state)) == ("intermediate_serving", [3], "player 3")
    # Two equal preparations pay 3, value 8 for the 7 pays 1.
    assert (coins(state), cup(state, 2, "espresso"), cup(state, 2, "latte_macchiato")) == (
        [4, 9, 5], "4f", "3h 3h 3f 3f",
    )  # fmt: skip
    state = after(state, "serve espresso 1")
    assert (step(state), to_move(state), pile(state, "discard")) == ("fresh", "player 2", "1f 4f 4f")


def test_serving_comes_before_emptying_for_everyone():
    # Player 2 has tiles but no filled cup: as player 1 can serve, player 2 neither serves nor empties.
    state = last_tile("twelve", {(1, "espresso"): "2h", (2, "doppio"): "4f"})
    assert (step(state), queue(state), to_move(state)) == ("intermediate_serving", [1], "player 1")
    state = after(state, "serve espresso 2")
    assert (step(state), to_move(state), cup(state, 2, "doppio")) == ("fresh", "player 2", "4f")


def test_intermediate_emptying_takes_a_fullest_cup_without_pay():
    state = last_tile("thirteen", {(1, "cappuccino"): "2h 4f", (1, "doppio"): "1c"})
    # Player 2 has no tiles and is skipped.
    assert (step(state), queue(state), moves(state)) == ("intermediate_emptying", [1], ["empty cappuccino"])
    refused(state, "empty doppio")
    state = after(state, "empty cappuccino")
    assert (coins(state), cup(state, 1, "cappuccino"), cup(state, 1, "doppio")) == ([4, 5], "", "1c")
    assert (pile(state, "discard"), to_move(state), left(state, "cappuccino")[3]) == ("2h 4f", "player 2", 2)
    # The emptied cup is filled anew from the bottom: it wants coffee.
    state = after(state, "take")
    assert moves(state, "buy coffee 1 cappuccino")
    assert not [text for text in moves(state, "buy milk") if "cappuccino" in text]


def test_emptying_ties_are_the_players_choice_and_everyone_with_tiles_empties():
    cups = {(2, "doppio"): "4f", (2, "macchiato"): "1c", (1, "cappuccino"): "2h"}
    state = last_tile("thirteen", cups, players=3)
    assert (queue(state), moves(state)) == ([2, 1], ["empty doppio", "empty macchiato"])
    state = after(state, "empty macchiato")
    # What the others do no longer matters: it stays a round of emptying.
    assert (step(state), queue(state), moves(state)) == ("intermediate_emptying", [1], ["empty cappuccino"])
    state = after(state, "empty cappuccino")
    assert (to_move(state), cup(state, 2, "doppio"), pile(state, "discard")) == ("player 2", "4f", "1c 2h")
    # The bag is empty; the pile comes in at the next draw.
    state = after(state, "buy coffee 1 espresso")
    assert chances(state) == {"draw 1c": 0.5, "draw 2h": 0.5}


def test_the_whole_way_into_an_intermediate_round():
    state = after(twelve({(2, "doppio"): "4f"}), "buy coffee 1 espresso", "draw 4h")
    assert column(state, "coffee") == "3c 3f 3h 4c 4h"
    assert (step(state), queue(state), to_move(state)) == ("intermediate_serving", [1], "player 1")
    assert moves(state) == ["serve espresso 1", "serve espresso 2"]


# --- end of the game -----------------------------------------------------------------------------


def finish(player, *, espresso=4):
    return {(player, drink): points for drink, points in {**FOUR_SERVED, "espresso": espresso}.items()}


def four(player):
    return {(player, drink): points for drink, points in FOUR_SERVED.items()}


def test_the_round_is_completed():
    # Player 1 of 3 serves the fifth cup: players 2 and 3 still have their turns, player 1 has no other.
    state = after(table(players=3, cups={**four(1), (1, "espresso"): "4h"}), "serve espresso 4", "end")
    assert to_move(state) == "player 2"
    state = after(state, "take")
    assert to_move(state) == "player 3"
    state = after(state, "take")
    assert (to_move(state), step(state), moves(state)) == ("over", "over", [])


def test_the_round_ends_before_the_start_player():
    # Start player 2: the round ends with player 1.
    state = after(table(cups={**four(1), (1, "espresso"): "4h"}, start=2), "serve espresso 4", "end")
    assert to_move(state) == "over"
    state = after(table(cups={**four(1), (1, "espresso"): "4h"}, start=1), "serve espresso 4", "end")
    assert to_move(state) == "player 2"


def test_a_player_who_has_served_everything_keeps_the_turns_of_the_round():
    # Within the round player 2 serves the fifth cup out of turn, in an intermediate round after player 1's turn.
    state = last_tile("twelve", {**four(2), (2, "espresso"): "4f", (1, "doppio"): "2h"}, players=3)
    state = after(state, "serve espresso 4")
    assert (step(state), to_move(state)) == ("fresh", "player 2")
    assert moves(state) == ["take", "clean milk", "clean coffee"]
    state = after(state, "take", "take")
    assert to_move(state) == "over"


def test_a_fifth_cup_in_an_intermediate_round_between_two_rounds_ends_the_game_after_it():
    state = last_tile("twelve", {**four(1), (1, "espresso"): "4f", (2, "espresso"): "2h"}, turn=2)
    assert (step(state), queue(state)) == ("intermediate_serving", [1, 2])
    state = after(state, "serve espresso 4")
    assert to_move(state) == "player 2"  # the intermediate round is completed first
    state = after(state, "serve espresso 2")
    assert (to_move(state), state.gatto.round) == ("over", 2)


def test_without_a_fifth_cup_the_next_round_begins():
    state = last_tile("twelve", {(1, "espresso"): "4f", (2, "espresso"): "2h"}, turn=2)
    state = after(state, "serve espresso 4", "serve espresso 2")
    assert (to_move(state), state.gatto.round) == ("player 1", 3)


def test_the_end_comes_before_an_intermediate_round():
    # The last turn of the last round draws the last tile: the game is over, nobody serves a cup any more.
    state = twelve({**finish(1), (2, "doppio"): "4f"}, turn=2)
    state = after(state, "buy coffee 1 doppio", "draw 4h")
    assert (to_move(state), pile(state, "bag"), cup(state, 2, "doppio")) == ("over", "", "4f 2h")


def test_round_limit():
    cups = {(2, "doppio"): "4f"}
    state = after(twelve(cups, round=199, turn=2), "take")
    assert (to_move(state), state.gatto.round) == ("player 1", 200)
    assert to_move(after(state, "take")) == "player 2"
    assert to_move(after(state, "take", "take")) == "over"
    # The end comes first there too: the last tile is drawn and no intermediate round follows.
    state = after(twelve(cups, round=200, turn=2), "buy coffee 1 espresso", "draw 4h")
    assert to_move(state) == "over"
    state = after(twelve(cups, round=199, turn=2), "buy coffee 1 espresso", "draw 4h")
    assert step(state) == "intermediate_serving"


# --- score ---------------------------------------------------------------------------------------


def over(cups, coins, sugar):
    state = table(players=len(coins), cups=cups, coins=coins, sugar=sugar, turn=len(coins), step="over")
    result = answer(state)
    assert result.to_move == "over"
    assert [player.player for player in result.result] == list(range(1, len(coins) + 1))
    return [(player.score, player.win_share) for player in result.result]


def test_score_is_itemised():
    state = table(cups={**finish(1), (2, "cappuccino"): 6}, sugar=[3, 5], turn=2, step="over")
    scores = answer(state).scores
    assert {item.name: item.points for item in scores[0].items} == {**FOUR_SERVED, "espresso": 4, "sugar": 1}
    assert {item.name: item.points for item in scores[1].items} == {"cappuccino": 6, "sugar": 2}
    assert [score.total for score in scores] == [7 + 6 + 8 + 14 + 4 + 1, 8]


def test_most_points_win_whatever_the_coins():
    # 39 points against 6; sugar 5 // 2 = 2.
    assert over({**finish(1), (2, "cappuccino"): 6}, [0, 40], [0, 5]) == [(39, 1), (8, 0)]


def test_tiles_in_cups_do_not_score():
    assert over({**finish(1), (2, "espresso"): "4f"}, [0, 5], [1, 1]) == [(39, 1), (0, 0)]


def test_a_tie_goes_to_the_most_coins_then_is_shared():
    # Two players at 39: 7 + 6 + 8 + 14 + 4 and 6 + 4 + 10 + 12 + 5 + 4 // 2 = 39.
    cups = {
        **finish(1), (2, "doppio"): 6, (2, "macchiato"): 4, (2, "cappuccino"): 10, (2, "latte_macchiato"): 12,
        (2, "espresso"): 5,
    }
    assert over(cups, [3, 4, 9], [0, 4, 1]) == [(39, 0), (39, 1), (0, 0)]
    assert over(cups, [5, 4, 9], [1, 4, 0]) == [(39, 1), (39, 0), (0, 0)]
    assert over(cups, [4, 4, 9], [1, 5, 0]) == [(39, 0.5), (39, 0.5), (0, 0)]
    assert over(cups, [4, 4, 9], [2, 5, 0]) == [(40, 1), (39, 0), (0, 0)]


def test_a_tie_of_three_is_shared_by_three():
    # Nobody finished, the round limit ended the game.
    state = table(players=3, coins=[5, 5, 5], turn=3, round=200, step="over")
    assert [player.win_share for player in answer(state).result] == pytest.approx([1 / 3] * 3)


# --- moves by name -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["take", "end", "clean milk", "serve doppio 4", "empty espresso", "draw 3h"])
def test_every_kind_of_move_is_refused_when_the_game_is_over(text):
    state = table(cups=finish(1), turn=2, step="over")
    with pytest.raises(BrainError) as caught:
        after(state, text)
    assert (caught.value.code, caught.value.reason) == ("FAILED_PRECONDITION", "GAME_OVER")


def test_a_move_that_is_none_names_each_fault():
    message = move("buy milk 3 espresso")
    message.gatto.buy.row, message.gatto.buy.cup, message.gatto.buy.column = 6, "tea", 0
    with pytest.raises(BrainError) as caught:
        BRAIN.apply_move(pb.ApplyMoveRequest(state=table(), move={"move": message}))
    assert (caught.value.code, caught.value.reason) == ("INVALID_ARGUMENT", "INVALID_MOVE")
    # The request's `move` is a choice, its `move` the structured one.
    fields = [violation.field for violation in caught.value.violations]
    assert fields == [f"move.move.gatto.buy.{name}" for name in ("column", "row", "cup")]
    assert [violation.value for violation in caught.value.violations] == ["0", "6", "tea"]
