"""URLs of the image service as three independent client libraries build them.

Each case has a name, the options that the service must read from its URL in the service's own
notation (written by hand from the documentation of imgproxy), and one function per client.
"""

from dataclasses import dataclass
from typing import Callable

import imgproxy
from pyimgproxy.imgproxy import ImgProxy

try:
    from imgproxykit import client as kit_client
    from imgproxykit import options as kit
    from imgproxykit.transform import Transform
except ImportError:
    # It needs Python 3.12; without it the other clients are checked.
    kit_client = None

HOST = "http://images.example"


@dataclass
class Keys:
    """A key and a salt in hexadecimal, and the size of signatures in bytes."""

    key: str = ""
    salt: str = ""
    size: int = 32


@dataclass
class Case:
    """What a URL means, and how clients build it."""

    expected: str
    # The format and size of the result for a PNG of 300 × 200 pixels.
    result: tuple[str, int, int] | None = ("PNG", 300, 200)
    py: Callable | None = None
    kit: Callable | None = None
    classic: dict | None = None


CASES = [
    Case("", py=lambda image: image, kit=lambda: Transform()),
    Case(
        "resizing_type:fill/width:300/height:400/enlarge:1/gravity:sm/format:webp",
        result=("WEBP", 300, 400),
        py=lambda image: image.resize("fill", 300, 400, True).gravity("sm").format("webp"),
        kit=lambda: Transform(
            kit.Resize(mode="fill", width=300, height=400, enlarge=True),
            kit.Gravity(position="sm"),
            format="webp",
        ),
        classic={
            "resizing_type": "fill",
            "width": 300,
            "height": 400,
            "enlarge": True,
            "gravity": "sm",
            "extension": "webp",
        },
    ),
    Case(
        "resizing_type:auto/width:100/height:50/gravity:noea:10:20",
        result=("PNG", 100, 50),
        py=lambda image: image.resize("auto", 100, 50, False).gravity("noea", 10, 20),
        kit=lambda: Transform(
            kit.Resize(mode="auto", width=100, height=50),
            kit.Gravity(position="noea", offset_x=10, offset_y=20),
        ),
        classic={"width": 100, "height": 50, "gravity": "noea:10:20"},
    ),
    Case(
        "width:640/height:480/extend:1:so:0:0.1",
        result=("PNG", 640, 480),
        py=lambda image: image.size(640, 480, False, True, "so", 0, 0.1),
        kit=lambda: Transform(
            kit.Size(width=640, height=480),
            kit.Extend(value=True, gravity="so", offset_x=0, offset_y=0.1),
        ),
    ),
    Case(
        "resizing_type:fill-down/min-width:10/min-height:20/zoom:2:3/dpr:1.5",
        result=None,
        py=lambda image: image.resizing_type("fill-down")
        .min_width(10)
        .min_height(20)
        .zoom(2, 3)
        .dpr(1.5),
        kit=lambda: Transform(
            kit.Zoom(factor_x=2, factor_y=3),
            resizing_type="fill-down",
            min_width=10,
            min_height=20,
            dpr=1.5,
        ),
    ),
    Case(
        "extend_aspect_ratio:1",
        py=lambda image: image.extend_aspect_ratio(True),
        kit=lambda: Transform(kit.ExtendAspectRatio(value=True)),
    ),
    Case(
        "crop:0.5:100:fp:0.25:0.75",
        result=("PNG", 150, 100),
        py=lambda image: image.crop(0.5, 100, "fp", 0.25, 0.75),
        kit=lambda: Transform(
            kit.Crop(width=0.5, height=100, gravity="fp", offset_x=0.25, offset_y=0.75)
        ),
    ),
    Case(
        "trim:10:ff00ff:1:0/padding:10:20:10:20/auto_rotate:0/rotate:90",
        result=("PNG", 240, 320),
        py=lambda image: image.trim(10, "FF00FF", True)
        .padding(10, 20)
        .auto_rotate(False)
        .rotate(90),
        kit=lambda: Transform(
            kit.Trim(threshold=10, color="FF00FF", equal_hor=True),
            kit.Padding(top=10, right=20),
            auto_rotate=False,
            rotate=90,
        ),
    ),
    Case("flip:1:0", kit=lambda: Transform(kit.Flip(horizontal=True, vertical=False))),
    Case(
        "background:ff0080/blur:0.5/sharpen:2/pixelate:4",
        py=lambda image: image.background(hex_color="ff0080").blur(0.5).sharpen(2).pixelate(4),
        kit=lambda: Transform(
            kit.Background(color=(255, 0, 128)), blur=0.5, sharpen=2, pixelate=4
        ),
    ),
    Case(
        "brightness:-20/contrast:1.5/saturation:0.5",
        py=lambda image: image.brightness(-20).contrast(1.5).saturation(0.5),
    ),
    Case(
        "watermark:0.5:soea:10:10:0.2",
        kit=lambda: Transform(
            kit.Watermark(opacity=0.5, position="soea", offset_x=10, offset_y=10, scale=0.2)
        ),
    ),
    Case(
        "watermark:1:re:5:6:0",
        kit=lambda: Transform(
            kit.Watermark(opacity=1, position="re", offset_x=5, offset_y=6)
        ),
    ),
    Case(
        "quality:70/format:avif/strip_metadata:1/keep_copyright:0/strip_color_profile:1",
        result=("AVIF", 300, 200),
        py=lambda image: image.quality(70)
        .format("avif")
        .strip_metadata(True)
        .keep_copyright(False)
        .strip_color_profile(True),
        kit=lambda: Transform(
            quality=70,
            format="avif",
            strip_metadata=True,
            keep_copyright=False,
            strip_color_profile=True,
        ),
    ),
    Case(
        "format_quality:jpg:60:webp:70/max_bytes:20000/skip_processing:gif:png",
        kit=lambda: Transform(
            kit.FormatQuality(qualities=(("jpg", 60), ("webp", 70))),
            kit.SkipProcessing(formats=("png", "gif")),
            max_bytes=20000,
        ),
    ),
    Case("raw:1", py=lambda image: image.raw(True), kit=lambda: Transform(raw=True)),
    Case(
        "cachebuster:v2",
        py=lambda image: image.cachebuster("v2").return_attachment(True),
        kit=lambda: Transform(
            cachebuster="v2",
            return_attachment=True,
            expires=4102444800,
            filename="über den Wolken",
        ),
    ),
    Case(
        "max_src_resolution:20/max_src_file_size:100000/max_animation_frames:8"
        "/max_animation_frame_resolution:2",
        py=lambda image: image.max_src_resolution(20)
        .max_src_file_size(100000)
        .max_animation_frames(8)
        .max_animation_frame_resolution(2),
        kit=lambda: Transform(
            max_src_resolution=20,
            max_src_file_size=100000,
            max_animation_frames=8,
            max_animation_frame_resolution=2,
        ),
    ),
]


def urls(source: str, keys: Keys, case: Case, host: str = HOST) -> dict[str, str]:
    """The URLs of all clients that have the options of a case, by client."""
    found = {}
    is_plain = keys.size == 32
    if case.py and is_plain:
        image = ImgProxy(url=host, key=keys.key, salt=keys.salt).image(source)
        found["pyimgproxy"] = case.py(image).url
    if case.kit and kit_client:
        signing = {"key": keys.key, "salt": keys.salt, "signature_size": keys.size}
        client = kit_client.Client(host, **(signing if keys.key else {}))
        found["imgproxykit"] = client.url(source, transform=case.kit())
    if case.classic and is_plain:
        image = imgproxy.ImgProxy(
            source, proxy_host=host, key=keys.key, salt=keys.salt, **case.classic
        )
        found["imgproxy"] = str(image)
    return found
