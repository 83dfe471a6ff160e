"""Repeating nights, their length, the defaults of a new night, and deletion."""

from __future__ import annotations

import uuid
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Notice
from campaigns.club.nights import repeating, schedule
from campaigns.models import Game, Night
from common.errors import Refusal, Stale
from tests.campaigns.club.nights.test_nights import form_data
from tests.world.campaigns import make_game, make_night

PARIS = ZoneInfo("Europe/Paris")
FRIDAY = datetime(2030, 1, 11, 19, 30, tzinfo=PARIS)


@pytest.mark.parametrize(
    "first, every, expected",
    [
        ("2030-01-11", "week", ["2030-01-11", "2030-01-18", "2030-01-25"]),
        ("2030-01-11", "fortnight", ["2030-01-11", "2030-01-25", "2030-02-08"]),
        ("2030-01-11", "month", ["2030-01-11", "2030-02-08", "2030-03-08"]),
        ("2030-11-30", "month", ["2030-11-30", "2030-12-28", "2031-01-25"]),
        ("2030-03-29", "month", ["2030-03-29", "2030-04-26", "2030-05-31"]),
    ],
)
def test_days_repeat_weekly_fortnightly_or_monthly(first, every, expected):
    """A fifth weekday falls on the last one in a month that has only four."""
    found = repeating.days(date.fromisoformat(first), every, 3)
    assert [str(day) for day in found] == expected


@pytest.mark.parametrize(
    "last, expected",
    [
        ("2030-01-11", "2030-01-18"),
        ("2030-01-09", "2030-01-16"),
        ("2029-12-21", "2030-01-11"),
        ("2030-02-01", "2030-02-08"),
    ],
)
def test_next_day_keeps_the_weekday(last, expected):
    found = repeating.after(date.fromisoformat(last), date(2030, 1, 11))
    assert str(found) == expected


class TestRepeating:
    def test_repeating_night_creates_each_night_and_notifies_once(
        self, campaign, hers, bob, alice, as_user
    ):
        browser, url = as_user(bob), reverse("campaigns:night-new", args=[campaign.pk])
        day = timezone.localdate() + timedelta(days=3)
        data = form_data(
            browser, url, day=str(day), time="20:00", until="00:30", every="week", times="4"
        )
        answer = browser.post(url, data)
        assert answer.url == reverse("campaigns:nights", args=[campaign.pk])
        nights = list(Night.objects.order_by("starts_at"))
        assert [schedule.day_of(night) for night in nights] == [
            day + timedelta(weeks=number) for number in range(4)
        ]
        # Local times stay the same in summer and winter.
        spans = {
            (timezone.localtime(one.starts_at).hour, timezone.localtime(one.ends_at).hour)
            for one in nights
        }
        assert spans == {(20, 0)}
        assert all(night.ends_at > night.starts_at for night in nights)
        (notice,) = Notice.objects.filter(user=alice)
        assert notice.kind == "nights_announced" and notice.url == answer.url
        told = as_user(alice).get(reverse("notices")).content.decode()
        assert "The long winter meets 4 times, first on" in told
        # Sending the same form again changes nothing.
        browser.post(url, data)
        assert Night.objects.count() == 4 and Notice.objects.filter(user=alice).count() == 1

    @pytest.mark.parametrize("times", ["", "1", "27", "many"])
    def test_repeating_night_needs_a_number_from_2_to_26(self, campaign, bob, as_user, times):
        browser, url = as_user(bob), reverse("campaigns:night-new", args=[campaign.pk])
        data = form_data(browser, url, day="2030-01-11", time="20:00", every="week", times=times)
        assert browser.post(url, data).status_code == 422
        assert not Night.objects.exists()

    @pytest.mark.parametrize("times", ["", "1", "27", "many"])
    def test_night_that_does_not_repeat_needs_no_number(self, campaign, bob, as_user, times):
        browser, url = as_user(bob), reverse("campaigns:night-new", args=[campaign.pk])
        data = form_data(browser, url, day="2030-01-11", time="20:00", every="", times=times)
        assert browser.post(url, data).status_code == 302
        assert Night.objects.count() == 1
        # Nor does the browser ask for one.
        field = str(browser.get(url).context["form"]["times"])
        assert "required" not in field and "min=" not in field and "max=" not in field

    def test_changed_night_cannot_be_repeated(self, campaign, bob, as_user):
        night = make_night(campaign, FRIDAY)
        form = as_user(bob).get(reverse("campaigns:night-change", args=[night.pk])).context["form"]
        assert list(form.fields) == ["day", "time", "until", "place", "note", "token"]


class TestLength:
    def test_night_lasts_three_hours_unless_an_end_is_given(self, campaign, bob, as_user):
        night = make_night(campaign, FRIDAY)
        assert night.ends_at == FRIDAY + timedelta(hours=3)
        browser, url = as_user(bob), reverse("campaigns:night-change", args=[night.pk])
        page = browser.get(night.get_absolute_url()).content.decode()
        assert "22:30" not in page
        browser.post(url, form_data(browser, url, until="23:45", seen="0"))
        night.refresh_from_db()
        assert night.ends_at == FRIDAY.replace(hour=23, minute=45)
        assert "23:45" in browser.get(night.get_absolute_url()).content.decode()
        # Clearing the end restores the usual length.
        browser.post(url, form_data(browser, url, until="", seen="1"))
        night.refresh_from_db()
        assert night.until is None

    def test_end_before_the_beginning_is_ignored(self, campaign):
        night = Night(starts_at=FRIDAY, until=FRIDAY - timedelta(hours=1))
        assert night.ends_at == FRIDAY + timedelta(hours=3)


def test_new_night_copies_the_last_a_week_later(campaign, bob, as_user):
    """The time, end and place are copied; the note to the players is not."""
    url = reverse("campaigns:night-new", args=[campaign.pk])
    assert form_data(as_user(bob), url)["time"] == ""
    schedule.arrange(
        campaign,
        starts_at=FRIDAY,
        until=FRIDAY.replace(hour=23),
        place="At Bob’s",
        note="Bring crisps",
        token=uuid.uuid4(),
    )
    data = form_data(as_user(bob), url)
    known = {key: data[key] for key in ("day", "time", "until", "place", "note")}
    assert known == {
        "day": "2030-01-18",
        "time": "19:30:00",
        "until": "23:30:00",
        "place": "At Bob’s",
        "note": "",
    }


class TestDeleting:
    def test_deleted_night_is_off_the_list(self, campaign, hers, bob, alice, as_user):
        night = make_night(campaign)
        (announced,) = Notice.objects.filter(user=alice)
        browser, url = as_user(bob), reverse("campaigns:night-delete", args=[night.pk])
        assert url in browser.get(night.get_absolute_url()).content.decode()
        assert url not in as_user(alice).get(night.get_absolute_url()).content.decode()
        assert browser.post(url, {"seen": "7"}).status_code == 409
        listed = reverse("campaigns:nights", args=[campaign.pk])
        assert browser.post(url, {"seen": "0"}).url == listed
        assert not Night.objects.exists()
        # Players who had been invited are notified, and no notice links to the deleted night.
        assert set(Notice.objects.filter(user=alice).values_list("kind", "url")) == {
            ("night_announced", listed),
            ("night_cancelled", listed),
        }
        assert as_user(alice).post(reverse("notice", args=[announced.pk])).url == listed

    def test_deleting_a_night_twice_says_that_it_was_deleted(
        self, campaign, hers, bob, alice, as_user
    ):
        night = make_night(campaign)
        browser, url = as_user(bob), reverse("campaigns:night-delete", args=[night.pk])
        told = {"seen": "0", "of": str(campaign.pk)}
        page = browser.get(night.get_absolute_url()).content.decode()
        assert f'name="of" value="{campaign.pk}"' in page
        listed = reverse("campaigns:nights", args=[campaign.pk])
        assert [browser.post(url, told).url for _ in range(2)] == [listed, listed]
        assert "This game night was already deleted." in browser.get(listed).content.decode()
        assert Notice.objects.filter(user=alice, kind="night_cancelled").count() == 1
        # Other users cannot find out whether the night existed.
        assert as_user(alice).post(url, told).status_code == 404
        assert browser.post(url, {"seen": "0"}).status_code == 404
        assert browser.post(url, told | {"of": str(uuid.uuid4())}).status_code == 404

    def test_night_with_games_cannot_be_deleted(self, campaign, hers, theirs, alice, bob, as_user):
        night = make_night(campaign)
        game = make_game(campaign, alice, hers, theirs)
        Game.objects.filter(pk=game.pk).update(night=night)
        with pytest.raises(Refusal, match="night_has_games"):
            schedule.delete(night, expected_version=0, actor=bob)
        browser, url = as_user(bob), reverse("campaigns:night-delete", args=[night.pk])
        assert url not in browser.get(night.get_absolute_url()).content.decode()
        answer = browser.post(url, {"seen": "0"})
        assert answer.status_code == 422
        assert "Games are planned for this night" in answer.content.decode()

    def test_delete_refuses_a_stale_version(self, campaign):
        night = make_night(campaign)
        schedule.cancel(night, expected_version=0)
        with pytest.raises(Stale):
            schedule.delete(night, expected_version=0)
