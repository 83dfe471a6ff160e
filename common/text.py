"""Text from anybody, cleaned: what is typed into forms, and what stands in files.

Whatever comes in goes through one of these functions, so that whatever is stored can be shown on a
page, written into a feed or a file, and kept by either database.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

# What a text may not hold: control characters, halves of letters, characters that are none, and
# format characters that turn the direction of writing or only hide.
_UNFIT = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e001f"
    + "".join(
        f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000)
    )
)
UNFIT = re.compile(f"[{_UNFIT}]")
# Every way to end a line, and what is none of a line's spaces.
LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
# What may stand inside a text (within an emoji, between letters), but shows nothing by itself.
_UNSEEN = (
    "\\s\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0020-\U000e007f\U000e0100-\U000e01ef"
)
UNSEEN = re.compile(f"[{_UNSEEN}]*")


def clean_text(text: str) -> str:
    """The text without what no text may hold, its letters composed (NFC) and its lines ended by
    ``\\n``; "" if nothing of it can be seen. Cleaned twice, it is the same."""
    if text.isascii() and text.isprintable():
        return "" if text.isspace() else text
    text = LINE_ENDS.sub("\n", UNFIT.sub("", text))
    return "" if UNSEEN.fullmatch(text) else unicodedata.normalize("NFC", text)


def one_line(text: str) -> str:
    """A name, or another text of one line: cleaned, each run of blanks made one."""
    return " ".join(clean_text(text).split())


def lines(text: str) -> str:
    """Notes, or another text of several lines: cleaned, without blanks at its ends."""
    return clean_text(text).strip()


def quote(text: object, most: int = 80) -> str:
    """Anything that somebody wrote, as an error, a log or a file name may quote it: one line of at
    most ``most`` characters that can be shown, sent and stored."""
    return one_line(str(text)[: 2 * most])[:most]


def is_fit(text: str) -> bool:
    """Whether a text has nothing in it that no text may hold."""
    return UNFIT.search(text) is None


def clean_data(data: Any) -> Any:
    """Parsed JSON or TOML, of a depth that was measured, with all its texts cleaned, keys too."""
    if isinstance(data, str):
        return clean_text(data)
    if isinstance(data, dict):
        return {clean_text(key): clean_data(value) for key, value in data.items()}
    return [clean_data(value) for value in data] if isinstance(data, list) else data


def of_text(clean: Callable[[str], str]) -> Callable[[object], object]:
    """The same cleaning for a model's field, which may be given anything."""

    def cleaning(value: object) -> object:
        return clean(value) if isinstance(value, str) else value

    return cleaning
