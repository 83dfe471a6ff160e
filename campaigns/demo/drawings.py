"""The pictures of the demo: badges and portraits, drawn from circles and polygons."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable, Iterable

from PIL import Image, ImageDraw

from gangs.pictures.decoder import QUALITY, SIZES
from gangs.pictures.storage import Decoded
from rules.book.look import mix

# Pictures are drawn at twice the largest stored size, so that edges are smooth.
SIDE = 2 * SIZES[-1]
INK, PAPER = "#241f19", "#f5efe3"
SKIN = ("#f1cba6", "#e0ac7e", "#c58c5c", "#9a6440", "#6d4630")
HAIR = ("#2b211b", "#5b3a22", "#8f5a2a", "#b9a58a", "#d8d2c8", "#7d2f1f")
CLOTH = ("#3b3a36", "#4d3b2a", "#33424a", "#4a4232", "#5a3f3a")
Points = Iterable[tuple[float, float]]


class Canvas:
    """A square of 100 by 100 units. The origin is its upper left corner."""

    def __init__(self, ground: str) -> None:
        self.image = Image.new("RGB", (SIDE, SIDE), ground)
        self._draw = ImageDraw.Draw(self.image)

    def disc(self, x: float, y: float, wide: float, high: float, colour: str) -> None:
        """Draw an ellipse around its middle, with half its width and height."""
        box = [_at(x - wide), _at(y - high), _at(x + wide), _at(y + high)]
        self._draw.ellipse(box, fill=colour)

    def shape(self, points: Points, colour: str) -> None:
        """Draw a polygon."""
        self._draw.polygon([(_at(x), _at(y)) for x, y in points], fill=colour)

    def stroke(self, points: Points, colour: str, thick: float) -> None:
        """Draw a line through these points, with round ends."""
        path = list(points)
        line = [(_at(x), _at(y)) for x, y in path]
        self._draw.line(line, fill=colour, width=_at(thick), joint="curve")
        for x, y in (path[0], path[-1]):
            self.disc(x, y, thick / 2, thick / 2, colour)

    def as_stored(self) -> Decoded:
        """The picture in all stored sizes, like an uploaded picture."""
        return Decoded(tuple(map(self._jpeg, SIZES)))

    def _jpeg(self, side: int) -> bytes:
        out = io.BytesIO()
        # The sizes divide the drawing's exactly, so reducing is quick and smooth.
        self.image.reduce(SIDE // side).save(out, "JPEG", quality=QUALITY)
        return out.getvalue()


def badge(number: int, colour: str) -> Decoded:
    """The badge of a gang: one of the emblems, in a ring."""
    canvas = Canvas(colour)
    canvas.disc(50, 50, 47, 47, PAPER)
    canvas.disc(50, 50, 43.5, 43.5, colour)
    EMBLEMS[number % len(EMBLEMS)](canvas, colour)
    return canvas.as_stored()


def portrait(colour: str, dice: random.Random, *, bearded: bool) -> Decoded:
    """A head and shoulders before the gang's colour. ``bearded``: a beard is possible, and else
    the hair is long."""
    canvas = Canvas(mix(colour, PAPER, 0.45))
    canvas.disc(50, 44, 40, 40, mix(colour, PAPER, 0.25))
    skin, hair, cloth = dice.choice(SKIN), dice.choice(HAIR), dice.choice(CLOTH)
    if not bearded:
        canvas.disc(50, 52, 25, 30, hair)
    canvas.disc(50, 104, 40, 30, cloth)
    canvas.shape([(41, 60), (59, 60), (61, 82), (39, 82)], mix(skin, INK, 0.82))
    canvas.shape([(36, 77), (50, 90), (64, 77), (70, 84), (50, 99), (30, 84)], colour)
    canvas.disc(50, 46, 19, 23, skin)
    _features(canvas, skin, hair, dice, bearded=bearded)
    canvas.shape(_arc(50, 40, 19.5, 18.5, 180, 360), hair)
    dice.choice(HEADGEAR)(canvas, colour, cloth)
    return canvas.as_stored()


def _features(canvas: Canvas, skin: str, hair: str, dice: random.Random, *, bearded: bool) -> None:
    """Draw the eyes, nose and mouth and, on some faces, a beard, an eyepatch or a scar."""
    shade = mix(skin, INK, 0.6)
    for x in (42.5, 57.5):
        canvas.disc(x, 46, 1.9, 2.3, INK)
        canvas.stroke([(x - 4, 41.5), (x + 4, 41 + dice.choice((-1, 0, 1)))], hair, 1.8)
    canvas.stroke([(50, 46), (48.5, 53), (51, 53.5)], shade, 1.3)
    smile = dice.choice((-1.2, 0.6, 1.6))
    canvas.stroke([(44.5, 60), (50, 60 + smile), (55.5, 60)], shade, 1.6)
    match dice.randrange(9):
        case 0 if bearded:
            canvas.shape(_arc(50, 54, 19, 20, 0, 180), hair)
            canvas.stroke([(45, 60), (55, 60)], shade, 1.8)
        case 1 if bearded:
            canvas.stroke([(41, 58.5), (50, 56), (59, 58.5)], hair, 2.8)
        case 2:
            canvas.stroke([(32, 38), (66, 49)], INK, 1.4)
            canvas.disc(57.5, 46, 5, 4.6, INK)
        case 3:
            canvas.stroke([(36.5, 49), (42, 57)], mix("#a31621", skin, 0.6), 1.3)


def _brim(canvas: Canvas, colour: str, cloth: str) -> None:
    canvas.disc(50, 31, 35, 5.5, mix(cloth, INK, 0.7))
    canvas.shape([(33, 31), (36, 11), (44, 13), (50, 10), (56, 13), (64, 11), (67, 31)], cloth)
    canvas.shape([(33.4, 28.5), (66.6, 28.5), (67, 31.5), (33, 31.5)], colour)


def _hood(canvas: Canvas, colour: str, cloth: str) -> None:
    outside = _arc(50, 46, 30, 36, 150, 390)
    inside = reversed(_arc(50, 47, 18.5, 22, 150, 390))
    canvas.shape([*outside, *inside], cloth)


def _cap(canvas: Canvas, colour: str, cloth: str) -> None:
    canvas.shape(_arc(50, 34, 21, 18, 180, 360), colour)
    canvas.disc(46, 34, 24, 3.2, mix(colour, INK, 0.7))


def _bandana(canvas: Canvas, colour: str, cloth: str) -> None:
    canvas.shape([(30.5, 36), (33, 29), (67, 29), (69.5, 36)], colour)
    canvas.shape([(68, 31), (79, 36), (77, 43), (68, 35)], mix(colour, INK, 0.8))


def _bare(canvas: Canvas, colour: str, cloth: str) -> None:
    """Draw nothing over the hair."""


HEADGEAR = (_brim, _hood, _cap, _bandana, _bare, _bare)


def _sun(canvas: Canvas, ground: str) -> None:
    for turn in range(12):
        canvas.shape(
            [_around(turn * 30 + by, far) for by, far in ((-7, 20), (0, 37), (7, 20))], PAPER
        )
    canvas.disc(50, 50, 17, 17, PAPER)


def _moon(canvas: Canvas, ground: str) -> None:
    canvas.disc(47, 50, 30, 30, PAPER)
    canvas.disc(59, 45, 25, 25, ground)


def _tower(canvas: Canvas, ground: str) -> None:
    canvas.shape([(33, 80), (36, 42), (64, 42), (67, 80)], PAPER)
    for x in (30, 44.5, 59):
        canvas.shape([(x, 22), (x + 11, 22), (x + 11, 44), (x, 44)], PAPER)
    canvas.shape([(30, 34), (70, 34), (70, 42), (30, 42)], PAPER)
    canvas.shape([(44, 80), (44, 64), (50, 57), (56, 64), (56, 80)], ground)


def _blades(canvas: Canvas, ground: str) -> None:
    for left, right in ((26, 74), (74, 26)):
        canvas.stroke([(left, 24), (right, 76)], PAPER, 6)
        lean = (right - left) / 48
        canvas.stroke([(right - 18 * lean, 72), (right + 2 * lean, 54)], PAPER, 5)


def _wheel(canvas: Canvas, ground: str) -> None:
    canvas.disc(50, 50, 34, 34, PAPER)
    canvas.disc(50, 50, 27, 27, ground)
    for turn in range(0, 180, 45):
        canvas.stroke([_around(turn, 30), _around(turn + 180, 30)], PAPER, 4.5)
    canvas.disc(50, 50, 9, 9, PAPER)


def _waves(canvas: Canvas, ground: str) -> None:
    for y in (32, 50, 68):
        wave = [(x, y + 5 * math.sin((x - 20) / 60 * 3 * math.tau / 1.5)) for x in range(22, 79, 2)]
        canvas.stroke(wave, PAPER, 6)


def _pine(canvas: Canvas, ground: str) -> None:
    canvas.shape([(46, 84), (46, 66), (54, 66), (54, 84)], PAPER)
    for top, wide in ((16, 13), (29, 19), (44, 25)):
        canvas.shape([(50, top), (50 + wide, top + 25), (50 - wide, top + 25)], PAPER)


def _eye(canvas: Canvas, ground: str) -> None:
    canvas.shape([*_arc(50, 62, 37, 34, 200, 340), *_arc(50, 38, 37, 34, 20, 160)], PAPER)
    canvas.disc(50, 50, 13, 13, ground)
    canvas.disc(50, 50, 6, 6, PAPER)


def _crown(canvas: Canvas, ground: str) -> None:
    canvas.shape([(22, 34), (36, 50), (50, 24), (64, 50), (78, 34), (72, 72), (28, 72)], PAPER)
    canvas.stroke([(30, 65), (70, 65)], ground, 3)
    for x, y in ((22, 32), (50, 22), (78, 32)):
        canvas.disc(x, y, 4.5, 4.5, PAPER)


def _chevrons(canvas: Canvas, ground: str) -> None:
    for y in (36, 53, 70):
        canvas.stroke([(27, y), (50, y - 17), (73, y)], PAPER, 7)


def _key(canvas: Canvas, ground: str) -> None:
    canvas.disc(50, 30, 15, 15, PAPER)
    canvas.disc(50, 30, 8, 8, ground)
    canvas.stroke([(50, 45), (50, 81)], PAPER, 6)
    for y in (70, 79):
        canvas.stroke([(50, y), (63, y)], PAPER, 6)


def _flame(canvas: Canvas, ground: str) -> None:
    right = [(0, -34), (17, -8), (24, 10), (16, 28), (0, 34)]
    outline = [*right, (-16, 28), (-24, 10), (-12, -4), (-9, -14)]
    for grown, colour in ((1.0, PAPER), (0.52, ground)):
        canvas.shape([(50 + x * grown, 84 + (y - 34) * grown) for x, y in outline], colour)


EMBLEMS: tuple[Callable[[Canvas, str], None], ...] = (
    _blades,
    _sun,
    _pine,
    _wheel,
    _crown,
    _moon,
    _tower,
    _eye,
    _waves,
    _key,
    _chevrons,
    _flame,
)


def _at(part: float) -> int:
    return round(part * SIDE / 100)


def _around(degrees: float, far: float) -> tuple[float, float]:
    """The point at this distance from the middle, ``degrees`` clockwise from the top."""
    turn = math.radians(degrees - 90)
    return 50 + far * math.cos(turn), 50 + far * math.sin(turn)


def _arc(
    x: float, y: float, wide: float, high: float, first: int, last: int
) -> list[tuple[float, float]]:
    """The points of a part of an ellipse, clockwise, with 0 degrees on the right."""
    turns = map(math.radians, range(first, last + 1, 5))
    return [(x + wide * math.cos(turn), y + high * math.sin(turn)) for turn in turns]
