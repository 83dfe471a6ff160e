"""The look of a game: its colours by day and by night, emblem, ornament, ground and corners.

A look replaces some of the pages' own style (static/skirmish.css): two colours, two drawings, the
ground and the corners. Text in its colours must be legible, so the contrast is checked when the
rulebook is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import StringConstraints

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book.vocabulary import Frozen

Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")]
# One SVG path, with a hole where it overlaps itself (even-odd). An emblem's box is 32 by 32, an
# ornament's 120 by 12.
Drawing = Annotated[
    str, StringConstraints(pattern=r"^[Mm][MmZzLlHhVvCcSsQqTtAa0-9 .,-]+$", max_length=2000)
]
Theme = Literal["light", "dark"]

# WCAG 2.2, success criterion 1.4.3 (AA).
ENOUGH = 4.5
# The backgrounds: the page, a card, a sunken place, the band across the top. static/skirmish.css
# has the same numbers.
GROUNDS: dict[Theme, tuple[str, ...]] = {
    "light": ("#f5efe3", "#fffcf5", "#ece3d2"),
    "dark": ("#191613", "#25211c", "#12100d", "#241f19"),
}
INK: dict[Theme, str] = {"light": "#241f19", "dark": "#efe7d9"}
# The colour of text on the accent.
ON_ACCENT: dict[Theme, str] = {"light": "#fffcf5", "dark": "#14110e"}
CARD: dict[Theme, str] = {"light": "#fffcf5", "dark": "#25211c"}


# A die between two lines, drawn for games that have no ornament of their own.
HOUSE_ORNAMENT = (
    "M60 .4l5.6 5.6l-5.6 5.6l-5.6-5.6zM58.95 6a1.05 1.05 0 1 0 2.1 0a1.05 1.05 0 1 0-2.1 0z"
    "M59.15 2.9a.85 .85 0 1 0 1.7 0a.85 .85 0 1 0-1.7 0z"
    "M59.15 9.1a.85 .85 0 1 0 1.7 0a.85 .85 0 1 0-1.7 0z"
    "M56.05 6a.85 .85 0 1 0 1.7 0a.85 .85 0 1 0-1.7 0z"
    "M62.25 6a.85 .85 0 1 0 1.7 0a.85 .85 0 1 0-1.7 0zM52 5.4l-44 .48v.24l44 .48z"
    "M68 5.4l44 .48v.24l-44 .48zM4.7 6a.9 .9 0 1 0 1.8 0a.9 .9 0 1 0-1.8 0z"
    "M115.3 6a.9 .9 0 1 0-1.8 0a.9 .9 0 1 0 1.8 0z"
    "M2.05 6a.55 .55 0 1 0 1.1 0a.55 .55 0 1 0-1.1 0z"
    "M117.95 6a.55 .55 0 1 0-1.1 0a.55 .55 0 1 0 1.1 0z"
)


class Hue(Frozen):
    """One colour by day and by night."""

    light: Colour
    dark: Colour

    def by(self, theme: Theme) -> str:
        """The colour in this theme."""
        return self.light if theme == "light" else self.dark


class Look(Frozen):
    """The look of a game's pages and prints.

    ``accent``: the colour of buttons and of everything that stands out; ``second``: of lines and
    small marks; ``emblem``: the game's sign; ``ornament``: between two parts of a print;
    ``ground``: the faint pattern beside a page; ``corners``: of cards and buttons.
    """

    accent: Hue
    second: Hue
    emblem: Drawing
    ornament: Drawing = HOUSE_ORNAMENT
    ground: Literal["plain", "planks", "slashes", "grid", "dots", "rays"] = "plain"
    corners: Literal["round", "soft", "square"] = "round"


# The look of a rulebook that declares none: the house's colours, and a die.
HOUSE_LOOK = Look(
    accent=Hue(light="#0b5d5e", dark="#74cbc4"),
    second=Hue(light="#805300", dark="#e0b25b"),
    emblem=(
        "M8 2h16a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6H8a6 6 0 0 1-6-6V8a6 6 0 0 1 6-6z"
        "M12.5 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM19 16a3 3 0 1 1-6 0 3 3 0 0 1 6 0z"
        "M25.5 22a3 3 0 1 1-6 0 3 3 0 0 1 6 0z"
    ),
)


def contrast(first: str, second: str) -> float:
    """How clearly one colour stands out from another: 1 (not at all) to 21 (black on white)."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mix(first: str, second: str, share: float) -> str:
    """A mixture of two colours; ``share``: the first one's share, from 0 to 1."""
    parts = zip(_parts(first), _parts(second), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in parts)


def soft(accent: str, theme: Theme) -> str:
    """The background of a chosen card: the card's with a little of the accent."""
    return mix(accent, CARD[theme], 0.14)


def deep(accent: str, theme: Theme) -> str:
    """A darker accent, for buttons under the pointer."""
    return mix(accent, INK[theme], 0.72)


def find_illegible(look: Look) -> Iterator[tuple[tuple[str, str], str]]:
    """Each colour of a look that is hard to read: its field and theme, and a sentence."""
    for field, hue in (("accent", look.accent), ("second", look.second)):
        for theme, grounds in GROUNDS.items():
            colour = hue.by(theme)
            others = (*grounds, ON_ACCENT[theme], soft(look.accent.by(theme), theme))
            worst = min(others, key=lambda ground: contrast(colour, ground))
            if contrast(colour, worst) < ENOUGH:
                found = f"{contrast(colour, worst):.1f}"
                yield (
                    (field, theme),
                    say(
                        _(
                            "“%(colour)s” is hard to read beside %(other)s: the contrast is "
                            "%(found)s, but must be at least %(needed)s"
                        ),
                        colour=colour,
                        other=worst,
                        found=found,
                        needed=ENOUGH,
                    ),
                )


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    """Relative luminance, as WCAG defines it."""
    red, green, blue = (
        part / 3294.6 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4  # noqa: PLR2004
        for part in _parts(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
