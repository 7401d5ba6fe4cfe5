#!/usr/bin/env bash
# Checks the speed of the hot kernels in instructions per pixel.
#
# Usage: Scripts/kernels.sh            fails if a kernel needs 10 % more than its threshold
#        Scripts/kernels.sh --record   records the current counts as thresholds
#        Scripts/kernels.sh NAME...    only these kernels
#
# Counted under Valgrind, so that neither the load of the machine nor its clock matters: the same
# program gives the same counts. A count does not show instructions that became slower;
# Scripts/bench.sh measures times against other libraries. Another compiler may give other counts:
# then check the times, and record.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

case $(uname -m) in
x86_64) kind=x86_64-avx2 ;;
*) kind=$(uname -m) ;;
esac
THRESHOLDS=$ROOT/Benchmarks/Thresholds/$kind.txt
KERNEL_BUILD=$ROOT/.build-kernels
COUNT=$KERNEL_BUILD/kernel-count
# 15 % more must fail; another patch release of the compiler should not.
TOLERANCE=1.10

records=
if [ "${1:-}" = --record ]; then
    records=yes
    shift
fi

command -v valgrind >/dev/null || install_packages valgrind
require_swift
check_writable
log=$(mktemp)
counts=$(mktemp)
trap 'rm -f "$log" "$counts"' EXIT
say "Building kernel-count"
KF_KERNELS=1 swift build -c release --product kernel-count --scratch-path "$KERNEL_BUILD" \
    >"$log" 2>&1 || { cat "$log" >&2; die "kernel-count could not be built (see above)."; }
# Older versions of Valgrind fail on the compiler's debug information.
strip --strip-debug -o "$COUNT" "$KERNEL_BUILD/release/kernel-count"

# Prints the number of instructions of a run: instructions NAME REPETITIONS
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$COUNT" "$1" "$2" >"$log" 2>&1 \
        || { cat "$log" >&2; die "counting $1 failed (see above)."; }
    sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$log"
}

wanted=" $* "
"$COUNT" | while read -r name pixels; do
    [ $# -eq 0 ] || [[ $wanted == *" $name "* ]] || continue
    # The first run also starts the program and fills caches.
    short=$(instructions "$name" 1)
    long=$(instructions "$name" 3)
    awk -v n="$name" -v a="$short" -v b="$long" -v p="$pixels" \
        'BEGIN { printf "%s %.3f\n", n, (b - a) / 2 / p }'
done >"$counts"
[ -s "$counts" ] || die "there is no kernel called $*"

if [ -n "$records" ]; then
    [ $# -eq 0 ] || die "all kernels are recorded together."
    mkdir -p "$(dirname "$THRESHOLDS")"
    {
        printf '# Instructions per pixel; %s\n' "$(swift --version 2>/dev/null | head -n 1)"
        cat "$counts"
    } >"$THRESHOLDS"
    cat "$counts"
    exit
fi

[ -e "$THRESHOLDS" ] || die "there are no thresholds for $kind; --record creates them."
awk -v tolerance="$TOLERANCE" '
    FNR == 1 { file++ }
    file == 1 { if ($1 != "#") limit[$1] = $2; next }
    {
        if (!($1 in limit)) { print "MISSED  " $1 ": no threshold"; failed = 1; next }
        ratio = $2 / limit[$1]
        slow = ratio > tolerance
        if (slow) failed = 1
        printf "%s  %s: %.2f instructions per pixel, %.2f of its threshold\n", \
            slow ? "MISSED" : "ok    ", $1, $2, ratio
    }
    END { exit failed }
' "$THRESHOLDS" "$counts" || die "a kernel became slower than its threshold allows."
