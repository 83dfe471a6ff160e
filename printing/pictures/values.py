"""The contents of pictures: previews of links for chats, and pictures to save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.http import Http404

from printing.press.jobs import picture_address

MOST_FACES = 8

# As chats show links, and as phones show posts.
Shape = Literal["wide", "tall"]
SIZES: Mapping[Shape, tuple[int, int]] = {"wide": (1200, 630), "tall": (1080, 1350)}


@dataclass(frozen=True)
class Face:
    """Letters on a colour, and the ``picture`` of a gang or member that covers them: its file, ""
    if there is none.
    """

    letters: str
    colour: str
    picture: str = ""

    @property
    def address(self) -> str:
        """The address by which a job shows the picture."""
        return picture_address(self.picture)


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
    face, shown large; ``photo``: the file of a photo, beside or above everything else.
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
    photo: str = ""


def as_shape(name: str) -> Shape:
    """Return the shape with this name. Raises Http404."""
    for shape in SIZES:
        if shape == name:
            return shape
    raise Http404
