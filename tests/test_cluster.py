"""Solving on a real Ray cluster: several nodes on this machine, one of which is killed."""
from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from google.protobuf import json_format

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from engines.library import Library
from solver.brain import Brain
from solver.cluster.driver import check_versions
from solver.cluster.error import ClusterError
from solver.cluster.executor import RayExecutor
from solver.cluster.worker import versions
from solver.positions import decode_state
from solver.solve_jobs import LocalExecutor, Task, score_of
from tests.cluster_nodes import Nodes
from tests.sets import ODD_CAFE

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed"),
    pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="tests processes of Ray's, not our code"),
]

LIBRARY = Library()
LIBRARY.add_file(ODD_CAFE)
NODES = 3000  # positions for a task that shall be over soon
SLACK = 500  # positions a slice may look at beyond what it was told
LIMIT = 60.0  # seconds for what ought to come soon


def puzzle(seed, set_id=""):
    request = pb.NewGameRequest(
        game="cafe",
        players=1,
        seed=seed,
        options={"open_deck": "true"},
        component_set=game_pb2.ComponentSetRef(id=set_id),
        stop_at_chance=True,
    )
    return Brain(LIBRARY).new_game(request).state.SerializeToString()


def position(task):
    return decode_state(LIBRARY, game_pb2.GameState.FromString(task.position))


@pytest.fixture(scope="module")
def nodes():
    nodes = Nodes.start(3)
    yield nodes
    nodes.close()


def command(*words):
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    return subprocess.Popen(
        [sys.executable, "-m", "cafebrain_cli", "solve", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(what):
    until = time.monotonic() + LIMIT
    while not what():
        assert time.monotonic() < until, "it never came about"
        time.sleep(0.2)


def test_the_same_kind_of_results_though_a_node_is_killed(nodes):
    tasks = [Task(number, puzzle(number), nodes=NODES) for number in range(6)]
    tasks.append(Task(6, puzzle(1, "odd"), nodes=NODES))  # a set the nodes do not have
    closed = Task(7, puzzle(2), closed=True, nodes=20)
    here = {result.number: result for result in LocalExecutor(LIBRARY, 2).run([*tasks, closed]) if result.final}
    [second] = [result for result in LocalExecutor(LIBRARY, 1).run([Task(8, puzzle(3), seconds=0.4)]) if result.final]
    long = Task(8, puzzle(3), nodes=15 * second.nodes)  # about two seconds for those that are at it
    executor = RayExecutor(LIBRARY, nodes.address, sets=[ODD_CAFE])
    finals, last, killed = {}, {}, False
    for result in executor.run([*tasks, closed, long]):
        assert result.number not in finals, "a task ends once"
        if earlier := last.get(result.number):
            assert earlier.nodes <= result.nodes
            assert earlier.score is None or earlier.score <= result.score
        last[result.number] = result
        if result.final:
            finals[result.number] = result
        if result.number == 8 and not killed:
            assert not result.final
            killed = True
            nodes.kill()
    assert killed
    assert sorted(finals) == list(range(9))
    for task in (*tasks, long):
        result = finals[task.number]
        assert task.nodes <= result.nodes < task.nodes + 40 * SLACK
        assert score_of(position(task), result.line) == result.score <= result.bound
        assert not result.stopped
        kinds = [type(getattr(result, field.name)) for field in fields(result)]
        assert kinds == [type(getattr(here.get(task.number, second), field.name)) for field in fields(result)]
    assert replace(finals[7], seconds=0) == replace(here[7], seconds=0), "what one worker does is the same everywhere"


def test_stopping_gives_the_best_so_far(nodes):
    executor = RayExecutor(LIBRARY, nodes.address)
    tasks = [Task(1, puzzle(1), seconds=600.0), Task(2, puzzle(2), seconds=600.0)]
    begun, finals = set(), {}
    for result in executor.run(tasks):
        begun.add(result.number)
        if len(begun) == 2:
            executor.stop()
        if result.final:
            finals[result.number] = result
    assert sorted(finals) == [1, 2]
    for task in tasks:
        assert finals[task.number].stopped
        assert score_of(position(task), finals[task.number].line) == finals[task.number].score


def test_the_command_leaves_the_same_records_and_no_worker_behind(nodes, tmp_path):
    about = ("cafe", "--decks", "1-2", "--nodes", str(NODES), "--json")
    here = command(*about, "--out", str(tmp_path / "here")).communicate(timeout=LIMIT)
    there = command(*about, "--ray", nodes.address, "--out", str(tmp_path / "there")).communicate(timeout=LIMIT)
    assert there[1] == here[1]
    assert json.loads(there[0]).keys() == json.loads(here[0]).keys()

    def records(folder):
        lines = (tmp_path / folder / "open.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    assert records("there")[0] == records("here")[0], "the settings"
    kinds = [{tuple(record) for record in records(folder)} for folder in ("here", "there")]
    assert kinds[1] <= kinds[0]
    # A command that is killed leaves no worker behind.
    wait_for(lambda: nodes.free() == 2)
    killed = command("cafe", "--deck-seed", "1", "--time", "10m", "--ray", nodes.address)
    try:
        wait_for(lambda: nodes.free() == 0)
    finally:
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
    wait_for(lambda: nodes.free() == 2)


def test_a_position_that_is_no_puzzle_is_refused_as_without_ray(nodes):
    request = pb.NewGameRequest(game="cafe", players=2, seed=1)
    task = Task(1, Brain(LIBRARY).new_game(request).state.SerializeToString())
    with pytest.raises(BrainError) as here:
        list(LocalExecutor(LIBRARY, 1).run([task]))
    with pytest.raises(BrainError) as there:
        list(RayExecutor(LIBRARY, nodes.address).run([task]))
    assert there.value.message == here.value.message
    assert there.value.violations == here.value.violations


def test_a_cluster_that_is_not_there_is_one_message():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        process = command("cafe", "--deck-seed", "1", "--time", "1s", "--ray", address)
        output, errors = process.communicate(timeout=LIMIT)
    assert (process.returncode, output) == (3, "")
    assert errors == f"error: no Ray cluster at {address}: Connection refused\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cafe", "--deck-seed", "1", "--ray", "nonsense"), "is no address; wants HOST:PORT"),
        (("game.json", "--ray", "local", "--server", "localhost:1"), "wants --ray or --server, not both"),
        (("cafe", "--decks", "1-2", "--ray", "local", "--workers", "2"), "--workers is for this machine"),
    ],
)
def test_options_that_do_not_go_together_are_refused(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    state = game_pb2.GameState.FromString(puzzle(1))
    Path("game.json").write_text(json_format.MessageToJson(state), encoding="utf-8")
    process = command(*words)
    output, errors = process.communicate(timeout=LIMIT)
    assert (process.returncode, output) == (2, "")
    assert message in errors


def test_another_version_is_refused_with_both_names():
    mine = versions()
    check_versions(mine, versions())
    with pytest.raises(ClusterError, match=rf"another cafebrain: cafebrain 0\.0 .*{mine.code}.* here is cafebrain"):
        check_versions(mine, replace(mine, cafebrain="0.0"))
    for other in (replace(mine, engines=(("cafe", 0),)), replace(mine, code="00000000")):
        with pytest.raises(ClusterError):
            check_versions(mine, other)
