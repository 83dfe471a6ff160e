"""The colours of the pages, light or dark, chosen for each browser and stored in a cookie."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.http import back
from common.cookies import declare, remember_choice

COOKIE = "theme"
declare(COOKIE, gettext_lazy("Remembers the colours you chose."), settings.LANGUAGE_COOKIE_AGE)
# Without a cookie the pages follow the reader's device.
DEVICE = "system"
CHOSEN = ("light", "dark")


def theme_of(request: HttpRequest) -> str:
    """The reader's choice: light, dark or system."""
    theme = request.COOKIES.get(COOKIE, DEVICE)
    return theme if theme in CHOSEN else DEVICE


@login_not_required
@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Switch the colours, and return to the same page."""
    response = back(request)
    theme = request.POST.get("theme", "")
    if theme in CHOSEN:
        remember_choice(response, COOKIE, theme)
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response
