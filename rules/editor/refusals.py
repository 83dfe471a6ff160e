"""Sentences for refused changes, files and decisions about variants, and for mistakes in them."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts import quotas
from common.errors import Refusal
from common.wording.translating import translate

MISFITS: dict[str, Promise] = {
    "no_table": _("the rulebook has no such table"),
    "no_row": _("the rulebook no longer has this row"),
    "no_field": _("rows here have no such field"),
    "there_already": _("the rulebook has a row of this name itself"),
    "unnamed": _("the row has no name of its own"),
    "not_removable": _("nothing can be taken out of this table"),
    "no_status": _("rows here cannot be hidden or banned"),
    "malformed": _("it does not have the form the rulebook expects"),
}

BAD_VARIANTS: dict[str, Promise] = {
    "no_file": _("Choose a file first."),
    "too_big": _("This is too large to be a variant."),
    "not_text": _("This is not a variant’s file: it is not text in UTF-8."),
    "not_json": _("This is not a variant’s file: it cannot be read as JSON."),
    "foreign": _("This file is not a variant exported from a site like this one."),
    "too_deep": _("This is nested too deeply for a variant."),
    "too_many": _("This holds more changes, rows or dice than a variant may have."),
    "bad_number": _("It contains a number that no rulebook needs."),
    "bad_text": _("It contains characters that no text needs."),
    "damaged": _("The file is damaged (at %(detail)s)."),
    "unknown_game": _("This site does not have the rulebook “%(detail)s”."),
    "other_game": _("The file contradicts itself: that version belongs to another rulebook."),
    "too_large": _("This variant is too large to work out."),
    "nothing_fits": _("None of the changes in this file fits the rulebook."),
}
REFUSALS: dict[str, Promise] = {
    "too_many_states": _("This variant has reached its limit of versions: start a new one."),
    "mistakes": _("Fix the mistakes first."),
    "too_large": BAD_VARIANTS["too_large"],
    "nothing_new": _("Nothing has changed since the last version."),
}


def describe(refused: Refusal) -> str:
    """Return the sentence for a BadVariant, a Refused of the store, or a QuotaFull."""
    if isinstance(refused, quotas.QuotaFull):
        return quotas.describe(refused)
    values = {"detail": "", **refused.values}
    return str({**BAD_VARIANTS, **REFUSALS}[refused.code]) % values


def complaint(message: str, name: Callable[[str], str] | None = None) -> str:
    """Return the checker's words for a mistake as a sentence in the reader's language. ``name``: as
    for ``translate``."""
    words = translate(message, name)
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "?")) else ".")
