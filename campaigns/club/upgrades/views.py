"""Pages to move a campaign with all its gangs to another version of its rules, and back."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.http import Request
from campaigns.access import organised_or_404
from campaigns.club.upgrades import whole_campaign
from campaigns.models import Campaign, CampaignUpgrade
from campaigns.refusals import attempt, refusal_sentence
from common.errors import Refusal
from common.forms import posted_version, require_safe_or_post
from gangs.builder.responses import stale_sentence
from gangs.history.log import misfit_sentences
from gangs.text.formats import version_name
from gangs.versions import choices
from gangs.versions.text import describe
from rules.models import BookVersion


@require_safe_or_post
def upgrade(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Choose a version, preview the changes of each gang, and move all of them to it."""
    campaign = organised_or_404(request, campaign_id)
    if request.method != "POST":
        return _page(request, campaign, request.GET.get("version", ""))
    wanted = request.POST.get("book", "")
    error, status = attempt(stale_sentence(), _upgrade, request, campaign, wanted)
    if error:
        campaign.refresh_from_db()
        return _page(request, campaign, wanted, error, status)
    version = BookVersion.objects.only("number").get(pk=campaign.book_version_id)
    name = version_name(campaign.book, version.number)
    messages.success(request, _("The campaign now uses %(rules)s.") % {"rules": name})
    return redirect(campaign)


def _upgrade(request: Request, campaign: Campaign, wanted: str) -> None:
    """Move the campaign to the chosen version. Raises Refusal and Stale."""
    offered = choices.choices(campaign.book_version_id, request.user, wanted)
    choice = choices.choose_version(offered, wanted or "none")
    if choice is None and wanted != campaign.book_version_id:
        raise Refusal("gone")
    try:
        token = uuid.UUID(request.POST.get("token", ""))
    except ValueError:
        raise Refusal("gone") from None
    whole_campaign.upgrade(
        campaign,
        choice.version if choice else campaign.book_version,
        actor=request.user,
        expected_version=posted_version(request.POST, "version"),
        token=token,
    )


def _page(
    request: Request, campaign: Campaign, wanted: str, error: str = "", status: int = 200
) -> HttpResponse:
    offered = choices.choices(campaign.book_version_id, request.user, wanted)
    chosen = choices.choose_version(offered, wanted) or choices.choose_version(offered, "")
    lines = []
    if chosen:
        changes = whole_campaign.preview(campaign, chosen.book)
        lines = [(gang, describe(what, chosen.book)) for gang, what in changes.items()]
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
    return render(request, "campaigns/club/upgrades/upgrade.html", context, status=status)


@require_POST
def take_back(request: Request, campaign_id: uuid.UUID, upgrade_id: int) -> HttpResponse:
    """Take the last upgrade back in all gangs."""
    campaign = organised_or_404(request, campaign_id)
    upgrade = get_object_or_404(CampaignUpgrade, pk=upgrade_id, campaign=campaign)
    version = posted_version(request.POST, "version")
    act, stale = whole_campaign.take_back, stale_sentence()
    try:
        error, status = attempt(stale, act, upgrade, actor=request.user, expected_version=version)
    except whole_campaign.GangsLeftOver as leftovers:
        gangs = [(gang, misfit_sentences(gang, misfits)) for gang, misfits in leftovers.gangs]
        context = {"campaign": campaign, "gangs": gangs}
        return render(request, "campaigns/club/upgrades/stays.html", context, status=422)
    if error:
        campaign.refresh_from_db()
        return _page(request, campaign, "", error, status)
    messages.success(request, _("Undone: the campaign and its gangs use the previous rules again."))
    return redirect(campaign)
