"""What holds of every engine at every position, met in random games (Hypothesis state machines)."""
from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToJson, Parse
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cafebrain.errors import BrainError
from cafebrain.v1 import game_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.rng import Random
from engines.library import Library
from scripts.golden import variants
from solver.positions import Position, decode_state, encode_move, encode_state
from tests import test_cafe_codec, test_campus_codec, test_gatto_codec
from tests.gatto_tables import BRAIN, DATA

LIBRARY: Library = BRAIN.library
# Every engine with every set, also the tests' own.
STARTS = [
    (entry, variant)
    for game in LIBRARY.games()
    for entry in LIBRARY.entries(game)
    for variant in variants(LIBRARY, LIBRARY.engine(game))
]
GAMES = LIBRARY.games()
CONSERVED = {
    "gatto": test_gatto_codec.conserved,
    "cafe": test_cafe_codec.conserved,
    "campus": lambda entry, state: test_campus_codec.conserved(entry.game, state),
}


def codes_of(state):
    return state.moves() or [code for code, _ in state.outcomes()]


class Play(RuleBasedStateMachine):
    """One game; `game` is set by the test for each engine."""

    game: str

    @initialize(data=st.data(), seed=st.integers(0, 2**64 - 1))
    def start(self, data, seed):
        starts = [start for start in STARTS if start[0].engine.id == self.game]
        self.entry, variant = data.draw(st.sampled_from(starts))
        self.engine = self.entry.engine
        self.random = Random(seed)
        self.state = self.engine.initial(self.entry.game, variant.players, dict(variant.options), self.random)
        self.kept = [(self.state.copy(), bytes(self.state))]

    @precondition(lambda self: self.state.to_move != GAME_OVER)
    @rule(data=st.data())
    def move(self, data):
        code = data.draw(st.sampled_from(codes_of(self.state)))
        before, other = bytes(self.state), self.state.copy()
        self.kept.append((other, before))
        self.state.apply(code)
        again = other.copy()
        again.apply(code)
        assert again == self.state  # a move means the same in a copy
        assert bytes(other) == before  # and leaves the copied alone
        assert self.state != other

    @precondition(lambda self: self.state.to_move != GAME_OVER)
    @rule(steps=st.integers(1, 40))
    def play_on(self, steps):
        """Random steps, so that the end of games is met; each makes a legal move."""
        for _ in range(steps):
            if self.state.to_move == GAME_OVER:
                return
            before = self.state.copy()
            self.kept.append((before, bytes(before)))
            self.state.random_step(self.random)
            reached = set()
            for code in codes_of(before):
                after = before.copy()
                after.apply(code)
                reached.add(bytes(after))
            assert bytes(self.state) in reached

    @precondition(lambda self: self.state.to_move == CHANCE_POINT)
    @rule()
    def draw(self):
        code = self.state.sample(self.random)
        assert code in codes_of(self.state)
        self.state.apply(code)

    @precondition(lambda self: self.kept)
    @rule(data=st.data())
    def take_back(self, data):
        """Go on from an earlier position, also where the game is over."""
        self.state = data.draw(st.sampled_from(self.kept))[0].copy()

    @invariant()
    def the_position_goes_there_and_back(self):
        message = encode_state(Position(self.entry, self.state))
        decoded = decode_state(LIBRARY, message).state
        assert decoded == self.state
        assert bytes(decoded) == bytes(self.state)
        for zeros in (True, False):
            text = MessageToJson(message, always_print_fields_with_no_presence=zeros, ensure_ascii=False)
            read = Parse(text, game_pb2.GameState())
            assert read == message
            assert decode_state(LIBRARY, read).state == self.state

    @invariant()
    def equal_bytes_and_equal_hashes_go_together(self):
        assert self.entry.game.from_bytes(bytes(self.state)).hash == self.state.hash
        seen = {bytes(self.state): self.state.hash}
        for kept, before in self.kept[-30:]:
            seen[before] = kept.hash
        assert len(set(seen.values())) == len(seen)

    @invariant()
    def copies_never_change(self):
        for kept, before in self.kept[-30:]:
            assert bytes(kept) == before

    @invariant()
    def moves_are_listed_properly(self):
        state = self.state
        moves, outcomes = state.moves(), state.outcomes()
        assert 1 <= state.players <= self.engine.max_players
        assert bool(moves) == (0 <= state.to_move < state.players)
        assert bool(outcomes) == (state.to_move == CHANCE_POINT)
        codes = moves or [code for code, _ in outcomes]
        assert codes == sorted(set(codes))
        assert len(codes) <= state.game.moves_max
        assert all(chance > 0 for _, chance in outcomes)
        if outcomes:
            assert sum(chance for _, chance in outcomes) == pytest.approx(1, abs=1e-9)
        position = Position(self.entry, state)
        texts = [self.engine.move_text(state, code) for code in codes]
        assert len(set(texts)) == len(texts)
        assert all(text.isprintable() and text for text in texts)
        messages = [encode_move(position, code) for code in codes]
        assert [self.engine.decode_move(state, message) for message in messages] == codes
        assert [message.WhichOneof("game") for message in messages] == [self.engine.id] * len(codes)

    @invariant()
    def the_board_fits_80_columns(self):
        lines = self.engine.show(self.state).split("\n")
        assert max(map(len, lines)) <= 80
        assert all(line.isprintable() for line in lines)

    @invariant()
    def scores_are_itemised(self):
        items = self.engine.score_items(self.state)
        assert len(items) == self.state.players
        if self.state.to_move == GAME_OVER:
            wins, scores = self.state.returns()
            assert scores == [sum(points for _, points in of_player) for of_player in items] or self.game == (
                "connect_four"  # where a draw is worth half a point each
            )
            assert sum(wins) == pytest.approx(1)
            assert all(0 <= win <= 1 for win in wins)
        else:
            with pytest.raises(ValueError, match="not over"):
                self.state.returns()

    @invariant()
    def other_codes_are_illegal(self):
        legal = set(codes_of(self.state))
        for code in (-1, 0, 1, 255, 2**32, 2**64):
            if code not in legal:
                before = bytes(self.state)
                with pytest.raises(ValueError, match="not a legal move"):
                    self.state.apply(code)
                assert bytes(self.state) == before

    @invariant()
    def everything_is_conserved(self):
        if self.game in CONSERVED:
            CONSERVED[self.game](self.entry, self.state)


SETTINGS = settings(
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("game", GAMES)
def test_random_games(game):
    machine = type(f"Play_{game}", (Play,), {"game": game})
    case = machine.TestCase
    case.settings = SETTINGS
    case("runTest").runTest()


# --- distributions -------------------------------------------------------------------------------


def positions(game, count, seed):
    """Positions of random games, of which each has at most 40 moves or draws."""
    dice = random.Random(seed)
    starts = [start for start in STARTS if start[0].engine.id == game]
    found = []
    while len(found) < count:
        entry, variant = dice.choice(starts)
        state = entry.engine.initial(entry.game, variant.players, dict(variant.options), Random(seed))
        for _ in range(dice.randrange(120)):
            if state.to_move == GAME_OVER:
                break
            state.random_step(Random(dice.randrange(2**32)))
        if state.to_move != GAME_OVER and 2 <= len(codes_of(state)) <= 40:
            found.append(state)
    return found


def near(count, trials, chance):
    """Whether a count is within five standard deviations of its expectation."""
    return abs(count - trials * chance) <= 5 * (trials * chance * (1 - chance)) ** 0.5 + 1


@pytest.mark.parametrize("game", GAMES)
def test_random_steps_are_uniform_and_draws_follow_their_chances(game):
    stood = Counter()
    for number, state in enumerate(positions(game, 16, 11)):
        random_ = Random(number)
        outcomes = state.outcomes()
        chances = dict(outcomes) if outcomes else dict.fromkeys(state.moves(), 1 / len(state.moves()))
        expected = Counter()  # by position reached: two moves may lead to the same one
        for code, chance in chances.items():
            reached = state.copy()
            reached.apply(code)
            expected[bytes(reached)] += chance
        trials = 400 * len(chances)
        made = Counter()
        for _ in range(trials):
            reached = state.copy()
            reached.random_step(random_)
            made[bytes(reached)] += 1
        assert made.keys() == expected.keys()  # eventually every move, and no other
        assert all(near(made[position], trials, chance) for position, chance in expected.items())
        if outcomes:
            sampled = Counter(state.sample(random_) for _ in range(trials))
            assert all(near(sampled[code], trials, chance) for code, chance in outcomes)
        stood["chance" if outcomes else "player"] += 1
    assert stood["player"] >= 3


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_gives_the_same_game(game):
    def play(seed):
        entry, variant = next(start for start in STARTS if start[0].engine.id == game)
        random_ = Random(seed)
        state = entry.engine.initial(entry.game, variant.players, dict(variant.options), random_)
        while state.to_move != GAME_OVER:
            state.random_step(random_)
        return bytes(state)

    assert play(1) == play(1)
    assert len({play(seed) for seed in range(5)}) > 1


# --- states for Python callers -------------------------------------------------------------------


def test_states_refuse_what_makes_no_sense():
    entry = LIBRARY.entries("connect_four")[0]
    state = entry.engine.initial(entry.game, 2, {}, Random(0))
    with pytest.raises(ValueError, match="not a chance point"):
        state.sample(Random(0))
    with pytest.raises(ValueError, match="bytes"):
        entry.game.from_bytes(bytes(state)[:-1])
    with pytest.raises(TypeError):
        type(state)()
    with pytest.raises(ValueError, match="no player 2"):
        state.determinize(2, Random(0))
    over = entry.game.position(["12", "12", "12", "1", "", "", ""])
    with pytest.raises(ValueError, match="the game is over"):
        over.random_step(Random(0))
    assert state != over
    assert state != "a state"
    # Equal bytes of another set are another position.
    other = Library().entries("connect_four")[0]
    assert other.engine.initial(other.game, 2, {}, Random(0)) != state


@pytest.mark.parametrize("game", GAMES)
def test_a_message_of_another_game_is_refused(game):
    entry, variant = next(start for start in STARTS if start[0].engine.id == game)
    state = entry.engine.initial(entry.game, variant.players, dict(variant.options), Random(0))
    others = [other for other in GAMES if other != game]
    move, message = game_pb2.Move(), game_pb2.GameState()
    getattr(move, others[0]).SetInParent()
    getattr(message, others[0]).SetInParent()
    with pytest.raises(BrainError) as caught:
        entry.engine.decode_move(state, move)
    assert (caught.value.code, caught.value.violations[0].field) == ("INVALID_ARGUMENT", "move")
    with pytest.raises(BrainError) as caught:
        entry.engine.decode(message, entry.game)
    assert (caught.value.code, caught.value.violations[0].field) == ("INVALID_ARGUMENT", "state")
    with pytest.raises(BrainError):
        entry.engine.decode_move(state, game_pb2.Move())


# --- boards --------------------------------------------------------------------------------------


def test_the_widest_board_fits():
    """The odd set's tower of six frothy tiles, the longest set id and every step in words."""
    data = (DATA / "gatto_odd.toml").read_text(encoding="utf-8")
    data = data.replace('id = "odd"', f'id = "{"o" * 40}"').replace("frothy = [2, 4]", "frothy = [9, 9]")
    entry = load(data)
    state = entry.engine.initial(entry.game, 5, {}, Random(0))
    fields = entry.game.read(state)
    fields["columns"] = [[0] * 5, [0] * 5]
    kinds = [(kind.value, kind.preparation) for kind in entry.components.contents.kinds]
    frothy = kinds.index((2, 1))
    fields["players"][4]["cups"][1] = ([frothy] * 6, None)
    fields["players"][4].update(coins=9999, sugar=3)
    fields.update(turn_player=4, start_player=4, round=200)
    for step in range(1, 8):
        fields["step"] = step
        fields["queue"] = [4] if step in (5, 6) else []
        lines = entry.engine.show(entry.game.build(fields)).split("\n")
        assert max(map(len, lines)) <= 80
        assert sum("2 frothy, 2 frothy" in line for line in lines) == 1


def load(text):
    library = Library()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "set.toml"
        path.write_text(text, encoding="utf-8")
        components = library.add_file(path)
    return library.entry("gatto", components.id, "", "set")
