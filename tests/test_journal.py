"""Journals: what was appended is there after a kill, at whatever byte the last line was cut."""
from __future__ import annotations

import os
from pathlib import Path

import pytest

from solver.journal import Journal, read_journal

RECORDS = [{"record": "settings"}, {"a": [1, 2], "b": "ž"}, {"a": None}]


def test_records_come_back_whatever_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    ends = [0]
    for record in RECORDS:
        journal.append(record)
        ends.append(path.stat().st_size)
    journal.close()
    data = path.read_bytes()
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        whole = sum(end <= length for end in ends) - 1
        assert read_journal(path) == RECORDS[:whole]
        again = Journal(path)
        assert (again.records, again.torn) == (RECORDS[:whole], length != ends[whole])
        again.append({"c": 1})
        again.close()
        assert read_journal(path) == [*RECORDS[:whole], {"c": 1}]


def test_a_last_line_whose_beginning_is_lost_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"a": 1}\n\0\0\0": 2}\n')
    journal = Journal(path)
    assert (journal.records, journal.torn) == ([{"a": 1}], True)
    journal.close()
    assert path.read_bytes() == b'{"a": 1}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a": 1}\nx\n{"a": 2}\n', "line 2 is no JSON"),
        (b"5\n{}\n", "line 1 is no JSON object"),
        (b"my notes", "line 1 is no JSON object"),
        (b"my notes\n", "line 1 is no JSON object"),
    ],
)
def test_anything_else_is_refused_and_left_alone(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=message):
        Journal(path)
    with pytest.raises(ValueError, match=message):
        read_journal(path)
    assert path.read_bytes() == text


def test_one_command_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    first = Journal(path)
    with pytest.raises(ValueError, match="another command is writing it"):
        Journal(path)
    first.append({})
    assert read_journal(path) == [{}]
    first.close()
    Journal(path).close()


def test_every_record_is_on_the_disk_before_append_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda number: synced.append(os.fstat(number).st_size))
    for record in RECORDS:
        journal.append(record)
        assert synced[-1] == path.stat().st_size
    assert len(synced) == len(RECORDS)
    journal.close()


def test_no_file_is_no_records(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "none") == []
