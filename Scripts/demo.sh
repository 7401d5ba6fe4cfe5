#!/usr/bin/env bash
# The first of the two commands: loads pictures through everything there is and shows the result.
#
# Usage: Scripts/demo.sh [URL]...
#
# Without URLs it makes pictures and serves them itself, so that no network is needed. System
# libraries that are missing are installed first. Safe to run again.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

Scripts/bootstrap.sh
build_kf
say "Running the demonstration"
cd "$CALLER_FOLDER"
exec "$NESTED_BUILD/release/kf" demo "$@"
