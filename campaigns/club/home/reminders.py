"""Reminders of duties that players have left open: a night to answer, a game to report, a
post-game to play. Each is a notice, made once.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts import notices
from accounts.models import Notice, Reminder, User
from campaigns.club.home.duties import UNREAD
from campaigns.club.nights.schedule import day_of
from campaigns.models import (
    Attendance,
    Campaign,
    Game,
    Membership,
    Night,
    Side,
    SideQuerySet,
    sides_by_game,
)
from campaigns.notice_kinds import OF_NIGHTS, fill
from campaigns.text import side_names
from common.background import note_progress, renew_lease, resume_place
from gangs.models import Gang

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
# Accounts whose post-games are read together, and the most accounts of one look; the next look goes
# on with the others.
PIECE, MOST_LOOKED_AT = 2_000, 20_000
# Reminders of each kind that one look sends; the next look sends the others.
MOST_SENT = 5_000
# The backlog is counted up to this number: counting all accounts would read them all.
MOST_COUNTED = 100_000
# Forget reminders after this time: no duty is reminded of for so long.
KEPT = timedelta(days=60)


@dataclass(frozen=True)
class OpenDuty:
    """A duty that a user could do now. ``about`` identifies it; ``url``: the page where they do."""

    user: User
    about: str
    url: str
    values: Mapping[str, str]


# The keys of the accounts whose duties are meant; None: all.
People = Collection[int] | None
Find = Callable[[datetime, People], list[OpenDuty]]


@dataclass(frozen=True)
class ReminderKind:
    """A kind of reminders. ``find``: the open duties, of some people if given; ``ways``: how they
    leave the site; ``after``: how long a duty must have been open; ``at_any_hour``: whether its
    own hour decides when it is sent; ``again``: an unread notice of this kind about the same duty
    is sent to devices instead of a new one; ``is_in_turn``: whether the accounts of the site are
    looked at in turn, since no day selects the few duties to be read.
    """

    text: Promise
    topic: str
    find: Find
    ways: tuple[str, ...] = notices.WAYS
    after: timedelta = timedelta()
    at_any_hour: bool = False
    again: str = ""
    is_in_turn: bool = False


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
    """Send the reminders that are due, each once; return their number. A periodic job: each look
    sends some of each kind and looks at some accounts in turn, and notes what it leaves to the
    next."""
    now = now or timezone.now()
    is_daytime = timezone.localtime(now).hour in DAYTIME
    kinds = {name: kind for name, kind in KINDS.items() if kind.at_any_hour or is_daytime}
    sent = left = 0
    place = resume_place()
    for name, kind in kinds.items():
        if not kind.is_in_turn:
            done = _send(name, kind, now)
            sent, left = sent + done.sent, left + done.left
    in_turn = {name: kind for name, kind in kinds.items() if kind.is_in_turn}
    if in_turn:
        for people in _take_turns(int(place or 0)):
            for name, kind in in_turn.items():
                done = _send(name, kind, now, people)
                sent, left = sent + done.sent, left + done.left
            place = str(people[-1])
            note_progress(place=place, backlog=left)
    if place:
        # Also by night, when nobody looks at them.
        waiting = User.objects.filter(pk__gt=int(place))
        count = waiting.order_by()[:MOST_COUNTED].count()
        place, left = place if count else "", left + count
    note_progress(place=place, backlog=left)
    return sent


def _take_turns(place: int) -> Iterator[list[int]]:
    """Yield the keys of the accounts behind ``place`` in pieces, up to the most of one look. One
    query for each piece."""
    for _piece in range(MOST_LOOKED_AT // PIECE):
        behind = User.objects.filter(pk__gt=place).order_by("pk")
        people = list(behind.values_list("pk", flat=True)[:PIECE])
        if not people:
            return
        yield people
        place = people[-1]
        renew_lease()


def tidy() -> int:
    """Delete old reminders, except those of post-games that are still open; return their number."""
    old = Reminder.objects.filter(noted_at__lt=timezone.now() - KEPT)
    return old.exclude(kind=POSTGAME).delete()[0]


@dataclass(frozen=True)
class _Sent:
    """The number of reminders that were sent, and of those that are left to the next look."""

    sent: int
    left: int


def _send(name: str, kind: ReminderKind, now: datetime, people: People = None) -> _Sent:
    """Send the reminders of a kind that are due, to some people or to all."""
    duties = {(duty.user.pk, duty.about): duty for duty in kind.find(now, people)}
    rows = Reminder.objects.filter(kind=name)
    if people is not None:
        rows = rows.filter(user__in=people)
        # A duty that was done and is open again waits its time again.
        known = list(rows.values_list("pk", "user", "about"))
        if closed := [pk for pk, *key in known if tuple(key) not in duties]:
            rows.filter(pk__in=closed).delete()
        if not duties:
            return _Sent(0, 0)
    Reminder.objects.bulk_create(
        [Reminder(user_id=user, kind=name, about=about, noted_at=now) for user, about in duties],
        ignore_conflicts=True,
    )
    unsent = rows.filter(sent_at=None, noted_at__lte=now - kind.after).order_by("pk")
    due = [row for row in unsent if (row.user_id, row.about) in duties]
    sent = 0
    for row in due[:MOST_SENT]:
        with transaction.atomic():
            # The update is the lock: of two processes, one sends the reminder.
            if Reminder.objects.filter(pk=row.pk, sent_at=None).update(sent_at=now):
                _remind(name, kind, duties[row.user_id, row.about])
                sent += 1
        renew_lease()
    return _Sent(sent, len(due[MOST_SENT:]))


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
    duties = KINDS[notice.kind].find(timezone.now(), [notice.user_id])
    return notice.values.get("about") in {duty.about for duty in duties}


def _players(people: People) -> Q:
    """Selects rows whose gang's owner can be reminded, and is one of ``people``."""
    reached = Q(gang__owner__is_active=True, gang__owner__stands_for="")
    return reached if people is None else reached & Q(gang__owner__in=people)


def _nights(before: timedelta, now: datetime, people: People) -> list[OpenDuty]:
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
        _players(people), campaign__in={night.campaign_id for night in nights}
    )
    answers = Attendance.objects.filter(night__in=nights).values_list("night", "gang")
    answered = set(answers)
    asked = Notice.objects.filter(
        kind__in=OF_NIGHTS,
        url__in=[night.get_absolute_url() for night in nights],
        at__gt=now - ASKED_LATELY,
    )
    asked_lately = set(asked.values_list("user", "url"))
    gangs: defaultdict[uuid.UUID, list[Gang]] = defaultdict(list)
    for row in members.select_related("gang__owner").defer("gang__snapshot"):
        gangs[row.campaign_id].append(row.gang)
    found = {}
    for night in nights:
        url = night.get_absolute_url()
        values = {"campaign": night.campaign.name, "when": night.starts_at.isoformat()}
        # The day is part of the key: a night that has moved is a new question.
        about = f"{night.pk} {day_of(night)}"
        for gang in gangs[night.campaign_id]:
            owner = gang.owner
            if owner is None or (night.pk, gang.pk) in answered:
                continue
            if (owner.pk, url) not in asked_lately:
                found[owner.pk, night.pk] = OpenDuty(owner, about, url, values)
    return list(found.values())


def _games(now: datetime, people: People) -> list[OpenDuty]:
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
    for side, owner, title in _sides(Side.objects.filter(game__in=games), people):
        game = side.game
        values = {"game": title, "campaign": game.campaign.name}
        values["day"] = game.played_on.isoformat()
        url = reverse("campaigns:game-report", args=[game.pk])
        found[owner.pk, game.pk] = OpenDuty(owner, f"{game.pk} {game.played_on}", url, values)
    return list(found.values())


def _postgames(_now: datetime, people: People) -> list[OpenDuty]:
    """The earliest open post-game of each gang of these people. At most four queries. Raises
    ValueError for all: their gangs are read in pieces."""
    if people is None:
        raise ValueError("The post-games of all people are not read together.")
    playing = Membership.objects.playing().filter(_players(people))
    gangs = set(playing.values_list("gang", flat=True))
    if not gangs:
        return []
    # Their keys first: few of the sides are open, and of these the rows are wide.
    keys = list(Side.objects.open(gangs).order_by().values_list("pk", flat=True))
    opened = Side.objects.of_playing(people).filter(pk__in=keys)
    found: dict[uuid.UUID | None, OpenDuty] = {}
    for side, owner, title in _sides(opened, people) if keys else ():
        values = {"game": title, "campaign": side.game.campaign.name, "gang": side.name}
        url = reverse("campaigns:postgame", args=[side.game_id, side.pk])
        found.setdefault(side.gang_id, OpenDuty(owner, str(side.pk), url, values))
    return list(found.values())


def _sides(which: SideQuerySet, people: People) -> Iterator[tuple[Side, User, str]]:
    """Yield the sides whose gangs still play, oldest game first, with their players and the titles
    of their games. Two queries, the second only if there are any."""
    playing = Membership.objects.playing().filter(
        campaign=OuterRef("game__campaign"), gang=OuterRef("gang")
    )
    rows = which.filter(_players(people), Exists(playing)).defer(*UNREAD, "gang__snapshot")
    related = rows.select_related("gang__owner", "game__campaign")
    sides = list(related.order_by("game__played_on", "game__created_at", "pk"))
    if not sides:
        return
    everybody = Side.objects.with_namesakes().filter(game__in={side.game_id for side in sides})
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
        is_in_turn=True,
    ),
}
