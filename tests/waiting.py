"""Waiting for what a server does in its own time."""
from __future__ import annotations

import time
from collections.abc import Callable

from server import BrainServer

PATIENCE = 60.0  # seconds after which something counts as never happening


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.002)


def idle(server: BrainServer) -> bool:
    """Return whether no search runs or waits."""
    return server.admission.running == server.admission.waiting == 0
