"""A roster in rows or in cards, as its reader likes it: kept in a cookie, by the browser alone."""

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
# So many members are seen as cards by whoever has said nothing; more of them are rows.
MOST_CARDS = 6


def in_rows(request: HttpRequest, members: int) -> bool:
    """Whether a roster of so many members is shown in rows. A page that asks for a part of itself
    says how it shows them: it does not change over while somebody builds."""
    chosen = request.POST.get(COOKIE) or request.COOKIES.get(COOKIE)
    return chosen == ROWS if chosen in (ROWS, CARDS) else members > MOST_CARDS


def remember(response: HttpResponseBase, density: str) -> None:
    """Keep what the reader chose; what is neither of the two changes nothing."""
    if density in (ROWS, CARDS):
        remember_choice(response, COOKIE, density)
