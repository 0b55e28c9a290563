"""The server's certificate, and whose certificates it accepts; all are read again when their files change."""
from __future__ import annotations

import logging
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import cast

import grpc

from service.credentials import WatchedFiles

log = logging.getLogger(__name__)


def tls_credentials(cert: Path, key: Path, client_ca: Path | None) -> grpc.ServerCredentials:
    """Return credentials that every new connection takes from the files as they are then.

    client_ca: only clients with a certificate of this authority may connect; None for any client.

    Raises ValueError where the files cannot be used. Later a faulty change is reported, and the last good ones stay.
    """
    paths = [cert, key, *([client_ca] if client_ca else [])]
    files = WatchedFiles(*paths)

    def fetch() -> grpc.ServerCertificateConfiguration | None:
        if not files.changed():
            return None
        try:
            found = _read(cert, key, client_ca)
        except ValueError as error:
            log.error("the certificate files are not used: %s", error)
            return None
        log.info("certificate files read again")
        return found

    # gRPC's types do not know that None means unchanged.
    changed = cast("Callable[[], grpc.ServerCertificateConfiguration]", fetch)
    return grpc.dynamic_ssl_server_credentials(_read(cert, key, client_ca), changed, client_ca is not None)


def _read(cert: Path, key: Path, client_ca: Path | None) -> grpc.ServerCertificateConfiguration:
    try:
        # gRPC takes anything and fails at the first handshake; this says now whether the files go together.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key, password=_no_password)
        if client_ca:
            context.load_verify_locations(client_ca)
        pair = (key.read_bytes(), cert.read_bytes())
        authority = client_ca.read_bytes() if client_ca else None
    except OSError as error:  # also ssl.SSLError
        raise ValueError(f"{error.filename or cert}: {error.strerror or error}") from None
    return grpc.ssl_server_certificate_configuration([pair], authority)


def _no_password() -> str:
    raise ValueError("the key has a password; it must have none")
