"""Fixtures that are not played: settled with one press, reminded of, and shown in calendars."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from icalendar import Calendar

from accounts.models import Notice
from accounts.notices import describe
from campaigns.club.people import joining
from campaigns.fixtures import fixture_line, with_games
from campaigns.league import ladders, reminding, rounds, stages
from campaigns.league.draws import propose_rounds
from campaigns.league.loading import load_stage
from campaigns.league.rounds import FixturePlan, RoundPlan
from campaigns.league.settling import settle_absence
from campaigns.models import Campaign, Fixture, Game, Round, Stage
from common.errors import Refusal
from gangs.models import Gang
from tests.campaigns.league.test_stages import start, url
from tests.random_cases import one_soon
from tests.world.campaigns import make_game, make_stage


@pytest.fixture
def stage(campaign, gangs) -> Stage:
    return make_stage(campaign, *gangs[:4])


def line_of(fixture: Fixture):
    return fixture_line(with_games(Fixture.objects.all()).get(pk=fixture.pk))


class TestNotPlayed:
    @pytest.mark.parametrize("is_planned", one_soon([False, True]))
    def test_no_show_is_settled_with_one_press(
        self, campaign, stage, gangs, bob, as_user, is_planned
    ):
        fixture = Fixture.objects.first()
        if is_planned:
            make_game(campaign, gangs[0].owner, gangs[0], gangs[1])
        browser = as_user(bob)
        page = browser.get(fixture.get_absolute_url()).content.decode()
        assert "Only Gang 1 came" in page
        data = {"act": "settle", "seen": stage.version, "gang": str(gangs[1].pk)}
        assert browser.post(url("fixture-change", fixture.pk), data).status_code == 302
        game = Game.objects.get()
        assert (game.status, game.how) == ("confirmed", "no-show")
        table = load_stage(Stage.objects.get()).table
        assert (table[0].gang, table[0].points) == (str(gangs[1].pk), 3)
        assert "Gang 1 won" in line_of(fixture).state
        # A second press settles nothing more.
        assert browser.post(url("fixture-change", fixture.pk), data).status_code == 422
        assert Game.objects.count() == 1

    @pytest.mark.parametrize("is_planned", [False, True])
    def test_fixture_says_so_when_the_campaign_is_over(self, campaign, stage, gangs, is_planned):
        fixture = Fixture.objects.first()
        if is_planned:
            make_game(campaign, gangs[0].owner, gangs[0], gangs[1])
        assert line_of(fixture).is_open
        Campaign.objects.filter(pk=campaign.pk).update(archived_at=timezone.now())
        line = line_of(fixture)
        assert (line.state, line.is_open, line.is_late) == ("Not played", False, False)

    def test_fixture_says_so_when_the_stage_is_closed(self, stage):
        fixture = Fixture.objects.first()
        stages.close(stage, expected_version=stage.version)
        assert (line_of(fixture).state, line_of(fixture).is_open) == ("Not played", False)

    def test_page_names_players_and_places(self, stage, gangs, bob, as_user):
        Gang.objects.filter(pk__in=[gangs[1].pk, gangs[2].pk]).update(name="The Wolves")
        fixture, other = Fixture.objects.order_by("number")
        # The namesake plays in the other fixture.
        assert line_of(fixture).title == "Gang 0 – The Wolves (player1)"
        assert line_of(other).title == "The Wolves (player2) – Gang 3"
        page = as_user(gangs[0].owner).get(fixture.get_absolute_url()).content.decode()
        assert url("player", stage.campaign_id, gangs[1].owner.pk) in page
        # Everybody is first until the first result.
        assert "Place 1" not in page and gangs[0].get_absolute_url() in page
        settle_absence(other, gangs[2], actor=bob)
        page = as_user(gangs[0].owner).get(fixture.get_absolute_url()).content.decode()
        assert "Place 2 with 0 points" in page
        notice = Notice.objects.get(kind="round_opened", user=gangs[0].owner)
        assert "Gang 1 (player1)" in describe(notice)

    def test_players_hear_of_a_fixture_that_is_called_off_or_changed(self, stage, gangs):
        fixture, other = Fixture.objects.order_by("number")
        fixture.round.stage = stage
        rounds.call_off(fixture, expected_version=stage.version)
        told = Notice.objects.filter(kind="fixture_off")
        assert {notice.user for notice in told} == {gangs[0].owner, gangs[1].owner}
        other.round.stage = stage
        rounds.change_gangs(other, gangs[3], gangs[0], expected_version=stage.version)
        told = Notice.objects.filter(kind="fixture_changed")
        [first, second] = sorted(describe(notice) for notice in told)
        assert "Gang 0 (player0)" in first and "Gang 3 (player3)" in second

    def test_opponent_of_a_gang_that_drops_out_hears_of_it(self, stage, gangs, bob, as_user):
        stages.drop_out(stage, gangs[0])
        told = Notice.objects.filter(kind="fixture_off")
        assert gangs[1].owner in {notice.user for notice in told}
        page = as_user(bob).get(stage.get_absolute_url()).content.decode()
        assert "Without a game in this round: Gang 1." in page and "Give it the bye" in page
        draw = propose_rounds(load_stage(Stage.objects.get()), number=1).rounds[0]
        assert [(line.home, line.away) for line in draw.lines] == [(str(gangs[1].pk), "")]
        assert draw.lines[0].why == "nobody else is free"

    def test_late_joiner_of_a_swiss_meets_the_gang_with_the_bye(
        self, campaign, gangs, bob, as_user
    ):
        stage = start(campaign, "swiss", gangs[:3])
        plans = [FixturePlan(gangs[0], gangs[1]), FixturePlan(gangs[2])]
        plan = RoundPlan(1, timezone.localdate(), None, plans)
        rounds.make_rounds(stage, [plan], expected_version=0)
        browser = as_user(bob)
        page = browser.get(stage.get_absolute_url()).content.decode()
        assert "In the campaign, but not in this stage: Gang 3, Gang 4." in page
        stages.enter(stage, gangs[3])
        assert "Pair them" in browser.get(stage.get_absolute_url()).content.decode()
        page = browser.get(url("stage-draw", stage.pk) + "?round=1")
        seen = Stage.objects.get().version
        data = {"seen": seen, "rows": 1, "home0": str(gangs[2].pk), "away0": str(gangs[3].pk)}
        assert [row.home.value() for row in page.context["form"].rows] == [str(gangs[2].pk)]
        answer = browser.post(url("stage-draw", stage.pk) + "?round=1", data)
        assert answer.status_code == 302
        page = browser.get(stage.get_absolute_url()).content.decode()
        assert "1 fixture made." in page and "Without a game in this round" not in page
        assert not Fixture.objects.filter(away_name="").exists()
        assert Fixture.objects.filter(home=gangs[2], away=gangs[3]).exists()

    def test_stage_shows_players_their_own_fixtures_first(self, stage, gangs, bob, as_user):
        page = as_user(gangs[0].owner).get(stage.get_absolute_url())
        assert [line.title for line in page.context["mine"]] == ["Gang 0 – Gang 1"]
        assert as_user(bob).get(stage.get_absolute_url()).context["mine"] == []

    @pytest.mark.long
    def test_fixture_without_anybody_counts_for_nobody(self, stage, gangs, bob, as_user):
        fixture = Fixture.objects.first()
        data = {"act": "settle", "seen": stage.version, "gang": ""}
        assert as_user(bob).post(url("fixture-change", fixture.pk), data).status_code == 302
        assert {line.points for line in load_stage(stage).table} == {0}
        assert not line_of(fixture).is_open

    def test_player_cannot_settle(self, stage, gangs, as_user):
        fixture = Fixture.objects.first()
        data = {"act": "settle", "seen": stage.version, "gang": str(gangs[0].pk)}
        answer = as_user(gangs[0].owner).post(url("fixture-change", fixture.pk), data)
        assert answer.status_code == 404 and not Game.objects.exists()


class TestDropOut:
    @pytest.mark.long
    def test_planned_game_of_a_gang_that_stops_still_counts(
        self, campaign, stage, gangs, bob, as_user
    ):
        make_game(campaign, gangs[0].owner, gangs[0], gangs[1])
        joining.retire(campaign, gangs[0], actor=bob)
        joining.retire(campaign, gangs[2], actor=bob)
        first, second = Fixture.objects.all()
        assert first.called_off_at is None and second.called_off_at is not None
        data = {"act": "settle", "seen": 0, "gang": str(gangs[1].pk)}
        assert as_user(bob).post(url("fixture-change", first.pk), data).status_code == 302
        assert load_stage(stage).table[0].gang == str(gangs[1].pk)

    def test_retired_gang_cannot_join_a_stage(self, campaign, stage, gangs, bob):
        joining.retire(campaign, gangs[4], actor=bob)
        with pytest.raises(Refusal, match="gang_not_here"):
            stages.enter(stage, gangs[4])


class TestReminders:
    def test_players_are_reminded_once_of_a_fixture_that_is_soon_due(self, stage, gangs, campaign):
        due = timezone.localdate() + timedelta(days=2)
        stage.rounds.update(due=due)
        make_game(campaign, gangs[2].owner, gangs[2], gangs[3])
        assert reminding.send_due() == 1
        assert reminding.send_due() == 0
        reminded = Notice.objects.filter(kind="fixture_due")
        assert sorted(str(notice.user) for notice in reminded) == ["player0", "player1"]

    def test_round_is_announced_on_the_day_on_which_it_opens(self, campaign, gangs):
        stage = start(campaign, "swiss", gangs[:2])
        tomorrow = timezone.localdate() + timedelta(days=1)
        plan = RoundPlan(1, tomorrow, None, [FixturePlan(gangs[0], gangs[1])])
        rounds.make_rounds(stage, [plan], expected_version=0)
        assert reminding.send_due() == 0 == Notice.objects.filter(kind="round_opened").count()
        stage.rounds.update(opens=timezone.localdate())
        assert reminding.send_due() == 1
        assert Notice.objects.filter(kind="round_opened").count() == 2

    def test_calendar_shows_the_last_day_of_a_round(self, campaign, stage, client):
        due = timezone.localdate() + timedelta(days=5)
        stage.rounds.update(due=due)
        feed = client.get(reverse("campaigns:night-feed", args=[campaign.watch_key]))
        text = feed.content.decode().replace("\r\n ", "")
        assert r"last day\, Round 1 (Autumn)" in text
        assert f"DTSTART;VALUE=DATE:{due:%Y%m%d}" in text and "Gang 0 – Gang 1" in text

    def test_extended_fixture_moves_in_the_calendar(self, campaign, stage, client):
        today = timezone.localdate()
        stage.rounds.update(due=today + timedelta(days=5))
        moved = Fixture.objects.order_by("number")[0]
        address = reverse("campaigns:night-feed", args=[campaign.watch_key])

        def days() -> dict[str, tuple[object, int]]:
            found = Calendar.from_ical(client.get(address).content).walk("VEVENT")
            return {str(one["SUMMARY"]): (one.decoded("DTSTART"), one["SEQUENCE"]) for one in found}

        (before,) = days().values()
        for extended in (9, 12):
            day = today + timedelta(days=extended)
            version = Stage.objects.get(pk=stage.pk).version
            rounds.extend(moved, day, expected_version=version)
            name = f"{campaign.name}: last day for Gang 0 – Gang 1 (Autumn)"
            assert days()[name] == (day, version + 1)
            assert len(days()) == 2 and before[0] in {found[0] for found in days().values()}
        rounds.call_off(moved, expected_version=version + 1)
        assert client.get(address).content.count(b"STATUS:CANCELLED") == 1


class TestGangsWithoutMembers:
    @pytest.fixture
    def empty(self, gangs) -> Gang:
        gang = Gang.objects.get(pk=gangs[1].pk)
        snapshot = gang.roster.model_copy(update={"members": ()}).model_dump_json()
        Gang.objects.filter(pk=gang.pk).update(snapshot=snapshot)
        return Gang.objects.get(pk=gang.pk)

    def test_swiss_leaves_them_out_and_says_why(self, campaign, gangs, empty):
        stage = start(campaign, "swiss", gangs[:3])
        drawn = propose_rounds(load_stage(stage))
        (pair,) = drawn.rounds[0].lines
        assert {pair.home, pair.away} == {str(gangs[0].pk), str(gangs[2].pk)}
        assert "they have no members: Gang 1" in drawn.note
        plan = RoundPlan(1, timezone.localdate(), None, [FixturePlan(gangs[0], empty)])
        with pytest.raises(Refusal, match="no_members"):
            rounds.make_rounds(stage, [plan], expected_version=0)

    def test_nobody_challenges_them(self, campaign, gangs, empty):
        stage = start(campaign, "ladder", gangs[:3])
        with pytest.raises(Refusal, match="no_members"):
            ladders.challenge(stage, str(gangs[2].pk), str(empty.pk), actor=gangs[2].owner)


def test_round_that_was_announced_meanwhile_is_announced_once(stage, gangs):
    Notice.objects.all().delete()
    Round.objects.update(announced_at=None)
    read = Round.objects.select_related("stage__campaign").get()
    assert reminding.send_due() == 1
    rounds.change_days(read, timezone.localdate(), None, expected_version=stage.version)
    assert Notice.objects.filter(kind="round_opened", user=gangs[0].owner).count() == 1


class TestLadder:
    def test_player_challenges_and_takes_the_place(self, campaign, gangs, as_user, bob):
        stage = start(campaign, "ladder", gangs[:4], reach=2, days=10)
        own = as_user(gangs[3].owner)
        page = own.get(stage.get_absolute_url())
        allowed = [key for rung in page.context["rungs"] for key, _name in rung.challenges]
        assert allowed == [str(gangs[2].pk), str(gangs[1].pk)]
        data = {"gang": str(gangs[3].pk), "other": str(gangs[1].pk)}
        fixture_page = own.post(url("challenge", stage.pk), data).url
        assert own.post(url("challenge", stage.pk), data).url == fixture_page
        fixture = Fixture.objects.get()
        assert fixture.last_day == timezone.localdate() + timedelta(days=10)
        told = Notice.objects.get(kind="challenged")
        assert told.user == gangs[1].owner
        data = {"act": "settle", "seen": 0, "gang": str(gangs[3].pk)}
        as_user(bob).post(url("fixture-change", fixture.pk), data)
        order = [gangs[0], gangs[3], gangs[1], gangs[2]]
        assert load_stage(stage).ladder == [str(gang.pk) for gang in order]

    def test_gang_of_somebody_else_is_not_sent_to_challenge(self, campaign, gangs, as_user):
        stage = start(campaign, "ladder", gangs[:3])
        data = {"gang": str(gangs[2].pk), "other": str(gangs[1].pk)}
        answer = as_user(gangs[0].owner).post(url("challenge", stage.pk), data)
        assert answer.status_code == 422 and not Fixture.objects.exists()

    def test_gang_out_of_reach_is_refused(self, campaign, gangs, as_user):
        stage = start(campaign, "ladder", gangs[:3], reach=1)
        data = {"gang": str(gangs[2].pk), "other": str(gangs[0].pk)}
        assert as_user(gangs[2].owner).post(url("challenge", stage.pk), data).status_code == 422


class TestKnockOut:
    def settle(self, browser, number: int, place: int, gang: Gang) -> None:
        fixture = Fixture.objects.get(round__number=number, number=place)
        data = {"act": "settle", "seen": 0, "gang": str(gang.pk)}
        assert browser.post(url("fixture-change", fixture.pk), data).status_code == 302

    @pytest.mark.long
    def test_five_gangs_play_to_a_winner_and_a_third(self, campaign, gangs, bob, as_user):
        stage = start(campaign, "knock-out", gangs, third=True)
        browser = as_user(bob)
        rows = browser.get(url("stage-draw", stage.pk)).context["form"].rows
        pairs = [(row.home.value(), row.away.value()) for row in rows]
        keys = [str(gang.pk) for gang in gangs]
        first = [(keys[0], ""), (keys[3], keys[4]), (keys[1], ""), (keys[2], "")]
        assert pairs == first
        data = {"seen": 0, "rows": 4, "opens": str(timezone.localdate()), "due": ""}
        for number, (home, away) in enumerate(first):
            data |= {f"home{number}": home, f"away{number}": away}
        assert browser.post(url("stage-draw", stage.pk), data).status_code == 302

        def draw_next() -> None:
            seen = Stage.objects.get().version
            answer = browser.post(url("stage-draw", stage.pk), {"seen": seen})
            assert answer.status_code == 302

        draw_next()  # The semi-final of the two gangs with a bye.
        assert Fixture.objects.filter(round__number=2).count() == 1
        self.settle(browser, 1, 2, gangs[4])
        draw_next()
        semi = Fixture.objects.get(round__number=2, number=1)
        assert {semi.home, semi.away} == {gangs[0], gangs[4]}
        assert semi.away_from == Fixture.objects.get(round__number=1, number=2)
        self.settle(browser, 2, 1, gangs[0])
        self.settle(browser, 2, 2, gangs[1])
        draw_next()
        third = Fixture.objects.get(losers=True)
        assert {third.home, third.away} == {gangs[2], gangs[4]}
        self.settle(browser, 3, 1, gangs[0])
        page = browser.get(stage.get_absolute_url())
        assert page.context["winner"] == "Gang 0"
        bracket = page.context["bracket"]
        winner = bracket.rounds[2].games[0].sides
        assert [(side.name, side.goes_on) for side in winner] == [
            ("Gang 0", True),
            ("Gang 1", False),
        ]
        assert {side.name for side in bracket.third.sides} == {"Gang 2", "Gang 4"}
        assert [column.title for column in bracket.rounds] == [
            "Quarter-finals",
            "Semi-finals",
            "Final",
        ]

    @pytest.mark.long
    def test_corrected_result_marks_the_fixture_that_followed(self, campaign, gangs, bob, as_user):
        stage = start(campaign, "knock-out", gangs[:3])
        day = timezone.localdate()
        plans = [FixturePlan(gangs[0]), FixturePlan(gangs[1], gangs[2])]
        rounds.make_rounds(stage, [RoundPlan(1, day, None, plans)], expected_version=0)
        browser = as_user(bob)
        self.settle(browser, 1, 2, gangs[1])
        seen = Stage.objects.get().version
        browser.post(url("stage-draw", stage.pk), {"seen": seen})
        assert browser.get(stage.get_absolute_url()).context["outdated"] == []
        data = {"act": "advance", "seen": seen + 1, "gang": str(gangs[2].pk)}
        before = Fixture.objects.get(round__number=1, number=2)
        assert browser.post(url("fixture-change", before.pk), data).status_code == 302
        (line,) = browser.get(stage.get_absolute_url()).context["outdated"]
        assert line.fixture.round.number == 2

    def test_opponent_of_a_gang_that_drops_out_goes_on(self, campaign, gangs):
        stage = start(campaign, "knock-out", gangs[:4])
        day = timezone.localdate()
        plans = [FixturePlan(gangs[0], gangs[3]), FixturePlan(gangs[1], gangs[2])]
        rounds.make_rounds(stage, [RoundPlan(1, day, None, plans)], expected_version=0)
        stages.drop_out(stage, gangs[3])
        first = Fixture.objects.get(home=gangs[0])
        assert first.advances == gangs[0] and first.called_off_at is not None

    @pytest.mark.long
    def test_best_of_the_standings_play_a_cut(self, campaign, gangs, bob, as_user, stage):
        fixture = Fixture.objects.get(home=gangs[2])
        browser = as_user(bob)
        data = {"act": "settle", "seen": 0, "gang": str(gangs[3].pk)}
        browser.post(url("fixture-change", fixture.pk), data)
        page = url("stage-new", campaign.pk, "knock-out")
        form = browser.get(page).context["form"]
        data = {"name": "Cup", "who": str(stage.pk), "best": 2, "order": "lots", "days": 7}
        data |= {"token": str(form["token"].value())}
        assert browser.post(page, data).status_code == 302
        cup = Stage.objects.get(name="Cup")
        assert cup.source == stage
        assert [one.gang for one in cup.entrants.all()] == [gangs[3], gangs[0]]
