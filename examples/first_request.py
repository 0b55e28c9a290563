"""A first request: a new game, and the three best moves of the player who begins."""
from cafebrain import Client
from cafebrain.v1 import brain_service_pb2 as pb

with Client("localhost:50051") as client:
    state = client.new_game(pb.NewGameRequest(game="gatto", players=3, seed=7)).state
    request = pb.SuggestRequest(state=state, budget=pb.Budget(visits=20_000), seed=1, moves_wanted=3)
    suggestion = client.suggest(request).suggestion

for move in suggestion.moves:
    mine = move.players[suggestion.player - 1]  # what the move is worth to the player to move
    print(f"{move.text}: wins {mine.win_probability:.1%}, {mine.expected_score:.1f} points")
