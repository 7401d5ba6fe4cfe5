"""Writes the tables, the output and the plots of Benchmarks from the output of all benchmarks.

Usage: report.py OUTPUT README PLOTS

OUTPUT is the text that the benchmarks have printed, one after the other. Everything between the two
marks in README is replaced, OUTPUT is kept beside it, and so is Libraries.md, which has the costs
beside other libraries; PLOTS is the folder for the plots.
"""

import datetime
import os
import pathlib
import platform
import re
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plot  # noqa: E402

from figures import OUTPUT, figures, rows, sections  # noqa: E402

text = pathlib.Path(sys.argv[1]).read_text()
readme, plots = map(pathlib.Path, sys.argv[2:4])
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

benchmarks = sections(text)


def lines(name):
    return benchmarks.get(name, ("", []))[1]


def races():
    """The table of costs beside other libraries."""
    yield "| benchmark | library | CPU, ms | wall, ms | peak, MB | result, KB | our CPU / theirs |"
    yield "|---|---|---|---|---|---|---|"
    for name, (title, body) in benchmarks.items():
        if not any("ours/theirs" in line for line in body):
            continue
        for line in body:
            row = re.match(r"^  (\S.*?)  +([\d.]+) +([\d.]+) +([\d.]+)(.*)$", line)
            if row is None or "CPU" in line:
                continue
            library, cpu, wall, _, rest = row.groups()
            numbers = rest.split()
            ratio = numbers[0] if library not in ("Kingfisher",) and len(numbers) >= 5 else ""
            tail = numbers[2:] if ratio else numbers
            if len(tail) < 3:
                continue
            yield f"| `{name}` | {library} | {cpu} | {wall} | {tail[0]} | {tail[2]} | {ratio} |"


# --- Plots -----------------------------------------------------------------------------------

GREEN, GREY, BLUE, BROWN, LIGHT_GREEN = "#0b7a4b", "#8a8f98", "#2f6fbf", "#9a6324", "#6cc49a"


def axes(title, x, y, x_scale="log", y_scale="linear"):
    figure, area = plot.subplots(figsize=(6, 3.4), layout="constrained")
    area.set(title=title, xlabel=x, ylabel=y, xscale=x_scale, yscale=y_scale)
    # 1, 10, 100 instead of powers of ten.
    for axis, scale in ((area.xaxis, x_scale), (area.yaxis, y_scale)):
        if scale == "log":
            axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    area.grid(True, color="#dddddd", linewidth=0.6)
    for side in ("top", "right"):
        area.spines[side].set_visible(False)
    return figure, area


def save(figure, area, name):
    area.set_ylim(bottom=0) if area.get_yscale() == "linear" else None
    # Several curves fill the area; their names go beside it.
    if len(area.get_lines()) > 3:
        figure.set_size_inches(8, 3.4)
        area.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    else:
        area.legend(frameon=False)
    plots.mkdir(parents=True, exist_ok=True)
    # Without a date and random names, so that the same figures give the same file.
    matplotlib.rcParams["svg.hashsalt"] = "kingfisher"
    figure.savefig(plots / f"{name}.svg", metadata={"Date": None})
    plot.close(figure)
    return f"![{area.get_title()}](Plots/{name}.svg)"


def memory_plot():
    rows = [line.split() for line in lines("memory") if re.match(r"^ +\d+ +[12] ", line)]
    if not rows:
        return
    figure, area = axes("A hit in memory", "entries", "ns", y_scale="log")
    for threads, style in (("1", "-"), ("2", "--")):
        chosen = [row for row in rows if row[1] == threads]
        entries = [int(row[0]) for row in chosen]
        # entries, threads, then pairs of a number and "ns".
        area.plot(entries, [float(row[4]) for row in chosen], style, color=GREEN, marker="o",
                  label=f"ImageCache, {threads} thread{'s' if threads == '2' else ''}")
        area.plot(entries, [float(row[8]) for row in chosen], style, color=GREY, marker="o",
                  label=f"a cache with one lock, {threads} thread{'s' if threads == '2' else ''}")
    yield save(figure, area, "memory")


def megapixel_plots():
    rows = [list(map(float, line.split())) for line in lines("megapixels") if re.match(r"^ +[\d.]+ +[\d.]+ ", line)]
    if not rows:
        return
    sizes = [row[0] for row in rows]
    for name, title, unit, ours, theirs in (
        ("megapixels-cpu", "A thumbnail of a JPEG: CPU time", "ms", 1, 2),
        ("megapixels-memory", "A thumbnail of a JPEG: memory of the process", "MB", 3, 4),
    ):
        figure, area = axes(title, "megapixels", unit)
        area.plot(sizes, [row[ours] for row in rows], color=GREEN, marker="o", label="Kingfisher")
        area.plot(sizes, [row[theirs] for row in rows], color=GREY, marker="o", label="vipsthumbnail")
        yield save(figure, area, name)


def sizes_plot():
    rows = [re.match(r"^ +(\d+) sizes +CPU +([\d.]+) ms, wall +([\d.]+) ms", line) for line in lines("sharing")]
    rows = [tuple(map(float, row.groups())) for row in rows if row]
    if not rows:
        return
    figure, area = axes("Sizes of one 12 MP JPEG at once", "sizes", "ms", x_scale="linear")
    area.plot([row[0] for row in rows], [row[2] for row in rows], color=GREEN, marker="o", label="wall time")
    area.plot([row[0] for row in rows], [row[1] for row in rows], "--", color=GREEN, marker="o", label="CPU time")
    yield save(figure, area, "sizes")


def service_plot():
    found = {}
    for line in lines("service"):
        row = re.match(r"^  (\S.*?) +(\d+) connections +([\d.]+)/s", line)
        if row and int(row[2]) <= 64:
            found.setdefault(row[1], []).append((int(row[2]), float(row[3])))
    if not found:
        return
    figure, area = axes("The image service: thumbnails of 12 MP photographs", "connections", "per second")
    for (title, points), color in zip(found.items(), (GREEN, BLUE, LIGHT_GREEN, BROWN, GREY)):
        area.plot(*zip(*points), color=color, marker="o", label=title)
    yield save(figure, area, "service")


def transfers_plot():
    found = {}
    for line in lines("transfers"):
        row = re.match(r"^50k +(\d+) +(\S.*?) +[\d.]+ +(\d+) ", line)
        if row:
            found.setdefault(row[2], []).append((int(row[1]), int(row[3])))
    if not found:
        return
    figure, area = axes("Downloads of 50 KB", "at once", "per second")
    for (title, points), color in zip(found.items(), (GREEN, LIGHT_GREEN, BLUE, GREY)):
        area.plot(*zip(*points), color=color, marker="o", label=title)
    yield save(figure, area, "transfers")


# --- The page --------------------------------------------------------------------------------

processor = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                 platform.machine())
# Before the first benchmark; later, the load is that of the benchmarks themselves.
load = next((float(value) for value in re.findall(r"load (\d+\.\d+)", text)), 0.0)
quiet = "quiet" if load <= 1.5 * (os.cpu_count() or 1) else "**not quiet**: believe ratios rather than times"
distribution = next((line.split("=", 1)[1].strip().strip('"') for line in open("/etc/os-release")
                     if line.startswith("PRETTY_NAME=")), platform.system())
kernel = ".".join(platform.release().split(".")[:2])
machine = (f"Measured on {os.cpu_count()} cores of an {processor}, {distribution}, Linux {kernel}; "
           f"the machine was {quiet}. Date: {datetime.date.today()}.")
page = [BEGIN, "", machine, "", "## Ratios and goals", "", *rows(figures(text)), "", "## Growth", "",
        *memory_plot(), *megapixel_plots(), *sizes_plot(), *transfers_plot(), *service_plot(), "", END]
libraries = ["# Beside other libraries", "", machine, "", *races()]
(readme.parent / "Libraries.md").write_text("\n".join(libraries) + "\n")
(readme.parent / OUTPUT).write_text(text.strip() + "\n")
whole = readme.read_text()
before, rest = whole.split(BEGIN, 1)
readme.write_text(before + "\n".join(page) + rest.split(END, 1)[1])
