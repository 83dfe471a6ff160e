"""Stages of a league: starting them, their rounds and fixtures, and their games."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Notice
from campaigns.club.people import joining
from campaigns.engine.league.options import StageOptions
from campaigns.league import rounds, stages
from campaigns.league.draws import propose_rounds
from campaigns.league.loading import load_stage
from campaigns.league.pages import stage_lines
from campaigns.league.rounds import FixturePlan, RoundPlan
from campaigns.league.settling import settle_absence
from campaigns.models import Campaign, Fixture, Game, Stage
from common.errors import Refusal, Stale
from gangs.models import Gang
from tests.random_cases import one_soon
from tests.world.campaigns import confirmed, make_game, make_stage, reported


def start(campaign: Campaign, stage_format: str, gangs: list[Gang], **options: object) -> Stage:
    return stages.start(
        campaign,
        stage_format,
        gangs,
        {"name": "Winter", "options": StageOptions.model_validate(options)},
        token=uuid.uuid4(),
    )


def url(name: str, *arguments: object) -> str:
    return reverse(f"campaigns:{name}", args=arguments)


class TestThroughThePages:
    @pytest.mark.parametrize(
        "stage_format", one_soon(["round-robin", "swiss", "ladder", "knock-out"])
    )
    def test_browsers_can_send_the_new_form_as_it_is(
        self, campaign, gangs, bob, as_user, stage_format
    ):
        """Every number that is filled in already lies within the limits of its field."""
        form = as_user(bob).get(url("stage-new", campaign.pk, stage_format)).context["form"]
        for field in form:
            value, least = field.value(), field.field.widget.attrs.get("min")
            assert least is None or value in (None, "") or int(value) >= int(least), field.name

    def test_page_of_a_round_shows_its_name_and_its_fixtures(self, campaign, gangs, bob, as_user):
        stage = make_stage(campaign, *gangs[:4])
        page = as_user(bob).get(url("round-change", stage.pk, 1)).content.decode()
        assert re.search(r"<h1>[^<]+ 1</h1>", page)
        for fixture in Fixture.objects.filter(round__stage=stage):
            assert f'href="{fixture.get_absolute_url()}"' in page

    def test_complete_round_robin_offers_no_next_round(self, campaign, gangs, bob, as_user):
        browser, stage = as_user(bob), start(campaign, "round-robin", gangs[:4])
        draw = f'href="{url("stage-draw", stage.pk)}"'
        assert draw in browser.get(stage.get_absolute_url()).content.decode()
        browser.post(url("stage-draw", stage.pk), {"seen": stage.version})
        assert stage.rounds.count() == 3
        assert draw not in browser.get(stage.get_absolute_url()).content.decode()
        # A late joiner has fixtures to come.
        stages.enter(stage, gangs[4])
        assert draw in browser.get(stage.get_absolute_url()).content.decode()

    def test_knock_out_offers_its_next_round_once_both_gangs_of_a_game_are_known(
        self, campaign, gangs, bob, as_user
    ):
        browser, stage = as_user(bob), make_stage(campaign, *gangs[:4], stage_format="knock-out")
        draw = f'href="{url("stage-draw", stage.pk)}"'
        assert draw not in browser.get(stage.get_absolute_url()).content.decode()
        for fixture in Fixture.objects.filter(round__stage=stage):
            stage.refresh_from_db()
            data = {"act": "settle", "seen": stage.version, "gang": str(fixture.home_id)}
            assert browser.post(url("fixture-change", fixture.pk), data).status_code == 302
        assert draw in browser.get(stage.get_absolute_url()).content.decode()

    def test_overview_names_the_leaders_and_ends_with_the_campaign(
        self, campaign, gangs, bob, as_user
    ):
        browser, stage = as_user(bob), make_stage(campaign, *gangs[:2], stage_format="knock-out")
        fixture = Fixture.objects.get(round__stage=stage)
        overview = url("league", campaign.pk)
        page = browser.get(overview).content.decode()
        assert fixture.get_absolute_url() in page and "Won by" not in page
        settle_absence(fixture, gangs[1], actor=bob)
        Campaign.objects.filter(pk=campaign.pk).update(archived_at=timezone.now())
        page = browser.get(overview).content.decode()
        assert f"Won by {gangs[1].name}" in page and fixture.get_absolute_url() not in page

    def test_swiss_is_started_drawn_and_played(self, campaign, gangs, bob, as_user):
        browser = as_user(bob)
        page = browser.get(url("stage-new", campaign.pk, "swiss"))
        form = page.context["form"]
        data = {
            "name": "Winter",
            "who": "ticked",
            "gangs": [str(gang.pk) for gang in gangs[:4]],
            "order": "joined",
            "days": 7,
            **{name: form[name].value() for name in ("win", "draw", "loss", "bye", "token")},
        }
        answer = browser.post(url("stage-new", campaign.pk, "swiss"), data)
        stage = Stage.objects.get()
        assert answer.url == stage.get_absolute_url()
        assert [one.gang for one in stage.entrants.all()] == gangs[:4]

        page = browser.get(url("stage-draw", stage.pk))
        rows = page.context["form"].rows
        assert [(row.home.value(), row.away.value()) for row in rows] == [
            (str(gangs[0].pk), str(gangs[2].pk)),
            (str(gangs[1].pk), str(gangs[3].pk)),
        ]
        assert "never met before" in page.content.decode()
        today = timezone.localdate()
        data = {"seen": stage.version, "rows": 2, "opens": str(today), "due": ""}
        data |= {"home0": str(gangs[0].pk), "away0": str(gangs[2].pk)}
        data |= {"home1": str(gangs[1].pk), "away1": str(gangs[3].pk)}
        assert browser.post(url("stage-draw", stage.pk), data).status_code == 302
        assert [(one.home, one.away) for one in Fixture.objects.all()] == [
            (gangs[0], gangs[2]),
            (gangs[1], gangs[3]),
        ]

        fixture = Fixture.objects.first()
        own = as_user(gangs[0].owner)
        assert "Arrange the game" in own.get(fixture.get_absolute_url()).content.decode()
        form = own.get(url("fixture-arrange", fixture.pk)).context["form"]
        data = {"played_on": str(today), "token": str(form["token"].value()), "scenario": ""}
        answer = own.post(url("fixture-arrange", fixture.pk), data)
        game = Game.objects.get()
        assert answer.url == game.get_absolute_url()
        assert "Winter · Round 1" in own.get(game.get_absolute_url()).content.decode()

        game = reported(game, gangs[0].owner)
        confirmed(game, gangs[2].owner)
        table = browser.get(stage.get_absolute_url()).context["standings"]
        assert (table[0].gang, table[0].line.points) == (gangs[0], 3)
        assert "Gang 0 won" in browser.get(campaign.get_absolute_url()).content.decode()

    def test_gang_in_two_games_is_refused_beside_the_pairs(self, campaign, gangs, bob, as_user):
        stage = start(campaign, "swiss", gangs[:4])
        data = {"seen": 0, "rows": 2, "opens": str(timezone.localdate()), "due": ""}
        data |= {"home0": str(gangs[0].pk), "away0": str(gangs[1].pk)}
        data |= {"home1": str(gangs[1].pk), "away1": str(gangs[3].pk)}
        answer = as_user(bob).post(url("stage-draw", stage.pk), data)
        assert answer.status_code == 422 and "In two games: Gang 1." in answer.content.decode()
        assert answer.context["form"].rows[0].away.value() == str(gangs[1].pk)
        assert not Fixture.objects.exists()

    def test_draw_has_no_more_rows_than_gangs(self, campaign, gangs, bob, as_user):
        stage = start(campaign, "swiss", gangs[:4])
        data = {"seen": 0, "rows": 5000, "opens": str(timezone.localdate()), "due": ""}
        answer = as_user(bob).post(url("stage-draw", stage.pk), data)
        assert answer.status_code == 422 and len(answer.context["form"].rows) == 4

    def test_draw_made_twice_makes_one_round(self, campaign, gangs, bob, as_user):
        stage = start(campaign, "round-robin", gangs[:4])
        browser = as_user(bob)
        data = {"seen": stage.version}
        assert browser.post(url("stage-draw", stage.pk), data).status_code == 302
        assert browser.post(url("stage-draw", stage.pk), data).status_code in (409, 422)
        assert Fixture.objects.count() == 6 and stage.rounds.count() == 3


class TestFixtures:
    @pytest.fixture
    def stage(self, campaign, gangs):
        stage = start(campaign, "round-robin", gangs[:4], days=7)
        drawn = propose_rounds(load_stage(stage))
        by_key = {str(gang.pk): gang for gang in gangs}
        rounds.make_rounds(
            stage,
            [
                RoundPlan(
                    one.number,
                    one.opens,
                    one.due,
                    [FixturePlan(by_key[line.home], by_key[line.away]) for line in one.lines],
                )
                for one in drawn.rounds
            ],
            expected_version=stage.version,
        )
        return Stage.objects.get(pk=stage.pk)

    def test_round_robin_lets_all_pairs_meet_once(self, stage, gangs):
        met = {frozenset((one.home_id, one.away_id)) for one in Fixture.objects.all()}
        assert len(met) == 6 == Fixture.objects.count()
        today = timezone.localdate()
        days = [(one.opens - today).days for one in stage.rounds.all()]
        assert days == [0, 7, 14]

    def test_only_the_first_round_is_announced(self, stage, gangs):
        notices = Notice.objects.filter(kind="round_opened")
        assert sorted(str(notice.user) for notice in notices) == [f"player{n}" for n in range(4)]

    def test_game_between_two_gangs_counts_for_their_fixture(self, stage, gangs, campaign):
        fixture = Fixture.objects.filter(round__number=1).first()
        game = make_game(campaign, fixture.home.owner, fixture.home, fixture.away)
        fixture.refresh_from_db()
        assert fixture.game == game
        later = Fixture.objects.filter(round__number=2).first()
        make_game(campaign, later.home.owner, later.home, later.away)
        later.refresh_from_db()
        assert later.game is None

    def test_deleted_game_leaves_the_fixture_open(self, stage, gangs, campaign):
        fixture = Fixture.objects.filter(round__number=1).first()
        game = make_game(campaign, fixture.home.owner, fixture.home, fixture.away)
        game.delete()
        fixture.refresh_from_db()
        assert fixture.game is None and fixture in Fixture.objects.unplayed()

    @pytest.mark.parametrize("winner", [0, 1])
    @pytest.mark.parametrize("is_renamed", [False, True])
    def test_result_stays_when_both_gangs_are_deleted(
        self, stage, gangs, campaign, bob, as_user, winner, is_renamed
    ):
        fixture = Fixture.objects.filter(round__number=1).first()
        pair = [fixture.home, fixture.away]
        if is_renamed:
            pair[winner].name = "Renamed"
            pair[winner].save(update_fields=["name"])
        game = make_game(campaign, fixture.home.owner, *pair)
        settle_absence(Fixture.objects.get(pk=fixture.pk), pair[winner], actor=bob)
        names = [fixture.home_name, fixture.away_name]

        def told():
            page = as_user(bob).get(stage.get_absolute_url()).content.decode()
            (match,) = [one for one in load_stage(stage).matches if one.key == fixture.pk]
            return match.outcome, f"{names[winner]} won" in page

        for gang in pair:
            gang.delete()
        assert told() == (["home", "away"][winner], True)
        assert game.sides.count() == 2

    def test_yearbook_reads_several_stages_with_the_queries_of_one(
        self, stage, gangs, campaign, bob
    ):
        def count():
            with CaptureQueriesContext(connection) as queries:
                lines = stage_lines(Campaign.objects.get(pk=campaign.pk))
            return len(lines), len(queries)

        settle_absence(Fixture.objects.first(), Fixture.objects.first().home, actor=bob)
        shown, queries = count()
        assert shown == 1
        make_stage(campaign, *gangs[:4])
        settle_absence(Fixture.objects.last(), Fixture.objects.last().home, actor=bob)
        assert count() == (2, queries)

    @pytest.mark.long
    def test_late_fixture_waits_for_its_players_and_the_organiser(self, stage, gangs, bob, as_user):
        one = stage.rounds.first()
        yesterday = timezone.localdate() - timedelta(days=1)
        stage.rounds.filter(pk=one.pk).update(opens=yesterday, due=yesterday)
        fixture = one.fixtures.first()
        for user, words in ((bob, "Late: settle it"), (fixture.home.owner, "Late: arrange")):
            assert words in as_user(user).get(reverse("tonight")).content.decode()
        uninvolved = next(
            gang.owner for gang in gangs if gang.pk not in (fixture.home_id, fixture.away_id)
        )
        page = as_user(uninvolved).get(reverse("tonight")).content.decode()
        assert fixture.get_absolute_url() not in page

    def test_extension_is_announced_and_ends_being_late(self, stage, gangs, bob, as_user):
        fixture = Fixture.objects.first()
        day = timezone.localdate() + timedelta(days=30)
        data = {"act": "extend", "seen": stage.version, "due": str(day)}
        answer = as_user(bob).post(url("fixture-change", fixture.pk), data)
        assert answer.status_code == 302
        fixture.refresh_from_db()
        assert fixture.last_day == day
        assert Notice.objects.filter(kind="fixture_extended").count() == 2

    def test_stale_change_is_refused_with_the_latest_page(self, stage, gangs, bob, as_user):
        fixture = Fixture.objects.first()
        data = {"act": "off", "seen": stage.version - 1}
        answer = as_user(bob).post(url("fixture-change", fixture.pk), data)
        assert answer.status_code == 409
        fixture.refresh_from_db()
        assert fixture.called_off_at is None

    def test_called_off_fixture_counts_for_nobody_until_it_is_put_back(self, stage, gangs):
        fixture = Fixture.objects.select_related("round__stage__campaign").first()
        rounds.call_off(fixture, expected_version=stage.version)
        assert fixture not in Fixture.objects.unplayed()
        rounds.put_back(fixture, expected_version=stage.version + 1)
        assert fixture in Fixture.objects.unplayed()

    def test_round_is_drawn_again_without_losing_games(self, stage, gangs, campaign):
        one = stage.rounds.first()
        kept = one.fixtures.first()
        make_game(campaign, kept.home.owner, kept.home, kept.away)
        stage.refresh_from_db()
        one.stage = stage
        rounds.clear(one, expected_version=stage.version)
        assert list(one.fixtures.all()) == [kept]

    def test_gang_that_leaves_the_campaign_drops_out(self, stage, gangs, campaign):
        leaver = gangs[0]
        joining.leave(campaign, leaver, actor=leaver.owner)
        assert stage.entrants.get(gang=leaver).left_at is not None
        off = Fixture.objects.exclude(called_off_at=None)
        assert off.count() == 3
        name = stage.entrants.get(gang=leaver).name
        leaver.delete()
        assert load_stage(stage).names[f"name:{name}"] == name

    @pytest.mark.long
    def test_late_joiner_meets_everybody_in_the_rounds_to_come(self, stage, gangs, bob, as_user):
        stages.enter(stage, gangs[4])
        stages.enter(stage, gangs[4])
        stage.refresh_from_db()
        browser = as_user(bob)
        data = {"seen": stage.version}
        assert browser.post(url("stage-draw", stage.pk), data).status_code == 302
        own = [one for one in Fixture.objects.all() if gangs[4].pk in (one.home_id, one.away_id)]
        played = [one for one in own if not one.is_bye]
        assert len(played) == 4 and all(one.round.number > 1 for one in played)
        assert all(
            len({one.home_id for one in played_in} | {one.away_id for one in played_in})
            == 2 * len(played_in)
            for number in stage.rounds.values_list("number", flat=True)
            for played_in in [
                [one for one in Fixture.objects.filter(round__number=number) if one.away_id]
            ]
        )


class TestStages:
    def test_form_that_arrives_twice_starts_one_stage(self, campaign, gangs):
        token = uuid.uuid4()
        for _time in range(2):
            stages.start(
                campaign,
                "swiss",
                gangs,
                {"name": "Winter", "options": StageOptions()},
                token=token,
            )
        assert Stage.objects.count() == 1

    def test_stage_with_a_game_is_closed_but_not_deleted(self, campaign, gangs):
        stage = start(campaign, "swiss", gangs[:2])
        plan = RoundPlan(1, timezone.localdate(), None, [FixturePlan(gangs[0], gangs[1])])
        rounds.make_rounds(stage, [plan], expected_version=0)
        make_game(campaign, gangs[0].owner, gangs[0], gangs[1])
        stage.refresh_from_db()
        with pytest.raises(Refusal, match="stage_has_games"):
            stages.delete(stage, expected_version=stage.version)
        stages.close(stage, expected_version=stage.version)
        assert not Fixture.objects.of_open_rounds().exists()

    def test_archived_campaign_refuses_changes(self, campaign, gangs):
        stage = start(campaign, "swiss", gangs)
        joining.archive(campaign)
        with pytest.raises(Refusal, match="campaign_archived"):
            stages.enter(stage, gangs[0])

    def test_stale_settings_are_refused(self, campaign, gangs):
        stage = start(campaign, "swiss", gangs)
        details: stages.Details = {"name": "Spring", "options": StageOptions()}
        stages.change(stage, details, expected_version=0)
        with pytest.raises(Stale):
            stages.change(stage, details, expected_version=0)
