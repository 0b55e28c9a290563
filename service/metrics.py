"""Figures for Prometheus, on a port of their own."""
from __future__ import annotations

import threading
from collections.abc import Callable
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

FAST = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1)
SLOW = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300)
OVERRUN = 0.01  # seconds past its deadline from which a search counts as overrun


class Metrics:
    """All figures of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._gauges: dict[str, Gauge] = {}
        self.calls = Counter("cafebrain_calls", "Calls ended.", ["method", "code"], registry=self.registry)
        self.call_seconds = self._histogram("call_seconds", "Time of a call.", SLOW, "method")
        self.queue_seconds = self._histogram("queue_seconds", "Time a search waited for its turn.", SLOW)
        self.search_seconds = self._histogram("search_seconds", "Time of a search from its turn on.", SLOW, "game")
        self.simulations = Counter("cafebrain_simulations", "Simulations.", ["game"], registry=self.registry)
        self.positions = Counter(
            "cafebrain_solver_positions", "Positions solo searches looked at.", ["game"], registry=self.registry
        )
        self.cancel_seconds = self._histogram("cancel_seconds", "Time from a cancel to the search's end.", FAST)
        self.overrun_seconds = self._histogram("overrun_seconds", "Time from a search's deadline to its end.", FAST)
        self.overruns = Counter(
            "cafebrain_overruns", f"Searches that ended over {OVERRUN} s late.", registry=self.registry
        )
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)

    def watch(self, name: str, text: str, value: Callable[[], float], **labels: str) -> None:
        """Show a figure that is read when asked for."""
        gauge = self._gauges.get(name)
        if gauge is None:
            gauge = self._gauges[name] = Gauge(f"cafebrain_{name}", text, list(labels), registry=self.registry)
        (gauge.labels(**labels) if labels else gauge).set_function(value)

    def overran(self, seconds: float) -> None:
        """Note how late a search ended."""
        self.overrun_seconds.observe(seconds)
        if seconds > OVERRUN:
            self.overruns.inc()

    def serve(self, host: str, port: int) -> tuple[WSGIServer, threading.Thread]:
        """Answer GET /metrics.

        Raises OSError where the address cannot be had.
        """
        return start_http_server(port, host, self.registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"cafebrain_{name}", text, labels, buckets=buckets, registry=self.registry)
