"""Converts a folder of photographs with kf and with vipsthumbnail, in turns; others once.

Usage: convert.py KF PHOTOS SCRATCH [ROUNDS]

PHOTOS is a folder of JPEG files. ImageMagick and gdk-pixbuf, which convert one file at a time, run in
as many processes as there are cores, if they are installed. Fails if a ratio is missed: half of the time, three quarters of the
CPU, and no more memory than vipsthumbnail.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

kf, photos, scratch = sys.argv[1], *map(pathlib.Path, sys.argv[2:4])
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 3
files = sorted(map(str, photos.glob("*.jpg")))


def measure(name, arguments):
    """Seconds, seconds of CPU, and megabytes of one run."""
    output = scratch / name
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    start = time.monotonic()
    process = os.posix_spawnp(arguments[0], arguments, os.environ)
    _, status, usage = os.wait4(process, 0)
    seconds = time.monotonic() - start
    made = len(list(output.iterdir()))
    if status != 0 or made != len(files):
        sys.exit(f"{name} made {made} of {len(files)} files, with status {status}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


programs = {
    "kf": [kf, "convert", str(photos), "-o", str(scratch / "kf"), "-p", "downsample:400x400",
           "--quality", "80", "--quiet"],
    "vips": ["vipsthumbnail", *files, "--size", "400x400", "-o", f"{scratch}/vips/%s.jpg[Q=80]"],
}


def is_image_magick(program):
    """Other programs are named convert, too."""
    return shutil.which(program) and b"ImageMagick" in subprocess.run(
        [program, "-version"], capture_output=True).stdout


magick = next(filter(is_image_magick, ("magick", "convert-im6.q16", "convert")), "magick")
# One process per file. gdk-pixbuf writes PNG.
single = {
    "ImageMagick": (magick, f'{magick} -define jpeg:size=800x800 "$1" -thumbnail 400x400 -quality 80 "$2/${{1##*/}}"'),
    "gdk-pixbuf": ("gdk-pixbuf-thumbnailer", 'gdk-pixbuf-thumbnailer -s 400 "$1" "$2/${1##*/}"'),
}
others = {}
for name, (program, command) in single.items():
    if shutil.which(program):
        others[name] = ["sh", "-c", 'printf "%s\\0" "$0"/*.jpg | xargs -0 -P "$1" -I% sh -c "$2" sh % "$3"',
                        str(photos), str(os.cpu_count()), command, str(scratch / name)]
# The first run reads the files into the page cache.
results = {name: [] for name in programs}
for turn in range(rounds + 1):
    for name, arguments in programs.items():
        figures = measure(name, arguments)
        if turn > 0:
            results[name].append(figures)
for name, arguments in others.items():
    results[name] = [measure(name, arguments)]
medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in results.items()}
print(f"convert: {len(files)} photos to 400 × 400, {rounds} rounds, once by the others, load {os.getloadavg()[0]:.1f}")
for name, (seconds, cpu, memory) in medians.items():
    print(f"  {name:11}  {seconds:6.2f} s  {cpu:6.2f} s of CPU  {memory:6.1f} MB")
missed = False
for index, (title, limit) in enumerate([("time", 0.5), ("CPU", 0.75), ("memory", 1.0)]):
    ratio = medians["kf"][index] / medians["vips"][index]
    missed = missed or ratio > limit
    verdict = "MISSED" if ratio > limit else "ok    "
    print(f"  {verdict}  {title}: {ratio:.2f} of `vipsthumbnail` (at most {limit})")
sys.exit(missed)
