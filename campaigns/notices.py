"""Notices to the players of a campaign: a function for each kind of event; the sentences are in
``notice_kinds``. Their values refer to people by ``person``, never by name.

Call the functions inside the event's transaction. The actor gets no notice, and nobody gets any
about an archived campaign.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from django.urls import reverse
from django.utils import timezone

from accounts import notices
from accounts.models import Notice, User
from accounts.notices import person
from campaigns.models import (
    Adjustment,
    Bargain,
    Campaign,
    Fixture,
    Game,
    Invitation,
    JoinRequest,
    Night,
    Participant,
    Round,
    Side,
    TrophyAward,
)
from campaigns.round_names import count_left
from campaigns.text import name_here, side_names
from gangs.models import Gang, Strike


def game_planned(game: Game, *, actor: User) -> None:
    """Notify all players of a planned game."""
    # This address leads to the game's table once that is open, until then to its page.
    url = reverse("campaigns:game-play", args=[game.pk])
    _send_about(game, "game_planned", _players(game), actor, url=url)


def read_about_game(game: Game, user: User) -> None:
    """Mark the user's notices of a game and of its post-games as read: the user has acted on it."""
    steps = [reverse("campaigns:postgame", args=[game.pk, side.pk]) for side in game.sides.all()]
    play = reverse("campaigns:game-play", args=[game.pk])
    notices.mark_read_about(user, game.get_absolute_url(), play, *steps)


def game_on(game: Game, *, actor: User) -> None:
    """Notify the other players that the table of their game is open."""
    url = reverse("campaigns:game-play", args=[game.pk])
    _send_about(game, "game_on", _players(game), actor, url=url)


def game_reported(game: Game, *, actor: User) -> None:
    """Ask the players who have not agreed yet whether the report is right."""
    _send_about(game, "game_reported", _players(game, verdict=""), actor)


def game_disputed(game: Game, *, actor: User) -> None:
    """Notify the other players, and the organisers who may have to decide."""
    readers = [*_players(game), game.reported_by, *game.campaign.organisers]
    _send_about(game, "game_disputed", readers, actor)


def game_decided(
    game: Game, again: Iterable[Side], *, actor: User, asks_who_fell: bool = False
) -> None:
    """Notify the players of an organiser's decision. ``again``: the sides whose post-game was
    reopened by it; ``asks_who_fell``: they are asked for their losses."""
    gangs = {side.gang.owner: side.name for side in again if side.gang is not None}
    others = [player for player in _players(game) if player not in gangs]
    if game.is_fought:
        kind = "game_entered" if asks_who_fell and game.has_postgame else "game_decided"
        _send_about(game, kind, others, actor)
    else:
        _send_about(game, "game_settled", others, actor, how=game.how)
    for player, name in gangs.items():
        _send_about(game, "game_corrected", [player], actor, gang=name)


def postgame_reopened(side: Side, *, actor: User | None) -> None:
    """Ask a gang's player to play its post-game again, unless they made the correction."""
    owner = side.gang.owner if side.gang is not None else None
    names = _side_names(side.game)
    title, own = _title(side.game, names), names.get(side.pk, side.name)
    values = {"actor": person(actor) if actor else "", "gang": own, "game": title}
    url = reverse("campaigns:postgame", args=[side.game_id, side.pk])
    notices.notify([owner], "postgame_reopened", values, url, except_for=actor)


def postgame_played(side: Side, *, actor: User) -> None:
    """Tell a gang's player that an organiser had its post-game played with the site's dice."""
    owner = side.gang.owner if side.gang is not None else None
    names = _side_names(side.game)
    title, own = _title(side.game, names), names.get(side.pk, side.name)
    values = {"actor": person(actor), "gang": own, "game": title}
    url = reverse("campaigns:postgame", args=[side.game_id, side.pk])
    notices.notify([owner], "postgame_played", values, url, except_for=actor)


def game_confirmed(game: Game, *, actor: User) -> None:
    """Ask all players to play their post-games, except the one who confirmed last. Without a
    battle, say that there is none."""
    if game.has_postgame:
        _send_about(game, "game_confirmed", _players(game), actor)
    else:
        _send_about(game, "game_unfought", _players(game), actor, how=game.how)


def game_struck(game: Game, why: str, *, actor: User) -> None:
    """Notify all players that a whole game was taken back, with its post-games."""
    _send_about(game, "game_struck", _players(game), actor, why=why)


def night_turned(
    kind: Literal["night_announced", "nights_announced", "night_changed", "night_cancelled"],
    night: Night,
    *,
    actor: User | None,
    url: str = "",
    **more: int,
) -> None:
    """Notify all participants, spectators included, of a night. ``url``: the page to link to, if
    not the night's; ``more``: further values for the sentence."""
    campaign = night.campaign
    if campaign.archived_at is not None:
        return
    when = night.starts_at.isoformat()
    values = {"campaign": campaign.name, "when": when, "place": night.place, **more}
    readers = [seat.user for seat in campaign.seats]
    notices.notify(readers, kind, values, url or night.get_absolute_url(), except_for=actor)


def nights_announced(nights: Sequence[Night], *, actor: User | None) -> None:
    """Notify all participants of several new nights, in one notice."""
    url = reverse("campaigns:nights", args=[nights[0].campaign_id])
    night_turned("nights_announced", nights[0], actor=actor, url=url, count=len(nights))


def night_deleted(night: Night, *, actor: User | None) -> None:
    """Prepare the deletion of a night: let its notices lead to the list of nights, and notify
    everybody who could have come."""
    url = reverse("campaigns:nights", args=[night.campaign_id])
    notices.lead_elsewhere(night.get_absolute_url(), url)
    if night.cancelled_at is None and night.starts_at > timezone.now():
        night_turned("night_cancelled", night, actor=actor, url=url)


def round_opened(one: Round) -> None:
    """Tell each player in a round that it is open, whom they meet, and until when."""
    stage = one.stage
    if stage.campaign.archived_at is not None:
        return
    values = {"stage": stage.name, "campaign": stage.campaign.name, **_number(one)}
    rows = one.fixtures.filter(called_off_at=None).select_related("home__owner", "away__owner")
    for fixture in rows:
        fixture.round = one
        url, day = fixture.get_absolute_url(), _day(fixture)
        if fixture.is_bye and fixture.home is not None:
            own = {**values, "gang": fixture.home.name}
            notices.notify([fixture.home.owner], "round_bye", own, url)
            continue
        for gang, other in _opponents(fixture):
            table = str(fixture.table_number or "")
            own = {**values, "other": other, "day": day, "table": table}
            own["losers"] = fixture.losers
            notices.notify([gang.owner], "round_opened", own, url)


def _number(one: Round) -> dict[str, int | None]:
    """The values from which a notice names a round."""
    return {"number": one.number, "left": count_left([one]).get(one.pk)}


def _opponents(fixture: Fixture) -> list[tuple[Gang, str]]:
    """Each gang of a fixture, and the name of the other with its player's."""
    if fixture.home is None or fixture.away is None:
        return []
    pairs = ((fixture.home, fixture.away), (fixture.away, fixture.home))
    return [
        (gang, f"{other.name} ({person(other.owner)})" if other.owner else other.name)
        for gang, other in pairs
    ]


def fixture_due(fixture: Fixture) -> None:
    """Remind both players of the last day of their fixture."""
    _of_fixture("fixture_due", fixture)


def fixture_extended(fixture: Fixture) -> None:
    """Tell both players the new last day of their fixture."""
    _of_fixture("fixture_extended", fixture)


def fixture_off(fixture: Fixture) -> None:
    """Tell both players, if their round has begun, that they need not play."""
    if fixture.round.is_open:
        _of_fixture("fixture_off", fixture)


def fixture_lost(fixture: Fixture, gangs: Iterable[Gang], *, was_planned: bool) -> None:
    """Tell the players of these gangs that they no longer play in the fixture, if the round has
    begun or their game was planned. The notice leads to the stage, since the fixture may be
    deleted."""
    if fixture.round.is_open or was_planned:
        readers, url = [gang.owner for gang in gangs], fixture.round.stage.get_absolute_url()
        _of_fixture("fixture_off", fixture, readers=readers, url=url)


def fixture_outdated(fixture: Fixture) -> None:
    """Tell both players and the organisers that a fixture no longer follows from the results before
    it."""
    owners = [gang.owner for gang in (fixture.home, fixture.away) if gang is not None]
    readers = [*owners, *fixture.round.stage.campaign.organisers]
    _of_fixture("fixture_outdated", fixture, readers=readers)


def fixture_changed(fixture: Fixture, *, was_planned: bool = False) -> None:
    """Tell both players that they meet each other now, or the only one that they have a bye, if
    their round has begun or a game of the fixture was planned."""
    stage, is_news = fixture.round.stage, fixture.round.is_open or was_planned
    if not is_news or stage.campaign.archived_at is not None:
        return
    values = {"stage": stage.name, "campaign": stage.campaign.name}
    if fixture.is_bye and fixture.home is not None:
        own = {**values, **_number(fixture.round), "gang": fixture.home.name}
        notices.notify([fixture.home.owner], "round_bye", own, fixture.get_absolute_url())
    for gang, other in _opponents(fixture):
        own, url = {**values, "other": other}, fixture.get_absolute_url()
        notices.notify([gang.owner], "fixture_changed", own, url)


def challenged(fixture: Fixture, *, actor: User) -> None:
    """Tell both players of a challenge on a ladder, except the one who made it."""
    _of_fixture("challenged", fixture, actor=person(actor), except_for=actor)


def _of_fixture(
    kind: str,
    fixture: Fixture,
    *,
    readers: Iterable[User | None] | None = None,
    url: str = "",
    except_for: User | None = None,
    **values: str,
) -> None:
    """Notify the ``readers``, or the players of both gangs. The notice leads to ``url``, or to the
    fixture."""
    campaign = fixture.round.stage.campaign
    if campaign.archived_at is not None:
        return
    values |= {"game": str(fixture), "campaign": campaign.name, "day": _day(fixture)}
    if readers is None:
        readers = [gang.owner for gang in (fixture.home, fixture.away) if gang is not None]
    url = url or fixture.get_absolute_url()
    notices.notify(readers, kind, values, url, except_for=except_for)


def _day(fixture: Fixture) -> str:
    return fixture.last_day.isoformat() if fixture.last_day else ""


def bargain_offered(bargain: Bargain, *, actor: User) -> None:
    """Notify the player of the other gang of an offer."""
    owner = bargain.taker.owner if bargain.taker is not None else None
    _send(
        bargain.campaign,
        "bargain_offered",
        [owner],
        _captives(bargain),
        actor,
        gang=bargain.taker_name,
    )


def bargain_answered(bargain: Bargain, *, agreed: bool, actor: User) -> None:
    """Notify the proposer, and the owner of the giving gang, of the answer."""
    owner = bargain.giver.owner if bargain.giver is not None else None
    kind = "bargain_agreed" if agreed else "bargain_declined"
    readers = [bargain.proposed_by, owner]
    _send(bargain.campaign, kind, readers, _captives(bargain), actor, gang=bargain.giver_name)


def gang_corrected(gang: Gang, strike: Strike) -> None:
    """Notify the owner of an organiser's correction and its reason. If a whole game is taken back,
    ``game_struck`` notifies them instead."""
    if strike.actor is None or Side.objects.filter(
        gang=gang, game__status=Game.Status.STRUCK, batch__in=strike.entries.values("batch")
    ):
        return
    run = Campaign.objects.organised_by(strike.actor).filter(
        memberships__gang=gang, memberships__left_at=None
    )
    campaign = run.order_by("-created_at").first()
    if campaign is None:
        return
    values = {"campaign": campaign.name, "gang": gang.name, "why": strike.reason}
    url = reverse("gangs:history", args=[gang.pk])
    _send(campaign, "gang_corrected", [gang.owner], url, strike.actor, **values)


def gang_adjusted(adjustment: Adjustment, *, actor: User) -> None:
    """Notify the owner of a bonus or penalty in the standings."""
    _send_adjusted("gang_adjusted", adjustment, actor)


def adjustment_taken_back(adjustment: Adjustment, *, actor: User) -> None:
    """Notify the owner that a bonus or penalty was taken back."""
    _send_adjusted("adjustment_back", adjustment, actor)


def _send_adjusted(kind: str, row: Adjustment, actor: User) -> None:
    values = {"campaign": row.campaign.name, "gang": row.name}
    values |= {"points": f"{row.points:+}".replace("-", "−"), "why": row.reason}
    url = reverse("campaigns:standings", args=[row.campaign_id])
    owner = row.gang.owner if row.gang else None
    _send(row.campaign, kind, [owner], url, actor, **values)


def trophy_awarded(award: TrophyAward, *, actor: User) -> None:
    """Notify the owner of a gang that it, or one of its members, won a trophy."""
    name = award.member_name or award.gang_name
    values = {"campaign": award.campaign.name, "name": name, "why": award.reason}
    url = reverse("campaigns:trophies", args=[award.campaign_id])
    owner = award.gang.owner if award.gang else None
    _send(award.campaign, "trophy_awarded", [owner], url, actor, **values)


def season_started(
    campaign: Campaign, before: Campaign, carried: Iterable[Gang], *, actor: User
) -> None:
    """Notify everybody of the new season; ask the players who have no gang in it for one."""
    values = {"campaign": campaign.name, "before": before.name}
    owners = {gang.owner for gang in carried}
    seats = campaign.participants.all()
    wanted = [
        seat.user
        for seat in seats
        if seat.role == Participant.Role.PLAYER and seat.user not in owners
    ]
    url = reverse("campaigns:join-again", args=[campaign.pk])
    _send(campaign, "gang_wanted", wanted, url, actor, **values)
    others = [seat.user for seat in seats if seat.user not in wanted]
    here = campaign.get_absolute_url()
    _send(campaign, "season_started", others, here, actor, **values)


def gang_handed_over(
    gang: Gang, campaign: Campaign, *, before: User | None, after: User, actor: User
) -> None:
    """Notify the new and the previous owner of a gang that was handed over."""
    values = {"campaign": campaign.name, "gang": gang.name, "name": person(after)}
    _send(campaign, "gang_given", [after], gang.get_absolute_url(), actor, **values)
    _send(campaign, "gang_taken", [before], campaign.get_absolute_url(), actor, **values)


def gang_left_behind(gang: Gang, campaign: Campaign, *, actor: User) -> None:
    """Notify the organisers of a gang without an owner, which they can hand over."""
    values = {"campaign": campaign.name, "gang": gang.name}
    url = reverse("campaigns:people", args=[campaign.pk])
    _send(campaign, "gang_left_behind", campaign.organisers, url, actor, **values)


def gang_joined(gang: Gang, campaign: Campaign, *, actor: User) -> None:
    """Notify the organisers of a gang that has joined. Leaving and joining again sends no second
    notice while the first is unread."""
    name = name_here(campaign, gang, person)
    kind, values = "gang_joined", {"campaign": campaign.name, "gang": name}
    if gang.owner is not None and gang.owner != actor:
        kind, values["name"] = "gang_brought", person(gang.owner)
    elif not gang.size:
        kind = "empty_gang_joined"
    _tell_organisers(kind, campaign, actor, **values)


def join_asked(gang: Gang, campaign: Campaign, *, actor: User) -> None:
    """Notify the organisers of a gang that asks to join, as ``gang_joined``."""
    name = name_here(campaign, gang, person)
    _tell_organisers("join_asked", campaign, actor, campaign=campaign.name, gang=name)


def _tell_organisers(kind: str, about: Campaign, actor: User, **values: str) -> None:
    """Send the organisers a notice that leads to the people, except those who have not read the
    same yet."""
    url = reverse("campaigns:people", args=[about.pk])
    same = Notice.objects.filter(kind=kind, url=url, read_at=None, user__in=about.organisers)
    told = same.filter(values={"actor": person(actor), **values}).values_list("user", flat=True)
    known = set(told)
    readers = [user for user in about.organisers if user.pk not in known]
    _send(about, kind, readers, url, actor, **values)


def forget_requests(campaign: Campaign, by: User) -> None:
    """Mark the organisers' notices of an account's requests to join as read, once none of them is
    open."""
    if not campaign.join_requests.filter(by=by).exists():
        url = reverse("campaigns:people", args=[campaign.pk])
        asked = Notice.objects.filter(kind="join_asked", url=url, read_at=None)
        asked.filter(values__actor=person(by)).update(read_at=timezone.now())


def join_answered(request: JoinRequest, *, agreed: bool, actor: User) -> None:
    """Notify the player of a gang that an organiser has let it join, or not. The caller has deleted
    the request."""
    forget_requests(request.campaign, request.by)
    campaign, kind = request.campaign, "join_accepted" if agreed else "join_declined"
    values = {"campaign": campaign.name, "gang": request.gang.name}
    _send(
        campaign, kind, [request.by], campaign.get_absolute_url() if agreed else "", actor, **values
    )


def gang_retired(gang: Gang, campaign: Campaign, games: int, *, actor: User) -> None:
    """Notify the organisers, and the owner, of a gang that stopped playing. ``games``: its open
    games."""
    name = name_here(campaign, gang, person)
    kind, values = "gang_retired", {"campaign": campaign.name, "gang": name}
    if games:
        kind, values["count"] = "retired_open", str(games)
    url = reverse("campaigns:people", args=[campaign.pk])
    _send(campaign, kind, [*campaign.organisers, gang.owner], url, actor, **values)


def gang_returned(gang: Gang, campaign: Campaign, *, actor: User) -> None:
    """Notify the organisers, and the owner, of a retired gang that plays again."""
    url = reverse("campaigns:people", args=[campaign.pk])
    values = {"campaign": campaign.name, "gang": name_here(campaign, gang, person)}
    _send(campaign, "gang_returned", [*campaign.organisers, gang.owner], url, actor, **values)


def campaign_deleted(campaign: Campaign, *, actor: User) -> None:
    """Prepare the deletion of a campaign: notify all participants, without a link."""
    readers = [seat.user for seat in campaign.seats]
    _send(campaign, "campaign_deleted", readers, "", actor, campaign=campaign.name)


def notify_invited(user: User, invitation: Invitation, *, actor: User) -> None:
    """Notify a user of their invitation to a campaign."""
    url = reverse("campaigns:join", args=[invitation.key])
    _send(invitation.campaign, "invited", [user], url, actor, campaign=invitation.campaign.name)


def role_changed(campaign: Campaign, seat: Participant, *, actor: User) -> None:
    """Notify a participant of their new role."""
    values = {"campaign": campaign.name, "role": seat.role}
    _send(campaign, "role_changed", [seat.user], campaign.get_absolute_url(), actor, **values)


def organises_now(campaign: Campaign, user: User) -> None:
    """Notify a user who became the organiser because the last one left."""
    if campaign.archived_at is not None:
        return
    url = campaign.get_absolute_url()
    notices.notify([user], "organises_now", {"campaign": campaign.name}, url)


def notify_removed(campaign: Campaign, user: User, *, actor: User) -> None:
    """Notify a user who was removed, without a link: they may see no page of it any more."""
    _send(campaign, "removed", [user], "", actor, campaign=campaign.name)


def _players(game: Game, **which: str) -> list[User | None]:
    sides = game.sides.filter(**which).select_related("gang__owner")
    return [side.gang.owner for side in sides if side.gang is not None]


def _send(
    about: Campaign,
    kind: str,
    readers: Iterable[User | None],
    url: str,
    actor: User,
    **values: str,
) -> None:
    """Notify the readers, unless the campaign is over: then nothing waits for anybody."""
    if about.archived_at is None:
        notices.notify(readers, kind, {"actor": person(actor), **values}, url, except_for=actor)


def _send_about(
    game: Game,
    kind: str,
    readers: Iterable[User | None],
    actor: User,
    *,
    url: str = "",
    **values: str,
) -> None:
    title = _title(game, _side_names(game))
    values |= {"game": title, "campaign": game.campaign.name}
    _send(game.campaign, kind, readers, url or game.get_absolute_url(), actor, **values)


def _title(game: Game, names: Mapping[int, str]) -> str:
    return game.campaign.book.who_plays.title(names.values())


def _side_names(game: Game) -> dict[int, str]:
    """The names of a game's sides. One query."""
    sides = game.sides.with_standing().select_related("gang__owner").order_by("pk")
    return side_names(list(sides), name=person)


def _captives(bargain: Bargain) -> str:
    return reverse("campaigns:captives", args=[bargain.campaign_id])
