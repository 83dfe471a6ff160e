"""Corrected results in a knock-out: warnings, notices, and one press that lets the right gangs
meet."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Notice
from accounts.notices import describe
from campaigns.fixtures import find_outdated
from campaigns.games import results, unfought
from campaigns.league import following, rounds, stages
from campaigns.league.draws import propose_rounds
from campaigns.league.loading import load_stage
from campaigns.league.rounds import FixturePlan, RoundPlan
from campaigns.league.settling import settle_absence
from campaigns.models import Fixture, Game, Round, Stage, Table
from campaigns.notice_kinds import SENTENCES
from common.errors import Stale
from gangs.models import Gang
from printing.paper.orders import Order
from printing.season import stage_sheet
from tests.campaigns.league.test_stages import start, url
from tests.world.campaigns import make_game


@pytest.fixture
def stage(campaign, gangs, bob) -> Stage:
    """A knock-out of four gangs: Gang 0 and Gang 1 won their semi-finals against Gang 3 and
    Gang 2; the final and the game for the third place are made."""
    stage = start(campaign, "knock-out", gangs[:4], third=True, days=0)
    plans = [FixturePlan(gangs[0], gangs[3]), FixturePlan(gangs[1], gangs[2])]
    make(stage, RoundPlan(1, *days(stage), plans))
    settle_absence(fixture(1, 1), gangs[0], actor=bob)
    settle_absence(fixture(1, 2), gangs[1], actor=bob)
    make_next()
    Notice.objects.all().delete()
    return Stage.objects.get()


def days(stage: Stage):
    proposal = propose_rounds(load_stage(stage)).rounds[0]
    return proposal.opens, proposal.due


def make(stage: Stage, *plans: RoundPlan) -> None:
    rounds.make_rounds(stage, plans, expected_version=Stage.objects.get().version)


def make_next() -> None:
    loaded = load_stage(Stage.objects.get())
    for one in propose_rounds(loaded).rounds:
        plans = [
            FixturePlan(
                loaded.gangs[line.home],
                loaded.gangs.get(line.away),
                *line.sources,
                line.losers,
                line.number,
            )
            for line in one.lines
        ]
        make(loaded.stage, RoundPlan(one.number, one.opens, one.due, plans))


def fixture(round_number: int, number: int) -> Fixture:
    return Fixture.objects.get(round__number=round_number, number=number)


def sides(of: Fixture) -> tuple[str, str]:
    return of.home_name, of.away_name


def correct(of: Fixture, winner: Gang, actor) -> None:
    """Correct the result of a fixture's game: this gang was there, and the other was not."""
    game = Game.objects.get(pk=of.game_id)
    seats = list(game.sides.select_related("gang"))
    absent = [side.pk for side in seats if side.gang_id != winner.pk]
    account = unfought.account_without_battle(game, seats, "no-show", absent)
    results.decide(
        game, account=account, actor=actor, expected_version=game.version, why="It was so."
    )


def press(browser, stage: Stage):
    seen = Stage.objects.get().version
    return browser.post(url("stage-follow", stage.pk), {"seen": seen})


def test_every_list_tells_the_game_for_the_third_place_from_the_final(stage, bob, as_user):
    browser = as_user(bob)
    third = fixture(2, 2)
    addresses = [
        url("league", stage.campaign_id),
        reverse("campaigns:round-entering", args=[stage.pk, 2]),
        url("fixture", third.pk),
    ]
    for address in addresses:
        assert "Third place" in browser.get(address).content.decode(), address
    page = browser.get(stage.get_absolute_url()).content.decode()
    assert page.count("Third place") == 2, "in the bracket and in the list of the round"


def test_paper_names_the_third_without_a_game(stage, gangs, bob):
    assert "<h2>Third place" not in stage_sheet.job(load_stage(stage), bob, Order("en")).html
    rounds.clear(fixture(2, 1).round, expected_version=Stage.objects.get().version)
    stages.drop_out(Stage.objects.get(), gangs[3])
    html = stage_sheet.job(load_stage(Stage.objects.get()), bob, Order("en")).html
    (part,) = re.findall(r"<h2>Third place</h2>(.*?)</section>", html, re.DOTALL)
    assert "Gang 2" in part and "no opponent is left" in part


class TestTakeOver:
    def test_final_and_third_place_swap_their_gangs_with_one_press(
        self, stage, gangs, bob, as_user
    ):
        correct(fixture(1, 1), gangs[3], bob)
        browser = as_user(bob)
        page = browser.get(stage.get_absolute_url()).content.decode()
        assert "Take over the right gangs" in page
        page = browser.get(url("stage-follow", stage.pk)).content.decode()
        assert "Gang 3 – Gang 1" in page and "Gang 0 – Gang 2" in page
        assert sides(fixture(2, 1)) == ("Gang 0", "Gang 1"), "a preview changes nothing"
        assert press(browser, stage).status_code == 302
        assert sides(fixture(2, 1)) == ("Gang 3", "Gang 1")
        assert sides(fixture(2, 2)) == ("Gang 0", "Gang 2")
        assert not find_outdated([stage.pk])

    def test_everybody_concerned_gets_a_notice(self, stage, gangs, bob):
        correct(fixture(1, 1), gangs[3], bob)
        told = Notice.objects.filter(kind="fixture_outdated")
        assert {str(one.user) for one in told} == {str(bob), *(f"player{n}" for n in range(4))}
        following.take_over_gangs(stage, actor=bob, expected_version=Stage.objects.get().version)
        changed = Notice.objects.filter(kind="fixture_changed")
        assert {str(one.user) for one in changed} == {f"player{n}" for n in range(4)}
        off = {str(one.user): describe(one) for one in Notice.objects.filter(kind="fixture_off")}
        assert set(off) == {"player0", "player3"} and "Gang 0 – Gang 1" in off["player0"]

    def test_planned_game_is_cancelled(self, campaign, stage, gangs, bob, as_user):
        make_game(campaign, gangs[0].owner, gangs[0], gangs[1])
        assert fixture(2, 1).game is not None
        Round.objects.filter(number=2).update(opens=timezone.localdate() + timedelta(days=3))
        correct(fixture(1, 1), gangs[3], bob)
        page = as_user(bob).get(url("stage-follow", stage.pk)).content.decode()
        assert "its planned game is cancelled" in page
        assert press(as_user(bob), stage).status_code == 302
        assert fixture(2, 1).game is None and not Game.objects.filter(status="planned").exists()
        off = Notice.objects.get(kind="fixture_off")
        assert off.user == gangs[0].owner
        changed = {str(one.user) for one in Notice.objects.filter(kind="fixture_changed")}
        assert changed == {"player1", "player3"}

    def test_fought_game_never_changes(self, stage, gangs, bob, as_user):
        settle_absence(fixture(2, 1), gangs[0], actor=bob)
        browser = as_user(bob)
        assert browser.get(stage.get_absolute_url()).context["winner"] == "Gang 0"
        correct(fixture(1, 1), gangs[3], bob)
        page = browser.get(stage.get_absolute_url())
        assert page.context["winner"] == "" and "won this stage" not in page.content.decode()
        assert press(browser, stage).status_code == 302
        final = fixture(2, 1)
        assert sides(final) == ("Gang 0", "Gang 1") and final.game is not None
        # Its game can be let go; then the right gangs can meet.
        data = {"act": "untie", "seen": Stage.objects.get().version}
        browser.post(url("fixture-change", final.pk), data)
        press(browser, stage)
        assert sides(fixture(2, 1)) == ("Gang 3", "Gang 1")

    def test_fought_game_counts_if_an_organiser_says_so(self, stage, gangs, bob, as_user):
        settle_absence(fixture(2, 1), gangs[0], actor=bob)
        correct(fixture(1, 1), gangs[3], bob)
        browser = as_user(bob)
        page = browser.get(fixture(2, 1).get_absolute_url()).content.decode()
        assert "It counts with these gangs" in page
        data = {"act": "keep", "seen": Stage.objects.get().version}
        browser.post(url("fixture-change", fixture(2, 1).pk), data)
        assert browser.get(stage.get_absolute_url()).context["winner"] == "Gang 0"

    def test_fixture_waits_for_a_result_that_no_longer_counts(self, stage, bob, as_user):
        semi = fixture(1, 1)
        rounds.untie(semi, expected_version=Stage.objects.get().version)
        page = as_user(bob).get(url("stage-follow", stage.pk)).content.decode()
        assert "it waits: the results before it are not complete" in page
        assert press(as_user(bob), stage).status_code == 302
        assert sides(fixture(2, 1)) == ("Gang 0", "Gang 1")

    def test_press_on_an_old_page_changes_nothing(self, stage, gangs, bob, as_user):
        correct(fixture(1, 1), gangs[3], bob)
        answer = as_user(bob).post(url("stage-follow", stage.pk), {"seen": stage.version - 1})
        assert answer.status_code == 409
        assert sides(fixture(2, 1)) == ("Gang 0", "Gang 1")
        with pytest.raises(Stale):
            following.take_over_gangs(stage, actor=bob, expected_version=stage.version - 1)

    def test_fixture_waits_when_its_gang_has_another_game_in_the_round(
        self, stage, gangs, bob, as_user
    ):
        """An organiser has let Gang 3 play another game in the round of the final."""
        last = fixture(2, 1).round
        Fixture.objects.create(round=last, number=9, home=gangs[3], home_name="Gang 3")
        correct(fixture(1, 1), gangs[3], bob)
        page = as_user(bob).get(url("stage-follow", stage.pk)).content.decode()
        assert page.count("one of its gangs has another game in this round") == 2
        assert press(as_user(bob), stage).status_code == 302
        assert sides(fixture(2, 1)) == ("Gang 0", "Gang 1")
        assert sides(fixture(2, 2)) == ("Gang 3", "Gang 2")

    def test_third_place_that_was_called_off_is_put_back_with_the_right_gangs(
        self, stage, gangs, bob
    ):
        rounds.call_off(fixture(2, 2), expected_version=Stage.objects.get().version)
        correct(fixture(1, 1), gangs[3], bob)
        version = Stage.objects.get().version
        following.take_over_gangs(stage, actor=bob, expected_version=version)
        assert fixture(2, 2).called_off_at is not None
        rounds.put_back(fixture(2, 2), expected_version=Stage.objects.get().version)
        third = fixture(2, 2)
        assert third.called_off_at is None and sides(third) == ("Gang 0", "Gang 2")

    def test_fixture_becomes_a_bye_when_its_gang_has_left(self, stage, gangs, bob):
        correct(fixture(1, 1), gangs[3], bob)
        stages.drop_out(stage, gangs[3])
        version = Stage.objects.get().version
        following.take_over_gangs(stage, actor=bob, expected_version=version)
        assert sides(fixture(2, 1)) == ("Gang 1", "")
        assert load_stage(stage).bracket.champion == str(gangs[1].pk)

    def test_deleted_gang_goes_on_nowhere(self, stage, gangs, bob, as_user):
        """A gang that was deleted has only the name that it had when the fixture was made."""
        correct(fixture(1, 1), gangs[3], bob)
        Gang.objects.filter(pk=gangs[3].pk).update(name="Renamed")
        Gang.objects.get(pk=gangs[3].pk).delete()
        browser = as_user(bob)
        assert browser.get(stage.get_absolute_url()).status_code == 200
        assert "Gang 1 has a bye" in browser.get(url("stage-follow", stage.pk)).content.decode()
        assert press(browser, stage).status_code == 302
        assert sides(fixture(2, 1)) == ("Gang 1", "")

    def test_game_that_is_on_at_the_table_stays(self, campaign, stage, gangs, bob, as_user):
        game = make_game(campaign, gangs[0].owner, gangs[0], gangs[1])
        Table.objects.create(game=game, book_version=campaign.book_version, seq=1)
        correct(fixture(1, 1), gangs[3], bob)
        assert press(as_user(bob), stage).status_code == 302
        assert fixture(2, 1).game == game and sides(fixture(2, 1)) == ("Gang 0", "Gang 1")


class TestWarnings:
    def test_pages_of_both_fixtures_and_games_say_so(self, campaign, stage, gangs, bob, as_user):
        game = make_game(campaign, gangs[0].owner, gangs[0], gangs[1])
        semi = fixture(1, 1)
        correct(semi, gangs[3], bob)
        browser = as_user(bob)
        for page in (semi.get_absolute_url(), Game.objects.get(fixture=semi).get_absolute_url()):
            shown = browser.get(page).content.decode()
            assert "a later fixture no longer follows" in shown and "Gang 0 – Gang 1" in shown
        warned = [fixture(2, 1).get_absolute_url(), game.get_absolute_url()]
        warned.append(reverse("campaigns:game-report", args=[game.pk]))
        warned.append(url("fixture-arrange", fixture(2, 2).pk))
        for page in warned:
            assert "Do not play it before" in browser.get(page).content.decode(), page

    def test_tonight_asks_the_organiser_and_lets_players_wait(self, stage, gangs, bob, as_user):
        correct(fixture(1, 1), gangs[3], bob)
        page = as_user(bob).get(reverse("tonight")).content.decode()
        assert url("stage-follow", stage.pk) in page
        page = as_user(gangs[2].owner).get(reverse("tonight")).content.decode()
        assert "Wait: a result before it has changed" in page
        assert url("stage-follow", stage.pk) not in page

    def test_spectators_read_that_the_winner_is_open(self, stage, gangs, bob, client):
        settle_absence(fixture(2, 1), gangs[0], actor=bob)
        correct(fixture(1, 1), gangs[3], bob)
        watched = reverse("campaigns:watch-stage", args=[stage.campaign.watch_key, stage.pk])
        page = client.get(watched, headers={"Sec-Fetch-Mode": "navigate"}, follow=True)
        shown = page.content.decode()
        assert "The winner is open until that is settled." in shown
        assert "won this stage" not in shown and "Take over" not in shown

    def test_result_that_changes_nothing_tells_nobody(self, stage, gangs, bob):
        correct(fixture(1, 1), gangs[0], bob)
        assert not Notice.objects.filter(kind="fixture_outdated").exists()
        assert "fixture_outdated" in SENTENCES

    def test_stage_of_two_rounds_is_found_with_the_queries_of_one(
        self, stage, gangs, bob, django_assert_num_queries
    ):
        correct(fixture(1, 1), gangs[3], bob)
        with django_assert_num_queries(5):
            assert len(find_outdated([stage.pk])) == 2
