#!/bin/sh
# Run a command on a sanitized build in build/sanitize, so that the ordinary one stays: scripts/sanitize.sh COMMAND...
set -eu
root=$PWD
copy=$root/build/sanitize

# A fresh copy of the sources over what was compiled there, so that only what changed is compiled again.
mkdir -p "$copy"
find "$copy" -path "$copy/build" -prune -o -type f ! -name '*.so' -exec rm -f {} +
git ls-files -z --cached --others --exclude-standard --deduplicate |
    tar --create --null --ignore-failed-read --warning=no-failed-read --files-from=- |
    tar --extract --directory="$copy"
cd "$copy"

# Unchanged sources keep their objects, so a changed setup.py has to force them.
force=
if ! cmp -s setup.py build/setup.py.used; then
    force=--force
fi
CYTHON_FORCE_REGEN=${force:+1} CAFEBRAIN_SANITIZE=1 python setup.py -q build_ext --inplace $force
cp setup.py build/setup.py.used

# The interpreter is not sanitized: the runtime comes first by preload, libstdc++ for the exceptions of gRPC's C++.
# Leaks of the interpreter are not ours; a refused allocation must reach our own handling.
export LD_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libstdc++.so.6)"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
export PYTHONMALLOC=malloc PYTHONPATH="$copy"
python -c 'import sys, cython_ext.mcts as m; sys.exit(not m.__file__.startswith(sys.argv[1]))' "$copy/"
exec "$@"
