"""Starts a program that loads one image from the disk cache, many times.

Usage: start.py FIRST_IMAGE BARE_START PHOTO FOLDER [ROUNDS]

A run is timed from outside, from the start of the process to the line that it prints: the loader,
Swift's runtime, opening the cache, reading, decoding. BARE_START is a program of Swift and Foundation
that only prints a line.
"""

import os
import statistics
import subprocess
import sys
import time

first_image, bare_start, photo, folder = sys.argv[1:5]
rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 50
GOAL = 25

# The folder of the default disk cache.
os.environ["XDG_CACHE_HOME"] = folder
subprocess.run([first_image, photo], check=True, stdout=subprocess.DEVNULL)
answer = subprocess.run([first_image], check=True, capture_output=True, text=True).stdout
if not answer.startswith("disk 400"):
    sys.exit(f"the image does not come from the disk: {answer}")


def cost(arguments):
    """Milliseconds to the line, to the end, and of CPU."""
    reading, writing = os.pipe()
    start = time.perf_counter()
    process = os.posix_spawn(arguments[0], arguments, os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)])
    os.close(writing)
    os.read(reading, 100)
    line = time.perf_counter() - start
    _, status, usage = os.wait4(process, 0)
    end = time.perf_counter() - start
    os.close(reading)
    if status != 0:
        sys.exit(f"{arguments[0]} ended with status {status}")
    return 1000 * line, 1000 * end, 1000 * (usage.ru_utime + usage.ru_stime)


programs = {
    "first image": [first_image],
    "Swift and Foundation alone": [bare_start],
}
costs = {name: [] for name in programs}
for _ in range(rounds):
    for name, arguments in programs.items():
        costs[name].append(cost(arguments))

print(f"start: of a program with one image in the disk cache, {rounds} runs, load {os.getloadavg()[0]:.1f}")
print("                                ms to the image      ms to the end             CPU ms")
print("                                 least   median      least   median      least   median")
for name, samples in costs.items():
    figures = "".join(f"{min(kind):11.1f}{statistics.median(kind):9.1f}" for kind in zip(*samples))
    print(f"  {name:27}{figures}")
lines = [line for line, _, _ in costs["first image"]]
# The least, because other work can only add to it; the median shows by how much it does.
for name, value in (("least", min(lines)), ("median", statistics.median(lines))):
    word = "ok    " if value <= GOAL else "MISSED"
    print(f"  {word}  ms to the first image from disk, {name}: {value:.1f} (at most {GOAL})")
sys.exit(0 if min(lines) <= GOAL else 1)
