"""Compares thumbnails with a floating-point reference.

Usage: quality.py SOURCE THUMBNAIL [NAME=THUMBNAIL]...

The reference is the whole image, decoded in full and resampled once with a Lanczos filter, channel
by channel in Pillow's mode of 32-bit floats. Our thumbnail, and that of libvips, which is made
here, are compared with it by PSNR; those of other programs, with names, only for information.
"""

import io
import math
import sys

from PIL import Image

import pyvips

source, thumbnail, *others = sys.argv[1:]


def psnr(data, reference):
    squares = 0.0
    for channel, exact in zip(Image.open(io.BytesIO(data)).convert("RGB").split(), reference):
        pixels, wanted = channel.tobytes(), exact.tobytes()
        floats = memoryview(wanted).cast("f")
        squares += sum((a - b) ** 2 for a, b in zip(pixels, floats))
    return 10 * math.log10(255**2 * 3 * len(pixels) / squares)


with Image.open(source) as image:
    size = (400, round(image.height * 400 / image.width))
    reference = [
        channel.convert("F").resize(size, Image.Resampling.LANCZOS)
        for channel in image.convert("RGB").split()
    ]
with open(thumbnail, "rb") as file:
    ours = psnr(file.read(), reference)
vips = pyvips.Image.thumbnail(source, 400, height=400).jpegsave_buffer(Q=80)
theirs = psnr(vips, reference)
mark = "ok    " if ours >= theirs - 0.1 else "MISSED"
print(f"  {mark}  quality: {ours:.2f} dB, libvips {theirs:.2f} dB (at least that less 0.1)")
for name, _, path in (other.partition("=") for other in others):
    with open(path, "rb") as file:
        print(f"          {name}: {psnr(file.read(), reference):.2f} dB")
sys.exit(0)
