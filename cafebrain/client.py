"""Clients of a brain server; their methods are those of the brain itself, so that callers can use either."""
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, Self

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from google.rpc.status_pb2 import Status

from cafebrain.errors import BrainError, FieldViolation
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceStub

DETAILS_KEY = "grpc-status-details-bin"


class Client:
    """A connection to a brain server, for ordinary code; usable from many threads.

    Every method takes the request message and returns the answer message. timeout: seconds to wait for it at most; for
    a search it is a time budget, so that the answer arrives in time. Every method raises BrainError: what the server
    reports, or what gRPC says of the connection (code UNAVAILABLE, DEADLINE_EXCEEDED, ...).
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._channel = grpc.insecure_channel(address)
        self._stub = BrainServiceStub(self._channel)

    def close(self) -> None:
        """Cut the connection; calls in progress end."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def list_games(
        self, request: pb.ListGamesRequest | None = None, timeout: float | None = None
    ) -> pb.ListGamesResponse:
        """List games, options and component sets."""
        with _errors(self.address):
            return self._stub.ListGames(request or pb.ListGamesRequest(), timeout=timeout)

    def get_components(
        self, request: pb.GetComponentsRequest, timeout: float | None = None
    ) -> pb.GetComponentsResponse:
        """Return the contents of a component set."""
        with _errors(self.address):
            return self._stub.GetComponents(request, timeout=timeout)

    def new_game(self, request: pb.NewGameRequest, timeout: float | None = None) -> pb.NewGameResponse:
        """Set up a game."""
        with _errors(self.address):
            return self._stub.NewGame(request, timeout=timeout)

    def get_moves(self, request: pb.GetMovesRequest, timeout: float | None = None) -> pb.GetMovesResponse:
        """List the legal moves or possible draws, the scores and the result."""
        with _errors(self.address):
            return self._stub.GetMoves(request, timeout=timeout)

    def show_board(self, request: pb.ShowBoardRequest, timeout: float | None = None) -> pb.ShowBoardResponse:
        """Draw the board as text."""
        with _errors(self.address):
            return self._stub.ShowBoard(request, timeout=timeout)

    def apply_move(self, request: pb.ApplyMoveRequest, timeout: float | None = None) -> pb.ApplyMoveResponse:
        """Make a move or enter a draw, then sample the draws that follow unless told to stop there."""
        with _errors(self.address):
            return self._stub.ApplyMove(request, timeout=timeout)

    def suggest(self, request: pb.SuggestRequest, timeout: float | None = None) -> pb.SuggestResponse:
        """Search a position."""
        with _errors(self.address):
            return self._stub.Suggest(request, timeout=timeout)

    def hint(self, request: pb.HintRequest, timeout: float | None = None) -> pb.HintResponse:
        """Help a person with a graded hint."""
        with _errors(self.address):
            return self._stub.Hint(request, timeout=timeout)

    def review_game(
        self, request: pb.ReviewGameRequest, timeout: float | None = None
    ) -> Iterator[pb.ReviewGameResponse]:
        """Review a recorded game and yield one answer per step, then the summary.

        The call starts when the first answer is asked for. Closing the iterator ends it.
        """
        with _errors(self.address):
            call = self._stub.ReviewGame(request, timeout=timeout)
            try:
                yield from call
            finally:
                call.cancel()

    def analyze(self, request: pb.AnalyzeRequest, timeout: float | None = None) -> Iterator[pb.AnalyzeResponse]:
        """Search a position and yield improving answers, the last one marked final.

        The call starts when the first answer is asked for. Closing the iterator ends the search.
        """
        with _errors(self.address):
            call = self._stub.Analyze(request, timeout=timeout)
            try:
                yield from call
            finally:
                call.cancel()


class AsyncClient:
    """A connection to a brain server, for asyncio; otherwise like Client."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._channel = grpc.aio.insecure_channel(address)
        self._stub = BrainServiceStub(self._channel)

    async def close(self) -> None:
        """Cut the connection; calls in progress end."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def list_games(
        self, request: pb.ListGamesRequest | None = None, timeout: float | None = None
    ) -> pb.ListGamesResponse:
        """List games, options and component sets."""
        with _errors(self.address):
            return await self._stub.ListGames(request or pb.ListGamesRequest(), timeout=timeout)

    async def get_components(
        self, request: pb.GetComponentsRequest, timeout: float | None = None
    ) -> pb.GetComponentsResponse:
        """Return the contents of a component set."""
        with _errors(self.address):
            return await self._stub.GetComponents(request, timeout=timeout)

    async def new_game(self, request: pb.NewGameRequest, timeout: float | None = None) -> pb.NewGameResponse:
        """Set up a game."""
        with _errors(self.address):
            return await self._stub.NewGame(request, timeout=timeout)

    async def get_moves(self, request: pb.GetMovesRequest, timeout: float | None = None) -> pb.GetMovesResponse:
        """List the legal moves or possible draws, the scores and the result."""
        with _errors(self.address):
            return await self._stub.GetMoves(request, timeout=timeout)

    async def show_board(self, request: pb.ShowBoardRequest, timeout: float | None = None) -> pb.ShowBoardResponse:
        """Draw the board as text."""
        with _errors(self.address):
            return await self._stub.ShowBoard(request, timeout=timeout)

    async def apply_move(self, request: pb.ApplyMoveRequest, timeout: float | None = None) -> pb.ApplyMoveResponse:
        """Make a move or enter a draw, then sample the draws that follow unless told to stop there."""
        with _errors(self.address):
            return await self._stub.ApplyMove(request, timeout=timeout)

    async def suggest(self, request: pb.SuggestRequest, timeout: float | None = None) -> pb.SuggestResponse:
        """Search a position; cancelling the task ends the search."""
        with _errors(self.address):
            return await self._stub.Suggest(request, timeout=timeout)

    async def hint(self, request: pb.HintRequest, timeout: float | None = None) -> pb.HintResponse:
        """Help a person with a graded hint."""
        with _errors(self.address):
            return await self._stub.Hint(request, timeout=timeout)

    async def review_game(
        self, request: pb.ReviewGameRequest, timeout: float | None = None
    ) -> AsyncIterator[pb.ReviewGameResponse]:
        """Review a recorded game and yield one answer per step, then the summary.

        The call starts when the first answer is asked for. Closing the iterator, or cancelling the task that waits for
        it, ends it.
        """
        with _errors(self.address):
            call = self._stub.ReviewGame(request, timeout=timeout)
            try:
                async for answer in call:
                    yield answer
            finally:
                call.cancel()

    async def analyze(
        self, request: pb.AnalyzeRequest, timeout: float | None = None
    ) -> AsyncIterator[pb.AnalyzeResponse]:
        """Search a position and yield improving answers, the last one marked final.

        The call starts when the first answer is asked for. Closing the iterator, or cancelling the task that waits for
        it, ends the search.
        """
        with _errors(self.address):
            call = self._stub.Analyze(request, timeout=timeout)
            try:
                async for answer in call:
                    yield answer
            finally:
                call.cancel()


@contextmanager
def _errors(address: str) -> Iterator[None]:
    """Turn gRPC's errors into the brain's."""
    try:
        yield
    except grpc.RpcError as error:
        raise _brain_error(address, error) from error


def _brain_error(address: str, error: grpc.RpcError) -> BrainError:
    code, said = error.code().name, error.details() or ""
    status = _rich_status(error)
    if status is not None:
        return _from_status(code, status)
    message = {
        "UNAVAILABLE": f"no brain server answers at {address}: {said}",
        "DEADLINE_EXCEEDED": f"no answer from {address} in the time given",
    }.get(code, f"{address}: {said}")
    return BrainError(code, code, message)


def _rich_status(error: grpc.RpcError) -> Status | None:
    metadata: Any = error.trailing_metadata() or ()  # pairs, of one type from Client and another from AsyncClient
    for key, value in metadata:
        if key == DETAILS_KEY:
            try:
                return Status.FromString(value)
            except DecodeError:
                return None
    return None


def _from_status(code: str, status: Status) -> BrainError:
    info, bad = ErrorInfo(), BadRequest()
    for detail in status.details:
        if not detail.Unpack(info):
            detail.Unpack(bad)
    violations = []
    for violation in bad.field_violations:
        reason, _, found = violation.description.partition(" (found ")
        violations.append(FieldViolation(violation.field, found.removesuffix(")"), reason))
    return BrainError(code, info.reason or code, status.message, violations)
