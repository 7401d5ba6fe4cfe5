#!/usr/bin/env bash
# Checks everything: format, warnings, every test, and the packages nested in this one.
#
# Usage: Scripts/test.sh [STEP]...
#        Scripts/test.sh tests|tools|server|examples|gtk FILTER
#
#   STEP     libraries, lint, build, tests, races, memory, faults, isolation, api, docs, fuzz, tools,
#            benchmarks, examples, server, formats, gtk, gtk_modes; all by default
#   FILTER   runs only the tests whose names match this regular expression, and nothing else of
#            the step
#
# A failing step does not stop the later ones; the exit status is 0 only if all have passed.
# Repeated runs are fast, because only changes are built.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

all_steps=(
    libraries lint build tests races memory faults isolation api docs fuzz tools benchmarks examples
    server formats gtk gtk_modes
)
steps=("$@")
[ $# -gt 0 ] || steps=("${all_steps[@]}")
filter=()
case " ${all_steps[*]} " in
*" ${2:-libraries} "*) ;;
*)
    case $#,$1 in
    2,tests | 2,tools | 2,server | 2,examples | 2,gtk)
        steps=("$1")
        filter=(--filter "$2")
        ;;
    esac
    ;;
esac
for step in "${steps[@]}"; do
    case " ${all_steps[*]} " in
    *" $step "*) ;;
    *) die "there is no step '$step'; the steps are: ${all_steps[*]}" \
        "After tests, tools, server, examples or gtk alone it may be a filter for the tests." ;;
    esac
done

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# --- The steps ------------------------------------------------------------------------------

step_libraries() { "$ROOT/Scripts/bootstrap.sh"; }

step_lint() {
    local paths=(Package.swift) path
    for path in Sources Tests Fuzz Tools Server Benchmarks Examples; do
        [ ! -d "$path" ] || paths+=("$path")
    done
    # Build folders of the nested packages contain code of dependencies.
    find "${paths[@]}" -name .build -prune -o -name '*.swift' -print0 \
        | xargs -0 swift format lint --strict --parallel --configuration .swift-format &&
        "$ROOT/Scripts/coverage.sh" --check &&
        "$ROOT/Scripts/release.sh" --check &&
        "$ROOT/Scripts/bootstrap.sh" --lint &&
        "$ROOT/Scripts/pages.sh"
}

# Checking the NEON twins takes a second, if there is a compiler for arm64.
step_build() { "$ROOT/Scripts/neon.sh" && swift build --build-tests && is_without_gtk; }

# Without its trait, the build must not depend on GTK: neither pkg-config's flags nor the compiler's
# dependency files may mention it.
is_without_gtk() {
    local found
    found=$(grep -lE 'gtk-4|gtk4' .build/debug.yaml || true)
    found+=$(grep -rlE --include='*.d' '/(gtk-4\.0|glib-2\.0)/' .build/debug/ | head -n 3 || true)
    [ -z "$found" ] || {
        printf 'error: without its trait the build depends on GTK, in\n%s\n' "$found"
        return 1
    }
}

# With the web server that some tests need, if it is available.
step_tests() {
    "$ROOT/Scripts/bootstrap.sh" --tests --formats || return
    # The step before has built them, unless one is asked for alone.
    [ ${#filter[@]} -eq 0 ] || swift build --build-tests || return
    # The step isolation runs those that are skipped, under its spy.
    if [ ${#filter[@]} -gt 0 ]; then run_tests "${filter[@]}"; else run_tests --skip IsolatedOptionTests; fi
}

step_races() { "$ROOT/Scripts/races.sh"; }

step_memory() { "$ROOT/Scripts/memory.sh"; }

step_faults() { "$ROOT/Scripts/faults.sh"; }

# The tools and the service, which are built later, have parts of their own in their steps.
step_isolation() { "$ROOT/Scripts/isolation.sh" library; }

# Long enough to find careless mistakes; after changes to a decoder, run it for longer. The second
# half covers the whole pipeline: responses, folders, processors and damaged files, concurrently.
step_fuzz() {
    local status=0
    "$ROOT/Scripts/fuzz.sh" 12 jpg png gif webp avif bmp || return
    # The seventh format would leave a core without work.
    "$ROOT/Scripts/fuzz.sh" 12 ico &
    KF_FUZZ_SECONDS=12 swift test --disable-xctest --skip-build \
        --filter 'AnswerFuzzTests|FolderFuzzTests|ProcessorFuzzTests|DamagedFileTests|HostilePDFTests|HostileFilmTests|CurlFloodTests' || status=1
    wait $! || status=1
    return $status
}

step_api() { "$ROOT/Scripts/api.sh" --check; }

# Not into logs/docs, which is the path of this step's log.
step_docs() { "$ROOT/Scripts/docs.sh" "$logs/pages"; }

# In release mode, because the tool is used that way, and the benchmarks then find the library
# already built.
step_tools() {
    "$ROOT/Scripts/bootstrap.sh" --formats || return
    plan_for Tools "$NESTED_BUILD"
    swift build --package-path Tools --scratch-path "$NESTED_BUILD" -c release --build-tests &&
        swift test --package-path Tools --scratch-path "$NESTED_BUILD" -c release \
            --disable-xctest --skip-build "${filter[@]}" || return
    [ ${#filter[@]} -gt 0 ] || "$ROOT/Scripts/isolation.sh" tools
}

# In a folder of its own and in debug mode, because the tests look inside the service, which
# release mode forbids.
step_server() {
    plan_for Server "$SERVER_BUILD"
    "$ROOT/Scripts/bootstrap.sh" --redis --tests --formats &&
        swift build --package-path Server --scratch-path "$SERVER_BUILD" --build-tests &&
        timeout 300 swift test --package-path Server --scratch-path "$SERVER_BUILD" \
            --disable-xctest --skip-build "${filter[@]}" || return
    [ ${#filter[@]} -gt 0 ] || { "$ROOT/Scripts/isolation.sh" server && "$ROOT/Scripts/clients.sh"; }
}

step_benchmarks() {
    plan_for Benchmarks "$NESTED_BUILD"
    swift build --package-path Benchmarks --scratch-path "$NESTED_BUILD" -c release
}

# Builds, tests and runs the examples. Most serve their images themselves; the others get a file,
# and a folder to write to.
step_examples() {
    local folder program arguments status=0
    local picture=$ROOT/Examples/Gallery/Screenshots/grid.png
    plan_for Examples "$NESTED_BUILD"
    swift build --package-path Examples --scratch-path "$NESTED_BUILD" -c release --build-tests &&
        swift test --package-path Examples --scratch-path "$NESTED_BUILD" -c release \
            --disable-xctest --skip-build "${filter[@]}" || return
    [ ${#filter[@]} -eq 0 ] || return 0
    for folder in Examples/Sources/{view-model,feed,CacheStack} Examples/Tests/CacheStackTests; do
        is_swift_5 "$folder" || status=1
    done
    is_first_program || status=1
    for folder in Examples/Sources/*/; do
        program=$(basename "$folder")
        arguments=()
        case $program in
        Exhibition | CacheStack) continue ;;
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
    plan_for "$program" "$NESTED_BUILD"
    swift build --package-path "$program" --scratch-path "$NESTED_BUILD" -c release --build-tests &&
        swift test --package-path "$program" --scratch-path "$NESTED_BUILD" -c release \
            --disable-xctest --skip-build &&
        (cd "$program" && "$NESTED_BUILD/release/hello" \
            "file://$ROOT/Examples/Gallery/Screenshots/grid.png" && [ -s small.jpg ])
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

# The libraries that are loaded when they are needed; the step tests decodes by them, too.
step_formats() {
    "$ROOT/Scripts/bootstrap.sh" --formats && "$ROOT/Scripts/walls.sh" &&
        "$ROOT/Scripts/fuzz.sh" 12 jxl heic tiff svg
}

# In a separate build folder, because the trait changes the build of every target. The gallery is not
# built in release mode, which would build the library once more.
step_gtk() {
    local chosen=("${filter[@]}")
    [ ${#filter[@]} -gt 0 ] || chosen=(--filter KingfisherGTKTests)
    plan_for Examples/Gallery "$GTK_BUILD"
    "$ROOT/Scripts/bootstrap.sh" --gtk && build_gtk_tests &&
        KF_GTK_ONLY=1 G_DEBUG=fatal-warnings GDK_BACKEND=x11 GSK_RENDERER=cairo \
            xvfb-run -a -s '-screen 0 1280x1024x24' \
            swift test --traits GTK --scratch-path "$GTK_BUILD" --skip-build \
            "${chosen[@]}" || return
    [ ${#filter[@]} -gt 0 ] || {
        swift build --package-path Examples/Gallery --scratch-path "$GTK_BUILD" && is_gtk_program
    }
}

build_gtk_tests() {
    KF_GTK_ONLY=1 swift build --traits GTK --scratch-path "$GTK_BUILD" --build-tests
}

# Runs the tests that depend on how GTK paints and lays out once more, in other modes than cairo at
# one pixel per point on X11, and those of assistive technology on its bus. Tests of windows wait for
# frames most of the time, so the modes run at the same time.
step_gtk_modes() {
    local painted='PaintingTests|BadgeTests|SizingTests|SightTests|HiDPITests|ListModelTests|ZoomTests'
    local moving='TransitionTests|AnimationTests' mode status=0
    declare -A running=()
    "$ROOT/Scripts/bootstrap.sh" --gtk --tests && build_gtk_tests || return
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
    return $status
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

# With a server of X11 in memory. It chooses its number: several of xvfb-run that start at the same time
# can choose the same. Without -noreset it would refuse tests for a moment after another's process ended.
on_x11() {
    local folder server status=0
    folder=$(mktemp -d)
    Xvfb -displayfd 3 -noreset -screen 0 2560x2048x24 3>"$folder/display" 2>"$folder/log" &
    server=$!
    for _ in $(seq 100); do
        [ ! -s "$folder/display" ] || break
        sleep 0.1
    done
    [ -s "$folder/display" ] || cat "$folder/log"
    DISPLAY=:$(cat "$folder/display") "$@" || status=$?
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

# Builds the program of the article on GTK from an empty folder, and runs it until it shows an image.
is_gtk_program() {
    local program=$logs/album
    "$ROOT/Scripts/pages.sh" --program GTK "$program" || return
    plan_for "$program" "$GTK_BUILD"
    swift build --package-path "$program" --scratch-path "$GTK_BUILD" || return
    # GTK warns of a machine without a bus for screen readers. The program has to run until it is
    # stopped: SIGTERM is 15.
    # shellcheck disable=SC2016
    G_DEBUG=fatal-warnings GDK_BACKEND=x11 GSK_RENDERER=cairo XDG_CACHE_HOME=$logs/cache \
        GTK_A11Y=none \
        xvfb-run -a -s '-screen 0 1280x1024x24' timeout 60 bash -c '
            stdbuf -oL "$1" "$2" >"$3" & program=$!
            while kill -0 $program 2>/dev/null && ! grep -q . "$3"; do sleep 0.1; done
            kill $program 2>/dev/null
            wait $program
            [ $? -eq $((128 + 15)) ] || exit
            cat "$3"
            grep -q "^shown:" "$3"' \
        - "$GTK_BUILD/debug/album" Examples/Gallery/Screenshots/grid.png "$logs/shown"
}

title() {
    case $1 in
    libraries) echo "System libraries and toolchain" ;;
    lint) echo "Format (swift format lint --strict), numbered statements, links and spelling" ;;
    build) echo "Build, warnings are errors" ;;
    tests) echo "Tests of the library" ;;
    races) echo "Thread sanitizer over the tests of the library" ;;
    memory) echo "Address sanitizer over the tests of the library, and shims without memory" ;;
    faults) echo "Loads while system calls fail" ;;
    isolation) echo "Isolated loads and hostile workers under a spy on decoders" ;;
    api) echo "Declarations that user code expects" ;;
    docs) echo "Documentation, warnings are errors" ;;
    fuzz) echo "Fuzzed files, responses and folders, 12 s for each kind" ;;
    tools) echo "Tools: build and tests" ;;
    benchmarks) echo "Benchmarks: build" ;;
    examples) echo "Examples: build, tests, and each of them run" ;;
    server) echo "Image service: build, tests, and client libraries" ;;
    formats) echo "JPEG XL, HEIF, TIFF and SVG: declarations, system calls, fuzzed files" ;;
    gtk) echo "GTK: tests on a virtual display, and the gallery" ;;
    gtk_modes) echo "GTK: OpenGL, two densities, Wayland, and assistive technology" ;;
    esac
}

# --- The run --------------------------------------------------------------------------------

require_swift
check_writable
summary=()
failures=0
for step in "${steps[@]}"; do
    case $step in
    tools | benchmarks | examples | server)
        # The folder has the name of the step, with a capital letter.
        [ -e "${step^}/Package.swift" ] || continue
        check_folder_name
        ;;
    esac
    say "$(title "$step")"
    started=$SECONDS
    status=0
    "step_$step" 2>&1 | tee "$logs/$step" || status=$?
    took=$((SECONDS - started))
    if [ $status -eq 0 ]; then
        summary+=("$(printf 'passed  %4d s  %s' $took "$(title "$step")")")
    else
        failures=$((failures + 1))
        summary+=("$(printf 'FAILED  %4d s  %s' $took "$(title "$step")")")
        # Repeat the errors in the summary; the originals may be thousands of lines above.
        while IFS= read -r line; do summary+=("        ${line:0:300}"); done < <(
            grep -aE 'recorded an issue|Fatal error|(^|[^a-z])error:|(WARNING|ERROR): ([A-Z][a-z]*Sanitizer|libFuzzer)' \
                "$logs/$step" | head -n 12 || true
        )
    fi
    # Repeat the test runner's last line in the summary.
    closing=$(grep -aE 'Test run with [0-9]+ test' "$logs/$step" | tail -n 1 || true)
    [ -z "$closing" ] || summary+=("                ${closing##*Test run}")
    # Tests need the build, and the build needs the libraries.
    if [ $status -ne 0 ] && { [ "$step" = libraries ] || [ "$step" = build ]; }; then
        summary+=("        (later steps were skipped)")
        break
    fi
done

printf '\n'
say "Summary" 2>&1
printf '%s\n' "${summary[@]}" | sed 's/^  *with /                with /'
if [ $failures -gt 0 ]; then
    printf '%s\n' "$failures failed."
    exit 1
fi
printf '%s\n' "All passed."
