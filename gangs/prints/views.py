"""Prints of a gang's members, each by himself: for its owner."""

from __future__ import annotations

import uuid
from typing import cast

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from gangs import prints
from gangs.access import own_gang_or_404
from gangs.papers import cards, posters
from gangs.print_forms import CardsForm, PostersForm
from gangs.printing import answers


@login_not_required
@require_safe
def cards_pdf(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """The cards of one's own gang's members."""
    found = own_gang_or_404(request, gang)
    order = cast(CardsForm, prints.form(prints.CARDS, found, request.GET)).order()
    name = _("%(gang)s: cards") % {"gang": found.name}
    return answers.answer(request, cards.key(found, order), lambda: cards.job(found, order), name)


@login_not_required
@require_safe
def posters_pdf(request: HttpRequest, gang: uuid.UUID) -> HttpResponseBase:
    """Wanted posters of one's own gang's members, past and present."""
    found = own_gang_or_404(request, gang)
    order = cast(PostersForm, prints.form(prints.POSTERS, found, request.GET)).order()
    name = _("%(gang)s: wanted posters") % {"gang": found.name}
    return answers.answer(
        request, posters.key(found, order), lambda: posters.job(found, order), name
    )
