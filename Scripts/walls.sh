#!/usr/bin/env bash
# Checks the libraries of JPEG XL, HEIF, TIFF, SVG, PDF and videos: that our declarations of their interfaces
# agree with their headers, and that decoding needs no system call that a worker process is not allowed.
#
# Usage: Scripts/walls.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

LIBRARIES=(librsvg-2.0 libjxl libtiff-4 libheif cairo chafa poppler-glib libavformat
    libswscale)
SHIMS=(Sources/CCodecShims/kf_{picture,jxl,tiff,svg,heif,pdf,video,video_frames}.c)
require_swift
# The compiler of the toolchain, which knows the annotations of the headers.
CLANG=("$(dirname -- "$(readlink -f "$(command -v swift)")")/clang" -std=gnu11 -O1 -Wall -Wextra
    -Werror -Wno-nullability-completeness -Wno-nullability-extension
    -I Sources/CCodecShims/include -I Sources/CIsolationShim/include -I Tools/Sources/CChafa/include)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Both ways the same assertions about sizes and places are compiled.
read -ra flags < <(pkg-config --cflags "${LIBRARIES[@]}")
for shim in "${SHIMS[@]}" Tools/Sources/CChafa/chafa.c; do
    "${CLANG[@]}" "${flags[@]}" -DKF_SYSTEM_HEADERS -fsyntax-only "$shim" \
        || die "$shim disagrees with the headers of its library (see above)."
done
"${CLANG[@]}" Tests/CIsolationShimTests/formats.c Sources/CIsolationShim/walls.c \
    "${SHIMS[@]}" -o "$folder/formats" -lm || die "the test of the walls does not compile."
"$folder/formats" Tests/CodecsTests/Fixtures/*.{jxl,tiff,svg,heic} Tests/Documents/*.{pdf,mp4,ts,webm} \
    || die "a format needs a system call that workers do not have."
