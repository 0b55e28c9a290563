"""Component sets for tests: the built-in ones and a deliberately odd one."""
from __future__ import annotations

from pathlib import Path

from engines.gatto.engine import ENGINE
from engines.library import Entry, Library

ODD_GATTO = Path(__file__).parent / "data" / "gatto_odd.toml"
SCARCE_GATTO = Path(__file__).parent / "data" / "gatto_scarce.toml"
ODD_CAFE = Path(__file__).parent / "data" / "cafe_odd.toml"


def gatto_entries() -> dict[str, Entry]:
    """Return every set of Café del Gatto the tests run on, by id."""
    library = Library()
    for path in (ODD_GATTO, SCARCE_GATTO):
        library.add_file(path)
    return {entry.components.id: entry for entry in library.entries(ENGINE.id)}


def cafe_entries() -> dict[str, Entry]:
    """Return every set of Café the tests run on, by id."""
    library = Library()
    library.add_file(ODD_CAFE)
    return {entry.components.id: entry for entry in library.entries("cafe")}
