#!/usr/bin/env bash
# Runs the image service and Debian's Prometheus on this machine, compares the metrics with the list in
# Server/OPERATION.md, and runs every query of the dashboard in Deploy.
#
# Usage: Scripts/dashboard.sh
#
# Prometheus is installed if it is missing. Fails if it cannot read the metrics, if a metric is on one side
# only, or if a query has no result.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

[ $# -eq 0 ] || die "usage: Scripts/dashboard.sh"
command -v prometheus >/dev/null || install_packages prometheus
command -v python3 >/dev/null || install_packages python3
build_package Server "$SERVER_BUILD" --product kf-serve
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 Server/Tests/Dashboard/dashboard.py "$SERVER_BUILD/debug/kf-serve" "$(command -v prometheus)" \
    Examples/Gallery/Screenshots "$scratch"
