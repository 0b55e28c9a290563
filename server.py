"""From configuration to a running server: `python server.py` and `cafebrain serve` are the same thing."""
from __future__ import annotations

import asyncio
import ctypes
import ipaddress
import json
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import click
import grpc.aio
from click.core import ParameterSource
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from cafebrain.v1.brain_service_pb2_grpc import add_BrainServiceServicer_to_server
from engines.component_set import ComponentError
from engines.library import Library
from service.admission import Admission
from service.calls import BrainCalls
from service.credentials import Tokens
from service.errors import SERVICE
from service.interceptor import CallInterceptor
from service.jobs import Jobs
from service.log import PatientHandler
from service.metrics import Metrics
from service.searches import Searches
from service.settings import JOBS_MIB, KEEP_HOURS, MAX_JOBS, MAX_MOVES, MESSAGE_BYTES, Settings, read_settings
from service.tls import tls_credentials
from service.tracing import Tracing
from solver.analysis import MAX_THREADS, MAX_VISITS
from solver.brain import Brain
from solver.durations import MAX_TIME_MS

WATCH_GRACE = 0.5  # seconds for calls that never end, such as health watches, once all others are done
MAX_SEARCHES = 1024
SWITCH = 0.001  # seconds a thread may keep Python to itself while others want it; shorter, so that calls wait less
M_MMAP_THRESHOLD = -3  # of glibc's mallopt
TREE_FROM = 1 << 18  # bytes from which memory is taken from the system and given back on its own
PLACE_MIB = 16  # least memory for the trees of one search thread
OPTIONS = (
    ("grpc.so_reuseport", 0),  # a port in use is an error, not a port to share
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    # Clients may ping through a long search; by default that gets them disconnected.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    # A client that vanished without a word is noticed, and its searches end.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
)


class BrainServer:
    """A server of BrainService with the standard health service and reflection, on one event loop.

    After start() `address` and `metrics_address` hold the real ports where 0 was asked for.

    Raises ValueError where the token, certificate or jobs files cannot be used, ImportError where an extra is missing.
    """

    def __init__(self, library: Library, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.address = self.settings.listen
        self.metrics_address = self.settings.metrics
        self.admission = Admission(self.settings.searches, self.settings.waiting)
        metrics = Metrics()
        brain = Brain(library, self.settings.limits)
        tokens = Tokens(self.settings.tokens) if self.settings.tokens else None
        self._tracing = Tracing() if self.settings.tracing else None
        self._credentials = _credentials(self.settings)
        self._searches = Searches(brain, self.admission, metrics)
        self._jobs = None
        if self.settings.jobs_file is not None:
            self._jobs = Jobs(brain, self.admission, self._searches, metrics, self.settings)
        self._calls = BrainCalls(brain, self.admission, self._searches, self._jobs, self.settings)
        self._interceptor = CallInterceptor(metrics, tokens, self._tracing)
        self._metrics = metrics
        self._health = health.aio.HealthServicer()

    async def start(self) -> None:
        """Listen and serve.

        Raises OSError where an address cannot be had.
        """
        _probe(*split_address(self.address))
        self._server = grpc.aio.server(interceptors=[self._interceptor], options=OPTIONS)
        add_BrainServiceServicer_to_server(self._calls, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        services = [SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME]
        if self.settings.channelz:
            from grpc_channelz.v1 import channelz

            channelz.add_channelz_servicer(self._server)
            services.append("grpc.channelz.v1.Channelz")
        reflection.enable_server_reflection(services, self._server)
        try:
            if self._credentials is None:
                bound = self._server.add_insecure_port(self.address)
            else:
                bound = self._server.add_secure_port(self.address, self._credentials)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {self.address}") from error
        self.address = f"{self.address.rpartition(':')[0]}:{bound}"
        self._metrics_server = None
        if self.metrics_address is not None:
            self._metrics_server, _ = self._metrics.serve(*split_address(self.metrics_address))
            self.metrics_address = f"{self.metrics_address.rpartition(':')[0]}:{self._metrics_server.server_port}"
        await self._server.start()
        if self._jobs is not None:
            self._jobs.start()
        await self._health.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)

    async def stop(self) -> None:
        """Report NOT_SERVING, let running searches answer with what they have, refuse new calls, and end."""
        await self._health.enter_graceful_shutdown()
        self.admission.close()
        stopping = asyncio.create_task(self._server.stop(self.settings.grace_ms / 1000))
        while self._interceptor.open_calls and not stopping.done():
            await asyncio.sleep(0.01)
        await self._server.stop(WATCH_GRACE)
        await stopping
        if self._jobs is not None:
            await self._jobs.stop()
        self._calls.close()
        self._searches.close()
        if self._metrics_server is not None:
            self._metrics_server.shutdown()
            self._metrics_server.server_close()
        if self._tracing is not None:
            self._tracing.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.stop()


@contextmanager
def background(library: Library, settings: Settings | None = None) -> Iterator[BrainServer]:
    """Run a server on a thread and an event loop of its own, as long as the context lasts.

    Raises OSError where an address cannot be had.
    """
    server = BrainServer(library, settings)
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        async with server:
            stop = asyncio.Event()
            started.set_result((asyncio.get_running_loop(), stop))
            await stop.wait()

    def main() -> None:
        try:
            asyncio.run(run())
        except OSError as error:
            if started.done():
                raise
            started.set_exception(error)

    thread = threading.Thread(target=main, name="server")
    thread.start()
    loop, stop = started.result()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of "HOST:PORT"; an IPv6 host stands in brackets.

    Raises ValueError where it is none.
    """
    host, _, port = address.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError("an IPv6 address goes in brackets, such as [::1]:50051")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError("wants HOST:PORT with a port from 0 to 65535")
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host; a name other than localhost counts as public."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _probe(host: str, port: int) -> None:
    """Raise the OSError that says why an address cannot be had; gRPC itself only says that it cannot."""
    failure = OSError(f"{host} has no address")
    for family, kind, protocol, _, where in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(where)
            except OSError as error:
                failure = error
            else:
                return
    raise failure


class SettingsFault(click.ClickException):
    """A file of the configuration that cannot be used."""

    exit_code = 2


def _read_config(ctx: click.Context, _: click.Parameter, path: Path | None) -> Path | None:
    """Make a settings file's values the defaults, so that environment and flags go first."""
    if path is not None:
        known = {parameter.name: parameter for parameter in ctx.command.params if parameter.name}
        try:
            data = read_settings(path, known.keys() - {"config", "print_config"})
        except ValueError as error:
            raise SettingsFault(f"{path}: {error}") from None
        ctx.default_map = {key: value if isinstance(value, bool) else str(value) for key, value in data.items()}
    return path


def _print_config(ctx: click.Context) -> None:
    """Print every setting as a settings file, with where it comes from."""
    origins = {
        ParameterSource.COMMANDLINE: "command line",
        ParameterSource.ENVIRONMENT: "environment",
        ParameterSource.DEFAULT_MAP: "settings file",
    }
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name in ("config", "print_config"):
            continue
        value = ctx.params[name]
        source = ctx.get_parameter_source(name)
        origin = f"  # {origins[source]}" if source in origins else ""
        if value is None:
            click.echo(f"# {name} is not set")
        else:
            click.echo(f"{name} = {json.dumps(str(value) if isinstance(value, Path) else value)}{origin}")


FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(context_settings={"auto_envvar_prefix": "CAFEBRAIN_SERVE", "max_content_width": 80})
@click.option(
    "--config",
    metavar="FILE",
    type=FILE,
    is_eager=True,
    callback=_read_config,
    help="Take settings from this TOML file.",
)
@click.option("--print-config", is_flag=True, help="Print the settings as a TOML file and exit.")
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:50051",
    show_default=True,
    help="Where to listen; port 0 takes a free one.",
)
@click.option(
    "--components-dir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Serve the component sets in the *.toml files of this directory too.",
)
@click.option(
    "--searches",
    metavar="N",
    type=click.IntRange(1, MAX_SEARCHES),
    help="Search threads that run at once; the number of cores unless given.",
)
@click.option(
    "--queue",
    metavar="N",
    type=click.IntRange(0, 100_000),
    help="Searches that may wait; 16 for each that can run unless given.",
)
@click.option(
    "--grace-ms",
    metavar="N",
    type=click.IntRange(0, 3_600_000),
    default=5000,
    show_default=True,
    help="Time for running calls to answer when the server stops.",
)
@click.option(
    "--max-time-ms",
    metavar="N",
    type=click.IntRange(1, MAX_TIME_MS),
    default=MAX_TIME_MS,
    show_default=True,
    help="Most time of one search.",
)
@click.option(
    "--max-visits",
    metavar="N",
    type=click.IntRange(1, MAX_VISITS),
    default=MAX_VISITS,
    show_default=True,
    help="Most visits of one search.",
)
@click.option(
    "--max-threads",
    metavar="N",
    type=click.IntRange(1, MAX_THREADS),
    help="Most threads of one search; as many as run at once unless given.",
)
@click.option(
    "--max-moves",
    metavar="N",
    type=click.IntRange(1, 100_000),
    default=MAX_MOVES,
    show_default=True,
    help="Most moves in an answer.",
)
@click.option(
    "--tree-mib",
    metavar="N",
    type=click.IntRange(2 * PLACE_MIB, 1 << 24),
    default=1024,
    show_default=True,
    help="Memory for the trees of all searches in MiB.",
)
@click.option("--jobs-file", metavar="FILE", type=FILE, help="Keep long jobs in this SQLite file; none without it.")
@click.option(
    "--jobs-mib",
    metavar="N",
    type=click.IntRange(PLACE_MIB, 1 << 24),
    default=JOBS_MIB,
    show_default=True,
    help="Memory for the searches of all jobs in MiB.",
)
@click.option(
    "--jobs-keep-hours",
    metavar="N",
    type=click.IntRange(1, 100_000),
    default=KEEP_HOURS,
    show_default=True,
    help="How long a job is kept after its end.",
)
@click.option(
    "--max-jobs",
    metavar="N",
    type=click.IntRange(1, 10_000),
    default=MAX_JOBS,
    show_default=True,
    help="Most unfinished jobs of one client.",
)
@click.option("--tls-cert", metavar="FILE", type=FILE, help="Serve TLS with this certificate chain (PEM).")
@click.option("--tls-key", metavar="FILE", type=FILE, help="Its private key.")
@click.option(
    "--tls-client-ca",
    metavar="FILE",
    type=FILE,
    help="Only let clients in whose certificate this authority signed.",
)
@click.option("--tokens", metavar="FILE", type=FILE, help="Only answer calls with a token of this file.")
@click.option(
    "--insecure-public",
    is_flag=True,
    help="Listen where other machines can connect, although without TLS or without tokens.",
)
@click.option("--metrics", metavar="HOST:PORT", help="Answer GET /metrics for Prometheus here.")
@click.option("--channelz", is_flag=True, help="Serve gRPC's channelz too; needs the extra 'channelz'.")
@click.option("--tracing", is_flag=True, help="Report OpenTelemetry spans; needs the extra 'tracing'.")
@click.pass_context
def serve(
    ctx: click.Context,
    /,
    config: Path | None,
    print_config: bool,
    components_dir: Path | None,
    insecure_public: bool,
    **options: Any,
) -> None:
    """Serve the brain over gRPC until SIGTERM or Ctrl-C.

    Prints "listening on HOST:PORT" when ready; the log goes to stderr, one JSON object a line. At the end running
    searches answer with what they have; a second signal ends everything at once.

    Every option --a-b can also be the variable CAFEBRAIN_SERVE_A_B or the key a_b of the settings file. The command
    line goes before the environment, and that before the file.
    """
    settings = Settings(**{key: value for key, value in options.items() if value is not None})
    _check(settings, insecure_public)
    if print_config:
        _print_config(ctx)
        return
    sys.setswitchinterval(SWITCH)
    with suppress(AttributeError):  # another C library
        # By default glibc keeps what it was given back, up to 64 MiB for each thread, and trees are large.
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, TREE_FROM)
    handler = PatientHandler(sys.stderr)
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    try:
        library = Library()
        if components_dir is not None:
            library.add_directory(components_dir)
        server = BrainServer(library, settings)
    except (ComponentError, ValueError) as error:
        raise SettingsFault(str(error)) from None
    except ImportError as error:
        raise SettingsFault(f"an extra is missing, install cafebrain[channelz,tracing]: {error}") from None
    try:
        asyncio.run(_serve(server))
    except OSError as error:
        where = " or ".join(filter(None, (settings.listen, settings.metrics)))
        raise click.ClickException(f"cannot listen on {where}: {error.strerror or error}") from None
    finally:
        handler.close()


def _check(settings: Settings, insecure_public: bool) -> None:
    """Refuse settings that do not go together."""
    for name in ("listen", "metrics"):
        address = getattr(settings, name)
        try:
            host, _ = split_address(address) if address is not None else ("localhost", 0)
        except ValueError as error:
            raise click.BadParameter(f"{address!r}: {error}", param_hint=f"--{name}") from None
        if name == "listen" and not is_loopback(host) and not insecure_public:
            lacking = ["TLS"] if settings.tls_cert is None else []
            lacking += ["tokens"] if settings.tokens is None and settings.tls_client_ca is None else []
            if lacking:
                raise click.BadParameter(
                    f"other machines could connect to {host!r} and there are no {' and no '.join(lacking)}:"
                    " --insecure-public allows it",
                    param_hint="--listen",
                )
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    if settings.tls_client_ca is not None and settings.tls_cert is None:
        raise click.UsageError("--tls-client-ca wants --tls-cert and --tls-key")
    if settings.tree_mib < 2 * PLACE_MIB * settings.searches:
        raise click.UsageError(f"--tree-mib: {settings.searches} searches want {2 * PLACE_MIB * settings.searches}")
    if settings.jobs_file is not None and settings.jobs_mib < PLACE_MIB * settings.searches:
        raise click.UsageError(f"--jobs-mib: {settings.searches} searches want {PLACE_MIB * settings.searches}")


def _credentials(settings: Settings) -> grpc.ServerCredentials | None:
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    return tls_credentials(settings.tls_cert, settings.tls_key, settings.tls_client_ca)


async def _serve(server: BrainServer) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def end(number: int) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end, number)
    async with server:
        click.echo(f"listening on {server.address}")
        if server.metrics_address is not None:
            click.echo(f"metrics on http://{server.metrics_address}/metrics")
        await stop.wait()


if __name__ == "__main__":
    serve()
