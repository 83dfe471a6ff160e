"""Blank forms of a game, for everybody."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.language import rules_language
from printing import responses as printing_responses
from printing.paper.forms import PaperForm
from printing.reference.views import book_or_404, chosen_settings, digest_or_404
from printing.sheets import blank as prints_blank
from printing.sheets.blank import BlankOrder
from printing.sheets.blank_form import BlankForm
from rules.book.vocabulary import Settings


@login_not_required
@require_safe
def blank(request: HttpRequest, slug: str = "", digest: str = "") -> HttpResponseBase:
    """Return blank forms of a game under its current rules, or under the version that a gang or
    campaign keeps.
    """
    digest = digest_or_404(request, slug, digest)
    return answer_blank(request, digest, BlankForm(request.GET), {})


def answer_blank(
    request: HttpRequest, digest: str, form: PaperForm, settings: Settings
) -> HttpResponseBase:
    """Return blank forms of a version, by the form's options and the game's ``settings``."""
    book = book_or_404(digest)
    order = form.order(BlankOrder, settings=chosen_settings(book, settings))
    name = _("%(game)s: blank forms") % {"game": book.title.translated(rules_language())}
    key = prints_blank.key(digest, order)
    return printing_responses.answer(request, key, lambda: prints_blank.job(book, order), name)
