"""The next season: people, rules, gangs and nights go on; the last season stays correctable."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import date, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Notice, User
from campaigns.club.home import duties
from campaigns.club.home.duties import games_waiting
from campaigns.club.next_season.forms import propose_name
from campaigns.club.next_season.storage import find_later, set_previous, sort_gangs
from campaigns.club.nights.repeating import find_rhythm
from campaigns.club.people import joining
from campaigns.engine.league.standings_rules import StandingsRules
from campaigns.games.corrections import strikes
from campaigns.models import Campaign, Game, Participant, Side
from campaigns.season.loading import load_season
from campaigns.season.standings.text import rank_gangs
from gangs.ledger.storage import replay_roster
from gangs.models import Gang
from tests.campaigns.postgames.test_drafts import committed
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    reported,
    side_of,
)

SignIn = Callable[[User], Client]


@pytest.fixture
def season(campaign: Campaign, hers: Gang, theirs: Gang, alice: User, dora: User) -> Campaign:
    """A season in which alice's gang beat dora's; both post-games are done."""
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    for gang, owner in ((hers, alice), (theirs, dora)):
        committed(side_of(game, gang), owner)
    return Campaign.objects.get(pk=campaign.pk)


def start(browser: Client, season: Campaign, *carried: Gang, **more: object) -> Campaign | None:
    """Send the form; return the new season if there is one."""
    seats = list(season.participants.values_list("pk", flat=True))
    gangs = [Gang.objects.get(pk=gang.pk) for gang in carried]
    data = {"name": "Winter 2", "seats": seats, "carried": [gang.pk for gang in gangs]}
    data |= {f"seen-{gang.pk}": gang.version for gang in gangs} | {"token": uuid.uuid4()}
    options = {f"option-{key}": value for key, value in season.settings.items()}
    browser.post(reverse("campaigns:next-season", args=[season.pk]), options | data | more)
    return season.next_seasons.first()


def test_next_season_copies_people_and_rules(
    season: Campaign, bob: User, charlie: User, as_user: SignIn
) -> None:
    season.participants.create(user=charlie, role=Participant.Role.SPECTATOR)
    rules = StandingsRules(ranking=("points", "lots"), seed="a" * 32)
    Campaign.objects.filter(pk=season.pk).update(table=rules.model_dump(mode="json"))
    new = start(as_user(bob), season)
    assert new is not None
    assert (new.name, new.previous, new.book_version_id) == (
        "Winter 2",
        season,
        season.book_version_id,
    )
    assert new.settings == season.settings
    roles = dict(new.participants.values_list("user__username", "role"))
    assert roles == {
        "bob": "organiser",
        "alice": "player",
        "dora": "player",
        "charlie": "spectator",
    }
    assert new.standings_rules.ranking == rules.ranking
    # A new season draws its own lots.
    assert new.standings_rules.seed not in ("", rules.seed)
    season.refresh_from_db()
    assert season.archived_at is not None


def test_player_without_a_gang_is_asked_for_one(
    season: Campaign, hers: Gang, alice: User, dora: User, bob: User, as_user: SignIn
) -> None:
    browser = as_user(bob)
    new = start(browser, season, hers)
    assert new is not None
    assert "1 gang plays on" in browser.get(new.get_absolute_url()).content.decode()
    words = "A new season: join with a gang"
    told = {user: [duty.text for duty in duties.standing_of(user).duties] for user in (alice, dora)}
    assert words in told[dora] and words not in told[alice]


def test_gang_that_is_carried_over_plays_on(
    season: Campaign, hers: Gang, theirs: Gang, bob: User, alice: User, dora: User, as_user: SignIn
) -> None:
    new = start(as_user(bob), season, hers)
    assert new is not None
    assert [row.gang for row in new.memberships.all()] == [hers]
    kinds = Notice.objects.filter(kind__in=["season_started", "gang_wanted"])
    assert dict(kinds.values_list("user__username", "kind")) == {
        "alice": "season_started",
        "dora": "gang_wanted",
    }
    # Dora brings her gang herself.
    gang = Gang.objects.get(pk=theirs.pk)
    joining.join(new, gang, actor=dora, expected_version=gang.version)
    game = make_game(new, alice, Gang.objects.get(pk=hers.pk), gang, day=date(2026, 6, 1))
    confirmed(reported(game, alice), dora)
    assert [row.played for row in rank_gangs(load_season(new.pk).season)] == [1, 1]
    assert [row.played for row in rank_gangs(load_season(season.pk).season)] == [1, 1]


def test_last_season_stays_correctable_after_its_gangs_moved_on(
    season: Campaign, hers: Gang, theirs: Gang, bob: User, as_user: SignIn
) -> None:
    new = start(as_user(bob), season, hers, theirs)
    assert new is not None
    game = Game.objects.get(campaign=season)
    gangs = {gang.pk: gang.version for gang in Gang.objects.all()}
    strikes.strike_game(
        game,
        actor=bob,
        reason="the wrong result",
        expected_version=game.version,
        versions=gangs,
        also={},
    )
    assert [row.played for row in rank_gangs(load_season(season.pk).season)] == [0, 0]
    for gang in Gang.objects.all():
        assert replay_roster(gang) == gang.roster
        assert (
            gang.roster.campaigns == {str(season.pk), str(new.pk)}
            or len(gang.roster.campaigns) == 2
        )


@pytest.mark.long
def test_corrected_game_of_the_last_season_is_a_duty_of_a_gang_that_plays_on(
    season: Campaign, hers: Gang, bob: User, alice: User, dora: User, as_user: SignIn
) -> None:
    start(as_user(bob), season, hers)
    assert games_waiting(alice) == []
    Side.objects.filter(game__campaign=season).update(correcting=True)
    assert [duty.gangs for duty in games_waiting(alice)] == [(hers.pk,)]
    # Dora's gang plays nowhere now, and waits for nothing.
    assert games_waiting(dora) == []


def test_form_that_arrives_twice_starts_one_season(
    season: Campaign, hers: Gang, bob: User, as_user: SignIn
) -> None:
    browser, token = as_user(bob), uuid.uuid4()
    assert start(browser, season, hers, token=token) == start(browser, season, hers, token=token)
    assert season.next_seasons.count() == 1


@pytest.mark.parametrize("status", list(Game.Status))
def test_gang_with_an_open_game_is_carried_over(
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    bob: User,
    as_user: SignIn,
    status: str,
) -> None:
    game = reported(make_game(campaign, alice, hers, theirs), alice)
    Game.objects.filter(pk=game.pk).update(status=status)
    ready, staying = sort_gangs(campaign)
    assert (ready, staying) == ([hers, theirs], [])
    page = as_user(bob).get(reverse("campaigns:next-season", args=[campaign.pk])).content.decode()
    assert (game.get_absolute_url() in page) == (status != "struck")
    new = start(as_user(bob), campaign, hers, theirs)
    assert new is not None and new.memberships.count() == 2


def test_game_that_is_confirmed_after_the_season_is_a_duty_of_its_players(
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    bob: User,
    dora: User,
    as_user: SignIn,
) -> None:
    game = reported(make_game(campaign, alice, hers, theirs), alice)
    new = start(as_user(bob), campaign, hers, theirs)
    assert new is not None
    assert [duty.campaign for duty in games_waiting(dora)] == [campaign.pk]
    game = confirmed(Game.objects.get(pk=game.pk), dora)
    committed(side_of(game, hers), alice)
    assert Gang.objects.get(pk=hers.pk).roster.games == 1


def test_changed_gang_is_not_carried_over_unseen(
    season: Campaign, hers: Gang, bob: User, as_user: SignIn
) -> None:
    assert start(as_user(bob), season, hers, **{f"seen-{hers.pk}": 0}) is None
    season.refresh_from_db()
    assert season.archived_at is None


@pytest.mark.long
def test_next_season_keeps_the_rhythm_of_the_nights(
    season: Campaign, bob: User, as_user: SignIn
) -> None:
    first = timezone.make_aware(datetime(2026, 1, 9, 19, 30))
    for number in range(4):
        make_night(season, first + number * timedelta(days=14), place="The Anchor")
    browser = as_user(bob)
    page = browser.get(reverse("campaigns:next-season", args=[season.pk])).content.decode()
    assert '<option value="fortnight" selected>' in page
    assert 'value="The Anchor"' in page
    nights = {"plan_nights": "on", "night-day": "2027-01-08", "night-time": "19:30"}
    nights |= {"night-every": "fortnight", "night-times": "3", "night-token": str(uuid.uuid4())}
    new = start(browser, season, **nights)
    assert new is not None
    held = new.nights.order_by("starts_at").values_list("starts_at", flat=True)
    assert [f"{timezone.localtime(at):%Y-%m-%d %H:%M}" for at in held] == [
        "2027-01-08 19:30",
        "2027-01-22 19:30",
        "2027-02-05 19:30",
    ]


def test_previous_season_never_makes_a_circle(campaign: Campaign, bob: User) -> None:
    second, third = make_campaign(bob), make_campaign(bob)
    set_previous(second, campaign)
    set_previous(third, second)
    assert find_later(campaign) == {campaign.pk, second.pk, third.pk}
    set_previous(campaign, third)
    campaign.refresh_from_db()
    assert campaign.previous is None
    set_previous(second, None)
    assert find_later(campaign) == {campaign.pk}


@pytest.mark.parametrize(
    ("gaps", "rhythm"),
    [
        ([], None),
        ([7, 7, 14, 7], "week"),
        ([14, 14, 13], "fortnight"),
        ([28, 35, 28], "month"),
        ([3, 20, 50], None),
        ([7, 20, 50, 3], None),
    ],
)
def test_rhythm_is_that_of_most_nights(gaps: list[int], rhythm: str | None) -> None:
    days = [date(2026, 1, 9)]
    for gap in gaps:
        days.append(days[-1] + timedelta(days=gap))
    assert find_rhythm(days) == rhythm


@pytest.mark.parametrize(
    ("name", "proposed"),
    [("Winter", "Winter 2"), ("Winter 2", "Winter 3"), ("Season 2026", "Season 2027")],
)
def test_proposed_name_counts_on(name: str, proposed: str) -> None:
    assert propose_name(name) == proposed
    assert len(propose_name("x" * 80)) <= 80
