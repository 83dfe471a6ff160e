"""Reference sheets of a game, for everybody."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.language import rules_language
from printing import responses as printing_responses
from printing.paper.forms import PaperForm
from printing.reference import job as prints_reference
from printing.reference.job import ReferenceOrder
from rules.access import check_readable
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.library import book_of
from rules.models import BookVersion


@login_not_required
@require_safe
def sheet(request: HttpRequest, slug: str = "", digest: str = "") -> HttpResponseBase:
    """Return the reference sheet of a game under its current rules, or under the version that a
    gang or campaign keeps.
    """
    digest = digest_or_404(request, slug, digest)
    return answer(request, digest, PaperForm(request.GET), {})


def answer(
    request: HttpRequest, digest: str, form: PaperForm, settings: Settings
) -> HttpResponseBase:
    """Return the reference sheet of a version, by the form's options and game ``settings``."""
    book = book_or_404(digest)
    order = form.order(ReferenceOrder, settings=chosen_settings(book, settings))
    name = _("%(game)s: reference sheet") % {"game": book.title.translated(rules_language())}
    key = prints_reference.key(digest, order)
    return printing_responses.answer(request, key, lambda: prints_reference.job(book, order), name)


def digest_or_404(request: HttpRequest, slug: str, digest: str) -> str:
    """Return the digest in an address, or that of a game's newest version."""
    if not digest:
        return BookVersion.objects.newest_digest(slug)
    check_readable(request, digest)
    return digest


def book_or_404(digest: str) -> Book:
    """Return the rulebook of a version. Raises Http404."""
    try:
        return book_of(digest)
    except BookVersion.DoesNotExist:
        raise Http404 from None


def chosen_settings(book: Book, settings: Settings) -> tuple[tuple[str, str | int], ...]:
    """Return every option with its value, as an order keeps them."""
    return tuple(sorted((book.default_settings() | dict(settings)).items()))
