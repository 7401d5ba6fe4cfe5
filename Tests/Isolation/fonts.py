"""Writes small fonts: families of four styles, which have a box for the letter "!".

Usage: fonts.py FOLDER COUNT
"""

import pathlib
import struct
import sys

STYLES = ["Regular", "Bold", "Italic", "Bold Italic"]


def name(family, style):
    full = f"{family} {style}"
    records, texts = b"", b""
    for number, text in {1: family, 2: style, 3: full, 4: full, 6: full.replace(" ", "-")}.items():
        encoded = text.encode("utf-16-be")
        records += struct.pack(">6H", 3, 1, 0x409, number, len(encoded), len(texts))
        texts += encoded
    return struct.pack(">3H", 0, len(records) // 12, 6 + len(records)) + records + texts


# Four points, from the lower left corner on.
BOX = struct.pack(">5hHH4B8h", 1, 0, 0, 500, 700, 3, 0, 1, 1, 1, 1, 0, 500, 0, -500, 0, 0, 700, 0)
CMAP = struct.pack(">2H2HI", 0, 1, 3, 1, 12) + struct.pack(
    ">15Hh", *(4, 32, 0, 4, 4, 1, 0), *(0x21, 0xFFFF), 0, *(0x21, 0xFFFF), *(0xFFE0, 1), 0, 0
)
OS2 = (
    struct.pack(">Hh3H11h", 4, 500, 400, 5, 0, *[0] * 11)
    + bytes(10)
    + struct.pack(">4I4s3H3h2H2I2h3H", 3, 0, 0, 0, b"TEST", 0x40, 0x21, 0x21, 700, -200, 0, 700, 200, 1, 0, 500, 700, 0, 0x20, 1)
)


def font(family, style):
    tables = {
        b"OS/2": OS2,
        b"cmap": CMAP,
        b"glyf": BOX,
        b"head": struct.pack(
            ">4I2H2q4h2H3h", 0x10000, 0x10000, 0, 0x5F0F3CF5, 0, 1000, 0, 0, 0, 0, 500, 700, 0, 8, 2, 0, 0
        ),
        b"hhea": struct.pack(">I3hH11hH", 0x10000, 700, -200, 0, 600, *[0] * 11, 2),
        b"hmtx": struct.pack(">4H", 600, 0, 600, 0),
        b"loca": struct.pack(">3H", 0, 0, len(BOX) // 2),
        b"maxp": struct.pack(">I14H", 0x10000, 2, 4, 1, 0, 0, 1, *[0] * 8),
        b"name": name(family, style),
        b"post": struct.pack(">I2h6I", 0x30000, 0, 0, *[0] * 6)[:32],
    }
    start, directory, contents = 12 + 16 * len(tables), b"", b""
    for tag, table in tables.items():
        directory += tag + struct.pack(">3I", 0, start + len(contents), len(table))
        contents += table + bytes(-len(table) % 4)
    return struct.pack(">I4H", 0x10000, len(tables), 128, 3, 32) + directory + contents


for index in range(int(sys.argv[2])):
    path = pathlib.Path(sys.argv[1]) / f"{index}.ttf"
    path.write_bytes(font(f"Generated {index // 4}", STYLES[index % 4]))
