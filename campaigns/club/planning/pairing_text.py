"""Why a pair is proposed, in words."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.dates import date_format
from campaigns.engine.pairing import Candidate, Pairing


def why(pair: Pairing, *, has_rating: bool) -> str:
    """The reasons for a pair: ratings and meetings, and what could not be avoided."""
    parts = []
    if has_rating:
        ratings = get_text_list([number_format(value) for value in pair.ratings], _("and"))
        if pair.apart:
            values = {"ratings": ratings, "apart": number_format(pair.apart)}
            parts.append(_("ratings %(ratings)s, %(apart)s apart") % values)
        else:
            parts.append(
                _("equal ratings of %(rating)s") % {"rating": number_format(pair.ratings[0])}
            )
    if pair.met:
        met = ngettext("met %(count)s time before", "met %(count)s times before", pair.met)
        parts.append(met % {"count": pair.met})
    else:
        parts.append(_("never met before"))
    return " · ".join(parts)


def why_rests(resting: Candidate, *, alone: bool) -> str:
    """Why it is this gang that rests."""
    if alone:
        return _("nobody else is free")
    if resting.rested is not None:
        day = date_format(resting.rested, "j N Y")
        return _("it has gone longest without a break, since %(day)s") % {"day": day}
    if not resting.played:
        return _("no other gang has gone longer without a break or played more")
    words = ngettext(
        "it has not had a break yet, with %(count)s game so far",
        "it has not had a break yet, with %(count)s games so far",
        resting.played,
    )
    return words % {"count": resting.played}
