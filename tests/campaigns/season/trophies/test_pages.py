"""Pages of trophies: the club's own, awards, and where they are shown."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Notice, User
from campaigns.files import exporting
from campaigns.models import Campaign, Trophy, TrophyAward
from campaigns.oversight import CampaignOversight
from campaigns.season.loading import load_season
from campaigns.season.trophies.text import trophy_lines
from gangs.models import Gang
from tests.campaigns.files.test_files import import_text
from tests.world.campaigns import confirmed, make_game, reported

SignIn = Callable[[User], Client]


@pytest.fixture
def played(campaign: Campaign, hers: Gang, theirs: Gang, alice: User, dora: User) -> Campaign:
    """A campaign in which alice's gang has beaten dora's."""
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    return Campaign.objects.get(pk=campaign.pk)


def url(name: str, campaign: Campaign, *more: object) -> str:
    return reverse(f"campaigns:{name}", args=[campaign.pk, *more])


def create(browser: Client, campaign: Campaign, count: str = "hand", **more: object) -> int:
    data = {"name": "Best host", "text": "", "count": count, "token": uuid.uuid4()}
    return browser.post(url("trophy-new", campaign), data | more).status_code


def award(browser: Client, campaign: Campaign, gang: Gang, **more: object) -> int:
    trophy = Trophy.objects.get(count="hand")
    data = {"trophy": f"own:{trophy.pk}", "to": str(gang.pk), "reason": "Cake"}
    data["token"] = str(uuid.uuid4())
    return browser.post(url("trophy-award", campaign), data | more).status_code


def test_counted_trophy_has_the_best_gang(played: Campaign, bob: User, as_user: SignIn) -> None:
    browser, token = as_user(bob), uuid.uuid4()
    assert create(browser, played, "wins", token=token) == 302
    assert create(browser, played, "wins", token=token) == 302
    assert Trophy.objects.count() == 1
    ((name, _text, holders),) = trophy_lines(load_season(played.pk).season)
    assert name == "Best host" and "(alice)" in holders and holders.endswith(": 1")
    assert "Best host" in browser.get(url("trophies", played)).content.decode()


@pytest.mark.long
def test_award_is_shown_and_can_be_withdrawn(
    played: Campaign, theirs: Gang, bob: User, dora: User, as_user: SignIn
) -> None:
    browser = as_user(bob)
    create(browser, played)
    assert award(browser, played, theirs) == 302
    assert Notice.objects.filter(user=dora, kind="trophy_awarded").count() == 1
    chronicle = browser.get(url("chronicle", played)).content.decode()
    assert "won a trophy, Best host: “Cake”" in chronicle
    player = browser.get(url("player", played, dora.pk)).content.decode()
    assert "Best host" in player
    assert CampaignOversight().trophies(theirs) == (f"Best host · {played.name}",)
    about = as_user(dora).get(reverse("gangs:about", args=[theirs.pk])).content.decode()
    assert "Best host" in about
    row = TrophyAward.objects.get()
    for _twice in range(2):
        assert browser.post(url("award-withdraw", played, row.pk)).status_code == 302
    assert trophy_lines(load_season(played.pk).season) == []


def test_award_goes_to_gangs_of_the_campaign_only(
    played: Campaign, theirs: Gang, bob: User, as_user: SignIn
) -> None:
    browser = as_user(bob)
    create(browser, played)
    assert award(browser, played, theirs, to=str(uuid.uuid4())) == 422
    assert award(browser, played, theirs, trophy="book:nothing") == 422
    assert not TrophyAward.objects.exists()


def test_deleted_trophy_takes_its_awards_along(
    played: Campaign, theirs: Gang, bob: User, as_user: SignIn
) -> None:
    browser = as_user(bob)
    create(browser, played)
    award(browser, played, theirs)
    browser.post(url("trophy-delete", played, Trophy.objects.get().pk))
    assert not TrophyAward.objects.exists()


def test_file_contains_trophies_and_awards(
    played: Campaign, theirs: Gang, bob: User, as_user: SignIn
) -> None:
    browser = as_user(bob)
    create(browser, played)
    award(browser, played, theirs)
    text = exporting.export_campaign(played).decode()
    assert json.loads(text)["format_version"] > 1
    arrived = import_text(text, bob, own_name="bob")
    assert exporting.export_campaign(arrived).decode() == text
    assert len(trophy_lines(load_season(arrived.pk).season)) == 1
