"""Privacy and imprint: what this site keeps of people, and who runs it.

What the program does itself is said by the program, so that it stays true. What only whoever runs
the site can say, they write, in each language.
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

# Django's own. Whoever sets others declares them where they are named.
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
    """What the page says, in each language."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for code, name in settings.LANGUAGES:
            self.fields[code] = NotesField(label=name, max_length=LONGEST_TEXT)
            self.fields[code].widget.attrs["rows"] = 14


@login_not_required
@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """What this site keeps of people, and its cookies."""
    told = {"cookies": cookies.declared_cookies(), "guest_days": settings.GUEST_DAYS}
    return _page(request, SitePage.Key.PRIVACY, **told)


@login_not_required
@require_safe
def imprint(request: HttpRequest) -> HttpResponse:
    """Who runs this site."""
    return _page(request, SitePage.Key.IMPRINT)


def _page(request: HttpRequest, key: SitePage.Key, **context: object) -> HttpResponse:
    row = SitePage.objects.filter(pk=key).first()
    texts = row.texts if row is not None else {}
    # In another language rather than not at all.
    written = [code for code in (language(), *dict(settings.LANGUAGES)) if texts.get(code)]
    context |= {"key": key, "text": texts[written[0]] if written else ""}
    context["text_language"] = written[0] if written else ""
    return render(request, f"accounts/{key}.html", context)


@require_safe_or_post
def edit(request: Request, key: str) -> HttpResponse:
    """Write what the page says, for whoever runs the site; others learn of no such page."""
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
    context = {"page": row, "form": form, "changed": status == CONFLICT}
    return render(request, "accounts/site_page_form.html", context, status=status)


def write(key: str, texts: dict[str, str], *, expected_version: int) -> None:
    """Let the page say these texts, by language. Raises Stale if it says another by now."""
    SitePage.objects.get_or_create(pk=key)
    update_if(SitePage, key, expected_version, texts=texts)
