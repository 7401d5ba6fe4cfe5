#!/usr/bin/env bash
# Decodes the fixtures of the formats behind package traits with the system calls that a worker
# process is allowed, and fails if one is missing.
#
# Usage: Scripts/walls.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

LIBRARIES=(librsvg-2.0 libjxl libtiff-4 libheif cairo)
FLAGS=(-std=gnu11 -O1 -Wall -Wextra -Werror -DKF_JXL -DKF_TIFF -DKF_SVG -DKF_HEIF)

require_swift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

read -ra flags < <(pkg-config --cflags "${LIBRARIES[@]}")
read -ra libraries < <(pkg-config --libs "${LIBRARIES[@]}")
# The compiler of the toolchain, which knows the annotations of the headers.
"$(dirname -- "$(readlink -f "$(command -v swift)")")/clang" "${FLAGS[@]}" "${flags[@]}" \
    -Wno-nullability-completeness -Wno-nullability-extension \
    -I Sources/CCodecShims/include -I Sources/CIsolationShim/include \
    Tests/CIsolationShimTests/formats.c Sources/CIsolationShim/walls.c \
    Sources/CCodecShims/kf_{picture,jxl,tiff,svg,heif}.c \
    -o "$folder/formats" "${libraries[@]}" -lm || die "the test of the walls does not compile."
"$folder/formats" Tests/CodecsTests/Fixtures/*.{jxl,tiff,svg,heic} \
    || die "a format needs a system call that workers do not have."
