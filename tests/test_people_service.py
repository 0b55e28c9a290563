"""Hints and reviews through a server: the same answers as in this process, and an early end frees the place."""
from __future__ import annotations

import time

import pytest

from cafebrain import BrainError, Client
from cafebrain.v1 import brain_service_pb2 as pb
from engines.library import Library
from scripts.hints import read_positions
from server import background
from solver.brain import Brain
from tests.test_review import FOURS

BRAIN = Brain(Library())
STEPS = [pb.MoveChoice(id=column) for column in (3, 0, 3, 0, 3, 1, 3)]


@pytest.fixture(scope="module")
def client():
    with background(Library()) as server, Client(server.address) as connected:
        yield connected


@pytest.mark.parametrize("game", BRAIN.library.games())
def test_a_hint_is_the_same_through_a_server(client, game):
    state = read_positions(game)[2]
    request = pb.HintRequest(state=state, grade=pb.HINT_GRADE_FULL, language="de", budget={"visits": 300}, seed=2)
    assert client.hint(request) == BRAIN.hint(request)


def test_a_review_is_the_same_through_a_server(client):
    request = pb.ReviewGameRequest(state=FOURS, steps=STEPS, budget={"visits": 300}, seed=2)
    answers = list(client.review_game(request))
    assert answers == list(BRAIN.review_game(request))
    assert len(answers) == len(STEPS) + 1


def test_faulty_requests_are_reported_with_their_field(client):
    for call, request, field in (
        (client.hint, pb.HintRequest(state=FOURS, language="tlh"), "language"),
        (lambda r: list(client.review_game(r)), pb.ReviewGameRequest(state=FOURS, steps=[{"id": 9}]), "steps[0]"),
    ):
        with pytest.raises(BrainError) as caught:
            call(request)
        assert [violation.field for violation in caught.value.violations] == [field]


def test_a_review_that_is_left_ends_at_once(client):
    slow = pb.ReviewGameRequest(state=FOURS, steps=STEPS, budget={"time_ms": 1500})
    answers = client.review_game(slow)
    start = time.monotonic()
    assert next(answers).step.number == 1
    answers.close()
    # The place is free again: another search runs, instead of waiting for the rest of the review.
    client.hint(pb.HintRequest(state=FOURS, budget={"visits": 50}))
    assert time.monotonic() - start < 8


def test_a_hint_keeps_within_a_deadline(client):
    start = time.monotonic()
    answer = client.hint(pb.HintRequest(state=FOURS, budget={"time_ms": 60_000}, grade=pb.HINT_GRADE_FULL), timeout=3)
    assert answer.moves
    assert time.monotonic() - start < 3
