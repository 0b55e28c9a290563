"""Bad positions chosen by what they reach in the code: libFuzzer through atheris, with the mutations of fuzz/mutate.py.

Run as `python -m fuzz.guided CORPUS [LIBFUZZER OPTION...]`, by fuzz/__main__.py.
"""
from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["engines", "solver"]):
    from fuzz.codec import check

from google.protobuf.message import DecodeError

from cafebrain.v1 import game_pb2
from fuzz.mutate import Mutator, good_positions

POSITIONS = good_positions()


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Return a changed position."""
    mutator = Mutator(POSITIONS, seed)
    try:
        state = game_pb2.GameState.FromString(data)
    except DecodeError:
        return mutator.state()[:max_size]
    if not state.WhichOneof("game"):
        return mutator.state()[:max_size]
    mutator.change(state)
    return state.SerializeToString()[:max_size]


if __name__ == "__main__":
    atheris.Setup(sys.argv, lambda data: check(data) and None, custom_mutator=mutate)
    atheris.Fuzz()
