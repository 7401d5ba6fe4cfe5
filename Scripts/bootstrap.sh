#!/usr/bin/env bash
# Installs missing system libraries that the package links with, and those that Swift itself needs.
#
# Usage: Scripts/bootstrap.sh [--check] [--tests] [--lint] [--gtk] [--formats] [--redis] [--sdl]
#        Scripts/bootstrap.sh --packages fedora|arch|alpine
#
#   --check     only list missing packages, and fail if there are any
#   --tests     also the web server for the download tests, and the tools that make networks, draw PDF
#               documents, decode videos and read metadata; without apt these tests are skipped
#   --lint      also codespell and aspell, which check the spelling of the pages; without apt the
#               check is skipped
#   --gtk       also the packages for KingfisherGTK, its tests and the gallery; with --tests those of
#               other displays and of assistive technology
#   --formats   also the libraries of JPEG XL, HEIF, TIFF, SVG, PDF and videos, and the one by which kf draws,
#               which programs load where they are installed; their headers are for Scripts/walls.sh
#   --redis     also hiredis for KingfisherRedis and the image service; with --tests a Redis server,
#               which is not started
#   --sdl       also SDL 2 for the example of another toolkit
#   --packages  print the names of all these packages in another distribution, install nothing
#
# Installs on Debian and Ubuntu; elsewhere it prints the distribution's names of missing packages.
# Needs root only if something is missing. Can be repeated.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

usage="usage: Scripts/bootstrap.sh [--check] [--tests] [--lint] [--gtk] [--formats] [--redis] [--sdl]
       Scripts/bootstrap.sh --packages fedora|arch|alpine"

# The packages of Debian and their counterparts in Fedora, Arch Linux and Alpine Linux.
counterparts() {
    cat <<'END'
git                    git                      git               git
ca-certificates        ca-certificates          ca-certificates   ca-certificates
pkg-config             pkgconf-pkg-config       pkgconf           pkgconf
g++                    gcc-c++                  gcc               g++
libjpeg-dev            libjpeg-turbo-devel      libjpeg-turbo     libjpeg-turbo-dev
libpng-dev             libpng-devel             libpng            libpng-dev
zlib1g-dev             zlib-devel               zlib              zlib-dev
libwebp-dev            libwebp-devel            libwebp           libwebp-dev
libgif-dev             giflib-devel             giflib            giflib-dev
libavif-dev            libavif-devel            libavif           libavif-dev
liblcms2-dev           lcms2-devel              lcms2             lcms2-dev
libdeflate-dev         libdeflate-devel         libdeflate        libdeflate-dev
libisal-dev            isa-l-devel              isa-l             isa-l-dev
libcurl4-openssl-dev   libcurl-devel            curl              curl-dev
libssl-dev             openssl-devel            openssl           openssl-dev
openssl                openssl                  openssl           openssl
iproute2               iproute                  iproute2          iproute2
codespell              codespell                codespell         codespell
aspell                 aspell                   aspell            aspell
aspell-en              aspell-en                aspell-en         aspell-en
libgtk-4-dev           gtk4-devel               gtk4              gtk4.0-dev
xvfb                   xorg-x11-server-Xvfb     xorg-server-xvfb  xvfb
xauth                  xorg-x11-xauth           xorg-xauth        xauth
weston                 weston                   weston            weston
dbus-daemon            dbus-daemon              dbus              dbus
at-spi2-core           at-spi2-core             at-spi2-core      at-spi2-core
python3-pyatspi        python3-pyatspi          python-atspi      py3-atspi
libjxl-dev             libjxl-devel             libjxl            libjxl-dev
libheif-dev            libheif-devel            libheif           libheif-dev
libtiff-dev            libtiff-devel            libtiff           tiff-dev
librsvg2-dev           librsvg2-devel           librsvg           librsvg-dev
libharfbuzz-dev        harfbuzz-devel           harfbuzz          harfbuzz-dev
libchafa-dev           chafa-devel              chafa             chafa-dev
libpoppler-glib-dev    poppler-glib-devel       poppler-glib      poppler-dev
poppler-utils          poppler-utils            poppler           poppler-utils
libavformat-dev        ffmpeg-free-devel        ffmpeg            ffmpeg-dev
libswscale-dev         ffmpeg-free-devel        ffmpeg            ffmpeg-dev
ffmpeg                 ffmpeg-free              ffmpeg            ffmpeg
libimage-exiftool-perl perl-Image-ExifTool      perl-image-exiftool exiftool
libhiredis-dev         hiredis-devel            hiredis           hiredis-dev
redis-tools            redis                    redis             redis
libsdl2-dev            SDL2-devel               sdl2              sdl2-dev
END
}

# names_in DISTRIBUTION PACKAGE...: the names there of packages of Debian; of all without any.
names_in() {
    local column
    case $1 in
    fedora) column=2 ;;
    arch) column=3 ;;
    alpine) column=4 ;;
    *) die "$usage" ;;
    esac
    shift
    counterparts | awk -v column="$column" -v wanted=" $* " \
        '(wanted == "  " || index(wanted, " " $1 " ")) && !seen[$column]++ { print $column }' \
        | paste -sd ' ' -
}

# Ends with the command that installs packages of Debian on this machine, as far as is known.
die_with_command() {
    local advice
    if command -v dnf >/dev/null; then advice=("dnf install $(names_in fedora "$@")")
    elif command -v pacman >/dev/null; then advice=("pacman -S --needed $(names_in arch "$@")")
    elif command -v apk >/dev/null; then advice=("apk add $(names_in alpine "$@")")
    else
        advice=("Fedora: $(names_in fedora "$@")" "Arch:   $(names_in arch "$@")"
            "Alpine: $(names_in alpine "$@")")
    fi
    die "these packages are missing, and this script installs them only on Debian and Ubuntu:" \
        "$*" "Install their counterparts as root and run this again:" "${advice[@]}" \
        "These names have not been tried."
}

only_check='' with_tests='' with_lint='' with_gtk='' with_formats='' with_redis='' with_sdl=''
while [ $# -gt 0 ]; do
    case $1 in
    --check) only_check=1 ;;
    --tests) with_tests=1 ;;
    --lint) with_lint=1 ;;
    --gtk) with_gtk=1 ;;
    --formats) with_formats=1 ;;
    --redis) with_redis=1 ;;
    --sdl) with_sdl=1 ;;
    --packages)
        names_in "${2:-}"
        exit 0
        ;;
    *) die "$usage" ;;
    esac
    shift
done

find_swift

# The name of each library in pkg-config, and the Debian package with its headers. pkg-config also
# finds libraries that were not installed by dpkg.
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
# Not linked: PNGs are inflated faster where it is installed. Its assembly is for these processors.
case $(uname -m) in
x86_64 | aarch64) libraries+=(libisal:libisal-dev) ;;
esac
[ -z "$with_gtk" ] || libraries+=(gtk4:libgtk-4-dev)
[ -z "$with_formats" ] || libraries+=(
    libjxl:libjxl-dev
    libheif:libheif-dev
    libtiff-4:libtiff-dev
    librsvg-2.0:librsvg2-dev
    harfbuzz:libharfbuzz-dev
    chafa:libchafa-dev
    poppler-glib:libpoppler-glib-dev
    libavformat:libavformat-dev
    libswscale:libswscale-dev
)
[ -z "$with_redis" ] || libraries+=(hiredis:libhiredis-dev)
[ -z "$with_sdl" ] || libraries+=(sdl2:libsdl2-dev)

missing=()
need() {
    local package
    for package in "${missing[@]+"${missing[@]}"}"; do
        [ "$package" != "$1" ] || return 0
    done
    missing+=("$1")
}

# Older releases of giflib have no pkg-config file.
has_library() {
    pkg-config --exists "$1" 2>/dev/null \
        || { [ "$1" = libgif ] && [ -e /usr/include/gif_lib.h ]; }
}

# The libraries that Swift's own programs load; the archive of a toolchain does not contain them.
need_swift_libraries() {
    local folder library
    folder=$(dirname -- "$(readlink -f -- "$(command -v swift)")")
    while IFS= read -r library; do
        case $library in
        libcurl.so.4) need libcurl4 ;;
        libedit.so.2) need libedit2 ;;
        libgcc_s.so.1) need libgcc-s1 ;;
        libncurses.so.6) need libncurses6 ;;
        libsqlite3.so.0) need libsqlite3-0 ;;
        libstdc++.so.6) need libstdc++6 ;;
        libtinfo.so.6) need libtinfo6 ;;
        libuuid.so.1) need libuuid1 ;;
        libxml2.so.2) need libxml2 ;;
        libz.so.1) need zlib1g ;;
        *) say "Swift needs $library, and this script does not know its package." ;;
        esac
    done < <(ldd "$folder"/{swift-{driver,frontend,package},clang,lld} 2>/dev/null \
        | sed -n 's/^[[:space:]]*\([^ ]*\) => not found$/\1/p' | sort -u)
}

! command -v apt-get >/dev/null || need_swift_libraries
command -v git >/dev/null || need git
# Authorities that are trusted: packages of Swift, and most images, come over HTTPS.
[ -e /etc/ssl/certs/ca-certificates.crt ] || ! command -v apt-get >/dev/null || need ca-certificates
command -v pkg-config >/dev/null || need pkg-config
# Linking Swift's libraries statically requires the C++ library, which is part of this compiler.
compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || need g++
for entry in "${libraries[@]}"; do
    has_library "${entry%%:*}" || need "${entry#*:}"
done

# openssl creates the certificate of the web server.
[ -z "$with_tests" ] || command -v openssl >/dev/null || ! command -v apt-get >/dev/null \
    || need openssl

# ip gives the machine of a test another address.
[ -z "$with_tests" ] || [ -x /usr/sbin/ip ] || ! command -v apt-get >/dev/null \
    || need iproute2

# pdftocairo is what drawn pages are compared with.
[ -z "$with_tests" ] || command -v pdftocairo >/dev/null || ! command -v apt-get >/dev/null \
    || need poppler-utils

# ffmpeg makes the videos of the tests, and decodes them to compare with.
[ -z "$with_tests" ] || command -v ffmpeg >/dev/null || ! command -v apt-get >/dev/null \
    || need ffmpeg

# exiftool looks for metadata in files from which it was removed.
[ -z "$with_tests" ] || command -v exiftool >/dev/null || ! command -v apt-get >/dev/null \
    || need libimage-exiftool-perl

# Debian's redis-tools contains the server under another name; the package redis-server would start
# it, now and at every boot.
if [ -n "$with_redis" ] && [ -n "$with_tests" ]; then
    command -v redis-server >/dev/null || command -v valkey-server >/dev/null \
        || command -v redis-check-rdb >/dev/null || need redis-tools
fi

if [ -n "$with_lint" ] && command -v apt-get >/dev/null; then
    command -v codespell >/dev/null || need codespell
    command -v aspell >/dev/null || need aspell
    aspell dicts 2>/dev/null | grep -qx en_GB || need aspell-en
fi

if [ -n "$with_gtk" ]; then
    # A virtual display, for machines without one.
    command -v Xvfb >/dev/null || need xvfb
    command -v xauth >/dev/null || need xauth
fi

# A Wayland compositor without a screen, and the bus of assistive technology with a program that
# reads it; the step gtk_modes does without them where they cannot be had.
optional=()
if [ -n "$with_gtk" ] && [ -n "$with_tests" ] && command -v apt-get >/dev/null; then
    command -v weston >/dev/null || optional+=(weston)
    command -v dbus-run-session >/dev/null || optional+=(dbus-daemon)
    [ -e /usr/libexec/at-spi-bus-launcher ] || optional+=(at-spi2-core)
    /usr/bin/python3 -c 'import pyatspi' 2>/dev/null || optional+=(python3-pyatspi)
fi

if [ ${#missing[@]} -gt 0 ]; then
    [ -z "$only_check" ] || die "missing: ${missing[*]}" "Scripts/bootstrap.sh installs them."
    command -v apt-get >/dev/null || die_with_command "${missing[@]}"
    install_packages "${missing[@]}"
else
    say "System libraries: all installed."
fi
require_swift
if [ ${#optional[@]} -gt 0 ]; then
    [ -z "$only_check" ] || die "missing: ${optional[*]}" "Scripts/bootstrap.sh installs them."
    (install_packages "${optional[@]}") \
        || say "SKIPPED: some of the tests of GTK in other modes (${optional[*]}) will not run."
fi
if [ -n "$with_tests" ]; then
    if [ -n "$only_check" ]; then
        "$NGINX" -v >/dev/null 2>&1 || die "missing: nginx" "Scripts/bootstrap.sh --tests fetches it."
    else
        provide_nginx || say "SKIPPED: the tests with nginx (CurlRealServerTests) will not run."
    fi
fi
say "Toolchain: $(swift --version 2>/dev/null | head -n 1)"
