#!/usr/bin/env bash
# Installs the system libraries that the package links with, where they are missing.
#
# Usage: Scripts/bootstrap.sh [--check] [--tests] [--gtk] [--formats]
#
#   --check     only say what is missing, and fail if anything is
#   --tests     also the web server that downloads are tried with; without apt its tests are
#               skipped
#   --gtk       also what KingfisherGTK, its tests and the gallery need
#   --formats   also what the package traits JXL, HEIF, TIFF and SVG need
#
# Needs no root when nothing is missing. Safe to run again.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

only_check='' with_tests='' with_gtk='' with_formats=''
for argument in "$@"; do
    case $argument in
    --check) only_check=1 ;;
    --tests) with_tests=1 ;;
    --gtk) with_gtk=1 ;;
    --formats) with_formats=1 ;;
    *) die "usage: Scripts/bootstrap.sh [--check] [--tests] [--gtk] [--formats]" ;;
    esac
done

require_swift

# What pkg-config calls a library, and the Debian package that has its headers. Asking pkg-config
# rather than dpkg accepts libraries that came another way.
libraries=(
    libjpeg:libjpeg-dev
    libpng:libpng-dev
    zlib:zlib1g-dev
    libwebp:libwebp-dev
    libwebpdemux:libwebp-dev
    libwebpmux:libwebp-dev
    libgif:libgif-dev
    libavif:libavif-dev
    lcms2:liblcms2-dev
    libdeflate:libdeflate-dev
    libcurl:libcurl4-openssl-dev
    libcrypto:libssl-dev
)
[ -z "$with_gtk" ] || libraries+=(gtk4:libgtk-4-dev)
[ -z "$with_formats" ] || libraries+=(
    libjxl:libjxl-dev
    libheif:libheif-dev
    libtiff-4:libtiff-dev
    librsvg-2.0:librsvg2-dev
)

missing=()
need() {
    local package
    for package in "${missing[@]+"${missing[@]}"}"; do
        [ "$package" != "$1" ] || return 0
    done
    missing+=("$1")
}

# Older releases of giflib come without the file that pkg-config reads.
has_library() {
    pkg-config --exists "$1" 2>/dev/null \
        || { [ "$1" = libgif ] && [ -e /usr/include/gif_lib.h ]; }
}

command -v git >/dev/null || need git
command -v pkg-config >/dev/null || need pkg-config
# Linking Swift's own libraries statically takes C++'s, which come with this compiler.
compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || need g++
for entry in "${libraries[@]}"; do
    has_library "${entry%%:*}" || need "${entry#*:}"
done

# It makes the certificate of the web server.
[ -z "$with_tests" ] || command -v openssl >/dev/null || ! command -v apt-get >/dev/null \
    || need openssl

if [ -n "$with_gtk" ]; then
    # A display in memory, for machines that have none.
    command -v Xvfb >/dev/null || need xvfb
    command -v xauth >/dev/null || need xauth
fi

if [ ${#missing[@]} -gt 0 ]; then
    [ -z "$only_check" ] || die "missing: ${missing[*]}" "Scripts/bootstrap.sh installs them."
    command -v apt-get >/dev/null || die \
        "these are missing, and this script can install them only on Debian and Ubuntu:" \
        "${missing[*]}" \
        "Please install their counterparts with your own package manager and run this again."
    install_packages "${missing[@]}"
else
    say "System libraries: all there."
fi
if [ -n "$with_tests" ]; then
    if [ -n "$only_check" ]; then
        "$NGINX" -v >/dev/null 2>&1 || die "missing: nginx" "Scripts/bootstrap.sh --tests fetches it."
    else
        provide_nginx || say "SKIPPED: the tests with nginx (CurlRealServerTests) will not run."
    fi
fi
say "Toolchain: $(swift --version 2>/dev/null | head -n 1)"
