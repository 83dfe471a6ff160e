"""Draw a game's emblem as a picture: for members without a portrait, and for covers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi, sin

from django.utils.html import format_html
from django.utils.safestring import SafeString

from printing.paper.orders import Order
from rules.book.look import Look, mix

# The paper behind pictures.
PAPER = "#fffcf5"
# The drawing is a square of 100; the emblem, a square of 32, is in a disc in its middle.
DISC, EMBLEM = 37.0, 1.5
RAYS = 40


def emblem_picture(order: Order, look: Look, title: str) -> SafeString:
    """Draw the emblem before the ground of the game, as a square as large as its container.
    ``title``: a description, for readers who do not see it.
    """
    ground, line, ring, ink = "#ffffff", "#000000", "#000000", "none"
    if order.illustrated:
        ground = mix(look.accent.light, PAPER, 0.12)
        line = mix(look.accent.light, PAPER, 0.3)
        ring = ink = look.accent.light
    return format_html(
        '<svg class="scenery" viewBox="0 0 100 100"><title>{0}</title>'
        '<path d="M0 0h100v100H0z" fill="{1}"/>'
        '<path d="{2}" fill="none" stroke="{3}" stroke-width="{4}"/>'
        '<circle cx="50" cy="50" r="{5}" fill="{6}" stroke="{7}" stroke-width="1.2"/>'
        '<circle cx="50" cy="50" r="{8}" fill="none" stroke="{7}" stroke-width=".4"/>'
        '<path d="{9}" transform="translate({10} {10}) scale({11})" fill="{12}" stroke="{7}"'
        ' stroke-width=".35" fill-rule="evenodd"/></svg>',
        title,
        ground,
        GROUNDS[look.ground](),
        line,
        "1" if order.illustrated else ".2",
        DISC,
        PAPER if order.illustrated else "#ffffff",
        ring,
        DISC - 2,
        look.emblem,
        50 - 16 * EMBLEM,
        EMBLEM,
        ink,
    )


def _plain() -> str:
    return "".join(_circle(50, 50, radius) for radius in (40.5, 44, 47.5))


def _planks() -> str:
    boards = "".join(f"M0 {y}h100" for y in range(10, 100, 10))
    joints = "".join(f"M{(37 * row + 18) % 100} {10 * row}v10" for row in range(10))
    return boards + joints


def _slashes() -> str:
    return "".join(
        f"M{min(at, 100)} {max(at - 100, 0)}L{max(at - 100, 0)} {min(at, 100)}"
        for at in range(5, 200, 5)
    )


def _grid() -> str:
    return "".join(f"M{at} 0v100M0 {at}h100" for at in range(10, 100, 10))


def _dots() -> str:
    places = ((x + 5 * (row % 2), 5 * row + 2.5) for row in range(20) for x in range(0, 105, 10))
    return "".join(_circle(x, y, 0.6) for x, y in places)


def _rays() -> str:
    path = ""
    for ray in range(RAYS):
        x, y = cos(2 * pi * (ray + 0.5) / RAYS), sin(2 * pi * (ray + 0.5) / RAYS)
        far = 50 / max(abs(x), abs(y))
        path += f"M50 50L{50 + far * x:.1f} {50 + far * y:.1f}"
    return path


def _circle(x: float, y: float, r: float) -> str:
    return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0"


GROUNDS: Mapping[str, Callable[[], str]] = {
    "plain": _plain,
    "planks": _planks,
    "slashes": _slashes,
    "grid": _grid,
    "dots": _dots,
    "rays": _rays,
}
