"""A gang goes over to another version of its rules: what that changes, and the decision."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http import actor
from common.errors import Refusal
from common.forms import OK
from gangs import hooks
from gangs.access import own_gang_or_404
from gangs.builder.responses import attempt, form_state
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry, Upgraded
from gangs.engine.version_diff import changes
from gangs.models import Gang
from gangs.text.formats import refusal_sentence, rules_name
from gangs.versions import choices
from gangs.versions.text import describe


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def upgrade(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Choose a version, see what changes, go over to it."""
    found = own_gang_or_404(request, gang)
    if request.method != "POST":
        return _page(request, found, request.GET.get("version", ""))
    wanted = request.POST.get("book", "")

    def decide(computed: ComputedGang, next_id: int) -> list[Entry]:
        hooks.check_rules_free(found)
        if wanted == found.book_version_id:
            raise Refusal("same_rules")
        if choices.chosen(_choices(request, found, wanted), wanted or "none") is None:
            raise Refusal("gone")
        return [Upgraded(digest=wanted)]

    outcome = attempt(request, found, decide)
    if outcome.status != OK:
        return _page(request, found, wanted, outcome.error, outcome.status)
    name = rules_name(found.book)
    messages.success(request, _("The gang goes by %(rules)s now.") % {"rules": name})
    return redirect(found)


def _choices(request: HttpRequest, gang: Gang, wanted: str) -> list[choices.Choice]:
    return choices.choices(gang.book_version_id, actor(request), wanted)


def _page(
    request: HttpRequest, gang: Gang, wanted: str, error: str = "", status: int = OK
) -> HttpResponse:
    offered = _choices(request, gang, wanted)
    chosen = choices.chosen(offered, wanted) or choices.chosen(offered, "")
    context = {
        "gang": gang,
        "book": gang.book,
        "state": form_state(request, gang),
        "choices": offered,
        "chosen": chosen,
        "told": chosen and describe(changes(gang.book, chosen.book, gang.roster), chosen.book),
        "refusal": _refusal(gang),
        "error": error,
    }
    return render(request, "gangs/versions/upgrade.html", context, status=status)


def _refusal(gang: Gang) -> str:
    """Why nothing can be chosen for the moment."""
    try:
        hooks.check_rules_free(gang)
        hooks.check_unlocked(gang, [Upgraded(digest=gang.book_version_id)])
    except Refusal as refusal:
        return refusal_sentence(refusal)
    return ""
