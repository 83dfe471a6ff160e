"""The notice that another site has another edition of a game."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

NEWS = "foreign_edition"


def describe(values: dict[str, Any]) -> str:
    """Return the sentence of the notice."""
    return _("%(game)s: %(site)s has another edition, %(edition)s. Nothing changes here.") % values
