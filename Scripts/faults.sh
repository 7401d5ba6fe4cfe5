#!/usr/bin/env bash
# Loads pictures while the system fails: no descriptor, no space, unreadable files, short reads and
# writes, a clock that jumps.
#
# Usage: Scripts/faults.sh [ROUNDS [SEED]]
#
#   ROUNDS   how many cache folders are tried, 40 by default
#   SEED     where to begin, 1 by default
#
# Needs the tests' build, which Scripts/test.sh build makes.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

require_swift
command -v clang >/dev/null \
    || die "there is no clang beside the Swift toolchain, which comes with one."
library=$ROOT/.build/faults/libfaults.so
mkdir -p "$(dirname "$library")"
clang -std=gnu11 -O1 -Wall -Wextra -Werror -shared -fPIC Tests/Faults/faults.c -o "$library" -ldl

say "Loading while the system fails"
# The tests find the library's functions by name, and call them.
KF_FAULT_ROUNDS=${1:-40} KF_FAULT_SEED=${2:-1} LD_PRELOAD=$library \
    swift test --disable-xctest --skip-build --filter SystemFaultTests
