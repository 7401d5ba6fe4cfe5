"""Pillow or Pillow-SIMD, used the way the manual advises for speed."""

import io

from PIL import Image, ImageFilter, ImageSequence, features

from peer import serve, sizes_of

LANCZOS = Image.Resampling.LANCZOS


def thumbnail(data):
    def run():
        # `thumbnail` makes the JPEG decoder scale by itself, through `draft`.
        image = Image.open(io.BytesIO(data))
        image.thumbnail((400, 400), LANCZOS, reducing_gap=2.0)
        out = io.BytesIO()
        image.convert("RGB").save(out, "JPEG", quality=80)
        return out.tell()

    return run


def decode(data):
    # To pixels in memory, like our decoder; a copy to a bytes object would be additional work.
    def run():
        image = Image.open(io.BytesIO(data)).convert("RGBA")
        return image.width * image.height * 4

    return run


def decode_animation(data):
    def run():
        frames = ImageSequence.Iterator(Image.open(io.BytesIO(data)))
        size = 0
        for frame in frames:
            pixels = frame.convert("RGBA")
            size += pixels.width * pixels.height * 4
        return size

    return run


def recode_jpeg(data):
    def run():
        out = io.BytesIO()
        Image.open(io.BytesIO(data)).save(out, "JPEG", quality=80)
        return out.tell()

    return run


def resize(name):
    size, target = sizes_of(name)

    def prepare(data):
        # Pillow would premultiply RGBA and convert it back; RGBa is premultiplied already.
        image = Image.frombytes("RGBa", size, data)
        return lambda: 4 * image.resize(target, LANCZOS, reducing_gap=2.0).width * target[1]

    return prepare


def drawing(draw):
    def prepare(data):
        image = Image.frombytes("RGBX", (1000, 1000), data)
        return lambda: 4000 * draw(image).height

    return prepare


def tint(image):
    return Image.blend(image, Image.new("RGBX", image.size, (255, 51, 0, 255)), 0.4)


works = {
    "thumbnail-jpeg": thumbnail,
    "thumbnail-png": thumbnail,
    "thumbnail-webp": thumbnail,
    "thumbnail-avif": thumbnail,
    "decode": decode,
    "decode-animation": decode_animation,
    "recode-jpeg": recode_jpeg,
    "blur": drawing(lambda image: image.filter(ImageFilter.GaussianBlur(10))),
    "tint": drawing(tint),
    "overlay": drawing(tint),
    "black-white": drawing(lambda image: image.convert("L")),
}

# Pillow's wheels read AVIF; Pillow-SIMD does where libavif was new enough to compile it with.
READS_AVIF = features.check("avif")


def find(name):
    work = resize(name) if name.startswith("resize-") else works.get(name)
    if work is None or READS_AVIF:
        return work
    return lambda data: None if data[4:8] == b"ftyp" else work(data)


serve(find)
