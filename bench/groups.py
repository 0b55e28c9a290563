"""All groups of figures, in the order of the report."""
from __future__ import annotations

from collections.abc import Callable, Iterator

from bench import (
    cafe,
    campus,
    cluster,
    connect_four,
    endings,
    gatto,
    hints,
    memory,
    search,
    service,
    signature,
    solo,
)
from bench.measure import Figure, Plan

GROUPS: dict[str, Callable[[Plan], Iterator[Figure]]] = {
    "signature": signature.figures,
    "connect_four": connect_four.figures,
    "gatto": gatto.figures,
    "cafe": cafe.figures,
    "campus": campus.figures,
    "search": search.figures,
    "endings": endings.figures,
    "solo": solo.figures,
    "memory": memory.figures,
    "threads": search.thread_figures,
    "cluster": cluster.figures,
    "hints": hints.figures,
    "service": service.figures,
    "latency": service.latency_figures,
}
