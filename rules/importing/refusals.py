"""Sentences for refused acts of an import, beside those for files that cannot be read."""

from __future__ import annotations

import json

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from common.errors import Refusal
from common.wording.translating import translate
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.refusals import describe as describe_catalogue
from rules.editor import refusals


class NotNow(Refusal):
    """Raised for an act that an import does not allow now. Its codes: ``REFUSALS``."""


REFUSALS: dict[str, Promise] = {
    "busy": _("The site is busy. Try again in a minute."),
    "given_up": _(
        "The site has failed to read these files several times. Its log says why: ask its "
        "administrators."
    ),
    "already_made": _("The game is already made: change it in the editor."),
}


def describe(refused: Refusal) -> str:
    """Return the sentence for a BadCatalogue, or for a refusal of the store or of the editor."""
    if isinstance(refused, BadCatalogue):
        return translate(describe_catalogue(refused))
    if isinstance(refused, NotNow):
        return str(REFUSALS[refused.code]) % refused.values
    return refusals.describe(refused)


def store_error(refused: Refusal) -> str:
    """Return a refusal as text that a row can keep."""
    is_file = isinstance(refused, BadCatalogue)
    return json.dumps({"code": refused.code, "values": refused.values, "is_file": is_file})


def describe_error(text: str) -> str:
    """Return the sentence for a stored refusal."""
    stored = json.loads(text)
    kind = BadCatalogue if stored["is_file"] else NotNow
    return describe(kind(stored["code"], **stored["values"]))
