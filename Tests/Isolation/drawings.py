"""Writes drawings, one for each feature of SVG, and documents whose fonts are not embedded.

Usage: drawings.py FIXTURES FOLDER

Bitmaps inside of drawings are files of FIXTURES.
"""

import base64
import gzip
import pathlib
import sys

fixtures, folder = map(pathlib.Path, sys.argv[1:])

RECTANGLE = '<rect x="10" y="10" width="60" height="40" fill="#c30"/>'
TEXT = '<text x="5" y="40" font-size="20">{}</text>'
PATH = '<path d="M10 10 h50 v30 a8 4 20 1 0 -20 10 c5 5 10 0 4 9 q3 4 -9 0 z" {}/>'


def bitmap(kind, name):
    """An image element with the file of a fixture."""
    data = base64.b64encode((fixtures / name).read_bytes()).decode()
    return f'<image width="60" height="40" xlink:href="data:{kind};base64,{data}"/>'


def image_of(text, kind="image/svg+xml"):
    """An image element with a drawing inside."""
    data = base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()
    return f'<image width="60" height="40" xlink:href="data:{kind};base64,{data}"/>'


def drawing(body, attributes='width="100" height="60"'):
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink" {attributes}>{body}</svg>'
    )


def filtered(steps, attributes=""):
    return f'<filter id="f" {attributes}>{steps}</filter><g filter="url(#f)">{RECTANGLE}</g>'


SMALL = drawing(RECTANGLE)
LIGHTS = {
    "distant": '<feDistantLight azimuth="45" elevation="30"/>',
    "point": '<fePointLight x="20" y="20" z="30"/>',
    "spot": '<feSpotLight x="20" y="20" z="40" pointsAtX="40" pointsAtY="40" limitingConeAngle="30"/>',
}

BODIES = {
    "rectangle": RECTANGLE,
    "round": '<rect width="60" height="40" rx="9" ry="5"/><circle cx="50" cy="30" r="9"/>',
    "ellipse": '<ellipse cx="50" cy="30" rx="30" ry="9"/>',
    "lines": '<line x2="90" y2="50" stroke="red"/><polyline points="0,0 50,9 20,50" fill="none" stroke="#000"/>',
    "polygon": '<polygon points="0,0 50,9 20,50" fill-rule="evenodd"/>',
    "path": PATH.format(""),
    "dashes": PATH.format(
        'fill="none" stroke="#00f" stroke-width="4" stroke-dasharray="5 3" stroke-dashoffset="2" '
        'stroke-linecap="round" stroke-linejoin="bevel" stroke-miterlimit="3"'
    ),
    "markers": '<marker id="m" orient="auto" markerWidth="9" markerHeight="9"><circle r="3"/></marker>'
    + PATH.format('marker-start="url(#m)" marker-mid="url(#m)" marker-end="url(#m)"'),
    "linear": '<linearGradient id="g" gradientTransform="rotate(9)" spreadMethod="reflect"><stop '
    'stop-color="red"/><stop offset="1" stop-opacity=".2"/></linearGradient>'
    '<rect width="90" height="50" fill="url(#g)"/>',
    "radial": '<radialGradient id="g" fx=".2" fr=".1"><stop stop-color="red"/><stop offset="1"/>'
    '</radialGradient><rect width="90" height="50" fill="url(#g)"/>',
    "pattern": '<pattern id="p" width="9" height="9" patternUnits="userSpaceOnUse"><circle r="4"/></pattern>'
    '<rect width="90" height="50" fill="url(#p)"/>',
    "clip": f'<clipPath id="c"><circle cx="40" cy="30" r="20"/></clipPath><g clip-path="url(#c)">{RECTANGLE}</g>',
    "mask": '<mask id="m"><rect width="50" height="50" fill="#fff"/></mask>'
    f'<g mask="url(#m)">{RECTANGLE}</g>',
    "use": '<defs><symbol id="s" viewBox="0 0 9 9"><circle r="5"/></symbol></defs>'
    '<use xlink:href="#s" width="30" height="30"/>',
    "switch": '<switch><g systemLanguage="de">' + RECTANGLE + '</g><text y="20">else</text></switch>',
    "style": "<style>rect { fill: teal } @media print { rect { fill: red } } rect:first-child "
    "{ stroke: #123 }</style>" + RECTANGLE,
    "import": '<style>@import url("other.css"); @font-face { font-family: x; src: url(x.woff) }</style>' + RECTANGLE,
    "transforms": f'<g transform="translate(9) rotate(9 5 5) scale(.5) skewX(9) matrix(1 0 0 1 2 3)">{RECTANGLE}</g>',
    "opacity": f'<g opacity=".5" style="mix-blend-mode: multiply; isolation: isolate">{RECTANGLE}</g>',
    "nested": f'<svg x="9" width="30" height="30" viewBox="0 0 9 9">{RECTANGLE}</svg>',
    "script": "<script>alert(1)</script><foreignObject/>" + RECTANGLE,
    "link": f'<a xlink:href="https://example.com">{RECTANGLE}</a>',
    "elsewhere": '<image width="9" height="9" xlink:href="file:///etc/hostname"/><use xlink:href="other.svg#x"/>'
    + RECTANGLE,
    "animate": '<rect width="9" height="9"><animate attributeName="x" from="0" to="9" dur="1s"/></rect>',
    "colours": '<rect width="9" height="9" fill="hsl(10, 50%, 50%)" color="currentColor"/>'
    '<rect x="9" width="9" height="9" fill="rgba(1, 2, 3, .5)" stroke="currentColor"/>',
    "entity": TEXT.format("&lt;&#x263a;&amp;"),
    # Bitmaps.
    "png": bitmap("image/png", "rgb8.png"),
    "png16": bitmap("image/png", "rgba16.png"),
    "jpeg": bitmap("image/jpeg", "baseline.jpg"),
    "progressive": bitmap("image/jpeg", "progressive.jpg"),
    "gif": bitmap("image/gif", "still.gif"),
    "animated": bitmap("image/gif", "animated.gif"),
    "webp": bitmap("image/webp", "lossy.webp"),
    "avif": bitmap("image/avif", "profile.avif"),
    "bmp": bitmap("image/bmp", "rgb24.bmp"),
    "ico": bitmap("image/x-icon", "png.ico"),
    "tiff": bitmap("image/tiff", "lzw.tiff"),
    "unnamed": bitmap("", "rgb8.png"),
    "noise": '<image width="9" height="9" xlink:href="data:image/png;base64,AAAA"/>' + RECTANGLE,
    "svg": image_of(SMALL),
    "svgz": image_of(gzip.compress(SMALL.encode(), mtime=0)),
    "svg-png": image_of(drawing(bitmap("image/png", "rgb8.png"))),
    "interpolation": '<g image-rendering="pixelated">' + bitmap("image/png", "rgb8.png") + "</g>",
    # Filters.
    "blur": filtered('<feGaussianBlur stdDeviation="4"/>'),
    "blur-large": filtered('<feGaussianBlur stdDeviation="40 2"/>'),
    "shadow": filtered('<feDropShadow dx="3" dy="3" stdDeviation="2" flood-color="#00f"/>'),
    "shadow-of-old": filtered(
        '<feGaussianBlur in="SourceAlpha" stdDeviation="2"/><feOffset dx="3" dy="3" result="o"/>'
        '<feMerge><feMergeNode in="o"/><feMergeNode in="SourceGraphic"/></feMerge>'
    ),
    **{
        f"{kind}-{name}": filtered(
            f'<fe{kind.capitalize()}Lighting surfaceScale="3" lighting-color="#fc0">{light}'
            f"</fe{kind.capitalize()}Lighting>"
        )
        for kind in ("diffuse", "specular")
        for name, light in LIGHTS.items()
    },
    "blend": filtered('<feBlend in2="SourceAlpha" mode="luminosity"/>'),
    **{
        f"matrix-{kind}": filtered(f'<feColorMatrix type="{kind}" values="{values}"/>')
        for kind, values in {
            "matrix": "0 1 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 1 0",
            "saturate": ".3",
            "hueRotate": "90",
            "luminanceToAlpha": "",
        }.items()
    },
    "transfer": filtered(
        '<feComponentTransfer><feFuncR type="table" tableValues="0 .5 1"/><feFuncG type="gamma" '
        'exponent="2"/><feFuncB type="discrete" tableValues="0 1"/><feFuncA type="linear" slope=".5"/>'
        "</feComponentTransfer>"
    ),
    "composite": filtered('<feComposite in2="SourceAlpha" operator="arithmetic" k1=".5" k2=".5"/>'),
    "convolve": filtered('<feConvolveMatrix order="3" kernelMatrix="1 0 0 0 1 0 0 0 -1"/>'),
    "displace": filtered('<feTurbulence result="t"/><feDisplacementMap in="SourceGraphic" in2="t" scale="9"/>'),
    "turbulence": filtered('<feTurbulence type="fractalNoise" baseFrequency=".05" numOctaves="3"/>'),
    "flood": filtered('<feFlood flood-color="red" flood-opacity=".5"/>'),
    "morphology": filtered('<feMorphology operator="dilate" radius="2"/>'),
    "tile": filtered('<feOffset dx="3" width="9" height="9"/><feTile/>'),
    "feImage": filtered('<feImage xlink:href="' + bitmap("image/png", "rgb8.png").split('"')[-2] + '"/>'),
    "feImage-element": '<circle id="c" r="9"/>' + filtered('<feImage xlink:href="#c"/>'),
    "background": filtered('<feGaussianBlur in="BackgroundImage" stdDeviation="1"/>'),
    "linearRGB": filtered('<feGaussianBlur stdDeviation="2" color-interpolation-filters="linearRGB"/>'),
    "functions": f'<g style="filter: blur(2px) drop-shadow(2px 2px 2px red) sepia(.5)">{RECTANGLE}</g>',
    # Text.
    **{
        f"text-{name}": TEXT.format(words)
        for name, words in {
            "latin": "The quick brown fox",
            "thai": "สวัสดีชาวโลก ภาษาไทย",
            "lao": "ສະບາຍດີ",
            "khmer": "សួស្តី",
            "burmese": "မင်္ဂလာပါ",
            "tibetan": "བོད་སྐད་",
            "arabic": "مرحبا بالعالم",
            "hebrew": "שלום עולם",
            "devanagari": "नमस्ते दुनिया",
            "tamil": "வணக்கம்",
            "chinese": "你好，世界",
            "japanese": "こんにちは、世界",
            "korean": "안녕하세요",
            "emoji": "👩‍👩‍👧 🇩🇪 ☃",
            "mixed": "abc שלום ไทย 漢字 देव",
        }.items()
    },
    "text-styles": '<text y="20" font-family="serif" font-style="italic" font-weight="800" font-variant="small-caps" '
    'letter-spacing="2" word-spacing="3" text-decoration="underline">Styled <tspan dx="3" '
    'font-size="80%" baseline-shift="super">text</tspan></text>',
    "text-anchors": '<text x="50" y="20" text-anchor="middle" direction="rtl" unicode-bidi="embed">middle</text>',
    "text-vertical": '<text x="50" y="9" writing-mode="tb">down</text>',
    "text-path": '<path id="p" d="M0 30 q50 -30 90 0"/><text><textPath xlink:href="#p">along</textPath></text>',
    "text-language": '<text y="20" xml:lang="th">ไทย</text><text y="40" xml:lang="ja" font-family="IPAGothic">直</text>',
    "text-fonts": "".join(
        f'<text y="{9 * i}" font-size="9" font-family="{name}">{name}</text>'
        for i, name in enumerate(["Arial", "Helvetica Neue", "Verdana", "Courier New", "cursive", "fantasy", "system-ui"])
    ),
    "text-gradient": '<linearGradient id="g"><stop stop-color="red"/><stop offset="1"/></linearGradient>'
    '<text y="30" font-size="30" fill="url(#g)" stroke="#000">Fill</text>',
    "text-blurred": '<filter id="f"><feGaussianBlur stdDeviation="2"/></filter>'
    '<text y="30" filter="url(#f)">Blurred</text>',
}

for name, body in BODIES.items():
    (folder / f"{name}.svg").write_text(drawing(body), encoding="utf-8")
for name, text in {
    "boxed": drawing(RECTANGLE, 'viewBox="0 0 100 60" preserveAspectRatio="xMinYMax slice"'),
    "units": drawing(RECTANGLE, 'width="1in" height="10mm"'),
    "doctype": '<?xml version="1.0" encoding="UTF-8" standalone="no"?><!DOCTYPE svg PUBLIC '
    '"-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [<!ENTITY a "#c30">]>'
    + drawing('<rect width="60" height="40" fill="&a;"/>'),
    "stylesheet": '<?xml-stylesheet href="data:text/css,rect{fill:red}" type="text/css"?>' + SMALL,
}.items():
    (folder / f"{name}.svg").write_text(text, encoding="utf-8")
(folder / "latin1.svg").write_bytes(
    b'<?xml version="1.0" encoding="ISO-8859-1"?>' + drawing(TEXT.format("Grüße")).encode("latin-1")
)

# The fonts that every reader of PDF has.
FONTS = [
    *("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique"),
    *("Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"),
    *("Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique"),
    *("Symbol", "ZapfDingbats"),
]


def document(fonts):
    """A page with a line of text in each font."""
    parts = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]/Contents 4 0 R/Resources<</Font<<"
        + "".join(f"/F{i} {i + 5} 0 R" for i in range(len(fonts)))
        + ">>>>>>",
    ]
    lines = "".join(
        f"BT /F{i} 12 Tf 10 {280 - 18 * i} Td (Text of {font}) Tj ET\n" for i, font in enumerate(fonts)
    )
    parts.append(f"<</Length {len(lines)}>>stream\n{lines}endstream")
    parts += [
        f"<</Type/Font/Subtype/{'TrueType' if ',' in font else 'Type1'}/BaseFont/{font}>>" for font in fonts
    ]
    file, places = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(file))
        file += f"{number} 0 obj{part}endobj\n"
    table = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n"
    table += "".join(f"{place:010} 00000 n \n" for place in places)
    return f"{file}{table}trailer<</Size {len(places) + 1}/Root 1 0 R>>\nstartxref\n{len(file)}\n%%EOF\n"


for font in FONTS:
    (folder / f"{font}.pdf").write_text(document([font]))
(folder / "all.pdf").write_text(document(FONTS))
(folder / "windows.pdf").write_text(document(["Arial,Bold", "CourierNew,Italic", "Verdana,Bold"]))
