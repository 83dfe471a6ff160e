"""A campaign's rules: going over to another version with all gangs, and taking that back."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import Request
from campaigns import upgrades
from campaigns.access import organised_or_404
from campaigns.models import Campaign, CampaignUpgrade
from campaigns.wording import refusal_sentence
from gangs import versions
from gangs.chronicle import misfit_sentences
from gangs.desk import stale_sentence
from gangs.forms import seen
from gangs.ledger import Stale
from gangs.refusal import Refusal
from gangs.upgrade_words import told
from gangs.wording import rules_name


@require_http_methods(["GET", "HEAD", "POST"])
def upgrade(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Choose a version, see what changes for each gang, go over to it with all of them."""
    shown = organised_or_404(request, campaign)
    if request.method != "POST":
        return _page(request, shown, request.GET.get("version", ""))
    wanted = request.POST.get("book", "")
    try:
        offered = versions.choices(shown.book_version_id, request.user, wanted)
        choice = versions.chosen(offered, wanted or "none")
        if choice is None and wanted != shown.book_version_id:
            raise Refusal("gone")
        version = choice.version if choice else shown.book_version
        upgrades.upgrade(
            shown,
            version,
            actor=request.user,
            seen=seen(request.POST, "version"),
            token=_token(request),
        )
    except Refusal as refusal:
        return _page(request, shown, wanted, refusal_sentence(refusal), 422)
    except Stale:
        shown.refresh_from_db()
        return _page(request, shown, wanted, stale_sentence(), 409)
    name = rules_name(shown.book)
    messages.success(request, _("The campaign goes by %(rules)s now.") % {"rules": name})
    return redirect(shown)


def _token(request: Request) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("token", ""))
    except ValueError:
        raise Refusal("gone") from None


def _page(
    request: Request, campaign: Campaign, wanted: str, error: str = "", status: int = 200
) -> HttpResponse:
    offered = versions.choices(campaign.book_version_id, request.user, wanted)
    chosen = versions.chosen(offered, wanted) or versions.chosen(offered, "")
    lines = []
    if chosen:
        lines = [
            (one.gang, told(one.changes, chosen.book))
            for one in upgrades.preview(campaign, chosen.book)
        ]
    refusal = upgrades.why_not(campaign)
    context = {
        "campaign": campaign,
        "book": campaign.book,
        "choices": offered,
        "chosen": chosen,
        "lines": lines,
        "changing": sum(bool(what) for _gang, what in lines),
        "latest": upgrades.latest(campaign),
        "token": uuid.uuid4(),
        "refusal": refusal and refusal_sentence(refusal),
        "error": error,
    }
    return render(request, "campaigns/upgrade.html", context, status=status)


@require_POST
def take_back(request: Request, campaign: uuid.UUID, upgrade: int) -> HttpResponse:
    """Take the last upgrade back, in all gangs."""
    shown = organised_or_404(request, campaign)
    done = get_object_or_404(CampaignUpgrade, pk=upgrade, campaign=shown)
    try:
        upgrades.take_back(done, actor=request.user, seen=seen(request.POST, "version"))
    except upgrades.GangsLeftOver as left:
        gangs = [(gang, misfit_sentences(gang, misfits)) for gang, misfits in left.gangs]
        context = {"campaign": shown, "gangs": gangs}
        return render(request, "campaigns/upgrade_stays.html", context, status=422)
    except Refusal as refusal:
        return _page(request, shown, "", refusal_sentence(refusal), 422)
    except Stale:
        shown.refresh_from_db()
        return _page(request, shown, "", stale_sentence(), 409)
    messages.success(
        request, _("Taken back: the campaign and its gangs go by the rules from before.")
    )
    return redirect(shown)
