"""Pages that can be reported, and the subject of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import Resolver404, resolve

from administration.acts.content_acts import CAMPAIGN_ACTS, GANG_ACTS
from administration.acts.kinds import Acts
from administration.acts.writing_acts import DRAFT_ACTS, GAME_ACTS, NIGHT_ACTS, VARIANT_ACTS
from administration.models import PageReport
from campaigns.access import readable, readable_games, reader_campaign_or_404
from campaigns.club.people.admission import entrance_or_404
from campaigns.models import Campaign, Game, Night
from gangs.access import shared_gang_or_404, visible_gang_or_404
from gangs.models import Gang
from rules.library import book_of
from rules.models import BookVersion

# Pages with players' texts that other people see.
REPORTABLE = {
    "gangs:shared",
    "gangs:then",
    "gangs:then-sheet",
    "gangs:between",
    "campaigns:campaign",
    "campaigns:career",
    "campaigns:chronicle",
    "campaigns:charts",
    "campaigns:records",
    "campaigns:nights",
    "campaigns:people",
    "campaigns:game",
    "campaigns:night",
    "campaigns:night-results",
    "campaigns:join",
    "rules:version",
    "rules:version-chapter",
}


@dataclass(frozen=True)
class Reported:
    """A page to be reported: its address on this site, its title and its subject."""

    page: str
    title: str
    gang: Gang | None = None
    campaign: Campaign | None = None
    book_version: BookVersion | None = None


def subjects_of(report: PageReport) -> Iterator[tuple[Acts[Any], Model]]:
    """Yield everything that a reported page shows and that administrators can act on, each with
    its acts: the text's own place first."""
    try:
        given = resolve(report.page).kwargs
    except Resolver404:
        given = {}
    game = Game.objects.filter(pk=given["game_id"]).first() if "game_id" in given else None
    if game is not None:
        yield GAME_ACTS, game
    night = Night.objects.filter(pk=given["night_id"]).first() if "night_id" in given else None
    if night is not None:
        yield NIGHT_ACTS, night
    if report.gang is not None:
        yield GANG_ACTS, report.gang
    if report.campaign is not None:
        yield CAMPAIGN_ACTS, report.campaign
    version = report.book_version
    if version is not None and version.variant is not None:
        yield VARIANT_ACTS, version.variant
    if version is not None and version.draft is not None:
        yield DRAFT_ACTS, version.draft


def reported_or_404(request: HttpRequest, page: str) -> Reported:
    """Return the reported page at an address of this site.

    Raises Http404 unless the page can be reported and the reader may see it.
    """
    try:
        match = resolve(page)
    except Resolver404:
        raise Http404 from None
    if match.view_name not in REPORTABLE or len(page) > 300:
        raise Http404
    given = match.kwargs
    if match.view_name == "gangs:shared":
        gang = shared_gang_or_404(given["key"])
        return Reported(page, gang.name, gang=gang)
    if match.view_name == "campaigns:join":
        campaign = entrance_or_404(given["key"]).campaign
        return Reported(page, campaign.name, campaign=campaign)
    if "gang" in given:
        gang = visible_gang_or_404(request, given["gang"])
        return Reported(page, gang.name, gang=gang)
    if "digest" in given:
        version = get_object_or_404(BookVersion.objects.exclude(number=None), pk=given["digest"])
        variation = book_of(version.pk).variant
        title = variation.name if variation is not None else str(version)
        return Reported(page, title, book_version=version)
    campaign = _campaign_or_404(request, given)
    return Reported(page, campaign.name, campaign=campaign)


def _campaign_or_404(request: HttpRequest, given: Mapping[str, Any]) -> Campaign:
    if "game_id" in given:
        games = readable_games(request).select_related("campaign")
        return get_object_or_404(games, pk=given["game_id"]).campaign
    if "night_id" in given:
        nights = Night.objects.filter(campaign__in=readable(request)).select_related("campaign")
        return get_object_or_404(nights, pk=given["night_id"]).campaign
    return reader_campaign_or_404(request, given["campaign_id"])
