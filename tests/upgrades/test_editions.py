"""Tables of an older release: begun stages and ended seasons keep their places."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from accounts.models import User
from campaigns.club.people import joining
from campaigns.league import rounds
from campaigns.league.loading import load_stage
from campaigns.league.rounds import FixturePlan, RoundPlan
from campaigns.league.settling import settle_absence
from campaigns.models import Campaign, Fixture, Stage
from campaigns.season.loading import load_season
from campaigns.season.standings.text import rank_gangs
from gangs.models import Gang
from tests.world.addresses import make_world
from tests.world.campaigns import make_player, make_stage

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = [("campaigns", "0022_people_in_notices")]
TABLE = {"ranking": ["strength", "head_to_head"]}


@pytest.fixture
def league() -> Iterator[tuple[Stage, list[Gang]]]:
    """A database of before, with a stage where a defeat pays: in the first round a won because b
    was absent, and c has a bye in the second. It is migrated to the newest state after the test.
    """
    world = make_world()
    campaign: Campaign = world.campaign
    gangs = [
        make_player(campaign, User.objects.create_user(f"player{number}", password="x"))
        for number in range(3)
    ]
    stage = make_stage(campaign, *gangs[:2])
    plan = RoundPlan(2, timezone.localdate(), None, [FixturePlan(gangs[2])])
    stage.entrants.create(gang=gangs[2], name="c", seed=3)
    rounds.make_rounds(stage, [plan], expected_version=stage.version)
    fixture = Fixture.objects.select_related("round__stage__campaign").get(
        round__stage=stage, away=gangs[1]
    )
    settle_absence(fixture, gangs[0], actor=world.users["organiser"])  # type: ignore[arg-type]
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    try:
        MigrationExecutor(connection).migrate(BEFORE)
        options = {**Stage.objects.get(pk=stage.pk).options, "loss": 1}
        Stage.objects.filter(pk=stage.pk).update(options=options, ended_at=timezone.now())
        Campaign.objects.update(table=TABLE)
        yield stage, gangs
    finally:
        MigrationExecutor(connection).migrate(newest)


def newest() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_stage_that_had_begun_keeps_its_places(league: tuple[Stage, list[Gang]]) -> None:
    stage, gangs = league
    assert "edition" not in Stage.objects.get(pk=stage.pk).options
    newest()
    stage = Stage.objects.get(pk=stage.pk)
    assert stage.rules.edition == 1
    lines = {line.gang: line for line in load_stage(stage).table}
    # The absent gang has the point of a defeat, and met one with 3 points.
    assert [
        (lines[str(gang.pk)].points, lines[str(gang.pk)].strength, lines[str(gang.pk)].place)
        for gang in gangs
    ] == [(3, 1, 1), (1, 3, 3), (3, 0, 2)]
    # By the rules of today it has nothing, and the first two are level.
    Stage.objects.update(options={**stage.options, "edition": 2})
    table = load_stage(Stage.objects.get(pk=stage.pk)).table
    assert [(line.points, line.place) for line in table] == [(3, 1), (3, 2), (0, 3)]


def test_stage_without_a_round_goes_by_the_rules_of_today(
    league: tuple[Stage, list[Gang]],
) -> None:
    fresh = Stage.objects.create(
        campaign=league[0].campaign, number=9, name="Cup", format="swiss", options={"win": 2}
    )
    newest()
    fresh.refresh_from_db()
    assert (fresh.rules.edition, fresh.options) == (2, {"win": 2})


@pytest.mark.parametrize("archived", [True, False])
def test_season_keeps_its_places_once_it_has_ended(
    league: tuple[Stage, list[Gang]], archived: bool
) -> None:
    campaign = Campaign.objects.get(pk=league[0].campaign_id)
    if archived:
        joining.archive(campaign)
    newest()
    campaign.refresh_from_db()
    assert campaign.standings_rules.edition == (1 if archived else 2)
    rows = {row.gang: row for row in rank_gangs(load_season(campaign.pk).season)}
    # Nobody has fought: by the earlier rule, opponents have won 0 of 0 games.
    expected = {0.0} if archived else {1 / 3}
    assert {float(rows[str(gang.pk)].strength) for gang in league[1]} == expected
