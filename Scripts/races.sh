#!/usr/bin/env bash
# Runs the tests of the library and of GTK under the thread sanitizer, and fails if it reports a race.
#
# Usage: Scripts/races.sh [FILTER]
#        Scripts/races.sh --gtk [FILTER]
#
#   FILTER   a regular expression for the tests of the library to run; all that start threads by default
#   --gtk    only tests of GTK, on a display in memory
#
# Builds everything again into .build-tsan. Skips tests that only compare pixels or read sources,
# and those that start processes, which the sanitizer does not follow. Without a filter, tests that
# start nothing beside themselves are not built: no word for it is in their file.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

scratch=.build-tsan
tests_built=("${tests_built[@]:0:2}" --sanitize thread --scratch-path "$scratch")
export KF_SANITIZER=thread
# Nor those that measure memory, or are too slow here.
chosen=(--skip 'GoldenTests|KillTests|DerivedSizeTests|ProcessorWorkTests|FIFOTests|EnduranceTests|ProgramLimitsTests|IsolatedOptionTests|CurlFloodTests')
[ $# -eq 0 ] || chosen=(--filter "$1")

# A filter may ask for any test. Caches have threads of their own.
[ "${1:---gtk}" != --gtk ] ||
    KF_LEFT_OUT=$(grep -rLE 'async|await|Task|Thread|DispatchQueue|concurrentPerform|[Pp]ool' \
        Tests/KingfisherTests --include='*Tests.swift' |
        sed -n '/\/Caching\//d;s|^Tests/KingfisherTests/||p' | sort | tr '\n' ' ')
export KF_LEFT_OUT

# run LOG COMMAND...: runs tests, and fails if the sanitizer reports a race.
run() {
    local log=$1 races status=0
    shift
    LD_PRELOAD=$ROOT/$scratch/runtime.so "$@" >"$log" 2>&1 || status=$?
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
}

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

require_swift
command -v clang >/dev/null \
    || die "clang is missing; it is part of the Swift toolchain."
say "Building with the thread sanitizer"
"$ROOT/Scripts/bootstrap.sh" --gtk
build_tests
# Informs the sanitizer about the runtime, which was not built with it.
clang -O1 -Wall -Wextra -fPIC -shared -o "$scratch/runtime.so" Scripts/tsan/*.c

# As many tests at once as there are cores: some have a time limit, and everything takes several
# times longer here.
export TSAN_OPTIONS="halt_on_error=0 history_size=4 ${TSAN_OPTIONS:-}"
run_library() { run "$logs/library" run_tests "${chosen[@]}" --skip "$SCREEN_TESTS"; }
run_gtk() {
    run "$logs/gtk" run_gtk_tests --filter "${1:-$SCREEN_TESTS}" \
        --skip "$GTK_COSTS"
}
say "Running the tests with the thread sanitizer"
run_both "$@"
say "No races"
