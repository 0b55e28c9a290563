"""Strangers: TLS, client certificates, tokens, and what replacing their files does to a running server."""
from __future__ import annotations

import hashlib
import logging
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc
import pytest
import trustme
from click.testing import CliRunner
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from cafebrain import BrainError, Client, tls
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain_cli.main import cli
from engines.library import Library
from server import BrainServer, background, serve
from service.credentials import Tokens, read_tokens
from service.settings import Settings
from tests.waiting import eventually

LONG = pb.Budget(time_ms=3_600_000)


class Files:
    """PEM files of an authority and of who it vouches for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.authority = trustme.CA()
        self.ca = folder / "ca.pem"
        self.authority.cert_pem.write_to_path(self.ca)
        self.cert, self.key = self.issue("server", "localhost")

    def issue(self, name: str, *hosts: str) -> tuple[Path, Path]:
        found = self.authority.issue_cert(*hosts, common_name=name)
        cert, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        key.write_bytes(found.private_key_pem.bytes())
        cert.write_bytes(b"".join(blob.bytes() for blob in found.cert_chain_pems))
        return cert, key


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path / "pki")


@contextmanager
def running(**settings: object) -> Iterator[tuple[BrainServer, str]]:
    """Run a server; yield it and an address a certificate can be issued for."""
    with background(Library(), Settings(searches=1, **settings)) as server:
        yield server, f"localhost:{server.address.rpartition(':')[2]}"


def refusal(client: Client) -> tuple[str, str]:
    with pytest.raises(BrainError) as refused:
        client.list_games()
    return refused.value.code, refused.value.reason


def write_tokens(path: Path, **tables: str) -> None:
    text = ""
    for name, extra in tables.items():
        digest = hashlib.sha256(f"secret of {name}".encode()).hexdigest()
        text += f'[{name}]\nsha256 = "{digest}"\n{extra}\n'
    new = path.with_suffix(".new")
    new.write_text(text)
    new.replace(path)


def test_tls(files: Files) -> None:
    stranger = Files(files.folder.parent / "stranger")
    with running(tls_cert=files.cert, tls_key=files.key) as (server, address):
        with Client(address, credentials=tls(files.ca)) as client:
            assert client.list_games().games
        for credentials in (None, tls(stranger.ca)):
            with Client(address, credentials=credentials) as client:
                assert refusal(client)[0] == "UNAVAILABLE"
        # The name on the certificate counts.
        with Client(server.address, credentials=tls(files.ca)) as client:
            assert refusal(client)[0] == "UNAVAILABLE"


def test_client_certificates(files: Files) -> None:
    alice = files.issue("alice")
    stranger = Files(files.folder.parent / "stranger").issue("alice")
    settings = {"tls_cert": files.cert, "tls_key": files.key, "tls_client_ca": files.ca}
    with running(**settings) as (_, address):
        with Client(address, credentials=tls(files.ca, *alice)) as client:
            assert client.list_games().games
        for credentials in (tls(files.ca), tls(files.ca, *stranger)):
            with Client(address, credentials=credentials) as client:
                assert refusal(client)[0] == "UNAVAILABLE"


def test_a_replaced_certificate_is_used_by_new_connections(files: Files, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with running(tls_cert=files.cert, tls_key=files.key) as (_, address):
        with Client(address, credentials=tls(files.ca)) as early:
            assert early.list_games().games
            old_ca = files.ca.read_bytes()
            renewed = Files(files.folder)
            assert renewed.ca.read_bytes() != old_ca
            with Client(address, credentials=tls(renewed.ca)) as late:
                assert late.list_games().games
            # The connection that is there goes on.
            assert early.list_games().games
        assert "read again" in caplog.text
        # Files that do not go together are not used.
        renewed.key.write_bytes(trustme.CA().issue_cert("localhost").private_key_pem.bytes())
        with Client(address, credentials=tls(renewed.ca)) as client:
            assert client.list_games().games
        assert "are not used" in caplog.text


def test_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    write_tokens(path, alice="", bob="")
    with running(tokens=path) as (server, address):
        for token in (None, "", "secret of carol", "secret of alice "[:-2]):
            with Client(address, token=token) as client:
                assert refusal(client) == ("UNAUTHENTICATED", "BAD_TOKEN")
                with pytest.raises(BrainError, match="Bearer"):
                    list(client.analyze_many([]))
                with pytest.raises(BrainError, match="Bearer"):
                    next(client.analyze(pb.AnalyzeRequest()))
        for name in ("alice", "bob"):
            with Client(address, token=f"secret of {name}") as client:
                assert client.list_games().games
        with grpc.insecure_channel(server.address) as channel:
            check = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
            assert check.status == health_pb2.HealthCheckResponse.SERVING
            with pytest.raises(grpc.RpcError) as refused:
                ProtoReflectionDescriptorDatabase(channel).get_services()
            assert refused.value.code() == grpc.StatusCode.UNAUTHENTICATED


def test_a_replaced_token_file_counts_from_the_next_call_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "tokens.toml"
    write_tokens(path, alice="")
    with running(tokens=path) as (_, address), Client(address, token="secret of alice") as alice:
        assert alice.list_games().games
        path.write_text("[alice\n")
        assert alice.list_games().games, "a faulty file is not used"
        assert f"{path} is not used: is no TOML" in caplog.text
        write_tokens(path, bob="")
        assert refusal(alice) == ("UNAUTHENTICATED", "BAD_TOKEN")
        with Client(address, token="secret of bob") as bob:
            assert bob.list_games().games


def test_limits_of_a_token(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    write_tokens(path, alice="searches = 2", bob="")
    with running(tokens=path) as (server, address), Client(address, token="secret of alice") as alice:
        state = alice.new_game(pb.NewGameRequest(game="connect_four")).state
        request = pb.AnalyzeRequest(suggest=pb.SuggestRequest(state=state, budget=LONG), report_interval_ms=10)
        first = alice.analyze(request)
        next(first)
        waiting = alice._stub.Suggest.future(request.suggest, metadata=alice._metadata)
        eventually(lambda: server.admission.waiting > 0)
        with pytest.raises(BrainError) as refused:
            alice.suggest(request.suggest)
        assert (refused.value.code, refused.value.reason) == ("RESOURCE_EXHAUSTED", "TOKEN_LIMIT")
        assert refused.value.retry_after == 1
        waiting.cancel()
        first.close()
        with Client(address, token="secret of bob") as bob:
            quick = pb.SuggestRequest(state=state, budget=pb.Budget(visits=10))
            assert bob.suggest(quick).suggestion.visits == 10


def test_calls_per_second(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    write_tokens(path, alice="calls_per_second = 2", bob="")
    now = 100.0
    tokens = Tokens(path, lambda: now)

    def calls(name: str) -> int:
        count = 0
        with suppress(BrainError):
            while count < 10:
                assert tokens.caller(f"Bearer secret of {name}").name == name
                count += 1
        return count

    assert calls("alice") == 2
    with pytest.raises(BrainError, match="2 calls a second") as refused:
        tokens.caller("Bearer secret of alice")
    assert (refused.value.code, refused.value.reason) == ("RESOURCE_EXHAUSTED", "TOKEN_LIMIT")
    assert calls("bob") == 10
    now += 0.5
    assert calls("alice") == 1
    now += 100
    assert calls("alice") == 2


def test_faulty_token_files(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    digest = "0" * 64
    for text, reason in (
        ("", "holds no token"),
        ("[a", "is no TOML"),
        ("a = 1", "a: wants a table"),
        ("[a]\nhash = 1", "a: wants a table"),
        ("[a]\nsha256 = 'the secret itself'", "a: sha256 wants 64 hexadecimal digits"),
        (f"[a]\nsha256 = '{digest}'\n[b]\nsha256 = '{digest}'", "b: has the token of a"),
        (f"[a]\nsha256 = '{digest}'\nsearches = 0.5", "a: searches wants a number above 0"),
        (f"[a]\nsha256 = '{digest}'\ncalls_per_second = -1", "a: calls_per_second wants a number above 0"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=reason) as fault:
            read_tokens(path)
        assert "the secret" not in str(fault.value)
        result = CliRunner().invoke(serve, ["--tokens", str(path)])
        assert result.exit_code == 2
        assert reason in result.stderr


def test_every_known_hash_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tokens.toml"
    write_tokens(path, alice="", bob="", carol="")
    compared: list[str] = []

    def compare(known: str, presented: str) -> bool:
        compared.append(known)
        return known == presented

    monkeypatch.setattr("service.credentials.hmac.compare_digest", compare)
    assert Tokens(path).caller("Bearer secret of alice").name == "alice"
    assert len(compared) == 3


def test_a_token_made_by_the_command_opens_a_server(tmp_path: Path, files: Files) -> None:
    made = CliRunner().invoke(cli, ["token", "alice"])
    secret = made.stderr.split()[-1]
    assert secret not in made.stdout
    path = tmp_path / "tokens.toml"
    path.write_text(made.stdout)
    with running(tokens=path, tls_cert=files.cert, tls_key=files.key) as (_, address):
        asked = ["games", "--server", address]
        environment = {"CAFEBRAIN_TLS_CA": str(files.ca)}
        granted = CliRunner().invoke(cli, asked, env={**environment, "CAFEBRAIN_TOKEN": secret})
        assert granted.exit_code == 0
        assert "connect_four" in granted.stdout
        refused = CliRunner().invoke(cli, asked, env=environment)
        assert refused.exit_code == 1
        assert "Bearer" in refused.stderr
    assert CliRunner().invoke(cli, ["token", "no spaces"]).exit_code == 2


def test_public_addresses_want_tls_and_tokens(tmp_path: Path, files: Files) -> None:
    tokens = tmp_path / "tokens.toml"
    write_tokens(tokens, alice="")
    cert = ["--tls-cert", str(files.cert), "--tls-key", str(files.key)]
    for options, lacking in (
        ([], "no TLS and no tokens"),
        (cert, "no tokens"),
        (["--tokens", str(tokens)], "no TLS"),
        ([*cert, "--tokens", str(tokens)], ""),
        ([*cert, "--tls-client-ca", str(files.ca)], ""),
        (["--insecure-public"], ""),
    ):
        result = CliRunner().invoke(serve, ["--listen", "0.0.0.0:0", "--print-config", *options])
        assert result.exit_code == (2 if lacking else 0)
        assert (f"there are {lacking}: --insecure-public" in result.stderr) == bool(lacking)
    for options in (cert[:2], cert[2:], ["--tls-client-ca", str(files.ca)]):
        assert CliRunner().invoke(serve, options).exit_code == 2
    other = Files(tmp_path / "other")
    result = CliRunner().invoke(serve, ["--tls-cert", str(files.cert), "--tls-key", str(other.key)])
    assert result.exit_code == 2
    assert str(files.cert) in result.stderr
    files.cert.chmod(stat.S_IRUSR)


def test_nothing_is_logged_of_a_token(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "tokens.toml"
    write_tokens(path, alice="")
    with running(tokens=path) as (_, address):
        for token in ("secret of alice", "secret of a stranger"):
            with Client(address, token=token) as client, suppress(BrainError):
                client.list_games()
    told = caplog.text + "".join(str(record.__dict__) for record in caplog.records)
    assert "alice" in told
    assert "secret" not in told
    assert hashlib.sha256(b"secret of alice").hexdigest() not in told
