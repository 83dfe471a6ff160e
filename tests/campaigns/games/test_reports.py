"""Reporting a game: the forms of all games, credits, each side's story, dice."""

from __future__ import annotations

import re
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape

from campaigns import throws
from campaigns.club.nights import schedule
from campaigns.engine.credits import Losses, deeds
from campaigns.engine.report import TAKEN_OUT, About, Credit, Report, tallies
from campaigns.models import Game, Side, Throw
from gangs.engine import entries
from gangs.engine.roster import Affliction
from gangs.ledger import writer
from gangs.models import Gang
from gangs.text.formats import shown_name
from rules.book.vocabulary import Text
from rules.engine.dice import DiceRoll
from tests.random_cases import one_soon
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    make_player,
    reported,
)
from tests.world.gangs import SLUGS, shipped

DEEP = "au-un-pour-un"
SORTS = "zombstone"
GUNS = "blackwater-gulch"
LEAGUE = "du-sang-sur-la-lame"


def plan_game(slug, organiser, users):
    """Plan a game with a gang of each of these players; return both."""
    campaign = make_campaign(organiser, slug)
    gangs = [make_player(campaign, user) for user in users]
    return make_game(campaign, users[0], *gangs), gangs


def url(game, name="game-report"):
    return reverse(f"campaigns:{name}", args=[game.pk])


def form_data(browser, game, **values):
    """Return the current form's data as a browser sends it, won by the first side."""
    forms = browser.get(url(game)).context["forms"]
    data = {"seen": game.version}
    for form in [forms.result, *forms.side_forms]:
        for field in form:
            value = field.value()
            if value is True:
                data[field.html_name] = "on"
            elif value is not None and value is not False:
                data[field.html_name] = str(value)
    first = next(iter(game.campaign.rules.results))
    winner = "" if first.kind == "level" else str(forms.sides[0].pk)
    return data | {"result": first.key, "winner": winner} | values


def shown_forms(browser, game, data):
    """Return the form after a button that only shows it again."""
    answer = browser.post(url(game), data)
    assert answer.status_code == 200
    return answer.context["forms"]


def value_of(forms, side, name):
    form = next(form for form in forms.side_forms if form.side == side)
    return form[name].value()


def one_fallen(browser, game, hers, theirs):
    """Return the form in which her first member put out theirs, and both members' numbers."""
    data, other = form_data(browser, game), game.sides.last()
    killer, victim = hers.roster.members[0].id, theirs.roster.members[0].id
    data[f"side{other.pk}-mark-{victim}"] = "out"
    data[f"side{other.pk}-credit-{victim}"] = f"{hers.pk}:{killer}"
    return data, killer, victim


@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_report_of_every_game_is_shown_again_as_typed(slug, alice, bob, dora, as_user):
    """Every count of the game is typed in, sent, and shown again in the next form."""
    game, gangs = plan_game(slug, bob, [alice, dora])
    browser = as_user(alice)
    campaign = game.campaign
    sides = list(game.sides.all())
    told = form_data(browser, game, note="A long night")
    ways = list(campaign.rules.mark)
    # Nobody gets the credit for a member who still stands.
    felled = {row.key for row in campaign.rules.marks if not row.stands}
    for side, gang, other in zip(sides, gangs, reversed(gangs), strict=True):
        prefix = f"side{side.pk}-"
        for member, way in zip(gang.roster.members, ways, strict=False):
            told[f"{prefix}mark-{member.id}"] = way
            if way in felled:
                told[f"{prefix}credit-{member.id}"] = f"{other.pk}:{other.roster.members[0].id}"
        per_member = [row.key for row in tallies(campaign.rules, "member")]
        for key in per_member or [TAKEN_OUT]:
            told[f"{prefix}{key}-{gang.roster.members[0].id}"] = "5"
        for row in tallies(campaign.rules, "gang"):
            told[f"{prefix}tally-{row.key}"] = "3"
    assert browser.post(url(game), {**told, "sure": "1"}).status_code == 302
    game.refresh_from_db()
    assert game.status == "reported" and game.note == "A long night"
    again = form_data(as_user(dora), game, result=told["result"], winner=told["winner"])
    assert {key: value for key, value in again.items() if value} == {
        key: value for key, value in (told | {"seen": game.version}).items() if value
    }
    page = as_user(dora).get(game.get_absolute_url()).content.decode()
    assert "A long night" in page
    for way in ways:
        assert str(next(m.name["en"] for m in campaign.book.campaign.marks if m.key == way)) in page


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
def test_report_of_four_gangs_is_confirmed(slug, alice, bob, charlie, dora, as_user):
    game, gangs = plan_game(slug, bob, [alice, bob, charlie, dora])
    browser = as_user(alice)
    data = form_data(browser, game)
    for name in ("game-report", "game"):
        assert browser.get(url(game, name)).status_code == 200
    # ``sure`` confirms an implausible result.
    assert browser.post(url(game), {**data, "sure": "1"}).status_code == 302
    game.refresh_from_db()
    assert game.status == "reported"
    for user in (bob, charlie, dora):
        game = confirmed(game, user)
    assert game.status == "confirmed"
    assert [side.parsed_report.fielded for side in game.sides.all()] == [
        tuple(member.id for member in gang.roster.members) for gang in gangs
    ]


class TestFillingIn:
    """Golden cases: counts that follow from the credits."""

    @staticmethod
    def fallen(gang, marks, credits):
        return Losses(str(gang.pk), gang.roster, gang.roster.members, marks, credits)

    def test_credits_count_chiefs_and_underlings_separately(self, alice, bob, dora):
        game, (hers, theirs) = plan_game(DEEP, bob, [alice, dora])
        killer = hers.roster.members[0].id
        chief = next(one.id for one in theirs.roster.members if one.rank == "chef")
        minor = [one.id for one in theirs.roster.members if one.rank == "sous_fifre"]
        credit = Credit(gang=str(hers.pk), member=killer)
        ended = {chief: "killed", minor[0]: "out", minor[1]: "out"}
        done = deeds(
            shipped(DEEP).under(game.campaign.settings),
            [
                self.fallen(hers, {}, {}),
                self.fallen(theirs, ended, {chief: credit, minor[0]: credit}),
            ],
        )
        mine = done[str(hers.pk)]
        assert mine.counts == {"enemy_chiefs": {killer: 1}, "enemy_underlings": {killer: 1}}
        # The band counts every enemy, with or without a credit.
        assert mine.tallies == {"chiefs_killed": 1, "underlings_out": 2}
        assert not done[str(theirs.pk)].tallies

    def test_credit_counts_for_one_of_three_gangs(self, alice, bob, charlie, dora):
        game, (first, second, third) = plan_game(DEEP, bob, [alice, charlie, dora])
        chief = next(one.id for one in third.roster.members if one.rank == "chef")
        minor = next(one.id for one in third.roster.members if one.rank == "sous_fifre")
        credit = Credit(gang=str(second.pk), member=second.roster.members[0].id)
        done = deeds(
            shipped(DEEP).under(game.campaign.settings),
            [
                self.fallen(first, {}, {}),
                self.fallen(second, {}, {}),
                self.fallen(third, {chief: "out", minor: "out"}, {chief: credit}),
            ],
        )
        assert done[str(second.pk)].tallies == {"chiefs_out": 1}
        assert not done[str(first.pk)].tallies and not done[str(first.pk)].counts

    def test_fled_member_is_credited_to_nobody(self, alice, bob, dora):
        game, (hers, theirs) = plan_game(SORTS, bob, [alice, dora])
        star, other = (one.id for one in theirs.roster.members if one.rank == "vedette")
        credit = Credit(gang=str(hers.pk), member=hers.roster.members[0].id)
        done = deeds(
            shipped(SORTS).under(game.campaign.settings),
            [
                self.fallen(hers, {}, {}),
                self.fallen(theirs, {star: "fled", other: "hs"}, {star: credit, other: credit}),
            ],
        )
        assert done[str(hers.pk)].counts == {"stars_out": {credit.member: 1}}

    @pytest.mark.long
    def test_fill_button_keeps_typed_values(self, alice, bob, dora, as_user):
        game, (hers, theirs) = plan_game(GUNS, bob, [alice, dora])
        mine, other = game.sides.all()
        first, second = (member.id for member in hers.roster.members[:2])
        fallen = [member.id for member in theirs.roster.members[:3]]
        browser = as_user(alice)
        data = form_data(browser, game, fill="1", winner="", result="")
        for victim, by in zip(fallen, [first, first, second], strict=True):
            data[f"side{other.pk}-mark-{victim}"] = "out"
            data[f"side{other.pk}-credit-{victim}"] = f"{hers.pk}:{by}"
        data[f"side{mine.pk}-taken_out-{second}"] = "4"
        data[f"side{mine.pk}-tally-nuggets"] = "many"
        forms = shown_forms(browser, game, data)
        assert value_of(forms, mine, f"taken_out-{first}") == 2
        assert value_of(forms, mine, f"taken_out-{second}") == "4"
        assert value_of(forms, mine, "tally-nuggets") == "many"
        assert value_of(forms, other, f"mark-{fallen[0]}") == "out"
        game.refresh_from_db()
        assert game.status == "planned"

    def test_count_below_the_credits_is_refused(self, alice, bob, dora, as_user):
        game, (hers, theirs) = plan_game(GUNS, bob, [alice, dora])
        mine, other = game.sides.all()
        browser = as_user(alice)
        data = form_data(browser, game)
        killer = hers.roster.members[0].id
        for victim in theirs.roster.members[:2]:
            data[f"side{other.pk}-mark-{victim.id}"] = "out"
            data[f"side{other.pk}-credit-{victim.id}"] = f"{hers.pk}:{killer}"
        data[f"side{mine.pk}-taken_out-{killer}"] = "1"
        answer = browser.post(url(game), data)
        assert answer.status_code == 422
        form = answer.context["forms"].side_forms[0]
        assert list(form.errors) == [f"taken_out-{killer}"]
        assert "they took out 2" in answer.content.decode()
        data[f"side{mine.pk}-taken_out-{killer}"] = "2"
        assert browser.post(url(game), data).status_code == 302

    @pytest.mark.long
    def test_empty_counts_are_filled_in_on_sending(self, alice, bob, dora, as_user):
        game, (hers, theirs) = plan_game(DEEP, bob, [alice, dora])
        mine, other = game.sides.all()
        browser = as_user(alice)
        data = form_data(browser, game)
        killer = hers.roster.members[0].id
        chief = next(one.id for one in theirs.roster.members if one.rank == "chef")
        minor = [one.id for one in theirs.roster.members if one.rank == "sous_fifre"][:2]
        for victim in (chief, *minor):
            data[f"side{other.pk}-mark-{victim}"] = "out"
            data[f"side{other.pk}-credit-{victim}"] = f"{hers.pk}:{killer}"
        data[f"side{mine.pk}-enemy_underlings-{killer}"] = "3"
        # The typed 0 for the band stays although two fell.
        data[f"side{mine.pk}-tally-underlings_out"] = "0"
        assert browser.post(url(game), data).status_code == 302
        mine.refresh_from_db()
        counts, gang = mine.parsed_report.counts, mine.parsed_report.tallies
        assert counts["enemy_chiefs"] == {killer: 1} and counts["enemy_underlings"] == {killer: 3}
        assert counts[TAKEN_OUT] == {killer: 4}
        assert gang["chiefs_out"] == 1 and gang["underlings_out"] == 0
        game.refresh_from_db()
        assert browser.post(url(game), form_data(browser, game)).status_code == 302
        mine.refresh_from_db()
        assert mine.parsed_report.tallies["underlings_out"] == 0

    def test_correction_of_who_fell_corrects_the_worked_out_counts(self, alice, bob, dora, as_user):
        game, (hers, theirs) = plan_game(GUNS, bob, [alice, dora])
        mine, other = game.sides.all()
        browser = as_user(alice)
        data, killer, victim = one_fallen(browser, game, hers, theirs)
        assert browser.post(url(game), data).status_code == 302
        mine.refresh_from_db()
        assert mine.parsed_report.counts[TAKEN_OUT] == {killer: 1}
        game.refresh_from_db()
        data = form_data(browser, game)
        data[f"side{other.pk}-mark-{victim}"] = ""
        assert browser.post(url(game), data).status_code == 302
        mine.refresh_from_db()
        assert not mine.parsed_report.counts.get(TAKEN_OUT)

    def test_credit_for_an_absent_member_is_refused(self, alice, bob, dora, as_user):
        game, (hers, theirs) = plan_game(GUNS, bob, [alice, dora])
        mine, other = game.sides.all()
        browser = as_user(alice)
        data, killer, victim = one_fallen(browser, game, hers, theirs)
        del data[f"side{mine.pk}-in-{killer}"]
        forms = shown_forms(browser, game, data | {"fill": "1"})
        assert not value_of(forms, mine, f"taken_out-{killer}"), (
            "no count is filled in for an absent member"
        )
        answer = browser.post(url(game), data)
        assert answer.status_code == 422
        first, second = answer.context["forms"].side_forms
        assert not first.errors and list(second.errors) == [f"credit-{victim}"]

    def test_credit_for_the_own_gang_is_refused(self, alice, bob, dora, as_user):
        game, (hers, theirs) = plan_game(GUNS, bob, [alice, dora])
        mine, other = game.sides.all()
        browser = as_user(alice)
        victim, friend = (member.id for member in theirs.roster.members[:2])
        data = form_data(browser, game)
        data[f"side{other.pk}-mark-{victim}"] = "out"
        data[f"side{other.pk}-credit-{victim}"] = f"{theirs.pk}:{friend}"
        assert browser.post(url(game), data).status_code == 422

    def test_all_button_ticks_every_member_of_a_side(self, alice, bob, dora, as_user):
        game, (hers, theirs) = plan_game(GUNS, bob, [alice, dora])
        mine, other = game.sides.all()
        browser = as_user(alice)
        data = form_data(browser, game)
        for side, gang in ((mine, hers), (other, theirs)):
            for member in gang.roster.members:
                del data[f"side{side.pk}-in-{member.id}"]
        forms = shown_forms(browser, game, data | {"all": str(mine.pk)})
        assert all(value_of(forms, mine, f"in-{one.id}") for one in hers.roster.members)
        assert not any(value_of(forms, other, f"in-{one.id}") for one in theirs.roster.members)


class TestARefusedReport:
    def test_refused_report_links_to_each_mistake(self, alice, bob, dora, as_user):
        game, (hers, theirs) = plan_game(GUNS, bob, [alice, dora])
        mine, other = game.sides.all()
        browser = as_user(alice)
        assert b"was not sent" not in browser.get(url(game)).content
        data = form_data(browser, game, winner="")
        first = hers.roster.members[1].id
        data[f"side{mine.pk}-taken_out-{first}"] = "many"
        data[f"side{other.pk}-tally-nuggets"] = "many"
        answer = browser.post(url(game), data)
        page = answer.content.decode()
        assert answer.status_code == 422 and "The report was not sent" in page
        anchors = [anchor for anchor, _name in answer.context["forms"].wrong()]
        row, gang = f"side{mine.pk}-row-{first}", f"side{other.pk}-gang"
        assert anchors == ["report-result", row, gang]
        for anchor in anchors:
            assert page.count(f'id="{anchor}"') == 1 and f'href="#{anchor}"' in page
        for member in theirs.roster.members:
            del data[f"side{other.pk}-in-{member.id}"]
        nobody = browser.post(url(game), data)
        assert nobody.context["forms"].wrong()[-1] == (f"side-{other.pk}", f"{other.name} (dora)")
        assert f'id="side-{other.pk}"' in nobody.content.decode()

    @pytest.mark.long
    def test_button_returns_to_its_place_on_the_page(self, alice, bob, dora, as_user):
        game, _gangs = plan_game(GUNS, bob, [alice, dora])
        page = as_user(alice).get(url(game)).content.decode()
        for anchor in ("report-fill", *(f"side-{side.pk}" for side in game.sides.all())):
            assert f'formaction="#{anchor}"' in page and page.count(f'id="{anchor}"') == 1

    @pytest.mark.long
    def test_only_result_is_preselected(self, alice, bob, dora, as_user):
        campaign = make_campaign(bob, LEAGUE, settings={"players": "more"})
        game = make_game(campaign, alice, make_player(campaign, alice), make_player(campaign, dora))
        browser = as_user(alice)
        assert browser.get(url(game)).context["forms"].result["result"].value() == "agreed"
        two, _gangs = plan_game(GUNS, bob, [alice, dora])
        assert not browser.get(url(two)).context["forms"].result["result"].value()


class TestInTheOrderOfPlay:
    """The winner is enough; the result follows from the rest of the report."""

    @pytest.mark.parametrize("all_down", [True, False])
    def test_matching_victory_is_chosen_when_there_are_several(
        self, all_down, alice, bob, dora, as_user
    ):
        game, (_hers, theirs) = plan_game(LEAGUE, bob, [alice, dora])
        mine, other = game.sides.all()
        browser = as_user(alice)
        data = form_data(browser, game, result="", winner=str(mine.pk))
        for member in theirs.roster.members if all_down else ():
            data[f"side{other.pk}-mark-{member.id}"] = "dead"
        assert browser.post(url(game), data).status_code == 302
        game.refresh_from_db()
        assert game.result == ("crushing" if all_down else "inglorious")
        assert [side.kind for side in game.sides.all()] == ["winner", "loser"]

    @pytest.mark.long
    @pytest.mark.parametrize("slug", SLUGS)
    def test_level_results_are_offered_beside_the_winners(self, slug, alice, bob, dora, as_user):
        game, _gangs = plan_game(slug, bob, [alice, dora])
        browser = as_user(alice)
        endings = browser.get(url(game)).context["forms"].result.endings()
        level = [one for one in endings if one.hue is None]
        assert [one.value for one in endings[:2]] == [str(side.pk) for side in game.sides.all()]
        data = form_data(browser, game, result="", winner=level[0].value)
        assert browser.post(url(game), data).status_code == 302
        game.refresh_from_db()
        assert game.result == level[0].value
        assert {side.kind for side in game.sides.all()} == {"level"}
        # A correction shows it selected.
        page = browser.get(url(game))
        shown = page.context["forms"].result.endings()
        assert [one.value for one in shown if one.is_chosen] == [level[0].value]
        assert f'value="{level[0].value}" checked' in page.content.decode()

    def test_report_without_a_winner_is_refused(self, alice, bob, dora, as_user):
        game, _gangs = plan_game(LEAGUE, bob, [alice, dora])
        browser = as_user(alice)
        answer = browser.post(url(game), form_data(browser, game, result="", winner=""))
        assert answer.status_code == 422
        assert answer.context["forms"].result.errors == {
            "winner": ["Who won? Choose one of these."]
        }
        assert answer.context["forms"].wrong() == [("report-result", "Result")]

    def test_future_day_is_marked_beside_its_field(self, alice, bob, dora, as_user):
        game, _gangs = plan_game(LEAGUE, bob, [alice, dora])
        browser = as_user(alice)
        answer = browser.post(url(game), form_data(browser, game, played_on="2999-01-01"))
        assert answer.status_code == 422
        assert answer.context["forms"].wrong() == [("report-besides", "Day")]
        assert 'id="report-besides" open>' in answer.content.decode()

    @pytest.mark.parametrize(
        ("told", "mark"),
        one_soon(
            [
                ({"": "out"}, "out"),
                ({"": "out", "-how": "killed"}, "killed"),
                ({"-how": "killed"}, None),
                ({"": "killed"}, "killed"),
            ]
        ),
    )
    def test_mark_can_be_made_more_precise(self, told, mark, alice, bob, dora, as_user):
        """The precise mark is ignored without the plain one: a second tap makes the member fit."""
        game, (hers, _theirs) = plan_game(DEEP, bob, [alice, dora])
        mine, _other = game.sides.all()
        member = hers.roster.members[0].id
        browser = as_user(alice)
        data = form_data(browser, game)
        del data[f"side{mine.pk}-mark-{member}"]
        data |= {f"side{mine.pk}-mark-{member}{name}": value for name, value in told.items()}
        assert browser.post(url(game), data).status_code == 302
        mine.refresh_from_db()
        assert mine.parsed_report.marks.get(member) == mark


class TestExplanations:
    @pytest.mark.parametrize("slug", one_soon(SLUGS))
    def test_each_mark_is_explained_once_on_the_page(self, slug, alice, bob, dora, as_user):
        game, _gangs = plan_game(slug, bob, [alice, dora])
        page = as_user(alice).get(url(game)).content.decode()
        for mark in shipped(slug).under(game.campaign.settings).marks:
            assert page.count(escape(mark.text["en"])) == 1

    def test_result_shows_its_income(self, alice, bob, dora, as_user):
        game, _gangs = plan_game(LEAGUE, bob, [alice, dora])
        labels = [label for _key, label in result_choices(as_user(alice), game)]
        assert labels[0].endswith("(4 Po for the winner, 1 Po for the loser)")
        assert labels[2].endswith("(2 Po each)")

    @pytest.mark.long
    def test_result_shows_no_income_when_money_is_left_out(self, alice, bob, dora, as_user):
        campaign = make_campaign(bob, GUNS, settings={"money": "no"})
        game = make_game(campaign, alice, make_player(campaign, alice), make_player(campaign, dora))
        labels = [label for _key, label in result_choices(as_user(alice), game)]
        assert labels and all(label.endswith(". (house value)") for label in labels)
        other, _gangs = plan_game(GUNS, bob, [alice, dora])
        labels = [label for _key, label in result_choices(as_user(alice), other)]
        assert labels[1].endswith(". (7 gold each · house value)")


class TestTallies:
    @pytest.mark.parametrize(
        ("scenario", "asked"), one_soon([("", True), ("gold_rush", True), ("manhunt", False)])
    )
    def test_form_asks_only_for_tallies_of_the_scenario(
        self, scenario, asked, alice, bob, dora, as_user
    ):
        game, _gangs = plan_game(GUNS, bob, [alice, dora])
        Game.objects.update(scenario=scenario)
        browser = as_user(alice)
        forms = browser.get(url(game)).context["forms"].side_forms
        assert [bool(form.gang_fields()) for form in forms] == [asked, asked]
        assert all(TAKEN_OUT in form.counts for form in forms)
        assert browser.post(url(game), form_data(browser, game)).status_code == 302
        assert all(("nuggets" in side.parsed_report.tallies) == asked for side in game.sides.all())

    @pytest.mark.long
    def test_reported_tally_is_kept_when_the_scenario_changes(self, alice, bob, dora, as_user):
        game, _gangs = plan_game(GUNS, bob, [alice, dora])
        mine, other = game.sides.all()
        browser = as_user(alice)
        data = form_data(browser, game, **{f"side{mine.pk}-tally-nuggets": "3"})
        assert browser.post(url(game), data).status_code == 302
        Game.objects.update(scenario="manhunt")
        forms = browser.get(url(game)).context["forms"]
        assert value_of(forms, mine, "tally-nuggets") == 3
        assert not next(form for form in forms.side_forms if form.side == other).gang_fields()


class TestGangsOfOneName:
    """Gangs made from the same sample have the same name."""

    def test_gangs_of_the_same_name_show_their_players(self, alice, bob, charlie, dora, as_user):
        game, _gangs = plan_game(GUNS, bob, [alice, charlie, dora])
        Game.objects.update(scenario=shipped(GUNS).scenarios[0].key)
        first, second, third = game.sides.all()
        game.sides.exclude(pk=third.pk).update(name="The Rats")
        Gang.objects.filter(pk__in=[first.gang_id, second.gang_id]).update(name="The Rats")
        names = ["The Rats (alice)", "The Rats (charlie)", third.name]
        browser = as_user(alice)
        forms = browser.get(url(game)).context["forms"]
        winners = [str(label) for _key, label in forms.result.fields["winner"].choices]
        assert winners == [*names, "Draw"]
        assert [form.name for form in forms.side_forms] == names
        credit = forms.side_forms[2].fields[f"credit-{forms.side_forms[2].members[0].id}"]
        assert [label for label, _them in credit.choices[1:]] == names[:2]
        page = browser.get(url(game, "game")).context
        assert [field.label for field in page["roles"].form] == names
        assert page["title"] == " – ".join(names)
        assert browser.post(url(game), form_data(browser, game)).status_code == 302
        told = browser.get(url(game, "game"))
        assert [side.name for side in told.context["sides"]] == names
        assert re.search(r"</span>\s+<span>The Rats \(alice\)\s+<span", told.content.decode())

    @pytest.mark.long
    def test_pages_with_both_gangs_show_their_players(
        self, campaign, hers, theirs, alice, bob, dora, as_user
    ):
        """Covers the list of games, the chronicle, the night, its pairings and the standings."""
        Gang.objects.filter(pk__in=[hers.pk, theirs.pk]).update(name="The Rats")
        hers.refresh_from_db()
        theirs.refresh_from_db()
        night = make_night(campaign)
        for gang, player in ((hers, alice), (theirs, dora)):
            schedule.answer(night, gang, "yes", actor=player)
        gang, game = make_player(campaign, bob), make_game(campaign, alice, hers, theirs)
        confirmed(reported(game, alice), dora)
        browser = as_user(bob)

        def told(name, row):
            return browser.get(reverse(f"campaigns:{name}", args=[row.pk])).content.decode()

        title = "The Rats (alice) – The Rats (dora)"
        page = told("campaign", campaign)
        assert f"<strong>{title}</strong>" in page
        # The standings show the player on a separate line.
        assert re.findall(r">The Rats</a>\s*<br><a[^>]*>(\w+)</a>", page) == [
            "alice",
            "dora",
        ]
        assert "The Rats (alice) beat The Rats (dora)" in told("chronicle", campaign)
        # The gangs' keys decide the order within a pair.
        pairs = re.findall(r"<strong>(The Rats[^<]*)</strong>", told("night-pairings", night))
        assert [sorted(pair.split(" – ")) for pair in pairs] == [title.split(" – ")]
        assert "The Rats (alice)" in told("charts", campaign)
        choices = browser.get(reverse("campaigns:night-answers", args=[night.pk])).context["form"]
        labels = [field.label for field in choices.fields.values()]
        assert labels == ["The Rats (alice)", "The Rats (dora)", gang.name]

    def test_different_names_are_shown_without_players(self, alice, bob, dora, as_user):
        game, (hers, _theirs) = plan_game(GUNS, bob, [alice, dora])
        game.sides.filter(gang=hers).update(name="The Rats")
        game.sides.exclude(gang=hers).update(name="The Cats")
        page = as_user(alice).get(url(game, "game"))
        assert page.context["title"] == "The Rats – The Cats"


def result_choices(browser, game):
    """Return the results that the report offers."""
    return browser.get(url(game)).context["forms"].result.fields["result"].choices


class TestMembersInTheForm:
    def test_picked_crew_is_ticked(self, alice, bob, dora, as_user):
        game, (hers, _theirs) = plan_game(GUNS, bob, [alice, dora])
        side = game.sides.first()
        picked = [member.id for member in hers.roster.members[:2]]
        Side.objects.filter(pk=side.pk).update(crew=picked)
        form = as_user(alice).get(url(game)).context["forms"].side_forms[0]
        ticked = [one.id for one in form.members if form[f"in-{one.id}"].value()]
        assert ticked == picked and len(form.members) == len(hers.roster.members)

    def test_nameless_members_show_their_items(self, alice, bob, dora, as_user):
        game, (hers, theirs) = plan_game(DEEP, bob, [alice, dora])
        named, nameless = hers.roster.members[0], hers.roster.members[-1]
        writer.append(
            hers,
            [entries.Named(member=nameless.id, name="")],
            expected_version=hers.version,
            actor=alice,
            token=uuid.uuid4().hex,
        )
        first, second = as_user(dora).get(url(game)).context["forms"].side_forms
        about = {row.member.id: (row.name, row.about) for row in first.rows()}
        hands = {hand.member: hand.name for hand in second.rows()[0].hands[0][1]}
        book = hers.book
        carried = ", ".join(book.item[item.key].name["en"] for item in nameless.items)
        rank = book.rank[nameless.rank].name["en"]
        assert about[nameless.id] == (rank, carried)
        assert about[named.id] == (named.name, book.rank[named.rank].name["en"])
        assert hands[nameless.id] == f"{rank} ({carried})"
        assert hands[named.id] == named.name

    def test_absent_member_is_only_listed(self, alice, bob, dora, as_user):
        game, (hers, _theirs) = plan_game(GUNS, bob, [alice, dora])
        absent = next(row.key for row in shipped(GUNS).conditions if row.absent)
        first, *others = hers.roster.members
        hurt = first.model_copy(update={"afflictions": (Affliction(condition=absent),)})
        roster = hers.roster.model_copy(update={"members": (hurt, *others)})
        hers.snapshot = roster.model_dump_json()
        hers.save()
        form = as_user(alice).get(url(game)).context["forms"].side_forms[0]
        assert first.id not in {one.id for one in form.members}
        assert [one.id for one in form.away] == [first.id]

    def test_old_report_has_no_credits(self):
        assert Report.model_validate({"fielded": [1], "marks": {1: "out"}}).credits == {}


class TestTales:
    @pytest.fixture
    def game(self, campaign, hers, theirs, alice, dora):
        return reported(make_game(campaign, alice, hers, theirs), alice)

    def send(self, browser, game, side, words, **values):
        form = next(
            told.tale_form
            for told in browser.get(game.get_absolute_url()).context["sides"]
            if told.side == side
        )
        data = {"tale": words, "seen": form["seen"].value(), **values}
        return browser.post(reverse("campaigns:game-tale", args=[game.pk, side.pk]), data)

    @pytest.mark.long
    def test_each_side_has_its_own_story(self, game, alice, dora, bob, as_user):
        ours, theirs = game.sides.all()
        assert self.send(as_user(alice), game, ours, "We <b>won</b>!").status_code == 302
        assert self.send(as_user(dora), game, theirs, "They cheated.").status_code == 302
        assert self.send(as_user(bob), game, theirs, "They claim.").status_code == 302
        page = as_user(dora).get(game.get_absolute_url()).content.decode()
        assert "We &lt;b&gt;won&lt;/b&gt;!" in page and "They claim." in page
        assert Game.objects.get(pk=game.pk).version == game.version

    def test_other_players_cannot_write_a_story(self, game, alice, charlie, as_user):
        theirs = game.sides.last()
        address = reverse("campaigns:game-tale", args=[game.pk, theirs.pk])
        for user in (alice, charlie):
            assert as_user(user).post(address, {"tale": "!", "seen": ""}).status_code == 404

    def test_story_from_a_stale_tab_is_refused_and_kept(self, game, alice, as_user):
        """The second tab keeps its text and can save it on the next try."""
        ours = game.sides.first()
        browser = as_user(alice)
        old = browser.get(game.get_absolute_url()).context["sides"][0].tale_form["seen"].value()
        self.send(browser, game, ours, "First")
        late = self.send(browser, game, ours, "Second", seen=old)
        assert late.status_code == 409 and "Second" in late.content.decode()
        ours.refresh_from_db()
        assert ours.tale == "First"
        assert self.send(browser, game, ours, "First", seen=old).status_code == 302
        fresh = late.context["sides"][0].tale_form["seen"].value()
        assert self.send(browser, game, ours, "Second", seen=fresh).status_code == 302

    def test_too_long_story_is_refused(self, game, alice, as_user):
        ours = game.sides.first()
        assert self.send(as_user(alice), game, ours, "x" * 2001).status_code == 422

    def test_story_is_refused_before_the_game(self, campaign, hers, theirs, alice, as_user):
        game = make_game(campaign, alice, hers, theirs)
        address = reverse("campaigns:game-tale", args=[game.pk, game.sides.first().pk])
        assert as_user(alice).post(address, {"tale": "!", "seen": ""}).status_code == 404


class TestThrows:
    @pytest.fixture
    def side(self, campaign, hers, theirs, alice):
        return make_game(campaign, alice, hers, theirs).sides.first()

    def test_new_throws_are_stored_and_mistyped_throws_undone(self, side, alice):
        one = DiceRoll(dice="2d6", faces=(1, 2), thrown_by="table")
        other = DiceRoll(dice="2d6", faces=(3, 4), thrown_by="table")
        app = DiceRoll(dice="1d6", faces=(5,), thrown_by="app")

        def change(before, after):
            throws.keep_changes(side, before, after, lambda key: About(member=key), alice)

        change({}, {"a": one})
        change({"a": one}, {"a": one, "b": app})
        change({"a": one, "b": app}, {"b": app})
        change({"b": app}, {"a": other, "b": app})
        rows = list(Throw.objects.all())
        kept = [(row.key, row.roll["faces"], row.taken_back_at is None) for row in rows]
        assert kept == [("a", [1, 2], False), ("b", [5], True), ("a", [3, 4], True)]
        assert {row.about["member"] for row in rows} == {"a", "b"}

    def test_unchanged_throws_make_no_query(self, side, alice):
        roll = DiceRoll(dice="1d6", faces=(5,), thrown_by="app")
        with CaptureQueriesContext(connection) as captured:
            throws.keep_changes(side, {"a": roll}, {"a": roll}, lambda key: About(), alice)
        assert not len(captured)

    def test_page_shows_throws_in_the_readers_language(self, side, alice, dora, as_user):
        game, book = side.game, side.game.campaign.book
        table = book.tables[0]
        roll = DiceRoll(dice=table.dice, faces=(1, 2), thrown_by="table")
        throws.keep(game, side, "x", About(member="Mort", table=table.key), roll, alice)
        throws.keep(game, None, "y", About(what=Text(en="Old", fr="Vieux")), roll, None)
        browser = as_user(dora)
        page = browser.get(game.get_absolute_url()).content.decode()
        assert f"Mort · {table.name['en']}" in page and "Old" in page and "· alice" in page
        browser.cookies["django_language"] = "fr"
        page = browser.get(game.get_absolute_url()).content.decode()
        assert f"Mort · {table.name['fr']}" in page and "Vieux" in page

    def test_query_count_does_not_grow_with_throws(self, side, alice, as_user):
        browser = as_user(alice)
        roll = DiceRoll(dice="1d6", faces=(5,), thrown_by="app")

        def queries():
            browser.get(side.game.get_absolute_url())
            with CaptureQueriesContext(connection) as captured:
                browser.get(side.game.get_absolute_url())
            return len(captured)

        throws.keep(side.game, side, "x", About(), roll, alice)
        few = queries()
        for number in range(20):
            throws.keep(side.game, side, f"{number}", About(), roll, alice)
        assert queries() == few <= 14


@pytest.mark.parametrize("slug", ["cran", "du-sang-sur-la-lame"])
def test_members_with_kills_are_not_shown_as_put_out(bob, alice, as_user, slug):
    """Covers a game with a named tally and one without."""
    game, (hers, bobs) = plan_game(slug, bob, [alice, bob])
    who = hers.roster.members[0]
    told = Report(fielded=(who.id,), counts={TAKEN_OUT: {who.id: 2}})
    nobody = Report(counts={TAKEN_OUT: {}})
    book = game.campaign.book
    result = next(iter(book.under(game.campaign.settings).result))
    reports = {str(hers.pk): told, str(bobs.pk): nobody}
    game = reported(game, alice, result=result, reports=reports)
    page = as_user(bob).get(url(game, "game")).content.decode()
    names = {row.key: row.name["en"] for row in book.campaign.tallies}
    label = names.get(TAKEN_OUT, "Enemies taken out of action")
    assert f"<dt>{label}</dt><dd>by {shown_name(book, who)}\u00a0× 2</dd>" in page
    assert page.count(f"<dt>{label}</dt>") == 1
