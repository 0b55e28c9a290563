"""What a Python front-end imports: the generated messages and stubs in cafebrain.v1, the clients and the errors."""
from typing import TYPE_CHECKING, Any

from cafebrain.errors import BrainError, FieldViolation

if TYPE_CHECKING:
    from cafebrain.client import AsyncClient, Client, tls

__all__ = ["AsyncClient", "BrainError", "Client", "FieldViolation", "tls"]


def __getattr__(name: str) -> Any:
    """Load the clients, and gRPC with them, only where they are used."""
    if name in ("AsyncClient", "Client", "tls"):
        from cafebrain import client

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
