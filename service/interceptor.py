"""What every call goes through: credentials, errors with details, one line in the log, metrics, the trace."""
from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

import grpc
import grpc.aio

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from service.credentials import Caller, Tokens
from service.errors import SERVICE, fault, parsed, refuse
from service.metrics import Metrics
from service.record import CALL, Call
from service.tracing import Tracing

MAX_CALLS = 1000  # open at a time; more are refused
HEALTH = "/grpc.health.v1.Health/"  # open to all: whoever restarts or balances servers has no token
METHODS = {f"/{SERVICE}/{method.name}" for method in pb.DESCRIPTOR.services_by_name["BrainService"].methods}

log = logging.getLogger("cafebrain.calls")

Context = grpc.aio.ServicerContext[Any, Any]
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class CallInterceptor(grpc.aio.ServerInterceptor):
    """Wraps the handlers of BrainService, and asks for a token everywhere but at the health service.

    tokens: None to let anyone call.
    """

    def __init__(self, metrics: Metrics, tokens: Tokens | None = None, tracing: Tracing | None = None) -> None:
        self.open_calls = 0
        self._metrics = metrics
        self._tokens = tokens
        self._tracing = tracing

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Return the handler of a call, wrapped."""
        path = handler_call_details.method
        if path.startswith(HEALTH):
            return await continuation(handler_call_details)
        metadata = {key: value for key, value in handler_call_details.invocation_metadata if isinstance(value, str)}
        call = Call(secrets.token_hex(4), path.rpartition("/")[2] if path in METHODS else "other")
        if self._tokens is not None:
            try:
                call.caller = self._tokens.caller(metadata.get("authorization", ""))
            except BrainError as error:
                return self._refusal(call, error, metadata)
        handler = await continuation(handler_call_details)
        if handler is None or path not in METHODS:
            return handler
        return self._wrapped(handler, call, metadata)

    def _wrapped(self, handler: Handler, call: Call, metadata: Mapping[str, str]) -> Handler:
        parse = handler.request_deserializer
        assert parse is not None
        if handler.request_streaming:
            answer = cast("Callable[[Any, Context], Awaitable[Any]]", handler.stream_stream)

            async def stream(raw: AsyncIterator[bytes], context: Context) -> None:
                requests = (parsed(parse, message) async for message in raw)
                await self._guarded(call, context, metadata, lambda: answer(requests, context))

            return grpc.stream_stream_rpc_method_handler(stream, None, handler.response_serializer)
        # gRPC's types know only the handlers of threaded servers.
        reply = cast("Callable[[Any, Context], Awaitable[Any]]", handler.unary_unary or handler.unary_stream)

        async def one(raw: bytes, context: Context) -> Any:
            return await self._guarded(call, context, metadata, lambda: reply(parsed(parse, raw), context))

        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(one, None, handler.response_serializer)
        return grpc.unary_unary_rpc_method_handler(one, None, handler.response_serializer)

    def _refusal(self, call: Call, error: BrainError, metadata: Mapping[str, str]) -> Handler:
        """Return a handler, of a shape that fits every call, that only refuses."""

        async def refusal(_: AsyncIterator[bytes], context: Context) -> None:
            async def nothing() -> None:
                raise error

            await self._guarded(call, context, metadata, nothing)

        return grpc.stream_stream_rpc_method_handler(refusal)

    async def _guarded(
        self, call: Call, context: Context, metadata: Mapping[str, str], answer: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Answer a call; turn whatever it raises into a status with details; report it."""
        CALL.set(call)
        call.client = _client(call.caller, context)
        began = time.monotonic()
        self.open_calls += 1
        try:
            if self.open_calls > MAX_CALLS:
                raise BrainError("RESOURCE_EXHAUSTED", "BUSY", "too many calls are open")
            return await answer()
        except BrainError as error:
            call.outcome, call.reason = error.code, error.reason
            await refuse(context, error)
        except asyncio.CancelledError:
            left: float | None = context.time_remaining()
            call.outcome = "CANCELLED" if left is None or left > 0 else "DEADLINE_EXCEEDED"
            raise
        except grpc.aio.BaseError:  # gRPC's own, such as a client that left in the middle of an answer
            call.outcome = "CANCELLED"
            raise
        except Exception:
            call.outcome, call.reason = "INTERNAL", "INTERNAL_FAULT"
            log.exception("fault %s", call.id, extra={"fields": {"method": call.method}})
            await refuse(context, fault(call.id))
        finally:
            self.open_calls -= 1
            call.seconds = time.monotonic() - began
            self._report(call, metadata)

    def _report(self, call: Call, metadata: Mapping[str, str]) -> None:
        self._metrics.calls.labels(call.method, call.outcome).inc()
        self._metrics.call_seconds.labels(call.method).observe(call.seconds)
        log.info("call", extra={"fields": call.fields()})
        if self._tracing is not None:
            self._tracing.report(call, metadata)


def _client(caller: Caller, context: Context) -> str:
    """Return who calls: a token's name, a certificate's, or the address without its port."""
    if caller.name:
        return caller.name
    for name in context.auth_context().get("x509_common_name", ()):
        return name.decode(errors="replace")
    return unquote(context.peer()).rpartition(":")[0]
