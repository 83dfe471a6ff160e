"""Draw the preview that chats show for a link, or a picture to save, from plain values.

It knows no game: names, a sign, colours, faces. It takes a fifth of a second.
"""

from __future__ import annotations

from printing.pictures import picture_drawing
from printing.pictures.canvas import FAINT, INK, STRIPE, Canvas
from printing.pictures.lettering import SANS, SLAB
from printing.pictures.values import MOST_FACES, SIZES, Preview
from typesetting.measuring import MILLIMETRES, fitting_name, join_lines

WIDTH, HEIGHT = SIZES["wide"]
MARGIN = 72
# A title gets the largest size at which it fits two lines.
TITLES = (84, 74, 64, 56, 48, 40)
ABOVE, FACTS, FOOT = 36, 42, 30
BADGE, FACE, GAP = 190, 112, 20


def png(preview: Preview) -> bytes:
    """Return the picture. Equal previews give equal bytes."""
    if preview.blocks:
        return picture_drawing.png(preview)
    canvas = Canvas(SIZES["wide"], preview.emblem, preview.accent, MARGIN)
    left = MARGIN
    if preview.badge is not None:
        canvas.face(preview.badge, (MARGIN, MARGIN), BADGE, is_round=False)
        left += BADGE + 44
    top = MARGIN - 6
    if preview.above:
        canvas.write((left, top), preview.above, SANS, ABOVE, preview.accent)
        top += ABOVE + 22
    size, lines = _fitted(preview.title, WIDTH - MARGIN - left)
    for line in lines:
        canvas.write((left, top), line, SLAB, size, INK)
        top += round(size * 1.12)
    if preview.facts:
        canvas.write((left, top + 14), preview.facts, SANS, FACTS, INK)
    for number, face in enumerate(preview.faces[:MOST_FACES]):
        canvas.face(face, (MARGIN + number * (FACE + GAP), 404), FACE, is_round=True)
    foot = (MARGIN, HEIGHT - STRIPE - 28 - FOOT)
    canvas.write(foot, preview.foot, SANS, FOOT, FAINT, WIDTH // 2)
    return canvas.png()


def _fitted(title: str, room: int) -> tuple[int, list[str]]:
    """Return the largest size at which a title takes two lines, and the lines. The second contains
    the rest of the title, to be cut.
    """
    size, lines = fitting_name(title, TITLES, room * MILLIMETRES, TITLES[0])
    first, *others = join_lines(lines).split("\n")
    return int(size), [first, " ".join(others)] if others else [first]
