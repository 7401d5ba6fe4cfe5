"""Writes the figures of README.md from the report and the list of declarations.

Usage: front_page.py [--check] README REPORT API

REPORT is Benchmarks/README.md with the output beside it, API is Tests/Contract/api.txt. Everything between the two marks in
README is replaced. With --check nothing is written, and the exit status is 1 if it would change. What a goal stands for is
left out while the report calls it missed.
"""

import pathlib
import re
import sys
import textwrap

from figures import OUTPUT, figures, sections

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
arguments = sys.argv[1:]
checks = arguments[0] == "--check"
readme, report, api = map(pathlib.Path, arguments[1:] if checks else arguments)
page = report.read_text()
output = (report.parent / OUTPUT).read_text()
benchmarks = sections(output)
goals = {(figure.benchmark, figure.name): figure.is_met for figure in figures(output)}


def found(benchmark, pattern):
    """The groups of the first line of a benchmark that has the pattern."""
    for line in benchmarks[benchmark][1]:
        match = re.search(pattern, line)
        if match:
            return match.groups()
    sys.exit(f"error: {report.parent / OUTPUT} has no line of {benchmark} with {pattern}")


def met(benchmark, *names):
    """Whether all goals with these names are reached."""
    for name in names:
        if (benchmark, name) not in goals:
            sys.exit(f"error: {report.parent / OUTPUT} has no goal of {benchmark} with the name {name}")
    return all(goals[benchmark, name] for name in names)


def rounded(text):
    """A number with two digits that count, or three above a hundred."""
    value = float(text)
    return f"{float(f'{value:.{3 if value >= 100 else 2}g}'):,.10g}"


def declarations():
    kinds = [line.split("\t")[0] for line in api.read_text().splitlines() if line.count("\t") >= 2]
    return sum(kind[0] not in "-?" and kind != "added" for kind in kinds), sum(kind[0] == "-" for kind in kinds)


def cpu(library, at_once):
    """Microseconds of CPU for a download of 50 KB."""
    return float(found("transfers", rf"^50k +{at_once} +{library} +([\d.]+) ")[0]) * 1000


def hit(entries):
    """Nanoseconds of a hit in memory without hashing the key, in one thread."""
    return found("memory", rf"^ +{entries} +1 +(\d+) ns ")[0]


def cold(program):
    """Thumbnails a second, the most of 8 and 64 connections: few are not spread evenly over processes."""
    rates = (found("service", rf"^ +{program} +{at_once} connections +([\d.]+)/s")[0] for at_once in (8, 64))
    return rounded(max(rates, key=float))


def bullets():
    present, left_out = declarations()
    yield (f"**Compatible.** {present} declarations of the original's public API are here, checked with every change; "
           f"{left_out} are left out because they need UIKit, Core Image, Photos and the like.")
    if met("convert", "time", "CPU", "memory"):
        ours, our_memory = found("convert", r"^ +kf +([\d.]+) s .* ([\d.]+) MB")
        theirs, their_memory = found("convert", r"^ +vips +([\d.]+) s .* ([\d.]+) MB")
        yield (f"**Fast.** `kf convert` makes thumbnails of 200 photographs of 12 megapixels in {rounded(ours)} s on two "
               f"cores and takes {rounded(our_memory)} MB. One process of `vipsthumbnail` takes {rounded(theirs)} s and "
               f"{rounded(their_memory)} MB; beside two at once (`xargs -P2`) `kf` [took](Benchmarks/Notes.md) 0.83 of "
               "the time and 0.75 of the CPU, at a higher quality. (`convert`)")
    (memory,) = found("megapixels", r"^ +100 +[\d.]+ +[\d.]+ +([\d.]+) ")
    yield (f"**Small.** A program that makes a thumbnail of a baseline JPEG of 100 megapixels takes {rounded(memory)} MB "
           "in all, not the 400 MB of its pixels. A progressive one "
           "[took](Benchmarks/Notes.md) 344 MB, as with libvips. (`megapixels`)")
    if met("memory", "ns per hit of 1000, one thread, CPU, hash carried"):
        yield (f"**Cached.** A hit in memory takes {hit(1000)} ns among a thousand images and {hit(1000000)} ns among a "
               "million, once its key is hashed. (`memory`)")
    if met("sharing", "CPU time / ten managers", "wall time / ten managers"):
        (shared,) = found("sharing", r"^ +at once, shared .*wall +([\d.]+) ms")
        (alone,) = found("sharing", r"^ +at once, ten managers .*wall +([\d.]+) ms")
        yield (f"**Shared.** Ten sizes of one photograph at once cost one download and one decode: {rounded(shared)} ms "
               f"instead of {rounded(alone)} ms. (`sharing`)")
    if met("transfers", "50k, 8 at a time, Kingfisher, requests per second / URLSession"):
        yield (f"**Lighter than `URLSession`.** With eight downloads at once, one of 50 KB takes "
               f"{rounded(cpu('Kingfisher', 8))} µs of CPU. `URLSession` on Linux takes {rounded(cpu('URLSession', 8))} "
               f"µs, libcurl alone {rounded(cpu('libcurl', 8))} µs. (`transfers`)")
    yield ("**Safe with untrusted files.** Limits apply before memory is allocated, decoders are fuzzed with every "
           "change, and `.isolated` decodes in worker processes that may do little else.")
    if met("service", "cold, 8 connections, own quality / decoding alone", "hot, requests per second"):
        (hot,) = found("service", r"^ +hot: nginx .*the service (\d+)/s")
        yield (f"**A service, too.** `Scripts/serve.sh` starts an image service with the URLs of imgproxy. It makes "
               f"{cold('the service')} thumbnails of 12-megapixel photographs a second on two cores, and "
               f"{cold('the service, prefers speed')} in the quality of thumbor, which makes "
               f"{cold('thumbor, one per core')} with a process per core. It sends {rounded(hot)} a second from memory. "
               "(`service`)")


def text():
    for bullet in bullets():
        yield textwrap.fill(bullet, 120, initial_indent="* ", subsequent_indent="  ", break_long_words=False,
                            break_on_hyphens=False)
    (machine,) = re.search(r"^Measured on (.+?); the machine was", page, re.MULTILINE).groups()
    yield ""
    yield textwrap.fill(f"The word in brackets is the benchmark: `Scripts/bench.sh convert` repeats the first one on your "
                        f"machine. These were measured on {machine}. [All figures](Benchmarks/README.md), with the goals "
                        "that are missed.", 120, break_on_hyphens=False)


whole = readme.read_text()
before, rest = whole.split(BEGIN, 1)
made = f"{before}{BEGIN}\n" + "\n".join(text()) + f"\n{END}" + rest.split(END, 1)[1]
if checks:
    if made != whole:
        sys.exit(f"error: the figures of {readme} are not those of {report} and {api}; run Scripts/pages.sh --figures")
else:
    readme.write_text(made)
