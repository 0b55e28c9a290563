"""The documentation holds: its blocks run, and what it quotes is what the sources say.

In README.md and docs/*.md
* ```python blocks of a page run one after the other, with a real server behind the documented address;
* ```sh blocks of the cafebrain command run, in the same folder; ```sh exit 1: with this exit code;
  ```sh measured: not at all, it takes too long;
* ```text output blocks are what the ```sh block before them printed;
* ```toml NAME blocks become files of this name;
* ```json MESSAGE blocks parse as this message of the contract;
* ```cython and ```proto blocks are quotations from the sources.
"""
from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from google.protobuf import json_format

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain_cli.main import COMMANDS
from engines.library import Library
from engines.registry import ENGINES
from server import background, serve
from service.settings import Settings

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
DOCUMENTED = "localhost:50051"
FENCE = re.compile(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = {"apt-get", "grpcurl", "make", "python", "source"}
PATIENCE = 60.0

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


class Block(NamedTuple):
    language: str
    info: str
    text: str
    line: int


def blocks(page: Path, language: str = "") -> list[Block]:
    """Return the fenced blocks of a page, all or those of a language."""
    text = page.read_text(encoding="utf-8")
    found = [Block(*m.groups(), text.count("\n", 0, m.start(3))) for m in FENCE.finditer(text)]
    return [block for block in found if language in ("", block.language)]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = Settings(jobs_file=tmp_path_factory.mktemp("jobs") / "jobs.sqlite")
    with background(Library(), settings) as server:
        yield server.address


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to an empty folder in which `cafebrain` is this checkout's."""
    command = tmp_path / "bin" / "cafebrain"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cafebrain_cli "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@each_page
def test_every_block_of_a_page_runs(page: Path, address: str, folder: Path) -> None:
    names: dict[str, Any] = {"__name__": page.stem}
    output = ""
    for block in blocks(page):
        text = block.text.replace(DOCUMENTED, address)
        if block.language == "python":
            code = compile("\n" * block.line + text, str(page), "exec")
            exec(code, names)
        elif block.language == "sh" and block.info != "measured":
            output = run_shell(text, int(block.info.removeprefix("exit ") or 0))
        elif block.info == "output":
            assert [line.rstrip() for line in output.rstrip().splitlines()] == block.text.splitlines()
        elif block.language == "toml" and block.info:
            (folder / block.info).write_text(block.text, encoding="utf-8")


def run_shell(text: str, code: int) -> str:
    """Run a block and return what it printed; what takes more than this checkout is left out."""
    first = text.split(maxsplit=1)[0]
    if first in NOT_RUN:
        if "cafebrain serve\n" in text:
            run_server("cafebrain serve")
        return ""
    assert first in {"cafebrain", "mkdir", "cp"}, f"neither run nor left out: {first}"
    if text.startswith("cafebrain serve") and "--print-config" not in text:
        run_server(text)
        return ""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def run_server(command: str) -> None:
    """Start a documented server, on a free port, and stop it."""
    with subprocess.Popen([*command.split(), "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("listening on ")
            process.terminate()
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()


@each_page
def test_json_is_of_the_contract(page: Path) -> None:
    library = Library()
    hashes = {entry.components.hash for game in library.games() for entry in library.entries(game)}
    for block in blocks(page, "json"):
        json_format.Parse(block.text, getattr(pb, block.info)())
        assert set(re.findall(r'"hash": "(\w+)"', block.text)) <= hashes


@each_page
def test_quotations_are_in_the_sources(page: Path) -> None:
    sources = [path for room in ("cython_ext", "engines", "proto") for path in (ROOT / room).rglob("*.p*")]
    texts = [path.read_text(encoding="utf-8") for path in sources if path.suffix in (".py", ".pyx", ".pxd", ".proto")]
    for block in [*blocks(page, "cython"), *blocks(page, "proto")]:
        assert any(block.text in text for text in texts), block


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!\w+:)([^)#]*)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_first_request_is_the_example() -> None:
    example = (ROOT / "examples" / "first_request.py").read_text(encoding="utf-8")
    docstring, code = example.split("\n", 1)
    assert docstring.startswith('"""')
    assert code == blocks(README, "python")[0].text


def test_the_documented_address_is_the_default() -> None:
    listen = next(option for option in serve.params if option.name == "listen")
    assert listen.default == DOCUMENTED.replace("localhost", "127.0.0.1")


def test_the_readme_has_a_row_for_every_game_and_command() -> None:
    text = README.read_text(encoding="utf-8")
    for engine in ENGINES.values():
        assert f"\n| {engine.name} | `{engine.id}` |" in text
    for command in COMMANDS:
        assert f"\n| `cafebrain {command}" in text


def test_api_has_an_example_of_every_call() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for method in pb.DESCRIPTOR.services_by_name["BrainService"].methods:
        call = re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()
        _, found, section = text.partition(f"\n## {method.name}\n")
        assert found
        assert f"client.{call}(" in section.split("\n## ")[0]


def test_every_reason_of_an_error_is_documented() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `[A-Z_]+` \| `([A-Z_]+)` \|", text, re.MULTILINE))
    places = {"BrainError": 1, "Violations": 1, "invalid": 3}  # argument that is the reason
    raised = {"INVALID_REQUEST", "INVALID_STATE"}  # where it is left out
    for room in ("engines", "solver", "service"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    place = places.get(node.func.id, 99)
                    if len(node.args) > place and isinstance(node.args[place], ast.Constant):
                        raised.add(node.args[place].value)
    assert documented == raised
