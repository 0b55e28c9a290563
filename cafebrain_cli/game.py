"""Commands that follow the rules of a game: games, show, moves, apply."""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from cafebrain_cli.params import (
    chance_options,
    components_option,
    examples,
    json_option,
    out_option,
    server_option,
    state_argument,
)

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb


@click.command(
    epilog=examples(
        "cafebrain games",
        "cafebrain games --json --server localhost:50051",
    ),
)
@json_option
@server_option
@components_option
def games(as_json: bool, server: str | None, files: tuple[str, ...]) -> None:
    """List the games, their options and component sets.

    A component set is the printed part of a game. One marked "*" is partly reconstructed: it holds figures chosen by
    this project.
    """
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain_cli.positions import to_json, write_text
    from cafebrain_cli.source import open_calls

    answer = open_calls(server, files).list_games(pb.ListGamesRequest())
    if as_json:
        write_text(to_json(answer), "-")
        return
    from cafebrain_cli.output import print_table, print_text

    rows = []
    for game in answer.games:
        options = [f"{option.name}: {', '.join(option.values)}" for option in game.options]
        sets = [
            item.ref.id + (" *" if item.reconstructed else "") + (" (default)" if item.is_default else "")
            for item in game.component_sets
        ]
        rows.append((game.id, game.name, players_text(game), "\n".join(options) or "-", "\n".join(sets)))
    print_table(("game", "name", "players", "options", "component sets"), rows)
    print_text("* partly reconstructed: holds figures chosen by this project, not those of the printed game", "yellow")
    print_text(f"cafebrain {answer.version}", "dim")


@click.command(
    epilog=examples(
        "cafebrain show game.json",
        "cafebrain new connect_four | cafebrain show -",
        "cafebrain show game.json --svg board.svg",
    ),
)
@state_argument
@click.option("--svg", metavar="FILE", help="Write the board as a picture here instead.")
@server_option
@components_option
def show(path: str, svg: str | None, server: str | None, files: tuple[str, ...]) -> None:
    """Draw the board of a position.

    STATE is a file with a position as JSON, or "-" for standard input.
    """
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain_cli.positions import read_state, write_text
    from cafebrain_cli.source import open_calls

    request = pb.ShowBoardRequest(state=read_state(path), svg=svg is not None)
    answer = open_calls(server, files).show_board(request)
    if svg is not None:
        write_text(answer.svg, svg)
        return
    if sys.stdout.isatty():
        from cafebrain_cli.output import print_board

        print_board(request.state.WhichOneof("game") or "", answer.text)
    else:
        write_text(answer.text.rstrip("\n") + "\n", "-")


@click.command(
    epilog=examples(
        "cafebrain moves game.json",
        "cafebrain moves game.json --json",
    ),
)
@state_argument
@json_option
@server_option
@components_option
def moves(path: str, as_json: bool, server: str | None, files: tuple[str, ...]) -> None:
    """List legal moves or possible draws, scores and the result.

    STATE is a file with a position as JSON, or "-" for standard input. At a chance point the draws are listed with
    their probabilities; enter one, or have one sampled, with 'cafebrain apply'.
    """
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain_cli.positions import read_state, to_json, write_text
    from cafebrain_cli.source import open_calls

    request = pb.GetMovesRequest(state=read_state(path))
    answer = open_calls(server, files).get_moves(request)
    if as_json:
        write_text(to_json(answer), "-")
    else:
        _print_moves(answer)


@click.command(
    epilog=examples(
        "cafebrain apply game.json 3 --out game.json",
        'cafebrain apply game.json \'{"connectFour": {"column": 4}}\'',
        "cafebrain apply game.json draw --seed 5 | cafebrain show -",
    ),
)
@state_argument
@click.argument("move", required=False)
@chance_options
@out_option
@server_option
@components_option
def apply(
    path: str,
    move: str | None,
    seed: int,
    stop_at_chance: bool,
    out: str,
    server: str | None,
    files: tuple[str, ...],
) -> None:
    """Make a move or enter a draw, and print the new position as JSON.

    STATE is a file with a position as JSON, or "-" for standard input. MOVE is an id listed by 'cafebrain moves', or
    the move itself as JSON. At a chance point MOVE is the real draw; "draw", or no MOVE, samples one from the seed.
    Draws that follow are sampled too, unless --stop-at-chance.
    """
    from cafebrain.v1 import brain_service_pb2 as pb
    from cafebrain_cli.positions import parse_choice, read_state, to_json, write_text
    from cafebrain_cli.source import open_calls

    choice = None if move is None or move == "draw" else parse_choice(move)
    request = pb.ApplyMoveRequest(state=read_state(path), move=choice, seed=seed, stop_at_chance=stop_at_chance)
    answer = open_calls(server, files).apply_move(request)
    write_text(to_json(answer.state), out)
    if sys.stderr.isatty():
        for draw in answer.draws:
            click.echo(f"drawn: {draw.text}", err=True)


def players_text(game: pb.Game) -> str:
    """Return the player counts of a game, such as "2-5"."""
    if game.min_players == game.max_players:
        return str(game.min_players)
    return f"{game.min_players}-{game.max_players}"


def _print_moves(answer: pb.GetMovesResponse) -> None:
    from cafebrain_cli.output import percent, points, print_table, print_text

    if answer.to_move == "over":
        print_text("The game is over.", "bold")
    elif answer.to_move == "chance":
        print_text("A draw is due; possible draws:", "bold")
        drawn = [(str(move.id), move.text, percent(move.probability)) for move in answer.moves]
        print_table((">id", "draw", ">probability"), drawn)
    else:
        print_text(f"{answer.to_move.capitalize()} to move:", "bold")
        print_table((">id", "move"), [(str(move.id), move.text) for move in answer.moves])
    scored = [
        (
            f"player {score.player}",
            points(score.total),
            ", ".join(f"{item.name} {points(item.points)}" for item in score.items),
        )
        for score in answer.scores
    ]
    print_table(("score", ">points", "from"), scored)
    if answer.result:
        result = [(f"player {one.player}", points(one.score), percent(one.win_share)) for one in answer.result]
        print_table(("result", ">final score", ">share of the win"), result)
