"""Café."""
from engines.cafe.engine import ENGINE

__all__ = ["ENGINE"]
