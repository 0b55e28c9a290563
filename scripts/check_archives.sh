#!/bin/bash
# Compare the archives in dist/ with the checkout: the source archive must hold every tracked file that builds or tests
# the product, the wheel every one that runs, types or extends it.
set -euo pipefail
rooms=(cafebrain cafebrain_cli cython_ext engines service solver server.py)

missing() { # ARCHIVE LISTING FILES...: name each file that the listing lacks
    local archive=$1 listing=$2
    shift 2
    lacking=$(comm -13 <(sort "$listing") <(printf '%s\n' "$@" | sort))
    [ -z "$lacking" ] || { echo "$archive lacks:"; echo "$lacking"; exit 1; } >&2
}

listing=$(mktemp)
trap 'rm -f "$listing"' EXIT
tar --list --file dist/cafebrain-*.tar.gz | sed 's|^[^/]*/||' >"$listing"
mapfile -t files < <(git ls-files "${rooms[@]}" proto tests pyproject.toml setup.py README.md LICENSE)
missing "the source archive" "$listing" "${files[@]}"
python3 -m zipfile --list dist/cafebrain-*.whl | awk '{print $1}' >"$listing"
mapfile -t files < <(git ls-files "${rooms[@]}" | grep -v '\.pyx$')
missing "the wheel" "$listing" "${files[@]}"
