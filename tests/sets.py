"""Component sets for tests: the built-in ones and a deliberately odd one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engines.campus import components as campus_components
from engines.campus.engine import ENGINE as CAMPUS
from engines.campus.rules import CampusGame
from engines.component_set import parse_set, read_toml
from engines.gatto.engine import ENGINE
from engines.library import Entry, Library

ODD_GATTO = Path(__file__).parent / "data" / "gatto_odd.toml"
SCARCE_GATTO = Path(__file__).parent / "data" / "gatto_scarce.toml"
ODD_CAFE = Path(__file__).parent / "data" / "cafe_odd.toml"
WRITTEN_CAFE = Path(__file__).parent / "data" / "cafe_written.toml"
OTHER_CAMPUS = Path(__file__).parent / "data" / "campus_other.toml"


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


def written_cafe() -> Entry:
    """Return the set of Café that positions written out in tests are made of."""
    library = Library()
    library.add_file(WRITTEN_CAFE)
    return library.entry("cafe", "written", "", "set")


def campus_games() -> dict[str, CampusGame]:
    """Return Campus Café with every set the tests run on, by id: the built-in one, another deck, and that deck on a
    board on which dice often cannot be placed and resources run out."""
    folder = Path(campus_components.__file__).parent / "components"
    sets = [
        parse_set(read_toml(path), path, "campus", CAMPUS.parse_components)
        for path in (folder / "reconstructed.toml", OTHER_CAMPUS)
    ]
    space = campus_components.Space
    cramped = {
        "supply": ((4, 3, 2, 2, 2), (4, 4, 3, 2, 2), (5, 4, 3, 3, 2), (5, 5, 3, 3, 2)),
        "spaces": (
            space("red", give="HCS", money=1),
            space("blue", source="EHMSC", target="EHMSC", times=3),
            space("blue", source="EH", target="MSC", times=3),
            space("red", give="EEM"),
        ),
    }
    contents = sets[1].contents
    contents = replace(
        contents, basic=replace(contents.basic, **cramped), advanced=replace(contents.advanced, **cramped)
    )
    sets.append(replace(sets[1], id="cramped", contents=contents))
    return {components.id: CampusGame(components) for components in sets}
