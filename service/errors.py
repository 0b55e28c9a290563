"""What a caller is told when a call fails: google.rpc.Status with details, and nothing of the server's insides."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Never

import grpc
import grpc.aio
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from cafebrain.errors import BrainError, FieldViolation
from cafebrain.v1 import brain_service_pb2 as pb

DOMAIN = "cafebrain"
SERVICE = pb.DESCRIPTOR.services_by_name["BrainService"].full_name
DETAILS_KEY = "grpc-status-details-bin"
RETRY_HELPS = ("RESOURCE_EXHAUSTED", "UNAVAILABLE")
RETRY_SECONDS = 1
# A client takes 8 KiB of trailing metadata: the message, of which each byte may become three, and the status in base64.
MAX_MESSAGE_BYTES = 500
MAX_STATUS_BYTES = 4500

Context = grpc.aio.ServicerContext[Any, Any]


def status_of(error: BrainError) -> Status:
    """Return the status of an error: ErrorInfo, and where they apply BadRequest and RetryInfo.

    Violations that would not fit into the metadata of an answer are left out from the end.
    """
    code: int = grpc.StatusCode[error.code].value[0]
    status = Status(code=code, message=_shortened(error.message))
    status.details.add().Pack(ErrorInfo(reason=error.reason, domain=DOMAIN))
    if error.code in RETRY_HELPS:
        delay = Duration(seconds=RETRY_SECONDS)
        status.details.add().Pack(RetryInfo(retry_delay=delay))
    bad = BadRequest()
    room = MAX_STATUS_BYTES - status.ByteSize() - 100  # for the wrapping of BadRequest
    for violation in error.violations:
        bad.field_violations.add(field=violation.field, description=described(violation))
        if bad.ByteSize() > room:
            del bad.field_violations[-1]
            break
    if bad.field_violations:
        status.details.add().Pack(bad)
    return status


def query_error(error: BrainError) -> pb.QueryError:
    """Return an error as AnalyzeMany reports it."""
    return pb.QueryError(
        code=grpc.StatusCode[error.code].value[0],
        reason=error.reason,
        message=_shortened(error.message),
        faults=[
            pb.FieldFault(field=violation.field, description=described(violation)) for violation in error.violations
        ],
        retry_after_ms=1000 * RETRY_SECONDS if error.code in RETRY_HELPS else 0,
    )


def fault(id_: str) -> BrainError:
    """Return the error for an unexpected fault; its id is in the log."""
    message = f"internal fault {id_}; the server's log says more under this id"
    return BrainError("INTERNAL", "INTERNAL_FAULT", message)


def described(violation: FieldViolation) -> str:
    """Return what is wrong with a field, and what was found there."""
    return violation.reason + (f" (found {violation.value})" if violation.value else "")


def parsed(parse: Callable[[bytes], Any], raw: bytes) -> Any:
    """Return the message in bytes.

    Raises BrainError INVALID_ARGUMENT where there is none.
    """
    try:
        return parse(raw)
    except DecodeError:
        raise BrainError("INVALID_ARGUMENT", "MALFORMED_MESSAGE", "the request is not this call's message") from None


async def refuse(context: Context, error: BrainError) -> Never:
    """End a call with an error and its details."""
    status = status_of(error)
    details = ((DETAILS_KEY, status.SerializeToString()),)
    await context.abort(grpc.StatusCode[error.code], status.message, details)


def _shortened(message: str) -> str:
    raw = message.encode()
    if len(raw) <= MAX_MESSAGE_BYTES:
        return message
    return raw[: MAX_MESSAGE_BYTES - 3].decode(errors="ignore") + "…"
