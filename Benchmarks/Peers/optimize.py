"""Makes files smaller without loss, by kf optimize and by jpegtran, oxipng and gifsicle.

Usage: optimize.py KF PHOTOS PICTURES SCRATCH

PHOTOS is a folder of JPEG files, of which the first eight are used, PICTURES one of PNG files. PNGs
of reduced photographs and GIFs of a square that moves over them are made here. Fails if a pixel of a
result differs. Prints the bytes and the CPU time of kf relative to its peer.
"""

import os
import pathlib
import shutil
import sys

from PIL import Image, ImageChops, ImageSequence

kf = sys.argv[1]
photos, pictures, scratch = map(pathlib.Path, sys.argv[2:5])


def make_corpus(folder):
    """The files of each format."""
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
    return {"JPEG": jpegs, "PNG": pngs, "GIF": gifs}


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


print(f"{'':5} {'files':>5} {'source':>9} {'kf':>9} {'peer':>9}  bytes    CPU  peer")
for form, files in make_corpus(scratch / "corpus").items():
    peer, run = peers[form]
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
    print(f"{form:5} {len(files):5} {sizes[0]:9} {sizes[1]:9} {sizes[2]:9} "
          f"{sizes[1] / sizes[2]:6.3f} {seconds[0] / seconds[1]:6.2f}  {peer}")
