"""Makes the test images of the benchmarks from photographs.

Usage: corpus.py PHOTOS CORPUS

PHOTOS is a folder of large images. Existing files of CORPUS are kept.
"""

import pathlib
import sys

from PIL import Image, ImageDraw, ImageOps

photos, corpus = map(pathlib.Path, sys.argv[1:])


def large(folder):
    """Images of nine megapixels and more, those with most detail first."""
    files = [file for file in folder.rglob("*") if file.suffix in (".jpg", ".png")]
    files.sort(key=lambda file: (-file.stat().st_size, file.name))
    pictures = []
    for file in files:
        with Image.open(file) as image:
            if image.width * image.height >= 9_000_000 and image.width > image.height:
                pictures.append(image.convert("RGB"))
    return pictures


def write(name, make):
    """Writes a file under a temporary name first, so that no incomplete file is used later."""
    target = corpus / name
    if not target.exists():
        half = corpus / f"half-{name}"
        make(half)
        half.rename(target)


def raw(image):
    return lambda file: file.write_bytes(image.convert("RGBA").tobytes())


def dense(pictures):
    """A mosaic of unscaled parts, with as much detail as possible."""
    mosaic = Image.new("RGB", (4000, 3000))
    for index in range(12):
        picture = pictures[index % len(pictures)]
        x = (index * 577) % (picture.width - 1000)
        y = (index * 389) % (picture.height - 1000)
        part = picture.crop((x, y, x + 1000, y + 1000))
        mosaic.paste(part, (index % 4 * 1000, index // 4 * 1000))
    return mosaic


def drawing():
    """Flat colours, lines and text, like a screenshot."""
    image = Image.new("RGB", (1024, 768), (246, 246, 248))
    pen = ImageDraw.Draw(image)
    for row in range(24):
        pen.rectangle((24, 24 + row * 30, 1000, 50 + row * 30), (255, 255, 255), (208, 208, 214))
        text = f"Row {row}: the quick brown fox jumps over the lazy dog, {row * 7919} times"
        pen.text((34, 31 + row * 30), text, (40, 40, 60))
        pen.ellipse((900, 27 + row * 30, 920, 47 + row * 30), (row * 10, 120, 255 - row * 10))
    return image


def frames(picture):
    """Forty frames of a slow pan with zoom."""
    for index in range(40):
        width = 1600 - index * 8
        box = (index * 12, index * 6, index * 12 + width, index * 6 + width * 9 // 16)
        yield picture.crop(box).resize((480, 270), Image.Resampling.BICUBIC)


def animation(picture, **options):
    first, *others = frames(picture)

    def make(file):
        first.save(file, save_all=True, append_images=others, duration=50, loop=0, **options)

    return make


corpus.mkdir(parents=True, exist_ok=True)
# Another name whenever images are added.
done = corpus / "complete-3"
if not done.exists():
    pictures = large(photos)
    photo = ImageOps.fit(pictures[0], (4000, 3000))
    mosaic = dense(pictures)
    three, half = photo.resize((2048, 1536)), photo.resize((816, 612))
    small = photo.resize((480, 360))
    options = {"quality": 90, "subsampling": "4:2:0"}
    write("12mp-dense.jpg", lambda file: mosaic.save(file, **options))
    write("12mp-dense-progressive.jpg", lambda f: mosaic.save(f, progressive=True, **options))
    write("12mp-photo.jpg", lambda file: photo.save(file, **options))
    write("12mp-photo.png", photo.save)
    write("12mp.rgba", raw(photo))
    write("12mp-photo.webp", lambda file: photo.save(file, quality=80))
    write("12mp-photo.avif", lambda file: photo.save(file, quality=60, speed=8))
    write("small.jpg", lambda file: small.save(file, **options))
    write("3mp.jpg", lambda file: three.save(file, **options))
    write("3mp.png", three.save)
    write("3mp.webp", lambda file: three.save(file, quality=80))
    write("3mp.avif", lambda file: three.save(file, quality=60, speed=8))
    write("05mp.jpg", lambda file: half.save(file, **options))
    write("05mp.rgba", raw(half))
    write("1mp.rgba", raw(photo.resize((1200, 900))))
    write("1000.rgba", raw(photo.crop((1000, 1000, 2000, 2000))))
    write("drawing.rgba", raw(drawing()))
    write("animation.gif", animation(photo))
    write("animation.webp", animation(photo, quality=75))
    write("animation.avif", animation(photo, quality=60, speed=8))
    done.touch()
