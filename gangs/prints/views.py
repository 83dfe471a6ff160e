"""Prints of a gang's members, each on their own: for its owner."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from gangs.access import own_gang_or_404
from gangs.prints import cards as prints_cards
from gangs.prints import kinds, posters
from gangs.prints.cards import CardsOrder
from gangs.prints.posters import PostersOrder
from printing import responses as printing_responses


@login_not_required
@require_safe
def cards_pdf(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """The cards of one's own gang's members."""
    found = own_gang_or_404(request, gang)
    order = kinds.form(kinds.CARDS, found, request.GET).order(CardsOrder)
    name = _("%(gang)s: cards") % {"gang": found.name}
    return printing_responses.answer(
        request, prints_cards.key(found, order), lambda: prints_cards.job(found, order), name
    )


@login_not_required
@require_safe
def posters_pdf(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """Wanted posters of one's own gang's members, past and present."""
    found = own_gang_or_404(request, gang)
    order = kinds.form(kinds.POSTERS, found, request.GET).order(PostersOrder)
    name = _("%(gang)s: wanted posters") % {"gang": found.name}
    return printing_responses.answer(
        request, posters.key(found, order), lambda: posters.job(found, order), name
    )
