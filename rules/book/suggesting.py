"""Suggests known names to an author who writes an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from common.wording.sentences import Sentence, say
from common.wording.sentences import gettext_noop as _
from rules.bounds.work import spend

MOST_SUGGESTIONS = 3
# Strangers choose the names: a longer one gets no suggestion, and further ones are not compared.
LONGEST_COMPARED, MOST_COMPARED = 40, 400
# The least likeness of a suggestion to the name as written; 1 for equal names.
ALIKE = 0.7


def suggest(mistake: Sentence, name: str, known: Iterable[str]) -> Sentence:
    """Return the sentence for an unknown name, followed by the nearest known ones, if there are
    any."""
    found = [say(_("“%(name)s”"), name=one) for one in _find_nearest(name, known)]
    if not found:
        return mistake
    if len(found) == 1:
        names = found[0]
    elif len(found) == 2:
        names = say(_("%(one)s or %(other)s"), one=found[0], other=found[1])
    else:
        first, second, third = found
        message = _("%(first)s, %(second)s or %(third)s")
        names = say(message, first=first, second=second, third=third)
    return say(_("%(mistake)s. Did you mean %(names)s?"), mistake=mistake, names=names)


def _find_nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to ``MOST_SUGGESTIONS`` known names, the most similar first."""
    if not 0 < len(name) <= LONGEST_COMPARED:
        return []
    # Names of very different lengths are never alike enough.
    shortest, longest = len(name) // 2, min(2 * len(name), LONGEST_COMPARED)
    compared = sorted({one for one in known if shortest <= len(one) <= longest})[:MOST_COMPARED]
    spend(len(compared) * (1 + len(name) // 4))
    return get_close_matches(name, compared, MOST_SUGGESTIONS, ALIKE)
