#!/bin/sh
# Make a virtual environment with a Python that can build the product: scripts/venv.sh FOLDER
set -eu

check='
import sys, sysconfig, pathlib
if sys.version_info < (3, 11):
    sys.exit("is older than 3.11")
try:
    import ensurepip, venv
except ImportError:
    sys.exit("lacks venv (Debian: python3-venv)")
if not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
    sys.exit("lacks its C headers (Debian: python3-dev)")
'
command -v cc >/dev/null || command -v gcc >/dev/null || { echo "no C compiler found (Debian: gcc libc6-dev)" >&2; exit 1; }

tried=
for python in ${PYTHON:-python3.11 python3 python3.14 python3.13 python3.12}; do
    if ! command -v "$python" >/dev/null; then
        fault="not found"
    elif fault=$("$python" -c "$check" 2>&1); then
        echo "Making $1 with $("$python" --version) ($(command -v "$python"))"
        exec "$python" -m venv --clear "$1"
    fi
    tried="$tried
  $python: $(echo "${fault:-does not run}" | tail -n 1)"
done
echo "No Python 3.11 or newer that can build cafebrain was found; PYTHON=... names one.$tried" >&2
exit 1
