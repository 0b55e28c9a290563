"""Campus Café's rules on hand-written positions. Figures are the rulebook's or follow by hand from the rulings."""

from __future__ import annotations

import itertools
import random

import pytest

from cython_ext.game import GAME_OVER
from engines.campus.rules import Step
from tests.campus_tables import (
    CONTENTS,
    GAME,
    card,
    do,
    draw_on,
    position,
    score,
    serve,
    servings,
    step,
    texts,
    tray,
    zone,
)

CARDS = CONTENTS.cards
FIRST = card("MMSS", reverse="satisfier")  # gift E
SECOND = card("SSEH", reverse="supplier")  # gift H, supplier M, two female athletes
RED, BLUE, GREEN = range(3)


def owner(kind: str, **keys: object) -> int:
    """A card by its reverse side."""
    return card("", reverse=kind, **keys)


# --- the rulebook's examples ---------------------------------------------------------------------


def test_the_worked_example() -> None:
    """David's turn in the rulebook: a check of $31."""
    pleased = owner("satisfier", satisfier=7)
    doubling = owner("multiplier", resources="S")
    state = position(
        Step.ROLL, trays={0: "EMSH"}, owned={0: [pleased, doubling]}, table=[FIRST, SECOND, 0, 1, 2, 3, 4], tops=(5, 6)
    )
    assert GAME.read(state)["players"][0]["spaces"] == 5  # one space is free
    do(state, "roll red and blue", "red die on space 1 (red M+$2)", "blue die on space 5 (blue S)")
    assert step(state) == Step.DISCARD_COLLECTED
    do(state, "discard 1 Espresso Coffee")
    assert tray(state) == "HMMSS"
    do(state, f"serve card {FIRST + 1}:", "pay 2 M, S, blue token as S")
    do(state, "gift: Strawberry Shake and Espresso Coffee")
    assert tray(state) == "EHSS"
    serve(state, SECOND)
    do(state, "gift: Cupcake")
    before = zone(state)
    do(state, "stop serving")
    assert score(state) == 2 + (14 + 11) + 4 == 31
    # An Espresso Coffee and a Hot Chocolate left the game; the rest is back.
    after = zone(state)
    assert after.count("E") == before.count("E") + 1 - 1
    assert after.count("H") == before.count("H") + 1 - 1
    assert after.count("M") == before.count("M") + 2
    assert step(state) == Step.ARRIVAL
    draw_on(state)
    assert tray(state) == "MC"  # the new supplier's Mint Shake
    assert GAME.read(state)["players"][0]["owned"].bit_count() == 4


def test_residual_resources() -> None:
    """A Mint Shake and two Espresso Coffee are worth $5, so $2."""
    state = position(Step.OVER, trays={0: "MEE"}, last_round=True, below=(0, 0), active=1)
    assert GAME.score_parts(state)[0]["tray"] == 2


def test_careers_of_the_scoring_example() -> None:
    """Two satisfiers make $6 for an Entertainer, a set of women $6 for Women Responsible: $12."""
    cards = [owner("career", career="entertainer"), owner("career", career="women_responsible")]
    cards += [owner("satisfier", satisfier=kind) for kind in (0, 1)]
    women = [sum(CARDS[i].customers.count(kind) for i in cards) for kind in (1, 3, 5, 7)]
    extra = [i for i in range(48) if i not in cards and CARDS[i].reverse == "supplier"]
    while min(women) < 1:
        cards.append(extra.pop(0))
        women = [sum(CARDS[i].customers.count(kind) for i in cards) for kind in (1, 3, 5, 7)]
    state = position(Step.OVER, owned={0: cards}, last_round=True, below=(0, 0), active=1)
    assert GAME.score_parts(state)[0]["careers"] == {1: 6, 9: 6 * min(women)}
    assert min(women) == 1


def hands(wanted: list[dict[str, int]]) -> dict[int, list[int]]:
    """Cards for each player with the wanted numbers of cards, cupcakes and customers of the art pair; by trial."""
    dice = random.Random(1)
    while True:
        left = list(range(48))
        dice.shuffle(left)
        found: dict[int, list[int]] = {}
        for player, want in enumerate(wanted):
            for cards in itertools.islice(itertools.combinations(left, want["cards"]), 3000):
                if (
                    sum(CARDS[i].all_dishes.count("C") for i in cards) == want["cupcakes"]
                    and sum(kind in (4, 5) for i in cards for kind in CARDS[i].customers) == want["art"]
                ):
                    found[player] = list(cards)
                    left = [i for i in left if i not in cards]
                    break
            else:
                break
        if len(found) == len(wanted):
            return found


def test_awards_of_the_scoring_example() -> None:
    """Four players, the third column as fewest cards: 12/0/0/0, 6/6/6/12 and 9/0/9/9."""
    wanted = [{"cupcakes": c, "art": a, "cards": n} for c, a, n in ((3, 4, 5), (0, 4, 6), (0, 4, 5), (0, 6, 5))]
    state = position(
        Step.OVER,
        players=4,
        owned=hands(wanted),
        last_round=True,
        below=(0, 0),
        active=3,
        objectives=("most_cupcakes", "most_art", "fewest_cards"),
        table=[],
        tops=(-1, -1),
    )
    objectives = [parts["objectives"] for parts in GAME.score_parts(state)]
    assert objectives == [[12, 6, 9], [0, 6, 0], [0, 6, 9], [0, 12, 9]]


@pytest.mark.parametrize(
    ("players", "awards"), [(2, [10, 0]), (3, [10, 0, 0]), (4, [12, 6, 6, 6]), (5, [15, 7, 7, 7, 7])]
)
def test_awards_by_number_of_players(players: int, awards: list[int]) -> None:
    two = [i for i in range(48) if len(CARDS[i].customers) == 2]
    owned = {p: [two[p]] if p else two[10:12] for p in range(players)}
    state = position(
        Step.OVER,
        players=players,
        owned=owned,
        last_round=True,
        below=(0, 0),
        active=players - 1,
        objectives=("most_espresso", "most_teachers", "most_groups_of_2"),
    )
    assert [parts["objectives"][2] for parts in GAME.score_parts(state)] == awards


def test_fewest_counts_zero_and_ties_share() -> None:
    state = position(Step.OVER, players=3, owned={0: [0]}, last_round=True, below=(0, 0), active=2)
    assert [parts["objectives"][2] for parts in GAME.score_parts(state)] == [0, 7, 7]  # fewest cards, none each
    assert [parts["objectives"][1] for parts in GAME.score_parts(state)] == [0, 0, 0]  # nobody served a teacher


# --- careers, by hand ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("career", "index", "others", "points"),
    [
        (
            "manipulator",
            0,
            [owner("manipulator", form="stack", color="red"), owner("manipulator", form="to_color", color="red")],
            6,
        ),
        ("restocker", 2, [owner("supplier", resources="E"), owner("supplier", resources="EE")], 7),
        (
            "delivery_man",
            3,
            [owner("extension", spaces=2), owner("extension", spaces=1), owner("career", career="barman")],
            8,
        ),
    ],
)
def test_careers_that_count_symbols(career: str, index: int, others: list[int], points: int) -> None:
    own = owner("career", career=career)
    state = position(Step.OVER, owned={0: [own, *others]}, last_round=True, below=(0, 0), active=1)
    assert GAME.score_parts(state)[0]["careers"][index] == points


def dishes_of(career: str, cards: list[int]) -> int:
    state = position(
        Step.OVER, owned={0: [owner("career", career=career), *cards]}, last_round=True, below=(0, 0), active=1
    )
    [points] = GAME.score_parts(state)[0]["careers"].values()
    return points


def test_careers_that_count_dishes() -> None:
    # The career cards themselves: Barman's is HEH (counts), Refresher's HHC, Confectioner's SCS, Specialist's ECCH+E.
    assert [
        CARDS[owner("career", career=c)].all_dishes for c in ("barman", "refresher", "confectioner", "specialist")
    ] == [
        "HEH",
        "HHC",
        "SCS",
        "ECCHE",
    ]
    assert dishes_of("barman", []) == 3
    assert dishes_of("barman", [card("HE"), card("MEHH"), card("EEE")]) == 6  # too few cups; counts; no chocolate
    assert dishes_of("refresher", [card("MMSS"), card("MS", reverse="extension"), card("MM"), card("SE")]) == 6
    assert dishes_of("confectioner", [card("CHM"), card("MM")]) == 6
    assert dishes_of("specialist", [card("MM"), card("EEE"), card("EEE", reverse="manipulator"), card("SE")]) == 9


def test_samuels_lowest_career_counts_twice_also_where_it_scores_nothing() -> None:
    restocker, confectioner = owner("career", career="restocker"), owner("career", career="confectioner")
    end = {"last_round": True, "below": (0, 0), "active": 1, "advanced": True, "waiters": ("samuel", "john")}
    # Restocker's card EHCC counts for the Confectioner, too: 2 cards with a cupcake; no supplier.
    both = position(Step.OVER, owned={0: [restocker, confectioner]}, **end)
    assert GAME.score_parts(both)[0]["careers"] == {2: 0, 6: 6, -1: 0}
    one = position(Step.OVER, owned={0: [confectioner]}, **end)
    assert GAME.score_parts(one)[0]["careers"] == {6: 3, -1: 3}


def test_abigails_secret_objective_is_hers_alone_and_ranked_among_all() -> None:
    four = [i for i in range(48) if len(CARDS[i].customers) == 4]
    end = {"last_round": True, "below": (0, 0), "active": 1, "advanced": True, "waiters": ("abigail", "john")}
    for owned, award in (({0: four[:2], 1: four[2:3]}, 10), ({0: four[:1], 1: four[2:3]}, 7), ({1: four[:1]}, 0)):
        state = position(Step.OVER, owned=owned, secret="most_groups_of_4", **end)
        parts = GAME.score_parts(state)
        assert (parts[0]["secret"], parts[1]["secret"]) == (award, 0)


# --- dice ----------------------------------------------------------------------------------------


def spaces(state: object) -> list[int]:
    return sorted(int(text.split(" space ")[1].split()[0]) for text in texts(state) if "both" not in text)


def test_dice_go_on_their_colour_or_white() -> None:
    state = position(Step.PLACE, dice=[RED, BLUE])
    assert spaces(state) == [1, 2, 3, 4, 13, 14, 15, 16]
    do(state, "red die on space 13")
    assert spaces(state) == [5, 6, 7, 8, 14, 15, 16]  # 13 is taken


@pytest.mark.parametrize(
    ("form", "color", "first", "second"),
    [
        # Any die on a green space; then the other is bound to its colour.
        ("to_color", "green", [1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 16], [5, 6, 7, 8, 13, 14, 15, 16]),
        # The red die on any space.
        ("from_color", "red", list(range(1, 17)), [5, 6, 7, 8, 13, 14, 15, 16]),
        ("from_color", "green", [1, 2, 3, 4, 13, 14, 15, 16], None),
    ],
)
def test_manipulators_help_one_die(form: str, color: str, first: list[int], second: list[int] | None) -> None:
    state = position(Step.PLACE, owned={0: [owner("manipulator", form=form, color=color)]}, dice=[RED, BLUE])
    assert spaces(state) == first
    if second:
        do(state, "red die on space 9")
        assert spaces(state) == second  # each manipulator once a turn


def test_several_manipulators_are_combined() -> None:
    both = [owner("manipulator", form="to_color", color="green"), owner("manipulator", form="from_color", color="blue")]
    state = position(Step.PLACE, owned={0: both}, dice=[RED, BLUE])
    do(state, "red die on space 9")
    assert spaces(state) == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16]


def test_stacked_dice_count_twice() -> None:
    stack = owner("manipulator", form="stack", color="blue")
    state = position(Step.PLACE, owned={0: [stack]}, dice=[RED, BLUE])
    stacked = [text for text in texts(state) if text.startswith("both")]
    assert [int(text.split(" space ")[1].split()[0]) for text in stacked] == [1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 16]
    do(state, "both dice on space 8 ", "stop serving")
    assert score(state) == 12
    none = position(Step.PLACE, owned={0: [stack]}, dice=[RED, GREEN])
    assert not any(text.startswith("both") for text in texts(none))
    resources = position(Step.PLACE, owned={0: [stack]}, dice=[RED, BLUE])
    do(resources, "both dice on space 2 ")
    assert tray(resources) == "HHHH"


def test_abigail_chooses_the_dice_and_only_stacks() -> None:
    owned = {0: [owner("manipulator", form="from_color", color="red"), owner("manipulator", form="stack", color="red")]}
    state = position(Step.COLORS, advanced=True, waiters=("abigail", "john"), owned=owned, secret="most_cupcakes")
    assert len(texts(state)) == 6
    do(state, "choose red and green")
    assert spaces(state) == [1, 2, 3, 4, 13, 14, 15, 16]
    assert sum(text.startswith("both") for text in texts(state)) == 12


def test_a_short_zone_gives_what_it_has_and_the_money() -> None:
    state = position(Step.PLACE, trays={1: "MMMMM"}, dice=[RED, BLUE])
    do(state, "red die on space 1 ", "blue die on space 8 ", "stop serving")
    assert score(state) == 2 + 6
    assert tray(state) == ""


# --- service -------------------------------------------------------------------------------------


def service(cards: list[int], hand: str, **more: object) -> object:
    fill = [i for i in range(47, -1, -1) if i not in cards][: 7 - len(cards)]
    return position(Step.SERVE, trays={0: hand}, table=cards + fill, **({"dice": [RED, BLUE], "placed": [2, 6]} | more))


def payments(state: object, index: int) -> list[str]:
    return texts(do(state, f"serve card {index + 1}:"))


def test_a_multiplier_wants_one_of_its_resources_from_the_tray() -> None:
    double = owner("multiplier", resources="H")  # two blue tokens
    triple = card("HHE")
    assert triple in servings(service([triple], "HE", owned={0: [double]}))
    assert triple not in servings(service([triple], "E", owned={0: [double]}))
    # A Hot Chocolate spent earlier in this service is enough.
    awake = service([triple], "E", owned={0: [double]}, spent="H", served=[card("HH")])
    assert payments(awake, triple) == ["pay 2 blue token as H, E"]


def test_a_converted_resource_wakes_its_own_multiplier_only() -> None:
    double = owner("multiplier", resources="C")
    shake = card("CC")
    counter = {"dice": [RED, BLUE], "placed": [3, 6]}  # one M or S on a C dish
    assert shake not in servings(service([shake], "MM", owned={0: [double]}, **counter))
    assert payments(service([shake], "MC", owned={0: [double]}, **counter), shake) == [
        "pay C, blue token as C",
        "pay C, M as C by counter 4",
    ]


def test_conversions_of_the_counters() -> None:
    white = {"dice": [RED, BLUE], "placed": [15, 6]}  # any resource on E and H dishes, three times
    assert card("EEE") in servings(service([card("EEE")], "MSC", **white))
    assert card("HHMM") not in servings(service([card("HHMM")], "HHSS", **white))
    green = {"dice": [BLUE, GREEN], "placed": [6, 11]}  # E or H on M and S dishes, twice
    assert payments(service([card("MMSS")], "EHMS", **green), card("MMSS")) == [
        "pay M, E as M by counter 12, S, H as S by counter 12",
    ]
    assert card("MMSS") not in servings(service([card("MMSS")], "EEHH", **green))


def test_red_and_white_tokens_cover_their_customers_but_no_common_dish() -> None:
    five = card("HECE+E".replace("+", ""))
    assert CARDS[five].common == "E"
    pleased = [owner("satisfier", satisfier=kind) for kind in set(CARDS[five].customers) if kind != 5]
    state = service([five], "E", advanced=True, waiters=("melissa", "john"), owned={0: pleased}, white=1 << 5)
    options = payments(state, five)
    assert options
    assert all("E" in text for text in options)
    empty = service([five], "", advanced=True, waiters=("john", "william"), owned={0: pleased}, white=1 << 5)
    assert five not in servings(empty)
    yellow = service([five], "", advanced=True, waiters=("melissa", "john"), owned={0: pleased}, white=1 << 5)
    assert any("yellow token as E" in text for text in payments(yellow, five))


def test_samuels_conversions_once_each() -> None:
    samuel = {"advanced": True, "waiters": ("samuel", "john")}
    assert payments(service([card("MS")], "EM", **samuel), card("MS")) == ["pay M, E as S by Samuel's talent"]
    assert card("MS") not in servings(service([card("MS")], "EE", **samuel))
    assert card("MS") not in servings(service([card("MS")], "EM", samuel=1, **samuel))
    assert payments(service([card("CE", gift="C")], "EE", **samuel), card("CE", gift="C")) == [
        "pay E as C by Samuel's talent, E"
    ]
    # Together with the other: one shake and one cupcake.
    assert card("CHM") in servings(service([card("CHM")], "EHE", **samuel))


def test_gifts_of_the_basic_game_are_what_the_zones_hold() -> None:
    gift = card("CE", gift="C")
    state = service([gift], "CE")
    serve(state, gift)
    assert texts(state) == [
        "gift: Mint Shake and Hot Chocolate",
        "gift: Strawberry Shake and Espresso Coffee",
        "gift: Cupcake",
    ]
    short = position(
        Step.SERVE,
        trays={0: "CE", 1: "CCMMMMMHHHHHH"},
        table=[gift, 1, 2, 3, 4, 5, 6],
        tops=(7, 8),
        dice=[RED, BLUE],
        placed=[2, 6],
    )
    serve(short, gift)
    assert texts(short) == ["gift: Strawberry Shake and Espresso Coffee"]
    nothing = position(
        Step.SERVE,
        trays={0: "CE", 1: "CCMMMMMHHHHHHSSSSEEEEEE"},
        table=[gift, 1, 2, 3, 4, 5, 6],
        tops=(7, 8),
        dice=[RED, BLUE],
        placed=[2, 6],
    )
    serve(nothing, gift)
    assert step(nothing) == Step.SERVE
    assert GAME.read(nothing)["turn"]["gifts"] == [0, 0, 0, 0, 1]  # received all the same


def test_a_gift_of_the_advanced_game_is_a_white_token_or_four_dollars() -> None:
    gift = card("CE", gift="C")
    state = service([gift], "CE", advanced=True, waiters=("john", "william"))
    serve(state, gift)
    assert len(texts(state)) == 8
    do(state, "take the white token male art", "stop serving")
    assert score(state) == 3 + 1 + 6 + 4  # E+$3, EH+$1, the card, the unused token
    assert not GAME.read(state)["whites"] >> 4 & 1
    none_left = service([gift], "CE", advanced=True, waiters=("john", "william"), whites=0)
    serve(none_left, gift)
    do(none_left, "stop serving")
    assert score(none_left) == 3 + 1 + 6


@pytest.mark.parametrize(
    ("waiter", "order", "options"),
    [
        ("abigail", "MS", ["talent: Hot Chocolate", "talent: Mint Shake"]),
        ("destiny", "EEE", ["talent: Espresso Coffee", "talent: Hot Chocolate"]),
        ("destiny", "HHMM", ["talent: Mint Shake", "talent: Strawberry Shake"]),
        ("destiny", "MS", None),
        ("abigail", "EEE", None),
        ("melissa", "MS", None),
    ],
)
def test_talents_that_give_resources(waiter: str, order: str, options: list[str] | None) -> None:
    secret = {"secret": "most_cupcakes"} if waiter == "abigail" else {}
    state = service([card(order)], order, advanced=True, waiters=(waiter, "john"), **secret)
    do(state, f"serve card {card(order) + 1}:")
    do(state, f"pay {texts(state)[0][4:]}")
    if waiter == "melissa":
        assert step(state) == Step.SERVE
    elif options:
        assert texts(state) == options
    else:
        assert step(state) == Step.SERVE


def test_destiny_serves_each_decks_top_once() -> None:
    three, other = card("EEE"), card("HE")
    state = position(
        Step.SERVE,
        advanced=True,
        waiters=("destiny", "john"),
        trays={0: "EEEH"},
        table=[40, 41, 42, 43, 44, 45, 46],
        tops=(other, three),
        dice=[RED, BLUE],
        placed=[2, 6],
    )
    assert servings(state) == {other, three}
    serve(state, other)
    assert other not in servings(state)
    assert GAME.read(state)["top"] == [other, three]  # it stays there until the training
    below = GAME.read(state)["below"]
    do(state, "stop serving")
    assert GAME.read(state)["top"] == [-1, three]
    assert step(state) == Step.ARRIVAL
    draw_on(state)
    assert GAME.read(state)["below"] == [below[0] - 1, below[1]]


# --- check, depletion, arrival, restock ----------------------------------------------------------


def test_dislikes_of_the_basic_game_cost_and_may_go_below_zero() -> None:
    gift = card("CE", gift="C")  # two male art students
    assert CARDS[gift].customers == (4, 4)
    for dislike, loss in (("art", 4), ("gifts", 4), ("teachers", 0)):
        state = service([gift], "CE", dislikes={0: dislike, 1: "tray"}, scores={0: -5})
        serve(state, gift)
        do(state, "gift: Cupcake", "stop serving")
        assert score(state) == -5 + 1 + 2 + 6 - loss  # EE+$1, H+$2, the card


def test_dislikes_of_the_advanced_game_forbid_cards() -> None:
    gift = card("CE", gift="C")
    base = {"advanced": True, "waiters": ("john", "william")}
    assert gift in servings(service([gift], "CE", dislikes={0: "teachers", 1: "tray"}, **base))
    for dislike in ("art", "gifts"):
        assert gift not in servings(service([gift], "CE", dislikes={0: dislike, 1: "tray"}, **base))


def test_the_disliked_tray_has_reserved_spaces() -> None:
    state = position(Step.PLACE, dislikes={0: "tray", 1: "art"}, trays={0: "EEMM"}, dice=[RED, BLUE])
    assert GAME.excess(state) == [1, 0]  # 4 spaces: one only for E, one only for H, so 3 others compete for 2
    fits = position(Step.PLACE, dislikes={0: "tray", 1: "art"}, trays={0: "EHMM"}, dice=[RED, BLUE])
    assert GAME.excess(fits) == [0, 0]
    too_many = position(
        Step.DISCARD_COLLECTED, dislikes={0: "tray", 1: "art"}, trays={0: "EEMMS"}, dice=[RED, BLUE], placed=[0, 4]
    )
    # Not the reserved E: of EEMMS two are to go.
    assert len(texts(too_many)) == 4
    assert "discard 1 Espresso Coffee, 1 Mint Shake" in texts(too_many)
    for waiter, spaces_ in (("john", 6), ("william", 4), ("samuel", 4)):
        state = position(Step.ROLL, advanced=True, waiters=(waiter, "melissa"), dislikes={0: "tray", 1: "art"})
        assert GAME.read(state)["players"][0]["spaces"] == spaces_


def test_depletion_takes_from_an_opponents_tray_if_the_zone_is_empty() -> None:
    gift = card("CE", gift="C")
    state = service([gift], "CE", players=3)
    serve(state, gift)
    do(state, "gift: Mint Shake and Hot Chocolate")
    fields = GAME.read(state)
    fields["turn"]["gifts"] = [0, 0, 0, 0, 2]
    fields["players"][1]["tray"], fields["players"][2]["tray"] = [0, 0, 0, 0, 3], [0, 0, 0, 0, 1]
    fields["zone"][4] = 0
    fields["turn"]["spent"] = [1, 0, 0, 0, 0]
    state = GAME.build(fields)
    do(state, "stop serving")
    assert texts(state) == [f"Cupcake leaves the game from the tray of player {p}" for p in (2, 3)]
    do(state, "Cupcake leaves the game from the tray of player 3")
    assert texts(state) == ["Cupcake leaves the game from the tray of player 2"]  # one move is a step, too
    do(state, "Cupcake leaves the game from the tray of player 2")
    assert step(state) == Step.ARRIVAL


def test_an_own_tray_loses_only_if_no_opponents_tray_can() -> None:
    gift = card("CE", gift="C")
    state = service([gift], "CEC")
    serve(state, gift)
    do(state, "gift: Mint Shake and Hot Chocolate")
    fields = GAME.read(state)
    fields["zone"][4] = 0
    fields["turn"]["spent"] = [1, 0, 0, 0, 0]
    state = do(GAME.build(fields), "stop serving")
    assert texts(state) == ["Cupcake leaves the game from the tray of player 1"]
    fields["players"][0]["tray"] = [0, 1, 1, 0, 0]
    state = do(GAME.build(fields), "stop serving")
    assert step(state) == Step.ARRIVAL  # nobody has one: nothing happens


def test_suppliers_never_add_up() -> None:
    """The rulebook's example: suppliers EE and EH give up to two Espresso Coffee."""
    cards = [owner("supplier", resources="EE"), owner("supplier", resources="EH")]
    state = service([], "", owned={0: cards})
    do(state, "stop serving")
    assert tray(state) == "EEH"
    state = service([], "EE", owned={0: cards})
    do(state, "stop serving")
    assert tray(state) == "EEH"


def test_williams_supply_tops_up() -> None:
    """The rulebook's example: with an Espresso Coffee in the tray he takes only a Strawberry Shake."""
    state = service([], "E", advanced=True, waiters=("william", "john"))
    do(state, "stop serving")
    assert texts(state) == ["supply: Espresso Coffee and Strawberry Shake", "supply: Hot Chocolate and Mint Shake"]
    do(state, "supply: Espresso Coffee and Strawberry Shake")
    assert tray(state) == "ES"


def test_the_customers_deck_runs_out() -> None:
    """The rulebook's example: two tables wait, one card is left; the last customers deck's top fills the other."""
    one, two = card("HE"), card("MS")
    state = position(
        Step.SERVE,
        trays={0: "HEMS"},
        table=[one, two, 40, 41, 42, 43, 44],
        tops=(10, 11),
        below=(0, 37 - 2),
        dice=[RED, BLUE],
        placed=[2, 6],
    )
    fields = GAME.read(state)
    fields["below"] = [0, fields["unseen"].bit_count()]
    state = GAME.build(fields)
    serve(serve(state, one), two)
    do(state, "stop serving")
    fields = GAME.read(state)
    assert fields["last_round"]
    assert fields["table"] >> 10 & 1
    assert fields["table"] >> 11 & 1
    assert fields["top"] == [-1, -1]
    draw_on(state)
    assert GAME.read(state)["top"][0] >= 0
    # The last player's turn ends the game.
    do(state, "roll red and blue", "red die on space 3", "blue die on space 7", "stop serving")
    assert state.to_move == GAME_OVER


def test_a_game_ends_after_60_rounds() -> None:
    state = service([], "", active=1, round_=60)
    do(state, "stop serving")
    assert state.to_move == GAME_OVER
    earlier = service([], "", active=1, round_=59)
    do(earlier, "stop serving")
    assert (step(earlier), GAME.read(earlier)["round"]) == (Step.ROLL, 60)


def test_an_unknown_secret_objective_is_revealed_before_scoring() -> None:
    state = service([], "", active=1, round_=60, advanced=True, waiters=("abigail", "john"), secret="most_cupcakes")
    GAME.forget_secret(state)
    do(state, "stop serving")
    assert step(state) == Step.REVEAL_SECRET
    # most_espresso is laid out, so four yellow ones are left.
    assert [chance for _, chance in state.outcomes()] == [0.25] * 4
    do(state, "secret objective: most Cupcake dishes")
    assert state.to_move == GAME_OVER


def test_the_waiters_are_taken_from_the_last_player_backwards() -> None:
    state = GAME.start(3, True, False)
    while state.to_move == -1:
        state.apply(state.outcomes()[0][0])
    fields = GAME.read(state)
    assert (fields["step"], fields["to_move"], fields["waiters"].bit_count()) == (Step.DRAFT, 2, 4)
    do(state, "take Abigail", "take John", "take Destiny")
    fields = GAME.read(state)
    assert [player["waiter"] for player in fields["players"]] == [1, 2, 0]
    assert fields["players"][1]["tray"] == [1, 1, 1, 1, 1]
    assert fields["step"] == Step.SECRET
    color = len(CARDS[fields["top"][0]].customers) - 2
    assert {CONTENTS.objectives[i].color for i in GAME.secret_choices(state)} == {("yellow", "azure", "gray")[color]}
    assert len(state.outcomes()) == 4
