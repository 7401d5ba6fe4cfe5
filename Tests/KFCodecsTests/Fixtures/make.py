#!/usr/bin/env python3
"""Makes the images of the codec tests, and their pixels as decoded by an independent decoder.

Usage: make.py [FOLDER]    (needs Pillow 11.3 or later and numpy)

JPEG XL, HEIF, TIFF, SVG and parts of AVIF also need pillow-heif, and Debian's libjxl-tools, libtiff-tools, libavif-bin
and librsvg2-bin.

Run by hand; the results are committed. NAME.EXT.rgba has the pixels of NAME.EXT: width and height
as little-endian 32-bit numbers, then straight RGBA, upright, in sRGB, one frame after the other.
Files that Pillow cannot write (unusual PNGs, profiles, damaged files) are assembled byte by byte.
"""

import io
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageCms, ImageOps

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
W, H = 33, 25


def photo(width=W, height=H, seed=1):
    """An image with gradients, hard edges and a little noise, different in every corner."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(float)
    u, v = x / max(1, width - 1), y / max(1, height - 1)
    red = 40 + 200 * u
    green = 220 - 170 * v
    blue = 128 + 100 * np.sin(u * 7 + v * 5)
    disc = (u - 0.3) ** 2 + (v - 0.4) ** 2 < 0.04
    bar = (u > 0.7) & (v > 0.6)
    picture = np.stack([red, green, blue], axis=-1)
    picture[disc] = (230, 40, 30)
    picture[bar] = (20, 30, 160)
    picture += random.normal(0, 2, picture.shape)
    return np.clip(np.rint(picture), 0, 255).astype(np.uint8)


def alpha(width=W, height=H):
    y, x = np.mgrid[0:height, 0:width].astype(float)
    a = 255 * np.clip(1.2 - np.hypot(x / width - 0.5, y / height - 0.5) * 2, 0, 1)
    a[: height // 4, : width // 4] = 0
    return np.rint(a).astype(np.uint8)


def ycck(image):
    """A JPEG of ink, as Photoshop writes it: YCbCr of the inverted ink, and black.

    Pillow writes the channels as if they were ink; the number 2 in Adobe's segment says what they
    are.
    """
    inks = 255 - np.asarray(image.convert("CMYK")).astype(int)
    # Some black, which Pillow makes none of.
    inks[..., 3] = 255 - np.arange(inks.shape[1]) * 3
    ycc = np.asarray(
        Image.fromarray((255 - inks[..., :3]).astype(np.uint8)).convert("YCbCr")
    )
    channels = np.concatenate([ycc, inks[..., 3:]], axis=2)
    stored = Image.fromarray((255 - channels).astype(np.uint8), "CMYK")
    data = bytearray(encoded(stored, "JPEG", quality=95))
    place = data.index(b"Adobe")
    data[place + 11] = 2
    return bytes(data)


def rgba(array):
    """Converts grey, grey + alpha, RGB or RGBA of 8 bits to RGBA."""
    if array.ndim == 2:
        array = array[..., None]
    if array.shape[2] <= 2:
        array = np.concatenate([array[..., :1]] * 3 + [array[..., 1:]], axis=2)
    if array.shape[2] == 3:
        array = np.concatenate([array, np.full_like(array[..., :1], 255)], axis=2)
    return array


def save(name, data, *frames):
    (FOLDER / name).write_bytes(data)
    if frames:
        height, width = frames[0].shape[:2]
        body = b"".join(rgba(frame).astype(np.uint8).tobytes() for frame in frames)
        (FOLDER / (name + ".rgba")).write_bytes(struct.pack("<II", width, height) + body)


def encoded(image, format, **options):
    stream = io.BytesIO()
    image.save(stream, format, **options)
    return stream.getvalue()


def decoded(data):
    image = Image.open(io.BytesIO(data))
    return np.asarray(ImageOps.exif_transpose(image).convert("RGBA"))


# --- ICC profiles ---------------------------------------------------------------------------


def icc(space, tags, description):
    def text(value):
        body = value.encode("ascii") + b"\0"
        return b"desc" + bytes(4) + struct.pack(">I", len(body)) + body + bytes(78)

    tags = {b"desc": text(description), b"cprt": b"text" + bytes(4) + b"none\0", **tags}
    table, body = b"", b""
    start = 128 + 4 + 12 * len(tags)
    for signature, value in tags.items():
        value += bytes(-len(value) % 4)
        table += signature + struct.pack(">II", start + len(body), len(value))
        body += value
    size = start + len(body)
    header = struct.pack(">I4xI4s4s4s", size, 0x02400000, b"mntr", space, b"XYZ ")
    header += struct.pack(">6H", 2020, 1, 1, 0, 0, 0) + b"acsp" + bytes(28)
    header += struct.pack(">3I", 0xF6D6, 0x10000, 0xD32D)
    header += bytes(128 - len(header))
    return header + struct.pack(">I", len(tags)) + table + body


def xyz(*values):
    return b"XYZ " + bytes(4) + struct.pack(">3i", *(round(v * 65536) for v in values))


def gamma(value):
    return b"curv" + bytes(4) + struct.pack(">IH", 1, round(value * 256))


def srgb_curve():
    numbers = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
    return b"para" + bytes(4) + struct.pack(">HH5i", 3, 0, *(round(v * 65536) for v in numbers))


WHITE = xyz(0.9642, 1.0, 0.8249)
# Display P3's primaries, adapted to D50.
WIDE = icc(
    b"RGB ",
    {
        b"wtpt": WHITE,
        b"rXYZ": xyz(0.51512, 0.24120, -0.00105),
        b"gXYZ": xyz(0.29198, 0.69225, 0.04189),
        b"bXYZ": xyz(0.15710, 0.06657, 0.78407),
        b"rTRC": gamma(2.2),
        b"gTRC": gamma(2.2),
        b"bTRC": gamma(2.2),
    },
    "Wide test",
)
# The same primaries with sRGB's curve: the meaning of code points 12 and 13.
DISPLAY_P3 = icc(
    b"RGB ",
    {
        b"wtpt": WHITE,
        b"rXYZ": xyz(0.51512, 0.24120, -0.00105),
        b"gXYZ": xyz(0.29198, 0.69225, 0.04189),
        b"bXYZ": xyz(0.15710, 0.06657, 0.78407),
        b"rTRC": srgb_curve(),
        b"gTRC": srgb_curve(),
        b"bTRC": srgb_curve(),
    },
    "Display P3 test",
)
GREY = icc(b"GRAY", {b"wtpt": WHITE, b"kTRC": gamma(1.5)}, "Grey test")


def managed(image, profile):
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    srgb = ImageCms.createProfile("sRGB")
    return np.asarray(ImageCms.profileToProfile(image, source, srgb, outputMode="RGB"))


# --- JPEG -----------------------------------------------------------------------------------


def jpeg():
    image = Image.fromarray(photo(67, 46))
    for name, options in {
        "baseline": {"subsampling": 2},
        "444": {"subsampling": 0},
        "422": {"subsampling": 1},
        "progressive": {"progressive": True},
        "restarts": {"restart_marker_blocks": 4},
    }.items():
        data = encoded(image, "JPEG", quality=85, **options)
        save(f"{name}.jpg", data, decoded(data))

    small = Image.fromarray(photo())
    data = encoded(small.convert("L"), "JPEG", quality=90)
    save("grey.jpg", data, decoded(data))
    data = encoded(small.convert("CMYK"), "JPEG", quality=90)
    save("cmyk.jpg", data, np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))
    data = ycck(small)
    save("cmyk-ycck.jpg", data, np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        exif[0x010F] = "Nobody"
        data = encoded(small, "JPEG", quality=90, exif=exif)
        save(f"exif{orientation}.jpg", data, decoded(data))
    data = encoded(small, "JPEG", quality=95, subsampling=0, icc_profile=WIDE)
    save("profile.jpg", data, managed(Image.open(io.BytesIO(data)), WIDE))
    data = encoded(small.convert("L"), "JPEG", quality=95, icc_profile=GREY)
    save("grey-profile.jpg", data, managed(Image.open(io.BytesIO(data)), GREY))


# --- PNG ------------------------------------------------------------------------------------

ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, body=b""):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def packed_rows(samples, bits):
    """Converts an array of (height, width, channels) to rows of bytes."""
    height, width, channels = samples.shape
    flat = samples.reshape(height, width * channels)
    if bits == 16:
        return flat.astype(">u2").view(np.uint8).reshape(height, -1)
    if bits == 8:
        return flat.astype(np.uint8)
    shifts = np.arange(bits - 1, -1, -1)
    digits = ((flat[..., None] >> shifts) & 1).astype(np.uint8).reshape(height, -1)
    return np.packbits(digits, axis=1)


def filtered(rows, step):
    """Filters each row differently, so that all five filters occur."""
    out, above = b"", np.zeros(rows.shape[1] if rows.size else 0, int)
    for number, row in enumerate(rows.astype(int)):
        left = np.concatenate([np.zeros(step, int), row])[: len(row)]
        corner = np.concatenate([np.zeros(step, int), above])[: len(row)]
        p = left + above - corner
        pa, pb, pc = abs(p - left), abs(p - above), abs(p - corner)
        paeth = np.where((pa <= pb) & (pa <= pc), left, np.where(pb <= pc, above, corner))
        guess = [0 * row, left, above, (left + above) // 2, paeth][number % 5]
        out += bytes([number % 5]) + ((row - guess) & 255).astype(np.uint8).tobytes()
        above = row
    return out


def png(samples, kind, bits, interlaced=False, before=b"", frames=b""):
    height, width, channels = samples.shape
    step = max(1, channels * bits // 8)
    data = b""
    passes = ADAM7 if interlaced else [(0, 0, 1, 1)]
    for x, y, dx, dy in passes:
        part = samples[y::dy, x::dx]
        if part.size:
            data += filtered(packed_rows(part, bits), step)
    header = struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, int(interlaced))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before
        + chunk(b"IDAT", zlib.compress(data, 9)) + frames + chunk(b"IEND")
    )


def scaled(samples, bits):
    return np.rint(samples * (255 / (2**bits - 1))).astype(np.uint8)


def pngs():
    random = np.random.default_rng(2)
    colour = photo().astype(int)
    grey = colour.mean(axis=2, keepdims=True).astype(int)
    opacity = alpha()[..., None].astype(int)

    def deep(samples):
        return samples * 257 + random.integers(-100, 100, samples.shape).clip(-samples * 257, (255 - samples) * 257)

    for bits in (1, 2, 4):
        samples = grey >> (8 - bits)
        save(f"grey{bits}.png", png(samples, 0, bits), scaled(samples, bits))
    save("grey8.png", png(grey, 0, 8), grey)
    for interlaced in (False, True):
        tail = "-interlaced" if interlaced else ""
        deep_grey = deep(grey)
        save(f"grey16{tail}.png", png(deep_grey, 0, 16, interlaced), scaled(deep_grey, 16))
        save(f"rgb8{tail}.png", png(colour, 2, 8, interlaced), colour)
        both = np.concatenate([colour, opacity], axis=2)
        save(f"rgba8{tail}.png", png(both, 6, 8, interlaced), both)
        deep_both = deep(both)
        save(f"rgba16{tail}.png", png(deep_both, 6, 16, interlaced), scaled(deep_both, 16))
    deep_colour = deep(colour)
    save("rgb16.png", png(deep_colour, 2, 16), scaled(deep_colour, 16))
    pair = np.concatenate([grey, opacity], axis=2)
    save("greya8.png", png(pair, 4, 8), pair)
    deep_pair = deep(pair)
    save("greya16.png", png(deep_pair, 4, 16), scaled(deep_pair, 16))

    for bits in (1, 2, 4, 8):
        count = 2**bits
        table = random.integers(0, 256, (count, 3))
        clear = np.full((count, 1), 255)
        clear[: count // 2, 0] = random.integers(0, 256, count // 2)
        indices = grey >> (8 - bits)
        extra = chunk(b"PLTE", table.astype(np.uint8).tobytes())
        shown = table[indices[..., 0]]
        save(f"palette{bits}.png", png(indices, 3, bits, before=extra), shown)
        extra += chunk(b"tRNS", clear[: count // 2].astype(np.uint8).tobytes())
        shown = np.concatenate([table, clear], axis=1)[indices[..., 0]]
        save(f"palette{bits}-clear.png", png(indices, 3, bits, bits == 4, before=extra), shown)

    hole = colour.copy()
    hole[8:16, 8:24] = (1, 2, 3)
    key = chunk(b"tRNS", struct.pack(">3H", 1, 2, 3))
    cut = rgba(hole)
    cut[8:16, 8:24] = (1, 2, 3, 0)
    save("rgb8-key.png", png(hole, 2, 8, before=key), cut)

    linear = np.rint(255 * (np.where(colour > 10.3, ((colour / 255 + 0.055) / 1.055) ** 2.4, colour / 255 / 12.92)))
    light = linear / 255
    shown = 255 * np.where(light > 0.0031308, 1.055 * light ** (1 / 2.4) - 0.055, 12.92 * light)
    extra = chunk(b"gAMA", struct.pack(">I", 100000))
    save("linear.png", png(linear.astype(int), 2, 8, before=extra), np.rint(shown))
    extra = chunk(b"iCCP", b"wide\0\0" + zlib.compress(WIDE))
    image = Image.fromarray(colour.astype(np.uint8))
    save("profile.png", png(colour, 2, 8, before=extra), managed(image, WIDE))
    converted = np.concatenate([managed(image, WIDE), opacity], axis=2)
    save("profile-alpha.png", png(both, 6, 8, before=extra), converted)
    # IFD 0 with orientation 6 only.
    exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    turned = np.rot90(colour, -1)
    save("exif6.png", png(colour, 2, 8, before=chunk(b"eXIf", exif)), turned)

    huge = struct.pack(">IIBBBBB", 60000, 60000, 8, 6, 0, 0, 0)
    save("claims-60000.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", huge) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND"))


# --- Animations -----------------------------------------------------------------------------


def frames_of(data):
    image = Image.open(io.BytesIO(data))
    frames = []
    for index in range(image.n_frames):
        image.seek(index)
        frames.append(np.asarray(image.convert("RGBA")).copy())
    return frames


def moving(count, transparent):
    """Frames of a disc that moves across a photo or a transparent background."""
    frames = []
    y, x = np.mgrid[0:H, 0:W]
    for index in range(count):
        frame = rgba(photo())
        if transparent:
            frame[..., 3] = 0
        disc = (x - 6 - index * 8) ** 2 + (y - 13) ** 2 < 30
        frame[disc] = (250, 200 - index * 30, index * 50, 255)
        frames.append(Image.fromarray(frame))
    return frames


def gif_frame(frame, box, delay, disposal, clear=None, interlaced=False):
    """One frame of a GIF with the indices in `frame`, in LZW codes of constantly nine bits."""
    height, width = frame.shape
    order = range(height)
    if interlaced:
        order = [y for start, step in ((0, 8), (4, 8), (2, 4), (1, 2)) for y in range(start, height, step)]
    codes = []
    for number, index in enumerate(frame[list(order)].ravel()):
        if number % 200 == 0:
            codes.append(256)
        codes.append(int(index))
    codes.append(257)
    bits = sum(code << (9 * place) for place, code in enumerate(codes))
    body = bits.to_bytes((9 * len(codes) + 7) // 8, "little")
    flags = disposal << 2 | (clear is not None)
    data = b"\x21\xF9\x04" + struct.pack("<BHBB", flags, delay, clear or 0, 0)
    data += b"," + struct.pack("<4HB", *box, width, height, 0x40 * interlaced) + b"\x08"
    for start in range(0, len(body), 255):
        piece = body[start : start + 255]
        data += bytes([len(piece)]) + piece
    return data + b"\0"


def gif_file(width, height, palette, *frames, loops=None):
    data = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0)
    data += palette.astype(np.uint8).tobytes()
    if loops is not None:
        data += b"\x21\xFF\x0BNETSCAPE2.0\x03\x01" + struct.pack("<H", loops) + b"\0"
    return data + b"".join(frames) + b";"


def gif():
    random = np.random.default_rng(3)
    palette = random.integers(0, 256, (256, 3))
    colours = rgba(palette).reshape(256, 4) if palette.ndim == 3 else np.concatenate([palette, np.full((256, 1), 255)], axis=1)
    whole = random.integers(0, 256, (H, W))
    save("still.gif", gif_file(W, H, palette, gif_frame(whole, (0, 0), 0, 0)), colours[whole])
    save("interlaced.gif", gif_file(W, H, palette, gif_frame(whole, (0, 0), 0, 0, interlaced=True)), colours[whole])

    # Every disposal, transparency, an offset, a frame that extends beyond the canvas and one outside it.
    patch = random.integers(0, 256, (10, 12))
    patch[3:6, 4:9] = 7
    canvas = colours[whole].copy()
    shown, parts = [canvas.copy()], [gif_frame(whole, (0, 0), 5, 1)]
    for box, disposal in (((3, 4), 1), ((10, 10), 2), ((20, 5), 3), ((30, 20), 1), ((100, 100), 1), ((0, 0), 2)):
        before = canvas.copy()
        height, width = max(0, min(10, H - box[1])), max(0, min(12, W - box[0]))
        area = canvas[box[1] : box[1] + height, box[0] : box[0] + width]
        part = patch[:height, :width]
        area[part != 7] = colours[part[part != 7]]
        shown.append(canvas.copy())
        parts.append(gif_frame(patch, box, 1, disposal, clear=7))
        if disposal == 2:
            area[:] = 0
        if disposal == 3:
            canvas = before
    save("disposal.gif", gif_file(W, H, palette, *parts, loops=2), *shown)

    frames = moving(4, False)
    stream = io.BytesIO()
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:], duration=[100, 10, 0, 250], loop=0)
    save("animated.gif", stream.getvalue(), *frames_of(stream.getvalue()))


def apng_frames(data):
    """Composes frames by the specification; Pillow restores too much after "previous"."""
    chunks, offset = [], 8
    while offset < len(data):
        (length,) = struct.unpack(">I", data[offset : offset + 4])
        chunks.append((data[offset + 4 : offset + 8], data[offset + 8 : offset + 8 + length]))
        offset += 12 + length
    header = chunks[0][1]
    canvas = np.zeros((H, W, 4), np.uint8)
    frames, control, saved = [], None, None
    for kind, body in chunks:
        if kind == b"fcTL":
            if control:
                _, width, height, x, y, _, _, disposal, _ = control
                if disposal == 1:
                    canvas[y : y + height, x : x + width] = 0
                if disposal == 2:
                    canvas = saved
            control = struct.unpack(">IIIIIHHBB", body)
        if kind not in (b"IDAT", b"fdAT"):
            continue
        _, width, height, x, y, _, _, _, blend = control
        pixels = body if kind == b"IDAT" else body[4:]
        file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">II", width, height) + header[8:])
        file += chunk(b"IDAT", pixels) + chunk(b"IEND")
        part = np.asarray(Image.open(io.BytesIO(file)).convert("RGBA"))
        saved = canvas.copy()
        area = canvas[y : y + height, x : x + width]
        # These images have no partly transparent pixels.
        drawn = part[..., 3] > 0 if blend else np.full(part.shape[:2], True)
        area[drawn] = part[drawn]
        frames.append(canvas.copy())
    return frames


def apng():
    for name, transparent in (("animated.png", False), ("animated-clear.png", True)):
        frames = moving(5, transparent)
        stream = io.BytesIO()
        frames[0].save(
            stream, "PNG", save_all=True, append_images=frames[1:], duration=[100, 40, 1000, 5, 80],
            loop=3, disposal=[0, 1, 2, 0, 1], blend=[0, 1, 1, 0, 1],
        )
        save(name, stream.getvalue(), *apng_frames(stream.getvalue()))


def webp():
    image = Image.fromarray(photo(67, 46))
    turned, mirrored = Image.Exif(), Image.Exif()
    # Pillow writes the orientation as properties of the format.
    turned[0x0112], mirrored[0x0112] = 6, 5
    both = Image.fromarray(np.concatenate([photo(), alpha()[..., None]], axis=2))
    small = Image.fromarray(photo())
    data = encoded(image, "WEBP", quality=85)
    save("lossy.webp", data, decoded(data))
    data = encoded(small, "WEBP", lossless=True)
    save("lossless.webp", data, photo())
    data = encoded(both, "WEBP", lossless=True)
    save("lossless-alpha.webp", data, decoded(data))
    data = encoded(both, "WEBP", quality=80)
    save("lossy-alpha.webp", data, decoded(data))
    data = encoded(small, "WEBP", lossless=True, icc_profile=WIDE)
    save("profile.webp", data, managed(small, WIDE))
    exif = Image.Exif()
    exif[0x0112] = 6
    data = encoded(small, "WEBP", lossless=True, exif=exif)
    save("exif6.webp", data, np.rot90(photo(), -1))
    for name, transparent in (("animated.webp", False), ("animated-clear.webp", True)):
        frames = moving(4, transparent)
        stream = io.BytesIO()
        frames[0].save(
            stream, "WEBP", save_all=True, append_images=frames[1:], duration=[100, 40, 7, 80], loop=2,
            lossless=True, minimize_size=True,
        )
        save(name, stream.getvalue(), *frames_of(stream.getvalue()))


def avif():
    image = Image.fromarray(photo(67, 46))
    turned, mirrored = Image.Exif(), Image.Exif()
    # Pillow writes the orientation as properties of the format.
    turned[0x0112], mirrored[0x0112] = 6, 5
    both = Image.fromarray(np.concatenate([photo(), alpha()[..., None]], axis=2))
    for name, picture, options in (
        ("420.avif", image, {"subsampling": "4:2:0"}),
        ("444.avif", image, {"subsampling": "4:4:4"}),
        ("alpha.avif", both, {}),
    ):
        data = encoded(picture, "AVIF", quality=80, **options)
        save(name, data, decoded(data))
    small = Image.fromarray(photo())
    data = encoded(small, "AVIF", quality=95, subsampling="4:4:4", icc_profile=WIDE)
    save("profile.avif", data, managed(Image.open(io.BytesIO(data)), WIDE))
    # Display P3 by code points instead of a profile: 12, 13 in place of 1, 13.
    data = encoded(small, "AVIF", quality=95, subsampling="4:4:4")
    wide = data.replace(b"colrnclx\0\1\0\x0d", b"colrnclx\0\x0c\0\x0d")
    # The bit stream has the old values, but libavif uses those of the box.
    assert wide != data
    save("code-points.avif", wide, managed(Image.open(io.BytesIO(data)).convert("RGB"), DISPLAY_P3))
    for orientation in (3, 5, 6, 7, 8):
        exif = Image.Exif()
        exif[0x0112] = orientation
        data = encoded(small, "AVIF", quality=90, exif=exif)
        save(f"exif{orientation}.avif", data, decoded(data))
    frames = moving(4, False)
    stream = io.BytesIO()
    frames[0].save(stream, "AVIF", save_all=True, append_images=frames[1:], duration=[100, 40, 7, 80], quality=80)
    save("animated.avif", stream.getvalue(), *frames_of(stream.getvalue()))


def box(name, body):
    return struct.pack(">I", len(body) + 8) + name.encode() + body


def full(name, body, version=0, flags=0):
    return box(name, struct.pack(">I", version << 24 | flags) + body)


def inside(data, *path):
    """The boxes in the box of a path: names and bodies."""
    for name in path:
        data = next(body for other, body in inside(data) if other == name)
        # The version and flags.
        data = data[4:] if name == "meta" else data
    start, found = 0, []
    while start < len(data):
        length = struct.unpack_from(">I", data, start)[0]
        found.append((data[start + 4 : start + 8].decode(), data[start + 8 : start + length]))
        start += length
    return found


def avif_file(items, properties, references=b"", groups=b""):
    """A file of items (type, flags, bytes) with the same properties, of which the first is shown."""
    def meta(start):
        locations, entries, associations = b"", b"", b""
        for number, (kind, flags, data) in enumerate(items, 1):
            locations += struct.pack(">HHHII", number, 0, 1, start, len(data))
            entries += full("infe", struct.pack(">HH4sB", number, 0, kind.encode(), 0), 2, flags)
            start += len(data)
            # The configuration of the codec is marked as one that decoders must know.
            own = bytes(place | (name == "av1C") << 7 for place, (name, _) in enumerate(properties, 1)
                        if kind == "av01" or name != "av1C")
            associations += struct.pack(">HB", number, len(own)) + own
        return full("meta", full("hdlr", struct.pack(">I4s12xB", 0, b"pict", 0))
                    + full("pitm", struct.pack(">H", 1))
                    + full("iloc", struct.pack(">BBH", 0x44, 0, len(items)) + locations)
                    + full("iinf", struct.pack(">H", len(items)) + entries)
                    + (full("iref", references) if references else b"")
                    + box("iprp", box("ipco", b"".join(box(*entry) for entry in properties))
                          + full("ipma", struct.pack(">I", len(items)) + associations))
                    + (box("grpl", groups) if groups else b""))

    head = box("ftyp", b"avif" + bytes(4) + b"avifmif1miaf" + (b"tmap" if references else b""))
    start = len(head) + len(meta(0)) + 8
    return head + meta(start) + box("mdat", b"".join(data for _, _, data in items))


def unapplied():
    """AVIFs with properties that change no pixel: the shape of pixels, the light of the whole, and a map of gains."""
    plain = encoded(Image.fromarray(photo()), "AVIF", quality=90, subsampling="4:4:4")
    shown, picture = decoded(plain), next(body for name, body in inside(plain) if name == "mdat")
    properties = inside(plain, "meta", "iprp", "ipco")
    for name, further in (
        ("pasp", struct.pack(">II", 2, 1)),
        ("clli", struct.pack(">HH", 1000, 400)),
    ):
        save(f"{name}.avif", avif_file([("av01", 0, picture)], [*properties, (name, further)]), shown)
    # ISO 21496-1: versions, flags, the headroom of both, and for one channel: the least and the largest gain, the
    # gamma and both offsets.
    gains = struct.pack(">BHHB4I10I", 0, 0, 0, 0, 0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 1, 64, 1, 64)
    references = box("dimg", struct.pack(">HH2H", 3, 2, 1, 2))
    groups = full("altr", struct.pack(">II2I", 4, 2, 3, 1))
    items = [("av01", 0, picture), ("av01", 1, picture), ("tmap", 0, gains)]
    save("gain-map.avif", avif_file(items, properties, references, groups), shown)


# --- BMP and ICO ----------------------------------------------------------------------------


def bmp_file(width, height, bits, rows, palette=b"", compression=0, masks=b"", top_down=False):
    header = struct.pack("<IiiHHIIiiII", 40, width, -height if top_down else height, 1, bits, compression, 0, 0, 0, len(palette) // 4, 0)
    start = 14 + 40 + len(masks) + len(palette)
    return b"BM" + struct.pack("<IHHI", start + len(rows), 0, 0, start) + header + masks + palette + rows


def padded(rows):
    rows = np.asarray(rows, np.uint8)
    return np.pad(rows, ((0, 0), (0, -rows.shape[1] % 4))).tobytes()


def bmp():
    colour = photo()
    image = Image.fromarray(colour)
    save("rgb24.bmp", encoded(image, "BMP"), colour)
    save("top-down.bmp", bmp_file(W, H, 24, padded(colour[..., ::-1].reshape(H, -1)), top_down=True), colour)
    both = np.concatenate([colour, alpha()[..., None]], axis=2)
    masks = struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    blue_first = both[::-1, :, [2, 1, 0, 3]].reshape(H, -1)
    save("rgba32.bmp", bmp_file(W, H, 32, padded(blue_first), compression=6, masks=masks), both)
    short = (colour[..., 0].astype(int) >> 3) << 11 | (colour[..., 1].astype(int) >> 2) << 5 | colour[..., 2].astype(int) >> 3
    rows = short[::-1].astype("<u2").view(np.uint8).reshape(H, -1)
    parts = [np.rint((short >> 11) * 255 / 31), np.rint((short >> 5 & 63) * 255 / 63), np.rint((short & 31) * 255 / 31)]
    masks = struct.pack("<3I", 0xF800, 0x07E0, 0x001F)
    save("rgb16.bmp", bmp_file(W, H, 16, padded(rows), compression=3, masks=masks), np.stack(parts, axis=2))

    random = np.random.default_rng(4)
    for bits in (1, 4, 8):
        indices = colour[..., 0].astype(int) >> (8 - bits)
        table = random.integers(0, 256, (2**bits, 4))
        rows = padded(packed_rows(indices[::-1, :, None], bits))
        shown = table[indices][..., [2, 1, 0]]
        save(f"palette{bits}.bmp", bmp_file(W, H, bits, rows, table.astype(np.uint8).tobytes()), shown)
    runs = b""
    for row in indices[::-1]:
        runs += b"".join(bytes([1, int(index)]) for index in row[:20])
        rest = bytes(int(index) for index in row[20:])
        runs += bytes([0, len(rest)]) + rest + bytes(len(rest) % 2) + b"\0\0"
    save("runs8.bmp", bmp_file(W, H, 8, runs + b"\0\1", table.astype(np.uint8).tobytes(), compression=1), shown)

    icon = Image.fromarray(np.concatenate([photo(32, 32), alpha(32, 32)[..., None]], axis=2))
    for kind in ("png", "bmp"):
        data = encoded(icon, "ICO", sizes=[(16, 16), (32, 32)], bitmap_format=kind)
        save(f"{kind}.ico", data, np.asarray(icon))


# --- Formats whose libraries are loaded when they are needed --------------------------------


def run(*command):
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


def jxl():
    """Written and decoded by libjxl's commands."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, source, options in (
            ("lossless.jxl", "rgb8.png", ["-d", "0"]),
            ("lossless-alpha.jxl", "rgba8.png", ["-d", "0"]),
            ("lossless-grey.jxl", "grey8.png", ["-d", "0"]),
            ("lossless16.jxl", "rgb16.png", ["-d", "0"]),
            ("lossy.jxl", "rgb8.png", ["-d", "1"]),
            ("lossy-alpha.jxl", "rgba8.png", ["-d", "1"]),
            ("lossy-container.jxl", "rgb8.png", ["-d", "1", "--container=1"]),
            ("lossy-exif6.jxl", "exif6.jpg", []),
            ("lossy-profile.jxl", "profile.png", ["-d", "0.5"]),
        ):
            target = folder / name
            run("cjxl", FOLDER / source, target, *options)
            data = target.read_bytes()
            if name == "lossless16.jxl":
                # djxl writes 16 bits, which Pillow would truncate; the source's pixels are known.
                save(name, data)
                (FOLDER / f"{name}.rgba").write_bytes((FOLDER / f"{source}.rgba").read_bytes())
                continue
            shown = folder / "shown.png"
            run("djxl", target, shown)
            image = Image.open(shown)
            profile = image.info.get("icc_profile")
            is_wide = "profile" in name
            picture = managed(image, profile) if is_wide else np.asarray(image.convert("RGBA"))
            save(name, data, picture)
        dark = png(dark_gradients(), 2, 16, before=chunk(b"gAMA", struct.pack(">I", 100_000)))
        (folder / "dark.png").write_bytes(dark)
        for name, distance in (("dark.jxl", 0), ("lossy-dark.jxl", 0.1)):
            run("cjxl", folder / "dark.png", folder / name, "-d", distance)
            save(name, (folder / name).read_bytes())
        (folder / "signals.png").write_bytes(png(dark_gradients(), 2, 16))
        for name, distance, curve in (
            ("pq.jxl", 0, "PeQ"), ("hlg.jxl", 0, "HLG"), ("lossy-pq.jxl", 0.1, "PeQ"),
        ):
            space = f"color_space=RGB_D65_202_Rel_{curve}"
            run("cjxl", folder / "signals.png", folder / name, "-d", distance, "-x", space)
            save(name, (folder / name).read_bytes())
        jxl_animations(folder)


def dark_gradients():
    """Dark greys and all hues in linear light, in steps of 10 bits, as numbers of 16 bits."""
    part = np.arange(128) / 127
    dark = part * 0.02
    rows = [(dark, dark, dark), (part, dark, 1 - part), (1 - part, part, dark), (part, part, part)]
    steps = np.round(np.array([np.stack(row, axis=1) for row in rows]) * 1023).astype(np.uint16)
    return steps << 6 | steps >> 4


def jxl_animations(folder):
    """Made from GIFs with known pixels, whose later frames are blended over parts of the canvas."""
    random = np.random.default_rng(9)
    palette = random.integers(0, 256, (256, 3))
    colours = np.concatenate([palette, np.full((256, 1), 255)], axis=1)
    whole = random.integers(0, 256, (H, W))
    patch = random.integers(0, 256, (10, 12))
    whole[2:8, 20:30] = patch[3:6, 4:9] = 7
    for name, clear in (("animated.jxl", None), ("animated-clear.jxl", 7)):
        canvas = colours[whole].copy()
        if clear is not None:
            canvas[whole == clear] = 0
        shown, parts = [canvas.copy()], [gif_frame(whole, (0, 0), 5, 1, clear=clear)]
        for (x, y), delay in (((3, 4), 1), ((20, 2), 30), ((8, 14), 8)):
            area = canvas[y : y + 10, x : x + 12]
            area[patch != 7] = colours[patch[patch != 7]]
            shown.append(canvas.copy())
            parts.append(gif_frame(patch, (x, y), delay, 1, clear=7))
        source, target = folder / "source.gif", folder / name
        source.write_bytes(gif_file(W, H, palette, *parts, loops=2))
        run("cjxl", source, target, "-d", "0")
        save(name, target.read_bytes(), *shown)


def heif():
    """Encoded by x265; the expected pixels are those decoded by pillow-heif."""
    import pillow_heif

    pillow_heif.register_heif_opener()
    image = Image.fromarray(photo(67, 46))
    turned, mirrored = Image.Exif(), Image.Exif()
    # In Exif alone, which counts for nothing in HEIF: the pixels are shown as they are stored.
    turned[0x0112], mirrored[0x0112] = 6, 5
    both = Image.fromarray(np.concatenate([photo(68, 46), alpha(68, 46)[..., None]], axis=2))
    for name, picture, options in (
        ("420.heic", image, {}),
        ("444.heic", image, {"chroma": 444}),
        ("alpha.heic", both, {}),
        ("profile.heic", image, {"icc_profile": WIDE, "chroma": 444}),
        ("turned.heic", image, {"exif": turned}),
        ("mirrored.heic", image, {"exif": mirrored}),
    ):
        data = encoded(picture, "HEIF", quality=90, **options)
        shown = Image.open(io.BytesIO(data))
        pixels = managed(shown, WIDE) if "profile" in name else np.asarray(shown.convert("RGBA"))
        save(name, data, pixels)
        if name == "420.heic":
            # Undefined primaries; the colours are read as sRGB.
            strange = data.replace(b"colrnclx\0\1\0\x0d", b"colrnclx\0\xc8\0\x0d")
            assert strange != data
            save("code-points.heic", strange, pixels)
    deep = photo(67, 46).astype(np.uint16) * 257
    stream = io.BytesIO()
    pillow_heif.from_bytes("RGB;16", (67, 46), deep.tobytes()).save(stream, quality=90, chroma=444)
    data = stream.getvalue()
    if pillow_heif.open_heif(data, convert_hdr_to_8bit=False).info["bit_depth"] != 10:
        raise SystemExit("deep.heic is not of 10 bits")
    save("deep.heic", data, np.asarray(Image.open(io.BytesIO(data)).convert("RGBA")))
    # Lossless; with the matrix 6 too, but for the rounding to luma and chroma.
    for name, matrix in (("dark.heic", 0), ("dark-601.heic", 6)):
        stream = io.BytesIO()
        pillow_heif.from_bytes("RGB;16", (128, 4), dark_gradients().tobytes()).save(
            stream, quality=-1, chroma=444, matrix_coefficients=matrix, full_range_flag=1,
            color_primaries=1, transfer_characteristics=8)
        save(name, stream.getvalue())


def tiff_file(samples, photometric, extra=None, byte_order="<"):
    """An uncompressed TIFF of one strip from an array of rows, columns and channels."""
    height, width, channels = samples.shape
    body = samples.astype(samples.dtype.newbyteorder(byte_order)).tobytes()
    bits = samples.dtype.itemsize * 8
    tags = {256: (4, width), 257: (4, height), 259: (3, 1), 262: (3, photometric), 277: (3, channels)}
    tags |= {258: (3, [bits] * channels), 273: (4, 0), 278: (4, height), 279: (4, len(body))}
    if extra is not None:
        tags[338] = (3, extra)
    start = 8 + 2 + 12 * len(tags) + 4
    tail = b""
    entries = b""
    for tag, (kind, value) in sorted(tags.items()):
        values = value if isinstance(value, list) else [value]
        packed = struct.pack(byte_order + ("H" if kind == 3 else "I") * len(values), *values)
        if tag == 273:
            packed = struct.pack(byte_order + "I", start + 2 * channels * (channels > 2))
        if len(packed) > 4:
            entries += struct.pack(byte_order + "HHII", tag, kind, len(values), start + len(tail))
            tail += packed
        else:
            entries += struct.pack(byte_order + "HHI", tag, kind, len(values)) + packed.ljust(4, b"\0")
    mark = b"II*\0" if byte_order == "<" else b"MM\0*"
    head = mark + struct.pack(byte_order + "IH", 8, len(tags)) + entries + bytes(4)
    return head + tail + body


def tiff():
    colour = photo()
    image = Image.fromarray(colour)
    both = np.concatenate([colour, alpha()[..., None]], axis=2)
    for name, picture, options in (
        ("lzw.tiff", image, {"compression": "tiff_lzw"}),
        ("deflate.tiff", image, {"compression": "tiff_adobe_deflate"}),
        ("palette.tiff", image.quantize(64), {}),
        ("bilevel.tiff", image.convert("1"), {"compression": "group4"}),
        ("grey.tiff", image.convert("L"), {"compression": "packbits"}),
        ("rgba.tiff", Image.fromarray(both), {"compression": "tiff_lzw"}),
    ):
        save(name, encoded(picture, "TIFF", **options), np.asarray(picture.convert("RGBA")))
    tagged = Image.Exif()
    tagged[0x0112] = 6
    data = encoded(image, "TIFF", exif=tagged)
    save("exif6.tiff", data, decoded(data))
    data = encoded(image, "TIFF", icc_profile=WIDE)
    save("profile.tiff", data, managed(image, WIDE))
    deep = (colour.astype(np.uint16) * 257).clip(0, 65535 - 100) + 90
    rounded = ((deep.astype(int) * 255 + 32767) // 65535).astype(np.uint8)
    for order, name in (("<", "rgb16.tiff"), (">", "rgb16-big.tiff")):
        save(name, tiff_file(deep.astype(np.uint16), 2, byte_order=order), rounded)
    save("grey16.tiff", tiff_file(deep[..., :1].astype(np.uint16), 1), rounded[..., 0])
    # Pillow converts CMYK by the same formula as libtiff, but rounds at other steps.
    inks = np.concatenate([255 - colour, alpha()[..., None] // 3], axis=2)
    mixed = Image.fromarray(inks, "CMYK")
    save("cmyk.tiff", encoded(mixed, "TIFF"), np.asarray(mixed.convert("RGB")))
    # libtiff's command writes tiles that extend beyond the image.
    with tempfile.TemporaryDirectory() as folder:
        tiles = Path(folder) / "tiles.tiff"
        run("tiffcp", "-t", "-w", "16", "-l", "16", FOLDER / "lzw.tiff", tiles)
        save("tiles.tiff", tiles.read_bytes(), colour)


SVGS = {
    "sized": """<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30">
  <rect width="40" height="30" fill="#336699"/>
  <circle cx="15" cy="15" r="10" fill="#ffcc00"/>
  <path d="M20 5 L35 25 L25 25 Z" fill="none" stroke="#800000" stroke-width="3"/>
</svg>""",
    "boxed": """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 18">
  <defs><linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="blue"/>
  </linearGradient></defs>
  <ellipse cx="12" cy="9" rx="11" ry="8" fill="url(#g)" opacity="0.7"/>
</svg>""",
}


def apertures():
    """Parts of AVIF files by a clean aperture, made by Debian's libavif-bin."""
    picture = photo(24, 18)
    with tempfile.TemporaryDirectory() as folder:
        Image.fromarray(picture).save(f"{folder}/in.png")
        for name, options, shown in (
            ("clap", ("--clap", "12,1,10,1,-2,1,1,1"), picture[5:15, 4:16]),
            ("clap-turned", ("--crop", "3,5,11,7", "--irot", "1"), np.rot90(picture[5:12, 3:14])),
        ):
            file = Path(folder) / "out.avif"
            subprocess.run(["avifenc", "-l", *options, f"{folder}/in.png", file], check=True)
            opaque = np.full((*shown.shape[:2], 1), 255, np.uint8)
            save(f"{name}.avif", file.read_bytes(), np.concatenate([shown, opaque], axis=2))


def svg():
    """Rendered by librsvg's command."""
    for name, text in SVGS.items():
        path = FOLDER / f"{name}.svg"
        path.write_text(text)
        shown = subprocess.run(["rsvg-convert", path], check=True, capture_output=True).stdout
        save(path.name, path.read_bytes(), np.asarray(Image.open(io.BytesIO(shown)).convert("RGBA")))


if __name__ == "__main__":
    jpeg()
    pngs()
    gif()
    apng()
    webp()
    avif()
    apertures()
    unapplied()
    bmp()
    jxl()
    heif()
    tiff()
    svg()
