"""Pages of the standings: the table, the club's rules, bonuses and penalties."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Notice, User
from campaigns.engine.league.standings_rules import BY_THE_BOOK, StandingsRules
from campaigns.files import data_export, exporting
from campaigns.models import Adjustment, Campaign
from campaigns.season.loading import load_season
from campaigns.season.standings.forms import AdjustmentForm, RulesForm
from campaigns.season.standings.text import rank_gangs
from gangs.models import Gang
from tests.campaigns.files.test_files import import_text
from tests.world.campaigns import confirmed, make_game, reported

pytestmark = pytest.mark.django_db
SignIn = Callable[[User], Client]


@pytest.fixture
def played(campaign: Campaign, hers: Gang, theirs: Gang, alice: User, dora: User) -> Campaign:
    """A campaign in which alice's gang has won a game against dora's."""
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    return Campaign.objects.get(pk=campaign.pk)


def url(name: str, campaign: Campaign, *more: object) -> str:
    return reverse(f"campaigns:{name}", args=[campaign.pk, *more])


def form_data(campaign: Campaign, **changed: object) -> dict[str, object]:
    """Return what the form of the rules sends, with some fields changed."""
    form = RulesForm(campaign.book, campaign.standings_rules)
    data = {name: field.initial for name, field in form.fields.items()}
    return {"seen": campaign.version, **data, **changed}


def adjust(browser: Client, campaign: Campaign, gang: Gang, points: int = 3, **more: object) -> int:
    data = {"gang": gang.pk, "points": points, "reason": "Best painted", "token": uuid.uuid4()}
    return browser.post(url("adjust", campaign), data | more).status_code


@pytest.mark.long
def test_standings_page_says_what_decided_each_place(
    played: Campaign, theirs: Gang, alice: User, as_user: SignIn
) -> None:
    page = as_user(alice).get(url("standings", played)).content.decode()
    assert re.findall(r'decision">([^<]*)<', page) == [
        f"ahead of {theirs.name} (dora): money from games, 4 to 1",
        f"behind {theirs.name} (alice): money from games, 1 to 4",
    ]


def test_campaign_page_explains_no_place_before_the_first_game(
    campaign: Campaign, hers: Gang, theirs: Gang, alice: User, as_user: SignIn
) -> None:
    rules = StandingsRules(ranking=("wins", "lots"), seed="0" * 32)
    Campaign.objects.filter(pk=campaign.pk).update(table=rules.model_dump(mode="json"))
    browser = as_user(alice)
    assert 'decision">' not in browser.get(campaign.get_absolute_url()).content.decode()
    assert "drawing lots" in browser.get(url("standings", campaign)).content.decode()


def test_rules_change_ranking_columns_and_points(
    played: Campaign, bob: User, as_user: SignIn
) -> None:
    browser = as_user(bob)
    data = form_data(
        played,
        by_1="points",
        by_2="head_to_head",
        by_3="lots",
        columns=["played", "points"],
        **{"points-crushing-winner": 4, "points-crushing-loser": 1},
    )
    assert browser.post(url("standings-rules", played), data).status_code == 302
    played.refresh_from_db()
    rules = played.standings_rules
    assert rules.ranking == ("points", "head_to_head", "lots")
    assert rules.columns == ("played", "points")
    assert rules.points == {"crushing": (4, 1, 0)}
    assert len(rules.seed) == 32
    rows = rank_gangs(load_season(played.pk).season)
    assert [row.points for row in rows] == [4, 1]
    # The rulebook's rules come back; the lots are drawn once and for all.
    again = {"seen": played.version, "book": "1"}
    assert browser.post(url("standings-rules", played), again).status_code == 302
    played.refresh_from_db()
    assert played.standings_rules == StandingsRules(seed=rules.seed)


def test_untouched_rules_stay_the_rulebooks(played: Campaign, bob: User, as_user: SignIn) -> None:
    browser = as_user(bob)
    assert browser.post(url("standings-rules", played), form_data(played)).status_code == 302
    played.refresh_from_db()
    assert played.standings_rules == BY_THE_BOOK
    assert played.table == {}


def test_stale_rules_keep_what_was_chosen(played: Campaign, bob: User, as_user: SignIn) -> None:
    data = form_data(played, by_1="rating", by_2="")
    Campaign.objects.filter(pk=played.pk).update(version=played.version + 1)
    answer = as_user(bob).post(url("standings-rules", played), data)
    assert answer.status_code == 409
    assert '<option value="rating" selected>' in answer.content.decode()
    played.refresh_from_db()
    assert played.table == {}


def test_rules_reject_a_criterion_that_is_chosen_twice(
    played: Campaign, bob: User, as_user: SignIn
) -> None:
    data = form_data(played, by_1="wins", by_2="wins")
    answer = as_user(bob).post(url("standings-rules", played), data)
    assert answer.status_code == 422
    assert "This is in the list already." in answer.content.decode()


def test_bonus_counts_once_and_is_in_the_chronicle(
    played: Campaign, theirs: Gang, bob: User, dora: User, as_user: SignIn
) -> None:
    browser, token = as_user(bob), uuid.uuid4()
    assert adjust(browser, played, theirs, token=token) == 302
    assert adjust(browser, played, theirs, token=token) == 302
    (row,) = load_season(played.pk).season.adjustments
    assert (row.points, row.who, row.by, row.why) == (3, str(theirs.pk), "bob", "Best painted")
    points = {line.gang: line.points for line in rank_gangs(load_season(played.pk).season)}
    assert points[str(theirs.pk)] == 3
    chronicle = browser.get(url("chronicle", played)).content.decode()
    assert "a bonus of 3 in the standings: “Best painted”" in chronicle
    assert Notice.objects.filter(user=dora, kind="gang_adjusted").count() == 1


def test_bonus_that_is_taken_back_no_longer_counts(
    played: Campaign, theirs: Gang, bob: User, as_user: SignIn
) -> None:
    browser = as_user(bob)
    adjust(browser, played, theirs, -2)
    row = Adjustment.objects.get()
    for _twice in range(2):
        assert browser.post(url("adjustment-back", played, row.pk)).status_code == 302
    season = load_season(played.pk).season
    assert [line.bonus for line in rank_gangs(season)] == [0, 0]
    assert "withdrew a bonus or penalty" in browser.get(url("chronicle", played)).content.decode()


@pytest.mark.parametrize("wrong", [{"points": 0}, {"reason": ""}, {"points": 1000}])
def test_adjustment_needs_points_and_a_reason(
    wrong: dict[str, object], played: Campaign, theirs: Gang, bob: User, as_user: SignIn
) -> None:
    assert adjust(as_user(bob), played, theirs, **wrong) == 422  # type: ignore[arg-type]
    assert not Adjustment.objects.exists()


def test_adjustment_is_refused_for_a_gang_of_another_campaign(
    played: Campaign, bob: User, as_user: SignIn
) -> None:
    stranger = Gang.objects.exclude(memberships__campaign=played).first()
    assert stranger is None
    assert adjust(as_user(bob), played, Gang(pk=uuid.uuid4())) == 422


def test_players_see_no_button_to_adjust(played: Campaign, alice: User, as_user: SignIn) -> None:
    page = as_user(alice).get(url("standings", played)).content.decode()
    assert url("adjust", played) not in page
    assert url("standings-rules", played) not in page


def test_standings_of_an_archived_campaign_can_be_corrected(
    played: Campaign, theirs: Gang, bob: User, as_user: SignIn
) -> None:
    browser = as_user(bob)
    browser.post(url("archive", played))
    assert adjust(browser, played, theirs) == 302
    assert [row.bonus for row in rank_gangs(load_season(played.pk).season)] == [0, 3]


def test_file_contains_rules_and_adjustments(
    played: Campaign, theirs: Gang, bob: User, as_user: SignIn
) -> None:
    plain = json.loads(exporting.export_campaign(played))
    # An older site can read a campaign that uses none of this.
    assert {"table", "adjustments"}.isdisjoint(plain)
    adjust(as_user(bob), played, theirs)
    rules = StandingsRules(ranking=("points", "lots"), seed="a" * 32)
    Campaign.objects.filter(pk=played.pk).update(table=rules.model_dump(mode="json"))
    played.refresh_from_db()
    text = exporting.export_campaign(played).decode()
    # 1.0 does not know that standings have an edition.
    assert json.loads(text)["format_version"] == 3
    arrived = import_text(text, bob, own_name="bob")
    assert exporting.export_campaign(arrived).decode() == text
    assert arrived.standings_rules == rules
    (row,) = arrived.adjustments.all()
    assert (row.points, row.reason, row.by) == (3, "Best painted", bob)
    # The same lots are drawn, although the gangs have other keys here.
    places = [
        [(line.name, line.owner) for row in rank_gangs(season) for line in [season.gang[row.gang]]]
        for season in (load_season(played.pk).season, load_season(arrived.pk).season)
    ]
    assert places[0] == places[1]


def test_owners_data_has_their_adjustments(
    played: Campaign, theirs: Gang, bob: User, alice: User, as_user: SignIn
) -> None:
    adjust(as_user(bob), played, theirs)
    played.participants.filter(user=bob).update(role="player")
    files = {file.path: file.content for file in data_export.files_of(bob)}
    assert "Best painted" in files["campaigns/of-others.json"]


def test_forms_offer_only_what_the_game_has(campaign: Campaign, hers: Gang) -> None:
    form = RulesForm(campaign.book, BY_THE_BOOK)
    offered = [key for key, _label in form.fields["by_1"].choices]  # type: ignore[attr-defined]
    assert "points" in offered and "lots" in offered
    assert ("rating" in offered) == (campaign.book.rating is not None)
    assert AdjustmentForm({hers: "Hers"}).fields["gang"].choices == [(str(hers.pk), "Hers")]  # type: ignore[attr-defined]
