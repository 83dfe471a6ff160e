"""A campaign's nights, and the days of its rounds, as a calendar that other programs read
(iCalendar, RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

from django.db.models import Prefetch
from django.utils import timezone
from django.utils.translation import gettext as _
from icalendar import Calendar, Event, vDuration

from campaigns.fixtures import fixture_line, with_games
from campaigns.models import Attendance, Campaign, Fixture, Game, Night, Round, Side
from campaigns.round_names import name_rounds
from campaigns.text import game_title, gang_names, scenario_name, side_names

# How often calendar programs should look for changes.
REFRESH = timedelta(hours=1)
# A fixed "made at" for the entity tag, which must not change with the clock.
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def nights_of(campaign: Campaign) -> list[Night]:
    """All nights of a campaign, those called off too, with their answers and games. Makes six
    queries, whatever the number of nights."""
    answers = Attendance.objects.select_related("gang__owner").defer("gang__snapshot")
    sides = Side.objects.with_standing().select_related("gang__owner")
    sides = sides.defer("gang__snapshot", "draft", "comment")
    games = Game.objects.exclude(status=Game.Status.STRUCK).order_by("created_at")
    return list(
        campaign.nights.order_by("starts_at", "pk").prefetch_related(
            Prefetch("attendances", answers.order_by("pk")),
            Prefetch("games", games.prefetch_related(Prefetch("sides", sides.order_by("pk")))),
        )
    )


def rounds_of(campaign: Campaign) -> list[Round]:
    """All rounds of a campaign's stages, with their fixtures. Makes at most three queries. Ladders
    have none: each challenge has its own last day."""
    rounds = Round.objects.filter(stage__campaign=campaign).exclude(stage__format="ladder")
    fixtures = with_games(Fixture.objects.order_by("number"))
    rows = rounds.select_related("stage").prefetch_related(Prefetch("fixtures", fixtures))
    return list(rows.order_by("stage__number", "number"))


def as_calendar(
    campaign: Campaign,
    nights: Iterable[Night],
    site: str,
    now: datetime,
    rounds: Iterable[Round] = (),
) -> bytes:
    """The nights and rounds as an iCalendar file, in the active language. ``site``: the site's
    address, for links; ``now``: when the file is made. Times are in UTC: programs show them in
    local time. A round is on its last day, or on its first if it has no last one; a fixture with a
    last day of its own is there.
    """
    calendar = Calendar()
    calendar.add("prodid", "-//Skirmish//Game nights//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("name", campaign.name)
    calendar.add("x-wr-calname", campaign.name)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", vDuration(REFRESH))
    for night in nights:
        calendar.add_component(_event(campaign, night, site, now))
    rounds = list(rounds)
    names = name_rounds(rounds)
    for one in rounds:
        calendar.add_component(_round_event(campaign, one, names[one.pk], site, now))
        for fixture in one.fixtures.all():
            if _is_moved(fixture, one):
                calendar.add_component(_fixture_event(campaign, one, fixture, site, now))
    return bytes(calendar.to_ical())


def _event(campaign: Campaign, night: Night, site: str, now: datetime) -> Event:
    event = Event()
    event.add("uid", str(night.pk))
    event.add("dtstamp", now.astimezone(UTC))
    event.add("dtstart", night.starts_at.astimezone(UTC))
    event.add("dtend", night.ends_at.astimezone(UTC))
    event.add("sequence", night.version)
    event.add("summary", _("%(campaign)s: game night") % {"campaign": campaign.name})
    event.add("status", "CANCELLED" if night.is_called_off else "CONFIRMED")
    url = f"{site}{night.get_absolute_url()}"
    event.add("url", url)
    if night.place:
        event.add("location", night.place)
    event.add("description", "\n".join([*_describe(campaign, night), url]))
    return event


def _is_moved(fixture: Fixture, one: Round) -> bool:
    """Whether the fixture has a last day that is not the one of its round."""
    return fixture.due is not None and fixture.due != one.due


def _round_event(campaign: Campaign, one: Round, name: str, site: str, now: datetime) -> Event:
    """The day of a round, with its fixtures; those that have another last day name it."""
    values = {"campaign": campaign.name, "stage": one.stage.name, "round": name}
    words = _("%(campaign)s: last day, %(round)s (%(stage)s)")
    if one.due is None:
        words = _("%(campaign)s: first day, %(round)s (%(stage)s)")
    event = _day_event(campaign, one, one.due or one.opens, now)
    event.add("uid", f"round-{one.pk}-{one.stage_id}")
    event.add("summary", words % values)
    lines = [fixture_line(fixture) for fixture in one.fixtures.all()]
    described = [f"{line.title} ({line.state})" for line in lines]
    _link(event, f"{site}{one.stage.get_absolute_url()}", described)
    return event


def _fixture_event(
    campaign: Campaign, one: Round, fixture: Fixture, site: str, now: datetime
) -> Event:
    """The last day of a fixture that was extended."""
    line = fixture_line(fixture)
    assert fixture.due is not None
    event = _day_event(campaign, one, fixture.due, now, is_off=fixture.called_off_at is not None)
    event.add("uid", f"fixture-{fixture.pk}-{one.stage_id}")
    words = _("%(campaign)s: last day for %(fixture)s (%(stage)s)")
    values = {"campaign": campaign.name, "fixture": line.title, "stage": one.stage.name}
    event.add("summary", words % values)
    _link(event, f"{site}{fixture.get_absolute_url()}", [line.state])
    return event


def _day_event(
    campaign: Campaign, one: Round, day: date, now: datetime, *, is_off: bool = False
) -> Event:
    """A whole day of a round, without its words; cancelled if ``is_off``, and once its stage, or
    the campaign, was over before that day."""
    event = Event()
    event.add("dtstamp", now.astimezone(UTC))
    event.add("dtstart", day)
    event.add("dtend", day + timedelta(days=1))
    event.add("transp", "TRANSPARENT")
    event.add("sequence", one.stage.version)
    over = campaign.archived_at is not None and timezone.localdate(campaign.archived_at) < day
    event.add("status", "CANCELLED" if is_off or one.stage.ended_at or over else "CONFIRMED")
    return event


def _link(event: Event, url: str, described: Iterable[str]) -> None:
    event.add("url", url)
    event.add("description", "\n".join([*described, url]))


def _describe(campaign: Campaign, night: Night) -> Iterable[str]:
    """The note for the players, the gangs that come, and the games, line by line."""
    if night.note:
        yield night.note
    called = gang_names(row.gang for row in night.attendances.all())
    for answer in (Attendance.Answer.YES, Attendance.Answer.MAYBE):
        names = [called[row.gang_id] for row in night.attendances.all() if row.answer == answer]
        if names:
            yield f"{answer.label} ({len(names)}): {', '.join(names)}"
    for game in night.games.all():
        sides = side_names([side for side in game.sides.all() if side.gang])
        more = scenario_name(campaign.book, game) if game.is_fought else game.get_how_display()
        yield game_title(campaign.book, sides.values()) + (f" ({more})" if more else "")


def etag(
    campaign: Campaign, nights: Iterable[Night], site: str, rounds: Iterable[Round] = ()
) -> str:
    """The HTTP entity tag of the calendar, which changes with its content."""
    content = as_calendar(campaign, nights, site, LONG_AGO, rounds)
    return f'"{sha256(content).hexdigest()}"'
