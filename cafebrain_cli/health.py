"""The command health: whether a server serves, for container health checks and scripts."""
from __future__ import annotations

import click

from cafebrain_cli.exits import REFUSED
from cafebrain_cli.params import address, examples, tls_option

TIMEOUT = 5.0  # seconds


@click.command(epilog=examples("cafebrain health --server localhost:50051"))
@click.option("--server", type=address, metavar="HOST:PORT", required=True, help="The server to ask.")
@tls_option
def health(server: str) -> None:
    """Ask a server whether it serves. Exits with 0 if so, with 1 if not; needs no token."""
    from cafebrain_cli.source import connect

    serving = connect(server).serving(TIMEOUT)
    click.echo("serving" if serving else "not serving")
    if not serving:
        raise click.exceptions.Exit(REFUSED)
