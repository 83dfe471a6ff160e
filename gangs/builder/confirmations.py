"""What a change did, said to whoever made it."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.roster import Roster, name_or_rank
from gangs.ledger.storage import stored_book
from gangs.text.entries import Describer
from gangs.text.formats import localize
from rules.book.model import Book

# What these did is seen where they were pressed.
SILENT = (kinds.PointsSpread, kinds.Reordered)


def describe_done(book: Book, roster: Roster, entries: Iterable[Entry]) -> str:
    """What ``entries`` did to the gang, which was ``roster`` before them; "" if that goes without
    saying."""
    entries = [entry for entry in entries if not isinstance(entry, SILENT)]
    recruits = [entry for entry in entries if isinstance(entry, kinds.Recruited)]
    describer = Describer(book, roster, stored_book)
    if recruits:
        name = localize(name_or_rank(book, recruits[0].name, recruits[0].rank))
        return ngettext(
            "%(name)s added.",
            "%(count)s recruits added, including %(name)s.",
            len(recruits),
        ) % {"name": name, "count": len(recruits)}
    return " ".join(map(describer.describe, entries))


def describe_undone(book: Book, roster: Roster, entries: Iterable[Entry]) -> str:
    """What was done by ``entries`` and is undone; ``roster``: the gang without them."""
    recruits = [entry for entry in entries if isinstance(entry, kinds.Recruited)]
    describer = Describer(book, roster, stored_book)
    first, *more = recruits or entries
    sentence = describer.describe(first)
    if not more:
        return _("Undone: %(what)s") % {"what": sentence}
    return ngettext(
        "Undone: %(what)s And %(count)s more.",
        "Undone: %(what)s And %(count)s more.",
        len(more),
    ) % {"what": sentence, "count": len(more)}
