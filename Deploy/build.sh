#!/usr/bin/env bash
# Builds kf-serve for machines without Swift, and lists the Debian packages that it needs there.
#
# Usage: Deploy/build.sh FOLDER
#
# Writes FOLDER/kf-serve, which contains Swift's libraries, and FOLDER/packages, with the name of
# one package on each line. Missing system libraries are installed first. Deploy/Dockerfile runs
# this; so can anyone who deploys to Debian without containers.
. "$(dirname -- "${BASH_SOURCE[0]}")/../Scripts/lib.sh"

[ $# -eq 1 ] || die "usage: Deploy/build.sh FOLDER"
folder=$(realpath -m -- "$CALLER_FOLDER/$1")
[ "${1#/}" = "$1" ] || folder=$1

# packages_of PROGRAM: the packages with the libraries that it loads, and their own.
#
# The list follows from the program, so that it agrees with the libraries of Scripts/bootstrap.sh.
packages_of() {
    local library
    # A file's path in the package may lack the /usr of merged folders, so that only names count.
    while IFS= read -r library; do
        dpkg-query --search "*/$(basename "$library")" | sed 's/[,:].*//' | head -n 1
    done < <(ldd "$1" | awk '$3 ~ /^\// { print $3 }' | xargs realpath) | sort -u
}

Scripts/bootstrap.sh --redis --formats
link_swift_into_programs
build_tool Server kf-serve
mkdir -p "$folder"
install -m 755 "$NESTED_BUILD/release/kf-serve" "$folder/kf-serve"
packages_of "$folder/kf-serve" >"$folder/packages"
# Loaded while the program runs: the libraries of some formats with the first file, and ISA-L if the
# build found it.
dpkg-query --search '*/libavif.so.[0-9]*' '*/libisal.so.[0-9]*' '*/libjxl.so.[0-9]*' \
    '*/libheif.so.[0-9]*' '*/libtiff.so.[0-9]*' '*/librsvg*.so.[0-9]*' 2>/dev/null | sed 's/[,:].*//' \
    | sort -u >>"$folder/packages"
# For the text of SVG files and watermarks.
echo fonts-dejavu-core >>"$folder/packages"
say "Built $folder/kf-serve; it needs $(paste -sd ' ' "$folder/packages")"
