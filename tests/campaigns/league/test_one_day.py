"""A tournament of one day: nobody types a date, every game has a table, and rounds follow play."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.notices import describe
from campaigns.league.draws import days_of_next
from campaigns.league.loading import load_stage
from campaigns.league.settling import settle_absence
from campaigns.models import Campaign, Fixture, Round, Stage
from gangs.models import Gang
from printing.paper.orders import Order
from printing.season import stage_sheet as stage_print
from tests.world.campaigns import make_player, make_stage

AsUser = Callable[[User], Client]


@pytest.fixture
def nine(campaign: Campaign) -> list[Gang]:
    """Return nine gangs of nine players; the first of two always wins."""
    made = []
    for number in range(9):
        gang = make_player(campaign, User.objects.create_user(f"player{number}"))
        Gang.objects.filter(pk=gang.pk).update(name=f"Gang {number}")
        made.append(Gang.objects.select_related("owner").get(pk=gang.pk))
    return made


def start(client: Client, campaign: Campaign, stage_format: str, **fields: object) -> Stage:
    """Start a stage in one day with the form, without a date."""
    where = reverse("campaigns:stage-new", args=[campaign.pk, stage_format])
    page = client.get(where).content.decode()
    token = re.search(r'name="token" value="([^"]+)"', page)
    assert token
    data = {"name": stage_format, "days": "0", "token": token[1], **fields}
    answer = client.post(where, data)
    assert answer.status_code == 302
    return Stage.objects.latest("number")


def press(client: Client, stage: Stage, words: str) -> None:
    """Press the button or follow the link of these words on the stage's page, and make what is
    proposed there."""
    page = client.get(stage.get_absolute_url()).content.decode()
    assert words in page
    stage.refresh_from_db()
    where = reverse("campaigns:stage-draw", args=[stage.pk])
    answer = client.post(where, {"seen": str(stage.version), "as_proposed": "1"})
    assert answer.status_code == 302


def enter_results(client: Client, stage: Stage, number: int, gangs: list[Gang]) -> None:
    """Enter the results of a round: of two gangs, the one that comes first in the list wins."""
    where = reverse("campaigns:round-entering", args=[stage.pk, number])
    page = client.get(where).content.decode()
    data = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', page))
    order = [gang.pk for gang in gangs]
    for fixture in Fixture.objects.filter(round__stage=stage, round__number=number):
        if not fixture.is_bye:
            winner = min((fixture.home_id, fixture.away_id), key=order.index)
            data[f"fixture-{fixture.pk}-result"] = f"played:{winner}:crushing"
    assert client.post(where, {**data, "enter": "1"}).status_code == 302


def test_one_day_runs_through_without_a_date(
    campaign: Campaign, nine: list[Gang], bob: User, as_user: AsUser
) -> None:
    client, today = as_user(bob), timezone.localdate()
    swiss = start(
        client,
        campaign,
        "swiss",
        **{"who": "ticked", "gangs": [str(gang.pk) for gang in nine], "order": "joined"},
        **{"first": "halves", "win": "3", "draw": "1", "loss": "0", "bye": "3"},
    )
    for number in (1, 2, 3):
        press(client, swiss, "Propose fixtures" if number == 1 else "Open the next round")
        found = Round.objects.get(stage=swiss, number=number)
        assert (found.opens, found.due) == (today, None)
        tables = [one.table_number for one in found.fixtures.order_by("number")]
        assert tables == [1, 2, 3, 4, None]
        again = client.post(
            reverse("campaigns:stage-draw", args=[swiss.pk]),
            {"seen": str(Stage.objects.get(pk=swiss.pk).version), "as_proposed": "1"},
        )
        assert again.status_code == 422, "the results are still missing"
        if number == 1:
            look_at_a_phone(found, as_user)
        enter_results(client, swiss, number, nine)
    table = load_stage(Stage.objects.get(pk=swiss.pk)).table
    assert table[0].gang == str(nine[0].pk) and table[0].points == 9
    best = start(client, campaign, "knock-out", who=str(swiss.pk), best="4", order="joined")
    assert best.entrants.count() == 4
    press(client, best, "Propose fixtures")
    enter_results(client, best, 1, nine)
    press(client, best, "Open the next round")
    enter_results(client, best, 2, nine)
    page = client.get(best.get_absolute_url()).content.decode()
    assert "Gang 0 won this stage." in page and "Open the next round" not in page
    assert Round.objects.exclude(opens=today).count() == 0


def look_at_a_phone(found: Round, as_user: AsUser) -> None:
    """Check that a player reads their table on every page, and in the notice."""
    fixture = found.fixtures.select_related("home__owner", "away").get(number=2)
    assert fixture.home is not None and fixture.away is not None
    player = fixture.home.owner
    assert player is not None
    client = as_user(player)
    tonight = client.get("/tonight/").content.decode()
    assert f"Table 2, against {fixture.away.name}" in tonight
    assert tonight.count("Table 2") == 1, "the line says it once"
    campaign = found.stage.campaign
    pages = (fixture, found.stage, campaign)
    for address in [page.get_absolute_url() for page in pages]:
        assert "Table 2 · To be played" in client.get(address).content.decode()
    printed = stage_print.job(load_stage(found.stage), player, Order("en"))
    assert "Table 2 · To be played" in printed.html
    [notice] = [row for row in player.notices.all() if row.kind == "round_opened"]
    assert describe(notice).endswith("Table 2.")
    french = Client(headers={"accept-language": "fr"})
    french.force_login(player)
    assert f"Table 2, contre {fixture.away.name}" in french.get("/tonight/").content.decode()


def test_game_that_is_set_up_keeps_its_table(
    campaign: Campaign, nine: list[Gang], bob: User, as_user: AsUser
) -> None:
    swiss = make_stage(campaign, *nine[:8])
    Stage.objects.filter(pk=swiss.pk).update(options={**swiss.options, "days": 0})
    fixture = Fixture.objects.get(number=3)
    player = nine[4].owner
    assert player is not None
    client = as_user(player)
    where = reverse("campaigns:fixture-arrange", args=[fixture.pk])
    page = client.get(fixture.get_absolute_url()).content.decode()
    assert where in page and "Agree on a day" not in page
    # The form as the page shows it: nobody types a date.
    data = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', client.get(where).content.decode()))
    day = timezone.localdate().isoformat()
    assert client.post(where, {**data, "day": day}).status_code == 302
    game = Fixture.objects.get(pk=fixture.pk).game
    assert game is not None
    for address in ("/tonight/", fixture.get_absolute_url(), game.get_absolute_url()):
        assert "Table 3" in client.get(address).content.decode(), address


def test_tables_of_a_round_robin_have_no_gap(
    campaign: Campaign, nine: list[Gang], bob: User, as_user: AsUser
) -> None:
    client = as_user(bob)
    fields = {"who": "ticked", "gangs": [str(gang.pk) for gang in nine[:5]], "order": "joined"}
    fields |= {"legs": "1", "win": "3", "draw": "1", "loss": "0", "bye": "0"}
    stage = start(client, campaign, "round-robin", **fields)
    press(client, stage, "Propose fixtures")
    page = client.get(stage.get_absolute_url()).content.decode()
    assert "10 fixtures made." in page, "byes are not counted"
    tables = [
        [fixture.table_number for fixture in one.fixtures.order_by("number")]
        for one in stage.rounds.all()
    ]
    assert tables == [[1, 2, None]] * 5


def test_next_round_opens_when_the_last_one_is_decided(
    campaign: Campaign, gangs: list[Gang], bob: User, as_user: AsUser
) -> None:
    """A round of a fortnight: decided after a day, the next one need not wait."""
    stage = make_stage(campaign, *gangs[:4])
    today = timezone.localdate()
    Round.objects.update(due=today + timedelta(days=13))
    assert days_of_next(load_stage(stage))[0] == today + timedelta(days=14)
    client = as_user(bob)
    assert "Open the next round" not in client.get(stage.get_absolute_url()).content.decode()
    enter_results(client, stage, 1, gangs)
    stage = Stage.objects.get(pk=stage.pk)
    assert days_of_next(load_stage(stage)) == (today, today + timedelta(days=13))
    press(client, stage, "Open the next round")
    assert Round.objects.get(number=2).opens == today


def test_planned_round_of_a_round_robin_opens_early(
    make_round_robin: Callable[[int], Stage], gangs: list[Gang], bob: User, as_user: AsUser
) -> None:
    stage = make_round_robin(7)
    client, second = as_user(bob), Round.objects.get(number=2)
    assert second.opens > timezone.localdate()
    assert "Open today" not in client.get(stage.get_absolute_url()).content.decode()
    enter_results(client, stage, 1, gangs)
    assert "Open today: Round 2" in client.get(stage.get_absolute_url()).content.decode()
    # A round whose results are all entered before its first day has nothing to open.
    enter_results(client, stage, 2, gangs)
    assert "Open today: Round 3" in client.get(stage.get_absolute_url()).content.decode()


def test_opening_a_round_of_a_round_robin_early_keeps_its_last_day(
    make_round_robin: Callable[[int], Stage], gangs: list[Gang], bob: User, as_user: AsUser
) -> None:
    stage = make_round_robin(7)
    client, second = as_user(bob), Round.objects.get(number=2)
    enter_results(client, stage, 1, gangs)
    where = reverse("campaigns:round-change", args=[stage.pk, 2])
    version = Stage.objects.get(pk=stage.pk).version
    assert client.post(where, {"seen": str(version), "now": "1"}).status_code == 302
    opened = Round.objects.get(number=2)
    assert (opened.opens, opened.due) == (timezone.localdate(), second.due)
    assert opened.announced_at is not None


@pytest.mark.parametrize("count", [5, 8])
def test_games_of_a_knock_out_that_are_open_together_have_different_tables(
    campaign: Campaign, nine: list[Gang], bob: User, as_user: AsUser, count: int
) -> None:
    """Gangs with a bye, or whose first games are over, play on while others still play."""
    client = as_user(bob)
    fields = {"who": "ticked", "gangs": [str(gang.pk) for gang in nine[:count]], "order": "joined"}
    stage = start(client, campaign, "knock-out", third="on", **fields)
    press(client, stage, "Propose fixtures")
    everything = Fixture.objects.filter(round__stage=stage).select_related("round__stage")
    for fixture in everything.filter(number__gt=2).exclude(away_name=""):
        settle(fixture)
    draw_next(client, stage)
    unplayed = [one for one in everything if one.game_id is None and not one.is_bye]
    assert sorted((one.round.number, one.number) for one in unplayed)[-1] == (2, 2)
    tables = [one.table_number for one in unplayed]
    assert len(set(tables)) == len(tables), tables
    for fixture in unplayed:
        settle(fixture)
    draw_next(client, stage)
    for fixture in everything.filter(game=None).exclude(away_name=""):
        settle(fixture)
    draw_next(client, stage)
    last = everything.filter(round__number=3)
    assert {one.table_number for one in last} == {1, 3}, "the final and the game for third place"
    assert max(one.table_number or 0 for one in everything) <= 4


def settle(fixture: Fixture) -> None:
    """Let the first gang win since the other is absent."""
    settle_absence(fixture, fixture.home, actor=fixture.round.stage.campaign.organisers[0])


def draw_next(client: Client, stage: Stage) -> None:
    """Make the fixtures that are known by now, as an organiser does on their page."""
    stage.refresh_from_db()
    where = reverse("campaigns:stage-draw", args=[stage.pk])
    assert client.post(where, {"seen": str(stage.version)}).status_code == 302
