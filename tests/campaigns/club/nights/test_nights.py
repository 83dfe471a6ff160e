"""Game nights: arranging, changing, cancelling, attendance, and their list."""

from __future__ import annotations

import re
import uuid
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Notice, User
from campaigns.club.nights import schedule
from campaigns.club.people import joining
from campaigns.models import Attendance, Game, Night
from common.errors import Refusal, Stale
from gangs.models import Gang
from tests.world.campaigns import make_game, make_night, make_player

PARIS = ZoneInfo("Europe/Paris")
WINTER = datetime(2026, 12, 4, 19, 30, tzinfo=PARIS)


@pytest.fixture
def night(campaign):
    return make_night(campaign, WINTER, "At Bob’s")


def form_data(browser, url, **values):
    """Return the form's data as a browser sends it, with ``values`` typed in."""
    form = browser.get(url).context["form"]
    data = {field.html_name: field.value() or "" for field in form}
    return {key: str(value) for key, value in data.items()} | values


class TestArranging:
    def test_night_is_arranged_once_from_the_list(self, campaign, bob, as_user):
        browser = as_user(bob)
        listed = reverse("campaigns:nights", args=[campaign.pk])
        url = reverse("campaigns:night-new", args=[campaign.pk])
        assert url in browser.get(listed).content.decode()
        tomorrow = timezone.localdate() + timedelta(days=1)
        data = form_data(
            browser, url, day=str(tomorrow), time="19:30", place="At Bob’s", note="Dice!"
        )
        answer = browser.post(url, data)
        night = Night.objects.get()
        assert answer.url == night.get_absolute_url()
        assert timezone.localtime(night.starts_at).strftime("%H:%M") == "19:30"
        page = browser.get(answer.url).content.decode()
        assert "At Bob’s" in page and "Dice!" in page and "19:30" in page
        assert "At Bob’s" in browser.get(listed).content.decode()
        # Sending the same form again creates no second night.
        assert browser.post(url, data).url == answer.url
        assert Night.objects.count() == 1

    @pytest.mark.parametrize(
        "day, time, utc", [("2026-12-04", "19:30", "18:30"), ("2026-07-03", "19:30", "17:30")]
    )
    def test_times_are_in_the_sites_time_zone(self, campaign, bob, as_user, day, time, utc):
        browser = as_user(bob)
        url = reverse("campaigns:night-new", args=[campaign.pk])
        page = browser.post(url, form_data(browser, url, day=day, time=time))
        assert Night.objects.get().starts_at.strftime("%H:%M") == utc
        weekday = datetime.fromisoformat(day).strftime("%A")
        assert f"{weekday} " in browser.get(page.url).content.decode()

    @pytest.mark.parametrize(
        "values, words",
        [
            ({"day": ""}, "This field is required"),
            ({"day": "1026-12-04"}, "Is the year right?"),
            ({"time": "25:00"}, "Enter a valid time"),
            ({"day": "2027-03-28", "time": "02:30"}, "The clocks change"),
            ({"note": "x" * 1001}, "at most 1000"),
        ],
    )
    def test_invalid_night_is_refused_with_an_explanation(
        self, campaign, bob, as_user, values, words
    ):
        browser = as_user(bob)
        url = reverse("campaigns:night-new", args=[campaign.pk])
        data = form_data(browser, url, day="2026-12-04", time="19:30", place="Kept place")
        answer = browser.post(url, data | values)
        assert answer.status_code == 422
        assert words in answer.content.decode() and "Kept place" in answer.content.decode()
        assert not Night.objects.exists()

    def test_archived_campaign_refuses_a_night(self, campaign, bob, as_user):
        joining.archive(campaign)
        browser = as_user(bob)
        url = reverse("campaigns:night-new", args=[campaign.pk])
        answer = browser.post(url, form_data(browser, url, day="2026-12-04", time="19:30"))
        assert answer.status_code == 422
        assert "archived" in answer.content.decode()
        assert not Night.objects.exists()


class TestChanging:
    def test_planned_games_move_with_their_night(
        self, campaign, night, hers, theirs, alice, bob, as_user
    ):
        moving = make_game(campaign, alice, hers, theirs, day=schedule.day_of(night))
        elsewhere = make_game(campaign, alice, hers, theirs, day=schedule.day_of(night))
        another_day = make_game(campaign, alice, hers, theirs)
        Game.objects.filter(pk__in=[moving.pk, another_day.pk]).update(night=night)
        browser = as_user(bob)
        url = reverse("campaigns:night-change", args=[night.pk])
        data = form_data(browser, url, day="2026-12-05", seen="0")
        assert data["time"] == "19:30:00" and data["place"] == "At Bob’s"
        assert browser.post(url, data).url == night.get_absolute_url()
        days = dict(Game.objects.values_list("pk", "played_on"))
        assert str(days[moving.pk]) == "2026-12-05"
        assert days[elsewhere.pk] == schedule.day_of(night)
        assert days[another_day.pk] == another_day.played_on

    def test_change_from_a_stale_page_is_refused(self, night, bob, as_user):
        browser = as_user(bob)
        url = reverse("campaigns:night-change", args=[night.pk])
        data = form_data(browser, url, place="Here", seen="0")
        schedule.change(night, starts_at=WINTER, place="There", note="", expected_version=0)
        answer = browser.post(url, data)
        assert answer.status_code == 409
        page = answer.content.decode()
        assert "in the meantime" in page and 'value="Here"' in page
        assert Night.objects.get().place == "There"
        assert browser.post(url, data | {"seen": "1"}).status_code == 302
        assert Night.objects.get().place == "Here"

    def test_night_can_be_cancelled_and_revived(self, campaign, night, hers, alice, bob, as_user):
        browser = as_user(bob)
        url = reverse("campaigns:night-cancel", args=[night.pk])
        assert browser.post(url, {"seen": "0"}).status_code == 302
        page = as_user(alice).get(night.get_absolute_url()).content.decode()
        assert "called off" in page and "Are you coming?" not in page
        with pytest.raises(Refusal, match="night_cancelled"):
            schedule.answer(night, hers, "yes", actor=alice)
        assert browser.post(url, {"seen": "0", "back": "1"}).status_code == 409
        assert browser.post(url, {"seen": "1", "back": "1"}).status_code == 302
        night.refresh_from_db()
        assert night.cancelled_at is None and night.version == 2
        assert "Are you coming?" in as_user(alice).get(night.get_absolute_url()).content.decode()

    def test_revive_refuses_a_stale_version(self, night):
        schedule.cancel(night, expected_version=0)
        with pytest.raises(Stale):
            schedule.revive(night, expected_version=0)


class TestAttendance:
    def test_player_answers_for_their_own_gang(self, night, hers, theirs, alice, as_user):
        browser = as_user(alice)
        url = reverse("campaigns:night-answer", args=[night.pk])
        page = browser.get(night.get_absolute_url()).content.decode()
        assert "No answer yet 2" in page and "Answer for" not in page
        for said in ("no", "yes", "yes"):
            assert browser.post(url, {"gang": hers.pk, "answer": said}).status_code == 302
        attendance = Attendance.objects.get()
        assert (attendance.gang, attendance.answer, attendance.by) == (hers, "yes", alice)
        page = browser.get(night.get_absolute_url()).content.decode()
        assert 'value="yes" aria-pressed="true"' in page
        assert "Going\u00a01 · Maybe\u00a00 · Can’t\u00a00 · No answer yet 1" in page

    @pytest.mark.parametrize("values", [{}, {"answer": "perhaps"}, {"gang": str(uuid.uuid4())}])
    def test_invalid_answer_is_refused_with_an_explanation(
        self, night, hers, alice, as_user, values
    ):
        url = reverse("campaigns:night-answer", args=[night.pk])
        data = {"gang": hers.pk, "answer": "yes"} | values if values else {}
        answer = as_user(alice).post(url, data)
        assert answer.status_code == 422
        assert "Which gang" in answer.content.decode()
        assert not Attendance.objects.exists()

    def test_only_an_organiser_answers_for_others(self, night, hers, theirs, alice, bob, as_user):
        url = reverse("campaigns:night-answer", args=[night.pk])
        answer = as_user(alice).post(url, {"gang": theirs.pk, "answer": "no"})
        assert answer.status_code == 422
        assert "Only its player" in answer.content.decode()
        assert "Answer for everyone" in as_user(bob).get(night.get_absolute_url()).content.decode()
        assert as_user(bob).post(url, {"gang": theirs.pk, "answer": "no"}).status_code == 302
        assert Attendance.objects.get().by == bob

    def test_attendance_is_kept_for_a_gang_that_has_left(
        self, campaign, hers, theirs, alice, dora, as_user
    ):
        """Past nights still list the gang; nobody can answer for it any more."""
        yesterday, tomorrow = (
            make_night(campaign, timezone.now() + timedelta(days=days)) for days in (-1, 1)
        )
        for night in (yesterday, tomorrow):
            for gang in (hers, theirs):
                schedule.answer(night, gang, "yes", actor=campaign.organisers[0])
        make_game(campaign, dora, hers, theirs)
        campaign.memberships.filter(gang=theirs).update(left_at=timezone.now())
        found = schedule.guests(yesterday, [hers])
        assert [(guest.gang, guest.answer, guest.left) for guest in found] == [
            (hers, "yes", False),
            (theirs, "yes", True),
        ]
        assert [guest.gang for guest in schedule.guests(tomorrow, [hers])] == [hers]
        assert [night.coming for night in schedule.around(campaign, 1)[1]] == [2]
        assert [night.coming for night in schedule.next_nights(campaign)] == [1]
        with pytest.raises(Refusal, match="gang_not_here"):
            schedule.answer(tomorrow, theirs, "yes", actor=dora)
        for night in (yesterday, tomorrow):
            page = as_user(dora).get(night.get_absolute_url()).content.decode()
            assert "Are you coming?" not in page
        url = reverse("campaigns:night-answers", args=[yesterday.pk])
        form = as_user(campaign.organisers[0]).get(url).context["form"]
        assert list(form.fields) == [str(hers.pk)]

    def test_buttons_use_the_first_person_for_my_gang(self, night, hers, alice, as_user):
        page = as_user(alice).get(night.get_absolute_url()).content.decode()
        for words in ("I’m in", "Maybe", "Can’t make it"):
            assert re.search(rf">\s*{words}\s*</button>", page)


class TestAnsweringElsewhere:
    """The same three answers on the campaign's page and below the notice of a night."""

    @pytest.fixture
    def night(self, campaign):
        return make_night(campaign)

    def test_campaign_page_asks_for_an_answer(self, campaign, hers, night, theirs, alice, as_user):
        browser, url = as_user(alice), reverse("campaigns:night-answer", args=[night.pk])
        page = browser.get(campaign.get_absolute_url()).content.decode()
        assert page.count(f'action="{url}"') == 1 and "Going 0" in page
        assert f'name="gang" value="{hers.pk}"' in page
        assert not re.search(r'value="(yes|maybe|no)"\s+aria-pressed="true"', page)
        sent = {"gang": hers.pk, "answer": "yes", "place": "campaign"}
        assert browser.post(url, sent).url == campaign.get_absolute_url()
        page = browser.get(campaign.get_absolute_url()).content.decode()
        assert "Going 1" in page and re.search(r'value="yes"\s+aria-pressed="true"', page)

    def test_campaign_page_does_not_ask_without_a_gang_or_a_night(
        self, campaign, hers, night, alice, bob, as_user
    ):
        url = reverse("campaigns:night-answer", args=[night.pk])
        # Bob runs the campaign and has no gang in it.
        assert url not in as_user(bob).get(campaign.get_absolute_url()).content.decode()
        schedule.cancel(night, expected_version=0)
        assert url not in as_user(alice).get(campaign.get_absolute_url()).content.decode()
        schedule.revive(night, expected_version=1)
        assert url in as_user(alice).get(campaign.get_absolute_url()).content.decode()
        joining.archive(campaign)
        assert url not in as_user(alice).get(campaign.get_absolute_url()).content.decode()

    def test_newest_notice_of_a_night_asks_for_an_answer(
        self, campaign, hers, night, alice, as_user
    ):
        later = night.starts_at + timedelta(days=1)
        schedule.change(night, starts_at=later, place="", note="", expected_version=0)
        browser, url = as_user(alice), reverse("campaigns:night-answer", args=[night.pk])
        page = browser.get(reverse("notices")).content.decode()
        places = [page.index("has changed"), page.index(f'action="{url}"'), page.index("meets on")]
        assert places == sorted(places) and page.count(f'action="{url}"') == 1
        sent = {"gang": hers.pk, "answer": "maybe", "place": "notices"}
        assert browser.post(url, sent).url == reverse("notices")
        # Answering marks the notices of that night as read.
        assert not Notice.objects.filter(user=alice, read_at=None).exists()
        assert Attendance.objects.get().answer == "maybe"

    def test_notice_of_a_past_night_does_not_ask_for_an_answer(
        self, campaign, hers, alice, as_user
    ):
        night = make_night(campaign, timezone.now() - timedelta(days=1))
        page = as_user(alice).get(reverse("notices")).content.decode()
        assert "meets on" in page
        assert reverse("campaigns:night-answer", args=[night.pk]) not in page

    def test_htmx_answer_returns_only_the_fragment(self, hers, night, alice, as_user):
        url = reverse("campaigns:night-answer", args=[night.pk])
        sent = {"gang": hers.pk, "answer": "no", "place": "tonight"}
        answer = as_user(alice).post(url, sent, headers={"HX-Request": "true"})
        text = answer.content.decode()
        assert answer.status_code == 200 and "<html" not in text
        assert f'<div class="coming" id="coming-{night.pk}">' in text
        assert f'hx-swap-oob="innerHTML:#coming-counts-{night.pk}"' in text
        assert "Going 0" in text and text.count('aria-pressed="true"') == 1

    def test_htmx_answer_redirects_to_a_cancelled_night(self, hers, night, alice, as_user):
        schedule.cancel(night, expected_version=0)
        browser, url = as_user(alice), reverse("campaigns:night-answer", args=[night.pk])
        sent = {"gang": hers.pk, "answer": "no", "place": "tonight"}
        answer = browser.post(url, sent, headers={"HX-Request": "true"})
        assert answer["HX-Redirect"] == night.get_absolute_url() and answer.content == b""
        assert "called off" in browser.get(night.get_absolute_url()).content.decode()
        assert not Attendance.objects.exists()

    def test_htmx_answer_redirects_when_the_night_is_over(self, campaign, hers, alice, as_user):
        night = make_night(campaign, timezone.now() - timedelta(days=1))
        browser, url = as_user(alice), reverse("campaigns:night-answer", args=[night.pk])
        sent = {"gang": hers.pk, "answer": "yes", "place": "tonight"}
        answer = browser.post(url, sent, headers={"HX-Request": "true"})
        assert answer["HX-Redirect"] == night.get_absolute_url() and answer.content == b""
        page = browser.get(night.get_absolute_url())
        assert "This night is over" in page.content.decode()
        assert not Attendance.objects.exists()

    def test_past_night_takes_answers_of_organisers_only(self, campaign, hers, alice, as_user):
        night = make_night(campaign, timezone.now() - timedelta(days=1))
        assert (
            "Are you coming?" not in as_user(alice).get(night.get_absolute_url()).content.decode()
        )
        url = reverse("campaigns:night-answer", args=[night.pk])
        sent = {"gang": hers.pk, "answer": "yes"}
        assert as_user(alice).post(url, sent).status_code == 422
        assert as_user(campaign.organisers[0]).post(url, sent).status_code == 302
        assert Attendance.objects.get().answer == "yes"

    def test_night_is_open_until_its_own_end(self, campaign, hers, alice):
        begun = timezone.now() - timedelta(hours=9)
        night = make_night(campaign, begun)
        assert schedule.is_over(night)
        night.until = timezone.now() + timedelta(hours=1)
        assert not schedule.is_over(night)


class TestAnsweringForAll:
    def test_organiser_answers_for_all_gangs_on_one_page(
        self, night, hers, theirs, alice, bob, as_user
    ):
        schedule.answer(night, theirs, "no", actor=bob)
        browser, url = as_user(bob), reverse("campaigns:night-answers", args=[night.pk])
        rows = [(row[0].gang, *row[2:]) for row in browser.get(url).context["form"].rows]
        assert rows == [(hers, "", ""), (theirs, "no", "no")]
        sent = {str(hers.pk): "yes", str(theirs.pk): ""}
        assert browser.post(url, sent).url == night.get_absolute_url()
        rows = Attendance.objects.values_list("gang", "answer", "by")
        assert list(rows) == [(hers.pk, "yes", bob.pk)]
        # Gangs missing from the form keep their answers.
        assert browser.post(url, {str(theirs.pk): "maybe"}).status_code == 302
        assert dict(Attendance.objects.values_list("gang", "answer")) == {
            hers.pk: "yes",
            theirs.pk: "maybe",
        }

    def test_unchanged_answer_keeps_its_author(self, night, hers, alice, bob):
        schedule.answer(night, hers, "yes", actor=alice)
        assert schedule.answer_all(night, {hers: "yes"}, actor=bob) == 0
        assert Attendance.objects.get().by == alice

    def test_answer_given_meanwhile_is_kept(self, night, hers, theirs, alice, bob, as_user):
        browser, url = as_user(bob), reverse("campaigns:night-answers", args=[night.pk])
        page = browser.get(url).content.decode()
        sent = dict.fromkeys([str(hers.pk), str(theirs.pk)], "")
        for key in list(sent):
            assert f'<input type="hidden" name="was-{key}" value="">' in page
            sent[f"was-{key}"] = ""
        schedule.answer(night, hers, "yes", actor=alice)
        assert browser.post(url, sent | {str(theirs.pk): "no"}).status_code == 302
        assert dict(Attendance.objects.values_list("gang", "answer")) == {
            hers.pk: "yes",
            theirs.pk: "no",
        }

    def test_players_cannot_answer_for_all(self, night, hers, theirs, alice, as_user):
        url = reverse("campaigns:night-answers", args=[night.pk])
        assert as_user(alice).post(url, {str(theirs.pk): "yes"}).status_code == 404
        with pytest.raises(Refusal, match="not_organiser"):
            schedule.answer_all(night, {theirs: "yes"}, actor=alice)

    def test_invalid_answers_and_cancelled_nights_are_refused(self, night, hers, bob, as_user):
        browser, url = as_user(bob), reverse("campaigns:night-answers", args=[night.pk])
        assert browser.post(url, {str(hers.pk): "perhaps"}).status_code == 422
        schedule.cancel(night, expected_version=0)
        answer = browser.post(url, {str(hers.pk): "yes"})
        assert answer.status_code == 422 and "called off" in answer.content.decode()
        assert not Attendance.objects.exists()

    def test_gangs_with_the_same_name_show_their_players(self, night, hers, theirs, bob, as_user):
        Gang.objects.update(name="The Rats")
        url = reverse("campaigns:night-answers", args=[night.pk])
        fields = as_user(bob).get(url).context["form"].fields.values()
        assert [field.label for field in fields] == ["The Rats (alice)", "The Rats (dora)"]


class TestLists:
    def test_nights_are_split_into_next_and_past_with_counts(self, campaign, hers, alice):
        now = timezone.now()
        later, soon, going_on, over, long_ago, off = (
            make_night(campaign, now + timedelta(hours=hours))
            for hours in (200, 20, -3, -30, -300, -40)
        )
        schedule.cancel(off, expected_version=0)
        schedule.answer(soon, hers, "yes", actor=alice)
        schedule.answer(later, hers, "maybe", actor=alice)
        to_come = schedule.next_nights(campaign)
        assert to_come == [going_on, soon, later]
        assert [(one.coming, one.unsure) for one in to_come] == [(0, 0), (1, 0), (0, 1)]
        assert schedule.around(campaign, 5)[1] == [over, long_ago]
        assert schedule.around(campaign, 1)[1] == [over]

    def test_each_list_takes_a_single_query(self, campaign, hers, django_assert_num_queries):
        for days in range(4):
            make_night(campaign, timezone.now() + timedelta(days=days - 2))
        with django_assert_num_queries(2):
            schedule.next_nights(campaign)
            schedule.around(campaign, 3)[1]


@pytest.mark.long
def test_query_count_does_not_grow_with_gangs_games_and_nights(
    campaign, night, alice, bob, as_user
):
    browser = as_user(bob)

    def fill(number):
        users = [User.objects.create_user(f"user{number}-{one}", password="x") for one in range(4)]
        gangs = [make_player(campaign, user) for user in users]
        for gang, user in zip(gangs, users, strict=True):
            schedule.answer(night, gang, "yes", actor=user)
        for one, other in zip(gangs[::2], gangs[1::2], strict=True):
            game = make_game(campaign, bob, one, other)
            Game.objects.filter(pk=game.pk).update(night=night)
        make_night(campaign)
        make_night(campaign, timezone.now() - timedelta(days=9))

    def queries():
        urls = [
            night.get_absolute_url(),
            reverse("campaigns:nights", args=[campaign.pk]),
            reverse("campaigns:night-pairings", args=[night.pk]),
            reverse("campaigns:game-new", args=[campaign.pk]) + f"?night={night.pk}",
            reverse("campaigns:night-feed", args=[campaign.watch_key]),
        ]
        counts = []
        for url in urls:
            with CaptureQueriesContext(
                connection,
            ) as captured:
                assert browser.get(url).status_code == 200
            counts.append(len(captured))
        return counts

    fill(1)
    queries()  # once to warm up
    before = queries()
    fill(2)
    assert queries() == before
    assert max(before) <= 14
