"""Game nights: when gangs meet, and which gangs come. The caller checks who may schedule them.

Scheduling, changing and cancelling a night notifies everybody who takes part, except the ``actor``.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations
from typing import Any, NotRequired, TypedDict, Unpack

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.notices import mark_read_about
from campaigns import notices as campaigns_notices
from campaigns.engine.how import FOUGHT
from campaigns.engine.pairing import Candidate, Past
from campaigns.locking import lock
from campaigns.models import Attendance, Campaign, Fixture, Game, Night, Side
from campaigns.text import gang_names
from common.errors import Refusal
from common.locking import update_if
from gangs.models import Gang

# A night counts as going on for this long after it begins.
LASTS = timedelta(hours=6)
# One gang's answer; the labels of ``Attendance.Answer`` head the numbers of gangs, in the plural.
ANSWERS_OF_ONE: dict[str, Promise] = {
    Attendance.Answer.YES.value: gettext_lazy("Is coming"),
    Attendance.Answer.MAYBE.value: gettext_lazy("Maybe"),
    Attendance.Answer.NO.value: gettext_lazy("Isn’t coming"),
}


@dataclass(frozen=True)
class Guest:
    """A gang of the campaign, and whether it comes ("" if unknown). ``left``: the gang came and has
    left the campaign since, so nobody can answer for it now; ``name``: with the player's name where
    two gangs share a name."""

    gang: Gang
    answer: str = ""
    left: bool = False
    name: str = ""

    @property
    def answer_name(self) -> str:
        """The answer in words; "" if there is none."""
        return str(ANSWERS_OF_ONE[self.answer]) if self.answer else ""


class Details(TypedDict):
    """When and where a night is, with a note for its players."""

    starts_at: datetime
    until: NotRequired[datetime | None]
    place: str
    note: str


def arrange(
    campaign: Campaign, *, token: uuid.UUID, actor: User | None = None, **details: Unpack[Details]
) -> Night:
    """Schedule a night. A form that arrives twice schedules one."""
    return arrange_all(campaign, [details], token=token, actor=actor)[0]


def arrange_all(
    campaign: Campaign, nights: Sequence[Details], *, token: uuid.UUID, actor: User | None = None
) -> list[Night]:
    """Schedule several nights, with one notice for all of them. A form that arrives twice schedules
    them once."""
    with transaction.atomic():
        lock(campaign)
        # The first night takes the form's own token; the others derive theirs from it.
        tokens = [token, *(uuid.uuid5(token, str(number)) for number in range(1, len(nights)))]
        found = [
            Night.objects.get_or_create(token=key, defaults={"campaign": campaign, **details})
            for key, details in zip(tokens, nights, strict=True)
        ]
        created = [night for night, is_new in found if is_new]
        if len(created) > 1:
            campaigns_notices.nights_announced(created, actor=actor)
        elif created:
            campaigns_notices.night_turned("night_announced", created[0], actor=actor)
    return [night for night, _new in found]


def change(
    night: Night, *, expected_version: int, actor: User | None = None, **details: Unpack[Details]
) -> None:
    """Change a night's details. Games planned for its day move with it. Raises Stale if the night
    has changed since it was seen."""
    announced = night.starts_at, night.place
    before, after = day_of(night), timezone.localtime(details["starts_at"]).date()
    with transaction.atomic():
        _change(night, expected_version, **details)
        planned = night.games.filter(status=Game.Status.PLANNED, played_on=before)
        planned.update(played_on=after, version=F("version") + 1)
        if (night.starts_at, night.place) != announced:
            campaigns_notices.night_turned("night_changed", night, actor=actor)


def cancel(night: Night, *, expected_version: int, actor: User | None = None) -> None:
    """Call a night off. Its answers and planned games stay, in case it is revived. Raises Stale."""
    with transaction.atomic():
        _change(night, expected_version, cancelled_at=timezone.now())
        campaigns_notices.night_turned("night_cancelled", night, actor=actor)


def revive(night: Night, *, expected_version: int, actor: User | None = None) -> None:
    """Put a cancelled night back on. Raises Stale."""
    with transaction.atomic():
        _change(night, expected_version, cancelled_at=None)
        campaigns_notices.night_turned("night_announced", night, actor=actor)


def delete(night: Night, *, expected_version: int, actor: User | None = None) -> None:
    """Delete a night. Raises Stale, and Refusal if games belong to the night."""
    with transaction.atomic():
        _change(night, expected_version)
        if night.games.exists():
            raise Refusal("night_has_games")
        campaigns_notices.night_deleted(night, actor=actor)
        night.delete()


def answer(night: Night, gang: Gang, choice: str, *, actor: User) -> None:
    """Record whether a gang comes, as its player or an organiser says; notices that lead to the
    night are read now. Raises Refusal. After the night only an organiser answers, to complete the
    list."""
    if gang.owner_id != actor.pk and not night.campaign.is_run_by(actor):
        raise Refusal("not_your_gang")
    if is_over(night) and not night.campaign.is_run_by(actor):
        raise Refusal("night_over")
    with transaction.atomic():
        _open_for_answers(night, [gang])
        Attendance.objects.update_or_create(
            night=night, gang=gang, defaults={"answer": choice, "by": actor}
        )
        mark_read_about(actor, night.get_absolute_url())


def answer_all(night: Night, choices: Mapping[Gang, str], *, actor: User) -> int:
    """Record an organiser's answers for many gangs, and return how many are new. "" deletes an
    answer. Raises Refusal."""
    if not night.campaign.is_run_by(actor):
        raise Refusal("not_organiser")
    with transaction.atomic():
        _open_for_answers(night, choices)
        known = dict(night.attendances.values_list("gang", "answer"))
        new = {gang: said for gang, said in choices.items() if said != known.get(gang.pk, "")}
        night.attendances.filter(gang__in=[gang for gang, said in new.items() if not said]).delete()
        now = timezone.now()
        Attendance.objects.bulk_create(
            [
                Attendance(night=night, gang=gang, answer=said, by=actor, at=now)
                for gang, said in new.items()
                if said
            ],
            update_conflicts=True,
            unique_fields=["night", "gang"],
            update_fields=["answer", "by", "at"],
        )
    return len(new)


def _open_for_answers(night: Night, gangs: Collection[Gang]) -> None:
    """Lock the campaign. Raises Refusal if the night does not take place, or one of the gangs does
    not play in the campaign."""
    lock(night.campaign)
    check_takes_place(night)
    if night.campaign.memberships.playing().filter(gang__in=gangs).count() != len(gangs):
        raise Refusal("gang_not_here")


def check_takes_place(night: Night | None) -> None:
    """Raise Refusal if the night is called off or deleted."""
    if night is None:
        return
    found = Night.objects.filter(pk=night.pk).first()
    if found is None:
        raise Refusal("gone")
    if found.cancelled_at is not None:
        raise Refusal("night_cancelled")


def is_over(night: Night) -> bool:
    """Whether the night has ended."""
    return timezone.now() > max(night.ends_at, night.starts_at + LASTS)


def day_of(night: Night) -> date:
    """The day of a night in the site's time zone."""
    return timezone.localtime(night.starts_at).date()


def tonight(found: Iterable[Night]) -> Night | None:
    """The first of these nights that is today, or None."""
    today = timezone.localdate()
    return next((night for night in found if day_of(night) == today), None)


def next_nights(campaign: Campaign) -> list[Night]:
    """Nights that are on or to come, as in ``around``. Makes one query."""
    return around(campaign, 0)[0]


def around(campaign: Campaign, most: int) -> tuple[list[Night], list[Night]]:
    """Present and future nights, soonest first, and the ``most`` newest past nights, newest first;
    each with ``coming`` and ``unsure`` counted. Makes one query.

    The nights to come include cancelled ones, so that nobody travels to a night that is off.
    """
    since = timezone.now() - LASTS
    end = min(since, campaign.archived_at or since)
    over = campaign.nights.filter(starts_at__lt=end, cancelled_at=None)
    newest = over.order_by("-starts_at", "pk").values("pk")[:most]
    listed = campaign.nights.filter(Q(starts_at__gte=since) | Q(pk__in=newest))
    found: list[Night] = list(with_counts(listed).order_by("starts_at", "pk"))
    to_come = [night for night in found if night.starts_at >= since]
    rest = [night for night in found if night.starts_at < since]
    return to_come, sorted(rest, key=lambda night: night.starts_at, reverse=True)


def with_counts(nights: QuerySet[Night]) -> QuerySet[Night]:
    """Count for each night the gangs that are ``coming`` and those that are ``unsure``."""
    counts, answer = _counts("attendances__gang__"), Attendance.Answer
    return nights.annotate(
        coming=Count("attendances", filter=counts & Q(attendances__answer=answer.YES)),
        unsure=Count("attendances", filter=counts & Q(attendances__answer=answer.MAYBE)),
    )


def guests(night: Night, gangs: Sequence[Gang]) -> list[Guest]:
    """The guests of a night: the campaign's ``gangs``, and gangs that came and have left since. One
    query."""
    return guests_of([night], gangs)[night.pk]


def guests_of(nights: Sequence[Night], gangs: Sequence[Gang]) -> dict[uuid.UUID, list[Guest]]:
    """The ``guests`` of several nights, by the night's key. One query."""
    counting = Attendance.objects.filter(_counts("gang__", "night__"), night__in=nights)
    attending = counting.select_related("gang__owner").defer("gang__snapshot")
    answers: dict[uuid.UUID, dict[uuid.UUID, Attendance]] = {night.pk: {} for night in nights}
    for attendance in attending.order_by("pk"):
        answers[attendance.night_id][attendance.gang_id] = attendance
    return {night: _find_guests(found, gangs) for night, found in answers.items()}


def _find_guests(answers: Mapping[uuid.UUID, Attendance], gangs: Sequence[Gang]) -> list[Guest]:
    """The guests of a night, by the answers of its gangs."""
    here = {gang.pk for gang in gangs}
    gone = [attendance.gang for key, attendance in answers.items() if key not in here]
    names = gang_names([*gangs, *gone])
    return [
        Guest(
            gang,
            answers[gang.pk].answer if gang.pk in answers else "",
            left=gang.pk not in here,
            name=names[gang.pk],
        )
        for gang in (*gangs, *gone)
    ]


def past_of(night: Night) -> Past:
    """The games of any two gangs of the night's campaign against each other, those on the last
    night before it, and the fixtures that they have to play. Planned games count; games that were
    taken back do not. Three queries."""
    campaign = night.campaign
    games = [
        (of_night, list(map(frozenset, combinations(gangs, 2))))
        for of_night, gangs in _games(campaign)
    ]
    before = campaign.nights.filter(starts_at__lt=night.starts_at, cancelled_at=None)
    with_games = {of_night for of_night, _pairs in games}
    keys = before.order_by("-starts_at").values_list("pk", flat=True)
    last = next((key for key in keys if key in with_games), None)
    open_ones = Fixture.objects.unplayed().of_open_rounds().filter(round__stage__campaign=campaign)
    free = open_ones.filter(Q(game=None) | Q(game__status=Game.Status.STRUCK))
    return Past(
        meetings=Counter(pair for _night, pairs in games for pair in pairs),
        last={pair for of_night, pairs in games if last and of_night == last for pair in pairs},
        due={frozenset(map(str, pair)) for pair in free.values_list("home", "away")},
    )


def candidates(night: Night, gangs: Sequence[Gang]) -> list[Candidate]:
    """The gangs as candidates for pairing. Makes three queries, whatever the number of gangs."""
    games = _games(night.campaign)
    played = Counter(gang for _night, gangs in games for gang in gangs)
    rested = _find_rests(night, games)
    members = night.campaign.memberships.filter(gang__in=gangs)
    joined = {
        gang: timezone.localtime(at).date() for gang, at in members.values_list("gang", "joined_at")
    }
    return [
        Candidate(
            gang=str(gang.pk),
            rating=gang.rating,
            owner=str(gang.owner_id) if gang.owner_id else None,
            played=played[str(gang.pk)],
            rested=rested.get(str(gang.pk)),
            joined=joined.get(gang.pk, date.min),
        )
        for gang in gangs
    ]


def find_empty(gangs: Iterable[Gang]) -> set[uuid.UUID]:
    """The keys of the gangs without members, which nobody can play. One query."""
    rows = Gang.objects.filter(pk__in=[gang.pk for gang in gangs])
    return {gang.pk for gang in rows if not gang.roster.members}


def _find_rests(night: Night, games: Iterable[tuple[uuid.UUID, list[str]]]) -> dict[str, date]:
    """The day on which each gang last came to a night with games and played none, before this
    night."""
    busy: defaultdict[uuid.UUID, set[str]] = defaultdict(set)
    for of_night, gangs in games:
        busy[of_night].update(gangs)
    came = Attendance.objects.filter(
        night__campaign=night.campaign_id,
        night__starts_at__lt=night.starts_at,
        night__cancelled_at=None,
        answer=Attendance.Answer.YES,
    ).select_related("night")
    rested: dict[str, date] = {}
    for attendance in came.order_by("night__starts_at"):
        if attendance.night_id in busy and str(attendance.gang_id) not in busy[attendance.night_id]:
            rested[str(attendance.gang_id)] = day_of(attendance.night)
    return rested


def _games(campaign: Campaign) -> list[tuple[uuid.UUID, list[str]]]:
    """The campaign's games that were not taken back: the night and the gangs of each. A game
    without a battle is no meeting, and the gangs that came to it had no game."""
    sides = Side.objects.filter(game__campaign=campaign, gang__isnull=False)
    sides = sides.filter(game__how__in=FOUGHT)
    standing = sides.exclude(game__status=Game.Status.STRUCK).order_by()
    found: dict[uuid.UUID, tuple[uuid.UUID, list[str]]] = {}
    for game, night, gang in standing.values_list("game_id", "game__night_id", "gang_id"):
        found.setdefault(game, (night, []))[1].append(str(gang))
    return list(found.values())


def _counts(gang: str, night: str = "") -> Q:
    """Selects the answers that count: of gangs that play in the campaign, or did when the night
    began. ``gang``, ``night``: the prefixes of their fields in the query."""
    member = f"{gang}memberships__"
    counts = Q(**{f"{member}campaign": F(f"{night}campaign")})
    for end in (f"{member}left_at", f"{member}retired_at"):
        counts &= Q(**{end: None}) | Q(**{f"{end}__gte": F(f"{night}starts_at")})
    return counts


def _change(night: Night, expected_version: int, **values: Any) -> None:
    """Lock the campaign, and change the night. Raises Stale if it has changed since it was seen."""
    lock(night.campaign)
    update_if(Night, night.pk, expected_version, **values)
    night.refresh_from_db(fields=["version", *values])
