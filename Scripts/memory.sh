#!/usr/bin/env bash
# Checks for memory errors: runs the shims while allocations fail, and the tests of the library and of
# GTK under the address sanitizer, which also checks the memory functions that C libraries call.
#
# Usage: Scripts/memory.sh [FILTER]
#        Scripts/memory.sh --gtk [FILTER]
#
#   FILTER   a regular expression for the tests of the library to run; all but a few by default
#   --gtk    only tests of GTK, on a display in memory; KF_FUZZ_SECONDS sets for how long views are
#            used in random order
#
# Builds everything again into .build-asan. Leaves out tests that only read sources or compare pixels,
# those that measure memory, of which the sanitizer holds more than is in use, and those that only
# compute in Swift.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

scratch=.build-asan
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
tests_built=("${tests_built[@]:0:2}" --sanitize address --scratch-path "$scratch")
export KF_SANITIZER=address
chosen=(--skip "$(not_in_memory)")
# A filter may ask for any test.
[ "${1:---gtk}" != --gtk ] || leave_out "${NOT_IN_MEMORY[@]}" "${NOT_IN_MEMORY_FOLDERS[@]}"
[ $# -eq 0 ] || chosen=(--filter "$1")

require_swift
command -v clang >/dev/null \
    || die "clang is missing; it is part of the Swift toolchain."
"$ROOT/Scripts/bootstrap.sh" --gtk

# Runs the shims of the codecs while allocations fail.
check_shims() {
    local objects=$scratch/shims flags libraries compiling linking source
    flags=(-std=gnu11 -O1 -g -Wall -Wextra -Werror -fsanitize=address -I Sources/CKFCodecShims/include)
    libraries=(libjpeg libpng zlib)
    read -ra compiling < <(pkg-config --cflags "${libraries[@]}") || true
    read -ra linking < <(pkg-config --libs "${libraries[@]}")
    # gold warns about every function of the sanitizer.
    [ ! -x "$(dirname -- "$(command -v clang)")/ld.lld" ] || linking+=(-fuse-ld=lld)

    say "Shims while allocations fail"
    mkdir -p "$objects"
    for source in Sources/CKFCodecShims/*.c; do
        clang "${flags[@]}" "${compiling[@]+"${compiling[@]}"}" -Dmalloc=shim_malloc \
            -Dcalloc=shim_calloc -Drealloc=shim_realloc -c "$source" \
            -o "$objects/$(basename "$source" .c).o"
    done
    clang "${flags[@]}" Tests/CKFCodecShimsTests/faults.c "$objects"/*.o "${linking[@]}" \
        -o "$objects/faults"
    # Whole stacks, by which the sanitizer knows the memory of the linker's that libraries keep.
    ASAN_OPTIONS=allocator_may_return_null=1:fast_unwind_on_malloc=0 \
        "$objects/faults" Tests/KFCodecsTests/Fixtures \
        || die "a shim fails when an allocation does (see above)."
}

if [ "${1:-}" != --gtk ]; then check_shims; fi

say "Building with the address sanitizer"
build_tests

# Without leak detection, because the runtime keeps one-time allocations.
run_library() {
    ASAN_OPTIONS=detect_leaks=0 run_tests "${chosen[@]}" --skip "$SCREEN_TESTS"
}
# GTK is not built with the sanitizer, so freed memory is overwritten: its next use by GTK fails.
run_gtk() {
    ASAN_OPTIONS=detect_leaks=0:max_free_fill_size=65536:free_fill_byte=221 G_SLICE=always-malloc \
        run_gtk_tests --filter "${1:-$SCREEN_TESTS}" \
        --skip "$GTK_COSTS"
}
say "Running the tests with the address sanitizer"
run_both "$@"
say "No memory errors"
