"""Makes a smaller copy of the Unicode data that Foundation links into static programs.

usage: unicode_data.py ARCHIVE OBJECT

ARCHIVE is lib_FoundationICU.a of a Swift toolchain. Its data, of 34 MB in Swift 6.3, has the names
and formats of 800 locales, the tables of 230 character sets, and dictionaries for the line breaks
of languages without spaces. OBJECT is an object file with 5 MB of data: English and what all locales
share. ICU uses the root locale for those that are missing. The object's symbol has the prefix
`__wrap_`, so that it takes the place of the data in the archive with the linker's option `--wrap`;
`--gc-sections`, which SwiftPM sets, then leaves the data there out.

What a program with it cannot do: format and sort for locales other than English, convert character
sets other than those of Unicode, Latin 1 and ASCII, transliterate, and name characters.

The format is that of ICU's common data files (CmnD, version 1): a header, the number of items, for
each the offsets of its name and its data from that number, and the items, sorted by name.
"""

import os
import re
import struct
import subprocess
import sys
import tempfile

# Files of locales other than English; those that all locales share have longer names.
DROPPED_LOCALE = re.compile(r"(?!en\b|en_|res_index)[a-z]{2,3}(_\w+)?")
DROPPED_FOLDERS = {"translit"}
DROPPED_KINDS = {"cnv", "dict"}
DROPPED_FILES = {"unames.icu"}
ALIGNMENT = 16


def is_kept(name):
    """Whether a program keeps an item, such as `icudt76l/lang/de.res`."""
    _, *folders, file = name.split("/")
    stem, _, kind = file.rpartition(".")
    if kind in DROPPED_KINDS or file in DROPPED_FILES or DROPPED_FOLDERS.intersection(folders):
        return False
    return kind != "res" or not DROPPED_LOCALE.fullmatch(stem)


def items_of(data, start):
    """The names and bytes of all items; `start` is the position of their number."""
    (count,) = struct.unpack_from("<I", data, start)
    entries = [struct.unpack_from("<II", data, start + 4 + 8 * index) for index in range(count)]
    ends = [offset for _, offset in entries[1:]] + [len(data) - start]
    for (name, offset), end in zip(entries, ends):
        name = data[start + name : data.index(b"\0", start + name)].decode("ascii")
        yield name, data[start + offset : start + end]


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def reduced(data):
    """The data without the items that are dropped."""
    (header,) = struct.unpack_from("<H", data)
    is_common_data = data[2:4] == b"\xda\x27" and data[12:17] == b"CmnD\1" and data[8] == 0
    if not is_common_data or header % ALIGNMENT != 0:
        raise ValueError("the data has an unknown format")
    kept = [(name, item) for name, item in items_of(data, header) if is_kept(name)]
    if not kept:
        raise ValueError("the data has no items")
    names = b"".join(name.encode("ascii") + b"\0" for name, _ in kept)
    names_start = 4 + 8 * len(kept)
    position = len(padded(bytes(names_start) + names))
    table, name_offset, content = struct.pack("<I", len(kept)), names_start, b""
    for name, item in kept:
        table += struct.pack("<II", name_offset, position + len(content))
        name_offset += len(name) + 1
        content += padded(item)
    return data[:header] + padded(table + names) + content


def run(*command, folder):
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        raise ValueError(f"{command[0]}: {result.stderr.strip()}")
    return result.stdout


def main():
    archive, target = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        symbols = run("nm", "-A", "--defined-only", archive, folder=folder)
        found = re.search(r":([^:\s]+\.o):\S+ [RD] (icudt\d+_dat)$", symbols, re.MULTILINE)
        if not found:
            raise ValueError("the archive has no data of ICU")
        member, symbol = found.groups()
        run("ar", "x", archive, member, folder=folder)
        run("objcopy", "-O", "binary", "-j", ".rodata", member, "whole", folder=folder)
        with open(os.path.join(folder, "whole"), "rb") as file:
            data = reduced(file.read())
        with open(os.path.join(folder, "part"), "wb") as file:
            file.write(data)
        with open(os.path.join(folder, "part.s"), "w") as file:
            file.write(
                f"""
                .section .rodata
                .balign {ALIGNMENT}
                .globl __wrap_{symbol}
                .type __wrap_{symbol}, @object
                .size __wrap_{symbol}, {len(data)}
                __wrap_{symbol}: .incbin "part"
                .section .note.GNU-stack, "", @progbits
                """
            )
        run("as", "-o", "part.o", "part.s", folder=folder)
        # Complete or not at all, because a later link takes the file for good.
        partial = f"{target}.{os.getpid()}"
        with open(os.path.join(folder, "part.o"), "rb") as source, open(partial, "wb") as file:
            file.write(source.read())
        os.replace(partial, target)


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError, struct.error) as error:
        sys.exit(f"unicode_data.py: {error}")
