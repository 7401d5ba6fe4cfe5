#!/usr/bin/env python3
"""Computes the table of sizes that GeometryTableTests checks: geometry.py > geometry.tsv.

Exact fractions, written from the options' documentation and not from the Swift code. A line has
the case and the expected result; see `columns`.
"""
import itertools
import math
import random
from fractions import Fraction as F

columns = ("source", "options", "crop", "scaled", "kept", "canvases", "size", "dpr")


def half_up(x):
    return math.floor(x + F(1, 2))


def side(x):
    return max(1, half_up(x))


def along(axis, gravity, inner, outer, factor):
    kind = gravity[0]
    if kind == "fp":
        place = outer * F(gravity[1 + axis]) - F(inner, 2)
    else:
        offset = F(gravity[1 + axis])
        pixels = offset * factor if abs(offset) >= 1 else offset * outer
        first, last = (("we", "ea"), ("no", "so"))[axis]
        if first in kind:
            place = pixels
        elif last in kind:
            place = outer - inner - pixels
        else:
            place = F(outer - inner, 2) + pixels
    return min(max(half_up(place), 0), outer - inner)


def split(name):
    """`noea` contains both `no` and `ea`, but `so` must not be found in `nowe`."""
    return {name[i:i + 2] for i in range(0, len(name), 2)} if name != "fp" else name


def frame(gravity, inner, outer, factor):
    gravity = (split(gravity[0]),) + tuple(gravity[1:])
    return tuple(along(a, gravity, inner[a], outer[a], factor) for a in (0, 1)) + inner


def result(source, o, shrink=F(1), rounds=8):
    part = source
    if "crop" in o:
        part = tuple(
            s if c == 0 else min(s, max(1, half_up(c * s if c < 1 else c)))
            for s, c in zip(source, map(F, o["crop"][:2]))
        )
    gravity = o.get("gravity", ("ce", 0, 0))
    crop_gravity = o["crop"][2] if "crop" in o and len(o["crop"]) > 2 else gravity
    crop = None if part == source else frame(crop_gravity, part, source, F(1))

    wanted = (o.get("width", 0), o.get("height", 0))
    ratios = [F(w, p) if w else None for w, p in zip(wanted, part)]
    kind = o.get("type", "fit")
    if kind == "auto":
        landscape = lambda size: size[0] >= size[1]
        kind = "fill" if all(wanted) and landscape(part) == landscape(wanted) else "fit"
    if kind == "force":
        scale = [r or F(1) for r in ratios]
    else:
        given = [r for r in ratios if r]
        one = (max if kind.startswith("fill") else min)(given) if given else F(1)
        scale = [one, one]
    zoom = [F(z) for z in o.get("zoom", (1, 1))]
    scale = [s * z for s, z in zip(scale, zoom)]
    dpr = F(o.get("dpr", 1))
    if not o.get("enlarge"):
        dpr = min(dpr, max(F(1), 1 / max(scale)))
    scale = [s * dpr for s in scale]
    asked = dpr * shrink
    if not o.get("enlarge") and max(scale) > 1:
        if dpr < 1 and "extend" not in o:
            dpr /= max(scale)
        scale = [s / max(scale) for s in scale]
    scale = [s * shrink for s in scale]
    dpr *= shrink
    least = [F(m) * asked / (p * s) for m, p, s in zip(o.get("min", (0, 0)), part, scale)]
    if max(least) > 1:
        scale = [s * max(least) for s in scale]
    scaled = tuple(side(p * s) for p, s in zip(part, scale))

    box = [w * z * asked for w, z in zip(wanted, zoom)]
    limit = list(box)
    if kind == "fill-down" and all(box):
        limit = [b * min(F(1), min(F(s) / b for s, b in zip(scaled, box))) for b in box]
    kept = tuple(min(s, side(l)) if l else s for s, l in zip(scaled, limit))
    kept_frame = None if kept == scaled else frame(gravity, kept, scaled, dpr)

    canvases, now = [], kept
    if "extend" in o:
        canvas = tuple(max(n, half_up(b)) for n, b in zip(now, box))
        if canvas != now:
            canvases.append(canvas + frame(o["extend"], now, canvas, dpr)[:2])
            now = canvas
    if "exar" in o and all(box):
        need = (now[1] * box[0] / box[1], now[0] * box[1] / box[0])
        canvas = tuple(n if w - n < 1 else half_up(w) for n, w in zip(now, need))
        if canvas != now:
            canvases.append(canvas + frame(o["exar"], now, canvas, dpr)[:2])
            now = canvas
    top, right, bottom, left = (half_up(p * dpr) for p in o.get("padding", (0, 0, 0, 0)))
    size = (now[0] + left + right, now[1] + top + bottom)
    most = o.get("most")
    if most and max(size) > most:
        # A ratio such as 64 : 1 has no size within 50 pixels, since every side is at least 1.
        return rounds and result(source, o, shrink * F(most, max(size)), rounds - 1)
    return crop, scaled, kept_frame, canvases, size, dpr


def text(value):
    if value is None:
        return "-"
    if isinstance(value, (list, tuple)):
        return ",".join(map(text, value))
    return str(value)


def options_text(o):
    return ";".join(f"{k}={text(v)}" for k, v in o.items()) or "-"


def cases():
    sources = [(1000, 667), (667, 1000), (500, 500), (300, 120), (1, 1), (4000, 3), (4032, 3024)]
    boxes = [(400, 400), (400, 0), (0, 300), (600, 200), (200, 600), (1200, 900), (0, 0), (333, 77)]
    kinds = ["fit", "fill", "fill-down", "force", "auto"]
    for source, box, kind, enlarge in itertools.product(sources, boxes, kinds, (0, 1)):
        if enlarge and source == (4000, 3):
            continue
        o = {"type": kind, "width": box[0], "height": box[1]}
        if enlarge:
            o["enlarge"] = 1
        yield source, o
    dice = random.Random(18)
    names = ["no", "so", "ea", "we", "noea", "nowe", "soea", "sowe", "ce"]

    def gravity():
        if dice.random() < 0.25:
            return ("fp", dice.choice(["0", "0.25", "0.5", "0.9", "1"]), dice.choice(["0.1", "0.5", "1"]))
        # Offsets without a binary error, or far from a half.
        return (dice.choice(names), dice.choice([0, 5, -7, "0.25", "-0.125", 2000]),
                dice.choice([0, 3, -11, "0.5", 40]))

    while True:
        source = (dice.randint(1, 3000), dice.randint(1, 3000))
        o = {"type": dice.choice(kinds), "width": dice.choice([0, 1, 64, 200, 333, 640, 1000]),
             "height": dice.choice([0, 1, 64, 150, 333, 480, 1000])}
        chance = lambda share: dice.random() < share
        if chance(.3): o["enlarge"] = 1
        if chance(.5): o["dpr"] = dice.choice(["2", "1.5", "3", "0.5", "2.625"])
        if chance(.2): o["zoom"] = (dice.choice(["0.5", "2"]), dice.choice(["0.5", "1.25"]))
        if chance(.2): o["min"] = (dice.choice([0, 100, 900]), dice.choice([0, 50, 700]))
        if chance(.5): o["gravity"] = gravity()
        if chance(.3):
            o["crop"] = (dice.choice([0, 1, 100, "0.5", 5000]), dice.choice([0, 80, "0.25", "0.75"]))
            if chance(.5): o["crop"] += (gravity(),)
        if chance(.3): o["extend"] = gravity()
        if chance(.2): o["exar"] = gravity()
        if chance(.3): o["padding"] = tuple(dice.choice([0, 1, 7, 40]) for _ in range(4))
        if chance(.2): o["most"] = dice.choice([50, 300, 777])
        yield source, o


def main():
    print("\t".join(columns))
    for source, o in itertools.islice(cases(), 1200):
        found = result(source, o)
        if not found:
            print("\t".join([text(source), options_text(o), "-", "-", "-", "-", "422", "-"]))
            continue
        crop, scaled, kept, canvases, size, dpr = found
        if max(size + scaled) > 32767:
            continue
        print("\t".join([text(source), options_text(o), text(crop), text(scaled), text(kept),
                         "|".join(map(text, canvases)) or "-", text(size), f"{float(dpr):.9f}"]))


main()
