"""Everything that waits for a user in their campaigns, worked out each time and never stored:
games, post-games, offers, invitations, gangs without a player, fixtures, and nights to answer.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.dates import date_format
from accounts.models import Notice, User
from campaigns.club.nights import questions
from campaigns.club.nights.questions import NightQuestion
from campaigns.colours import colours_in
from campaigns.fixtures import (
    describe_table,
    find_fixture,
    find_outdated,
    fixture_line,
    fixture_names,
    with_games,
)
from campaigns.models import (
    Bargain,
    Campaign,
    Fixture,
    Game,
    Invitation,
    JoinRequest,
    Membership,
    Participant,
    Side,
    Stage,
    sides_by_game,
)
from campaigns.round_names import title_fixtures
from campaigns.text import bargain_title, game_title, list_awaited, names_by_campaign, side_names
from gangs.hooks import Duty, Overview, Place

# Read at most this many games.
MOST_GAMES = 30
# Columns of a side that only the pages of games show.
UNREAD = ("report", "draft", "kept_draft", "before", "crew", "tale")
# Remind a user of an invitation for this long, and of an unanswered night this long before it.
INVITED_FOR = timedelta(days=30)
ASKED_BEFORE = timedelta(days=21)


@dataclass(frozen=True)
class Standing:
    """A user's part in all their open campaigns: their role in each, by its key, the nights to
    come, where their gangs play, and everything that waits for them except the nights."""

    roles: Mapping[uuid.UUID, str] = field(default_factory=dict, hash=False)
    nights: tuple[NightQuestion, ...] = ()
    memberships: tuple[Membership, ...] = ()
    duties: tuple[Duty, ...] = ()

    @property
    def next_nights(self) -> dict[uuid.UUID, datetime]:
        """When each campaign meets next, by its key."""
        return {
            asked.night.campaign_id: asked.night.starts_at
            for asked in reversed(self.nights)
            if asked.night.cancelled_at is None
        }

    @property
    def organised(self) -> list[uuid.UUID]:
        """The keys of the campaigns that the user runs."""
        organiser = Participant.Role.ORGANISER
        return [key for key, role in self.roles.items() if role == organiser]

    def unanswered(self, *, but: Collection[uuid.UUID] = ()) -> list[Duty]:
        """The next night of each campaign that is soon and not answered yet, except the nights in
        ``but``, which the page shows elsewhere.
        """
        soonest: dict[uuid.UUID, NightQuestion] = {}
        for asked in self.nights:
            if asked.is_asked:
                soonest.setdefault(asked.night.campaign_id, asked)
        limit = timezone.now() + ASKED_BEFORE
        return [
            _night(asked)
            for asked in soonest.values()
            if asked.unanswered and asked.night.starts_at < limit and asked.night.pk not in but
        ]


def overview(user: User) -> Overview:
    """The user's duties, where and when each of their gangs plays, and its colour there."""
    standing = standing_of(user)
    duties = (*standing.duties, *standing.unanswered())
    return Overview(duties, places_of(standing), colours_in(standing.roles))


def places_of(standing: Standing) -> dict[uuid.UUID, Place]:
    """The campaign of each gang, and when it plays next."""
    nights = standing.next_nights
    return {
        row.gang_id: Place(
            row.campaign.name, row.campaign.get_absolute_url(), nights.get(row.campaign_id)
        )
        for row in standing.memberships
    }


def standing_of(user: User) -> Standing:
    """The user's standing. Two queries for a user without campaigns, else at most fifteen, and
    six more with a knock-out in its second round."""
    seats = Participant.objects.filter(user=user, campaign__archived_at=None).order_by()
    stages = Stage.objects.filter(campaign=OuterRef("campaign"), ended_at=None)
    brackets = stages.filter(format=Stage.Format.KNOCK_OUT, rounds__number__gt=1)
    rows = list(seats.values_list("campaign", "role", Exists(stages), Exists(brackets)))
    roles = {campaign: role for campaign, role, _has_stages, _has_brackets in rows}
    if not roles:
        return Standing(duties=tuple(_invitations(user)))
    organised = Standing(roles).organised
    nights = questions.nights_of(user)
    memberships = questions.memberships_of(user)
    outdated = _find_outdated([campaign for campaign, *_role, has_bracket in rows if has_bracket])
    # A gang may play in a campaign in which its player has no seat.
    has_stages = any(row[2] for row in rows) or any(
        row.campaign_id not in roles for row in memberships
    )
    return Standing(
        roles,
        tuple(questions.ask(nights, questions.by_campaign(memberships))),
        tuple(memberships),
        (
            *games_waiting(user, organised, memberships),
            *_offers(user),
            *_invitations(user),
            *(_left_behind(organised) if organised else ()),
            *(_requests(organised) if organised else ()),
            *(_fixtures(user, organised, outdated) if has_stages else ()),
            *_new_seasons(user, roles, memberships),
        ),
    )


def games_waiting(
    user: User,
    organised: Collection[uuid.UUID] = (),
    memberships: Iterable[Membership] = (),
) -> list[Duty]:
    """The duties of the user's own gangs, and in the campaigns ``organised`` by the user the
    disputes and the games that wait for a gang without a player, oldest game first. Makes at most
    four queries, and one if nothing waits. ``memberships``: of the user's gangs in open campaigns,
    where a game of a past season waits."""
    status = Game.Status
    # A reported game of a past season holds a gang that plays on.
    mine = Side.objects.of_playing([user.pk])
    waiting_sides = mine.filter(
        Q(
            game__status=status.PLANNED,
            game__played_on__lte=timezone.localdate(),
            game__campaign__archived_at=None,
        )
        | Q(game__status=status.REPORTED, verdict="")
        | Q(game__status=status.DISPUTED) & ~Q(verdict=Side.Verdict.DISPUTED)
        | Q(game__status=status.CONFIRMED) & (Q(correcting=True) | Q(pk__in=mine.undone()))
    )
    # Their keys first: as conditions of one query, these make a database read every game.
    of_game = ("game__played_on", "game__created_at", "game")
    found = waiting_sides.order_by().values_list(*of_game)
    if organised:
        disputed = Game.objects.filter(status=status.DISPUTED, campaign__in=organised)
        loose = Side.objects.filter(gang__owner=None, gang__kept_at__isnull=False)
        loose = loose.filter(game__campaign__in=organised)
        decided = loose.filter(
            Q(game__status=status.REPORTED, verdict="")
            | Q(game__status=status.CONFIRMED, pk__in=loose.undone())
        )
        found = found.union(
            disputed.order_by().values_list("played_on", "created_at", "pk"),
            decided.order_by().values_list(*of_game),
        ).order_by()
    keys = [row[-1] for row in sorted(set(found))[:MOST_GAMES]]
    if not keys:
        return []
    rows = Game.objects.filter(pk__in=keys).defer("note")
    rows = rows.select_related("campaign", "table", "fixture__round__stage")
    if organised:
        rows = rows.prefetch_related("campaign__participants")
    games = list(rows.order_by("played_on", "created_at", "pk"))
    of_games = Side.objects.with_standing().filter(game__in=games).order_by("pk")
    sides = sides_by_game(of_games.select_related("gang__owner").defer(*UNREAD, "gang__snapshot"))
    now_in = {row.gang_id: row.campaign_id for row in memberships}
    return [duty for game in games for duty in _duties_of(game, sides[game.pk], user, now_in)]


def _duties_of(
    game: Game, sides: list[Side], user: User, now_in: Mapping[uuid.UUID, uuid.UUID]
) -> list[Duty]:
    if game.is_being_played:
        return []
    title = game_title(game.campaign.book, side_names(sides).values())
    about = f"{title}, {date_format(game.played_on, 'j N Y')} · {game.campaign.name}"
    fixture = find_fixture(game) if game.status == Game.Status.PLANNED else None
    if fixture is not None and (table := describe_table(fixture)):
        about = f"{table} · {about}"
    gangs = tuple(side.gang_id for side in sides if side.gang_id and side.is_of(user))
    found = list_awaited(game, sides, user, game.get_absolute_url())
    campaign = game.campaign_id
    if game.campaign.archived_at is not None:
        campaign = next((now_in[gang] for gang in gangs if gang in now_in), campaign)
    return [Duty(one.url, one.text, about, gangs, campaign) for one in found if one.url]


def _offers(user: User) -> Iterable[Duty]:
    """Offers about captives to the user's gangs."""
    rows = Bargain.objects.filter(
        status=Bargain.Status.OPEN, taker__owner=user, campaign__archived_at=None
    )
    offers = list(rows.select_related("campaign").order_by("at", "pk"))
    names = names_by_campaign(offer.campaign_id for offer in offers) if offers else {}
    for offer in offers:
        parties = bargain_title(offer, names[offer.campaign_id])
        url = reverse("campaigns:captives", args=[offer.campaign_id])
        gangs = (offer.taker_id,) if offer.taker_id else ()
        words = _("An offer about captives is waiting for an answer")
        yield Duty(url, words, f"{parties} · {offer.campaign}", gangs, offer.campaign_id)


def _invitations(user: User) -> Iterable[Duty]:
    """Recent invitations to campaigns that the user has not joined yet."""
    since = timezone.now() - INVITED_FOR
    invited = Notice.objects.filter(user=user, kind="invited", at__gte=since)
    urls = invited.values_list("url", flat=True)
    keys = {url.rstrip("/").rpartition("/")[2] for url in urls}
    if not keys:
        return
    seats = Participant.objects.filter(campaign=OuterRef("pk"), user=user)
    found = Campaign.objects.open().shown().filter(~Exists(seats))
    # Invitations of earlier releases lead to the campaign's own link.
    invited_by: dict[str, tuple[Campaign, User | None]] = {
        row.invite_key: (row, None) for row in found.filter(invite_key__in=keys)
    }
    personal = Invitation.objects.open().free_for(user).filter(key__in=keys, campaign__in=found)
    for row in personal.select_related("campaign", "by"):
        invited_by[row.key] = row.campaign, row.by
    for key, (campaign, by) in sorted(invited_by.items(), key=lambda pair: str(pair[1][0].pk)):
        url = reverse("campaigns:join", args=[key])
        words = _("You are invited: join with a gang")
        if by is not None:
            words = _("%(name)s invites you: join with a gang") % {"name": by}
        yield Duty(url, words, campaign.name)


def _new_seasons(
    user: User, roles: Mapping[uuid.UUID, str], memberships: Iterable[Membership]
) -> Iterable[Duty]:
    """Seasons after another one for which the user has not brought a gang yet. One query, unless
    the user has a gang in all their campaigns."""
    joined = {row.campaign_id for row in memberships}
    player = Participant.Role.PLAYER
    waiting = [key for key, role in roles.items() if role == player and key not in joined]
    if not waiting:
        return
    brought = Membership.objects.filter(campaign=OuterRef("pk"), gang__owner=user)
    asked = JoinRequest.objects.filter(campaign=OuterRef("pk"), by=user)
    found = Campaign.objects.filter(
        ~Exists(brought), ~Exists(asked), pk__in=waiting, previous__isnull=False
    )
    for campaign in found:
        url = reverse("campaigns:join-again", args=[campaign.pk])
        yield Duty(url, _("A new season: join with a gang"), campaign.name, (), campaign.pk)


def _left_behind(organised: Collection[uuid.UUID]) -> Iterable[Duty]:
    """Gangs without a player in the campaigns that the user runs."""
    rows = Membership.objects.playing().filter(campaign__in=organised, gang__owner=None)
    for row in rows.select_related("gang", "campaign").defer("gang__snapshot"):
        url = reverse("campaigns:people", args=[row.campaign_id])
        words = _("Nobody plays this gang: hand it over")
        yield Duty(url, words, f"{row.gang} · {row.campaign}", (), row.campaign_id)


def _requests(organised: Collection[uuid.UUID]) -> Iterable[Duty]:
    """Gangs that ask to join the campaigns that the user runs."""
    rows = JoinRequest.objects.filter(campaign__in=organised, campaign__archived_at=None)
    asked: defaultdict[uuid.UUID, list[JoinRequest]] = defaultdict(list)
    for row in rows.select_related("gang", "campaign", "by").defer("gang__snapshot"):
        asked[row.campaign_id].append(row)
    for key, (row, *others) in asked.items():
        url = reverse("campaigns:people", args=[key])
        if others:
            count = 1 + len(others)
            words = ngettext("%(count)s gang asks to join", "%(count)s gangs ask to join", count)
            yield Duty(f"{url}#requests", words % {"count": count}, row.campaign.name, (), key)
            continue
        words = _("%(name)s would like to join: accept or decline") % {"name": row.by}
        yield Duty(url, words, f"{row.gang} · {row.campaign}", (), key)


def _fixtures(
    user: User, organised: Collection[uuid.UUID], outdated: Collection[Fixture]
) -> Iterable[Duty]:
    """Fixtures of open rounds: the user's own without a game, and those that are late in the
    campaigns that they run; there also stages with fixtures that no longer follow, ``outdated``."""
    free = Q(game=None) | Q(game__status=Game.Status.STRUCK)
    mine = free & (Q(home__owner=user) | Q(away__owner=user))
    today = timezone.localdate()
    late = Q(due__lt=today) | Q(due=None, round__due__lt=today)
    stages = _open_stages(user, organised)
    if not stages:
        return
    unplayed = Fixture.objects.unplayed().of_open_rounds().filter(round__stage__in=stages)
    rows = with_games(unplayed.filter(mine | late & Q(round__stage__campaign__in=organised)))
    rows = rows.select_related("round__stage__campaign")
    yield from _outdated(outdated, organised)
    found = list(rows.order_by("round__opens", "pk")[:MOST_GAMES])
    titles = title_fixtures(found)
    for fixture in found:
        line, campaign = fixture_line(fixture), fixture.round.stage.campaign
        own = fixture.is_of(user)
        about = f"{line.title}, {titles[fixture.pk]} · {line.state} · {campaign.name}"
        gangs = tuple(
            gang.pk for gang in (fixture.home, fixture.away) if gang and gang.is_owned_by(user)
        )
        if fixture in outdated:
            words = _("Wait: a result before it has changed")
        elif line.is_late:
            words = _("Late: arrange the game") if own else _("Late: settle it, or extend it")
        elif own and fixture.table_number is not None:
            names = zip((fixture.home, fixture.away), fixture_names(fixture), strict=True)
            others = [name for gang, name in names if gang is None or not gang.is_owned_by(user)]
            words = _("Table %(number)s, against %(name)s") % {
                "number": fixture.table_number,
                "name": " – ".join(others) or line.title,
            }
            about = f"{titles[fixture.pk]} · {campaign.name}"
        else:
            words = _("Arrange the game")
        yield Duty(fixture.get_absolute_url(), words, about, gangs, campaign.pk)


def _open_stages(user: User, organised: Collection[uuid.UUID]) -> list[uuid.UUID]:
    """The keys of the open stages in which the user's gangs play, with a seat or without, and of
    those in the campaigns that the user runs. One query: without these keys, a database would read
    the fixtures of the whole site."""
    open_stages = Stage.objects.filter(ended_at=None, campaign__archived_at=None).order_by()
    own = open_stages.filter(entrants__gang__owner=user).values_list("pk", flat=True)
    run = open_stages.filter(campaign__in=organised).values_list("pk", flat=True)
    return list(own.union(run).order_by() if organised else own.distinct())


def _find_outdated(campaigns: Collection[uuid.UUID]) -> list[Fixture]:
    """The fixtures of open stages of these campaigns that no longer follow. No query without
    campaigns."""
    if not campaigns:
        return []
    stages = Stage.objects.filter(campaign__in=campaigns, ended_at=None)
    return find_outdated(list(stages.values_list("pk", flat=True)))


def _outdated(found: Iterable[Fixture], organised: Collection[uuid.UUID]) -> Iterable[Duty]:
    """Stages that the user runs with fixtures that no longer follow."""
    stages = {fixture.round.stage_id: fixture.round.stage for fixture in found}
    for stage in stages.values():
        if stage.campaign_id in organised:
            url = reverse("campaigns:stage-follow", args=[stage.pk])
            words = _("A result has changed: take over the right gangs")
            yield Duty(url, words, f"{stage.name} · {stage.campaign.name}", (), stage.campaign_id)


def _night(asked: NightQuestion) -> Duty:
    night = asked.night
    when = date_format(timezone.localtime(night.starts_at), "D j N, H:i")
    gangs = tuple(guest.gang.pk for guest in asked.mine if not guest.answer)
    about = f"{when} · {night.campaign}"
    return Duty(night.get_absolute_url(), _("Are you coming?"), about, gangs, night.campaign_id)
