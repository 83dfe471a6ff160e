"""Letters that our own fonts lack: styled letters are set plain, and some scripts have fonts that a
host may install (``docs/running.md``).

No other font of a machine is ever used, so that a print is the same everywhere.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

FONTS = Path(__file__).resolve().parents[1] / "static/fonts"
# Letters up to this one are in our fonts, or in a similar script.
OURS = "\u058f"


class Script(NamedTuple):
    """A font of a script: its family, and the file with it. ``first`` and ``last``: the range of
    letters that it is asked for."""

    family: str
    file: str
    first: str
    last: str


SCRIPTS = (
    Script("Noto Sans Hebrew", "NotoSansHebrew-Regular.ttf", "\u0590", "\u05ff"),
    Script("Noto Sans Arabic", "NotoSansArabic-Regular.ttf", "\u0600", "\u08ff"),
    Script("Noto Sans CJK JP", "NotoSansCJK-Regular.ttc", "\u1100", "\u11ff"),
    Script("Noto Sans CJK JP", "NotoSansCJK-Regular.ttc", "\u2e80", "\ud7ff"),
    Script("Noto Sans CJK JP", "NotoSansCJK-Regular.ttc", "\uf900", "\uffef"),
    Script("Noto Sans CJK JP", "NotoSansCJK-Regular.ttc", "\U00020000", "\U0003ffff"),
)
FAMILIES = tuple(dict.fromkeys(script.family for script in SCRIPTS))
# Letters that are only another look of plain ones, in circles, in bold or in full width: 𝔊, Ⓐ, Ａ.
# Emoji among them stay.
_STYLED = re.compile(
    "[\u2460-\u24c1\u24c3-\u24ff\u210a-\u210c\u210e-\u2112\u2115\u2118-\u211d\u2124\u2128"
    "\u212c-\u212d\u212f-\u2131\u2133\u2134\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufeff\uff00-\uffef"
    "\U0001d400-\U0001d7ff\U0001f110-\U0001f12f\U0001f130-\U0001f149]+"
)


def set_plain(text: str) -> str:
    """Replace styled letters by plain ones: 𝔊 becomes G, and Ⓐ becomes A."""
    if text.isascii():
        return text
    return _STYLED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)


def find_unset(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each text with letters that no font here has, and these letters. They are printed as
    their codes."""
    for text in texts:
        missing = [letter for letter in dict.fromkeys(set_plain(text)) if not _is_set(letter)]
        if missing:
            yield text, "".join(missing)


def width_of(letter: str) -> float | None:
    """Return the width in ems of a letter in an installed font of its script; None without one."""
    for script in SCRIPTS:
        if script.first <= letter <= script.last:
            return _installed(script.file).get(letter)
    return None


def _is_set(letter: str) -> bool:
    if letter <= "\u024f" or unicodedata.category(letter) in ("Mn", "Cf", "Zs", "Me"):
        return True
    return letter in _ours() or width_of(letter) is not None


@cache
def _ours() -> frozenset[str]:
    """Return the letters of our own fonts."""
    return frozenset(letter for path in FONTS.glob("*-400-normal.woff2") for letter in _read(path))


@cache
def _installed(file: str) -> Mapping[str, float]:
    """Return the letters of an installed font with their widths in ems; empty if it is missing."""
    path = _find(file)
    return {} if path is None else _read(path)


@cache
def _find(file: str) -> Path | None:
    """Return the path of an installed font."""
    return next((path for folder in _folders() for path in folder.rglob(file)), None)


def _folders() -> list[Path]:
    """Return the folders that ``static/print/fonts.conf`` names."""
    own = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path(own) / "fonts"]


def _read(path: Path) -> dict[str, float]:
    # Most processes never meet such a letter.
    from fontTools.ttLib import TTFont

    with TTFont(path, lazy=True, fontNumber=0) as font:
        em, advances = font["head"].unitsPerEm, font["hmtx"].metrics
        return {chr(code): advances[name][0] / em for code, name in font.getBestCmap().items()}
