"""The calendar of a campaign's nights, read back by the library that other programs use."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from icalendar import Calendar

from campaigns.nights import schedule
from tests.campaigns.making import make_night

PARIS = ZoneInfo("Europe/Paris")


@pytest.fixture
def url(campaign):
    return reverse("campaigns:night-feed", args=[campaign.watch_key])


def events(answer):
    return list(Calendar.from_ical(answer.content).walk("VEVENT"))


def test_a_night_as_others_read_it(campaign, url, settings):
    settings.SITE_URL = "https://skirmish.example"
    night = make_night(campaign, datetime(2026, 12, 4, 19, 30, tzinfo=PARIS), "At Bob’s; bar, 2")
    schedule.change(
        night,
        starts_at=night.starts_at,
        place=night.place,
        note="Dice\nand rum",
        expected_version=0,
    )
    answer = Client().get(url)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    (event,) = events(answer)
    assert event["UID"] == str(night.pk)
    assert event.decoded("DTSTART") == datetime(2026, 12, 4, 18, 30, tzinfo=UTC)
    assert event["SEQUENCE"] == 1
    assert event["SUMMARY"] == campaign.name
    assert event["LOCATION"] == "At Bob’s; bar, 2"
    assert event["DESCRIPTION"] == "Dice\nand rum"
    assert event["STATUS"] == "CONFIRMED"
    assert event["URL"] == f"https://skirmish.example{night.get_absolute_url()}"
    assert event.decoded("DTSTAMP").tzinfo is not None


def test_a_cancelled_night_is_told(campaign, url):
    night = make_night(campaign)
    schedule.cancel(night, expected_version=0)
    make_night(campaign)
    told = {
        event["UID"]: (event["STATUS"], event["SEQUENCE"]) for event in events(Client().get(url))
    }
    assert told.pop(str(night.pk)) == ("CANCELLED", 1)
    assert list(told.values()) == [("CONFIRMED", 0)]


def test_a_wrong_key_leads_nowhere(campaign):
    for key in (campaign.invite_key, "nothing", str(campaign.pk)):
        assert Client().get(reverse("campaigns:night-feed", args=[key])).status_code == 404


def test_nothing_new_is_not_sent_again(campaign, url):
    night = make_night(campaign)
    first = Client().get(url)
    again = Client().get(url, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    schedule.cancel(night, expected_version=0)
    assert Client().get(url, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_the_list_of_nights_tells_the_address(campaign, bob, as_user, url):
    page = as_user(bob).get(reverse("campaigns:nights", args=[campaign.pk]))
    assert f"http://testserver{url}" in page.content.decode()
