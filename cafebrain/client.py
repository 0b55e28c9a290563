"""Clients of a brain server; their methods are those of the brain itself, so that callers can use either."""
from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cafebrain.errors import BrainError, FieldViolation
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceStub

DETAILS_KEY = "grpc-status-details-bin"
SERVICE = "cafebrain.v1.BrainService"
# Every call can be made again: servers keep nothing but jobs, and the same request starts no second one.
SERVICE_CONFIG = {
    "loadBalancingConfig": [{"round_robin": {}}],
    "methodConfig": [
        {
            "name": [{"service": SERVICE}],
            "retryPolicy": {
                "maxAttempts": 5,
                "initialBackoff": "0.2s",
                "maxBackoff": "1s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ],
}
OPTIONS = (
    ("grpc.service_config", json.dumps(SERVICE_CONFIG)),
    # A server that vanished during a long search is noticed.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
)


class Client:
    """A connection to a brain server, for ordinary code; usable from many threads.

    Every method takes the request message and returns the answer message. timeout: seconds to wait for it at most; for
    a search it is a time budget, so that the answer arrives in time. Every method raises BrainError: what the server
    reports, or what gRPC says of the connection (code UNAVAILABLE, DEADLINE_EXCEEDED, ...).

    address: "HOST:PORT"; also gRPC's other forms, such as "dns:///brain:50051" for all servers behind a name.
    credentials: what to trust and to show, from `tls` or gRPC itself; None for a connection without TLS.
    token: sent with every call, for a server that asks for one; without TLS anyone on the way can read it.

    A call that finds no server, or one that is shutting down, is tried again, for about two seconds.
    """

    def __init__(
        self, address: str, *, credentials: grpc.ChannelCredentials | None = None, token: str | None = None
    ) -> None:
        self.address = address
        self._metadata = _metadata(token)
        if credentials is None:
            self._channel = grpc.insecure_channel(address, OPTIONS)
        else:
            self._channel = grpc.secure_channel(address, credentials, OPTIONS)
        self._stub = BrainServiceStub(self._channel)
        self._check = health_pb2_grpc.HealthStub(self._channel).Check  # type: ignore[attr-defined] # not in its stubs

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
            return self._stub.ListGames(request or pb.ListGamesRequest(), timeout=timeout, metadata=self._metadata)

    def get_components(
        self, request: pb.GetComponentsRequest, timeout: float | None = None
    ) -> pb.GetComponentsResponse:
        """Return the contents of a component set."""
        with _errors(self.address):
            return self._stub.GetComponents(request, timeout=timeout, metadata=self._metadata)

    def new_game(self, request: pb.NewGameRequest, timeout: float | None = None) -> pb.NewGameResponse:
        """Set up a game."""
        with _errors(self.address):
            return self._stub.NewGame(request, timeout=timeout, metadata=self._metadata)

    def get_moves(self, request: pb.GetMovesRequest, timeout: float | None = None) -> pb.GetMovesResponse:
        """List the legal moves or possible draws, the scores and the result."""
        with _errors(self.address):
            return self._stub.GetMoves(request, timeout=timeout, metadata=self._metadata)

    def show_board(self, request: pb.ShowBoardRequest, timeout: float | None = None) -> pb.ShowBoardResponse:
        """Draw the board as text."""
        with _errors(self.address):
            return self._stub.ShowBoard(request, timeout=timeout, metadata=self._metadata)

    def apply_move(self, request: pb.ApplyMoveRequest, timeout: float | None = None) -> pb.ApplyMoveResponse:
        """Make a move or enter a draw, then sample the draws that follow unless told to stop there."""
        with _errors(self.address):
            return self._stub.ApplyMove(request, timeout=timeout, metadata=self._metadata)

    def suggest(self, request: pb.SuggestRequest, timeout: float | None = None) -> pb.SuggestResponse:
        """Search a position."""
        with _errors(self.address):
            return self._stub.Suggest(request, timeout=timeout, metadata=self._metadata)

    def hint(self, request: pb.HintRequest, timeout: float | None = None) -> pb.HintResponse:
        """Help a person with a graded hint."""
        with _errors(self.address):
            return self._stub.Hint(request, timeout=timeout, metadata=self._metadata)

    def review_game(
        self, request: pb.ReviewGameRequest, timeout: float | None = None
    ) -> Generator[pb.ReviewGameResponse, None, None]:
        """Review a recorded game and yield one answer per step, then the summary.

        The call starts when the first answer is asked for. Closing the iterator ends it.
        """
        with _errors(self.address):
            call = self._stub.ReviewGame(request, timeout=timeout, metadata=self._metadata)
            try:
                yield from call
            finally:
                call.cancel()

    def analyze(
        self, request: pb.AnalyzeRequest, timeout: float | None = None
    ) -> Generator[pb.AnalyzeResponse, None, None]:
        """Search a position and yield improving answers, the last one marked final.

        The call starts when the first answer is asked for. Closing the iterator ends the search.
        """
        with _errors(self.address):
            call = self._stub.Analyze(request, timeout=timeout, metadata=self._metadata)
            try:
                yield from call
            finally:
                call.cancel()

    def analyze_many(
        self, requests: Iterable[pb.AnalyzeManyRequest], timeout: float | None = None
    ) -> Generator[pb.AnalyzeManyResponse, None, None]:
        """Search many positions over one stream and yield the answers, in any order.

        requests: taken by a thread of gRPC as the server takes them; the stream ends with the last answer after them.
        Each query gets exactly one answer marked final, and one without suggestion has an error. Otherwise like
        `analyze`; the stream itself is not tried again once answers have come.
        """
        with _errors(self.address):
            call = self._stub.AnalyzeMany(iter(requests), timeout=timeout, metadata=self._metadata)
            try:
                yield from call
            finally:
                call.cancel()

    def solve_solo(
        self, request: pb.SolveSoloRequest, timeout: float | None = None
    ) -> Generator[pb.SolveSoloResponse, None, None]:
        """Solve a puzzle for one player and yield improving answers, the last one marked final.

        The call starts when the first answer is asked for. Closing the iterator ends the search.
        """
        with _errors(self.address):
            call = self._stub.SolveSolo(request, timeout=timeout, metadata=self._metadata)
            try:
                yield from call
            finally:
                call.cancel()

    def start_solve(self, request: pb.StartSolveRequest, timeout: float | None = None) -> pb.StartSolveResponse:
        """Start a job. A request without an id gets a new one, so that trying again starts no second job."""
        with _errors(self.address):
            return self._stub.StartSolve(_named(request), timeout=timeout, metadata=self._metadata)

    def get_solve(self, request: pb.GetSolveRequest, timeout: float | None = None) -> pb.GetSolveResponse:
        """Return a job and the best line so far."""
        with _errors(self.address):
            return self._stub.GetSolve(request, timeout=timeout, metadata=self._metadata)

    def list_solves(
        self, request: pb.ListSolvesRequest | None = None, timeout: float | None = None
    ) -> pb.ListSolvesResponse:
        """List the caller's jobs, the latest first."""
        with _errors(self.address):
            return self._stub.ListSolves(request or pb.ListSolvesRequest(), timeout=timeout, metadata=self._metadata)

    def cancel_solve(self, request: pb.CancelSolveRequest, timeout: float | None = None) -> pb.CancelSolveResponse:
        """End a job; what it found so far stays."""
        with _errors(self.address):
            return self._stub.CancelSolve(request, timeout=timeout, metadata=self._metadata)

    def get_server_info(self, timeout: float | None = None) -> pb.GetServerInfoResponse:
        """Return the server's limits and how busy it is."""
        with _errors(self.address):
            return self._stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=timeout, metadata=self._metadata)

    def serving(self, timeout: float | None = None) -> bool:
        """Return whether the server says that it serves."""
        request = health_pb2.HealthCheckRequest(service=SERVICE)
        with _errors(self.address):
            answer = self._check(request, timeout=timeout)
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


class AsyncClient:
    """A connection to a brain server, for asyncio; otherwise like Client."""

    def __init__(
        self, address: str, *, credentials: grpc.ChannelCredentials | None = None, token: str | None = None
    ) -> None:
        self.address = address
        self._metadata = _metadata(token)
        if credentials is None:
            self._channel = grpc.aio.insecure_channel(address, OPTIONS)
        else:
            self._channel = grpc.aio.secure_channel(address, credentials, OPTIONS)
        self._stub = BrainServiceStub(self._channel)
        self._check = health_pb2_grpc.HealthStub(self._channel).Check  # type: ignore[attr-defined] # not in its stubs

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
            message = request or pb.ListGamesRequest()
            return await self._stub.ListGames(message, timeout=timeout, metadata=self._metadata)

    async def get_components(
        self, request: pb.GetComponentsRequest, timeout: float | None = None
    ) -> pb.GetComponentsResponse:
        """Return the contents of a component set."""
        with _errors(self.address):
            return await self._stub.GetComponents(request, timeout=timeout, metadata=self._metadata)

    async def new_game(self, request: pb.NewGameRequest, timeout: float | None = None) -> pb.NewGameResponse:
        """Set up a game."""
        with _errors(self.address):
            return await self._stub.NewGame(request, timeout=timeout, metadata=self._metadata)

    async def get_moves(self, request: pb.GetMovesRequest, timeout: float | None = None) -> pb.GetMovesResponse:
        """List the legal moves or possible draws, the scores and the result."""
        with _errors(self.address):
            return await self._stub.GetMoves(request, timeout=timeout, metadata=self._metadata)

    async def show_board(self, request: pb.ShowBoardRequest, timeout: float | None = None) -> pb.ShowBoardResponse:
        """Draw the board as text."""
        with _errors(self.address):
            return await self._stub.ShowBoard(request, timeout=timeout, metadata=self._metadata)

    async def apply_move(self, request: pb.ApplyMoveRequest, timeout: float | None = None) -> pb.ApplyMoveResponse:
        """Make a move or enter a draw, then sample the draws that follow unless told to stop there."""
        with _errors(self.address):
            return await self._stub.ApplyMove(request, timeout=timeout, metadata=self._metadata)

    async def suggest(self, request: pb.SuggestRequest, timeout: float | None = None) -> pb.SuggestResponse:
        """Search a position; cancelling the task ends the search."""
        with _errors(self.address):
            return await self._stub.Suggest(request, timeout=timeout, metadata=self._metadata)

    async def hint(self, request: pb.HintRequest, timeout: float | None = None) -> pb.HintResponse:
        """Help a person with a graded hint."""
        with _errors(self.address):
            return await self._stub.Hint(request, timeout=timeout, metadata=self._metadata)

    async def review_game(
        self, request: pb.ReviewGameRequest, timeout: float | None = None
    ) -> AsyncGenerator[pb.ReviewGameResponse, None]:
        """Review a recorded game and yield one answer per step, then the summary.

        The call starts when the first answer is asked for. Closing the iterator, or cancelling the task that waits for
        it, ends it.
        """
        with _errors(self.address):
            call = self._stub.ReviewGame(request, timeout=timeout, metadata=self._metadata)
            try:
                async for answer in call:
                    yield answer
            finally:
                call.cancel()

    async def analyze(
        self, request: pb.AnalyzeRequest, timeout: float | None = None
    ) -> AsyncGenerator[pb.AnalyzeResponse, None]:
        """Search a position and yield improving answers, the last one marked final.

        The call starts when the first answer is asked for. Closing the iterator, or cancelling the task that waits for
        it, ends the search.
        """
        with _errors(self.address):
            call = self._stub.Analyze(request, timeout=timeout, metadata=self._metadata)
            try:
                async for answer in call:
                    yield answer
            finally:
                call.cancel()

    async def analyze_many(
        self,
        requests: Iterable[pb.AnalyzeManyRequest] | AsyncIterable[pb.AnalyzeManyRequest],
        timeout: float | None = None,
    ) -> AsyncGenerator[pb.AnalyzeManyResponse, None]:
        """Search many positions over one stream and yield the answers, in any order.

        requests: taken as the server takes them; the stream ends with the last answer after them. Each query gets
        exactly one answer marked final, and one without suggestion has an error. Otherwise like `analyze`.
        """
        with _errors(self.address):
            messages = aiter(requests) if isinstance(requests, AsyncIterable) else iter(requests)
            call = self._stub.AnalyzeMany(messages, timeout=timeout, metadata=self._metadata)
            try:
                async for answer in call:
                    yield answer
            finally:
                call.cancel()

    async def solve_solo(
        self, request: pb.SolveSoloRequest, timeout: float | None = None
    ) -> AsyncGenerator[pb.SolveSoloResponse, None]:
        """Solve a puzzle for one player and yield improving answers, the last one marked final.

        The call starts when the first answer is asked for. Closing the iterator, or cancelling the task that waits for
        it, ends the search.
        """
        with _errors(self.address):
            call = self._stub.SolveSolo(request, timeout=timeout, metadata=self._metadata)
            try:
                async for answer in call:
                    yield answer
            finally:
                call.cancel()

    async def start_solve(self, request: pb.StartSolveRequest, timeout: float | None = None) -> pb.StartSolveResponse:
        """Start a job. A request without an id gets a new one, so that trying again starts no second job."""
        with _errors(self.address):
            return await self._stub.StartSolve(_named(request), timeout=timeout, metadata=self._metadata)

    async def get_solve(self, request: pb.GetSolveRequest, timeout: float | None = None) -> pb.GetSolveResponse:
        """Return a job and the best line so far."""
        with _errors(self.address):
            return await self._stub.GetSolve(request, timeout=timeout, metadata=self._metadata)

    async def list_solves(
        self, request: pb.ListSolvesRequest | None = None, timeout: float | None = None
    ) -> pb.ListSolvesResponse:
        """List the caller's jobs, the latest first."""
        with _errors(self.address):
            message = request or pb.ListSolvesRequest()
            return await self._stub.ListSolves(message, timeout=timeout, metadata=self._metadata)

    async def cancel_solve(
        self, request: pb.CancelSolveRequest, timeout: float | None = None
    ) -> pb.CancelSolveResponse:
        """End a job; what it found so far stays."""
        with _errors(self.address):
            return await self._stub.CancelSolve(request, timeout=timeout, metadata=self._metadata)

    async def get_server_info(self, timeout: float | None = None) -> pb.GetServerInfoResponse:
        """Return the server's limits and how busy it is."""
        with _errors(self.address):
            return await self._stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=timeout, metadata=self._metadata)

    async def serving(self, timeout: float | None = None) -> bool:
        """Return whether the server says that it serves."""
        request = health_pb2.HealthCheckRequest(service=SERVICE)
        with _errors(self.address):
            answer = await self._check(request, timeout=timeout)
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def tls(
    ca: str | Path | None = None, cert: str | Path | None = None, key: str | Path | None = None
) -> grpc.ChannelCredentials:
    """Return credentials for a connection with TLS, from PEM files.

    ca: the authority to trust; None for gRPC's own list of public ones.
    cert, key: what to show to a server that asks for a certificate.

    Raises OSError where a file cannot be read.
    """
    found = [None if path is None else Path(path).read_bytes() for path in (ca, key, cert)]
    return grpc.ssl_channel_credentials(*found)


def _metadata(token: str | None) -> tuple[tuple[str, str], ...]:
    return () if token is None else (("authorization", f"Bearer {token}"),)


def _named(request: pb.StartSolveRequest) -> pb.StartSolveRequest:
    """Return the request with an id of its own."""
    if request.request_id:
        return request
    named = pb.StartSolveRequest(request_id=str(uuid.uuid4()))
    named.task.CopyFrom(request.task)
    return named


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
    info, bad, retry = ErrorInfo(), BadRequest(), RetryInfo()
    retry_after = None
    for detail in status.details:
        if detail.Unpack(retry):
            retry_after = retry.retry_delay.ToTimedelta().total_seconds()
        elif not detail.Unpack(info):
            detail.Unpack(bad)
    violations = []
    for violation in bad.field_violations:
        reason, _, found = violation.description.partition(" (found ")
        violations.append(FieldViolation(violation.field, found.removesuffix(")"), reason))
    return BrainError(code, info.reason or code, status.message, violations, retry_after)
