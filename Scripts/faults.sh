#!/usr/bin/env bash
# Loads images while system calls fail: no descriptor, no space, unreadable files, short reads and
# writes, a clock that jumps, and any one thread refused; then in environments without /dev, a
# writable /tmp or a home folder.
#
# Usage: Scripts/faults.sh [ROUNDS [SEED]]
#
#   ROUNDS   the number of cache folders to try, 40 by default
#   SEED     the first seed, 1 by default
#
# Requires a build of the tests: Scripts/test.sh build.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

require_swift
command -v clang >/dev/null \
    || die "clang is missing; it is part of the Swift toolchain."
library=$GTK_BUILD/faults/libfaults.so
mkdir -p "$(dirname "$library")"
clang -std=gnu11 -O1 -Wall -Wextra -Werror -shared -fPIC Tests/Faults/faults.c -o "$library" -ldl

say "Loading while system calls fail"
# The tests look up the functions of the preloaded library by name and call them.
KF_FAULT_ROUNDS=${1:-40} KF_FAULT_SEED=${2:-1} LD_PRELOAD=$library \
    run_tests --filter 'SystemFaultTests|RefusedThreadTests'

# The runner of the tests itself needs /proc, so a small program loads with the shared manager.
program=$GTK_BUILD/debug/isolation-worker
picture=$ROOT/Tests/KFCodecsTests/Fixtures/rgb8.png
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs the program with a shell command before it, in a mount namespace of its own.
load_in() {
    local name=$1 setup=$2
    (cd "$work" && unshare --user --map-root-user --mount bash -c \
        "set -e; $setup; KINGFISHER_BARE_LOAD='$picture' timeout 60 '$program'") \
        || die "The program that loads images fails $name."
    [ -z "$(ls -A "$work")" ] || die "The program makes files in its working directory $name."
}

say "Loading in environments that lack something"
if ! unshare --user --map-root-user --mount true 2>/dev/null; then
    say "left out: this system allows no user namespaces"
    exit
fi
export HOME=/proc/nonexistent
# Not without /proc: once per second libdispatch reads the states of the threads of a full pool
# there, and ends the program by SIGILL if it cannot. Programs on top of the library say so at their
# start; the tests of kf have the same for it.
service=$SERVER_BUILD/debug/kf-serve
if [ -x "$service" ]; then
    status=0
    refusal=$(unshare --user --map-root-user --mount bash -c \
        "mount -t tmpfs none /proc; timeout 60 '$service'" 2>&1) || status=$?
    [ "$status" = 71 ] && [[ $refusal == "kf-serve: /proc is not mounted"* ]] \
        || die "The service does not refuse to start without /proc: $refusal"
else
    say "left out: the service without /proc; Scripts/test.sh server builds it"
fi
load_in "without /dev" "mount -t tmpfs none /dev"
load_in "with a read-only /tmp" "mount -t tmpfs -o ro none /tmp"
load_in "without HOME" "unset HOME; export XDG_CACHE_HOME=/proc/nonexistent"
load_in "with a relative HOME" "export HOME=relative XDG_CACHE_HOME=caches"
load_in "with a HOME that does not exist" "true"
