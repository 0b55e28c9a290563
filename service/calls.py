"""The calls of BrainService, on the event loop; all work is done in threads.

Cheap calls and searches have pools of their own, so that neither a search nor a large message keeps other calls, such
as health checks, waiting.
"""
# ruff: noqa: N802 - gRPC names the methods
from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, ParamSpec, TypeVar

import grpc.aio
from google.protobuf.message import Message

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceServicer
from service.admission import Admission
from service.jobs import Jobs
from service.record import CALL
from service.searches import Searches
from service.settings import MESSAGE_BYTES, Settings
from service.streams import MAX_OPEN, Stream
from solver.analysis import Control, Limits
from solver.brain import VERSION, Brain, report_seconds
from solver.solving import Told

CHEAP_THREADS = 2
MAX_STREAMS = 64  # of AnalyzeMany at a time

Context = grpc.aio.ServicerContext[Any, Any]
P = ParamSpec("P")
T = TypeVar("T")


class BrainCalls(BrainServiceServicer):
    """Hands each call to the brain; raises its BrainError, to be reported by service.interceptor.

    jobs: None for a server without.
    """

    def __init__(
        self, brain: Brain, admission: Admission, searches: Searches, jobs: Jobs | None, settings: Settings
    ) -> None:
        self._brain = brain
        self._admission = admission
        self._searches = searches
        self._kept_jobs = jobs
        self._settings = settings
        self._streams = 0
        self._cheap = ThreadPoolExecutor(CHEAP_THREADS, "call")

    def close(self) -> None:
        """Give the threads back; only when no call is running."""
        self._cheap.shutdown()

    async def ListGames(self, request: pb.ListGamesRequest, context: Context) -> pb.ListGamesResponse:
        """List games, options and component sets."""
        return await self._answer(self._brain.list_games, request)

    async def GetComponents(self, request: pb.GetComponentsRequest, context: Context) -> pb.GetComponentsResponse:
        """Return the contents of a component set."""
        return await self._answer(self._brain.get_components, request)

    async def NewGame(self, request: pb.NewGameRequest, context: Context) -> pb.NewGameResponse:
        """Set up a game."""
        return await self._answer(self._brain.new_game, request)

    async def GetMoves(self, request: pb.GetMovesRequest, context: Context) -> pb.GetMovesResponse:
        """List the legal moves or possible draws, the scores and the result."""
        return await self._answer(self._brain.get_moves, request)

    async def ShowBoard(self, request: pb.ShowBoardRequest, context: Context) -> pb.ShowBoardResponse:
        """Draw the board as text."""
        return await self._answer(self._brain.show_board, request)

    async def ApplyMove(self, request: pb.ApplyMoveRequest, context: Context) -> pb.ApplyMoveResponse:
        """Make a move or enter a draw."""
        return await self._answer(self._brain.apply_move, request)

    async def Suggest(self, request: pb.SuggestRequest, context: Context) -> pb.SuggestResponse:
        """Search a position; the call's deadline ends the search in time to answer."""
        suggestion = await self._searches.run(CALL.get(), request, Control(_deadline(context)))
        return pb.SuggestResponse(suggestion=suggestion)

    async def Hint(self, request: pb.HintRequest, context: Context) -> pb.HintResponse:
        """Help a person with a graded hint."""
        control = Control(_deadline(context))
        async with self._searches.turn(CALL.get(), request, control) as turn:
            return await turn.step(self._brain.hint, request, control)

    async def ReviewGame(self, request: pb.ReviewGameRequest, context: Context) -> None:  # type: ignore[override]
        """Review a recorded game and send one answer per step, then the summary; interactive searches go first."""
        control = Control(_deadline(context))
        async with self._searches.turn(CALL.get(), request, control, batch=True) as turn:
            answers = await turn.step(self._brain.review_game, request, control)
            while (answer := await turn.step(next, answers, None)) is not None:
                await turn.send(context.write(answer))

    # A coroutine that writes, not an asynchronous generator: gRPC would leave a generator suspended after a cancel.
    async def Analyze(self, request: pb.AnalyzeRequest, context: Context) -> None:  # type: ignore[override]
        """Search a position and send improving answers, the last one marked final.

        An answer is left out while the reader has not taken the one before, so a slow reader fills no memory.
        """
        interval = report_seconds(request)
        writer = Writer[pb.Suggestion](context, lambda suggestion: pb.AnalyzeResponse(suggestion=suggestion))
        try:
            control = Control(_deadline(context))
            final = await self._searches.run(CALL.get(), request.suggest, control, interval, writer.offer)
            await writer.finish()
        except BrainError as error:
            raise error.under("suggest") from error
        finally:
            writer.cancel()
        await context.write(pb.AnalyzeResponse(suggestion=final, is_final=True))

    async def AnalyzeMany(  # type: ignore[override]
        self, requests: AsyncIterator[pb.AnalyzeManyRequest], context: Context
    ) -> None:
        """Search many positions; each query gets exactly one final answer."""
        if self._streams >= MAX_STREAMS:
            raise BrainError("RESOURCE_EXHAUSTED", "BUSY", "too many streams are open")
        self._streams += 1
        try:
            stream = Stream(CALL.get(), self._searches, self._admission, context.write, _deadline(context))
            await stream.serve(requests)
        finally:
            self._streams -= 1

    async def SolveSolo(self, request: pb.SolveSoloRequest, context: Context) -> None:  # type: ignore[override]
        """Solve a puzzle and send improving answers as Analyze does; interactive searches go first."""
        interval = report_seconds(request)
        writer = Writer[pb.Solution](context, Told().progress)
        try:
            control = Control(_deadline(context))
            final = await self._searches.solve(CALL.get(), request, control, interval, writer.offer)
            await writer.finish()
        except BrainError as error:
            raise error.under("task") from error
        finally:
            writer.cancel()
        await context.write(pb.SolveSoloResponse(solution=final, is_final=True))

    async def StartSolve(self, request: pb.StartSolveRequest, context: Context) -> pb.StartSolveResponse:
        """Start a job; the same request starts no second one."""
        return pb.StartSolveResponse(job=await self._jobs.start_solve(CALL.get(), request))

    async def GetSolve(self, request: pb.GetSolveRequest, context: Context) -> pb.GetSolveResponse:
        """Return a job of the caller's."""
        return pb.GetSolveResponse(job=await self._jobs.get_solve(CALL.get(), request))

    async def ListSolves(self, request: pb.ListSolvesRequest, context: Context) -> pb.ListSolvesResponse:
        """Return the caller's jobs."""
        return pb.ListSolvesResponse(jobs=await self._jobs.list_solves(CALL.get()))

    async def CancelSolve(self, request: pb.CancelSolveRequest, context: Context) -> pb.CancelSolveResponse:
        """End a job of the caller's."""
        return pb.CancelSolveResponse(job=await self._jobs.cancel_solve(CALL.get(), request))

    async def GetServerInfo(self, request: pb.GetServerInfoRequest, context: Context) -> pb.GetServerInfoResponse:
        """Return the server's limits and how busy it is."""
        limits, jobs = self._brain.limits, self._settings.job_limits if self._kept_jobs else Limits(0, 0, 0, 0, 0)
        return pb.GetServerInfoResponse(
            version=VERSION,
            limits=pb.ServerLimits(
                time_ms=limits.time_ms,
                visits=limits.visits,
                threads=limits.threads,
                moves_wanted=limits.moves_wanted,
                tree_mib=limits.tree_bytes >> 20,
                message_bytes=MESSAGE_BYTES,
                open_queries=MAX_OPEN,
                jobs=self._settings.max_jobs if self._kept_jobs else 0,
                job_time_ms=jobs.time_ms,
                job_mib=jobs.tree_bytes >> 20,
            ),
            places=self._admission.places,
            queue=self._admission.queue,
            tree_mib=self._settings.tree_mib,
            running=self._admission.running,
            waiting=self._admission.waiting,
        )

    @property
    def _jobs(self) -> Jobs:
        if self._kept_jobs is None:
            message = "this server keeps no jobs; its operator can set jobs_file"
            raise BrainError("FAILED_PRECONDITION", "NO_JOBS", message)
        return self._kept_jobs

    async def _answer(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._cheap, lambda: call(*args, **kwargs))


class Writer(Generic[T]):
    """Sends improving answers, leaving out those that come while the reader has not taken the one before."""

    def __init__(self, context: Context, message: Callable[[T], Message]) -> None:
        self._context = context
        self._message = message
        self._writing: asyncio.Task[None] | None = None

    def offer(self, answer: T) -> None:
        """Send an answer, or leave it out."""
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write(self._message(answer)))

    async def finish(self) -> None:
        """Wait until the last answer is taken."""
        if self._writing is not None:
            await self._writing

    def cancel(self) -> None:
        """Send nothing more."""
        if self._writing is not None:
            self._writing.cancel()

    async def _write(self, message: Message) -> None:
        await self._context.write(message)


def _deadline(context: Context) -> float | None:
    """Return when the caller must have the answer, on the clock of time.monotonic()."""
    remaining: float | None = context.time_remaining()
    return None if remaining is None else time.monotonic() + remaining
