#!/bin/sh
# Take the texts of the sources into every message catalogue: scripts/catalogues.sh [NEW_LANGUAGE]
#
# Texts that are new come without a translation, changed ones marked fuzzy: edit the .po files, then "make build".
set -eu
new=${1:-}

take() { # DOMAIN FOLDER_OF_LOCALE SOURCES...
    domain=$1 locale=$2
    shift 2
    template=$(mktemp)
    pybabel -q extract -k say -k count:1,2 --omit-header --sort-by-file --no-location -o "$template" "$@"
    [ -z "$new" ] || mkdir -p "$locale/$new/LC_MESSAGES"
    for messages in "$locale"/*/LC_MESSAGES; do
        [ -d "$messages" ] || continue
        language=$(basename "$(dirname "$messages")")
        if [ -e "$messages/$domain.po" ]; then
            pybabel -q update --ignore-obsolete --ignore-pot-creation-date --no-wrap -D "$domain" -i "$template" -d "$locale" -l "$language"
        else
            pybabel -q init --no-wrap -D "$domain" -i "$template" -d "$locale" -l "$language"
        fi
    done
    rm "$template"
}

take cafebrain solver/locale solver engines/*.py
for engine in engines/*/engine.py; do
    folder=$(dirname "$engine")
    take "$(basename "$folder")" "$folder/locale" "$folder"
done
