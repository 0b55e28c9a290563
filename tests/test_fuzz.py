"""The fuzzers find nothing, and would find something: a little of what `make fuzz` does at length."""
from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cafebrain import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from fuzz import codec, wire
from fuzz.codec import check
from fuzz.mutate import Mutator, good_positions

ROOT = Path(__file__).parent.parent


def test_good_positions_are_taken() -> None:
    for state in good_positions()[::5]:
        assert check(state.SerializeToString())


def test_mutated_positions_are_refused_or_taken() -> None:
    mutator = Mutator(good_positions(), 1)
    taken = sum(check(mutator.state()) for _ in range(2000))
    assert 0 < taken < 1000


@given(st.integers(0, 2**32), st.binary(max_size=200))
def test_spliced_positions_are_refused_or_taken(seed: int, tail: bytes) -> None:
    mutator = Mutator(good_positions(), seed)
    check(mutator.state() + tail)
    check(tail)


def test_a_seed_repeats_itself() -> None:
    first, second = (Mutator(good_positions(), 7) for _ in range(2))
    assert [first.request() for _ in range(50)] == [second.request() for _ in range(50)]


@pytest.mark.parametrize("error", [ValueError("bad"), BrainError("INTERNAL", "INTERNAL_FAULT", "bad")])
def test_a_fault_is_found(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(request: pb.GetMovesRequest) -> None:
        raise error

    monkeypatch.setattr(codec.BRAIN, "get_moves", fail)
    with pytest.raises(type(error)):
        check(good_positions()[0].SerializeToString())


def test_bad_requests_through_a_server(tmp_path: Path) -> None:
    with wire.server(tmp_path / "log") as (process, address):
        assert asyncio.run(wire.campaign(address, Mutator(good_positions(), 3), 400)) == []
        assert process.poll() is None
        process.terminate()
        assert process.wait(wire.PATIENCE) == 0
    log = (tmp_path / "log").read_text()
    assert '"level": "error"' not in log
    assert log.count('"message": "call"') == 400
