"""What was found on each deck, in memory and, in a run folder, in a journal: settings, then results as they came."""
from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cafebrain_cli.exits import Refused
from solver.journal import Journal, read_journal
from solver.solve_jobs import Result, Task

FORMAT = 2
MUST_MATCH = "made with {}; resume with the same settings or choose another folder"


@dataclass
class Deck:
    """What is known of one deck. Seconds and nodes are of all runs together."""

    number: int
    last: Result
    curve: list[tuple[float, float | None, float | None]] = field(default_factory=list)  # seconds, score, bound
    before: tuple[float, int] = (0.0, 0)  # seconds and nodes of the runs before this one

    @property
    def done(self) -> bool:
        """Whether it had all its time, or is proven."""
        return self.last.final and not self.last.stopped


class Run:
    """The decks of one run, open or closed.

    path: the file that keeps them; None for memory only. settings: JSON values that decide what comes of a deck.
    """

    def __init__(self, settings: dict[str, Any], path: Path | None = None) -> None:
        self.settings = {"record": "settings", "format": FORMAT, **settings}
        self.path = path
        self.decks: dict[int, Deck] = {}
        self.torn = False  # whether the last line was cut off by a kill, and dropped
        self._journal: Journal | None = None
        self._begun = False  # whether the settings are in the file

    def open(self, resume: bool) -> None:
        """Read what an earlier run has left, and claim the file.

        Raises Refused where there is something and `resume` is not set, or it was made with other settings.
        """
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._journal = Journal(self.path)
        except FileExistsError as error:
            raise Refused(f"{self.path.parent}: is no folder") from error
        except OSError as error:
            raise Refused(f"{self.path}: cannot be written: {error.strerror}") from error
        except ValueError as error:
            raise Refused(f"{self.path}: {error}") from error
        self.torn, records = self._journal.torn, self._journal.records
        if records and not resume:
            raise Refused(f"{self.path}: holds a run already; go on with --resume, or choose another folder")
        if records:
            self._check(records[0])
        self._read(records)
        for deck in self.decks.values():
            deck.before = (deck.last.seconds, deck.last.nodes)
        self._begun = bool(records)

    def close(self) -> None:
        """Give the file back."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def task(self, task: Task) -> Task | None:
        """Return what is left to do of a task, with the best that is known of it; None where it is done."""
        deck = self.decks.get(task.number)
        if deck is None:
            return task
        if deck.done:
            return None
        known = replace(task, line=deck.last.line, bound=math.inf if deck.last.bound is None else deck.last.bound)
        if task.closed:
            return known
        seconds, nodes = deck.before
        return replace(
            known,
            seconds=max(0.0, task.seconds - seconds),
            nodes=None if task.nodes is None else max(1, task.nodes - nodes),
        )

    def note(self, result: Result) -> Deck:
        """Take a result in and keep it; return all that is known of its deck."""
        deck = self.decks.get(result.number)
        if deck is not None:
            seconds, nodes = deck.before
            result = replace(result, seconds=result.seconds + seconds, nodes=result.nodes + nodes)
        known = deck.last.line if deck is not None else ()
        if self._journal is not None:
            if not self._begun:
                self._journal.append(self.settings)
                self._begun = True
            self._journal.append(_record(result, result.line != known))
        return self._take(result)

    def finished(self) -> list[Deck]:
        """Return the decks that are done, by number."""
        return [deck for _, deck in sorted(self.decks.items()) if deck.done]

    def _take(self, result: Result) -> Deck:
        deck = self.decks.setdefault(result.number, Deck(result.number, result))
        deck.last = result
        deck.curve.append((result.seconds, result.score, result.bound))
        return deck

    def _check(self, found: dict[str, Any]) -> None:
        if found.get("record") != "settings":
            raise Refused(f"{self.path}: line 1 is no record of 'cafebrain solve'")
        other = [key for key in {**self.settings, **found} if found.get(key) != self.settings.get(key)]
        if other:
            made = ", ".join(f"{key} {json.dumps(found.get(key))}, not {json.dumps(self.settings[key])}"
                             if key in self.settings else f"{key} {json.dumps(found[key])}" for key in other)
            raise Refused(f"{self.path}: {MUST_MATCH.format(made)}")

    def _moves(self, record: dict[str, Any]) -> tuple[int, ...]:
        """Return the line of a record; where it has none, it is the one before."""
        if "moves" in record:
            return tuple(record["moves"])
        deck = self.decks.get(record["deck"])
        return deck.last.line if deck is not None else ()

    def _read(self, records: Sequence[dict[str, Any]]) -> None:
        """Take in the records of an earlier run."""
        for number, record in enumerate(records, 1):
            try:
                if number == 1:
                    known = record["record"] == "settings"
                else:
                    known = record["record"] in ("progress", "result")
                    self._take(_result(record, self._moves(record)))
            except (KeyError, TypeError) as error:
                raise Refused(f"{self.path}: line {number} is no record of 'cafebrain solve'") from error
            if not known:
                raise Refused(f"{self.path}: line {number} is no record of 'cafebrain solve'")


def read_run(path: Path) -> Run | None:
    """Return the run in a file as it stands; None where there is none. A torn last line is left out."""
    try:
        records = read_journal(path)
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise Refused(f"{path}: {error}") from error
    if not records:
        return None
    run = Run({}, path)
    run.settings = records[0]
    run._read(records)
    return run


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there as a whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {error.strerror}") from error


def _record(result: Result, with_moves: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "record": "result" if result.final else "progress",
        "deck": result.number,
        "score": result.score,
        "upperBound": result.bound,
        "nodes": result.nodes,
        "seconds": round(result.seconds, 3),
        "phase": result.phase,
        "proven": result.proven,
    }
    if result.final:
        record["stopped"] = result.stopped
    if with_moves:
        record["moves"] = result.line
    return record


def _result(record: dict[str, Any], line: tuple[int, ...]) -> Result:
    """Return what a record says. Raises KeyError where something lacks."""
    return Result(
        number=record["deck"],
        score=record["score"],
        bound=record["upperBound"],
        line=line,
        nodes=record["nodes"],
        seconds=record["seconds"],
        phase=record["phase"],
        proven=record["proven"],
        final=record["record"] == "result",
        stopped=record.get("stopped", False),
    )
