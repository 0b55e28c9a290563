"""The calls of BrainService, on the event loop; all work is done in threads.

Cheap calls and searches have pools of their own, so that neither a search nor a large message keeps other calls, such
as health checks, waiting.
"""
# ruff: noqa: N802 - gRPC names the methods
from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

import grpc.aio

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1.brain_service_pb2_grpc import BrainServiceServicer
from service.admission import Admission
from solver.analysis import Control
from solver.brain import Brain

CHEAP_THREADS = 2

Context = grpc.aio.ServicerContext[Any, Any]
P = ParamSpec("P")
T = TypeVar("T")


class BrainCalls(BrainServiceServicer):
    """Hands each call to the brain; raises its BrainError, to be reported by service.errors.ErrorInterceptor."""

    def __init__(self, brain: Brain, admission: Admission) -> None:
        self._brain = brain
        self._admission = admission
        self._cheap = ThreadPoolExecutor(CHEAP_THREADS, "call")
        self._searches = ThreadPoolExecutor(admission.places, "search")

    def close(self) -> None:
        """Give the threads back; only when no call is running."""
        self._cheap.shutdown()
        self._searches.shutdown()

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
        control = _control(context)
        async with self._admission.place(control, request.threads):
            return await self._search(control, self._brain.suggest, request, control)

    async def Hint(self, request: pb.HintRequest, context: Context) -> pb.HintResponse:
        """Help a person with a graded hint."""
        control = _control(context)
        async with self._admission.place(control, 1):
            return await self._search(control, self._brain.hint, request, control)

    async def ReviewGame(self, request: pb.ReviewGameRequest, context: Context) -> None:  # type: ignore[override]
        """Review a recorded game and send one answer per step, then the summary."""
        control = _control(context)
        async with self._admission.place(control, 1):
            answers = await self._search(control, self._brain.review_game, request, control)
            while (answer := await self._search(control, next, answers, None)) is not None:
                await context.write(answer)

    # A coroutine that writes, not an asynchronous generator: gRPC would leave a generator suspended after a cancel.
    async def Analyze(self, request: pb.AnalyzeRequest, context: Context) -> None:  # type: ignore[override]
        """Search a position and send improving answers, the last one marked final.

        The search pauses while an answer is sent, so a slow reader holds up its own search and fills no memory.
        """
        control = _control(context)
        async with self._admission.place(control, request.suggest.threads):
            answers = await self._search(control, self._brain.analyze, request, control)
            final = False
            while not final:
                answer = await self._search(control, next, answers)
                final = answer.is_final
                await context.write(answer)

    async def _answer(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._cheap, lambda: call(*args, **kwargs))

    async def _search(self, control: Control, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step of a search in a thread; when the call is cancelled, end the step before giving way."""
        running = asyncio.get_running_loop().run_in_executor(self._searches, lambda: step(*args, **kwargs))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            control.stop()
            await asyncio.wait({running})
            raise


def _control(context: Context) -> Control:
    remaining: float | None = context.time_remaining()
    return Control(None if remaining is None else time.monotonic() + remaining)
