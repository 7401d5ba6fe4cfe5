#!/usr/bin/env bash
# Reads objects of emulators through the image service: S3 with roles, also those of containers, virtual
# machines and workloads, whose keys expire, and Google Cloud Storage.
#
# Usage: Scripts/stores.sh [KF-SERVE]
#
#   KF-SERVE   the program; by default the one of the last Scripts/test.sh server
#
# The emulators come from PyPI, into a folder of their own. Skipped if pip cannot install them. Not part
# of Scripts/test.sh: there, tests check the signatures and questions without emulators.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

program=$SERVER_BUILD/debug/kf-serve
[ $# -eq 0 ] || program=$(cd "$CALLER_FOLDER" && realpath -- "$1")
[ -x "$program" ] || die "there is no program $program." "Scripts/test.sh server builds it."
provide_emulators || {
    say "SKIPPED: the emulators, because pip cannot install them (see above)."
    exit 0
}
exec "$EMULATORS/bin/python" Server/Tests/Stores/stores.py "$program" \
    Examples/Gallery/Screenshots/grid.png
