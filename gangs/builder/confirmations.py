"""Sentences that confirm a change, or its undoing, to the user who made it."""

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

# The effect of these is visible next to the button.
SILENT = (kinds.PointsSpread, kinds.Reordered)


def describe_done(book: Book, roster: Roster, entries: Iterable[Entry], called: str = "") -> str:
    """Describe the effect of ``entries`` on a gang; "" if it is obvious.

    ``roster``: the gang before them; ``called``: the name under which a recruit was on offer, in
    place of the rank of one without a name.
    """
    entries = [entry for entry in entries if not isinstance(entry, SILENT)]
    recruits = [entry for entry in entries if isinstance(entry, kinds.Recruited)]
    if recruits:
        first = recruits[0]
        name = first.name or called or localize(name_or_rank(book, "", first.rank))
        return ngettext(
            "%(name)s added.",
            "%(count)s recruits added, including %(name)s.",
            len(recruits),
        ) % {"name": name, "count": len(recruits)}
    if len(entries) > 1 and all(isinstance(entry, kinds.Named) for entry in entries):
        return ngettext("%(count)s named.", "%(count)s named.", len(entries)) % {
            "count": len(entries)
        }
    return " ".join(map(Describer(book, roster, stored_book).describe, entries))


def describe_undone(book: Book, roster: Roster, entries: Iterable[Entry]) -> str:
    """Describe the undoing of ``entries``; ``roster``: the gang without them."""
    entries = list(entries)
    recruits = [entry for entry in entries if isinstance(entry, kinds.Recruited)]
    # A post-game may recruit, too, but it begins with the game.
    first, *more = recruits if isinstance(entries[0], kinds.Recruited) else entries
    sentence = Describer(book, roster, stored_book).describe(first)
    if not more:
        return _("Undone: %(what)s") % {"what": sentence}
    return ngettext(
        "Undone: %(what)s And %(count)s more.",
        "Undone: %(what)s And %(count)s more.",
        len(more),
    ) % {"what": sentence, "count": len(more)}
