"""Puzzles solved on a Ray cluster.

`executor` is what asks: it starts `driver` in a process of its own, which joins the cluster and tells its workers what
to do next, as `schedule` says. `worker` runs in the cluster. Only `driver` imports Ray.
"""
