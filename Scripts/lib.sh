# What every script here begins with; to be sourced, not run.
#
# Sets the shell to stop at the first failure, goes to the root of the repository, and gives
# `say`, `die`, `as_root`, `require_swift` and `install_packages`.

set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
CALLER_FOLDER=$PWD
cd "$ROOT"

# The oldest toolchain that knows everything the manifest asks for.
MINIMUM_SWIFT=6.2

# The nested packages share one build folder, so that swift-crypto and the library are built once
# for all of them; build_kf has its own. It is not .build, where an editor may be building the
# library meanwhile.
NESTED_BUILD=$ROOT/.build-nested

# What is built with the trait GTK, which changes how every target is built.
GTK_BUILD=$ROOT/.build-gtk

# The codecs with the traits of all formats.
FORMATS_BUILD=$ROOT/.build-formats

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }

die() {
    printf 'error: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
    exit 1
}

# Plain text where nobody would see the bold.
[ -t 2 ] || say() { printf '==> %s\n' "$*" >&2; }

# Runs a command as root: as it is when we are root already, through sudo otherwise.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Puts a Swift toolchain on the PATH, or says how to get one.
require_swift() {
    local folder version
    if ! command -v swift >/dev/null; then
        # Where installers put it when a shell has not been told.
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

    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' \
        | head -n 1)
    [ -n "$version" ] || die "'$(command -v swift) --version' does not name a Swift version."
    if [ "$(printf '%s\n' "$MINIMUM_SWIFT" "$version" | sort -V | head -n 1)" \
        != "$MINIMUM_SWIFT" ]; then
        die "Swift $version is too old; this package needs $MINIMUM_SWIFT or newer." \
            "Found: $(command -v swift)" "Newer ones: https://www.swift.org/install/linux/"
    fi
}

# Installs Debian packages that are not there yet, with as few words as apt allows.
install_packages() {
    local log
    command -v apt-get >/dev/null || die "this script can install packages only on Debian and" \
        "Ubuntu. Please install what provides: $*"
    # Told here, because what as_root says would end up in the log.
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null \
        || die "installing needs root, and there is no sudo here. As root, run:" \
            "apt-get update && apt-get install --no-install-recommends $*"
    say "Installing $*"
    log=$(mktemp)
    # A fresh image has no package lists, and old lists name files that are gone.
    if ! as_root apt-get update -qq >"$log" 2>&1 \
        || ! as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "$@" >>"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        die "apt-get could not install: $*"
    fi
    rm -f "$log"
}

# The web server that downloads are tried with: the system's, or one of our own.
NGINX=/usr/sbin/nginx
[ -x "$NGINX" ] || NGINX=$ROOT/.build-nested/nginx/usr/sbin/nginx

# Fetches nginx where there is none, or fails and says why.
#
# Unpacked into a build folder and not installed: a package that is installed starts a server, now
# and whenever the machine does. That needs no root either.
provide_nginx() {
    local folder log status=0
    ! "$NGINX" -v >/dev/null 2>&1 || return 0
    if ! command -v apt-get >/dev/null; then
        say "There is no nginx, and no apt-get to fetch it with."
        return 1
    fi
    folder=$ROOT/.build-nested/nginx
    mkdir -p "$folder"
    log=$(mktemp)
    say "Unpacking nginx in ${folder#"$ROOT"/}"
    # Old lists name files that are gone; to fetch new ones needs root.
    (cd "$folder" && apt-get download -q nginx) >"$log" 2>&1 ||
        { as_root apt-get update -qq && cd "$folder" && apt-get download -q nginx; } \
            >>"$log" 2>&1 || status=1
    [ $status -ne 0 ] || dpkg-deb -x "$folder"/nginx_*.deb "$folder" >>"$log" 2>&1 || status=1
    cd "$ROOT"
    NGINX=$folder/usr/sbin/nginx
    if [ $status -eq 0 ]; then "$NGINX" -v >>"$log" 2>&1 || status=1; fi
    if [ $status -ne 0 ]; then
        tail -n 5 "$log" >&2
        say "nginx cannot be had."
    fi
    rm -f "$log" "$folder"/nginx_*.deb
    return $status
}

# Makes build_tool link a copy of Swift's libraries into programs, where the toolchain has them to
# link, and build in a folder of its own.
#
# Such programs start in two thirds of the time, take 5 MB less memory, and run without Swift. Three
# more go because nothing looks for a program's own symbols by name, which the compiler has it offer
# to libraries, and with addresses to be mended in a thirtieth of the room. The latter needs a C
# library from 2.36 on, which is not asked of anybody who does not have it at hand.
link_swift_into_programs() {
    local resources linker libc
    require_swift
    NESTED_BUILD=$ROOT/.build-kf
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    [ -e "${resources}_static/linux/libFoundation.a" ] || return 0
    # Without symbols a third of the file goes: 62 MB instead of 92. Most of the rest is Unicode's data,
    # which comes with Foundation.
    BUILD_FLAGS=(--static-swift-stdlib -Xlinker --no-export-dynamic -Xlinker --strip-all)
    linker=$(dirname -- "$(command -v swift)")/ld.lld
    libc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p')
    if [ -x "$linker" ] && [ -n "$libc" ] \
        && [ "$(printf '%s\n' 2.36 "$libc" | sort -V | head -n 1)" = 2.36 ]; then
        BUILD_FLAGS+=(-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs)
    fi
}

# Builds the command line tool.
build_kf() {
    link_swift_into_programs
    build_tool Tools kf
}

# Makes SwiftPM plan anew if another package was built in a folder last: plan_for PACKAGE FOLDER
#
# Else it takes the plan that it finds there for this package's, and builds the other one without a
# word, or says that there is no such product (seen with Swift 6.3).
plan_for() {
    local package=$1 folder=$2
    [ "$(cat "$folder/planned-for" 2>/dev/null)" != "$package" ] || return 0
    mkdir -p "$folder"
    rm -f "$folder"/*/*/description.json
    printf '%s\n' "$package" >"$folder/planned-for"
}

# What swift build is told besides by build_tool.
BUILD_FLAGS=()

# Builds a program of a nested package in release mode, if it is missing or anything that it is
# made of is newer: build_tool PACKAGE PROGRAM
build_tool() {
    local package=$1 program=$2 binary newer log status=0
    binary=$NESTED_BUILD/release/$program
    require_swift
    if [ -x "$binary" ]; then
        # -newer misses a file that was removed; its folder is newer then.
        newer=$(find Package.swift Sources "$package/Package.swift" "$package/Sources" \
            -newer "$binary" -print -quit)
        [ -n "$newer" ] || return 0
    fi
    check_writable
    check_folder_name
    plan_for "$package" "$NESTED_BUILD"
    say "Building $program (the first time takes some minutes)"
    log=$(mktemp)
    # On a terminal the progress line is shown; otherwise only what went wrong.
    if [ -t 2 ]; then
        swift build --package-path "$package" --scratch-path "$NESTED_BUILD" -c release \
            "${BUILD_FLAGS[@]+"${BUILD_FLAGS[@]}"}" --product "$program" >&2 || status=$?
    else
        swift build --package-path "$package" --scratch-path "$NESTED_BUILD" -c release \
            "${BUILD_FLAGS[@]+"${BUILD_FLAGS[@]}"}" --product "$program" >"$log" 2>&1 \
            || { status=$?; cat "$log" >&2; }
    fi
    rm -f "$log"
    [ $status -eq 0 ] || die "$program could not be built (see above)." \
        "Missing headers? Scripts/bootstrap.sh installs what is needed."
    # The linker leaves a program alone that did not change; it is up to date all the same.
    touch "$binary"
}

# Writes the public symbols of a module of the library, built before, as JSON into a folder:
# extract_symbols MODULE FOLDER
extract_symbols() {
    local built=.build/debug map maps=()
    if [ ! -e "$built/Modules/$1.swiftmodule" ]; then
        say "Building $1; the first build takes some minutes"
        # It reports each file as it is compiled.
        swift build --target "$1" >&2
    fi
    say "Reading the public declarations of $1"
    # The C modules that it is made of, or the compiler cannot load it.
    while read -r map; do
        maps+=(-Xcc "-fmodule-map-file=$map")
    done < <(find -L Sources/SystemLibraries "$built" -maxdepth 2 -name module.modulemap &&
        find .build/checkouts -path '*/include/module.modulemap')
    swift symbolgraph-extract -module-name "$1" -I "$built/Modules" "${maps[@]}" \
        -target "$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -n 1)" \
        -minimum-access-level public -output-dir "$2"
}

# Ends with an explanation if an earlier build, by root perhaps, is in the way of this one.
check_writable() {
    local folder
    for folder in . .build "$NESTED_BUILD"; do
        [ ! -e "$folder" ] || [ -w "$folder" ] || die \
            "$(cd -- "$folder" && pwd -P) cannot be written by $(id -un)." \
            "Was it built by somebody else, such as root? Then remove it, or run this as them."
    done
}

# SwiftPM names packages by their folders, so that a folder called like a package inside of it
# would be taken for the same package.
check_folder_name() {
    local name
    name=$(basename "$ROOT" | tr '[:upper:]' '[:lower:]')
    case $name in
    tools | benchmarks | examples)
        die "this folder is called '$name', like a package inside of it, and the package manager" \
            "cannot tell the two apart. Please rename the folder, for example to kingfisher."
        ;;
    esac
}
