#!/usr/bin/env bash
# Builds packages of kf and kf-serve for machines without Swift.
#
# Usage: Scripts/package.sh FOLDER [--kf | --serve | --try]
#
#   FOLDER   gets kf_VERSION_ARCH.deb, kf-serve_VERSION_ARCH.deb, and a tarball of kf with a list of
#            the libraries that it needs
#   --kf     builds those of kf only
#   --serve  builds that of kf-serve only
#   --try    also checks them with lintian, and the unit with systemd-analyze, and installs, uses
#            and purges them in a minimal Debian 12 and 13
#
# The programs contain Swift's libraries and hiredis, whose interface differs between releases of
# Debian. Works on Debian 12; a program that is built on a later release needs that one or later.
# --try needs root and the network. Missing packages are installed first.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

usage="usage: Scripts/package.sh FOLDER [--kf | --serve | --try]"
[ $# -ge 1 ] && [ "${1#-}" = "$1" ] || die "$usage"
folder=$(realpath -m -- "$CALLER_FOLDER/$1")
[ "${1#/}" = "$1" ] || folder=$1
[ $# -le 2 ] || die "$usage"
kf=1 serve=1 try=''
case ${2:-} in
'') ;;
--kf) serve='' ;;
--serve) kf='' ;;
--try) try=1 ;;
*) die "$usage" ;;
esac

# need PROGRAM=PACKAGE...: installs the packages of programs that are missing.
need() {
    local entry missing=()
    for entry in "$@"; do command -v "${entry%%=*}" >/dev/null || missing+=("${entry#*=}"); done
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}
need dpkg-shlibdeps=dpkg-dev gzip=gzip
if [ -n "$serve" ]; then Scripts/bootstrap.sh --redis; else Scripts/bootstrap.sh; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# --- The programs ---------------------------------------------------------------------------

loads_hiredis() { [ -e "$serve" ] && [[ $(ldd "$serve") == *hiredis* ]]; }

link_swift_into_programs
export KF_HIREDIS=:libhiredis.a
if [ -n "$kf" ]; then
    build_tool Tools kf
    kf=$NESTED_BUILD/release/kf
fi
if [ -n "$serve" ]; then
    serve=$NESTED_BUILD/release/kf-serve
    # Other scripts build it with hiredis as a shared library.
    ! loads_hiredis || rm "$serve"
    build_tool Server kf-serve
    ! loads_hiredis || die "kf-serve loads hiredis, which should be part of it."
fi

version=$("${kf:-$serve}" --version | awk '{ print $2 }')
arch=$(dpkg --print-architecture)
# Reproducible: the date of the last commit.
date=$(git log -1 --format=%cd --date=format:'%a, %d %b %Y %H:%M:%S +0000')
maintainer=${KF_MAINTAINER:-"The Kingfisher for Linux authors <kingfisher@lists.invalid>"}

# --- The packages ---------------------------------------------------------------------------

# depends_of PROGRAM: the packages that have the libraries.
depends_of() {
    local depends
    mkdir -p "$scratch/shlibs/debian"
    touch "$scratch/shlibs/debian/control"
    depends=$(cd "$scratch/shlibs" && dpkg-shlibdeps -O --ignore-missing-info "$1" 2>/dev/null) \
        || die "dpkg-shlibdeps does not know the packages that $1 needs."
    # It looks at symbols only, and does not see that packed relocations need glibc 2.36.
    if [[ $(readelf -d "$1") == *'(RELR)'* ]]; then
        depends=$(sed 's/\(libc6 (>= \)2\.\([0-9]\|[12][0-9]\|3[0-5]\))/\12.36)/' <<<"$depends")
    fi
    printf '%s\n' "${depends#shlibs:Depends=}"
}

# install_program PROGRAM ROOT: without the folder of the build, where the program looks for libraries.
install_program() {
    local target=$2/usr/bin/$(basename "$1")
    install -D -m 755 "$1" "$target"
    if [[ $(readelf -d "$target") =~ \((RPATH|RUNPATH)\) ]]; then
        need chrpath=chrpath
        chrpath -d "$target" >/dev/null
    fi
}

# describe ROOT PACKAGE: the files that every package has.
describe() {
    local root=$1 package=$2 documentation=$1/usr/share/doc/$2
    mkdir -p "$documentation"
    {
        printf '%s\n' 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' \
            'Upstream-Name: Kingfisher for Linux' '' 'Files: *' \
            "$(sed -n 's/^Copyright (c) /Copyright: /p' LICENSE | head -n 1)" 'License: Expat'
        sed -e '1,/^Copyright/d' -e '/./,$!d' -e 's/^$/./' -e 's/^/ /' LICENSE
    } >"$documentation/copyright"
    printf '%s (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' \
        "$package" "$version" "$maintainer" "$date" \
        | gzip -9n >"$documentation/changelog.gz"
}

# build ROOT PACKAGE SECTION DEPENDS RECOMMENDS SUMMARY: builds a package; the long description
# comes from standard input.
build() {
    local root=$1 package=$2 control=$1/DEBIAN/control
    mkdir -p "$root/DEBIAN"
    {
        printf '%s\n' "Package: $package" "Version: $version" "Architecture: $arch" \
            "Maintainer: $maintainer" "Section: $3" 'Priority: optional' \
            "Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)" "Depends: $4" \
            "Recommends: $5" "Description: $6"
        sed -e 's/^$/./' -e 's/^/ /'
    } >"$control"
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$root" -type d -exec chmod 755 {} +
    [ ! -d "$root/etc/kf-serve/secrets" ] || chmod 700 "$root/etc/kf-serve/secrets"
    built+=("$folder/${package}_${version}_$arch.deb")
    dpkg-deb --root-owner-group -Zxz --build "$root" "${built[-1]}" >/dev/null
}

mkdir -p "$folder"
built=()
# Libraries that the programs load where they are installed; some have another name in each release.
formats='fonts-dejavu-core, libavif16 | libavif15, libheif1, libjxl0.11 | libjxl0.7, librsvg2-2, libtiff6'

package_kf() {
    local root=$scratch/kf depends recommends name tree library
    install_program "$kf" "$root"
    mkdir -p "$root/usr/share/man/man1" "$root/usr/share/bash-completion/completions" \
        "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d"
    "$kf" man -o "$root/usr/share/man/man1" >/dev/null
    gzip -9n "$root"/usr/share/man/man1/*
    # The shell reads this file, and does not run it.
    "$kf" completions bash | sed '1{/^#!/d}' >"$root/usr/share/bash-completion/completions/kf"
    "$kf" completions zsh >"$root/usr/share/zsh/vendor-completions/_kf"
    "$kf" completions fish >"$root/usr/share/fish/vendor_completions.d/kf.fish"
    describe "$root" kf
    install -m 644 Tools/kf.schema.json "$root/usr/share/doc/kf/"
    depends=$(depends_of "$kf")
    recommends="ca-certificates, $formats, libchafa0 | libchafa0t64"
    recommends+=', libpoppler-glib8t64 | libpoppler-glib8, libavformat61 | libavformat60 | libavformat59'
    recommends+=', libswscale8 | libswscale7 | libswscale6'
    build "$root" kf graphics "$depends" "$recommends" \
        'load, convert and cache images' <<END
Loads images from the web, resizes and converts them between JPEG, PNG, WebP,
GIF, AVIF and JPEG XL, compares files, and shows images in the terminal. Reads
HEIC, TIFF, SVG, BMP and ICO, too.
END

    # A tarball for other systems: the same files, and a list of the libraries that they need.
    name=kf-$version-linux-$(uname -m)
    tree=$scratch/$name
    mkdir -p "$tree"
    cp -r "$root/usr/bin" "$root/usr/share" "$tree/"
    rm -rf "$tree/share/doc"
    cp LICENSE "$tree/"
    {
        printf '%s\n' "kf $version for Linux on $(uname -m)" '' \
            'Copy bin and share to /usr/local, or run bin/kf where it is. It needs glibc 2.36 and these' \
            'libraries; in brackets the packages of Debian:' ''
        readelf -d "$kf" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | while IFS= read -r library; do
            printf '  %s (%s)\n' "$library" \
                "$(dpkg-query --search "*/$library" | sed 's/[,:].*//' | head -n 1)"
        done
        printf '\n'
        fmt -w 100 <<END
These are loaded with the first file of their format, and needed for nothing else: libavif (libavif16,
libavif15), libheif (libheif1), libjxl (libjxl0.7, libjxl0.11), libtiff (libtiff6) and librsvg (librsvg2-2).
poppler (libpoppler-glib8, libpoppler-glib8t64) draws pages of PDF documents, FFmpeg (libavformat59
and libswscale6, libavformat60 and libswscale7, libavformat61 and libswscale8) decodes videos, and
libchafa (libchafa0, libchafa0t64) draws for kf show.
END
    } >"$tree/README"
    built+=("$folder/$name.tar.xz")
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="$date" -C "$scratch" \
        -cJf "${built[-1]}" "$name"
}

package_serve() {
    local root=$scratch/kf-serve depends
    install_program "$serve" "$root"
    install -D -m 644 Deploy/kf-serve.service "$root/usr/lib/systemd/system/kf-serve.service"
    install -D -m 644 Deploy/debian/kf-serve.conf "$root/etc/kf-serve/kf-serve.conf"
    mkdir -p "$root/etc/kf-serve/secrets" "$root/usr/share/man/man8" "$root/DEBIAN"
    gzip -9nc Deploy/debian/kf-serve.8 >"$root/usr/share/man/man8/kf-serve.8.gz"
    install -m 755 Deploy/debian/postinst Deploy/debian/prerm Deploy/debian/postrm "$root/DEBIAN/"
    printf '/etc/kf-serve/kf-serve.conf\n' >"$root/DEBIAN/conffiles"
    mkdir -p "$root/usr/share/bash-completion/completions"
    "$serve" --generate-completion-script bash | sed '1{/^#!/d}' \
        >"$root/usr/share/bash-completion/completions/kf-serve"
    describe "$root" kf-serve
    install -m 644 Server/README.md Server/OPERATION.md Server/IMAGES.md Deploy/nginx.conf \
        Deploy/redis.conf "$root/usr/share/doc/kf-serve/"
    depends=$(depends_of "$serve")
    build "$root" kf-serve web "$depends" "ca-certificates, $formats" \
        'image service with the URLs of imgproxy' <<END
Answers requests whose URLs name an image and options such as a size or a
format with the processed image. Results are kept in memory, on disk and, if
there is one, in a Redis that many machines share. Files are decoded in
processes without rights.
END
}

[ -z "$kf" ] || package_kf
[ -z "$serve" ] || package_serve
for file in "${built[@]}"; do say "Built $file, $(($(stat -c %s "$file") / 1000)) kB"; done
[ -n "$try" ] || exit 0

# --- The try --------------------------------------------------------------------------------

[ "$(id -u)" -eq 0 ] || die "--try needs root."
need debootstrap=debootstrap lintian=lintian systemd-analyze=systemd unshare=util-linux

say "Checking the packages with lintian"
for file in "${built[@]}"; do
    case $file in *.deb) lintian --fail-on error --allow-root "$file" ;; esac
done

exposure=$(systemd-analyze security --offline=true Deploy/kf-serve.service \
    | sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p')
say "systemd-analyze security: $exposure"
awk -v found="$exposure" 'BEGIN { exit !(found != "" && found <= 2.0) }' \
    || die "the unit is exposed by more than 2.0."

# KF_ROOTS keeps the minimal systems for the next time.
roots=${KF_ROOTS:-$scratch/roots}
for release in bookworm trixie; do
    provide_root "$release" "$roots/$release"
    say "Trying the packages in $release"
    rm -rf "$scratch/$release"
    cp -a "$roots/$release" "$scratch/$release"
    mkdir "$scratch/$release/packages"
    cp "${built[@]}" Examples/Gallery/Screenshots/grid.png \
        Deploy/debian/try.sh "$scratch/$release/packages/"
    cp /etc/resolv.conf "$scratch/$release/etc/resolv.conf"
    # Apart from the host's processes, and from its network once packages are installed.
    unshare --mount --pid --ipc --uts --fork --kill-child bash -c '
        mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/tmp" \
            && mount --rbind /dev "$1/dev" && exec chroot "$1" /bin/sh /packages/try.sh' \
        try "$scratch/$release" || die "the packages do not work in $release."
done
say "The packages work in Debian 12 and 13"
