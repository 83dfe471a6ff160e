"""Skeletons of user names: names that look alike have the same one (Unicode Technical Standard 39).

Each letter stands for its prototype in Unicode's list of confusables: a Cyrillic а for a, 1 for l,
m for rn. Case is folded, as names differ in more than case; since a capital i looks like l, both
are the same here. Accents stay: é does not look like e.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from confusable_homoglyphs.utils import load

# Letters of a skeleton that are compared, as many as a name has at most.
LONGEST = 150
# The list has these marks around letters that are written from right to left.
_DIRECTION = "\u200e"
# Letters that show nothing, and so can be added to any name.
_INVISIBLE = dict.fromkeys(map(ord, "\u115f\u1160\u17b4\u17b5\u3164\uffa0"))


def skeleton(name: str) -> str:
    """Return the skeleton of a user name."""
    letters = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name))
    prototypes = _prototypes()
    alike = "".join(prototypes.get(letter, letter) for letter in letters.translate(_INVISIBLE))
    folded = unicodedata.normalize("NFD", alike).casefold().replace("i", "l")
    return unicodedata.normalize("NFC", folded)[:LONGEST]


def skeletons_like(name: str) -> set[str]:
    """Return the skeletons of all names that a new one would look like, in any case: a letter of
    another script may look like one letter as a capital, and like another as a small one."""
    return {skeleton(form) for form in (name, name.upper(), name.lower())}


@cache
def _prototypes() -> dict[str, str]:
    """Return the prototype of each letter that has another one.

    The list gives the look-alikes of each letter; those of a prototype are all others of its class,
    and those of the others are the prototype alone. Of two that have only each other, the longer
    counts, or else the first.
    """
    alike = {
        letter.strip(_DIRECTION): [other["c"].strip(_DIRECTION) for other in others]
        for letter, others in load("confusables.json").items()
    }
    found = {}
    for letter, [first, *more] in alike.items():
        is_pair = not more and len(alike[first]) == 1
        if is_pair and (len(first), letter) < (len(letter), first):
            continue
        if is_pair or not more:
            found[letter] = first
    return found
