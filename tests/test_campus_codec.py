"""Campus Café on the wire: round trips of whole games, refusal of what cannot come about, equal payments."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from cafebrain.errors import BrainError
from cafebrain.v1 import campus_pb2, game_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from cython_ext.rng import Random
from engines.campus import ENGINE
from engines.campus.components import RESOURCES, VARIANTS
from engines.campus.rules import CampusGame, Step
from tests.campus_tables import GAME, card, do, position
from tests.sets import campus_games

GAMES = campus_games()
Message = campus_pb2.CampusState


def encode(state: State) -> game_pb2.GameState:
    message = game_pb2.GameState()
    ENGINE.encode(state, message)
    return message


def conserved(game: CampusGame, state: State) -> None:
    """Every card and resource is somewhere, counted independently of the codec."""
    contents, fields = game.components.contents, game.read(state)
    places = Counter({"unseen": fields["unseen"].bit_count()})
    seen: Counter[int] = Counter()
    masks = [fields["table"], *(player["owned"] for player in fields["players"])]
    masks.append(fields["turn"]["served"] & ~sum(1 << top for top in fields["top"] if top >= 0))
    for mask in (*masks, fields["unseen"], *(1 << top for top in fields["top"] if top >= 0)):
        seen.update(i for i in range(48) if mask >> i & 1)
    assert seen == dict.fromkeys(range(48), 1)
    missing = 7 - fields["table"].bit_count() if fields["step"] <= Step.TABLES else 0
    assert places["unseen"] == sum(fields["below"]) + missing
    gifts = Counter(
        contents.cards[i].gift for player in fields["players"] for i in range(48) if player["owned"] >> i & 1
    )
    supply = contents.side(VARIANTS[fields["advanced"]]).supply[state.players - 2]
    for r, letter in enumerate(RESOURCES):
        there = fields["zone"][r] + fields["turn"]["spent"][r] + sum(p["tray"][r] for p in fields["players"])
        assert supply[r] - gifts[letter] <= there <= supply[r]


@pytest.mark.parametrize("dislikes", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("set_id", sorted(GAMES))
def test_every_position_of_random_games_goes_there_and_back(set_id: str, variant: str, dislikes: bool) -> None:
    game, dice = GAMES[set_id], random.Random(5)
    met = set()
    for players in (2, 3, 4, 5):
        state = game.start(players, variant == "advanced", dislikes)
        while True:
            message = encode(state)
            assert bytes(ENGINE.decode(message, game)) == bytes(state)
            conserved(game, state)
            met.add(Step(message.campus.step - 1))
            if state.to_move == GAME_OVER:
                break
            codes = state.moves() or [code for code, _ in state.outcomes()]
            if state.to_move >= 0 and len(codes) > 1 and codes[-1] >> 28 == 10 and dice.random() < 0.6:
                codes.pop()  # serve rather than stop
            code = dice.choice(codes)
            move = game_pb2.Move()
            ENGINE.encode_move(state, code, move)
            assert ENGINE.decode_move(state, move) == code
            state.apply(code)
    common = {
        Step.OBJECTIVES,
        Step.TABLES,
        Step.ROLL,
        Step.PLACE,
        Step.SERVE,
        Step.PAY,
        Step.GIFT,
        Step.ARRIVAL,
        Step.OVER,
    }
    assert common <= met
    assert (Step.DRAFT in met) == (variant == "advanced")
    assert (Step.DISLIKES in met) == dislikes


# --- what is refused -----------------------------------------------------------------------------

BASIC = position(
    Step.SERVE,
    trays={0: "EH", 1: "MS"},
    owned={0: [20, 45], 1: [36]},
    scores={0: 9},
    table=[1, 2, 3, 4, 5, 6, 7],
    tops=(8, 9),
    below=(10, 26),
    dice=[0, 1],
    placed=[0, 4],
)
# Player 1 (Melissa) has served card 40 (CSSH, gift S) of a table and holds its white token; satisfier of type 0.
ADVANCED = position(
    Step.SERVE,
    players=3,
    advanced=True,
    waiters=("melissa", "samuel", "destiny"),
    trays={0: "EH"},
    owned={0: [32], 1: [20], 2: [31]},
    table=[1, 2, 3, 4, 5, 6],
    tops=(8, 9),
    below=(20, 16),
    dice=[0, 1],
    placed=[0, 4],
    served=[40],
    spent="CSSH",
    lost="E",
    white=1 << 2,
    whites=0b11111010,
)
ABIGAIL = position(
    Step.COLORS,
    advanced=True,
    waiters=("abigail", "john"),
    secret="most_cupcakes",
    table=[1, 2, 3, 4, 5, 6, 7],
    tops=(8, 9),
    below=(17, 22),
    round_=1,
)
DISLIKED = position(
    Step.ROLL,
    dislikes={0: "art", 1: "tray"},
    table=[1, 2, 3, 4, 5, 6, 7],
    tops=(8, 9),
    below=(13, 26),
    round_=1,
)


def test_the_positions_to_break_are_fine() -> None:
    for state in (BASIC, ADVANCED, ABIGAIL, DISLIKED):
        assert ENGINE.decode(encode(state), GAME) == state


def step_to(step: int) -> Callable[[Message], None]:
    return lambda m: setattr(m, "step", step)


CASES: list[tuple[State, Callable[[Message], object], str]] = [
    (BASIC, lambda m: m.players.pop(), "players"),
    (BASIC, lambda m: setattr(m, "variant", 0), "variant"),
    (BASIC, lambda m: setattr(m, "variant", 7), "variant"),
    (BASIC, step_to(0), "step"),
    (BASIC, step_to(22), "step"),
    (BASIC, lambda m: setattr(m, "round", 61), "round"),
    (BASIC, lambda m: setattr(m, "turn_player", 3), "turn_player"),
    (BASIC, lambda m: setattr(m.players[0], "score", 5000), "players[0].score"),
    (BASIC, lambda m: m.table.append(49), "table[7]"),
    (BASIC, lambda m: m.table.append(21), "table[7]"),  # player 1 has card 21
    (BASIC, lambda m: m.players[1].cards.append(21), "players[1].cards[1]"),
    (BASIC, lambda m: setattr(m.customers_deck, "top", 37), "customers_deck.top"),
    (BASIC, lambda m: m.customers_deck.ClearField("top"), "customers_deck.hidden"),
    (BASIC, lambda m: setattr(m.customers_deck, "hidden", 11), "customers_deck.hidden"),
    (BASIC, lambda m: (m.table.pop(), setattr(m.customers_deck, "hidden", 11)), "table"),
    (
        BASIC,
        lambda m: (setattr(m.customers_deck, "hidden", 9), setattr(m.last_customers_deck, "hidden", 27)),
        "last_customers_deck.hidden",
    ),
    (BASIC, lambda m: setattr(m, "last_round", True), "last_customers_deck"),
    (BASIC, lambda m: setattr(m.zones, "espresso", 4), "zones.espresso"),
    (BASIC, lambda m: setattr(m.players[0].tray, "chocolate", 2), "zones.chocolate"),
    (BASIC, lambda m: (setattr(m.players[0].tray, "mint", 4), setattr(m.zones, "mint", 0)), "players[0].tray"),
    (BASIC, lambda m: setattr(m.players[0].tray, "cupcake", 6), "players[0].tray.cupcake"),
    (BASIC, lambda m: setattr(m.players[0], "waiter", 4), "players[0].waiter"),
    (BASIC, lambda m: setattr(m.players[0], "dislike", "art"), "players"),
    (BASIC, lambda m: setattr(m.players[0], "dislike", "cats"), "players[0].dislike"),
    (BASIC, lambda m: m.objectives.pop(), "objectives"),
    (BASIC, lambda m: m.objectives.__setitem__(0, "most_art"), "objectives[0]"),
    (BASIC, lambda m: m.objectives.__setitem__(0, "most_chairs"), "objectives[0]"),
    (BASIC, lambda m: setattr(m, "secret_color", 1), "secret_color"),
    (BASIC, lambda m: setattr(m, "secret_objective", "most_mint"), "secret_objective"),
    (BASIC, lambda m: m.waiters.append(1), "waiters"),
    (BASIC, lambda m: m.white_tokens.append(1), "white_tokens"),
    (BASIC, lambda m: m.turn.white_tokens.append(1), "turn.white_tokens"),
    (BASIC, lambda m: m.turn.red_tokens.append(8), "turn.red_tokens"),
    (BASIC, lambda m: m.turn.dice.pop(), "turn.dice"),
    (BASIC, lambda m: m.turn.dice.__setitem__(0, 4), "turn.dice[0]"),
    (BASIC, lambda m: (m.turn.dice.__setitem__(0, 2), m.turn.dice.__setitem__(1, 1)), "turn.dice"),
    (BASIC, lambda m: setattr(m.turn.placed[0], "space", 5), "turn.placed"),  # both dice on space 5
    (BASIC, lambda m: setattr(m.turn.placed[0], "space", 9), "turn.placed"),  # a red die on green
    (BASIC, lambda m: setattr(m.turn.placed[0], "space", 17), "turn.placed[0].space"),
    (BASIC, lambda m: setattr(m.turn.placed[0], "color", 3), "turn.placed[0].color"),
    (BASIC, lambda m: m.turn.placed.pop(), "turn.placed"),
    (BASIC, lambda m: setattr(m.turn, "paying", 3), "turn.paying"),
    (BASIC, lambda m: (step_to(12)(m), setattr(m.turn, "paying", 8)), "turn.paying"),  # HH, with only one H
    (BASIC, lambda m: (step_to(12)(m), setattr(m.turn, "paying", 30)), "turn.paying"),  # nowhere to be served
    (BASIC, step_to(13), "turn.served"),
    (BASIC, step_to(10), "step"),  # nothing to discard
    (BASIC, step_to(9), "turn.placed"),
    (BASIC, step_to(7), "turn.dice"),
    (BASIC, step_to(8), "step"),
    (BASIC, step_to(14), "step"),
    (BASIC, step_to(16), "turn.dice"),
    (BASIC, step_to(17), "step"),
    (BASIC, step_to(18), "step"),
    (BASIC, step_to(21), "turn_player"),
    (BASIC, step_to(1), "round"),
    (BASIC, lambda m: setattr(m.turn.spent, "espresso", 1), "turn.spent"),
    (BASIC, lambda m: setattr(m.turn.depletion, "espresso", 1), "turn.depletion"),
    (BASIC, lambda m: setattr(m.turn.blue_tokens, "strawberry", 1), "turn.blue_tokens.strawberry"),
    (BASIC, lambda m: setattr(m.turn, "yellow_token", True), "turn.yellow_token"),
    (BASIC, lambda m: setattr(m.turn, "samuel_shake", True), "turn.samuel_shake"),
    (BASIC, lambda m: m.turn.conversions.add(space=4, used=1), "turn.conversions[0].space"),
    (BASIC, lambda m: m.turn.served.append(9), "turn.served"),  # a deck's top
    (ADVANCED, lambda m: m.turn.served.pop(), "customers_deck.hidden"),
    (ADVANCED, lambda m: m.white_tokens.append(3), "white_tokens"),  # held, too
    (ADVANCED, lambda m: m.white_tokens.pop(), "white_tokens"),
    (ADVANCED, lambda m: m.turn.white_tokens.append(1), "turn.white_tokens"),  # more than gifts
    (ADVANCED, lambda m: m.turn.red_tokens.append(5), "turn.red_tokens"),
    (ADVANCED, lambda m: m.turn.red_tokens.append(1), "turn.red_tokens"),  # no such customer served
    (ADVANCED, lambda m: setattr(m.turn, "yellow_token", True), "turn.spent"),  # five covers for four dishes
    (ADVANCED, lambda m: setattr(m.turn, "samuel_cupcake", True), "turn.samuel_shake"),
    (ADVANCED, lambda m: setattr(m.players[0], "waiter", 5), "players"),  # Samuel twice
    (ADVANCED, lambda m: setattr(m.players[0], "waiter", 0), "players[0].waiter"),
    (ADVANCED, lambda m: setattr(m.players[0], "waiter", 1), "secret_color"),
    (ADVANCED, lambda m: m.turn.served.append(9), "turn.served"),  # only Destiny
    (ADVANCED, lambda m: setattr(m, "variant", 1), "players[0].waiter"),
    (ABIGAIL, lambda m: setattr(m, "secret_color", 0), "secret_color"),
    (ABIGAIL, lambda m: setattr(m, "secret_color", 2), "secret_objective"),
    (ABIGAIL, lambda m: setattr(m, "secret_objective", "most_espresso"), "secret_objective"),  # laid out
    (ABIGAIL, step_to(6), "secret_objective"),
    (ABIGAIL, step_to(7), "step"),
    (ABIGAIL, step_to(5), "players"),
    (DISLIKED, lambda m: setattr(m.players[1], "dislike", "art"), "players"),
    (DISLIKED, lambda m: setattr(m.players[1], "dislike", ""), "players[1].dislike"),
    (DISLIKED, lambda m: setattr(m, "dislikes", False), "players"),
    (DISLIKED, step_to(3), "players"),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_impossible_positions_are_refused(number: int) -> None:
    state, change, field = CASES[number]
    message = encode(state)
    change(message.campus)
    with pytest.raises(BrainError) as caught:
        ENGINE.decode(message, GAME)
    assert (caught.value.code, caught.value.reason) == ("INVALID_ARGUMENT", "INVALID_STATE")
    fields = [violation.field.removeprefix("state.campus.") for violation in caught.value.violations]
    assert field in fields, caught.value.violations
    assert len(caught.value.violations) <= 20


def accepts(message: game_pb2.GameState) -> State | None:
    """The position, or None where it is refused with violations."""
    try:
        return ENGINE.decode(message, GAME)
    except BrainError as error:
        return None if error.violations else pytest.fail("refused without a reason")


@pytest.mark.parametrize(
    ("path", "entry"),
    [("table", 1), ("waiters", 1), ("white_tokens", 1), ("objectives", "most_mint"), ("turn.dice", 1),
     ("turn.served", 1), ("turn.red_tokens", 1)],
)  # fmt: skip
def test_lists_too_long_are_refused_unread(path: str, entry: object) -> None:
    message = encode(BASIC)
    part: Any = message.campus
    for name in path.split("."):
        part = getattr(part, name)
    part.extend([entry] * 100_000)
    with pytest.raises(BrainError) as caught:
        ENGINE.decode(message, GAME)
    assert [(v.field, v.reason[:15]) for v in caught.value.violations] == [(f"state.campus.{path}", "must be at most")]


def test_random_changes_never_crash_and_accepted_ones_are_playable() -> None:
    """Change one number of real positions: either it is refused with violations, or the game goes on."""
    dice = random.Random(2)
    accepted = refused = 0
    for _ in range(400):
        state = dice.choice((BASIC, ADVANCED, ABIGAIL, DISLIKED))
        message = encode(state)
        parts = [
            message.campus,
            message.campus.turn,
            message.campus.zones,
            message.campus.customers_deck,
            message.campus.last_customers_deck,
            *message.campus.players,
            *(p.tray for p in message.campus.players),
        ]
        part = dice.choice(parts)
        scalars = [f for f in part.DESCRIPTOR.fields if f.message_type is None]
        field = dice.choice(scalars)
        value = getattr(part, field.name)
        if field.is_repeated:
            if dice.random() < 0.5 and value:
                value.pop(dice.randrange(len(value)))
            else:
                value.append(
                    value[0]
                    if field.type == field.TYPE_STRING and value
                    else "x"
                    if field.type == field.TYPE_STRING
                    else dice.randrange(50)
                )
        elif field.type == field.TYPE_STRING:
            setattr(part, field.name, dice.choice(("", "art", "tray", "most_mint")))
        elif field.type == field.TYPE_BOOL:
            setattr(part, field.name, not value)
        else:
            setattr(part, field.name, dice.choice((0, 1, value + 1, 7, 21, 2**31 - 1)))
        changed = accepts(message)
        if changed is None:
            refused += 1
            continue
        accepted += 1
        assert ENGINE.decode(encode(changed), GAME) == changed
        walk = changed
        while walk.to_move != GAME_OVER:
            codes = walk.moves() or [code for code, _ in walk.outcomes()]
            assert codes
            walk.apply(dice.choice(codes))
    assert refused > 250
    assert accepted > 5


# --- moves ---------------------------------------------------------------------------------------


def move(**kinds: object) -> game_pb2.Move:
    return game_pb2.Move(campus=campus_pb2.CampusMove(**kinds))


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (move(), "move.campus"),
        (move(serve={"card": 49}), "move.campus.serve.card"),
        (move(place_die={"color": 4, "space": 1}), "move.campus.place_die.color"),
        (move(place_die={"color": 1, "space": 17}), "move.campus.place_die.space"),
        (move(dice={"colors": [1]}), "move.campus.dice.colors"),
        (move(discard={"resources": {"mint": 16}}), "move.campus.discard.resources.mint"),
        (move(draw_objective={"objective": "most_chairs"}), "move.campus.draw_objective.objective"),
        (move(draw_dislike={"dislike": "cats"}), "move.campus.draw_dislike.dislike"),
        (move(take_waiter={"waiter": 7}), "move.campus.take_waiter.waiter"),
        (move(take_gift={"gift": 0}), "move.campus.take_gift.gift"),
        (move(take_token={"customer": 9}), "move.campus.take_token.customer"),
        (move(talent={"resource": 6}), "move.campus.talent.resource"),
        (move(deplete={"player": 3}), "move.campus.deplete.player"),
        (move(william={"supply": 3}), "move.campus.william.supply"),
        (move(pay={"covers": []}), "move.campus.pay"),
    ],
)
def test_what_is_no_move_is_refused(message: game_pb2.Move, field: str) -> None:
    with pytest.raises(BrainError) as caught:
        ENGINE.decode_move(BASIC, message)
    assert caught.value.reason == "INVALID_MOVE"
    assert [violation.field for violation in caught.value.violations] == [field]


def test_of_equal_payments_any_may_be_given() -> None:
    # Two H on an HE order with counter 16 (any resource on E or H): H as E, or E as H and H as E swapped about.
    order = card("HHE", reverse="career", career="women_responsible")
    state = position(
        Step.SERVE,
        trays={0: "EHH"},
        table=[order, 0, 1, 2, 3, 4, 5],
        tops=(6, 7),
        dice=[0, 1],
        placed=[15, 4],
    )
    do(state, f"serve card {order + 1}:")
    kinds = campus_pb2.CampusCoverKind
    converted = {"kind": kinds.CAMPUS_COVER_KIND_COUNTER, "space": 16}
    tray = {"kind": kinds.CAMPUS_COVER_KIND_TRAY}
    one = move(pay={"covers": [tray, converted | {"resource": 1}, converted | {"resource": 2}]})
    two = move(pay={"covers": [converted | {"resource": 1}, tray, converted | {"resource": 2}]})
    code = ENGINE.decode_move(state, one)
    assert code == ENGINE.decode_move(state, two)
    assert code in state.moves()
    wrong = move(pay={"covers": [tray, tray, converted | {"resource": 3}]})  # no Mint Shake in the tray
    assert ENGINE.decode_move(state, wrong) not in state.moves()
    nowhere = move(pay={"covers": [tray, tray, converted | {"resource": 1, "space": 4}]})
    with pytest.raises(BrainError, match="no counter"):
        ENGINE.decode_move(state, nowhere)


def test_the_words_and_the_board() -> None:
    board = ENGINE.show(ADVANCED)
    assert "player 1 Melissa: $0  tray E H (2 of 4)  1 card\n" in board
    assert "turn  $2 of the dice, H SS C spent, white token male classical held\n" in board
    assert "      33 MMSS $14 gift E    mC fA mT mC  satisfier male teacher\n" in board
    assert "Abigail's secret yellow objective  most Cupcake dishes\n" in ENGINE.show(ABIGAIL)
    assert "served:" in board
    assert max(map(len, board.split("\n"))) <= 80
    assert ADVANCED.to_move != CHANCE_POINT
    assert ENGINE.move_text(ADVANCED, ADVANCED.moves()[-1]) == "stop serving"


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_board_tells_positions_apart(variant: str) -> None:
    """Different positions of a game have different boards, and every board has at most 80 columns."""
    for players in (2, 3, 4, 5):
        dice = Random(players)
        state = GAME.start(players, variant == "advanced", players % 2 == 1)
        boards: dict[str, bytes] = {}
        while state.to_move != GAME_OVER:
            board = ENGINE.show(state)
            assert boards.setdefault(board, bytes(state)) == bytes(state)
            assert max(map(len, board.split("\n"))) <= 80
            state.playout_step(dice)


def test_the_board_tells_everything_about_a_service() -> None:
    """Everything at once, whether or not it can come about: tokens, conversions, talents; then gift and depletion."""
    state = position(
        Step.SERVE, advanced=True, waiters=("samuel", "melissa"), trays={0: "E"}, owned={0: [32, 31]}, lost="E",
        served=[18, 40, 17], spent="SESSHE", samuel=3, red=1, blue="", converted=[1, 0], white=1 << 2, whites=250,
        dice=[0, 1], placed=[3, 4],
    )  # fmt: skip
    told = (
        "turn  $0 of the dice, EE H SSS spent, red token male teacher used, white token male classical held, "
        "counter 4 used 1x, Samuel's shake used, Samuel's cupcake used"
    )
    assert " ".join(told.split()) in " ".join(ENGINE.show(state).split())
    depleted = position(Step.DEPLETE, owned={0: [0]}, trays={1: "CCC"}, gifts="C", table=[1, 2, 3, 4, 5, 6])
    assert "chooses whose tray is depleted of Cupcake\n" in ENGINE.show(depleted)
    assert "C to leave the game" in ENGINE.show(depleted)
    gift = position(Step.GIFT, served=[0], spent="CE", paying=0, dice=[0, 1], placed=[0, 4])
    assert "player 1 chooses a gift for card 1\n" in ENGINE.show(gift)
