#!/usr/bin/env bash
# Runs the tests of the library under the thread sanitizer, and fails when it sees a race.
#
# Usage: Scripts/races.sh [FILTER]
#
#   FILTER   a regular expression for the tests to run, all that start threads by default
#
# Everything is built once more for it, into .build-tsan. What only counts pixels or reads sources
# is left out, and so is what starts processes, which the sanitizer does not follow.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

scratch=.build-tsan
chosen=(--skip 'CodecsTests|PixelsTests|GoldenTests|LayeringTests|DocumentationTests|KillTests')
[ $# -eq 0 ] || chosen=(--filter "$1")

require_swift
command -v clang >/dev/null \
    || die "there is no clang beside the Swift toolchain, which comes with one."
say "Building with the thread sanitizer"
swift build --build-tests --sanitize thread --scratch-path "$scratch"
# What the sanitizer has to be told about the runtime, which was not built with it.
clang -O1 -Wall -Wextra -fPIC -shared -o "$scratch/runtime.so" Scripts/tsan/*.c

# One test after the other: everything takes several times longer here, and some tests have a
# time limit. What runs at the same time is what each test starts.
say "Looking for races"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
TSAN_OPTIONS="halt_on_error=0 history_size=4 ${TSAN_OPTIONS:-}" LD_PRELOAD=$ROOT/$scratch/runtime.so \
    swift test --disable-xctest --skip-build --sanitize thread --scratch-path "$scratch" \
    --no-parallel "${chosen[@]}" >"$log" 2>&1 || status=$?
races=$(grep -c 'WARNING: ThreadSanitizer' "$log" || true)
if [ "$races" -gt 0 ]; then
    sed -n '/WARNING: ThreadSanitizer/,/^SUMMARY/p' "$log" | head -n 200
    die "$races races"
elif [ $status -ne 0 ]; then
    grep -a 'recorded an issue' "$log" | head -n 40
    tail -n 3 "$log"
    die "no race, but a test failed"
fi
tail -n 1 "$log"
say "No races"
