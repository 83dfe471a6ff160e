"""Reminders of duties that players have left open: a night to answer, a game to report, a
post-game to play. Each is a notice, made once.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from itertools import batched
from operator import itemgetter

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts import notices
from accounts.models import Notice, Reminder, User
from campaigns.club.home.duties import UNREAD
from campaigns.models import Attendance, Campaign, Game, Membership, Night, Side, sides_by_game
from campaigns.notice_kinds import OF_NIGHTS, fill
from campaigns.text import side_names
from common.background import renew_lease

# Seconds between two looks.
LOOKS_EVERY = 3600
# Remind players of a night this long before it, unless they have just been asked; and on their
# devices this long before it.
BEFORE_NIGHT = timedelta(hours=48)
EVE_OF_NIGHT = timedelta(hours=24)
ASKED_LATELY = timedelta(hours=24)
# Remind players of an unreported game this many days after its day, and no more after the latter.
AFTER_GAME, GAME_IS_OLD = timedelta(days=3), timedelta(days=14)
# Remind players of a post-game that they could have played for this long.
AFTER_POSTGAME = timedelta(days=7)
# Local hours between which a reminder may arrive that no clock time decides.
DAYTIME = range(9, 21)
# Campaigns whose post-games are read together.
PIECE = 200
# Forget reminders after this time: no duty is reminded of for so long.
KEPT = timedelta(days=60)


@dataclass(frozen=True)
class OpenDuty:
    """A duty that a user could do now. ``about`` identifies it; ``url``: the page where they do."""

    user: User
    about: str
    url: str
    values: Mapping[str, str]


# Orders games: the day, the time of their creation, and the side's key.
Age = tuple[date, datetime, int]
Find = Callable[[datetime, User | None], list[OpenDuty]]


@dataclass(frozen=True)
class ReminderKind:
    """A kind of reminders. ``find``: the open duties, of one user if given; ``ways``: how they
    leave the site; ``after``: how long a duty must have been open; ``at_any_hour``: whether its
    own hour decides when it is sent; ``again``: an unread notice of this kind about the same duty
    is sent to devices instead of a new one.
    """

    text: Promise
    topic: str
    find: Find
    ways: tuple[str, ...] = notices.WAYS
    after: timedelta = timedelta()
    at_any_hour: bool = False
    again: str = ""


def register(below_nights: notices.Below) -> None:
    """Register these kinds of notices and their topics. ``below_nights``: makes the lines below a
    night's notices."""
    for topic, label in TOPICS.items():
        notices.register_topic(topic, label, pushed=topic == NIGHT)
    for name, kind in KINDS.items():
        notices.register(
            name,
            partial(fill, kind.text),
            below_nights if kind.topic == NIGHT else None,
            topic=kind.topic,
            ways=kind.ways,
            is_due=_is_due,
        )


def send_due(now: datetime | None = None) -> int:
    """Send the reminders that are due, each once; return their number. A periodic job."""
    now = now or timezone.now()
    is_daytime = timezone.localtime(now).hour in DAYTIME
    return sum(
        _send(name, kind, now) for name, kind in KINDS.items() if kind.at_any_hour or is_daytime
    )


def tidy() -> int:
    """Delete old reminders, except those of post-games that are still open; return their number."""
    old = Reminder.objects.filter(noted_at__lt=timezone.now() - KEPT)
    return old.exclude(kind=POSTGAME).delete()[0]


def _send(name: str, kind: ReminderKind, now: datetime) -> int:
    duties = {(duty.user.pk, duty.about): duty for duty in kind.find(now, None)}
    rows = Reminder.objects.filter(kind=name)
    if kind.after:
        # A duty that was done and is open again waits its time again.
        known = rows.values_list("pk", "user", "about")
        rows.filter(pk__in=[pk for pk, *key in known if tuple(key) not in duties]).delete()
    Reminder.objects.bulk_create(
        [Reminder(user_id=user, kind=name, about=about, noted_at=now) for user, about in duties],
        ignore_conflicts=True,
    )
    sent = 0
    unsent = rows.filter(sent_at=None, noted_at__lte=now - kind.after)
    for row in unsent.order_by("pk"):
        duty = duties.get((row.user_id, row.about))
        if duty is None:
            continue
        with transaction.atomic():
            # The update is the lock: of two processes, one sends the reminder.
            if Reminder.objects.filter(pk=row.pk, sent_at=None).update(sent_at=now):
                _remind(name, kind, duty)
                sent += 1
    return sent


def _remind(name: str, kind: ReminderKind, duty: OpenDuty) -> None:
    unread = Notice.objects.filter(
        user=duty.user, kind=kind.again, values__about=duty.about, read_at=None
    )
    before = unread.first() if kind.again else None
    if before is None:
        notices.notify([duty.user], name, {**duty.values, "about": duty.about}, duty.url)
    else:
        notices.push([before])


def _is_due(notice: Notice) -> bool:
    duties = KINDS[notice.kind].find(timezone.now(), notice.user)
    return notice.values.get("about") in {duty.about for duty in duties}


def _players(user: User | None) -> Q:
    """Selects rows whose gang's owner can be reminded, or is ``user``."""
    if user is not None:
        return Q(gang__owner=user)
    return Q(gang__owner__is_active=True, gang__owner__stands_for="")


def _nights(before: timedelta, now: datetime, user: User | None) -> list[OpenDuty]:
    """The nights that a player has not answered for every gang, at most ``before`` ahead. At most
    four queries."""
    soon = Night.objects.filter(
        campaign__in=Campaign.objects.open(),
        cancelled_at=None,
        starts_at__gt=now,
        starts_at__lte=now + before,
    )
    nights = list(soon.select_related("campaign").order_by("starts_at", "pk"))
    if not nights:
        return []
    members = Membership.objects.playing().filter(
        _players(user), campaign__in={night.campaign_id for night in nights}
    )
    answers = Attendance.objects.filter(night__in=nights).values_list("night", "gang")
    answered = set(answers)
    asked = Notice.objects.filter(
        kind__in=OF_NIGHTS,
        url__in=[night.get_absolute_url() for night in nights],
        at__gt=now - ASKED_LATELY,
    )
    asked_lately = set(asked.values_list("user", "url"))
    gangs = [(row.campaign_id, row.gang) for row in members.select_related("gang__owner")]
    found = {}
    for night in nights:
        url = night.get_absolute_url()
        values = {"campaign": night.campaign.name, "when": night.starts_at.isoformat()}
        # The day is part of the key: a night that has moved is a new question.
        about = f"{night.pk} {night.starts_at:%Y-%m-%d}"
        for campaign, gang in gangs:
            owner = gang.owner
            if campaign != night.campaign_id or owner is None or (night.pk, gang.pk) in answered:
                continue
            if (owner.pk, url) not in asked_lately:
                found[owner.pk, night.pk] = OpenDuty(owner, about, url, values)
    return list(found.values())


def _games(now: datetime, user: User | None) -> list[OpenDuty]:
    """The planned games of the last days that nobody has reported. At most two queries."""
    today = timezone.localdate(now)
    planned = Game.objects.filter(
        campaign__in=Campaign.objects.open(),
        status=Game.Status.PLANNED,
        played_on__lte=today - AFTER_GAME,
        played_on__gte=today - GAME_IS_OLD,
    )
    games = planned.exclude(pk__in=Game.objects.being_played().values("pk"))
    found = {}
    for side, owner, title in _sides(Side.objects.filter(game__in=games), user):
        game = side.game
        values = {"game": title, "campaign": game.campaign.name}
        values["day"] = game.played_on.isoformat()
        url = reverse("campaigns:game-report", args=[game.pk])
        found[owner.pk, game.pk] = OpenDuty(owner, f"{game.pk} {game.played_on}", url, values)
    return list(found.values())


def _postgames(now: datetime, user: User | None) -> list[OpenDuty]:
    """The earliest open post-game of each gang. At most two queries for one user; for all, three
    for each ``PIECE`` of campaigns, so that no query reads all sides of a large site."""
    confirmed = Side.objects.of_playing(user).filter(game__status=Game.Status.CONFIRMED)
    if user is not None:
        opened = confirmed.filter(Q(correcting=True) | Q(pk__in=confirmed.undone().values("pk")))
        return [duty for _age, duty in _earliest(opened, user).values()]
    found: dict[uuid.UUID | None, tuple[Age, OpenDuty]] = {}
    campaigns = Campaign.objects.order_by("pk").values_list("pk", flat=True)
    for piece in batched(list(campaigns), PIECE):
        of_piece = confirmed.filter(game__campaign__in=piece)
        # Their keys first: few of the sides are open, and of these the rows are wide.
        is_open = Q(correcting=True) | Q(pk__in=of_piece.undone().values("pk"))
        keys = list(of_piece.filter(is_open).order_by().values_list("pk", flat=True))
        for gang, one in _earliest(Side.objects.filter(pk__in=keys), None).items() if keys else ():
            found[gang] = min(found.get(gang, one), one, key=itemgetter(0))
        renew_lease()
    return [duty for _age, duty in found.values()]


def _earliest(
    opened: QuerySet[Side], user: User | None
) -> dict[uuid.UUID | None, tuple[Age, OpenDuty]]:
    """The earliest of these open post-games of each gang, by its key. At most two queries."""
    found: dict[uuid.UUID | None, tuple[Age, OpenDuty]] = {}
    for side, owner, title in _sides(opened, user):
        values = {"game": title, "campaign": side.game.campaign.name, "gang": side.name}
        url = reverse("campaigns:postgame", args=[side.game_id, side.pk])
        age = (side.game.played_on, side.game.created_at, side.pk)
        found.setdefault(side.gang_id, (age, OpenDuty(owner, str(side.pk), url, values)))
    return found


def _sides(which: QuerySet[Side], user: User | None) -> Iterator[tuple[Side, User, str]]:
    """Yield the sides whose gangs still play, oldest game first, with their players and the titles
    of their games. Two queries, the second only if there are any."""
    playing = Membership.objects.playing().filter(
        campaign=OuterRef("game__campaign"), gang=OuterRef("gang")
    )
    rows = which.filter(_players(user), Exists(playing)).defer(*UNREAD, "gang__snapshot")
    related = rows.select_related("gang__owner", "game__campaign")
    sides = list(related.order_by("game__played_on", "game__created_at", "pk"))
    if not sides:
        return
    everybody = Side.objects.with_standing().filter(game__in={side.game_id for side in sides})
    everybody = everybody.select_related("gang__owner").defer(*UNREAD, "gang__snapshot")
    by_game = sides_by_game(everybody.order_by("pk"))
    for side in sides:
        if side.gang is not None and side.gang.owner is not None:
            names = side_names(by_game[side.game_id], name=notices.person)
            yield side, side.gang.owner, side.game.campaign.book.who_plays.title(names.values())


NIGHT, GAME, POSTGAME = "night_unanswered", "game_unreported", "postgame_unplayed"
TOPICS = {
    NIGHT: gettext_lazy("Reminder: a night soon that you have not answered"),
    GAME: gettext_lazy("Reminder: a game that nobody reported for three days"),
    POSTGAME: gettext_lazy("Reminder: a post-game that you have not played for a week"),
}
UNANSWERED = gettext_lazy(
    "%(campaign)s meets on %(when)s, and you have not answered. Are you coming?"
)
KINDS = {
    NIGHT: ReminderKind(
        UNANSWERED, NIGHT, partial(_nights, BEFORE_NIGHT), ways=(notices.MAIL,), at_any_hour=True
    ),
    "night_tomorrow": ReminderKind(
        UNANSWERED,
        NIGHT,
        partial(_nights, EVE_OF_NIGHT),
        ways=(notices.PUSH,),
        at_any_hour=True,
        again=NIGHT,
    ),
    GAME: ReminderKind(
        gettext_lazy(
            "%(game)s (%(campaign)s) was to be played on %(day)s. Report the result, or change the"
            " day."
        ),
        GAME,
        _games,
    ),
    POSTGAME: ReminderKind(
        gettext_lazy(
            "%(gang)s has waited a week for the post-game of %(game)s (%(campaign)s). Play it"
            " before the next game."
        ),
        POSTGAME,
        _postgames,
        after=AFTER_POSTGAME,
    ),
}
