"""Makes files smaller without loss, by kf optimize and by jpegtran, oxipng and gifsicle, and PNGs of 256 colours, by
kf convert and by pngquant.

Usage: optimize.py KF PHOTOS PICTURES SCRATCH

PHOTOS is a folder of JPEG files, of which the first eight are used, PICTURES one of PNG files. PNGs
of reduced photographs, GIFs of a square that moves over them, and GIFs of flat colours are made here:
recordings of terminals, and interfaces that move; and screens of PNG. Fails if a pixel of a result without loss
differs. Prints the bytes and the CPU time of kf relative to its peer, and with 256 colours the difference of their
peak signal-to-noise ratios in decibels.
"""

import math
import os
import pathlib
import random
import shutil
import sys

from PIL import Image, ImageChops, ImageDraw, ImageFont, ImageSequence, ImageStat

kf = sys.argv[1]
photos, pictures, scratch = map(pathlib.Path, sys.argv[2:5])


def terminal(chance):
    """Lines of commands and output, drawn with smooth letters while they are typed."""
    width, height = chance.choice([(480, 300), (640, 400), (560, 320)])
    font, ground = ImageFont.load_default(chance.choice([12, 14])), chance.choice(["#14141c", "#000000", "#282c34"])
    colors, words = ["#dcdcdc", "#78dc78", "#e6786e", "#78aaf0", "#f0d278"], (
        "swift build test kf get convert release downsample image cache loading done error warning").split()
    lines = []

    def frame():
        image = Image.new("RGB", (width, height), ground)
        draw = ImageDraw.Draw(image)
        rows = height // 18 - 1
        for row, (text, color) in enumerate(lines[-rows:]):
            draw.text((6, 4 + row * 18), text, fill=color, font=font)
        if chance.random() < 0.7:
            left, top = 7 + draw.textlength(lines[-1][0], font=font), 4 + (min(len(lines), rows) - 1) * 18
            draw.rectangle((left, top, left + 7, top + 14), fill="#c8c8c8")
        return image

    for _ in range(12):
        command = "$ " + " ".join(chance.choices(words, k=3))
        lines.append(None)
        for length in range(2, len(command) + 1, 2):
            lines[-1] = command[:length], colors[0]
            yield frame()
        for _ in range(chance.randint(1, 5)):
            lines.append((" ".join(chance.choices(words, k=chance.randint(3, 8))), chance.choice(colors)))
            yield frame()


def interface(chance):
    """Cards under a bar, with a disc and a line of progress that move; in every other one the cards move too."""
    width, height = chance.choice([(320, 240), (400, 300), (480, 320)])
    font, accent = ImageFont.load_default(16), tuple(chance.randrange(40, 220) for _ in range(3))
    discs, moves, count = [tuple(chance.randrange(60, 230) for _ in range(3)) for _ in range(6)], chance.random() < 0.5, (
        chance.randint(24, 48))
    for step in range(count):
        part, large = step / count, Image.new("RGB", (2 * width, 2 * height), "#f5f5f8")
        draw = ImageDraw.Draw(large)
        draw.rectangle((0, 0, 2 * width, 72), fill=accent)
        shift = int(60 * abs(part * 4 % 2 - 1)) if moves else 0
        for row, color in enumerate(discs):
            top = 92 + 68 * row + shift
            draw.rounded_rectangle((20, top, 2 * width - 20, top + 56), 16, fill="white", outline="#d2d2d7")
            draw.ellipse((32, top + 12, 64, top + 44), fill=color)
        for end, color in ((1, "#dcdce1"), (max(0.1, part), accent)):
            draw.rounded_rectangle(
                (40, 2 * height - 44, 40 + (2 * width - 80) * end, 2 * height - 24), 10, fill=color)
        middle = width + 2 * width / 3 * (part * 2 % 1 - 0.5) * 2
        draw.ellipse((middle - 28, height - 28, middle + 28, height + 28), fill="#fa5a5a")
        image = large.resize((width, height), Image.Resampling.LANCZOS)
        for row in range(6):
            ImageDraw.Draw(image).text((42, 50 + 34 * row + shift // 2), f"Item {row}", fill="#1e1e1e", font=font)
        yield image


def desktop(chance, photo):
    """Windows with text, bars and photographs, above a photograph or a gradient."""
    width, height = chance.choice([(1280, 800), (1440, 900), (1024, 768)])
    if chance.random() < 0.5:
        image = photo.resize((width, height), Image.Resampling.LANCZOS)
    else:
        image = Image.new("RGB", (width, height))
        for y in range(height):
            color = (40 + y * 40 // height, 70 + y * 60 // height, 110 + y * 80 // height)
            image.paste(color, (0, y, width, y + 1))
    words = "the quick image cache window file open save list of words in a document that people read every day".split()
    draw, wide, high = ImageDraw.Draw(image), width // 2, height // 2 - 20
    for ground, bar, ink in (("white", "#ebebeb", "#222222"), ("#1e1e1e", "#303030", "#dddddd"),
                             ("#f6f5f4", "#ebebeb", "#222222")):
        x, y, font = chance.randrange(width // 2), chance.randrange(height // 2), ImageFont.load_default(
            chance.choice([12, 13, 15]))
        draw.rounded_rectangle((x, y, x + wide, y + high), 12, fill=ground, outline="#888888")
        draw.rectangle((x, y + 12, x + wide, y + 40), fill=bar)
        for row in range((high - 60) // 20):
            draw.text((x + 14, y + 50 + row * 20), " ".join(chance.choices(words, k=chance.randint(4, wide // 70))),
                      fill=ink, font=font)
        if chance.random() < 0.6:
            image.paste(photo.resize((160, 120)), (x + wide - 180, y + 60))
    return image


def make_pictures(folder):
    """Thirty screens, and thirty pictures of many colours: ten screens, photographs and photographs with soft alpha."""
    folder.mkdir(parents=True)
    sources = [Image.open(path).convert("RGB") for path in sorted(photos.glob("*.jpg"))[:10]]
    made = {}
    for seed, photo in enumerate(sources):
        chance = random.Random(100 + seed)
        made[f"desktop{seed}"] = desktop(chance, photo)
        made[f"terminal{seed}"] = list(terminal(chance))[-1]
        frames = list(interface(chance))
        made[f"interface{seed}"] = frames[len(frames) // 2]
        made[f"photo{seed}"] = photo.resize((640, 480), Image.Resampling.LANCZOS)
        made[f"soft{seed}"] = photo.resize((512, 384), Image.Resampling.LANCZOS)
        made[f"soft{seed}"].putalpha(
            Image.radial_gradient("L").resize((512, 384)).point(lambda v: max(0, min(255, int((200 - v) * 2 + 40)))))
    for name, image in made.items():
        image.save(folder / f"{name}.png")
    paths = {kind: [folder / f"{kind}{seed}.png" for seed in range(len(sources))]
             for kind in ("desktop", "terminal", "interface", "photo", "soft")}
    return ([path for kind in ("desktop", "terminal", "interface") for path in paths[kind]],
            {kind: paths[kind] for kind in ("desktop", "photo", "soft")})


def save(path, frames):
    """Writes whole frames with one palette, as many programs do."""
    sheet = Image.new("RGB", (frames[0].width, 16 * frames[0].height))
    for place in range(16):
        sheet.paste(frames[place * len(frames) // 16], (0, place * frames[0].height))
    palette = sheet.quantize(255, dither=Image.Dither.NONE)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    first.save(path, save_all=True, append_images=others, duration=80, loop=0, optimize=False, disposal=1)
    return path


def make_corpus(folder):
    """The files of each kind."""
    folder.mkdir(parents=True)
    jpegs = sorted(photos.glob("*.jpg"))[:8]
    pngs = sorted(pictures.glob("*.png"))[:8]
    gifs = []
    for number, path in enumerate(jpegs[:4]):
        small = Image.open(path).convert("RGB").resize((480, 320))
        small.save(folder / f"photo{number}.png")
        pngs.append(folder / f"photo{number}.png")
        frames = []
        for step in range(24):
            frame = small.copy()
            frame.paste((200, 30, 40), (step * 18, 140, step * 18 + 40, 180))
            frames.append(frame.quantize(255, dither=Image.Dither.NONE))
        gifs.append(folder / f"animation{number}.gif")
        # Whole frames, as many programs write them.
        frames[0].save(gifs[-1], save_all=True, append_images=frames[1:], duration=80, loop=0,
                       optimize=False, disposal=1)
    flat = {draw.__name__: [save(folder / f"{draw.__name__}{seed}.gif", list(draw(random.Random(seed))))
                            for seed in range(30)] for draw in (terminal, interface)}
    return {"JPEG": jpegs, "PNG": pngs, "GIF": gifs, **flat}


def cpu_of(arguments):
    """Seconds of CPU of a program that succeeds."""
    process = os.posix_spawnp(arguments[0], arguments, os.environ)
    _, status, usage = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"{arguments[0]} failed with status {status}")
    return usage.ru_utime + usage.ru_stime


def compress(source, target):
    """oxipng in a process of its own, whose start counts little beside its work."""
    script = "import oxipng, sys; oxipng.optimize(sys.argv[1], sys.argv[2], level=4)"
    return cpu_of([sys.executable, "-c", script, str(source), str(target)])


peers = {
    "JPEG": ("jpegtran", lambda source, target: cpu_of(
        ["jpegtran", "-copy", "all", "-optimize", "-progressive", "-outfile", str(target), str(source)])),
    "PNG": ("oxipng -o 4", compress),
    "GIF": ("gifsicle -O3", lambda source, target: cpu_of(
        ["gifsicle", "-O3", "-o", str(target), str(source)])),
}


def agree(one, other):
    """Whether two files show the same pixels in all frames."""
    with Image.open(one) as one, Image.open(other) as other:
        if getattr(one, "n_frames", 1) != getattr(other, "n_frames", 1):
            return False
        return all(
            ImageChops.difference(a.convert("RGBA"), b.convert("RGBA")).getbbox(alpha_only=False) is None
            for a, b in zip(ImageSequence.Iterator(one), ImageSequence.Iterator(other)))


def noise(one, other):
    """The peak signal-to-noise ratio of two PNGs in decibels, of premultiplied pixels; 99 of equal ones."""
    bands = []
    for path in (one, other):
        with Image.open(path) as image:
            *colors, alpha = image.convert("RGBA").split()
            bands.append([ImageChops.multiply(color, alpha) for color in colors] + [alpha])
    square = sum(ImageStat.Stat(ImageChops.difference(a, b)).sum2[0] for a, b in zip(*bands))
    width, height = bands[0][0].size
    return 10 * math.log10(255 ** 2 * 4 * width * height / square) if square > 0 else 99


screens, colorful = make_pictures(scratch / "pictures")
print(f"{'':9} {'files':>5} {'source':>9} {'kf':>9} {'peer':>9}  bytes    CPU  peer")
for form, files in {**make_corpus(scratch / "corpus"), "screens": screens}.items():
    peer, run = peers[form if form in peers else "PNG" if form == "screens" else "GIF"]
    sizes, seconds = [0, 0, 0], [0.0, 0.0]
    for source in files:
        made = [scratch / f"{which}{source.suffix}" for which in ("kf", "peer")]
        for path in made:
            path.unlink(missing_ok=True)
        seconds[0] += cpu_of([kf, "optimize", str(source), "-o", str(made[0]), "--quiet"])
        seconds[1] += run(source, made[1])
        # oxipng writes nothing if it gains nothing.
        if not made[1].exists():
            shutil.copy(source, made[1])
        if not agree(source, made[0]):
            sys.exit(f"{source}: the pixels of kf differ")
        for index, path in enumerate([source, *made]):
            sizes[index] += path.stat().st_size
    print(f"{form:9} {len(files):5} {sizes[0]:9} {sizes[1]:9} {sizes[2]:9} "
          f"{sizes[1] / sizes[2]:6.3f} {seconds[0] / seconds[1]:6.2f}  {peer}")

print(f"\n{'colours':9} {'files':>5} {'source':>9} {'kf':>9} {'peer':>9}  bytes    CPU     dB  peer")
for form, files in colorful.items():
    sizes, seconds, decibels = [0, 0, 0], [0.0, 0.0], 0.0
    for source in files:
        made = [scratch / "reduced" / source.name, scratch / "peer.png"]
        seconds[0] += cpu_of([kf, "convert", str(source), "-o", f"{made[0].parent}/", "--format", "png", "--colors", "256",
                              "--force", "--quiet"])
        seconds[1] += cpu_of(["pngquant", "256", "--force", "-o", str(made[1]), str(source)])
        decibels += (noise(source, made[0]) - noise(source, made[1])) / len(files)
        for index, path in enumerate([source, *made]):
            sizes[index] += path.stat().st_size
    print(f"{form:9} {len(files):5} {sizes[0]:9} {sizes[1]:9} {sizes[2]:9} "
          f"{sizes[1] / sizes[2]:6.3f} {seconds[0] / seconds[1]:6.2f} {decibels:6.2f}  pngquant")
