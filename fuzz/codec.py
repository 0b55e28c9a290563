"""Bad positions through the brain in this process: each is refused with a reason, or is one like any other."""
from __future__ import annotations

from google.protobuf.message import DecodeError

from cafebrain.errors import MAX_VIOLATIONS, BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from engines.library import Library
from solver.brain import Brain
from solver.positions import decode_state, encode_state

REFUSALS = ("INVALID_ARGUMENT", "FAILED_PRECONDITION")
BRAIN = Brain(Library())


def check(data: bytes) -> bool:
    """Give the brain the bytes of a position; return whether it took them.

    Raises whatever is wrong: only a refusal with a reason, or a position that all calls understand, is right.
    """
    try:
        state = game_pb2.GameState.FromString(data)
    except DecodeError:
        return False
    try:
        moves = BRAIN.get_moves(pb.GetMovesRequest(state=state))
    except BrainError as error:
        well_put = len(error.violations) <= MAX_VIOLATIONS and (error.violations or error.code != "INVALID_ARGUMENT")
        if error.code not in REFUSALS or not well_put:
            raise
        return False
    position = decode_state(BRAIN.library, state)
    again = encode_state(position)
    assert bytes(decode_state(BRAIN.library, again).state) == bytes(position.state), "lost on the way there and back"
    BRAIN.show_board(pb.ShowBoardRequest(state=state))
    for move in moves.moves[:: max(1, len(moves.moves) // 3)]:
        answer = BRAIN.apply_move(pb.ApplyMoveRequest(state=state, move=pb.MoveChoice(id=move.id), seed=1))
        BRAIN.get_moves(pb.GetMovesRequest(state=answer.state))
    if moves.player:
        BRAIN.suggest(pb.SuggestRequest(state=state, budget=pb.Budget(visits=32), seed=1))
        grade = pb.HintGrade.ValueType(1 + len(data) % 3)
        BRAIN.hint(pb.HintRequest(state=state, grade=grade, language="de", budget=pb.Budget(visits=32)))
    if moves.moves:
        step = pb.MoveChoice(id=moves.moves[-1].id)
        list(BRAIN.review_game(pb.ReviewGameRequest(state=state, steps=[step], budget=pb.Budget(visits=32))))
    return True
