"""The games this brain knows. Adding a game adds one line here."""
from __future__ import annotations

from engines import cafe, campus, connect_four, gatto
from engines.engine import Engine

ENGINES: dict[str, Engine] = {
    engine.id: engine for engine in (gatto.ENGINE, cafe.ENGINE, campus.ENGINE, connect_four.ENGINE)
}
