"""Makes thumbnails of ever larger photographs with kf-bench and vipsthumbnail, one process each.

Usage: growth.py KF_BENCH PHOTO SCRATCH

PHOTO is enlarged and reduced to 0.5…200 megapixels. Prints, per size, the CPU time and the memory of
the fastest of three runs.
"""

import os
import pathlib
import subprocess
import sys

# Nothing large is imported or read here: the peak memory of a child counts from that of its parent.
bench, photo = sys.argv[1:3]
scratch = pathlib.Path(sys.argv[3])


def cost(arguments):
    """Milliseconds of CPU, and megabytes."""
    best = None
    for _ in range(3):
        process = os.posix_spawnp(arguments[0], arguments, os.environ)
        _, status, usage = os.wait4(process, 0)
        if status != 0:
            sys.exit(f"{' '.join(arguments)} ended with status {status}")
        figures = (1000 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss / 1024)
        best = figures if best is None else tuple(map(min, best, figures))
    return best


print("megapixels: a JPEG of N megapixels to fit 400 × 400, a process of its own each")
print("         MP    kf CPU ms   vips CPU ms    kf MB   vips MB")
for megapixels in (0.5, 1, 2, 4, 8, 16, 50, 100, 200):
    height = round((megapixels * 1e6 * 3 / 4) ** 0.5)
    file = scratch / "photo.jpg"
    subprocess.run(["vipsthumbnail", photo, "--size", f"{round(height * 4 / 3)}x{height}!",
                    "-o", f"{file}[Q=90,strip]"], check=True)
    ours = cost([bench, "--once", "thumbnail", str(file), str(scratch / "ours.jpg")])
    theirs = cost(["vipsthumbnail", str(file), "--size", "400x400", "-o", f"{scratch}/theirs.jpg[Q=80]"])
    print(f"  {megapixels:9g}  {ours[0]:11.1f}  {theirs[0]:12.1f}  {ours[1]:7.1f}  {theirs[1]:8.1f}", flush=True)
    file.unlink()
