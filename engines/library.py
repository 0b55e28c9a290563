"""Component sets at hand: those that come with the engines and those a user adds."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cafebrain.errors import BrainError, FieldViolation
from cython_ext.game import Game
from engines.component_set import ComponentError, ComponentSet, Fault, found, read_toml
from engines.engine import Engine
from engines.registry import ENGINES
from engines.violations import shown


@dataclass(frozen=True)
class Entry:
    """A component set and the native rules with it loaded."""

    engine: Engine
    components: ComponentSet[Any]
    game: Game


class Library:
    """Engines and component sets by id."""

    def __init__(self) -> None:
        self._entries: dict[str, dict[str, Entry]] = {id_: {} for id_ in ENGINES}
        for engine in ENGINES.values():
            for path in engine.built_in_sets():
                self._add(engine, path)

    def add_file(self, path: Path) -> ComponentSet[Any]:
        """Load a user's component file; it replaces no set that is there already.

        Raises ComponentError with every fault.
        """
        game = read_toml(path).get("game")
        if not isinstance(game, str) or game not in ENGINES:
            raise ComponentError(path, [Fault("game", f"wants one of {', '.join(ENGINES)}; {found(game)}")])
        return self._add(ENGINES[game], path)

    def add_directory(self, directory: Path) -> list[ComponentSet[Any]]:
        """Load every *.toml file of a directory.

        Raises ComponentError where the directory or one of its files cannot be used.
        """
        if not directory.is_dir():
            raise ComponentError(directory, [Fault("(directory)", "is not a directory")])
        return [self.add_file(path) for path in sorted(directory.glob("*.toml"))]

    def games(self) -> list[str]:
        """Return the ids of all games."""
        return list(ENGINES)

    def engine(self, game: str) -> Engine:
        """Return the engine of a game.

        Raises BrainError NOT_FOUND.
        """
        if game not in ENGINES:
            reason = f"unknown game; known: {', '.join(ENGINES)}"
            found = shown(game)
            raise BrainError(
                "NOT_FOUND", "UNKNOWN_GAME", f"game {found!r}: {reason}", [FieldViolation("game", found, reason)]
            )
        return ENGINES[game]

    def entries(self, game: str) -> list[Entry]:
        """Return the component sets of a game, the default first."""
        engine = self.engine(game)
        return sorted(self._entries[game].values(), key=lambda entry: entry.components.id != engine.default_set)

    def entry(self, game: str, set_id: str, set_hash: str, field: str) -> Entry:
        """Return a component set by id (empty: the default) and, unless empty, content hash.

        field: path of the reference in the request. Raises BrainError: INVALID_ARGUMENT for an unknown
        set, FAILED_PRECONDITION naming both hashes where they differ.
        """
        engine = self.engine(game)
        sets = self._entries[game]
        entry = sets.get(set_id or engine.default_set)
        if entry is None:
            reason = f"unknown component set of {game}; known: {', '.join(sorted(sets))}"
            raise BrainError(
                "INVALID_ARGUMENT",
                "UNKNOWN_COMPONENT_SET",
                f"component set {shown(set_id)!r}: {reason}",
                [FieldViolation(f"{field}.id", shown(set_id), reason)],
            )
        if set_hash and set_hash != entry.components.hash:
            known = entry.components
            reason = f"component set {known.id!r} has hash {known.hash} here, not {shown(set_hash)}"
            raise BrainError(
                "FAILED_PRECONDITION",
                "COMPONENT_SET_MISMATCH",
                reason,
                [FieldViolation(f"{field}.hash", shown(set_hash), reason)],
            )
        return entry

    def _add(self, engine: Engine, path: Path) -> ComponentSet[Any]:
        components = engine.load(path)
        known = self._entries[engine.id].get(components.id)
        if known is not None and known.components.hash != components.hash:
            reason = f"there is another set {components.id!r} of {engine.id} with hash {known.components.hash}"
            raise ComponentError(path, [Fault("id", reason + "; choose an id of its own")])
        if known is None:
            self._entries[engine.id][components.id] = Entry(engine, components, engine.game(components))
        return components
