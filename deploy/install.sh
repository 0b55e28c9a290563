#!/bin/sh
# Install the product of this checkout, and nothing that only builds or tests it, into a new virtual environment:
# deploy/install.sh FOLDER
set -eu
cd "$(dirname "$0")/.."
python3 -m venv "$1"
"$1/bin/python" -m pip install -q --no-cache-dir '.[tracing]'
"$1/bin/python" -m pip uninstall -q --yes pip setuptools
"$1/bin/python" -m compileall -q "$1/lib"
