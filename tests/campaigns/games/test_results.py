"""Planning, reporting, confirming, disputing and withdrawing games."""

from __future__ import annotations

from html import unescape

import pytest
from django.urls import reverse

from campaigns.games import results
from campaigns.models import Game, Side
from common.errors import Refusal, Stale
from gangs.models import Gang
from tests.random_cases import one_soon
from tests.world.campaigns import confirmed, make_game, make_player, reported, side_of


@pytest.fixture
def game(campaign, hers, theirs, alice):
    return make_game(campaign, alice, hers, theirs)


def report_data(browser, game):
    """Return the form's data as a browser sends it; filled in only that the first side won."""
    page = browser.get(reverse("campaigns:game-report", args=[game.pk]))
    forms = page.context["forms"]
    data = {"seen": game.version}
    for form in [forms.result, *forms.side_forms]:
        for field in form:
            value = field.value()
            if value is True:
                data[field.html_name] = "on"
            elif value not in (None, False):
                data[field.html_name] = str(value)
    # ``sure`` confirms the result although members of the loser are still fit.
    data |= {"result": "crushing", "winner": str(forms.sides[0].pk), "sure": "1"}
    return data


def new_data(browser, campaign, *gangs, **values):
    form = browser.get(reverse("campaigns:game-new", args=[campaign.pk])).context["form"]
    return {
        "played_on": "2026-05-01",
        "gangs": [str(gang.pk) for gang in gangs],
        "scenario": "",
        "token": str(form["token"].value()),
        **values,
    }


class TestPlanning:
    def test_app_rolls_the_scenario_once(self, campaign, hers, theirs, alice, as_user):
        browser = as_user(alice)
        url = reverse("campaigns:game-new", args=[campaign.pk])
        data = new_data(browser, campaign, hers, theirs, scenario="roll")
        first = browser.post(url, data)
        roll = Game.objects.get().scenario_roll
        assert browser.post(url, data).url == first.url
        game = Game.objects.get()
        assert game.scenario_roll == roll and roll["thrown_by"] == "app"
        page = browser.get(first.url).content.decode()
        assert f"= {sum(roll['faces'])}" in page

    def test_typed_dice_choose_the_scenario(self, campaign, hers, theirs, alice, as_user):
        browser = as_user(alice)
        data = new_data(browser, campaign, hers, theirs, scenario="typed", faces="1 1")
        browser.post(reverse("campaigns:game-new", args=[campaign.pk]), data)
        game = Game.objects.get()
        assert game.scenario == "spy"
        assert game.scenario_roll["thrown_by"] == "table"

    @pytest.mark.parametrize(
        "values, words",
        one_soon(
            [
                ({"scenario": "typed", "faces": "9 9"}, "type 2 numbers from 1 to 6"),
                ({"played_on": "1820-05-01"}, "Is the year right?"),
                ({"gangs": []}, "at least two gangs"),
                ({"scenario": "nonsense"}, "nonsense"),
            ]
        ),
    )
    def test_invalid_plan_is_explained(self, campaign, hers, theirs, alice, as_user, values, words):
        browser = as_user(alice)
        data = new_data(browser, campaign, hers, theirs) | values
        answer = browser.post(reverse("campaigns:game-new", args=[campaign.pk]), data)
        assert answer.status_code == 422
        assert words in answer.content.decode()
        assert not Game.objects.exists()

    def test_player_cannot_plan_for_other_gangs(self, campaign, hers, theirs, charlie):
        make_player(campaign, charlie)
        with pytest.raises(Refusal, match="own_gang_plays"):
            make_game(campaign, charlie, hers, theirs)


class TestReporting:
    def test_report_is_sent_and_confirmed_on_the_pages(self, game, alice, dora, theirs, as_user):
        browser = as_user(alice)
        url = reverse("campaigns:game-report", args=[game.pk])
        before = dict(Gang.objects.values_list("pk", "version"))
        assert browser.post(url, report_data(browser, game)).status_code == 302
        game.refresh_from_db()
        assert game.status == "reported"
        assert [side.side for side in game.sides.all()] == ["winner", "loser"]
        other = as_user(dora)
        verdict = reverse("campaigns:game-verdict", args=[game.pk])
        page = other.get(game.get_absolute_url()).content.decode()
        assert "Is that right?" in page
        assert other.post(verdict, {"seen": game.version, "confirm": "1"}).status_code == 302
        game.refresh_from_db()
        assert game.status == "confirmed"
        assert dict(Gang.objects.values_list("pk", "version")) == before

    def test_draw_cannot_have_a_winner(self, game, alice, hers, as_user):
        browser = as_user(alice)
        data = report_data(browser, game)
        data |= {"result": "draw", "winner": str(side_of(game, hers).pk)}
        answer = browser.post(reverse("campaigns:game-report", args=[game.pk]), data)
        assert answer.status_code == 422
        assert "With this result nobody won." in answer.content.decode()
        assert Game.objects.get(pk=game.pk).status == "planned"

    def test_rejected_report_keeps_typed_values(self, game, alice, hers, as_user):
        browser = as_user(alice)
        data = report_data(browser, game)
        side = side_of(game, hers)
        member = hers.roster.members[0].id
        data[f"side{side.pk}-taken_out-{member}"] = "3"
        data |= {"winner": "", "note": "What a night"}
        answer = browser.post(reverse("campaigns:game-report", args=[game.pk]), data)
        text = answer.content.decode()
        assert answer.status_code == 422
        assert "somebody won: who?" in text
        assert "What a night" in text and 'value="3"' in text
        game.refresh_from_db()
        assert game.status == "planned"

    def test_mark_needs_a_member_in_the_game(self, game, alice, hers, as_user):
        browser = as_user(alice)
        data = report_data(browser, game)
        side, member = side_of(game, hers), hers.roster.members[0].id
        del data[f"side{side.pk}-in-{member}"]
        data[f"side{side.pk}-mark-{member}"] = "dead"
        answer = browser.post(reverse("campaigns:game-report", args=[game.pk]), data)
        assert answer.status_code == 422
        assert "this member took part" in answer.content.decode()

    def test_second_report_from_a_stale_page_is_refused(self, game, alice, dora, as_user):
        hers, theirs = as_user(alice), as_user(dora)
        url = reverse("campaigns:game-report", args=[game.pk])
        data = report_data(theirs, game)
        hers.post(url, report_data(hers, game))
        late = theirs.post(url, data | {"note": "We won that."})
        assert late.status_code == 409
        text = late.content.decode()
        assert "Somebody else has sent a report" in text and "We won that." in text
        game.refresh_from_db()
        assert game.reported_by == alice
        with pytest.raises(Stale):
            reported_again = Game.objects.get(pk=game.pk)
            reported_again.version = 0
            reported(reported_again, dora)

    def test_report_by_the_only_player_is_confirmed(self, campaign, alice):
        gangs = [make_player(campaign, alice), make_player(campaign, alice)]
        assert reported(make_game(campaign, alice, *gangs), alice).status == "confirmed"

    def test_organiser_confirms_for_the_other_player(self, game, alice, bob):
        game = reported(game, alice)
        assert confirmed(game, bob).status == "confirmed"


class TestDisputing:
    def test_disputed_result_can_be_corrected_and_confirmed(self, game, alice, dora, as_user):
        game = reported(game, alice)
        other = as_user(dora)
        verdict = reverse("campaigns:game-verdict", args=[game.pk])
        empty = other.post(verdict, {"seen": game.version, "dispute": "1"})
        assert empty.status_code == 422
        other.post(verdict, {"seen": game.version, "dispute": "1", "comment": "I won that!"})
        game.refresh_from_db()
        assert game.status == "disputed"
        browser = as_user(alice)
        assert "I won that!" in browser.get(game.get_absolute_url()).content.decode()
        data = report_data(browser, game)
        sides = list(game.sides.all())
        data["winner"] = str(sides[1].pk)
        browser.post(reverse("campaigns:game-report", args=[game.pk]), data)
        game.refresh_from_db()
        assert game.status == "reported"
        assert [side.side for side in game.sides.all()] == ["loser", "winner"]
        assert confirmed(game, dora).status == "confirmed"

    def test_confirmation_of_an_outdated_report_is_refused(self, game, alice, dora, as_user):
        game = reported(game, alice)
        expected_version = game.version
        reported(game, alice, result="inglorious")
        verdict = reverse("campaigns:game-verdict", args=[game.pk])
        answer = as_user(dora).post(verdict, {"seen": expected_version, "confirm": "1"})
        assert answer.status_code == 409
        game.refresh_from_db()
        assert game.status == "reported"

    def test_organiser_confirms_a_disputed_result(self, game, alice, dora, bob):
        game = reported(game, alice)
        results.dispute(game, comment="No.", actor=dora, expected_version=game.version)
        assert game.status == "disputed"
        assert confirmed(game, bob).status == "confirmed"

    def test_stranger_cannot_confirm_or_dispute(self, game, alice, charlie):
        game = reported(game, alice)
        with pytest.raises(Refusal, match="not_your_game"):
            results.confirm(game, actor=charlie, expected_version=game.version)
        with pytest.raises(Refusal, match="not_your_game"):
            results.dispute(game, comment="!", actor=charlie, expected_version=game.version)


class TestWithdrawing:
    def test_reporter_can_withdraw_the_game(self, game, alice, as_user):
        game = reported(game, alice)
        url = reverse("campaigns:game-withdraw", args=[game.pk])
        assert as_user(alice).post(url, {"seen": game.version}).status_code == 302
        assert not Game.objects.exists() and not Side.objects.exists()

    def test_withdrawing_twice_is_harmless(self, game, alice):
        game = reported(game, alice)
        # A second copy, as a simultaneous request would have loaded it.
        same = Game.objects.get(pk=game.pk)
        results.withdraw(game, actor=alice, expected_version=game.version)
        results.withdraw(same, actor=alice, expected_version=same.version)
        assert not Game.objects.exists()

    def test_other_player_cannot_withdraw_the_game(self, game, alice, dora, as_user):
        game = reported(game, alice)
        url = reverse("campaigns:game-withdraw", args=[game.pk])
        assert as_user(dora).post(url, {"seen": game.version}).status_code == 422
        assert Game.objects.exists()

    def test_only_an_organiser_withdraws_a_confirmed_game(self, game, alice, dora, bob):
        game = confirmed(reported(game, alice), dora)
        with pytest.raises(Refusal, match="confirmed_already"):
            results.withdraw(game, actor=alice, expected_version=game.version)
        results.withdraw(game, actor=bob, expected_version=game.version)
        assert not Game.objects.exists()


def test_game_keeps_the_name_of_a_deleted_gang(game, alice, dora, theirs, as_user):
    game = confirmed(reported(game, alice), dora)
    name = theirs.name
    theirs.delete()
    browser = as_user(alice)
    assert name in browser.get(game.get_absolute_url()).content.decode()
    assert browser.get(game.campaign.get_absolute_url()).status_code == 200


class TestImplausibleResults:
    @pytest.mark.long
    def test_implausible_result_is_questioned_once(self, campaign, hers, theirs, alice, as_user):
        """A crushing victory is implausible while all losers are fit."""
        browser = as_user(alice)
        game = make_game(campaign, alice, hers, theirs)
        url = reverse("campaigns:game-report", args=[game.pk])
        data = report_data(browser, game)
        del data["sure"]
        answer = browser.post(url, data)
        page = unescape(answer.content.decode())
        losers = len(Side.objects.get(game=game, gang=theirs).gang.roster.members)
        assert answer.status_code == 422
        assert f"Crushing victory, though {losers} of {theirs.name}" in page
        assert 'name="sure" value="1"' in page
        assert Game.objects.get(pk=game.pk).status == "planned"
        assert browser.post(url, {**data, "sure": "1"}).status_code == 302
        assert Game.objects.get(pk=game.pk).result == "crushing"

    def test_plausible_result_is_not_questioned(self, campaign, hers, theirs, alice, as_user):
        browser = as_user(alice)
        game = make_game(campaign, alice, hers, theirs)
        url = reverse("campaigns:game-report", args=[game.pk])
        data = report_data(browser, game)
        del data["sure"]
        plain = {**data, "result": "inglorious"}
        side = Side.objects.get(game=game, gang=theirs)
        down = {f"side{side.pk}-mark-{one.id}": "out" for one in side.gang.roster.members}
        mark = next(iter(campaign.book.campaign.marks)).key
        down = dict.fromkeys(down, mark)
        for sent in (plain, {**data, **down}):
            Game.objects.filter(pk=game.pk).update(status="planned", result="")
            sent["seen"] = Game.objects.get(pk=game.pk).version
            assert browser.post(url, sent).status_code == 302
