"""The figures that benchmarks print, and those that Benchmarks/README.md has."""

import re
from typing import NamedTuple

# Everything that the benchmarks have printed, beside the page.
OUTPUT = "Output.txt"


class Figure(NamedTuple):
    """A measured value with a goal."""

    benchmark: str
    name: str
    value: str
    unit: str
    # Such as `at most 0.5`.
    goal: str
    is_met: bool


def sections(text):
    """The title and the lines of each benchmark; it begins with `name: what it measures`."""
    found, current = {}, None
    for line in text.splitlines():
        heading = re.match(r"^([a-z][a-z0-9-]*): (.+)$", line)
        if heading:
            current = found.setdefault(heading[1], (heading[2], []))[1]
        elif current is not None:
            current.append(line)
    return found


def figures(text):
    """All values with a goal in the output of benchmarks."""
    for benchmark, (_, body) in sections(text).items():
        part = ""
        for line in body:
            label = re.match(r"^  ?([^ ].*):$", line)
            if label:
                part = f" ({label[1]})"
            found = re.match(r"^ *(ok|MISSED) +(.+): ([-\d.e+]+)(.*)\((at (?:most|least) [^)]+)\)$", line)
            if found:
                word, name, value, unit, goal = found.groups()
                yield Figure(benchmark, name + part, value, unit.rstrip(), goal, word == "ok")


def rows(figures):
    """The table of the page, the missed goals first."""
    yield "| benchmark | figure | measured | goal | |"
    yield "|---|---|---|---|---|"
    for one in sorted(figures, key=lambda one: one.is_met):
        mark = "" if one.is_met else "**missed**"
        yield f"| `{one.benchmark}` | {one.name} | {one.value}{one.unit} | {one.goal} | {mark} |"


def recorded(page):
    """The ratios in the table of the page, by benchmark and name."""
    row = re.compile(r"^\| `([^`]+)` \| ([^|]+ / [^|]+) \| ([\d.e+-]+)[^|]* \| at (?:most|least) ", re.MULTILINE)
    return {(found[1], found[2]): float(found[3]) for found in row.finditer(page)}
