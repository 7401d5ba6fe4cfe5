"""Compares resampled and blurred pixels with Pillow's Lanczos filter and with a true Gaussian.

Usage: quality_pixels.py KF-BENCH CORPUS

All pixels are premultiplied, so that Pillow does not do it. Tests opaque photographs, a drawing,
and a photograph that fades to transparent.
"""

import math
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image

import pyvips

bench, corpus = sys.argv[1], pathlib.Path(sys.argv[2])


def vips(data, width, height):
    return pyvips.Image.new_from_memory(data, width, height, 4, "uchar")


def decibels(one, other):
    error = (one.cast("float") - other.cast("float")) ** 2
    return 10 * math.log10(255**2 / max(error.avg(), 1e-9))


def ours(work, data, folder):
    source, target = folder / "in.rgba", folder / "out.rgba"
    source.write_bytes(data)
    subprocess.run([bench, "--once", work, source, target], check=True)
    return target.read_bytes()


def photo(name, size, fades=False):
    image = Image.frombytes("RGBA", size, (corpus / name).read_bytes())
    if fades:
        image.putalpha(Image.radial_gradient("L").resize(size))
    return image.convert("RGBa")


def check(label, value, least):
    mark = "ok    " if value >= least else "MISSED"
    print(f"  {mark}  {label}: {value:.1f} dB (at least {least})")


def resized(label, image, size, folder):
    before, after = f"{image.width}x{image.height}", f"{size[0]}x{size[1]}"
    found = ours(f"resize-{before}-{after}", image.tobytes(), folder)
    wanted = image.resize(size, Image.Resampling.LANCZOS).tobytes()
    value = decibels(vips(found, *size), vips(wanted, *size))
    check(f"{label} {before} to {after}, Pillow's Lanczos", value, 45)


def blurred(label, image, radius, folder):
    found = ours(f"blur-{image.width}x{image.height}-{radius}", image.tobytes(), folder)
    exact = vips(image.tobytes(), *image.size).cast("float")
    exact = exact.gaussblur(radius, precision="float", min_ampl=0.001)
    value = decibels(vips(found, *image.size), exact)
    check(f"{label} blurred with σ {radius}, a true Gaussian", value, 38)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    small = ("1mp.rgba", (1200, 900))
    for label, image in (
        ("photograph", photo(*small)),
        ("fading photograph", photo(*small, fades=True)),
    ):
        for size in ((400, 300), (2400, 1800), (600, 450), (150, 113), (31, 40)):
            resized(label, image, size, folder)
    resized("photograph", photo("12mp.rgba", (4000, 3000)), (400, 300), folder)
    resized("drawing", photo("drawing.rgba", (1024, 768)), (341, 256), folder)
    for radius in (2, 4, 10, 25):
        blurred("photograph", photo("1000.rgba", (1000, 1000)), radius, folder)
        blurred("fading photograph", photo("1000.rgba", (1000, 1000), True), radius, folder)
