"""Running it for real: the container's steps, the manifests, and two replicas behind nginx with one of them killed."""
from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml
from click.testing import CliRunner

from cafebrain import BrainError, Client, tls
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain_cli.main import cli
from engines.library import Library
from engines.registry import ENGINES
from server import background, serve
from service.errors import SERVICE
from solver.brain import Brain

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
PATIENCE = 60.0
REPLICAS = 2
CLIENTS = 6
SECRET = "the secret of the test"

sanitized = pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="tests installing, not our code")


# The container


def test_the_dockerfile_passes_hadolint() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"
    if not hadolint.exists():
        pytest.skip("hadolint is not installed; the extra dev has it")
    done = subprocess.run([hadolint, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert done.returncode == 0


def test_the_dockerfile_names_what_there_is() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    options = {parameter.name for parameter in serve.params}
    for name in re.findall(r"CAFEBRAIN_SERVE_(\w+)=", text):
        assert name.lower() in options
    assert "RUN deploy/install.sh /opt/cafebrain" in text
    user = re.findall(r"^USER (\d+)", text, re.MULTILINE)
    assert user
    assert user[-1] != "0"
    assert f"--chown={user[-1]}:{user[-1]} /var/lib/cafebrain /var/lib/cafebrain\n" in text, "the volume of the jobs"


@sanitized
def test_the_install_steps_make_a_server(tmp_path: Path) -> None:
    """What the Dockerfile runs, run without a container: a copy of the checkout becomes a server elsewhere."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False).stdout.split(b"\0")
    if len(listed) < 2:
        pytest.skip("this is no checkout")
    for name in filter(None, map(os.fsdecode, listed)):
        if (ROOT / name).is_file():
            target = tmp_path / "src" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    if (ROOT / "build/cython").exists():  # Cython would make the same of the same sources, in half a minute
        shutil.copytree(ROOT / "build/cython", tmp_path / "src/build/cython")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment["PATH"] = f"{Path(sys.base_prefix) / 'bin'}:{environment['PATH']}"
    installed = tmp_path / "opt"
    subprocess.run([tmp_path / "src/deploy/install.sh", installed], cwd=tmp_path, env=environment, check=True)
    assert not (installed / "bin/pip").exists()
    serving = [installed / "bin/cafebrain", "serve"]
    environment |= {"CAFEBRAIN_SERVE_LISTEN": "127.0.0.1:0", "CAFEBRAIN_SERVE_TRACING": "true"}
    environment["OTEL_SDK_DISABLED"] = "true"
    with subprocess.Popen(serving, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1]
            check = [installed / "bin/cafebrain", "health", "--server", address]
            done = subprocess.run(check, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
            assert done.stdout == "serving\n"
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()


def test_health_says_whether_a_server_serves() -> None:
    with background(Library()) as server:
        address = server.address
        assert CliRunner().invoke(cli, ["health", "--server", address]).stdout == "serving\n"
    gone = CliRunner().invoke(cli, ["health", "--server", address])
    assert gone.exit_code == 3


# Kubernetes


def documents(name: str) -> dict[str, dict[str, Any]]:
    return {document["kind"]: document for document in yaml.safe_load_all((DEPLOY / name).read_text())}


@pytest.mark.parametrize(
    ("name", "kind", "replicas"),
    [("kubernetes.yaml", "Deployment", range(REPLICAS, 10)), ("kubernetes-jobs.yaml", "StatefulSet", range(1, 2))],
)
def test_the_manifests_fit_together(name: str, kind: str, replicas: range, tmp_path: Path) -> None:
    found = documents(name)
    deployment = found[kind]["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    labels = deployment["template"]["metadata"]["labels"]
    assert deployment["replicas"] in replicas
    for other, path in (
        (kind, ("spec", "selector", "matchLabels")),
        ("Service", ("spec", "selector")),
        ("PodDisruptionBudget", ("spec", "selector", "matchLabels")),
        ("NetworkPolicy", ("spec", "podSelector", "matchLabels")),
    ):
        selector: Any = found.get(other)
        if selector is None:
            assert (name, other) == ("kubernetes-jobs.yaml", "PodDisruptionBudget"), "there is only one of it"
            continue
        for key in path:
            selector = selector[key]
        assert selector == labels
    assert found["Service"]["spec"]["ports"][0]["port"] == ports["grpc"]
    assert container["readinessProbe"]["grpc"] == {"port": ports["grpc"], "service": SERVICE}
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    claims = [claim["metadata"]["name"] for claim in deployment.get("volumeClaimTemplates", ())]
    assert mounted == {*claims, *(volume["name"] for volume in pod["volumes"])}
    settings = tmp_path / "cafebrain.toml"
    settings.write_text(found["ConfigMap"]["data"]["cafebrain.toml"])
    shown = CliRunner().invoke(serve, ["--config", str(settings), "--print-config"])
    assert shown.exit_code == 0, shown.stderr
    values = dict(re.findall(r"^(\w+) = (\S+)", shown.stdout, re.MULTILINE))
    assert values["listen"] == f'"0.0.0.0:{ports["grpc"]}"'
    assert values["metrics"] == f'"0.0.0.0:{ports["metrics"]}"'
    assert int(values["grace_ms"]) < 1000 * pod["terminationGracePeriodSeconds"]
    settings_volume = {"name": "settings", "configMap": {"name": found["ConfigMap"]["metadata"]["name"]}}
    assert settings_volume in pod["volumes"]
    paths = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert values["tokens"].strip('"').startswith(paths["tokens"])
    memory = int(values["tree_mib"])
    if "jobs_file" in values:
        memory += int(values["jobs_mib"])
        assert claims == ["jobs"]
        assert values["jobs_file"].strip('"').startswith(paths["jobs"])
        assert found[kind]["spec"]["serviceName"] == found["Service"]["metadata"]["name"]
    assert memory + 512 <= int(container["resources"]["limits"]["memory"].removesuffix("Mi"))


# A proxy in front


@contextmanager
def replica(tokens: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "server.py", "--listen", "127.0.0.1:0", "--tokens", str(tokens), "--searches", "1"]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen([*command, *options], cwd=ROOT, stdout=pipe, stderr=nothing, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().split()[-1]
        finally:
            process.kill()


@contextmanager
def nginx(folder: Path, replicas: list[str]) -> Iterator[tuple[str, Path]]:
    """Run nginx with the example's file, its addresses and paths replaced; yield its address and authority."""
    command = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if command is None:
        pytest.skip("nginx is not installed (Debian: nginx-light)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    issued.private_key_pem.write_to_path(folder / "cafebrain.key")
    (folder / "cafebrain.pem").write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
    authority.cert_pem.write_to_path(folder / "ca.pem")
    text = (DEPLOY / "nginx.conf").read_text()
    for index, address in enumerate(replicas, 1):
        text, changed = re.subn(rf"192\.0\.2\.{index}:50051", address, text)
        assert changed == 1
    text = text.replace("listen 443 ", f"listen 127.0.0.1:{port} ").replace("/etc/nginx/", f"{folder}/")
    (folder / "cafebrain.conf").write_text(text)
    scratch = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = (
        f"pid {folder}/nginx.pid;\nworker_processes 1;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{scratch}include {folder}/cafebrain.conf;\n}}\n"
    )
    (folder / "nginx.conf").write_text(main)
    error_log = folder / "error.log"
    options = ["-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(error_log), "-g", "daemon off;"]
    with subprocess.Popen([command, *options], stderr=subprocess.PIPE, text=True) as process:
        try:
            until(lambda: process.poll() is not None or listens(port))
            assert process.poll() is None, error_log.read_text()
            yield f"localhost:{port}", folder / "ca.pem"
        finally:
            process.terminate()
            process.wait(PATIENCE)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_replica_killed_under_load_loses_nothing(tmp_path: Path) -> None:
    brain = Brain(Library())
    known = []
    for game in ENGINES:
        state = brain.new_game(pb.NewGameRequest(game=game, seed=3)).state
        for seed in range(3):
            request = pb.SuggestRequest(state=state, budget=pb.Budget(visits=2000), seed=seed)
            known.append((request, brain.suggest(request)))
    tokens = tmp_path / "tokens.toml"
    tokens.write_text(f'[test]\nsha256 = "{hashlib.sha256(SECRET.encode()).hexdigest()}"\n')
    answered = [0] * CLIENTS
    streamed = [0] * CLIENTS
    faults: list[BaseException] = []
    over = threading.Event()

    def ask(client: Client, index: int) -> None:
        try:
            while not over.is_set():
                request, answer = known[(answered[index] + index) % len(known)]
                assert client.suggest(request) == answer
                answered[index] += 1
                streamed[index] += ask_many(client, index)
        except BaseException as error:
            faults.append(error)

    def ask_many(client: Client, index: int) -> int:
        """Ask a stream; what it ended without is asked again, as its client has to."""
        wanted = {f"{number}": pair for number, pair in enumerate(known)}
        done = 0
        for _ in range(20):
            requests = [
                pb.AnalyzeManyRequest(query=pb.AnalyzeQuery(id=id_, analyze=pb.AnalyzeRequest(suggest=request)))
                for id_, (request, _) in wanted.items()
            ]
            try:
                for found in client.analyze_many(requests):
                    assert found.suggestion == wanted.pop(found.id)[1].suggestion
                    done += 1
            except BrainError as error:
                if error.code not in ("UNAVAILABLE", "INTERNAL"):
                    raise
            if not wanted:
                return done
        raise AssertionError(f"client {index}: {len(wanted)} queries never answered")

    with ExitStack() as stack:
        replicas = [stack.enter_context(replica(tokens)) for _ in range(REPLICAS)]
        address, ca = stack.enter_context(nginx(tmp_path, [where for _, where in replicas]))
        clients = [
            stack.enter_context(Client(address, credentials=tls(ca), token=SECRET)) for _ in range(CLIENTS)
        ]
        threads = [threading.Thread(target=ask, args=(client, index)) for index, client in enumerate(clients)]
        for thread in threads:
            thread.start()
        try:
            until(lambda: faults or min(answered) >= 2)
            replicas[0][0].kill()
            reached = list(answered)
            until(lambda: faults or all(now >= then + 3 for now, then in zip(answered, reached, strict=True)))
        finally:
            over.set()
            for thread in threads:
                thread.join()
    assert not faults
    assert replicas[0][0].returncode == -signal.SIGKILL


def test_calls_about_jobs_reach_the_server_that_has_them(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.toml"
    tokens.write_text(f'[test]\nsha256 = "{hashlib.sha256(SECRET.encode()).hexdigest()}"\n')
    jobs_file = tmp_path / "jobs.sqlite"
    with ExitStack() as stack:
        found = [stack.enter_context(replica(tokens))[1] for _ in range(REPLICAS)]
        keeper = stack.enter_context(replica(tokens, "--jobs-file", str(jobs_file)))
        address, ca = stack.enter_context(nginx(tmp_path, [*found, keeper[1]]))
        client = stack.enter_context(Client(address, credentials=tls(ca), token=SECRET))
        alone = pb.NewGameRequest(game="cafe", players=1, options={"open_deck": "true"})
        task = pb.SoloTask(state=client.new_game(alone).state, budget=pb.SolveBudget(time_ms=3_600_000))
        job = client.start_solve(pb.StartSolveRequest(task=task)).job
        for _ in range(2 * REPLICAS):
            assert client.get_solve(pb.GetSolveRequest(job_id=job.id)).job.id == job.id
        assert [entry.id for entry in client.list_solves().jobs] == [job.id]
        assert client.cancel_solve(pb.CancelSolveRequest(job_id=job.id)).job.state == pb.JOB_STATE_CANCELLED
