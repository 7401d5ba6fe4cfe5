#!/usr/bin/env bash
# Runs the image service and Debian's Prometheus on this machine, and every query of the dashboard in
# Deploy against it.
#
# Usage: Scripts/dashboard.sh
#
# Prometheus is installed if it is missing. Fails if Prometheus cannot read the metrics, or if a query
# has no result.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

[ $# -eq 0 ] || die "usage: Scripts/dashboard.sh"
command -v prometheus >/dev/null || install_packages prometheus
command -v python3 >/dev/null || install_packages python3
plan_for Server "$SERVER_BUILD"
swift build --package-path Server --scratch-path "$SERVER_BUILD" --product kf-serve
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 Server/Tests/Dashboard/dashboard.py "$SERVER_BUILD/debug/kf-serve" "$(command -v prometheus)" \
    Examples/Gallery/Screenshots "$scratch"
