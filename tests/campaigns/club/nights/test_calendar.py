"""The calendar feed of a campaign's nights, parsed with the icalendar library."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from icalendar import Calendar

from campaigns.club.nights import schedule
from campaigns.models import Attendance, Game
from tests.world.campaigns import make_game, make_night, make_player

PARIS = ZoneInfo("Europe/Paris")


@pytest.fixture
def url(campaign):
    return reverse("campaigns:night-feed", args=[campaign.watch_key])


def events(answer):
    return list(Calendar.from_ical(answer.content).walk("VEVENT"))


def test_feed_describes_a_night(campaign, url, settings):
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
    assert event.decoded("DTEND") == datetime(2026, 12, 4, 21, 30, tzinfo=UTC)
    assert event["SUMMARY"] == f"{campaign.name}: game night"
    assert event["LOCATION"] == "At Bob’s; bar, 2"
    link = f"https://skirmish.example{night.get_absolute_url()}"
    assert event["DESCRIPTION"] == f"Dice\nand rum\n{link}"
    assert event["STATUS"] == "CONFIRMED"
    assert event["URL"] == link
    assert event.decoded("DTSTAMP").tzinfo is not None


def test_feed_marks_a_cancelled_night(campaign, url):
    night = make_night(campaign)
    schedule.cancel(night, expected_version=0)
    make_night(campaign)
    told = {
        event["UID"]: (event["STATUS"], event["SEQUENCE"]) for event in events(Client().get(url))
    }
    assert told.pop(str(night.pk)) == ("CANCELLED", 1)
    assert list(told.values()) == [("CONFIRMED", 0)]


def test_feed_is_not_found_for_a_wrong_key(campaign):
    for key in (campaign.invite_key, "nothing", str(campaign.pk)):
        assert Client().get(reverse("campaigns:night-feed", args=[key])).status_code == 404


def test_unchanged_feed_is_not_sent_again(campaign, url):
    night = make_night(campaign)
    first = Client().get(url)
    again = Client().get(url, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    schedule.cancel(night, expected_version=0)
    assert Client().get(url, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_list_of_nights_shows_the_address_of_the_feed(campaign, bob, as_user, url):
    page = as_user(bob).get(reverse("campaigns:nights", args=[campaign.pk]))
    assert f"http://testserver{url}?lang=en" in page.content.decode()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_pages_show_the_calendar_of_the_reader_s_language(
    campaign, alice, bob, as_user, url, language
):
    make_player(campaign, alice)
    make_night(campaign)
    for name, user in (("nights", bob), ("campaign", alice)):
        address = reverse(f"campaigns:{name}", args=[campaign.pk])
        page = as_user(user).get(address, headers={"accept-language": language})
        assert f"{url}?lang={language}" in page.content.decode()


def test_feed_lists_attendance_and_games(campaign, alice, bob, url):
    night = make_night(campaign)
    gangs = [make_player(campaign, user) for user in (alice, bob)]
    schedule.answer(night, gangs[0], Attendance.Answer.YES, actor=alice)
    schedule.answer(night, gangs[1], Attendance.Answer.MAYBE, actor=bob)
    game = make_game(campaign, alice, *gangs)
    Game.objects.filter(pk=game.pk).update(night=night)
    # Both gangs come from the same sample, so that their players tell them apart.
    names = [f"{gang.name} ({gang.owner})" for gang in gangs]
    (event,) = events(Client().get(url))
    lines = event["DESCRIPTION"].split("\n")
    assert lines[:2] == [f"Going (1): {names[0]}", f"Maybe (1): {names[1]}"]
    assert lines[2].startswith(" – ".join(names))
    assert lines[3].endswith(night.get_absolute_url())
    (french,) = events(Client().get(f"{url}?lang=fr"))
    assert french["DESCRIPTION"] != event["DESCRIPTION"]


def test_answer_changes_the_feed(campaign, alice, url):
    night, gang = make_night(campaign), make_player(campaign, alice)
    first = Client().get(url)
    schedule.answer(night, gang, Attendance.Answer.YES, actor=alice)
    assert Client().get(url, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_feed_states_how_often_to_refresh_it(url):
    text = Client().get(url).content.decode()
    assert "REFRESH-INTERVAL;VALUE=DURATION:PT1H" in text
    assert "X-PUBLISHED-TTL:PT1H" in text


def test_query_count_does_not_grow_with_the_nights(campaign, alice, bob, url):
    gangs = [make_player(campaign, user) for user in (alice, bob)]

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert Client().get(url).status_code == 200
        return len(queries)

    def another() -> None:
        night = make_night(campaign)
        schedule.answer(night, gangs[0], Attendance.Answer.YES, actor=alice)
        game = make_game(campaign, alice, *gangs)
        Game.objects.filter(pk=game.pk).update(night=night)

    another()
    before = asked()
    for _more in range(3):
        another()
    assert asked() == before
