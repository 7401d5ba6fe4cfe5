#!/usr/bin/env bash
# Checks the libraries of AVIF, JPEG XL, HEIF, TIFF, SVG, PDF and videos: that our declarations of their interfaces
# agree with their headers, and that decoding needs no system call that a worker process is not allowed, and gives the
# same pixels as without walls.
#
# Usage: Scripts/walls.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

LIBRARIES=(librsvg-2.0 libjxl libtiff-4 libheif cairo chafa poppler-glib harfbuzz freetype2 fontconfig
    libavformat libswscale)
SHIMS=(Sources/CKFCodecShims/kf_{picture,jxl,tiff,tiff_samples,svg,drawing,heif,pdf,fonts,imports,video,video_frames,video_reading}.c)
require_swift
# The compiler of the toolchain, which knows the annotations of the headers.
CLANG=("$(dirname -- "$(readlink -f "$(command -v swift)")")/clang" -std=gnu11 -O1 -Wall -Wextra
    -Werror -Wno-nullability-completeness -Wno-nullability-extension
    -I Sources/CKFCodecShims/include -I Sources/CKFIsolationShim/include -I Tools/Sources/CChafa/include)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Both ways the same assertions about sizes and places are compiled.
read -ra flags < <(pkg-config --cflags "${LIBRARIES[@]}")
for shim in "${SHIMS[@]}" Tools/Sources/CChafa/chafa.c; do
    "${CLANG[@]}" "${flags[@]}" -DKF_SYSTEM_HEADERS -fsyntax-only "$shim" \
        || die "$shim disagrees with the headers of its library (see above)."
done
read -ra flags < <(pkg-config --cflags libavif)
"${CLANG[@]}" "${flags[@]}" -I Sources/CKFCodecShims -fsyntax-only Tests/CKFIsolationShimTests/avif_layout.c \
    || die "kf_avif.h disagrees with the headers of libavif (see above)."
"${CLANG[@]}" Tests/CKFIsolationShimTests/formats.c Sources/CKFIsolationShim/walls.c \
    "${SHIMS[@]}" -o "$folder/formats" -lm || die "the test of the walls does not compile."
"$folder/formats" Tests/KFCodecsTests/Fixtures/*.{jxl,tiff,svg,heic} Tests/Documents/*.{pdf,mp4,ts,webm} \
    Tests/Isolation/*.svg || die "a format needs a system call that workers do not have."

# A drawing for each feature, and text in the fonts that no document contains: with the installed fonts, and with so
# many that sorting them takes memory.
mkdir "$folder/samples" "$folder/many"
python3 Tests/Isolation/drawings.py Tests/KFCodecsTests/Fixtures "$folder/samples"
python3 Tests/Isolation/fonts.py "$folder/many" 600
echo "<fontconfig><include>/etc/fonts/fonts.conf</include><dir>$folder/many</dir>\
<cachedir>$folder/cache</cachedir></fontconfig>" >"$folder/many.conf"
for fonts in /etc/fonts/fonts.conf "$folder/many.conf"; do
    FONTCONFIG_FILE=$fonts "$folder/formats" "$folder"/samples/* \
        || die "a drawing or a document fails or differs behind walls, with the fonts of $fonts."
done

# Text with no font, with more fonts than a worker maps, with fonts of which parts are noise or missing, and without
# settings of fontconfig.
mkdir "$folder/none" "$folder/excess" "$folder/broken"
python3 Tests/Isolation/fonts.py "$folder/excess" 4200
python3 - "$(fc-match -f '%{file}' DejaVuSans)" "$folder/broken" <<'END'
import random, struct, sys
font = bytearray(open(sys.argv[1], "rb").read())
for index in range(struct.unpack(">H", font[4:6])[0]):
    tag, _, start, count = struct.unpack(">4sIII", font[12 + 16 * index:28 + 16 * index])
    if tag in (b"glyf", b"loca", b"GSUB", b"GPOS", b"hmtx"):
        font[start:start + count] = random.Random(start).randbytes(count)
open(sys.argv[2] + "/noise.ttf", "wb").write(font)
open(sys.argv[2] + "/short.ttf", "wb").write(font[:5000])
END
for fonts in none excess broken; do
    echo "<fontconfig><dir>$folder/$fonts</dir><cachedir>$folder/cache</cachedir></fontconfig>" \
        >"$folder/$fonts.conf"
done
for fonts in none excess broken missing; do
    echo "With fonts: $fonts"
    FONTCONFIG_FILE=$folder/$fonts.conf "$folder/formats" --any-pixels Tests/Isolation/*.svg Tests/Documents/*.pdf \
        2>"$folder/messages" || die "text needs a font: $(cat "$folder/messages")"
done
