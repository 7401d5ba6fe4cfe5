#!/usr/bin/env bash
# Runs the tests of isolation, hostile workers included, under a spy that ends the process when a
# decoder of a C library is opened outside of a worker.
#
# Usage: Scripts/isolation.sh [library|tools|server]
#
#   library   the tests of the library, by default; requires Scripts/test.sh build
#   tools     kf on files of every format; requires Scripts/test.sh tools
#   server    the service on files of every format; requires Scripts/test.sh server
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

FIXTURES=$ROOT/Tests/KFCodecsTests/Fixtures

# Functions that look like those that open a decoder of images, and do not. inflateInit2_ opens that
# of bodies of HTTP.
HARMLESS=(jpeg_CreateCompress png_create_info_struct WebPInitDecoderConfigInternal
    libdeflate_alloc_compressor inflateInit2_)

require_swift
command -v clang >/dev/null \
    || die "clang is missing; it is part of the Swift toolchain."
library=$GTK_BUILD/isolation/libspy.so
mkdir -p "$(dirname "$library")"
clang -std=gnu11 -O2 -Wall -Wextra -Werror -shared -fPIC Tests/Isolation/spy.c -o "$library" -ldl

# Fails if a program uses a function that opens a decoder and that the spy does not watch.
check_functions() {
    local watched name
    watched=" $(nm -D --defined-only "$library" | awk '{print $3}' | tr '\n' ' ') ${HARMLESS[*]} "
    while read -r name; do
        case $watched in
        *" $name "*) ;;
        *) die "the spy does not watch $name, which ${1##*/} uses; add it to Tests/Isolation/spy.c." ;;
        esac
    done < <(nm -D --undefined-only "$1" | awk '{sub(/@.*/, "", $2); print $2}' | grep -E \
        '^(DGifOpen|jpeg_Create|png_create|WebP.*(Decod|Features|GetInfo)|libdeflate_alloc|cmsOpen|inflateInit)' \
        | grep -vE '^WebPI(Delete|Update)')
}

# The tests look up the functions of the preloaded library by name and call them around their own
# decoding.
isolate_library() {
    check_functions "$GTK_BUILD/debug/KingfisherPackageTests.xctest"
    LD_PRELOAD=$library run_tests --filter \
        'DecoderSpyTests|HostileAnswerTests|ImageParcelTests|Isolated(Decoding|Load|Option)Tests'
}

# Without the commands that read the bytes that they have just encoded: compare, and --keep for WebP.
isolate_tools() {
    local kf=$NESTED_BUILD/release/kf folder file name status=0
    [ -x "$kf" ] || die "kf is not built; run Scripts/test.sh tools."
    check_functions "$kf"
    folder=$(mktemp -d)
    # Without the option, the spy ends the program.
    ! LD_PRELOAD=$library "$kf" get "$FIXTURES/rgb8.png" -p resize:50% -o "$folder/x.png" \
        >/dev/null 2>&1 || die "the spy has not seen kf decode an image."
    for file in "$FIXTURES"/{baseline,cmyk,profile,progressive}*.jpg \
        "$FIXTURES"/{rgb8,animated,profile}.png "$FIXTURES"/{still,animated}.gif \
        "$FIXTURES"/{lossy,animated,profile}.webp "$FIXTURES"/{animated,profile,exif6}.avif \
        "$FIXTURES"/{rgb24.bmp,png.ico,lossless.jxl,420.heic,lzw.tiff,sized.svg}; do
        [ -e "$file" ] || continue
        name=${file##*/}
        while read -ra words; do
            # The processor of an animation reads the file that it has just encoded.
            case $name-${words[*]} in animated*"-p resize"*"-o "*) continue ;; esac
            LD_PRELOAD=$library "$kf" "${words[@]}" >"$folder/out" 2>&1 || {
                status=1
                printf 'error: kf %s\n' "${words[*]}"
                head -n 20 "$folder/out"
            }
        done <<-END
			show $file --isolate --json
			show $file --isolate --json -p resize:50%
			get $file --isolate -p resize:50% -o $folder/$name.webp
			get $file --isolate -o $folder/$name.copy --format gif
			convert $file --isolate -o $folder/converted --format png --keep icc
		END
    done
    rm -rf "$folder"
    return $status
}

# The service runs under the spy, which would end it, and is asked for results of files of every kind.
isolate_server() {
    local service=$SERVER_BUILD/debug/kf-serve folder log port='' file options status=0 process code
    [ -x "$service" ] || die "kf-serve is not built; run Scripts/test.sh server."
    command -v curl >/dev/null || install_packages curl
    check_functions "$service"
    folder=$(mktemp -d)
    log=$folder/log
    mkdir "$folder/root"
    cp "$FIXTURES"/{animated,still}.gif "$FIXTURES"/{animated,lossy}.webp \
        "$FIXTURES"/animated.png "$FIXTURES"/{animated,profile}.avif \
        "$FIXTURES"/{profile,cmyk}.jpg "$FIXTURES"/png.ico \
        "$FIXTURES"/{lossless.jxl,420.heic,lzw.tiff,sized.svg} "$folder/root/"
    IMGPROXY_BIND=127.0.0.1:0 IMGPROXY_LOCAL_FILESYSTEM_ROOT=$folder/root \
        IMGPROXY_MAX_ANIMATION_FRAMES=10 LD_PRELOAD=$library "$service" >"$log" 2>&1 &
    process=$!
    for _ in $(seq 100); do
        port=$(sed -n 's/.*listening address=.*:\([0-9]*\)$/\1/p' "$log")
        [ -z "$port" ] || break
        sleep 0.1
    done
    [ -n "$port" ] || status=1
    for file in "$folder"/root/*; do
        for options in w:10/f:gif w:10/f:webp f:gif f:webp w:10/f:avif t:0/f:gif \
            w:10/blur:1/pix:2/f:jpg scp:0/f:png; do
            [ $status -eq 0 ] || break 2
            code=$(curl -s -m 20 -o /dev/null -w '%{http_code}' \
                "http://127.0.0.1:$port/_/$options/plain/local:///${file##*/}") || true
            # An animation cannot be trimmed.
            case $code-${file##*/} in
            200-*) ;;
            422-animated.*) ;;
            *)
                printf 'error: %s of %s: status %s\n' "$options" "${file##*/}" "$code"
                status=1
                ;;
            esac
        done
    done
    kill "$process" 2>/dev/null || status=1
    wait "$process" 2>/dev/null || true
    ! grep -a 'outside of a worker' "$log" || status=1
    [ $status -eq 0 ] || tail -n 30 "$log"
    rm -rf "$folder"
    return $status
}

part=${1:-library}
case $part in
library | tools | server) ;;
*) die "there is no part '$part'; the parts are library, tools and server." ;;
esac
say "Isolation under the spy: $part"
"isolate_$part"
