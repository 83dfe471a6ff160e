"""Reference sheets: of a game, for everybody, and of a gang's game, by the options it goes by."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from gangs import prints
from gangs.access import own_gang_or_404
from gangs.papers import reference
from gangs.papers.reference import ReferenceOrder
from gangs.print_forms import PaperForm
from gangs.printing import answers
from gangs.wording import language, spoken
from rules.library import book_of
from rules.models import BookVersion
from rules.vocabulary import Settings


@login_not_required
@require_safe
def of_game(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The reference sheet of a game as its rules are now."""
    newest = BookVersion.objects.newest().filter(slug=slug)
    digest = newest.values_list("digest", flat=True).first()
    if digest is None:
        raise Http404
    return _usual(request, digest)


@login_not_required
@require_safe
def of_version(request: HttpRequest, digest: str) -> HttpResponseBase:
    """The reference sheet of the rules as a gang or campaign holds on to them."""
    return _usual(request, digest)


@login_not_required
@require_safe
def of_gang(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """The reference sheet of the game that one's own gang plays, by its options."""
    found = own_gang_or_404(request, gang)
    form = prints.form(prints.REFERENCE, found, request.GET)
    return _answer(request, found.book_version_id, form, found.roster.settings)


def _usual(request: HttpRequest, digest: str) -> HttpResponseBase:
    return _answer(request, digest, PaperForm(request.GET), {})


def _answer(
    request: HttpRequest, digest: str, form: PaperForm, settings: Settings
) -> HttpResponseBase:
    try:
        book = book_of(digest)
    except BookVersion.DoesNotExist:
        raise Http404 from None
    wanted = form.wanted()
    chosen = reference.chosen(book.default_settings() | dict(settings))
    order = ReferenceOrder(language(), wanted["paper"], wanted["style"], settings=chosen)
    name = _("%(game)s: reference sheet") % {"game": spoken(book.title)}
    key = reference.key(digest, order)
    return answers.answer(request, key, lambda: reference.job(book, order), name)
