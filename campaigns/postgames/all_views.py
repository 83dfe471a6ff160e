"""The page on which an organiser has all open post-games played with the site's dice."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.http import Request
from campaigns.access import organised_or_404
from campaigns.models import Side, sides_by_game
from campaigns.postgames import playing_all
from campaigns.postgames.playing_all import Tally
from campaigns.text import game_title, owner_name, side_names
from common.forms import number, numbers, require_safe_or_post

# Columns of a side that this page does not show.
UNREAD = ("report", "draft", "kept_draft", "before", "crew", "tale", "gang__snapshot")


@dataclass(frozen=True)
class OpenLine:
    """An open post-game: its side, with the gang's name and player, the game's title and the
    addresses of both. ``is_again``: it was played before, and undone."""

    side: Side
    name: str
    player: str
    title: str
    url: str

    @property
    def is_again(self) -> bool:
        """Whether it was played before and taken back, so that only its player plays it again."""
        return self.side.batch is not None


@require_safe_or_post
def open_postgames(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """List the open post-games; play those that the page showed, if the button says so. ``?from=``:
    the side with which the list begins, so that the next press tries the rest first."""
    campaign = organised_or_404(request, campaign_id)
    first = number(request.GET.get("from"))
    if request.method == "POST":
        seen = numbers(request.POST, "side")
        tally = playing_all.play_all(campaign, seen, actor=request.user, first=first)
        _tell(request, tally)
        rest = f"?from={tally.rest[0]}" if tally.rest else ""
        return redirect(reverse("campaigns:open-postgames", args=[campaign.pk]) + rest)
    found = playing_all.find_open(campaign, request.user)
    found = found.select_related("gang__owner", "game__campaign").defer(*UNREAD)
    sides = {side.pk: side for side in found}
    context = {
        "campaign": campaign,
        "lines": _lines([sides[key] for key in playing_all.begin_with(first, [*sides])]),
        "most": playing_all.MOST,
    }
    return render(request, "campaigns/postgames/all.html", context)


def _lines(sides: list[Side]) -> list[OpenLine]:
    """The lines of these sides. One query, or none without sides."""
    if not sides:
        return []
    everybody = Side.objects.with_standing().filter(game__in={side.game_id for side in sides})
    related = everybody.select_related("gang__owner").defer(*UNREAD).order_by("pk")
    by_game = sides_by_game(related)
    lines = []
    for side in sides:
        names = side_names(by_game[side.game_id])
        lines.append(
            OpenLine(
                side=side,
                name=names[side.pk],
                player=owner_name(side) if side.gang and side.gang.owner else "",
                title=game_title(side.game.campaign.book, names.values()),
                url=reverse("campaigns:postgame", args=[side.game_id, side.pk]),
            )
        )
    return lines


def _tell(request: Request, tally: Tally) -> None:
    """Say what one press has done."""
    if tally.played:
        words = ngettext(
            "%(count)s post-game is played.", "%(count)s post-games are played.", tally.played
        )
        messages.success(request, words % {"count": tally.played})
    if tally.waits:
        words = ngettext(
            "%(count)s waits for its player, who has something to decide.",
            "%(count)s wait for their players, who have something to decide.",
            tally.waits,
        )
        messages.warning(request, words % {"count": tally.waits})
    if tally.changed:
        messages.info(request, _("Somebody else has just played or changed some of them."))
