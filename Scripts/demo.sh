#!/usr/bin/env bash
# Loads images through the whole pipeline and shows the results.
#
# Usage: Scripts/demo.sh [URL]...
#
# Without URLs it generates images and serves them itself, so that it needs no network. Missing
# system libraries are installed first. Can be repeated.
#
# Builds a debug version, which takes half as long but decodes and draws several times slower than a
# release.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

Scripts/bootstrap.sh
CONFIGURATION=debug
build_tool Examples demo
say "Running the demonstration"
cd "$CALLER_FOLDER"
exec "$NESTED_BUILD/debug/demo" "$@"
