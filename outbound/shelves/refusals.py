"""The reasons why nothing comes from another site, in words."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts import quotas
from common.errors import Refusal
from outbound.client import NotSent, Reason
from rules.editor import refusals as editor_refusals
from rules.editor.documents import Refused as EditorRefused


class Unfetched(Refusal):
    """Raised for a request to a shelf that leads to nothing. Its codes: ``REFUSALS``, and the
    client's reasons."""


REFUSALS: dict[str, Promise] = {
    "redirect": _("This address leads to another one: paste that one."),
    "status": _("The server answers with an error."),
    "no_shelf": _("There is no shelf of a site like this one at this address."),
    "newer": _("This shelf needs a newer version of Skirmish than this site has."),
    "damaged": _("The list of this shelf has a mistake (at %(detail)s)."),
    "twice": _("The list of this shelf has a game twice."),
    "too_big": _("What the server sends is too large."),
    "not_listed": _("This game is no longer on that shelf."),
    "other_digest": _("The game that came is not the one that the shelf lists: nothing was kept."),
    "not_read": _("The game cannot be read. %(detail)s"),
    "busy": _("The site is busy. Try again in a moment."),
}


def refuse_unsent(error: NotSent) -> Unfetched:
    """Make the refusal for a request without an answer."""
    return Unfetched(str(error.reason))


def describe(refusal: Refusal) -> str:
    """Return the sentence for an Unfetched, a QuotaFull, or a refusal of the editor."""
    if isinstance(refusal, quotas.QuotaFull):
        return quotas.describe(refusal)
    if isinstance(refusal, EditorRefused):
        return editor_refusals.describe(refusal)
    return describe_code(refusal.code, **refusal.values)


def describe_code(code: str, **values: object) -> str:
    """Return the sentence for a code, which may be stored with a shelf."""
    if code == "damaged" and not values.get("detail"):
        # The place of the mistake is not stored with a shelf.
        code = Reason.NO_ANSWER
    if code in REFUSALS:
        return str(REFUSALS[code]) % {"detail": "", **values}
    return str(Reason(code).label)
