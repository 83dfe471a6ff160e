"""Measures of the pictures to save, for each shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from printing.pictures.values import Shape


@dataclass(frozen=True)
class Layout:
    """Measures of a shape, in pixels. ``titles``: sizes for the title; ``above``, ``facts``,
    ``foot``, ``label``, ``text``: heights of letters; ``photo``: the short side of a photo;
    ``field``: the height of a characteristic; ``face``, ``row``: of somebody's face, and the least
    and the most of the row with it; ``columns``: the most columns of faces; ``line``: the least and
    the most height of a row of a table."""

    margin: int
    titles: Sequence[int]
    above: int
    facts: int
    foot: int
    label: int
    text: int
    badge: int
    portrait: int
    photo: int
    field: int
    face: int
    row: tuple[int, int]
    columns: int
    line: tuple[int, int]
    side: int
    light: int


LAYOUTS: Mapping[Shape, Layout] = {
    "wide": Layout(
        margin=52,
        titles=(60, 52, 44, 36, 30),
        above=28,
        facts=30,
        foot=24,
        label=20,
        text=26,
        badge=132,
        portrait=236,
        photo=440,
        field=86,
        face=58,
        row=(72, 110),
        columns=2,
        line=(42, 72),
        side=104,
        light=72,
    ),
    "tall": Layout(
        margin=64,
        titles=(80, 68, 58, 48, 40),
        above=34,
        facts=36,
        foot=28,
        label=24,
        text=32,
        badge=180,
        portrait=452,
        photo=480,
        field=112,
        face=76,
        row=(92, 176),
        columns=2,
        line=(54, 124),
        side=240,
        light=168,
    ),
}
