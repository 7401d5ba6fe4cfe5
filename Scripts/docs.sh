#!/usr/bin/env bash
# Builds the documentation of the library with the toolchain's docc; a warning is an error.
#
# Usage: Scripts/docs.sh [--serve] [DIR]
#
#   --serve   serve the pages on 127.0.0.1 and open them in a browser until Ctrl-C; the environment
#             variable PORT sets the port, 8000 by default
#   DIR       the output folder, .build/docs by default
#
# Includes the pages of KingfisherTesting. Needs no network.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

serve='' target=$ROOT/.build/docs
for argument in "$@"; do
    case $argument in
    --serve) serve=1 ;;
    -*) die "usage: Scripts/docs.sh [--serve] [DIR]" ;;
    /*) target=$argument ;;
    *) target=$CALLER_FOLDER/$argument ;;
    esac
done

require_swift
docc=$(command -v docc || true)
[ -n "$docc" ] || docc=$(dirname -- "$(readlink -f "$(command -v swift)")")/docc
[ -x "$docc" ] || die "this toolchain has no docc, which builds the pages." \
    "Toolchains from https://www.swift.org/install/linux/ bring it."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Builds the pages of a module as an archive in the work folder: build_pages MODULE CATALOG
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
[ -n "$serve" ] || exit 0

command -v python3 >/dev/null || die "--serve needs python3." \
    "Any other web server will do: serve $target and open /documentation/kingfisher"
port=${PORT:-8000}
page=http://127.0.0.1:$port/documentation/kingfisher/
say "$page"
# Where there is a desktop; the server is up by then.
! command -v xdg-open >/dev/null || (sleep 1 && xdg-open "$page" >/dev/null 2>&1) &
rm -rf "$work"
exec python3 -m http.server "$port" --bind 127.0.0.1 --directory "$target"
