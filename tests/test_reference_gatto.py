"""Self-check of the Café del Gatto reference: rulebook examples, hand arithmetic, conservation.

The figures are the rulebook's or follow by hand from the rulings; none come from running
an implementation.
"""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.reference import gatto as ref
from tests.reference.gatto import OWNERS, RECONSTRUCTED, ComponentSet, Cup, State

# One tile of each of the 12 kinds: ten in the machine, two left over.
TWELVE = replace(RECONSTRUCTED, tiles=tuple((v, p, 1) for v, p, _ in RECONSTRUCTED.tiles))
# One more than that, so that three tiles are outside the machine.
THIRTEEN = replace(TWELVE, tiles=((1, "cold", 2), *TWELVE.tiles[1:]))

PREPARATIONS = ("cold", "frothy", "hot")
ESPRESSO, DOPPIO, MACCHIATO, CAPPUCCINO, LATTE = range(5)


def kind(value: int, preparation: str) -> int:
    """The index of a tile kind, by hand: value by value, cold, frothy, hot."""
    return 3 * (value - 1) + PREPARATIONS.index(preparation)


def table(
    cs: ComponentSet,
    milk: list[int],
    coffee: list[int],
    cups: dict[tuple[int, int], Cup] | None = None,
    players: int = 2,
    to_move: int = 0,
) -> State:
    """A fresh turn with these columns and cups; all other tiles are in the bag."""
    s = ref.initial(cs, players)
    s.player = to_move
    s.columns = {"M": list(milk), "C": list(coffee)}
    for (player, cup), content in (cups or {}).items():
        s.cups[player][cup] = content
        if isinstance(content, int):
            s.drink_tiles[cs.cups[cup].drink][content] -= 1
    lying = [c for cups_of in s.cups for c in cups_of if not isinstance(c, int)]
    for tiles in (milk, coffee, *lying):
        for k in tiles:
            s.bag[k] -= 1
    assert min(s.bag) >= 0
    return s


def mixed() -> State:
    """Milk values 1 2 3 2 4, coffee values 4 3 1 3 2, rows 1 to 5; the bag holds the rest."""
    milk = [kind(v, "cold") for v in (1, 2, 3, 2, 4)]
    coffee = [kind(v, "hot") for v in (4, 3, 1, 3, 2)]
    return table(RECONSTRUCTED, milk, coffee)


def twelve(cups: dict[tuple[int, int], Cup], players: int, to_move: int = 0) -> State:
    """The 12-tile set: kinds 0-4 milk, 5-9 coffee; 10 (4 frothy) and 11 (4 hot) remain."""
    return table(TWELVE, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], cups, players, to_move)


# --- component sets and setup ------------------------------------------------------------


@pytest.mark.parametrize("cs", [RECONSTRUCTED, OWNERS])
def test_sets_add_up_to_the_printed_totals(cs: ComponentSet) -> None:
    assert sum(count for _, _, count in cs.tiles) == 36
    # 45 drink tiles with the lowest value in five copies.
    assert sum(len(cup.points) - 1 + 5 for cup in cs.cups) == 45
    assert (cs.coins, cs.sugar) == (45, 12)
    assert sum(len(cup.colours) for cup in cs.cups) == 12


def test_owners_set_differs_in_the_cappuccino_only() -> None:
    colours = [cup.colours for cup in RECONSTRUCTED.cups]
    assert colours == ["C", "CC", "CM", "CCM", "MMCM"]
    assert [cup.colours for cup in OWNERS.cups] == ["C", "CC", "CM", "CMM", "MMCM"]


def test_start_player_has_four_coins() -> None:
    s = ref.initial(RECONSTRUCTED, 3, start_player=1)
    assert s.coins == [5, 4, 5]
    assert s.drink_tiles["cappuccino"] == {3: 3, 6: 1, 8: 1, 10: 1, 12: 1}


def test_setup_draws_milk_then_coffee_from_the_bottom() -> None:
    s = ref.initial(RECONSTRUCTED, 2, start_player=1)
    for drawn in range(10):
        assert ref.to_move(RECONSTRUCTED, s) == "chance"
        assert ref.moves(RECONSTRUCTED, s) == []
        # Kinds 0 to 9 in turn: each still has its three copies.
        assert (("draw", drawn), Fraction(3, 36 - drawn)) in ref.draws(RECONSTRUCTED, s)
        s = ref.apply(RECONSTRUCTED, s, ("draw", drawn))
    assert s.columns == {"M": [0, 1, 2, 3, 4], "C": [5, 6, 7, 8, 9]}
    assert ref.to_move(RECONSTRUCTED, s) == 1
    assert ref.draws(RECONSTRUCTED, s) == []


# --- buying ------------------------------------------------------------------------------


def test_rulebook_prices() -> None:
    s = mixed()
    # Luna: milk 3 in row 3 opposite coffee 1 costs 1; the coffee 1 would have cost 3.
    assert ref.price(RECONSTRUCTED, s, "M", 3) == 1
    assert ref.price(RECONSTRUCTED, s, "C", 3) == 3
    # Cosmo: coffee 3 in row 4 opposite milk 2 costs 2 + 1.
    assert ref.price(RECONSTRUCTED, s, "C", 4) == 3
    # The top row costs 2 more: coffee 2 opposite milk 4.
    assert ref.price(RECONSTRUCTED, s, "C", 5) == 6


def test_buys_need_coins_and_a_cup_with_the_colour_next() -> None:
    s = mixed()
    s.coins[0] = 2
    bought = {m for m in ref.moves(RECONSTRUCTED, s) if m[0] == "buy"}
    # Coffee at 2 coins or less: rows 1 (price 1) and 2 (price 2), into the four cups that
    # start with coffee. Milk: row 3 (price 1) only, into the latte macchiato.
    coffee = {("buy", "C", row, cup) for row in (1, 2) for cup in (0, 1, 2, 3)}
    assert bought == coffee | {("buy", "M", 3, LATTE)}


def test_buy_slides_down_and_draws_on_top() -> None:
    s = mixed()
    s = ref.apply(RECONSTRUCTED, s, ("buy", "M", 3, LATTE))
    assert (s.coins[0], s.cups[0][LATTE]) == (3, [kind(3, "cold")])
    assert s.columns["M"] == [kind(v, "cold") for v in (1, 2, 2, 4)]
    assert (s.step, s.player, ref.to_move(RECONSTRUCTED, s)) == ("bought", 0, "chance")
    s = ref.apply(RECONSTRUCTED, s, ("draw", kind(1, "frothy")))
    assert s.columns["M"][4] == kind(1, "frothy")
    assert (s.step, ref.to_move(RECONSTRUCTED, s), s.round) == ("fresh", 1, 1)


@pytest.mark.parametrize(("others", "gained"), [(11, 1), (12, 0)])
def test_value_one_gives_sugar_while_the_reserve_lasts(others: int, gained: int) -> None:
    s = mixed()
    s.sugar[1] = others
    s = ref.apply(RECONSTRUCTED, s, ("buy", "C", 3, ESPRESSO))
    assert s.sugar == [gained, others]


def test_unlimited_reserves() -> None:
    cs = replace(RECONSTRUCTED, coins=None, sugar=None)
    s = mixed()
    s.sugar[1], s.coins[1] = 12, 60
    assert ref.apply(cs, s, ("buy", "C", 3, ESPRESSO)).sugar[0] == 1
    assert ref.apply(cs, s, ("take_coins",)).coins[0] == 6


# --- serving and coins -------------------------------------------------------------------

MINKA = [kind(2, "hot"), kind(1, "cold"), kind(4, "hot")]


@pytest.mark.parametrize(
    ("sugar", "points", "coins_paid", "sugar_left"),
    # Two preparations pay 3 coins, value 7 pays the difference.
    [(0, 6, 3 + 1, 0), (0, 3, 3 + 4, 0), (1, 8, 3, 0), (1, 6, 3 + 1, 1), (3, 10, 3, 0)],
)
def test_minkas_cappuccino(sugar: int, points: int, coins_paid: int, sugar_left: int) -> None:
    s = table(RECONSTRUCTED, [0, 0, 1, 1, 2], [2, 3, 3, 4, 4], {(0, CAPPUCCINO): MINKA})
    s.sugar[0] = sugar
    reachable = {m[2] for m in ref.moves(RECONSTRUCTED, s) if m[0] == "serve"}
    assert reachable == {p for p in (3, 6, 8, 10, 12) if p <= 7 + sugar}
    s = ref.apply(RECONSTRUCTED, s, ("serve", CAPPUCCINO, points))
    assert (s.coins[0], s.sugar[0]) == (4 + coins_paid, sugar_left)
    assert s.cups[0][CAPPUCCINO] == points
    assert [k for k, count in enumerate(s.discard) for _ in range(count)] == sorted(MINKA)
    # The 3 has a copy per player, all others are gone once taken.
    assert s.drink_tiles["cappuccino"][points] == (1 if points == 3 else 0)
    assert (s.step, ref.moves(RECONSTRUCTED, s)) == ("serving", [("stop_serving",)])
    assert ref.to_move(RECONSTRUCTED, ref.apply(RECONSTRUCTED, s, ("stop_serving",))) == 1


@pytest.mark.parametrize(
    ("cup", "tiles", "coins"),
    [
        (ESPRESSO, [kind(1, "hot")], 2),
        (DOPPIO, [kind(1, "hot"), kind(1, "hot")], 3),
        (MACCHIATO, [kind(1, "hot"), kind(1, "cold")], 1),
        (CAPPUCCINO, [kind(1, p) for p in ("hot", "hot", "hot")], 5),
        (CAPPUCCINO, [kind(1, p) for p in ("hot", "cold", "frothy")], 1),
        (LATTE, [kind(1, p) for p in ("hot", "hot", "hot", "cold")], 4),
        (LATTE, [kind(1, p) for p in ("hot", "frothy", "hot", "cold")], 2),
    ],
)
def test_menu(cup: int, tiles: list[int], coins: int) -> None:
    s = table(RECONSTRUCTED, [9, 9, 9, 3, 3], [10, 10, 10, 4, 4], {(0, cup): tiles})
    lowest = RECONSTRUCTED.cups[cup].points[0]
    assert lowest == len(tiles)  # all tiles of value 1: no difference is paid
    assert ref.apply(RECONSTRUCTED, s, ("serve", cup, lowest)).coins[0] == 4 + coins


def test_serve_pays_at_most_the_reserve() -> None:
    s = table(RECONSTRUCTED, [0, 0, 1, 1, 2], [2, 3, 3, 4, 4], {(0, CAPPUCCINO): MINKA})
    s.coins[1] = 36  # of 45, player 0 holds 4: 5 are left, and 3 + 4 are due
    assert ref.apply(RECONSTRUCTED, s, ("serve", CAPPUCCINO, 3)).coins == [9, 36]


@pytest.mark.parametrize(("reserve", "taken"), [(5, 2), (2, 2), (1, 1), (0, 0)])
def test_take_coins(reserve: int, taken: int) -> None:
    s = mixed()
    s.coins[1] = 45 - 4 - reserve
    s = ref.apply(RECONSTRUCTED, s, ("take_coins",))
    assert s.coins[0] == 4 + taken
    assert ref.to_move(RECONSTRUCTED, s) == 1


# --- cleaning, bag and discard pile ------------------------------------------------------


def test_clean_then_only_clean_buy_or_end() -> None:
    s = mixed()
    # A filled cup, which may not be served after a clean.
    s.cups[0][ESPRESSO] = [kind(2, "frothy")]
    s.bag[kind(2, "frothy")] -= 1
    cleaned = ref.apply(RECONSTRUCTED, s, ("clean", "M"))
    assert (cleaned.coins[0], cleaned.columns["M"], sum(cleaned.discard)) == (2, [], 5)
    drawn = [kind(v, "frothy") for v in (1, 1, 1, 2, 2)]
    for k in drawn:
        assert ref.to_move(RECONSTRUCTED, cleaned) == "chance"
        cleaned = ref.apply(RECONSTRUCTED, cleaned, ("draw", k))
    assert cleaned.columns["M"] == drawn
    assert (cleaned.step, ref.to_move(RECONSTRUCTED, cleaned)) == ("cleaned", 0)
    names = {m[0] for m in ref.moves(RECONSTRUCTED, cleaned)}
    assert names == {"clean", "buy", "end_turn"}
    assert ("end_turn",) not in ref.moves(RECONSTRUCTED, s)
    again = ref.apply(RECONSTRUCTED, cleaned, ("clean", "C"))
    assert again.coins[0] == 0
    assert ref.to_move(RECONSTRUCTED, ref.apply(RECONSTRUCTED, cleaned, ("end_turn",))) == 1
    cleaned.coins[0] = 1
    assert ("clean", "C") not in ref.moves(RECONSTRUCTED, cleaned)


def test_discard_pile_enters_the_bag_at_the_draw_from_an_empty_bag() -> None:
    s = twelve({(1, DOPPIO): [10], (1, MACCHIATO): [11]}, players=2)
    s = ref.apply(TWELVE, s, ("clean", "M"))
    assert sum(s.bag) == 0
    assert sum(s.discard) == 5
    assert ref.draws(TWELVE, s) == [(("draw", k), Fraction(1, 5)) for k in range(5)]
    s = ref.apply(TWELVE, s, ("draw", 3))
    assert s.bag[:5] == [1, 1, 1, 0, 1]
    assert sum(s.discard) == 0


def test_unknown_discards() -> None:
    s = mixed()
    # 26 tiles outside the machine: 20 are in the bag or unknown, 6 are known discards.
    s.discard[kind(1, "frothy")] = s.discard[kind(2, "frothy")] = 3
    s.bag[kind(1, "frothy")] = s.bag[kind(2, "frothy")] = 0
    s.unknown_discards = 19  # so one tile is in the bag
    s = ref.apply(RECONSTRUCTED, s, ("buy", "M", 3, LATTE))
    first = dict(ref.draws(RECONSTRUCTED, s))
    assert ("draw", kind(1, "frothy")) not in first
    assert first["draw", kind(3, "frothy")] == Fraction(3, 20)
    s = ref.apply(RECONSTRUCTED, s, ("draw", kind(3, "frothy")))
    assert (sum(s.bag), sum(s.discard), s.unknown_discards) == (19, 6, 19)
    s = ref.apply(RECONSTRUCTED, s, ("buy", "C", 1, ESPRESSO))
    second = dict(ref.draws(RECONSTRUCTED, s))
    assert second["draw", kind(1, "frothy")] == Fraction(3, 25)
    s = ref.apply(RECONSTRUCTED, s, ("draw", kind(1, "frothy")))
    assert (sum(s.bag), sum(s.discard), s.unknown_discards) == (24, 0, 0)


# --- intermediate rounds -----------------------------------------------------------------


def test_intermediate_round_of_serving() -> None:
    s = twelve({(1, ESPRESSO): [10], (0, ESPRESSO): [11]}, players=3)
    s = ref.apply(TWELVE, s, ("take_coins",))
    # Player 2 has no filled cup; player 0, whose turn just ended, acts last.
    assert (s.step, s.queue, ref.to_move(TWELVE, s)) == ("intermediate_serving", [1, 0], 1)
    assert ref.moves(TWELVE, s) == [("serve", ESPRESSO, p) for p in (1, 2, 3, 4)]
    s = ref.apply(TWELVE, s, ("serve", ESPRESSO, 4))
    assert s.coins == [6, 7, 5]
    assert ref.moves(TWELVE, s) == [("serve", ESPRESSO, p) for p in (1, 2, 3)]
    s = ref.apply(TWELVE, s, ("serve", ESPRESSO, 1))
    assert s.coins == [6 + 2 + 3, 7, 5]
    # Full columns: nothing is drawn, and the discard pile stays where it is.
    assert (s.step, ref.to_move(TWELVE, s), s.round) == ("fresh", 1, 1)
    assert (sum(s.bag), sum(s.discard)) == (0, 2)


def test_exactly_one_cup_is_served_in_an_intermediate_round() -> None:
    cups: dict[tuple[int, int], Cup] = {(1, ESPRESSO): [10], (1, DOPPIO): [11, 0]}
    s = table(THIRTEEN, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], cups)
    s = ref.apply(THIRTEEN, s, ("take_coins",))
    assert s.queue == [1]
    assert {m[1] for m in ref.moves(THIRTEEN, s)} == {ESPRESSO, DOPPIO}
    s = ref.apply(THIRTEEN, s, ("serve", ESPRESSO, 1))
    assert (s.step, s.queue, ref.to_move(THIRTEEN, s)) == ("fresh", [], 1)
    assert s.cups[1][DOPPIO] == [11, 0]


def test_intermediate_round_of_emptying_and_refill() -> None:
    s = twelve({(1, DOPPIO): [10], (1, MACCHIATO): [11]}, players=3)
    # Coffee kind 5 (value 2 hot) in row 1 opposite milk kind 0 (value 1): 1 of 4 coins.
    s = ref.apply(TWELVE, s, ("buy", "C", 1, CAPPUCCINO))
    # The draw finds nothing, so the turn is over at once; player 2 has no tiles.
    assert (s.step, s.queue) == ("intermediate_emptying", [1, 0])
    assert ref.moves(TWELVE, s) == [("empty", DOPPIO), ("empty", MACCHIATO)]
    s = ref.apply(TWELVE, s, ("empty", MACCHIATO))
    assert ref.to_move(TWELVE, s) == 0
    assert ref.moves(TWELVE, s) == [("empty", CAPPUCCINO)]
    s = ref.apply(TWELVE, s, ("empty", CAPPUCCINO))
    assert (s.coins, s.cups[1][DOPPIO], s.cups[1][MACCHIATO]) == ([3, 5, 5], [10], [])
    assert (s.player, ref.to_move(TWELVE, s)) == (1, "chance")
    half = Fraction(1, 2)
    assert ref.draws(TWELVE, s) == [(("draw", 5), half), (("draw", 11), half)]
    s = ref.apply(TWELVE, s, ("draw", 11))
    assert s.columns["C"] == [6, 7, 8, 9, 11]
    assert (s.step, ref.to_move(TWELVE, s), sum(s.bag)) == ("fresh", 1, 1)


def test_emptying_takes_the_fullest_cup() -> None:
    cups: dict[tuple[int, int], Cup] = {(1, CAPPUCCINO): [10, 11], (1, DOPPIO): [0]}
    s = table(THIRTEEN, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], cups)
    s = ref.apply(THIRTEEN, s, ("take_coins",))
    assert (s.step, s.queue) == ("intermediate_emptying", [1])
    assert ref.moves(THIRTEEN, s) == [("empty", CAPPUCCINO)]


# --- end of the game ---------------------------------------------------------------------

FOUR_SERVED: dict[int, Cup] = {DOPPIO: 7, MACCHIATO: 6, CAPPUCCINO: 8, LATTE: 14}


def served_by(player: int) -> dict[tuple[int, int], Cup]:
    return {(player, cup): points for cup, points in FOUR_SERVED.items()}


def test_the_round_is_completed_and_the_finished_player_keeps_its_turns() -> None:
    cups = {**served_by(1), (1, ESPRESSO): [10], (2, DOPPIO): [11]}
    s = twelve(cups, players=3)
    # An intermediate round within the round: player 1 serves the fifth cup out of turn.
    s = ref.apply(TWELVE, s, ("take_coins",))
    s = ref.apply(TWELVE, s, ("serve", ESPRESSO, 4))
    assert (ref.to_move(TWELVE, s), s.over) == (1, False)
    assert ref.moves(TWELVE, s) == [("clean", "M"), ("clean", "C"), ("take_coins",)]
    s = ref.apply(TWELVE, s, ("take_coins",))
    assert ref.to_move(TWELVE, s) == 2
    s = ref.apply(TWELVE, s, ("take_coins",))
    assert (ref.to_move(TWELVE, s), s.over, ref.moves(TWELVE, s)) == ("over", True, [])


def test_fifth_cup_in_an_intermediate_round_between_two_rounds() -> None:
    cups = {**served_by(0), (0, ESPRESSO): [10], (1, ESPRESSO): [11]}
    s = twelve(cups, players=2, to_move=1)
    s = ref.apply(TWELVE, s, ("take_coins",))
    assert s.queue == [0, 1]
    s = ref.apply(TWELVE, s, ("serve", ESPRESSO, 4))
    assert not s.over  # the intermediate round is still completed
    s = ref.apply(TWELVE, s, ("serve", ESPRESSO, 3))
    assert s.over
    assert ref.score_items(TWELVE, s, 0) == {
        "espresso": 4, "doppio": 7, "macchiato": 6, "cappuccino": 8, "latte macchiato": 14,
        "sugar": 0,
    }  # fmt: skip
    assert ref.result(TWELVE, s) == [(39, Fraction(1)), (3, Fraction(0))]


def test_last_buy_draws_first_and_the_end_comes_before_an_intermediate_round() -> None:
    cups = {**served_by(0), (0, ESPRESSO): 4}
    s = twelve({**cups, (1, DOPPIO): [10]}, players=2, to_move=1)  # kind 11 is in the bag
    s = ref.apply(TWELVE, s, ("buy", "C", 1, DOPPIO))
    assert (s.over, ref.draws(TWELVE, s)) == (False, [(("draw", 11), Fraction(1))])
    s = ref.apply(TWELVE, s, ("draw", 11))
    assert s.over
    # With nothing to draw the same buy ends the game at once.
    s = twelve({**cups, (1, DOPPIO): [10], (1, MACCHIATO): [11]}, players=2, to_move=1)
    assert ref.apply(TWELVE, s, ("buy", "C", 1, DOPPIO)).over


def test_serving_last_of_the_round_ends_after_stopping() -> None:
    s = twelve({**served_by(1), (1, ESPRESSO): [10]}, players=2, to_move=1)
    s = ref.apply(TWELVE, s, ("serve", ESPRESSO, 2))
    assert ref.moves(TWELVE, s) == [("stop_serving",)]
    assert ref.apply(TWELVE, s, ("stop_serving",)).over


def test_round_limit() -> None:
    s = twelve({(1, DOPPIO): [10], (1, MACCHIATO): [11]}, players=2, to_move=1)
    s.round = 199
    assert ref.apply(TWELVE, s, ("take_coins",)).step == "intermediate_emptying"
    s.round = 200
    assert ref.apply(TWELVE, s, ("take_coins",)).over
    s.player = 0
    assert not ref.apply(TWELVE, s, ("take_coins",)).over


def test_score_and_ties() -> None:
    s = mixed()
    s.cups[0][DOPPIO], s.cups[1][CAPPUCCINO] = 7, 6
    s.sugar = [1, 3]  # 0 and 1 points: 7 each
    s.coins = [4, 5]
    assert ref.score_items(RECONSTRUCTED, s, 1) == {"cappuccino": 6, "sugar": 1}
    assert ref.result(RECONSTRUCTED, s) == [(7, Fraction(0)), (7, Fraction(1))]
    s.coins = [5, 5]
    assert ref.result(RECONSTRUCTED, s) == [(7, Fraction(1, 2)), (7, Fraction(1, 2))]
    s.sugar[0] = 2
    s.coins = [0, 9]
    assert ref.result(RECONSTRUCTED, s) == [(8, Fraction(1)), (7, Fraction(0))]


def test_illegal_moves_are_refused() -> None:
    s = mixed()
    for move in [("end_turn",), ("stop_serving",), ("draw", 0), ("buy", "C", 5, 0), ("nap",)]:
        with pytest.raises(ValueError, match="illegal move"):
            ref.apply(RECONSTRUCTED, s, move)


# --- random play -------------------------------------------------------------------------


def check_conservation(cs: ComponentSet, s: State) -> None:
    lying = [c for cups in s.cups for c in cups if not isinstance(c, int)]
    places = [*s.columns.values(), *lying]
    for k, (_, _, count) in enumerate(cs.tiles):
        assert s.bag[k] >= 0
        assert s.discard[k] >= 0
        assert s.bag[k] + s.discard[k] + sum(tiles.count(k) for tiles in places) == count
    for held, total in ((s.coins, cs.coins), (s.sugar, cs.sugar)):
        assert min(held) >= 0
        assert total is not None
        assert sum(held) <= total
    for index, cup in enumerate(cs.cups):
        taken = [cups[index] for cups in s.cups if isinstance(cups[index], int)]
        for points in cup.points:
            copies = s.players if points == cup.points[0] else 1
            assert s.drink_tiles[cup.drink][points] + taken.count(points) == copies
    assert 1 <= s.round <= 200
    # Short columns are met by chance and inside intermediate rounds only.
    mover = ref.to_move(cs, s)
    if isinstance(mover, int):
        assert ref.moves(cs, s)
        if not s.queue:
            assert [len(column) for column in s.columns.values()] == [5, 5]


def play(cs: ComponentSet, players: int, rng: random.Random) -> tuple[State, set[str]]:
    """One random game, checked at every state; the end and the steps met."""
    start = rng.randrange(players)
    s, met = ref.initial(cs, players, start), set[str]()
    turns: dict[tuple[int, int], set[str]] = {}
    while (mover := ref.to_move(cs, s)) != "over":
        met.add(s.step)
        check_conservation(cs, s)
        if mover == "chance":
            options = ref.draws(cs, s)
            assert sum(p for _, p in options) == 1
            [move] = rng.choices([m for m, _ in options], [float(p) for _, p in options])
        else:
            if not s.queue:
                turns.setdefault((s.round, s.player), set()).add(s.step)
            move = rng.choice(ref.moves(cs, s))
        before = ref.copy_state(s)
        after = ref.apply(cs, s, move)
        assert s == before
        if after.queue and not s.queue:
            assert sum(after.bag) + sum(after.discard) == 0
        s = after
    check_conservation(cs, s)
    # Everyone had the same number of turns, in every round.
    assert set(turns) == {(r, p) for r in range(1, s.round + 1) for p in range(players)}
    finished = any(all(isinstance(c, int) for c in cups) for cups in s.cups)
    assert finished or s.round == 200
    assert sum(share for _, share in ref.result(cs, s)) == 1
    return s, met


@pytest.mark.parametrize("cs", [RECONSTRUCTED, OWNERS], ids=["reconstructed", "owners"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_random_games(cs: ComponentSet, players: int) -> None:
    rng = random.Random(players)
    for _ in range(10):
        _, met = play(cs, players, rng)
        assert {"fresh", "cleaned", "bought", "serving"} <= met
        if players == 2:  # 24 spaces in cups cannot hold the 26 tiles outside the machine
            assert "intermediate_serving" not in met
            assert "intermediate_emptying" not in met


@pytest.mark.parametrize("cs", [TWELVE, THIRTEEN], ids=["12 tiles", "13 tiles"])
@pytest.mark.parametrize("players", [2, 5])
def test_random_games_reach_the_intermediate_rounds(cs: ComponentSet, players: int) -> None:
    _, met = play(cs, players, random.Random(players))
    assert {"intermediate_serving", "intermediate_emptying"} <= met
