"""Sentences for refused changes, files and acts of the editor, and for mistakes in rulebooks."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts import quotas
from common.errors import Refusal
from common.wording.translating import translate
from rules.editor.files import BadVariant
from rules.skeletons.grafting import Ungraftable

MISFITS: dict[str, Promise] = {
    "no_table": _("the rulebook does not have this table"),
    "no_row": _("the rulebook no longer has this row"),
    "no_field": _("these rows do not have this field"),
    "there_already": _("the rulebook already has a row with this name"),
    "unnamed": _("the row needs its own name"),
    "not_removable": _("rows of this table cannot be removed"),
    "no_status": _("these rows cannot be hidden or banned"),
    "malformed": _("the change does not have the expected form"),
}

BAD_VARIANTS: dict[str, Promise] = {
    "no_file": _("Choose a file first."),
    "too_big": _("This is too large to be a variant."),
    "not_text": _("This is not a variant’s file: it is not text in UTF-8."),
    "not_json": _("This is not a variant’s file: it cannot be read as JSON."),
    "foreign": _("This file is not a variant exported from a site like this one."),
    "newer": _("This file needs a newer version of Skirmish than this site has."),
    "too_deep": _("This is nested too deeply for a variant."),
    "too_many": _("This has more changes, rows or dice than a variant can have."),
    "bad_number": _("The file contains a number that rulebooks cannot use."),
    "bad_text": _("The file contains characters that texts cannot have."),
    "damaged": _("The file is damaged (at %(detail)s)."),
    "unknown_game": _("This site does not have the rulebook “%(detail)s”."),
    "other_game": _("The file contradicts itself: that version belongs to another rulebook."),
    "too_large": _("This rulebook takes too long to work out."),
    "nothing_fits": _("The changes in this file do not fit the rulebook."),
}
REFUSALS: dict[str, Promise] = {
    "bad_slug": _("This site already uses this address for another page: choose another one."),
    "slug_taken": _("Another game on this site has this address: choose another."),
    "too_big": _("This is too large for a rulebook."),
    "too_large": BAD_VARIANTS["too_large"],
    "mistakes": _("Fix the mistakes first."),
    "nothing_new": _("Nothing has changed since the last version."),
    "too_many_states": _("This rulebook has reached its limit of versions: start a new one."),
    "too_many_editors": _("No more people can edit this game: remove one first."),
    "nothing_to_redo": _("All undone changes are already back."),
    "nothing_to_undo": _("All changes that the site keeps are already undone."),
    "may_share": _("Tick the box if you may share these texts, or leave them out first."),
    "no_base": _("This site no longer has that version of the rulebook."),
}
# For games that cannot take a campaign.
UNGRAFTABLE: dict[str, Promise] = {
    "has_campaign": _("This game already has a campaign, which stays as it is."),
    "other_play": _(
        "The gangs of one of these games play against each other, those of the other together "
        "against the book: this campaign does not fit."
    ),
}


def describe(refused: Refusal) -> str:
    """Return the sentence for a BadVariant, a Refused, an Ungraftable, or a QuotaFull."""
    if isinstance(refused, quotas.QuotaFull):
        return quotas.describe(refused)
    said = REFUSALS
    if isinstance(refused, BadVariant | Ungraftable):
        said = BAD_VARIANTS if isinstance(refused, BadVariant) else UNGRAFTABLE
    return str(said[refused.code]) % {"detail": "", **refused.values}


def complaint(message: str, name: Callable[[str], str] | None = None) -> str:
    """Return the checker's words for a mistake as a sentence in the reader's language. ``name``: as
    for ``translate``."""
    words = translate(message, name)
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "?")) else ".")
