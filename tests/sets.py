"""Component sets for tests: the built-in ones and a deliberately odd one."""
from __future__ import annotations

from pathlib import Path

from engines.gatto.engine import ENGINE
from engines.library import Entry, Library

ODD_GATTO = Path(__file__).parent / "data" / "gatto_odd.toml"
SCARCE_GATTO = Path(__file__).parent / "data" / "gatto_scarce.toml"


def gatto_entries() -> dict[str, Entry]:
    """Return every set of Café del Gatto the tests run on, by id."""
    library = Library()
    for path in (ODD_GATTO, SCARCE_GATTO):
        library.add_file(path)
    return {entry.components.id: entry for entry in library.entries(ENGINE.id)}
