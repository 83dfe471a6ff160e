"""Writes a game's look as a small stylesheet, which replaces parts of the house's."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from rules.book.look import HOUSE_LOOK, Look, Theme, deep, soft

CORNERS = {"round": ".5rem", "soft": ".25rem", "square": "0"}
# Even-odd, in a box of 32 by 32: rules.book.look.Drawing.
SIGN = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E"
    "%3Cpath fill-rule='evenodd' d='{}'/%3E%3C/svg%3E"
)


def stylesheet(look: Look, theme: Theme, within: str = ":root") -> str:
    """The stylesheet of a look in one theme; pages link the night's after the day's.

    ``within``: the selector for its parts of a page that shows several games.
    """
    accent = look.accent.by(theme)
    variables = {
        "accent": accent,
        "accent-rgb": ", ".join(str(int(accent[at : at + 2], 16)) for at in (1, 3, 5)),
        "accent-deep": deep(accent, theme),
        "accent-soft": soft(accent, theme),
        "second": look.second.by(theme),
    }
    if theme == "light":
        # The band across the top is dark by day too.
        variables |= {
            "check": accent,
            "band-line": look.second.dark,
            "emblem": f'url("{SIGN.format(look.emblem)}")',
            "emblem-there": '""',
            "ground": f"var(--ground-{look.ground})",
            "radius": CORNERS[look.corners],
        }
    lines = "".join(f"  --{name}: {value};\n" for name, value in variables.items())
    return f"{within} {{\n{lines}}}\n"


def several(looks: Mapping[str, Look], theme: Theme) -> str:
    """The looks of several games by their keys, each for the class ``game-`` with its key."""
    return "".join(stylesheet(look, theme, f".game-{key}") for key, look in looks.items())


# Part of a stylesheet's address: browsers keep it for a year, and must load it again if the way of
# writing looks changes.
STYLE_VERSION = hashlib.sha256(
    (stylesheet(HOUSE_LOOK, "light") + stylesheet(HOUSE_LOOK, "dark")).encode()
).hexdigest()[:8]
