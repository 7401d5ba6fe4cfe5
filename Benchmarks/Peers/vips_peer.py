"""libvips through its Python binding, which adds microseconds; one thread like the other peers."""

import os

os.environ.setdefault("VIPS_CONCURRENCY", "1")

import pyvips

from peer import serve, sizes_of

# Results must not come from libvips' cache of operations.
pyvips.cache_set_max(0)


def thumbnail(data):
    def run():
        image = pyvips.Image.thumbnail_buffer(data, 400, height=400)
        return len(image.jpegsave_buffer(Q=80))

    return run


def decode(data):
    def run():
        image = pyvips.Image.new_from_buffer(data, "")
        if not image.hasalpha():
            image = image.addalpha()
        return len(image.write_to_memory())

    return run


def recode_jpeg(data):
    return lambda: len(pyvips.Image.jpegload_buffer(data).jpegsave_buffer(Q=80))


def from_memory(data, size):
    return pyvips.Image.new_from_memory(data, *size, 4, "uchar")


def resize(name):
    size, target = sizes_of(name)

    def prepare(data):
        image = from_memory(data, size)
        return lambda: len(image.resize(target[0] / size[0]).write_to_memory())

    return prepare


def blur(data):
    image = from_memory(data, (1000, 1000))
    return lambda: len(image.gaussblur(10).write_to_memory())


works = {
    "thumbnail-jpeg": thumbnail,
    "thumbnail-png": thumbnail,
    "thumbnail-webp": thumbnail,
    "thumbnail-avif": thumbnail,
    "decode": decode,
    "recode-jpeg": recode_jpeg,
    "blur": blur,
}

serve(lambda name: resize(name) if name.startswith("resize-") else works.get(name))
