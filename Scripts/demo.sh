#!/usr/bin/env bash
# Loads images through the whole pipeline and shows the results.
#
# Usage: Scripts/demo.sh [URL]...
#
# Without URLs it generates images and serves them itself, so that it needs no network. Missing
# system libraries are installed first. Can be repeated.
#
# Uses kf if Scripts/kf has built it. Otherwise it builds a debug version, which takes half as long
# but decodes and draws several times slower than a release.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

Scripts/bootstrap.sh
kf=.build-kf/release/kf
if [ ! -x $kf ] || [ -n "$(find Sources Tools/Sources -newer $kf -print -quit)" ]; then
    CONFIGURATION=debug
    build_tool Tools kf
    kf=$NESTED_BUILD/debug/kf
fi
say "Running the demonstration"
kf=$(realpath "$kf")
cd "$CALLER_FOLDER"
exec "$kf" demo "$@"
