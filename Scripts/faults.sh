#!/usr/bin/env bash
# Loads images while system calls fail: no descriptor, no space, unreadable files, short reads and
# writes, a clock that jumps, and any one thread refused.
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
library=$ROOT/.build/faults/libfaults.so
mkdir -p "$(dirname "$library")"
clang -std=gnu11 -O1 -Wall -Wextra -Werror -shared -fPIC Tests/Faults/faults.c -o "$library" -ldl

say "Loading while system calls fail"
# The tests look up the functions of the preloaded library by name and call them.
KF_FAULT_ROUNDS=${1:-40} KF_FAULT_SEED=${2:-1} LD_PRELOAD=$library \
    swift test --disable-xctest --skip-build --filter 'SystemFaultTests|RefusedThreadTests'
