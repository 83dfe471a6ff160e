"""The ground of a drawn picture, with its emblem, faces and photos."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO

from fontTools.pens.recordingPen import RecordingPen
from fontTools.svgLib.path import parse_path
from PIL import Image, ImageChops, ImageDraw, ImageOps

from printing.pictures.lettering import SLAB, Family, width, write
from printing.pictures.values import Face

# The same colours as the band across the top of every page: static/skirmish.css.
GROUND, INK, FAINT = "#241f19", "#f5efe3", "#b7aa96"
STRIPE = 14
# How fine an emblem is cut out, and into how many pieces a curve is split.
FINE, PIECES = 2, 12
SIGN = 560


class Canvas:
    """A picture that is being drawn. ``right``: the end of its texts."""

    def __init__(
        self, size: tuple[int, int], emblem: str, accent: str, margin: int, share: float = 0.16
    ) -> None:
        """``share``: how strong the emblem is."""
        self.width, self.height = size
        self.accent, self.margin, self.right = accent, margin, self.width - margin
        self.image = Image.new("RGB", size, GROUND)
        sign = _sign(emblem, SIGN).point(lambda light: round(light * share))
        # In the middle of a wide picture, and at the foot of a tall one.
        top = (self.height - SIGN) // 2
        if self.height > self.width:
            top = self.height - SIGN - 90
        self.image.paste(accent, (self.width - SIGN + 90, top), sign)
        self.draw = ImageDraw.Draw(self.image)
        self.draw.rectangle((0, self.height - STRIPE, *size), accent)

    def write(
        self,
        at: tuple[float, float],
        text: str,
        family: Family,
        size: int,
        colour: str = INK,
        room: float | None = None,
    ) -> None:
        """Write a line of text, as long as the picture or its ``room``."""
        write(
            self.draw, at, text, family, size, colour, self.right - at[0] if room is None else room
        )

    def face(self, face: Face, at: tuple[int, int], size: int, *, is_round: bool) -> None:
        """Draw a face as a disc, or as a square with round corners."""
        shown = _portrait(face.picture, (size, size)) or _lettered(face, size)
        corner = size * FINE // (2 if is_round else 9)
        self._paste(shown, at, corner)

    def photo(self, content: bytes, box: tuple[int, int, int, int]) -> bool:
        """Fill a box (left, top, right, bottom) with the middle of a photo; False if it is
        damaged."""
        left, top, right, bottom = box
        shown = _portrait(content, (right - left, bottom - top))
        if shown is not None:
            self.image.paste(shown, (left, top))
        return shown is not None

    def _paste(self, shown: Image.Image, at: tuple[int, int], corner: int) -> None:
        size = shown.size
        mask = Image.new("L", (size[0] * FINE, size[1] * FINE))
        box = (0, 0, *(side - 1 for side in mask.size))
        ImageDraw.Draw(mask).rounded_rectangle(box, corner, 255)
        self.image.paste(shown, at, mask.resize(size, Image.Resampling.LANCZOS))

    def png(self) -> bytes:
        """Return the picture as a file."""
        written = BytesIO()
        self.image.save(written, "PNG", compress_level=6)
        return written.getvalue()


def _portrait(picture: bytes | None, size: tuple[int, int]) -> Image.Image | None:
    if picture is None:
        return None
    try:
        with Image.open(BytesIO(picture)) as opened:
            return ImageOps.fit(opened.convert("RGB"), size, Image.Resampling.LANCZOS)
    except OSError:
        # The picture is damaged: the reader sees the letters meanwhile.
        return None


def _lettered(face: Face, size: int) -> Image.Image:
    shown = Image.new("RGB", (size, size), face.colour)
    high = round(size * 0.42)
    at = ((size - width(face.letters, SLAB, high)) // 2, round(size * 0.24))
    write(ImageDraw.Draw(shown), at, face.letters, SLAB, high, INK, size)
    return shown


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
