"""Reasons of Campus Café: each in a position where it is true, and in one where it is not.

Cards of the reconstructed set by number: 5 SE $5, 10 ME $4, 33 MMSS $14 with a gift of E, 7 CC $10, 3 HE $3. The basic
board: space 1 red M+$2, 2 red 2H, 4 red counter M or S on C, 8 blue $6, 9 green C.
"""

from __future__ import annotations

from engines.campus.moves import split
from engines.campus.rules import MoveKind, Step
from solver.positions import Position
from tests.advice import reasons
from tests.campus_tables import ENGINE, ENTRY, do, position

EVEN = (0.5, 0.5)
AHEAD = (0.6, 0.4)


def codes(state, start):
    return [code for code in state.moves() if ENGINE.move_text(state, code).startswith(start)]


def ask(state, start, wins=(), others=None, line=(), **more):
    [code] = codes(state, start)
    figures = {codes(state, other)[0]: value for other, value in (others or {}).items()}
    return reasons(Position(ENTRY, state), code, wins, figures, line=line, **more)


def dice(colors=(0, 1), **more):
    """Red and blue dice to be placed unless told otherwise."""
    return position(Step.PLACE, dice=list(colors), placed=[-1, -1], **more)


def serving(tray="EEHMS", cards=(33, 5, 10, 3), **more):
    table = [number - 1 for number in cards] + [number - 1 for number in (11, 12, 14) if number not in cards]
    return position(Step.SERVE, trays={0: tray}, table=table[:7], **more)


def test_what_a_space_gives():
    found = ask(dice(), "red die on space 1 ")
    assert found["gives"] == "Gives 1 Mint Shake, worth $3."
    assert found["money"] == "Pays $2 at the check."
    assert "zone_empty" not in found
    assert "converts" not in found
    only_money = ask(do(dice(), "red die on space 1 "), "blue die on space 8 ")
    assert set(only_money) == {"money"}
    assert "money" not in ask(dice(), "red die on space 2 ")


def test_a_zone_that_is_short():
    # Two players have 5 mint shakes; player 2 holds them all.
    state = dice(trays={1: "MMMMM"})
    zone = ENTRY.game.read(state)["zone"]
    while zone[2]:
        state = dice(trays={1: "MMMMM"}, lost="M" * zone[2])
        zone = ENTRY.game.read(state)["zone"]
    found = ask(state, "red die on space 1 ")
    assert found["zone_empty"] == "The zone is short of Mint Shake."
    assert "gives" not in found


def test_a_counter_converts():
    assert ask(dice(), "red die on space 4 ")["converts"] == (
        "Lets you serve Mint Shake or Strawberry Shake for Cupcake once."
    )
    assert ask(dice(), "red die on space 16 ")["converts"] == (
        "Lets you serve anything for Espresso Coffee or Hot Chocolate up to 3 times."
    )


def test_what_the_line_serves_later_in_the_turn():
    state = dice(trays={0: "EHMSS"}, table=[32, 4, 9, 2, 10, 11, 13])
    first = codes(state, "red die on space 1 ")[0]
    walk = do(state.copy(), "red die on space 1 ", "blue die on space 8 ")
    rest = []
    for start in ("discard 1 Mint", "serve card 3:"):
        if codes(walk, start):
            rest.append(codes(walk, start)[0])
            walk.apply(rest[-1])
    assert split(rest[-1]) == (MoveKind.SERVE, 2)
    line = [codes(do(state.copy(), "red die on space 1 "), "blue die on space 8 ")[0], *rest]
    position_ = Position(ENTRY, state)
    assert reasons(position_, first, line=line)["leads_to"] == "You can then serve card 3 for $3."
    assert "leads_to" not in reasons(position_, first, line=line[:1])


def test_facts_of_a_card():
    found = ask(serving("MMSSE"), "serve card 33:")
    assert found["check"] == "Brings $14 at the check."
    assert found["reverse"] == "Its reverse serves you from the next turn on: satisfier male teacher."
    assert found["gift"] == "Has a gift, Espresso Coffee."
    assert found["objective"] == "Counts for an objective: most customers of male teacher and female teacher."
    plain = ask(serving(objectives=("most_cupcakes", "most_teachers", "fewest_cards")), "serve card 5:")
    assert "gift" not in plain
    assert "objective" not in plain  # no cupcake on it, no teacher at it, and it is one card more
    assert ask(serving(), "serve card 5:")["objective"] == "Counts for an objective: most Espresso Coffee dishes."


def test_denies_is_measured_against_moves_that_leave_the_card():
    state = serving()
    leaving = {"stop serving": EVEN, "serve card 10:": (0.52, 0.48)}
    assert ask(state, "serve card 5:", AHEAD, leaving)["denies"] == "If you leave it, player 2 gains 8 wins in 100."
    assert "denies" not in ask(state, "serve card 5:", EVEN, leaving)
    assert "denies" not in ask(state, "serve card 5:", AHEAD, leaving, error=0.1)
    assert "denies" not in ask(state, "serve card 5:", AHEAD)


def test_stopping_saves_what_could_be_served():
    assert ask(serving("ES"), "stop serving")["saves"] == (
        "Saves 1 Espresso Coffee, 1 Strawberry Shake for later."
    )
    assert "saves" not in ask(serving("C"), "stop serving")  # nothing could be served with it


def test_payments():
    paying = do(serving("EEHMS"), "serve card 5:")
    [code] = paying.moves()
    found = reasons(Position(ENTRY, paying), code)
    assert found["keeps"] == "Keeps 1 Espresso Coffee, 1 Hot Chocolate, 1 Mint Shake in the tray."
    assert "tokens_back" not in found
    everything = do(serving("ES"), "serve card 5:")
    assert "keeps" not in reasons(Position(ENTRY, everything), everything.moves()[0])
    # A satisfier for the male art customer of card 5: a red token covers his dish.
    satisfied = serving("ES", advanced=True, waiters=("destiny", "john"), owned={0: [19]})
    paying = do(satisfied, "serve card 5:")
    by_token = [reasons(Position(ENTRY, paying), code) for code in paying.moves()]
    assert any("tokens_back" in found for found in by_token) == any("token" in ENGINE.move_text(paying, code)
                                                                     for code in paying.moves())  # fmt: skip
    assert not all("tokens_back" in found for found in by_token)


def test_discarding_as_little_as_possible():
    state = position(Step.DISCARD_COLLECTED, trays={0: "EEHMSC"}, dice=[0, 1], placed=[1, 4])
    assert ask(state, "discard 1 Espresso")["gives_up_least"] == "Gives up as little as possible, $1."
    assert "gives_up_least" not in ask(state, "discard 1 Cupcake")


def test_depletion_costs_a_rival_what_was_measured():
    state = position(Step.DEPLETE, players=3, trays={1: "MM", 2: "M"}, served=[29], gifts="M")
    others = {"Mint Shake leaves the game from the tray of player 3": (0.3, 0.4, 0.3)}
    asked = "Mint Shake leaves the game from the tray of player 2"
    assert ask(state, asked, (0.35, 0.3, 0.35), others)["costs_rival"] == "Costs player 2 10 wins in 100."
    assert "costs_rival" not in ask(state, asked, (0.3, 0.4, 0.3), others)
