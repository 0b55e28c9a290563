"""Errors of the brain: the same ones in-process and through the client."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_VIOLATIONS = 20  # more would not fit into the trailing metadata of a gRPC answer


@dataclass(frozen=True)
class FieldViolation:
    """One fault of a request."""

    field: str  # path, such as "state.gatto.players[1].coins"
    value: str  # the value found there, shortened
    reason: str  # what is wrong with it

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}" + (f" (found {self.value})" if self.value else "")


class BrainError(Exception):
    """A request the brain refused.

    code: name of the gRPC status code, such as "INVALID_ARGUMENT".
    reason: stable name of the fault for programs, such as "INVALID_STATE".
    violations: the faulty fields, at most MAX_VIOLATIONS.
    retry_after: seconds after which the server suggests to try again; None where it does not.
    """

    def __init__(
        self,
        code: str,
        reason: str,
        message: str,
        violations: Sequence[FieldViolation] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.violations = tuple(violations[:MAX_VIOLATIONS])
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.reason, self.message, self.violations, self.retry_after)

    def under(self, field: str) -> BrainError:
        """Return the same error with its paths below `field`, for a message that holds the faulty one."""
        moved = [FieldViolation(f"{field}.{fault.field}", fault.value, fault.reason) for fault in self.violations]
        message = self.message
        if moved:  # the message speaks of the first fault
            message = message.replace(self.violations[0].field, moved[0].field, 1)
        return BrainError(self.code, self.reason, message, moved, self.retry_after)
