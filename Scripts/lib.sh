# Shared by all scripts; to be sourced, not run.
#
# Makes the shell stop at the first failure, changes to the root of the repository, and defines
# functions such as `say`, `die`, `require_swift` and `install_packages`.

set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
CALLER_FOLDER=$PWD
cd "$ROOT"

# The oldest toolchain that supports the manifest.
MINIMUM_SWIFT=6.2

# The tool, the examples and the benchmarks share one build folder, so that the library is built once
# for all of them. It is not .build, where an editor may be building the library.
NESTED_BUILD=$ROOT/.build-nested

# The tests of the library and the gallery, with the trait GTK, which changes the build of every target.
GTK_BUILD=$ROOT/.build-gtk

# Builds of the image service for its tests.
SERVER_BUILD=$ROOT/.build-server

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }

die() {
    printf 'error: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
    exit 1
}

# A script that is asked for help prints the comment at its beginning, and does nothing.
case ${1:-},$0 in
-h,*.sh | --help,*.sh)
    (cd "$CALLER_FOLDER" && awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0")
    exit
    ;;
esac

# Plain text if standard error is not a terminal.
[ -t 2 ] || say() { printf '==> %s\n' "$*" >&2; }

# As many tests at once as there are cores: with more, some reach their time limit while others block
# the threads of the concurrency pool, or wait for a core.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-$(nproc)}

# How the tests are built; the sanitizers set other arguments. The folder is the last.
tests_built=(--traits GTK --scratch-path "$GTK_BUILD")

# The tests that need a display, as a regular expression.
SCREEN_TESTS='KingfisherGTKTests'

# Builds all tests of the library.
build_tests() {
    plan_for Tests "${tests_built[-1]}"
    swift build "${tests_built[@]}" --build-tests
}

# Runs tests that are built.
run_tests() { swift test "${tests_built[@]}" --disable-xctest --skip-build "$@"; }

# Runs tests that are built, on a display in memory.
#
# By their program: `swift test` locks the folder while it runs.
run_gtk_tests() {
    G_DEBUG=fatal-warnings GDK_BACKEND=x11 GSK_RENDERER=cairo \
        xvfb-run -a -s '-screen 0 1280x1024x24' "${tests_built[-1]}/debug/KingfisherPackageTests.xctest" \
        --testing-library swift-testing "$@"
}

# run_both [FILTER | --gtk [FILTER]]: runs the functions run_library and run_gtk, or the one that is asked
# for. Tests of GTK wait for frames most of the time, so both run at once, and what GTK's tests print
# comes at the end, from a file in the folder `logs`.
run_both() {
    local gtk status=0
    if [ "${1:-}" = --gtk ]; then
        run_gtk "${2:-}"
    elif [ $# -gt 0 ]; then
        run_library
    else
        run_gtk >"$logs/of-gtk" 2>&1 &
        gtk=$!
        (run_library) || status=1
        wait $gtk || status=1
        cat "$logs/of-gtk"
        return $status
    fi
}

# What the address sanitizer does not run: suites that only compare pixels or compute, or measure memory, of
# which it holds more than is in use; tests of other suites; and folders of Swift without pointers.
NOT_IN_MEMORY=(GoldenTests CurlEnduranceTests SideTableTests DerivedSizeTests ProcessorWorkTests FIFOTests
    MemoryStoreEvictionTests ProgramLimitsTests IsolatedOptionTests InterleavingTests)
NOT_IN_MEMORY_TESTS='CurlFloodTests|WorkBoundTests|long packets of repeated beginnings|report about unknown colours'
NOT_IN_MEMORY_FOLDERS=(Compatibility Options Results HTTP/Freshness Pipeline/HTTPCaching)

# Tests of GTK that measure costs, which no sanitizer runs.
GTK_COSTS='ManyAnimationsTests|ZoomCostTests'

# Prints a regular expression for the tests of the library that Scripts/memory.sh does not run.
not_in_memory() {
    printf '%s|' LayeringTests DocumentationTests "${NOT_IN_MEMORY[@]}"
    # Suites have the names of their files.
    (cd Tests/KingfisherTests && find "${NOT_IN_MEMORY_FOLDERS[@]}" -name '*Tests*.swift' -printf '%f\n') |
        sed 's/[.+].*/|/' | sort -u | tr -d '\n'
    printf '%s' "$NOT_IN_MEMORY_TESTS"
}

# leave_out NAME...: builds the tests of the library without these suites and folders, for a sanitizer.
leave_out() {
    local name found
    export KF_LEFT_OUT=
    for name; do
        found=$(cd Tests/KingfisherTests && find . \( -path "./$name" -o -name "$name.swift" \) -printf '%P ')
        [ -n "$found" ] || die "Tests/KingfisherTests has no $name, which is to be left out."
        KF_LEFT_OUT+=$found
    done
}

# Runs a command as root, through sudo if necessary.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Puts the folder of a Swift toolchain on the PATH, or fails with advice.
find_swift() {
    local folder
    if ! command -v swift >/dev/null; then
        # Folders of installers that have not changed this shell's PATH.
        for folder in "${SWIFTLY_BIN_DIR:-$HOME/.local/share/swiftly/bin}" \
            /opt/swift/usr/bin /usr/local/swift/usr/bin /usr/libexec/swift/bin; do
            if [ -x "$folder/swift" ]; then
                PATH=$folder:$PATH
                break
            fi
        done
    fi
    command -v swift >/dev/null || die "no Swift toolchain found." \
        "This package needs Swift $MINIMUM_SWIFT or newer: https://www.swift.org/install/linux/" \
        "If one is installed, put its folder 'usr/bin' on the PATH."
}

# Puts a Swift toolchain that runs and is not too old on the PATH, or fails with advice.
require_swift() {
    local message version
    find_swift
    message=$(swift --version 2>&1) || die "'$(command -v swift) --version' fails:" "$message" \
        "If a library is missing, Scripts/bootstrap.sh installs it on Debian and Ubuntu."
    version=$(sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p;T;q' <<<"$message")
    [ -n "$version" ] || die "'$(command -v swift) --version' does not name a Swift version:" \
        "$message"
    if [ "$(printf '%s\n' "$MINIMUM_SWIFT" "$version" | sort -V | head -n 1)" \
        != "$MINIMUM_SWIFT" ]; then
        die "Swift $version is too old; this package needs $MINIMUM_SWIFT or newer." \
            "Found: $(command -v swift)" "Newer ones: https://www.swift.org/install/linux/"
    fi
}

# Installs Debian packages with as little output as possible.
install_packages() {
    local log
    command -v apt-get >/dev/null || die "this script can install packages only on Debian and" \
        "Ubuntu. Please install the equivalents of: $*"
    # Checked here, because a message of as_root would go to the log.
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null \
        || die "installing needs root, and there is no sudo here. As root, run:" \
            "apt-get update && apt-get install --no-install-recommends $*"
    say "Installing $*"
    log=$(mktemp)
    # A fresh container image has no package lists, and outdated lists name removed files.
    if ! as_root apt-get update -qq >"$log" 2>&1 \
        || ! as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "$@" >>"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        die "apt-get could not install: $*"
    fi
    rm -f "$log"
}

# Makes a minimal Debian with debootstrap, unless the folder has one: provide_root RELEASE FOLDER
#
# KF_MIRROR is the address of another mirror.
provide_root() {
    local release=$1 folder=$2 log
    [ ! -e "$folder/etc/debian_version" ] || return 0
    say "Fetching a minimal $release into $folder"
    mkdir -p "$(dirname -- "$folder")"
    # Under another name until it is complete.
    rm -rf --one-file-system "$folder.incomplete"
    log=$(mktemp)
    debootstrap --variant=minbase "$release" "$folder.incomplete" \
        "${KF_MIRROR:-http://deb.debian.org/debian}" >"$log" 2>&1 \
        || { tail -n 20 "$log" >&2; rm -f "$log"; die "debootstrap could not make a $release."; }
    rm -f "$log"
    mv "$folder.incomplete" "$folder"
}

# The web server for the download tests: the system's, or an unpacked one.
NGINX=/usr/sbin/nginx
[ -x "$NGINX" ] || NGINX=$ROOT/.build-nested/nginx/usr/sbin/nginx

# Fetches nginx if it is missing; fails with a message if that is not possible.
#
# It is unpacked into a build folder instead of being installed: installing the package would start
# a server, now and at every boot, and needs root.
provide_nginx() {
    local folder log status=0
    ! "$NGINX" -v >/dev/null 2>&1 || return 0
    if ! command -v apt-get >/dev/null; then
        say "nginx is not installed, and there is no apt-get to fetch it."
        return 1
    fi
    folder=$ROOT/.build-nested/nginx
    mkdir -p "$folder"
    log=$(mktemp)
    say "Unpacking nginx in ${folder#"$ROOT"/}"
    # Outdated lists name removed files; updating them needs root.
    (cd "$folder" && apt-get download -q nginx) >"$log" 2>&1 ||
        { as_root apt-get update -qq && cd "$folder" && apt-get download -q nginx; } \
            >>"$log" 2>&1 || status=1
    [ $status -ne 0 ] || dpkg-deb -x "$folder"/nginx_*.deb "$folder" >>"$log" 2>&1 || status=1
    cd "$ROOT"
    NGINX=$folder/usr/sbin/nginx
    if [ $status -eq 0 ]; then "$NGINX" -v >>"$log" 2>&1 || status=1; fi
    if [ $status -ne 0 ]; then
        tail -n 5 "$log" >&2
        say "nginx could not be fetched (see above)."
    fi
    rm -f "$log" "$folder"/nginx_*.deb
    return $status
}

# Makes sure that a folder has a Python environment with pip: provide_python FOLDER
provide_python() {
    local folder=$1 missing=()
    [ ! -x "$folder/bin/pip" ] || return 0
    command -v python3 >/dev/null || missing+=(python3)
    # The venv module can be installed without ensurepip, which it needs for an environment with
    # pip.
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
    say "Creating a Python environment in ${folder#"$ROOT"/}"
    python3 -m venv "$folder"
}

# Makes sure that a folder has a Python environment with the packages of a file:
# provide_packages FOLDER FILE
#
# Fails if pip cannot install them.
provide_packages() {
    local folder=$1 requirements=$2
    provide_python "$folder" || return
    ! cmp -s "$requirements" "$folder/installed" || return 0
    "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" \
        && cp "$requirements" "$folder/installed"
}

# Installs emulators of stores of objects for Python into the folder EMULATORS.
EMULATORS=$ROOT/.build-nested/stores
provide_emulators() { provide_packages "$EMULATORS" Server/Tests/Stores/requirements.txt; }

# Makes build_tool link Swift's libraries statically into programs, if the toolchain has static
# libraries, and build in a separate folder.
#
# Such programs start in two thirds of the time, take 5 MB less memory, and run without Swift.
# Another 3 MB are saved by not exporting the program's symbols to libraries, and by packed
# relocations, which take a thirtieth of the space. The latter require glibc 2.36 and are used only
# if it is installed.
link_swift_into_programs() {
    local resources linker libc
    require_swift
    NESTED_BUILD=$ROOT/.build-kf
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    [ -e "${resources}_static/linux/libFoundation.a" ] || return 0
    # Stripping symbols saves a third of the file: 62 MB instead of 92. Half of the rest would be
    # Unicode data of Foundation, most of it for other languages.
    BUILD_FLAGS=(--static-swift-stdlib -Xlinker --no-export-dynamic -Xlinker --strip-all)
    linker=$(dirname -- "$(command -v swift)")/ld.lld
    libc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p')
    if [ -x "$linker" ] && [ -n "$libc" ] \
        && [ "$(printf '%s\n' 2.36 "$libc" | sort -V | head -n 1)" = 2.36 ]; then
        BUILD_FLAGS+=(-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs)
    fi
    reduce_unicode_data "${resources}_static/linux/lib_FoundationICU.a"
}

# Adds an object to BUILD_FLAGS that takes the place of most Unicode data, 29 MB of a program; see
# unicode_data.py. Without Python, or with an unknown toolchain, programs stay larger.
reduce_unicode_data() {
    local archive=$1 object=$NESTED_BUILD/unicode-data.o script=$ROOT/Scripts/unicode_data.py
    if [ ! "$object" -nt "$archive" ] || [ ! "$object" -nt "$script" ]; then
        command -v python3 >/dev/null || return 0
        mkdir -p "$NESTED_BUILD" && python3 "$script" "$archive" "$object" || return 0
    fi
    BUILD_FLAGS+=(-Xlinker "$object"
        -Xlinker "--wrap=$(nm "$object" | sed -n 's/.* __wrap_//p')")
}

# Builds the command line tool.
build_kf() {
    link_swift_into_programs
    build_tool Tools kf
}

# Makes SwiftPM plan again if the last build in a folder was of another package, or linked hiredis in
# another way, or if there are other source files since: plan_for PACKAGE FOLDER
#
# Otherwise it uses the existing plan: it silently builds the other package, reports that there is no
# such product, or does not compile a new file in C of the library (all seen with Swift 6.3).
plan_for() {
    local package=$1 folder=$2 files plan
    files=$(find Sources "$package" -name '.build*' -prune -o \
        \( -name '*.swift' -o -name '*.[ch]' \) -print | sort | cksum)
    plan="$package ${KF_HIREDIS:-} $files"
    [ "$(cat "$folder/planned-for" 2>/dev/null)" != "$plan" ] || return 0
    mkdir -p "$folder"
    rm -f "$folder"/*/*/description.json
    printf '%s\n' "$plan" >"$folder/planned-for"
}

# Builds a package of this repository: build_package PACKAGE FOLDER [ARGUMENT]...
build_package() {
    local package=$1 folder=$2
    shift 2
    plan_for "$package" "$folder"
    swift build --package-path "$package" --scratch-path "$folder" "$@"
}

# Additional arguments of build_tool for swift build.
BUILD_FLAGS=()

# The mode in which build_tool builds.
CONFIGURATION=release

# How many processes the kernel has ended for lack of memory; 0 if it does not say.
out_of_memory_kills() { awk '$1 == "oom_kill" { kills = $2 } END { print kills + 0 }' /proc/vmstat; }

# reason_of_failure STATUS LOG KILLS: the first error in the log of a build, or what ended it without one;
# KILLS is the number of out_of_memory_kills before it.
reason_of_failure() {
    local error killed=$(($(out_of_memory_kills) - $3))
    error=$(grep -m 1 -E '(^|[: ])(fatal )?error: ' "$2" || true)
    if [ "$killed" -gt 0 ]; then
        printf 'memory was short, and the kernel ended %s processes. ' "$killed"
    fi
    if [ -n "$error" ]; then
        printf '%s' "$error"
    elif [ "$1" -gt 128 ]; then
        printf 'swift build was ended by SIG%s, and reported no error.' "$(kill -l "$1")"
    else
        printf 'swift build ended with status %s, and reported no error.' "$1"
    fi
}

# Builds a program of a nested package, if it is missing or older than its sources:
# build_tool PACKAGE PROGRAM
build_tool() {
    local package=$1 program=$2 binary newer log killed status=0
    binary=$NESTED_BUILD/$CONFIGURATION/$program
    require_swift
    if [ -x "$binary" ]; then
        # -newer does not find removed files, but their folder is newer then.
        newer=$(find Package.swift Sources "$package/Package.swift" "$package/Sources" \
            -newer "$binary" -print -quit)
        [ -n "$newer" ] || return 0
    fi
    check_writable
    check_folder_name
    say "Building $program (the first time takes some minutes)"
    # Beside the build: the temporary folder may be the one that is full.
    mkdir -p "$NESTED_BUILD"
    log=$NESTED_BUILD/$program.log
    killed=$(out_of_memory_kills)
    # Shows the progress on a terminal; otherwise only the log of a failure.
    build_package "$package" "$NESTED_BUILD" -c "$CONFIGURATION" \
        "${BUILD_FLAGS[@]+"${BUILD_FLAGS[@]}"}" --product "$program" 2>&1 \
        | if [ -t 2 ]; then tee "$log" >&2; else cat >"$log"; fi || status=$?
    if [ $status -ne 0 ]; then
        [ -t 2 ] || cat "$log" >&2
        die "$program could not be built: $(reason_of_failure $status "$log" "$killed")" \
            "The whole log is ${log#"$ROOT"/}. Missing headers? Scripts/bootstrap.sh installs them."
    fi
    rm -f "$log"
    # The linker does not touch an unchanged program, which is up to date nevertheless.
    touch "$binary"
}

# Writes the public symbols of a built module of the library as JSON into a folder:
# extract_symbols MODULE FOLDER [BUILD_FOLDER MODE]
extract_symbols() {
    local scratch=${3:-$GTK_BUILD} built=${3:-$GTK_BUILD}/${4:-debug} map maps=()
    if [ ! -e "$built/Modules/$1.swiftmodule" ]; then
        say "Building $1; the first build takes some minutes"
        # It reports each file as it is compiled.
        swift build "${tests_built[@]}" --target "$1" >&2
    fi
    say "Reading the public declarations of $1"
    # The C modules that it imports; the compiler cannot load it without them.
    while read -r map; do
        maps+=(-Xcc "-fmodule-map-file=$map")
    done < <(find -L Sources/SystemLibraries "$built" -maxdepth 2 -name module.modulemap &&
        find "$scratch/checkouts" -path '*/include/module.modulemap')
    # GTK's headers are in folders that only pkg-config knows.
    while read -r map; do
        maps+=(-Xcc "$map")
    done < <(pkg-config --cflags-only-I gtk4 2>/dev/null | grep -o -- '-I[^ ]*')
    swift symbolgraph-extract -module-name "$1" -I "$built/Modules" "${maps[@]}" \
        -target "$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -n 1)" \
        -minimum-access-level public -output-dir "$2"
}

# Fails with an explanation if a build folder is not writable, for example after a build as root.
check_writable() {
    local folder
    for folder in . "$GTK_BUILD" "$NESTED_BUILD"; do
        [ ! -e "$folder" ] || [ -w "$folder" ] || die \
            "$(cd -- "$folder" && pwd -P) cannot be written by $(id -un)." \
            "If another user such as root has built it, remove it, or run this as that user."
    done
}

# SwiftPM identifies packages by their folder names, so that this folder must not have the name of a
# nested package.
check_folder_name() {
    local name
    name=$(basename "$ROOT" | tr '[:upper:]' '[:lower:]')
    case $name in
    tools | server | benchmarks | examples)
        die "this folder is called '$name', like a package inside it, and the package manager" \
            "confuses the two. Please rename the folder, for example to kingfisher."
        ;;
    esac
}
