"""Draw the preview of a link to a game's rules for chats: the game's name and sign."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.language import rules_language
from printing.paper import orders
from printing.pictures import answers
from printing.pictures.values import Preview
from rules.views import find_place


@login_not_required
@require_safe
def picture(request: HttpRequest, **where: str) -> HttpResponseBase:
    """Return the picture of the current rules, or of one version."""
    place = find_place(request, **where)
    key = orders.key("preview", "rules", place.digest, rules_language(), settings.SITE_NAME)

    def tell() -> Preview:
        book = place.book
        return Preview(
            title=book.title.translated(rules_language()),
            above=_("Rules"),
            facts=book.edition,
            foot=settings.SITE_NAME,
            emblem=book.look.emblem,
            accent=book.look.accent.dark,
        )

    return answers.answer(request, key, tell)
