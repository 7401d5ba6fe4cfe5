#!/usr/bin/env bash
# Feeds the decoders with bytes that libFuzzer invents, watched by AddressSanitizer.
#
# Usage: Scripts/fuzz.sh [SECONDS] [FORMAT]...
#
#   SECONDS   for each format, 30 by default
#   FORMAT    jpg, png, gif, webp, avif, bmp, ico; all of them by default
#
# The seeds are the fixtures of the tests. What was found worth keeping is kept in .build-fuzz, so
# that the next run goes on from there; an input that crashes, hangs for 2 seconds or takes more
# than 1 GB stays there too, and the exit status is 1.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

seconds=${1:-30}
[[ $seconds =~ ^[0-9]+$ ]] || die "'$seconds' is no number of seconds"
[ $# -eq 0 ] || shift
formats=("$@")
[ $# -gt 0 ] || formats=(jpg png gif webp avif bmp ico)
fixtures=Tests/CodecsTests/Fixtures
scratch=.build-fuzz
for format in "${formats[@]}"; do
    compgen -G "$fixtures/*.$format" >/dev/null || die "there are no fixtures of '$format'"
done

require_swift
say "Building the fuzzer"
KF_FUZZ=1 swift build -c release --sanitize fuzzer --sanitize address \
    --product CodecsFuzz --scratch-path "$scratch"

status=0
for format in "${formats[@]}"; do
    say "Fuzzing $format for $seconds s"
    mkdir -p "$scratch/corpus/$format" "$scratch/crashes"
    cp "$fixtures"/*."$format" "$scratch/corpus/$format"
    # The library's own complaints about broken AV1 are of no interest.
    if ! "$scratch/release/CodecsFuzz" -max_total_time="$seconds" -max_len=50000 -timeout=2 \
        -rss_limit_mb=1024 -artifact_prefix="$scratch/crashes/$format-" -verbosity=0 \
        -print_final_stats=1 "$scratch/corpus/$format" \
        2>"$scratch/$format.log"; then
        status=1
        tail -n 40 "$scratch/$format.log" >&2
    fi
    grep 'stat::number_of_executed_units\|stat::peak_rss_mb' "$scratch/$format.log" || true
done
exit "$status"
