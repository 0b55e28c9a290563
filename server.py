"""From configuration to a running server: `python server.py` and `cafebrain serve` are the same thing."""
from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import click
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from cafebrain.v1.brain_service_pb2_grpc import add_BrainServiceServicer_to_server
from engines.component_set import ComponentError
from engines.library import Library
from service.admission import Admission
from service.calls import BrainCalls
from service.errors import SERVICE, ErrorInterceptor
from solver.brain import Brain

GRACE = 5.0  # seconds running calls have to finish in when the server stops
WATCH_GRACE = 0.5  # seconds for calls that never end, such as health watches, once the searches are done
MAX_SEARCHES = 1024
OPTIONS = (
    ("grpc.so_reuseport", 0),  # a port in use is an error, not a port to share
    # Clients may ping through a long search; by default that gets them disconnected.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
)


class BrainServer:
    """A server of BrainService, with standard health service and reflection, on one event loop.

    address: where to listen, "HOST:PORT"; with port 0 a free one is chosen. After start() it holds the real one.
    searches: search threads that run at once; None for one per core.
    """

    def __init__(self, library: Library, address: str = "127.0.0.1:0", searches: int | None = None) -> None:
        self.address = address
        self.admission = Admission(searches or len(os.sched_getaffinity(0)))
        self._calls = BrainCalls(Brain(library), self.admission)
        self._health = health.aio.HealthServicer()

    async def start(self) -> None:
        """Listen and serve.

        Raises OSError where the address cannot be had.
        """
        host, port = split_address(self.address)
        _probe(host, port)
        self._server = grpc.aio.server(interceptors=[ErrorInterceptor()], options=OPTIONS)
        add_BrainServiceServicer_to_server(self._calls, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)
        try:
            bound = self._server.add_insecure_port(self.address)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {self.address}") from error
        self.address = f"{self.address.rpartition(':')[0]}:{bound}"
        await self._server.start()
        await self._health.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)

    async def stop(self) -> None:
        """Report NOT_SERVING, let running searches answer with what they have, refuse new calls, and end."""
        await self._health.enter_graceful_shutdown()
        self.admission.close()
        stopping = asyncio.create_task(self._server.stop(GRACE))
        while self.admission.running and not stopping.done():
            await asyncio.sleep(0.01)
        await self._server.stop(WATCH_GRACE)
        await stopping
        self._calls.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.stop()


@contextmanager
def background(library: Library, address: str = "127.0.0.1:0", searches: int | None = None) -> Iterator[BrainServer]:
    """Run a server on a thread and an event loop of its own, as long as the context lasts.

    Raises OSError where the address cannot be had.
    """
    server = BrainServer(library, address, searches)
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


class ComponentsFault(click.ClickException):
    """A component file that cannot be used."""

    exit_code = 2


@click.command()
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
@click.option("--insecure-public", is_flag=True, help="Listen where other machines can connect, although without TLS.")
def serve(listen: str, components_dir: Path | None, searches: int | None, insecure_public: bool) -> None:
    """Serve the brain over gRPC until SIGTERM or Ctrl-C.

    Prints "listening on HOST:PORT" when ready. At the end running searches answer with what they have.
    """
    try:
        host, _ = split_address(listen)
    except ValueError as error:
        raise click.BadParameter(f"{listen!r}: {error}", param_hint="--listen") from None
    if not is_loopback(host) and not insecure_public:
        raise click.BadParameter(
            f"other machines could connect to {host!r} and there is no TLS yet: --insecure-public allows it",
            param_hint="--listen",
        )
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        library = Library()
        if components_dir is not None:
            library.add_directory(components_dir)
    except ComponentError as error:
        raise ComponentsFault(str(error)) from None
    try:
        asyncio.run(_serve(BrainServer(library, listen, searches)))
    except OSError as error:
        raise click.ClickException(f"cannot listen on {listen}: {error.strerror or error}") from None


async def _serve(server: BrainServer) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with server:
        click.echo(f"listening on {server.address}")
        await stop.wait()


if __name__ == "__main__":
    serve()
