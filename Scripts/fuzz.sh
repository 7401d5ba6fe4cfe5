#!/usr/bin/env bash
# Fuzzes the decoders with libFuzzer and AddressSanitizer.
#
# Usage: Scripts/fuzz.sh [SECONDS] [FORMAT]...
#
#   SECONDS   the time per format, 30 by default
#   FORMAT    the suffix of fixtures, all but jxl, heic, tiff and svg by default; or "optional" for these,
#             whose libraries have to be installed
#
# SVG is drawn in processes behind the walls of a worker, as in programs: its library may end them. A system call that is
# missing there fails, and so does a drawing that takes more than 5 s of CPU.
#
# The seeds are the fixtures of the tests. The corpus is kept in .build-fuzz, so that the next run
# continues from there. An input that crashes, hangs for 10 seconds or takes more than 1 GB is kept
# there, too, and the exit status is 1.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

seconds=${1:-30}
[[ $seconds =~ ^[0-9]+$ ]] || die "'$seconds' is not a number of seconds"
[ $# -eq 0 ] || shift
fixtures=Tests/KFCodecsTests/Fixtures
scratch=.build-fuzz
formats=("$@")
optional=(jxl heic tiff svg)
case "$*" in
# Each file with the pixels that it has to give is a fixture: FILE.rgba.
"") mapfile -t formats < <(find "$fixtures" -name '*.*.rgba' -printf '%f\n' | sed -E 's/.*\.(.*)\.rgba/\1/' | sort -u |
    grep -vxFf <(printf '%s\n' "${optional[@]}")) ;;
optional) formats=("${optional[@]}") ;;
esac
for format in "${formats[@]}"; do
    compgen -G "$fixtures/*.$format" >/dev/null || die "there are no fixtures of '$format'"
done

require_swift
say "Building the fuzzer"
if [ "${formats[*]}" != svg ]; then
    # SwiftPM passes the sanitizers in the order of a set, and other arguments build everything again.
    SWIFT_DETERMINISTIC_HASHING=1 KF_FUZZ=1 swift build -c release --sanitize fuzzer --sanitize address \
        --product CodecsFuzz --scratch-path "$scratch"
fi
mkdir -p "$scratch/release"
case " ${formats[*]} " in
*" svg "*)
    "$(dirname -- "$(readlink -f "$(command -v swift)")")/clang" -std=gnu11 -O1 -fsanitize=fuzzer \
        -Wno-nullability-completeness -I Sources/CKFCodecShims/include -I Sources/CKFIsolationShim/include \
        Tests/CKFIsolationShimTests/drawings.c Sources/CKFIsolationShim/walls.c \
        Sources/CKFCodecShims/kf_{picture,jxl,tiff,tiff_samples,svg,drawing,heif,fonts,imports}.c \
        -o "$scratch/release/drawings" -lm || die "the fuzzer of SVG does not compile."
    ;;
esac

# Fuzzes one format. Keeps its log and prints its figures in one piece.
fuzz() {
    local format=$1 status=0 fuzzer=CodecsFuzz
    [ "$format" != svg ] || fuzzer=drawings
    mkdir -p "$scratch/corpus/$format" "$scratch/crashes"
    cp "$fixtures"/*."$format" "$scratch/corpus/$format"
    if [ "$format" = svg ]; then
        python3 Tests/Isolation/drawings.py "$fixtures" "$scratch/corpus/svg"
        rm -f "$scratch/corpus/svg"/*.pdf
    fi
    # The libraries' messages about invalid files go to the log.
    "$scratch/release/$fuzzer" -max_total_time="$seconds" -max_len=50000 -timeout=10 \
        -rss_limit_mb=1024 -artifact_prefix="$scratch/crashes/$format-" -verbosity=0 \
        -print_final_stats=1 "$scratch/corpus/$format" \
        2>"$scratch/$format.log" || status=1
    if [ $status -ne 0 ]; then
        # The first line of a report may be far above the last ones.
        grep -aE 'ERROR: |Fatal error|SUMMARY: ' "$scratch/$format.log" >&2 || true
        tail -n 40 "$scratch/$format.log" >&2
        printf '%-5s FAILED; the input is in %s\n' "$format" "$scratch/crashes"
        return 1
    fi
    awk -v format="$format" '
        /stat::number_of_executed_units/ { inputs = $2 }
        /stat::slowest_unit_time_sec/ { seconds = $2 }
        /stat::peak_rss_mb/ { memory = $2 }
        END {
            printf "%-5s %9d inputs, at most %d MB and %d s\n", format, inputs, memory, seconds
        }
    ' "$scratch/$format.log"
}

# One process per core: more would make slow inputs look like hangs.
say "Fuzzing ${formats[*]}, $seconds s each"
status=0
running=0
for format in "${formats[@]}"; do
    if [ $running -ge "$(nproc)" ]; then
        wait -n || status=1
        running=$((running - 1))
    fi
    fuzz "$format" &
    running=$((running + 1))
done
while [ $running -gt 0 ]; do
    wait -n || status=1
    running=$((running - 1))
done
exit "$status"
