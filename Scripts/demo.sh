#!/usr/bin/env bash
# Loads images through the whole pipeline and shows the results.
#
# Usage: Scripts/demo.sh [URL]...
#
# Without URLs it generates images and serves them itself, so that it needs no network. Missing
# system libraries are installed first. Can be repeated.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

Scripts/bootstrap.sh
build_kf
say "Running the demonstration"
cd "$CALLER_FOLDER"
exec "$NESTED_BUILD/release/kf" demo "$@"
