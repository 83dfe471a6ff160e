"""What players are told when something happens in a campaign: a sentence and a function each.

The functions are called inside the transaction in which it happens. Whoever did it is not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Literal

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts import notices
from accounts.dates import date_format
from accounts.models import User
from campaigns.models import Bargain, Campaign, Game, Night, Participant, Side
from gangs.models import Gang, Strike

SENTENCES: dict[str, Promise] = {
    "game_planned": gettext_lazy("%(actor)s has planned a game: %(game)s (%(campaign)s)."),
    "game_reported": gettext_lazy(
        "%(actor)s has reported how %(game)s went. Is that right? Confirm or dispute it."
    ),
    "game_disputed": gettext_lazy(
        "%(actor)s reports %(game)s differently. It counts for nobody yet."
    ),
    "game_decided": gettext_lazy("%(actor)s has settled the result of %(game)s."),
    "game_corrected": gettext_lazy(
        "%(actor)s has corrected the result of %(game)s: play the post-game of %(gang)s again."
    ),
    "game_confirmed": gettext_lazy("%(game)s is confirmed: play your post-game."),
    "game_struck": gettext_lazy("%(actor)s has undone the whole game %(game)s. %(why)s"),
    "night_announced": gettext_lazy("%(campaign)s meets on %(when)s. Are you coming? %(place)s"),
    "nights_announced": gettext_lazy(
        "%(campaign)s meets %(count)s times, first on %(when)s. Which nights are you coming?"
        " %(place)s"
    ),
    "night_changed": gettext_lazy("The night of %(campaign)s has changed: %(when)s. %(place)s"),
    "night_cancelled": gettext_lazy("The night of %(campaign)s on %(when)s is cancelled."),
    "bargain_offered": gettext_lazy("%(actor)s makes %(gang)s an offer about a captive."),
    "bargain_agreed": gettext_lazy("%(actor)s has agreed to the offer of %(gang)s."),
    "bargain_declined": gettext_lazy("%(actor)s has declined the offer of %(gang)s."),
    "gang_corrected": gettext_lazy(
        "%(actor)s, who runs %(campaign)s, has corrected your gang %(gang)s. %(why)s"
    ),
    "gang_given": gettext_lazy(
        "%(actor)s, who runs %(campaign)s, has handed %(gang)s over to you."
    ),
    "gang_taken": gettext_lazy(
        "%(actor)s, who runs %(campaign)s, has handed %(gang)s over to %(name)s."
    ),
    "gang_left_behind": gettext_lazy(
        "%(actor)s has left the gang %(gang)s to %(campaign)s. You can hand it over to somebody."
    ),
    "invited": gettext_lazy("%(actor)s invites you to the campaign %(campaign)s."),
    "role_changed": gettext_lazy("%(actor)s has changed your role in %(campaign)s: %(role)s."),
    "organises_now": gettext_lazy(
        "Nobody else runs %(campaign)s any more, so you are its organiser now."
    ),
    "removed": gettext_lazy("%(actor)s has removed you from %(campaign)s."),
}


# Of a night that one may still come to.
OF_NIGHTS = ("night_announced", "night_changed")


def register(below_nights: notices.Below) -> None:
    """Let notices of these kinds be told; ``below_nights``: what stands below those of a night."""
    for kind in SENTENCES:
        below = below_nights if kind in OF_NIGHTS else None
        notices.register(kind, partial(_sentence, kind), below)


def _sentence(kind: str, values: dict[str, Any]) -> str:
    values = dict(values)
    if "when" in values:
        when = timezone.localtime(datetime.fromisoformat(values["when"]))
        values["when"] = date_format(when, "j N Y, H:i")
    if "role" in values:
        values["role"] = Participant.Role(values["role"]).label
    return str(SENTENCES[kind]) % values


def game_planned(game: Game, *, actor: User) -> None:
    """Everybody who is to play learns of it."""
    # To its table once that is open, until then to its page.
    url = reverse("campaigns:game-play", args=[game.pk])
    _send_about(game, "game_planned", _players(game), actor, url=url)


def game_reported(game: Game, *, actor: User) -> None:
    """Those who have not agreed yet are asked whether it is right."""
    _send_about(game, "game_reported", _players(game, verdict=""), actor)


def game_disputed(game: Game, *, actor: User) -> None:
    """The other players learn of it, and those who may have to decide."""
    readers = [*_players(game), game.reported_by, *game.campaign.organisers]
    _send_about(game, "game_disputed", readers, actor)


def game_decided(game: Game, again: Iterable[Side], *, actor: User) -> None:
    """An organiser has decided between claims; whose post-game stands no longer plays it
    ``again``."""
    gangs = {side.gang.owner: side.name for side in again if side.gang is not None}
    others = [player for player in _players(game) if player not in gangs]
    _send_about(game, "game_decided", others, actor)
    for player, name in gangs.items():
        _send_about(game, "game_corrected", [player], actor, gang=name)


def game_confirmed(game: Game, *, actor: User) -> None:
    """Every player's post-game waits; that of whoever confirmed last, too, but they know."""
    _send_about(game, "game_confirmed", _players(game), actor)


def game_struck(game: Game, why: str, *, actor: User) -> None:
    """A whole game was taken back, with its post-games."""
    _send_about(game, "game_struck", _players(game), actor, why=why)


def night_turned(
    kind: Literal["night_announced", "night_changed", "night_cancelled"],
    night: Night,
    *,
    actor: User | None,
    url: str = "",
) -> None:
    """A night takes place, at another time or place, or not at all: everybody who takes part
    learns of it, spectators too. ``url``: where it leads, if not to the night."""
    campaign = night.campaign
    values = {
        "campaign": campaign.name,
        "when": night.starts_at.isoformat(),
        "place": night.place,
    }
    readers = [seat.user for seat in campaign.seats]
    notices.notify(readers, kind, values, url or night.get_absolute_url(), except_for=actor)


def nights_announced(nights: Sequence[Night], *, actor: User | None) -> None:
    """Several nights are scheduled at once: everybody who takes part learns of them together."""
    first, campaign = nights[0], nights[0].campaign
    values = {
        "campaign": campaign.name,
        "count": len(nights),
        "when": first.starts_at.isoformat(),
        "place": first.place,
    }
    readers = [seat.user for seat in campaign.seats]
    url = reverse("campaigns:nights", args=[campaign.pk])
    notices.notify(readers, "nights_announced", values, url, except_for=actor)


def night_deleted(night: Night, *, actor: User | None) -> None:
    """A night is about to be deleted: what was told of it leads to the others. Everybody learns of
    it who might have come."""
    url = reverse("campaigns:nights", args=[night.campaign_id])
    notices.lead_elsewhere(night.get_absolute_url(), url)
    if night.cancelled_at is None and night.starts_at > timezone.now():
        night_turned("night_cancelled", night, actor=actor, url=url)


def bargain_offered(bargain: Bargain, *, actor: User) -> None:
    """The other gang's player has an offer to answer."""
    owner = bargain.taker.owner if bargain.taker is not None else None
    _send("bargain_offered", [owner], _captives(bargain), actor, gang=bargain.taker_name)


def bargain_answered(bargain: Bargain, *, agreed: bool, actor: User) -> None:
    """Whoever made the offer learns what became of it."""
    owner = bargain.giver.owner if bargain.giver is not None else None
    kind = "bargain_agreed" if agreed else "bargain_declined"
    readers = [bargain.proposed_by, owner]
    _send(kind, readers, _captives(bargain), actor, gang=bargain.giver_name)


def gang_corrected(gang: Gang, strike: Strike) -> None:
    """The owner learns who corrected their gang, and why. Of a whole game that is taken back they
    learn as one of its players (``game_struck``)."""
    if strike.actor is None or Side.objects.filter(
        gang=gang, game__status=Game.Status.STRUCK, batch__in=strike.entries.values("batch")
    ):
        return
    run = Campaign.objects.organised_by(strike.actor).filter(
        memberships__gang=gang, memberships__left_at=None
    )
    campaign = ", ".join(run.order_by("-created_at").values_list("name", flat=True)[:1])
    values = {"campaign": campaign, "gang": gang.name, "why": strike.reason}
    url = reverse("gangs:history", args=[gang.pk])
    _send("gang_corrected", [gang.owner], url, strike.actor, **values)


def gang_handed_over(
    gang: Gang, campaign: Campaign, *, before: User | None, after: User, actor: User
) -> None:
    """Both players learn whose the gang is now."""
    values = {"campaign": campaign.name, "gang": gang.name, "name": str(after)}
    _send("gang_given", [after], gang.get_absolute_url(), actor, **values)
    _send("gang_taken", [before], campaign.get_absolute_url(), actor, **values)


def gang_left_behind(gang: Gang, campaign: Campaign, *, actor: User) -> None:
    """The organisers have a gang to hand over."""
    values = {"campaign": campaign.name, "gang": gang.name}
    url = reverse("campaigns:people", args=[campaign.pk])
    _send("gang_left_behind", campaign.organisers, url, actor, **values)


def notify_invited(user: User, campaign: Campaign, *, actor: User) -> None:
    """Somebody is asked to join."""
    url = reverse("campaigns:join", args=[campaign.invite_key])
    _send("invited", [user], url, actor, campaign=campaign.name)


def role_changed(campaign: Campaign, seat: Participant, *, actor: User) -> None:
    """Somebody does something else in the campaign from now on."""
    values = {"campaign": campaign.name, "role": seat.role}
    _send("role_changed", [seat.user], campaign.get_absolute_url(), actor, **values)


def organises_now(campaign: Campaign, user: User) -> None:
    """Somebody has become the organiser, because the last one is gone."""
    url = campaign.get_absolute_url()
    notices.notify([user], "organises_now", {"campaign": campaign.name}, url)


def notify_removed(campaign: Campaign, user: User, *, actor: User) -> None:
    """Somebody no longer takes part: there is no page left for them to see."""
    _send("removed", [user], "", actor, campaign=campaign.name)


def _players(game: Game, **which: str) -> list[User | None]:
    sides = game.sides.filter(**which).select_related("gang__owner")
    return [side.gang.owner for side in sides if side.gang is not None]


def _send(kind: str, readers: Iterable[User | None], url: str, actor: User, **values: str) -> None:
    notices.notify(readers, kind, {"actor": str(actor), **values}, url, except_for=actor)


def _send_about(
    game: Game,
    kind: str,
    readers: Iterable[User | None],
    actor: User,
    *,
    url: str = "",
    **values: str,
) -> None:
    title = " – ".join(game.sides.values_list("name", flat=True))
    values |= {"game": title, "campaign": game.campaign.name}
    _send(kind, readers, url or game.get_absolute_url(), actor, **values)


def _captives(bargain: Bargain) -> str:
    return reverse("campaigns:captives", args=[bargain.campaign_id])
