#!/usr/bin/env bash
# Uses the playground of the image service in a headless Chromium, and checks what it shows.
#
# Usage: Scripts/playground.sh [FOLDER]
#
# Writes a screenshot of each state to FOLDER, which is created if necessary; look at them after a
# change to the pages. Chromium is installed first if it is missing. Takes ten seconds after the
# build, and is not part of Scripts/test.sh.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

Scripts/bootstrap.sh --redis
command -v python3 >/dev/null || install_packages python3
browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
browser >/dev/null || install_packages chromium
NESTED_BUILD=$SERVER_BUILD
build_tool Server kf-serve
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
screenshots=$scratch
[ $# -eq 0 ] || {
    cd "$CALLER_FOLDER"
    mkdir -p -- "$1"
    screenshots=$(cd -- "$1" && pwd -P)
    cd "$ROOT"
}
say "Using the playground in a browser"
python3 Server/Tests/Browser/playground.py "$NESTED_BUILD/release/kf-serve" "$(browser)" \
    "$ROOT/Examples/Gallery/Screenshots" "$scratch" "$screenshots"
[ $# -eq 0 ] || say "Screenshots: $screenshots"
