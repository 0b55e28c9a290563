"""Ray nodes on this machine, each with one core, in a process of their own: `python -m tests.cluster_nodes NODES`.

Prints the address, then obeys lines of standard input: "kill" kills the last node, "free" prints how many cores nobody
uses; the end of the input ends everything.
"""
from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

STORE = 80 << 20  # bytes; Ray wants as much


class Nodes:
    """The tests' side: starts the process and speaks with it."""

    def __init__(self, count: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cluster_nodes", str(count)],
            cwd=Path(__file__).resolve().parents[1],
            env=os.environ | {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            self.address = self._line()
        except RuntimeError:
            self.close()
            raise

    @classmethod
    def start(cls, count: int) -> Nodes:
        """Return nodes; Ray gives up on one that takes more than 30 s, which a busy machine may need."""
        for _ in range(2):
            with suppress(RuntimeError):
                return cls(count)
        return cls(count)

    def kill(self) -> None:
        """Kill the node that was started last."""
        self._ask("kill")

    def free(self) -> int:
        """Return how many cores nobody uses."""
        return int(self._ask("free"))

    def close(self) -> None:
        """End everything."""
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def _ask(self, what: str) -> str:
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        return self._line()

    def _line(self) -> str:
        """Return what comes next that is ours: Ray prints too."""
        for line in self._process.stdout:
            if line.startswith("* "):
                return line[2:].strip()
        raise RuntimeError("the Ray nodes are gone")


def main() -> None:
    """Run nodes as standard input says."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    nodes = [
        cluster.add_node(num_cpus=1, object_store_memory=STORE, include_dashboard=False)
        for _ in range(int(sys.argv[1]))
    ]
    ray.init(address=cluster.address, log_to_driver=False)
    print("*", cluster.address, flush=True)
    for line in sys.stdin:
        if line == "kill\n":
            cluster.remove_node(nodes.pop(), allow_graceful=False)
            print("* killed", flush=True)
        else:
            print("*", int(ray.available_resources().get("CPU", 0)), flush=True)
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
