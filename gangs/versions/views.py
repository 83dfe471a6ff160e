"""Going over to another version of the rules: the changes, and the decision."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.http import actor
from common.errors import Refusal
from common.forms import OK, require_safe_or_post
from gangs import hooks
from gangs.access import own_gang
from gangs.builder.responses import attempt, form_state
from gangs.engine.computed import ComputedGang
from gangs.engine.differences import changes
from gangs.engine.entries import Entry, Upgraded
from gangs.models import Gang
from gangs.text.formats import refusal_sentence, version_name
from gangs.versions import choices
from gangs.versions.text import describe
from rules.models import BookVersion


@own_gang(require_safe_or_post)
def upgrade(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Choose a version, see its changes, go over to it."""
    if request.method != "POST":
        return _page(request, gang, request.GET.get("version", ""))
    wanted = request.POST.get("book", "")

    def decide(computed: ComputedGang) -> list[Entry]:
        hooks.check_rules_free(gang)
        if wanted == gang.book_version_id:
            raise Refusal("same_rules")
        if choices.choose_version(_choices(request, gang, wanted), wanted or "none") is None:
            raise Refusal("gone")
        return [Upgraded(digest=wanted)]

    outcome = attempt(request, gang, decide)
    if outcome.status != OK:
        return _page(request, gang, wanted, outcome.error, outcome.status)
    version = BookVersion.objects.only("number").get(pk=gang.book_version_id)
    name = version_name(gang.book, version.number)
    messages.success(request, _("The gang now uses %(rules)s.") % {"rules": name})
    return redirect(gang)


def _choices(request: HttpRequest, gang: Gang, wanted: str) -> list[choices.VersionChoice]:
    return choices.choices(gang.book_version_id, actor(request), wanted)


def _page(
    request: HttpRequest, gang: Gang, wanted: str, error: str = "", status: int = OK
) -> HttpResponse:
    offered = _choices(request, gang, wanted)
    chosen = choices.choose_version(offered, wanted) or choices.choose_version(offered, "")
    context = {
        "gang": gang,
        "book": gang.book,
        "state": form_state(request, gang),
        "choices": offered,
        "chosen": chosen,
        "changed": chosen and describe(changes(gang.book, chosen.book, gang.roster), chosen.book),
        "refusal": _refusal(gang),
        "error": error,
    }
    return render(request, "gangs/versions/upgrade.html", context, status=status)


def _refusal(gang: Gang) -> str:
    """Why the gang may not go over to another version now; "" if it may."""
    refusal = hooks.why_rules_fixed(gang) or hooks.oversight.why_locked(gang)
    return refusal_sentence(refusal) if refusal else ""
