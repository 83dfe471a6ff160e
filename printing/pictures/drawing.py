"""Turn the content of a picture into a job for the press. It knows no game: names, a sign, colours,
faces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from printing.pictures.blocks import Drawn, Measures, css, draw, lay_out
from printing.pictures.values import (
    MOST_FACES,
    SIZES,
    Block,
    Face,
    Named,
    People,
    Preview,
    Ranking,
    Shape,
    Spotlight,
    Values,
    Versus,
)
from printing.press.jobs import Job, picture_address
from typesetting.measuring import MILLIMETRES, fitting_name, join_lines

STYLES = ("fonts", "pictures")
# No font of ours has the arrow of "attacker → target".
DRAWABLE = str.maketrans({"→": "–"})
# The stripe at the foot, and the emblem behind everything.
STRIPE, SIGN = 14, 560
# Between the head and the blocks, and beside a face.
BELOW, ASIDE = 30, 32
# Longer texts are cut before they are measured: no picture has room for more letters.
MOST_LETTERS = 400


@dataclass(frozen=True)
class Layout:
    """Sizes of a picture, in pixels. ``titles``: for the title, from the largest; ``badge`` and
    ``portrait``: of faces in the head; ``photo``: the short side of a photo.
    """

    margin: int
    titles: tuple[int, ...]
    above: int
    facts: int
    foot: int
    badge: int
    portrait: int = 0
    photo: int = 0
    measures: Measures | None = None


PREVIEW = Layout(margin=72, titles=(84, 74, 64, 56, 48, 40), above=36, facts=42, foot=30, badge=190)
LAYOUTS: Mapping[Shape, Layout] = {
    "wide": Layout(
        margin=52,
        titles=(60, 52, 44, 36, 30),
        above=28,
        facts=30,
        foot=24,
        badge=132,
        portrait=236,
        photo=440,
        measures=Measures(row=72, line=42, field=86, face=110, text=38, label=20),
    ),
    "tall": Layout(
        margin=64,
        titles=(84, 72, 60, 50, 40),
        above=34,
        facts=36,
        foot=28,
        badge=180,
        portrait=452,
        photo=480,
        measures=Measures(row=92, line=54, field=112, face=170, text=56, label=26),
    ),
}
# The faces of a preview: their size, the space between them and their top.
FACE, BETWEEN, FACES_TOP = 112, 20, 404


@dataclass(frozen=True)
class Head:
    """The upper part of a picture: the words beside a badge, or below a portrait. ``fields``: the
    characteristics next to a portrait; ``high``: its height in pixels.
    """

    lines: tuple[str, ...]
    sizes: Mapping[str, float]
    fields: Drawn | None
    high: int

    @property
    def style(self) -> SafeString:
        """The sizes for the template."""
        return css(self.sizes)


def job(preview: Preview) -> Job:
    """Return the picture for the press. Equal previews give equal jobs."""
    layout = LAYOUTS[preview.shape] if preview.blocks else PREVIEW
    wide, high = SIZES[preview.shape]
    left, top, right = layout.margin, layout.margin, wide - layout.margin
    if preview.photo and preview.shape == "tall":
        top = layout.photo + 44
    elif preview.photo:
        right = wide - layout.photo - 40
    blocks = list(preview.blocks)
    values = blocks.pop(0) if preview.is_portrait and isinstance(blocks[0], Values) else None
    head = _head(preview, layout, right - left, values)
    below = top + head.high + BELOW
    room = high - STRIPE - layout.foot - 40 - below
    drawn: list[Drawn] = []
    if layout.measures is not None:
        drawn = lay_out(blocks, right - left, room, layout.measures)
    sizes = {
        "picture-wide": wide,
        "picture-high": high,
        "left": left,
        "top": top,
        "below": below,
        "room-wide": right - left,
        "foot": layout.foot,
        "above": layout.above,
        "facts": layout.facts,
        "photo-wide": wide if preview.shape == "tall" else layout.photo,
        "photo-high": layout.photo if preview.shape == "tall" else high - STRIPE,
        "sign-top": high - SIGN - 90 if high > wide else (high - SIGN) // 2,
    }
    context = {
        "preview": preview,
        "head": head,
        "blocks": drawn,
        "faces": preview.faces[:MOST_FACES],
        "photo": picture_address(preview.photo) if preview.photo else "",
        "shade": "0.1" if preview.blocks else "0.16",
        "page": mark_safe(f"@page {{ size: {wide}px {high}px }}"),
        "style": css(sizes),
        "faces_style": css({"face": FACE, "between": BETWEEN, "faces-top": FACES_TOP}),
    }
    html = render_to_string("printing/pictures/picture.html", context).translate(DRAWABLE)
    pictures = tuple(dict.fromkeys(filter(None, _pictures(preview))))
    return Job(html, STYLES, pictures, width=wide)


def _head(preview: Preview, layout: Layout, wide: int, values: Block | None) -> Head:
    is_large = values is not None and preview.shape == "tall" and preview.badge is not None
    face = 0
    if preview.badge is not None:
        face = layout.portrait if preview.is_portrait else layout.badge
    aside = face + ASIDE if face else 0
    room = wide if is_large else wide - aside
    title = preview.title[:MOST_LETTERS]
    size, lines = fitting_name(title, layout.titles, room * MILLIMETRES, layout.titles[0])
    # The second line has the rest, which is cut off at its end.
    first, *others = join_lines(lines).split("\n")
    shown = (first, " ".join(others)) if others else (first,)
    words = len(shown) * size * 1.12
    words += (layout.above * 1.2 + 14) * bool(preview.above)
    words += (layout.facts * 1.2 + 10) * bool(preview.facts)
    fields, high = None, max(face, round(words))
    if values is not None and layout.measures is not None:
        beside = face if is_large else max(layout.measures.field, face - round(words) - 16)
        fields = draw(values, wide - aside, beside, layout.measures)
        high = round(face + 30 + words) if is_large else max(face, round(words) + 16 + beside)
    sizes = {"title": size, "face": face, "aside": 0 if is_large else aside, "words-room": room}
    sizes |= {"words-top": face + 30 if is_large else 0, "fields-left": aside}
    sizes |= {"fields-top": 0 if is_large else round(words) + 16}
    return Head(shown, sizes, fields, high)


def _pictures(preview: Preview) -> Iterator[str]:
    """Yield the files that a picture shows."""
    yield preview.photo
    for face in (preview.badge, *preview.faces, *_faces(preview.blocks)):
        yield face.picture if face is not None else ""


def _faces(blocks: Sequence[Block]) -> Iterator[Face]:
    for block in blocks:
        named: Sequence[Named] = ()
        match block:
            case People():
                named = block.rows
            case Versus():
                named = block.sides
            case Spotlight():
                named = (block.named,)
            case Ranking():
                yield from (row.face for row in block.rows)
        yield from (one.face for one in named)
