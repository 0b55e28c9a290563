"""What a caller is told when a call fails: google.rpc.Status with details, and nothing of the server's insides."""
from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Never, TypeAlias, cast

import grpc
import grpc.aio
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb

DOMAIN = "cafebrain"
SERVICE = pb.DESCRIPTOR.services_by_name["BrainService"].full_name
DETAILS_KEY = "grpc-status-details-bin"
RETRY_SECONDS = 1
# A client takes 8 KiB of trailing metadata: the message, of which each byte may become three, and the status in base64.
MAX_MESSAGE_BYTES = 500
MAX_STATUS_BYTES = 4500

log = logging.getLogger(__name__)

Context = grpc.aio.ServicerContext[Any, Any]
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


def status_of(error: BrainError) -> Status:
    """Return the status of an error: ErrorInfo, and where they apply BadRequest and RetryInfo.

    Violations that would not fit into the metadata of an answer are left out from the end.
    """
    code: int = grpc.StatusCode[error.code].value[0]
    status = Status(code=code, message=_shortened(error.message))
    status.details.add().Pack(ErrorInfo(reason=error.reason, domain=DOMAIN))
    if error.code == "RESOURCE_EXHAUSTED":
        delay = Duration(seconds=RETRY_SECONDS)
        status.details.add().Pack(RetryInfo(retry_delay=delay))
    bad = BadRequest()
    room = MAX_STATUS_BYTES - status.ByteSize() - 100  # for the wrapping of BadRequest
    for violation in error.violations:
        description = violation.reason + (f" (found {violation.value})" if violation.value else "")
        bad.field_violations.add(field=violation.field, description=description)
        if bad.ByteSize() > room:
            del bad.field_violations[-1]
            break
    if bad.field_violations:
        status.details.add().Pack(bad)
    return status


class ErrorInterceptor(grpc.aio.ServerInterceptor):
    """Turns whatever a method of BrainService raises, and bytes that are no message, into a status with details."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Wrap the handlers of BrainService, which are coroutine functions, and leave other services alone."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or not method.startswith(f"/{SERVICE}/"):
            return handler
        parse = handler.request_deserializer
        assert parse is not None
        # gRPC's types know only the handlers of threaded servers.
        call = cast("Callable[[Any, Context], Awaitable[Any]]", handler.unary_unary or handler.unary_stream)

        async def guarded(raw: bytes, context: Context) -> Any:
            try:
                return await call(_parsed(parse, raw), context)
            except BrainError as error:
                await _refuse(context, error)
            except grpc.aio.BaseError:  # gRPC's own, such as a client that left in the middle of an answer
                raise
            except Exception:
                fault = secrets.token_hex(4)
                log.exception("fault %s in %s", fault, method)
                message = f"internal fault {fault}; the server's log says more under this id"
                await _refuse(context, BrainError("INTERNAL", "INTERNAL_FAULT", message))

        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(guarded, None, handler.response_serializer)
        return grpc.unary_unary_rpc_method_handler(guarded, None, handler.response_serializer)


def _parsed(parse: Callable[[bytes], Any], raw: bytes) -> Any:
    try:
        return parse(raw)
    except DecodeError:
        raise BrainError("INVALID_ARGUMENT", "MALFORMED_MESSAGE", "the request is not this call's message") from None


async def _refuse(context: Context, error: BrainError) -> Never:
    status = status_of(error)
    details = ((DETAILS_KEY, status.SerializeToString()),)
    await context.abort(grpc.StatusCode[error.code], status.message, details)


def _shortened(message: str) -> str:
    raw = message.encode()
    if len(raw) <= MAX_MESSAGE_BYTES:
        return message
    return raw[: MAX_MESSAGE_BYTES - 3].decode(errors="ignore") + "…"
