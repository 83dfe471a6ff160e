"""Sentences for refused changes, files and decisions about variants, and for mistakes in them."""

from __future__ import annotations

import re

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts import quotas
from common.errors import Refusal

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

# The checker's usual sentences, with their translations.
SENTENCES: dict[str, Promise] = {
    r"“(?P<key>.*)” is no .* of this rulebook": _("“%(key)s” does not exist."),
    r"“(?P<key>.*)” is there twice": _("“%(key)s” appears twice."),
    r"no row has the tag “(?P<key>.*)”": _("No row has the property “%(key)s”."),
    r"must be at least (?P<n>-?\d+)": _("At least %(n)s."),
    r"must be at most (?P<n>-?\d+)": _("At most %(n)s."),
    r"must be more than (?P<n>-?\d+)": _("More than %(n)s."),
    r"must be a whole number": _("Enter a whole number."),
    r"must not be empty": _("This must not be empty."),
    r"must be text": _("Enter a text."),
    r"must be a list": _("Enter a list […]."),
    r"must be a table": _("Enter a table {…}."),
    r"is missing": _("This is missing."),
    r"is needed: a table shows it": _(
        "Say how to write its amount in tables: it is not a plain number."
    ),
    r"is longer than (?P<n>\d+)": _("This is longer than %(n)s characters."),
    r"is below the minimum": _("This is below the minimum."),
    r"is outside minimum and maximum": _("Outside minimum and maximum."),
    r"limits nothing": _("This limits nothing: give a minimum or a maximum."),
    r"row (?P<row>[\d-]+) ends before it starts": _("Row %(row)s ends before it starts."),
    r"row (?P<row>[\d-]+) holds nothing that (?P<dice>\S+) can show": _(
        "%(dice)s can show nothing in row %(row)s."
    ),
    r"row (?P<row>[\d-]+) goes beyond (?P<dice>[^\s,]+)": _(
        "Row %(row)s goes beyond what %(dice)s can show."
    ),
    r"(?P<n>\d+) has no row": _("No row has %(n)s."),
    r"(?P<n>\d+) has \d+ rows": _("Several rows have %(n)s."),
    r"leads back to itself": _("This table leads back to itself."),
    r"requires itself": _("This requires itself in the end."),
    r"is no setting with choices": _("This option has no choices."),
    r"needs an amount or a setting, and not both": _("Give an amount or an option, not both."),
    r"unknown placeholder (?P<name>.*); known: (?P<known>.*)": _(
        "%(name)s cannot be filled in here; these can: %(known)s."
    ),
    r"takes too long to work out": _("This variant is too large to work out."),
    r"brings itself": _("This brings itself in the end."),
    r"has more than (?P<n>\d+) steps": _("More than %(n)s steps, with all that they use."),
    r"have more than (?P<n>\d+) steps together": _("More than %(n)s steps in all rolls together."),
    r"ha(s|ve) more than (?P<n>\d+) ": _("There are more than %(n)s here."),
    r"throws dice of more than (?P<n>\d+) faces": _("Dice of more than %(n)s faces together."),
    r"has a brace": _("A brace { or } is unmatched."),
    r"is not a word of the vocabulary here": _("This word means nothing here."),
    r"unknown kind “(?P<kind>.*)”": _("There is no kind “%(kind)s” here."),
}


def describe(refused: Refusal) -> str:
    """Return the sentence for a BadVariant, a Refused of the store, or a QuotaFull."""
    if isinstance(refused, quotas.QuotaFull):
        return quotas.describe(refused)
    values = {"detail": "", **refused.values}
    return str({**BAD_VARIANTS, **REFUSALS}[refused.code]) % values


def complaint(message: str) -> str:
    """Translate a sentence of the checker, if it is a usual one."""
    if not (get_language() or "en").startswith("en"):
        for pattern, sentence in SENTENCES.items():
            if found := re.search(pattern, message):
                return str(sentence) % found.groupdict()
    return message[:1].upper() + message[1:] + ("" if message.endswith((".", "?")) else ".")
