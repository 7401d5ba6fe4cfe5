#!/usr/bin/env bash
# Checks what takes longer than Scripts/test.sh: sanitizers, faults, isolation, invented files, the
# examples, the benchmarks' build, and GTK in other modes.
#
# Usage: Scripts/check.sh [STEP]...
#        Scripts/check.sh races|memory|examples FILTER
#
#   STEP     races, memory, faults, isolation, fuzz, formats, examples, benchmarks, gtk_modes; all by
#            default
#   FILTER   runs only the tests whose names match this regular expression
#
# A failing step does not stop the later ones; the exit status is 0 only if all have passed. What
# Scripts/test.sh has built is not built again.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
. "$ROOT/Scripts/steps.sh"

all_steps=(races memory faults isolation fuzz formats examples benchmarks gtk_modes)
filtered_steps=(races memory examples)
other_script=Scripts/test.sh

step_races() { "$ROOT/Scripts/races.sh" "${filter[@]:1}"; }

step_memory() { "$ROOT/Scripts/memory.sh" "${filter[@]:1}"; }

step_faults() { provide --gtk && build_tests && "$ROOT/Scripts/faults.sh"; }

# The library, the tool and the service.
step_isolation() {
    provide --redis --formats --gtk && build_tests && "$ROOT/Scripts/isolation.sh" library || return
    build_package Tools "$NESTED_BUILD" -c release --product kf &&
        "$ROOT/Scripts/isolation.sh" tools || return
    build_package Server "$SERVER_BUILD" --product kf-serve &&
        "$ROOT/Scripts/isolation.sh" server
}

# Long enough to find careless mistakes; after changes to a decoder, run it for longer. The second
# half covers the whole pipeline: responses, folders, processors and damaged files, concurrently.
step_fuzz() {
    provide --gtk && build_tests && "$ROOT/Scripts/fuzz.sh" 4 || return
    KF_FUZZ_SECONDS=4 run_tests --filter \
        'AnswerFuzzTests|FolderFuzzTests|ProcessorFuzzTests|DamagedFileTests|HostilePDFTests|HostileFilmTests|CurlFloodTests'
}

# The libraries that are loaded when they are needed; the step tests decodes by them, too.
step_formats() {
    provide --formats && "$ROOT/Scripts/walls.sh" &&
        "$ROOT/Scripts/fuzz.sh" 4 optional
}

# Builds, tests and runs the examples. Most serve their images themselves; the others get a file,
# and a folder to write to.
step_examples() {
    local folder program arguments status=0
    local picture=$ROOT/Examples/Gallery/Screenshots/grid.png
    build_package Examples "$NESTED_BUILD" -c release --build-tests &&
        swift test --package-path Examples --scratch-path "$NESTED_BUILD" -c release \
            --disable-xctest --skip-build "${filter[@]}" || return
    [ ${#filter[@]} -eq 0 ] || return 0
    for folder in Examples/Sources/{view-model,feed,CacheStack} Examples/Tests/CacheStackTests; do
        is_swift_5 "$folder" || status=1
    done
    is_first_program || status=1
    is_sdl_binding || status=1
    "$ROOT/Scripts/consumer.sh" --names || status=1
    for folder in Examples/Sources/*/; do
        program=$(basename "$folder")
        arguments=()
        case $program in
        Exhibition | CacheStack | DemoKit) continue ;;
        first-load) arguments=("file://$picture") ;;
        thumbnails) arguments=("$picture") ;;
        esac
        printf '%s\n' "$program"
        (cd "$logs" && timeout 120 "$NESTED_BUILD/release/$program" "${arguments[@]}") || {
            status=1
            printf 'error: the example %s failed\n' "$program"
        }
    done
    return $status
}

# Builds the program of Getting started from an empty folder, and runs its test and the program.
is_first_program() {
    local program=$logs/hello
    "$ROOT/Scripts/pages.sh" --program GettingStarted "$program" || return
    build_package "$program" "$NESTED_BUILD" -c release --build-tests &&
        swift test --package-path "$program" --scratch-path "$NESTED_BUILD" -c release \
            --disable-xctest --skip-build &&
        (cd "$program" && "$NESTED_BUILD/release/hello" \
            "file://$ROOT/Examples/Gallery/Screenshots/grid.png" && [ -s small.jpg ])
}

# Builds the binding for SDL, without a display.
is_sdl_binding() {
    local package=Examples/SDL
    provide --sdl || return
    build_package "$package" "$NESTED_BUILD" -c release --build-tests &&
        swift test --package-path "$package" --scratch-path "$NESTED_BUILD" -c release \
            --disable-xctest --skip-build &&
        SDL_VIDEODRIVER=dummy timeout 120 "$NESTED_BUILD/release/sdl-grid" --scroll
}

# Type-checks a program in Swift 5 mode with the modules built for the examples, in half a second.
is_swift_5() {
    local folder=$1 flags=() map
    for map in "$NESTED_BUILD"/release/*.build/module.modulemap \
        Sources/SystemLibraries/*/module.modulemap \
        "$NESTED_BUILD"/checkouts/*/Sources/*/include/module.modulemap; do
        [ ! -e "$map" ] || flags+=(-Xcc "-fmodule-map-file=$map")
    done
    swiftc -typecheck -parse-as-library -swift-version 5 -strict-concurrency=complete \
        -warnings-as-errors -I "$NESTED_BUILD/release/Modules" "${flags[@]}" "$folder"/*.swift || {
        printf 'error: %s does not compile in Swift 5 mode\n' "$folder"
        return 1
    }
}

step_benchmarks() { build_package Benchmarks "$NESTED_BUILD" -c release; }

# Runs the tests that depend on how GTK paints and lays out once more, in other modes than cairo at
# one pixel per point on X11, and those of assistive technology on its bus. Tests of windows wait for
# frames most of the time, so the modes run at the same time.
step_gtk_modes() {
    local painted='PaintingTests|BadgeTests|SizingTests|SightTests|HiDPITests|ListModelTests|ZoomTests'
    local moving='TransitionTests|AnimationTests' mode status=0
    declare -A running=()
    provide --gtk --tests && build_tests || return
    gtk_mode gl on_x11 "$painted|$moving|LoadingTests" GSK_RENDERER=gl GTK_THEME=Default:hc \
        KF_TEST_DIRECTION=rtl
    gtk_mode dense on_x11 "$painted|$moving" GDK_SCALE=2
    # The density is pretended, so the pixels on screen do not have it.
    gtk_mode fractional on_x11 'SizingTests|HiDPITests|ListModelTests|StressTests' \
        KF_TEST_DENSITY=1.25 KF_TEST_MOTION=0
    if command -v weston >/dev/null; then
        gtk_mode wayland on_wayland "$painted|$moving" GDK_BACKEND=wayland
    else
        printf 'SKIPPED: the tests on Wayland, because weston is not installed.\n'
    fi
    if has_accessibility_bus; then
        gtk_mode bus on_bus AccessibilityBusTests GTK_A11Y=atspi
    else
        printf 'SKIPPED: the tests on the bus of assistive technology: %s\n' \
            'at-spi2-core or python3-pyatspi is not installed.'
    fi
    for mode in "${!running[@]}"; do
        wait "${running[$mode]}" || {
            status=1
            printf 'error: the tests of GTK failed in the mode %s\n' "$mode"
            cat "$logs/gtk-$mode"
        }
        printf '%s: %s\n' "$mode" "$(grep -a 'Test run with' "$logs/gtk-$mode" | tail -n 1)"
    done
    uses_gallery || status=1
    "$ROOT/Scripts/consumer.sh" --types && are_gtk_programs || status=1
    return $status
}

# Uses the window of the gallery by its keys, under a compositor that lets it fill the screen, and reads
# its names as a screen reader does.
uses_gallery() {
    local status=0
    build_package Examples/Gallery "$GTK_BUILD" || return
    ! command -v weston >/dev/null ||
        on_wayland env G_DEBUG=fatal-warnings GDK_BACKEND=wayland GSK_RENDERER=cairo GTK_A11Y=none \
            timeout 180 "$GTK_BUILD/debug/gallery" --check || status=1
    ! has_accessibility_bus ||
        on_bus env GDK_BACKEND=x11 GSK_RENDERER=cairo GTK_A11Y=atspi \
            /usr/bin/python3 Examples/Gallery/Tests/names.py "$GTK_BUILD/debug/gallery" || status=1
    return $status
}

# Runs the programs of the article on GTK, which are built in release mode as a package outside of this one,
# each until its images are on the screen.
are_gtk_programs() {
    local images=$logs/images status=0 colour red=c81e5a green=1ec85a blue=5a1ec8 yellow=c8b41e
    mkdir -p "$images"
    for colour in $red $green $blue; do make_gif $colour >"$images/$colour.gif"; done
    make_gif $blue $yellow >"$images/moving.gif"
    # The large image of the album is wider than its cells.
    on_x11 shows_images album "$red:400 $green:100 $blue:100" "$images"/{$red,$green,$blue}.gif || status=1
    on_x11 shows_images timeline "$red:400 $blue:400 $yellow:400" \
        "$images"/{$red,moving,missing}.gif || status=1
    on_x11 shows_images feed "$red:100 $green:100 $blue:100" "$images"/{$red,$green,$blue}.gif || status=1
    return $status
}

# make_gif COLOUR...: prints an animation with a frame of two pixels for each colour.
make_gif() {
    local colour
    printf 'GIF89a\2\0\1\0\0\0\0\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0'
    for colour in "$@"; do
        colour=\\x${colour:0:2}\\x${colour:2:2}\\x${colour:4:2}
        printf '\x21\xf9\4\4\x14\0\0\0,\0\0\0\0\2\0\1\0\x80%b%b\2\2\4\x0a\0' "$colour" "$colour"
    done
    printf ';'
}

# shows_images PROGRAM COLOUR:LENGTH... ARGUMENT...: runs a program of the article until a row of LENGTH
# pixels has had each COLOUR at some time, and the program has printed the size of an image. The colours
# are one argument.
shows_images() {
    local program=$1 missing=$2 printed=$logs/$1.txt deadline=$((SECONDS + 60)) process row left ended=0
    shift 2
    # GTK warns of a machine without a bus for screen readers.
    G_DEBUG=fatal-warnings GDK_BACKEND=x11 GSK_RENDERER=cairo GTK_A11Y=none XDG_CACHE_HOME=$logs/cache \
        stdbuf -oL "$GTK_BUILD/release/$program" "$@" >"$printed" &
    process=$!
    while [ -n "$missing" ] || ! grep -q '^shown:' "$printed"; do
        [ $SECONDS -lt $deadline ] && kill -0 $process || break
        left=''
        for row in $missing; do is_on_screen "${row%:*}" "${row#*:}" || left+=" $row"; done
        missing=$left
        sleep 0.1
    done
    kill $process || true
    wait $process || ended=$?
    cat "$printed"
    # It runs until it is stopped: SIGTERM is 15.
    if [ -n "$missing" ] || ! grep -q '^shown:' "$printed" || [ $ended -ne $((128 + 15)) ]; then
        printf 'error: %s ended with %s, and these colours were not on the screen:%s\n' \
            "$program" $ended "$missing"
        return 1
    fi
    printf '%s shows its images\n' "$program"
}

# is_on_screen RRGGBB LENGTH: whether a row of LENGTH pixels of the display of on_x11 has a colour.
is_on_screen() {
    LC_ALL=C grep -qaP "(?s)(\\x${1:4:2}\\x${1:2:2}\\x${1:0:2}.){$2}" "$SCREEN"
}

# gtk_mode NAME DISPLAY FILTER [NAME=VALUE]...: starts tests that are built, with one of the functions
# below, and notes the process in `running`. A mode without a test has failed.
gtk_mode() {
    local name=$1 display=$2 chosen=$3
    shift 3
    (
        "$display" env G_DEBUG=fatal-warnings GDK_BACKEND=x11 GSK_RENDERER=cairo "$@" timeout 300 \
            "$GTK_BUILD/debug/KingfisherPackageTests.xctest" --testing-library swift-testing \
            --filter "$chosen" &&
            grep -qa 'Test run with [1-9]' "$logs/gtk-$name"
    ) >"$logs/gtk-$name" 2>&1 &
    running[$name]=$!
}

# With a server of X11 in memory, whose pixels are in the file SCREEN. It chooses its number: several of
# xvfb-run that start at the same time can choose the same. Without -noreset it would refuse tests for a
# moment after another's process ended.
on_x11() {
    local folder server status=0
    folder=$(mktemp -d)
    Xvfb -displayfd 3 -noreset -fbdir "$folder" -screen 0 2560x2048x24 3>"$folder/display" 2>"$folder/log" &
    server=$!
    for _ in $(seq 100); do
        [ ! -s "$folder/display" ] || break
        sleep 0.1
    done
    [ -s "$folder/display" ] || cat "$folder/log"
    SCREEN=$folder/Xvfb_screen0 DISPLAY=:$(cat "$folder/display") "$@" || status=$?
    kill "$server" && wait "$server" || true
    rm -rf "$folder"
    return $status
}

has_accessibility_bus() {
    command -v dbus-run-session >/dev/null && [ -e /usr/libexec/at-spi-bus-launcher ] &&
        /usr/bin/python3 -c 'import pyatspi' 2>/dev/null
}

on_bus() { on_x11 dbus-run-session -- "$@"; }

# With a Wayland compositor that has no screen.
on_wayland() {
    local folder weston status=0
    folder=$(mktemp -d)
    XDG_RUNTIME_DIR=$folder weston --backend=headless-backend.so --use-pixman \
        --socket=kingfisher --width=2560 --height=2048 --idle-time=0 >"$folder/log" 2>&1 &
    weston=$!
    for _ in $(seq 100); do
        [ ! -S "$folder/kingfisher" ] || break
        sleep 0.1
    done
    [ -S "$folder/kingfisher" ] || cat "$folder/log"
    XDG_RUNTIME_DIR=$folder WAYLAND_DISPLAY=kingfisher "$@" || status=$?
    kill "$weston" && wait "$weston" || true
    rm -rf "$folder"
    return $status
}

title() {
    case $1 in
    races) echo "Thread sanitizer over the tests of the library and of GTK" ;;
    memory) echo "Address sanitizer over the tests of the library and of GTK, and shims without memory" ;;
    faults) echo "Loads while system calls fail" ;;
    isolation) echo "Isolated loads and hostile workers under a spy on decoders" ;;
    fuzz) echo "Fuzzed files, responses and folders, 4 s for each kind" ;;
    formats) echo "JPEG XL, HEIF, TIFF and SVG: declarations, system calls, fuzzed files" ;;
    examples) echo "Examples: build, tests, and each of them run" ;;
    benchmarks) echo "Benchmarks: build" ;;
    gtk_modes) echo "GTK: OpenGL, two densities, Wayland, assistive technology, and programs in release mode" ;;
    esac
}

run_steps "$@"
