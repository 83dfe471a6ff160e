"""Draw the preview that chats show for a link: a picture of 1200 by 630, from plain values.

It knows no game: names, a sign, colours, faces. It takes a fifth of a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from io import BytesIO
from itertools import groupby

from fontTools.pens.recordingPen import RecordingPen
from fontTools.svgLib.path import parse_path
from fontTools.ttLib import TTFont
from PIL import Image, ImageChops, ImageDraw, ImageFont, ImageOps

from printing.press import FONTS
from printing.previews import MOST_FACES, Face, Preview
from printing.typesetting.measuring import MILLIMETRES, fitting_name, join_lines

WIDTH, HEIGHT = SIZE = (1200, 630)
MARGIN = 72
# The same colours as the band across the top of every page: static/skirmish.css.
GROUND, INK, FAINT = "#241f19", "#f5efe3", "#b7aa96"
STRIPE = 14
# The families of fonts: each letter is taken from the first font that has it.
SLAB = ("zilla-slab-latin-700", "zilla-slab-latin-ext-700")
SANS = tuple(
    f"fira-sans-{part}-600"
    for part in ("latin", "latin-ext", "vietnamese", "cyrillic", "cyrillic-ext", "greek")
)
DRAWN = ("noto-emoji-400",)
# A title gets the largest size at which it fits two lines.
TITLES = (84, 74, 64, 56, 48, 40)
ABOVE, FACTS, FOOT = 36, 42, 30
BADGE, FACE, GAP = 190, 112, 20
# How fine an emblem is cut out, and into how many pieces a curve is split.
FINE, PIECES = 2, 12
SIGN, SIGN_SHARE = 560, 0.16


def png(preview: Preview) -> bytes:
    """Return the picture. Equal previews give equal bytes."""
    picture = Image.new("RGB", SIZE, GROUND)
    sign = _sign(preview.emblem, SIGN).point(lambda light: round(light * SIGN_SHARE))
    picture.paste(preview.accent, (WIDTH - SIGN + 90, (HEIGHT - SIGN) // 2), sign)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, HEIGHT - STRIPE, WIDTH, HEIGHT), preview.accent)
    left = MARGIN
    if preview.badge is not None:
        _show(picture, preview.badge, (MARGIN, MARGIN), BADGE, round_=False)
        left += BADGE + 44
    top = MARGIN - 6
    if preview.above:
        _write(draw, (left, top), preview.above, SANS, ABOVE, preview.accent, WIDTH - MARGIN - left)
        top += ABOVE + 22
    size, lines = _fitted(preview.title, WIDTH - MARGIN - left)
    for line in lines:
        _write(draw, (left, top), line, SLAB, size, INK, WIDTH - MARGIN - left)
        top += round(size * 1.12)
    if preview.facts:
        _write(draw, (left, top + 14), preview.facts, SANS, FACTS, INK, WIDTH - MARGIN - left)
    for number, face in enumerate(preview.faces[:MOST_FACES]):
        _show(picture, face, (MARGIN + number * (FACE + GAP), 404), FACE, round_=True)
    _write(draw, (MARGIN, HEIGHT - STRIPE - 28 - FOOT), preview.foot, SANS, FOOT, FAINT, WIDTH // 2)
    written = BytesIO()
    picture.save(written, "PNG", compress_level=6)
    return written.getvalue()


def _show(
    picture: Image.Image, face: Face, at: tuple[int, int], size: int, *, round_: bool
) -> None:
    """Draw a face as a disc, or as a square with round corners."""
    shown = _portrait(face, size) or _lettered(face, size)
    mask = Image.new("L", (size * FINE, size * FINE))
    corner = size * FINE // (2 if round_ else 9)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, *(side - 1 for side in mask.size)), corner, 255)
    picture.paste(shown, at, mask.resize((size, size), Image.Resampling.LANCZOS))


def _portrait(face: Face, size: int) -> Image.Image | None:
    if face.picture is None:
        return None
    try:
        with Image.open(BytesIO(face.picture)) as opened:
            return ImageOps.fit(opened.convert("RGB"), (size, size))
    except OSError:
        # The picture is damaged: the reader sees the letters meanwhile.
        return None


def _lettered(face: Face, size: int) -> Image.Image:
    shown = Image.new("RGB", (size, size), face.colour)
    high = round(size * 0.42)
    at = ((size - _width(face.letters, SLAB, high)) // 2, round(size * 0.24))
    _write(ImageDraw.Draw(shown), at, face.letters, SLAB, high, INK, size)
    return shown


def _fitted(title: str, room: int) -> tuple[int, list[str]]:
    """Return the largest size at which a title takes two lines, and the lines. The second contains
    the rest of the title, to be cut.
    """
    size, lines = fitting_name(title, TITLES, room * MILLIMETRES, TITLES[0])
    first, *others = join_lines(lines).split("\n")
    return int(size), [first, " ".join(others)] if others else [first]


def _write(
    draw: ImageDraw.ImageDraw,
    at: tuple[int, int],
    text: str,
    family: tuple[str, ...],
    size: int,
    colour: str,
    room: int,
) -> None:
    """Write a line of text, with its end cut off where there is no room for it."""
    while text and _width(text, family, size) > room:
        text = text.rstrip("…")[:-1].rstrip() + "…"
    left = float(at[0])
    for name, part in _runs(text, family):
        font = _font(name, size)
        draw.text((left, at[1] + size), part, colour, font, anchor="ls")
        left += font.getlength(part)


def _width(text: str, family: tuple[str, ...], size: int) -> int:
    return round(sum(_font(name, size).getlength(part) for name, part in _runs(text, family)))


def _runs(text: str, family: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the text in pieces, each with the first font that has its letters."""
    fonts = dict.fromkeys((*family, *SANS, *DRAWN))

    def first(letter: str) -> str:
        return next((name for name in fonts if ord(letter) in _letters(name)), family[0])

    for name, letters in groupby(text, first):
        yield name, "".join(letters)


@cache
def _letters(name: str) -> frozenset[int]:
    return frozenset(TTFont(FONTS / f"{name}-normal.woff2").getBestCmap())


@cache
def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    # There are a dozen sizes in all.
    return ImageFont.truetype(FONTS / f"{name}-normal.woff2", size)


def _sign(path: str, size: int) -> Image.Image:
    """Return an emblem as a mask, with holes where it overlaps itself."""
    scale = size * FINE / 32
    mask = Image.new("1", (size * FINE, size * FINE))
    for outline in _outlines(path):
        inside = Image.new("1", mask.size)
        if len(outline) > 2:
            ImageDraw.Draw(inside).polygon([(x * scale, y * scale) for x, y in outline], 1)
        mask = ImageChops.logical_xor(mask, inside)
    return mask.convert("L").resize((size, size), Image.Resampling.LANCZOS)


def _outlines(path: str) -> Iterator[list[tuple[float, float]]]:
    """Yield each part of a path as the corners of a polygon."""
    pen = RecordingPen()
    parse_path(path, pen)
    outline: list[tuple[float, float]] = []
    for step, points in pen.value:
        if step == "moveTo":
            outline = [points[0]]
        elif step in ("closePath", "endPath"):
            yield outline
        else:
            start = outline[-1]
            outline += [_on_curve((start, *points), part / PIECES) for part in range(1, PIECES + 1)]


def _on_curve(points: Sequence[tuple[float, float]], share: float) -> tuple[float, float]:
    """Return a point of a line or curve (de Casteljau)."""
    while len(points) > 1:
        points = [
            (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share)
            for a, b in zip(points, points[1:], strict=False)
        ]
    return points[0]
