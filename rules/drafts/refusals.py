"""Sentences for refused changes of drafts."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts import quotas
from common.errors import Refusal

REFUSALS: dict[str, Promise] = {
    "bad_slug": _("This site already uses this address for another page: choose another one."),
    "slug_taken": _("Another game on this site has this address: choose another."),
    "too_big": _("This is too large for a rulebook."),
    "too_large": _("This rulebook takes too long to work out."),
    "mistakes": _("Fix the mistakes first."),
    "nothing_new": _("Nothing has changed since the last version."),
    "too_many_states": _("This game has reached its limit of versions: start a new one."),
    "too_many_editors": _("No more people can edit this game: remove one first."),
}


def describe(refused: Refusal) -> str:
    """Return the sentence for a Refused of the store, or a QuotaFull."""
    if isinstance(refused, quotas.QuotaFull):
        return quotas.describe(refused)
    return str(REFUSALS[refused.code])
