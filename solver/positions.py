"""From messages to positions and back, for every game."""
from __future__ import annotations

from dataclasses import dataclass

from cafebrain.errors import BrainError, FieldViolation
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER, State
from engines.component_set import ComponentSet
from engines.engine import Engine
from engines.library import Entry, Library
from engines.violations import shown

SOURCE = {
    "rulebook": pb.SOURCE_RULEBOOK,
    "derived": pb.SOURCE_DERIVED,
    "public": pb.SOURCE_PUBLIC,
    "owners": pb.SOURCE_OWNERS,
    "reconstructed": pb.SOURCE_RECONSTRUCTED,
}


@dataclass(frozen=True)
class Position:
    """A position and the component set it is played with."""

    entry: Entry
    state: State

    @property
    def engine(self) -> Engine:
        """The game's engine."""
        return self.entry.engine


def invalid(field: str, value: object, reason: str, name: str = "INVALID_REQUEST") -> BrainError:
    """Return the error for one faulty field of a request; of a long value only the beginning is repeated."""
    found = shown(value)
    return BrainError(
        "INVALID_ARGUMENT", name, f"{field}: {reason} (found {found})", [FieldViolation(field, found, reason)]
    )


def decode_state(library: Library, message: game_pb2.GameState) -> Position:
    """Return the position in a message.

    Raises BrainError with field violations where it is not possible.
    """
    game = message.WhichOneof("game")
    if game is None:
        raise invalid("state", "nothing", f"must hold a position of one of {', '.join(library.games())}")
    ref = message.component_set
    for field in ("id", "hash"):
        if not getattr(ref, field):
            raise invalid(f"state.component_set.{field}", "nothing", "must be given", "INVALID_STATE")
    entry = library.entry(game, ref.id, ref.hash, "state.component_set")
    return Position(entry, entry.engine.decode(message, entry.game))


def encode_state(position: Position) -> game_pb2.GameState:
    """Return the message for a position."""
    message = game_pb2.GameState(component_set=set_ref(position.entry.components))
    position.engine.encode(position.state, message)
    return message


def set_ref(components: ComponentSet[object]) -> game_pb2.ComponentSetRef:
    """Return id and hash of a component set."""
    return game_pb2.ComponentSetRef(id=components.id, hash=components.hash)


def set_info(entry: Entry) -> pb.ComponentSet:
    """Return a component set without its contents."""
    components = entry.components
    return pb.ComponentSet(
        ref=set_ref(components),
        name=components.name,
        reconstructed=components.reconstructed,
        provenance=[
            pb.Provenance(group=origin.group, source=SOURCE[origin.source], note=origin.note)
            for origin in components.provenance
        ],
        is_default=components.id == entry.engine.default_set,
    )


def to_move_text(state: State) -> str:
    """Return "player N", "chance" or "over"."""
    if state.to_move == CHANCE_POINT:
        return "chance"
    if state.to_move == GAME_OVER:
        return "over"
    return f"player {state.to_move + 1}"


def legal_move(position: Position, code: int, probability: float | None = None) -> pb.LegalMove:
    """Return the message for a legal move or a possible draw."""
    return pb.LegalMove(
        id=code,
        text=position.engine.move_text(position.state, code),
        move=encode_move(position, code),
        probability=probability,
    )


def encode_move(position: Position, code: int) -> game_pb2.Move:
    """Return the structured move."""
    move = game_pb2.Move()
    position.engine.encode_move(position.state, code, move)
    return move


def decode_choice(position: Position, choice: pb.MoveChoice, field: str) -> int:
    """Return the code of a legal move, or a possible draw.

    Raises BrainError INVALID_ARGUMENT where it is none.
    """
    state = position.state
    if choice.WhichOneof("choice") == "id":
        code, found = choice.id, str(choice.id)
    elif choice.WhichOneof("choice") == "move":
        try:
            code, found = position.engine.decode_move(state, choice.move), "the move given"
        except BrainError as error:
            raise error.under(field) from error
    else:
        raise invalid(field, "nothing", "must be an id or a move", "INVALID_MOVE")
    legal = state.moves() if state.to_move >= 0 else [outcome for outcome, _ in state.outcomes()]
    if code not in legal:
        kind = "possible draw" if state.to_move == CHANCE_POINT else "legal move"
        such = position.engine.move_text(state, legal[0])
        reason = f"is no {kind} here ({to_move_text(state)} to move, for example: {such})"
        raise invalid(field, found, reason, "ILLEGAL_MOVE")
    return code
