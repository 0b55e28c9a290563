"""Where answers come from: the brain in this process, or a server."""
from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from cafebrain_cli.exits import Refused
from cafebrain_cli.params import TLS

if TYPE_CHECKING:
    from cafebrain.client import Client
    from cafebrain.v1 import brain_service_pb2 as pb
    from engines.component_set import ComponentSet
    from engines.library import Library


class Calls(Protocol):
    """The calls that the brain in this process and the client of a server have in common."""

    def list_games(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        """List games, options and component sets."""

    def get_components(self, request: pb.GetComponentsRequest) -> pb.GetComponentsResponse:
        """Return the contents of a component set."""

    def new_game(self, request: pb.NewGameRequest) -> pb.NewGameResponse:
        """Set up a game."""

    def get_moves(self, request: pb.GetMovesRequest) -> pb.GetMovesResponse:
        """List the legal moves or possible draws, the scores and the result."""

    def show_board(self, request: pb.ShowBoardRequest) -> pb.ShowBoardResponse:
        """Draw the board as text."""

    def apply_move(self, request: pb.ApplyMoveRequest) -> pb.ApplyMoveResponse:
        """Make a move or enter a draw."""

    def hint(self, request: pb.HintRequest) -> pb.HintResponse:
        """Help a person with a graded hint."""

    def review_game(self, request: pb.ReviewGameRequest) -> Iterator[pb.ReviewGameResponse]:
        """Review a recorded game and yield one answer per step, then the summary."""

    def analyze(self, request: pb.AnalyzeRequest) -> Iterator[pb.AnalyzeResponse]:
        """Search a position and yield improving answers, the last one marked final."""


def load_library(files: Sequence[str]) -> tuple[Library, list[ComponentSet[Any]]]:
    """Return the component sets at hand, and of them those loaded from `files`."""
    from engines.component_set import ComponentError
    from engines.library import Library

    library = Library()
    try:
        return library, [library.add_file(Path(file)) for file in files]
    except ComponentError as error:
        raise Refused(str(error)) from error


def open_calls(server: str | None, files: Sequence[str] = ()) -> Calls:
    """Return the server's calls, or those of this process with the component sets in `files` added."""
    if server is None:
        from solver.brain import Brain

        return Brain(load_library(files)[0])
    if files:
        raise click.UsageError("--components is for this process; a server loads its own sets, name one by its id")
    return connect(server)


def connect(server: str) -> Client:
    """Return a client of a server, closed when the command ends, with what --tls and the environment say.

    Raises OSError where a file named there cannot be read.
    """
    from cafebrain.client import Client, tls

    context = click.get_current_context()
    ca, cert, key = (os.environ.get(f"CAFEBRAIN_TLS_{name}") or None for name in ("CA", "CERT", "KEY"))
    credentials = tls(ca, cert, key) if context.meta.get(TLS) or ca else None
    client = Client(server, credentials=credentials, token=os.environ.get("CAFEBRAIN_TOKEN") or None)
    context.call_on_close(client.close)
    return client


def set_in(files: Sequence[str], game: str) -> str:
    """Return the id of the set in the one file of --components; empty where there is no file."""
    if not files:
        return ""
    ids = {components.id for components in load_library(files)[1] if components.game == game}
    if len(ids) > 1:
        raise click.UsageError(f"choose one of these sets with --set: {', '.join(sorted(ids))}")
    if not ids:
        raise Refused(f"{files[0]}: game: holds no component set of {game}")
    return ids.pop()
