#!/usr/bin/env bash
# Runs client libraries of other authors against the image service, and reads its traces and metrics
# with OpenTelemetry's own classes.
#
# Usage: Scripts/clients.sh [KF-SERVE]
#
#   KF-SERVE   the program; by default the one of the last Scripts/test.sh server
#
# The libraries come from PyPI, into a folder of their own; imgproxykit only with Python 3.12 or newer.
# Takes ten seconds, and ten more the first time. Skipped if pip cannot install them.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

program=$SERVER_BUILD/debug/kf-serve
[ $# -eq 0 ] || program=$(cd "$CALLER_FOLDER" && realpath -- "$1")
[ -x "$program" ] || die "there is no program $program." "Scripts/test.sh server builds it."
clients=$ROOT/.build-nested/clients
provide_packages "$clients" Server/Tests/Client/requirements.txt || {
    say "SKIPPED: the client libraries, because pip cannot install them (see above)."
    exit 0
}
"$clients/bin/python" Server/Tests/Client/run.py "$program"
exec "$clients/bin/python" Server/Tests/Client/telemetry.py "$program" Examples/Gallery/Screenshots
