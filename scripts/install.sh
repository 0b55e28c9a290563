#!/bin/sh
# Install the product and its tools into the active environment, editable; this compiles all native code.
set -eu

# The build's own requirements are kept in the environment, so that no index is needed unless a requirement changed.
python -c '
import pathlib, tomllib
print(*tomllib.loads(pathlib.Path("pyproject.toml").read_text())["build-system"]["requires"], sep="\n")
' | python -m pip install -q -r /dev/stdin

# Cython sees changed sources, but not changed directives.
CYTHON_FORCE_REGEN=1 python -m pip install -q --no-build-isolation -e '.[dev]'
