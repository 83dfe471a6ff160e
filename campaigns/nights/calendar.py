"""A campaign's nights as a calendar that other programs read (iCalendar, RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256

from icalendar import Calendar, Event

from campaigns.models import Campaign, Night


def as_calendar(campaign: Campaign, nights: Iterable[Night], site: str, now: datetime) -> bytes:
    """The nights as an iCalendar file. ``site``: where links lead; ``now``: when it was made.

    Instants are written in UTC, which every program shows by its own clock. Nobody says when a
    night ends, so the file does not, either.
    """
    calendar = Calendar()
    calendar.add("prodid", "-//Skirmish//Game nights//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", campaign.name)
    for night in nights:
        calendar.add_component(_event(campaign, night, site, now))
    return bytes(calendar.to_ical())


def _event(campaign: Campaign, night: Night, site: str, now: datetime) -> Event:
    event = Event()
    event.add("uid", str(night.pk))
    event.add("dtstamp", now.astimezone(UTC))
    event.add("dtstart", night.starts_at.astimezone(UTC))
    event.add("sequence", night.version)
    event.add("summary", campaign.name)
    event.add("status", "CANCELLED" if night.cancelled_at else "CONFIRMED")
    event.add("url", f"{site}{night.get_absolute_url()}")
    if night.place:
        event.add("location", night.place)
    if night.note:
        event.add("description", night.note)
    return event


def etag(campaign: Campaign, nights: Iterable[Night], site: str) -> str:
    """What changes when the calendar does, as an HTTP entity tag."""
    parts = [campaign.name, site, *(f"{night.pk} {night.version}" for night in nights)]
    return f'"{sha256("\x1f".join(parts).encode()).hexdigest()}"'
