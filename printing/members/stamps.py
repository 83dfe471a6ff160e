"""Stamps across the head of a card or block: the reason why the member misses the next game."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs.cards.values import Card


def stamp(card: Card) -> str:
    """Return why a member cannot play, and for how many games: "Laid up: out for 2 games"; "" if
    they can.
    """
    parts = []
    for ailment in card.afflictions:
        if not ailment.absent:
            continue
        if ailment.games:
            out = ngettext(
                "%(why)s: out for %(games)s game", "%(why)s: out for %(games)s games", ailment.games
            )
            parts.append(out % {"why": ailment.name, "games": ailment.games})
        elif ailment.against:
            held = _("%(why)s: held by %(gang)s")
            parts.append(held % {"why": ailment.name, "gang": ailment.against})
        else:
            parts.append(ailment.name)
    return " · ".join(parts)
