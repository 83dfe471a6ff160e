"""Pages that can be reported, and the subject of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import Resolver404, ResolverMatch, resolve, reverse

from administration.acts.content_acts import CAMPAIGN_ACTS, GANG_ACTS
from administration.acts.kinds import Acts
from administration.acts.writing_acts import DRAFT_ACTS, GAME_ACTS, NIGHT_ACTS, VARIANT_ACTS
from administration.models import PageReport
from campaigns.access import readable, reader_campaign_or_404
from campaigns.club.people.admission import entrance_or_404
from campaigns.models import Campaign, Fixture, Game, Night, Stage, Table
from campaigns.table.access import seat_or_404
from gangs.access import shared_gang_or_404, visible_gang_or_404
from gangs.models import Gang
from rules.library import book_of
from rules.models import BookVersion
from rules.views import find_place

# Arguments of addresses that name something written by players, by app. A page whose address has
# one of them can be reported if it is open to people who have not signed in.
WRITTEN_BY_PLAYERS = {
    "gangs": {"key"},
    "campaigns": {
        "key",
        "campaign_id",
        "game_id",
        "night_id",
        "stage_id",
        "fixture_id",
        "table_id",
    },
    "rules": {"slug", "digest"},
}
# Further pages that show somebody else's texts: of a gang, most pages are only its owner's.
FURTHER = {"gangs:then", "gangs:then-sheet", "gangs:between", "campaigns:people"}
LONGEST_ADDRESS = 300
# The way from something with a page of its own to its campaign.
TO_CAMPAIGN: tuple[tuple[str, type[Model], str], ...] = (
    ("game_id", Game, "campaign"),
    ("night_id", Night, "campaign"),
    ("stage_id", Stage, "campaign"),
    ("fixture_id", Fixture, "round__stage__campaign"),
)


@dataclass(frozen=True)
class Reported:
    """A page to be reported: its address on this site, its title and its subject. A table without a
    campaign has no subject here: ``subjects_of`` finds its gangs."""

    page: str
    title: str
    gang: Gang | None = None
    campaign: Campaign | None = None
    book_version: BookVersion | None = None


def is_reportable(match: ResolverMatch) -> bool:
    """Whether a page can be reported if its reader cannot change it."""
    if match.view_name in FURTHER:
        return True
    written = WRITTEN_BY_PLAYERS.get(match.app_name, set())
    is_open = not getattr(match.func, "login_required", True)
    return is_open and not written.isdisjoint(match.kwargs)


def subjects_of(report: PageReport) -> Iterator[tuple[Acts[Any], Model]]:
    """Yield everything that a reported page shows and that administrators can act on, each with
    its acts: the text's own place first."""
    given = _arguments(report)
    table = _find(Table, given.get("table_id"))
    game = _find(Game, given.get("game_id")) or (table and table.game)
    if game is not None:
        yield GAME_ACTS, game
    night = _find(Night, given.get("night_id"))
    if night is not None:
        yield NIGHT_ACTS, night
    if report.gang is not None:
        yield GANG_ACTS, report.gang
    if career := _find(Gang, given.get("gang_id")):
        yield GANG_ACTS, career
    if table is not None and game is None:
        for gang in Gang.objects.filter(table_sides__table=table).distinct():
            yield GANG_ACTS, gang
    if report.campaign is not None:
        yield CAMPAIGN_ACTS, report.campaign
    version = report.book_version
    if version is not None and version.variant is not None:
        yield VARIANT_ACTS, version.variant
    if version is not None and version.draft is not None:
        yield DRAFT_ACTS, version.draft


def find_link(report: PageReport) -> str:
    """Return the link that opens a reported page to administrators who take no part: that for the
    campaign's spectators, or that of a table without a campaign; "" if the page needs none."""
    if report.campaign is not None:
        return reverse("campaigns:watch", args=[report.campaign.watch_key])
    table = _find(Table, _arguments(report).get("table_id"))
    return "" if table is None else reverse("campaigns:table-join", args=[table.key])


def _arguments(report: PageReport) -> dict[str, Any]:
    """Return the arguments of a reported page's address; none if a release has removed the page."""
    try:
        return resolve(report.page).kwargs
    except Resolver404:
        return {}


def _find[M: Model](model: type[M], key: object) -> M | None:
    return None if key is None else model._default_manager.filter(pk=key).first()


def reported_or_404(request: HttpRequest, page: str) -> Reported:
    """Return the reported page at an address of this site.

    Raises Http404 unless the page can be reported and the reader may see it.
    """
    try:
        match = resolve(page)
    except Resolver404:
        raise Http404 from None
    if not is_reportable(match) or len(page) > LONGEST_ADDRESS:
        raise Http404
    given = match.kwargs
    if match.app_name == "rules":
        version = _version_or_404(request, given)
        variation = book_of(version.pk).variant
        title = variation.name if variation is not None else str(version)
        return Reported(page, title, book_version=version)
    if match.app_name == "gangs":
        gang = _gang_or_404(request, given)
        return Reported(page, gang.name, gang=gang)
    if "table_id" in given:
        table = seat_or_404(request, given["table_id"]).table
        if table.game is None:
            return Reported(page, table.title)
        campaign = table.game.campaign
    elif "key" in given:
        campaign = _linked_campaign_or_404(match)
    else:
        campaign = _campaign_or_404(request, given)
    return Reported(page, campaign.name, campaign=campaign)


def _version_or_404(request: HttpRequest, given: dict[str, Any]) -> BookVersion:
    where = {name: given[name] for name in ("slug", "digest") if name in given}
    place = find_place(request, **where)
    return get_object_or_404(BookVersion.objects.exclude(number=None), pk=place.digest)


def _gang_or_404(request: HttpRequest, given: dict[str, Any]) -> Gang:
    if "key" in given:
        return shared_gang_or_404(given["key"])
    return visible_gang_or_404(request, given["gang"])


def _linked_campaign_or_404(match: ResolverMatch) -> Campaign:
    """Return the campaign behind an invitation or a link for spectators."""
    key = match.kwargs["key"]
    if match.url_name == "join":
        return entrance_or_404(key).campaign
    return get_object_or_404(Campaign.objects.shown(), watch_key=key)


def _campaign_or_404(request: HttpRequest, given: dict[str, Any]) -> Campaign:
    for name, model, way in TO_CAMPAIGN:
        if name in given:
            rows = model._default_manager.filter(pk=given[name]).values(way)
            return get_object_or_404(readable(request), pk__in=rows)
    return reader_campaign_or_404(request, given["campaign_id"])
