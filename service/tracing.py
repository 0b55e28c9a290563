"""OpenTelemetry spans, an extra: one per call, with its waits and searches within.

Where spans go is set with OpenTelemetry's own variables, such as OTEL_EXPORTER_OTLP_ENDPOINT.
"""
from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from service.record import Call

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

LAST_WORDS = 1.0  # seconds to report what waits, at the end


class Tracing:
    """Reports calls as spans.

    provider: where spans go; None for OTLP over gRPC, which needs the exporter that comes with the extra.

    Raises ImportError unless the extra is installed.
    """

    def __init__(self, provider: TracerProvider | None = None) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        if provider is None:
            from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

            resource = Resource.create({"service.name": "cafebrain"})
            provider = TracerProvider(resource=resource, shutdown_on_exit=False)
            provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._provider = provider
        self._tracer = provider.get_tracer("cafebrain")

    def close(self) -> None:
        """Send what waits, as far as somebody takes it soon."""
        closing = threading.Thread(target=self._provider.shutdown, daemon=True)
        closing.start()
        closing.join(LAST_WORDS)

    def report(self, call: Call, metadata: Mapping[str, str]) -> None:
        """Report a call that has ended; it continues the trace that the caller's metadata names, if any."""
        from opentelemetry import trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        attributes = {"rpc.system": "grpc", "rpc.service": "cafebrain.v1.BrainService", "rpc.method": call.method}
        fields = {f"cafebrain.{key}": value for key, value in call.fields().items() if key not in ("method", "ms")}
        span = self._tracer.start_span(
            call.method,
            TraceContextTextMapPropagator().extract(metadata),
            trace.SpanKind.SERVER,
            attributes | fields,
            start_time=_ns(call.began),
        )
        if call.outcome != "OK":
            span.set_status(trace.StatusCode.ERROR, call.reason or call.outcome)
        within = trace.set_span_in_context(span)
        for name, began, ended in call.phases:
            self._tracer.start_span(name, within, start_time=_ns(began)).end(_ns(ended))
        span.end(_ns(call.began + call.seconds))


def _ns(seconds: float) -> int:
    return int(seconds * 1e9)
