#!/usr/bin/env bash
# Checks a change: format, warnings, the tests of the library, the tool, the service and GTK, the
# documentation and the public API. Scripts/check.sh has what takes longer.
#
# Usage: Scripts/test.sh [STEP]...
#        Scripts/test.sh tests|tools|server|gtk FILTER
#
#   STEP     libraries, lint, build, tests, api, docs, tools, server, gtk; all by default
#   FILTER   runs only the tests whose names match this regular expression, and nothing else of
#            the step
#
# A failing step does not stop the later ones; the exit status is 0 only if all have passed.
# Repeated runs are fast, because only changes are built.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
. "$ROOT/Scripts/steps.sh"

# Set by .ci/run, which runs the step memory of check.sh, too: the tests that the address sanitizer runs are
# not run without it then.
memory_follows=${KF_MEMORY_FOLLOWS:-}

all_steps=(libraries lint build tests api docs tools server gtk)
filtered_steps=(tests tools server gtk)
other_script=Scripts/check.sh

# For all steps at once.
step_libraries() { "$ROOT/Scripts/bootstrap.sh" --lint --tests --formats --redis --gtk; }

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
        provide --lint &&
        "$ROOT/Scripts/pages.sh"
}

# Checking the NEON twins takes a second, if there is a compiler for arm64.
step_build() { "$ROOT/Scripts/neon.sh" && provide --gtk && build_tests; }

# With the web server that some tests need, if it is available.
step_tests() {
    local chosen=("${filter[@]}") skipped=$SCREEN_TESTS
    provide --tests --formats || return
    # The step before has built them, unless one is asked for alone.
    [ ${#filter[@]} -eq 0 ] || { provide --gtk && build_tests; } || return
    # The step isolation of check.sh runs those of the option, under its spy.
    [ ${#filter[@]} -gt 0 ] || skipped+='|IsolatedOptionTests'
    [ -z "$memory_follows" ] || {
        say "Only the tests that Scripts/check.sh memory does not run"
        chosen=(--filter "$(not_in_memory)")
    }
    run_tests "${chosen[@]}" --skip "$skipped"
}

step_api() { "$ROOT/Scripts/api.sh" --check; }

# Not into logs/docs, which is the path of this step's log.
step_docs() { "$ROOT/Scripts/docs.sh" "$logs/pages"; }

# In release mode, because the tool is used that way, and the benchmarks then find the library
# already built.
step_tools() {
    provide --tests --formats || return
    build_package Tools "$NESTED_BUILD" -c release --build-tests &&
        swift test --package-path Tools --scratch-path "$NESTED_BUILD" -c release \
            --disable-xctest --skip-build "${filter[@]}"
}

# In a folder of its own and in debug mode, because the tests look inside the service, which
# release mode forbids.
step_server() {
    provide --redis --tests --formats && build_package Server "$SERVER_BUILD" --build-tests &&
        timeout 300 swift test --package-path Server --scratch-path "$SERVER_BUILD" \
            --disable-xctest --skip-build "${filter[@]}" || return
    [ ${#filter[@]} -gt 0 ] || { "$ROOT/Scripts/clients.sh" && is_without_gtk; }
}

# Without its trait, a build must not depend on GTK: neither pkg-config's flags nor the compiler's
# dependency files may mention it, and its module is empty.
is_without_gtk() {
    local found
    build_package Server "$SERVER_BUILD" --target KingfisherGTK || return
    found=$(grep -lE 'gtk-4|gtk4' "$SERVER_BUILD/debug.yaml" || true)
    found+=$(grep -rlE --include='*.d' '/(gtk-4\.0|glib-2\.0)/' "$SERVER_BUILD/debug/" | head -n 3 || true)
    [ -z "$found" ] || {
        printf 'error: without its trait the build depends on GTK, in\n%s\n' "$found"
        return 1
    }
}

# The gallery is not built in release mode, which would build the library once more.
step_gtk() {
    local chosen=("${filter[@]}")
    [ ${#filter[@]} -gt 0 ] || chosen=(--filter "$SCREEN_TESTS")
    [ -z "$memory_follows" ] || {
        say "Only the tests that Scripts/check.sh memory does not run"
        chosen=(--filter "$GTK_COSTS")
    }
    provide --gtk && build_tests && run_gtk_tests "${chosen[@]}" || return
    [ ${#filter[@]} -gt 0 ] || {
        build_package Examples/Gallery "$GTK_BUILD" && fits_narrow_window
    }
}

# Shows every page of the gallery in a window of 400 × 700, which fails if one needs more room.
fits_narrow_window() {
    G_DEBUG=fatal-warnings GDK_BACKEND=x11 GSK_RENDERER=cairo GTK_A11Y=none \
        xvfb-run -a -s '-screen 0 1280x1024x24' timeout 180 "$GTK_BUILD/debug/gallery" \
        --size 400x700 --screenshots "$logs/gallery"
}

title() {
    case $1 in
    libraries) echo "System libraries and toolchain" ;;
    lint) echo "Format (swift format lint --strict), numbered statements, links and spelling" ;;
    build) echo "Build, warnings are errors" ;;
    tests) echo "Tests of the library" ;;
    api) echo "Declarations that user code expects" ;;
    docs) echo "Documentation, warnings are errors" ;;
    tools) echo "Tools: build and tests" ;;
    server) echo "Image service: build, tests, and client libraries" ;;
    gtk) echo "GTK: tests on a virtual display, and the gallery in a narrow window" ;;
    esac
}

run_steps "$@"
