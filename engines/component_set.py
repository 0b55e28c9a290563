"""Component sets: the printed part of a game as data.

A set is one TOML file. Every file has the keys `game`, `id`, `name` and a table `provenance` with one entry
`GROUP = { source = "...", note = "..." }` per group of figures; the rest belongs to the game, whose parser checks it
and turns it into the object its engine reads.
"""
from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

SOURCES = ("rulebook", "derived", "public", "owners", "reconstructed")
MAX_FILE_BYTES = 1 << 20
SHOWN = 60  # characters of a faulty value that are repeated

T = TypeVar("T")


@dataclass(frozen=True)
class Fault:
    """One fault of a component file; a warning does not keep the set from being used."""

    key: str  # such as "cups.cappuccino.spaces"
    reason: str
    warning: bool = False


def found(value: object) -> str:
    """Return what a fault says of the value found, shortened; None for a key that is not there."""
    if value is None:
        return "missing"
    shown = repr(value)
    return f"found {shown if len(shown) <= SHOWN else shown[:SHOWN] + '…'}"


class Faults:
    """Collects every fault of one file, so that an owner sees all of them at once."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def error(self, key: str, reason: str) -> None:
        """Note a fault."""
        self.found.append(Fault(key, reason))

    def warning(self, key: str, reason: str) -> None:
        """Note something unusual that does not keep the set from being used."""
        self.found.append(Fault(key, reason, warning=True))

    @property
    def failed(self) -> bool:
        """Whether there is any fault that is not just a warning."""
        return any(not fault.warning for fault in self.found)

    def integer(self, table: dict[str, Any], key: str, low: int, high: int, prefix: str = "") -> int:
        """Return the integer `table[key]`; note a fault and return `low` where it is none in low..high."""
        value = table.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.error(prefix + key, f"wants an integer from {low} to {high}; {found(value)}")
        return low

    def integers(self, table: dict[str, Any], key: str, low: int, high: int, prefix: str = "") -> list[int]:
        """Return the list of integers `table[key]`; note a fault and return [] where it is none in low..high."""
        value = table.get(key)
        if isinstance(value, list) and all(type(item) is int and low <= item <= high for item in value):
            return value
        self.error(prefix + key, f"wants a list of integers from {low} to {high}; {found(value)}")
        return []

    def text(self, table: dict[str, Any], key: str, prefix: str = "") -> str:
        """Return the text `table[key]`; note a fault and return "" where it is none of one line."""
        value = table.get(key)
        if isinstance(value, str) and value and value.isprintable():
            return value
        self.error(prefix + key, f"wants a text of one line; {found(value)}")
        return ""

    def table(self, table: dict[str, Any], key: str, prefix: str = "") -> dict[str, Any]:
        """Return the table `table[key]`; note a fault and return {} where it is none."""
        value = table.get(key)
        if isinstance(value, dict):
            return value
        self.error(prefix + key, f"wants a table; {found(value)}")
        return {}

    def tables(self, table: dict[str, Any], key: str, prefix: str = "") -> list[dict[str, Any]]:
        """Return the list of tables `table[key]`; note a fault and return [] where it is none."""
        value = table.get(key)
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return value
        self.error(prefix + key, f"wants a list of tables; {found(value)}")
        return []

    def unknown_keys(self, table: dict[str, Any], known: set[str], prefix: str = "") -> None:
        """Note every key of `table` that means nothing: most are misspelt."""
        for key in table:
            if key not in known:
                self.error(prefix + key, f"unknown key; known here: {', '.join(sorted(known))}")


class ComponentError(Exception):
    """A component file that cannot be used; `str()` names file, key and reason of every fault."""

    def __init__(self, path: Path | str, faults: list[Fault]) -> None:
        self.path = str(path)
        self.faults = faults
        super().__init__("\n".join(f"{path}: {fault.key}: {fault.reason}" for fault in faults if not fault.warning))


@dataclass(frozen=True)
class Origin:
    """Where one group of figures comes from."""

    group: str
    source: str  # one of SOURCES
    note: str


@dataclass(frozen=True)
class ComponentSet(Generic[T]):
    """A loaded component set."""

    game: str
    id: str
    name: str
    hash: str  # 16 hexadecimal digits over the contents; layout and comments of the file do not matter
    provenance: tuple[Origin, ...]
    contents: T
    warnings: tuple[Fault, ...]

    @property
    def reconstructed(self) -> bool:
        """Whether any group of figures was chosen by us."""
        return any(origin.source == "reconstructed" for origin in self.provenance)


HEADER = {"game", "id", "name", "provenance"}


def read_toml(path: Path) -> dict[str, Any]:
    """Return the parsed file.

    Raises ComponentError where it cannot be read.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise ComponentError(path, [Fault("(file)", f"larger than {MAX_FILE_BYTES} bytes")])
        return tomllib.loads(raw.decode("utf-8"))
    except OSError as error:
        raise ComponentError(path, [Fault("(file)", f"cannot be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        raise ComponentError(path, [Fault("(file)", "is not UTF-8 text")]) from error
    except (ValueError, RecursionError) as error:  # a number of too many digits is a bare ValueError
        raise ComponentError(path, [Fault("(file)", f"is not TOML: {error}")]) from error


def parse_set(
    data: dict[str, Any], path: Path | str, game: str, parse: Callable[[dict[str, Any], Faults], T]
) -> ComponentSet[T]:
    """Turn the parsed file into a component set of `game`.

    parse: checks the keys that belong to the game and returns the contents; its result is dropped where it notes a
    fault. Raises ComponentError with every fault.
    """
    faults = Faults()
    if data.get("game") != game:
        faults.error("game", f"wants {game!r}; {found(data.get('game'))}")
    id_ = faults.text(data, "id")
    if id_ and not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}", id_):
        faults.error("id", f"wants 1 to 40 of a-z, 0-9, - and _; {found(id_)}")
    name = faults.text(data, "name")
    provenance = []
    origins = faults.table(data, "provenance")
    if not origins:
        faults.error("provenance", "wants at least one group of figures with its source")
    for group, entry in origins.items():
        prefix = f"provenance.{group}."
        if not isinstance(entry, dict):
            faults.error(f"provenance.{group}", f"wants a table with source and note; {found(entry)}")
            continue
        faults.unknown_keys(entry, {"source", "note"}, prefix)
        source = faults.text(entry, "source", prefix)
        if source and source not in SOURCES:
            faults.error(prefix + "source", f"wants one of {', '.join(SOURCES)}; {found(source)}")
        provenance.append(Origin(group, source, faults.text(entry, "note", prefix)))
    contents = parse({key: value for key, value in data.items() if key not in HEADER}, faults)
    if faults.failed:
        raise ComponentError(path, faults.found)
    return ComponentSet(game, id_, name, content_hash(data), tuple(provenance), contents, tuple(faults.found))


def content_hash(data: dict[str, Any]) -> str:
    """Return 16 hexadecimal digits over everything but id, name and provenance."""
    contents = {key: value for key, value in data.items() if key not in ("id", "name", "provenance")}
    canonical = json.dumps(contents, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
