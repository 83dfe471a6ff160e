"""Pages of the standings: the whole table, its rules, bonuses and penalties, and its link."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request, site_url
from campaigns.access import (
    gangs_of,
    open_to_spectators,
    organised_or_404,
    remember_watching,
)
from campaigns.engine.league.standings_rules import StandingsRules
from campaigns.models import Adjustment, Campaign, Participant
from campaigns.refusals import attempt
from campaigns.season.freshness import readable_state_or_404
from campaigns.season.loading import load_season
from campaigns.season.standings import storage
from campaigns.season.standings.forms import AdjustmentForm, RulesForm
from campaigns.season.standings.text import (
    criterion_name,
    describe_counted,
    rank_gangs,
    standings_table,
)
from campaigns.text import gang_names
from common.forms import posted_version, require_safe_or_post
from gangs.models import Gang


@open_to_spectators
@require_safe
def standings(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Show the whole table: what decided each place, and every bonus and penalty."""
    loaded = load_season(campaign_id, readable_state_or_404(request, campaign_id))
    campaign, season = loaded.campaign, loaded.season
    context = {
        "campaign": campaign,
        "organises": campaign.is_run_by(request.user),
        # Spectators share the link that they came by.
        "is_player": campaign.role_of(request.user) not in ("", Participant.Role.SPECTATOR),
        "site_url": site_url(request),
        "has_ranking": bool(rank_gangs(season)),
        "table": standings_table(loaded, request.user, in_full=True),
        "adjustments": [
            (row, season.names.get(row.who, row.name)) for row in reversed(season.adjustments)
        ],
        "counts_points": "points" in season.table.ranking_of(season.book),
    }
    return render(request, "campaigns/season/standings/page.html", context)


@require_safe_or_post
def rules(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Choose the order of ranking, the columns and the points of each result."""
    campaign = organised_or_404(request, campaign_id)
    error, status = "", 200
    form = RulesForm(campaign.book, campaign.standings_rules)
    if request.method == "POST":
        known = campaign.standings_rules
        form = RulesForm(campaign.book, known, request.POST)
        # Lots that were drawn once stay drawn.
        by_the_book = StandingsRules(seed=known.seed, edition=known.edition)
        chosen = by_the_book if "book" in request.POST else None
        if chosen is None and form.is_valid():
            chosen = form.chosen()
        status = 422
        if chosen is not None:
            stale = _(
                "This campaign was changed in the meantime. What you chose is not saved yet: check "
                "it and save again."
            )
            version = posted_version(request.POST, "seen")
            error, status = attempt(
                stale, storage.save_rules, campaign, chosen, expected_version=version
            )
            if not error:
                return redirect("campaigns:standings", campaign.pk)
            campaign.refresh_from_db()
    context = {"campaign": campaign, "form": form, "error": error}
    return render(request, "campaigns/season/standings/rules.html", context, status=status)


@require_safe_or_post
def adjust(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Give a gang a bonus or a penalty."""
    campaign = organised_or_404(request, campaign_id)
    form = AdjustmentForm(_choices(campaign), request.POST if request.method == "POST" else None)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        error, status = attempt(
            "",
            storage.adjust,
            campaign,
            form.cleaned_data["gang"],
            points=form.cleaned_data["points"],
            reason=form.cleaned_data["reason"],
            token=form.cleaned_data["token"],
            actor=request.user,
        )
        if not error:
            return redirect("campaigns:standings", campaign.pk)
    book, club = campaign.book, campaign.standings_rules
    context = {
        "campaign": campaign,
        "form": form,
        "error": error,
        "points_name": criterion_name(book, "points"),
        "counts_points": "points" in club.ranking_of(book),
    }
    return render(request, "campaigns/season/standings/adjust.html", context, status=status)


def _choices(campaign: Campaign) -> dict[Gang, str]:
    """Every gang that plays or played, with a name that tells it from the others."""
    gangs = gangs_of(campaign)
    names = gang_names(gangs)
    return {gang: names[gang.pk] for gang in gangs}


@require_POST
def take_back(request: Request, campaign_id: uuid.UUID, adjustment_id: int) -> HttpResponse:
    """Take a bonus or penalty back."""
    campaign = organised_or_404(request, campaign_id)
    rows = Adjustment.objects.select_related("gang__owner")
    row = get_object_or_404(rows, pk=adjustment_id, campaign=campaign)
    row.campaign = campaign
    storage.take_back(row, actor=request.user)
    messages.success(request, _("It no longer counts."))
    return redirect("campaigns:standings", campaign.pk)


@login_not_required
@require_safe
def watch_standings(request: Request, key: str) -> HttpResponse:
    """The page behind the link that shares the standings: let the browser read the campaign, and
    redirect to the standings. Programs that preview links get a short page instead, as for a
    campaign."""
    campaign = get_object_or_404(Campaign.objects.shown(), watch_key=key)
    if request.user.is_authenticated or "Sec-Fetch-Mode" in request.headers:
        response: HttpResponse = redirect("campaigns:standings", campaign.pk)
    else:
        loaded = load_season(campaign.pk)
        context = {
            "campaign": campaign,
            "title": _("Standings of %(name)s") % {"name": campaign.name},
            "summary": describe_counted(loaded),
        }
        response = render(request, "campaigns/season/standings/watch.html", context)
    response["X-Robots-Tag"] = "noindex"
    remember_watching(request, response, campaign)
    return response
