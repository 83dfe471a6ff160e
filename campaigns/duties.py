"""What waits for somebody in all his campaigns: games to report, to agree on, to play on from."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.models import Game, Side
from gangs.duties import Duty

# How many are told; the oldest come first, and make room for the next.
MOST = 6


def waiting(user: User) -> list[Duty]:
    """What waits for the user's own gangs, the oldest game first. Two queries at most."""
    status = Game.Status
    mine = Side.objects.filter(gang__owner=user, game__campaign__archived_at=None)
    asked = mine.filter(
        Q(game__status=status.PLANNED, game__played_on__lte=timezone.localdate())
        | Q(game__status=status.REPORTED, verdict="")
        | Q(game__status=status.DISPUTED) & ~Q(verdict=Side.Verdict.DISPUTED)
        | Q(game__status=status.CONFIRMED, pk__in=mine.undone())
    )
    found = list(
        asked.select_related("game__campaign")
        .defer("report", "draft", "kept_draft", "before", "crew", "tale", "game__note")
        .order_by("game__played_on", "game__created_at", "pk")[:MOST]
    )
    if not found:
        return []
    sides: dict[uuid.UUID, list[_Side]] = defaultdict(list)
    told = Side.objects.filter(game__in={side.game_id for side in found}).order_by("pk")
    for game, *said in told.values_list("game", "name", "gang__owner__username", "verdict"):
        sides[game].append(_Side(*said))
    # Two gangs of one player in one game are asked one question.
    return list(dict.fromkeys(_duty(side, sides[side.game_id]) for side in found))


class _Side(NamedTuple):
    """What is told of a side; ``owner``: None once it has none."""

    name: str
    owner: str | None
    verdict: str


def _duty(side: Side, sides: Sequence[_Side]) -> Duty:
    game = side.game
    title = " – ".join(one.name for one in sides)
    about = f"{title}, {date_format(game.played_on, 'j N Y')} · {game.campaign.name}"
    page = game.get_absolute_url()
    match game.status:
        case Game.Status.PLANNED:
            url = reverse("campaigns:game-report", args=[game.pk])
            return Duty(url, _("Played? Report the result"), about)
        case Game.Status.REPORTED:
            return Duty(f"{page}#verdict", _("Is that right? Confirm or dispute"), about)
        case Game.Status.DISPUTED:
            others = [one for one in sides if one.verdict == Side.Verdict.DISPUTED]
            names = ", ".join(dict.fromkeys(one.owner or one.name for one in others))
            text = _("%(name)s tells it differently") % {"name": names}
            return Duty(f"{page}#verdict", text, about)
    url = reverse("campaigns:postgame", args=[game.pk, side.pk])
    return Duty(url, _("%(gang)s: your post-game awaits") % {"gang": side.name}, about)
