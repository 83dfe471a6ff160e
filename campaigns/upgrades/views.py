"""A campaign's rules: going over to another version with all gangs, and taking that back."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import Request
from campaigns.access import organised_or_404
from campaigns.models import Campaign, CampaignUpgrade
from campaigns.refusals import refusal_sentence
from campaigns.upgrades import whole_campaign
from common.errors import Refusal, Stale
from common.forms import posted_version
from gangs.builder.responses import stale_sentence
from gangs.history.log import misfit_sentences
from gangs.text.formats import rules_name
from gangs.versions import choices
from gangs.versions.text import describe


@require_http_methods(["GET", "HEAD", "POST"])
def upgrade(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Choose a version, see what changes for each gang, go over to it with all of them."""
    shown = organised_or_404(request, campaign)
    if request.method != "POST":
        return _page(request, shown, request.GET.get("version", ""))
    wanted = request.POST.get("book", "")
    try:
        offered = choices.choices(shown.book_version_id, request.user, wanted)
        choice = choices.chosen(offered, wanted or "none")
        if choice is None and wanted != shown.book_version_id:
            raise Refusal("gone")
        version = choice.version if choice else shown.book_version
        whole_campaign.upgrade(
            shown,
            version,
            actor=request.user,
            expected_version=posted_version(request.POST, "version"),
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
    offered = choices.choices(campaign.book_version_id, request.user, wanted)
    chosen = choices.chosen(offered, wanted) or choices.chosen(offered, "")
    lines = []
    if chosen:
        lines = [
            (one.gang, describe(one.changes, chosen.book))
            for one in whole_campaign.preview(campaign, chosen.book)
        ]
    refusal = whole_campaign.why_not(campaign)
    context = {
        "campaign": campaign,
        "book": campaign.book,
        "choices": offered,
        "chosen": chosen,
        "lines": lines,
        "changing": sum(bool(what) for _gang, what in lines),
        "latest": whole_campaign.latest(campaign),
        "token": uuid.uuid4(),
        "refusal": refusal and refusal_sentence(refusal),
        "error": error,
    }
    return render(request, "campaigns/upgrades/upgrade.html", context, status=status)


@require_POST
def take_back(request: Request, campaign: uuid.UUID, upgrade: int) -> HttpResponse:
    """Take the last upgrade back, in all gangs."""
    shown = organised_or_404(request, campaign)
    done = get_object_or_404(CampaignUpgrade, pk=upgrade, campaign=shown)
    try:
        whole_campaign.take_back(
            done, actor=request.user, expected_version=posted_version(request.POST, "version")
        )
    except whole_campaign.GangsLeftOver as left:
        gangs = [(gang, misfit_sentences(gang, misfits)) for gang, misfits in left.gangs]
        context = {"campaign": shown, "gangs": gangs}
        return render(request, "campaigns/upgrades/stays.html", context, status=422)
    except Refusal as refusal:
        return _page(request, shown, "", refusal_sentence(refusal), 422)
    except Stale:
        shown.refresh_from_db()
        return _page(request, shown, "", stale_sentence(), 409)
    messages.success(
        request, _("Taken back: the campaign and its gangs go by the rules from before.")
    )
    return redirect(shown)
