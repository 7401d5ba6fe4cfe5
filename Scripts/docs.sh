#!/usr/bin/env bash
# Builds the documentation of the library with the toolchain's docc; a warning is an error.
#
# Usage: Scripts/docs.sh [DIR]
#
#   DIR   where the pages go, .build/docs by default; serve them with any web server, for example
#         python3 -m http.server --directory .build/docs, and open /documentation/kingfisher
#
# The pages about KingfisherTesting are built beside them. Needs no network.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

case "${1:-}" in
-*) die "usage: Scripts/docs.sh [DIR]" ;;
/*) target=$1 ;;
'') target=$ROOT/.build/docs ;;
*) target=$CALLER_FOLDER/$1 ;;
esac

require_swift
docc=$(command -v docc || true)
[ -n "$docc" ] || docc=$(dirname -- "$(readlink -f "$(command -v swift)")")/docc
[ -x "$docc" ] || die "this toolchain has no docc, which builds the pages." \
    "Toolchains from https://www.swift.org/install/linux/ bring it."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build_pages MODULE CATALOG: its pages as an archive in the work folder.
build_pages() {
    mkdir "$work/$1"
    extract_symbols "$1" "$work/$1"
    "$docc" convert ${2:+"$2"} --warnings-as-errors \
        --additional-symbol-graph-dir "$work/$1" --output-path "$work/$1.doccarchive" \
        --fallback-bundle-identifier "kingfisher-linux.$1" --fallback-display-name "$1"
}

build_pages Kingfisher Sources/Kingfisher/Kingfisher.docc
build_pages KingfisherTesting ''
"$docc" merge "$work/Kingfisher.doccarchive" "$work/KingfisherTesting.doccarchive" \
    --synthesized-landing-page-name "Kingfisher for Linux" --output-path "$work/all"
mkdir -p "$target"
cp -R "$work/all/." "$target"
say "The pages are in $target"
