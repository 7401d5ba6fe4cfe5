#!/usr/bin/env bash
# Attacks an image service on this machine with hostile files, sources and clients, and checks that
# it goes on serving, and that memory, descriptors and workers do not grow.
#
# Usage: Scripts/attack.sh [SECONDS]
#
# SECONDS is 600 if it is left out.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

Scripts/bootstrap.sh
command -v python3 >/dev/null || install_packages python3
NESTED_BUILD=$SERVER_BUILD
build_tool Server kf-serve
scratch=$(mktemp -d)
say "Attacking a service"
status=0
python3 Server/Tests/Hostile/attack.py "$NESTED_BUILD/release/kf-serve" Tests/KFCodecsTests/Fixtures \
    "${1:-600}" "$scratch" || status=$?
# The log is kept if it is needed.
[ $status -ne 0 ] || rm -rf "$scratch"
exit $status
