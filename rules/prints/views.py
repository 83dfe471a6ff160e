"""Reference sheets and blank forms of a game, for everybody."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.language import rules_language
from printing import responses as printing_responses
from printing.forms import PaperForm
from rules.access import check_readable
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.library import book_of
from rules.models import BookVersion
from rules.prints import blank as prints_blank
from rules.prints import reference as prints_reference
from rules.prints.blank import BlankOrder
from rules.prints.forms import BlankForm
from rules.prints.reference import ReferenceOrder


@login_not_required
@require_safe
def sheet(request: HttpRequest, slug: str = "", digest: str = "") -> HttpResponseBase:
    """Return the reference sheet of a game under its current rules, or under the version that a
    gang or campaign keeps.
    """
    digest = _digest_or_404(request, slug, digest)
    return answer(request, digest, PaperForm(request.GET), {})


def answer(
    request: HttpRequest, digest: str, form: PaperForm, settings: Settings
) -> HttpResponseBase:
    """Return the reference sheet of a version, by the form's options and game ``settings``."""
    book = _book_or_404(digest)
    order = form.order(ReferenceOrder, settings=_chosen(book, settings))
    name = _("%(game)s: reference sheet") % {"game": book.title.translated(rules_language())}
    key = prints_reference.key(digest, order)
    return printing_responses.answer(request, key, lambda: prints_reference.job(book, order), name)


@login_not_required
@require_safe
def blank(request: HttpRequest, slug: str = "", digest: str = "") -> HttpResponseBase:
    """Return blank forms of a game under its current rules, or under the version that a gang or
    campaign keeps.
    """
    digest = _digest_or_404(request, slug, digest)
    return answer_blank(request, digest, BlankForm(request.GET), {})


def answer_blank(
    request: HttpRequest, digest: str, form: PaperForm, settings: Settings
) -> HttpResponseBase:
    """Return blank forms of a version, by the form's options and the game's ``settings``."""
    book = _book_or_404(digest)
    order = form.order(BlankOrder, settings=_chosen(book, settings))
    name = _("%(game)s: blank forms") % {"game": book.title.translated(rules_language())}
    key = prints_blank.key(digest, order)
    return printing_responses.answer(request, key, lambda: prints_blank.job(book, order), name)


def _digest_or_404(request: HttpRequest, slug: str, digest: str) -> str:
    """Return the digest in an address, or that of a game's newest version."""
    if not digest:
        return BookVersion.objects.newest_digest(slug)
    check_readable(request, digest)
    return digest


def _book_or_404(digest: str) -> Book:
    try:
        return book_of(digest)
    except BookVersion.DoesNotExist:
        raise Http404 from None


def _chosen(book: Book, settings: Settings) -> tuple[tuple[str, str | int], ...]:
    """Return every option with its value, as an order keeps them."""
    return tuple(sorted((book.default_settings() | dict(settings)).items()))
