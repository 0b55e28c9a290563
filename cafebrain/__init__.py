"""What a Python front-end imports: the generated messages and stubs in cafebrain.v1, the clients and the errors."""
from cafebrain.client import AsyncClient, Client
from cafebrain.errors import BrainError, FieldViolation

__all__ = ["AsyncClient", "BrainError", "Client", "FieldViolation"]
