"""Café del Gatto."""
from engines.gatto.engine import ENGINE

__all__ = ["ENGINE"]
