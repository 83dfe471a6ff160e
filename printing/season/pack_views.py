"""PDFs to take to a game, for those who take part."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.dates import date_format
from accounts.http import Request, site_url
from campaigns.models import PENDING, Campaign, Game, Night, Side
from campaigns.table.crews import hiring
from campaigns.text import game_title, side_names
from gangs.models import Gang
from printing import responses as printing_responses
from printing.paper.forms import PaperForm
from printing.season import pack
from printing.season.pack import PackGame, PackOrder


@require_safe
def game_pack(request: Request, game_id: uuid.UUID) -> HttpResponseBase:
    """Return the pack of a game: each gang's crew, the scenario, the report to fill in."""
    found = get_object_or_404(
        Game.objects.visible_to(request.user).select_related("campaign"), pk=game_id
    )
    if not found.is_pending:
        messages.info(request, _("This game is played and confirmed: there is nothing left to do."))
        return redirect(found)
    tables = tables_of([found])
    title = game_title(found.campaign.book, side_names(tables[0].sides).values())
    return _answer(request, found.campaign, tables, title)


@require_safe
def night_pack(request: Request, night_id: uuid.UUID) -> HttpResponseBase:
    """Return the packs of all games of a night."""
    visible = Night.objects.filter(campaign__in=Campaign.objects.visible_to(request.user))
    found = get_object_or_404(visible.select_related("campaign"), pk=night_id)
    games = list(found.games.filter(status__in=PENDING).order_by("created_at"))
    if not games:
        messages.info(request, _("All games of this night have been played."))
        return redirect(found)
    for game in games:
        game.campaign = found.campaign
    title = f"{found.campaign.name} {date_format(found.starts_at, 'Y-m-d')}"
    return _answer(request, found.campaign, tables_of(games), title, found)


def _answer(
    request: Request,
    campaign: Campaign,
    tables: list[PackGame],
    title: str,
    night: Night | None = None,
) -> HttpResponseBase:
    order = PaperForm(request.GET).order(PackOrder, site=site_url(request))
    key = pack.key(campaign, tables, order, night)
    return printing_responses.answer(
        request, key, lambda: pack.job(campaign, tables, order, night), title
    )


def tables_of(games: Iterable[Game]) -> list[PackGame]:
    """Return the games with their sides. One query for all sides, and one for the gangs of hired
    hands, if there are any.
    """
    by_key = {game.pk: game for game in games}
    sides: dict[uuid.UUID, list[Side]] = {key: [] for key in by_key}
    found = (
        Side.objects.with_standing()
        .filter(game__in=by_key)
        .select_related("gang__owner")
        .order_by("pk")
    )
    for side in found:
        side.game = by_key[side.game_id]
        sides[side.game_id].append(side)
    hired_from = {
        hired.gang
        for side in found
        if side.gang is not None
        for hired in hiring.find_hired(side.gang, side.game)
    }
    homes = {str(gang.pk): gang for gang in Gang.objects.filter(pk__in=hired_from)}
    return [PackGame(by_key[key], there, homes) for key, there in sides.items()]
