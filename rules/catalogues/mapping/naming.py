"""Keys of rows and lines of text, made from the names that a catalogue has."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import sha1
from typing import get_args

from common.text import lines, one_line
from rules.book.vocabulary import Line

LONGEST_KEY = 40
# Names stand in lists and on cards.
LONGEST_NAME = 80
LONGEST_LINE: int = next(
    limit for one in get_args(Line)[1:] if (limit := getattr(one, "max_length", None))
)
NOTHING = "—"
_NOT_IN_KEYS = re.compile(r"[^a-z0-9]+")
# Letters that do not decompose into a Latin letter and a mark.
_SPELT = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "þ": "th"})


def slug(name: str, fallback: str, own_id: str) -> str:
    """Return a key made of a name; of ``fallback`` and the id where the name has no Latin letter
    at its start."""
    spelt = unicodedata.normalize("NFKD", name.lower().translate(_SPELT))
    letters = _NOT_IN_KEYS.sub("-", spelt.encode("ascii", "ignore").decode()).strip("-")
    if not letters:
        letters = f"{fallback}-{sha1(own_id.encode(), usedforsecurity=False).hexdigest()[:6]}"
    elif not letters[0].isalpha():
        letters = f"{fallback}-{letters}"
    return letters[:LONGEST_KEY].rstrip("-")


def give_keys(
    names: Iterable[tuple[str, str]], fallback: str, taken: Iterable[str] = ()
) -> dict[str, str]:
    """Return a key for each id, from pairs of id and name.

    Rows of one name are numbered in the order of their ids, so that the order of the catalogue
    changes no key. ``taken``: keys that are not available.
    """
    used, keys = set(taken), dict[str, str]()
    for start, own_id in sorted((slug(name, fallback, one), one) for one, name in names):
        key, number = start, 1
        while key in used:
            number += 1
            end = f"-{number}"
            key = start[: LONGEST_KEY - len(end)] + end
        used.add(key)
        keys[own_id] = key
    return keys


def short_name(name: str, most: int = LONGEST_NAME) -> str:
    """Return a name as one line of at most ``most`` letters; a dash if it has none."""
    line = one_line(name[: 4 * most])
    return line if 0 < len(line) <= most else (line[: most - 1].rstrip() + "…" if line else NOTHING)


def whole_text(text: str, most: int = LONGEST_LINE) -> str:
    """Return a text of several lines of at most ``most`` letters; "" if nothing is visible."""
    line = lines(text[: 4 * most])
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def escape_braces(text: str) -> str:
    """Return a text without the signs of placeholders, for the sentence of a limit."""
    return text.replace("{", "(").replace("}", ")")


def abbreviate(name: str) -> str:
    """Return two or three letters for the head of a column: the name itself if it is that short."""
    name = one_line(name)
    if len(name) <= 4:
        return name or NOTHING
    words = [word for word in re.split(r"[\s\-_/.]+", name) if word]
    if len(words) > 1:
        return "".join(word[0] for word in words[:4]).upper()
    return name[:3].rstrip()
