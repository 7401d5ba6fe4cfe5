"""Runs the gallery's measurements on a screen in memory, and a plain C program in turns with it.

Usage: gtk.py GALLERY GRID_PEER PICTURES ROUNDS

Prints the least value and the median of the rounds. GTK paints without a graphics card; the display
server runs on the same cores.
"""

import os
import re
import statistics
import subprocess
import sys

SCREEN = ["xvfb-run", "-a", "-s", "-screen 0 2560x2048x24"]
FRAME = re.compile(r"p50 ([\d.]+) p90 [\d.]+ p99 ([\d.]+)")
FIGURES = {
    "frame:": ("frame p50, ms", "frame p99, ms"),
    "on a processor": ("main thread's CPU p50, ms", "main thread's CPU p99, ms"),
    "frame without": ("frame without waits p50, ms", "frame without waits p99, ms"),
}
# The items that stay in sight, and all: the share of sharp ones, and the time without an image.
ARRIVALS = re.compile(r"(\w+): \d+ stays, (\d+) % sharp; .*p50 (\d+) p95 (\d+)")
NUMBERS = {
    "more than with an empty window:": "memory above an empty window, MB",
    "peak:": "peak memory, MB",
    "threads:": "threads",
    "loaded:": "images loaded",
    "stored:": "images loaded",
    "steps": "steps per second",
    "loaded, never shown:": "kB loaded and never shown",
}
# Of the passes through the list, the second and the last.
PASS = re.compile(r"pass (2|10): bound \d+ times, resident (\d+) MB")


def run(scale, command):
    """The figures of one run by name."""
    environment = dict(os.environ, GDK_BACKEND="x11", GDK_SCALE=str(scale), GTK_A11Y="none")
    environment.setdefault("GSK_RENDERER", "cairo")
    output = subprocess.run(
        SCREEN + command, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    found = {}
    for line in map(str.strip, output.splitlines()):
        for start, names in FIGURES.items():
            match = FRAME.search(line)
            if line.startswith(start) and match:
                found.update(zip(names, map(float, match.groups())))
        match = PASS.match(line)
        if match:
            found[f"resident after {match[1]}0,000 binds, MB"] = float(match[2])
        match = ARRIVALS.match(line)
        if match:
            name, *values = match.groups()
            titles = ("sharp, %", "without image p50, ms", "without image p95, ms")
            found.update((f"{name}: {title}", float(v)) for title, v in zip(titles, values))
        for start, name in NUMBERS.items():
            if line.startswith(start):
                found[name] = float(re.findall(r"[\d.]+", line.split(":")[1])[0])
    return found


def measure(title, rounds, programs):
    """Runs programs in turns, and prints their figures beside each other."""
    results = {name: [] for name in programs}
    for _ in range(rounds):
        for name, (scale, command) in programs.items():
            results[name].append(run(scale, command))
    load = os.getloadavg()[0]
    print(f"\n{title}; least and median of {rounds}, load {load:.1f}")
    names = {name: None for runs in results.values() for figures in runs for name in figures}
    for figure in names:
        cells = []
        for name, runs in results.items():
            values = [figures[figure] for figures in runs if figure in figures]
            if values:
                cells.append(f"{name} {min(values):g} {statistics.median(values):g}")
        print(f"  {figure}: " + " · ".join(cells))
    sys.stdout.flush()


def main():
    gallery, peer, pictures, rounds = *sys.argv[1:4], int(sys.argv[4])
    for scale in (1, 2):
        programs = {
            "C": (scale, [peer, pictures]),
            "gallery": (scale, [gallery, "--measure", "scrolling", pictures]),
        }
        measure(f"scrolling at {scale} x", rounds, programs)
    command = [gallery, "--measure", "binding", pictures]
    measure("binding", rounds, {"gallery": (1, command)})
    for speed in (3_600, 10_000, 30_000):
        programs = {
            mode: (1, [gallery, "--measure", "arriving", pictures, str(speed), "6", flag])
            for mode, flag in (("without forecast", "0"), ("with", "1"))
        }
        measure(f"flung at {speed} pixels per second, 60 ms latency", rounds, programs)
    for count in (50, 500):
        command = [gallery, "--measure", "animations", pictures, str(count)]
        measure(f"{count} animations", rounds, {"gallery": (1, command)})
    command = [gallery, "--measure", "zooming", pictures]
    measure("zooming into 100 megapixels", rounds, {"gallery": (1, command)})


main()
