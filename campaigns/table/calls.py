"""How a phone calls its player to a question at the table, chosen for each browser and stored in a
cookie."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy

from common.cookies import declare, remember_choice

COOKIE = "table_calls"
declare(
    COOKIE,
    gettext_lazy("Remembers how your phone calls you to a question at the table."),
    settings.LANGUAGE_COOKIE_AGE,
)
# Without a cookie a phone vibrates. A sound is heard only by players who want it.
USUAL = "vibration"
CHOICES = {
    "off": gettext_lazy("Stays quiet"),
    USUAL: gettext_lazy("Vibrates"),
    "sound": gettext_lazy("Vibrates and sounds"),
}


def calls_of(request: HttpRequest) -> str:
    """Return the reader's choice: off, vibration or sound."""
    chosen = request.COOKIES.get(COOKIE, USUAL)
    return chosen if chosen in CHOICES else USUAL


def remember_calls(response: HttpResponseBase, chosen: str) -> None:
    """Store the reader's choice. Anything else changes nothing."""
    if chosen in CHOICES:
        remember_choice(response, COOKIE, chosen)
