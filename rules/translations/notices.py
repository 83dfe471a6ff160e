"""The notices about translations of rulebooks."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from accounts import notices
from accounts.language import name_language

PROPOSED, SHOWN = "translation_proposed", "translation_shown"


def register() -> None:
    """Register both kinds of notices."""
    notices.register(PROPOSED, _describe_proposed)
    notices.register(SHOWN, _describe_shown)


def _describe_proposed(values: dict[str, Any]) -> str:
    return _("%(game)s: somebody sent a translation (%(language)s). Have a look, and show it.") % {
        "game": values["game"],
        "language": name_language(values["language"]),
    }


def _describe_shown(values: dict[str, Any]) -> str:
    return _("%(game)s: readers now see your translation (%(language)s).") % {
        "game": values["game"],
        "language": name_language(values["language"]),
    }
