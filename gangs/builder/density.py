"""The reader's choice between rows and cards for a roster, stored only in a cookie."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy

from common.cookies import declare, remember_choice

COOKIE = "roster"
declare(
    COOKIE,
    gettext_lazy("Knows whether you like a gang’s members in rows or in cards."),
    settings.LANGUAGE_COOKIE_AGE,
)
ROWS, CARDS = "rows", "cards"
# Without a choice, a roster of up to this many members is shown as cards, a larger one in rows.
MOST_CARDS = 6


def in_rows(request: HttpRequest, members: int) -> bool:
    """Whether a roster with this number of ``members`` is shown in rows. A page that requests a
    part of itself sends its own choice, so that it does not change while somebody builds."""
    chosen = request.POST.get(COOKIE) or request.COOKIES.get(COOKIE)
    return chosen == ROWS if chosen in (ROWS, CARDS) else members > MOST_CARDS


def remember(response: HttpResponseBase, density: str) -> None:
    """Store the reader's choice in the cookie; ignore other values."""
    if density in (ROWS, CARDS):
        remember_choice(response, COOKIE, density)
