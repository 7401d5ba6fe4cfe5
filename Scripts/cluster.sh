#!/usr/bin/env bash
# Runs three image services, Redis and nginx on this machine, loads them, ends a service and Redis
# while they work, and prints what happened.
#
# Usage: Scripts/cluster.sh [--ring | --levels [IMAGES]]
#
#   --ring     only compute how many of ten million names move when a service joins or leaves, and
#              compare the ring with that of nginx
#   --levels   only measure what a request costs by the level that has its result: memory, disk,
#              Redis, a Redis Cluster with three masters of which one is killed, an emulator of S3,
#              or none; with 300 images unless another number is given
#
# The configurations are those of the folder Deploy. Missing programs are installed or unpacked
# first. Fails if an image was wrong or a request was lost.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

[[ "$*" =~ ^(--ring|--levels( [1-9][0-9]*)?|)$ ]] \
    || die "usage: Scripts/cluster.sh [--ring | --levels [IMAGES]]"
provide_nginx || die "the balancer needs nginx."
command -v python3 >/dev/null || install_packages python3
[ "${1:-}" != --ring ] || exec python3 Server/Tests/Cluster/ring.py 10000000 "$NGINX"
Scripts/bootstrap.sh --redis --tests
if [ "${1:-}" = --levels ]; then
    command -v redis-server >/dev/null && command -v redis-cli >/dev/null \
        || install_packages redis-server redis-tools
    provide_emulators || die "pip cannot install the emulators."
    # The program as it is deployed.
    link_swift_into_programs
    build_tool Server kf-serve
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    "$EMULATORS/bin/python" Server/Tests/Cluster/levels.py "$NESTED_BUILD/release/kf-serve" \
        "$NGINX" Examples/Gallery/Screenshots/grid.png "$scratch" "${2:-300}"
    exit
fi
redis=$(command -v redis-server || command -v valkey-server || command -v redis-check-rdb) \
    || die "no Redis server was found."
NESTED_BUILD=$SERVER_BUILD
build_tool Server kf-serve
scratch=$(mktemp -d)
say "Running three services, Redis and nginx"
status=0
python3 Server/Tests/Cluster/cluster.py "$NESTED_BUILD/release/kf-serve" "$NGINX" "$redis" \
    Examples/Gallery/Screenshots/grid.png "$scratch" || status=$?
# The logs are kept if they are needed.
[ $status -ne 0 ] || rm -rf "$scratch"
exit $status
