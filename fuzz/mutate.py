"""Requests as a broken, old or hostile client would send them: from good positions, changed a little."""
from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import cycle, islice
from typing import Any, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

from bench.positions import variants
from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cython_ext.game import GAME_OVER
from cython_ext.rng import Random
from engines.library import Library
from engines.registry import ENGINES
from solver.brain import Brain
from solver.positions import Position, decode_state, encode_state

GAMES_PLAYED = 4  # at least, of each game and number of players, for positions to start from
KEPT = 3  # positions of each such game
PUZZLES = 8  # played
STEPS = 6  # of a record to be reviewed
NUMBERS = (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31,
           2**32 - 1)  # fmt: skip
METHODS = ("GetMoves", "ShowBoard", "ApplyMove", "Suggest", "Suggest", "Analyze", "AnalyzeMany", "NewGame",
           "GetComponents", "ListGames", "GetServerInfo", "SolveSolo", "StartSolve", "GetSolve", "CancelSolve",
           "ListSolves", "Hint", "Hint", "ReviewGame")  # fmt: skip
TEXTS = ("", "0", "a", "standard", "é", "\0", "x" * 1000, "../../etc/passwd", "${HOME}", "\N{HOT BEVERAGE}", "1" * 40)


@cache
def good_positions(seed: int = 0) -> list[game_pb2.GameState]:
    """Return positions from the beginning to the end of games played at random, with open draws among them."""
    brain, chance = Brain(Library()), random.Random(seed)
    found: list[game_pb2.GameState] = []
    for engine in ENGINES.values():
        ways = list(variants(engine.id))
        for players in range(engine.min_players, engine.max_players + 1):
            for entry in brain.library.entries(engine.id):
                ref = game_pb2.ComponentSetRef(id=entry.components.id)
                for options in islice(cycle(ways), max(GAMES_PLAYED, len(ways))):
                    request = pb.NewGameRequest(
                        game=engine.id,
                        players=players,
                        component_set=ref,
                        options=options,
                        seed=chance.getrandbits(32),
                        stop_at_chance=chance.random() < 0.5,
                    )
                    with suppress(BrainError):  # options that do not go together, or not with so many players
                        found += _played(brain, request, chance)
    return found


@cache
def records() -> list[pb.ReviewGameRequest]:
    """Return the beginnings of games of every variant, to be reviewed."""
    brain, chance = Brain(Library()), random.Random(0)
    found = []
    for engine in ENGINES.values():
        for options in variants(engine.id):
            players = chance.randint(engine.min_players, engine.max_players)
            new = pb.NewGameRequest(game=engine.id, players=players, options=options, stop_at_chance=True)
            try:
                state = brain.new_game(new).state
            except BrainError:
                continue
            record = pb.ReviewGameRequest(state=state)
            for _ in range(STEPS):
                moves = brain.get_moves(pb.GetMovesRequest(state=state)).moves
                step = record.steps.add(id=chance.choice(moves).id)
                state = brain.apply_move(pb.ApplyMoveRequest(state=state, move=step, stop_at_chance=True)).state
            found.append(record)
    return found


@cache
def puzzles() -> list[game_pb2.GameState]:
    """Return positions of puzzles for one player with something left to solve; chance rarely makes one."""
    brain, chance = Brain(Library()), random.Random(0)
    found: list[game_pb2.GameState] = []
    for engine in ENGINES.values():
        if engine.puzzle:
            request = pb.NewGameRequest(game=engine.id, options=engine.puzzle, seed=1)
            for _ in range(PUZZLES):
                found += _played(brain, request, chance, ended=False)
    return found


def _played(
    brain: Brain, new: pb.NewGameRequest, chance: random.Random, ended: bool = True
) -> list[game_pb2.GameState]:
    """Return a few positions of a game played at random; ended: the last one, where it is over, can be among them."""
    start = decode_state(brain.library, brain.new_game(new).state)
    state, dice = start.state, Random(chance.getrandbits(32))
    states = [state.copy()]
    while state.to_move != GAME_OVER:
        state.random_step(dice)
        states.append(state.copy())
    if not ended:
        states.pop()
    return [encode_state(Position(start.entry, kept)) for kept in chance.sample(states, min(KEPT, len(states)))]


class Mutator:
    """Makes bad positions out of good ones; the same seed makes the same ones."""

    def __init__(self, positions: list[game_pb2.GameState], seed: int) -> None:
        self.chance = random.Random(seed)
        self._positions = positions

    def state(self) -> bytes:
        """Return the bytes of a position with a few faults, rarely none."""
        kind = self.chance.random()
        if kind < 0.02:
            return self.chance.randbytes(self.chance.randrange(200))
        state = game_pb2.GameState()
        state.CopyFrom(self.chance.choice(self._positions))
        if kind < 0.8:
            for _ in range(self.chance.choice((1, 1, 1, 2, 3, 8))):
                self.change(state)
            return state.SerializeToString()
        return self.spoil(state.SerializeToString())

    def spoil(self, data: bytes) -> bytes:
        """Return bytes with a few of them changed, lost or doubled."""
        changed = bytearray(data)
        for _ in range(self.chance.choice((1, 1, 2, 4))):
            start = self.chance.randrange(len(changed) + 1)
            end = min(len(changed), start + self.chance.choice((1, 1, 2, 8, 50)))
            kind = self.chance.randrange(4)
            if kind == 0:
                changed[start:end] = self.chance.randbytes(end - start)
            elif kind == 1:
                del changed[start:end]
            elif kind == 2:
                changed[start:start] = changed[start:end]
            else:
                changed[start:end] = bytes((byte ^ 1 << self.chance.randrange(8)) for byte in changed[start:end])
        return bytes(changed)

    def change(self, message: Message) -> None:
        """Change one field of a message or of one below it."""
        fields = cast("list[FieldDescriptor]", list(message.DESCRIPTOR.fields))  # as ListFields has them
        if not fields:
            return
        present = [field for field, _ in message.ListFields()]
        field = self.chance.choice(present if present and self.chance.random() < 0.8 else fields)
        if field.is_repeated:
            self._change_list(message, field)
        elif field.message_type is not None:
            if self.chance.random() < 0.1:
                message.ClearField(field.name)
            else:
                below = getattr(message, field.name)
                below.SetInParent()
                self.change(below)
        elif self.chance.random() < 0.1:
            message.ClearField(field.name)
        else:
            setattr(message, field.name, self._value(field, getattr(message, field.name)))

    def _change_list(self, message: Message, field: FieldDescriptor) -> None:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            getattr(message, field.name)[self.chance.choice(TEXTS)] = self.chance.choice(TEXTS)
            return
        entries = list(getattr(message, field.name))
        kind = self.chance.randrange(6)
        if kind == 0 and entries:
            del entries[self.chance.randrange(len(entries))]
        elif kind == 1 and entries:
            entries.insert(self.chance.randrange(len(entries) + 1), self.chance.choice(entries))
        elif kind == 2:
            self.chance.shuffle(entries)
        elif kind == 3:
            entries *= self.chance.choice((0, 2, 30))
        elif entries and field.message_type is not None:
            self.change(self.chance.choice(getattr(message, field.name)))
            return
        elif entries:
            at = self.chance.randrange(len(entries))
            entries[at] = self._value(field, entries[at])
        elif field.message_type is None:
            entries = [self._value(field, 0 if field.cpp_type != FieldDescriptor.CPPTYPE_STRING else "")]
        message.ClearField(field.name)
        getattr(message, field.name).extend(entries)

    def _value(self, field: FieldDescriptor, now: Any) -> Any:
        if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
            return self._text(now)
        if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
            return not now
        if field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
            return self.chance.choice((0.0, -1.0, 1e308, float("inf"), float("nan"), now + 1))
        signed = field.cpp_type in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_ENUM)
        least, most = (-(2**31), 2**31 - 1) if signed else (0, 2**32 - 1)
        near = now + self.chance.choice((-2, -1, 1, 2))
        return max(least, min(most, near if self.chance.random() < 0.5 else self.chance.choice(NUMBERS)))

    def _text(self, now: str) -> str:
        if now and self.chance.random() < 0.5:
            at = self.chance.randrange(len(now))
            return now[:at] + self.chance.choice(("", now, "x", "0")) + now[at + 1 :]
        return self.chance.choice(TEXTS)

    def request(self) -> tuple[str, bytes]:
        """Return a method and the bytes of a bad request for it; a search is a short one."""
        method = self.chance.choice(METHODS)
        make: dict[str, Callable[[], Message]] = {
            "ApplyMove": lambda: pb.ApplyMoveRequest(state=self._parsed()),
            "Suggest": self._suggest,
            "Analyze": lambda: pb.AnalyzeRequest(suggest=self._suggest()),
            "AnalyzeMany": lambda: pb.AnalyzeManyRequest(
                query=pb.AnalyzeQuery(id="a", analyze=pb.AnalyzeRequest(suggest=self._suggest()))
            ),
            "Hint": self._hint,
            "ReviewGame": self._review,
            "SolveSolo": lambda: pb.SolveSoloRequest(task=self._task()),
            "StartSolve": lambda: pb.StartSolveRequest(task=self._task(), request_id=self._id()),
            "GetSolve": lambda: pb.GetSolveRequest(job_id=self._id()),
            "CancelSolve": lambda: pb.CancelSolveRequest(job_id=self._id()),
            "NewGame": lambda: pb.NewGameRequest(game=self.chance.choice([*ENGINES, *TEXTS])),
            "GetComponents": lambda: pb.GetComponentsRequest(game=self.chance.choice([*ENGINES, *TEXTS])),
        }
        if method in ("GetMoves", "ShowBoard"):
            return method, b"\x0a" + _length(state := self.state()) + state
        message = make[method]() if method in make else pb.ListGamesRequest()
        if method in ("ApplyMove", "NewGame", "GetComponents", "GetSolve", "CancelSolve"):
            for _ in range(self.chance.randrange(3)):
                self.change(message)
        data = message.SerializeToString()
        harmless = not method.startswith(("Suggest", "Analyze", "SolveSolo", "StartSolve", "Hint", "Review"))
        return method, self.spoil(data) if harmless and self.chance.random() < 0.2 else data

    def _suggest(self) -> pb.SuggestRequest:
        request = pb.SuggestRequest(state=self._parsed())
        if self.chance.random() < 0.5:
            for _ in range(self.chance.randrange(1, 4)):
                self.change(request)
        request.budget.visits, request.budget.time_ms = 16, 0
        request.threads %= 4
        return request

    def _hint(self) -> pb.HintRequest:
        request = pb.HintRequest(state=self._parsed(), grade=self.chance.choice(pb.HintGrade.values()))
        request.language = self.chance.choice(("", "en", "de", "xx"))
        if self.chance.random() < 0.5:
            for _ in range(self.chance.randrange(1, 4)):
                self.change(request)
        request.budget.visits, request.budget.time_ms = 16, 0
        return request

    def _review(self) -> pb.ReviewGameRequest:
        request = pb.ReviewGameRequest()
        request.CopyFrom(self.chance.choice(records()))
        if self.chance.random() < 0.3:
            request.state.CopyFrom(self._parsed())
        if self.chance.random() < 0.5:
            for _ in range(self.chance.randrange(1, 4)):
                self.change(request)
        del request.steps[STEPS:]
        request.budget.visits, request.budget.time_ms = 16, 0
        return request

    def _task(self) -> pb.SoloTask:
        state = self.chance.choice(puzzles()) if self.chance.random() < 0.5 else self._parsed()
        task = pb.SoloTask(state=state)
        if self.chance.random() < 0.5:
            for _ in range(self.chance.randrange(1, 4)):
                self.change(task)
        task.budget.nodes, task.budget.time_ms = 16, 0
        task.budget.threads %= 4
        return task

    def _id(self) -> str:
        return self.chance.choice((*TEXTS, f"{self.chance.getrandbits(128):032x}"))

    def _parsed(self) -> game_pb2.GameState:
        try:
            return game_pb2.GameState.FromString(self.state())
        except DecodeError:
            return game_pb2.GameState()


def _length(data: bytes) -> bytes:
    """Return how protobuf writes the length of a message below."""
    length, written = len(data), bytearray()
    while length > 127:
        written.append(length & 127 | 128)
        length >>= 7
    return bytes([*written, length])
