"""The pages about privacy and about the people who run the site.

The program itself describes its own behaviour, so that the text stays true. Administrators write
the rest, in each language.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.http import Request
from accounts.language import language
from accounts.models import SitePage
from common import cookies
from common.errors import Stale
from common.forms import (
    CONFLICT,
    INVALID,
    OK,
    CrispyForm,
    NotesField,
    posted_version,
    require_safe_or_post,
)
from common.locking import update_if

LONGEST_TEXT = 20_000

# Django's cookies. Other modules declare their own.
cookies.declare(
    settings.SESSION_COOKIE_NAME,
    gettext_lazy("Keeps you signed in."),
    settings.SESSION_COOKIE_AGE,
)
cookies.declare(
    settings.CSRF_COOKIE_NAME,
    gettext_lazy(
        "Proves that a form was sent from this site, and not by another one in your name."
    ),
    settings.CSRF_COOKIE_AGE,
)
cookies.declare(
    settings.LANGUAGE_COOKIE_NAME,
    gettext_lazy("Remembers the language you chose."),
    settings.LANGUAGE_COOKIE_AGE,
)
cookies.declare(
    "messages", gettext_lazy("Carries a sentence such as “Saved.” to the next page you see."), 0
)


class TextsForm(CrispyForm):
    """The texts of a page, one for each language."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for code, name in settings.LANGUAGES:
            self.fields[code] = NotesField(label=name, max_length=LONGEST_TEXT)
            self.fields[code].widget.attrs["rows"] = 14


@login_not_required
@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """The page about stored data and cookies."""
    context = {"cookies": cookies.declared_cookies(), "guest_days": settings.GUEST_DAYS}
    return _page(request, SitePage.Key.PRIVACY, **context)


@login_not_required
@require_safe
def imprint(request: HttpRequest) -> HttpResponse:
    """The page about the people who run the site."""
    return _page(request, SitePage.Key.IMPRINT)


def _page(request: HttpRequest, key: SitePage.Key, **context: object) -> HttpResponse:
    row = SitePage.objects.filter(pk=key).first()
    texts = row.texts if row is not None else {}
    # A text in another language is better than none.
    languages = (language(), *dict(settings.LANGUAGES))
    code = next((code for code in languages if texts.get(code)), "")
    context |= {"key": key, "text": texts.get(code, ""), "text_language": code}
    return render(request, f"accounts/{key}.html", context)


@require_safe_or_post
def edit(request: Request, key: str) -> HttpResponse:
    """Edit the texts of a page. 404 for users who are not staff."""
    if key not in SitePage.Key or not request.user.is_staff:
        raise Http404
    row = SitePage.objects.filter(pk=key).first() or SitePage(key=key)
    form = TextsForm(request.POST if request.method == "POST" else None, initial=row.texts)
    status = INVALID if form.is_bound else OK
    if form.is_valid():
        try:
            write(key, form.cleaned_data, expected_version=posted_version(request.POST, "version"))
        except Stale:
            status = CONFLICT
        else:
            messages.success(request, _("Saved."))
            return redirect(key)
    context = {"page": row, "form": form, "is_stale": status == CONFLICT}
    return render(request, "accounts/site_page_form.html", context, status=status)


def write(key: str, texts: dict[str, str], *, expected_version: int) -> None:
    """Save the texts of a page, by language. Raises Stale if somebody has changed them since."""
    SitePage.objects.get_or_create(pk=key)
    update_if(SitePage, key, expected_version, texts=texts)
