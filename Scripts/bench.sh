#!/usr/bin/env bash
# Measures the library against others, alternating in the same run.
#
# Usage: Scripts/bench.sh [--rounds N] [NAME]...   all benchmarks, or those named, in a process each
#        Scripts/bench.sh --plan [NAME]...         only prints what would run, a process a line
#        Scripts/bench.sh --list                   the names and their meaning
#        Scripts/bench.sh --check [NAME]...        fails if a hot kernel takes 10 % more instructions,
#                                                  or a ratio is 15 % worse than in Benchmarks/README.md
#        Scripts/bench.sh --record                 records the current speed as the limit
#        Scripts/bench.sh --report                 all, on a quiet machine; writes Benchmarks/README.md
#        Scripts/bench.sh megapixels               thumbnails of 0.5 to 200 megapixels
#        Scripts/bench.sh transfers                nginx downloads, against libcurl and URLSession
#        Scripts/bench.sh start                    from a program's start to its first image from disk
#        Scripts/bench.sh hits                     instructions per hit in memory, by number of entries
#        Scripts/bench.sh convert [ROUNDS]         200 photos by kf convert, against vipsthumbnail
#        Scripts/bench.sh debug                    33 photos by a debug build of kf
#        Scripts/bench.sh optimize                 kf optimize, against jpegtran, oxipng, gifsicle and pngquant
#        Scripts/bench.sh pages                    pages of PDF documents by kf, against pdftoppm
#        Scripts/bench.sh films                    frames of videos by kf, against ffmpeg and ffmpegthumbnailer
#        Scripts/bench.sh service [SECONDS]        the image service, against thumbor and nginx
#        Scripts/bench.sh service-sizes [SECONDS]     the part of it with other sizes and formats
#        Scripts/bench.sh service-fairness [SECONDS]  the part of it with many clients of large images
#        Scripts/bench.sh end-to-end               pages of thumbnails, against requests + pyvips + diskcache
#        Scripts/bench.sh gtk [ROUNDS]             GTK: scrolling beside a C program, flings, animations, zooming
#        Scripts/bench.sh cachesim                 hit ratios of the memory cache, LRU and the optimum
#
# The other libraries, Pillow and libvips, are installed first: Python packages into a separate
# folder, and their system libraries from Debian or Ubuntu. The images are photographs from a Debian
# package, which is unpacked but not installed; without apt a generated landscape replaces them.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

PEERS=$NESTED_BUILD/peers
CORPUS=$NESTED_BUILD/bench-corpus
PHOTOS=$ROOT/.build-nested/bench-photographs
SOURCES=$ROOT/Benchmarks/Peers
# Linked like the programs that users ship; see link_swift_into_programs.
BENCH=$ROOT/.build-kf/release/kf-bench
CODECS_BUILD=$ROOT/.build-kernels

install_peers() {
    local missing=()
    [[ $(ldconfig -p) == *libvips.so.42* ]] || missing+=(libvips42)
    command -v cc >/dev/null || missing+=(gcc)
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
    provide_python "$PEERS"
    if ! "$PEERS/bin/python" -c 'import PIL, pyvips' 2>/dev/null; then
        say "Installing Pillow and pyvips there"
        "$PEERS/bin/pip" install --quiet --disable-pip-version-check Pillow pyvips \
            || die "pip could not install Pillow and pyvips."
    fi
    install_pillow_simd
}

# Pillow-SIMD has to be compiled, and shares its module's name with Pillow. Where it does not build,
# it is left out.
install_pillow_simd() {
    local flags=''
    [ ! -e "$PEERS-simd/pillow-simd" ] || return 0
    provide_python "$PEERS-simd"
    say "Compiling Pillow-SIMD in ${PEERS#"$ROOT"/}-simd"
    ! grep -qw avx2 /proc/cpuinfo || flags=-mavx2
    if CC="cc $flags" "$PEERS-simd/bin/pip" install --quiet --disable-pip-version-check pillow-simd \
        >/dev/null 2>&1; then
        printf 'installed\n' >"$PEERS-simd/pillow-simd"
    else
        say "Pillow-SIMD does not build here; it is left out."
        printf 'missing\n' >"$PEERS-simd/pillow-simd"
    fi
}

# Compiles a peer in C if it is missing or outdated: compile_peer NAME SOURCE|LIBRARY...
compile_peer() {
    local program=$PEERS/$1 source=$SOURCES/$1.c
    shift
    if [ ! -x "$program" ] \
        || [ -n "$(find "$SOURCES" Sources/CKFKernels -name '*.[ch]' -newer "$program" -print -quit)" ]
    then
        cc -O3 -Wall -Wextra -ISources/CKFKernels/include -o "$program" "$source" "$@" -lpthread \
            || die "$(basename "$source") could not be compiled."
    fi
}

compile_peers() {
    compile_peer turbo_peer -ljpeg
    compile_peer stored_peer -ljpeg
    compile_peer lanczos_peer Sources/CKFKernels/convolve_*.c Sources/CKFKernels/cpu.c -ljpeg -lm
    compile_peer png_peer -lpng
    compile_peer vips_peer -l:libvips.so.42 -l:libgobject-2.0.so.0 -l:libglib-2.0.so.0
}

# Builds kf-bench with its symbols: Callgrind finds the measured function by them.
build_bench() {
    (BUILD_FLAGS=("${BUILD_FLAGS[@]/--strip-all/--strip-debug}") && build_tool Benchmarks kf-bench)
}

# Puts photographs into a folder: those of a Debian package, or a generated one.
find_photos() {
    local folder=$1 package=lomiri-wallpapers-16.04
    mkdir -p "$folder"
    if (cd "$folder" && apt-get download -qq "$package" && dpkg-deb -x "$package"_*.deb .) \
        >/dev/null 2>&1; then
        return 0
    fi
    say "The photographs of $package cannot be downloaded; a generated landscape replaces them"
    "$BENCH" --terrain "$folder/landscape.png"
}

make_corpus() {
    [ ! -e "$CORPUS/complete-3" ] || return 0
    say "Making the test images in ${CORPUS#"$ROOT"/}"
    find_photos "$CORPUS/photos"
    "$PEERS/bin/python" "$SOURCES/corpus.py" "$CORPUS/photos" "$CORPUS"
    rm -rf "$CORPUS/photos"
}

# Builds the peer that contains only the codecs. They are internal to the library's package, so it
# is built there.
build_codecs_peer() {
    local log
    log=$(mktemp)
    say "Building codecs-peer"
    KF_KERNELS=1 swift build -c release --product codecs-peer --scratch-path "$CODECS_BUILD" \
        "${BUILD_FLAGS[@]+"${BUILD_FLAGS[@]}"}" >"$log" 2>&1 \
        || { cat "$log" >&2; die "codecs-peer could not be built (see above)."; }
    rm -f "$log"
}

compare_quality() {
    local name
    printf 'quality: thumbnails, resampling and blur against references\n'
    for name in 12mp-dense 12mp-photo; do
        "$BENCH" --once thumbnail "$CORPUS/$name.jpg" "$CORPUS/thumbnail.jpg"
        printf '  %s\n' "$name.jpg"
        "$PEERS/lanczos_peer" "$CORPUS/$name.jpg" "$CORPUS/two-eighths.jpg"
        "$PEERS/turbo_peer" "$CORPUS/$name.jpg" "$CORPUS/one-eighth.jpg"
        "$PEERS/bin/python" "$SOURCES/quality.py" "$CORPUS/$name.jpg" "$CORPUS/thumbnail.jpg" \
            "C turbo 2/8=$CORPUS/two-eighths.jpg" "C turbo 1/8=$CORPUS/one-eighth.jpg"
    done
    printf '  kernels\n'
    "$PEERS/bin/python" "$SOURCES/quality_pixels.py" "$BENCH" "$CORPUS"
}

# The goal for a load from memory: 0.7 of what it took when it was first counted.
LOAD_INSTRUCTIONS=25500

# Checks that a hit in memory takes the same number of instructions for any number of entries.
# Counted under Valgrind, because times depend on the size of the processor's caches.
count_hits() {
    local folder program count entries few= status=0
    command -v valgrind >/dev/null || install_packages valgrind
    folder=$(mktemp -d)
    program=$folder/kf-bench
    # Older versions of Valgrind fail on the compiler's debug information.
    strip --strip-debug -o "$program" "$BENCH"
    printf 'hits: instructions per hit in memory, hash carried\n'
    for entries in 1000 10000 100000 1000000; do
        count=$(count_instructions measuredLookups "$program" --hits "$entries" "$folder")
        few=${few:-$count}
        awk -v entries="$entries" -v count="$count" -v few="$few" 'BEGIN {
            ratio = count / few
            slow = ratio > 1.1
            printf "  %s  instructions per hit of %d: %.0f, %.3f of those of 1000 (at most 1.1)\n", \
                slow ? "MISSED" : "ok    ", entries, count / 100000, ratio
            exit slow
        }' || status=1
    done
    count=$(count_instructions measuredLoads "$program" --hits 1000 "$folder")
    awk -v count="$count" -v limit="$LOAD_INSTRUCTIONS" 'BEGIN {
        slow = count / 1000 > limit
        printf "  %s  instructions per load from memory: %.0f (at most %d)\n",
            slow ? "MISSED" : "ok    ", count / 1000, limit
        exit slow
    }' || status=1
    rm -rf "$folder"
    return $status
}

# Prints the instructions of one function of a program: count_instructions FUNCTION PROGRAM...
count_instructions() {
    local function=$1 log count
    shift
    log=$(mktemp)
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="*$function*" "$@" \
        >"$log" 2>&1 || { cat "$log" >&2; die "counting instructions failed (see above)."; }
    count=$(sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$log")
    rm -f "$log"
    [ "${count:-0}" -gt 0 ] || die "Callgrind did not find $function in the program."
    printf '%s\n' "$count"
}

# Makes 200 files of 12 megapixels from photographs, with colours at half of the resolution as
# cameras store them. Further names are links to the same bytes: both programs read and decode each
# of them.
make_photos() {
    local folder=$1 file made=() index
    [ ! -e "$folder/199.jpg" ] || return 0
    say "Making 200 photos in ${folder#"$ROOT"/}"
    mkdir -p "$folder/sources"
    find_photos "$folder/sources"
    while IFS= read -r file; do
        index=${#made[@]}
        vipsthumbnail "$file" --size '4000x3000!' -o "$folder/$index.jpg[Q=90,subsample-mode=on,strip]"
        made+=("$folder/$index.jpg")
    done < <(find "$folder/sources" -name '*.jpg' -o -name '*.png' | sort)
    [ ${#made[@]} -gt 0 ] || die "there are no photographs to convert."
    rm -rf "$folder/sources"
    for ((index = ${#made[@]}; index < 200; index++)); do
        ln "${made[index % ${#made[@]}]}" "$folder/$index.jpg"
    done
}

# Runs kf convert and vipsthumbnail in turns: convert_photos ROUNDS
convert_photos() {
    command -v vipsthumbnail >/dev/null || install_packages libvips-tools
    command -v python3 >/dev/null || install_packages python3
    command -v magick >/dev/null || command -v convert-im6.q16 >/dev/null \
        || install_packages imagemagick
    command -v gdk-pixbuf-thumbnailer >/dev/null || install_packages libgdk-pixbuf2.0-bin
    build_kf
    # Only a machine without apt-get needs it, for the made-up landscape.
    command -v apt-get >/dev/null || build_bench
    make_photos "$PHOTOS"
    # Not local: the trap runs after the function has returned.
    outputs=$(mktemp -d)
    trap 'rm -rf "$outputs"' EXIT
    python3 "$SOURCES/convert.py" "$NESTED_BUILD/release/kf" "$PHOTOS" \
        "$outputs" "$1"
}

# Runs kf optimize beside programs for one format each.
optimize_files() {
    install_peers
    command -v vipsthumbnail >/dev/null || install_packages libvips-tools
    command -v jpegtran >/dev/null || install_packages libjpeg-turbo-progs
    command -v gifsicle >/dev/null || install_packages gifsicle
    command -v pngquant >/dev/null || install_packages pngquant
    "$PEERS/bin/python" -c 'import oxipng' 2>/dev/null \
        || "$PEERS/bin/pip" install --quiet --disable-pip-version-check pyoxipng \
        || die "pip could not install pyoxipng."
    build_kf
    # Only a machine without apt-get needs it, for the made-up landscape.
    command -v apt-get >/dev/null || build_bench
    make_photos "$PHOTOS"
    # Not local: the trap runs after the function has returned.
    outputs=$(mktemp -d)
    trap 'rm -rf "$outputs"' EXIT
    "$PEERS/bin/python" "$SOURCES/optimize.py" "$NESTED_BUILD/release/kf" "$PHOTOS" \
        "$ROOT/Examples/Gallery/Screenshots" "$outputs"
}

# Runs a debug build of kf, in which the twins in C do what Swift would do forty times slower. Fails
# if it takes more than 5 s.
convert_in_debug() {
    local start seconds
    command -v vipsthumbnail >/dev/null || install_packages libvips-tools
    command -v apt-get >/dev/null || build_bench
    make_photos "$PHOTOS"
    CONFIGURATION=debug
    build_tool Tools kf
    # Not local: the trap runs after the function has returned.
    outputs=$(mktemp -d)
    trap 'rm -rf "$outputs"' EXIT
    start=$EPOCHREALTIME
    "$NESTED_BUILD/debug/kf" convert "$PHOTOS"/{0..32}.jpg -o "$outputs" -p downsample:400x400 \
        --quiet
    seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
    printf '33 photos of 12 megapixels in a debug build: %s s (at most 5)\n' "$seconds"
    awk -v seconds="$seconds" 'BEGIN { exit seconds > 5 }'
}

# Draws a page of 60 PDF documents by kf and by poppler's tools, alternating, as many at once as there
# are cores; their JPEGs have one scan and a quality of 75. Fails if kf takes more than 0.8 of the time of
# the faster tool.
draw_pages() {
    local round format tool failed=0
    local -A options=([jpeg]='--baseline --quality 75')
    command -v pdftoppm >/dev/null || install_packages poppler-utils
    build_kf
    # Not local: the trap runs after the function has returned.
    outputs=$(mktemp -d)
    trap 'rm -rf "$outputs"' EXIT
    mkdir "$outputs/in" "$outputs/out"
    for round in {1..60}; do cp Tests/Documents/two.pdf "$outputs/in/$round.pdf"; done
    for format in png jpeg; do
        for round in {1..5}; do
            # shellcheck disable=SC2086
            timed kf "$NESTED_BUILD/release/kf" convert "$outputs/in" -o "$outputs/out" --dpi 600 \
                --format $format --quiet ${options[$format]:-}
            for tool in pdftoppm pdftocairo; do
                # shellcheck disable=SC2016
                timed $tool sh -c 'cd "$1/in" && ls | xargs -P "$(nproc)" -I% \
                    "$2" "-$3" -singlefile -r 600 -cropbox % ../out/%' - "$outputs" $tool $format
            done
        done | sort | awk -v format=$format '
            { if ($1 != name) count = 0; name = $1; count++ }
            count == 3 { median[name] = $2 }
            END {
                best = median["pdftoppm"] < median["pdftocairo"] ? "pdftoppm" : "pdftocairo"
                ratio = median["kf"] / median[best]
                printf "60 pages to %s: kf %.2f s, pdftoppm %.2f s, pdftocairo %.2f s: %.2f (at most 0.8)\n",
                    format, median["kf"], median["pdftoppm"], median["pdftocairo"], ratio
                exit ratio > 0.8
            }' || failed=1
    done
    return $failed
}

# Makes thumbnails of 40 films of 1080 lines in H.264 by kf, ffmpeg and ffmpegthumbnailer, alternating,
# as many at once as there are cores. Fails if kf takes more than 0.8 of the time of the faster tool.
decode_films() {
    local round film
    command -v ffmpeg >/dev/null && command -v ffmpegthumbnailer >/dev/null \
        || install_packages ffmpeg ffmpegthumbnailer
    build_kf
    # Not local: the trap runs after the function has returned.
    outputs=$(mktemp -d)
    trap 'rm -rf "$outputs"' EXIT
    mkdir "$outputs/in" "$outputs/out"
    film=$outputs/film.mp4
    ffmpeg -v error -nostdin -f lavfi -i testsrc2=s=1920x1080:r=25:d=10 -f lavfi -i sine=d=10 \
        -pix_fmt yuv420p -c:v libx264 -preset veryfast -g 50 -c:a aac "$film"
    for round in {1..40}; do cp "$film" "$outputs/in/$round.mp4"; done
    for round in {1..5}; do
        timed kf "$NESTED_BUILD/release/kf" convert "$outputs/in" -o "$outputs/out" --at 4.2s \
            -p resize:320x --format jpeg --quiet
        # shellcheck disable=SC2016
        timed ffmpeg sh -c 'cd "$1/in" && ls | xargs -P "$(nproc)" -I% ffmpeg -v error -nostdin -y \
            -ss 4.2 -i % -frames:v 1 -vf scale=320:-2 ../out/%.jpg' - "$outputs"
        # shellcheck disable=SC2016
        timed ffmpegthumbnailer sh -c 'cd "$1/in" && ls | xargs -P "$(nproc)" -I% ffmpegthumbnailer \
            -i % -o ../out/%.jpg -s 320 -t 00:00:04 2>/dev/null' - "$outputs"
    done | sort | awk '
        { if ($1 != name) count = 0; name = $1; count++ }
        count == 3 { median[name] = $2 }
        END {
            best = median["ffmpeg"] < median["ffmpegthumbnailer"] ? "ffmpeg" : "ffmpegthumbnailer"
            ratio = median["kf"] / median[best]
            printf "40 films: kf %.2f s, ffmpeg %.2f s, ffmpegthumbnailer %.2f s: %.2f (at most 0.8)\n",
                median["kf"], median["ffmpeg"], median["ffmpegthumbnailer"], ratio
            exit ratio > 0.8
        }'
}

# Prints a name and the seconds of a command: timed NAME COMMAND...
timed() {
    local name=$1 start=$EPOCHREALTIME
    shift
    "$@" >/dev/null
    awk -v name="$name" -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%s %06.3f\n", name, b - a }'
}

# Downloads from nginx.
measure_transfers() {
    provide_nginx || die "the downloads need nginx."
    command -v python3 >/dev/null || install_packages python3
    build_tool Benchmarks transfers
    mkdir -p "$PEERS"
    compile_peer curl_peer -lcurl
    # Not local: the trap runs after the function has returned.
    outputs=$(mktemp -d)
    trap 'rm -rf "$outputs"' EXIT
    NGINX_PROGRAM=$NGINX python3 "$SOURCES/transfers.py" "$NESTED_BUILD/release/transfers" \
        "$PEERS/curl_peer" "$outputs"
}

# Builds the image service in its own folder: its trait would build the library anew for each of the
# others.
build_service() {
    "$ROOT/Scripts/bootstrap.sh" --redis
    (NESTED_BUILD=$SERVER_BUILD && build_tool Server kf-serve)
}

install_thumbor() {
    install_peers
    [ -x "$PEERS/bin/thumbor" ] || {
        say "Installing thumbor in ${PEERS#"$ROOT"/}"
        "$PEERS/bin/pip" install --quiet --disable-pip-version-check thumbor \
            || die "pip could not install thumbor."
    }
}

# Measures the image service beside others, or a part of it: measure_service SECONDS [PART]
measure_service() {
    provide_nginx || die "the service needs nginx."
    command -v vipsthumbnail >/dev/null || install_packages libvips-tools
    make_photos "$PHOTOS"
    link_swift_into_programs
    build_service
    # Not local: the trap runs after the function has returned.
    outputs=$(mktemp -d)
    trap 'rm -rf "$outputs"' EXIT
    [ "${2:-}" = fairness ] || install_thumbor
    if [ -n "${2:-}" ]; then
        python3 "$SOURCES/service.py" "$SERVER_BUILD/release/kf-serve" - "$NGINX" \
            "$PEERS/bin/thumbor" - "$PHOTOS" "$outputs" "$1" "$2"
        return
    fi
    provide_image_filter
    command -v wrk >/dev/null || install_packages wrk
    build_tool Tools kf
    python3 "$SOURCES/service.py" "$SERVER_BUILD/release/kf-serve" "$NESTED_BUILD/release/kf" \
        "$NGINX" "$PEERS/bin/thumbor" "$(command -v wrk)" "$PHOTOS" \
        "$outputs" "$1"
}

# Loads pages of thumbnails from nginx, cold and warm.
measure_end_to_end() {
    provide_nginx || die "the pages need nginx."
    provide_image_filter
    command -v curl >/dev/null || install_packages curl
    install_peers
    "$PEERS/bin/python" -c 'import diskcache, requests' 2>/dev/null ||
        "$PEERS/bin/pip" install --quiet --disable-pip-version-check diskcache requests ||
        die "pip could not install diskcache and requests."
    command -v vipsthumbnail >/dev/null || install_packages libvips-tools
    build_bench
    make_photos "$PHOTOS"
    # Not local: the trap runs after the function has returned.
    outputs=$(mktemp -d)
    trap 'rm -rf "$outputs"' EXIT
    python3 "$SOURCES/end_to_end.py" "$BENCH" "$PEERS/bin/python" "$NGINX" \
        "$PHOTOS" "$outputs"
}

# Measures the gallery on a screen in memory, and in turns with it a plain C program that scrolls
# through the same images: measure_gtk ROUNDS.
measure_gtk() {
    local pictures=$NESTED_BUILD/bench-gtk
    "$ROOT/Scripts/bootstrap.sh" --gtk
    NESTED_BUILD=$GTK_BUILD
    build_tool Examples/Gallery gallery
    [ -e "$pictures/huge.jpg" ] || "$GTK_BUILD/release/gallery" --pictures "$pictures"
    # Word splitting makes the flags.
    # shellcheck disable=SC2046
    cc -std=gnu11 -O2 -Wall -Wextra -Werror -o "$pictures/grid_peer" "$SOURCES/grid_peer.c" \
        $(pkg-config --cflags --libs gtk4) || die "grid_peer.c could not be compiled."
    python3 "$SOURCES/gtk.py" "$GTK_BUILD/release/gallery" "$pictures/grid_peer" "$pictures" "$1"
}

# Unpacks nginx's image filter beside nginx, unless it is installed.
provide_image_filter() {
    local folder=${NGINX%/usr/sbin/nginx} log
    [ ! -e "$folder/usr/lib/nginx/modules/ngx_http_image_filter_module.so" ] || return 0
    [[ $(ldconfig -p) == *libgd.so.3* ]] || install_packages libgd3
    if [ "$folder" = "" ]; then
        install_packages libnginx-mod-http-image-filter
        return
    fi
    log=$(mktemp)
    (cd "$folder" && apt-get download -q libnginx-mod-http-image-filter &&
        dpkg-deb -x libnginx-mod-http-image-filter_*.deb .) >"$log" 2>&1 ||
        { tail -n 5 "$log" >&2; say "nginx's image filter cannot be fetched; it is left out."; }
    rm -f "$log" "$folder"/libnginx-mod-http-image-filter_*.deb
}

# Prints the arguments of one process a line: a name with the numbers after it, and the options
# before the first name. In one process, peaks of memory would be those of the benchmarks before.
plan() {
    local options=() group=() argument is_value=false
    for argument in "$@"; do
        if $is_value || [[ $argument = --* ]]; then
            options+=("$argument")
            # An option takes one value.
            if $is_value; then is_value=false; else is_value=true; fi
        elif [[ $argument = [0-9]* ]] && [ ${#group[@]} -gt 0 ]; then
            group+=("$argument")
        else
            [ ${#group[@]} -eq 0 ] || printf '%s\n' "${options[*]+${options[*]} }${group[*]}"
            group=("$argument")
        fi
    done
    [ ${#group[@]} -eq 0 ] || printf '%s\n' "${options[*]+${options[*]} }${group[*]}"
}

case ${1:-} in
--plan)
    shift
    plan "$@"
    exit
    ;;
--check | --record | --report | --list | cachesim) ;;
*)
    mapfile -t processes < <(plan "$@")
    if [ ${#processes[@]} -gt 1 ]; then
        status=0
        for arguments in "${processes[@]}"; do
            # Words without spaces.
            # shellcheck disable=SC2086
            "$ROOT/Scripts/bench.sh" $arguments || status=1
            printf '\n'
        done
        exit $status
    fi
    ;;
esac

if [ "${1:-}" = transfers ]; then
    link_swift_into_programs
    measure_transfers
    exit
fi

if [[ ${1:-} = service* ]]; then
    part=${1#service}
    measure_service "${2:-10}" "${part#-}"
    exit
fi

if [ "${1:-}" = end-to-end ]; then
    link_swift_into_programs
    measure_end_to_end
    exit
fi

if [ "${1:-}" = gtk ]; then
    measure_gtk "${2:-3}"
    exit
fi

if [ "${1:-}" = convert ]; then
    convert_photos "${2:-3}"
    exit
fi

if [ "${1:-}" = optimize ]; then
    optimize_files
    exit
fi

if [ "${1:-}" = debug ]; then
    convert_in_debug
    exit
fi

if [ "${1:-}" = pages ]; then
    draw_pages
    exit
fi

if [ "${1:-}" = films ]; then
    decode_films
    exit
fi

if [ "${1:-}" = cachesim ]; then
    build_tool Benchmarks cachesim
    shift
    exec "$NESTED_BUILD/release/cachesim" "$@"
fi

# Waits up to five minutes until nothing else uses the processor.
wait_until_quiet() {
    local _
    for _ in $(seq 60); do
        awk -v cores="$(nproc)" '{ exit $1 > cores / 4 }' /proc/loadavg && return 0
        sleep 5
    done
    say "The machine is busy (load $(cut -d ' ' -f 1 /proc/loadavg)); the report says so."
}

# Runs every benchmark, and writes its tables and plots into Benchmarks.
write_report() {
    local part
    install_peers
    "$PEERS/bin/python" -c 'import matplotlib' 2>/dev/null || {
        say "Installing matplotlib in ${PEERS#"$ROOT"/}"
        "$PEERS/bin/pip" install --quiet --disable-pip-version-check matplotlib \
            || die "pip could not install matplotlib, which draws the plots."
    }
    # Build everything first, so that no compiler runs beside a measurement.
    build_kf
    build_bench
    build_codecs_peer
    build_tool Benchmarks transfers
    build_tool Benchmarks first-image
    build_tool Benchmarks bare-start
    build_service
    report=$(mktemp)
    trap 'rm -f "$report"' EXIT
    say "Waiting for a quiet machine"
    wait_until_quiet
    for part in "" start transfers convert end-to-end service megapixels; do
        # A missed goal is part of the report.
        # shellcheck disable=SC2086
        "$0" $part 2>&1 | tee -a "$report" || true
        printf '\n' >>"$report"
    done
    "$PEERS/bin/python" "$SOURCES/report.py" "$report" "$ROOT/Benchmarks/README.md" \
        "$ROOT/Benchmarks/Plots"
    "$ROOT/Scripts/pages.sh" --figures
}

if [ "${1:-}" = --report ]; then
    write_report
    exit
fi

checks=false
kernels=0
case ${1:-} in
--check)
    checks=true
    shift
    "$ROOT/Scripts/kernels.sh" || kernels=$?
    ;;
--record) exec "$ROOT/Scripts/kernels.sh" --record ;;
esac

link_swift_into_programs
build_bench
case ${1:-} in
--list)
    "$BENCH" --list
    printf 'quality  thumbnails, resampling and blur against references\n'
    printf 'start  from the start of a program to its first image from disk\n'
    printf 'transfers  downloads from nginx, against libcurl and URLSession\n'
    printf 'hits  instructions per hit in memory, from a thousand to a million entries\n'
    printf 'megapixels  thumbnails of 0.5 to 200 megapixels, against vipsthumbnail\n'
    printf 'convert  200 photos by kf convert, against vipsthumbnail\n'
    printf 'debug  33 photos by a debug build of kf\n'
    printf 'pages  pages of PDF documents by kf, against pdftoppm and pdftocairo\n'
    printf 'films  frames of videos by kf, against ffmpeg and ffmpegthumbnailer\n'
    printf 'service  the image service, against thumbor and nginx\n'
    printf 'service-sizes  a part of service: other sizes and formats\n'
    printf 'service-fairness  a part of service: a client of small images beside 24 of large ones\n'
    printf 'end-to-end  pages of thumbnails from nginx, against requests + pyvips + diskcache\n'
    printf 'gtk  GTK: scrolling beside a C program, flings, animations, zooming\n'
    printf 'cachesim  hit ratios of the memory cache, LRU and the optimum\n'
    exit
    ;;
esac

build_codecs_peer
install_peers
compile_peers
make_corpus
if [ "$*" = megapixels ]; then
    command -v vipsthumbnail >/dev/null || install_packages libvips-tools
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    python3 "$SOURCES/growth.py" "$BENCH" "$CORPUS/12mp-photo.jpg" "$scratch"
    exit
fi
if [ "$*" = start ]; then
    build_tool Benchmarks first-image
    build_tool Benchmarks bare-start
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    python3 "$SOURCES/start.py" "$NESTED_BUILD/release/first-image" \
        "$NESTED_BUILD/release/bare-start" "$CORPUS/12mp-photo.jpg" "$scratch"
    exit
fi
if [ "$*" = quality ]; then
    compare_quality
    exit
fi
if [ "$*" = hits ]; then
    count_hits
    exit
fi
say "Processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
    "load $(cut -d ' ' -f 1 /proc/loadavg)"
say "Pillow $("$PEERS/bin/python" -c 'import PIL; print(PIL.__version__)')," \
    "libvips $("$PEERS/bin/python" -c \
        'import pyvips; print(*(pyvips.version(i) for i in range(3)), sep=".")')"

# Runs benchmarks of kf-bench: run_benchmark [NAME]...
#
# With VIPS_WARNING set, libvips does not print a warning for each AVIF.
run_benchmark() {
    local simd=()
    ! grep -qx installed "$PEERS-simd/pillow-simd" \
        || simd=(--peer "Pillow-SIMD='$PEERS-simd/bin/python' '$SOURCES/pillow_peer.py'")
    "$BENCH" --corpus "$CORPUS" \
        --peer "codecs alone='$CODECS_BUILD/release/codecs-peer'" \
        --peer "libvips C=VIPS_WARNING=0 '$PEERS/vips_peer'" \
        --peer "libvips=VIPS_WARNING=0 '$PEERS/bin/python' '$SOURCES/vips_peer.py'" \
        --peer "Pillow='$PEERS/bin/python' '$SOURCES/pillow_peer.py'" \
        "${simd[@]+"${simd[@]}"}" \
        --peer "C turbo 2/8='$PEERS/lanczos_peer'" \
        --peer "C turbo 1/8='$PEERS/turbo_peer'" \
        --peer "C stored='$PEERS/stored_peer'" \
        --peer "C stored, new memory='$PEERS/stored_peer' new" \
        --peer "libpng 6='$PEERS/png_peer' 6" \
        --peer "libpng 5='$PEERS/png_peer' 5" \
        --peer "libpng 3='$PEERS/png_peer' 3" \
        "$@"
}

# Runs benchmarks, and those that were slower than the page says once more: check_ratios [NAME]...
check_ratios() {
    local name folder names status=0
    folder=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$folder'" EXIT
    for name in "$@"; do
        # A missed goal is no regression.
        run_benchmark "$name" >>"$folder/first" || true
    done
    names=$(python3 "$SOURCES/regressions.py" "$ROOT/Benchmarks/README.md" "$folder/first") \
        || status=$?
    [ $status -ne 2 ] || die "No benchmark named here has a ratio in Benchmarks/README.md." \
        "'Scripts/bench.sh --list' has the names."
    [ $status -ne 0 ] || return 0
    say "Again, because other work may have slowed them down: $names"
    for name in $names; do run_benchmark "$name" >>"$folder/second" || true; done
    python3 "$SOURCES/regressions.py" "$ROOT/Benchmarks/README.md" "$folder/first" \
        "$folder/second" >/dev/null
}

all_names() { "$BENCH" --list | awk '{ print $1 }'; }

status=0
if $checks; then
    # shellcheck disable=SC2046
    [ $# -gt 0 ] || set -- $(all_names)
    check_ratios "$@" || status=$?
    exit $((kernels > status ? kernels : status))
fi
if [ $# -gt 0 ]; then
    run_benchmark "$@"
else
    # Each in a process of its own: peaks of memory would be those of the benchmarks before.
    for name in $(all_names); do
        run_benchmark "$name" || status=1
        printf '\n'
    done
    compare_quality
    # A missed ratio has been printed like the others.
    count_hits || true
fi
exit $status
