"""The command token: a fresh secret, and the line a server knows it by."""
from __future__ import annotations

import hashlib
import secrets

import click

from cafebrain_cli.params import examples


@click.command(
    epilog=examples(
        "cafebrain token alice >>tokens.toml",
        "cafebrain serve --tokens tokens.toml",
        "CAFEBRAIN_TOKEN=... cafebrain games --server localhost:50051",
    )
)
@click.argument("name")
def token(name: str) -> None:
    """Make a token: print it to stderr, and to stdout what a server's token file wants.

    The file holds only the token's hash, so keep the token itself: it is shown this once.
    """
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise click.BadParameter(f"{name!r}: wants letters, digits, - and _", param_hint="NAME")
    secret = secrets.token_urlsafe(32)
    click.echo(f"token of {name}: {secret}", err=True)
    click.echo(f'[{name}]\nsha256 = "{hashlib.sha256(secret.encode()).hexdigest()}"')
