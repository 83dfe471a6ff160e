"""Answer requests for the picture of a link or one to save: from the shelf, or drawn immediately.

The caller checks who may see it. Chat programs wait only seconds for a preview, so it is not put in
line; but only one is drawn at a time, and few requests wait, to keep the threads for pages.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from typing import Literal

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag

from printing import cache as printing_cache

logger = logging.getLogger(__name__)

KIND = "png"
MOST_FACES = 8
# The most requests that draw or wait at the same time, in a process; the seconds after which a
# refused one may try again.
MOST_AT_ONCE, AGAIN = 2, 10

# As chats show links, and as phones show posts.
Shape = Literal["wide", "tall"]
SIZES: Mapping[Shape, tuple[int, int]] = {"wide": (1200, 630), "tall": (1080, 1350)}

_room = BoundedSemaphore(MOST_AT_ONCE)
_drawing = Lock()


@dataclass(frozen=True)
class Face:
    """A picture of a gang or member, or letters on a colour in its place."""

    letters: str
    colour: str
    picture: bytes | None = None


@dataclass(frozen=True)
class Values:
    """Characteristics side by side: each with its short name."""

    cells: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Notes:
    """Lines of text below each other: each after a label, "" for none."""

    lines: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Named:
    """Somebody or something with a face. ``text``: below the name; ``value``: at the right."""

    face: Face
    name: str
    text: str = ""
    value: str = ""


@dataclass(frozen=True)
class People:
    """Faces with names, as many as there is room for."""

    rows: Sequence[Named]


@dataclass(frozen=True)
class Versus:
    """The sides of a game, next to each other. ``best``: the winners."""

    sides: Sequence[Named]
    best: Sequence[Named] = ()


@dataclass(frozen=True)
class Spotlight:
    """Somebody in a field of their own, under a ``label``. ``note``: a label and a text beside
    them, or below."""

    label: str
    named: Named
    note: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Placed:
    """A row of a table. ``place``: its number; ``cells``: at the right, in columns."""

    place: str
    face: Face
    name: str
    cells: Sequence[str]


@dataclass(frozen=True)
class Ranking:
    """A table of standings, as many rows as there is room for. ``heads``: those of the cells."""

    heads: Sequence[str]
    rows: Sequence[Placed]


type Block = Values | Notes | People | Versus | Spotlight | Ranking


@dataclass(frozen=True)
class Preview:
    """The content of a picture. ``title``: the page's; ``above`` it: the thing it belongs to;
    ``facts``: below it; ``foot``: the site's name. ``emblem``: an SVG path in a box of 32 by 32,
    even-odd; ``accent``: its colour and the stripe's, visible on a dark ground.

    A picture to save also has ``blocks``, in a ``shape``. ``is_portrait``: the badge is somebody's
    face, shown large; ``photo``: a photo, beside or above everything else.
    """

    title: str
    above: str
    facts: str
    foot: str
    emblem: str
    accent: str
    badge: Face | None = None
    faces: Sequence[Face] = ()
    shape: Shape = "wide"
    blocks: Sequence[Block] = ()
    is_portrait: bool = False
    photo: bytes | None = None


def as_shape(name: str) -> Shape:
    """Return the shape with this name. Raises Http404."""
    for shape in SIZES:
        if shape == name:
            return shape
    raise Http404


def answer(request: HttpRequest, key: str, make: Callable[[], Preview]) -> HttpResponseBase:
    """Return the picture under ``key``, or 304 if the reader has it already; 503 if too many are
    wanted at the same time. ``make``: returns the content, called only if it has to be drawn.
    """
    etag = quote_etag(key)
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        drawn = printing_cache.read_print(key, KIND)
        if drawn is None:
            drawn = _draw(key, make)
        if drawn is None:
            busy = HttpResponse(status=503)
            busy["Retry-After"] = str(AGAIN)
            return busy
        response = HttpResponse(drawn, content_type="image/png")
        response["ETag"] = etag
    response["X-Robots-Tag"] = "noindex"
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _draw(key: str, make: Callable[[], Preview]) -> bytes | None:
    """Draw the picture and store it; None if there is no room to draw it."""
    # Imported here because it loads the libraries that draw and read fonts.
    from printing import preview_drawing

    if not _room.acquire(blocking=False):
        return None
    try:
        with _drawing:
            drawn = preview_drawing.png(make())
    finally:
        _room.release()
    try:
        printing_cache.store(key, drawn, KIND)
    except OSError:
        logger.exception("The picture of a link cannot be kept")
    return drawn
