"""Nothing hidden reaches an answer: the order of the decks and Abigail's secret objective.

`fair` asks for an answer once for every way the hidden things may really lie and wants the same each time. The planted
leaks show that it would notice.
"""
from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cython_ext.game import CHANCE_POINT, State
from cython_ext.mcts import Search
from cython_ext.rng import Random
from engines.campus.rules import Step
from engines.library import Library
from solver.brain import Brain
from tests.campus_tables import CONTENTS, ENGINE, ENTRY, GAME, position

VISITS = 400
Answer = list[tuple[int, int, list[float]]]
# What nobody, or not the viewer, sees: the unseen cards in their true order, and the secret objective or None.
Truth = tuple[list[int], int | None]


def fair(answer: Callable[[State, int, Truth], Any], state: State, viewer: int, truths: list[Truth]) -> bool:
    """Whether the answer is the same whatever the truth is."""
    answers = []
    for order, secret in truths:
        fields = GAME.read(state)
        if fields["secret_color"] >= 0:
            fields["secret"] = -1 if secret is None else secret
        answers.append(answer(GAME.build(fields), viewer, (order, secret)))
    return all(other == answers[0] for other in answers)


def truths(state: State, secrets: bool) -> list[Truth]:
    """Ten ways the hidden cards may lie, with every possible secret objective, and one unknown."""
    dice = random.Random(4)
    hidden = [i for i in range(48) if GAME.read(state)["unseen"] >> i & 1]
    orders = [dice.sample(hidden, len(hidden)) for _ in range(10)]
    choices: list[int | None] = [*GAME.secret_choices(state), None] if secrets else [None]
    return [(order, choices[i % len(choices)]) for i, order in enumerate(orders)]


def searched(state: State, viewer: int) -> Answer:
    search = Search(state, viewer=viewer, seed=5, memory=64 << 20)
    search.run(VISITS, float("inf"))
    return [(move, visits, win) for move, visits, win, *_ in search.root_moves()]


def her_turn(state: State) -> State:
    """The position with Abigail's turn, and enough in her tray for a choice of cards."""
    fields = GAME.read(state)
    fields.update(active=0, to_move=0)
    fields["players"][0]["tray"] = [1, 1, 1, 1, 1]
    return GAME.build(fields)


def in_her_turn(state: State, viewer: int, truth: Truth) -> Answer:
    return searched(her_turn(state), viewer)


def honest(state: State, viewer: int, truth: Truth) -> Answer:
    return searched(state, viewer)


def sees_the_secret(state: State, viewer: int, truth: Truth) -> Answer:
    """A planted leak: the search for an opponent may use what Abigail knows."""
    abigail = next(p for p, player in enumerate(GAME.read(state)["players"]) if player["waiter"] == 0)
    return searched(state, abigail)


def sees_the_next_card(state: State, viewer: int, truth: Truth) -> Answer:
    """A planted leak: the search knows the card below the customers deck's top."""
    order, _ = truth
    fields = GAME.read(state)
    peeked = [order[0], *[i for i in range(48) if fields["top"][0] == i]]
    fields["unseen"] ^= 1 << order[0] | 1 << fields["top"][0]
    fields["top"][0] = peeked[0]
    return searched(GAME.build(fields), viewer)


BASIC = position(Step.SERVE, trays={0: "EEHM", 1: "SC"}, owned={0: [20, 45], 1: [36]}, dice=[0, 1], placed=[0, 4])
# The last round: what an opponent should deny Abigail depends on her secret objective.
ABIGAIL = position(
    Step.SERVE, advanced=True, waiters=("abigail", "john"), active=1, trays={0: "EH", 1: "EHMSC"},
    secret="most_cupcakes",
    owned={0: [18, 38, 6, 1, 2, 3, 4, 5, 7], 1: [24, 8, 9, 10, 11, 12, 13, 14, 15]}, last_round=True, below=(22, 0),
    tops=(25, -1), table=[16, 19, 20, 21, 22, 31, 39], dice=[0, 1], placed=[0, 4], scores={0: 60, 1: 58}, round_=6,
)  # fmt: skip


def test_the_order_of_the_decks_is_not_in_a_position() -> None:
    """A position names the cards nobody sees by leaving them out: there is no order to peek at."""
    message = game_pb2.GameState()
    ENGINE.encode(BASIC, message)
    named = {*message.campus.table, message.campus.customers_deck.top, message.campus.last_customers_deck.top}
    named |= {card for player in message.campus.players for card in player.cards}
    unseen = GAME.read(BASIC)["unseen"]
    assert {i + 1 for i in range(48) if not unseen >> i & 1} == named


def test_answers_do_not_depend_on_the_decks() -> None:
    assert fair(honest, BASIC, 0, truths(BASIC, secrets=False))


def test_a_search_that_peeks_at_the_deck_is_caught() -> None:
    assert not fair(sees_the_next_card, BASIC, 0, truths(BASIC, secrets=False))


def test_answers_do_not_depend_on_an_opponents_secret_objective() -> None:
    assert GAME.read(ABIGAIL)["to_move"] == 1
    assert fair(honest, ABIGAIL, 1, truths(ABIGAIL, secrets=True))


def test_a_search_that_knows_the_secret_objective_is_caught() -> None:
    known = [truth for truth in truths(ABIGAIL, secrets=True) if truth[1] is not None]
    assert not fair(sees_the_secret, ABIGAIL, 1, known)


def test_a_drawn_card_is_any_of_the_unseen_ones() -> None:
    state = position(Step.ARRIVAL, tops=(-1, 9), table=[1, 2, 3, 4, 5, 6, 7], below=(13, 26))
    assert state.to_move == CHANCE_POINT
    unseen = GAME.read(state)["unseen"].bit_count()
    assert [chance for _, chance in state.outcomes()] == pytest.approx([1 / unseen] * unseen)


def test_determinize_tells_the_viewer_no_more_than_the_colour() -> None:
    choices = GAME.secret_choices(ABIGAIL)
    assert len(choices) == 4
    met = set()
    for seed in range(60):
        state = ABIGAIL.copy()
        state.determinize(1, Random(seed))
        met.add(GAME.read(state)["secret"])
    assert met == set(choices)
    own = ABIGAIL.copy()
    own.determinize(0, Random(1))
    assert own == ABIGAIL  # she knows it
    forgotten = ABIGAIL.copy()
    GAME.forget_secret(forgotten)
    forgotten.determinize(0, Random(1))
    assert GAME.read(forgotten)["secret"] in choices  # she was not told: any


def test_the_root_of_a_search_does_not_see_the_secret() -> None:
    """The priors of the root, before any simulation, come from a possibility of the viewer's, not from the truth."""
    assert fair(in_her_turn, ABIGAIL, 1, truths(ABIGAIL, secrets=True))
    roots = set()
    for secret in GAME.secret_choices(ABIGAIL):
        fields = GAME.read(ABIGAIL)
        fields["secret"] = secret
        roots.add(tuple(her_turn(GAME.build(fields)).priors().values()))
    assert len(roots) > 1  # Abigail's own moves have other values with another secret


def test_legal_moves_do_not_depend_on_the_secret() -> None:
    for secret in (*GAME.secret_choices(ABIGAIL), -1):
        fields = GAME.read(ABIGAIL)
        fields["secret"] = secret
        assert GAME.build(fields).moves() == ABIGAIL.moves()


@pytest.mark.parametrize("viewer", [0, 2])
def test_suggest_ignores_a_secret_its_viewer_may_not_know(viewer: int) -> None:
    brain = Brain(Library())
    answers = []
    for objective in (*(CONTENTS.objectives[i].id for i in GAME.secret_choices(ABIGAIL)), None):
        state = game_pb2.GameState(component_set={"id": ENTRY.components.id, "hash": ENTRY.components.hash})
        ENGINE.encode(ABIGAIL, state)
        state.campus.ClearField("secret_objective")
        if objective:
            state.campus.secret_objective = objective
        request = pb.SuggestRequest(state=state, viewer=viewer, budget={"visits": VISITS}, seed=3)
        answers.append(brain.suggest(request).SerializeToString(deterministic=True))
    assert len(set(answers)) == 1
