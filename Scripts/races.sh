#!/usr/bin/env bash
# Runs the tests of the library under the thread sanitizer, and fails if it reports a race.
#
# Usage: Scripts/races.sh [FILTER]
#
#   FILTER   a regular expression for the tests to run; all that start threads by default
#
# Builds everything again into .build-tsan. Skips tests that only compare pixels or read sources,
# and those that start processes, which the sanitizer does not follow.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

scratch=.build-tsan
export KF_SANITIZER=thread
# Nor those that measure memory, or are too slow here.
chosen=(--skip 'GoldenTests|KillTests|DerivedSizeTests|ProcessorWorkTests|FIFOTests|EnduranceTests|ProgramLimitsTests|IsolatedOptionTests|CurlFloodTests')
[ $# -eq 0 ] || chosen=(--filter "$1")

require_swift
command -v clang >/dev/null \
    || die "clang is missing; it is part of the Swift toolchain."
say "Building with the thread sanitizer"
swift build --build-tests --sanitize thread --scratch-path "$scratch"
# Informs the sanitizer about the runtime, which was not built with it.
clang -O1 -Wall -Wextra -fPIC -shared -o "$scratch/runtime.so" Scripts/tsan/*.c

# As many tests at once as there are cores: some have a time limit, and everything takes several
# times longer here.
say "Running the tests with the thread sanitizer"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
TSAN_OPTIONS="halt_on_error=0 history_size=4 ${TSAN_OPTIONS:-}" LD_PRELOAD=$ROOT/$scratch/runtime.so \
    run_tests --sanitize thread --scratch-path "$scratch" "${chosen[@]}" >"$log" 2>&1 || status=$?
races=$(grep -c 'WARNING: ThreadSanitizer' "$log" || true)
if [ "$races" -gt 0 ]; then
    sed -n '/WARNING: ThreadSanitizer/,/^SUMMARY/p' "$log" | head -n 200
    die "$races races (see above)."
elif [ $status -ne 0 ]; then
    grep -a 'recorded an issue' "$log" | head -n 40
    tail -n 3 "$log"
    die "no races, but a test failed (see above)."
fi
tail -n 1 "$log"
say "No races"
